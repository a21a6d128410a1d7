#include "kernels/compile/compile.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace warplens::compile {
namespace {

constexpr const char* kNothing = "skipped: there is neither NVRTC nor nvcc on this machine";

TEST(CompilerMessages, AreTakenApart) {
  const std::vector<Message> messages = parse_messages(
      "/tmp/a(1)/mm.cu(12): error: identifier \"x\" is undefined\n      sum += x;\n             ^\n\n"
      "mm.cu(3): warning #177-D: variable \"y\" was declared but never referenced\n"
      "      int y;\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
      "ptxas fatal error: no\n1 error detected in the compilation of \"mm.cu\".\n");
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0], (Message{Severity::error, "mm.cu", 12,
                                  "identifier \"x\" is undefined\n      sum += x;\n             ^"}));
  EXPECT_EQ(messages[1], (Message{Severity::warning, "mm.cu", 3,
                                  "variable \"y\" was declared but never referenced\n      int y;"}));
  EXPECT_EQ(parse_messages("nvrtc: error: invalid value\n").size(), 0u);
  EXPECT_EQ(parse_messages("error: unrecognised option\n").front().line, 0u);
}

TEST(CompilerMessages, OfTheHostsCompilerAreTakenApart) {
  const std::vector<Message> messages = parse_messages(
      "In file included from mm.cu:1:\n/home/me/mm.h:2:5: error: #error SIZE must be given\n    2 | #error "
      "SIZE must be given\n      |  ^~~~~\n"
      "mm.cu:7: fatal error: no.h: No such file\ncompilation terminated.\n");
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0],
            (Message{Severity::error, "mm.h", 2,
                     "#error SIZE must be given\n    2 | #error SIZE must be given\n      |  ^~~~~"}));
  EXPECT_EQ(messages[1], (Message{Severity::error, "mm.cu", 7, "no.h: No such file"}));
}

TEST(Compile, SaysWhatIsWrongInHeaders) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("warplens_wrong_header_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "size.h") << "#ifndef SIZE\n#error SIZE must be given\n#endif\n";
  const Source source{.name = "h.cu",
                      .text = "#include \"size.h\"\n__global__ void k(float* a) { *a = SIZE; }\n",
                      .folder = folder};
  const Result<Compiled> compiled = compile(source);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  const Error error = error_of(*compiled, source);
  EXPECT_EQ(error.where, "size.h:2");
  EXPECT_NE(error.what.find("SIZE must be given"), std::string::npos) << error.what;
  EXPECT_EQ(error.message().find("warplens-"), std::string::npos) << error.message();
}

TEST(Compile, SaysWhichInstanceCannotBeMade) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  const std::string kernels =
      "enum E { A, B };\ntemplate <E e, class T> __global__ void k(T* a) { *a = e; }\n";
  std::vector<std::string> texts{kernels};
  if (compilers().find("nvcc") != std::string::npos)
    texts.push_back("#include <array>\nstd::array<int, 2> host;\n" + kernels);
  for (const std::string& text : texts) {
    Source source{.name = "k.cu", .text = text, .folder = {}, .instances = {"k<A,float>", "k<0,float>"}};
    const Result<Compiled> compiled = compile(source);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message();
    EXPECT_TRUE(compiled->ptx.empty());
    EXPECT_EQ(error_of(*compiled, source).what,
              "the instance `k<0,float>` cannot be made: cannot determine which instance of function "
              "template \"k\" is intended");
    EXPECT_EQ(error_of(*compiled, source).where, "k.cu");
    source.instances = {"k<B,float>"};
    EXPECT_NE(compile(source)->ptx.find(".entry _Z1kIL1E1EfEvPT0_"), std::string::npos) << compiled->compiler;
  }
}

