// What the recorder notes: distances, shapes, series of runs, executions. The tables of shapes and of runs
// are hashed with open addressing, and only grow. A slot is claimed by one warp of all that want it, and read
// by the others only when it is ready; equality is of all its bytes, so nothing depends on the hash.
#pragma once

#include "kernels/gpu/recorder/lanes.cuh"

namespace {

constexpr u32 kNoShape = 0xffffffffu;
constexpr u32 kProbes = 256;

/// All that come here have the same to say. Whoever does not see yet that it is known says it again.
template <bool kCalls>
__device__ void tell_distances(const RecordFrame& frame, u32 state_offset, u32 number,
                               const SegmentInfo& segment, u32 mask) {
  const Recorder& recorder = warplens_recorder;
  if (segment.distances == 0 || __all_sync(mask, __ldca(&recorder.distances_known[number]) != 0)) return;
  const RecordValue* const values = frame.values(state_offset);
  const std::int64_t* const own = frame.distances(state_offset, segment.values);
  bool all_known = true;
#pragma unroll 1
  for (u32 d = 0; d < segment.distances; ++d) {
    const u32 root = recorder.distance_roots[segment.first_distance + d];
    const ValueKind kind = recorder.values[segment.first_value + root].kind;
    const u64 address = values[root].now;
    u64 distance = 0;
#pragma unroll 1
    for (int end = 0; end < 2; ++end)
      distance =
          place_of<kCalls>(frame, kind, end == 0 ? address : address + static_cast<u64>(own[d])).address -
          distance;
    const bool has = address != kNoLane;
    store_if(has, reinterpret_cast<unsigned long long*>(recorder.distances + segment.first_distance + d),
             distance);
    all_known = all_known & (__any_sync(mask, has) != 0);
  }
  __threadfence();
  if (all_known) recorder.distances_known[number] = 1;
}

/// A slot as the second-level cache has it: ready, unless the lanes of `mask` have to fill it, and then to
/// say that it is ready.
__device__ bool has_to_fill(u32 mask, u32* state) {
  const u32 leader = lowest(mask);
  if (__shfl_sync(mask, __ldcg(state), leader) == kSlotFree &&
      __any_sync(mask, claim_if(lane_id() == leader, state)))
    return true;
  while (__shfl_sync(mask, *const_cast<volatile u32*>(state), leader) != kSlotReady) {
  }
  __threadfence();
  __syncwarp(mask);
  return false;
}
__device__ void say_ready(u32 mask, u32* state) {
  __threadfence();
  __syncwarp(mask);
  *const_cast<volatile u32*>(state) = kSlotReady;
}

/// The number of the shape that lanes `there` make, of `mask` that come here together; kNoShape if there is
/// no room for it.
__device__ u32 find_shape(u32 mask, u32 there, std::int64_t offset) {
  const Recorder& recorder = warplens_recorder;
  const u32 lane = lane_id();
  const bool belongs = (there >> lane & 1) != 0;
  const u32 low = static_cast<u32>(offset), high = static_cast<u32>(static_cast<u64>(offset) >> 32);
  u32 hash = belongs ? mixed(low + high * 0x85ebca6bu + lane * 0x9e3779b9u) : 0;
#pragma unroll 1
  for (u32 distance = 16; distance != 0; distance /= 2) {
    const u32 other = __shfl_xor_sync(mask, hash, distance);
    hash += (mask >> (lane ^ distance) & 1) != 0 ? other : 0;
  }
  // Where lanes are missing not all have met the same others.
  const u32 first = mixed(__shfl_sync(mask, hash, lowest(mask)) ^ there);
#pragma unroll 1
  for (u32 probe = 0; probe < kProbes; ++probe) {
    const u32 number = (first + probe) & (recorder.shape_slots - 1);
    ShapeSlot& slot = recorder.shapes[number];
    long long* const own = reinterpret_cast<long long*>(&slot.offsets[lane]);
    const bool known = (__ldca(&slot.state) == kSlotReady) & (__ldca(&slot.mask) == there) &
                       (!belongs | (__ldca(own) == ~offset));
    if (__all_sync(mask, known)) return number;
    if (has_to_fill(mask, &slot.state)) {  // If not, perhaps the first-level cache does not know it yet
      *own = belongs ? ~offset : 0;
      slot.mask = there;
      say_ready(mask, &slot.state);
      return number;
    }
    const bool same = (__ldcg(&slot.mask) == there) & (!belongs | (__ldcg(own) == ~offset));
    if (__all_sync(mask, same)) return number;
  }
  *recorder.full = kNoRoom;
  return kNoShape;
}

/// What a RunSlot is found by. The same in all lanes.
struct Series {
  u32 value, shape, start, step, executions, first_phase, phase_step, runs, series_step, series_phase_step;

