#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "app/measure/cpu_products.h"
#include "cli/run.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/device.h"
#include "viz/analysis/device_models.h"
#include "viz/export/export.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

const std::string kPtx = std::string(WARPLENS_TEST_DATA) + "/ptx/user_kernels.sm_75.ptx";

/// A folder of its own for each test, gone afterwards.
std::vector<std::string> column(const ordered_json& rows, const std::string& name) {
  std::vector<std::string> values;
  for (const ordered_json& row : rows) values.push_back(row[name]);
  return values;
}

/// The row of that id, which must be there.
const ordered_json& with_id(const ordered_json& rows, const std::string& id) {
  const auto found = std::ranges::find_if(rows, [&](const ordered_json& row) { return row["id"] == id; });
  if (found == rows.end()) throw std::runtime_error("no row " + id);
  return *found;
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / (std::string("warplens_cli_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Cli, ListNamesEveryKernelModelAndDevice) {
  const Output output = run({"list", "--json"});
  EXPECT_EQ(output.status, kDone);
  EXPECT_EQ(output.err, "");
  const ordered_json json = output.json();
  EXPECT_EQ(keys(json), (std::vector<std::string>{"kernels", "cpu_products", "device_models", "devices"}));
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  ids.push_back("cublas");
  EXPECT_EQ(column(json["kernels"], "id"), ids);
  const ordered_json tiled = with_id(json["kernels"], "tiled");
  EXPECT_EQ(tiled["group"], "The ladder");
  EXPECT_EQ(tiled["sizes"].size(), 3u);
  EXPECT_EQ(tiled["parameters"][0]["values"], (std::vector<int>{1, 2, 4, 8, 16, 32}));
  const ordered_json vector_add = with_id(json["kernels"], "vector_add");
  EXPECT_EQ(vector_add["group"], "Demonstrators");
  EXPECT_EQ(vector_add["sizes"][0]["default"], 1000);
  EXPECT_EQ(json["cpu_products"].size(), measure::kCpuProducts.size());
  EXPECT_EQ(with_id(json["cpu_products"], "blocked")["available"], true);
  EXPECT_EQ(json["device_models"].size(), analysis::device_models().size());
  EXPECT_EQ(json["devices"][0]["kind"], "cpu");
  EXPECT_NE(run({"list"}).out.find("volkov_padded"), std::string::npos);
}

TEST_F(Cli, ReportHasThePromisedFields) {
  const Output output = run({"report", "tiled", "--size", "64", "--json"});
  EXPECT_EQ(output.status, kDone);
  EXPECT_EQ(output.err, "");
  const ordered_json json = output.json();
  EXPECT_EQ(keys(json), (std::vector<std::string>{"kernel",
                                                  "engine",
                                                  "cc",
                                                  "grid",
                                                  "block",
                                                  "shared_bytes",
                                                  "blocks_recorded",
                                                  "blocks_replayed",
                                                  "blocks_total",
                                                  "verified",
                                                  "warp_instructions",
                                                  "thread_instructions",
                                                  "totals",
                                                  "as_compiled",
                                                  "sites",
                                                  "phases",
                                                  "findings",
                                                  "messages",
                                                  "messages_left_out",
                                                  "ended",
                                                  "costs"}));
  EXPECT_EQ(json["ended"], nullptr);
  EXPECT_EQ(keys(json["totals"]), (std::vector<std::string>{"global_load", "global_store", "local_load", "local_store", "shared_load", "shared_store",
                                                            "shared_atomic", "global_atomic", "global_reduction"}));
  EXPECT_EQ(keys(json["totals"]["global_load"]), (std::vector<std::string>{"requests", "sectors", "ideal_sectors", "lines", "requested_bytes"}));
  EXPECT_EQ(keys(json["totals"]["shared_load"]),
            (std::vector<std::string>{"requests", "wavefronts", "ideal_wavefronts", "bank_conflicts", "requested_bytes"}));
  for (const ordered_json& site : json["sites"]) {
    const std::string cost = site["space"] == "shared" ? "wavefronts" : "sectors";
    EXPECT_EQ(keys(site),
              (std::vector<std::string>{"file", "line", "space", "op", "bytes", "requests", cost, "ideal", "divergent_requests", "inlined_at"}));
    EXPECT_EQ(site["file"], "tiled.cu");
  }
  EXPECT_EQ(keys(json["phases"][0]), (std::vector<std::string>{"index", "kind", "requests"}));
  EXPECT_EQ(keys(json["as_compiled"]), (std::vector<std::string>{"source", "totals"}));
  EXPECT_EQ(keys(json["as_compiled"]["totals"]), keys(json["totals"]));
  EXPECT_EQ(output.out.find("e+"), std::string::npos) << "integers are exact";
}

TEST_F(Cli, ReportCountsWhatTheMachineCodeDoes) {
  const std::vector<std::string> base{"report", "tiled", "--size", "256", "--set", "T=32"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const ordered_json compiled = with({"--json"}).json()["as_compiled"];
  EXPECT_EQ(compiled["source"], "sass sm_90");
  EXPECT_EQ(compiled["totals"]["shared_load"]["requests"], 655360);
  EXPECT_EQ(compiled["totals"]["shared_load"]["wavefronts"], 786432);
  EXPECT_EQ(with({"--json", "--cc", "7.5"}).json()["as_compiled"]["source"], "sass sm_75");
  EXPECT_EQ(with({"--json", "--cc", "8.9"}).json()["as_compiled"]["source"], "sass sm_86");
  EXPECT_EQ(with({"--json", "--cc", "12.0"}).json()["as_compiled"]["source"], "sass sm_90");
  const std::string text = with({}).out;
  EXPECT_NE(text.find("tiled.cu:25 shared load: 1,048,576 of 4 B as written, 524,288 of 4 B, 131,072 of 16 B as compiled"), std::string::npos);

  // A part of the grid is compared with the same part.
  const ordered_json part = with({"--json", "--blocks", "0,0;3,2"}).json();
  EXPECT_EQ(part["as_compiled"]["totals"]["shared_load"]["requests"], 655360 / 32);
}

TEST_F(Cli, ReportSaysWhyNothingIsKnownAsCompiled) {
  const ordered_json old = run({"report", "tiled", "--size", "64", "--cc", "3.5", "--json"}).json();
  EXPECT_TRUE(old["as_compiled"].is_null());
  EXPECT_EQ(old["as_compiled_missing"], "nvcc 13.0 makes no machine code for compute capability 3.5");
  const ordered_json ended = run({"report", "barrier_divergence", "--json"}).json();
  EXPECT_TRUE(ended["as_compiled"].is_null());
  EXPECT_NE(ended["as_compiled_missing"].get<std::string>().find("not defined"), std::string::npos);
}

TEST_F(Cli, ReportCountsTheTextbookFigures) {
  const ordered_json json = run({"report", "tiled", "--size", "64", "--json"}).json();
  EXPECT_EQ(json["kernel"], "tiled");
  EXPECT_EQ(json["engine"], "cpu");
  EXPECT_EQ(json["cc"], "9.0");
  EXPECT_EQ(json["grid"], (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(json["block"], (std::vector<int>{32, 32, 1}));
  EXPECT_EQ(json["shared_bytes"], 8192);
  EXPECT_EQ(json["blocks_recorded"], 4);
  EXPECT_EQ(json["verified"], true);
  // 4 blocks x 32 warps x 2 tiles x 2 loads; 2 m n p / T elements of 4 bytes.
  EXPECT_EQ(json["totals"]["global_load"]["requests"], 512);
  EXPECT_EQ(json["totals"]["global_load"]["sectors"], 2048);
  EXPECT_EQ(json["totals"]["global_load"]["requested_bytes"], 2 * 64 * 64 * 64 / 32 * 4);
  EXPECT_EQ(json["totals"]["global_store"]["sectors"], 4 * 32 * 4);
  EXPECT_EQ(json["totals"]["shared_load"]["requests"], 4 * 32 * 64 * 2);
  EXPECT_EQ(json["totals"]["shared_load"]["bank_conflicts"], 0);
  std::vector<std::string> kinds;
  for (const ordered_json& phase : json["phases"]) kinds.push_back(phase["kind"]);
  EXPECT_EQ(kinds, (std::vector<std::string>{"fill", "compute", "fill", "compute", "write"}));
  EXPECT_TRUE(json["findings"].empty());
}

TEST_F(Cli, ReportRanksWhatIsPaidInVain) {
  const std::vector<std::string> command{"report", "tiled_swapped", "--size", "256"};
  const Output text = run(command);
  EXPECT_NE(text.out.find("Costs beyond the ideal"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("tiled_swapped.cu:24 shared load"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("With rows of 33 words in as, bs: 1 wavefront a request"), std::string::npos) << text.out;
  std::vector<std::string> as_json = command;
  as_json.push_back("--json");
  const ordered_json costs = run(as_json).json()["costs"];
  ASSERT_EQ(costs.size(), 6u);
  const ordered_json& first = costs[0];
  EXPECT_EQ(keys(first),
            (std::vector<std::string>{"file", "line", "space", "op", "requests", "wavefronts", "ideal", "excess", "share", "text", "mend"}));
  EXPECT_EQ(first["file"], "tiled_swapped.cu");
  EXPECT_EQ(first["line"], 24);
  EXPECT_EQ(first["excess"], 16'252'928);
  EXPECT_GT(first["share"], 0.9);
  EXPECT_EQ(keys(first["mend"]), (std::vector<std::string>{"change", "wavefronts", "row_words", "arrays", "text"}));
  EXPECT_EQ(first["mend"]["change"], "padded_rows");
  EXPECT_EQ(first["mend"]["wavefronts"], first["requests"]);
  EXPECT_EQ(first["mend"]["row_words"], 33);
  for (const ordered_json& cost : costs) {
    if (cost["space"] != "global") continue;
    EXPECT_EQ(keys(cost["mend"]), (std::vector<std::string>{"change", "sectors", "text"}));
    EXPECT_EQ(cost["mend"]["sectors"], cost["ideal"]);
  }

  const Output ideal = run({"report", "tiled", "--size", "64"});
  EXPECT_NE(ideal.out.find("Costs: nothing is paid beyond the ideal."), std::string::npos) << ideal.out;
  EXPECT_EQ(run({"report", "tiled", "--size", "64", "--json"}).json()["costs"].size(), 0u);

  // The same whichever accesses were kept.
  ASSERT_EQ(run({"record", "tiled_swapped", "--size", "64", "--set", "T=32", "-o", path("swapped.wlr")}).status, kDone);
  EXPECT_EQ(run({"report", path("swapped.wlr"), "--json"}).out, run({"report", "tiled_swapped", "--size", "64", "--set", "T=32", "--json"}).out);
}

TEST_F(Cli, MemoryRulesAreAChoice) {
  const auto sectors = [](const std::string& cc) {
    return run({"report", "naive_uncoalesced", "--size", "32", "--cc", cc, "--json"}).json()["totals"]["global_load"]["sectors"].get<int>();
  };
  EXPECT_EQ(sectors("9.0"), 32 * 32 * (32 + 1));
  EXPECT_NE(sectors("1.0"), sectors("9.0"));
  EXPECT_EQ(run({"report", "naive", "--cc", "4.2"}).status, kMisused);
}

TEST_F(Cli, OlderRulesCountTransactionsEverywhere) {
  ASSERT_EQ(run({"record", "naive_uncoalesced", "--size", "32", "-o", path("naive.wlr")}).status, kDone);
  const std::string report = run({"report", path("naive.wlr"), "--cc", "1.3"}).out;
  EXPECT_NE(report.find(" trans"), std::string::npos);
  for (const char* const newer : {" sec ", " sec\n", "sectors"}) EXPECT_EQ(report.find(newer), std::string::npos) << newer;
  for (const char* const name : {"source.svg", "source.csv", "ptx.csv"}) {
    const std::string view = std::string(name).substr(0, std::string(name).find('.'));
    ASSERT_EQ(run({"export", path("naive.wlr"), "--cc", "1.3", "--view", view, "-o", path(name)}).status, kDone) << name;
    EXPECT_NE(contents(name).find("transactions"), std::string::npos) << name;
    EXPECT_EQ(contents(name).find("sectors a request"), std::string::npos) << name;
    EXPECT_EQ(contents(name).find(",sectors,"), std::string::npos) << name;
  }
}

TEST_F(Cli, ShapesAndParameters) {
  const ordered_json json = run({"report", "tiled", "-m", "20", "-p", "30", "-n", "40", "--set", "T=8", "--json"}).json();
  EXPECT_EQ(json["grid"], (std::vector<int>{5, 3, 1}));
  EXPECT_EQ(json["block"], (std::vector<int>{8, 8, 1}));
  EXPECT_EQ(json["verified"], true);
}

TEST_F(Cli, DemonstratorsHaveTheirOwnSizes) {
  EXPECT_EQ(run({"report", "vector_add", "--json"}).json()["grid"], (std::vector<int>{4, 1, 1}));
  EXPECT_EQ(run({"report", "vector_add", "-n", "600", "--json"}).json()["grid"], (std::vector<int>{3, 1, 1}));
  EXPECT_EQ(run({"report", "box_blur", "--size", "48", "--json"}).json()["grid"], (std::vector<int>{3, 3, 1}));
  const Output wrong = run({"report", "vector_add", "-p", "5"});
  EXPECT_EQ(wrong.status, kMisused);
  EXPECT_NE(wrong.err.find("vector_add has no size p"), std::string::npos) << wrong.err;
  EXPECT_EQ(run({"report", "tiled", "--size", "0"}).status, kMisused);
}

TEST_F(Cli, WhatIsWrongOnPurposeIsNoFailure) {
  const Output output = run({"report", "barrier_divergence", "--json"});
  EXPECT_EQ(output.status, kDone);
  EXPECT_EQ(output.json()["verified"], false);
  EXPECT_EQ(output.json()["findings"][0]["kind"], "barrier_divergence");
  EXPECT_EQ(run({"report", "barrier_divergence", "--fail-on-findings"}).status, kFailed);
}

TEST_F(Cli, TextIsForPeople) {
  const Output output = run({"report", "volkov_transposed", "-m", "100"});
  EXPECT_EQ(output.status, kDone);
  for (const char* part : {"verified: C equals the reference", "A of 100 x 256 is padded with zeros to 112 x 256", "shared store",
                           "volkov_transposed.cu:", "Nothing wrong was found"}) {
    EXPECT_NE(output.out.find(part), std::string::npos) << part << "\n" << output.out;
  }
}

TEST_F(Cli, RecordsAreLoadedReportedAndCompared) {
  const Output recorded = run({"record", "tiled", "--size", "64", "--set", "T=16", "-o", path("a.wlr")});
  ASSERT_EQ(recorded.status, kDone) << recorded.err;
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "--set", "T=16", "-o", path("b.wlr")}).status, kDone);
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "--set", "T=8", "-o", path("c.wlr")}).status, kDone);
  EXPECT_EQ(run({"report", path("a.wlr"), "--json"}).out, run({"report", "tiled", "--size", "64", "--set", "T=16", "--json"}).out);

  const Output same = run({"compare", path("a.wlr"), path("b.wlr"), "--json"});
  EXPECT_EQ(same.status, kDone);
  EXPECT_EQ(same.json()["equal"], true);
  EXPECT_TRUE(same.json()["differences"].empty());
  const Output different = run({"compare", path("a.wlr"), path("c.wlr"), "--json"});
  EXPECT_EQ(different.status, kFailed);
  EXPECT_EQ(different.json()["equal"], false);
  EXPECT_FALSE(different.json()["differences"].empty());
  EXPECT_NE(different.json()["totals"]["a"]["global_load"]["requests"], different.json()["totals"]["b"]["global_load"]["requests"]);
  EXPECT_NE(run({"compare", path("a.wlr"), path("c.wlr")}).out.find("global_load"), std::string::npos);
}

TEST_F(Cli, WhatRunsPastTheEndIsRecorded) {
  // The requests have fewer lanes than arrived, and are not divergent.
  const std::vector<std::string> lengths{"16", "40", "80"};
  for (const std::string& length : lengths) {
    const Output replayed =
        run({"replay", kPtx, "--entry", "past_the_end", "--grid", "2", "--block", "40", "--arg", "buf:f32:" + length, "-o", path("past.wlr")});
    EXPECT_EQ(replayed.status, kDone) << replayed.err;
    const Output reported = run({"report", path("past.wlr")});
    EXPECT_EQ(reported.status, kDone) << reported.err;
  }
}

TEST_F(Cli, BlocksAreChosen) {
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "--blocks", "1,0", "-o", path("one.wlr")}).status, kDone);
  const ordered_json json = run({"report", path("one.wlr"), "--json"}).json();
  EXPECT_EQ(json["blocks_recorded"], 1);
  EXPECT_EQ(json["blocks_total"], 4);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["totals"]["global_load"]["requests"], 128);
}

