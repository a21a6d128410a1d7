#include "kernels/replay/block/cluster.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/lanes.h"

namespace warplens::replay {
namespace {

/// The most passes without progress while some block still polls memory.
constexpr int kMaxIdlePasses = 1 << 12;

}  // namespace

std::optional<RemoteAddress> remote_address(std::uint64_t address) {
  const auto in_window = static_cast<std::uint32_t>(address);
  const std::uint32_t rank = in_window >> Cluster::kRankBit;
  if (rank == 0) return std::nullopt;
  return RemoteAddress{rank - 1, in_window & ((1u << Cluster::kRankBit) - 1)};
}

std::optional<Error> Cluster::run(const std::vector<std::uint64_t>& linear) {
  for (std::uint32_t rank = 0; rank < size(); ++rank)
    blocks_[rank]->start_in_cluster(*this, rank, linear[rank]);
  for (int idle = 0; idle < kMaxIdlePasses;) {
    bool any_left = false, all_wait = true, progressed = false;
    changed_ = false;
    for (BlockRunner* const block : blocks_) {
      if (block->has_ended()) continue;
      const Result<BlockRunner::Blocked> blocked = block->run_until_blocked();
      if (!blocked.ok()) return blocked.error();
      progressed |= blocked->progressed;
      all_wait &= blocked->waits;
      any_left |= !block->has_ended();
    }
    if (!any_left) break;
    idle = progressed || changed_ ? 0 : idle + (all_wait ? kMaxIdlePasses : 1);
  }
  for (BlockRunner* const block : blocks_) block->end_in_cluster();
  return std::nullopt;
}

const Instr* map_shared_address(Machine& m, const Instr* i) {
  m.runner->map_shared_address(*i);
  return i + 1;
}
const Instr* rank_of_shared_address(Machine& m, const Instr* i) {
  m.runner->rank_of_shared_address(*i);
  return i + 1;
}
const Instr* access_in_cluster(Machine& m, const Instr* i) {
  return m.runner->access_in_cluster(i);
}

const Instr* access_asynchronously(Machine& m, const Instr* i) {
  return m.runner->access_asynchronously(i);
}

void BlockRunner::start_in_cluster(Cluster& cluster, std::uint32_t rank, std::uint64_t linear) {
  cluster_ = &cluster;
  rank_ = rank;
  turn_ = turn_of_block_ = kBriskTurn;
  start_block(linear);
}

Result<BlockRunner::Blocked> BlockRunner::run_until_blocked() {
  constexpr int kIdleRounds = 4;
  Blocked blocked;
  for (int idle = 0; !has_ended() && idle < kIdleRounds;) {
    if (cancelled()) return cancelled_error();
    bool ran = false;
    if (auto error = run_round(ran)) return std::move(*error);
    blocked.progressed |= progressed_;
    blocked.waits = !ran || polls_in_vain_;
    if (blocked.waits && !progressed_) break;
    idle = progressed_ ? 0 : idle + 1;
  }
  return blocked;
}

/// Reports a deadlock if the block has not ended: nothing can wake it any more.
void BlockRunner::end_in_cluster() {
  if (!has_ended()) {
    if (waits_at_mbarriers()) {
      report_waits(finding_texts::kWaitsInBlock);
    } else {
      report_deadlock();
    }
    ended_ = true;
  }
  end_block();
  cluster_ = nullptr;
}

void BlockRunner::map_shared_address(const Instr& i) {
  const bool wide = i.register_bytes == 8;
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    const auto value = [&](std::uint32_t head, bool is_wide) {
      return value_of_lane(*reinterpret_cast<const Head*>(machine_.registers + head), is_wide, lane);
    };
    std::uint64_t address = value(i.a, wide);
    const auto rank = static_cast<std::uint32_t>(value(i.b, false));
    if (rank != rank_) address |= std::uint64_t{rank + 1} << Cluster::kRankBit;
    pass_back({.in_register = true, .head = i.d, .bytes = i.register_bytes}, lane,
              reinterpret_cast<const std::byte*>(&address), i.register_bytes);
  });
}

void BlockRunner::rank_of_shared_address(const Instr& i) {
  const bool wide = i.register_bytes == 8;
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    const Head& head = *reinterpret_cast<const Head*>(machine_.registers + i.a);
    const auto remote = remote_address(value_of_lane(head, wide, lane));
    const std::uint32_t rank = remote ? remote->rank : rank_;
    pass_back({.in_register = true, .head = i.d, .bytes = 4}, lane, reinterpret_cast<const std::byte*>(&rank),
              sizeof rank);
  });
}

void BlockRunner::report_if_exited(std::uint32_t instruction, std::uint32_t lanes, const BlockRunner& owner) {
  if (&owner == this || !owner.has_ended()) return;
  const ptx::Instruction& accessing = code_.function.instructions[instruction];
  Finding finding = make_finding(FindingKind::exited_block, accessing, machine_.warp, lanes);
  finding.text =
      fmt::format(finding_texts::kExitedBlock, "op"_a = accessing.text.substr(0, accessing.text.find(' ')),
                  "lanes"_a = name_lanes(lanes), "warp"_a = machine_.warp, "rank"_a = owner.rank_);
  findings.add(linear_, std::move(finding));
}

