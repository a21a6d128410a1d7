#include "kernels/compile/host_code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/compile/compile.h"

namespace warplens::compile {
namespace {

constexpr const char* kProgram = R"cu(#include <cstdio>
#include <vector>
#define CHECK(call) { if ((call) != 0) \
  printf("wrong\n"); }
namespace helpers {
inline int twice(int x) { return 2 * x; }
}
struct Point { float x, y; };
static float scaled(const Point& p, int by) { return p.x * helpers::twice(by); }
void reference(const float* in, float* out, Point p, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] + scaled(p, 3);
}
template <class T>
T other(T x) { return x; }
__device__ float helper(float x) { return x; }
__global__ void kernel(const float* in, float* out, Point p, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = helper(in[i]) + 6 * p.x;
}
int main() {
  std::vector<float> x(10);
  CHECK(x.size());
  kernel<<<1, 32>>>(nullptr, nullptr, {}, 10);
  printf("{\n");
}
)cu";

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(HostCode, IsLeftOutAndLinesStay) {
  const std::string text = without_host_code(kProgram);
  EXPECT_EQ(lines_of(text), lines_of(kProgram));
  for (const char* gone :
       {"<<<", "std::vector", "reference", "twice(int", "scaled", "return x; }\n__device__"}) {
    EXPECT_EQ(text.find(gone), std::string::npos) << gone << "\n" << text;
  }
  for (const char* stays :
       {"helper(in[i])", "struct Point { float x, y; };", "__device__ float helper", "#include <vector>"}) {
    EXPECT_NE(text.find(stays), std::string::npos) << stays;
  }
}

TEST(HostCode, WhatKernelsNameStaysDeclared) {
  const std::string text =
      without_host_code("float f(int x) { return x; }\n__global__ void k(float* a) { *a = f(1); }\n");
  EXPECT_TRUE(text.starts_with("float f(int x) ;")) << text;
  EXPECT_NE(text.find("*a = f(1);"), std::string::npos);
}

TEST(HostCode, FunctionsAreFoundWithTheirParameters) {
  const auto function = find_host_function(kProgram, "reference");
  ASSERT_TRUE(function);
  EXPECT_EQ(function->line, 10u);
  EXPECT_FALSE(function->is_template);
  EXPECT_EQ(function->parameters,
            (std::vector<SourceParameter>{
                {"const float*", "in"}, {"float*", "out"}, {"Point", "p"}, {"int", "n"}}));
  EXPECT_TRUE(find_host_function(kProgram, "other")->is_template);
  EXPECT_FALSE(find_host_function(kProgram, "kernel"));
  EXPECT_FALSE(find_host_function(kProgram, "CHECK"));
  EXPECT_FALSE(find_host_function("int broken( {", "broken"));
}

TEST(HostCode, AFunctionBecomesAKernelWithWhatItCalls) {
  const std::string text = with_kernel_of(kProgram, *find_host_function(kProgram, "reference"), "entry");
  EXPECT_NE(text.find(" __host__ __device__ static float scaled"), std::string::npos) << text;
  EXPECT_NE(text.find(" __host__ __device__ inline int twice"), std::string::npos);
  EXPECT_NE(text.find("extern \"C\" __global__ void entry(const float* p0, float* p1, Point p2, int p3) { "
                      "reference(p0, p1, p2, p3); }"),
            std::string::npos);
  EXPECT_EQ(text.find("6 * p.x"), std::string::npos) << "other kernels cost time, and may not compile";
  EXPECT_EQ(text.find("<<<"), std::string::npos);
}

class HostCodeCompiled : public testing::Test {
 protected:
  void SetUp() override {
    if (compilers().find("NVRTC") == std::string::npos)
      GTEST_SKIP() << "skipped: there is no NVRTC on this machine";
  }
  static Compiled compiled(const std::string& text) {
    const Result<Compiled> result =
        compile({.name = "program.cu", .text = text, .folder = {}, .instances = {}});
    return result.ok()
               ? *result
               : Compiled{
                     .ptx = {}, .messages = {{Severity::error, "", 0, result.error().what}}, .compiler = {}};
  }
};

TEST_F(HostCodeCompiled, WholeProgramsAreTakenByTheLibrary) {
  const Compiled program = compiled(kProgram);
  EXPECT_TRUE(program.compiler.starts_with("NVRTC")) << program.compiler;
  EXPECT_NE(program.ptx.find(".entry"), std::string::npos)
      << (program.messages.empty() ? "" : program.messages[0].text);
}

TEST_F(HostCodeCompiled, HeadersOfTheHostHaveWhatKernelsUseOfThem) {
  const Compiled program = compiled(R"cu(
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(float* a, uint64_t n) {
  a[0] = FLT_MAX + INFINITY + static_cast<float>(M_PI) + INT_MAX + static_cast<float>(n + UINT32_MAX) + sqrtf(a[1]) + make_float4(1, 2, 3, 4).x;
  if (threadIdx.x == 0) printf("%f\n", a[0]);
})cu");
  EXPECT_TRUE(program.compiler.starts_with("NVRTC")) << program.compiler;
  EXPECT_FALSE(program.ptx.empty()) << (program.messages.empty() ? "" : program.messages[0].text);
}

TEST_F(HostCodeCompiled, HeadersOfCudaAreStillItsOwn) {
  const Compiled program = compiled(R"cu(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
__global__ void k(__half* a, __nv_bfloat16* b) {
  auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  a[warp.thread_rank()] = __hadd(a[0], a[1]);
  b[0] = __float2bfloat16(1.0f);
})cu");
  EXPECT_FALSE(program.ptx.empty()) << (program.messages.empty() ? "" : program.messages[0].text);
}

}  // namespace
}  // namespace warplens::compile
