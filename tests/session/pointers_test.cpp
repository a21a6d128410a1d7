// Arguments that hold addresses: into another argument's buffer, of its rows, in structures and variables.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "app/compiled/as_compiled.h"
#include "app/kernel_file/kernel_file.h"
#include "kernels/compile/machine_code.h"
#include "kernels/recording/compare.h"
#include "kernels/recording/file.h"
#include "pointer_launches.h"

namespace warplens::app {
namespace {

std::string pointers_ptx() {
  std::ifstream file(WARPLENS_TEST_DATA "/ptx/pointers.sm_75.ptx");
  return {std::istreambuf_iterator<char>(file), {}};
}

LaunchResult launched(const LaunchRequest& request) {
  Result<LaunchResult> result = launch(request);
  if (!result.ok()) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

/// By the buffer's name.
template <class T = float>
std::vector<T> values_of(const LaunchResult& result, const std::string& buffer) {
  const auto found = std::ranges::find(result.recording.buffers, buffer, &Buffer::name);
  if (found == result.recording.buffers.end()) throw std::runtime_error("no buffer " + buffer);
  const std::span<const std::byte> bytes =
      result.memory.bytes(static_cast<std::uint32_t>(found - result.recording.buffers.begin()));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Pointers : public testing::Test {
 protected:
  static LaunchResult run(const std::string& entry, std::size_t nth = 0) {
    for (const PointerLaunch& launch : pointer_launches()) {
      if (launch.entry == entry && nth-- == 0)
        return launched(request_of(launch, pointers_ptx(), "pointers.ptx"));
    }
    throw std::runtime_error("no launch of " + entry);
  }
};

TEST_F(Pointers, ReachTheBufferOfAnotherParameter) {
  const LaunchResult result = run("neighbours");
  ASSERT_EQ(result.recording.buffers.size(), 2u);
  const std::vector<float> a = values_of(result, "param_0"), out = values_of(result, "param_2");
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], a[i] + a[i + 1]) << i;
  EXPECT_TRUE(result.recording.findings.empty());
  EXPECT_EQ(result.buffers[1], std::nullopt) << "an address has no buffer of its own";
  const std::vector<float> in_place = values_of(run("in_place"), "param_1");
  for (std::size_t i = 0; i < in_place.size(); ++i) ASSERT_EQ(in_place[i], static_cast<float>(i + 1));
}

TEST_F(Pointers, ReachRows) {
  const LaunchResult result = run("batched");
  std::vector<std::string> names;
  for (const Buffer& buffer : result.recording.buffers) names.push_back(buffer.name);
  EXPECT_EQ(names, (std::vector<std::string>{"*param_0", "param_0", "*param_1", "param_1"}));
  EXPECT_EQ(result.recording.buffers[0].pitch, 64u);
  const std::vector<float> in = values_of(result, "*param_0"), out = values_of(result, "*param_1");
  const std::vector<std::uint64_t> table = values_of<std::uint64_t>(result, "param_0");
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_EQ(table[row], result.recording.buffers[0].base + row * 64 * sizeof(float));
    for (std::size_t column = 0; column < 48; ++column)
      ASSERT_EQ(out[row * 48 + column], 2 * in[row * 64 + column]);
  }
  EXPECT_TRUE(result.recording.findings.empty());
}

TEST_F(Pointers, InStructuresAreFollowed) {
  const std::vector<float> pool = values_of(run("fill"), "pool");
  for (std::size_t i = 0; i < 300; ++i)
    ASSERT_EQ(pool[i], static_cast<float>(i < 100 ? i : i < 200 ? i - 100 : i)) << i;
  for (const std::size_t nth : {0u, 1u}) {
    const LaunchResult result = run("weighted", nth);
    const std::vector<float> x = values_of(result, "x"), out = values_of(result, "param_1");
    for (std::size_t i = 0; i < 100; ++i)
      ASSERT_EQ(out[i], x[i] * x[100 + i % 4] + (nth == 0 ? 0.0f : 2.0f)) << i;
  }
  const std::vector<float> out = values_of(run("transposed"), "out");
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(out[i % 16 * 16 + i / 16], static_cast<float>(i));
}

TEST_F(Pointers, InModuleVariablesAreFollowed) {
  const LaunchResult result = run("by_module");
  const std::vector<float> x = values_of(result, "X"), y = values_of(result, "Y"), z = values_of(result, "Z");
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(z[i], x[i] + 2);
    EXPECT_EQ(z[32 + i], -1);
    EXPECT_EQ(z[64 + i], y[32 + i] + 2);
  }
}

TEST_F(Pointers, AreWrittenByKernels) {
  const LaunchResult result = run("by_table");
  const std::vector<float> out = values_of(result, "param_1");
  for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], static_cast<float>(t % 8 * 4 + t / 8));
  const std::vector<std::uint64_t> table = values_of<std::uint64_t>(result, "param_0");
  EXPECT_EQ(table[0], table[2] - 16);
  EXPECT_EQ(table[1], table[2] - 32);
}

