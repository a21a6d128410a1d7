// mbarriers: objects in shared memory at which threads arrive, and whose phases others wait for. A phase ends
// when no arrivals and no transaction bytes are pending. Lanes operate in ascending order. An object's bits
// are in shared memory; the addresses of those in use are kept beside it, since nothing else tells an object
// from other data. PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/cluster.h"
#include "kernels/replay/core/mbarrier_object.h"

namespace warplens::replay {
namespace {

using ptx::Opcode;

constexpr std::uint32_t kNoHead = 0xffffffffu;
constexpr std::uint32_t kObjectBytes = 8;

bool drops(Opcode opcode) {
  return opcode == Opcode::mbarrier_arrive_drop || opcode == Opcode::mbarrier_arrive_drop_expect_tx ||
         opcode == Opcode::mbarrier_arrive_drop_no_complete;
}
bool expects_bytes(Opcode opcode) {
  return opcode == Opcode::mbarrier_expect_tx || opcode == Opcode::mbarrier_arrive_expect_tx ||
         opcode == Opcode::mbarrier_arrive_drop_expect_tx;
}
bool arrives(Opcode opcode) {
  return drops(opcode) || opcode == Opcode::mbarrier_arrive || opcode == Opcode::mbarrier_arrive_expect_tx ||
         opcode == Opcode::mbarrier_arrive_no_complete;
}
bool must_not_complete(Opcode opcode) {
  return opcode == Opcode::mbarrier_arrive_no_complete || opcode == Opcode::mbarrier_arrive_drop_no_complete;
}
bool waits_by_state(Opcode opcode) {
  return opcode == Opcode::mbarrier_test_wait || opcode == Opcode::mbarrier_try_wait;
}

}  // namespace

/// What lanes of one instruction do wrong: a finding for each sentence.
class BlockRunner::MbarrierFindings {
 public:
  MbarrierFindings(BlockRunner& runner, std::uint32_t instruction, std::uint32_t w)
      : runner_(runner), instruction_(runner.code_.function.instructions[instruction]), warp_(w) {}
  MbarrierFindings(const MbarrierFindings&) = delete;
  MbarrierFindings& operator=(const MbarrierFindings&) = delete;
  ~MbarrierFindings() {
    for (auto& [sentence, finding] : found_) runner_.findings.add(runner_.linear_, std::move(finding));
  }

  /// `figures`: what the sentence says besides address, lane and warp.
  template <class... Figures>
  void add(const char* sentence, std::uint32_t lane, std::uint64_t address, std::uint32_t line,
           const Figures&... figures) {
    const auto [entry, is_new] = found_.try_emplace(sentence);
    Finding& finding = entry->second;
    finding.lanes |= 1u << lane;
    if (!is_new) return;
    finding = runner_.make_finding(FindingKind::mbarrier, instruction_, warp_, 1u << lane);
    finding.other_line = line;
    finding.text = fmt::format(fmt::runtime(sentence), "address"_a = fmt::format("0x{:x}", address),
                               "lane"_a = lane, "warp"_a = warp_, "line"_a = line, figures...);
  }
  /// Adds a finding at an object.
  template <class... Figures>
  void add_at(const char* sentence, std::uint32_t lane, std::uint32_t address, const Figures&... figures) {
    add(sentence, lane, runner_.as_recorded(Space::shared, address), 0, figures...);
  }

