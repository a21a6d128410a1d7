// What lanes of a warp do together, and where the recorder keeps things.
#pragma once

#include "kernels/gpu/recorder/recorder.h"
#include "kernels/ptx/instrument/record_frame.h"

using namespace warplens::gpu;
using namespace warplens::ptx;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

extern "C" {
__constant__ Recorder warplens_recorder;
}

namespace {

constexpr u32 kAlignments = 256;

struct RecordFrame {
  char* bytes;
  __device__ RecordFrameHeader& header() const { return *reinterpret_cast<RecordFrameHeader*>(bytes); }
  __device__ u32 variable_address(u32 index) const {
    return reinterpret_cast<const u32*>(bytes + sizeof(RecordFrameHeader))[index];
  }
  __device__ RecordState& state(u32 offset) const { return *reinterpret_cast<RecordState*>(bytes + offset); }
  __device__ RecordValue* values(u32 offset) const {
    return reinterpret_cast<RecordValue*>(bytes + offset + sizeof(RecordState));
  }
  __device__ const std::int64_t* distances(u32 offset, u32 values) const {
    return reinterpret_cast<const std::int64_t*>(bytes + offset + sizeof(RecordState) +
                                                 values * sizeof(RecordValue));
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
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u64 [%0], %1; }" ::"l"(address),
               "l"(value), "r"(static_cast<u32>(holds))
               : "memory");
}
/// Whether the lane where `holds` found the slot free, and has it now.
__device__ bool claim_if(bool holds, u32* state) {
  u32 before = kSlotReady;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.cas.b32 %0, [%1], %2, %4; }"
               : "+r"(before)
               : "l"(state), "r"(static_cast<u32>(kSlotFree)), "r"(static_cast<u32>(holds)),
                 "r"(static_cast<u32>(kSlotBeingWritten))
               : "memory");
  return holds & (before == kSlotFree);
}
__device__ void count_if(bool holds, unsigned long long* address, u64 value) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p red.global.add.u64 [%0], %1; }" ::"l"(address),
               "l"(value), "r"(static_cast<u32>(holds))
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
__device__ u32 common_phase(const RecordFrame& frame, u32 mask) {
  const u32 phase = frame.header().phase;
  if (__all_sync(mask, phase == __shfl_sync(mask, phase, lowest(mask)))) return phase;
  u32 highest = phase;
#pragma unroll 1
  for (u32 left = mask; left != 0; left &= left - 1)
    highest = max(highest, __shfl_sync(mask, phase, lowest(left)));
  frame.header().phase = highest;
  return highest;
}

}  // namespace
