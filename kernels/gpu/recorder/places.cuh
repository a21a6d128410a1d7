// Addresses as recordings have them.
#pragma once

#include "kernels/gpu/recorder/lanes.cuh"

namespace {

constexpr u32 kGlobalSpace = 0, kSharedSpace = 1, kLocalSpace = 2;

struct Place {
  u64 address;  ///< As recordings have it
  u32 space;
};

/// An address in shared memory without the rank of the block.
__device__ u32 in_block(u64 address) {
  return static_cast<u32>(address) & warplens_recorder.shared_address_bits;
}

/// Where several functions have variables.
__device__ u64 shared_place_among_calls(u64 address) {
  const Recorder& recorder = warplens_recorder;
  u64 place = in_block(address) - recorder.shared_base;
#pragma unroll 1
  for (u32 v = 0; v < recorder.called_shared_variables; ++v) {
    const u32 from = in_block(const_cast<const volatile u32*>(recorder.variable_addresses)[v]);
    const VariableRegion region = recorder.variables[v];
    place = in_block(address) - from < region.bytes ? in_block(address) - from + region.to : place;
  }
  return place;
}
/// .. All that go together have been called by the same ones.
__device__ u64 local_place_among_calls(const RecordFrame& frame, u64 address) {
  const Recorder& recorder = warplens_recorder;
  u64 place = address;
#pragma unroll 1
  for (char* bytes = frame.bytes; bytes != nullptr;) {
    const RecordFrame of_call{bytes};
    const RecordFrameHeader& header = of_call.header();
    const FunctionInfo function = recorder.functions[header.function];
#pragma unroll 1
    for (u32 v = 0; v < function.local; ++v) {
      const u64 from = of_call.variable_address(function.shared + v);
      const VariableRegion region = recorder.variables[function.first_local + v];
      place = address - from < region.bytes ? address - from + region.to + header.local_base : place;
    }
    bytes = reinterpret_cast<char*>(header.caller);
  }
  return place;
}

/// `kCalls`: the kernel calls functions.
template <bool kCalls>
__device__ u64 shared_place(const RecordFrame& frame, u64 address) {
  if constexpr (kCalls) return shared_place_among_calls(address);
  const Recorder& recorder = warplens_recorder;
  u64 place = in_block(address) - recorder.shared_base;
#pragma unroll 1
  for (u32 v = 0; v < recorder.shared_variables; ++v) {
    const VariableRegion region = recorder.variables[v];
    const u32 offset = in_block(address) - in_block(frame.variable_address(v));
    place = offset < region.bytes ? offset + region.to : place;
  }
  return place;
}
template <bool kCalls>
__device__ u64 local_place(const RecordFrame& frame, u64 address) {
  if constexpr (kCalls) return local_place_among_calls(frame, address);
  const Recorder& recorder = warplens_recorder;
  u64 place = address;
#pragma unroll 1
  for (u32 v = recorder.shared_variables; v < recorder.shared_variables + recorder.local_variables; ++v) {
    const VariableRegion region = recorder.variables[v];
    const u64 offset = address - frame.variable_address(v);
    place = offset < region.bytes ? offset + region.to : place;
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

template <bool kCalls>
__device__ Place place_of(const RecordFrame& frame, ValueKind kind, u64 address) {
  if (kind == ValueKind::shared) return {shared_place<false>(frame, address), kSharedSpace};
  if (kind == ValueKind::local) return {local_place<false>(frame, address), kLocalSpace};
  if (kind == ValueKind::texel) return {address, kGlobalSpace};
  if (kind != ValueKind::generic) return {global_place(address), kGlobalSpace};
  const void* pointer = reinterpret_cast<const void*>(address);
  const bool shared = __isShared(pointer), local = __isLocal(pointer);
  const u64 in_shared = shared_place<kCalls>(frame, __cvta_generic_to_shared(pointer));
  const u64 in_local = local_place<kCalls>(frame, __cvta_generic_to_local(pointer));
  return {shared  ? in_shared
          : local ? in_local
                  : global_place(address),
          shared  ? kSharedSpace
          : local ? kLocalSpace
                  : kGlobalSpace};
}

}  // namespace
