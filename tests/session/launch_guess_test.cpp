#include "app/launch/launch_guess.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/compiled/line_match.h"
#include "app/launch/kernel_copy.h"
#include "app/session/loaded.h"
#include "kernels/compile/machine_code.h"

namespace warplens::app {
namespace {

KernelFile compiled(const std::string& text) {
  const Result<KernelFile> file =
      open_kernel_file("own.cu", {.text = text, .instances = {}, .architecture = {}});
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message());
  EXPECT_TRUE(file.ok() && !file->ptx.empty())
      << (file.ok() && !file->messages.empty() ? file->messages[0].text : "");
  return file.ok() ? *file : KernelFile{};
}

class Guess : public testing::Test {
 protected:
  void SetUp() override {
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  }
};

/// Of the kernel of that name; empty: of the first one.
std::string guess(const std::string& text, const std::string& name = {}) {
  const KernelFile file = compiled(text);
  const auto kernel = std::ranges::find_if(
      file.kernels, [&](const FileEntry& entry) { return name.empty() || entry.plain_name == name; });
  return kernel == file.kernels.end() ? std::string()
                                      : text_of(completed(*parse_form(kernel->launch), file, *kernel));
}

TEST_F(Guess, BuffersAreAsLargeAsTheKernelReaches) {
  EXPECT_EQ(guess("__global__ void add(const float* a, float* b, int n) { int i = blockIdx.x * blockDim.x + "
                  "threadIdx.x; if (i < n) b[i] = a[i + 3]; }"),
            "grid=(n+255)/256 block=256 n=256 a=f32[259]:ints b=f32[n]");
}

TEST_F(Guess, TwoDimensionsGiveSquareBlocks) {
  EXPECT_EQ(guess(R"cu(__global__ void transpose(const double* in, double* out, int rows, int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
})cu"),
            "grid=(columns+15)/16,(rows+15)/16 block=16,16 rows=256 columns=256 in=f64[rows][columns]:ints "
            "out=f64[rows][columns]");
}

TEST_F(Guess, HostLaunchConfigurationIsRead) {
  EXPECT_EQ(guess(R"cu(#include <cstdio>
#define TILE 32
#define CHECK(x) x
__global__ void transpose(float* out, const float* in, int n, float scale) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) out[(y + j) * n + x] = scale * in[x * n + y + j];
}
int main() {
  const int size = 1 << 7;
  size_t bytes = size * size * sizeof(float);
  float *d_in, *d_out, alpha = 0.5f;
  CHECK(cudaMalloc((void**)&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  dim3 threads(TILE, 8), blocks((size + TILE - 1) / TILE, size / TILE);
  transpose<<<blocks, threads>>>(d_out, d_in, size, alpha);
})cu"),
            "grid=(n+31)/32,n/32 block=32,8 n=128 scale=0.5 out=f32[n][n] in=f32[n][n]:ints");
  EXPECT_EQ(guess(R"cu(
template <int T> __global__ void add(const float* a, double* b, size_t count) { b[threadIdx.x] = a[threadIdx.x] + T; }
template __global__ void add<4>(const float*, double*, size_t);
void launch(size_t n) {
  float* a; double* b;
  cudaMalloc(&a, (n + 1) * sizeof(float)); cudaMallocManaged(&b, static_cast<size_t>(n) * sizeof(double));
  add<4><<<ceil(n / 64.0), 64, 2 * 64 * sizeof(float)>>>(a, b, n);
})cu"),
            "grid=ceil(count,64) block=64 shared=512 count=256 a=f32[count+1]:ints b=f64[count]");
}

TEST_F(Guess, SizesFromTheCommandLineHaveTheirDefaults) {
  EXPECT_EQ(guess(R"cu(__global__ void fill(int* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }
int main(int argc, char** argv) {
  int n = 64, threads = 128;
  if (argc > 1) n = atoi(argv[1]);
  int* a;
  cudaMalloc(&a, n * sizeof(int));
  fill<<<1, threads>>>(a, n);
})cu"),
            "grid=1 block=128 n=64 a=i32[n]");
}

