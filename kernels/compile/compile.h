// CUDA C++ to PTX, on this machine: by NVRTC, a library that takes a tenth of a second; by nvcc for what
// NVRTC does not take, such as host code.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/compile/limits.h"
#include "kernels/compile/options.h"

namespace warplens::compile {

/// The oldest that CUDA 13 compiles for. Every GPU that it knows takes PTX for it, and that of the ladder is
/// for it.
inline constexpr const char* kOldestArchitecture = "compute_75";
/// The architecture to compile for so that the code is that of a compute capability: the newest of CUDA 13.0
/// (`nvcc --list-gpu-arch`) that is not newer, or the oldest.
[[nodiscard]] std::string architecture_of(int cc_major, int cc_minor);

struct Source {
  std::string
      name;  ///< "mm.cu": as messages and the line table are to name it, the latter by name_in_line_table
  std::string text;              ///< CUDA C++, of kernels alone or of a whole program
  std::filesystem::path folder;  ///< Where `#include "..."` looks; empty: nowhere
  /// Folders that `#include` may read with all below them, besides `folder` and those of the system and the
  /// toolkit: a source of somebody else's reads no other files of the user's.
  std::vector<std::filesystem::path> readable;
  /// "mm<16>": instances of templates that the source does not ask for itself.
  std::vector<std::string> instances;
  std::string architecture = kOldestArchitecture;
  Options options;
  /// Whether a call of a function of the host's is an error also in a function for both: nvcc warns of it,
  /// and makes code that does anything.
  bool runs_host_functions = false;
  Limits limits;
  const std::atomic<bool>* cancelled =
      nullptr;  ///< Set by another thread: the compiler is stopped within a moment
};

/// The name of the symbolic link by which nvcc reaches Source::folder.
inline constexpr const char* kIncludeLink = "warplens_include";

enum class Severity : std::uint8_t { error, warning, remark };

/// What a compiler has to say about a line, in its own words.
struct Message {
  Severity severity = Severity::error;
  std::string file;          ///< As the compiler names it, without folders
  std::uint32_t line = 0;    ///< From 1; 0: of no line
  std::string text;          ///< One line or more
  bool is_left_out = false;  ///< A kernel, or a function that kernels call, is not in the PTX
  friend bool operator==(const Message&, const Message&) = default;
};

struct Compiled {
  std::string ptx;  ///< With line table; empty: there are errors among the messages
  std::vector<Message> messages;
  std::string compiler;  ///< "NVRTC 13.0", "nvcc 13.0"
  double seconds = 0;    ///< What the compiler took
};

/// What the line table calls a source: the file's name, with `_` for characters that PTX cannot have in a
/// string.
[[nodiscard]] std::string name_in_line_table(const std::filesystem::path& file);

/// Whether nvcc may know an architecture by that name: "compute_90", "sm_90a".
[[nodiscard]] bool is_architecture(const std::string& text);

/// Compiles as `nvcc -O3 -lineinfo -ptx` does. Takes 50 to 500 ms with NVRTC, seconds with nvcc, for which it
/// waits. Any thread.
///
/// What is wrong in the source is among the messages of the result. An error: there is no compiler, it could
/// not be run, or it was cancelled.
[[nodiscard]] Result<Compiled> compile(const Source& source);

/// The first of its errors, as a command line shows it.
[[nodiscard]] Error error_of(const Compiled& compiled, const Source& source);

/// What there is to compile with: "NVRTC 13.0 (path), nvcc 13.0 (path)"; empty: nothing.
[[nodiscard]] std::string compilers();

/// The messages in what a compiler of NVIDIA printed: "mm.cu(12): error: ...".
[[nodiscard]] std::vector<Message> parse_messages(const std::string& log);

}  // namespace warplens::compile
