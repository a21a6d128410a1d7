// Kernels of the user's: `warplens check` and `warplens replay`, and other commands given a file.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "cli/cli_fixture.h"
#include "kernels/compile/compile.h"

namespace warplens::app {
namespace {

TEST_F(Cli, ReplayRunsKernelsOfTheUser) {
  const Output output =
      run({"replay",  kPtx,           "--entry",      "vector_add",        "--grid", "4",
           "--block", "256",          "--arg",        "buf:f32:1000:iota", "--arg",  "buf:f32:1000:iota",
           "--arg",   "buf:f32:1000", "--arg",        "i32:1000",          "--dump", "2:" + path("c.bin"),
           "--json",  "-o",           path("add.wlr")});
  ASSERT_EQ(output.status, kDone) << output.err;
  const ordered_json json = output.json();
  EXPECT_EQ(json["kernel"], "vector_add");
  EXPECT_TRUE(json["verified"].is_null());
  EXPECT_EQ(json["totals"]["global_load"]["requested_bytes"], 8000);
  const std::string bytes = contents("c.bin");
  ASSERT_EQ(bytes.size(), 4000u);
  for (std::size_t i = 0; i < 1000; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    ASSERT_EQ(value, 2.0f * static_cast<float>(i));
  }
  EXPECT_EQ(run({"report", path("add.wlr"), "--json"}).out, output.out);
}

TEST_F(Cli, ReportLaunchesWhatMainLaunches) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  const std::string programs = std::string(WARPLENS_TEST_DATA) + "/programs/";
  const Output first = run({"report", programs + "repeated_reduction.cu", "--json"});
  ASSERT_EQ(first.status, kDone) << first.err;
  EXPECT_EQ(first.json()["grid"], ordered_json::array({391, 1, 1}));
  EXPECT_EQ(first.err, "");
  const Output second = run({"report", programs + "repeated_reduction.cu", "--launch", "2", "--json"});
  ASSERT_EQ(second.status, kDone) << second.err;
  EXPECT_EQ(second.json()["grid"], ordered_json::array({2, 1, 1}));
  const Output missing = run({"report", programs + "repeated_reduction.cu", "--launch", "9"});
  EXPECT_NE(missing.status, kDone);
  EXPECT_NE(missing.err.find("the source makes 3 launches of reduce"), std::string::npos) << missing.err;
  const Output sized = run({"report", programs + "vector_add.cu", "--arg", "n=1000", "--json"});
  ASSERT_EQ(sized.status, kDone) << sized.err;
  EXPECT_EQ(sized.json()["grid"], ordered_json::array({4, 1, 1}));
  const Output guessed = run({"report", programs + "sizes_from_arguments.cu"});
  ASSERT_EQ(guessed.status, kDone) << guessed.err;
  EXPECT_NE(guessed.err.find("guessed, as the source does not say it: n"), std::string::npos) << guessed.err;
}

TEST_F(Cli, BuffersAreWrittenByTheirNames) {
  const std::string file = std::string(WARPLENS_TEST_DATA) + "/ptx/pointers.sm_75.ptx";
  const std::vector<std::string> command{"replay",  file,
                                         "--entry", "batched",
                                         "--grid",  "2",
                                         "--block", "4",
                                         "--arg",   "param_0=f32*[2][4]:iota",
                                         "--arg",   "param_1=&rows",
                                         "--arg",   "rows=ptr[2]:&pool[i*4]",
                                         "--arg",   "pool=buf:f32:8"};
  const auto with = [&](const std::vector<std::string>& dumps) {
    std::vector<std::string> whole = command;
    for (const std::string& dump : dumps) whole.insert(whole.end(), {"--dump", dump});
    return run(whole);
  };
  const Output output =
      with({"pool:" + path("pool.bin"), "param_0:" + path("in.bin"), "*param_0:" + path("same.bin")});
  ASSERT_EQ(output.status, kDone) << output.err;
  std::vector<float> pool(8);
  ASSERT_EQ(contents("pool.bin").size(), 32u);
  std::memcpy(pool.data(), contents("pool.bin").data(), 32);
  EXPECT_EQ(pool, (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(contents("in.bin"), contents("same.bin"));
  EXPECT_NE(with({"none:" + path("x.bin")})
                .err.find("`none` is no buffer of the launch. Its buffers: *param_0, param_0, rows, pool."),
            std::string::npos);
  EXPECT_EQ(with({":x.bin"}).status, kMisused);
  EXPECT_EQ(with({"pool:"}).status, kMisused);
}

TEST_F(Cli, CheckNamesTemplates) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  std::ofstream(path("t.cu"))
      << "template <typename T, int N, bool kFast> __global__ void k(T* a) { a->run(N); }\n";
  const ordered_json json = run({"check", path("t.cu"), "--json"}).json();
  EXPECT_EQ(json["entries"], ordered_json::array());
  EXPECT_EQ(json["templates"],
            ordered_json::array({{{"name", "k"}, {"arguments", "typename T, int N, bool kFast"}}}));
  const Output text = run({"check", path("t.cu")});
  EXPECT_EQ(text.status, kDone);
  EXPECT_NE(text.out.find("`--entry 'k<float,16,true>'`"), std::string::npos) << text.out;
  const Output report = run({"report", path("t.cu"), "--grid", "1", "--block", "1", "--arg", "f32[1]"});
  EXPECT_NE(report.err.find("such as k<float,16,true>"), std::string::npos) << report.err;
}

TEST_F(Cli, CheckSaysHowPointersAreGiven) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  std::ofstream(path("s.cu"))
      << "struct M { int n; const float* RESTRICT p; float** q; };\n"
         "__global__ void k(M mat, float* RESTRICT o, M** all) { o[0] = mat.p[mat.n]; }\n";
  std::ofstream(path("q.cu")) << "#define RESTRICT __restrict__\n" << contents("s.cu");
  const ordered_json parameters = run({"check", path("q.cu"), "--json"}).json()["entries"][0]["parameters"];
  EXPECT_EQ(parameters[0]["arg"],
            ordered_json::array({"mat.n=i32:VALUE", "mat.p=f32[COUNT]", "mat.q=f32*[ROWS][COUNT]"}));
  EXPECT_EQ(parameters[1]["arg"], ordered_json::array({"o=f32[COUNT]"}));
  EXPECT_EQ(parameters[2]["arg"], ordered_json::array({"all=TYPE*[ROWS][COUNT]"}));
}

TEST_F(Cli, CheckSaysHowTexturesAreGiven) {
  std::vector<std::string> given;
  const ordered_json checked =
      run({"check", std::string(WARPLENS_TEST_DATA) + "/ptx/textures.sm_75.ptx", "--json"}).json();
  for (const ordered_json& entry : checked["entries"]) {
    for (const ordered_json& parameter : entry["parameters"]) {
      const std::string first = parameter["arg"][0].get<std::string>(),
                        spec = first.substr(first.find('=') + 1);
      if (spec.starts_with("tex") || spec.starts_with("surf"))
        given.push_back(entry["entry"].get<std::string>() + ' ' + spec);
    }
  }
  const std::vector<std::string> expected{"blur tex2d:TYPE[ROWS][COLUMNS]",
                                          "march tex3d:TYPE[SLICES][ROWS][COLUMNS]",
                                          "march tex1d:TYPE[COUNT]",
                                          "gather tex1d:TYPE[COUNT],memory",
                                          "gather texa2d:TYPE[LAYERS][ROWS][COLUMNS]",
                                          "gather texa1d:TYPE[LAYERS][COUNT]",
                                          "stamp surf2d:TYPE[ROWS][COLUMNS]",
                                          "stamp surf3d:TYPE[SLICES][ROWS][COLUMNS]",
                                          "stamp surfa1d:TYPE[LAYERS][COUNT]",
                                          "look_around texcube:TYPE[6][N][N]",
                                          "look_around texacube:TYPE[6*LAYERS][N][N]"};
  for (const std::string& one : expected) EXPECT_NE(std::ranges::find(given, one), given.end()) << one;
}

// 6 rows of 48 threads in blocks of 32: 12 warps, of which 6 have half their lanes.
TEST_F(Cli, ReplaysAKernelWithTextures) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  const std::string file = std::string(WARPLENS_TEST_DATA) + "/cu/textured.cu";
  const Output output =
      run({"replay", file, "--dump", "2:" + path("out.bin"), "--json", "-o", path("textured.wlr")});
  ASSERT_EQ(output.status, kDone) << output.err;
  const ordered_json json = output.json();
  EXPECT_TRUE(json["findings"].empty());
  EXPECT_EQ(json["totals"]["global_load"]["requests"], 24) << "a texel each of image and palette";
  EXPECT_EQ(json["totals"]["global_store"]["requests"], 12);
  EXPECT_EQ(json["totals"]["global_store"]["requested_bytes"], 48 * 6 * 4);
  EXPECT_EQ(json["totals"]["global_store"]["sectors"], 6 * 48 * 4 / 32);
  const std::string bytes = contents("out.bin");
  ASSERT_EQ(bytes.size(), 48u * 6 * 4);
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 48; ++x) {
      float value = 0;
      std::memcpy(&value, &bytes[static_cast<std::size_t>(y * 48 + x) * 4], sizeof value);
      EXPECT_EQ(value, static_cast<float>((x < 47 ? y * 48 + x + 1 : 0) + 1000 * (x % 16))) << x << ", " << y;
    }
  }
  EXPECT_EQ(run({"report", path("textured.wlr"), "--json"}).json()["totals"], json["totals"]);
  const ordered_json checked = run({"check", file, "--json"}).json();
  ASSERT_EQ(checked["entries"].size(), 1u);
  EXPECT_TRUE(checked["entries"][0]["unsupported"].empty());
  const Output text = run({"report", file});
  EXPECT_NE(text.out.find("estimate"), std::string::npos) << text.out;
}

