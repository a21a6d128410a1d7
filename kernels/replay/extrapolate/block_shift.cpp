#include "kernels/replay/extrapolate/block_shift.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/extrapolate/shift_domain.h"
#include "kernels/tensor/fragment_access.h"

namespace warplens::replay {
namespace {

using namespace shift_domain;
using Kind = ptx::Operand::Kind;
using ptx::Effect;
using ptx::Opcode;
using ptx::StateSpace;
using ptx::Type;

/// Registers times basic blocks, which is what finding the shifts takes.
constexpr std::uint64_t kMaxStates = std::uint64_t{1} << 24;

class Finder {
 public:
  Finder(const Program::Code& code, const Launch& launch, std::span<const std::byte> parameters,
         const std::vector<bool>& takes_second, const Axes& axes, const Progress* progress)
      : code_(code),
        function_(code.function),
        launch_(launch),
        parameters_(parameters),
        takes_second_(takes_second),
        axes_(axes),
        progress_(progress) {}

  void shift_by_iterations(const Loop& loop, std::vector<LoopRegister>& registers) {
    loop_ = &loop;
    loop_registers_ = &registers;
  }

  BlockShifts run() {
    found_.of_access.resize(function_.instructions.size());
    if (std::uint64_t{function_.registers.size()} * code_.flow.blocks.size() > kMaxStates) {
      found_.obstacle = {.kind = Obstacle::Kind::size};
      return std::move(found_);
    }
    if (loop_ == nullptr) {
      entry_.resize(code_.flow.blocks.size());
      entry_[0].assign(function_.registers.size(), unknown(0));
      propagate(0);
    } else {
      while (!cancelled() && !iteration_repeats()) {
      }
    }
    if (cancelled()) found_.obstacle = {.kind = Obstacle::Kind::cancelled};
    for (std::uint32_t b = 0; b < code_.flow.blocks.size() && !found_.obstacle; ++b) {
      if (entry_[b].empty()) continue;  // Never reached
      state_ = entry_[b];
      for (std::uint32_t i = code_.flow.blocks[b].first; i < code_.flow.blocks[b].end && !found_.obstacle;
           ++i) {
        classify(i);
        step(i);
      }
    }
    return std::move(found_);
  }

 private:
  // ---- what registers hold, to a fixed point

  /// Returns whether registers shift as much at the back edge as at the loop header; what does not is not
  /// known from here on.
  bool iteration_repeats() {
    std::vector<Known> begin(function_.registers.size(), unknown(0));
    for (std::size_t r = 0; r < begin.size(); ++r) {
      const LoopRegister& known = (*loop_registers_)[r];
      if (!known.step) continue;
      begin[r] = shifted({.x = *known.step});
      begin[r].constant = known.constant;
    }
    entry_.assign(code_.flow.blocks.size(), {});
    entry_[loop_->header] = begin;
    iteration_end_.clear();
    propagate(loop_->header);
    bool repeats = true;
    for (std::size_t r = 0; r < begin.size() && !iteration_end_.empty(); ++r) {
      if (begin[r].is_unknown() ||
          (!iteration_end_[r].is_unknown() && iteration_end_[r].shift == begin[r].shift))
        continue;
      (*loop_registers_)[r] = {};
      repeats = false;
    }
    return repeats;
  }

  [[nodiscard]] bool cancelled() const {
    return progress_ != nullptr && progress_->cancel.load(std::memory_order_relaxed);
  }

  /// In the order of the text, which nearly is that of the ways through it: of a chain of N ifs each is
  /// passed a few times, and not N.
  void propagate(std::uint32_t from) {
    const auto& blocks = code_.flow.blocks;
    std::set<std::uint32_t> todo{from};
    while (!todo.empty() && !cancelled()) {
      const std::uint32_t b = *todo.begin();
      todo.erase(todo.begin());
      state_ = entry_[b];
      for (std::uint32_t i = blocks[b].first; i < blocks[b].end; ++i) step(i);
      for (const std::uint32_t next : blocks[b].successors) {
        if (loop_ != nullptr && next == loop_->header) merge_into(iteration_end_);
        if (loop_ != nullptr && (next == loop_->header || !loop_->blocks[next])) continue;
        if (merge_into(entry_[next])) todo.insert(next);
      }
    }
  }

