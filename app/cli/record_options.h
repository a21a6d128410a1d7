// The options that say which kernel of the ladder to record, and how.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct RecordOptions {
  std::uint64_t size = 256;
  std::optional<std::uint64_t> m, p, n;
  std::vector<std::string> parameters;  ///< "T=16"
  std::string value_type = "f32";
  std::string engine = "cpu";
  std::string blocks = "all";
  std::vector<CLI::Option*> all;  ///< To see whether any was given

  void add_to(CLI::App& command);
  [[nodiscard]] bool given() const;
};

/// Checks all that can be checked without running: what is wrong here is a misuse.
[[nodiscard]] Result<RecordRequest> make_request(const std::string& kernel, const RecordOptions& options, analysis::ComputeCapability cc);

/// Errors for an engine that this build has not.
[[nodiscard]] Result<Done> check_engine(const std::string& engine);

}  // namespace warplens::app