TEST_F(Guess, PointersToPointersAreRows) {
  EXPECT_EQ(guess(R"cu(__global__ void batched(const float* const* in, double** out, int batch, int n) {
  if (blockIdx.x < batch && threadIdx.x < n) out[blockIdx.x][threadIdx.x] = in[blockIdx.x][threadIdx.x + 2];
})cu"),
            "grid=(batch+255)/256 block=256 batch=256 n=256 in=f32*[1][258]:ints out=f64*[1][n]");
}

TEST_F(Guess, PointersInStructuresAreBuffers) {
  EXPECT_EQ(guess(R"cu(struct View { const float* data; double** rows; int n; };
__global__ void k(View v, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.n) v.rows[i / 8][i % 8] = by * v.data[2 * i];
})cu"),
            "grid=(v.n+255)/256 block=256 v.n=256 by=1 v.data=f32[511] v.rows=f64*[32][8]");
}

/// In a process of its own, which ends soon or is ended, and says how much memory it took.
int guess_and_measure() {
  alarm(60);
  std::ifstream file(WARPLENS_TEST_DATA "/cu/races.cu");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string launch =
      guess(text.substr(0, text.find("int main(")), "counted");  // Without the launch that it has
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::fprintf(stderr, "%s, %ld MB", launch.c_str(), used.ru_maxrss / 1024);
  return used.ru_maxrss < 1024 * 1024 ? 0 : 1;
}

// The blocks that are tried store to one place: who they are is a question for memory that has an end.
TEST_F(Guess, UnboundedBuffersTakeNoMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(guess_and_measure()), testing::ExitedWithCode(0),
              "grid=4 block=256 in=i32\\[256\\]:ints out=i32\\[8\\]");
}

TEST_F(Guess, WrittenFieldsAreKept) {
  EXPECT_EQ(guess("// warplens: n=1000 block=64\n__global__ void __launch_bounds__(128) k(float4* a, int n, "
                  "float s) { a[blockIdx.x * 64 + "
                  "threadIdx.x].x = s; }"),
            "grid=(n+63)/64 block=64 n=1000 s=1 a=f32[4093]");
}

TEST_F(Guess, GuessedLaunchRuns) {
  const KernelFile file = compiled(
      "__global__ void k(unsigned char* a, const short* b) { a[blockIdx.x * blockDim.x + threadIdx.x] = "
      "b[blockIdx.x]; }");
  const Result<LaunchRequest> request = launch_of_entry(file, file.kernels.at(0), {});
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request->form->grid.guessed);
  const Result<Recording> recording = record(*request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_TRUE(recording->findings.empty());
}

class KernelCopies : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  }
};

/// A copy does what the kernel does: same counts, on its own sizes and on others.
TEST_P(KernelCopies, CountLikeTheOriginal) {
  LaunchRequest catalog_kernel = launch_of_kernel(GetParam());
  const Result<LaunchRequest> copy = copy_of_kernel(catalog_kernel);
  ASSERT_TRUE(copy.ok()) << copy.error().message();
  const Result<Recording> expected = record(catalog_kernel), recording = record(*copy);
  ASSERT_TRUE(expected.ok()) << expected.error().message();
  ASSERT_TRUE(recording.ok()) << recording.error().message() << "\n" << text_of(*copy->form);
  EXPECT_EQ(recording->grid, expected->grid);
  EXPECT_EQ(recording->block, expected->block);
  EXPECT_NE(recording->verified, std::optional(false)) << text_of(*copy->form);
  EXPECT_TRUE(recording->shared_arrays == expected->shared_arrays || expected->shared_arrays.empty() ||
              expected->dynamic_shared_bytes > 0)
      << "their shapes as the source has them";
  ASSERT_EQ(recording->sites.size(), expected->sites.size()) << text_of(*copy->form);
  for (std::size_t i = 0; i < recording->sites.size(); ++i) {
    EXPECT_EQ(recording->totals[i].requests, expected->totals[i].requests) << recording->sites[i].text;
    EXPECT_EQ(recording->sites[i].line, expected->sites[i].line);
  }
}

