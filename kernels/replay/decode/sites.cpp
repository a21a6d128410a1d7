// The memory instructions of a kernel as the record names them.
#include <algorithm>
#include <optional>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/decode/code.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Effect;
using ptx::StateSpace;

std::vector<Space> recorded_spaces(const ptx::Instruction& instruction) {
  if (ptx::accesses_texels(instruction)) return {Space::global};
  std::vector<Space> spaces;
  for (const ptx::MemoryEffect& effect : ptx::memory_effects(instruction)) {
    if (!effect.recorded) continue;
    if (effect.may_be_in(StateSpace::global)) spaces.push_back(Space::global);
    if (effect.may_be_in(StateSpace::shared)) spaces.push_back(Space::shared);
    if (effect.may_be_in(StateSpace::local)) spaces.push_back(Space::local);
  }
  return spaces;
}

/// For each register the instructions that write it.
class Definitions {
 public:
  explicit Definitions(const ptx::Function& function)
      : function_(function), writers_(function.registers.size()) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      for (const std::uint32_t r : ptx::register_use(function.instructions[i]).writes)
        writers_[r].push_back(i);
    }
  }

  /// The load that a register's value comes from unchanged, where it is no constant: a guarded load leaves
  /// one, such as 0, where it is not made.
  [[nodiscard]] std::optional<std::uint32_t> load_of(const ptx::Operand& operand) const {
    const ptx::Operand* value = &operand;
    for (int step = 0; step < kMaxMoves && value->kind == Kind::reg; ++step) {
      const auto written = only_writer(static_cast<std::uint32_t>(value->reg));
      if (!written) return std::nullopt;
      const ptx::Instruction& writer = function_.instructions[*written];
      if (ptx::effect_of(writer) == Effect::load) return written;
      if (!is_plain_move(writer)) return std::nullopt;
      value = &writer.operands[1];
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMaxMoves = 16;

  static bool is_plain_move(const ptx::Instruction& instruction) {
    return instruction.opcode == ptx::Opcode::mov && instruction.operands.size() == 2 &&
           instruction.operands[0].kind == Kind::reg;
  }

  /// Whether an instruction puts a constant into its register, by way of other registers too.
  [[nodiscard]] bool writes_constant(std::uint32_t at) const {
    for (int step = 0; step < kMaxMoves && is_plain_move(function_.instructions[at]); ++step) {
      const ptx::Operand& from = function_.instructions[at].operands[1];
      if (from.kind == Kind::immediate) return true;
      if (from.kind != Kind::reg) return false;
      const std::vector<std::uint32_t>& writers = writers_[static_cast<std::uint32_t>(from.reg)];
      if (writers.size() != 1) return false;
      at = writers[0];
    }
    return false;
  }

  /// The one instruction, constants aside, that writes a register.
  [[nodiscard]] std::optional<std::uint32_t> only_writer(std::uint32_t r) const {
    std::optional<std::uint32_t> only;
    for (const std::uint32_t at : writers_[r]) {
      if (writers_[r].size() > 1 && writes_constant(at)) continue;
      if (only) return std::nullopt;
      only = at;
    }
    return only;
  }

  const ptx::Function& function_;
  std::vector<std::vector<std::uint32_t>> writers_;
};

std::int32_t value_from(const ptx::Instruction& store, const Definitions& definitions, const SiteList& list) {
  const ptx::Operand& data = ptx::data_of(store);
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

std::optional<AccessOp> access_op(const ptx::Instruction& instruction) {
  switch (ptx::effect_of(instruction)) {
    case Effect::texture_load:
    case Effect::load_fragment:
    case Effect::load: return AccessOp::load;
    case Effect::texture_store:
    case Effect::store_fragment:
    case Effect::store: return AccessOp::store;
    case Effect::atomic: return AccessOp::atomic;
    case Effect::reduction: return AccessOp::reduction;
    case Effect::load_matrices: return AccessOp::ldmatrix;
    case Effect::store_matrices: return AccessOp::stmatrix;
    case Effect::copy: return AccessOp::cp_async;
    case Effect::none:
    case Effect::copy_order:
    case Effect::mbarrier:
    case Effect::branch:
    case Effect::indexed_branch:
    case Effect::ret:
    case Effect::trap:
    case Effect::barrier:
    case Effect::call:
    case Effect::no_op:
    case Effect::unknown: break;
  }
  return std::nullopt;
}

std::uint32_t accessed_bytes(const ptx::Instruction& instruction) {
  const ptx::MemoryEffects effects = ptx::memory_effects(instruction);
  if (!effects.empty() && effects.begin()->lanes == ptx::MemoryEffect::Lanes::fragment) {
    const std::optional<FragmentAccess> access = fragment_access_of(instruction);
    return access ? access->piece_bytes : 4;  // What is none is not run
  }
  return effects.empty() ? static_cast<std::uint32_t>(ptx::size_of(instruction.type)) * instruction.vector
                         : effects.begin()->bytes;
}

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
    for (const std::uint32_t r : ptx::register_use(instruction).reads) read[r] = true;
  }
  std::vector<bool> used(function.instructions.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (ptx::effect_of(instruction) != Effect::atomic) continue;
    const ptx::RegisterUse use = ptx::register_use(instruction);
    used[i] = std::any_of(use.writes.begin(), use.writes.end(), [&](std::uint32_t r) { return read[r]; });
  }
  return used;
}

SiteList list_sites(const ptx::Function& function) {
  SiteList list;
  const std::vector<bool> used = results_used(function);
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const std::vector<Space> spaces = recorded_spaces(instruction);
    list.first_site.push_back(spaces.empty() ? static_cast<std::uint32_t>(-1)
                                             : static_cast<std::uint32_t>(list.sites.size()));
    for (const Space space : spaces) {
      Site site;
      site.instruction = i;
      site.ptx_line = instruction.ptx_line;
      site.file = instruction.location.outer_file;
      site.line = instruction.location.outer_line;
      site.space = space;
      site.op = ptx::effect_of(instruction) == Effect::atomic && !used[i] ? AccessOp::reduction
                                                                          : *access_op(instruction);
      site.matrices = instruction.matrices;
      site.bytes = static_cast<std::uint8_t>(accessed_bytes(instruction));
      site.text = instruction.text;
      list.sites.push_back(std::move(site));
      list.generic.push_back(instruction.space == StateSpace::generic);
    }
  }
  const Definitions definitions(function);
  for (Site& site : list.sites) {
    if (site.op == AccessOp::cp_async && site.space == Space::shared)
      site.value_from = static_cast<std::int32_t>(list.first_site[site.instruction]);
    if (ptx::effect_of(function.instructions[site.instruction]) == Effect::store)
      site.value_from = value_from(function.instructions[site.instruction], definitions, list);
  }
  return list;
}

}  // namespace warplens::replay
