#include "viz/analysis/cluster/cluster_blocks.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "kernels/base/clusters.h"
#include "viz/analysis/cluster/shared_parts.h"
#include "viz/analysis/lanes.h"
#include "viz/analysis/tensor_boxes.h"

namespace warplens::analysis {
namespace {

bool is_in(std::uint32_t ranks, std::uint32_t rank) {
  return (ranks >> rank & 1) != 0;
}

/// Finds out about one block after the other, then about what is between them.
class ClusterFinder {
 public:
  ClusterFinder(const Recording& recording, const BlockDetails& details)
      : recording_(recording), parts_(recording) {
    const std::uint64_t own = linear_index(recording.grid, details.block);
    const std::vector<std::uint64_t> blocks = blocks_of_cluster(
        recording.grid, recording.cluster, clusters_of(recording.grid, recording.cluster, {own}).front());
    for (std::uint32_t rank = 0; rank < blocks.size(); ++rank) {
      ClusterBlock& block = cluster_.blocks.emplace_back();
      block.block = index_from_linear(recording.grid, blocks[rank]);
      if (blocks[rank] == own) cluster_.rank = rank;
      details_.push_back(blocks[rank] == own             ? &details
                         : rank < details.cluster.size() ? details.cluster[rank].get()
                                                         : nullptr);
      const auto recorded = std::ranges::find(recording.event_blocks, block.block);
      if (recorded == recording.event_blocks.end() || details_.back() == nullptr) continue;
      block.event_block = static_cast<std::uint32_t>(recorded - recording.event_blocks.begin());
      block.timeline = role_timeline(recording, *block.event_block, *details_.back());
    }
  }

  ClusterBlocks take() {
    for (std::uint32_t rank = 0; rank < size(); ++rank) {
      if (!block(rank).event_block) continue;
      find_tensor_copies(rank);
      find_other_copies(rank);
      add_stores(rank);
    }
    cluster_.parts_left_out = parts_.divide(cluster_.parts);
    for (ClusterBlock& of : cluster_.blocks) of.fillings.resize(cluster_.parts.size());
    uses_.resize(size());
    for (std::uint32_t rank = 0; rank < size(); ++rank) {
      if (!block(rank).event_block) continue;
      deliver_copies(rank);
      find_accesses(rank);
    }
    for (const auto& [copy, ranks] : came_to_) block(copy.first).copies[copy.second].ranks |= ranks;
    for (std::uint32_t rank = 0; rank < size(); ++rank) fill(rank);
    group_rows();
    number_fillings();
    for (ClusterBlock& of : cluster_.blocks) {
      std::ranges::stable_sort(of.accesses, {}, &RemoteAccess::step);
      for (const ClusterCopy& copy : of.copies) of.bytes_issued += copy.bytes;
      for (const MbarrierLine& line : of.timeline.mbarriers) {
        for (const MbarrierPhase& phase : line.phases) of.arrivals_from_others += phase.from_others;
      }
    }
    return std::move(cluster_);
  }

 private:
  /// What a step does to a part, in this order within a step.
  enum class Use : std::uint8_t { copy, store, read };
  struct PartUse {
    std::uint32_t step = 0;
    Use use = Use::read;
    std::size_t part = 0;
    std::uint32_t from = 0;
    std::uint32_t complete = 0;            ///< Of a copy
    std::optional<std::size_t> copy = {};  ///< The same
  };

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(cluster_.blocks.size()); }
  ClusterBlock& block(std::uint32_t rank) { return cluster_.blocks[rank]; }
  const Site& site_of(std::size_t event) const { return recording_.sites[recording_.events.site[event]]; }
  [[nodiscard]] EventRange events_of(std::uint32_t rank) {
    return events_of_block(recording_, *block(rank).event_block);
  }

  const Site* bulk_site_of(std::uint32_t instruction) const {
    const auto found = std::ranges::find(recording_.sites, instruction, &Site::instruction);
    return found == recording_.sites.end() ? nullptr : &*found;
  }