  bool merge_into(std::vector<Known>& entry) const {
    if (entry.empty()) {
      entry = state_;
      return true;
    }
    bool changed = false;
    for (std::size_t r = 0; r < entry.size(); ++r) {
      Known merged = joined(entry[r], state_[r]);
      if (merged == entry[r]) continue;
      entry[r] = merged;
      changed = true;
    }
    return changed;
  }

  // ---- one instruction

  Known special(ptx::SpecialRegister which) const {
    using S = ptx::SpecialRegister;
    const Dim3 grid = launch_.grid, block = launch_.block;
    const auto index = [](std::uint32_t extent, Shift shift) {
      return extent == 1 ? constant(0) : shifted(shift);
    };
    switch (which) {
      case S::ctaid_x: return index(grid.x, {.x = axes_.x ? 1 : 0});
      case S::ctaid_y: return index(grid.y, {.y = axes_.y ? 1 : 0});
      case S::ctaid_z: return index(grid.z, {.z = axes_.z ? 1 : 0});
      case S::tid_x: return index(block.x, {});
      case S::tid_y: return index(block.y, {});
      case S::tid_z: return index(block.z, {});
      case S::ntid_x: return constant(block.x);
      case S::ntid_y: return constant(block.y);
      case S::ntid_z: return constant(block.z);
      case S::nctaid_x: return constant(grid.x);
      case S::nctaid_y: return constant(grid.y);
      case S::nctaid_z: return constant(grid.z);
      case S::clusterid_x:
      case S::clusterid_y:
      case S::clusterid_z:
      case S::cluster_ctaid_x:
      case S::cluster_ctaid_y:
      case S::cluster_ctaid_z:
      case S::cluster_ctarank:
      case S::clock:
      case S::clock_hi:
      case S::clock64:
      case S::globaltimer:
      case S::smid: return unknown(at_);
      default: return shifted({});
    }
  }

  Known value(const ptx::Operand& operand) const {
    switch (operand.kind) {
      case Kind::reg: return state_[static_cast<std::uint32_t>(operand.reg)];
      case Kind::immediate: return constant(operand.bits);
      case Kind::special: return special(operand.special);
      case Kind::variable: return shifted({});
      case Kind::vector: {
        Known all = shifted({});
        for (const ptx::Operand& element : operand.elements) {
          const Known one = value(element);
          if (!one.is_same()) all = one.is_unknown() ? one : unknown(at_);
        }
        return all;
      }
      case Kind::none:
      case Kind::sink:
      case Kind::label: return shifted({});
      default: return unknown(at_);
    }
  }

  Known address(const ptx::Instruction& instruction) const { return address(ptx::address_of(instruction)); }
  Known address(const ptx::Operand& operand) const {
    return operand.address_base == Kind::reg ? state_[static_cast<std::uint32_t>(operand.reg)] : shifted({});
  }

  /// What the parameter at that address holds.
  Known parameter(const ptx::Instruction& load) const {
    const ptx::Operand& from = ptx::address_of(load);
    const Known base = address(load);
    if (from.address_base != Kind::variable) return base.is_same() ? shifted({}) : unknown(at_);
    const auto which = std::ranges::find(function_.parameters, from.variable);
    if (which == function_.parameters.end() || load.vector != 1 || !is_integer(load.type)) return shifted({});
    const std::uint64_t at =
        code_.parameter_offsets[static_cast<std::size_t>(which - function_.parameters.begin())] +
        static_cast<std::uint64_t>(from.offset);
    const auto bytes = static_cast<std::size_t>(ptx::size_of(load.type));
    if (at > parameters_.size() || bytes > parameters_.size() - at) return shifted({});
    std::uint64_t bits = 0;
    std::memcpy(&bits, parameters_.data() + at, bytes);  // little-endian
    return constant(ptx::is_signed(load.type)
                        ? static_cast<std::uint64_t>(as_signed(bits, static_cast<int>(bytes)))
                        : bits);
  }

  void step(std::uint32_t i) {
    at_ = i;
    const ptx::Instruction& instruction = function_.instructions[i];
    const std::size_t destinations =
        instruction.opcode == Opcode::call ? 1 : ptx::count_destinations(instruction);
    if (destinations == 0 || instruction.operands.empty()) return;
    const Known result = result_of(instruction);
    for (std::size_t k = 0; k < destinations && k < instruction.operands.size(); ++k)
      write(instruction, instruction.operands[k], result);
  }

