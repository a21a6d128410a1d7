// Each exercise is right as it is, and seen to be wrong with the mistake made.
#include "session/exercises.h"

#include <gtest/gtest.h>

#include "app/kernel_file/kernel_file.h"

namespace warplens::app {
namespace {

class Exercises : public testing::TestWithParam<Exercise> {
 protected:
  void SetUp() override {
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  }
  static LaunchRequest request(const std::string& text, const char* form = "") {
    LaunchRequest request;
    FileKernel kernel{.file = file_of(GetParam()), .entry = GetParam().kernel};
    kernel.cuda = text;
    request.origin = std::move(kernel);
    request.form = *parse_form(form);
    return request;
  }
};

TEST_P(Exercises, SeededErrorsAreFound) {
  const std::string right = text_of(GetParam());
  const Result<Recording> good = record(request(right));
  ASSERT_TRUE(good.ok()) << good.error().message();
  EXPECT_EQ(good->verified, true);
  EXPECT_TRUE(good->findings.empty()) << good->findings.front().text;

  std::string wrong = right;
  const std::size_t at = wrong.rfind(GetParam().right);
  ASSERT_NE(at, std::string::npos);
  wrong.replace(at, std::string(GetParam().right).size(), GetParam().wrong);
  const Result<Recording> bad = record(request(wrong));
  ASSERT_TRUE(bad.ok()) << bad.error().message();
  EXPECT_TRUE(bad->verified == false || !bad->findings.empty());
}

INSTANTIATE_TEST_SUITE_P(Courses, Exercises, testing::ValuesIn(kExercises),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace warplens::app
