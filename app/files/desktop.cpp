#include "app/files/desktop.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// In a session of its own, so that Ctrl+C in a terminal reaches this program alone, and silent: xdg-open
/// asks each file manager that it knows, and many complain. 0, or the error's number.
int spawn_silently(pid_t& pid, char* const* arguments) {
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  int error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK));
    error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::optional<Error> open_on_desktop(const std::filesystem::path& folder) {
  std::string program = "xdg-open", argument = folder.string();
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  pid_t pid = 0;
  if (const int error = spawn_silently(pid, arguments); error != 0) {
    return Error{tr("xdg-open cannot be started: {reason}", "reason"_a = strerror(error)), folder.string(),
                 tr("Install xdg-utils, or copy the path and open the folder yourself.")};
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return Error{tr("xdg-open could not open the folder"), folder.string(),
               tr("Copy the path and open the folder yourself.")};
}

}  // namespace warplens::app