  void write(const ptx::Instruction& instruction, const ptx::Operand& to, const Known& result) {
    if (to.kind == Kind::vector) {
      Known part = result;
      part.constant.reset();
      if (!part.is_same()) part = result.is_unknown() ? result : unknown(at_);
      for (const ptx::Operand& element : to.elements) write(instruction, element, part);
      return;
    }
    if (to.kind != Kind::reg) return;
    Known& known = state_[static_cast<std::uint32_t>(to.reg)];
    if (instruction.guard.kind != Kind::reg) {
      known = result;
    } else {
      known = value(instruction.guard).is_same() ? joined(known, result) : unknown(at_);
      if (known.is_unknown() && known.cause == 0) known.cause = at_;
    }
  }

  Known result_of(const ptx::Instruction& instruction) const {
    switch (ptx::row_of(instruction.opcode).value) {
      case ptx::Value::none: return shifted({});
      case ptx::Value::of_operands: return computed(instruction);
      case ptx::Value::of_lanes: return all_same(instruction) ? shifted({}) : first_unknown(instruction);
      case ptx::Value::of_memory:
        // A wait goes on until the phase ends, in every block; what is counted until then is the same.
        if (ptx::effect_of(instruction) == Effect::mbarrier) return shifted({});
        if (ptx::effect_of(instruction) != Effect::load) return unknown(at_);
        if (instruction.space == StateSpace::param) return parameter(instruction);
        return instruction.space == StateSpace::constant && address(instruction).is_same() ? shifted({})
                                                                                           : unknown(at_);
      default: return unknown(at_);
    }
  }

  bool all_same(const ptx::Instruction& instruction) const {
    return std::ranges::all_of(sources(instruction),
                               [&](const ptx::Operand& operand) { return value(operand).is_same(); });
  }
  /// Returns the first unknown source, with its cause.
  Known first_unknown(const ptx::Instruction& instruction) const {
    for (const ptx::Operand& operand : sources(instruction)) {
      if (const Known known = value(operand); known.is_unknown())
        return unknown(known.cause != 0 ? known.cause : at_);
    }
    return unknown(at_);
  }
  static std::span<const ptx::Operand> sources(const ptx::Instruction& instruction) {
    return std::span(instruction.operands)
        .subspan(std::min(ptx::count_destinations(instruction), instruction.operands.size()));
  }

  Known computed(const ptx::Instruction& instruction) const {
    if (instruction.opcode == Opcode::mov && instruction.operands[0].kind == Kind::reg &&
        instruction.operands[1].kind != Kind::vector) {
      return value(instruction.operands[1]);
    }
    if (all_same(instruction)) {
      const auto known = evaluated(instruction);
      return known ? constant(*known) : shifted({});
    }
    for (const ptx::Operand& operand : sources(instruction)) {
      if (value(operand).is_unknown()) return first_unknown(instruction);
    }
    const std::optional<Shift> shift = shift_of(instruction);
    return shift ? shifted(*shift) : unknown(at_);
  }

  std::optional<std::uint64_t> constant_of(const ptx::Instruction& instruction, std::size_t k) const {
    return k < instruction.operands.size() ? value(instruction.operands[k]).constant : std::nullopt;
  }

  /// The result of the few operations that addresses are made with, where their operands are constants.
  std::optional<std::uint64_t> evaluated(const ptx::Instruction& instruction) const {
    if (!is_integer(instruction.type) || instruction.sat || instruction.carry_out ||
        instruction.operands.size() < 2)
      return std::nullopt;
    const int bytes = ptx::size_of(instruction.type);
    const auto a = constant_of(instruction, 1), b = constant_of(instruction, 2),
               c = constant_of(instruction, 3);
    if (!a || (instruction.operands.size() > 2 && !b) || (instruction.operands.size() > 3 && !c))
      return std::nullopt;
    const bool is_signed = ptx::is_signed(instruction.type), wide = instruction.mul == ptx::MulMode::wide;
    const auto extended = [&](std::uint64_t v) {
      return is_signed ? static_cast<std::uint64_t>(as_signed(v, bytes)) : as_unsigned(v, bytes);
    };
    const int to = wide ? 2 * bytes : bytes;
    switch (instruction.opcode) {
      case Opcode::add: return as_unsigned(*a + *b, to);
      case Opcode::sub: return as_unsigned(*a - *b, to);
      case Opcode::neg: return as_unsigned(0 - *a, to);
      case Opcode::mul:
        if (instruction.mul == ptx::MulMode::hi) return std::nullopt;
        return as_unsigned(extended(*a) * extended(*b), to);
      case Opcode::mad:
        if (instruction.mul == ptx::MulMode::hi) return std::nullopt;
        return as_unsigned(extended(*a) * extended(*b) + *c, to);
      case Opcode::shl: return *b >= static_cast<unsigned>(8 * bytes) ? 0 : as_unsigned(*a << *b, to);
      case Opcode::and_: return as_unsigned(*a & *b, to);
      case Opcode::or_: return as_unsigned(*a | *b, to);
      case Opcode::cvt:
        if (!is_integer(instruction.source_type)) return std::nullopt;
        return as_unsigned(
            ptx::is_signed(instruction.source_type)
                ? static_cast<std::uint64_t>(as_signed(*a, ptx::size_of(instruction.source_type)))
                : as_unsigned(*a, ptx::size_of(instruction.source_type)),
            to);
      default: return std::nullopt;
    }
  }

