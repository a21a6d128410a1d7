// A product on this machine's processor, verified and timed: what a launch of a kernel is on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/cpu_products.h"
#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"

namespace warplens::measure {

/// A product as if it were a kernel of the catalogue: its id and its sizes. It has no source file, and
/// nothing replays it.
[[nodiscard]] KernelDescriptor cpu_descriptor(CpuProduct product);

struct CpuRun {
  std::vector<double> milliseconds;  ///< Of each timed run
  bool verified = false;             ///< C, poisoned before, was right in every element
};

/// What is said while runs take long.
struct CpuProgress {
  std::uint64_t runs_done = 0;    ///< Timed ones; 0 while it warms up
  std::uint64_t runs_wanted = 0;  ///< How many there will be, as it looks now
  double seconds_each =
      0;  ///< So far; before the first run an estimate, from a product of 256 x 256 x 256 at most
};

/// A problem that make_problem has passed. Runs it once to warm up and verifies what that gave, then times
/// `runs` runs; if not given, 20 at least and for 0.2 s at least, but not beyond 10 s once there are 3. `say`
/// is called before the first run and after each.
[[nodiscard]] CpuRun run_product(CpuProduct product, const Problem& problem,
                                 std::optional<std::uint64_t> runs,
                                 const std::function<void(const CpuProgress&)>& say);

}  // namespace warplens::measure
