// One kernel of a Python file as PTX, or as CUDA C++ to compile. Private to app/kernel_file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/kernel_file/kernel_file.h"
#include "app/kernel_file/python_source.h"
#include "kernels/base/result.h"
#include "kernels/compile/python.h"

namespace warplens::app {

struct PythonUnit {
  PythonCuda cuda;                          ///< CUDA C++ to compile; empty: there is PTX
  std::string ptx;                          ///< Made by Triton or Numba
  std::string compiler;                     ///< Of the PTX: "Triton 3.9.0"
  std::string architecture;                 ///< Of the PTX: "sm_90"
  std::vector<KernelParameter> parameters;  ///< In the order of the PTX's; empty: their names are not known
  std::string launch;      ///< What the comment says, and what the compiler knows: "block=128 shared=4096"
  std::uint32_t line = 0;  ///< Of a kernel of the PTX
};

/// The part of a Python file that has the kernel that is wanted, or if none is named its only kernel, or the
/// only one that says how it is launched. Unless `wishes` allow to run it, nothing is imported: PTX is what
/// this program has made of the file before, else what Triton's cache has.
///
/// The error: there is no such kernel, or it has no source to compile and no PTX was made of it.
[[nodiscard]] Result<PythonUnit> python_unit(const std::filesystem::path& file, const std::string& text,
                                             const FileWishes& wishes);

/// What Triton's cache has of a kernel: $TRITON_CACHE_DIR, else ~/.triton/cache. The newest that was made of
/// these lines of the file, for `architecture` where that is not empty.
[[nodiscard]] Result<PythonUnit> cached_triton_unit(const std::filesystem::path& file,
                                                    const std::string& text, const PythonKernel& kernel,
                                                    const std::string& architecture);
/// With what Triton writes besides the PTX. nullopt: it is damaged.
[[nodiscard]] std::optional<PythonUnit> triton_unit(compile::PythonPtx made, const PythonKernel& kernel);

/// What importing the file has made of a kernel: now, or before, of the same text.
[[nodiscard]] Result<PythonUnit> imported_unit(const std::filesystem::path& file, const std::string& text,
                                               const PythonKernel& kernel, const FileWishes& wishes);
/// The latest of those that were made before; nullopt: none was.
[[nodiscard]] std::optional<PythonUnit> unit_imported_before(const std::filesystem::path& file,
                                                             const std::string& text,
                                                             const PythonKernel& kernel);

}  // namespace warplens::app
