// How commands come by recordings (KERNEL|FILE: recorded now, or loaded) and print them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/launch/launch_words.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// The recording, or nothing after saying why on the context. `event_blocks` as in LaunchRequest; a loaded
/// recording has what it has. Where all blocks make more accesses than are kept, those of one are: of
/// `drawn`, or of the middle.
[[nodiscard]] std::optional<Recording> load_or_record(Context& context, const std::string& subject,
                                                      const LaunchWords& words,
                                                      analysis::ComputeCapability cc,
                                                      const std::optional<BlockChoice>& event_blocks,
                                                      const std::optional<Dim3>& drawn = std::nullopt);

/// The launch, or nothing after saying why on the context. Ctrl+C ends it: then that is where it was, and
/// with it goes what was found until then.
[[nodiscard]] std::optional<LaunchResult> launch_until_interrupted(Context& context,
                                                                   const LaunchRequest& request);

/// The recording's file that a subject names; empty where it names a kernel.
[[nodiscard]] std::filesystem::path path_of(const std::string& subject);

/// Says on the error stream which sources of a file's kernel are missing in the report, and in a recording
/// that is kept.
void tell_unread_sources(Context& context, const std::vector<UnreadSource>& sources);

/// What the kernel printed, on `err`: a line each, with block and thread.
void tell_messages(Context& context, const Recording& recording);

/// Prints the report of a recording: for people, or as JSON. `blocks` are those it is of, if not all and
/// known; `file` is where it lies.
void print_report(Context& context, const Recording& recording, analysis::ComputeCapability cc, bool json,
                  const std::optional<std::vector<Dim3>>& blocks = std::nullopt,
                  const std::filesystem::path& file = {});

}  // namespace warplens::app
