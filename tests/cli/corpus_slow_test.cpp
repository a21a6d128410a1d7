// Every recording of every corpus, sound or made to do harm, is opened by every command that opens one. Each
// run is a process of its own, which ends in time, in bounded memory, and by itself.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/session/loaded.h"
#include "app/session/navigation.h"
#include "app/session/subject.h"
#include "kernels/recording/file.h"
#include "viz/export/export.h"

namespace warplens::app {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

constexpr unsigned kSeconds = kSanitized ? 120 : 10;
constexpr long kMegabytes = kSanitized ? 4096 : 512;  // A sanitizer keeps several bytes for each

const std::filesystem::path kData = WARPLENS_TEST_DATA;

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : {kData / "recordings", kData / ".." / "fuzz" / "corpus" / "recording"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

struct Ended {
  int status = 0;  ///< As wait4 says it
  long megabytes = 0;
};

/// In a process of its own. A run that computes for too long ends by a signal, however busy the machine is.
Ended run_alone(const std::function<int()>& run) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit computing{kSeconds, kSeconds};
    setrlimit(RLIMIT_CPU, &computing);
    _exit(run());
  }
  Ended ended;
  rusage usage{};
  EXPECT_EQ(wait4(child, &ended.status, 0, &usage), child);
  ended.megabytes = usage.ru_maxrss / 1024;
  return ended;
}

int export_every_view(const std::filesystem::path& file, const std::filesystem::path& folder) {
  Result<Recording> recording = load(file);
  if (!recording.ok()) return 0;
  const std::shared_ptr<const Loaded> loaded =
      make_loaded(*std::move(recording), {9, 0}, file, nullptr, MachineCode::made);
  viz::ExportRequest request{
      .subject = subject_of(*loaded, opening_selection(*loaded)), .width = 480, .height = 300};
  for (const viz::View& view : viz::views()) {
    request.view = view.id;
    for (const std::string_view extension : viz::kExtensions) {
      static_cast<void>(viz::export_view(request, folder / (request.view + std::string(extension))));
    }
  }
  return 0;
}

class Corpus : public testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("warplens_corpus_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void expect_sound_end(const std::vector<std::string>& arguments) {
    std::string said = "warplens";
    for (const std::string& argument : arguments) said += " " + argument;
    SCOPED_TRACE(said);
    expect_sound_end([&] {
      std::ofstream nowhere("/dev/null");
      return run_cli(arguments, nowhere, nowhere);
    });
  }
  static void expect_sound_end(const std::function<int()>& run) {
    const Ended ended = run_alone(run);
    ASSERT_TRUE(WIFEXITED(ended.status)) << "ended by signal " << WTERMSIG(ended.status);
    EXPECT_LE(WEXITSTATUS(ended.status), 2);
    EXPECT_LE(ended.megabytes, kMegabytes);
  }

  std::filesystem::path folder_;
};

TEST_P(Corpus, IsReported) {
  expect_sound_end({"report", GetParam()});
  expect_sound_end({"report", "--json", GetParam()});
}

TEST_P(Corpus, IsCompared) {
  const std::string sound = kData / "recordings" / "sample_1_0.wlr";
  expect_sound_end({"compare", GetParam(), GetParam()});
  expect_sound_end({"compare", GetParam(), sound});
  expect_sound_end({"compare", "--json", sound, GetParam()});
}

TEST_P(Corpus, IsExported) {
  expect_sound_end({"export", GetParam(), "--view", "banks", "--width", "480", "--height", "300", "-o",
                    folder_ / "banks.svg"});
  // All views at once, as most of the time goes into opening the file; and small, as most of what a PNG takes
  // is the same for all: filling its pixels.
  expect_sound_end([&] { return export_every_view(GetParam(), folder_); });
}

std::string name_of_case(const testing::TestParamInfo<std::filesystem::path>& file) {
  std::string name = file.param.stem().string();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryRecording, Corpus, testing::ValuesIn(recordings()), name_of_case);

}  // namespace
}  // namespace warplens::app
