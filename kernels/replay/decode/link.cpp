#include "kernels/replay/decode/link.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "kernels/ptx/opcodes.h"
#include "kernels/replay/decode/wide_registers.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;

class Linker {
 public:
  Linker(const ptx::Module& module, const ptx::Function& entry) : module_(module) {
    linked_.function = entry;
    linked_.flow = ptx::analyse_control_flow(entry);
    linked_.piece_of_variable.assign(entry.variables.size(), 0);
    linked_.piece_of.emplace(entry.name, 0);
    linked_.pieces.push_back({.name = entry.name, .parameters = entry.parameters});
    for (std::uint32_t v = 0; v < entry.variables.size(); ++v) {
      if (entry.variables[v].of_module) copies_.emplace(entry.variables[v].name, v);
    }
  }

  Linked run() {
    std::uint32_t variables = 0;
    for (std::uint32_t p = 0; p < linked_.pieces.size() || variables < linked_.function.variables.size();) {
      if (variables < linked_.function.variables.size()) {
        name_addresses(variables++);
      } else {
        find_calls(p++);
      }
    }
    for (std::uint32_t p = 1; p < linked_.pieces.size(); ++p)
      linked_.pieces[p].is_recursive = reaches_itself(p);
    split_wide_registers(linked_.function);
    return std::move(linked_);
  }

 private:
  /// Looked into only where something is named: most kernels call nothing, in modules of thousands.
  void index_module() {
    if (is_indexed_) return;
    is_indexed_ = true;
    for (const ptx::Function& function : module_.functions) functions_.emplace(function.name, &function);
    for (const ptx::Variable& variable : module_.variables)
      module_variables_.emplace(variable.name, &variable);
  }

  /// What a variable's initial value names is there, too.
  void name_addresses(std::uint32_t v) {
    const std::vector<ptx::InitialAddress> addresses = linked_.function.variables[v].initial_addresses;
    for (const ptx::InitialAddress& address : addresses) {
      index_module();
      if (const auto variable = module_variables_.find(address.name); variable != module_variables_.end()) {
        copy_module_variable(*variable->second);
      } else {
        take_address(address.name);
      }
    }
  }
  std::uint32_t copy_module_variable(const ptx::Variable& variable) {
    const auto [entry, is_new] =
        copies_.try_emplace(variable.name, static_cast<std::uint32_t>(linked_.function.variables.size()));
    if (is_new) {
      linked_.function.variables.push_back(variable);
      linked_.function.variables.back().of_module = true;
      linked_.piece_of_variable.push_back(0);
    }
    return entry->second;
  }
  void take_address(const std::string& name) {
    if (const auto piece = add(name);
        piece && std::find(addressed_.begin(), addressed_.end(), *piece) == addressed_.end())
      addressed_.push_back(*piece);
  }