TEST_F(Cli, ProductsOfIntegersOf4BitsAreVerified) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  const auto verified = [&](const std::string& term) {
    std::ofstream(path("i4.cu"))
        << "// warplens: grid=1 block=32 A=i4[4][64]:random B=u4[64][8]:below:16 C=i32[4][8] product=A*B->C\n"
           "__global__ void mul(const unsigned char* A, const unsigned char* B, int* C) {\n"
           "  int i = threadIdx.x / 8, j = threadIdx.x % 8, sum = 0;\n"
           "  for (int k = 0; k < 64; ++k) {\n"
           "    int a = A[(i * 64 + k) / 2] >> (k % 2 * 4) & 15, b = B[(k * 8 + j) / 2] >> (j % 2 * 4) & "
           "15;\n"
           "    sum += ((a ^ 8) - 8) * "
        << term << ";\n  }\n  C[i * 8 + j] = sum;\n}\n";
    const Output text = run({"report", path("i4.cu")});
    EXPECT_EQ(text.out.find("padded"), std::string::npos) << text.out;
    return run({"report", path("i4.cu"), "--json"}).json()["verified"].get<bool>();
  };
  EXPECT_TRUE(verified("b"));
  EXPECT_FALSE(verified("((b ^ 8) - 8)")) << "B has no sign";
}

