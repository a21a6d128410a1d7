#include "cli/cli_fixture.h"

namespace warplens::app {
namespace {

ordered_json figures_of(const std::vector<std::string>& command) {
  const Output output = run(command);
  EXPECT_EQ(output.status, kDone) << output.err;
  ordered_json by_id = ordered_json::object();
  const ordered_json document = output.json();
  for (const ordered_json& figure : document["comparison"]["figures"]) by_id[std::string(figure["id"])] = figure;
  return by_id;
}

TEST_F(Cli, KernelsAreComparedByTheirReports) {
  const ordered_json figures = figures_of({"compare", "volkov_transposed", "volkov_padded", "--size", "128", "--json"});
  const std::pair<const char*, const char*> sides[] = {{"a", "volkov_transposed"}, {"b", "volkov_padded"}};
  for (const auto& [side, kernel] : sides) {
    const ordered_json report = run({"report", kernel, "--size", "128", "--json"}).json();
    for (const auto& [kind, totals] : report["totals"].items()) {
      const char* const cost = kind.starts_with("shared") ? "wavefronts" : "sectors";
      for (const std::string figure : {"requests", cost}) {
        EXPECT_EQ(figures["as_written." + kind + "." + figure][side], totals[figure]) << kernel << " " << kind;
        EXPECT_EQ(figures["as_compiled." + kind + "." + figure][side], report["as_compiled"]["totals"][kind][figure]) << kernel << " " << kind;
      }
    }
    EXPECT_EQ(figures["shared_bytes_a_block"][side], report["shared_bytes"]);
  }
  EXPECT_EQ(figures["as_written.shared_store.wavefronts"]["verdict"], "better");
  EXPECT_TRUE(figures["measured.median_ms"]["a"].is_null());
}

TEST_F(Cli, AWordSaysAWholeLaunch) {
  const ordered_json figures = figures_of({"compare", "tiled:T=16,size=64", "tiled:cc=1.0,m=32", "--size", "96", "--json"});
  const ordered_json a = run({"report", "tiled", "--set", "T=16", "--size", "64", "--json"}).json()["totals"]["global_load"];
  const ordered_json b = run({"report", "tiled", "-m", "32", "--cc", "1.0", "--json"}).json()["totals"]["global_load"];
  EXPECT_EQ(figures["as_written.global_load.sectors"]["a"], a["sectors"]);
  EXPECT_EQ(figures["as_written.global_load.sectors"]["b"], b["sectors"]);
}

TEST_F(Cli, AComparisonIsReadInLines) {
  const Output output = run({"compare", "volkov_transposed", "volkov_padded", "--size", "256"});
  EXPECT_EQ(output.status, kDone) << output.err;
  EXPECT_NE(output.out.find("shared store: wavefronts"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("-122,880 (-94 %)"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("better"), std::string::npos);
  EXPECT_EQ(output.out.find("local load"), std::string::npos) << "what neither has is left out";
}

TEST_F(Cli, ARecordingIsComparedWithAKernel) {
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "-o", path("a.wlr")}).status, kDone);
  const Output output = run({"compare", path("a.wlr"), "tiled:size=64", "--json"});
  EXPECT_EQ(output.status, kDone) << output.err;
  const ordered_json json = output.json();
  EXPECT_TRUE(json["equal"].is_null()) << "no accesses of the kernel are kept";
  for (const ordered_json& figure : json["comparison"]["figures"]) {
    if (std::string(figure["id"]).starts_with("as_written")) {
      EXPECT_EQ(figure["a"], figure["b"]) << figure;
    }
  }
}

TEST_F(Cli, WhatIsNoLaunchIsNotCompared) {
  const std::pair<std::vector<std::string>, const char*> commands[] = {
      {{"compare", "tiled:T", "tiled"}, "`T` in `tiled:T` sets nothing"},
      {{"compare", "tiled:size=big", "tiled"}, "`size=big`"},
      {{"compare", "tiled:nonsense=3", "tiled"}, "nonsense"},
      {{"compare", "tiled", "tiled:cc=99"}, "99"},
      {{"compare", "tiled", "naive", "--width", "nan", "-o", "x.png"}, "`nan` is no number"},
      {{"compare", "no.cu:entry=mm<16,8>,n=3x", "tiled"}, "`n=3x` in"},
      {{"compare", "nonsense:T=3", "tiled"}, "nonsense"},
  };
  for (const auto& [command, words] : commands) {
    const Output output = run(command);
    EXPECT_EQ(output.status, kMisused) << output.err;
    EXPECT_NE(output.err.find(words), std::string::npos) << output.err;
    EXPECT_EQ(output.out, "");
  }
}

}  // namespace
}  // namespace warplens::app
