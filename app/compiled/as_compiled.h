// A recording's kernel as machine code: the listing for the family of a compute capability, and what its
// instructions access in the same launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/recording/recording.h"
#include "kernels/sass/listing.h"
#include "kernels/sass/mix.h"
#include "viz/analysis/as_compiled.h"
#include "viz/analysis/totals.h"

namespace warplens::app {

/// How much of a launch's machine code is analysed.
/// at_hand: uses a listing that exists already, and counts executed instructions if blocks are small.
/// Compiles and replays nothing. made: does everything, which can take seconds: compiles a file's kernel,
/// executes large blocks, and where the machine code stores less than the PTX, replays the launch to compare
/// the results of both.
enum class MachineCode : std::uint8_t { made, at_hand };

struct AsCompiled {
  std::string architecture;     ///< "sm_90"; empty if no machine code stands for the compute capability
  std::string why_no_listing;   ///< Then nothing else is here either
  bool left_for_later = false;  ///< There is no listing, or are no counts, because of MachineCode::at_hand
  std::string why_no_counts;    ///< Empty if what comes after the function holds
  sass::Function function;
  std::vector<std::string> files;  ///< That the function's instructions name

  std::vector<std::uint64_t> executed;  ///< By instruction: how often a warp executed it
  bool tries_again = false;             ///< See sass::SymbolicExecution
  Recording accesses;  ///< Sites (Site::instruction in `function`), shapes, totals, files; no events
  analysis::Report report;
  sass::InstructionMix mix;                   ///< Of all that was executed
  std::optional<sass::Loop> loop;             ///< The innermost loop that most of it belongs to
  std::optional<sass::InstructionMix> inner;  ///< Of that loop

  [[nodiscard]] bool has_listing() const { return why_no_listing.empty(); }
  [[nodiscard]] bool has_counts() const { return has_listing() && why_no_counts.empty(); }
  [[nodiscard]] const std::string& why_not() const { return has_listing() ? why_no_counts : why_no_listing; }
  /// "sass sm_90"
  [[nodiscard]] std::string source() const { return "sass " + architecture; }
};

/// Launches of more instructions are not followed: it would take minutes. Of a file's recording, seconds:
/// nobody has run what it says.
inline constexpr std::uint64_t kMaxInstructionsToFollow = 5'000'000'000,
                               kMaxInstructionsOfFile = 1'000'000'000;

/// `blocks`: those that were replayed, if not all and not those that the recording keeps events of.
[[nodiscard]] AsCompiled as_compiled(const Recording& recording, analysis::ComputeCapability cc,
                                     const std::optional<std::vector<Dim3>>& blocks = std::nullopt,
                                     const std::atomic<bool>* cancelled = nullptr,
                                     std::uint64_t max_instructions = kMaxInstructionsToFollow,
                                     MachineCode effort = MachineCode::made);

}  // namespace warplens::app