/// Line 5 reads what other warps store in lines 3 and 4: the replay tells the two races apart by their lines.
TEST_F(Cli, AKindOfFindingAtALineIsListedOnce) {
  std::ofstream(path("races.ptx"))
      << ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
         ".reg .b32 %r<9>; .reg .b64 %rd<3>; .shared .align 4 .b8 s[1024];\n.loc 1 2 0\n"
         "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; "
         "xor.b32 %r5, %r2, 128; add.u32 %r5, %r5, %r3;\n"
         ".loc 1 3 0\nst.shared.u32 [%r4], %r1;\n.loc 1 4 0\nst.shared.u32 [%r4+512], %r1;\n"
         ".loc 1 5 0\nld.shared.u32 %r6, [%r5];\nld.shared.u32 %r7, [%r5+512];\n"
         ".loc 1 6 0\nadd.u32 %r6, %r6, %r7; ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 4; "
         "add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r6; ret;\n}\n.file 1 \"races.cu\"\n";
  const std::vector<std::string> command{"report", path("races.ptx"), "--grid",  "1", "--block",
                                         "128",    "--arg",           "u32[128]"};
  const Output text = run(command);
  ASSERT_EQ(text.status, kDone) << text.err;
  const std::string row = "races.cu:5: race";
  const std::size_t first = text.out.find(row);
  ASSERT_NE(first, std::string::npos) << text.out;
  EXPECT_EQ(text.out.find(row, first + 1), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("other accesses in lines 3, 4"), std::string::npos) << text.out;
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  std::size_t races_of_line_5 = 0;
  const ordered_json json = run(as_json).json();
  for (const ordered_json& finding : json["findings"]) {
    if (finding["line"] != 5 || finding["kind"] != "race") continue;
    ++races_of_line_5;
    EXPECT_EQ(finding["other_lines"], ordered_json({3, 4}));
  }
  EXPECT_EQ(races_of_line_5, 1u);
}

