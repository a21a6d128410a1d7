// The recorder: what instrumented kernels call where a run of accesses ends (kernels/ptx/instrument.h). It names the shape of the addresses that the
// lanes of a warp hold, counts equal series of runs in a table, and writes the log of events.
//
// `mask` is always those lanes that call it together, whether or not the hardware runs them so: what they do for each other they do by instructions
// that name the mask. All of them go the same way, from the first instruction to the last: every condition of a branch is the same in all, and what
// one lane does alone is one predicated instruction. That keeps lanes together that are.
//
// No loop is unrolled: the code is called here and there, and is best short.
//
// Two tables, hashed with open addressing, only grow: shapes, and runs. A slot is claimed by one warp of all that want it, and read by the others
// only when it is ready; equality is of all its bytes, so nothing depends on the hash.
#include "kernels/gpu/recorder/recorder.h"
#include "kernels/ptx/record_frame.h"

using namespace warplens::gpu;
using namespace warplens::ptx;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

extern "C" {
__constant__ Recorder warplens_recorder;
}

namespace {

constexpr u32 kGlobalSpace = 0, kSharedSpace = 1, kLocalSpace = 2;
constexpr u32 kLeader = 1u << 16;
constexpr u32 kNoShape = 0xffffffffu;
constexpr u32 kProbes = 256;
constexpr u32 kAlignments = 256;
constexpr std::int64_t kNoWay = std::int64_t{1} << 62;

struct Frame {
  char* bytes;
  __device__ RecordFrameHeader& header() const { return *reinterpret_cast<RecordFrameHeader*>(bytes); }
  __device__ u32 variable_address(u32 index) const { return reinterpret_cast<const u32*>(bytes + sizeof(RecordFrameHeader))[index]; }
  __device__ RecordState& state(u32 offset) const { return *reinterpret_cast<RecordState*>(bytes + offset); }
  __device__ RecordValue* values(u32 offset) const { return reinterpret_cast<RecordValue*>(bytes + offset + sizeof(RecordState)); }
  __device__ const std::int64_t* distances(u32 offset, u32 values) const {
    return reinterpret_cast<const std::int64_t*>(bytes + offset + sizeof(RecordState) + values * sizeof(RecordValue));
  }
};

__device__ u32 lane_id() {
  u32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ u32 lowest(u32 mask) {
  return __ffs(mask) - 1;
}
/// RecordValue::start of an address further on.
__device__ u32 moved(u32 start, u32 way) {
  return (start & ~(kAlignments - 1)) | ((start + way) & (kAlignments - 1));
}
__device__ u32 mixed(u32 value) {
  value = (value ^ (value >> 16)) * 0x7feb352du;
  return value ^ (value >> 15);
}

/// Adds in the lanes where `holds`; what was there before, in those.
__device__ u64 add_if(bool holds, unsigned long long* address, u64 value) {
  u64 before = 0;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.add.u64 %0, [%1], %2; }"
               : "+l"(before)
               : "l"(address), "l"(value), "r"(static_cast<u32>(holds))
               : "memory");
  return before;
}
__device__ void store_if(bool holds, unsigned long long* address, u64 value) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u64 [%0], %1; }" ::"l"(address), "l"(value), "r"(static_cast<u32>(holds))
               : "memory");
}
/// Whether the lane where `holds` found the slot free, and has it now.
__device__ bool claim_if(bool holds, u32* state) {
  u32 before = kSlotReady;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.cas.b32 %0, [%1], %2, %4; }"
               : "+r"(before)
               : "l"(state), "r"(static_cast<u32>(kSlotFree)), "r"(static_cast<u32>(holds)), "r"(static_cast<u32>(kSlotBeingWritten))
               : "memory");
  return holds & (before == kSlotFree);
}
__device__ void count_if(bool holds, unsigned long long* address, u64 value) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p red.global.add.u64 [%0], %1; }" ::"l"(address), "l"(value), "r"(static_cast<u32>(holds))
               : "memory");
}