  /// Of results that depend on the block; every operand is known. Where that holds within bounds only,
  /// `watch_of` says so.
  std::optional<Shift> shift_of(const ptx::Instruction& instruction) const {
    if (instruction.opcode == Opcode::setp || instruction.opcode == Opcode::set)
      return comparison_stays(instruction) ? std::optional(Shift{}) : std::nullopt;
    if (instruction.opcode == Opcode::selp) {
      const Known a = value(instruction.operands[1]), b = value(instruction.operands[2]);
      return value(instruction.operands[3]).is_same() ? std::optional((takes_second_[at_] ? b : a).shift)
                                                      : std::nullopt;
    }
    const int bytes = ptx::size_of(instruction.type);
    if (instruction.opcode == Opcode::cvta) return value(instruction.operands[1]).shift;
    if (!is_integer(instruction.type) || bytes < 4 || bytes > 8 || instruction.sat || instruction.carry_out)
      return std::nullopt;
    const Known a = value(instruction.operands[1]);
    const auto at = [&](std::size_t k) { return value(instruction.operands[k]); };
    switch (instruction.opcode) {
      case Opcode::min:
      case Opcode::max:
        if (instruction.relu || !is_near(a.shift) || !is_near(at(2).shift)) return std::nullopt;
        return (takes_second_[at_] ? at(2) : a).shift;
      case Opcode::add: return sum(a.shift, at(2).shift, bytes);
      case Opcode::sub: return sum(a.shift, product(at(2).shift, ~std::uint64_t{0}, bytes), bytes);
      case Opcode::neg:
      case Opcode::not_: return product(a.shift, ~std::uint64_t{0}, bytes);
      case Opcode::mul:
      case Opcode::mad: return shift_of_product(instruction, bytes);
      case Opcode::shl: {
        const auto by = at(2).constant;
        if (!by) return std::nullopt;
        return *by >= static_cast<unsigned>(8 * bytes) ? Shift{}
                                                       : product(a.shift, std::uint64_t{1} << *by, bytes);
      }
      case Opcode::shr: {
        const auto by = at(2).constant;
        if (!by || *by >= 32 || !is_multiple(a.shift, std::int64_t{1} << *by)) return std::nullopt;
        return Shift{a.shift.x >> *by, a.shift.y >> *by, a.shift.z >> *by};
      }
      case Opcode::and_: return shift_of_masked(a, at(2), bytes);
      case Opcode::or_: return shift_of_filled(a, at(2));
      case Opcode::cvt: {
        const int from = ptx::size_of(instruction.source_type);
        if (!is_integer(instruction.source_type) || from < 4 || from > 8) return std::nullopt;
        return product(a.shift, 1, std::min(from, bytes));
      }
      default: return std::nullopt;
    }
  }