TEST_F(Cli, ReplayRunsKernelsOfTheUser) {
  const Output output = run({"replay",  kPtx,           "--entry",      "vector_add",        "--grid", "4",
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

TEST_F(Cli, ALimitEndsALaunchAndSaysWhere) {
  const std::vector<std::string> command{"report", std::string(WARPLENS_TEST_DATA) + "/endless.ptx", "--limit", "100000"};
  const Output text = run(command);
  EXPECT_EQ(text.status, kFailed);
  EXPECT_NE(text.out.find("ENDED at the limit of 100,000 warp instructions, in endless.cu:5 (block 0,0,0 warp "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("1 of 4 blocks, 100,00"), std::string::npos) << text.out;
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const Output json = run(as_json);
  EXPECT_EQ(json.status, kFailed);
  EXPECT_EQ(json.json()["ended"]["line"], 5);
  EXPECT_EQ(json.json()["ended"]["limit"], 100000);
  EXPECT_GE(json.json()["warp_instructions"], 100000);
  EXPECT_GT(json.json()["totals"]["global_store"]["requests"], 0);

  std::vector<std::string> of_replay = command;
  of_replay[0] = "replay";
  of_replay.insert(of_replay.end(), {"--grid", "4", "--block", "64", "--arg", "buf:i32:64"});
  EXPECT_EQ(run(of_replay).status, kFailed);
  std::vector<std::string> kept = command;
  kept[0] = "record";
  kept.insert(kept.end(), {"-o", path("endless.wlr")});
  EXPECT_EQ(run(kept).status, kFailed);
  const Output read = run({"report", path("endless.wlr"), "--json"});
  EXPECT_EQ(read.status, kFailed);
  EXPECT_EQ(read.json()["ended"]["line"], 5);
  std::vector<std::string> drawn = command;
  drawn[0] = "export";
  drawn.insert(drawn.end(), {"--view", "coalescing", "-o", path("endless.csv")});
  EXPECT_EQ(run(drawn).status, kFailed);
  EXPECT_NE(contents("endless.csv"), "");

  EXPECT_EQ(run({"report", "tiled", "--size", "64", "--limit", "0"}).status, kMisused);
  EXPECT_EQ(run({"report", "tiled", "--size", "64", "--limit", "100", "--engine", "gpu"}).status, kMisused);
  const Output enough = run({"report", "tiled", "--size", "64", "--limit", "1000000", "--json"});
  EXPECT_EQ(enough.status, kDone);
  EXPECT_EQ(enough.json()["verified"], true);
  EXPECT_EQ(run({"report", "tiled", "--size", "64", "--limit", "1000", "--json"}).json()["verified"], nullptr);
}

TEST_F(Cli, FindingsFailOnlyWhenAsked) {
  const std::vector<std::string> command{"replay", kPtx,       "--entry", "missing_barrier", "--grid",          "1",     "--block",
                                         "64",     "--shared", "256",     "--arg",           "buf:i32:64:iota", "--json"};
  const Output output = run(command);
  EXPECT_EQ(output.status, kDone);
  const ordered_json findings = output.json()["findings"];
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(keys(findings[0]), (std::vector<std::string>{"kind", "file", "line", "other_line", "count", "block", "warp", "lanes", "text"}));
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const ordered_json& finding) { return finding["kind"] == "race"; }));
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
  std::ofstream(path("odd.ptx")) << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry odd()\n{\n  .reg .b32 %r<3>;\n"
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
  EXPECT_EQ(entry["parameters"][0],
            (ordered_json{
                {"name", "param_0"}, {"type", "u64"}, {"bytes", 8}, {"can_be_given", true}, {"arg", {"param_0=TYPE[COUNT]", "param_0=u64:VALUE"}}}));
  EXPECT_EQ(entry["parameters"][1]["type"], "b8[24]");
  EXPECT_EQ(entry["parameters"][1]["arg"], ordered_json::array({"param_1=bytes:HEX (24 bytes)"}));
  EXPECT_EQ(entry["parameters"][2]["arg"], ordered_json::array({"param_2=f32:VALUE"}));
  EXPECT_EQ(entry["launch_bounds"],
            (ordered_json{{"most_threads", {32, 2, 1}}, {"required_threads", nullptr}, {"fewest_blocks", 3}, {"most_registers", nullptr}}));
  EXPECT_EQ(entry["unsupported_kinds"], ordered_json::object());
  ASSERT_EQ(json["variables"].size(), 3u) << "texts are none";
  EXPECT_EQ(json["variables"][0], (ordered_json{{"name", "scale"}, {"mangled", "scale"}, {"space", "constant"}, {"type", "f32"}, {"bytes", 4}}));
  EXPECT_EQ(json["variables"][1]["type"], "b8[12]");
  EXPECT_EQ(json["variables"][2]["name"], "lib::counter");
  const std::string text = run({"check", path("var.ptx")}).out;
  EXPECT_NE(text.find("u64 param_0, 8 bytes: --arg param_0=TYPE[COUNT] or --arg param_0=u64:VALUE"), std::string::npos) << text;
  EXPECT_NE(text.find("at most 32 x 2 x 1 threads a block, at least 3 blocks a multiprocessor"), std::string::npos) << text;
  EXPECT_NE(text.find("u32 lib::counter, 4 bytes"), std::string::npos) << text;
}

TEST_F(Cli, VariablesAreSetBeforeALaunch) {
  std::ofstream(path("var.ptx")) << kVariables;
  const std::vector<std::string> plain{
      "replay", path("var.ptx"),       "--grid", "1", "--block", "32", "--arg", "f32[32]", "--arg", "bytes:" + std::string(48, '0'), "--arg", "f32:1",
      "--dump", "0:" + path("out.bin")};
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
  EXPECT_EQ(last_of({"--var", "scale=f32:2", "--var", "filter=f32[3]:iota", "--var", "lib::counter=i32:-5"}), 62.0f + 1 - 5);
  EXPECT_EQ(last_of({"--var", "filter=f32x3:0,0.5,0", "--var", "_ZN3lib7counterE=u32:0", "-o", path("var.wlr")}), 31.5f);
  EXPECT_EQ(last_of({"--var", "filter=f32[2]:iota"}), 33.0f) << "the rest stays";

  const ordered_json report = run({"report", path("var.wlr"), "--json"}).json();
  EXPECT_EQ(report["totals"]["global_store"]["requests"], 2);
  std::ofstream(path("said.ptx")) << "// warplens: grid=1 block=n n=32 var:scale=n/8 var:lib::counter=-n param_0=f32[n] param_1=bytes:" +
                                         std::string(48, '0') + " param_2=1\n"
                                  << kVariables;
  ASSERT_EQ(run({"replay", path("said.ptx"), "--dump", "0:" + path("out.bin"), "--var", "filter=f32[3]:value:1"}).status, kDone);
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

// A store that stands in a header's function, called in a function of the kernel's file, which the kernel calls.
TEST_F(Cli, SitesStandWhereTheirSourceIsHad) {
  std::ofstream(path("in.ptx")) << ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n"
                                   ".loc 1 9 1\nld.param.u64 %rd1, [p];\n.loc 1 3 1, function_name $L__info_string0, inlined_at 1 9 1\n"
                                   ".loc 2 5 3, function_name $L__info_string1, inlined_at 1 3 1\nst.global.u32 [%rd1], 7;\n.loc 1 10 1\n"
                                   "st.global.u32 [%rd1], 8;\nret;\n}\n.file 1 \"kernel.cu\"\n.file 2 \"helper.h\"\n.section .debug_str\n{\n"
                                   "$L__info_string0:\n.b8 97,0\n$L__info_string1:\n.b8 98,0\n}\n";
  const auto sites = [&] {
    const Output output = run({"replay", path("in.ptx"), "--grid", "1", "--block", "32", "--arg", "u32[1]", "--json", "-o", path("in.wlr")});
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
}

// A kernel of the user's that is called as one of the ladder's, in all that is said and drawn of it.
TEST_F(Cli, AUsersKernelIsNotTakenForTheLadders) {
  std::ofstream(path("mine.ptx")) << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry tiled(.param .u64 c)\n{\n.reg .b64 %rd<2>;\n"
                                     ".shared .align 4 .b8 s[64];\nld.param.u64 %rd1, [c];\nst.shared.u32 [s], 1;\nst.global.u32 [%rd1], 1;\n"
                                     "ret;\n}\n";
  const Output replayed =
      run({"replay", path("mine.ptx"), "--grid", "1", "--block", "32", "--arg", "buf:i32:4", "--cc", "9.0", "-o", path("mine.wlr")});
  ASSERT_EQ(replayed.status, kDone) << replayed.err;
  EXPECT_EQ(replayed.out.rfind("tiled of mine.ptx  f32  CPU replay\n", 0), 0u) << replayed.out;
  const ordered_json report = run({"report", path("mine.wlr"), "--json"}).json();
  EXPECT_EQ(report["kernel"], "tiled");
  EXPECT_EQ(report["verified"], nullptr);
  if (report["as_compiled"].is_null()) {
    EXPECT_NE(report["as_compiled_missing"], "") << "this machine has no assembler";
  } else {
    EXPECT_EQ(report["as_compiled"]["totals"]["global_store"]["requests"], 1) << "its own machine code, not that of the ladder's tiled";
  }
  ASSERT_EQ(run({"export", path("mine.wlr"), "--view", "occupancy", "-o", path("o.csv")}).status, kDone);
  EXPECT_EQ(std::ranges::count(contents("o.csv"), '\n'), 2) << "one row: the launch that was recorded, and no variants";
  ASSERT_EQ(run({"export", path("mine.wlr"), "--view", "banks", "-o", path("b.csv")}).status, kDone);
  EXPECT_EQ(contents("b.csv").substr(0, contents("b.csv").find('\n', 60) + 1),
            "wavefront,bank,lane,word,words,broadcast,address\n0,0,0,0,1,0,0x400\n");
}

TEST_F(Cli, PatternAddsPredictions) {
  std::ofstream(path("p.csv")) << "note,op,bytes_per_lane,active_mask,lane_byte_offsets\nbroadcast,shared_load,4,0x3,0 0\n";
  const Output output = run({"pattern", "--csv", path("p.csv")});
  EXPECT_EQ(output.status, kDone) << output.err;
  EXPECT_EQ(output.out,
            "note,op,bytes_per_lane,active_mask,lane_byte_offsets,predicted_wavefronts,predicted_bank_conflicts,predicted_sectors\n"
            "broadcast,shared_load,4,0x3,0 0,1,0,\n");
  std::ofstream(path("bad.csv")) << "op,bytes_per_lane,active_mask,lane_byte_offsets\nshared_load,4,0x3,0 zero\n";
  const Output bad = run({"pattern", "--csv", path("bad.csv")});
  EXPECT_EQ(bad.status, kFailed);
  EXPECT_NE(bad.err.find("bad.csv"), std::string::npos) << bad.err;
}

TEST_F(Cli, ExportWritesEveryViewInEveryForm) {
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "--set", "T=16", "-o", path("t.wlr")}).status, kDone);
  for (const viz::View& view : viz::views()) {
    for (const std::string_view extension : viz::kExtensions) {
      const std::string id(view.id), name = id + std::string(extension);
      SCOPED_TRACE(name);
      const Output output = run({"export", path("t.wlr"), "--view", id, "--width", "800", "--height", "500", "-o", path(name)});
      EXPECT_EQ(output.out, "");
      const bool has_it = extension == ".csv" ? view.table != nullptr : view.make != nullptr;
      EXPECT_EQ(output.status, has_it ? kDone : kFailed) << output.err;
      if (has_it) {
        EXPECT_GT(contents(name).size(), 40u);
      }
    }
  }
  const std::string help = run({"export", "--help"}).out;
  for (const viz::View& view : viz::views()) EXPECT_NE(help.find(view.id), std::string::npos) << view.id;
  EXPECT_EQ(contents("banks.png").substr(1, 3), "PNG");
  EXPECT_NE(contents("banks.svg").find("<svg"), std::string::npos);
}

TEST_F(Cli, ExportSelects) {
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "-o", path("t.wlr")}).status, kDone);
  const auto table = [&](const std::string& select) {
    const Output output = run({"export", path("t.wlr"), "--view", "coalescing", "--select", select, "-o", path("c.csv")});
    return output.status == kDone ? contents("c.csv") : output.err;
  };
  EXPECT_NE(table("block=1,0,warp=2,phase=3,step=1"), table("block=0,1,warp=2,phase=3,step=1"));
  EXPECT_EQ(table("block=1,0,warp=2,phase=3,step=1"), table("step=1,phase=3,warp=2,block=1,0"));
  EXPECT_EQ(table("block=1,0"), table("block=1,0,warp=0,phase=1,step=1"));
  EXPECT_NE(table("block=5,5").find("block 5,5,0"), std::string::npos);
  for (const char* bad : {"", "block", "warp=x", "warp=1,2", "lane=3", "block=1,2,3,4", "block=0,0,,warp=1", "phase=0", "step=0"}) {
    EXPECT_EQ(run({"export", path("t.wlr"), "--view", "banks", "--select", bad, "-o", path("x.svg")}).status, kMisused) << bad;
  }
}

