#include "kernels/ptx/instrument/segments.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/ptx/calls.h"
#include "kernels/ptx/equivalent_blocks.h"
#include "kernels/ptx/graph.h"
#include "kernels/ptx/instrument/edge_counts.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/ptx/uniformity.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

/// What edge_counts.h counts the takers of.
bool leads_elsewhere(const Instruction& instruction) {
  return leaves_function(instruction) || effect_of(instruction) == Effect::branch;
}

bool is_recorded(StateSpace space) {
  return space == StateSpace::global || space == StateSpace::shared || space == StateSpace::local ||
         space == StateSpace::generic;
}

/// A value as a sum of what registers held: each named with how often the segment had written it before.
struct Sum {
  struct Part {
    std::uint32_t reg = 0, version = 0;
    std::int64_t factor = 1;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;  ///< By register and version
  std::int64_t constant = 0;
};
constexpr std::uint32_t kMaxTexels = 8;  ///< Of a lane
constexpr std::size_t kMaxParts = 6;     ///< Of sums that are followed

Sum added(const Sum& a, const Sum& b, std::int64_t factor_of_b) {
  Sum sum = a;
  sum.constant += factor_of_b * b.constant;
  for (const Sum::Part& part : b.parts) {
    const auto at = std::find_if(sum.parts.begin(), sum.parts.end(), [&](const Sum::Part& other) {
      return std::pair(other.reg, other.version) >= std::pair(part.reg, part.version);
    });
    if (at != sum.parts.end() && at->reg == part.reg && at->version == part.version) {
      at->factor += factor_of_b * part.factor;
      if (at->factor == 0) sum.parts.erase(at);
    } else {
      sum.parts.insert(at, {part.reg, part.version, factor_of_b * part.factor});
    }
  }
  return sum;
}

bool is_integer_of(Type type, int bytes) {
  switch (type) {
    case Type::b32:
    case Type::u32:
    case Type::s32: return bytes == 4;
    case Type::b64:
    case Type::u64:
    case Type::s64: return bytes == 8;
    default: return false;
  }
}

/// What the registers hold while a segment is gone through.
class RegisterValues {
 public:
  explicit RegisterValues(const Function& function)
      : function_(function), versions_(function.registers.size()), sums_(function.registers.size()) {}

  [[nodiscard]] std::uint32_t version(const Operand& operand) const {
    return versions_[static_cast<std::uint32_t>(operand.reg)];
  }
  [[nodiscard]] bool is_written(std::uint32_t reg) const { return versions_[reg] != 0; }
  [[nodiscard]] Sum sum_of(const Operand& operand) const {
    const auto reg = static_cast<std::uint32_t>(operand.reg);
    return sums_[reg] ? *sums_[reg] : Sum{{{reg, versions_[reg], 1}}, 0};
  }

  void execute(const Instruction& instruction) {
    const std::optional<Sum> sum = result_of(instruction);
    for (const std::uint32_t r : register_use(instruction).writes) {
      ++versions_[r];
      sums_[r] = sum;
      written_.push_back(r);
    }
  }
  void forget() {
    for (const std::uint32_t r : written_) {
      versions_[r] = 0;
      sums_[r].reset();
    }
    written_.clear();
  }

 private:
  [[nodiscard]] std::optional<Sum> result_of(const Instruction& instruction) const {
    const bool is_sum = instruction.opcode == Opcode::add || instruction.opcode == Opcode::sub ||
                        instruction.opcode == Opcode::mov;
    if (!is_sum || instruction.guard.kind == Kind::reg || instruction.sat || instruction.carry_out ||
        instruction.operands[0].kind != Kind::reg) {
      return std::nullopt;
    }
    const int bytes =
        size_of(function_.registers[static_cast<std::uint32_t>(instruction.operands[0].reg)].type);
    if (!is_integer_of(instruction.type, bytes)) return std::nullopt;
    std::optional<Sum> first = value_of(instruction.operands[1], bytes);
    if (!first || instruction.opcode == Opcode::mov) return first;
    const std::optional<Sum> second = value_of(instruction.operands[2], bytes);
    if (!second) return std::nullopt;
    Sum sum = added(*first, *second, instruction.opcode == Opcode::sub ? -1 : 1);
    return sum.parts.size() <= kMaxParts ? std::optional(std::move(sum)) : std::nullopt;
  }
  [[nodiscard]] std::optional<Sum> value_of(const Operand& operand, int bytes) const {
    if (operand.kind == Kind::immediate && !is_float(operand.immediate_type))
      return Sum{{}, static_cast<std::int64_t>(operand.bits)};
    if (operand.kind != Kind::reg ||
        size_of(function_.registers[static_cast<std::uint32_t>(operand.reg)].type) != bytes)
      return std::nullopt;
    return sum_of(operand);
  }

