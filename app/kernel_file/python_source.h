// The GPU kernels that a Python file has, as its text says: nothing is imported or run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compile/signatures.h"

namespace warplens::app {

enum class PythonKernelKind : unsigned char { triton, numba, cupy, cupy_elementwise };

struct PythonKernel {
  std::string name;
  PythonKernelKind kind = PythonKernelKind::triton;
  std::uint32_t line = 0;  ///< Of its name: from 1
  std::vector<compile::SourceParameter> parameters =
      {};                                ///< Of Triton and Numba the types are annotations: "tl.constexpr"
  std::string template_arguments = {};   ///< Of CUDA C++
  std::string launch = {};               ///< What its `warplens:` comment says; empty: it has none
  bool is_launched = false;              ///< The file has `NAME[grid](..)`
  bool is_called = false;                ///< Another kernel calls it, and the file does not launch it
  std::optional<std::size_t> cuda = {};  ///< Its source, of PythonSource::cuda; nullopt: it has none, or one
                                         ///< that is made when the program runs
};

/// A string that is CUDA C++: an argument of cupy.RawKernel or cupy.RawModule.
struct PythonCuda {
  /// Each line is the Python file's of that number, but that lines are added where one of Python's has
  /// several of CUDA C++. #line directives say so to the compiler.
  std::string text;
  std::vector<std::uint32_t> lines;    ///< By line of `text`: that of the Python file
  std::vector<std::string> instances;  ///< Of templates, that the file asks for: "mm<16>"
};

struct PythonSource {
  std::vector<PythonKernel> kernels;  ///< In the order of their lines
  std::vector<PythonCuda> cuda;

  /// By its name, without template arguments; null: there is none.
  [[nodiscard]] const PythonKernel* find(std::string_view name) const;
};

/// Reads kernels of Triton (`@triton.jit`), Numba (`@cuda.jit`) and CuPy (RawKernel, RawModule,
/// ElementwiseKernel), under whatever names the file imports these. What is not Python gives what can be made
/// of it.
[[nodiscard]] PythonSource read_python(std::string_view text);

/// Whether a path names Python, by its extension.
[[nodiscard]] bool is_python_file(const std::filesystem::path& path);

/// "Triton", "Numba", "CuPy".
[[nodiscard]] const char* name_of(PythonKernelKind kind);

}  // namespace warplens::app