TEST(Compile, AVariableCalledAsPtxCallsTheWarpsSizeGetsAnotherName) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  const Source source{.name = "w.cu",
                      .text =
                          "__device__ int WARP_SZ_ = 1;\n__device__ int WARP_SZ = 32;\n"
                          "__global__ void k(int* a) { a[0] = WARP_SZ + WARP_SZ_; a[1] = warpSize; "
                          "*(int**)(a + 2) = &WARP_SZ; }\n",
                      .folder = {}};
  const Result<Compiled> compiled = compile(source);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  const std::string& ptx = compiled->ptx;
  EXPECT_NE(ptx.find(".u32 WARP_SZ__ = 32;"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find(".u32 WARP_SZ_ = 1;"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("[WARP_SZ__]"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find(", WARP_SZ;"), std::string::npos) << ptx;  // Of warpSize
  EXPECT_EQ(ptx.find("WARP_SZ = "), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find("[WARP_SZ]"), std::string::npos) << ptx;
}

TEST(Compile, AssemblyThatNeedsSm90aGetsItsTarget) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  const auto target_of = [](const std::string& assembly) {
    const auto compiled = compile({.name = "k.cu",
                                   .text = "__global__ void k() { asm volatile(\"" + assembly + "\"); }\n",
                                   .folder = {},
                                   .architecture = "compute_90"});
    EXPECT_TRUE(compiled.ok()) << compiled.error().message();
    const std::size_t at = compiled.ok() ? compiled->ptx.find(".target ") : std::string::npos;
    return at == std::string::npos ? "" : compiled->ptx.substr(at, compiled->ptx.find('\n', at) - at);
  };
  EXPECT_EQ(target_of("wgmma.fence.sync.aligned;"), ".target sm_90a");
  EXPECT_EQ(target_of("setmaxnreg.dec.sync.aligned.u32 24;"), ".target sm_90a");
  EXPECT_EQ(target_of("bar.sync 0;"), ".target sm_90");
}

TEST(Compile, GivesPtxWithALineTableWithoutFolders) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  const Source source{
      .name = "add.cu",
      .text = "__global__ void add(float* a, int n) {\n  if (threadIdx.x < n) a[threadIdx.x] += 1;\n}\n",
      .folder = {}};
  const Result<Compiled> compiled = compile(source);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  EXPECT_NE(compiled->ptx.find(".entry _Z3addPfi"), std::string::npos);
  EXPECT_NE(compiled->ptx.find("\"add.cu\""), std::string::npos) << compiled->ptx;
  EXPECT_TRUE(compiled->messages.empty() || compiled->messages.front().severity != Severity::error);
}

TEST(Compile, SaysWhatIsWrongAndWhere) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  const Source source{
      .name = "bad.cu", .text = "__global__ void add(float* a) {\n  a[0] = b;\n}\n", .folder = {}};
  const Result<Compiled> compiled = compile(source);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  EXPECT_TRUE(compiled->ptx.empty());
  ASSERT_FALSE(compiled->messages.empty());
  EXPECT_EQ(compiled->messages[0].line, 2u);
  EXPECT_EQ(compiled->messages[0].file, "bad.cu");
  EXPECT_EQ(error_of(*compiled, source).where, "bad.cu:2");
  EXPECT_NE(error_of(*compiled, source).what.find("\"b\""), std::string::npos);
}

TEST(Compile, MakesTheInstancesOfTemplatesThatAreAskedFor) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  Source source{.name = "t.cu",
                .text = "template <int T> __global__ void tile(float* a) { a[threadIdx.x] = T; }\n",
                .folder = {}};
  source.instances = {"tile<16>"};
  const Result<Compiled> compiled = compile(source);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  EXPECT_NE(compiled->ptx.find(".entry _Z4tileILi16EEvPf"), std::string::npos) << compiled->ptx;
}

TEST(Compile, ReadsHeadersBesideTheSource) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("warplens_compile_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "one.h") << "#define ONE 1.0f\n";
  const Source source{.name = "h.cu",
                      .text = "#include \"one.h\"\n__global__ void k(float* a) { *a = ONE; }\n",
                      .folder = folder};
  const Result<Compiled> compiled = compile(source);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  EXPECT_FALSE(compiled->ptx.empty()) << error_of(*compiled, source).message();
}

TEST(Compile, IsStoppedByAnotherThread) {
  if (compilers().empty()) GTEST_SKIP() << kNothing;
  std::atomic<bool> cancelled{false};
  const Source endless{
      .name = "endless.cu",  // A million statements, unrolled: hours
      .text =
          "__global__ void k(float* a, int n) {\n#pragma unroll\n  for (int i = 0; i < 1000; ++i) {\n#pragma "
          "unroll\n"
          "    for (int j = 0; j < 1000; ++j) a[i * n + j * j] = a[j * n + i * i] * i;\n  }\n}\n",
      .folder = {},
      .cancelled = &cancelled};
  std::jthread compiling([&] {
    const Result<Compiled> compiled = compile(endless);
    EXPECT_FALSE(compiled.ok());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  cancelled = true;
}

TEST(Compile, LeavesHostCodeAlone) {
  if (compilers().find("nvcc") == std::string::npos)
    GTEST_SKIP() << "skipped: there is no nvcc on this machine";
  const Source source{.name = "whole.cu",
                      .text =
                          "#include <cstdio>\n#include <vector>\n__global__ void k(float* a) { *a = 1; }\n"
                          "int main() {\n  std::vector<float> v(3);\n  k<<<1, 1>>>(nullptr);\n  "
                          "std::printf(\"%zu\", v.size());\n}\n",
                      .folder = {}};
  const Result<Compiled> compiled = compile(source);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  EXPECT_NE(compiled->ptx.find(".entry _Z1kPf"), std::string::npos)
      << (compiled->messages.empty() ? "" : compiled->messages[0].text);
  EXPECT_NE(compiled->ptx.find("\"whole.cu\""), std::string::npos);
}

}  // namespace
}  // namespace warplens::compile