  const Function& function_;
  std::vector<std::uint32_t> versions_;   ///< By register: how often written
  std::vector<std::optional<Sum>> sums_;  ///< By register, of those written
  std::vector<std::uint32_t> written_;
};

/// Gathers the groups of one segment.
class SegmentBuilder {
 public:
  SegmentBuilder(const Function& function, RegisterValues& values, const std::vector<bool>& launch_constants,
                 const std::vector<bool>* written_in_cycle, const SegmentRules& rules,
                 std::uint32_t& texel_sites, Segment& segment)
      : function_(function),
        values_(values),
        launch_constants_(launch_constants),
        written_in_cycle_(written_in_cycle),
        rules_(rules),
        texel_sites_(texel_sites),
        segment_(segment) {}

  void add(std::uint32_t index, bool count_guard) {
    const Instruction& instruction = function_.instructions[index];
    if (instruction.guard.kind != Kind::reg) ++segment_.unguarded;
    bool counts_itself = false;
    for (const MemoryEffect& effect : memory_effects(instruction)) {
      if (!effect.recorded || !is_recorded(effect.space)) continue;
      if (effect.lanes == MemoryEffect::Lanes::fragment) {
        add_pieces(index, instruction, effect);
      } else if (effect.lanes != MemoryEffect::Lanes::pieces) {
        counts_itself = !add_access(index, instruction, effect);
      }
    }
    if (std::vector<RecordedOperand> recorded = recorded_operands(instruction); !recorded.empty()) {
      segment_.operands.push_back({.instruction = index,
                                   .guard = instruction.guard,
                                   .operands = std::move(recorded),
                                   .is_of_warp = effect_of(instruction) == Effect::warpgroup_product});
    }
    if (accesses_texels(instruction)) {
      add_texels(index, instruction);
      count_guard = true;  // A lane may mean no texel, beyond the edge
    }
    if (instruction.guard.kind == Kind::reg && count_guard && !counts_itself) add_guarded(index, instruction);
    values_.execute(instruction);
  }

  void finish() {
    relate_groups();
    count_from_first_member();
    part_shifted();
    values_.forget();
  }

 private:
  struct Guard {
    Operand operand;
    std::uint32_t version = 0;
  };
  struct Base {
    Operand operand;  ///< Of variables and immediates
    Sum sum;          ///< Of registers
  };
  struct AccessKey {
    Base base;
    Guard guard;
    std::uint32_t lanes = kWarpSize;
    Guard read_bytes;  ///< AccessGroup::read_bytes
    bool is_partial = false;
  };

  [[nodiscard]] Guard guard_of(const Operand& operand) const {
    return {operand, operand.kind == Kind::reg ? values_.version(operand) : 0};
  }
  [[nodiscard]] Base base_of(const Operand& address) const {
    return {address, address.address_base == Kind::reg ? values_.sum_of(address) : Sum{}};
  }
  static bool same_guard(const Guard& a, const Guard& b) {
    if (a.operand.kind != b.operand.kind || a.operand.bits != b.operand.bits) return false;
    return a.operand.kind != Kind::reg || (a.operand.reg == b.operand.reg &&
                                           a.operand.negated == b.operand.negated && a.version == b.version);
  }
  /// But for a constant.
  static bool same_base(const Base& a, const Base& b) {
    if (a.operand.address_base != b.operand.address_base) return false;
    switch (a.operand.address_base) {
      case Kind::reg: return a.sum.parts == b.sum.parts;
      case Kind::variable: return a.operand.variable == b.operand.variable;
      default: return a.operand.bits == b.operand.bits;
    }
  }

