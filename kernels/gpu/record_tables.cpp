// Reads the tables that the recorder filled on the GPU into a recording: totals, and events.
#include "kernels/gpu/record_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/gpu/log_order.h"
#include "kernels/ptx/instrument/edge_counts.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/patterns.h"

namespace warplens::gpu {
namespace {

std::uint32_t first_site(const std::vector<Site>& sites, std::uint32_t instruction) {
  const auto found = std::lower_bound(sites.begin(), sites.end(), instruction,
                                      [](const Site& site, std::uint32_t i) { return site.instruction < i; });
  return static_cast<std::uint32_t>(found - sites.begin());
}

/// A generic access has one site for each space, in the order of Space; a copy one in global and one in
/// shared memory.
std::uint32_t site_of(const std::vector<Site>& sites, const ptx::AccessGroup& group,
                      std::uint32_t instruction, std::uint32_t space) {
  std::uint32_t site = first_site(sites, instruction);
  if (group.space == ptx::StateSpace::generic) return site + space;
  const bool is_second = sites[site].op == AccessOp::cp_async && group.space == ptx::StateSpace::shared;
  return site + (is_second ? 1 : 0);
}

Shape shape_of(const ShapeSlot& slot) {
  Shape shape{};
  for (std::size_t lane = 0; lane < shape.size(); ++lane) {
    if ((slot.mask >> lane & 1) != 0) shape[lane] = ~slot.offsets[lane];
  }
  return shape;
}

/// A series as it was, and how often; and of its runs, one.
struct CountedRun : RunSlot {
  std::uint64_t count = 0;
};

RunSlot inverted(RunSlot slot) {
  for (std::uint32_t* const number :
       {&slot.value, &slot.shape, &slot.start, &slot.step, &slot.executions, &slot.first_phase,
        &slot.phase_step, &slot.runs, &slot.series_step, &slot.series_phase_step}) {
    *number = ~*number;
  }
  return slot;
}

/// Adds up what runs say, and hands it to the recording.
class TotalsReader {
 public:
  TotalsReader(const RecordPlan& plan, const replay::Program::Code& code, const replay::Options& options,
               const RunTables& tables, Recording& recording)
      : plan_(plan),
        code_(code),
        sites_(recording.sites),
        shapes_(tables.shapes),
        distances_(tables.distances),
        recording_(recording),
        patterns_(recording.sites, options),
        phases_(1),
        together_(plan.together),
        block_threads_(code.flow.blocks.size()),
        measured_(code.flow.blocks.size()),
        shifted_(plan.values.size()) {
    for (std::uint32_t d = 0; d < plan.shifted.size(); ++d) shifted_[plan.shifted[d].root].push_back(d);
  }

  void add_series(const CountedRun& series) {
    CountedRun run = series;
    for (std::uint32_t r = 0; r < series.runs; ++r) {
      add(run);
      run.start = moved(run.start, series.series_step);
      run.first_phase += series.series_phase_step;
    }
  }

  /// Adds the executions that a segment counts, for its block and for those that are executed with it.
  void add_executions(const ptx::Segment& segment, const Executions& executions) {
    if (segment.repeats_call) {
      recording_.warp_instructions += executions.warps;
      return;
    }
    const auto together = [&](std::uint32_t block) { return together_[block] == together_[segment.block]; };
    for (std::uint32_t b = 0; b < code_.flow.blocks.size(); ++b) {
      if (!together(b)) continue;
      recording_.warp_instructions +=
          executions.warps * (code_.flow.blocks[b].end - code_.flow.blocks[b].first);
      block_threads_[b] += executions.threads;
      for (TensorTotals& totals : recording_.tensor) {
        const bool is_in =
            totals.instruction >= code_.flow.blocks[b].first && totals.instruction < code_.flow.blocks[b].end;
        if (is_in) totals.instructions += executions.warps;
      }
    }
    for (const ptx::Segment& other : plan_.segments) {
      if (together(other.block)) recording_.thread_instructions += executions.threads * other.unguarded;
    }
  }

  void finish() {
    add_branches();
    report_patterns();
    patterns_.finish(recording_);
    replay::set_phases(recording_, phases_);
  }