TEST_F(Pointers, AreKeptInRecordings) {
  for (const PointerLaunch& one : pointer_launches()) {
    SCOPED_TRACE(one.entry);
    LaunchRequest request = request_of(one, pointers_ptx(), "pointers.ptx");
    request.event_blocks = BlockChoice{};
    const Recording recording = launched(request).recording;
    const Result<Recording> read = decode(encode(recording));
    ASSERT_TRUE(read.ok()) << read.error().message();
    const Result<Recording> again = record(launch_of(*read));
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(again->arguments, recording.arguments);
    EXPECT_EQ(again->buffers, recording.buffers);
    for (const Difference& difference : differences(recording, *again, 5)) ADD_FAILURE() << difference.what;
  }
}

// An address for each of many entries is a long argument.
TEST_F(Pointers, AreKeptInLongTables) {
  std::string table = "param_0=ptr[2000]:&rows[4]";
  for (int i = 1; i < 2000; ++i) table += ",&rows[" + std::to_string(4 * (i * 7 % 8)) + "]";
  const PointerLaunch one{
      "by_table", {1}, {32}, {table, "param_1=buf:f32:32", "param_2=i32:8", "rows=buf:f32:36:iota"}, {}};
  const Recording recording = launched(request_of(one, pointers_ptx(), "pointers.ptx")).recording;
  EXPECT_GT(recording.arguments[0].value.size(), 16000u);
  const Result<Recording> read = decode(encode(recording));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->arguments, recording.arguments);
}

TEST_F(Pointers, AreFollowedInMachineCode) {
  if (!compile::has_assembler()) GTEST_SKIP() << "skipped: there is no ptxas and nvdisasm on this machine";
  for (const PointerLaunch& one : pointer_launches()) {
    SCOPED_TRACE(one.entry);
    const Recording recording = launched(request_of(one, pointers_ptx(), "pointers.ptx")).recording;
    const AsCompiled compiled = as_compiled(recording, {9, 0});
    ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
    const analysis::Report written = analysis::report(recording, {9, 0});
    EXPECT_EQ(compiled.report.global_store.requests, written.global_store.requests);
    EXPECT_EQ(compiled.report.global_store.cost.sectors, written.global_store.cost.sectors);
    EXPECT_EQ(compiled.report.global_load.requests, written.global_load.requests);
    EXPECT_EQ(compiled.report.global_load.cost.sectors, written.global_load.cost.sectors);
  }
}

TEST_F(Pointers, DanglingPointersAreErrors) {
  const auto error = [](const std::string& entry, const std::vector<std::string>& arguments,
                        const std::vector<std::string>& variables = {}) {
    const Result<LaunchResult> result =
        launch(request_of({entry, {1}, {32}, arguments, variables}, pointers_ptx(), "pointers.ptx"));
    return result.ok() ? std::string("none") : result.error().what + " " + result.error().hint;
  };
  EXPECT_EQ(error("in_place", {"&B[3]", "buf:f32:32"}),
            "`&B[3]` leads to no buffer of the launch Behind & stands the name of an argument that is a "
            "buffer: A=f32[n], p=&A[64].");
  EXPECT_EQ(error("in_place", {"&param_1[33]", "param_1=buf:f32:32"}),
            "`&param_1[33]` lies outside of its buffer param_1 has 32 elements.");
  EXPECT_EQ(error("in_place", {"&param_1[2][1]", "param_1=f32[2][16]"}),
            "`&param_1[2][1]` lies outside of its buffer param_1 has 2 rows of 16 elements.");
  EXPECT_EQ(error("in_place", {"&param_1[2][0]", "param_1=f32[2][16]"}).substr(0, 4), "none")
      << "behind the last one: an address as in C";
  EXPECT_EQ(error("in_place", {"&param_1", "param_1=i64:3"}).substr(0, 32),
            "`&param_1` leads to no buffer of");
  EXPECT_NE(error("in_place", {"&t", "buf:f32:32", "t=tex1d:f32[8]"}).find("which has no address"),
            std::string::npos);
  EXPECT_EQ(error("in_place", {"buf:f32:32", "buf:f32:32", "C=buf:f32:32"}).substr(0, 39),
            "in_place takes 2 arguments, 3 are given");
  EXPECT_NE(error("by_module", {"f32:1"}, {"target=f32*[2][4]"}).find("cannot be given rows"),
            std::string::npos);
  EXPECT_NE(error("by_module", {"f32:1"}, {"target=&Y"}).find("leads to no buffer"), std::string::npos);
}

