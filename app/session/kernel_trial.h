// A kernel of the catalogue tried out with parameters of one's choice: what the view Playground replays one
// block of, and the GPU is timed with.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session/loaded.h"
#include "app/session/selection.h"

namespace warplens::app {

struct KernelTrial {
  std::string kernel = "bank_stride";
  std::vector<NamedValue>
      values;  ///< Sizes and parameters by their names; what is missing is as the kernel's descriptor says
  analysis::ComputeCapability cc{9, 0};
  friend bool operator==(const KernelTrial&, const KernelTrial&) = default;
};

/// Returns the kernels that have parameters, in the ladder's order.
[[nodiscard]] const std::vector<const KernelDescriptor*>& tried_kernels();
/// The sizes that it may be tried at, of each of its extents: such that a launch keeps a GPU busy for a
/// while.
[[nodiscard]] const std::vector<std::int64_t>& trial_sizes(const KernelDescriptor& kernel);
/// With its parameters as they are by default, at a size of trial_sizes.
[[nodiscard]] KernelTrial trial_of(const KernelDescriptor& kernel, analysis::ComputeCapability cc);
/// The same with another value of a size or parameter that it names.
[[nodiscard]] KernelTrial with_value(KernelTrial trial, const std::string& name, std::int64_t value);

/// The launch, of which one block of the middle is replayed and drawn.
[[nodiscard]] Result<LaunchRequest> launch_of(const KernelTrial& trial);
[[nodiscard]] Result<std::shared_ptr<const Loaded>> recorded(const KernelTrial& trial,
                                                             replay::Progress* progress = nullptr);
/// The first of the runs on a GPU that was of it; nullptr: none was.
[[nodiscard]] const gpu::RunResult* run_of(const KernelTrial& trial, const std::vector<gpu::RunResult>& runs);

/// An access of the source: what stands for it where other parameters make other instructions of it.
struct SourceAccess {
  std::uint32_t line = 0;  ///< Of the kernel's file
  std::string words;       ///< "shared load of as"
  friend bool operator==(const SourceAccess&, const SourceAccess&) = default;
};
/// Returns the accesses of a recording by line.
[[nodiscard]] std::vector<SourceAccess> source_accesses(const Recording& recording);
/// Where the recording opens; at the costliest of that access's events, if the warp that it opens at makes
/// it.
[[nodiscard]] Selection at_access(const Loaded& loaded, const std::optional<SourceAccess>& access);

/// Records on a thread of its own; what is no longer wanted ends early.
class TrialRecorder {
 public:
  /// Starts when the trial changes; `wake` is then called, on the recorder's thread, when it is recorded.
  void follow(const KernelTrial& trial, const std::function<void()>& wake);
  /// The outcome of the trial last followed, once: nullopt while there is none.
  [[nodiscard]] std::optional<Result<std::shared_ptr<const Loaded>>> take();
  [[nodiscard]] bool busy() const { return job_ != nullptr; }

 private:
  struct Job {
    ~Job() { progress.cancel = true; }  // Before the thread is waited for
    std::optional<Result<std::shared_ptr<const Loaded>>> outcome;
    std::atomic<bool> done{false};
    replay::Progress progress;
    std::jthread thread;  // Last: it uses the rest
  };
  std::optional<KernelTrial> followed_;
  std::unique_ptr<Job> job_;
};

}  // namespace warplens::app
