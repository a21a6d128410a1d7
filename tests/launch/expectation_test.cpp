// What a launch says that it leaves in its buffers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/kernel_file/kernel_file.h"
#include "app/launch/launch.h"

namespace warplens::app {
namespace {

constexpr const char* kScale = R"cu(struct Scale { float factor; int offset; float4 unused; };
void scaled(const float* in, float* out, Scale scale, int n, long long twice) {
  for (int i = 0; i < n; ++i) out[i] = scale.factor * in[i] + scale.offset + twice - 2 * n;
}
void beyond(float* out, int n) { out[n] = 1; }
void takes_more(float* out, int missing) {}
void reads_only(const float* in) {}
template <class T> void of_any(T* out) {}
void on_the_host(float* out) { system("ls"); }
// warplens: grid=1 block=32 n=32 twice=2*n in=f32[n]:iota out=f32[n] scale.factor=2 scale.offset=3 scale.unused=0,0,0,0
__global__ void scale(const float* in, float* out, Scale scale, int n) { out[threadIdx.x] = scale.factor * in[threadIdx.x] + scale.offset; }
)cu";

class Expectations : public testing::Test {
 protected:
  void SetUp() override {
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
    folder_ = std::filesystem::temp_directory_path() / ("warplens_expectation_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "scale.cu") << kScale;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] Result<Recording> expecting(const std::string& form) const {
    LaunchRequest request;
    request.origin = FileKernel{.file = folder_ / "scale.cu"};
    request.form = *parse_form(form);
    return record(request);
  }
  /// Of the kernel's results, from `begin` on.
  void write_npy(const std::string& name, float begin, std::size_t count = 32) const {
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream file(folder_ / name, std::ios::binary);
    file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header;
    for (std::size_t i = 0; i < count; ++i) {
      const float value = begin + 2 * static_cast<float>(i);
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  static std::string what(const Result<Recording>& recording) {
    return recording.ok() ? "" : recording.error().message();
  }
  std::filesystem::path folder_;
};

TEST_F(Expectations, ReferenceFunctionVerifiesResult) {
  const Result<Recording> right = expecting("expect=cpu:scaled");
  ASSERT_TRUE(right.ok()) << right.error().message();
  EXPECT_EQ(right->verified, true);
  EXPECT_EQ(expecting("expect=cpu:scaled twice=2*n+1")->verified, false);
  EXPECT_EQ(expecting("")->verified, std::nullopt);
}

TEST_F(Expectations, NumPyFileVerifiesResult) {
  write_npy("right.npy", 3);
  write_npy("wrong.npy", 4);
  write_npy("short.npy", 3, 31);
  EXPECT_EQ(expecting("expect=out:right.npy")->verified, true);
  EXPECT_EQ(expecting("expect=out:wrong.npy")->verified, false);
  EXPECT_EQ(expecting("expect=out:wrong.npy~0.1")->verified, true) << "one of 65 is allowed";
  EXPECT_EQ(expecting("expect=out:right.npy expect=cpu:scaled expect=in:right.npy")->verified, false)
      << "all of them must be right";
  EXPECT_NE(what(expecting("expect=out:short.npy")).find("124 bytes"), std::string::npos);
  EXPECT_NE(what(expecting("expect=right.npy")).find("which buffer"), std::string::npos);
  EXPECT_NE(what(expecting("expect=n:right.npy")).find("`n` is no buffer"), std::string::npos);
  EXPECT_FALSE(expecting("expect=out:missing.npy").ok());
  EXPECT_NE(what(expecting("expect=out:right.npy~x")).find("no tolerance"), std::string::npos);
}

TEST_F(Expectations, ProductsOfLargeLaunchesAreVerifiedWhereBlocksWereRun) {
  const auto large = [&](const std::string& sum, const std::string& store, const std::string& buffers) {
    std::ofstream(folder_ / "product.cu")
        << "// warplens: grid=n/16,n/16 block=16,16 n=1024 " << buffers << " C=f32[n][n] product=A*B->C\n"
        << "__global__ void k(const float* A, const float* B, float* C, int n) {\n"
        << "  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;\n  float s = 0;\n"
        << "  for (int k = 0; k < n; ++k) s += " << sum << ";\n  " << store << "\n}\n";
    LaunchRequest request;
    request.origin = FileKernel{.file = folder_ / "product.cu"};
    request.form = *parse_form("");
    const Result<Recording> recording = record(request);
    EXPECT_TRUE(recording.ok()) << recording.error().message();
    EXPECT_GT(recording->blocks_extrapolated, 0u);
    return recording->verified;
  };
  const std::string kSum = "A[i * n + k] * B[k * n + j]", kStore = "C[i * n + j] = s;",
                    kIntegers = "A=f32[n][n]:ints B=f32[n][n]:ints";
  EXPECT_EQ(large(kSum, kStore, kIntegers), true);
  EXPECT_EQ(large(kSum, kStore, "A=f32[n][n]:normal B=f32[n][n]:normal"), true);
  EXPECT_EQ(large("A[i * n + k] + B[k * n + j]", kStore, kIntegers), false);
  EXPECT_EQ(large(kSum, "if (i == 700 && j == 33) C[i * n + j] = s + 1; else C[i * n + j] = s;", kIntegers),
            false)
      << "that block behaves otherwise, so it is run, too";
  EXPECT_EQ(large(kSum, "atomicAdd(&C[i * n + j], s);", kIntegers), std::nullopt)
      << "other blocks may add to it";
}

TEST_F(Expectations, UnsupportedReferenceFunctionsSayWhy) {
  EXPECT_NE(what(expecting("expect=cpu:nothing")).find("no function `nothing`"), std::string::npos);
  EXPECT_NE(what(expecting("expect=cpu:of_any")).find("is a template"), std::string::npos);
  EXPECT_NE(what(expecting("expect=cpu:takes_more")).find("takes `int missing`"), std::string::npos);
  EXPECT_NE(what(expecting("expect=cpu:reads_only")).find("writes no buffer"), std::string::npos);
  EXPECT_NE(what(expecting("expect=cpu:on_the_host")).find("cannot be run"), std::string::npos);
  EXPECT_NE(what(expecting("expect=cpu:beyond")).find("goes wrong: store of 4 bytes"), std::string::npos)
      << what(expecting("expect=cpu:beyond"));
}

TEST_F(Expectations, StructuresAreGivenByTheirFields) {
  const auto file = open_kernel_file(folder_ / "scale.cu");
  ASSERT_TRUE(file.ok()) << file.error().message();
  ASSERT_EQ(file->kernels.size(), 1u);
  using Fields = std::vector<ParameterField>;
  EXPECT_EQ(file->kernels[0].parameters[2].fields,
            (Fields{{"factor", "f32", 0, 4}, {"offset", "i32", 4, 4}, {"unused", "f32x4", 16, 16}}));
  EXPECT_NE(what(expecting("scale=bytes:00")).find("1 bytes wide"), std::string::npos)
      << what(expecting("scale=bytes:00"));
  EXPECT_NE(what(expecting("scale.factor=f64:2")).find("scale.factor"), std::string::npos)
      << what(expecting("scale.factor=f64:2"));
}

}  // namespace
}  // namespace warplens::app