__device__ u32 multiprocessor() {
  u32 id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// In a warp that has fewer threads than lanes.
__device__ bool in_last_warp() {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return threads % 32 != 0 && thread / 32 == threads / 32;
}

/// All lanes of a warp are in one phase: the highest that one of them has reached.
__device__ u32 common_phase(const Frame& frame, u32 mask) {
  const u32 phase = frame.header().phase;
  if (__all_sync(mask, phase == __shfl_sync(mask, phase, lowest(mask)))) return phase;
  u32 highest = phase;
#pragma unroll 1
  for (u32 left = mask; left != 0; left &= left - 1) highest = max(highest, __shfl_sync(mask, phase, lowest(left)));
  frame.header().phase = highest;
  return highest;
}

struct Place {
  u64 address;  ///< As recordings have it
  u32 space;
};

__device__ u64 variable_place(const Frame& frame, u32 first, u32 count, u64 address) {
  u64 place = address;
#pragma unroll 1
  for (u32 v = first; v < first + count; ++v) {
    const VariableRegion region = warplens_recorder.variables[v];
    const u64 from = frame.variable_address(v);
    place = address - from < region.bytes ? address - from + region.to : place;
  }
  return place;
}

__device__ u64 global_place(u64 address) {
  u64 place = address;
#pragma unroll 1
  for (u32 r = 0; r < warplens_recorder.region_count; ++r) {
    const Region region = warplens_recorder.regions[r];
    place = address - region.from < region.bytes ? address - region.from + region.to : place;
  }
  return place;
}

__device__ u32 space_of(ValueKind kind) {
  return kind == ValueKind::shared ? kSharedSpace : kind == ValueKind::local ? kLocalSpace : kGlobalSpace;
}

__device__ Place place_of(const Frame& frame, ValueKind kind, u64 address) {
  const Recorder& recorder = warplens_recorder;
  if (kind == ValueKind::shared) return {variable_place(frame, 0, recorder.shared_variables, address), kSharedSpace};
  if (kind == ValueKind::local) return {variable_place(frame, recorder.shared_variables, recorder.local_variables, address), kLocalSpace};
  if (kind != ValueKind::generic) return {global_place(address), kGlobalSpace};
  const void* pointer = reinterpret_cast<const void*>(address);
  const bool shared = __isShared(pointer), local = __isLocal(pointer);
  const u64 in_shared = variable_place(frame, 0, recorder.shared_variables, __cvta_generic_to_shared(pointer));
  const u64 in_local = variable_place(frame, recorder.shared_variables, recorder.local_variables, __cvta_generic_to_local(pointer));
  return {shared ? in_shared : local ? in_local : global_place(address), shared ? kSharedSpace : local ? kLocalSpace : kGlobalSpace};
}

/// All that come here have the same to say. Whoever does not see yet that it is known says it again.
__device__ void tell_distances(const Frame& frame, u32 state_offset, u32 number, const SegmentInfo& segment, u32 mask) {
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
    for (int end = 0; end < 2; ++end) distance = place_of(frame, kind, end == 0 ? address : address + static_cast<u64>(own[d])).address - distance;
    const bool has = address != kNoLane;
    store_if(has, reinterpret_cast<unsigned long long*>(recorder.distances + segment.first_distance + d), distance);
    all_known = all_known & (__any_sync(mask, has) != 0);
  }
  __threadfence();
  if (all_known) recorder.distances_known[number] = 1;
}

/// A slot as the second-level cache has it: ready, unless the lanes of `mask` have to fill it, and then to say that it is ready.
__device__ bool has_to_fill(u32 mask, u32* state) {
  const u32 leader = lowest(mask);
  if (__shfl_sync(mask, __ldcg(state), leader) == kSlotFree && __any_sync(mask, claim_if(lane_id() == leader, state))) return true;
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

/// The number of the shape that lanes `there` make, of `mask` that come here together; kNoShape if there is no room for it.
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
    const bool known = (__ldca(&slot.state) == kSlotReady) & (__ldca(&slot.mask) == there) & (!belongs | (__ldca(own) == ~offset));
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
  *recorder.full = 1;
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
    return (__ldca(&slot.state) == kSlotReady) & (__ldca(&slot.value) == ~value) & (__ldca(&slot.shape) == ~shape) & (__ldca(&slot.start) == ~start) &
           (__ldca(&slot.step) == ~step) & (__ldca(&slot.executions) == ~executions) & (__ldca(&slot.first_phase) == ~first_phase) &
           (__ldca(&slot.phase_step) == ~phase_step) & (__ldca(&slot.runs) == ~runs) & (__ldca(&slot.series_step) == ~series_step) &
           (__ldca(&slot.series_phase_step) == ~series_phase_step);
  }
  __device__ bool is_in(const volatile RunSlot& slot) const {
    return (slot.value == ~value) & (slot.shape == ~shape) & (slot.start == ~start) & (slot.step == ~step) & (slot.executions == ~executions) &
           (slot.first_phase == ~first_phase) & (slot.phase_step == ~phase_step) & (slot.runs == ~runs) & (slot.series_step == ~series_step) &
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
             recorder.counts + static_cast<u64>((multiprocessor() & (recorder.count_copies - 1))) * recorder.run_slots + number, 1);
    return;
  }
  *recorder.full = 1;
}

