// PTX of kernels written in Python, made by importing the file that has them: this runs that file. It runs in
// the confined process of the compilers (job.h), with their limits, and without a GPU.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/compile/limits.h"

namespace warplens::compile {

struct PythonRequest {
  std::string kind;              ///< "triton" or "numba"
  std::filesystem::path python;  ///< The interpreter (python_for)
  std::filesystem::path file;
  std::string kernel;
  std::string architecture;                      ///< "compute_80" or "sm_80"
  std::map<std::string, std::string> types;      ///< By parameter, as Triton or Numba writes them: "*fp32",
                                                 ///< "i32", "float32[:]"
  std::map<std::string, std::string> constants;  ///< By parameter: numbers, or words
  std::vector<std::filesystem::path> readable;   ///< Folders that may be read with all below them
  Limits limits;
  const std::atomic<bool>* cancelled = nullptr;
};

struct PythonPtx {
  std::string ptx, ttir;  ///< Numba has no TTIR
  std::string metadata;   ///< JSON: Triton's own; of Numba `parameters`, those of the PTX: `name`, `type`
                          ///< ("f32"), `pointer`, and a `value` where that follows from its type
};

/// The interpreter that a file is imported with: that of the virtual environment that is active
/// ($VIRTUAL_ENV), of `.venv` or `venv` in one of the folders, else the first python3 in PATH. Empty: none.
[[nodiscard]] std::filesystem::path python_for(const std::vector<std::filesystem::path>& folders);

/// Imports the file and compiles its kernel, one of Triton or Numba, for the architecture. What is not said
/// of its parameters is read out of its code: constants that have a value in its defaults or in the first
/// configuration of autotune, pointers to floats, or arrays, where it loads or stores, else 32-bit integers.
/// The error has the last line that Python printed.
[[nodiscard]] Result<PythonPtx> compile_python(const PythonRequest& request);

}  // namespace warplens::compile
