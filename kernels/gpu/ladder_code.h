// The ladder's kernels as code for the GPU.
#pragma once

#include <optional>
#include <string>

#include "kernels/catalog/catalog.h"
#include "kernels/gpu/module.h"

namespace warplens::gpu {

/// Why the GPU cannot launch a kernel: it lacks the compute capability that the kernel needs.
[[nodiscard]] std::optional<Error> why_too_old(const Gpu& gpu, const KernelDescriptor& kernel);

/// A kernel's module: from its machine code, or, where there is none, compiled from its PTX by the driver.
[[nodiscard]] Result<Module> load_ladder(const ContextPointer& context, const KernelDescriptor& kernel);

/// The mangled name of an entry that a plan names plainly: "_Z5tiledILi32EEvPKfS1_Pfiii" for "tiled<32>".
[[nodiscard]] Result<std::string> mangled_entry(const KernelDescriptor& kernel, const std::string& entry);

}  // namespace warplens::gpu