/// Of a segment, said by the lanes where `speaks`.
__device__ void count_executions(bool speaks, u32 number, u64 warps, u64 threads) {
  const Recorder& recorder = warplens_recorder;
  Executions* const to = recorder.executions + static_cast<u64>((multiprocessor() & (recorder.count_copies - 1))) * recorder.segment_count + number;
  count_if(speaks, &to->warps, warps);
  count_if(speaks, &to->threads, threads);
}
/// The lanes of `run` executed it so often: their lowest says so.
__device__ void count_run(u32 number, u32 run, u32 executions) {
  count_executions((executions != 0) & (lane_id() == lowest(run)), number, executions, static_cast<u64>(executions) * __popc(run));
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
  for (u32 left = __ballot_sync(mask, speaks); left != 0; left &= left - 1) add_series(mask, series.of_lane(mask, lowest(left)));
}

/// Names the shape of a value's lanes, and who speaks for it.
__device__ void name_shape(const Frame& frame, ValueKind kind, RecordValue& value, u32 mask) {
  const u32 lane = lane_id();
  const bool has = value.now != kNoLane;
  const u32 lanes = __ballot_sync(mask, has);
  if (kind == ValueKind::guard) {
    value.shape = lanes;
    value.start = has & (lane == lowest(lanes)) ? kLeader : 0;
    return;
  }
  const Place place = place_of(frame, kind, value.now);
  const u32 spaces = kind == ValueKind::generic ? kLocalSpace + 1 : 1;
  u32 shape = kNoShape, start = 0;
#pragma unroll 1
  for (u32 s = 0; s < spaces; ++s) {
    const u32 space = kind == ValueKind::generic ? s : space_of(kind);
    const bool belongs = has & (place.space == space);
    const u32 there = __ballot_sync(mask, belongs);
    if (there == 0) continue;
    const u64 base = __shfl_sync(mask, place.address, lowest(there));
    const u32 found = find_shape(mask, there, static_cast<std::int64_t>(place.address - base));
    shape = belongs ? found : shape;
    start = belongs ? static_cast<u32>(base % kAlignments) | space << 8 | (lane == lowest(there) ? kLeader : 0) : start;
  }
  value.shape = shape;
  value.start = start;
}

/// Hands over so many runs of so many executions each; the first of them began so many runs before the one that `state` and `values` tell of.
__device__ void count_values(u32 mask, const SegmentInfo& segment, const RecordState& state, const RecordValue* values, u32 runs, u32 executions,
                             u32 back) {
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    const RecordValue& value = values[v];
    const u32 series_step = static_cast<u32>(value.series_step);
    add_all(
        mask, (runs != 0) & ((value.start & kLeader) != 0),
        {segment.first_value + v, value.shape, moved(value.start & ~kLeader, 0 - back * series_step), static_cast<u32>(value.step) % kAlignments,
         executions, state.first_phase - back * state.series_phase_step, state.phase_step, runs, series_step % kAlignments, state.series_phase_step});
  }
}

/// Of every lane its own series, if it has one: lanes may come from different ones.
__device__ void end_series(u32 mask, const RecordState& state, const RecordValue* values, u32 number) {
  const SegmentInfo segment = warplens_recorder.segments[number];
  const bool is_one = state.mask != 0;
  const u32 before = is_one ? state.runs : 0, last = is_one ? state.executions : 0;
  const u32 executions = before != 0 ? state.series_executions : last;
  if (segment.counts_block != 0) count_run(number, state.mask, before * executions + last);
  const bool all_alike = last == executions;
  const bool one_odd = !__all_sync(mask, all_alike);
#pragma unroll 1
  for (u32 odd = 0; odd <= one_odd; ++odd) {
    const u32 alike = before + (is_one & all_alike);
    count_values(mask, segment, state, values, odd != 0 ? !all_alike : alike, odd != 0 ? last : executions, odd != 0 ? 0 : before);
  }
}

