#include "app/shell/platform/file_watch.h"

#include <condition_variable>
#include <mutex>

namespace warplens::app {
namespace {

using FileTime = std::filesystem::file_time_type;

std::optional<FileTime> time_of(const std::filesystem::path& file) {
  std::error_code error;
  const FileTime time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

}  // namespace

void FileWatch::watch(const std::filesystem::path& file) {
  thread_ = {};  // Joins
  changed_ = false;
  if (file.empty()) return;
  thread_ = std::jthread([this, file, seen = time_of(file)](const std::stop_token& stop) mutable {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any stopped;
    while (!stopped.wait_for(lock, stop, kInterval, [&] { return stop.stop_requested(); })) {
      const std::optional<FileTime> now = time_of(file);
      if (!now || now == seen) continue;  // One that is gone may be on its way to be replaced
      seen = now;
      changed_ = true;
      wake_();
    }
  });
}

}  // namespace warplens::app
