// A worker for the tests of the window: this very program, started anew, which answers as one with a GPU
// would. Its figures are made up.
#pragma once

#include <string>
#include <vector>

namespace warplens::app {

// The extents m that it takes for something else than a size.
inline constexpr unsigned kFaults = 13, kCrashes = 14, kHangs = 15, kForbidden = 16;

/// The command of a worker that finds a GPU ("gpu"), or does not ("none").
[[nodiscard]] std::vector<std::string> gpu_worker(const std::string& kind);
/// What `main` does when it is started as one; -1 if it was not.
[[nodiscard]] int run_as_gpu_worker(const std::vector<std::string>& arguments);

}  // namespace warplens::app
