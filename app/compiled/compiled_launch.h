// What following a launch through machine code needs to know of a ladder kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"
#include "kernels/catalog/workload.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// The descriptor of the kernel that the recording is of, if that is the one of this build; else why there is
/// no machine code of it.
[[nodiscard]] Result<const KernelDescriptor*> kernel_with_listing(const Recording& recording);

/// The recorded kernel's problem. With `p`, that one instead of the recording's.
[[nodiscard]] Result<Problem> problem_of(const KernelDescriptor& kernel, const Recording& recording,
                                         const std::vector<NamedValue>& parameters, std::uint64_t p);

/// Lays parameters out as the driver does, from sass::parameters_offset(architecture) on: each aligned to its
/// own size, as CUDA 13.0 has CUtensorMap, too. `base_of` gives a buffer's address.
[[nodiscard]] std::vector<std::byte> parameter_bytes(
    const Workload& workload, const std::string& architecture,
    const std::function<std::uint64_t(std::uint32_t buffer)>& base_of);

/// "what (where)"
[[nodiscard]] std::string reason(const Error& error);

}  // namespace warplens::app