/// What a value was so many executions before the one that would continue the run; kNoLane in lanes that its guard leaves out.
__device__ u64 expected(const SegmentInfo& segment, const RecordValue* values, u32 v, u32 back) {
  const u32 root = warplens_recorder.values[segment.first_value + v].root;
  const ValueInfo info = warplens_recorder.values[segment.first_value + root];
  const u64 whole = values[root].next - back * static_cast<u64>(values[root].step);
  const u32 low = static_cast<u32>(whole);
  const u64 from_low = low == kNoLane32 ? kNoLane : (info.compared == Compared::in_window ? warplens_recorder.window : 0) | low;
  const u64 of_root = info.compared == Compared::whole ? whole : from_low;
  return (root == v) | (of_root == kNoLane) ? of_root : of_root + values[v].next;
}

/// Whether a value has gone the same way in all lanes that have it, and they are the same as before; `way` is how far, or 0.
__device__ bool went_together(u64 before, u64 now, u32 mask, u64& way) {
  const u32 lanes = __ballot_sync(mask, now != kNoLane);
  way = __shfl_sync(mask, now - before, lanes != 0 ? lowest(lanes) : lowest(mask));
  const bool same = ((now == kNoLane) == (before == kNoLane)) & ((now == kNoLane) | (now - before == way));
  way = lanes == 0 ? 0 : way;
  return __all_sync(mask, same);
}

/// After one execution of a series the steps are not known yet: takes the way to the second for them, if all lanes went the same.
__device__ bool learn_steps(const SegmentInfo& segment, RecordState& state, RecordValue* values, u32 mask, u32 phase) {
  bool fits = (state.mask == mask) & (state.executions == 1) & (state.runs == 0);
  if (!__all_sync(mask, fits)) return false;
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    const RecordValue& value = values[v];
    const u32 root = warplens_recorder.values[segment.first_value + v].root;
    if (root == v) {
      u64 way = 0;
      fits = fits & went_together(expected(segment, values, v, 1), value.now, mask, way);
    } else {  // As far from its root as before
      const u64 of_root = values[root].now;
      fits = fits & (value.now == (of_root == kNoLane ? kNoLane : of_root + value.next));
    }
  }
  if (!__all_sync(mask, fits)) return false;
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {  // A root comes before what follows from it
    RecordValue& value = values[v];
    const u32 root = warplens_recorder.values[segment.first_value + v].root;
    const std::int64_t own = value.now == kNoLane ? 0 : static_cast<std::int64_t>(value.now - expected(segment, values, v, 1));
    value.step = root == v ? own : values[root].step;
    value.next = root == v ? value.now : value.next;
  }
  state.phase_step = phase - state.first_phase;
  state.next_phase = phase;
  return true;
}

/// Whether a run begins like those before it in its series: after as many executions, as many phases and as far off. A second run always does, if all
/// lanes went the same way. Notes the ways.
__device__ bool begins_alike(const SegmentInfo& segment, const RecordState& state, RecordValue* values, u32 mask, u32 phase, bool& all_together) {
  bool alike = (state.runs == 0) | ((state.executions == state.series_executions) & (phase - state.first_phase == state.series_phase_step));
  const bool same_lanes = __all_sync(mask, state.mask == mask);
  all_together = same_lanes;
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    RecordValue& value = values[v];
    u64 way = 0;
    const bool together = same_lanes && went_together(expected(segment, values, v, state.executions), value.now, mask, way);
    value.way = together ? static_cast<std::int64_t>(way) : kNoWay;
    all_together = all_together & together;
    alike = alike & ((state.runs == 0) | (value.way == value.series_step));
  }
  return __all_sync(mask, alike & all_together);
}

/// Where all lanes of a value went the same way, they still have their shape; and if all values did, the next steps are likely as before.
__device__ void begin_run(const Frame& frame, const SegmentInfo& segment, RecordState& state, RecordValue* values, u32 mask, u32 phase, bool alike,
                          bool all_together) {
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    RecordValue& value = values[v];
    if (value.way == kNoWay) {
      name_shape(frame, warplens_recorder.values[segment.first_value + v].kind, value, mask);
    } else {
      value.start = moved(value.start, static_cast<u32>(value.way));
    }
  }
