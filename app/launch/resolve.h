// From a launch as a user wrote it to one in numbers: the file compiled, the form worked out.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>

#include "app/launch/launch.h"
#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/device.h"

namespace warplens::app {

/// The architecture that CUDA C++ of a launch is compiled for; empty: it is no CUDA C++.
[[nodiscard]] std::string architecture_of(const LaunchRequest& request);

/// The request with its CUDA C++ compiled for the machine's GPU where that one is older than the compute
/// capability of the rules, and so would not take the code.
[[nodiscard]] LaunchRequest compiled_for_gpu(LaunchRequest request, std::span<const gpu::Gpu> gpus);

/// The request with its form worked out (LaunchRequest::form): the file compiled where it is CUDA C++, and
/// grid, block and arguments as numbers. A request without a form comes back as it is, but for the compiling.
/// A kernel with both its CUDA C++ and its PTX is not compiled. The error says what does not compile, or
/// which field is wrong.
[[nodiscard]] Result<LaunchRequest> resolved(LaunchRequest request,
                                             const std::atomic<bool>* cancelled = nullptr);

/// The extents of the product that a launch, which has been worked out, is to be compared with; nullopt: none
/// is named.
[[nodiscard]] std::optional<Problem> product_of(const LaunchRequest& request);

}  // namespace warplens::app