  void find_tensor_copies(std::uint32_t rank) {
    ClusterBlock& of = block(rank);
    for (const TensorCopy& copy : details_[rank]->copies) {
      const TensorBox box(copy);
      const std::uint32_t offset = copy.shared - recording_.shared_base;
      parts_.add_copy(offset, box.shared_bytes());
      const Site* const site = bulk_site_of(copy.instruction);
      if (site == nullptr || site->op != AccessOp::bulk_load) continue;
      const EventRange events = events_of_warp(recording_, *of.event_block, copy.warp);
      const std::size_t event = events.begin + copy.order;
      const bool has_event = event < events.end && site_of(event).instruction == copy.instruction;
      of.copies.push_back({.instruction = copy.instruction,
                           .warp = copy.warp,
                           .step = has_event ? of.timeline.step_of(recording_, event) : 0,
                           .offset = offset,
                           .bytes = box.shared_bytes(),
                           .ranks = copy.ranks,
                           .event = has_event ? std::optional(event) : std::nullopt});
    }
  }

  /// Copies of rows of bytes, by their accesses: those of one step that follow each other in shared memory.
  void find_other_copies(std::uint32_t rank) {
    ClusterBlock& of = block(rank);
    const EventRange events = events_of(rank);
    ClusterCopy* last = nullptr;
    for (std::size_t event = events.begin; event < events.end; ++event) {
      const Site& site = site_of(event);
      if (site.op != AccessOp::bulk_load || is_tensor_copy(site)) {
        last = nullptr;
        continue;
      }
      if (site.space != Space::shared) continue;
      const std::uint32_t step = of.timeline.step_of(recording_, event);
      const auto [begin, end] = extent_of(event);
      const bool goes_on = last != nullptr && last->step == step && last->instruction == site.instruction &&
                           last->warp == recording_.events.warp[event] && begin <= last->offset + last->bytes;
      if (goes_on) {
        last->bytes = std::max(last->bytes, end - last->offset);
      } else {
        of.copies.push_back({.instruction = site.instruction,
                             .warp = recording_.events.warp[event],
                             .step = step,
                             .offset = begin,
                             .bytes = end - begin,
                             .event = event});
        last = &of.copies.back();
      }
    }
    for (const ClusterCopy& copy : of.copies) parts_.add_copy(copy.offset, copy.bytes);
  }
  std::pair<std::uint32_t, std::uint32_t> extent_of(std::size_t event) const {
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    for_each_lane(recording_.events.mask[event], [&](int lane) {
      const std::uint64_t at = shared_place(lane_address(recording_, event, lane)).offset;
      begin = std::min(begin, at);
      end = std::max(end, at + site_of(event).bytes);
    });
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void add_stores(std::uint32_t rank) {
    const EventRange events = events_of(rank);
    for (std::size_t event = events.begin; event < events.end; ++event) {
      const Site& site = site_of(event);
      if (site.space != Space::shared || !writes(site.op, Space::shared) || site.op == AccessOp::bulk_load)
        continue;
      for_each_lane(addressing_lanes(site, recording_.events.mask[event]), [&](int lane) {
        parts_.add_store(shared_place(lane_address(recording_, event, lane)).offset, site.bytes);
      });
    }
  }

  /// Gives each copy that the block's mbarriers count a filling of its parts. A copy of another block is the
  /// next one of that block and instruction that has not come here yet.
  void deliver_copies(std::uint32_t rank) {
    struct Queue {
      std::vector<std::size_t> copies;
      std::size_t taken = 0;
    };
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Queue> queues;
    const auto key_of = [&](std::uint32_t from, std::uint32_t instruction, std::uint32_t warp) {
      return std::tuple(instruction, from, from == rank ? warp : kOtherBlock);
    };
    for (std::uint32_t from = 0; from < size(); ++from) {
      for (std::size_t k = 0; k < block(from).copies.size(); ++k) {
        const ClusterCopy& copy = block(from).copies[k];
        if (copy.ranks == 0 || is_in(copy.ranks, rank))
          queues[key_of(from, copy.instruction, copy.warp)].copies.push_back(k);
      }
    }
    std::size_t flight = 0;
    for (const Sync& sync : details_[rank]->syncs) {
      if (sync.kind != SyncKind::issue) continue;
      const Flight& in_flight = block(rank).timeline.flights[flight++];
      const std::uint32_t from = sync.warp == kOtherBlock ? sync.rank : rank;
      const auto queue = queues.find(key_of(from, sync.instruction, sync.warp));
      if (queue == queues.end() || queue->second.taken == queue->second.copies.size()) continue;
      come(rank, from, queue->second.copies[queue->second.taken++], in_flight);
    }
  }
  void come(std::uint32_t rank, std::uint32_t from, std::size_t copy, const Flight& flight) {
    const ClusterCopy& issued = block(from).copies[copy];
    came_to_[{from, copy}] |= 1u << rank;
    block(rank).bytes_copied += issued.bytes;
    const std::uint32_t step = std::min(issued.step, std::max(flight.end, 1u) - 1);
    std::optional<std::size_t> last;
    for (std::uint32_t byte = 0; byte < issued.bytes; byte += 16) {
      const auto part = parts_.part_at(issued.offset + byte);
      if (!part || part == last) continue;
      last = part;
      uses_[rank].push_back({step, Use::copy, *part, from, flight.end, copy});
      mbarrier_of_[*part] = flight.mbarrier;
    }
  }

  /// Reads and stores, of the block's own shared memory and of other blocks'.
  void find_accesses(std::uint32_t rank) {
    const EventRange events = events_of(rank);
    for (std::size_t event = events.begin; event < events.end; ++event) {
      const Site& site = site_of(event);
      if (site.space != Space::shared || site.op == AccessOp::bulk_load) continue;
      const std::uint32_t step = block(rank).timeline.step_of(recording_, event);
      const SharedPlace first = shared_place(recording_.events.base[event]);
      const std::uint32_t to = first.rank.value_or(rank);
      if (to >= size()) continue;
      if (first.rank)
        block(rank).accesses.push_back({.warp = recording_.events.warp[event],
                                        .lanes = recording_.events.mask[event],
                                        .step = step,
                                        .to = to,
                                        .offset = first.offset,
                                        .op = site.op,
                                        .event = event});
      PartUse use{.step = step,
                  .use = writes(site.op, Space::shared) ? Use::store : Use::read,
                  .from = rank,
                  .complete = step + 1};
      if (site.op == AccessOp::cp_async) {
        use.use = Use::copy;
        use.complete = landing_step(rank, event);
      }
      std::optional<std::size_t> last;
      for_each_lane(addressing_lanes(site, recording_.events.mask[event]), [&](int lane) {
        const auto part = parts_.part_at(shared_place(lane_address(recording_, event, lane)).offset);
        if (!part || part == last) return;
        last = use.part = *part;
        uses_[to].push_back(use);
      });
    }
  }
  std::uint32_t landing_step(std::uint32_t rank, std::size_t event) {
    const RoleTimeline& timeline = block(rank).timeline;
    const CopyLanding* const landing = landing_of(recording_, event);
    const WarpLine* const line = timeline.line_of(recording_.events.warp[event]);
    return landing == nullptr || line == nullptr || landing->landed_order >= line->step_of_order.size()
               ? timeline.steps
               : line->step_of_order[landing->landed_order];
  }

  void fill(std::uint32_t rank) {
    std::ranges::stable_sort(uses_[rank], {},
                             [](const PartUse& use) { return std::pair(use.step, use.use); });
    for (const PartUse& use : uses_[rank]) {
      std::vector<PartFilling>& fillings = block(rank).fillings[use.part];
      PartFilling* const latest = fillings.empty() ? nullptr : &fillings.back();
      if (use.use == Use::read) {
        const auto there = std::find_if(fillings.rbegin(), fillings.rend(), [&](const PartFilling& filling) {
          return filling.complete <= use.step;
        });
        if (there == fillings.rend()) continue;
        if (!there->first_read) there->first_read = use.step;
        there->last_read = use.step;
      } else if (latest != nullptr && !latest->first_read && !latest->copy && !use.copy &&
                 latest->is_copy == (use.use == Use::copy)) {
        latest->complete = std::max(latest->complete, use.complete);
        latest->by |= 1u << use.from;
      } else {
        fillings.push_back({.begin = use.step,
                            .complete = use.complete,
                            .is_copy = use.use == Use::copy,
                            .by = 1u << use.from,
                            .copy = use.copy});
      }
    }
  }

  std::size_t array_at(std::uint32_t offset) const {
    const auto& arrays = recording_.shared_arrays;
    return static_cast<std::size_t>(std::ranges::find_if(arrays,
                                                         [&](const SharedArray& array) {
                                                           return offset >= array.offset &&
                                                                  offset - array.offset < array.bytes;
                                                         }) -
                                    arrays.begin());
  }

  void group_rows() {
    std::map<std::pair<std::optional<std::uint32_t>, std::size_t>, std::size_t> row_of;
    for (std::size_t part = 0; part < cluster_.parts.size(); ++part) {
      const auto mbarrier = mbarrier_of_.find(part);
      const std::pair key =
          mbarrier != mbarrier_of_.end()
              ? std::pair(std::optional(mbarrier->second), std::size_t{0})
              : std::pair(std::optional<std::uint32_t>(), array_at(cluster_.parts[part].offset));
      const auto [known, is_new] = row_of.try_emplace(key, cluster_.rows.size());
      if (is_new) cluster_.rows.push_back({.mbarrier = key.first, .parts = {}});
      cluster_.rows[known->second].parts.push_back(part);
    }
  }

  /// Copies are numbered over all stages, as the stages are filled; stores part by part.
  void number_fillings() {
    std::vector<std::tuple<std::uint32_t, std::size_t, std::size_t>> rounds;  // Step, row, round
    for (std::size_t row = 0; row < cluster_.rows.size(); ++row) {
      if (!cluster_.rows[row].mbarrier) continue;
      std::map<std::size_t, std::uint32_t> first;
      for_each_list(row, [&](std::vector<PartFilling>& fillings) {
        for (std::size_t round = 0; round < fillings.size(); ++round) {
          const auto [known, is_new] = first.try_emplace(round, fillings[round].begin);
          known->second = std::min(known->second, fillings[round].begin);
        }
      });
      for (const auto& [round, step] : first) rounds.emplace_back(step, row, round);
    }
    std::ranges::sort(rounds);
    std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> number_of;
    for (const auto& [step, row, round] : rounds)
      number_of[{row, round}] = static_cast<std::uint32_t>(number_of.size());
    for (std::size_t row = 0; row < cluster_.rows.size(); ++row) {
      for_each_list(row, [&](std::vector<PartFilling>& fillings) {
        for (std::size_t round = 0; round < fillings.size(); ++round) {
          const auto known = number_of.find({row, round});
          fillings[round].number =
              1 + (known == number_of.end() ? static_cast<std::uint32_t>(round) : known->second);
        }
      });
    }
  }
  template <class Visit>
  void for_each_list(std::size_t row, Visit visit) {
    for (ClusterBlock& of : cluster_.blocks) {
      for (const std::size_t part : cluster_.rows[row].parts) visit(of.fillings[part]);
    }
  }

  const Recording& recording_;
  ClusterBlocks cluster_;
  std::vector<const BlockDetails*> details_;  ///< By rank; null: not known
  SharedParts parts_;
  std::vector<std::vector<PartUse>> uses_;                                  ///< By rank
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> came_to_;  ///< Ranks, by block and copy
  std::map<std::size_t, std::uint32_t> mbarrier_of_;                        ///< By part
};

}  // namespace

const PartFilling* ClusterBlock::filling_at(std::size_t part, std::uint32_t step) const {
  const std::vector<PartFilling>& of = fillings[part];
  const auto after = std::ranges::upper_bound(of, step, {}, &PartFilling::begin);
  return after == of.begin() ? nullptr : &*std::prev(after);
}

PartState state_of(const PartFilling* filling, std::uint32_t step) {
  if (filling == nullptr || step < filling->begin) return PartState::empty;
  if (step < filling->complete) return filling->is_copy ? PartState::in_flight : PartState::being_stored;
  if (!filling->first_read || step < *filling->first_read) return PartState::complete;
  return step <= *filling->last_read ? PartState::being_read : PartState::was_read;
}

std::uint32_t ClusterBlocks::recorded() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(blocks, [](const ClusterBlock& block) { return block.event_block.has_value(); }));
}

bool has_clusters(const Recording& recording) {
  return recording.cluster.count() > 1 && divides_into(recording.grid, recording.cluster);
}

ClusterBlocks cluster_blocks(const Recording& recording, const BlockDetails& details) {
  return ClusterFinder(recording, details).take();
}

std::shared_ptr<const ClusterBlocks> ClusterKeeper::at(const Recording& recording,
                                                       const std::shared_ptr<const BlockDetails>& details) {
  const std::lock_guard lock(mutex_);
  if (!cluster_ || details_ != details)
    cluster_ = std::make_shared<const ClusterBlocks>(cluster_blocks(recording, *details));
  details_ = details;
  return cluster_;
}

}  // namespace warplens::analysis
