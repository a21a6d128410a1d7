#include <fstream>
#include <iterator>

#include "cli/cli_fixture.h"

namespace warplens::app {
namespace {

ordered_json figures_of(const std::vector<std::string>& command) {
  const Output output = run(command);
  EXPECT_EQ(output.status, kDone) << output.err;
  ordered_json by_id = ordered_json::object();
  const ordered_json document = output.json();
  for (const ordered_json& figure : document["comparison"]["figures"])
    by_id[std::string(figure["id"])] = figure;
  return by_id;
}

TEST_F(Cli, KernelsAreComparedByTheirReports) {
  const ordered_json figures =
      figures_of({"compare", "volkov_transposed", "volkov_padded", "--size", "128", "--json"});
  const std::pair<const char*, const char*> sides[] = {{"a", "volkov_transposed"}, {"b", "volkov_padded"}};
  for (const auto& [side, kernel] : sides) {
    const ordered_json report = run({"report", kernel, "--size", "128", "--json"}).json();
    for (const auto& [kind, totals] : report["totals"].items()) {
      const char* const cost = totals.contains("wavefronts") ? "wavefronts" : "sectors";
      for (const std::string figure : {"requests", cost}) {
        EXPECT_EQ(figures["as_written." + kind + "." + figure][side], totals[figure])
            << kernel << " " << kind;
        EXPECT_EQ(figures["as_compiled." + kind + "." + figure][side],
                  report["as_compiled"]["totals"][kind][figure])
            << kernel << " " << kind;
      }
    }
    EXPECT_EQ(figures["shared_bytes_a_block"][side], report["shared_bytes"]);
  }
  EXPECT_EQ(figures["as_written.shared_store.wavefronts"]["verdict"], "better");
  EXPECT_TRUE(figures["measured.median_ms"]["a"].is_null());
}

TEST_F(Cli, AWordSaysAWholeLaunch) {
  const ordered_json figures =
      figures_of({"compare", "tiled:T=16,size=64", "tiled:cc=1.0,m=32", "--size", "96", "--json"});
  const ordered_json a =
      run({"report", "tiled", "--set", "T=16", "--size", "64", "--json"}).json()["totals"]["global_load"];
  const ordered_json b =
      run({"report", "tiled", "-m", "32", "--cc", "1.0", "--json"}).json()["totals"]["global_load"];
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

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What is drawn above the table, by the same places as in the window.
TEST_F(Cli, BothAreDrawnAboveTheTable) {
  const std::vector<std::string> command{"compare", "volkov_transposed", "volkov_padded", "--size", "256",
                                         "-o",      path("both.svg")};
  const auto drawn = [&](std::vector<std::string> options) {
    std::vector<std::string> words = command;
    words.insert(words.end(), options.begin(), options.end());
    const Output output = run(words);
    EXPECT_EQ(output.status, kDone) << output.err;
    EXPECT_NE(output.out.find("-122,880 (-94 %)"), std::string::npos)
        << "the table is the same whatever is drawn";
    return file_text(path("both.svg"));
  };
  const std::string table = drawn({});
  EXPECT_NE(table.find("shared store: wavefronts"), std::string::npos);
  EXPECT_EQ(table.find("bank"), std::string::npos);
  const std::string banks = drawn({"--view", "banks"});
  EXPECT_NE(banks.find("16 wavefronts"), std::string::npos);
  EXPECT_NE(banks.find(">1 wavefront<"), std::string::npos);
  EXPECT_NE(banks.find("shared store: wavefronts"), std::string::npos);
  EXPECT_NE(banks.find("matched by phase"), std::string::npos);
  EXPECT_NE(drawn({"--view", "banks", "--by-step"}).find("matched by step"), std::string::npos);
  EXPECT_NE(drawn({"--view", "banks", "--difference"}).find("16 \u2192 1 wavefront"), std::string::npos);
  EXPECT_NE(drawn({"--view", "source", "--difference"}).find("in A alone"), std::string::npos);
  EXPECT_NE(drawn({"--view", "heat", "--difference"}).find("all blocks of both"), std::string::npos);
  EXPECT_NE(drawn({"--view", "coalescing", "--select", "block=1,2,warp=1,phase=3,step=2"}).find("sectors"),
            std::string::npos);
}

TEST_F(Cli, EveryPairThatCompareIsForIsDrawn) {
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "-o", path("a.wlr")}).status, kDone);
  ASSERT_EQ(run({"record", "tiled_swapped", "--size", "64", "-o", path("b.wlr")}).status, kDone);
  const std::pair<std::string, std::string> pairs[] = {{"volkov_transposed:size=64", "volkov_padded:size=64"},
                                                       {"tiled:T=16,size=64", "tiled:T=32,size=64"},
                                                       {"tiled:cc=1.0,size=64", "tiled:cc=9.0,size=64"},
                                                       {path("a.wlr"), path("b.wlr")}};
  for (const auto& [a, b] : pairs) {
    for (const char* const view : {"banks", "coalescing", "phases", "heat", "dram", "levels", "divergence",
                                   "costs", "source", "occupancy"}) {
      const Output output = run({"compare", a, b, "--view", view, "-o", path("both.svg")});
      EXPECT_NE(output.status, kMisused) << a << " " << view << ": " << output.err;
      EXPECT_TRUE(output.err.empty()) << a << " " << view << ": " << output.err;
      EXPECT_NE(file_text(path("both.svg")).find("B against A"), std::string::npos) << a << " " << view;
    }
  }
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

TEST_F(Cli, InvalidLaunchIsNotCompared) {
  const std::pair<std::vector<std::string>, const char*> commands[] = {
      {{"compare", "tiled:T", "tiled"}, "`T` in `tiled:T` sets nothing"},
      {{"compare", "tiled:size=big", "tiled"}, "`size=big`"},
      {{"compare", "tiled:nonsense=3", "tiled"}, "nonsense"},
      {{"compare", "tiled", "tiled:cc=99"}, "99"},
      {{"compare", "tiled", "naive", "--view", "banks"}, "no file to draw"},
      {{"compare", "tiled", "naive", "--difference", "-o", "x.png"}, "Say which: --view NAME"},
      {{"compare", "tiled", "naive", "--view", "nonsense", "-o", "x.png"}, "there is no picture `nonsense`"},
      {{"compare", "tiled", "naive", "--view", "costs", "--difference", "-o", "x.png"},
       "no picture of a difference for `costs`"},
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