 private:
  BlockRunner& runner_;
  const ptx::Instruction& instruction_;
  std::uint32_t warp_;
  std::map<std::string_view, Finding> found_;
};

const Instr* run_mbarrier(Machine& m, const Instr* i) {
  m.runner->run_mbarrier(i);
  return i + 1;
}

void BlockRunner::run_mbarrier(const Instr* i) {
  const ptx::Instruction& instruction = code_.function.instructions[i->index];
  const Opcode opcode = instruction.opcode;
  check_shared_accesses();
  const bool waits = ptx::is_mbarrier_wait(instruction), by_state = waits_by_state(opcode);
  MbarrierFindings faults(*this, i->index, machine_.warp);
  std::array<std::uint64_t, kWarpSize> states{};
  std::optional<std::uint32_t> waited_at;
  std::uint32_t over = 0, ended = 0;  // Waits: lanes that go on, and those of them whose phase has ended
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    const std::uint64_t operand =
        i->b == kNoHead
            ? 1
            : value_of_lane(*reinterpret_cast<const Head*>(machine_.registers + i->b), by_state, lane);
    over |= 1u << lane;  // Where there is no object nobody could end the wait
    const std::optional<MbarrierPlace> place = mbarrier_place(i, lane, faults);
    if (!place) return;
    BlockRunner& owner = *place->owner;
    const std::uint32_t address = place->address;
    if (opcode == Opcode::mbarrier_init)
      return owner.make_mbarrier(address, operand, instruction, lane, faults);
    UsedMbarrier* const used = owner.used_mbarrier(address, lane, faults);
    if (used == nullptr) return;
    if (opcode == Opcode::mbarrier_inval) {
      owner.mbarriers_.erase(address);
    } else if (waits) {
      owner.land_copies_before(address, instruction);
      owner.bulk_copies_.land_at(address);
      const std::uint32_t waited = by_state ? MbarrierObject::of(operand).parity : operand & 1;
      const bool is_over = MbarrierObject::of(used->bits).parity != waited;
      (is_over ? ended : over) ^= 1u << lane;
      if (!is_over) warps_[machine_.warp].mbarrier = address;
      if (is_over) acquire_at_mbarrier(address);
      if (is_over && &owner == this) waited_at = address;
    } else if (opcode == Opcode::cp_async_mbarrier_arrive ||
               opcode == Opcode::cp_async_mbarrier_arrive_noinc) {
      arrive_after_copies(address, *used, i, lane, faults);
    } else {
      states.at(lane) = used->bits;
      owner.release_at_mbarrier(&owner == this ? std::optional(machine_.warp) : std::nullopt, address);
      const std::uint32_t w = &owner == this ? machine_.warp : kOtherBlock;
      if (expects_bytes(opcode)) owner.note(SyncKind::expect, i->index, w, address, operand, rank_);
      if (arrives(opcode))
        owner.note(SyncKind::arrive, i->index, w, address, expects_bytes(opcode) ? 1 : operand, rank_);
      owner.change_mbarrier(address, *used, instruction, static_cast<std::uint32_t>(operand), lane, faults);
    }
  });
  if (waited_at) note(SyncKind::wait, i->index, machine_.warp, *waited_at, 0);
  if (ended != 0) {
    // Barrier intervals say nothing of this order; the lanes' own log does.
    races_unknown_ = true;
    if (machine_.log.next >= machine_.log.end) make_room_in_log();
    *machine_.log.next++ = {i->index, static_cast<std::uint32_t>(ended == machine_.alive), kAcquireLog,
                            ended};
  }
  if (i->d == kNoHead) return;
  if (waits) {
    Head& head = *reinterpret_cast<Head*>(machine_.registers + i->d);
    head.base = (head.base & ~std::uint64_t{machine_.active}) | over;
    return;
  }
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    pass_back({.in_register = true, .head = i->d, .bytes = 8}, lane,
              reinterpret_cast<const std::byte*>(&states.at(lane)), sizeof states.at(lane));
  });
}

/// What warps have done before they arrived happens before what follows a wait that finds the phase ended.
/// nullopt: a warp of another block of the cluster, which all warps of this one may have been ordered before.
void BlockRunner::release_at_mbarrier(std::optional<std::uint32_t> w, std::uint32_t address) {
  Order* const order = order_of_warps();
  if (order == nullptr) return;
  Order::Clock& clock = as_raced_.sync_clock_at(kSharedWindow + address).clock;
  w ? order->release(*w, clock) : order->release_all(clock);
}
void BlockRunner::acquire_at_mbarrier(std::uint32_t address) {
  if (Order* const order = order_of_warps())
    order->acquire(machine_.warp, as_raced_.sync_clock_at(kSharedWindow + address).clock);
}

