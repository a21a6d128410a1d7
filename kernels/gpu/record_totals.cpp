// Reads the tables of totals mode, which the recorder filled on the GPU, into a recording.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>

#include "kernels/gpu/record_plan.h"
#include "kernels/gpu/recorded_sites.h"
#include "kernels/ptx/instrument/edge_counts.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/patterns.h"

namespace warplens::gpu {
namespace {

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

  /// Returns false if the accesses do not follow from the values.
  bool add_operands(const OperandsSlot& slot, const OperandAccesses& operand_accesses) {
    const ptx::OperandGroup& group = *plan_.operands[~slot.number];
    std::vector<std::uint64_t> values;
    for (std::size_t k = 0; k < group.operands.size(); ++k) values.push_back(~slot.values[k]);
    const std::optional<std::vector<OperandAccess>> accesses = operand_accesses.of(group, values, ~slot.warp);
    if (!accesses) return false;
    const std::uint32_t first = first_site(sites_, group.instruction);
    for (const OperandAccess& access : *accesses) {
      const std::uint32_t site = first + access.site;
      const Shape shape = shape_of(access);
      const auto alignment = static_cast<std::uint32_t>(base_of(access) % kPatternAlignment);
      patterns_.add({{site, access.mask, alignment, &shape, hash_of(shape), slot.count}});
      add_to_phase(~slot.phase, replay::column_of(sites_[site], sites_), slot.count);
    }
    return true;
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

}  // namespace

Result<Done> add_totals(const RecordPlan& plan, const replay::Program::Code& code,
                        const replay::Options& options, const OperandAccesses& operand_accesses,
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
  for (const OperandsSlot& slot : tables.operands) {
    if (slot.state == kSlotReady && !reader.add_operands(slot, operand_accesses)) return no_map_error(code);
  }
  reader.finish();
  return Done{};
}

}  // namespace warplens::gpu