#pragma unroll 1
  for (u32 v = segment.values; v-- > 0;) {  // What follows from a root before the root
    RecordValue& value = values[v];
    const u32 root = warplens_recorder.values[segment.first_value + v].root;
    value.next = root == v ? value.now : value.now - values[root].now;
    value.step = all_together ? value.step : 0;
    value.series_step = value.way;
  }
  state.series_executions = state.executions;
  state.series_phase_step = phase - state.first_phase;
  state.runs = alike ? state.runs + 1 : 0;
  state.phase_step = all_together ? state.phase_step : 0;
  state.mask = mask;
  state.executions = 0;
  state.first_phase = state.next_phase = phase;
}

}  // namespace

/// An execution that does not continue the run of its segment.
extern "C" __device__ void warplens_turn(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const Frame frame{bytes};
  const SegmentInfo segment = warplens_recorder.segments[number];
  RecordState& state = frame.state(state_offset);
  RecordValue* const values = frame.values(state_offset);
  const u32 phase = common_phase(frame, mask);
  tell_distances(frame, state_offset, number, segment, mask);
  if (learn_steps(segment, state, values, mask, phase)) return;
  bool all_together = false;
  const bool alike = begins_alike(segment, state, values, mask, phase, all_together);
  if (!alike) end_series(mask, state, values, number);
  begin_run(frame, segment, state, values, mask, phase, alike, all_together);
}

/// An execution of a segment that keeps no run.
extern "C" __device__ void warplens_once(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const Frame frame{bytes};
  const SegmentInfo segment = warplens_recorder.segments[number];
  if (segment.counts_block != 0) count_run(number, mask, 1);
  RecordValue* const values = frame.values(state_offset);
  const u32 phase = common_phase(frame, mask);
  tell_distances(frame, state_offset, number, segment, mask);
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    name_shape(frame, warplens_recorder.values[segment.first_value + v].kind, values[v], mask);
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

/// Threads leave: their series of that segment end.
extern "C" __device__ void warplens_end(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const Frame frame{bytes};
  end_series(mask, frame.state(state_offset), frame.values(state_offset), number);
}

/// Threads leave: what they counted themselves. `count` segments.
extern "C" __device__ void warplens_counts(char* bytes, u32 offset, u32 count, u32 mask) {
  const RecordCount* const counts = reinterpret_cast<const RecordCount*>(bytes + offset);
  const bool speaks = lane_id() == lowest(mask);
#pragma unroll 1
  for (u32 c = 0; c < count; ++c) {
    const u64 threads = sum_over(mask, counts[c].threads);  // Not 0 if `warps` is not
    if (threads != 0) count_executions(speaks, warplens_recorder.counted[c], sum_over(mask, counts[c].warps), threads);
  }
}

/// Once per thread, before all else, where blocks are chosen.
extern "C" __device__ void warplens_begin(char* bytes) {
  const Recorder& recorder = warplens_recorder;
  RecordFrameHeader& header = Frame{bytes}.header();
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
  for (u32 v = 0; v < recorder.shared_variables + recorder.local_variables; ++v) recorder.variable_addresses[v] = Frame{bytes}.variable_address(v);
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

}  // namespace

/// An execution in a block whose events are kept, which the code has not written down itself.
extern "C" __device__ void warplens_event(char* bytes, u32 state_offset, u32 number, u32 mask) {
  const Recorder& recorder = warplens_recorder;
  const Frame frame{bytes};
  const SegmentInfo segment = recorder.segments[number];
  const RecordValue* const values = frame.values(state_offset);
  const u32 phase = common_phase(frame, mask), lane = lane_id();
  tell_distances(frame, state_offset, number, segment, mask);
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
      const Place place = place_of(frame, ValueKind::generic, now);
      known = now != kNoLane ? place.address | static_cast<u64>(place.space) << 62 : kNoLane;
    }
    to[v * 32 + lane] = known;
  }
}

/// Lanes part, in a block whose events are kept: this one goes on with `together`.
extern "C" __device__ void warplens_part(char* bytes, u32 together, u32 taken, u32 mask) {
  const Frame frame{bytes};
  const u64 size = sizeof(EventHeader) + 32 * sizeof(u32);
  const u64 at = take_log(frame.header(), mask, size);
  if (at + size > frame.header().log_end) return;
  *reinterpret_cast<EventHeader*>(at) = {kParting, mask, 0, taken};
  reinterpret_cast<u32*>(at + sizeof(EventHeader))[lane_id()] = together;
}