TEST_F(Cli, DoctorAdvises) {
  const ordered_json json = run({"doctor", "--json"}).json();
  ASSERT_GE(json["checks"].size(), 5u);
  for (const ordered_json& check : json["checks"]) {
    EXPECT_EQ(keys(check), (std::vector<std::string>{"name", "ok", "found", "advice"}));
    EXPECT_NE(check["found"], "");
  }
  const auto replay = std::ranges::find_if(json["checks"], [](const ordered_json& check) { return check["name"] == "replay"; });
  ASSERT_NE(replay, json["checks"].end());
  EXPECT_TRUE((*replay)["ok"]);
  EXPECT_NE((*replay)["found"].get<std::string>().find("million PTX warp instructions a second"), std::string::npos);
  EXPECT_EQ(run({"doctor"}).status, kDone);
}

TEST_F(Cli, MisuseIsTwo) {
  const std::vector<std::vector<std::string>> commands{
      {"nonsense"},
      {"report"},
      {"report", "no_such_kernel"},
      {"report", "tiled", "--size", "0"},
      {"report", "cublas"},
      {"run"},
      {"run", "no_such_kernel"},
      {"run", "tiled", "--size", "0"},
      {"run", "tiled", "--set", "T=5"},
      {"run", "tiled", "--reps", "0"},
      {"run", "tiled", "--blocks", "0,0"},
      {"report", "tiled", "--size", "-4"},
      {"report", "tiled", "--size", "many"},
      {"report", "tiled", "--size", "64", "-m", "3"},
      {"report", "tiled", "--set", "T=5"},
      {"report", "tiled", "--set", "T"},
      {"report", "tiled", "--type", "f16"},
      {"report", "tiled", "--engine", "abacus"},
      {"report", "tiled", "--blocks", "9,9"},
      {"report", "tiled", "--no-such-option"},
      {"replay", kPtx, "--entry", "reversed"},
      {"replay", kPtx, "--entry", "reversed", "--grid", "0", "--block", "64"},
      {"replay", kPtx, "--entry", "reversed", "--grid", "1", "--block", "64", "--arg", "buf"},
      {"replay", kPtx, "--entry", "reversed", "--grid", "1", "--block", "64", "--arg", "i32:1", "--dump", "0:x.bin"},
      {"report", "tiled", "--grid", "1"},
      {"report", kPtx, "--entry", "reversed"},
      {"report", kPtx, "--grid", "1", "--block", "64", "--size", "64"},
      {"record", "recording.wlr"},
      {"run", kPtx, "--entry", "reversed"},
      {"run", "recording.wlr"},
      {"pattern"},
      {"compare", "a.wlr"},
      {"export", "tiled", "--view", "nonsense", "-o", "x.png"},
  };
  for (const std::vector<std::string>& command : commands) {
    const Output output = run(command);
    SCOPED_TRACE(testing::PrintToString(command));
    EXPECT_EQ(output.status, kMisused);
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err, "");
  }
}

