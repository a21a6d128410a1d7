#include "app/worker/process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::worker {
namespace {

std::string ending_in_words(int status) {
  if (WIFEXITED(status))
    return tr("its worker ended with exit status {status}", "status"_a = WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return tr("its worker was stopped by signal {number} ({name})", "number"_a = signal,
            "name"_a = strsignal(signal));
}

/// 0, or the error's number.
int spawn(pid_t& pid, const std::vector<std::string>& command, int stream) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  posix_spawn_file_actions_adddup2(&actions, stream, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, stream, STDOUT_FILENO);
  const int error = posix_spawnp(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Process::~Process() {
  if (running()) end(std::chrono::milliseconds(0));
}

void Process::swap(Process& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(stream_, other.stream_);
}

Result<Process> Process::start(const std::vector<std::string>& command) {
  // Closed on exec, or a later worker would keep the stream of this one open, which then never learns of our
  // end.
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{tr("no worker can be started: {reason}", "reason"_a = strerror(errno)), "",
                 tr("Close other programs, and try again.")};
  }
  Process process;
  process.stream_ = ends[0];
  const int error = spawn(process.pid_, command, ends[1]);
  close(ends[1]);
  if (error == 0) return process;
  process.pid_ = 0;
  close(std::exchange(process.stream_, -1));
  return Error{tr("no worker can be started: {reason}", "reason"_a = strerror(error)), command.front(),
               tr("Close other programs, and try again.")};
}

std::string Process::end(std::chrono::milliseconds grace) {
  using SteadyClock = std::chrono::steady_clock;
  constexpr auto kBetweenLooks = std::chrono::milliseconds(2);
  close(std::exchange(stream_, -1));
  const auto deadline = SteadyClock::now() + grace;
  int status = 0;
  pid_t ended = waitpid(pid_, &status, WNOHANG);
  while (ended == 0 && SteadyClock::now() < deadline) {
    std::this_thread::sleep_for(kBetweenLooks);
    ended = waitpid(pid_, &status, WNOHANG);
  }
  if (ended == 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = 0;
  return ending_in_words(status);
}

}  // namespace warplens::worker
