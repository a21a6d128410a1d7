// The recorder: what instrumented kernels call where a run of accesses ends (kernels/ptx/instrument/instrument.h). It names the shape of the addresses that the
// lanes of a warp hold, counts equal series of runs in a table, and writes the log of events.
//
// `mask` is always those lanes that call it together, whether or not the hardware runs them so: what they do for each other they do by instructions
// that name the mask. All of them go the same way, from the first instruction to the last: every condition of a branch is the same in all, and what
// one lane does alone is one predicated instruction. That keeps lanes together that are.
//
// Kernels that call functions call those that end in `_of`: of one of several functions.
//
// No loop is unrolled: the code is called here and there, and is best short.
#include "kernels/gpu/recorder/operands.cuh"
#include "kernels/gpu/recorder/series.cuh"
#include "kernels/gpu/recorder/texels.cuh"

namespace {

/// An execution that does not continue the run of its segment.
template <bool kCalls>
__device__ __forceinline__ void turn(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const RecordFrame frame{bytes};
  const SegmentInfo segment = warplens_recorder.segments[number];
  RecordState& state = frame.state(state_offset);
  RecordValue* const values = frame.values(state_offset);
  const u32 phase = common_phase(frame, mask);
  tell_distances<kCalls>(frame, state_offset, number, segment, mask);
  if (learn_steps(segment, state, values, mask, phase)) return;
  bool all_together = false;
  const bool alike = begins_alike(segment, state, values, mask, phase, all_together);
  if (!alike) end_series(mask, state, values, number);
  begin_run<kCalls>(frame, segment, state, values, mask, phase, alike, all_together);
}

}  // namespace

extern "C" __device__ void warplens_turn(char* bytes, u32 state_offset, u32 number, u32 mask) {
  turn<false>(bytes, state_offset, number, mask);
}
extern "C" __device__ void warplens_turn_of(char* bytes, u32 state_offset, u32 number, u32 mask) {
  turn<true>(bytes, state_offset, number, mask);
}

namespace {

/// An execution of a segment that keeps no run.
template <bool kCalls>
__device__ __forceinline__ void once(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const RecordFrame frame{bytes};
  const SegmentInfo segment = warplens_recorder.segments[number];
  if (segment.counts_block != 0) count_run(number, mask, 1);
  RecordValue* const values = frame.values(state_offset);
  const u32 phase = common_phase(frame, mask);
  tell_distances<kCalls>(frame, state_offset, number, segment, mask);
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    name_shape<kCalls>(frame, warplens_recorder.values[segment.first_value + v].kind, values[v], mask);
    values[v].step = values[v].series_step = 0;
  }
  const RecordState once{.mask = mask,
                         .executions = 1,
                         .next_phase = 0,
                         .phase_step = 0,
                         .first_phase = phase,
                         .runs = 0,
                         .series_executions = 0,
                         .series_phase_step = 0};
  count_values(mask, segment, once, values, 1, 1, 0);
}

}  // namespace

extern "C" __device__ void warplens_once(char* bytes, u32 state_offset, u32 number, u32 mask) {
  once<false>(bytes, state_offset, number, mask);
}
extern "C" __device__ void warplens_once_of(char* bytes, u32 state_offset, u32 number, u32 mask) {
  once<true>(bytes, state_offset, number, mask);
}

/// What this lane's coordinates mean to the tex, tld4, suld or sust with that number.
extern "C" __device__ void warplens_texels(char* bytes, u32 texels_offset, u32 number, u32) {
  RecordTexels& texels = *reinterpret_cast<RecordTexels*>(bytes + texels_offset);
  find_texels(warplens_recorder.texels[number], texels);
}

/// What the operands of the bulk copy, or product of a warpgroup, with that number hold.
extern "C" __device__ void warplens_operands(char* bytes, u32 operands_offset, u32 number, u32 mask) {
  note_operands(RecordFrame{bytes}, *reinterpret_cast<const RecordOperands*>(bytes + operands_offset), number, mask);
}

/// Threads leave: their series of that segment end.
extern "C" __device__ void warplens_end(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const RecordFrame frame{bytes};
  end_series(mask, frame.state(state_offset), frame.values(state_offset), number);
}