  void find_calls(std::uint32_t p) {
    const std::uint32_t first = linked_.pieces[p].first_instruction;
    const std::uint32_t end = end_of(p);
    std::vector<std::string> called, addressed;
    for (std::uint32_t i = first; i < end; ++i) {
      const ptx::Instruction& instruction = linked_.function.instructions[i];
      const bool is_call = instruction.opcode == ptx::Opcode::call;
      if (is_call && instruction.operands[1].kind == Kind::reg) linked_.pieces[p].calls_by_address = true;
      for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
        if (is_call && k == 1) {
          if (instruction.operands[1].kind == Kind::function) called.push_back(instruction.operands[1].text);
          continue;
        }
        name_functions(instruction.operands[k], addressed);
      }
    }
    for (const std::string& name : addressed) take_address(name);
    for (const std::string& name : called) {
      const auto piece = add(name);
      std::vector<std::uint32_t>& calls = linked_.pieces[p].calls;
      if (piece && std::find(calls.begin(), calls.end(), *piece) == calls.end()) calls.push_back(*piece);
    }
  }
  [[nodiscard]] std::uint32_t end_of(std::uint32_t p) const {
    return p + 1 < linked_.pieces.size() ? linked_.pieces[p + 1].first_instruction
                                         : static_cast<std::uint32_t>(linked_.function.instructions.size());
  }
  static void name_functions(const ptx::Operand& operand, std::vector<std::string>& names) {
    if (operand.kind == Kind::function) names.push_back(operand.text);
    for (const ptx::Operand& element : operand.elements) name_functions(element, names);
  }

  std::optional<std::uint32_t> add(const std::string& name) {
    if (const auto known = linked_.piece_of.find(name); known != linked_.piece_of.end()) return known->second;
    index_module();
    const auto function = functions_.find(name);
    if (function == functions_.end() || function->second->is_entry) return std::nullopt;
    const auto piece = static_cast<std::uint32_t>(linked_.pieces.size());
    linked_.piece_of.emplace(name, piece);
    append(*function->second, piece);
    return piece;
  }

  void append(const ptx::Function& from, std::uint32_t piece) {
    ptx::Function& to = linked_.function;
    first_register_ = static_cast<std::uint32_t>(to.registers.size());
    first_instruction_ = static_cast<std::uint32_t>(to.instructions.size());
    to.registers.insert(to.registers.end(), from.registers.begin(), from.registers.end());
    variable_.clear();
    for (const ptx::Variable& variable : from.variables) {
      if (variable.of_module) {
        variable_.push_back(copy_module_variable(variable));
        continue;
      }
      variable_.push_back(static_cast<std::uint32_t>(to.variables.size()));
      to.variables.push_back(variable);
      to.variables.back().reg = ptx::RegisterId{static_cast<std::uint32_t>(variable.reg) + first_register_};
      linked_.piece_of_variable.push_back(piece);
    }
    Piece& added =
        linked_.pieces.emplace_back(Piece{.name = from.name, .first_instruction = first_instruction_});
    added.variables = variable_;
    for (const std::uint32_t v : from.parameters) added.parameters.push_back(variable_[v]);
    for (const std::uint32_t v : from.returns) added.returns.push_back(variable_[v]);
    for (ptx::Instruction instruction : from.instructions) {
      move(instruction.guard);
      for (ptx::Operand& operand : instruction.operands) move(operand);
      to.instructions.push_back(std::move(instruction));
    }
    append(ptx::analyse_control_flow(from));
  }
  void move(ptx::Operand& operand) const {
    const Kind kind = operand.kind == Kind::address ? operand.address_base : operand.kind;
    if (kind == Kind::reg)
      operand.reg = ptx::RegisterId{static_cast<std::uint32_t>(operand.reg) + first_register_};
    if (kind == Kind::variable) operand.variable = variable_[operand.variable];
    if (kind == Kind::label) operand.label += first_instruction_;
    for (ptx::Operand& element : operand.elements) move(element);
  }
  void append(ptx::ControlFlow flow) {
    const auto first_block = static_cast<std::uint32_t>(linked_.flow.blocks.size());
    const auto shift = [first_block](std::uint32_t& block) {
      if (block != ptx::kNoBlock) block += first_block;
    };
    for (ptx::BasicBlock& block : flow.blocks) {
      block.first += first_instruction_;
      block.end += first_instruction_;
      for (auto* const list : {&block.successors, &block.predecessors}) {
        for (std::uint32_t& other : *list) shift(other);
      }
      shift(block.immediate_post_dominator);
      shift(block.loop_header);
      linked_.flow.blocks.push_back(std::move(block));
    }
    for (const std::uint32_t block : flow.block_of) linked_.flow.block_of.push_back(block + first_block);
  }

  [[nodiscard]] bool reaches_itself(std::uint32_t p) const {
    std::vector<bool> seen(linked_.pieces.size());
    std::vector<std::uint32_t> todo{p};
    const auto visit = [&](std::uint32_t called) {
      if (!seen[called]) todo.push_back(called);
      seen[called] = true;
    };
    while (!todo.empty() && !seen[p]) {
      const Piece& piece = linked_.pieces[todo.back()];
      todo.pop_back();
      for (const std::uint32_t called : piece.calls) visit(called);
      if (!piece.calls_by_address) continue;
      for (const std::uint32_t called : addressed_) visit(called);
    }
    return seen[p];
  }

  const ptx::Module& module_;
  Linked linked_;
  bool is_indexed_ = false;
  std::unordered_map<std::string, const ptx::Function*> functions_;
  std::unordered_map<std::string, const ptx::Variable*> module_variables_;
  std::unordered_map<std::string, std::uint32_t> copies_;  ///< Of the module's variables
  std::vector<std::uint32_t> addressed_;                   ///< Pieces whose address is taken
  // Of the function that is being appended:
  std::uint32_t first_register_ = 0, first_instruction_ = 0;
  std::vector<std::uint32_t> variable_;
};

}  // namespace

std::vector<std::uint32_t> Linked::first_instructions() const {
  std::vector<std::uint32_t> first;
  for (const Piece& piece : pieces) first.push_back(piece.first_instruction);
  return first;
}

Linked link_functions(const ptx::Module& module, const ptx::Function& entry) {
  return Linker(module, entry).run();
}

}  // namespace warplens::replay