// Whatever takes a kernel takes a file: the same launch, whichever command it is given to.
TEST_F(Cli, AFileGoesWhereAKernelGoes) {
  const std::vector<std::string> launch{"--entry", "reversed", "--grid", "1", "--block", "64", "--shared", "256", "--arg", "buf:i32:64:iota"};
  const auto with_launch = [&](std::vector<std::string> command, const std::vector<std::string>& more = {}) {
    command.push_back(kPtx);
    command.insert(command.end(), launch.begin(), launch.end());
    command.insert(command.end(), more.begin(), more.end());
    return run(command);
  };
  const Output replayed = with_launch({"replay"}, {"--json"}), reported = with_launch({"report"}, {"--json"});
  EXPECT_EQ(reported.status, kDone);
  EXPECT_EQ(reported.out, replayed.out);
  EXPECT_EQ(reported.json()["kernel"], "reversed");

  EXPECT_EQ(with_launch({"record"}, {"-o", path("r.wlr")}).status, kDone);
  ordered_json of_recording = run({"report", path("r.wlr"), "--json"}).json();
  EXPECT_EQ(of_recording["totals"], replayed.json()["totals"]);
  EXPECT_EQ(of_recording["sites"], replayed.json()["sites"]);

  EXPECT_EQ(with_launch({"export"}, {"--view", "banks", "-o", path("of_file.csv")}).status, kDone);
  EXPECT_EQ(run({"export", path("r.wlr"), "--view", "banks", "-o", path("of_recording.csv")}).status, kDone);
  EXPECT_FALSE(contents("of_file.csv").empty());
  EXPECT_EQ(contents("of_file.csv"), contents("of_recording.csv"));

  if (!gpu::check_driver().missing.empty()) {
    const Output launched = with_launch({"run"});
    EXPECT_EQ(launched.status, kFailed);
    EXPECT_NE(launched.err.find("replayed on the CPU"), std::string::npos) << launched.err;
  }
}