  std::optional<Shift> shift_of_product(const ptx::Instruction& instruction, int bytes) const {
    const Known a = value(instruction.operands[1]), b = value(instruction.operands[2]);
    if (instruction.mul == ptx::MulMode::hi) return std::nullopt;
    const bool wide = instruction.mul == ptx::MulMode::wide;
    const int to = wide ? 2 * bytes : bytes;
    if (to > 8) return std::nullopt;
    Shift shift;
    if (a.shift.any() || b.shift.any()) {
      const Known &moving = a.shift.any() ? a : b, &fixed = a.shift.any() ? b : a;
      if (fixed.shift.any() || !fixed.constant) return std::nullopt;
      const std::uint64_t factor = !wide ? *fixed.constant
                                   : ptx::is_signed(instruction.type)
                                       ? static_cast<std::uint64_t>(as_signed(*fixed.constant, bytes))
                                       : as_unsigned(*fixed.constant, bytes);
      shift = product(moving.shift, factor, to);
    }
    return instruction.opcode == Opcode::mad ? sum(shift, value(instruction.operands[3]).shift, to) : shift;
  }

  /// x & c: the lowest bits of what moves by a multiple of them stay; without its lowest bits it moves as it
  /// does with them.
  static std::optional<Shift> shift_of_masked(const Known& a, const Known& b, int bytes) {
    const Known &moving = a.shift.any() ? a : b, &mask = a.shift.any() ? b : a;
    if (mask.shift.any() || !mask.constant) return std::nullopt;
    constexpr std::uint64_t kMax = std::uint64_t{1} << 31;
    const auto bits = static_cast<std::uint64_t>(as_signed(*mask.constant, bytes)), cleared = ~bits;
    if (bits < kMax && std::has_single_bit(bits + 1)) {
      return is_multiple(moving.shift, static_cast<std::int64_t>(bits + 1)) ? std::optional(Shift{})
                                                                            : std::nullopt;
    }
    if (cleared >= kMax || !std::has_single_bit(cleared + 1)) return std::nullopt;
    return is_multiple(moving.shift, static_cast<std::int64_t>(cleared + 1)) ? std::optional(moving.shift)
                                                                             : std::nullopt;
  }
  /// x | c fills bits below those that move.
  static std::optional<Shift> shift_of_filled(const Known& a, const Known& b) {
    const Known &moving = a.shift.any() ? a : b, &fill = a.shift.any() ? b : a;
    if (fill.shift.any() || !fill.constant || *fill.constant >= (std::uint64_t{1} << 31)) return std::nullopt;
    const std::uint64_t step = std::bit_ceil(*fill.constant + 1);
    return is_multiple(moving.shift, static_cast<std::int64_t>(step)) ? std::optional(moving.shift)
                                                                      : std::nullopt;
  }

  bool comparison_stays(const ptx::Instruction& instruction) const {
    const std::size_t first = ptx::count_destinations(instruction);
    const Type type = instruction.opcode == Opcode::set ? instruction.source_type : instruction.type;
    if (instruction.operands.size() > first + 2 && !value(instruction.operands[first + 2]).is_same())
      return false;
    return compares_integers(instruction, type) && is_near(value(instruction.operands[first]).shift) &&
           is_near(value(instruction.operands[first + 1]).shift);
  }

  // ---- what has to be watched, and what is in the way

  void classify(std::uint32_t i) {
    at_ = i;
    const ptx::Instruction& instruction = function_.instructions[i];
    if (instruction.guard.kind == Kind::reg)
      require_same(value(instruction.guard), Obstacle::Kind::control_flow);
    switch (ptx::effect_of(instruction)) {
      case Effect::load:
      case Effect::store:
      case Effect::atomic:
      case Effect::reduction:
      case Effect::load_matrices:
      case Effect::store_matrices: return judge_accesses(instruction);
      case Effect::copy: return judge_copy(instruction);
      case Effect::mbarrier: return judge_mbarrier(instruction);
      case Effect::load_fragment:
      case Effect::store_fragment:
        if (instruction.operands.size() > 2)  // The stride decides how far its lines reach
          require_same(value(instruction.operands[2]), Obstacle::Kind::address);
        return judge_accesses(instruction);
      case Effect::texture_load:
      case Effect::texture_store:
      case Effect::bulk_copy:
      case Effect::tensor_map:
      case Effect::cluster_barrier:
      case Effect::warpgroup_product:
        found_.obstacle = {.kind = Obstacle::Kind::address, .instruction = i, .cause = std::nullopt};
        return;
      case Effect::indexed_branch:
      case Effect::barrier:
        for (const ptx::Operand& operand : sources(instruction))
          require_same(value(operand), Obstacle::Kind::control_flow);
        return;
      case Effect::call:
        found_.obstacle = {.kind = Obstacle::Kind::control_flow, .instruction = i, .cause = std::nullopt};
        return;
      case Effect::none: return watch_result(instruction);
      case Effect::copy_order:
      case Effect::warpgroup_order:
      case Effect::branch:
      case Effect::ret:
      case Effect::trap:
      case Effect::no_op:
      case Effect::unknown: return;
    }
  }

