// Kernels of the user's, from their PTX.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "app/kernel_file/kernel_file.h"
#include "app/session/arithmetic.h"
#include "app/session/loaded.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

const std::filesystem::path kFile =
    std::filesystem::path(WARPLENS_TEST_DATA) / "ptx" / "user_kernels.sm_75.ptx";

LaunchRequest request(const std::string& entry, Dim3 grid, Dim3 block,
                      const std::vector<std::string>& arguments) {
  LaunchRequest result;
  result.origin = FileKernel{.file = kFile, .entry = entry, .text = {}, .sources = {}, .source_folders = {}};
  result.shape = {.grid = grid, .block = block};
  for (const std::string& text : arguments) result.arguments.push_back(*parse_named_argument(text));
  return result;
}

template <class T>
std::vector<T> buffer(const LaunchResult& run, std::size_t argument) {
  const std::span<const std::byte> bytes = run.memory.bytes(run.buffers.at(argument).value());
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

LaunchResult run(const LaunchRequest& request) {
  Result<LaunchResult> result = launch(request);
  if (!result.ok()) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

TEST(UserKernel, VectorAdd) {
  const LaunchResult result = run(request(
      "vector_add", {4}, {256}, {"buf:f32:1000:iota", "buf:f32:1000:iota", "buf:f32:1000", "i32:1000"}));
  const std::vector<float> sums = buffer<float>(result, 2);
  for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], 2.0f * static_cast<float>(i));
  EXPECT_EQ(result.recording.kernel, "vector_add");
  EXPECT_EQ(result.recording.verified, std::nullopt);
  EXPECT_TRUE(result.recording.findings.empty());
  EXPECT_EQ(result.recording.buffers[2].name, "param_2");
  std::uint64_t divergent = 0;
  for (const SiteTotals& totals : result.recording.totals) divergent += totals.divergent_requests;
  EXPECT_EQ(divergent, 3u) << "one of 32 warps, in each of two loads and a store";
}

TEST(UserKernel, TemplatesByPlainNameAndReductions) {
  const LaunchResult result = run(request("row_sums<64>", {5}, {64}, {"buf:f32:320:iota", "buf:f32:5"}));
  std::vector<float> expected(5);
  for (std::size_t i = 0; i < 320; ++i) expected[i / 64] += static_cast<float>(i);
  EXPECT_EQ(buffer<float>(result, 1), expected);
  EXPECT_EQ(result.recording.shared_bytes, 256u);
  ASSERT_EQ(result.recording.shared_arrays.size(), 1u);
  EXPECT_EQ(result.recording.shared_arrays[0].name, "partial");
}

TEST(UserKernel, DoublesBytesAndLongs) {
  const LaunchResult result =
      run(request("scale", {1}, {64}, {"buf:f64:50:iota", "f64:0.5", "buf:u8:50:iota", "i64:40"}));
  const std::vector<double> values = buffer<double>(result, 0);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(values[i], static_cast<double>(i) * (i < 40 && i != 0 ? 0.5 : 1.0)) << i;
  EXPECT_EQ(result.buffers[1], std::nullopt) << "a scalar has no buffer";
}

TEST(UserKernel, DynamicSharedMemory) {
  LaunchRequest one = request("reversed", {1}, {64}, {"buf:i32:64:iota"});
  one.shape.dynamic_shared_bytes = 256;
  const LaunchResult result = run(one);
  const std::vector<std::int32_t> values = buffer<std::int32_t>(result, 0);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 63 - i);
  EXPECT_TRUE(result.recording.findings.empty());
  EXPECT_EQ(result.recording.shared_bytes, 256u);
}

TEST(UserKernel, RaceIsAFindingNotAnError) {
  LaunchRequest one = request("missing_barrier", {1}, {64}, {"buf:i32:64:iota"});
  one.shape.dynamic_shared_bytes = 256;
  const LaunchResult result = run(one);
  ASSERT_FALSE(result.recording.findings.empty());
  EXPECT_TRUE(std::any_of(
      result.recording.findings.begin(), result.recording.findings.end(), [](const Finding& finding) {
        return finding.kind == FindingKind::race && finding.line != 0 && finding.other_line != 0;
      }));
}