  /// Returns whether not all lanes that execute the instruction may access memory.
  bool add_access(std::uint32_t index, const Instruction& instruction, const MemoryEffect& effect) {
    const Operand& address = instruction.operands[effect.address];
    AccessKey key{base_of(address), guard_of(instruction.guard), kWarpSize, {}, false};
    if (effect.lanes == MemoryEffect::Lanes::rows) key.lanes = 8u * instruction.matrices;
    if (effect.completion == MemoryEffect::Completion::copy_group && effect.reads)
      key.read_bytes = guard_of(read_bytes_of(instruction));
    key.is_partial = effect.lanes == MemoryEffect::Lanes::rows ||
                     effect.completion == MemoryEffect::Completion::copy_group;
    const auto same = [&](const AccessKey& other, const AccessGroup& group) {
      return group.space == effect.space && same_base(other.base, key.base) &&
             same_guard(other.guard, key.guard) && other.lanes == key.lanes &&
             same_guard(other.read_bytes, key.read_bytes) && other.is_partial == key.is_partial &&
             !group.piece;
    };
    std::size_t at = 0;
    while (at < keys_.size() && !same(keys_[at], segment_.accesses[at])) ++at;
    if (at == keys_.size()) {
      AccessGroup& group = add_group(instruction, effect, key);
      group.lanes = key.lanes;
      group.read_bytes = key.read_bytes.operand;
    }
    segment_.accesses[at].members.push_back(
        {index, address.offset + key.base.sum.constant - keys_[at].base.sum.constant});
    return key.is_partial;
  }

  AccessGroup& add_group(const Instruction& instruction, const MemoryEffect& effect, const AccessKey& key) {
    const Operand& address = instruction.operands[effect.address];
    const bool narrow = address.address_base == Kind::reg &&
                        size_of(function_.registers[static_cast<std::uint32_t>(address.reg)].type) == 4;
    keys_.push_back(key);
    AccessGroup& group = segment_.accesses.emplace_back();
    group.space = effect.space;
    group.is_partial = key.is_partial;
    group.address = address;
    group.guard = instruction.guard;
    group.as_generic = rules_.in_several_functions &&
                       (effect.space == StateSpace::shared || effect.space == StateSpace::local);
    group.wide = !narrow || group.as_generic;
    return group;
  }

  /// Adds a group for each piece: its address does not follow from another sampled value.
  void add_pieces(std::uint32_t index, const Instruction& instruction, const MemoryEffect& effect) {
    const Operand& address = instruction.operands[effect.address];
    const AccessKey key{base_of(address), guard_of(instruction.guard), kWarpSize, {}, true};
    for (MatrixPiece& piece : rules_.pieces_of(instruction)) {
      AccessGroup& group = add_group(instruction, effect, key);
      group.piece = std::move(piece);
      group.members.push_back({index, address.offset});
    }
  }

  void add_texels(std::uint32_t index, const Instruction& instruction) {
    const std::uint32_t max = texel_sites_ < rules_.texels.size() ? rules_.texels[texel_sites_] : kMaxTexels;
    for (std::uint32_t texel = 0; texel < max; ++texel) {
      keys_.push_back({.base = {}, .guard = guard_of(instruction.guard)});
      AccessGroup& group = segment_.accesses.emplace_back();
      group.space = StateSpace::none;
      group.guard = instruction.guard;
      group.texel_site = texel_sites_;
      group.texel = texel;
      group.members.push_back({index, 0});
    }
    ++texel_sites_;
  }

  void add_guarded(std::uint32_t index, const Instruction& instruction) {
    const Guard guard = guard_of(instruction.guard);
    const auto found = std::find_if(guards_.begin(), guards_.end(),
                                    [&](const Guard& other) { return same_guard(other, guard); });
    const auto at = static_cast<std::size_t>(found - guards_.begin());
    if (found == guards_.end()) {
      guards_.push_back(guard);
      segment_.guards.push_back({instruction.guard, {}});
    }
    segment_.guards[at].instructions.push_back(index);
  }

