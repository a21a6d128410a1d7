// The recordings that the window holds: the one on screen, and those that were there before it and after it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/launch/launch_menus.h"
#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "kernels/gpu/run.h"

namespace warplens::app {

/// A recording, and what is selected in it.
struct Shown {
  std::shared_ptr<const Loaded> loaded;  ///< Null: nothing has been recorded or opened yet
  Selection selection;
  LaunchMenus menus;  ///< What the launch row said of it
  std::optional<gpu::RunResult>
      run;  ///< The launch on the GPU, the latest that was right; of kernels of the catalogue
};

/// What a recording takes of memory, nearly.
[[nodiscard]] std::uint64_t bytes_of(const Recording& recording);

/// As a browser keeps pages: a new recording stands behind the one on screen, and what had been gone back
/// from is forgotten. Others than that on screen take at most so much memory: the oldest are forgotten.
class Recordings {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{512} << 20;
  explicit Recordings(std::uint64_t most_bytes = kMaxBytes) : most_bytes_(most_bytes) {}
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }

  [[nodiscard]] const Shown& current() const { return shown_[at_]; }
  [[nodiscard]] Selection& selection() { return shown_[at_].selection; }

  /// One of the same launch as that on screen takes its place, whichever block is drawn.
  void add(Shown shown);
  /// The recording on screen by other rules. Nothing is done where another one is on screen by now.
  void replace_current(std::shared_ptr<const Loaded> loaded);
  /// What came of the verification of a recording, wherever it stands by now.
  void take_verdict(const Recording& recording, Verifying verifying, std::optional<bool> verified = {});

  /// From the oldest; that on screen is one of them. Without a recording if there is none yet.
  [[nodiscard]] const std::vector<Shown>& all() const { return shown_; }
  /// Keeps a right result beside the recordings that it is of.
  void note_run(const gpu::RunResult& run);
  [[nodiscard]] std::size_t size() const { return current().loaded ? shown_.size() : 0; }
  [[nodiscard]] bool can_go_back() const { return at_ > 0; }
  [[nodiscard]] bool can_go_forward() const { return at_ + 1 < shown_.size(); }
  /// Forgets the recording on screen; that before it is there then, if there is one.
  void drop_current();
  void go_back() { at_ -= can_go_back() ? 1 : 0; }
  void go_forward() { at_ += can_go_forward() ? 1 : 0; }

 private:
  void forget_beyond_limit();

  std::uint64_t most_bytes_;
  std::vector<Shown> shown_{1};  ///< Never empty
  std::size_t at_ = 0;
};

/// Whether what is selected in one recording means the same in another: both are of one kernel, and of blocks
/// with as many accesses.
[[nodiscard]] bool comparable(const Recording& a, const Recording& b);

}  // namespace warplens::app
