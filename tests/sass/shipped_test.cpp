// What is under assets/sass and assets/fatbin against what this build has embedded: made by nvdisasm and nvcc
// where they are there.
#include <gtest/gtest.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "kernels/catalog/catalog.h"

namespace warplens::sass {
namespace {

std::string decompressed(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string frame(std::istreambuf_iterator<char>(file), {});
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::string text(std::size_t{1} << 22, '\0');
  ZSTD_inBuffer input{frame.data(), frame.size(), 0};
  ZSTD_outBuffer output{text.data(), text.size(), 0};
  EXPECT_EQ(ZSTD_decompressStream(context.get(), &output, &input), 0u) << path;
  text.resize(output.pos);
  return text;
}

// Where this build's PTX is the shipped one, most of either are copies of the shipped ones, which shows only
// that they are embedded; tools/check-all.sh makes all of them anew.
TEST(Shipped, ListingsAreThoseOfThisBuild) {
  const std::filesystem::path folder = std::filesystem::path(WARPLENS_TEST_DATA) / "../../assets/sass";
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    for (const int number : {75, 86, 90}) {
      if (number < ladder_capability(kernel.source_file)) continue;
      const std::string architecture = "sm_" + std::to_string(number);
      const std::string name =
          std::filesystem::path(kernel.source_file).stem().string() + "." + architecture + ".sass.zst";
      const Result<std::string> embedded = ladder_listing(kernel.source_file, architecture);
      ASSERT_TRUE(embedded.ok()) << embedded.error().message();
      EXPECT_TRUE(decompressed(folder / name) == *embedded)
          << name << " is not up to date: run tools/dev/update-ptx.sh";
    }
  }
}

TEST(Shipped, MachineCodeIsThatOfThisBuild) {
  const std::filesystem::path folder = std::filesystem::path(WARPLENS_TEST_DATA) / "../../assets/fatbin";
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    const std::string name = std::filesystem::path(kernel.source_file).stem().string() + ".fatbin.zst";
    const std::string embedded = ladder_fatbin(kernel.source_file);
    EXPECT_FALSE(embedded.empty()) << name;
    EXPECT_TRUE(decompressed(folder / name) == embedded)
        << name << " is not up to date: run tools/dev/update-ptx.sh";
  }
}

}  // namespace
}  // namespace warplens::sass
