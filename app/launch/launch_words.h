// A launch in words, as the command line's options and lessons say it: a kernel of the ladder by its sizes,
// or one of a file by its grid, block and arguments. From the words follows the LaunchRequest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/launch/launch.h"
#include "kernels/base/dim3.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// What KERNEL|FILE names. The name of a kernel of the ladder comes first.
enum class SubjectKind : std::uint8_t { catalog_kernel, kernel_file, recording };
[[nodiscard]] SubjectKind kind_of(const std::string& subject);

/// Options of the compiler, as a command line has them.
struct CompilerWords {
  std::vector<std::string> folders, definitions, undefined, headers;  ///< -I, -D, -U, -include
  std::string standard;                                               ///< -std
  std::optional<std::uint64_t> most_registers;                        ///< -maxrregcount
  bool fast_math = false, extended_lambda = false, relaxed_constexpr = false;
  [[nodiscard]] bool said() const;
};
/// "-I/home/me/include -DTILE=32": what a LaunchForm takes. Relative folders are those of the working
/// directory.
[[nodiscard]] Result<std::string> options_of(const CompilerWords& words);

/// What is empty, or has no value, was not said.
struct LaunchWords {
  // Of a kernel of the ladder, or a file whose comment says its launch
  std::optional<std::uint64_t> size, m, p, n;
  std::vector<std::string> parameters;  ///< "T=16"
  std::string value_type;               ///< The kernel's first if not said
  // Of a file's kernel
  std::string entry, grid, block, cluster, architecture;
  std::optional<std::uint64_t> shared_bytes;
  std::vector<std::string> arguments, variables;
  std::vector<std::filesystem::path> source_folders;
  std::optional<std::uint64_t>
      source_launch;  ///< Of the launches that the source makes of the kernel, from 1
  std::optional<std::uint64_t> compile_seconds;
  bool run_python = false;
  CompilerWords compiler;
  // Of both
  std::string engine;  ///< cpu if not said
  std::string blocks;  ///< all if not said
  bool whole = false;
  std::optional<std::uint64_t> limit;

  /// The size that was chosen; nullopt: the kernel's own, or it has none and none was given.
  [[nodiscard]] std::optional<std::uint64_t> extent(const KernelDescriptor& kernel, char name) const;
  [[nodiscard]] Result<BlockChoice> block_choice() const;
  /// Whether anything was said at all.
  [[nodiscard]] bool said() const;
  /// Whether a size, a parameter or the type was said.
  [[nodiscard]] bool problem_said() const;
  /// Whether anything was said that a file's kernel alone takes.
  /// Grid, block, sizes or arguments.
  [[nodiscard]] bool launch_said() const;
  [[nodiscard]] bool file_said() const;
};

/// "8", "8,8" or "8,8,4": an extent, each part at least 1.
[[nodiscard]] Result<Dim3> parse_extent(const std::string& text);

/// "T=16" and the like.
[[nodiscard]] Result<std::vector<NamedValue>> parse_parameters(const std::vector<std::string>& texts);

/// What the words say of the launch of a file's kernel. What they leave out, the file's `// warplens:`
/// comment says.
[[nodiscard]] Result<LaunchForm> launch_form_of(const LaunchWords& words);

/// The launch of a kernel of the ladder, or of a file. Checks all that can be checked without running: what
/// is wrong here is a misuse.
[[nodiscard]] Result<LaunchRequest> make_request(SubjectKind kind, const std::string& subject,
                                                 const LaunchWords& words, analysis::ComputeCapability cc);

}  // namespace warplens::app