namespace {

__device__ __forceinline__ void hand_over_counts(char* bytes, u32 offset, u32 first, u32 count, u32 mask) {
  const RecordCount* const counts = reinterpret_cast<const RecordCount*>(bytes + offset);
  const bool speaks = lane_id() == lowest(mask);
#pragma unroll 1
  for (u32 c = 0; c < count; ++c) {
    const u64 threads = sum_over(mask, counts[c].threads);  // Not 0 if `warps` is not
    if (threads != 0) count_executions(speaks, warplens_recorder.counted[first + c], sum_over(mask, counts[c].warps), threads);
  }
}

}  // namespace

/// Threads leave: what they counted themselves. `count` segments.
extern "C" __device__ void warplens_counts(char* bytes, u32 offset, u32 count, u32 mask) {
  hand_over_counts(bytes, offset, 0, count, mask);
}
/// `which`: how many segments, and above 16 bits how many other functions count before.
extern "C" __device__ void warplens_counts_of(char* bytes, u32 offset, u32 which, u32 mask) {
  hand_over_counts(bytes, offset, which >> 16, which & 0xffff, mask);
}

/// A function begins: the kernel, or one that is called.
extern "C" __device__ void warplens_enter(char* bytes, u32 number, u32, u32) {
  const Recorder& recorder = warplens_recorder;
  RecordFrameHeader& header = RecordFrame{bytes}.header();
  const u64 caller = header.caller;
  if (caller != 0) header = *reinterpret_cast<const RecordFrameHeader*>(caller);
  header.caller = caller;
  header.function = number;
  const FunctionInfo function = recorder.functions[number];
  if (caller == 0) header.local_top = recorder.calls_base;
  header.local_base = function.call_bytes != 0 ? header.local_top : 0;
  header.local_top += function.call_bytes;
#pragma unroll 1
  for (u32 v = 0; v < function.shared; ++v) recorder.variable_addresses[function.first_shared + v] = RecordFrame{bytes}.variable_address(v);
}

/// Once per thread, before all else, where blocks are chosen.
extern "C" __device__ void warplens_begin(char* bytes) {
  const Recorder& recorder = warplens_recorder;
  RecordFrameHeader& header = RecordFrame{bytes}.header();
  u64 block = blockIdx.x + static_cast<u64>(gridDim.x) * (blockIdx.y + static_cast<u64>(gridDim.y) * blockIdx.z);
  if (recorder.chosen_blocks != nullptr) {
    block = recorder.chosen_blocks[block];
#pragma unroll 1
    for (int d = 0; d < 3; ++d) header.grid[d] = recorder.grid[d];
    header.block[0] = static_cast<u32>(block % recorder.grid[0]);
    header.block[1] = static_cast<u32>(block / recorder.grid[0] % recorder.grid[1]);
    header.block[2] = static_cast<u32>(block / recorder.grid[0] / recorder.grid[1]);
  }
  header.event_warp = kNoEventWarp;
  header.log_at = kLogUnknown;
  header.log_begin = header.log_end = header.log_used = 0;
  header.all_lanes = in_last_warp() ? (1u << (blockDim.x * blockDim.y * blockDim.z) % 32) - 1 : 0xffffffffu;
  if (recorder.event_block == nullptr || recorder.event_block[block] == 0) return;
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  header.event_warp = (recorder.event_block[block] - 1) * ((threads + 31) / 32) + thread / 32;
  const u64 log = reinterpret_cast<u64>(recorder.log);
  header.log_at = header.log_begin = log + recorder.log_begin[header.event_warp];
  header.log_end = log + recorder.log_begin[header.event_warp + 1];
  header.log_used = reinterpret_cast<u64>(recorder.log_used + header.event_warp);
#pragma unroll 1
  for (u32 v = 0; v < recorder.shared_variables + recorder.local_variables; ++v)
    recorder.variable_addresses[v] = RecordFrame{bytes}.variable_address(v);
}

