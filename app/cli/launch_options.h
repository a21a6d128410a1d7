// The options that say what to launch, and how: a kernel of the ladder by its sizes, or one of a file by its grid, block and arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/session/launch.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// What KERNEL|FILE on the command line names. The name of a kernel of the ladder comes first.
enum class SubjectKind : std::uint8_t { rung, kernel_file, recording };
[[nodiscard]] SubjectKind kind_of(const std::string& subject);

struct LaunchOptions {
  // Of a kernel of the ladder, or a file whose comment says its launch
  std::optional<std::uint64_t> size, m, p, n;
  std::vector<std::string> parameters;  ///< "T=16"
  std::string value_type = "f32";
  // Of a file's kernel
  std::string entry, grid, block, architecture;
  std::optional<std::uint64_t> shared_bytes;
  std::vector<std::string> arguments, variables;
  std::vector<std::filesystem::path> source_folders;
  // Of both
  std::string engine = "cpu";
  std::string blocks = "all";
  bool whole = false;
  std::optional<std::uint64_t> limit;

  void add_problem_to(const Command& command);
  void add_file_to(const Command& command, bool group);  ///< `group`: under a heading of their own in the help
  void add_engine_to(const Command& command);
  /// All of them.
  void add_to(const Command& command);

  /// The size that was chosen; nullopt: the kernel's own, or it has none and none was given.
  [[nodiscard]] std::optional<std::uint64_t> extent(const KernelDescriptor& kernel, char name) const;
  /// Whether a size, a parameter or the type was given.
  [[nodiscard]] bool problem_given() const;
  /// Whether any of the options was given.
  [[nodiscard]] bool given() const;

  std::vector<Option> of_problem, of_file, of_engine;  ///< To see which were given
};

/// "T=16" and the like.
[[nodiscard]] Result<std::vector<NamedValue>> parse_parameters(const std::vector<std::string>& texts);

/// The launch of a kernel of the ladder, or of a file. Checks all that can be checked without running: what is wrong here is a misuse.
[[nodiscard]] Result<LaunchRequest> make_request(SubjectKind kind, const std::string& subject, const LaunchOptions& options,
                                                 analysis::ComputeCapability cc);

}  // namespace warplens::app