/// Returns where a lane's object is; nullopt, with a finding, if none can be there.
std::optional<BlockRunner::MbarrierPlace> BlockRunner::mbarrier_place(const Instr* i, std::uint32_t lane,
                                                                      MbarrierFindings& faults) {
  const Head& head = *reinterpret_cast<const Head*>(machine_.registers + i->a);
  const bool wide = (i->flags & kWideAddress) != 0;
  const std::uint64_t given = value_of_lane(head, wide, lane) + static_cast<std::uint64_t>(i->imm);
  const bool is_generic = static_cast<ptx::StateSpace>(i->space) == ptx::StateSpace::generic;
  const std::uint64_t address = is_generic ? given - kSharedWindow : wide ? given : given & 0xffffffffu;
  const bool is_outside = is_generic && address >= kWindowBytes;
  const auto remote = is_outside ? std::nullopt : remote_address(address);
  const std::uint64_t offset = remote ? remote->offset : address;
  BlockRunner* const owner = is_outside ? this : owner_of(address);
  if (owner != nullptr && offset % kObjectBytes == 0 && offset >= job_.shared_begin &&
      offset < job_.shared_end && job_.shared_end - offset >= kObjectBytes) {
    report_if_exited(i->index, 1u << lane, *owner);
    return MbarrierPlace{owner, static_cast<std::uint32_t>(offset)};
  }
  faults.add(finding_texts::kMbarrierMisaligned, lane,
             is_outside ? given : address_in_words(Space::shared, address), 0);
  return std::nullopt;
}

/// The object in use there; null, with a finding, if there is none. What a store has left there is taken for
/// it.
BlockRunner::UsedMbarrier* BlockRunner::used_mbarrier(std::uint32_t address, std::uint32_t lane,
                                                      MbarrierFindings& faults) {
  const auto used = mbarriers_.find(address);
  if (used == mbarriers_.end()) {
    faults.add_at(finding_texts::kMbarrierUnused, lane, address);
    return nullptr;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, shared_.data() + address, sizeof bits);
  if (bits != used->second.bits) {
    faults.add(finding_texts::kMbarrierOverwritten, lane, as_recorded(Space::shared, address),
               used->second.line);
    used->second.bits = bits;
  }
  return &used->second;
}

void BlockRunner::make_mbarrier(std::uint32_t address, std::uint64_t count,
                                const ptx::Instruction& instruction, std::uint32_t lane,
                                MbarrierFindings& faults) {
  const auto [entry, is_new] = mbarriers_.try_emplace(address);
  UsedMbarrier& used = entry->second;
  if (!is_new)
    faults.add(finding_texts::kMbarrierMadeTwice, lane, as_recorded(Space::shared, address), used.line);
  if (count == 0 || count > MbarrierObject::kMaxCount)
    faults.add_at(finding_texts::kMbarrierCount, lane, address, "count"_a = count);
  const auto expected =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count, 1, MbarrierObject::kMaxCount));
  used.line = instruction.location.own_line;
  used.bits = MbarrierObject{.expected = expected, .pending = expected}.bits();
  std::memcpy(shared_.data() + address, &used.bits, sizeof used.bits);
  machine_.shadow.initialised[address >> 6] |= std::uint64_t{0xff} << (address & 63);
}

/// Ends the phase if nothing is pending.
void BlockRunner::keep_mbarrier(std::uint32_t address, UsedMbarrier& used, MbarrierObject object) {
  if (object.is_phase_over()) {
    object.pending = object.expected;
    object.parity ^= 1;
    note(SyncKind::phase_end, 0, 0, address, 0);
    ++phases_ended_;
    progressed_ = true;
    if (cluster_ != nullptr) cluster_->note_change();
  }
  used.bits = object.bits();
  std::memcpy(shared_.data() + address, &used.bits, sizeof used.bits);
}

std::optional<std::uint32_t> BlockRunner::mbarrier_wait_of(const WarpState& warp) {
  return polled_loop_at(*warp.resume).mbarrier_wait;
}

// All GPUs that have mbarriers schedule the lanes of a warp apart. Once for each phase that ends is enough:
// the lanes come back to those that wait when they wait themselves, or reach the join.
void BlockRunner::run_arriving_lanes_first(WarpState& warp) {
  if (warp.depth == 0 || !warp.calls.empty() || warp.others_ran == phases_ended_ || !mbarrier_wait_of(warp))
    return;
  Suspended& other = warp.stack[warp.depth - 1];
  const std::uint32_t mask = other.mask & warp.alive;
  if (other.join != warp.join || mask == 0 || (mask & warp.active) != 0) return;
  warp.others_ran = phases_ended_;
  const Instr* const resume = other.pc;
  other = {warp.resume, warp.join, warp.active};
  warp.active = mask;
  warp.resume = resume;
  warp.polls_at = nullptr;
}

