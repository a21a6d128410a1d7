// Runs and series of runs (kernels/ptx/instrument/record_frame.h): what they are of, whether one goes on, and
// where one ends.
#pragma once

#include "kernels/gpu/recorder/places.cuh"
#include "kernels/gpu/recorder/tables.cuh"

namespace {

constexpr u32 kLeader = 1u << 16;
constexpr std::int64_t kNoWay = std::int64_t{1} << 62;

/// Names the shape of a value's lanes, and who speaks for it.
template <bool kCalls>
__device__ void name_shape(const RecordFrame& frame, ValueKind kind, RecordValue& value, u32 mask) {
  const u32 lane = lane_id();
  const bool has = value.now != kNoLane;
  const u32 lanes = __ballot_sync(mask, has);
  if (kind == ValueKind::guard) {
    value.shape = lanes;
    value.start = has & (lane == lowest(lanes)) ? kLeader : 0;
    return;
  }
  const Place place = place_of<kCalls>(frame, kind, value.now);
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
    start = belongs
                ? static_cast<u32>(base % kAlignments) | space << 8 | (lane == lowest(there) ? kLeader : 0)
                : start;
  }
  value.shape = shape;
  value.start = start;
}

/// Hands over so many runs of so many executions each; the first of them began so many runs before the one
/// that `state` and `values` tell of.
__device__ void count_values(u32 mask, const SegmentInfo& segment, const RecordState& state,
                             const RecordValue* values, u32 runs, u32 executions, u32 back) {
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    const RecordValue& value = values[v];
    const u32 series_step = static_cast<u32>(value.series_step);
    add_all(mask, (runs != 0) & ((value.start & kLeader) != 0),
            {segment.first_value + v, value.shape, moved(value.start & ~kLeader, 0 - back * series_step),
             static_cast<u32>(value.step) % kAlignments, executions,
             state.first_phase - back * state.series_phase_step, state.phase_step, runs,
             series_step % kAlignments, state.series_phase_step});
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
    count_values(mask, segment, state, values, odd != 0 ? !all_alike : alike, odd != 0 ? last : executions,
                 odd != 0 ? 0 : before);
  }
}

/// What a value was so many executions before the one that would continue the run; kNoLane in lanes that its
/// guard leaves out.
__device__ u64 expected(const SegmentInfo& segment, const RecordValue* values, u32 v, u32 back) {
  const u32 root = warplens_recorder.values[segment.first_value + v].root;
  const ValueInfo info = warplens_recorder.values[segment.first_value + root];
  const u64 whole = values[root].next - back * static_cast<u64>(values[root].step);
  const u32 low = static_cast<u32>(whole);
  const u64 from_low = low == kNoLane32
                           ? kNoLane
                           : (info.compared == Compared::in_window ? warplens_recorder.window : 0) | low;
  const u64 of_root = info.compared == Compared::whole ? whole : from_low;
  return (root == v) | (of_root == kNoLane) ? of_root : of_root + values[v].next;
}

/// Whether a value has gone the same way in all lanes that have it, and they are the same as before; `way` is
/// how far, or 0.
__device__ bool went_together(u64 before, u64 now, u32 mask, u64& way) {
  const u32 lanes = __ballot_sync(mask, now != kNoLane);
  way = __shfl_sync(mask, now - before, lanes != 0 ? lowest(lanes) : lowest(mask));
  const bool same = ((now == kNoLane) == (before == kNoLane)) & ((now == kNoLane) | (now - before == way));
  way = lanes == 0 ? 0 : way;
  return __all_sync(mask, same);
}

/// After one execution of a series the steps are not known yet: takes the way to the second for them, if all
/// lanes went the same.
__device__ bool learn_steps(const SegmentInfo& segment, RecordState& state, RecordValue* values, u32 mask,
                            u32 phase) {
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
    const std::int64_t own =
        value.now == kNoLane ? 0 : static_cast<std::int64_t>(value.now - expected(segment, values, v, 1));
    value.step = root == v ? own : values[root].step;
    value.next = root == v ? value.now : value.next;
  }
  state.phase_step = phase - state.first_phase;
  state.next_phase = phase;
  return true;
}

/// Whether a run begins like those before it in its series: after as many executions, as many phases and as
/// far off. A second run always does, if all lanes went the same way. Notes the ways.
__device__ bool begins_alike(const SegmentInfo& segment, const RecordState& state, RecordValue* values,
                             u32 mask, u32 phase, bool& all_together) {
  bool alike = (state.runs == 0) | ((state.executions == state.series_executions) &
                                    (phase - state.first_phase == state.series_phase_step));
  const bool same_lanes = __all_sync(mask, state.mask == mask);
  all_together = same_lanes;
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    RecordValue& value = values[v];
    u64 way = 0;
    const bool together =
        same_lanes && went_together(expected(segment, values, v, state.executions), value.now, mask, way);
    value.way = together ? static_cast<std::int64_t>(way) : kNoWay;
    all_together = all_together & together;
    alike = alike & ((state.runs == 0) | (value.way == value.series_step));
  }
  return __all_sync(mask, alike & all_together);
}

/// Where all lanes of a value went the same way, they still have their shape; and if all values did, the next
/// steps are likely as before.
template <bool kCalls>
__device__ void begin_run(const RecordFrame& frame, const SegmentInfo& segment, RecordState& state,
                          RecordValue* values, u32 mask, u32 phase, bool alike, bool all_together) {
#pragma unroll 1
  for (u32 v = 0; v < segment.values; ++v) {
    RecordValue& value = values[v];
    if (value.way == kNoWay) {
      name_shape<kCalls>(frame, warplens_recorder.values[segment.first_value + v].kind, value, mask);
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