/// The assembler of this machine makes of a copy what it made of the kernel: all is as compiled, though by
/// another way.
TEST_P(KernelCopies, AreAssembledLikeTheOriginal) {
  if (!compile::has_assembler())
    GTEST_SKIP() << "skipped: there is no ptxas, or no nvdisasm, on this machine";
  const LaunchRequest catalog_kernel = launch_of_kernel(GetParam());
  const auto expected = make_loaded(*record(catalog_kernel), {}, {}, nullptr, MachineCode::made),
             copy = make_loaded(*record(*copy_of_kernel(catalog_kernel)), {}, {}, nullptr, MachineCode::made);
  EXPECT_EQ(copy->compiled.has_counts(), expected->compiled.has_counts())
      << copy->compiled.why_not() << expected->compiled.why_not();
  const analysis::Report &own = copy->compiled.report, &of_catalog_kernel = expected->compiled.report;
  EXPECT_EQ(own.shared_load.requests, of_catalog_kernel.shared_load.requests);
  EXPECT_EQ(own.shared_load.cost, of_catalog_kernel.shared_load.cost);
  EXPECT_EQ(own.shared_store.cost, of_catalog_kernel.shared_store.cost);
  EXPECT_EQ(own.global_load.cost, of_catalog_kernel.global_load.cost);
  EXPECT_EQ(own.global_store.cost, of_catalog_kernel.global_store.cost);
  ASSERT_FALSE(copy->occupancy.compiled.empty()) << copy->occupancy.why_no_registers;
  EXPECT_TRUE(copy->occupancy.needs_for({}).registers) << "as many as ptxas says";
}

TEST(MachineCodeOfFiles, IsDeferredWhereNotCached) {
  if (!compile::has_assembler() || compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is no compiler on this machine";
  const KernelFile file = compiled(
      "// warplens: grid=1 block=32 a=f32[77]\n__global__ void later(float* a) { a[threadIdx.x + 45] = 2; }");
  const auto loaded = make_loaded(*record(*launch_of_entry(file, file.kernels.at(0), {})), {}, {}, nullptr,
                                  MachineCode::at_hand);
  EXPECT_TRUE(loaded->compiled.left_for_later);
  EXPECT_FALSE(loaded->compiled.has_listing());
  const auto made = with_rules(*loaded, loaded->cc, nullptr, MachineCode::made);
  EXPECT_TRUE(made->compiled.has_counts()) << made->compiled.why_not();
  EXPECT_EQ(made->compiled.report.global_store.requests, 1u);
  EXPECT_FALSE(with_rules(*loaded, loaded->cc, nullptr, MachineCode::at_hand)->compiled.left_for_later)
      << "it is at hand now";
}

std::vector<std::string> ids() {
  std::vector<std::string> all;
  for (const KernelDescriptor& kernel : catalog().kernels()) all.push_back(kernel.id);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Ladder, KernelCopies, testing::ValuesIn(ids()),
                         [](const auto& one) { return one.param; });

TEST(LineMatch, MatchesMovedLines) {
  using Lines = std::vector<std::int64_t>;
  EXPECT_EQ(match_lines("a\nb\nc", "a\nb\nc"), (Lines{0, 1, 2}));
  EXPECT_EQ(match_lines("a\nb\nc", "a\nx\nc"), (Lines{0, 1, 2})) << "changed in place";
  EXPECT_EQ(match_lines("a\nb\nc", "new\na\nb\nc"), (Lines{-1, 0, 1, 2}));
  EXPECT_EQ(match_lines("a\nb\nc\nd", "a\nd"), (Lines{0, 3}));
  EXPECT_EQ(match_lines("a\nb\nc", "a\nx\ny\nc"), (Lines{0, -1, -1, 2}));
  EXPECT_EQ(match_lines("", "a"), (Lines{0}));
  EXPECT_EQ(match_lines("a  \r\nb", "a\nb"), (Lines{0, 1}));
}

}  // namespace
}  // namespace warplens::app
