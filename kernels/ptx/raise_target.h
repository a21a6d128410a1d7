// PTX for GPUs whose lanes have schedules of their own.
#pragma once

#include <string>
#include <string_view>

namespace warplens::ptx {

/// `text` for sm_75 where it was for an architecture before sm_70, on which lanes of a warp that have parted
/// cannot wait for each other; else as it is. Its version is at least 6.3 then, the first that knows sm_75.
/// With `needs_old` it is just that, the last that takes `shfl` and `vote` without
/// `.sync` there (PTX ISA).
[[nodiscard]] std::string raise_target(std::string_view text, bool needs_old);

}  // namespace warplens::ptx
