#include "kernels/compile/supervisor.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "kernels/base/files.h"
#include "kernels/compile/confinement.h"
#include "kernels/compile/job_messages.h"
#include "kernels/compile/nvrtc.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Kind = JobEnding::Kind;

constexpr std::uint64_t kMaxOutputBytes = 256u << 20;
constexpr rlim_t kMaxFileBytes = std::uint64_t{1} << 30;
constexpr int kWatchMilliseconds = 2;
constexpr auto kBetweenMeasurements = std::chrono::milliseconds(50);

std::string contents_of(const fs::path& path) {
  const Result<std::vector<std::byte>> bytes = read_file(path, kMaxOutputBytes);
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                    : std::string();
}

/// A temporary folder, removed with this. nvcc gives its path to a shell, so it lies in the user's folder for
/// temporary files only if that one's path is safe there, else in /tmp.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    for (const fs::path& parent : {fs::canonical(fs::temp_directory_path(error), error), fs::path("/tmp")}) {
      std::string name = (parent / "warplens-XXXXXX").string();
      if (parent.empty() || !is_safe_for_shell(name)) continue;
      if (mkdtemp(name.data()) == nullptr) continue;
      path_ = name;
      return;
    }
    error_ = errno;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }  ///< Empty: there is no room for one
  [[nodiscard]] int error() const { return error_; }            ///< Why not

 private:
  fs::path path_;
  int error_ = 0;
};

