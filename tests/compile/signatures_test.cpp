#include "kernels/compile/signatures.h"

#include <gtest/gtest.h>

namespace warplens::compile {
namespace {

std::vector<SourceParameter> parameters(const std::string& list) {
  const std::vector<SourceKernel> kernels = kernels_in("__global__ void k(" + list + ") {}");
  return kernels.size() == 1 ? kernels.front().parameters
                             : std::vector<SourceParameter>{{"not one kernel", ""}};
}

TEST(Signatures, ParametersHaveTypesAndNames) {
  using List = std::vector<SourceParameter>;
  EXPECT_EQ(parameters("const float *A, float* __restrict__ B, int n"),
            (List{{"const float*", "A"}, {"float*", "B"}, {"int", "n"}}));
  EXPECT_EQ(parameters("unsigned int n, unsigned, const Point p, std::size_t count"),
            (List{{"unsigned int", "n"}, {"unsigned", ""}, {"const Point", "p"}, {"std::size_t", "count"}}));
  EXPECT_EQ(parameters("float A[], int rows = 4, Pair<int, float> pair"),
            (List{{"float*", "A"}, {"int", "rows"}, {"Pair<int, float>", "pair"}}));
  EXPECT_EQ(parameters("void"), List{});
  EXPECT_EQ(parameters("float **rows /* of it */, const\n  int  n // how many\n"),
            (List{{"float**", "rows"}, {"const int", "n"}}));
}

TEST(Signatures, NamesAreFoundBesideAttributesAndInParentheses) {
  using List = std::vector<SourceParameter>;
  EXPECT_EQ(
      parameters("unsigned n, [[maybe_unused]] const int* a, long long, signed s, const Point"),
      (List{
          {"unsigned", "n"}, {"const int*", "a"}, {"long long", ""}, {"signed", "s"}, {"const Point", ""}}));
  EXPECT_EQ(parameters("float (*a)[16], float (*f)(float, int), int n __attribute__((unused))"),
            (List{{"float*", "a"}, {"float (*)(float, int)", "f"}, {"int", "n"}}));
}

TEST(Signatures, ParametersThatDependOnThePreprocessorAreFoundByTheirNumber) {
  const std::vector<SourceKernel> kernels = kernels_in(
      "__global__ void k(float* a,\n#ifdef WITH_COUNT\n  int count,\n  int more,\n#else\n  float "
      "b,\n#endif\n  int n) {}");
  ASSERT_NE(find_kernel(kernels, "k", 4), nullptr);
  EXPECT_EQ(find_kernel(kernels, "k", 4)->parameters[1].name, "count");
  ASSERT_NE(find_kernel(kernels, "k", 3), nullptr);
  EXPECT_EQ(find_kernel(kernels, "k", 3)->parameters[1].name, "b");
}

TEST(Signatures, WhatQualifiesAPointerIsNoPartOfItsType) {
  using List = std::vector<SourceParameter>;
  EXPECT_EQ(parameters("float *RESTRICT a, float *__restrict const b, float *__restrict__ volatile c, T *d, "
                       "float* const __restrict__ e"),
            (List{{"float*", "a"}, {"float*", "b"}, {"float*", "c"}, {"T*", "d"}, {"float*", "e"}}));
  EXPECT_EQ(parameters("float* const* rows, Pair<int*, float> pair, const float* const a[]"),
            (List{{"float* const*", "rows"}, {"Pair<int*, float>", "pair"}, {"const float**", "a"}}));
}

TEST(Signatures, KernelsAreFoundAmongOtherThings) {
  const std::vector<SourceKernel> kernels = kernels_in(R"cu(
// __global__ void in_a_comment(int a);
const char* kText = "__global__ void in_a_text(int a) {}";
__device__ float helper(float x) { return x; }
__global__ void declared(int n);
template <int T, bool kFast = true>
__global__ void __launch_bounds__(T * T) tile(const float* a, float* b) { helper(1'000); }
template __global__ void tile<16>(const float*, float*);
namespace space { __global__ void declared(int n, int m) {} }
__global__ void declared(int n) {}
int main() { tile<16><<<1, 256>>>(nullptr, nullptr); }
)cu");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "declared");
  EXPECT_EQ(kernels[0].line, 5u);
  EXPECT_EQ(kernels[1].name, "tile");
  EXPECT_EQ(kernels[1].template_arguments, "int T, bool kFast = true");
  EXPECT_EQ(kernels[1].parameters.size(), 2u);
  EXPECT_EQ(kernels[1].line, 7u);
  EXPECT_EQ(find_kernel(kernels, "tile<16>", 2), &kernels[1]);
  EXPECT_EQ(find_kernel(kernels, "space::declared", 2), &kernels[2]);
  EXPECT_EQ(find_kernel(kernels, "declared", 3), nullptr);
}

TEST(Signatures, ALaunchCommentBelongsToTheKernelThatFollows) {
  const std::vector<SourceKernel> kernels = kernels_in(R"cu(
// warplens: grid=(n+31)/32 block=32 n=256
//   A=f32[n]:ints C=f32[n]
// Adds one to each.
__global__ void first(const float* A, float* C, int n) {}
__global__ void second(float* A) {}
  // warplens: grid=1
  // warplens: grid=2
__global__ void third(float* A) {}
)cu");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].launch, "grid=(n+31)/32 block=32 n=256 A=f32[n]:ints C=f32[n]");
  EXPECT_EQ(kernels[1].launch, "");
  EXPECT_EQ(kernels[2].launch, "grid=2");
}

TEST(Signatures, TheLaunchIsWrittenWhereItStands) {
  const std::string source =
      "// About it.\n\n// warplens: grid=1\n//   block=2\ntemplate <int T>\n__global__ void a(int n) "
      "{}\n\n// Of b.\ntemplate <int T>\n__global__ "
      "void b() {}\n";
  EXPECT_EQ(with_launch(source, "a", "grid=7"),
            "// About it.\n\n// warplens: grid=7\ntemplate <int T>\n__global__ void a(int n) {}\n\n// Of "
            "b.\ntemplate <int T>\n__global__ void b() {}\n");
  EXPECT_EQ(with_launch(source, "b", "grid=8"),
            "// About it.\n\n// warplens: grid=1\n//   block=2\ntemplate <int T>\n__global__ void a(int n) "
            "{}\n\n// Of b.\n// warplens: grid=8\n"
            "template <int T>\n__global__ void b() {}\n");
  EXPECT_EQ(with_launch(source, "c", "grid=9"), source);
  EXPECT_EQ(with_launch("__global__ void k() {}", "k", "grid=1"),
            "// warplens: grid=1\n__global__ void k() {}");
}

TEST(Signatures, SharedArraysHaveTheirExtents) {
  const auto arrays = shared_arrays_in(
      "__global__ void k() {\n  __shared__ float as[T][T + 1], bs[2 * (T)];\n  extern __shared__ "
      "__align__(16) unsigned char rest[];\n"
      "  __shared__ int count;\n  __shared__ double last[kTile] [3];\n  // __shared__ float none[3];\n}\n");
  ASSERT_EQ(arrays.size(), 4u);
  EXPECT_EQ(arrays[0], (SourceArray{"as", {"T", "T + 1"}}));
  EXPECT_EQ(arrays[1], (SourceArray{"bs", {"2 * (T)"}}));
  EXPECT_EQ(arrays[2], (SourceArray{"rest", {""}}));
  EXPECT_EQ(arrays[3], (SourceArray{"last", {"kTile", "3"}}));
}

TEST(Signatures, ConstantsHaveTheirValues) {
  const auto constants = constants_in(
      "#define TILE 16\n#define NOTHING\n  constexpr int kRow = TILE + 1;\nstatic const unsigned "
      "kB{4};\nconst int two=2; // x\nint n = 4;\n");
  EXPECT_EQ(constants, (std::vector<SourceConstant>{{"TILE", "16"}, {"kRow", "TILE + 1"}, {"two", "2"}}));
}

TEST(Signatures, AnythingAtAllIsRead) {
  const std::string hostile[] = {"__global__",
                                 "__global__ (",
                                 "__global__ void k(((",
                                 "__global__ void k(\"",
                                 "template <__global__ void <k>(a)",
                                 "/*",
                                 "'",
                                 "// warplens:",
                                 "__global__ void (int)",
                                 "__global__ void k(int a, , =, [ ], ...)"};
  for (const std::string& text : hostile) EXPECT_LE(kernels_in(text).size(), 1u) << text;
  for (const char* text : {"__shared__", "__shared__ float a[", "__shared__ [3]", "__shared__ a]b[",
                           "#define", "#define ", "const ="}) {
    EXPECT_TRUE(shared_arrays_in(text).empty()) << text;
    EXPECT_TRUE(constants_in(text).empty()) << text;
  }
}

// A quadratic search would take minutes.
TEST(Signatures, ManyKernelsTakeTimeByTheText) {
  constexpr int kCount = 100000;
  std::string source;
  for (int i = 0; i < kCount; ++i) {
    source += "// warplens: grid=" + std::to_string(i) + "\n__global__ void k" + std::to_string(i) +
              "(float* A) { A[0] = 1; }\n";
  }
  const std::vector<SourceKernel> kernels = kernels_in(source);
  ASSERT_EQ(kernels.size(), std::size_t{kCount});
  EXPECT_EQ(kernels.back().launch, "grid=99999");
  EXPECT_EQ(kernels.back().line, 2u * kCount);
  const KernelsByName by_name(kernels);
  for (int i = 0; i < kCount; ++i)
    EXPECT_EQ(by_name.find("lib::k" + std::to_string(i) + "<3>", 1), &kernels[static_cast<std::size_t>(i)]);
  EXPECT_EQ(by_name.find("k5", 2), nullptr);
}

}  // namespace
}  // namespace warplens::compile
