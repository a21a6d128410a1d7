// The other commands, and how all of them take what is wrong.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/measure/cpu_products.h"
#include "cli/cli_fixture.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/device.h"
#include "viz/analysis/device_models.h"
#include "viz/export/export.h"

namespace warplens::app {
namespace {

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

TEST_F(Cli, RecordsAreLoadedReportedAndCompared) {
  const Output recorded = run({"record", "tiled", "--size", "64", "--set", "T=16", "-o", path("a.wlr")});
  ASSERT_EQ(recorded.status, kDone) << recorded.err;
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "--set", "T=16", "-o", path("b.wlr")}).status, kDone);
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "--set", "T=8", "-o", path("c.wlr")}).status, kDone);
  EXPECT_EQ(run({"report", path("a.wlr"), "--json"}).out,
            run({"report", "tiled", "--size", "64", "--set", "T=16", "--json"}).out);

  const Output same = run({"compare", path("a.wlr"), path("b.wlr"), "--json"});
  EXPECT_EQ(same.status, kDone);
  EXPECT_EQ(same.json()["equal"], true);
  EXPECT_TRUE(same.json()["differences"].empty());
  const Output different = run({"compare", path("a.wlr"), path("c.wlr"), "--json"});
  EXPECT_EQ(different.status, kFailed);
  EXPECT_EQ(different.json()["equal"], false);
  EXPECT_FALSE(different.json()["differences"].empty());
  EXPECT_NE(different.json()["totals"]["a"]["global_load"]["requests"],
            different.json()["totals"]["b"]["global_load"]["requests"]);
  EXPECT_NE(run({"compare", path("a.wlr"), path("c.wlr")}).out.find("global load"), std::string::npos);
}

TEST_F(Cli, WhatRunsPastTheEndIsRecorded) {
  // The requests have fewer lanes than arrived, and are not divergent.
  const std::vector<std::string> lengths{"16", "40", "80"};
  for (const std::string& length : lengths) {
    const Output replayed = run({"replay", kPtx, "--entry", "past_the_end", "--grid", "2", "--block", "40",
                                 "--arg", "buf:f32:" + length, "-o", path("past.wlr")});
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

TEST_F(Cli, PatternAddsPredictions) {
  std::ofstream(path("p.csv"))
      << "note,op,bytes_per_lane,active_mask,lane_byte_offsets\nbroadcast,shared_load,4,0x3,0 0\n";
  const Output output = run({"pattern", "--csv", path("p.csv")});
  EXPECT_EQ(output.status, kDone) << output.err;
  EXPECT_EQ(output.out,
            "note,op,bytes_per_lane,active_mask,lane_byte_offsets,predicted_wavefronts,predicted_bank_"
            "conflicts,predicted_sectors\n"
            "broadcast,shared_load,4,0x3,0 0,1,0,\n");
  std::ofstream(path("bad.csv"))
      << "op,bytes_per_lane,active_mask,lane_byte_offsets\nshared_load,4,0x3,0 zero\n";
  const Output bad = run({"pattern", "--csv", path("bad.csv")});
  EXPECT_EQ(bad.status, kFailed);
  EXPECT_NE(bad.err.find("bad.csv"), std::string::npos) << bad.err;
}

TEST_F(Cli, ExportSelects) {
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "-o", path("t.wlr")}).status, kDone);
  const auto table = [&](const std::string& select) {
    const Output output =
        run({"export", path("t.wlr"), "--view", "coalescing", "--select", select, "-o", path("c.csv")});
    return output.status == kDone ? contents("c.csv") : output.err;
  };
  EXPECT_NE(table("block=1,0,warp=2,phase=3,step=1"), table("block=0,1,warp=2,phase=3,step=1"));
  EXPECT_EQ(table("block=1,0,warp=2,phase=3,step=1"), table("step=1,phase=3,warp=2,block=1,0"));
  EXPECT_EQ(table("block=1,0"), table("block=1,0,warp=0,phase=1,step=1"));
  EXPECT_NE(table("block=5,5").find("block 5,5,0"), std::string::npos);
  for (const char* bad : {"", "block", "warp=x", "warp=1,2", "lane=3", "block=1,2,3,4", "block=0,0,,warp=1",
                          "phase=0", "step=0"}) {
    EXPECT_EQ(run({"export", path("t.wlr"), "--view", "banks", "--select", bad, "-o", path("x.svg")}).status,
              kMisused)
        << bad;
  }
}

TEST_F(Cli, ExportSaysOfHowManyBlocksItIs) {
  const auto first_row = [&](const std::vector<std::string>& launch) {
    std::vector<std::string> arguments{"export", "tiled_guarded"};
    arguments.insert(arguments.end(), launch.begin(), launch.end());
    arguments.insert(arguments.end(), {"--view", "divergence", "-o", path("d.csv")});
    const Output output = run(arguments);
    const std::string table = output.status == kDone ? contents("d.csv") : output.err;
    const std::size_t row = table.find('\n') + 1;
    return table.substr(row, table.find('\n', row) - row);
  };
  EXPECT_TRUE(first_row({"--size", "100"}).ends_with(",49,49"));
  EXPECT_TRUE(first_row({"--size", "100", "--blocks", "1,1"}).ends_with(",1,49"));
  const std::string of_many = first_row({"--size", "1021"});
  EXPECT_TRUE(of_many.ends_with(",4096,4096")) << of_many;
  EXPECT_NE(of_many.find(",32768,32704,64,"), std::string::npos) << of_many;
}

TEST_F(Cli, MisuseExitsWithTwo) {
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
      {"replay", kPtx, "--entry", "reversed", "--grid", "1", "--block", "64", "--arg", "i32:1", "--dump",
       "0:x.bin"},
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
TEST_F(Cli, FilesAreAcceptedWhereKernelsAre) {
  const std::vector<std::string> launch{"--entry", "reversed", "--grid", "1",     "--block",
                                        "64",      "--shared", "256",    "--arg", "buf:i32:64:iota"};
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

TEST_F(Cli, FailureExitsWithOne) {
  std::ofstream(path("damaged.wlr")) << "this is no recording";
  std::vector<std::vector<std::string>> commands{
      {"report", path("missing.wlr")},
      {"report", path("damaged.wlr")},
      {"compare", path("missing.wlr"), path("damaged.wlr")},
      {"check", path("missing.ptx")},
      {"check", "kernel.cu"},
      {"replay", kPtx, "--entry", "no_such_entry", "--grid", "1", "--block", "1"},
      {"replay", kPtx, "--entry", "reversed", "--grid", "1", "--block", "64"},
      {"record", "tiled", "--size", "32", "-o", path("no/such/folder/x.wlr")},
      {"pattern", "--csv", path("missing.csv")},
      {"export", "tiled", "--size", "32", "--view", "banks", "-o", path("x.gif")},
  };
  if (!gpu::check_driver().missing.empty()) commands.push_back({"report", "tiled", "--engine", "gpu"});
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
  for (const char* field : {"kernel", "device", "m", "p", "n", "reps", "median_ms", "min_ms", "gflops",
                            "gbps", "upload_ms", "download_ms", "total_ms"}) {
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
  for (const char* command : {"list", "record", "report", "replay", "check", "pattern", "compare", "export",
                              "lesson", "doctor", "describe", "run"}) {
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
