// The memory instructions of a kernel as the record names them.
#include <algorithm>
#include <map>
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

/// The instructions that write each register.
class Definitions {
 public:
  explicit Definitions(const ptx::Function& function)
      : function_(function), writers_(function.registers.size()) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      for (const std::uint32_t r : ptx::register_use(function.instructions[i]).writes)
        writers_[r].push_back(i);
    }
  }

  /// The loads, ascending, one of which a register's value comes from unchanged, where it is no constant: a
  /// guarded load leaves one, such as 0, where it is not made. Empty if something else writes it.
  [[nodiscard]] std::vector<std::uint32_t> loads_of(const ptx::Operand& operand) const {
    const ptx::Operand* value = &operand;
    for (int step = 0; step < kMaxMoves && value->kind == Kind::reg; ++step) {
      std::vector<std::uint32_t> written = writers_but_constants(static_cast<std::uint32_t>(value->reg));
      const bool are_loads = std::ranges::all_of(written, [&](std::uint32_t at) {
        return ptx::effect_of(function_.instructions[at]) == Effect::load;
      });
      if (are_loads) return written;
      if (written.size() != 1 || !is_plain_move(function_.instructions[written[0]])) return {};
      value = &function_.instructions[written[0]].operands[1];
    }
    return {};
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

  /// The instructions, ascending, that write a register, but those that write a constant beside others.
  [[nodiscard]] std::vector<std::uint32_t> writers_but_constants(std::uint32_t r) const {
    std::vector<std::uint32_t> writers;
    for (const std::uint32_t at : writers_[r]) {
      if (writers_[r].size() == 1 || !writes_constant(at)) writers.push_back(at);
    }
    return writers;
  }

  const ptx::Function& function_;
  std::vector<std::vector<std::uint32_t>> writers_;
};

/// The sites of the loads that write the registers that are stored; empty if something else does.
std::vector<std::int32_t> value_from(const ptx::Instruction& store, const Definitions& definitions,
                                     const SiteList& list) {
  const ptx::Operand& data = ptx::data_of(store);
  std::vector<std::uint32_t> loads =
      definitions.loads_of(data.kind == Kind::vector ? data.elements.front() : data);
  for (const ptx::Operand& element : data.elements) {
    if (definitions.loads_of(element) != loads) return {};
  }
  std::vector<std::int32_t> sites;
  for (const std::uint32_t load : loads) {
    const std::uint32_t site = list.first_site[load];
    // Of generic ones, which space the value comes from shows only when it runs
    if (site == static_cast<std::uint32_t>(-1) || list.generic[site]) return {};
    // Loads of one list are of one space, which says whether the store fills
    if (list.sites[site].space != list.sites[list.first_site[loads.front()]].space) return {};
    sites.push_back(static_cast<std::int32_t>(site));
  }
  return sites;
}

/// The loads that one store or several take their values from, by load.
using LoadsOfStores = std::map<std::int32_t, std::vector<std::int32_t>>;

/// Makes the store's value come from the first of the loads, and lets each of these lead to the next. Leaves
/// the source of a store unknown whose loads are only partly those of another store.
void link_sources(std::vector<Site>& sites, Site& store, const std::vector<std::int32_t>& loads,
                  LoadsOfStores& known) {
  const bool differs = std::ranges::any_of(loads, [&](std::int32_t load) {
    const auto list = known.find(load);
    return list != known.end() && list->second != loads;
  });
  if (loads.empty() || differs) return;
  for (std::size_t k = 0; k < loads.size(); ++k) {
    known[loads[k]] = loads;
    sites[static_cast<std::size_t>(loads[k])].value_from = k + 1 < loads.size() ? loads[k + 1] : -1;
  }
  store.value_from = loads.front();
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
    case Effect::bulk_copy:
      if (instruction.atomic != ptx::AtomicOp::none) return AccessOp::bulk_reduction;
      return instruction.to_space == StateSpace::global ? AccessOp::bulk_store : AccessOp::bulk_load;
    case Effect::warpgroup_product: return AccessOp::wgmma;
    case Effect::none:
    case Effect::copy_order:
    case Effect::mbarrier:
    case Effect::tensor_map:
    case Effect::branch:
    case Effect::indexed_branch:
    case Effect::ret:
    case Effect::trap:
    case Effect::barrier:
    case Effect::cluster_barrier:
    case Effect::warpgroup_order:
    case Effect::call:
    case Effect::no_op:
    case Effect::unknown: break;
  }
  return std::nullopt;
}

std::uint32_t accessed_bytes(const ptx::Instruction& instruction) {
  const ptx::MemoryEffects effects = ptx::memory_effects(instruction);
  if (!effects.empty() && effects.begin()->lanes == ptx::MemoryEffect::Lanes::fragment) {
    const std::optional<tensor::FragmentAccess> access = tensor::fragment_access_of(instruction);
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
      const bool is_source = instruction.space == instruction.to_space && space == spaces.front() &&
                             list.sites.size() == list.first_site.back();
      if (ptx::is_bulk_copy(instruction) && is_source) site.op = AccessOp::bulk_store;
      site.matrices = instruction.matrices;
      site.bytes = static_cast<std::uint8_t>(accessed_bytes(instruction));
      site.text = instruction.text;
      list.sites.push_back(std::move(site));
      list.generic.push_back(instruction.space == StateSpace::generic);
    }
  }
  const Definitions definitions(function);
  LoadsOfStores known;
  for (Site& site : list.sites) {
    const bool is_copy = site.op == AccessOp::cp_async || site.op == AccessOp::bulk_load;
    if (is_copy && site.space == Space::shared)
      site.value_from = static_cast<std::int32_t>(list.first_site[site.instruction]);
    if (ptx::effect_of(function.instructions[site.instruction]) == Effect::store)
      link_sources(list.sites, site, value_from(function.instructions[site.instruction], definitions, list),
                   known);
  }
  return list;
}

}  // namespace warplens::replay