 private:
  void add(const CountedRun& run) {
    const RecordPlan::Value& value = plan_.values[run.value];
    if (value.guard != nullptr) return add_guarded(run, plan_.segments[value.segment], *value.guard);
    add_accesses(run, *value.access);
    for (const std::uint32_t d : shifted_[run.value]) {
      CountedRun other = run;
      other.value = static_cast<std::uint32_t>(plan_.values.size()) + d;
      other.start = moved(run.start, static_cast<std::uint32_t>(distances_[d]));
      add_accesses(other, *plan_.shifted[d].access);
    }
  }

  using Alignments = std::array<std::uint64_t, kPatternAlignment>;  ///< Executions by the alignment of the
                                                                    ///< lowest lane's value
  struct PatternKey {
    std::uint32_t value;  ///< Or behind the values, a shifted group
    std::uint32_t shape, space;
    auto operator<=>(const PatternKey&) const =
        default;  // NOLINT(modernize-use-nullptr): misread by clang-tidy 14
  };

  /// RunSlot::start of an address further on.
  static std::uint32_t moved(std::uint32_t start, std::uint32_t way) {
    return (start & ~(kPatternAlignment - 1)) | ((start + way) & (kPatternAlignment - 1));
  }
  static std::uint64_t times(const CountedRun& run) { return run.count * run.executions; }
  static std::uint64_t lanes(std::uint32_t mask) { return static_cast<std::uint64_t>(std::popcount(mask)); }

  void add_guarded(const CountedRun& run, const ptx::Segment& segment, const ptx::GuardGroup& guard) {
    const std::uint64_t threads = times(run) * lanes(run.shape);
    recording_.thread_instructions += threads * guard.instructions.size();
    if (guard.instructions.back() + 1 == code_.flow.blocks[segment.block].end)
      measured_[segment.block] += threads;
  }

  /// Guarded branches that were not measured follow from the rest.
  void add_branches() {
    const std::vector<std::uint64_t> taken =
        ptx::takers(code_.function, code_.flow, block_threads_, measured_, plan_.entries);
    const std::vector<std::uint32_t> measured =
        ptx::blocks_to_measure(code_.function, code_.flow, plan_.entries);
    for (std::uint32_t b = 0; b < taken.size(); ++b) {
      if (!std::binary_search(measured.begin(), measured.end(), b))
        recording_.thread_instructions += taken[b];
    }
  }

  void add_accesses(const CountedRun& run, const ptx::AccessGroup& access) {
    const std::uint32_t space = run.start >> 8 & 3, mask = shapes_[run.shape].mask;
    const bool counts_threads =
        access.guard.kind == ptx::Operand::Kind::reg && !access.is_of_texels() && !access.is_partial;
    if (counts_threads) recording_.thread_instructions += times(run) * access.members.size() * lanes(mask);

    Alignments& alignments = alignments_[{run.value, run.shape, space}];
    const std::uint32_t period = kPatternAlignment / std::gcd(kPatternAlignment, run.step);
    for (std::uint32_t j = 0; j < std::min(period, run.executions); ++j) {
      const std::uint64_t executions = (run.executions - j + period - 1) / period;
      alignments[(run.start + j * run.step) % kPatternAlignment] += run.count * executions;
    }

    const bool in_last_warp = (run.start & kLastWarp) != 0;
    const std::uint64_t threads = in_last_warp ? recording_.block.count() % kWarpSize : kWarpSize;
    const std::uint64_t launched = std::min<std::uint64_t>(threads, access.lanes);
    for (const ptx::AccessGroup::Member& member : access.members) {
      const std::uint32_t site = site_of(sites_, access, member.instruction, space);
      if (lanes(mask) < launched) patterns_.add_divergent(site, times(run));
      add_to_phases(run, replay::column_of(sites_[site], sites_));
    }
  }

  void add_to_phases(const CountedRun& run, replay::PhaseColumn column) {
    if (run.phase_step == 0) return add_to_phase(run.first_phase, column, times(run));
    for (std::uint32_t j = 0; j < run.executions; ++j)
      add_to_phase(run.first_phase + std::uint64_t{j} * run.phase_step, column, run.count);
  }
  void add_to_phase(std::uint64_t phase, replay::PhaseColumn column, std::uint64_t requests) {
    const auto index = static_cast<std::size_t>(std::min<std::uint64_t>(phase, replay::kMaxPhases - 1));
    if (phases_.size() <= index) phases_.resize(index + 1);
    phases_[index][column] += requests;
  }

