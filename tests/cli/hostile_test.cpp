// Output that cannot be written, names that a terminal obeys, arguments that mean nothing, and text made to
// keep a reader busy.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/run.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

class Hostile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("warplens_hostile_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// In a process of its own, after `prepare` has changed it: how it ended, and what it said on standard
  /// error.
  Output run_apart(const std::vector<std::string>& arguments, const std::function<void()>& prepare) const {
    std::cout.flush();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open(path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
      prepare();
      std::signal(SIGPIPE, SIG_DFL);
      ::_exit(run_cli(arguments, std::cout, std::cerr));
    }
    int how = 0;
    ::waitpid(child, &how, 0);
    return {WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how), "", contents("err")};
  }

 private:
  std::filesystem::path folder_;
};

void print_to_full_disk() {
  ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO);
}

void print_to_closed_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(99);
  ::close(ends[0]);
  ::dup2(ends[1], STDOUT_FILENO);
}

void print_to_nothing() {
  ::close(STDOUT_FILENO);
}

TEST_F(Hostile, ResultsThatCannotBeWrittenAreAFailureWithItsReason) {
  write("a.csv", "op,bytes_per_lane,active_mask,lane_byte_offsets\nglobal_load,4,0x1,0\n");
  const std::vector<std::vector<std::string>> commands{{"list"},
                                                       {"list", "--json"},
                                                       {"doctor"},
                                                       {"report", "tiled", "--size", "16"},
                                                       {"--version"},
                                                       {"report", "--help"},
                                                       {"pattern", "--csv", path("a.csv")}};
  const std::vector<std::pair<std::function<void()>, std::string>> ways{
      {print_to_full_disk, "No space left"},
      {print_to_closed_pipe, "Broken pipe"},
      {print_to_nothing, "Bad file descriptor"}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(testing::PrintToString(command));
    for (const auto& [prepare, reason] : ways) {
      const Output output = run_apart(command, prepare);
      EXPECT_EQ(output.status, kFailed);
      EXPECT_NE(output.err.find("cannot be written to standard output"), std::string::npos) << output.err;
      EXPECT_NE(output.err.find(reason), std::string::npos) << output.err;
    }
  }
}

TEST_F(Hostile, WhatPrintsNothingNeedsNoStandardOutput) {
  const Output output = run_apart(
      {"export", "tiled", "--size", "16", "--view", "banks", "-o", path("banks.svg")}, print_to_nothing);
  EXPECT_EQ(output.status, kDone) << output.err;
  EXPECT_NE(contents("banks.svg").find("</svg>"), std::string::npos)
      << "and nothing was printed into the file";
}

TEST_F(Hostile, AFullDiskLeavesTheOldFile) {
  const auto small_files_only = [] {
    const rlimit small{300, 300};
    ::setrlimit(RLIMIT_FSIZE, &small);
  };
  for (const char* const name : {"old.svg", "old.png", "old.csv"}) {
    write(name, "the old picture");
    const Output output =
        run_apart({"export", "tiled", "--size", "16", "--view", "banks", "-o", path(name)}, small_files_only);
    EXPECT_EQ(output.status, kFailed) << name;
    EXPECT_NE(output.err.find("File too large"), std::string::npos) << output.err;
    EXPECT_EQ(contents(name), "the old picture");
  }
}