  void require_same(const Known& known, Obstacle::Kind kind) {
    if (!known.is_same())
      found_.obstacle = {.kind = kind,
                         .instruction = at_,
                         .cause = known.is_unknown() ? std::optional(known.cause) : std::nullopt};
  }

  /// How many bytes a copy reads decides on the access too. Copies in flight are no part of what
  /// loop_extrapolation.h compares, so loops that make some are replayed as they are.
  void judge_copy(const ptx::Instruction& instruction) {
    if (loop_ != nullptr) {
      found_.obstacle = {.kind = Obstacle::Kind::address, .instruction = at_, .cause = std::nullopt};
      return;
    }
    for (std::size_t k = 2; k < instruction.operands.size(); ++k)
      require_same(value(instruction.operands[k]), Obstacle::Kind::address);
    judge_accesses(instruction);
  }

  /// Objects change from iteration to iteration, so loops that use some are replayed as they are.
  void judge_mbarrier(const ptx::Instruction& instruction) {
    if (loop_ != nullptr) {
      found_.obstacle = {.kind = Obstacle::Kind::address, .instruction = at_, .cause = std::nullopt};
      return;
    }
    for (const ptx::Operand& operand : sources(instruction))
      require_same(operand.kind == Kind::address ? address(operand) : value(operand),
                   Obstacle::Kind::address);
  }

  void judge_accesses(const ptx::Instruction& instruction) {
    for (const ptx::MemoryEffect& effect : ptx::memory_effects(instruction))
      judge_access(instruction.operands[effect.address], effect);
  }

  /// Returns the bytes of one access of a lane (of ldmatrix: of a row).
  [[nodiscard]] std::int64_t bytes_of_lane(const ptx::MemoryEffect& effect) const {
    if (effect.lanes != ptx::MemoryEffect::Lanes::fragment) return effect.bytes;
    const auto access = tensor::fragment_access_of(function_.instructions[at_]);
    return access ? access->piece_bytes : 1;  // Forms that do not exist are not run
  }

  void judge_access(const ptx::Operand& operand, const ptx::MemoryEffect& effect) {
    const Known known = address(operand);
    const bool of_lanes = effect.lanes == ptx::MemoryEffect::Lanes::each;
    const bool in_shared =
        loop_ != nullptr && effect.space == StateSpace::shared && !effect.writes && of_lanes;
    const bool may_shift = effect.may_be_in(StateSpace::global) || in_shared;
    if (known.is_unknown() || (known.shift.any() && !may_shift))
      return require_same(known, Obstacle::Kind::address);
    const std::int64_t bytes = bytes_of_lane(effect);
    if (!is_multiple(known.shift, bytes)) {
      found_.obstacle = {.kind = Obstacle::Kind::address, .instruction = at_, .cause = std::nullopt};
      return;
    }
    if (known.shift.any()) found_.of_access[at_] = known.shift;
    const bool in_memory_of_block =
        effect.may_be_in(StateSpace::global) || effect.may_be_in(StateSpace::shared);
    const bool stores = effect.writes && !effect.reads && in_memory_of_block &&
                        effect.lanes != ptx::MemoryEffect::Lanes::rows &&
                        effect.completion == ptx::MemoryEffect::Completion::at_issue;
    if (!known.shift.any() && !stores) return;
    found_.watches.push_back({.kind = Watch::Kind::access,
                              .instruction = at_,
                              .bytes = static_cast<std::uint8_t>(bytes),
                              .stores = stores,
                              .in_shared = in_shared,
                              .a = known.shift});
  }

