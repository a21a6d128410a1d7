// `warplens report`: what a launch costs, in text and in JSON.
#include "cli/cli_fixture.h"

namespace warplens::app {
namespace {

TEST_F(Cli, ReportHasThePromisedFields) {
  const Output output = run({"report", "tiled", "--size", "64", "--json"});
  EXPECT_EQ(output.status, kDone);
  EXPECT_EQ(output.err, "");
  const ordered_json json = output.json();
  EXPECT_EQ(keys(json), (std::vector<std::string>{"kernel",
                                                  "engine",
                                                  "cc",
                                                  "target",
                                                  "grid",
                                                  "block",
                                                  "cluster",
                                                  "shared_bytes",
                                                  "blocks_recorded",
                                                  "blocks_replayed",
                                                  "blocks_total",
                                                  "verified",
                                                  "warp_instructions",
                                                  "thread_instructions",
                                                  "totals",
                                                  "tensor",
                                                  "as_compiled",
                                                  "sites",
                                                  "phases",
                                                  "findings",
                                                  "messages",
                                                  "messages_left_out",
                                                  "waiting_loops",
                                                  "ended",
                                                  "costs"}));
  EXPECT_EQ(json["ended"], nullptr);
  EXPECT_EQ(keys(json["totals"]),
            (std::vector<std::string>{"global_load", "global_store", "global_atomic", "global_reduction",
                                      "async_copy_global", "local_load", "local_store", "shared_load",
                                      "shared_store", "shared_atomic", "async_copy_shared", "matrix_load",
                                      "matrix_store", "bulk_load_global", "bulk_store_global",
                                      "bulk_load_shared", "bulk_store_shared", "warpgroup_load"}));
  EXPECT_EQ(keys(json["totals"]["global_load"]),
            (std::vector<std::string>{"requests", "sectors", "ideal_sectors", "lines", "requested_bytes"}));
  EXPECT_EQ(keys(json["totals"]["shared_load"]),
            (std::vector<std::string>{"requests", "wavefronts", "ideal_wavefronts", "bank_conflicts",
                                      "requested_bytes"}));
  for (const ordered_json& site : json["sites"]) {
    const std::string cost = site["space"] == "shared" ? "wavefronts" : "sectors";
    EXPECT_EQ(keys(site), (std::vector<std::string>{"file", "line", "space", "op", "bytes", "requests", cost,
                                                    "ideal", "divergent_requests", "inlined_at"}));
    EXPECT_EQ(site["file"], "tiled.cu");
  }
  EXPECT_EQ(keys(json["phases"][0]), (std::vector<std::string>{"index", "kind", "requests"}));
  EXPECT_EQ(keys(json["as_compiled"]), (std::vector<std::string>{"source", "totals"}));
  EXPECT_EQ(keys(json["as_compiled"]["totals"]), keys(json["totals"]));
  EXPECT_EQ(output.out.find("e+"), std::string::npos) << "integers are exact";
}

TEST_F(Cli, ReportCountsWhatTensorCoresCompute) {
  const Output text = run({"report", "mma_plain", "--size", "256"}),
               json = run({"report", "mma_plain", "--size", "256", "--type", "bf16", "--json"});
  EXPECT_NE(text.out.find("mma.m16n8k16.f32.f16.f16.f32"), std::string::npos) << text.out;
  const ordered_json tensor = json.json()["tensor"];
  ASSERT_EQ(tensor.size(), 1u);
  EXPECT_EQ(tensor[0]["kind"], "mma.m16n8k16.f32.bf16.bf16.f32");
  EXPECT_EQ(tensor[0]["instructions"], 256 * 256 * 256 / (16 * 8 * 16));
  EXPECT_EQ(tensor[0]["operations"], 2 * 256 * 256 * 256);
  EXPECT_EQ(run({"report", "tiled", "--json"}).json()["tensor"], ordered_json::array());
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
  EXPECT_NE(text.find("tiled.cu:25 shared load: 1,048,576 of 4 B as written, 524,288 of 4 B, 131,072 of 16 B "
                      "as compiled"),
            std::string::npos);

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

TEST_F(Cli, ReportRanksLinesByExcess) {
  const std::vector<std::string> command{"report", "tiled_swapped", "--size", "256"};
  const Output text = run(command);
  EXPECT_NE(text.out.find("Costs beyond the ideal"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("tiled_swapped.cu:24 shared load"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("With rows of 33 words in as, bs: 1 wavefront per request"), std::string::npos)
      << text.out;
  std::vector<std::string> as_json = command;
  as_json.push_back("--json");
  const ordered_json costs = run(as_json).json()["costs"];
  ASSERT_EQ(costs.size(), 6u);
  const ordered_json& first = costs[0];
  EXPECT_EQ(keys(first), (std::vector<std::string>{"file", "line", "space", "op", "requests", "wavefronts",
                                                   "ideal", "excess", "share", "text", "mend"}));
  EXPECT_EQ(first["file"], "tiled_swapped.cu");
  EXPECT_EQ(first["line"], 24);
  EXPECT_EQ(first["excess"], 16'252'928);
  EXPECT_GT(first["share"], 0.9);
  EXPECT_EQ(keys(first["mend"]),
            (std::vector<std::string>{"change", "wavefronts", "row_words", "arrays", "text"}));
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
  ASSERT_EQ(
      run({"record", "tiled_swapped", "--size", "64", "--set", "T=32", "-o", path("swapped.wlr")}).status,
      kDone);
  EXPECT_EQ(run({"report", path("swapped.wlr"), "--json"}).out,
            run({"report", "tiled_swapped", "--size", "64", "--set", "T=32", "--json"}).out);
}

TEST_F(Cli, MemoryRulesAreAChoice) {
  const auto sectors = [](const std::string& cc) {
    return run({"report", "naive_uncoalesced", "--size", "32", "--cc", cc, "--json"})
        .json()["totals"]["global_load"]["sectors"]
        .get<int>();
  };
  EXPECT_EQ(sectors("9.0"), 32 * 32 * (32 + 1));
  EXPECT_NE(sectors("1.0"), sectors("9.0"));
  EXPECT_EQ(run({"report", "naive", "--cc", "4.2"}).status, kMisused);
}

TEST_F(Cli, OlderRulesCountTransactionsEverywhere) {
  ASSERT_EQ(run({"record", "naive_uncoalesced", "--size", "32", "-o", path("naive.wlr")}).status, kDone);
  const std::string report = run({"report", path("naive.wlr"), "--cc", "1.3"}).out;
  EXPECT_NE(report.find(" trans"), std::string::npos);
  for (const char* const newer : {" sec ", " sec\n", "sectors"})
    EXPECT_EQ(report.find(newer), std::string::npos) << newer;
  for (const char* const name : {"source.svg", "source.csv", "ptx.csv"}) {
    const std::string view = std::string(name).substr(0, std::string(name).find('.'));
    ASSERT_EQ(run({"export", path("naive.wlr"), "--cc", "1.3", "--view", view, "-o", path(name)}).status,
              kDone)
        << name;
    EXPECT_NE(contents(name).find("transactions"), std::string::npos) << name;
    EXPECT_EQ(contents(name).find("sectors per request"), std::string::npos) << name;
    EXPECT_EQ(contents(name).find(",sectors,"), std::string::npos) << name;
  }
}

TEST_F(Cli, ShapesAndParameters) {
  const ordered_json json =
      run({"report", "tiled", "-m", "20", "-p", "30", "-n", "40", "--set", "T=8", "--json"}).json();
  EXPECT_EQ(json["grid"], (std::vector<int>{5, 3, 1}));
  EXPECT_EQ(json["block"], (std::vector<int>{8, 8, 1}));
  EXPECT_EQ(json["verified"], true);
}

TEST_F(Cli, DemonstratorsHaveTheirOwnSizes) {
  EXPECT_EQ(run({"report", "vector_add", "--json"}).json()["grid"], (std::vector<int>{4, 1, 1}));
  EXPECT_EQ(run({"report", "vector_add", "-n", "600", "--json"}).json()["grid"], (std::vector<int>{3, 1, 1}));
  EXPECT_EQ(run({"report", "box_blur", "--size", "48", "--json"}).json()["grid"],
            (std::vector<int>{3, 3, 1}));
  const Output wrong = run({"report", "vector_add", "-p", "5"});
  EXPECT_EQ(wrong.status, kMisused);
  EXPECT_NE(wrong.err.find("vector_add has no size p"), std::string::npos) << wrong.err;
  EXPECT_EQ(run({"report", "tiled", "--size", "0"}).status, kMisused);
}

TEST_F(Cli, IntendedFaultsAreNotFailures) {
  const Output output = run({"report", "barrier_divergence", "--json"});
  EXPECT_EQ(output.status, kDone);
  EXPECT_EQ(output.json()["verified"], false);
  EXPECT_EQ(output.json()["findings"][0]["kind"], "barrier_divergence");
  EXPECT_EQ(run({"report", "barrier_divergence", "--fail-on-findings"}).status, kFailed);
}

TEST_F(Cli, TextIsForPeople) {
  const Output output = run({"report", "volkov_transposed", "-m", "100"});
  EXPECT_EQ(output.status, kDone);
  for (const char* part :
       {"verified: C equals the reference", "A of 100 x 256 is padded with zeros to 112 x 256",
        "shared store", "volkov_transposed.cu:", "Nothing wrong was found"}) {
    EXPECT_NE(output.out.find(part), std::string::npos) << part << "\n" << output.out;
  }
}

}  // namespace
}  // namespace warplens::app