  void relate_groups() {
    for (std::uint32_t g = 1; g < segment_.accesses.size(); ++g) {
      for (std::uint32_t root = 0; root < g && !segment_.accesses[g].root; ++root) {
        if (!segment_.accesses[root].root) relate(segment_.accesses[g], keys_[g], root);
      }
    }
  }

  void relate(AccessGroup& group, const AccessKey& key, std::uint32_t root) {
    const AccessGroup& other = segment_.accesses[root];
    if (group.address.address_base != Kind::reg || other.address.address_base != Kind::reg) return;
    if (group.is_partial || other.is_partial) return;
    if (group.as_generic || rules_.waits_for_grid || group.space != other.space || group.wide != other.wide ||
        !same_guard(key.guard, keys_[root].guard))
      return;
    const Sum difference = added(key.base.sum, keys_[root].base.sum, -1);
    const auto is_constant = [&](const Sum::Part& part) {
      return !values_.is_written(part.reg) &&
             (written_in_cycle_ == nullptr || !(*written_in_cycle_)[part.reg]);
    };
    if (difference.parts.size() > kMaxParts ||
        !std::all_of(difference.parts.begin(), difference.parts.end(), is_constant))
      return;
    group.root = root;
    group.distance = difference.constant;
    for (const Sum::Part& part : difference.parts) {
      Operand reg;
      reg.kind = Kind::reg;
      reg.reg = static_cast<RegisterId>(part.reg);
      group.from_root.push_back({reg, part.factor});
    }
  }

  /// Makes each group count from its first member, so that the address looked at is one that is accessed:
  /// what it is relative to may lie outside of all memory.
  void count_from_first_member() {
    for (AccessGroup& group : segment_.accesses) {
      if (group.root) group.distance += group.address.offset - segment_.accesses[*group.root].address.offset;
    }
    for (AccessGroup& group : segment_.accesses) {
      for (AccessGroup::Member& member : group.members) member.offset -= group.address.offset;
    }
  }

  [[nodiscard]] bool is_shifted(const AccessGroup& group) const {
    return group.root && group.space != StateSpace::generic &&
           std::all_of(group.from_root.begin(), group.from_root.end(), [&](const Term& term) {
             return launch_constants_[static_cast<std::uint32_t>(term.reg.reg)];
           });
  }
  /// Roots keep their places relative to each other.
  void part_shifted() {
    std::vector<AccessGroup> groups = std::exchange(segment_.accesses, {});
    std::vector<std::uint32_t> place(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<AccessGroup>& where = is_shifted(groups[g]) ? segment_.shifted : segment_.accesses;
      place[g] = static_cast<std::uint32_t>(where.size());
      if (groups[g].root) groups[g].root = place[*groups[g].root];
      if (&where == &segment_.accesses) note_invariants(groups[g]);
      where.push_back(std::move(groups[g]));
    }
  }
  void note_invariants(const AccessGroup& group) {
    for (const Term& term : group.from_root) {
      const auto known = [&](const Operand& invariant) { return invariant.reg == term.reg.reg; };
      if (std::none_of(segment_.invariants.begin(), segment_.invariants.end(), known))
        segment_.invariants.push_back(term.reg);
    }
  }

