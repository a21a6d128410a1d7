// Values of operands, and how often instructions had them: a hash table as those of tables.cuh.
#pragma once

#include "kernels/gpu/recorder/places.cuh"
#include "kernels/gpu/recorder/tables.cuh"

namespace {

/// What an OperandsSlot is found by. The same in all lanes.
struct OperandValues {
  u32 number, phase, warp, count;
  u64 values[kMaxRecordedOperands];

  __device__ u32 hash() const {
    u32 h = (number * 0x9e3779b1u + phase) * 0x85ebca77u + warp;
#pragma unroll 1
    for (u32 k = 0; k < count; ++k) {
      h = mixed(h * 0xc2b2ae3du + static_cast<u32>(values[k]));
      h = h * 0x27d4eb2fu + static_cast<u32>(values[k] >> 32);
    }
    return mixed(h);
  }
  __device__ bool is_in(const volatile OperandsSlot& slot) const {
    bool same = (slot.number == ~number) & (slot.phase == ~phase) & (slot.warp == ~warp);
#pragma unroll 1
    for (u32 k = 0; k < count; ++k) same = same & (slot.values[k] == ~values[k]);
    return same;
  }
  __device__ void put_in(volatile OperandsSlot& slot) const {
    slot.number = ~number;
    slot.phase = ~phase;
    slot.warp = ~warp;
#pragma unroll 1
    for (u32 k = 0; k < count; ++k) slot.values[k] = ~values[k];
  }
};

__device__ void count_operands(u32 mask, const OperandValues& operands) {
  const Recorder& recorder = warplens_recorder;
  const u32 first = operands.hash();
#pragma unroll 1
  for (u32 probe = 0; probe < kProbes; ++probe) {
    OperandsSlot& slot = recorder.operand_values[(first + probe) & (recorder.operand_slots - 1)];
    if (has_to_fill(mask, &slot.state)) {
      operands.put_in(slot);
      say_ready(mask, &slot.state);
    } else if (!__all_sync(mask, operands.is_in(slot))) {
      continue;
    }
    count_if(lane_id() == lowest(mask), &slot.count, 1);
    return;
  }
  *recorder.full = kNoRoom;
}

__device__ u64 place_of_operand(const RecordFrame& frame, ValueKind kind, u64 value) {
  if (kind == ValueKind::shared) return shared_place<false>(frame, value);
  if (kind == ValueKind::global) return global_place(value);
  if (kind == ValueKind::map && !is_parameter_place(value)) return global_place(value);
  return value;
}

/// Counts the values of an instruction's operands: of each lane that executes it, or once for all.
__device__ void note_operands(const RecordFrame& frame, const RecordOperands& given, u32 number, u32 mask) {
  const OperandsInfo& info = warplens_recorder.operands[number];
  const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  OperandValues own{.number = number,
                    .phase = common_phase(frame, mask),
                    .warp = info.is_of_warp != 0 ? thread / 32 % kWarpsOfWarpgroup : 0,
                    .count = info.operands,
                    .values = {}};
#pragma unroll 1
  for (u32 k = 0; k < own.count; ++k) own.values[k] = place_of_operand(frame, info.kinds[k], given.values[k]);
  u32 left = __ballot_sync(mask, given.values[0] != kNoLane);
  if (info.is_of_warp != 0) left &= ~left + 1;
#pragma unroll 1
  for (; left != 0; left &= left - 1) {
    OperandValues of_lane = own;
#pragma unroll 1
    for (u32 k = 0; k < own.count; ++k) of_lane.values[k] = __shfl_sync(mask, own.values[k], lowest(left));
    count_operands(mask, of_lane);
  }
}

}  // namespace