  void report_patterns() {
    for (const auto& [key, alignments] : alignments_) {
      const Shape shape = shape_of(shapes_[key.shape]);
      const std::uint64_t hash = hash_of(shape);
      const bool is_value = key.value < plan_.values.size();
      const ptx::AccessGroup& access =
          is_value ? *plan_.values[key.value].access : *plan_.shifted[key.value - plan_.values.size()].access;
      for (const ptx::AccessGroup::Member& member : access.members) {
        std::vector<replay::PatternTotals::Count> counts;
        for (std::uint32_t a = 0; a < kPatternAlignment; ++a) {
          if (alignments[a] == 0) continue;
          const auto alignment =
              static_cast<std::uint32_t>((a + static_cast<std::uint64_t>(member.offset)) % kPatternAlignment);
          const std::uint32_t site = site_of(sites_, access, member.instruction, key.space);
          counts.push_back({site, shapes_[key.shape].mask, alignment, &shape, hash, alignments[a]});
        }
        patterns_.add(counts);
      }
    }
  }

  const RecordPlan& plan_;
  const replay::Program::Code& code_;
  const std::vector<Site>& sites_;
  std::span<const ShapeSlot> shapes_;
  std::span<const std::int64_t> distances_;
  Recording& recording_;
  replay::PatternTotals patterns_;
  std::vector<replay::PhaseRow> phases_;
  std::map<PatternKey, Alignments> alignments_;
  std::vector<std::uint32_t> together_;  ///< By basic block: the first of those that are executed together
  std::vector<std::uint64_t> block_threads_,
      measured_;  ///< By basic block: threads that executed it, that its last guard let through
  std::vector<std::vector<std::uint32_t>> shifted_;  ///< By value: the shifted groups that it is the root of
};

/// Accesses of a segment in the order of the code.
struct OrderedAccess {
  std::uint32_t instruction = 0;
  std::uint32_t value = 0;  ///< Within the segment: access groups, then shifted ones
  const ptx::AccessGroup* access = nullptr;
  std::int64_t offset = 0;
};

std::vector<OrderedAccess> accesses_in_order(const ptx::Segment& segment) {
  std::vector<OrderedAccess> accesses;
  for (std::uint32_t g = 0; g < segment.accesses.size(); ++g) {
    for (const auto& member : segment.accesses[g].members)
      accesses.push_back({member.instruction, g, &segment.accesses[g], member.offset});
  }
  for (std::uint32_t d = 0; d < segment.shifted.size(); ++d) {
    const auto value = static_cast<std::uint32_t>(segment.accesses.size()) + d;
    for (const auto& member : segment.shifted[d].members)
      accesses.push_back({member.instruction, value, &segment.shifted[d], member.offset});
  }
  std::stable_sort(accesses.begin(), accesses.end(), [](const OrderedAccess& a, const OrderedAccess& b) {
    const auto place = [](const OrderedAccess& one) {  // A copy reads global memory before it writes
      return std::pair(one.instruction, one.access->space != ptx::StateSpace::global);
    };
    return place(a) < place(b);
  });
  return accesses;
}

class EventReader {
 public:
  EventReader(const RecordPlan& plan, const replay::Program::Code& code, const EventTables& tables,
              Recording& recording)
      : plan_(plan),
        sites_(code.sites),
        distances_(tables.distances),
        variable_addresses_(tables.variable_addresses),
        recording_(recording) {
    for (const ptx::Segment& segment : plan.segments) accesses_.push_back(accesses_in_order(segment));
    for (const ptx::Segment& segment : plan.segments) {
      std::vector<ValueKind>& kinds = values_.emplace_back();
      for (const ptx::AccessGroup& group : segment.accesses) kinds.push_back(value_kind_of(group));
    }
    for (const Shape& shape : recording.shapes)
      static_cast<void>(shapes_.intern(shape));  // Those of the totals stay where they are
  }

