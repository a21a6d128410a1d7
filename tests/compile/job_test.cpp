#include "kernels/compile/job.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "kernels/compile/compile.h"
#include "kernels/compile/confinement.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A folder whose name a shell would run, and which TMPDIR names while it lives.
class OddTemporaryFolder {
 public:
  OddTemporaryFolder()
      : path_(fs::canonical(fs::temp_directory_path()) /
              ("warplens test $(touch PWNED)`touch PWNED`;'\"" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", path_.c_str(), 1);
  }
  ~OddTemporaryFolder() {
    before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1);
    fs::remove_all(path_);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  std::string before_;
};

Job script(const std::string& text) {
  Job job;
  job.files = {{"script", text}};
  job.commands = {{.arguments = {"/bin/sh", "script"}, .log = "log"}};
  job.outputs = {"log"};
  return job;
}

bool runs(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string id, name, state;
  stat >> id >> name >> state;
  return !state.empty() && state != "Z";
}

template <class Condition>
bool within_seconds(int seconds, Condition condition) {
  for (int i = 0; i < seconds * 200; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

/// A file in a folder of the test's own, which jobs may write to by a link.
class JobTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string first_line(const std::string& name) const {
    std::ifstream file(folder_ / name);
    std::string line;
    std::getline(file, line);
    return line;
  }
  const fs::path folder_ =
      fs::canonical(fs::temp_directory_path()) / ("warplens_job_" + std::to_string(getpid()));
};

TEST_F(JobTest, ReturnsStatusAndOutputs) {
  const Result<JobResult> result = run_job(script("echo said; exit 3"));
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->status, 3);
  EXPECT_EQ(result->outputs.at("log"), "said\n");
}

TEST_F(JobTest, EndsAtTheFirstCommandThatFails) {
  Job job = script("exit 1");
  job.commands.push_back({.arguments = {"/bin/echo", "second"}, .log = "log"});
  EXPECT_TRUE(run_job(job)->outputs.empty());
}

TEST_F(JobTest, ReportsAProgramThatIsNotThere) {
  Job job = script("");
  job.commands = {{.arguments = {"/usr/bin/there-is-no-such-program"}, .log = "log"}};
  EXPECT_EQ(run_job(job).error().what,
            "there-is-no-such-program cannot be started: No such file or directory");
}

TEST_F(JobTest, CancellingKillsAllProcesses) {
  std::atomic<bool> cancelled{false};
  std::atomic<bool> ended{false};
  Job job = script("sleep 1000 & echo $! > /proc/self/fd/1; wait");
  job.limits.time = 100s;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(300ms);
    cancelled = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const Result<JobResult> result = run_job(job, &cancelled);
  ended = true;
  EXPECT_FALSE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST_F(JobTest, TimeLimitIsNamed) {
  Job job = script("sleep 1000");
  job.limits.time = 1s;
  EXPECT_EQ(run_job(job).error().what, "sh was stopped after 1 s, its limit");
}

TEST_F(JobTest, MemoryLimitIsNamed) {
  Job job = script("yes | tr -d '\\n' | tail -n 1");  // tail keeps the whole of a line that does not end
  job.limits.memory_bytes = std::uint64_t{1} << 30;
  EXPECT_EQ(run_job(job).error().what, "sh was stopped: it takes more than 1 GB of memory, its limit");
}

TEST_F(JobTest, ProcessLimitIsNamed) {
  Job job = script("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; wait");
  job.limits.processes = 5;
  EXPECT_EQ(run_job(job).error().what, "sh was stopped: it runs more than 5 processes, its limit");
}

/// The program is killed while a compiler runs: neither the compiler nor its folder stays.
TEST_F(JobTest, NothingStaysWhenTheProgramIsKilled) {
  for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
    const fs::path temporary = folder_ / ("temporary" + std::to_string(number));
    fs::create_directories(temporary);
    const pid_t program = fork();
    if (program == 0) {
      setenv("TMPDIR", temporary.c_str(), 1);
      static_cast<void>(!run_job(script("sleep 1000 & echo $!; echo $$; wait")).ok());
      _exit(0);
    }
    fs::path log;
    ASSERT_TRUE(within_seconds(20, [&] {
      for (const fs::directory_entry& job : fs::directory_iterator(temporary)) log = job.path() / "log";
      std::error_code error;
      return !log.empty() && fs::file_size(log, error) > 2 && !error;
    }));
    std::ifstream file(log);
    pid_t sleeper = 0, shell = 0;
    file >> sleeper >> shell;
    ASSERT_GT(sleeper, 0);
    kill(program, number);
    waitpid(program, nullptr, 0);
    EXPECT_TRUE(within_seconds(10, [&] { return !runs(sleeper) && (shell == 0 || !runs(shell)); })) << number;
    EXPECT_TRUE(within_seconds(10, [&] { return fs::is_empty(temporary); })) << number;
  }
}

TEST_F(JobTest, OnlyNamedFoldersAreReadable) {
  if (!can_confine()) GTEST_SKIP() << "skipped: this kernel has no Landlock";
  fs::create_directories(folder_ / "below");
  std::ofstream(folder_ / "secret") << "secret\n";
  std::ofstream(folder_ / "below" / "header") << "header\n";
  Job job =
      script("cat link/header; cat link/../secret; cat /etc/passwd; cat /proc/self/environ; touch link/new");
  job.links = {{"link", folder_ / "below"}};
  job.readable = {folder_ / "below"};
  const Result<JobResult> result = run_job(job);
  ASSERT_TRUE(result.ok()) << result.error().message();
  const std::string& log = result->outputs.at("log");
  EXPECT_EQ(log.find("header\n"), 0u) << log;
  EXPECT_NE(log.find("cat: link/../secret: Permission denied"), std::string::npos) << log;
  EXPECT_NE(log.find("cat: /etc/passwd: Permission denied"), std::string::npos) << log;
  EXPECT_NE(log.find("cat: /proc/self/environ: Permission denied"), std::string::npos) << log;
  EXPECT_FALSE(fs::exists(folder_ / "below" / "new"));
}

TEST_F(JobTest, ArgumentsForAShellAreRefused) {
  for (const char* const text : {"$(touch PWNED)", "`touch PWNED`", "a;b", "a\nb", "a'b", "a\"b", "a|b",
                                 "a&b", "a>b", "a\\b", "a*b", "~"}) {
    EXPECT_FALSE(is_safe_for_shell(text)) << text;
    Job job = script("");
    job.commands.front().arguments.push_back(text);
    EXPECT_FALSE(run_job(job).ok()) << text;
  }
  EXPECT_TRUE(is_safe_for_shell("/usr/local/cuda-13.0/bin/nvcc"));
}

/// Whatever compiles, with what in its source, name, folder, architecture or instances, runs no command.
TEST_F(JobTest, NothingThatIsCompiledRunsACommand) {
  if (compilers().empty()) GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  const OddTemporaryFolder temporary;
  const fs::path before = fs::current_path();
  fs::current_path(temporary.path());
  const std::string host_code =
      "#include <map>\nstd::map<int, int> m;\n";  // With which NVRTC fails, and nvcc is asked
  for (const char* const name : {"min$(touch PWNED)", "b`touch PWNED`", "q\";touch PWNED;\"", "a'b", "-run",
                                 "new\nline", "=cmd", "back\\slash"}) {
    const std::string odd = name;
    const fs::path folder = temporary.path() / odd;
    fs::create_directories(folder);
    std::ofstream(folder / "one.h") << "#define ONE 1\n";
    const Source source{
        .name = odd + ".cu",
        .text = host_code +
                "#include \"one.h\"\ntemplate <int T> __global__ void k(float* a) { *a = ONE + T; }\n",
        .folder = folder,
        .readable = {folder},
        .instances = {"k<1>"}};
    const Result<Compiled> compiled = compile(source);
    ASSERT_TRUE(compiled.ok()) << odd << ": " << compiled.error().message();
    EXPECT_NE(compiled->ptx.find(".entry _Z1kILi1EEvPf"), std::string::npos)
        << odd << ": " << error_of(*compiled, source).message();
    for (const std::string& wrong : {"compute_75;" + odd, "compute_75 -o " + odd, odd}) {
      Source other = source;
      other.architecture = wrong;
      EXPECT_FALSE(compile(other).ok()) << wrong;
    }
    Source other = source;
    other.instances = {"k<" + odd + ">"};
    EXPECT_TRUE(!compile(other).ok() || compile(other)->ptx.empty()) << odd;
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(temporary.path())) {
    EXPECT_NE(entry.path().filename(), "PWNED") << entry.path();
  }
  fs::current_path(before);
}

}  // namespace
}  // namespace warplens::compile