TEST_F(Hostile, ControlCharactersDoNotReachTheTerminal) {
  ASSERT_EQ(run({"record", "tiled", "--size", "16", "-o", path("t.wlr")}).status, kDone);
  Recording recording = *load(path("t.wlr"));
  const std::string evil =
      "\x1b]0;owned\x07\x1b[31m\xc2\x9b"
      "1m\nReport: all is well\xe2\x80\xae";
  recording.kernel += evil;
  recording.engine = "gpu" + evil;
  for (SourceFile& file : recording.files) file = {file.name + evil, evil + "\n" + evil + "\n" + file.text};
  recording.findings.push_back({.kind = FindingKind::race, .text = "text" + evil});
  ASSERT_TRUE(save(recording, path("evil.wlr")).ok());
  const auto shows_nothing_evil = [](const Output& output) {
    for (const std::string* text : {&output.out, &output.err}) {
      EXPECT_EQ(text->find_first_of("\x1b\x07"), std::string::npos) << *text;
      EXPECT_EQ(text->find("\xc2\x9b"), std::string::npos);
      EXPECT_EQ(text->find("\xe2\x80\xae"), std::string::npos);
      EXPECT_EQ(text->find("\nReport: all"), std::string::npos) << "a line of its own";
    }
  };
  const Output report = run({"report", path("evil.wlr")});
  EXPECT_NE(report.out.find("\\x1b]0;owned\\x07"), std::string::npos) << report.out;
  shows_nothing_evil(report);
  shows_nothing_evil(run({"report", path("evil.wlr"), "--json"}));
  EXPECT_TRUE(ordered_json::accept(run({"report", path("evil.wlr"), "--json"}).out));
  shows_nothing_evil(run({"export", path("evil.wlr"), "--view", "banks", "-o", path("x.svg")}));
  shows_nothing_evil(run({"report", "no such\x1b[31m kernel\nReport: all is well"}));
  shows_nothing_evil(run({"report", path("missing\x1b[31m\nReport: all is well.wlr")}));
  shows_nothing_evil(run({"report", "tiled", "--set", "\x1b[31m\nReport: all is well"}));
  shows_nothing_evil(run({"no such\x1b[31m command\nReport: all is well"}));
  shows_nothing_evil(run({"report", path("evil.wlr"), "another\nReport: all is well.wlr"}));
  shows_nothing_evil(run({"report", "tiled", "--size", "16\nReport: all is well"}));
  write("evil.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\x1b[31m\n}\n");
  shows_nothing_evil(run({"check", path("evil.ptx")}));
  for (const char* const view : {"banks", "source", "heat", "divergence"}) {
    for (const char* const extension : {".svg", ".csv"}) {
      SCOPED_TRACE(view + std::string(extension));
      const std::string file = "evil" + std::string(extension);
      ASSERT_EQ(run({"export", path("evil.wlr"), "--view", view, "-o", path(file)}).status, kDone);
      const std::string text = contents(file);
      EXPECT_TRUE(std::none_of(text.begin(), text.end(),
                               [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }));
    }
  }
}

TEST_F(Hostile, JsonIsJsonWhateverTheNames) {
  ASSERT_EQ(run({"record", "tiled", "--size", "16", "-o", path("a\xff\n.wlr")}).status, kDone);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"report", path("a\xff\n.wlr"), "--json"},
        {"compare", path("a\xff\n.wlr"), path("a\xff\n.wlr"), "--json"}}) {
    const Output output = run(command);
    EXPECT_EQ(output.status, kDone) << output.err;
    EXPECT_TRUE(ordered_json::accept(output.out));
  }
  write("k\xff.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const Output check = run({"check", path("k\xff.ptx"), "--json"});
  EXPECT_EQ(check.status, kDone) << check.err;
  EXPECT_TRUE(ordered_json::accept(check.out));
}

TEST_F(Hostile, ErrorsAreShort) {
  const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n", name(20000, 'x');
  write("long.ptx", head + ".visible .entry " + name + "()\n{\nret;\n}\n.visible .entry y" + name +
                        "()\n{\nfoo." + name + " a;\nret;\n}\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"replay", path("long.ptx"), "--grid", "1", "--block", "32"},
        {"replay", path("long.ptx"), "--entry", "y" + name, "--grid", "1", "--block", "32"},
        {"report", name},
        {"check", path(name)},
        {"replay", path("long.ptx"), "--grid", name, "--block", "32"}}) {
    const Output output = run(command);
    EXPECT_NE(output.status, kDone);
    EXPECT_LT(output.err.size(), 1600u) << output.err.substr(0, 200);
  }
}

TEST_F(Hostile, EveryPtxOfTheCorpusIsCheckedAndReplayedOrRefusedInAFewWords) {
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(WARPLENS_TEST_DATA) /
                                                              ".." / "fuzz" / "corpus" / "ptx")) {
    SCOPED_TRACE(file.path().string());
    const Output check = run({"check", file.path().string()});
    EXPECT_LT(check.err.size(), 1600u) << check.err;
    const Output replay = run({"replay", file.path().string(), "--grid", "1", "--block", "32"});
    EXPECT_LT(replay.err.size(), 1600u) << replay.err;
  }
}