  void read_warp(std::uint32_t block, std::uint32_t warp, std::span<const std::byte> log) {
    std::uint32_t order = 0;
    for (const Execution& execution : executions_in(log)) {
      const ptx::EventHeader& header = execution.header;
      lanes_.resize(values_[header.segment].size() * kWarpSize);
      std::memcpy(lanes_.data(), log.data() + execution.at, lanes_.size() * sizeof lanes_[0]);
      place(header);
      add_shifted(header);
      for (const OrderedAccess& access : accesses_[header.segment]) add(block, warp, order, header, access);
    }
  }

  void finish() { recording_.shapes = shapes_.take(); }
  [[nodiscard]] bool met_damage() const { return damaged_; }

 private:
  static constexpr int kSpaceShift = 62;

  struct Execution {
    ptx::EventHeader header;
    std::size_t at = 0;  ///< Its addresses in the log
  };

  /// Returns the executions in the replay's order.
  std::vector<Execution> executions_in(std::span<const std::byte> log) {
    std::vector<Execution> executions;
    std::vector<LogEntry> entries;
    bool parted = false;
    for (std::size_t at = 0; at < log.size();) {
      if (sizeof(ptx::EventHeader) > log.size() - at) return damaged();
      ptx::EventHeader header{};
      std::memcpy(&header, log.data() + at, sizeof header);
      at += sizeof header;
      if (header.segment != ptx::kParting && header.segment >= values_.size()) return damaged();
      const std::size_t bytes = header.segment == ptx::kParting
                                    ? sizeof(LogEntry::together)
                                    : values_[header.segment].size() * kWarpSize * sizeof lanes_[0];
      if (bytes > log.size() - at) return damaged();
      LogEntry entry{.mask = header.mask, .parting = header.segment == ptx::kParting, .taken = header.taken};
      entry.calls = entry.parting && header.phase == ptx::kPartForCalls;
      if (entry.parting && header.phase == ptx::kPartBeforeJoin) entry.taken = header.mask & ~header.taken;
      if (entry.parting && header.phase == ptx::kMeet) entry.awaited = header.taken;
      if (entry.parting) std::memcpy(entry.together.data(), log.data() + at, sizeof entry.together);
      executions.push_back({header, at});
      at += bytes;
      parted = parted || entry.parting;
      entries.push_back(entry);
    }
    if (!parted) return executions;
    std::vector<Execution> ordered;
    for (const std::uint32_t e : replay_order(entries)) ordered.push_back(executions[e]);
    return ordered;
  }

  std::vector<Execution> damaged() {
    damaged_ = true;
    return {};
  }

