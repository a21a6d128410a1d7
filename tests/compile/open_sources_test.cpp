#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernels/compile/compile.h"
#include "kernels/compile/declarations.h"
#include "kernels/compile/instances.h"
#include "kernels/compile/job.h"
#include "kernels/compile/options.h"

namespace warplens::compile {
namespace {

/// A project in a temporary folder.
class OpenSources : public testing::Test {
 protected:
  void SetUp() override {
    if (compilers().empty()) GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
    folder_ = std::filesystem::temp_directory_path() / ("warplens_open_sources_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] Compiled compiled(const std::string& text, Options options = {}) const {
    const Source source{.name = "k.cu",
                        .text = text,
                        .folder = folder_ / "kernels",
                        .readable = {folder_},
                        .options = std::move(options)};
    std::filesystem::create_directories(source.folder);
    Result<Compiled> result = compile(source);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return result.ok() ? *std::move(result) : Compiled{};
  }
  static std::string said(const Compiled& compiled) {
    std::string text;
    for (const Message& message : compiled.messages) text += message.text + "\n";
    return text;
  }
  static std::size_t entries(const Compiled& compiled) {
    std::size_t count = 0;
    for (std::size_t at = compiled.ptx.find(".entry"); at != std::string::npos;
         at = compiled.ptx.find(".entry", at + 1))
      ++count;
    return count;
  }
  std::filesystem::path folder_;
};

TEST_F(OpenSources, HeadersOfTheProjectAreFoundByTheirNames) {
  write("common/lib/size.h", "#pragma once\n#include \"more.h\"\n");
  write("common/lib/more.h", "#define TILE 4\n");
  const Compiled result =
      compiled("#include \"lib/size.h\"\n__global__ void k(float* a) { a[threadIdx.x] = TILE; }\n");
  EXPECT_EQ(entries(result), 1u) << said(result);
  EXPECT_NE(said(result).find("lib/size.h (../common/lib/size.h)"), std::string::npos) << said(result);
}

TEST_F(OpenSources, TheNearestHeaderOfANameIsTaken) {
  write("far/away/below/value.h", "#define VALUE far\n");
  write("near/value.h", "#define VALUE 7.0f\n");
  EXPECT_EQ(entries(compiled("#include \"value.h\"\n__global__ void k(float* a) { *a = VALUE; }\n")), 1u);
}

TEST_F(OpenSources, IncludedSourcesAreCompiledAfterWhatPrecedesTheInclude) {
  write("kernels/main.cu",
        "#include <vector>\n#define THREADS 32\nstruct Node { int first; };\nstd::vector<Node> g_nodes;\n"
        "#include \"k.cu\"\nint main() { k<<<1, THREADS>>>(nullptr); }\n");
  const Compiled result = compiled("__global__ void k(Node* a) { a[threadIdx.x % THREADS].first = 1; }\n");
  EXPECT_EQ(entries(result), 1u) << said(result);
  EXPECT_NE(said(result).find("k.cu (main.cu)"), std::string::npos) << said(result);
}

TEST_F(OpenSources, LinksDoNotLeadOutOfTheProject) {
  const std::filesystem::path outside = folder_.string() + "_outside";
  std::filesystem::create_directories(outside);
  std::ofstream(outside / "secret.h") << "#define SECRET 1\n";
  std::filesystem::create_symlink(outside / "secret.h", folder_ / "secret.h");
  const Compiled result = compiled("#include \"secret.h\"\n__global__ void k(int* a) { *a = SECRET; }\n");
  std::filesystem::remove_all(outside);
  EXPECT_EQ(entries(result), 0u);
}

TEST_F(OpenSources, HostCodeAroundKernelsIsLeftOut) {
  const Compiled result = compiled(R"cu(
#include <map>
#include <string>
#include <binding/module.h>
namespace po = binding::options;
struct Settings { std::string name; std::map<int, int> values; };
static Settings g_settings;
auto g_log = [](const Settings& s) { return s.name; };
class Runner : public binding::Base { public: void run(); std::string title; };
void Runner::run() { title = g_log(g_settings); }
REGISTER_RUNNER(Runner)
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float* a) { a[threadIdx.x] = twice(a[threadIdx.x]); }
BINDING_MODULE(name, m) { m.def("run", &Runner::run); }
)cu");
  EXPECT_EQ(entries(result), 1u) << said(result);
  EXPECT_NE(said(result).find("device code alone"), std::string::npos) << said(result);
}

TEST_F(OpenSources, HostCodeOfHeadersIsLeftOut) {
  write("kernels/tools.h",
        "#pragma once\n#include <string>\n#include <vector>\n"
        "inline std::string name_of(int n) { return std::to_string(n); }\n"
        "struct Table { std::vector<float> rows; void print() const; };\n"
        "struct Extent { int width, height; __host__ __device__ int area() const { return width * height; } "
        "};\n");
  const Compiled result = compiled(
      "#include \"tools.h\"\n__global__ void k(Extent e, int* a) { *a = e.area(); }\n"
      "int main() { Table t; t.print(); k<<<1, 1>>>({2, 3}, nullptr); }\n");
  EXPECT_EQ(entries(result), 1u) << said(result);
}

TEST_F(OpenSources, KernelsThatNeedAMissingHeaderAreLeftOut) {
  const Compiled result = compiled(
      "#include \"absent.h\"\n__global__ void good(int* a) { *a = 1; }\n"
      "__global__ void bad(Absent a) { a.run(); }\n");
  EXPECT_EQ(entries(result), 1u) << said(result);
  EXPECT_NE(said(result).find("`bad` is left out"), std::string::npos) << said(result);
  EXPECT_NE(said(result).find("absent.h"), std::string::npos) << said(result);
}

TEST_F(OpenSources, LibrariesOfTheHostAreLeftOut) {
  const Compiled result = compiled(
      "#include <nccl.h>\n#include <cublas_v2.h>\n#include <cublasLt.h>\n#include <thrust/sort.h>\n"
      "__global__ void k(half* a, __nv_bfloat16* b) { a[0] = __float2half(__bfloat162float(b[0])); }\n");
  EXPECT_EQ(entries(result), 1u) << said(result);
}

TEST_F(OpenSources, ErrorsOfKernelsAreErrorsWhereNothingIsMissing) {
  const Compiled result = compiled(
      "#include <vector>\nstd::vector<int> g_rows;\n__global__ void good(int* a) { *a = 1; }\n"
      "__global__ void bad(int* a) { *a = tpyo; }\n");
  EXPECT_EQ(entries(result), 0u);
  const auto first = std::ranges::find(result.messages, Severity::error, &Message::severity);
  ASSERT_NE(first, result.messages.end());
  EXPECT_EQ(first->line, 4u);
  EXPECT_NE(first->text.find("tpyo"), std::string::npos) << first->text;
}

TEST_F(OpenSources, TypesOfTensorLibrariesHaveStandIns) {
  const Compiled result = compiled(R"cu(
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/util/Half.h>
template <typename scalar_t>
C10_LAUNCH_BOUNDS_1(256)
__global__ void scale(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> rows, int n) {
  using acc_t = at::acc_type<scalar_t, true>;
  CUDA_KERNEL_LOOP(i, n) { rows[i][0] = static_cast<scalar_t>(acc_t(rows[i][1]) * 2); }
}
torch::Tensor run(torch::Tensor rows) {
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(rows.scalar_type(), "scale", ([&] {
    scale<scalar_t><<<1, 256>>>(rows.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), 4);
  }));
  return rows;
}
)cu");
  EXPECT_EQ(entries(result), 1u) << said(result);
  EXPECT_NE(result.ptx.find("scale"), std::string::npos);
}

TEST_F(OpenSources, TheCppLibraryThatDeviceCodeUsesIsThere) {
  const Compiled result = compiled(R"cu(
#include <array>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
template <class T> __device__ std::enable_if_t<std::is_floating_point_v<T>, T> half_of(T x) { return x / 2; }
__global__ void k(float* a) {
  std::array<float, 2> pair{1, std::numeric_limits<float>::max()};
  a[0] = half_of(pair[1]) + std::max(a[1], pair[0]);
  a[1] = std::get<1>(std::make_tuple(1, 2.0f));
}
)cu");
  EXPECT_EQ(entries(result), 1u) << said(result);
}

TEST_F(OpenSources, ShufflesWithoutMaskAreOfTheActiveLanes) {
  const Compiled result =
      compiled("__global__ void k(int* a) { a[threadIdx.x] = __shfl_down(a[threadIdx.x], 1); }\n");
  EXPECT_EQ(entries(result), 1u) << said(result);
  EXPECT_NE(result.ptx.find("activemask"), std::string::npos);
  const auto is_told = [](const Message& message) {
    return message.severity == Severity::remark &&
           message.text == "shuffles and votes without a mask, as in k.cu:1, are those of the active lanes";
  };
  EXPECT_EQ(std::ranges::count_if(result.messages, is_told), 1) << said(result);
  EXPECT_TRUE(std::ranges::none_of(result.messages, [](const Message& message) {
    return message.severity == Severity::warning;
  })) << said(result);
  const Compiled with_mask = compiled(
      "#define __shfl_down(x, n) __shfl_down_sync(~0u, x, n)\n"
      "__global__ void k(int* a) { a[threadIdx.x] = __shfl_down(a[threadIdx.x], 1); }\n");
  EXPECT_TRUE(std::ranges::none_of(with_mask.messages, is_told)) << said(with_mask);
}

TEST_F(OpenSources, KernelsThatLaunchKernelsAreNamed) {
  const Compiled result = compiled(
      "#include <cstdio>\n__global__ void child(int* a) { a[0] = 1; }\n"
      "__global__ void parent(int* a) { child<<<1, 1>>>(a); }\n");
  EXPECT_TRUE(result.ptx.empty());
  ASSERT_FALSE(result.messages.empty());
  EXPECT_EQ(result.messages[0].line, 3u);
  EXPECT_NE(result.messages[0].text.find("dynamic parallelism"), std::string::npos) << said(result);
}

TEST_F(OpenSources, StructuresLargerThanParametersAreNamed) {
  const Compiled result = compiled(
      "struct Large { float a[8192]; };\n__global__ void k(float* a, Large b) { a[0] = b.a[8191]; }\n");
  EXPECT_TRUE(result.ptx.empty());
  ASSERT_FALSE(result.messages.empty());
  EXPECT_EQ(result.messages[0].line, 2u) << said(result);
  EXPECT_NE(result.messages[0].text.find("max 32764 bytes"), std::string::npos) << said(result);
}

TEST_F(OpenSources, TextureReferencesAreNamed) {
  const Compiled result = compiled(
      "// texture<int> in a comment\ntexture<float, 1, cudaReadModeElementType> samples;\n"
      "__global__ void k(float* a) { a[0] = tex1Dfetch(samples, 3); }\n");
  EXPECT_TRUE(result.ptx.empty());
  ASSERT_FALSE(result.messages.empty());
  EXPECT_EQ(result.messages[0].severity, Severity::error);
  EXPECT_EQ(result.messages[0].line, 2u);
  EXPECT_NE(result.messages[0].text.find("texture references were removed in CUDA 12"), std::string::npos);
  EXPECT_NE(result.messages[0].text.find("cudaTextureObject_t"), std::string::npos);
}

TEST_F(OpenSources, TemplatesAreInstantiatedAsTheHostLaunchesThem) {
  const Compiled result = compiled(R"cu(
template <int N, class T> __global__ void fill(T* a) { static_assert(N != 16, "no default"); a[threadIdx.x] = N; }
template <int N> void launch(double* a) { fill<N * 2, double><<<1, 32>>>(a); }
int main() { const int kWide = 24; fill<kWide, float><<<1, 32>>>(nullptr); launch<20>(nullptr); }
)cu");
  EXPECT_EQ(entries(result), 2u) << said(result);
  EXPECT_NE(result.ptx.find("_Z4fillILi24EfEvPT0_"), std::string::npos);
  EXPECT_NE(result.ptx.find("_Z4fillILi40EdEvPT0_"), std::string::npos);
}

TEST_F(OpenSources, TemplatesThatNobodyLaunchesHaveAPlausibleInstance) {
  const Compiled result = compiled(
      "struct Add { __device__ float operator()(float a, float b) const { return a + b; } };\n"
      "template <class T, class Op, int N = 4> __global__ void apply(T* a, Op op) { a[0] = op(a[0], T(N)); "
      "}\n"
      "template <int N> __global__ void small(int* a) { static_assert(N <= 4, \"small\"); *a = N; }\n");
  EXPECT_EQ(entries(result), 2u) << said(result);
}

TEST_F(OpenSources, OptionsReachTheCompiler) {
  write("kernels/forced.h", "#define FORCED 2\n");
  write("elsewhere/deep/wide.h", "#define WIDE 3\n");
  Options options;
  options.macros = {"SQUARE(x)=((x)*(x))", "TEXT=\"a;$(b)`c`\"", "GONE", "!GONE"};
  options.folders = {folder_ / "elsewhere"};
  options.includes = {"forced.h"};
  options.standard = "c++20";
  const Compiled result = compiled(
      "#include <deep/wide.h>\n#ifdef GONE\n#error it is there\n#endif\n"
      "static_assert(__cplusplus >= 202002L && sizeof(TEXT) == 10);\n"
      "__global__ void k(int* a) { *a = SQUARE(FORCED) * WIDE; }\n",
      options);
  EXPECT_EQ(entries(result), 1u) << said(result);
  EXPECT_NE(result.ptx.find("12;"), std::string::npos) << result.ptx;
}

TEST(CompilerOptions, AreParsed) {
  const Result<Options> options = parse_options(
      words_of_options("-DTILE=32 -D 'NAME=\"a b\"' -U OLD -Iinclude -I /abs -std=c++20 -include a.h "
                       "--extended-lambda --expt-relaxed-constexpr -maxrregcount=64 -use_fast_math"),
      "/base");
  ASSERT_TRUE(options.ok()) << options.error().message();
  EXPECT_EQ(options->macros, (std::vector<std::string>{"TILE=32", "NAME=\"a b\"", "!OLD"}));
  EXPECT_EQ(options->folders, (std::vector<std::filesystem::path>{"/base/include", "/abs"}));
  EXPECT_EQ(options->includes, std::vector<std::string>{"a.h"});
  EXPECT_EQ(options->standard, "c++20");
  EXPECT_EQ(options->most_registers, 64u);
  EXPECT_TRUE(options->fast_math && options->extended_lambda && options->relaxed_constexpr);
  const Result<Options> again = parse_options(words_of_options(text_of(*options)), "/other");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(*again, *options);
}

TEST(CompilerOptions, OptionsThatNameProgramsOrResponseFilesAreRefused) {
  for (const char* const word : {"-ccbin=/tmp/cc",
                                 "--compiler-bindir",
                                 "-Xcompiler=-fplugin=x.so",
                                 "--options-file=x",
                                 "-optf",
                                 "@file",
                                 "-o",
                                 "-std=c++98;touch",
                                 "-maxrregcount=1e3",
                                 "-D=1",
                                 "-D1A=2",
                                 "-DA=1\n#include \"/etc/passwd\"",
                                 "-DA=1\\",
                                 "-UA=1",
                                 "-include",
                                 "-include=a\"b",
                                 "-I",
                                 "--",
                                 "-rf",
                                 "x.cu"}) {
    EXPECT_FALSE(parse_options({word}, "/").ok()) << word;
  }
  const Options known = known_options(
      words_of_options(
          "/usr/bin/nvcc -ccbin /tmp/cc -Xcompiler -fPIC -DA=1 -isystem /inc -O3 -o k.o -c k.cu"),
      "/");
  EXPECT_EQ(known.macros, std::vector<std::string>{"A=1"});
  EXPECT_EQ(known.folders, std::vector<std::filesystem::path>{"/inc"});
}

TEST(CompilerOptions, ValuesOfMacrosCannotAddLines) {
  Options options;
  options.macros = {"A=`touch x`; $(y) \"q\"", "F(a,b)=((a)+(b))", "!B", "C"};
  EXPECT_EQ(prelude_of(options),
            "#undef A\n#define A `touch x`; $(y) \"q\"\n#undef F\n#define F(a,b) ((a)+(b))\n#undef B\n"
            "#undef C\n#define C 1\n");
}

TEST(CompilerOptions, AreTakenFromTheDatabaseOfABuild) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("warplens_database_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "build");
  std::filesystem::create_directories(folder / "src");
  std::ofstream(folder / "src" / "k.cu") << "";
  std::ofstream(folder / "src" / "other.cu") << "";
  std::ofstream(folder / "build" / "compile_commands.json") << R"([{"directory": ".", "file": "../src/k.cu",
              "command": "nvcc -ccbin evil -DTILE=8 -I../include --std=c++20 -o k.o -c ../src/k.cu"}])";
  const Options options = options_of_build(folder / "src" / "k.cu", folder);
  const Options other = options_of_build(folder / "src" / "other.cu", folder);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(options.macros, std::vector<std::string>{"TILE=8"});
  ASSERT_EQ(options.folders.size(), 1u);
  EXPECT_EQ(options.folders[0].filename(), "include");
  EXPECT_EQ(options.standard, "c++20");
  EXPECT_EQ(other, Options{});
}

