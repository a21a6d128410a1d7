// Programs as courses write them, and the launches that their `main` makes. The first line of each says
// which.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/launch/guesses.h"
#include "app/launch/launch_guess.h"
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

// A comment names folders as a build does: what lies outside of the project is not read for it.
TEST(HostLaunch, HeadersOutsideTheProjectAreNotRead) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "warplens_host_launch";
  std::filesystem::create_directories(folder / "project");
  std::filesystem::create_directories(folder / "other");
  std::ofstream(folder / "other" / "size.h") << "const int kThreads = 96;\n";
  std::ofstream(folder / "project" / "mine.h") << "const int kBlocks = 5;\n";
  std::ofstream(folder / "project" / "k.cu")
      << "// warplens: -I" << (folder / "other").string()
      << "\n__global__ void k(float* a) { a[threadIdx.x] = 1; }\n"
      << "#if !defined(__CUDACC_RTC__) && !defined(__CUDA_ARCH__)\n#include \"mine.h\"\n#include "
         "\"size.h\"\n#endif\n"
      << "int main() { float* a; cudaMalloc(&a, 4096); k<<<kBlocks, kThreads>>>(a); }\n";
  const Result<KernelFile> opened = open_kernel_file(folder / "project" / "k.cu");
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  ASSERT_EQ(opened->kernels.size(), 1u);
  ASSERT_EQ(opened->kernels[0].launches.size(), 1u);
  EXPECT_EQ(opened->kernels[0].launches[0].grid, "5");
  EXPECT_EQ(opened->kernels[0].launches[0].block, "?") << "it was read from a folder of others";
}

TEST(HostLaunch, HeadersAreFoundAsTheCompilerFindsThem) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "warplens_host_launch_project";
  std::filesystem::create_directories(folder / "src" / "kernels");
  std::filesystem::create_directories(folder / "common" / "sizes");
  std::ofstream(folder / "Makefile") << "";
  std::ofstream(folder / "common" / "sizes" / "blocks.h") << "#include \"threads.h\"\n#define BLOCKS 7\n";
  std::ofstream(folder / "common" / "sizes" / "threads.h") << "const int kThreads = 160;\n";
  std::ofstream(folder / "src" / "kernels" / "k.cu")
      << "#include <sizes/blocks.h>\n__global__ void k(float* a) { a[threadIdx.x] = 1; }\n"
      << "int main() { float* a; cudaMalloc(&a, 4096); k<<<BLOCKS, kThreads>>>(a); }\n";
  const Result<KernelFile> opened = open_kernel_file(folder / "src" / "kernels" / "k.cu");
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  ASSERT_EQ(opened->kernels.size(), 1u);
  ASSERT_EQ(opened->kernels[0].launches.size(), 1u);
  EXPECT_EQ(opened->kernels[0].launches[0].grid, "7");
  EXPECT_EQ(opened->kernels[0].launches[0].block, "160");
}

INSTANTIATE_TEST_SUITE_P(OfCourses, Programs, testing::ValuesIn(programs()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace warplens::app