TEST_F(Hostile, PrivateTextDoesNotGetIntoARecording) {
  const std::string ptx = std::string(WARPLENS_TEST_DATA) + "/../fuzz/corpus/ptx/private_sources.ptx";
  const Output output =
      run({"replay", ptx, "--grid", "1", "--block", "1", "--arg", "buf:u8:64", "-o", path("k.wlr")});
  ASSERT_EQ(output.status, kDone) << output.err;
  EXPECT_NE(output.err.find("without the source /etc/shadow: `` is no extension of a source"),
            std::string::npos)
      << output.err;
  EXPECT_NE(output.err.find("--sources FOLDER"), std::string::npos) << output.err;
  const Result<Recording> kept = load(path("k.wlr"));
  ASSERT_TRUE(kept.ok()) << kept.error().message();
  for (const SourceFile& file : kept->files) EXPECT_EQ(file.text, "") << file.name;
}

TEST_F(Hostile, NonNumericOptionIsAMisuse) {
  ASSERT_EQ(run({"record", "tiled", "--size", "16", "-o", path("t.wlr")}).status, kDone);
  write("k.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const std::vector<std::string> replay{"replay", path("k.ptx"), "--grid", "1", "--block", "32"};
  std::vector<std::vector<std::string>> commands;
  for (const char* const number : {"", " ", "-1", "-0", "+1", "0", "010x", "0x10", "1e3", "1.0", "1 ",
                                   "18446744073709551616", "nan", "many"}) {
    for (const char* const option : {"--size", "-m", "-p", "-n"})
      commands.push_back({"report", "tiled", option, number});
    commands.push_back({"run", "ijk", "--size", "8", "--reps", number});
    commands.push_back({"run", "tiled", "--reps", number});
    commands.push_back({"run", "ijk", "--size", number});
    commands.push_back({"record", "tiled", "--size", number, "-o", path("x.wlr")});
    commands.push_back({"export", "tiled", "--size", number, "--view", "banks", "-o", path("x.svg")});
    if (std::string(number) != "0") {
      commands.push_back(replay);
      commands.back().insert(commands.back().end(), {"--shared", number});
    }
  }
  commands.push_back({"run", "ijk", "--size", "8", "--reps", "1000000000000"});
  commands.push_back(replay);
  commands.back().insert(commands.back().end(), {"--shared", "4294967296"});
  for (const char* const option :
       {"-o", "--entry", "--dump", "--arg", "--blocks", "--cc", "--engine", "--sources"}) {
    commands.push_back(replay);
    commands.back().insert(commands.back().end(), {option, ""});
  }
  for (const char* const option : {"--set", "--type", "--engine", "--blocks", "-o"})
    commands.push_back({"record", "tiled", option, ""});
  commands.push_back({"report", ""});
  commands.push_back({"pattern", "--csv", ""});
  commands.push_back({"compare", path("t.wlr"), ""});
  for (const char* const option : {"--width", "--height", "--scale"}) {
    for (const char* const number : {"", "-5", "0", "nan", "inf", "1e9", "x"}) {
      commands.push_back({"export", path("t.wlr"), "--view", "banks", option, number, "-o", path("x.svg")});
    }
  }
  for (const std::vector<std::string>& command : commands) {
    const Output output = run(command);
    SCOPED_TRACE(testing::PrintToString(command));
    EXPECT_EQ(output.status, kMisused);
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err, "");
  }
  EXPECT_FALSE(std::filesystem::exists(path("x.svg")));
}

TEST_F(Hostile, WhatCannotBeReadGetsAdviceOnReading) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"check", path("none.ptx")},
                                                  {"report", path("none.wlr")},
                                                  {"pattern", "--csv", path("none.csv")},
                                                  {"compare", path("none.wlr"), path("none.wlr")}}) {
    const Output output = run(command);
    EXPECT_EQ(output.status, kFailed);
    EXPECT_NE(output.err.find("Check the path"), std::string::npos) << output.err;
    EXPECT_EQ(output.err.find("write"), std::string::npos) << output.err;
  }
}

