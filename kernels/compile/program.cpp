#include "kernels/compile/program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostOutput = 256u << 20;
constexpr auto kPatience = std::chrono::minutes(2);

/// 0, or the error's number.
int spawn(pid_t& pid, const std::vector<std::string>& command, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;  // A group of its own: nvcc starts others, which go with it
  int error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    error = posix_spawn(&pid, arguments.front(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int wait_for(pid_t pid, const std::atomic<bool>* cancelled) {
  const auto deadline = Clock::now() + kPatience;
  int status = 0;
  pid_t ended = 0;
  while (ended == 0) {
    ended = waitpid(pid, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (ended == 0 && (Clock::now() > deadline || (cancelled != nullptr && *cancelled))) {
      kill(-pid, SIGKILL);
      ended = waitpid(pid, &status, 0);
    }
  }
  return ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "warplens-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

Error stopped() {
  return {tr("stopped"), "", ""};
}

Result<int> run_program(const std::vector<std::string>& command, const fs::path& output, const std::atomic<bool>* cancelled) {
  pid_t pid = 0;
  const int error = spawn(pid, command, output);
  if (error == 0) return wait_for(pid, cancelled);
  return Error{tr("{program} cannot be started: {reason}", "program"_a = fs::path(command.front()).filename().string(), "reason"_a = strerror(error)),
               command.front(), tr("Install the CUDA Toolkit anew.")};
}

std::string text_of(const fs::path& path) {
  const Result<std::vector<std::byte>> bytes = read_file(path, kMostOutput);
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string();
}

}  // namespace warplens::compile
