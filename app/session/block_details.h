// What a replay of the selected block tells beyond the recording: found on a thread of its own.
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
#include "kernels/recording/block_details.h"

namespace warplens::app {

/// Of which blocks details are asked for.
enum class DetailsOf : std::uint8_t { block, cluster };

/// Replays the selected block of the recorded launch, or one after the other the recorded blocks of its
/// cluster, unless the recording keeps what the last replay found of them. Null if the recording has no such
/// block; errors: the launch cannot be replayed, as one of a file that does not have its arguments.
[[nodiscard]] Result<std::shared_ptr<const BlockDetails>> block_details(const Loaded& loaded,
                                                                        const Selection& selection,
                                                                        DetailsOf of = DetailsOf::block,
                                                                        replay::Progress* progress = nullptr);

/// Keeps the details of one warp's block until those of another one are asked for.
class BlockDetailsFinder {
 public:
  /// Starts when the warp or the recording changes; `wake` is called on the finder's thread when it is done.
  void follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection, DetailsOf of,
              const std::function<void()>& wake);
  /// Null until they are found.
  [[nodiscard]] std::shared_ptr<const BlockDetails> found() const;
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
    std::shared_ptr<const BlockDetails> found;  ///< With the mutex locked
    std::string failed;                         ///< The same
    replay::Progress progress;
    std::jthread thread;  // Last: it uses the rest
    ~Job() { progress.cancel = true; }
  };
  Key key_;
  std::unique_ptr<Job> job_;
};

}  // namespace warplens::app