TEST_F(Pointers, OutOfBoundsPointerIsReported) {
  const PointerLaunch launch{"in_place", {1}, {32}, {"param_0=&param_1[1]", "param_1=buf:f32:32:iota"}, {}};
  const LaunchResult result = launched(request_of(launch, pointers_ptx(), "pointers.ptx"));
  ASSERT_FALSE(result.recording.findings.empty());
  EXPECT_EQ(result.recording.findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(result.recording.findings[0].lanes, 0x80000000u);
}

// Blocks whose pointers lead into one buffer see what the others write.
TEST_F(Pointers, IntoOneBufferMayAlias) {
  const PointerLaunch launch{"neighbours",
                             {2},
                             {32},
                             {"a=&pool", "b=&pool[1]", "c=&pool[32]", "i32:64", "pool=buf:f32:200:iota"},
                             {}};
  LaunchRequest request = request_of(launch, pointers_ptx(), "pointers.ptx");
  std::get<FileKernel>(request.origin).parameters = {"a", "b", "c", "n"};
  const LaunchResult result = launched(request);
  ASSERT_FALSE(result.recording.findings.empty());
  EXPECT_EQ(result.recording.findings[0].kind, FindingKind::block_race);
}

class PointerForms : public testing::Test {
 protected:
  void SetUp() override {
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  }
  static std::string source() {
    std::ifstream file(WARPLENS_TEST_DATA "/cu/pointers.cu");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static LaunchRequest request(const std::string& entry, const std::string& form) {
    LaunchRequest request;
    request.origin = FileKernel{.file = "pointers.cu",
                                .entry = entry,
                                .text = {},
                                .sources = {},
                                .source_folders = {},
                                .cuda = source(),
                                .parameters = {}};
    request.form = *parse_form(form);
    return request;
  }
};

TEST_F(PointerForms, GiveStructuresByTheirFields) {
  const LaunchResult view = launched(
      request("fill", "grid=(view.n+63)/64 block=64 view.n=100 view.data=f32[view.n] from=f32[view.n]:iota"));
  const std::vector<float> data = values_of(view, "view.data");
  ASSERT_EQ(data.size(), 100u);
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], static_cast<float>(i));

  const std::string weighted =
      "grid=1 block=64 n=64 pair.from.n=n pair.from.data=f32[n]:iota pair.weights[0]=f32[4]:value:2 "
      "pair.weights[1]=&pair.weights[0][3] out=f32[n]";
  const std::vector<float> out = values_of(launched(request("weighted", weighted)), "out");
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<float>(2 * i + 2));

  const std::string transposed =
      "grid=1 block=64 matrix.rows=4 matrix.columns=16 matrix.in=f32[4][16]:iota matrix.out=f32[16][4]";
  const LaunchResult matrix = launched(request("transposed", transposed));
  EXPECT_EQ(values_of(matrix, "matrix.out")[4], 1);
  EXPECT_EQ(matrix.recording.buffers[0].rows, 4u) << "a matrix, for the views";
}

TEST_F(PointerForms, NameBuffersBesidesTheParameters) {
  const LaunchResult result = launched(
      request("by_module",
              "grid=1 block=96 add=1 X=f32[96]:iota Z=f32[96] var:target=&Z var:tables=ptr[3]:&X[i*32]"));
  const std::vector<float> z = values_of(result, "Z");
  for (std::size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z[i], static_cast<float>(i + 1));
}

