#include "kernels/compile/job.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/compile/compiler_process.h"
#include "kernels/compile/job_messages.h"
#include "kernels/compile/supervisor.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

/// Whether main has called run_as_compiler_process.
bool g_can_start_supervisor = false;

/// A process started again from this program's own file, and a socket to it. The supervisor ends when the
/// socket closes.
class SupervisorProcess {
 public:
  SupervisorProcess() = default;
  SupervisorProcess(const SupervisorProcess&) = delete;
  SupervisorProcess& operator=(const SupervisorProcess&) = delete;
  ~SupervisorProcess() {
    if (socket_ >= 0) close(socket_);
    while (pid_ > 0 && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  /// 0, or the error's number.
  int start() {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    socket_ = ends[0];
    const int error = spawn(ends[1]);
    close(ends[1]);
    return error;
  }
  [[nodiscard]] int socket() const { return socket_; }

 private:
  int spawn(int socket) {
    std::string program = "/proc/self/exe", argument = kCompilerProcessArgument;
    char* const arguments[] = {program.data(), argument.data(), nullptr};
    posix_spawn_file_actions_t actions;
    if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error == 0) {
      // Ctrl+C in a terminal reaches all processes of a group: the supervisor has one of its own, and cleans
      // up.
      posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
      error = posix_spawn(&pid_, program.c_str(), &actions, &attributes, arguments, environ);
      if (error != 0) pid_ = 0;
      posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }

  pid_t pid_ = 0;
  int socket_ = -1;
};

Error error_of(const JobEnding& ending, const Limits& limits) {
  using Kind = JobEnding::Kind;
  const std::string program = fs::path(ending.program).filename().string();
  const auto with = [&](const std::string& what) {
    return Error{what, "", tr("Compile less at once, or outside of Warplens.")};
  };
  switch (ending.kind) {
    case Kind::exited: break;
    case Kind::no_folder:
      return {
          tr("the compilers have no temporary folder: {reason}", "reason"_a = strerror(ending.status)), "",
          tr("Make room there, or set TMPDIR to a folder whose path has letters, digits and `/._-` only.")};
    case Kind::cannot_start:
      return {tr("{program} cannot be started: {reason}", "program"_a = program,
                 "reason"_a = strerror(ending.status)),
              ending.program, tr("Reinstall the CUDA Toolkit.")};
    case Kind::time_limit:
      return {tr("{program} was stopped after {seconds} s, its limit", "program"_a = program,
                 "seconds"_a = limits.time.count()),
              "", tr("Raise the limit with --compile-timeout, or compile outside of Warplens.")};
    case Kind::memory_limit:
      return with(tr("{program} was stopped: it takes more than {gigabytes} GB of memory, its limit",
                     "program"_a = program, "gigabytes"_a = limits.memory_bytes >> 30));
    case Kind::process_limit:
      return with(tr("{program} was stopped: it runs more than {n} processes, its limit",
                     "program"_a = program, "n"_a = limits.processes));
  }
  return {tr("the compilers' process ended without an answer"), "", tr("Try again.")};
}

}  // namespace

Result<JobResult> run_job(const Job& job, const std::atomic<bool>* cancelled) {
  if (!g_can_start_supervisor) return Error{tr("this program cannot start compilers"), "", ""};
  for (const Command& command : job.commands) {
    for (const std::string& argument : command.arguments) {
      const bool reaches_shell = command.arguments.front() != kNvrtcProgram;
      if (!reaches_shell || is_safe_for_shell(argument)) continue;
      return Error{
          tr("`{text}` cannot be given to a compiler: only letters, digits, spaces and `/._-+=,:@%` can",
             "text"_a = argument),
          "", tr("Rename the folder that it names, or install the CUDA Toolkit elsewhere.")};
    }
  }
  SupervisorProcess supervisor;
  const int error = supervisor.start();
  if (error != 0)
    return Error{tr("no compiler can be started: {reason}", "reason"_a = strerror(error)), "",
                 tr("Close other programs, and try again.")};
  std::optional<nlohmann::json> answer;
  if (send_message(supervisor.socket(), message_of(job)))
    answer = receive_message(supervisor.socket(), cancelled);
  if (cancelled != nullptr && *cancelled) return cancelled_error();
  std::optional<JobEnding> ending;
  if (answer) ending = ending_of(*answer);
  if (!ending) return Error{tr("the compilers' process ended without an answer"), "", tr("Try again.")};
  if (ending->kind != JobEnding::Kind::exited) return error_of(*ending, job.limits);
  return JobResult{.status = ending->status, .outputs = std::move(ending->outputs)};
}

std::optional<int> run_as_compiler_process(int argc, const char* const* argv) {
  g_can_start_supervisor = true;
  if (argc != 2 || std::strcmp(argv[1], kCompilerProcessArgument) != 0) return std::nullopt;
  return supervise(STDIN_FILENO);
}

}  // namespace warplens::compile