namespace {

/// Room in the warp's log. The whole warp knows where it stands; a part of it asks, and from then on the warp must ask.
__device__ u64 take_log(RecordFrameHeader& header, u32 mask, u64 size) {
  unsigned long long* const used = reinterpret_cast<unsigned long long*>(header.log_used);
  const bool leads = lane_id() == lowest(mask);
  const bool whole = mask == header.all_lanes;
  u64 at = header.log_at;
  if (__all_sync(mask, whole & (at != kLogUnknown))) {
    store_if(leads, used, at + size - header.log_begin);
    __syncwarp(mask);  // Before a part of them adds to it
  } else {
    __threadfence();
    at = header.log_begin + __shfl_sync(mask, add_if(leads, used, size), lowest(mask));
  }
  header.log_at = whole ? at + size : kLogUnknown;
  return at;
}

/// An execution in a block whose events are kept, which the code has not written down itself.
template <bool kCalls>
__device__ __forceinline__ void log_event(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const Recorder& recorder = warplens_recorder;
  const RecordFrame frame{bytes};
  const SegmentInfo segment = recorder.segments[number];
  const RecordValue* const values = frame.values(state_offset);
  const u32 phase = common_phase(frame, mask), lane = lane_id();
  tell_distances<kCalls>(frame, state_offset, number, segment, mask);
  const u64 size = sizeof(EventHeader) + static_cast<u64>(segment.values) * 32 * sizeof(u64);
  const u64 at = take_log(frame.header(), mask, size);
  if (at + size > frame.header().log_end) return;
  *reinterpret_cast<EventHeader*>(at) = {number, mask, phase, 0};
  u64* const to = reinterpret_cast<u64*>(at + sizeof(EventHeader));
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    const u64 now = values[v].now;
    u64 known = now;  // What the host can place
    if (recorder.values[segment.first_value + v].kind == ValueKind::generic) {
      const Place place = place_of<kCalls>(frame, ValueKind::generic, now);
      known = now != kNoLane ? place.address | static_cast<u64>(place.space) << 62 : kNoLane;
    }
    to[v * 32 + lane] = known;
  }
}

}  // namespace

extern "C" __device__ void warplens_event(char* bytes, u32 state_offset, u32 number, u32 mask) {
  log_event<false>(bytes, state_offset, number, mask);
}
extern "C" __device__ void warplens_event_of(char* bytes, u32 state_offset, u32 number, u32 mask) {
  log_event<true>(bytes, state_offset, number, mask);
}

namespace {

__device__ __forceinline__ void note_parting(char* bytes, u32 together, u32 taken, u32 mask, PartingKind kind) {
  const RecordFrame frame{bytes};
  const u64 size = sizeof(EventHeader) + 32 * sizeof(u32);
  const u64 at = take_log(frame.header(), mask, size);
  if (at + size > frame.header().log_end) return;
  *reinterpret_cast<EventHeader*>(at) = {kParting, mask, kind, taken};
  reinterpret_cast<u32*>(at + sizeof(EventHeader))[lane_id()] = together;
}

}  // namespace

/// Lanes part, in a block whose events are kept: this one goes on with `together`.
extern "C" __device__ void warplens_part(char* bytes, u32 together, u32 taken, u32 mask) {
  note_parting(bytes, together, taken, mask, kPartAtBranch);
}
/// .. at a branch to where they meet again.
extern "C" __device__ void warplens_skip(char* bytes, u32 together, u32 taken, u32 mask) {
  note_parting(bytes, together, taken, mask, kPartBeforeJoin);
}
/// .. to call different functions, or none.
extern "C" __device__ void warplens_call(char* bytes, u32 together, u32 taken, u32 mask) {
  note_parting(bytes, together, taken, mask, kPartForCalls);
}

/// Lanes meet that parted, and not all of `awaited` have come: the others have left.
extern "C" __device__ void warplens_met(char* bytes, u32 awaited, u32, u32 mask) {
  note_parting(bytes, 0, awaited, mask, kMeet);
}

/// Lanes meet that have not gone round loops equally often.
extern "C" __device__ void warplens_meet(char* bytes, u32, u32, u32 mask) {
  common_phase(RecordFrame{bytes}, mask);
}

/// Lanes part, and the phases of some depend on how often others will go round a loop before them.
extern "C" __device__ void warplens_in_turn(char*, u32, u32, u32) {
  atomicOr(warplens_recorder.full, kInTurn);
}
