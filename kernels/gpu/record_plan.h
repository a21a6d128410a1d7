// Between an instrumented kernel and its recording: the tables that the recorder is given, and what its own
// tables say. Needs no GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/gpu/operand_accesses.h"
#include "kernels/gpu/recorder/recorder.h"
#include "kernels/ptx/instrument/instrument.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/outline.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

/// What the recorder's values stand for.
struct RecordPlan {
  std::vector<ptx::Segment> segments;
  std::vector<SegmentInfo> segment_infos;
  std::vector<ValueInfo> value_infos;
  std::vector<std::uint32_t> distance_roots;
  std::vector<VariableRegion> variables;
  std::uint32_t shared_variables = 0,
                local_variables = 0;    ///< Of them. Of a kernel that calls functions none are counted here
  std::vector<FunctionInfo> functions;  ///< Of such a kernel
  std::uint32_t called_shared_variables = 0;
  std::vector<std::uint32_t> entries, together;  ///< As in ptx::Instrumented
  std::vector<Region> regions;                   ///< Of global memory; whoever runs the kernel fills them in

  struct Value {
    std::uint32_t segment = 0;
    const ptx::AccessGroup* access = nullptr;  ///< Into `segments`; null for a guard or an operand
    const ptx::GuardGroup* guard = nullptr;
  };
  std::vector<Value> values;  ///< By the recorder's numbers
  struct Shifted {
    std::uint32_t root = 0;  ///< A value's number
    const ptx::AccessGroup* access = nullptr;
  };
  std::vector<Shifted> shifted;  ///< By the recorder's numbers of distances

  std::vector<const ptx::OperandGroup*> operands;  ///< Into `segments`, in the order of the code
  std::vector<OperandsInfo> operands_infos;

  RecordPlan(const replay::Program::Code& code, ptx::Instrumented& instrumented,
             const ptx::InstrumentOptions& options, std::uint32_t dynamic_shared_bytes);
  RecordPlan(const RecordPlan&) = delete;  // Values point into it
  RecordPlan& operator=(const RecordPlan&) = delete;

 private:
  void add_operands(std::uint32_t segment, const ptx::OperandGroup& group, ptx::RecordMode mode);
  void place_variables_of_functions(const replay::Program::Code& code, const ptx::Instrumented& instrumented);
};

/// Returns how the recorder takes the address of a group of accesses.
[[nodiscard]] ValueKind value_kind_of(const ptx::AccessGroup& group);

[[nodiscard]] ValueKind value_kind_of(const ptx::RecordedOperand& operand);

/// The recorder's tables after a run in totals mode.
struct RunTables {
  std::span<const ShapeSlot> shapes;
  std::span<const RunSlot> runs;
  std::span<const std::uint64_t> counts;   ///< By slot of `runs`, in as many copies as there are
  std::span<const Executions> executions;  ///< By segment, likewise
  std::span<const std::int64_t> distances;
  std::span<const OperandsSlot> operands;
};
/// Fills in what they say: totals, phases, instructions. Errors: a bulk copy of a tensor map that is not
/// where its address says.
[[nodiscard]] Result<Done> add_totals(const RecordPlan& plan, const replay::Program::Code& code,
                                      const replay::Options& options, const OperandAccesses& operand_accesses,
                                      const RunTables& tables, Recording& recording);

/// .. and in events mode. Warps are numbered through the blocks of Recording::event_blocks.
struct EventTables {
  std::span<const std::byte> log;
  std::span<const std::uint64_t> begin, used;  ///< By warp: its part of the log, in bytes
  std::span<const std::int64_t> distances;
  std::span<const std::uint32_t> variable_addresses;
};
/// Appends them. Errors: more than Options::max_events; those of add_totals.
[[nodiscard]] Result<Done> add_events(const RecordPlan& plan, const replay::Program::Code& code,
                                      const replay::Options& options, const OperandAccesses& operand_accesses,
                                      const EventTables& tables, Recording& recording);

}  // namespace warplens::gpu