  __device__ u32 hash() const {
    u32 h = value * 0x9e3779b1u + shape;
    h = h * 0x85ebca77u + start;
    h = h * 0xc2b2ae3du + step;
    h = h * 0x27d4eb2fu + executions;
    h = h * 0x165667b1u + first_phase;
    h = h * 0x9e3779b1u + phase_step;
    h = h * 0x85ebca77u + runs;
    h = h * 0xc2b2ae3du + series_step;
    return mixed(h * 0x27d4eb2fu + series_phase_step);
  }
  __device__ bool is_in_cached(const RunSlot& slot) const {
    return (__ldca(&slot.state) == kSlotReady) & (__ldca(&slot.value) == ~value) &
           (__ldca(&slot.shape) == ~shape) & (__ldca(&slot.start) == ~start) & (__ldca(&slot.step) == ~step) &
           (__ldca(&slot.executions) == ~executions) & (__ldca(&slot.first_phase) == ~first_phase) &
           (__ldca(&slot.phase_step) == ~phase_step) & (__ldca(&slot.runs) == ~runs) &
           (__ldca(&slot.series_step) == ~series_step) &
           (__ldca(&slot.series_phase_step) == ~series_phase_step);
  }
  __device__ bool is_in(const volatile RunSlot& slot) const {
    return (slot.value == ~value) & (slot.shape == ~shape) & (slot.start == ~start) & (slot.step == ~step) &
           (slot.executions == ~executions) & (slot.first_phase == ~first_phase) &
           (slot.phase_step == ~phase_step) & (slot.runs == ~runs) & (slot.series_step == ~series_step) &
           (slot.series_phase_step == ~series_phase_step);
  }
  __device__ void put_in(volatile RunSlot& slot) const {
    slot.value = ~value;
    slot.shape = ~shape;
    slot.start = ~start;
    slot.step = ~step;
    slot.executions = ~executions;
    slot.first_phase = ~first_phase;
    slot.phase_step = ~phase_step;
    slot.runs = ~runs;
    slot.series_step = ~series_step;
    slot.series_phase_step = ~series_phase_step;
  }
  __device__ Series of_lane(u32 mask, u32 lane) const {
    return {__shfl_sync(mask, value, lane),       __shfl_sync(mask, shape, lane),
            __shfl_sync(mask, start, lane),       __shfl_sync(mask, step, lane),
            __shfl_sync(mask, executions, lane),  __shfl_sync(mask, first_phase, lane),
            __shfl_sync(mask, phase_step, lane),  __shfl_sync(mask, runs, lane),
            __shfl_sync(mask, series_step, lane), __shfl_sync(mask, series_phase_step, lane)};
  }
};

__device__ void add_series(u32 mask, Series series) {
  const Recorder& recorder = warplens_recorder;
  series.start |= in_last_warp() ? kLastWarp : 0;
  series.step = series.executions == 1 ? 0 : series.step;
  series.phase_step = series.executions == 1 ? 0 : series.phase_step;
  series.series_step = series.runs == 1 ? 0 : series.series_step;
  series.series_phase_step = series.runs == 1 ? 0 : series.series_phase_step;
  const u32 first = series.hash();
#pragma unroll 1
  for (u32 probe = 0; probe < kProbes; ++probe) {
    RunSlot& slot = recorder.runs[(first + probe) & (recorder.run_slots - 1)];
    bool found = __all_sync(mask, series.is_in_cached(slot));
    if (!found) {  // Or the first-level cache does not know it yet
      volatile RunSlot& seen = slot;
      if (has_to_fill(mask, &slot.state)) {
        series.put_in(seen);
        say_ready(mask, &slot.state);
        found = true;
      } else {
        found = __all_sync(mask, series.is_in(seen));
      }
    }
    if (!found) continue;
    const u32 number = static_cast<u32>(&slot - recorder.runs);
    count_if(lane_id() == lowest(mask),
             recorder.counts +
                 static_cast<u64>((multiprocessor() & (recorder.count_copies - 1))) * recorder.run_slots +
                 number,
             1);
    return;
  }
  *recorder.full = kNoRoom;
}

/// Of a segment, said by the lanes where `speaks`.
__device__ void count_executions(bool speaks, u32 number, u64 warps, u64 threads) {
  const Recorder& recorder = warplens_recorder;
  Executions* const to =
      recorder.executions +
      static_cast<u64>((multiprocessor() & (recorder.count_copies - 1))) * recorder.segment_count + number;
  count_if(speaks, &to->warps, warps);
  count_if(speaks, &to->threads, threads);
}
/// The lanes of `run` executed it so often: their lowest says so.
__device__ void count_run(u32 number, u32 run, u32 executions) {
  count_executions((executions != 0) & (lane_id() == lowest(run)), number, executions,
                   static_cast<u64>(executions) * __popc(run));
}

/// Of the values of all lanes of `mask`, bit by bit.
__device__ u64 sum_over(u32 mask, u32 value) {
  u64 sum = 0;
#pragma unroll 1
  for (u32 bit = 0; bit < 32 && __any_sync(mask, value >> bit != 0); ++bit) {
    sum += static_cast<u64>(__popc(__ballot_sync(mask, (value >> bit & 1) != 0))) << bit;
  }
  return sum;
}

/// The series of the lanes where `speaks`, one after the other.
__device__ void add_all(u32 mask, bool speaks, const Series& series) {
#pragma unroll 1
  for (u32 left = __ballot_sync(mask, speaks); left != 0; left &= left - 1)
    add_series(mask, series.of_lane(mask, lowest(left)));
}

}  // namespace
