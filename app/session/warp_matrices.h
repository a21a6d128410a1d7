// The registers that the selected warp multiplies matrices in: found by replaying its block, on a thread of
// its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "kernels/recording/matrix_operands.h"

namespace warplens::app {

/// Replays the selected block of the recorded launch. Null without instructions on matrices; errors: the
/// launch cannot be replayed, as one of a file that does not have its arguments.
[[nodiscard]] Result<std::shared_ptr<const WarpMatrices>> warp_matrices(const Loaded& loaded,
                                                                        const Selection& selection,
                                                                        replay::Progress* progress = nullptr);

/// Keeps those of one warp until another one is asked for.
class WarpMatricesFinder {
 public:
  /// Starts when the warp or the recording changes; `wake` is called on the finder's thread when it is done.
  void follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection,
              const std::function<void()>& wake);
  /// Null until they are found.
  [[nodiscard]] std::shared_ptr<const WarpMatrices> found() const;
  /// Why there are none; empty while they are looked for.
  [[nodiscard]] std::string failed() const;

 private:
  struct Key {
    std::shared_ptr<const Loaded> loaded;
    std::uint32_t event_block = 0, warp = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Job {
    std::mutex mutex;
    std::shared_ptr<const WarpMatrices> found;  ///< With the mutex locked
    std::string failed;                         ///< The same
    replay::Progress progress;
    std::jthread thread;  // Last: it uses the rest
    ~Job() { progress.cancel = true; }
  };
  Key key_;
  std::unique_ptr<Job> job_;
};

}  // namespace warplens::app
