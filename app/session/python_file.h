// One kernel of a Python file as PTX, or as CUDA C++ to compile. Private to app/session.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/session/kernel_file.h"
#include "app/session/python_source.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct PythonUnit {
  PythonCuda cuda;                          ///< CUDA C++ to compile; empty: there is PTX
  std::string ptx;                          ///< Made by Triton
  std::string compiler;                     ///< Of the PTX: "Triton 3.9.0"
  std::string architecture;                 ///< Of the PTX: "sm_90"
  std::vector<KernelParameter> parameters;  ///< In the order of the PTX's; empty: their names are not known
  std::string launch;      ///< What the comment says, and what the compiler knows: "block=128 shared=4096"
  std::uint32_t line = 0;  ///< Of a kernel of the PTX
};

/// The part of a Python file that has the kernel `entry`, or if that is empty its only kernel, or the only
/// one that says how it is launched. Nothing is imported or run: PTX of Triton is what its cache has, the
/// newest that was made of this file, for `architecture` where that is not empty.
///
/// The error: there is no such kernel, or it has no source to compile and no PTX was made of it.
[[nodiscard]] Result<PythonUnit> python_unit(const std::filesystem::path& file, const std::string& text,
                                             const std::string& entry, const std::string& architecture);

/// What Triton's cache has of a kernel: $TRITON_CACHE_DIR, else ~/.triton/cache.
[[nodiscard]] Result<PythonUnit> cached_triton_unit(const std::filesystem::path& file,
                                                    const std::string& text, const PythonKernel& kernel,
                                                    const std::string& architecture);

}  // namespace warplens::app