  void watch_result(const ptx::Instruction& instruction) {
    if (ptx::row_of(instruction.opcode).value != ptx::Value::of_operands ||
        computed(instruction).is_unknown())
      return;
    if (instruction.opcode == Opcode::setp || instruction.opcode == Opcode::set)
      return watch_comparison(instruction);
    const Known a = instruction.operands.size() > 1 ? value(instruction.operands[1]) : Known{};
    const Known b = instruction.operands.size() > 2 ? value(instruction.operands[2]) : Known{};
    switch (instruction.opcode) {
      case Opcode::cvt:
        if (a.shift.any() && ptx::size_of(instruction.type) > ptx::size_of(instruction.source_type))
          watch_range(0, a.shift, instruction.source_type);
        return;
      case Opcode::min:
      case Opcode::max:
      case Opcode::selp:
        if (a.shift != b.shift || (instruction.opcode != Opcode::selp && a.shift.any()))
          watch_choice(instruction, a.shift, b.shift);
        return;
      case Opcode::shr:
        if (a.shift.any()) watch_range(0, a.shift, instruction.type);
        return;
      case Opcode::mul:
      case Opcode::mad:
        if (instruction.mul != ptx::MulMode::wide) return;
        if (a.shift.any()) watch_range(0, a.shift, instruction.type);
        if (b.shift.any()) watch_range(1, b.shift, instruction.type);
        return;
      default: return;
    }
  }
  void watch_range(std::uint8_t operand, const Shift& shift, Type type) {
    found_.watches.push_back({.kind = Watch::Kind::range,
                              .instruction = at_,
                              .is_signed = ptx::is_signed(type),
                              .bytes = static_cast<std::uint8_t>(ptx::size_of(type)),
                              .operand = operand,
                              .a = shift});
  }
  void watch_choice(const ptx::Instruction& instruction, const Shift& a, const Shift& b) {
    found_.watches.push_back(
        {.kind = instruction.opcode == Opcode::selp ? Watch::Kind::selection : Watch::Kind::extreme,
         .instruction = at_,
         .is_signed = ptx::is_signed(instruction.type),
         .bytes = static_cast<std::uint8_t>(ptx::size_of(instruction.type)),
         .operand = static_cast<std::uint8_t>(takes_second_[at_]),
         .is_max = instruction.opcode == Opcode::max,
         .a = a,
         .b = b});
  }
  void watch_comparison(const ptx::Instruction& instruction) {
    const std::size_t first = ptx::count_destinations(instruction);
    const Type type = instruction.opcode == Opcode::set ? instruction.source_type : instruction.type;
    const Known a = value(instruction.operands[first]), b = value(instruction.operands[first + 1]);
    if (!a.shift.any() && !b.shift.any()) return;
    using C = ptx::Compare;
    const bool as_unsigned_words = instruction.compare >= C::lo && instruction.compare <= C::hs;
    found_.watches.push_back({.kind = Watch::Kind::comparison,
                              .instruction = at_,
                              .compare = instruction.compare,
                              .is_signed = ptx::is_signed(type) && !as_unsigned_words,
                              .bytes = static_cast<std::uint8_t>(ptx::size_of(type)),
                              .a = a.shift,
                              .b = b.shift});
  }

  const Program::Code& code_;
  const ptx::Function& function_;
  const Launch& launch_;
  std::span<const std::byte> parameters_;
  const std::vector<bool>& takes_second_;
  Axes axes_;
  const Progress* progress_;
  const Loop* loop_ = nullptr;  ///< Shifts are per iteration of this loop; null: per block
  std::vector<LoopRegister>* loop_registers_ = nullptr;
  std::vector<Known> iteration_end_;  ///< Values at the back edge; empty: not reached yet
  BlockShifts found_;
  std::vector<std::vector<Known>>
      entry_;  ///< By block: what registers hold where it begins; empty: not reached yet
  std::vector<Known> state_;
  std::uint32_t at_ = 0;
};

}  // namespace

Shift BlockShifts::of_site(const Site& site) const {
  const bool is_written = site.op == AccessOp::cp_async && site.space == Space::shared;
  return is_written ? Shift{} : of_access[site.instruction];
}

BlockShifts find_block_shifts(const Program::Code& code, const Launch& launch,
                              std::span<const std::byte> parameters, const std::vector<bool>& takes_second,
                              const Axes& axes, const Progress* progress) {
  return Finder(code, launch, parameters, takes_second, axes, progress).run();
}

BlockShifts find_iteration_shifts(const Program::Code& code, const Launch& launch,
                                  std::span<const std::byte> parameters, const Loop& loop,
                                  std::vector<LoopRegister>& registers, const Progress* progress) {
  const std::vector<bool> takes_second(code.function.instructions.size());
  Finder finder(code, launch, parameters, takes_second, {.x = false, .y = false, .z = false}, progress);
  finder.shift_by_iterations(loop, registers);
  return finder.run();
}

}  // namespace warplens::replay