TEST(Declarations, AreClassifiedByKind) {
  const std::string code = structure_of(R"cu(
#define MANY(x) { x
namespace lib { namespace { int a = 1; } struct S : Base<int> { int b; void f() { if (b) { b = 0; } } }; }
REGISTER(one)
extern "C" __global__ void k(float* a) { a[0] = '{'; }
template <class T, int N = (3 > 2)> T g(T x) { return x; }
auto l = [](int x) { return x; };
#ifdef A
void h() {
#else
void h(int) {
#endif
}
enum class E : int { one, two };
)cu");
  const std::vector<Declaration> declarations = declarations_in(code);
  ASSERT_EQ(declarations.size(), 8u);
  EXPECT_EQ(declarations[0].scope, "lib::");
  EXPECT_EQ(declarations[1].kind, Declaration::Kind::type);
  ASSERT_EQ(declarations[1].members.size(), 2u);
  EXPECT_EQ(declarations[1].members[1].kind, Declaration::Kind::function);
  EXPECT_EQ(declarations[2].kind, Declaration::Kind::other);
  EXPECT_TRUE(has_word(head_of(code, declarations[3]), "__global__"));
  EXPECT_EQ(declarations[4].kind, Declaration::Kind::function);
  EXPECT_EQ(declarations[5].kind, Declaration::Kind::other);
  EXPECT_EQ(declarations[6].kind, Declaration::Kind::function);
  EXPECT_EQ(declarations[7].kind, Declaration::Kind::type);
  const std::size_t data = code.find("int b"), body = code.find("b = 0");
  EXPECT_EQ(declaration_at(code, declarations, data), &declarations[1]) << "its layout counts";
  EXPECT_EQ(declaration_at(code, declarations, body), &declarations[1].members[1]);
}

}  // namespace
}  // namespace warplens::compile
