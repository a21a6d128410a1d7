// What the host and the recorder on the device agree on. Plain enough for device code.
#pragma once

#include <cstdint>

#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/replay/texels.h"

namespace warplens::gpu {

/// Half-open [from, from + bytes) of addresses as the GPU has them, and where recordings have them.
struct Region {
  std::uint64_t from, bytes, to;
};

/// Where a shared or local variable is placed; `from` is in the frame (record_frame.h).
struct VariableRegion {
  std::uint64_t bytes, to;
};

enum class ValueKind : std::uint32_t {
  guard,
  global,
  shared,
  local,
  generic,
  texel,
  number,  ///< Of an operand: as it is
  map      ///< Of an address of a tensor map: of one in the parameters a parameter_place()
};

/// Which of Recorder::variables belong to a function, in a kernel that calls functions.
struct FunctionInfo {
  std::uint32_t first_shared, shared, first_local, local;
  std::uint32_t call_bytes;  ///< Of local memory as recordings have it: what each call takes, if it may be
                             ///< called while it runs; else 0
};

struct SegmentInfo {
  std::uint32_t first_value, values;        ///< Into Recorder::values
  std::uint32_t first_distance, distances;  ///< Into Recorder::distances
  std::uint32_t counts_block;               ///< Whether its executions are counted
};

/// What of a value tells its run: all of it, or its lower 32 bits, where the upper ones are those of
/// Recorder::window, or none.
enum class Compared : std::uint32_t { whole, in_window, narrow };

struct ValueInfo {
  ValueKind kind;
  Compared compared;
  std::uint32_t root;  ///< Within the segment: the value that it goes on with (AccessGroup::root), or itself
};

// Slots are read while others write them: what is not written yet, 0, must not be what is looked for. So
// numbers that may be 0 are kept inverted.

/// One shape: of `mask` lanes, their distances from the lowest one's address. Slots of a hash table that only
/// grows.
struct ShapeSlot {
  std::uint32_t state;  ///< A SlotState
  std::uint32_t mask;
  std::int64_t offsets[32];  ///< Inverted
};
/// Of an instruction with an OperandGroup.
struct OperandsInfo {
  std::uint32_t operands, is_of_warp;
  ValueKind kinds[ptx::kMaxRecordedOperands];
};

/// Values that the operands of one instruction had, and how often. Slots of a hash table that only grows. All
/// but the state and the count inverted.
struct OperandsSlot {
  std::uint32_t state;   ///< A SlotState
  std::uint32_t number;  ///< Of the OperandsInfo
  std::uint32_t phase;
  std::uint32_t warp;  ///< Of those that are of a warp: its place in the warpgroup; else 0
  std::uint64_t values[ptx::kMaxRecordedOperands];  ///< Addresses as recordings have them
  unsigned long long count;
};

enum Trouble : std::uint32_t { kNoRoom = 1, kInTurn = 2 };
enum SlotState : std::uint32_t { kSlotFree, kSlotBeingWritten, kSlotReady };

/// What series of runs (record_frame.h) have in common that differ in nothing but place. Slots of a hash
/// table that only grows. All but the state inverted.
struct RunSlot {
  std::uint32_t state;
  std::uint32_t value;  ///< Its number
  std::uint32_t shape;  ///< Number of the slot in Recorder::shapes; of guards the mask itself
  std::uint32_t start;  ///< Of the lowest lane's first address: alignment (modulo 256) | space << 8.
                        ///< kLastWarp: of a warp with fewer threads than lanes
  std::uint32_t step;   ///< Of the alignment (modulo 256)
  std::uint32_t executions;
  std::uint32_t first_phase, phase_step;
  std::uint32_t runs;         ///< At least 1
  std::uint32_t series_step;  ///< Of the alignment (modulo 256), from one run to the next
  std::uint32_t series_phase_step;
};
inline constexpr std::uint32_t kWarpsOfWarpgroup = 4;
/// Returns the bits of an address in shared memory that are not the rank of the block in its cluster, where
/// there are clusters (measured on an H200).
constexpr std::uint32_t shared_address_bits(bool has_clusters) {
  return has_clusters ? 0xffffffu : 0xffffffffu;
}
inline constexpr std::uint32_t kLastWarp = 1u << 17;
inline constexpr std::uint32_t kNoAddress = 0xffffffffu;

/// How often a segment was executed.
struct Executions {
  unsigned long long warps, threads;
};

/// The recorder's state, in its constant memory as `warplens_recorder`. Pointers are device addresses.
struct Recorder {
  const SegmentInfo* segments;
  const ValueInfo* values;
  const Region* regions;
  std::uint64_t window;             ///< Upper 32 bits of all addresses in global memory, if they are the same
  const VariableRegion* variables;  ///< Shared ones, then local ones
  std::uint32_t region_count, shared_variables, local_variables;
  std::uint32_t shared_address_bits;  ///< Those that are not the rank of a block in its cluster
  std::uint32_t
      shared_base;  ///< Where shared memory begins: from there its offsets count that are in no variable

  const std::uint32_t* distance_roots;  ///< Of the shifted groups: their roots, as values of the segment
  std::int64_t* distances;              ///< .. and how far they are from them, as recordings have addresses
  std::uint32_t* distances_known;       ///< By segment: not 0 once they are

  const std::uint32_t* counted;  ///< Instrumented::counted
  Executions* executions;        ///< By segment, in `count_copies` copies
  std::uint32_t segment_count;
  ShapeSlot* shapes;
  RunSlot* runs;
  unsigned long long* counts;  ///< Of equal series, by slot, in `count_copies` copies: multiprocessors would
                               ///< wait for each other at one
  std::uint32_t shape_slots, run_slots;  ///< Powers of two
  std::uint32_t count_copies;
  std::uint32_t*
      full;  ///< kNoRoom where a table had none; kInTurn where phases depend on which lanes went first

  const replay::TexelSite* texels;  ///< Of each tex, tld4, suld and sust, in the order of the code

  const OperandsInfo* operands;  ///< Of each OperandGroup, in the order of the code
  OperandsSlot* operand_values;
  std::uint32_t operand_slots;  ///< A power of two

  // Blocks: of a grid that is a line of chosen ones, where each lies in the kernel's own grid.
  const std::uint32_t* chosen_blocks;  ///< Linear; null: the grid is the kernel's own
  std::uint32_t grid[3];

  // Events: of a warp with number w bytes [log_begin[w], log_begin[w + 1]) of the log.
  const std::uint32_t*
      event_block;  ///< By linear block: 1 + its number among those whose events are kept, or 0
  unsigned char* log;
  const unsigned long long* log_begin;
  std::uint32_t* variable_addresses;  ///< Out: of the shared and local variables, as the frame has them
  unsigned long long* log_used;       ///< What there was to write, whether or not there was room

  // Of kernels that call functions. Their shared and local variables are in `variables`, but not counted by
  // those numbers; where shared ones lie is in `variable_addresses` once their function has been called,
  // until then kNoAddress.
  const FunctionInfo* functions;  ///< Null: nothing is called
  std::uint32_t called_shared_variables;
  std::uint32_t calls_base;  ///< Where recordings have the local variables of functions that may be called
                             ///< while they run
};

}  // namespace warplens::gpu