/// `count`: of arrivals, or of bytes, for which one thread arrives at most.
void BlockRunner::change_mbarrier(std::uint32_t address, UsedMbarrier& used,
                                  const ptx::Instruction& instruction, std::uint32_t count,
                                  std::uint32_t lane, MbarrierFindings& faults) {
  MbarrierObject object = MbarrierObject::of(used.bits);
  const Opcode opcode = instruction.opcode;
  if (expects_bytes(opcode)) object.bytes += static_cast<std::int32_t>(count);
  if (opcode == Opcode::mbarrier_complete_tx) object.bytes -= static_cast<std::int32_t>(count);
  if (arrives(opcode)) {
    const std::uint32_t arrivals = expects_bytes(opcode) ? 1 : count;
    if (arrivals > object.pending)
      faults.add_at(finding_texts::kMbarrierArrivals, lane, address, "count"_a = arrivals,
                    "pending"_a = object.pending);
    object.pending -= std::min(arrivals, object.pending);
    if (drops(opcode)) object.expected -= std::min(arrivals, object.expected);
    if (must_not_complete(opcode) && object.is_phase_over())
      faults.add_at(finding_texts::kMbarrierCompletes, lane, address);
  }
  keep_mbarrier(address, used, object);
}

void BlockRunner::complete_bytes(std::uint32_t instruction, std::uint32_t w, std::uint32_t lane,
                                 std::uint32_t mbarrier, std::uint32_t bytes) {
  MbarrierFindings faults(*this, instruction, w);
  UsedMbarrier* const used = used_mbarrier(mbarrier, lane, faults);
  if (used == nullptr) return;
  MbarrierObject object = MbarrierObject::of(used->bits);
  object.bytes -= static_cast<std::int32_t>(bytes);
  keep_mbarrier(mbarrier, *used, object);
}

/// cp.async.mbarrier.arrive: without .noinc it is one arrival more that the phase waits for.
void BlockRunner::arrive_after_copies(std::uint32_t address, UsedMbarrier& used, const Instr* i,
                                      std::uint32_t lane, MbarrierFindings& faults) {
  const ptx::Instruction& instruction = code_.function.instructions[i->index];
  if (instruction.opcode == Opcode::cp_async_mbarrier_arrive) {
    MbarrierObject object = MbarrierObject::of(used.bits);
    if (object.pending == MbarrierObject::kMaxCount) {
      faults.add_at(finding_texts::kMbarrierArrivals, lane, address, "count"_a = object.pending + 1,
                    "pending"_a = object.pending);
      return;
    }
    ++object.pending;
    keep_mbarrier(address, used, object);
  }
  warps_[machine_.warp].copies.arrivals.push_back(
      {.instruction = i->index, .lane = lane, .address = address, .serial = copies_});
  warps_with_arrivals_ |= 1u << machine_.warp;
  make_arrivals(machine_.warp);
}

void BlockRunner::make_arrivals(std::uint32_t w) {
  WarpCopies& copies = warps_[w].copies;
  std::erase_if(copies.arrivals, [&](const PendingArrival& arrival) {
    const bool waits = std::ranges::any_of(copies.pending, [&](const PendingCopy& copy) {
      return copy.serial <= arrival.serial && (copy.request.mask >> arrival.lane & 1) != 0;
    });
    if (waits) return false;
    MbarrierFindings faults(*this, arrival.instruction, w);
    UsedMbarrier* const used = used_mbarrier(arrival.address, arrival.lane, faults);
    if (used == nullptr) return true;
    note(SyncKind::arrive, arrival.instruction, w, arrival.address, 1);
    MbarrierObject object = MbarrierObject::of(used->bits);
    if (object.pending == 0)
      faults.add_at(finding_texts::kMbarrierArrivals, arrival.lane, arrival.address, "count"_a = 1,
                    "pending"_a = 0);
    object.pending -= std::min(object.pending, 1u);
    release_at_mbarrier(w, arrival.address);
    keep_mbarrier(arrival.address, *used, object);
    return true;
  });
  if (copies.arrivals.empty()) warps_with_arrivals_ &= ~(1u << w);
}

}  // namespace warplens::replay