TEST(UserKernel, OutOfBoundsStoresAreNotExecuted) {
  const LaunchResult result = run(request("past_the_end", {2}, {64}, {"buf:f32:100"}));
  EXPECT_EQ(buffer<float>(result, 0), std::vector<float>(100, 1.0f));
  ASSERT_EQ(result.recording.findings.size(), 1u);
  EXPECT_EQ(result.recording.findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(result.recording.findings[0].block, (Dim3{1, 0, 0}));
  EXPECT_EQ(result.recording.findings[0].warp, 1u);
  EXPECT_EQ(result.recording.findings[0].lanes, 0xfffffff0u);
  EXPECT_NE(result.recording.findings[0].text.find("param_0"), std::string::npos)
      << result.recording.findings[0].text;
}

TEST(UserKernel, EventsOfChosenBlocks) {
  LaunchRequest one =
      request("vector_add", {4}, {256}, {"buf:f32:1000", "buf:f32:1000", "buf:f32:1000", "i32:1000"});
  one.event_blocks = *parse_blocks("3;1");
  const LaunchResult result = run(one);
  EXPECT_EQ(result.recording.event_blocks, (std::vector<Dim3>{{1, 0, 0}, {3, 0, 0}}));
  EXPECT_EQ(result.recording.events.size(), 2u * 8u * 3u)
      << "the last warp's lanes past the end are masked, its access is made";
  EXPECT_EQ(result.recording.blocks_counted, 4u);
}

TEST(UserKernel, SaysWhichArgumentDoesNotFit) {
  const auto message = [](const LaunchRequest& request) {
    const Result<LaunchResult> result = launch(request);
    return result.ok() ? std::string() : result.error().message();
  };
  EXPECT_NE(message(request("reversed", {1}, {64}, {})).find("takes 1 argument, 0 are given"),
            std::string::npos);
  EXPECT_NE(message(request("reversed", {1}, {64}, {"i32:1"}))
                .find("argument 0 (i32) is 4 bytes wide, the parameter is 8"),
            std::string::npos);
  EXPECT_NE(message(request("vector_add", {1}, {64}, {"buf:f32:1", "buf:f32:1", "buf:f32:1", "buf:f32:1"}))
                .find("argument 3 (buf)"),
            std::string::npos);
  const auto last = [&](const std::string& argument) {
    return message(request("vector_add", {1}, {64}, {"buf:f32:1", "buf:f32:1", "buf:f32:1", argument}));
  };
  EXPECT_NE(last("f32:1").find("argument 3 is of type f32, the parameter of type u32"), std::string::npos);
  EXPECT_EQ(last("i32:-1"), "") << "PTX does not tell int from unsigned";
  EXPECT_EQ(last("bytes:00000000"), "");
  EXPECT_NE(message(request("reversed", {1}, {64}, {"f64:1"}))
                .find("argument 0 is of type f64, the parameter of type u64"),
            std::string::npos);
  EXPECT_NE(message(request("row_sums", {1}, {64}, {})).find("row_sums<64>"), std::string::npos)
      << "two kernels have that plain name";
  EXPECT_NE(message(request("", {1}, {64}, {})).find("more than one kernel"), std::string::npos);
  EXPECT_NE(message(request("reversed", {1}, {64}, {"buf:u8:1000000000000000"}))
                .find("GiB of memory available here"),
            std::string::npos);
}

TEST(UserKernel, NonPtxFilesAreRefused) {
  LaunchRequest missing = request("x", {1}, {1}, {});
  std::get<FileKernel>(missing.origin).file = "no/such/file.ptx";
  EXPECT_FALSE(launch(missing).ok());
  const Result<ptx::Module> cuda = load_ptx("no/such/kernel.cu");
  ASSERT_FALSE(cuda.ok());
  EXPECT_NE(cuda.error().message().find("kernel.cu"), std::string::npos) << cuda.error().message();
}

// What stands in no line of a source stands in its own line of the PTX, so that two accesses are two, and
// their findings too.
TEST(UserKernel, WithoutLineTableUsesPtxLines) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "warplens_no_lines.ptx";
  std::ofstream(file) << ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 "
                         "out)\n{\n.reg .b64 %rd<2>;\n"
                         "ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], 1;\nst.global.u32 [%rd1+64], "
                         "2;\nst.global.u32 [%rd1+128], 3;\nret;\n}\n";
  LaunchRequest one = request("k", {1}, {1}, {"buf:i32:8"});
  std::get<FileKernel>(one.origin).file = file;
  const Recording recording = run(one).recording;
  std::filesystem::remove(file);
  ASSERT_EQ(recording.files.size(), 1u);
  EXPECT_EQ(recording.files[0].name, "warplens_no_lines.ptx");
  EXPECT_EQ(recording.files[0].text, recording.ptx);
  ASSERT_EQ(recording.sites.size(), 3u);
  for (std::uint32_t s = 0; s < 3; ++s) EXPECT_EQ(recording.sites[s].line, 8 + s);
  ASSERT_EQ(recording.findings.size(), 2u);
  EXPECT_EQ(recording.findings[0].line, 9u);
  EXPECT_EQ(recording.findings[1].line, 10u);
}

