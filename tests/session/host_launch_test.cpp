// Programs as courses write them, and the launches that their `main` makes. The first line of each says
// which.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/session/guesses.h"
#include "app/session/launch_guess.h"
#include "app/session/loaded.h"
#include "kernels/compile/compile.h"

namespace warplens::app {
namespace {

const std::filesystem::path kPrograms = std::filesystem::path(WARPLENS_TEST_DATA) / "programs";

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kPrograms))
    names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class Programs : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  }
};

std::string guessed_in(const LaunchForm& form) {
  std::string names;
  for (const FormField* field : {&form.grid, &form.block, &form.shared}) {
    if (field->guessed) names += " " + field->name;
  }
  for (const FormField& field : form.fields) {
    if (field.guessed || field.has_guessed_contents) names += " " + field.name;
  }
  return names.empty() ? names : "; guessed:" + names;
}

TEST_P(Programs, FirstLaunchIsThatOfMain) {
  const std::filesystem::path path = kPrograms / (GetParam() + ".cu");
  std::ifstream file(path);
  std::string expected;
  std::getline(file, expected);
  const Result<KernelFile> opened = open_kernel_file(path);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  ASSERT_FALSE(opened->ptx.empty()) << error_of(*opened).message();
  const FileEntry* const entry = first_entry(*opened);
  ASSERT_NE(entry, nullptr);
  const Result<LaunchRequest> request = launch_of_entry(*opened, *entry, {});
  ASSERT_TRUE(request.ok()) << request.error().message();
  EXPECT_EQ("// " + entry->plain_name + ": " + text_of(*request->form) + guessed_in(*request->form),
            expected);
  Result<Recording> recording = record(*request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const Guesses guesses = guesses_of(*request);
  (void)take_doubtful(recording->findings, guesses);
  EXPECT_EQ(guesses.of_figures() || guesses.of_bounds(), !guessed_in(*request->form).empty());
  EXPECT_TRUE(recording->findings.empty());
}

INSTANTIATE_TEST_SUITE_P(OfCourses, Programs, testing::ValuesIn(programs()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace warplens::app
