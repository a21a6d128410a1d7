#include "app/kernel_file/kernel_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/launch/launch.h"

namespace warplens::app {
namespace {

constexpr const char* kProduct = R"cu(// warplens: grid=(n+15)/16,(m+15)/16 block=16,16 m=40 p=30 n=50
//   A=f32[m][p]:ints B=f32[p][n]:ints C=f32[m][n] product=A*B->C
__global__ void mm(const float* A, const float* B, float* C, int m, int p, int n) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int k = 0; k < p; ++k) sum += A[row * p + k] * B[k * n + col];
  C[row * n + col] = sum;
}
)cu";

class KernelFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
    folder_ = std::filesystem::temp_directory_path() / ("warplens_kernel_file_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static LaunchRequest launch_of_file(const std::filesystem::path& file, const std::string& form = "",
                                      const std::string& entry = "") {
    LaunchRequest request;
    request.origin = FileKernel{.file = file,
                                .entry = entry,
                                .text = {},
                                .sources = {},
                                .source_folders = {},
                                .cuda = {},
                                .parameters = {}};
    request.form = *parse_form(form);
    return request;
  }
  std::filesystem::path folder_;
};

TEST_F(KernelFiles, LaunchCommentIsUsed) {
  const std::filesystem::path file = write("mm.cu", kProduct);
  const Result<LaunchResult> result = launch(launch_of_file(file));
  ASSERT_TRUE(result.ok()) << result.error().message();
  const Recording& recording = result->recording;
  EXPECT_EQ(recording.kernel, "mm");
  EXPECT_EQ(recording.origin_file, "mm.cu");
  EXPECT_EQ(recording.grid, (Dim3{4, 3, 1}));
  EXPECT_EQ(recording.verified, true);
  EXPECT_EQ(recording.m, 40u);
  EXPECT_EQ(recording.p, 30u);
  EXPECT_EQ(recording.n, 50u);
  ASSERT_EQ(recording.buffers.size(), 3u);
  EXPECT_EQ(recording.buffers[0].name, "A");
  EXPECT_EQ(recording.buffers[2].rows, 40u);
  EXPECT_EQ(recording.buffers[2].columns, 50u);
  ASSERT_FALSE(recording.files.empty());
  EXPECT_EQ(recording.files.back().name, "mm.cu");
  EXPECT_EQ(recording.files.back().text, kProduct);
  EXPECT_EQ(recording.ptx.find(folder_.string()), std::string::npos)
      << "where the file lies is the user's own";
  EXPECT_EQ(recording.arguments[3], (RecordedArgument{"m", "i32:40"}));

  const Result<Recording> again =
      record(launch_of(recording));  // From what the recording holds, without the file
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->totals, recording.totals);
}

TEST_F(KernelFiles, OptionsOverrideTheComment) {
  const std::filesystem::path file = write("mm.cu", kProduct);
  const Result<Recording> recording = record(launch_of_file(file, "m=64 n=32"));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(recording->grid, (Dim3{2, 4, 1}));
  EXPECT_EQ(recording->verified, true);
}

TEST_F(KernelFiles, WrongProductIsReported) {
  std::string wrong = kProduct;
  wrong.replace(wrong.find("k < p"), 5, "k < p - 1");
  const Result<Recording> recording = record(launch_of_file(write("wrong.cu", wrong)));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(recording->verified, false);
}

TEST_F(KernelFiles, RealProductIsComparedWithTolerance) {
  const std::filesystem::path file = write("mm.cu", kProduct);
  EXPECT_EQ(record(launch_of_file(file, "A=f32[m][p]:uniform B=f32[p][n]:normal"))->verified, true);
  std::string wrong = kProduct;
  wrong.replace(wrong.find("float sum = 0;"), 14, "float sum = 0.01f;");
  EXPECT_EQ(
      record(launch_of_file(write("wrong.cu", wrong), "A=f32[m][p]:uniform B=f32[p][n]:normal"))->verified,
      false);
}

TEST_F(KernelFiles, MismatchedShapesAreRefused) {
  const Result<Recording> recording = record(launch_of_file(write("mm.cu", kProduct), "B=f32[n][n]"));
  ASSERT_FALSE(recording.ok());
  EXPECT_NE(recording.error().what.find("the shapes do not form a product"), std::string::npos)
      << recording.error().message();
}