/// What compilers see of the environment: where programs and libraries are, and nvcc's own variables, as far
/// as they are safe for a shell.
std::vector<std::string> environment_of_compilers(const fs::path& folder) {
  std::vector<std::string> environment{"TMPDIR=" + folder.string(), "LC_ALL=C", "CCACHE_DISABLE=1"};
  std::string path;
  if (const char* const variable = std::getenv("PATH")) {
    std::string_view rest = variable;
    while (!rest.empty()) {
      const std::string entry(rest.substr(0, rest.find(':')));
      rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
      if (entry.starts_with('/') && is_safe_for_shell(entry)) path += (path.empty() ? "" : ":") + entry;
    }
  }
  environment.push_back("PATH=" + path);
  for (const char* const name :
       {"LD_LIBRARY_PATH", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && is_safe_for_shell(value)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

void limit(int resource, rlim_t value) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
  now.rlim_cur = std::min(value, now.rlim_max);
  setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

/// Becomes the command, in the child process. Returns the error's number if it cannot.
int become(const Command& command, const Job& job, const fs::path& folder) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kMaxFileBytes);
  limit(RLIMIT_CPU, static_cast<rlim_t>(job.limits.time.count()) * job.limits.processes);
  const int input = ::open("/dev/null", O_RDONLY),
            log = ::open((folder / command.log).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (input < 0 || log < 0 || chdir(folder.c_str()) != 0) return errno;
  if (dup2(input, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
    return errno;
  if (!confine(job.readable, folder)) return EPERM;
  if (command.arguments.front() == kNvrtcProgram) _exit(run_nvrtc(command.arguments));
  std::vector<std::string> environment = environment_of_compilers(folder), arguments = command.arguments;
  std::vector<char*> argument_pointers, environment_pointers;
  for (std::string& argument : arguments) argument_pointers.push_back(argument.data());
  for (std::string& variable : environment) environment_pointers.push_back(variable.data());
  argument_pointers.push_back(nullptr);
  environment_pointers.push_back(nullptr);
  execve(argument_pointers.front(), argument_pointers.data(), environment_pointers.data());
  return errno;
}

struct Usage {
  std::uint64_t memory_bytes = 0;
  std::uint32_t processes = 0;
};

/// Adds up what all processes of a group use, from /proc/[pid]/stat ("proc(5)"): after the name in
/// parentheses come the state, the parent and the group; the resident pages are the 22nd field after the
/// name.
Usage usage_of_group(pid_t group) {
  constexpr int kGroupField = 3, kResidentField = 22;
  Usage usage;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::ostringstream text;
    text << file.rdbuf();  // fails, without an exception, where the process has ended since
    const std::string line = text.str();
    std::string_view rest = line;
    rest.remove_prefix(std::min(rest.rfind(')'), rest.size()));
    std::array<std::int64_t, kResidentField + 1> fields{};
    for (int field = 0; field <= kResidentField && !rest.empty(); ++field) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      std::from_chars(word.data(), word.data() + word.size(), fields[static_cast<std::size_t>(field)]);
    }
    if (fields[kGroupField] != group) continue;
    ++usage.processes;
    usage.memory_bytes += static_cast<std::uint64_t>(fields[kResidentField]) *
                          static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  return usage;
}

bool has_closed(int socket) {
  pollfd watched{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return poll(&watched, 1, kWatchMilliseconds) > 0 &&
         (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

/// Starts a command: the child's id. 0: it could not be started, and `error` says why.
pid_t start(const Command& command, const Job& job, const fs::path& folder, int& error) {
  int failure[2] = {-1, -1};  // Closed by execve; else the child writes the error's number
  if (pipe2(failure, O_CLOEXEC) != 0) return error = errno, 0;
  const pid_t child = fork();
  if (child == 0) {
    const int number = become(command, job, folder);
    static_cast<void>(!write(failure[1], &number, sizeof number));
    _exit(1);
  }
  close(failure[1]);
  if (child < 0) error = errno;
  if (child > 0) setpgid(child, child);  // The child does so too: whoever comes first
  const bool is_program = command.arguments.front() != kNvrtcProgram;
  if (child > 0 && is_program && read(failure[0], &error, sizeof error) <= 0) error = 0;
  close(failure[0]);
  if (child <= 0 || error == 0) return std::max(child, 0);
  waitpid(child, nullptr, 0);
  return 0;
}

/// Waits until the command has ended, exceeds a limit or is no longer wanted, and kills all that is left of
/// it.
JobEnding watch(pid_t child, const Job& job, int socket, Clock::time_point deadline) {
  JobEnding ending;
  int status = 0;
  bool is_over = false;
  Clock::time_point next_measurement = Clock::now() + kBetweenMeasurements;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (has_closed(socket)) {
      is_over = true;
    } else if (Clock::now() > deadline) {
      ending.kind = Kind::time_limit;
    } else if (Clock::now() > next_measurement) {
      const Usage usage = usage_of_group(child);
      if (usage.memory_bytes > job.limits.memory_bytes) ending.kind = Kind::memory_limit;
      if (usage.processes > job.limits.processes) ending.kind = Kind::process_limit;
      next_measurement = Clock::now() + kBetweenMeasurements;
    }
    if (!is_over && ending.kind == Kind::exited) continue;
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    break;
  }
  kill(-child, SIGKILL);  // What it has left running
  ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ending;
}

JobEnding run(const Job& job, int socket) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return {.kind = Kind::no_folder, .status = folder.error()};
  for (const auto& [name, contents] : job.files) {
    std::ofstream file(folder.path() / name, std::ios::binary);
    if (!file.write(contents.data(), static_cast<std::streamsize>(contents.size())).flush())
      return {.kind = Kind::no_folder, .status = ENOSPC};
  }
  for (const auto& [name, target] : job.links) {
    std::error_code error;
    fs::create_directory_symlink(target, folder.path() / name, error);
  }
  const Clock::time_point deadline = Clock::now() + job.limits.time;
  JobEnding ending;
  for (const Command& command : job.commands) {
    int error = 0;
    const pid_t child = start(command, job, folder.path(), error);
    if (child == 0)
      return {.kind = Kind::cannot_start, .status = error, .program = command.arguments.front()};
    ending = watch(child, job, socket, deadline);
    ending.program = command.arguments.front();
    if (ending.kind != Kind::exited || ending.status != 0) break;
  }
  for (const std::string& output : job.outputs) {
    std::string contents = contents_of(folder.path() / output);
    if (!contents.empty()) ending.outputs.emplace(output, std::move(contents));
  }
  return ending;
}

}  // namespace

int supervise(int socket) {
  signal(SIGPIPE, SIG_IGN);
  const std::optional<nlohmann::json> message = receive_message(socket);
  const std::optional<Job> job = message ? job_of(*message) : std::nullopt;
  if (!job || job->commands.empty()) return 1;
  return send_message(socket, message_of(run(*job, socket))) ? 0 : 1;
}

}  // namespace warplens::compile