/// A folder with `work/k.ptx`, whose accesses lie in the files of `named`, one each.
class Sources : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(top_);
    std::filesystem::create_directories(top_ / "work" / "src");
    std::filesystem::create_directories(top_ / "shared" / "lib");
  }
  void TearDown() override { std::filesystem::remove_all(top_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(top_ / name, std::ios::binary) << text;
  }
  /// The texts that the recording got, by the order of `named`.
  std::vector<std::string> texts_of(const std::vector<std::string>& named,
                                    const std::vector<std::filesystem::path>& folders = {}) {
    std::string ptx = ".version 9.0\n.target sm_75\n.address_size 64\n", code;
    for (std::size_t i = 0; i < named.size(); ++i) {
      ptx += ".file " + std::to_string(i + 1) + " \"" + named[i] + "\"\n";
      code += ".loc " + std::to_string(i + 1) + " 1 0\nst.global.u32 [%rd1], %r1;\n";
    }
    write("work/k.ptx", ptx +
                            ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<2>;\n.reg .b64 "
                            "%rd<2>;\nld.param.u64 %rd1, [a];\n" +
                            code + "ret;\n}\n");
    LaunchRequest one = request("k", {1}, {1}, {"buf:f32:1"});
    std::get<FileKernel>(one.origin).file = top_ / "work" / "k.ptx";
    std::get<FileKernel>(one.origin).source_folders = folders;
    last_ = run(one);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < named.size(); ++i) texts.push_back(last_->recording.files.at(i + 1).text);
    return texts;
  }
  [[nodiscard]] std::string reason(std::size_t i) const { return last_->unread_sources.at(i).reason; }

  const std::filesystem::path top_ =
      std::filesystem::path(testing::TempDir()) /
      ("warplens_sources_" + std::to_string(::getpid()));  // Cases run side by side
  std::optional<LaunchResult> last_;
};

TEST_F(Sources, AreReadBesideThePtxAndBelow) {
  write("work/a.cu", "a");
  write("work/src/b.cuh", "b");
  EXPECT_EQ(texts_of({"a.cu", "src/b.cuh", "/build/elsewhere/a.cu", (top_ / "work/src/b.cuh").string(),
                      "./src/../a.cu"}),
            (std::vector<std::string>{"a", "b", "a", "b", "a"}));
  EXPECT_TRUE(last_->unread_sources.empty());
}

TEST_F(Sources, OutsideFoldersAreReadOnlyWithConsent) {
  write("shared/secret.cu", "secret");
  write("shared/lib/c.h", "c");
  const std::vector<std::string> named{(top_ / "shared/secret.cu").string(), "../shared/secret.cu",
                                       "lib/c.h"},
      nothing{"", "", ""};
  EXPECT_EQ(texts_of(named), nothing);
  ASSERT_EQ(last_->unread_sources.size(), 3u);
  EXPECT_EQ(last_->unread_sources[0].named, named[0]);
  EXPECT_EQ(reason(1), "it lies outside the folders that may be read");
  EXPECT_EQ(texts_of(named, {top_ / "shared" / "lib"})[2], "c");
  EXPECT_EQ(texts_of(named, {top_ / "none", top_ / "shared"}),
            (std::vector<std::string>{"secret", "secret", "c"}));
}

TEST_F(Sources, LinksThatLeadOutsideAreNotRead) {
  write("shared/secret.cu", "secret");
  write("work/real.cu", "real");
  std::filesystem::create_symlink(top_ / "shared" / "secret.cu", top_ / "work" / "out.cu");
  std::filesystem::create_directory_symlink(top_ / "shared", top_ / "work" / "deps");
  std::filesystem::create_symlink(top_ / "work" / "real.cu", top_ / "work" / "in.cu");
  EXPECT_EQ(texts_of({"out.cu", "deps/secret.cu", "in.cu"}), (std::vector<std::string>{"", "", "real"}));
}

TEST_F(Sources, AreSourceTextOfSomeSize) {
  write("work/id_rsa", "key");
  write("work/notes.txt", "notes");
  write("work/binary.cu", std::string("a\0b", 3));
  write("work/latin.cu",
        "Gr\xf6\xdf"
        "e");
  write("work/large.cu", std::string(5u << 20, ' '));
  std::filesystem::create_symlink(top_ / "work" / "id_rsa", top_ / "work" / "key.cu");
  EXPECT_EQ(texts_of({"id_rsa", "notes.txt", "binary.cu", "latin.cu", "large.cu", "/proc/self/environ",
                      "key.cu", "/dev/zero", "src"}),
            (std::vector<std::string>{"", "", "",
                                      "Gr\xef\xbf\xbd\xef\xbf\xbd"
                                      "e",
                                      "", "", "", "", ""}));
  EXPECT_EQ(last_->unread_sources.size(), 8u);
  EXPECT_EQ(reason(2), "it is not text");
  EXPECT_NE(reason(3).find("more than the"), std::string::npos) << reason(3);
}