TEST_F(KernelFiles, CompilerErrorsNameTheLine) {
  const Result<Recording> recording = record(
      launch_of_file(write("bad.cu", "// warplens: grid=1 block=1\n__global__ void k() { x = 1; }\n")));
  ASSERT_FALSE(recording.ok());
  EXPECT_EQ(recording.error().where, "bad.cu:2");
}

TEST_F(KernelFiles, KernelsOfAFileAreListedWithTheirParameters) {
  const auto file = open_kernel_file(write("many.cu", R"cu(
struct Point { float x, y; };
__global__ void first(const double* a, unsigned char* flags, size_t count, Point p, float4 v) { flags[0] = a[count] + p.x + v.w; }
// warplens: grid=2 block=64
__global__ void second(unsigned n) {}
template <int T> __global__ void third(float* a) { a[T] = 0; }
)cu"));
  ASSERT_TRUE(file.ok()) << file.error().message();
  ASSERT_EQ(file->kernels.size(), 3u) << (file->messages.empty() ? "" : file->messages[0].text);
  const std::vector<KernelParameter>& parameters = file->kernels[0].parameters;
  ASSERT_EQ(parameters.size(), 5u);
  EXPECT_EQ(parameters[0], (KernelParameter{.name = "a",
                                            .written = "const double*",
                                            .type = "f64",
                                            .is_pointer = true,
                                            .pointer_depth = 1,
                                            .bytes = 8}));
  EXPECT_EQ(parameters[1].type, "u8");
  EXPECT_EQ(parameters[2].type, "u64");
  EXPECT_FALSE(parameters[2].is_pointer);
  EXPECT_EQ(parameters[3].type, "");
  EXPECT_EQ(parameters[3].bytes, 8u);
  EXPECT_EQ(parameters[4].type, "f32x4");
  EXPECT_EQ(file->kernels[1].launch, "grid=2 block=64");
  EXPECT_EQ(file->kernels[2].plain_name, "third<16>") << "an instance that nobody asked for";
  EXPECT_TRUE(file->templates.empty());
  EXPECT_EQ(*choose_entry(*file, ""), &file->kernels[1]) << "the only one that says how it is launched";
  EXPECT_EQ(*choose_entry(*file, "first"), &file->kernels[0]);
  EXPECT_NE(choose_entry(*file, "fourth").error().hint.find("first, second"), std::string::npos);
}

TEST_F(KernelFiles, NamedTemplateInstanceIsCompiled) {
  const std::filesystem::path file =
      write("t.cu",
            "// warplens: grid=1 block=T T=32 a=f32[T]\n"
            "template <int T> __global__ void fill(float* a) { a[threadIdx.x] = T; }\n");
  const Result<Recording> plausible = record(launch_of_file(file));
  ASSERT_TRUE(plausible.ok()) << plausible.error().message();
  EXPECT_EQ(plausible->kernel, "fill<16>");
  const Result<Recording> recording = record(launch_of_file(file, "", "fill<64>"));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(recording->kernel, "fill<64>");
}

TEST_F(KernelFiles, AnEnumeratorNamesAnInstance) {
  const std::string kernels =
      "enum Metric { kL1, kL2 };\n"
      "// warplens: grid=1 block=32 a=f32[32]\n"
      "template <Metric kMetric, class T> __global__ void fill(T* a) { a[threadIdx.x] = kMetric; }\n";
  const Result<Recording> recording = record(launch_of_file(write("e.cu", kernels), "", "fill<kL2, float>"));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(recording->kernel, "fill<(Metric)1, float>");
  // With another instance the name alone does not tell which is meant
  const std::filesystem::path both =
      write("both.cu", kernels + "template __global__ void fill<kL1, float>(float*);\n");
  const Result<Recording> one = record(launch_of_file(both, "", "fill<kL2,float>"));
  ASSERT_FALSE(one.ok());
  EXPECT_NE(one.error().hint.find("fill<(Metric)1, float>"), std::string::npos) << one.error().hint;
  const Result<Recording> by_value = record(launch_of_file(both, "", "fill<(Metric)1, float>"));
  ASSERT_TRUE(by_value.ok()) << by_value.error().message();
  EXPECT_EQ(by_value->kernel, "fill<(Metric)1, float>");
}

TEST_F(KernelFiles, PtxPlacesAreNotSourcePlaces) {
  const Result<Recording> recording = record(launch_of_file(
      write("trap.cu", "// warplens: grid=1 block=1\n__global__ void k() { asm(\"trap;\"); }\n")));
  ASSERT_FALSE(recording.ok());
  EXPECT_TRUE(recording.error().where.starts_with("trap.ptx:")) << recording.error().where;
  EXPECT_NE(recording.error().where.find("(trap.cu:2)"), std::string::npos) << recording.error().where;
}

TEST_F(KernelFiles, StructsAndVectorsArePassedByTheirBytes) {
  const std::filesystem::path file = write("s.cu", R"cu(
// warplens: grid=1 block=1 out=f32[2] p=bytes:0000803f00000040 v=f32x4:0,0,0,8
struct Point { float x, y; };
__global__ void k(float* out, Point p, float4 v) { out[0] = p.x + p.y; out[1] = v.w; }
)cu");
  Result<LaunchResult> result = launch(launch_of_file(file));
  ASSERT_TRUE(result.ok()) << result.error().message();
  float out[2];
  std::memcpy(out, result->memory.bytes(0).data(), sizeof out);
  EXPECT_EQ(out[0], 3.0f);
  EXPECT_EQ(out[1], 8.0f);
}

TEST_F(KernelFiles, PtxFileLaunchCommentIsUsed) {
  const auto compiled = open_kernel_file(write("mm.cu", kProduct));
  ASSERT_TRUE(compiled.ok());
  const std::filesystem::path file = write("mm.ptx",
                                           "// warplens: grid=2,2 block=16,16 mm_param=0\n"
                                           "//   param_0=f32[32][8]:ints param_1=f32[8][32]:ints "
                                           "param_2=f32[32][32] param_3=32 param_4=8 param_5=32\n" +
                                               compiled->ptx);
  const Result<Recording> recording = record(launch_of_file(file));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(recording->grid, (Dim3{2, 2, 1}));
  EXPECT_TRUE(recording->findings.empty());
}

TEST_F(KernelFiles, CompilerOptionsOfTheCommentAreUsed) {
  std::filesystem::create_directories(folder_ / "include");
  std::ofstream(folder_ / "include" / "tile.h") << "#define TILE 4\n";
  const std::filesystem::path file =
      write("options.cu",
            "#include <tile.h>\n// warplens: grid=1 block=32 a=i32[32] -DSCALE=3 -I include\n"
            "__global__ void k(int* a) { a[threadIdx.x] = TILE * SCALE; }\n");
  const Result<Recording> recording = record(launch_of_file(file));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const auto redefined = open_kernel_file(file, {.options = "-USCALE"});
  ASSERT_TRUE(redefined.ok()) << redefined.error().message();
  EXPECT_TRUE(redefined->ptx.empty()) << "the user's come last";
  const auto unknown = open_kernel_file(file, {.options = "-ccbin=/tmp/cc"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().what.find("-ccbin=/tmp/cc"), std::string::npos) << unknown.error().what;
}

TEST_F(KernelFiles, ProjectIsTheNearestRepositoryElseTheNearestBuild) {
  namespace fs = std::filesystem;
  const fs::path root = fs::weakly_canonical(folder_);
  fs::create_directories(folder_ / "repository" / ".git");
  fs::create_directories(folder_ / "repository" / "sample" / "src");
  fs::create_directories(folder_ / "built" / "src" / "deep");
  std::ofstream(folder_ / "repository" / "sample" / "Makefile") << "";
  std::ofstream(folder_ / "built" / "CMakeLists.txt") << "";
  EXPECT_EQ(project_of(folder_ / "repository" / "sample" / "src" / "k.cu"), root / "repository");
  EXPECT_EQ(project_of(folder_ / "built" / "src" / "deep" / "k.cu"), root / "built");
}

}  // namespace
}  // namespace warplens::app
