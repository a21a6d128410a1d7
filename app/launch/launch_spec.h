// A whole launch in one word: what `compare` takes two of, and a scene of a lesson one.
#pragma once

#include <optional>
#include <string>

#include "app/launch/launch_words.h"

namespace warplens::app {

struct LaunchSpec {
  std::string subject;  ///< As KERNEL|FILE elsewhere
  LaunchWords words;
  std::optional<analysis::ComputeCapability> cc;
};

/// "tiled:T=16,size=256,cc=1.0": a subject, and behind a colon its values. size, m, p, n, type, entry and cc
/// are as the command line's options of those names, others parameters of the kernel. What it says nothing of
/// is as in `defaults`. A file of that whole name is taken as that. The error is a misuse.
[[nodiscard]] Result<LaunchSpec> parse_launch_spec(const std::string& text, const LaunchWords& defaults);

}  // namespace warplens::app
