// The ladder's kernels are shipped as PTX for the oldest GPU that runs them, and replayed under the rules of
// all architectures.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernels/catalog/catalog.h"

namespace warplens {
namespace {

std::string ptx_for(const std::filesystem::path& source, const std::string& architecture) {
  const std::filesystem::path out = std::filesystem::temp_directory_path() /
                                    (source.stem().string() + "." + architecture + ".warplens_test.ptx");
  const std::string command =
      "nvcc -O3 -ptx -arch=" + architecture + " '" + source.string() + "' -o '" + out.string() + "'";
  if (std::system(command.c_str()) != 0) return "nvcc failed";
  std::ifstream file(out);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(".target ")) text += line + '\n';
  }
  std::filesystem::remove(out);
  return text;
}

TEST(LadderPtx, IsTheSameForItsOldestGpuAndHopper) {
  if (std::system("nvcc --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "skipped: there is no nvcc on the PATH";
  const std::filesystem::path folder =
      std::filesystem::path(WARPLENS_TEST_DATA).parent_path().parent_path() / "kernels" / "ladder";
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    const std::string_view ptx = ladder_ptx(entry.path().filename().string());
    if (ptx.find("\n.target sm_90a") != std::string_view::npos) continue;  // For one GPU only
    ++kernels;
    const int capability = ladder_capability(entry.path().filename().string());
    const std::string oldest = ptx_for(entry.path(), "compute_" + std::to_string(capability));
    ASSERT_NE(oldest, "nvcc failed") << entry.path();
    EXPECT_EQ(oldest, ptx_for(entry.path(), "compute_90")) << entry.path();
  }
  EXPECT_GE(kernels, 15);
}

}  // namespace
}  // namespace warplens
