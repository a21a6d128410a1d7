// The memory instructions of a kernel as the record names them.
#include <algorithm>
#include <optional>

#include "kernels/replay/code.h"
#include "kernels/replay/registers.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Opcode;
using ptx::StateSpace;

std::optional<AccessOp> access_op(const ptx::Instruction& instruction, bool result_used) {
  switch (instruction.opcode) {
    case Opcode::ld:
    case Opcode::ldu: return AccessOp::load;
    case Opcode::st: return AccessOp::store;
    case Opcode::atom: return result_used ? AccessOp::atomic : AccessOp::reduction;
    case Opcode::red: return AccessOp::reduction;
    case Opcode::ldmatrix: return AccessOp::ldmatrix;
    case Opcode::stmatrix: return AccessOp::stmatrix;
    default: return std::nullopt;
  }
}

std::vector<Space> recorded_spaces(StateSpace space) {
  switch (space) {
    case StateSpace::global: return {Space::global};
    case StateSpace::shared: return {Space::shared};
    case StateSpace::local: return {Space::local};
    case StateSpace::generic: return {Space::global, Space::shared, Space::local};
    default: return {};
  }
}

/// For each register the one instruction that writes it, if there is only one.
class Definitions {
 public:
  explicit Definitions(const ptx::Function& function) : function_(function), writer_(function.registers.size()), writers_(function.registers.size()) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      for (const std::uint32_t r : register_use(function.instructions[i]).writes) {
        writer_[r] = i;
        ++writers_[r];
      }
    }
  }

  /// The load that a register's value comes from unchanged.
  [[nodiscard]] std::optional<std::uint32_t> load_of(const ptx::Operand& operand) const {
    const ptx::Operand* value = &operand;
    for (int step = 0; step < 16 && value->kind == Kind::reg; ++step) {
      const auto r = static_cast<std::uint32_t>(value->reg);
      if (writers_[r] != 1) return std::nullopt;
      const ptx::Instruction& writer = function_.instructions[writer_[r]];
      if (writer.opcode == Opcode::ld || writer.opcode == Opcode::ldu) return writer_[r];
      if (writer.opcode != Opcode::mov || writer.operands.size() != 2 || writer.operands[0].kind != Kind::reg) return std::nullopt;
      value = &writer.operands[1];
    }
    return std::nullopt;
  }

 private:
  const ptx::Function& function_;
  std::vector<std::uint32_t> writer_, writers_;
};

std::int32_t value_from(const ptx::Instruction& store, const Definitions& definitions, const SiteList& list) {
  const ptx::Operand& data = store.operands[1];
  std::optional<std::uint32_t> load;
  if (data.kind != Kind::vector) {
    load = definitions.load_of(data);
  } else {
    for (std::size_t k = 0; k < data.elements.size(); ++k) {
      const auto from = definitions.load_of(data.elements[k]);
      if (!from || (load && *load != *from)) return -1;
      load = from;
    }
  }
  if (!load || list.first_site[*load] == static_cast<std::uint32_t>(-1)) return -1;
  if (list.generic[list.first_site[*load]]) return -1;  // which space it comes from shows only when it runs
  return static_cast<std::int32_t>(list.first_site[*load]);
}

}  // namespace

bool is_strong(const ptx::Instruction& instruction) {
  if (instruction.is_volatile) return true;
  for (const char* order : {".relaxed", ".acquire", ".release", ".mmio"}) {
    if (instruction.text.find(order) != std::string::npos) return true;
  }
  return false;
}

std::vector<bool> results_used(const ptx::Function& function) {
  std::vector<bool> read(function.registers.size());
  for (const ptx::Instruction& instruction : function.instructions) {
    for (const std::uint32_t r : register_use(instruction).reads) read[r] = true;
  }
  std::vector<bool> used(function.instructions.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (instruction.opcode != Opcode::atom) continue;
    const RegisterUse use = register_use(instruction);
    used[i] = std::any_of(use.writes.begin(), use.writes.end(), [&](std::uint32_t r) { return read[r]; });
  }
  return used;
}

SiteList list_sites(const ptx::Function& function) {
  SiteList list;
  const std::vector<bool> used = results_used(function);
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const auto op = access_op(instruction, used[i]);
    const std::vector<Space> spaces = op ? recorded_spaces(instruction.space) : std::vector<Space>{};
    list.first_site.push_back(spaces.empty() ? static_cast<std::uint32_t>(-1) : static_cast<std::uint32_t>(list.sites.size()));
    for (const Space space : spaces) {
      Site site;
      site.instruction = i;
      site.ptx_line = instruction.ptx_line;
      site.file = instruction.location.outer_file;
      site.line = instruction.location.outer_line;
      site.space = space;
      site.op = *op;
      site.matrices = instruction.matrices;
      site.bytes = instruction.matrices != 0 ? std::uint8_t{16} : static_cast<std::uint8_t>(ptx::size_of(instruction.type) * instruction.vector);
      site.text = instruction.text;
      list.sites.push_back(std::move(site));
      list.generic.push_back(spaces.size() > 1);
    }
  }
  const Definitions definitions(function);
  for (Site& site : list.sites) {
    if (site.op == AccessOp::store) site.value_from = value_from(function.instructions[site.instruction], definitions, list);
  }
  return list;
}

}  // namespace warplens::replay
