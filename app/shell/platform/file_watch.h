// Notices that a file was changed by another program.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

namespace warplens::app {

class FileWatch {
 public:
  /// `wake` is called on a thread of its own when the file has changed.
  explicit FileWatch(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Watches this file, as it is now, and no other; an empty path: none.
  void watch(const std::filesystem::path& file);
  /// Whether it has been changed since it was last asked, or since watching began.
  [[nodiscard]] bool take_change() { return changed_.exchange(false); }

 private:
  static constexpr std::chrono::milliseconds kInterval{500};
  std::function<void()> wake_;
  std::atomic<bool> changed_{false};
  std::jthread thread_;  // Last: it uses the rest
};

}  // namespace warplens::app