// By functions that are given the same: buffers, rows, addresses and structures.
TEST_F(PointerForms, AreVerifiedByFunctionsOfTheSource) {
  const std::string functions = R"cu(
void neighbours_of(const float* a, const float* next, float* out, int n) { for (int i = 0; i < n; ++i) out[i] = a[i] + next[i]; }
void batched_of(const float* const* in, float** out, int count, int n) {
  for (int b = 0; b < count; ++b) for (int i = 0; i < n; ++i) out[b][i] = 2 * in[b][i];
}
void filled(View view, const float* from) { for (int i = 0; i < view.n; ++i) view.data[i] = from[i]; }
void filled_wrong(View view, const float* from) { for (int i = 0; i < view.n; ++i) view.data[i] = from[i] + (i == 5); }
void by_table_of(float** rows, float* out, int count) { for (int t = 0; t < 32; ++t) out[t] = rows[t % count][t / count]; }
void into_the_middle(const float* a, float* next) { next[2] = a[0]; }
)cu";
  const auto verified = [&](const std::string& entry, const std::string& form) {
    LaunchRequest whole = request(entry, form);
    std::get<FileKernel>(whole.origin).cuda += functions;
    const Result<Recording> recording = record(whole);
    EXPECT_TRUE(recording.ok()) << recording.error().message();
    return recording.ok() ? recording->verified : std::nullopt;
  };
  EXPECT_EQ(verified("neighbours",
                     "grid=1 block=64 n=64 a=f32[n+1]:ints next=&a[1] out=f32[n] expect=cpu:neighbours_of"),
            true);
  EXPECT_EQ(verified("neighbours",
                     "grid=1 block=64 n=64 a=f32[n+1]:ints next=&a out=f32[n] expect=cpu:neighbours_of"),
            true);
  EXPECT_EQ(verified("neighbours",
                     "grid=1 block=64 n=64 a=f32[n+1]:iota next=&a[1] out=f32[n] expect=cpu:into_the_middle"),
            false);
  EXPECT_EQ(
      verified("batched",
               "grid=3 block=n count=3 n=32 in=f32*[count][n]:ints out=f32*[count][n] expect=cpu:batched_of"),
      true);
  EXPECT_EQ(
      verified("batched",
               "grid=2 block=n count=3 n=32 in=f32*[count][n]:ints out=f32*[count][n] expect=cpu:batched_of"),
      false);
  const std::string table =
      "grid=1 block=32 count=8 pool=f32[32]:iota rows=ptr[8]:&pool[i*4] out=f32[32] expect=cpu:by_table_of";
  EXPECT_EQ(verified("by_table", table), true);
  EXPECT_EQ(verified("by_table", table + " rows=f32*[8][4]:ints"), true);
  const std::string view = "grid=1 block=64 view.n=64 view.data=f32[64] from=f32[64]:iota expect=cpu:";
  EXPECT_EQ(verified("fill", view + "filled"), true);
  EXPECT_EQ(verified("fill", view + "filled_wrong"), false);
}

TEST_F(PointerForms, MissingFieldsAreNamed) {
  const auto error = [&](const std::string& entry, const std::string& form) {
    const Result<LaunchResult> result = launch(request(entry, form));
    return result.ok() ? std::string("none") : result.error().message();
  };
  EXPECT_EQ(error("fill", "grid=1 block=1 view.n=3 from=f32[3]"),
            "view.data: nothing says what `view.data` points at. Give it a buffer, "
            "view.data=f32[COUNT]:ints, or an address in another one, "
            "view.data=&A[64].");
  EXPECT_NE(error("batched", "grid=1 block=1 out=f32*[2][3]").find("in=f32*[ROWS][COLUMNS]:ints"),
            std::string::npos);
}

TEST(PointerSpecs, RoundTrip) {
  const std::vector<NamedValue> sizes{{"n", 8}, {"s.n", 5}, {"s.k[1].n", 2}};
  const auto again = [&](const std::string& text) {
    const Result<ArgumentSpec> spec = parse_argument(text, {.values = sizes, .type = {}});
    if (!spec.ok()) return spec.error().what;
    const std::string written = text_of(*spec);
    const Result<ArgumentSpec> read = parse_argument(written);
    return read.ok() && *read == *spec ? written : "not as it was: " + written;
  };
  EXPECT_EQ(again("&A"), "&A");
  EXPECT_EQ(again("&A[2*n]"), "&A[16]");
  EXPECT_EQ(again("&s.p[s.n][s.k[1].n+1]"), "&s.p[5][3]");
  EXPECT_EQ(again("null"), "null");
  EXPECT_EQ(again("f32*[n][s.n,n]:ints:3"), "f32*[8][5,8]:random:3");
  EXPECT_EQ(again("f32*[1][9]"), "f32*[1][9]");
  EXPECT_EQ(again("ptr[3]:&A,null,&B[n]"), "ptr[3]:&A,null,&B[8]");
  EXPECT_EQ(again("ptr[n]:&A[i*n+1]"), "ptr[8]:&A[1+i*8]");
  EXPECT_EQ(again("ptr[4]:&A[i][0]"), "ptr[4]:&A[i][0]");
  EXPECT_EQ(again("ptr[4]:&A[3-i]"), "ptr[4]:&A[3],&A[2],&A[1],&A[0]");
  EXPECT_EQ(again("ptr[2]:null"), "buf:u64:2");
  EXPECT_EQ(again("bytes:0000000000000000ff00000000000000@8=&A[n]@0=&B"),
            "bytes:0000000000000000ff00000000000000@8=&A[8]@0=&B");
  for (const char* wrong :
       {"&", "&[3]", "&A[-1]", "&A[x]", "ptr:&A", "ptr[2]", "ptr[3]:&A,&B", "ptr[0]:&A", "ptr[2][2]:&A",
        "ptr[99999999]:&A", "f32*[3]", "f32*:3", "bytes:00@0=&A", "bytes:0000000000000000@1=&A",
        "bytes:0000000000000000@0&A", "bytes:0000000000000000@x=&A", "bytes:0000000000000000@0=null"}) {
    EXPECT_FALSE(parse_argument(wrong, {.values = sizes, .type = {}}).ok()) << wrong;
  }
}

}  // namespace
}  // namespace warplens::app