TEST(UserKernel, EndlessDemanglingIsCutOff) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "warplens_names.ptx";
  std::string mangled = "_Z1f1AIiiE";
  for (char c = '0'; c <= '9'; ++c) mangled += std::string("S_IS") + c + "_S" + c + "_E";
  for (char c = 'A'; c <= 'R'; ++c) mangled += std::string("S_IS") + c + "_S" + c + "_E";
  std::ofstream(file) << ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 " << mangled
                      << "[1024];\n.visible .entry k()\n{\n.reg .b32 %r<2>;\nld.shared.u32 %r1, [" << mangled
                      << "];\nret;\n}\n";
  LaunchRequest one = request("k", {1}, {1}, {});
  std::get<FileKernel>(one.origin).file = file;
  EXPECT_EQ(run(one).recording.shared_arrays.at(0).name, mangled);
  std::filesystem::remove(file);
}

TEST(UserKernel, SourceTextComesFromBesideThePtx) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "warplens_user_kernel";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(kFile, folder / "k.ptx", std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(std::filesystem::path(WARPLENS_TEST_DATA) / "cu" / "user_kernels.cu",
                             folder / "user_kernels.cu", std::filesystem::copy_options::overwrite_existing);
  LaunchRequest one = request("past_the_end", {1}, {64}, {"buf:f32:64"});
  EXPECT_EQ(run(one).recording.files.at(run(one).recording.sites.at(0).file).text, "");
  std::get<FileKernel>(one.origin).file = folder / "k.ptx";
  const LaunchResult result = run(one);
  const Site& store = result.recording.sites.at(0);
  const SourceFile& file = result.recording.files.at(store.file);
  EXPECT_EQ(file.name, "user_kernels.cu");
  EXPECT_NE(file.text.find("past_the_end"), std::string::npos);
  std::filesystem::remove_all(folder);
}

// Called as one of the ladder's, it is still the user's: in what was recorded, and in all that is made of it.
TEST(UserKernel, LadderNamesDoNotMakeItALadderKernel) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "warplens_user_tiled.ptx";
  std::ofstream(file) << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry tiled(.param .u64 "
                         "c)\n{\n.reg .b64 %rd<2>;\n"
                         "ld.param.u64 %rd1, [c];\nst.global.u32 [%rd1], 1;\nret;\n}\n";
  LaunchRequest one = request("tiled", {1}, {32}, {"buf:i32:4"});
  std::get<FileKernel>(one.origin).file = file;
  one.event_blocks = BlockChoice{};
  const Recording recording = run(one).recording;
  std::filesystem::remove(file);
  EXPECT_EQ(recording.kernel, "tiled");
  EXPECT_EQ(recording.origin, Origin::file);
  EXPECT_EQ(recording.origin_file, "warplens_user_tiled.ptx");
  EXPECT_EQ(ladder_kernel_of(recording), nullptr);

  const std::shared_ptr<const Loaded> loaded = make_loaded(recording, {9, 0}, {}, nullptr, MachineCode::made);
  if (loaded->compiled.has_counts()) {
    EXPECT_EQ(loaded->compiled.report.global_store.requests, 1u) << "its own machine code, not tiled's";
  }
  for (const analysis::FormulaKernel& catalog_kernel : arithmetic_of(recording, loaded->report).ladder)
    EXPECT_FALSE(catalog_kernel.recorded) << catalog_kernel.name;
}

TEST(UserKernel, SharedMemoryBaseDependsOnComputeCapability) {
  const replay::Options unless_told;
  EXPECT_EQ(
      unless_told.shared_base,
      analysis::memory_rules_of(*analysis::parse_compute_capability(unless_told.unkept_cc)).shared_base);
  for (const auto& [cc, base] : {std::pair{analysis::ComputeCapability{7, 5}, 0u},
                                 {{8, 0}, 1024u},
                                 {{9, 0}, 1024u},
                                 {{12, 0}, 1024u}}) {
    LaunchRequest one = request("reversed", {1}, {64}, {"buf:i32:64:iota"});
    one.shape.dynamic_shared_bytes = 256;
    one.cc = cc;
    EXPECT_EQ(run(one).recording.shared_base, base) << cc.name();
  }
}

}  // namespace
}  // namespace warplens::app
