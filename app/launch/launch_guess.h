// A launch for a kernel that says little or nothing about it.
#pragma once

#include "app/kernel_file/kernel_file.h"
#include "app/launch/launch.h"

namespace warplens::app {

/// The form with what it leaves out guessed, and marked so: sizes 256; blocks of the largest size that the
/// kernel allows, up to 256 threads, square where it reads threadIdx.y; as many blocks as cover the sizes;
/// buffers as large as the blocks at the grid's corners are seen to reach into them. What cannot be guessed
/// (a struct) stays out. `launch`: of FileEntry::launches, which host code makes. Replays up to eight blocks:
/// takes some ten milliseconds, or until `progress` is cancelled.
[[nodiscard]] LaunchForm completed(LaunchForm form, const KernelFile& file, const FileEntry& entry,
                                   replay::Progress* progress = nullptr, std::size_t launch = 0);

/// A launch of one of the file's kernels, as its comment says, or as the host code's launch of that index
/// (FileEntry::launches), completed. Rules, engine and threads are those
/// of `like`. The error: what its comment says is no launch.
[[nodiscard]] Result<LaunchRequest> launch_of_entry(const KernelFile& file, const FileEntry& entry,
                                                    const LaunchRequest& like,
                                                    replay::Progress* progress = nullptr,
                                                    std::size_t launch = 0);

}  // namespace warplens::app