TEST_F(Cli, FindingsFailOnlyWhenAsked) {
  const std::vector<std::string> command{
      "replay", kPtx,       "--entry", "missing_barrier", "--grid",          "1",     "--block",
      "64",     "--shared", "256",     "--arg",           "buf:i32:64:iota", "--json"};
  const Output output = run(command);
  EXPECT_EQ(output.status, kDone);
  const ordered_json findings = output.json()["findings"];
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(keys(findings[0]),
            (std::vector<std::string>{"kind", "file", "line", "other_line", "count", "block", "warp", "lanes",
                                      "text", "inlined_at", "addresses"}));
  const auto race = std::find_if(findings.begin(), findings.end(),
                                 [](const ordered_json& finding) { return finding.contains("other"); });
  ASSERT_NE(race, findings.end());
  EXPECT_EQ(keys((*race)["other"]), (std::vector<std::string>{"op", "block", "warp", "lane", "address"}));
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                          [](const ordered_json& finding) { return finding["kind"] == "race"; }));
  EXPECT_EQ(findings[0]["file"], "user_kernels.cu");
  EXPECT_EQ(findings[0]["lanes"].get<std::string>().substr(0, 2), "0x");
  std::vector<std::string> strict = command;
  strict.push_back("--fail-on-findings");
  EXPECT_EQ(run(strict).status, kFailed);
  EXPECT_EQ(run(strict).out, output.out) << "the report is the same";
}

TEST_F(Cli, CheckNamesEveryEntry) {
  const ordered_json json = run({"check", kPtx, "--json"}).json();
  ASSERT_EQ(json["entries"].size(), 7u);
  const ordered_json& sums = json["entries"][1];
  EXPECT_EQ(sums["entry"], "row_sums<64>");
  EXPECT_EQ(sums["mangled"], "_Z8row_sumsILi64EEvPKfPf");
  EXPECT_EQ(sums["shared_bytes"], 256);
  EXPECT_EQ(sums["accesses"]["global"]["load"], 1);
  EXPECT_EQ(sums["accesses"]["global"]["store"], 1);
  EXPECT_GT(sums["registers"]["f32"], 0);
  EXPECT_TRUE(sums["unsupported"].empty());
  EXPECT_EQ(json["entries"][4]["dynamic_shared"], true);
  EXPECT_NE(run({"check", kPtx}).out.find("the replay can run all of it"), std::string::npos);
}

TEST_F(Cli, CheckNamesWhatTheReplayCannotRun) {
  std::ofstream(path("odd.ptx"))
      << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry odd()\n{\n  .reg .b32 %r<3>;\n"
         "  tex.1d.v4.s32.s32 {%r1, %r1, %r1, %r1}, [%r2, {%r2}];\n  ret;\n}\n";
  const Output output = run({"check", path("odd.ptx"), "--json"});
  EXPECT_EQ(output.status, kDone) << output.err;
  const ordered_json unsupported = output.json()["entries"][0]["unsupported"];
  ASSERT_EQ(unsupported.size(), 1u);
  EXPECT_EQ(unsupported[0]["ptx_line"], 7);
  const Output replayed = run({"replay", path("odd.ptx"), "--entry", "odd", "--grid", "1", "--block", "32"});
  EXPECT_EQ(replayed.status, kFailed);
  EXPECT_NE(replayed.err.find("tex.1d"), std::string::npos) << replayed.err;
  EXPECT_EQ(replayed.out, "");
}

/// scale * thread + filter[1] + the counter, which it then sets to 99.
constexpr const char* kVariables = R"(.version 9.0
.target sm_75
.address_size 64
.const .align 4 .f32 scale = 0f3F800000;
.visible .const .align 4 .b8 filter[12];
.global .align 4 .u32 _ZN3lib7counterE = 1;
.global .align 1 .b8 $str[3] = {104, 105, 0};
.visible .entry k(.param .u64 k_param_0, .param .align 8 .b8 k_param_1[24], .param .f32 k_param_2)
.maxntid 32, 2, 1
.minnctapersm 3
{
.reg .b64 %rd<6>; .reg .b32 %r<4>; .reg .f32 %f<8>;
ld.param.u64 %rd1, [k_param_0];
mov.u32 %r1, %tid.x;
cvt.rn.f32.u32 %f1, %r1;
ld.const.f32 %f2, [scale];
ld.const.f32 %f3, [filter+4];
ld.global.s32 %r2, [_ZN3lib7counterE];
cvt.rn.f32.s32 %f4, %r2;
fma.rn.f32 %f5, %f1, %f2, %f3;
add.f32 %f6, %f5, %f4;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.f32 [%rd3], %f6;
st.global.u32 [_ZN3lib7counterE], 99;
ret;
}
)";

