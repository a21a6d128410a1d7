// The options that say which kernel of the ladder to record, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/session/session.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct RecordOptions {
  std::optional<std::uint64_t> size, m, p, n;
  std::vector<std::string> parameters;  ///< "T=16"
  std::string value_type = "f32";
  std::string engine = "cpu";
  std::string blocks = "all";
  std::vector<Option> all;  ///< To see whether any was given

  void add_to(const Command& command);
  void add_problem_to(const Command& command);  ///< What says which problem, without where and how much of it runs
  /// The size that was chosen; nullopt: the kernel's own, or it has none and none was given.
  [[nodiscard]] std::optional<std::uint64_t> extent(const KernelDescriptor& kernel, char name) const;
  [[nodiscard]] bool given() const;
};

/// "T=16" and the like.
[[nodiscard]] Result<std::vector<NamedValue>> parse_parameters(const std::vector<std::string>& texts);

/// Checks all that can be checked without running: what is wrong here is a misuse.
[[nodiscard]] Result<RecordRequest> make_request(const std::string& kernel, const RecordOptions& options, analysis::ComputeCapability cc);

/// Of a name that `--engine` takes.
[[nodiscard]] Engine engine_of(const std::string& name);

}  // namespace warplens::app
