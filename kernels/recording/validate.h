#pragma once

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens {

/// Limits that a recording keeps to. Those of the launch are CUDA's (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
inline constexpr std::uint32_t kMaxThreadsPerBlock = 1024;
/// Blocks of a cluster that every GPU with clusters can launch, and of one that is not portable. CUDA C++
/// Programming Guide, "Thread Block Clusters".
inline constexpr std::uint32_t kPortableClusterBlocks = 8;
inline constexpr std::uint32_t kMaxBlocksOfCluster = 16;
inline constexpr Dim3 kMaxBlock{1024, 1024, 64};
inline constexpr Dim3 kMaxGrid{0x7fffffff, 0xffff, 0xffff};
/// Far above what any GPU has (228 KiB a multiprocessor, 288 GB), and low enough for maps by byte or by
/// element to be thought of.
inline constexpr std::uint32_t kMaxSharedBytes = 1u << 20;
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 40;
/// Phases that replays count; what comes later is counted in the last one.
inline constexpr std::uint32_t kMaxRecordedPhases = 1u << 20;
/// Pointers that fit into a kernel's parameters (CUDA C++ Programming Guide: 32,764 bytes).
inline constexpr std::size_t kMaxBuffers = 4095;
/// Bytes of a name: of a file, which reports repeat at every access; of a kernel, a buffer, ..
inline constexpr std::size_t kMaxFileName = 1024, kMaxName = 4096, kMaxEntryName = std::size_t{1} << 16;
inline constexpr std::size_t kMaxArgument =
    std::size_t{1} << 24;  ///< In words: a table may have an address for each of its entries
/// Largest distance of a lane from the lowest active one, either way: address arithmetic with it does not
/// overflow.
inline constexpr std::int64_t kMaxOffset = std::int64_t{1} << 62;

/// Checks everything that the rest of the program relies on without looking: each index lies in the table it
/// points into, columns are equally long, events and patterns are sorted, orders count up from 0 in each
/// warp, phases do not go back, masks are not empty and name no lane beyond the block, dimensions are not 0
/// and keep to the limits above, a matrix lies inside its buffer, and no two buffers overlap. Totals are
/// those of their patterns, phases add up to what the sites add up to, and no site has more events than
/// requests. What loads from a file has passed it, and what is saved must. The error says which site, event,
/// .. it is.
[[nodiscard]] Result<Done> validate(const Recording& recording);

}  // namespace warplens