  void place(const ptx::EventHeader& header) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if ((header.mask >> i % kWarpSize & 1) != 0 && lanes_[i] != ptx::kNoLane)
        lanes_[i] = placed(values_[header.segment][i / kWarpSize], lanes_[i]);
    }
  }
  /// Returns the address as recordings have it, with its space.
  [[nodiscard]] std::uint64_t placed(ValueKind kind, std::uint64_t address) const {
    const std::size_t shared = plan_.shared_variables, all = plan_.variables.size();
    switch (kind) {
      case ValueKind::global: return placed(plan_.regions, address);
      case ValueKind::shared:
        return placed_in_variable(0, shared, address, shared_offset(address)) | std::uint64_t{1}
                                                                                    << kSpaceShift;
      case ValueKind::local:
        return placed_in_variable(shared, all, address, address) | std::uint64_t{2} << kSpaceShift;
      default: return address;
    }
  }
  [[nodiscard]] static std::uint64_t placed(std::span<const Region> regions, std::uint64_t address) {
    for (const Region& region : regions) {
      if (address - region.from < region.bytes) return address - region.from + region.to;
    }
    return address;
  }
  [[nodiscard]] std::uint32_t shared_offset(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address) - recording_.shared_base;
  }
  [[nodiscard]] std::uint64_t placed_in_variable(std::size_t first, std::size_t end, std::uint64_t address,
                                                 std::uint64_t elsewhere) const {
    for (std::size_t v = first; v < end; ++v) {
      const std::uint64_t from = variable_addresses_[v];
      if (address - from < plan_.variables[v].bytes) return address - from + plan_.variables[v].to;
    }
    return elsewhere;
  }

  void add_shifted(const ptx::EventHeader& header) {
    const std::vector<ptx::AccessGroup>& shifted = plan_.segments[header.segment].shifted;
    for (std::size_t d = 0; d < shifted.size(); ++d) {
      const std::int64_t distance = distances_[plan_.segment_infos[header.segment].first_distance + d];
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t root = lanes_[std::size_t{*shifted[d].root} * kWarpSize + lane];
        lanes_.push_back(root == ptx::kNoLane ? root : root + static_cast<std::uint64_t>(distance));
      }
    }
  }

  void add(std::uint32_t block, std::uint32_t warp, std::uint32_t& order, const ptx::EventHeader& header,
           const OrderedAccess& access) {
    const std::uint64_t* const lanes = lanes_.data() + std::size_t{access.value} * kWarpSize;
    std::array<std::uint32_t, 3> masks{};  // By space
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((header.mask >> lane & 1) != 0 && lanes[lane] != ptx::kNoLane)
        masks[lanes[lane] >> kSpaceShift] |= 1u << lane;
    }
    for (std::uint32_t space = 0; space < masks.size(); ++space) {
      if (masks[space] == 0) continue;
      const auto leader = static_cast<std::size_t>(std::countr_zero(masks[space]));
      Shape shape{};
      for (std::size_t lane = leader; lane < shape.size(); ++lane) {
        if ((masks[space] >> lane & 1) != 0)
          shape[lane] = static_cast<std::int64_t>(lanes[lane] - lanes[leader]);
      }
      EventColumns& events = recording_.events;
      events.site.push_back(site_of(sites_, *access.access, access.instruction, space));
      events.block.push_back(block);
      events.warp.push_back(warp);
      events.phase.push_back(std::min(header.phase, replay::kMaxPhases - 1));
      events.order.push_back(order++);
      events.mask.push_back(masks[space]);
      events.base.push_back((lanes[leader] & ~(std::uint64_t{3} << kSpaceShift)) +
                            static_cast<std::uint64_t>(access.offset));
      events.shape.push_back(shapes_.intern(shape));
    }
  }

  const RecordPlan& plan_;
  const std::vector<Site>& sites_;
  std::span<const std::int64_t> distances_;
  std::span<const std::uint32_t> variable_addresses_;
  Recording& recording_;
  std::vector<std::vector<OrderedAccess>> accesses_;  ///< By segment
  std::vector<std::vector<ValueKind>> values_;        ///< By segment, by value
  std::vector<std::uint64_t> lanes_;
  ShapeTable shapes_;
  bool damaged_ = false;
};

}  // namespace

void add_totals(const RecordPlan& plan, const replay::Program::Code& code, const replay::Options& options,
                const RunTables& tables, Recording& recording) {
  TotalsReader reader(plan, code, options, tables, recording);
  for (std::size_t e = 0; e < tables.executions.size(); ++e) {
    const ptx::Segment& segment = plan.segments[e % plan.segments.size()];
    if (segment.counts_block) reader.add_executions(segment, tables.executions[e]);
  }
  for (std::size_t slot = 0; slot < tables.runs.size(); ++slot) {
    if (tables.runs[slot].state != kSlotReady) continue;
    std::uint64_t count = 0;
    for (std::size_t copy = slot; copy < tables.counts.size(); copy += tables.runs.size())
      count += tables.counts[copy];
    reader.add_series({inverted(tables.runs[slot]), count});
  }
  reader.finish();
}

Result<Done> add_events(const RecordPlan& plan, const replay::Program::Code& code,
                        const replay::Options& options, const EventTables& tables, Recording& recording) {
  EventReader reader(plan, code, tables, recording);
  const std::uint32_t warps = recording.warps_per_block();
  for (std::size_t w = 0; w < tables.used.size(); ++w) {
    reader.read_warp(static_cast<std::uint32_t>(w / warps), static_cast<std::uint32_t>(w % warps),
                     tables.log.subspan(tables.begin[w], tables.used[w]));
    if (reader.met_damage())
      return Error{tr("the GPU's log of the accesses is inconsistent"), code.function.plain_name,
                   tr("Record on the CPU.")};
    if (recording.events.size() > options.max_events) return replay::too_many_events(code, options);
  }
  reader.finish();
  return Done{};
}

}  // namespace warplens::gpu