TEST_F(Cli, FailureIsOne) {
  std::ofstream(path("damaged.wlr")) << "this is no recording";
  const std::vector<std::vector<std::string>> commands{
      {"report", path("missing.wlr")},
      {"report", path("damaged.wlr")},
      {"compare", path("missing.wlr"), path("damaged.wlr")},
      {"check", path("missing.ptx")},
      {"check", "kernel.cu"},
      {"replay", kPtx, "--entry", "no_such_entry", "--grid", "1", "--block", "1"},
      {"replay", kPtx, "--entry", "reversed", "--grid", "1", "--block", "64"},
      {"report", "tiled", "--engine", "gpu"},
      {"record", "tiled", "--size", "32", "-o", path("no/such/folder/x.wlr")},
      {"pattern", "--csv", path("missing.csv")},
      {"export", "tiled", "--size", "32", "--view", "banks", "-o", path("x.gif")},
  };
  for (const std::vector<std::string>& command : commands) {
    const Output output = run(command);
    SCOPED_TRACE(testing::PrintToString(command));
    EXPECT_EQ(output.status, kFailed);
    EXPECT_EQ(output.out, "");
    EXPECT_EQ(output.err.substr(0, 10), "warplens: ");
  }
}

TEST_F(Cli, RunHasThePromisedFieldsOrSaysWhatIsMissing) {
  const Output output = run({"run", "tiled", "--size", "64", "--reps", "3", "--json"});
  const std::string missing = gpu::check_driver().missing;
  if (!missing.empty()) {
    EXPECT_EQ(output.status, kFailed);
    EXPECT_EQ(output.out, "");
    EXPECT_EQ(output.err.substr(0, 12 + missing.size()), "warplens: " + missing + ". ");
    EXPECT_GT(output.err.size(), 13 + missing.size()) << "and what to do";
    return;
  }
  EXPECT_EQ(output.status, kDone) << output.err;
  const ordered_json json = output.json();
  for (const char* field :
       {"kernel", "device", "m", "p", "n", "reps", "median_ms", "min_ms", "gflops", "gbps", "upload_ms", "download_ms", "total_ms"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(json["reps"], 3);
  EXPECT_EQ(json["verified"], true);
}

TEST_F(Cli, WithoutACommandTheWindowOpensWhereThereIsOne) {
  EXPECT_EQ(run({}).status, kMisused) << "this build has no window";
  std::ostringstream out, err;
  int opened = 0;
  const WindowCommand window{.add_options = {}, .run = [&] { return ++opened, 7; }};
  EXPECT_EQ(run_cli({}, out, err, window), 7);
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(run_cli({"report", "tiled", "--size", "16"}, out, err, window), kDone);
  EXPECT_EQ(run_cli({"nonsense"}, out, err, window), kMisused);
  EXPECT_EQ(opened, 1);
}

TEST_F(Cli, HelpIsOnStandardOutput) {
  const Output help = run({"--help"});
  EXPECT_EQ(help.status, kDone);
  for (const char* command : {"list", "record", "report", "replay", "check", "pattern", "compare", "export", "doctor", "run"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
    const Output own = run({command, "--help"});
    EXPECT_EQ(own.status, kDone);
    EXPECT_NE(own.out, "");
    EXPECT_EQ(own.err, "");
  }
  EXPECT_EQ(run({"--version"}).out.substr(0, 9), "warplens ");
  EXPECT_EQ(run({"--version"}).status, kDone);
}

}  // namespace
}  // namespace warplens::app