  const Function& function_;
  RegisterValues& values_;
  const std::vector<bool>& launch_constants_;  ///< By register
  const std::vector<bool>* written_in_cycle_;  ///< By register; null outside cycles
  const SegmentRules& rules_;
  std::uint32_t& texel_sites_;  ///< So far, in the whole function
  Segment& segment_;
  std::vector<AccessKey> keys_;  ///< By group
  std::vector<Guard> guards_;    ///< By guard group
};

/// The blocks on each cycle, natural loop or not, and the registers that each cycle writes.
struct Cycles {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::uint32_t> of_block;     ///< kNone, or the cycle: cycles that share blocks are one
  std::vector<std::vector<bool>> written;  ///< By cycle, by register
};

Cycles find_cycles(const Function& function, const ControlFlow& flow) {
  Graph graph(flow.blocks.size());
  std::vector<bool> in_cycle(graph.size());
  for (std::uint32_t b = 0; b < graph.size(); ++b) {
    for (const std::uint32_t next : flow.blocks[b].successors) {
      graph.add_edge(b, next);
      if (next == b) in_cycle[b] = true;
    }
  }
  const std::vector<std::uint32_t> component = strong_components(graph);
  std::vector<std::uint32_t> blocks(graph.size());
  for (const std::uint32_t c : component) ++blocks[c];
  Cycles cycles{std::vector<std::uint32_t>(graph.size(), Cycles::kNone),
                std::vector<std::vector<bool>>(graph.size())};
  for (std::uint32_t b = 0; b < graph.size(); ++b) {
    if (!in_cycle[b] && blocks[component[b]] == 1) continue;
    cycles.of_block[b] = component[b];
    std::vector<bool>& written = cycles.written[component[b]];
    written.resize(function.registers.size());
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
      for (const std::uint32_t r : register_use(function.instructions[i]).writes) written[r] = true;
    }
  }
  return cycles;
}

bool branches_to_outer_loop(const Function& function, const ControlFlow& flow, std::uint32_t index) {
  const Instruction& instruction = function.instructions[index];
  if (effect_of(instruction) != Effect::branch || instruction.operands[0].label > index) return false;
  const auto& loops = flow.outermost_loops;
  return std::find(loops.begin(), loops.end(), flow.block_of[instruction.operands[0].label]) != loops.end();
}

/// Chooses, among segments whose blocks are executed together, the one that counts: one that is recorded
/// anyway if there is one.
void choose_who_counts(const std::vector<std::uint32_t>& first_of, std::vector<Segment>& segments) {
  std::vector<Segment*> who(first_of.size());  // By first block
  for (Segment& segment : segments) {
    Segment*& chosen = who[first_of[segment.block]];
    const auto is_looked_at = [](const Segment& s) { return !s.accesses.empty() || !s.guards.empty(); };
    if (chosen == nullptr || (!is_looked_at(*chosen) && is_looked_at(segment))) chosen = &segment;
  }
  for (Segment* const segment : who) {
    if (segment != nullptr) segment->counts_block = true;
  }
}

}  // namespace

std::vector<Segment> find_segments(const Function& function, const ControlFlow& flow,
                                   const SegmentRules& rules) {
  const bool has_barrier = rules.has_barrier || std::ranges::any_of(function.instructions, is_any_barrier);
  const Cycles cycles = find_cycles(function, flow);
  const std::vector<std::uint32_t> to_measure = blocks_to_measure(function, flow);
  const std::vector<bool> launch_constants = find_launch_constants(function, flow);
  RegisterValues values(function);
  std::vector<Segment> segments;
  std::uint32_t texel_sites = 0;
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const BasicBlock& block = flow.blocks[b];
    const bool measured = std::binary_search(to_measure.begin(), to_measure.end(), b);
    for (std::uint32_t first = block.first; first < block.end;) {
      Segment& segment = segments.emplace_back();
      segment.first = first;
      segment.block = b;
      const std::uint32_t cycle = cycles.of_block[b];
      segment.in_loop = cycle != Cycles::kNone;
      SegmentBuilder builder(function, values, launch_constants,
                             segment.in_loop ? &cycles.written[cycle] : nullptr, rules, texel_sites, segment);
      std::uint32_t i = first;
      do {
        const bool leads_away = i + 1 == block.end && leads_elsewhere(function.instructions[i]);
        builder.add(i++, measured || !leads_away);
      } while (i < block.end && !is_any_barrier(function.instructions[i - 1]) &&
               !calls_code(function.instructions[i - 1]));
      builder.finish();
      segment.end = i;
      const Instruction& last = function.instructions[i - 1];
      segment.ends_at_barrier = waits_at_barrier(last);
      segment.ends_outer_loop =
          !has_barrier && function.is_entry && branches_to_outer_loop(function, flow, i - 1);
      segment.ends_at_call = calls_code(last);
      first = i;
    }
  }
  choose_who_counts(find_equivalent_blocks(flow), segments);
  return segments;
}

}  // namespace warplens::ptx