/// Returns the block whose shared memory contains the address; null if the cluster has no block of that rank.
BlockRunner* BlockRunner::owner_of(std::uint64_t address) {
  const auto remote = remote_address(address);
  if (!remote) return this;
  return cluster_ != nullptr && remote->rank < cluster_->size() ? &cluster_->block(remote->rank) : nullptr;
}

/// Runs lanes that access another block's shared memory separately, with that memory in place of the block's
/// own. Records their accesses, but does not look for races with that block's.
const Instr* BlockRunner::access_in_cluster(const Instr* i) {
  const Handler handler = code_.cluster_handlers.at(i->index);
  const Head& head = *reinterpret_cast<const Head*>(machine_.registers + i->a);
  const bool wide = (i->flags & kWideAddress) != 0;
  const bool is_generic = static_cast<ptx::StateSpace>(i->space) == ptx::StateSpace::generic;
  std::map<std::uint32_t, std::uint32_t> lanes_by_rank;
  std::uint32_t own = machine_.active;
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    const std::uint64_t address = value_of_lane(head, wide, lane) + static_cast<std::uint64_t>(i->imm);
    const bool is_shared = !is_generic || (address & ~(kWindowBytes - 1)) == kSharedWindow;
    const auto remote = is_shared ? remote_address(address) : std::nullopt;
    if (!remote || owner_of(address) == nullptr) return;
    lanes_by_rank[remote->rank] |= 1u << lane;
    own &= ~(1u << lane);
  });
  if (lanes_by_rank.empty()) return handler(machine_, i);
  races_unknown_ = true;
  const std::uint32_t active = machine_.active;
  const std::uint64_t* const suspended = machine_.suspended;
  const bool single_step = machine_.single_step;
  machine_.suspended = nullptr;
  machine_.single_step = true;
  const Instr* next = i + 1;
  if (own != 0) {
    machine_.active = own;
    next = handler(machine_, i);
  }
  for (const auto& [rank, lanes] : lanes_by_rank) {
    report_if_exited(i->index, lanes, cluster_->block(rank));
    machine_.active = lanes;
    const SharedMemory shared = machine_.shared;
    const SharedShadow shadow = machine_.shadow;
    const AccessLog log = machine_.log;
    point_to_memory_of(cluster_->block(rank), rank);
    next = handler(machine_, i);
    machine_.shared = shared;
    machine_.shadow = shadow;
    machine_.log = log;
  }
  machine_.active = active;
  machine_.suspended = suspended;
  machine_.single_step = single_step;
  cluster_->note_change();
  return next;
}

/// Makes the accesses of st.async and red.async where they are issued, which is as early as they can be made,
/// and completes their bytes.
const Instr* BlockRunner::access_asynchronously(const Instr* i) {
  const Instr* const next = access_in_cluster(i);
  const AddressOperand& operand = code_.completions.at(i->index);
  const Head& head = *reinterpret_cast<const Head*>(machine_.registers + operand.head);
  const std::uint32_t bytes = std::uint32_t{i->bytes} * std::max<std::uint32_t>(i->count, 1);
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    const std::uint64_t address =
        value_of_lane(head, operand.wide, lane) + static_cast<std::uint64_t>(operand.offset);
    const std::optional<RemoteAddress> remote = remote_address(address);
    BlockRunner* const owner = owner_of(address);
    if (owner == nullptr) return;
    const std::uint32_t mbarrier = remote ? remote->offset : static_cast<std::uint32_t>(address);
    owner->release_at_mbarrier(owner == this ? std::optional(machine_.warp) : std::nullopt, mbarrier);
    owner->note(SyncKind::complete, i->index, owner == this ? machine_.warp : kOtherBlock, mbarrier, bytes,
                rank_);
    owner->complete_bytes(i->index, machine_.warp, lane, mbarrier, bytes);
  });
  return next;
}

void BlockRunner::point_to_memory_of(BlockRunner& other, std::uint32_t rank) {
  const std::uint64_t from = std::uint64_t{rank + 1} << Cluster::kRankBit;
  if (remote_log_.empty()) {
    remote_log_.resize(2 * kIrregularLogEntries);
    remote_shadow_ = AlignedBytes(shadow_words_ * 8);
  }
  std::fill_n(reinterpret_cast<std::uint64_t*>(remote_shadow_.data()), shadow_words_, 0);
  const auto words = static_cast<std::ptrdiff_t>(from / 64);
  auto* const scratch = reinterpret_cast<std::uint64_t*>(remote_shadow_.data()) - words;
  machine_.shared = {.data = other.shared_.data() - from,
                     .begin = static_cast<std::uint32_t>(job_.shared_begin + from),
                     .end = static_cast<std::uint32_t>(job_.shared_end + from)};
  SharedShadow& shadow = machine_.shadow;
  shadow.initialised = other.machine_.shadow.initialised - words;
  shadow.in_flight = other.machine_.shadow.in_flight - words;
  shadow.bulk_in_flight = other.machine_.shadow.bulk_in_flight - words;
  shadow.read = shadow.written = shadow.strong = shadow.copied = scratch;
  shadow.others_written = scratch;
  shadow.all_initialised = other.machine_.shadow.all_initialised;
  constexpr std::uint32_t kOnePart = 40;
  shadow.dirty_shift = kOnePart;
  machine_.log = {.next = remote_log_.data(), .end = remote_log_.data() + kIrregularLogEntries};
}

}  // namespace warplens::replay
