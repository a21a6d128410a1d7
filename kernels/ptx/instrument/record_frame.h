// What instrumented code and the recorder that it calls agree on: a frame in each thread's local memory.
// Plain enough for device code.
//
//   frame --+-- RecordFrameHeader
//           +-- addresses of the shared variables, then of the local ones: 4 bytes each, in the order of the
//           function's variables
//           +-- if it accesses texels, RecordTexels
//           +-- in totals mode, if it has an OperandGroup, RecordOperands
//           +-- a RecordCount for each segment that the code counts itself (Instrumented::counted)
//           +-- states, one for each other segment in a loop, and one that those outside of loops share:
//                 RecordState, then a RecordValue for each guard group and access group of the segment, then
//                 8 bytes for each shifted group: its distance from its root
#pragma once

#include <cstdint>

namespace warplens::ptx {

struct RecordFrameHeader {
  std::uint64_t log_at;  ///< In and out: the address where the warp goes on in its log, or kLogUnknown: parts
                         ///< of the warp ask the recorder
  std::uint64_t log_begin, log_end;  ///< Out of warplens_begin
  std::uint64_t
      log_used;  ///< Out of warplens_begin: address of the number of bytes that the warp's log takes
  std::uint32_t all_lanes;   ///< Out of warplens_begin: lanes that the warp was launched with
  std::uint32_t phase;       ///< In and out: the recorder gives all lanes the highest of theirs
  std::uint32_t event_warp;  ///< Out of warplens_begin: the number of this warp among those whose events are
                             ///< kept, or kNoEventWarp
  std::uint32_t block[3];    ///< Out of warplens_begin: what the code takes for %ctaid
  std::uint32_t grid[3];     ///< .. and for %nctaid

  // Of kernels that call functions. Each call has a frame of its own, which begins as a copy of its caller's.
  std::uint32_t called_mask;  ///< In: those that go together into the function that is called next
  std::uint32_t function;     ///< Number of the function; 0: the kernel
  std::uint32_t
      local_base;  ///< Where recordings have the variables of this call, if it may be one of several ..
  std::uint32_t local_top;  ///< .. and those of the next such call
  std::uint64_t caller;     ///< In: the caller's frame; 0: the kernel itself
  std::uint64_t calling;    ///< Of the kernel's frame, in: the frame of who calls next
};
// An execution in the log of events: these 16 bytes, then for each of its access groups, and of the operands
// of its operand groups, 32 times 8: by lane RecordValue::now, of generic addresses the place in recordings |
// space << 62. Or, with kParting for the segment, lanes that part at a branch: then for each of 32 lanes, in
// 4 bytes, the mask of those that go its way; instead of the phase a PartingKind.
struct EventHeader {
  std::uint32_t segment, mask, phase;
  std::uint32_t taken;  ///< Of a parting: who takes the branch; 0 for one with many targets, for a call by
                        ///< address: who calls, of a meeting: who was awaited
};
inline constexpr std::uint32_t kParting = 0xffffffffu;
enum PartingKind : std::uint32_t {
  kPartAtBranch,    ///< Those that take it come first
  kPartBeforeJoin,  ///< It leads to where they meet again: the others come first, who may leave before
  kPartForCalls,    ///< By address: whoever calls with the lowest lane comes first
  kMeet,            ///< No parting: here those meet that had parted, and some have left
};

inline constexpr std::uint32_t kNoEventWarp = 0xffffffffu;
inline constexpr std::uint64_t kLogUnknown = 0xffffffffffffffffu;

/// What a tex, tld4, suld or sust is given, and what warplens_texels makes of it.
struct RecordTexels {
  std::uint32_t coordinates[4];  ///< As the instruction has them: of layered ones the layer first
  std::uint64_t addresses[8];  ///< Out: of the texels, as recordings have them, each once; kNoLane behind the
                               ///< last one, up to TexelSite::texels
};

inline constexpr std::uint32_t kMaxRecordedOperands = 12;
/// What stands for the address of a byte of a parameter: less than any generic address.
constexpr std::uint64_t parameter_place(std::uint32_t parameter, std::uint32_t byte) {
  return std::uint64_t{parameter} << 16 | byte;
}
constexpr bool is_parameter_place(std::uint64_t address) {
  return address >> 32 == 0;
}
constexpr std::uint32_t parameter_of(std::uint64_t place) {
  return static_cast<std::uint32_t>(place >> 16);
}
constexpr std::uint32_t byte_of(std::uint64_t place) {
  return static_cast<std::uint32_t>(place & 0xffff);
}
/// What the operands of an OperandGroup hold, for warplens_operands: kNoLane for the first of them in lanes
/// that the guard leaves out. An address in the kernel's parameters is a parameter_place().
struct RecordOperands {
  std::uint64_t values[kMaxRecordedOperands];
};

/// Executions of a segment by this lane, and in `warps` those in which it was the lowest that took part.
struct RecordCount {
  std::uint32_t warps, threads;
};

/// A run: executions of a segment by the same lanes, in which every value and the phase grow by the same
/// steps from one execution to the next. The code itself keeps these fields in registers, and notices by
/// comparing that an execution continues the run; only where one does not is the recorder called. It knows
/// series of runs: as many executions each, by the same steps, their first values and phases again by equal
/// steps.
struct RecordState {
  std::uint32_t mask;        ///< Lanes; 0: no run yet
  std::uint32_t executions;  ///< Of the run, so far
  std::uint32_t next_phase;  ///< Of the next execution, if it continues the run
  std::uint32_t phase_step;
  std::uint32_t first_phase;        ///< The recorder's own from here on
  std::uint32_t runs;               ///< Of the series, before this one
  std::uint32_t series_executions;  ///< Of each of those
  std::uint32_t series_phase_step;  ///< From the first phase of one to that of the next
};

struct RecordValue {
  std::uint64_t
      now;  ///< Of this execution; kNoLane in lanes that the guard leaves out. 32-bit values: zero-extended
  std::uint64_t next;  ///< Of the next execution, if it continues the run. Of a value that follows from
                       ///< another (AccessGroup::root): how far it is off
  std::int64_t step;
  std::int64_t series_step;  ///< The recorder's own from here on: from the first value of a run of the series
                             ///< to that of the next
  std::int64_t way;          ///< .. and from the first value of this run to `now`
  std::uint32_t shape;       ///< Number of the lanes' shape, or for guards their mask
  std::uint32_t
      start;  ///< Alignment of the run's first address | space << 8 | 1 << 16 in the lowest active lane
};

inline constexpr std::uint64_t kNoLane = 0xffffffffffffffffu;
inline constexpr std::uint32_t kNoLane32 = 0xffffffffu;

}  // namespace warplens::ptx
