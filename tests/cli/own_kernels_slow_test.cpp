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

TEST_F(Cli, ALimitEndsALaunchAndSaysWhere) {
  const std::vector<std::string> command{"report", std::string(WARPLENS_TEST_DATA) + "/endless.ptx",
                                         "--limit", "100000"};
  const Output text = run(command);
  EXPECT_EQ(text.status, kFailed);
  EXPECT_NE(
      text.out.find("ENDED at the limit of 100,000 warp instructions, in endless.cu:5 (block 0,0,0 warp "),
      std::string::npos)
      << text.out;
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
  EXPECT_EQ(run({"report", "tiled", "--size", "64", "--limit", "1000", "--json"}).json()["verified"],
            nullptr);
}

TEST_F(Cli, ControlCEndsALaunchAndSaysWhere) {
  struct sigaction before = {}, now = {};
  sigaction(SIGINT, nullptr, &before);
  signal(SIGINT, SIG_DFL);  // Ignored where the tests run in the background
  Output output;
  for (int wait = 50; wait < 20'000 && output.err.find("it was in block") == std::string::npos;
       wait *= 2) {  // It may come before the launch has begun
    std::atomic<bool> ended{false};
    std::jthread interrupting([&] {
      struct sigaction own = {};
      while (!ended && (sigaction(SIGINT, nullptr, &own), own.sa_handler == SIG_DFL))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(wait));
      if (!ended) kill(getpid(), SIGINT);
    });
    output = run({"report", std::string(WARPLENS_TEST_DATA) + "/endless.ptx", "--arg", "param_0=i32[16]"});
    ended = true;
  }
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "as it was";
  sigaction(SIGINT, &before, nullptr);
  EXPECT_EQ(output.status, kFailed);
  EXPECT_EQ(output.out, "");
  EXPECT_NE(output.err.find("(endless.cu:5): cancelled. After "), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("warplens: found until then:\nendless.cu:5: out_of_bounds: "), std::string::npos)
      << output.err;
}

}  // namespace
}  // namespace warplens::app
