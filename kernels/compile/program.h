// Other programs, run and waited for. Private to kernels/compile.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::compile {

/// A folder of one's own for files of a moment; gone with this. `path()` is empty where there is no room for one.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs a program, given by its path, with what it prints going to a file. Its exit status; -1: it was killed; that it is with all that it started
/// once it has taken two minutes, or another thread sets `cancelled`. The error: it cannot be started.
[[nodiscard]] Result<int> run_program(const std::vector<std::string>& command, const std::filesystem::path& output,
                                      const std::atomic<bool>* cancelled = nullptr);

/// What was cancelled says so by this.
[[nodiscard]] Error stopped();

/// A file's contents; empty where it cannot be read.
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

}  // namespace warplens::compile