TEST_F(Hostile, MarksAndLineEndsOfWindowsAreAccepted) {
  write("k.ptx",
        "\xef\xbb\xbf.version 9.0\r\n.target sm_90\r\n.address_size 64\r\n.visible .entry k()\r\n{\r\n// "
        "text\r\nret;\r\n}\r\n");
  EXPECT_EQ(run({"check", path("k.ptx")}).status, kDone) << run({"check", path("k.ptx")}).err;
  EXPECT_EQ(run({"replay", path("k.ptx"), "--grid", "1", "--block", "32"}).status, kDone);
  const std::string table = "op,bytes_per_lane,active_mask,lane_byte_offsets\nglobal_load,4,0x3,0 4\n";
  write("unix.csv", table);
  std::string windows = "\xef\xbb\xbf";
  for (const char c : table) windows += c == '\n' ? "\r\n" : std::string(1, c);
  write("windows.csv", windows);
  EXPECT_EQ(run({"pattern", "--csv", path("unix.csv")}).out,
            run({"pattern", "--csv", path("windows.csv")}).out);
}

// What takes time by the square of the text would not end before ctest ends it.
TEST_F(Hostile, CheckTakesTimeByTheText) {
  const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";
  std::string entries = head + ".file 60000 \"a.cu\"\n";
  for (int i = 0; i < 60000; ++i)
    entries += ".visible .entry k" + std::to_string(i) + "(.param .u64 a)\n{\n.reg .b32 %r<4>;\nret;\n}\n";
  write("entries.ptx", entries);
  EXPECT_EQ(run({"check", path("entries.ptx")}).status, kDone);
  std::string branches = head +
                         ".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<99999>;\nmov.u32 %r1, "
                         "%tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n";
  for (int i = 1; i < 60000; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    branches += "@%p1 bra L" + n + ";\nL" + n + ":\nadd.u32 %r" + next + ", %r" + n + ", " + n + ";\n";
  }
  write("branches.ptx", branches + "ret;\n}\n");
  EXPECT_EQ(run({"check", path("branches.ptx")}).status, kDone);
}

TEST_F(Hostile, WhatIsTooMuchToCheckIsSaidWithTheLimit) {
  const int count = 9000;
  std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 "
      "%r<20000>;\n";
  const auto number = [](int i) { return std::to_string(i); };
  for (int i = 0; i < count; ++i) text += "mov.u32 %r" + number(i) + ", %tid.x;\n";
  for (int i = 0; i < count; ++i) text += "@%p1 bra L" + number(i) + ";\nL" + number(i) + ":\n";
  for (int i = 0; i < count; ++i) text += "add.u32 %r19999, %r19999, %r" + number(i) + ";\n";
  write("live.ptx", text + "ret;\n}\n");
  const Output output = run({"check", path("live.ptx")});
  EXPECT_EQ(output.status, kFailed);
  EXPECT_NE(output.err.find("live at once: at most"), std::string::npos) << output.err;
}

TEST_F(Hostile, InvalidLessonsAreRefused) {
  std::string bytes(1 << 16, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  write("bytes.toml", bytes);
  write("deep.toml", "a = " + std::string(100'000, '['));
  write("long.toml", "title = \"" + std::string(5 << 20, 'x') + "\"");
  write("none.toml", "");
  for (const char* const name : {"bytes.toml", "deep.toml", "long.toml", "none.toml"}) {
    SCOPED_TRACE(name);
    const Output output = run({"lesson", path(name)});
    EXPECT_EQ(output.status, kFailed);
    EXPECT_EQ(output.out, "");
    EXPECT_LT(output.err.size(), 2000u);
  }
  write("terminal.toml",
        "title = \"\\u001b[31m\"\n[[scene]]\ntitle = \"\\u202e\"\nlaunch = \"bank_stride\"\nviews = "
        "[\"banks\"]\nsentence = \"\\u0007\"\n");
  const Output printed = run({"lesson", path("terminal.toml")});
  EXPECT_EQ(printed.status, kDone) << printed.err;
  EXPECT_EQ(printed.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(printed.out.find('\x07'), std::string::npos);
  EXPECT_EQ(printed.out.find("\u202e"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
