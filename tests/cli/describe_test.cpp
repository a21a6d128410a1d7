// --version and `describe`: what the packages install.
#include <gtest/gtest.h>

#include "cli/cli_fixture.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

TEST_F(Cli, VersionSaysCommitAndCompiler) {
  const Output plain = run({"--version"});
  EXPECT_EQ(plain.status, kDone);
  EXPECT_TRUE(plain.out.starts_with("warplens ")) << plain.out;
  EXPECT_NE(plain.out.find("\ncommit "), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("\ncompiled by "), std::string::npos) << plain.out;

  const ordered_json json = run({"--version", "--json"}).json();
  EXPECT_EQ(keys(json), (std::vector<std::string>{"version", "commit", "date", "compiler", "options",
                                                  "window", "fmt", "zstd", "kernels"}));
  EXPECT_TRUE(plain.out.starts_with("warplens " + json["version"].get<std::string>() + "\n"));
}

TEST_F(Cli, JsonWithoutVersionIsMisuse) {
  EXPECT_EQ(run({"--json"}).status, kMisused);
}

TEST_F(Cli, ManPageAndCompletionsNameEveryVisibleCommand) {
  for (const char* form : {"man", "bash", "zsh", "fish"}) {
    const Output described = run({"describe", form});
    EXPECT_EQ(described.status, kDone) << form;
    for (const char* command :
         {"list", "record", "report", "compare", "export", "lesson", "doctor", "describe"})
      EXPECT_NE(described.out.find(command), std::string::npos) << form << " " << command;
    EXPECT_EQ(described.out.find("worker"), std::string::npos) << form;
  }
  EXPECT_EQ(run({"describe", "tcsh"}).status, kMisused);
}

TEST_F(Cli, ManPageEscapesWhatRoffWouldObey) {
  const std::string page = run({"describe", "man"}).out;
  EXPECT_TRUE(page.starts_with(".TH WARPLENS 1 ")) << page.substr(0, 40);
  EXPECT_NE(page.find("\\fB\\-\\-view\\fR"), std::string::npos);
  EXPECT_NE(page.find("\n.EX\n"), std::string::npos);
}

TEST_F(Cli, CompletionsOfferTheChoicesOfAnOption) {
  EXPECT_NE(run({"describe", "bash"}).out.find("--engine) choices='cpu gpu'"), std::string::npos);
  EXPECT_NE(run({"describe", "fish"}).out.find("-x -a 'cpu gpu'"), std::string::npos);
  EXPECT_NE(run({"describe", "zsh"}).out.find(":cpu|gpu:(cpu gpu)'"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