TEST_F(Cli, CheckNamesParametersBoundsAndVariables) {
  std::ofstream(path("var.ptx")) << kVariables;
  const ordered_json json = run({"check", path("var.ptx"), "--json"}).json();
  const ordered_json& entry = json["entries"][0];
  ASSERT_EQ(entry["parameters"].size(), 3u);
  EXPECT_EQ(entry["parameters"][0], (ordered_json{{"name", "param_0"},
                                                  {"type", "u64"},
                                                  {"bytes", 8},
                                                  {"can_be_given", true},
                                                  {"arg", {"param_0=TYPE[COUNT]", "param_0=u64:VALUE"}}}));
  EXPECT_EQ(entry["parameters"][1]["type"], "b8[24]");
  EXPECT_EQ(entry["parameters"][1]["arg"], ordered_json::array({"param_1=bytes:HEX (24 bytes)"}));
  EXPECT_EQ(entry["parameters"][2]["arg"], ordered_json::array({"param_2=f32:VALUE"}));
  EXPECT_EQ(entry["launch_bounds"], (ordered_json{{"most_threads", {32, 2, 1}},
                                                  {"required_threads", nullptr},
                                                  {"fewest_blocks", 3},
                                                  {"most_registers", nullptr}}));
  EXPECT_EQ(entry["unsupported_kinds"], ordered_json::object());
  ASSERT_EQ(json["variables"].size(), 3u) << "texts are none";
  EXPECT_EQ(
      json["variables"][0],
      (ordered_json{
          {"name", "scale"}, {"mangled", "scale"}, {"space", "constant"}, {"type", "f32"}, {"bytes", 4}}));
  EXPECT_EQ(json["variables"][1]["type"], "b8[12]");
  EXPECT_EQ(json["variables"][2]["name"], "lib::counter");
  const std::string text = run({"check", path("var.ptx")}).out;
  EXPECT_NE(text.find("u64 param_0, 8 bytes: --arg param_0=TYPE[COUNT] or --arg param_0=u64:VALUE"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("at most 32 x 2 x 1 threads per block, at least 3 blocks per multiprocessor"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("u32 lib::counter, 4 bytes"), std::string::npos) << text;
}

TEST_F(Cli, CheckListsNoVariablesOfTheCppLibrary) {
  std::ofstream(path("std.ptx"))
      << ".version 9.0\n.target sm_90\n.address_size 64\n"
         ".global .u8 _ZNSt17integral_constantIbLb1EE5valueE = 1;\n"
         ".global .u32 _ZNSt4used5countE;\n.global .u32 own;\n"
         ".entry k() { .reg .u32 r; ld.global.u32 r, [_ZNSt4used5countE]; ret; }\n";
  const ordered_json json = run({"check", path("std.ptx"), "--json"}).json();
  ASSERT_EQ(json["variables"].size(), 2u) << json["variables"];
  EXPECT_EQ(json["variables"][0]["name"], "std::used::count") << "the kernel reads it";
  EXPECT_EQ(json["variables"][1]["name"], "own");
}

TEST_F(Cli, VariablesAreSetBeforeALaunch) {
  std::ofstream(path("var.ptx")) << kVariables;
  const std::vector<std::string> plain{"replay",  path("var.ptx"),
                                       "--grid",  "1",
                                       "--block", "32",
                                       "--arg",   "f32[32]",
                                       "--arg",   "bytes:" + std::string(48, '0'),
                                       "--arg",   "f32:1",
                                       "--dump",  "0:" + path("out.bin")};
  const auto last_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command = plain;
    command.insert(command.end(), more.begin(), more.end());
    const Output output = run(command);
    EXPECT_EQ(output.status, kDone) << output.err;
    const std::string bytes = contents("out.bin");
    float value = 0;
    if (bytes.size() == 128) std::memcpy(&value, &bytes[124], sizeof value);
    return value;
  };
  EXPECT_EQ(last_of({}), 32.0f);
  EXPECT_EQ(last_of({"--var", "scale=f32:2", "--var", "filter=f32[3]:iota", "--var", "lib::counter=i32:-5"}),
            62.0f + 1 - 5);
  EXPECT_EQ(
      last_of({"--var", "filter=f32x3:0,0.5,0", "--var", "_ZN3lib7counterE=u32:0", "-o", path("var.wlr")}),
      31.5f);
  EXPECT_EQ(last_of({"--var", "filter=f32[2]:iota"}), 33.0f) << "the rest stays";

  const ordered_json report = run({"report", path("var.wlr"), "--json"}).json();
  EXPECT_EQ(report["totals"]["global_store"]["requests"], 2);
  std::ofstream(path("said.ptx"))
      << "// warplens: grid=1 block=n n=32 var:scale=n/8 var:lib::counter=-n param_0=f32[n] param_1=bytes:" +
             std::string(48, '0') + " param_2=1\n"
      << kVariables;
  ASSERT_EQ(
      run({"replay", path("said.ptx"), "--dump", "0:" + path("out.bin"), "--var", "filter=f32[3]:value:1"})
          .status,
      kDone);
  float value = 0;
  const std::string bytes = contents("out.bin");
  ASSERT_EQ(bytes.size(), 128u);
  std::memcpy(&value, &bytes[124], sizeof value);
  EXPECT_EQ(value, 31 * 4.0f + 1 - 32);

  const auto refused = [&](const std::string& variable) {
    std::vector<std::string> command = plain;
    command.insert(command.end(), {"--var", variable});
    return run(command);
  };
  EXPECT_NE(refused("gain=f32:1").err.find("there is no variable `gain`"), std::string::npos);
  EXPECT_NE(refused("gain=f32:1").err.find("scale, filter, lib::counter"), std::string::npos);
  EXPECT_NE(refused("filter=f32[4]").err.find("has 12 bytes, and is given 16"), std::string::npos);
  EXPECT_NE(refused("scale=f64:1").err.find("has 4 bytes, and is given 8"), std::string::npos);
  EXPECT_EQ(refused("scale").status, kMisused);
}

// A store that stands in a header's function, called in a function of the kernel's file, which the kernel
// calls.
TEST_F(Cli, SitesNameTheirSourceLines) {
  std::ofstream(path("in.ptx"))
      << ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 "
         "%rd<2>;\n"
         ".loc 1 9 1\nld.param.u64 %rd1, [p];\n.loc 1 3 1, function_name $L__info_string0, inlined_at 1 9 1\n"
         ".loc 2 5 3, function_name $L__info_string1, inlined_at 1 3 1\nst.global.u32 [%rd1], 7;\n.loc 1 10 "
         "1\n"
         "st.global.u32 [%rd1], 8;\nret;\n}\n.file 1 \"kernel.cu\"\n.file 2 \"helper.h\"\n.section "
         ".debug_str\n{\n"
         "$L__info_string0:\n.b8 97,0\n$L__info_string1:\n.b8 98,0\n}\n";
  const auto sites = [&] {
    const Output output = run({"replay", path("in.ptx"), "--grid", "1", "--block", "32", "--arg", "u32[1]",
                               "--json", "-o", path("in.wlr")});
    EXPECT_EQ(output.status, kDone) << output.err;
    const ordered_json json = output.json()["sites"];
    EXPECT_EQ(run({"report", path("in.wlr"), "--json"}).json()["sites"], json) << "kept in the file";
    return json;
  };
  const auto call = [](const char* file, int line) { return ordered_json{{"file", file}, {"line", line}}; };
  const ordered_json without = sites();
  EXPECT_EQ(without[0]["file"], "helper.h");
  EXPECT_EQ(without[0]["line"], 5);
  EXPECT_EQ(without[0]["inlined_at"], ordered_json::array({call("kernel.cu", 3), call("kernel.cu", 9)}));
  EXPECT_EQ(without[1]["line"], 10);
  EXPECT_EQ(without[1]["inlined_at"], ordered_json::array());

  std::ofstream(path("kernel.cu")) << "// a\n\nhelp();\n\n\n\n\n\nf();\n*p = 8;\n";
  const ordered_json with_kernel = sites();
  EXPECT_EQ(with_kernel[0]["file"], "kernel.cu");
  EXPECT_EQ(with_kernel[0]["line"], 3) << "the innermost line that can be shown";
  EXPECT_EQ(with_kernel[0]["inlined_at"], ordered_json::array({call("kernel.cu", 9)}));

  std::ofstream(path("helper.h")) << "\n\n\n\n*p = 7;\n";
  EXPECT_EQ(sites()[0]["file"], "helper.h");

  const Output beyond =
      run({"replay", path("in.ptx"), "--grid", "1", "--block", "32", "--arg", "u64:64", "--json"});
  const ordered_json finding = beyond.json()["findings"][0];
  EXPECT_EQ(finding["file"], "helper.h") << "findings stand where their accesses do";
  EXPECT_EQ(finding["line"], 5);
  EXPECT_EQ(finding["inlined_at"], ordered_json::array({call("kernel.cu", 3), call("kernel.cu", 9)}));
}

// A kernel of the user's that is called as one of the ladder's, in all that is said and drawn of it.
TEST_F(Cli, AUsersKernelIsNotTakenForTheLadders) {
  std::ofstream(path("mine.ptx")) << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry "
                                     "tiled(.param .u64 c)\n{\n.reg .b64 %rd<2>;\n"
                                     ".shared .align 4 .b8 s[64];\nld.param.u64 %rd1, [c];\nst.shared.u32 "
                                     "[s], 1;\nst.global.u32 [%rd1], 1;\n"
                                     "ret;\n}\n";
  const Output replayed = run({"replay", path("mine.ptx"), "--grid", "1", "--block", "32", "--arg",
                               "buf:i32:4", "--cc", "9.0", "-o", path("mine.wlr")});
  ASSERT_EQ(replayed.status, kDone) << replayed.err;
  EXPECT_EQ(replayed.out.rfind("tiled of mine.ptx  CPU replay\n", 0), 0u) << replayed.out;
  const ordered_json report = run({"report", path("mine.wlr"), "--json"}).json();
  EXPECT_EQ(report["kernel"], "tiled");
  EXPECT_EQ(report["verified"], nullptr);
  if (report["as_compiled"].is_null()) {
    EXPECT_NE(report["as_compiled_missing"], "") << "this machine has no assembler";
  } else {
    EXPECT_EQ(report["as_compiled"]["totals"]["global_store"]["requests"], 1)
        << "its own machine code, not that of the ladder's tiled";
  }
  ASSERT_EQ(run({"export", path("mine.wlr"), "--view", "occupancy", "-o", path("o.csv")}).status, kDone);
  EXPECT_EQ(std::ranges::count(contents("o.csv"), '\n'), 2)
      << "one row: the launch that was recorded, and no variants";
  ASSERT_EQ(run({"export", path("mine.wlr"), "--view", "banks", "-o", path("b.csv")}).status, kDone);
  EXPECT_EQ(contents("b.csv").substr(0, contents("b.csv").find('\n', 60) + 1),
            "wavefront,bank,lane,word,words,broadcast,address\n0,0,0,0,1,0,0x400\n");
}

TEST_F(Cli, CompilersOptionsAreTakenWhereKernelsAreOpened) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  std::filesystem::create_directories(path("named"));
  std::ofstream(path("named/tile.h")) << "#define TILE 4\n";
  std::ofstream(path("o.cu")) << "#include <tile.h>\nstatic_assert(__cplusplus >= 202002L);\n"
                                 "__global__ void k(int* a) { a[threadIdx.x] = TILE * SCALE; }\n";
  const std::vector<std::string> options{
      "-DSCALE=3", "-I", path("named"), "-std=c++20", "-use_fast_math", "-maxrregcount=64"};
  std::vector<std::string> check{"check", path("o.cu"), "--json"},
      report{"report", path("o.cu"), "--grid", "1", "--block", "32", "--arg", "a=i32[32]"};
  check.insert(check.end(), options.begin(), options.end());
  report.insert(report.end(), options.begin(), options.end());
  EXPECT_EQ(run(check).json()["entries"].size(), 1u);
  EXPECT_EQ(run(report).status, kDone);
  for (const char* const wrong :
       {"-DA B", "-D1=2", "-UA=1", "-std=c++98", "-DA=1\n#define B", "-include=a\"b"}) {
    const Output output = run({"check", path("o.cu"), wrong});
    EXPECT_NE(output.status, kDone) << wrong;
  }
}

}  // namespace
}  // namespace warplens::app
