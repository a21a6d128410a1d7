// A process that is spoken to over its standard input and output. Private to app/worker.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::worker {

constexpr std::size_t kPieceBytes = 256u << 10;  ///< Read from a stream at a time

class Process {
 public:
  Process() = default;
  Process(Process&& other) noexcept { swap(other); }
  Process& operator=(Process&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Kills what still runs.
  ~Process();

  /// The program's path, or its name to be looked for in the PATH, and its arguments. Standard error stays
  /// this process's own.
  [[nodiscard]] static Result<Process> start(const std::vector<std::string>& command);

  [[nodiscard]] bool running() const { return pid_ > 0; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Both of its streams: a socket that does not block.
  [[nodiscard]] int stream() const { return stream_; }
  /// Closes the stream, kills what has not ended by itself within `grace`, and says how it ended: "its worker
  /// was stopped by signal 11 (Segmentation fault)".
  std::string end(std::chrono::milliseconds grace);

 private:
  void swap(Process& other) noexcept;
  pid_t pid_ = 0;
  int stream_ = -1;
};

}  // namespace warplens::worker
