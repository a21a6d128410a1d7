// The window's end against workers that do their work, and workers that do not.
#include "app/worker/client.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/worker/process.h"
#include "app/worker/server.h"
#include "app/worker/wire.h"
#include "kernels/recording/file.h"
#include "worker/conversation.h"

namespace warplens::worker {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

bool no_children() {
  return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

/// Still there, and no zombie that only its parent keeps from going.
bool alive(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name = text.rfind(')');
  return name != std::string::npos && name + 2 < text.size() && text[name + 2] != 'Z';
}

/// Empty if nothing more is said.
std::string line_from(const Process& window) {
  std::string line;
  for (char c = 0; read(window.stream(), &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

bool is_lost(const std::optional<Event>& event) {
  return event && event->kind == Event::Kind::error && event->worker_lost;
}

TEST(Client, GetsAnswersInOrder) {
  Conversation talk;
  const auto ready = talk.ready();
  ASSERT_TRUE(ready);
  EXPECT_TRUE(ready->body.contains("driver"));
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(
        talk.send("echo", {{"i", i}}, std::vector<std::byte>(static_cast<std::size_t>(i) * 100'000)));
  for (int i = 0; i < 20; ++i) {
    const auto answer = talk.answer(ids[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body["i"], i);
    EXPECT_EQ(answer->bytes.size(), static_cast<std::size_t>(i) * 100'000);
  }
}

TEST(Client, HearsOfProgress) {
  Conversation talk;
  const auto id = talk.send("count", {{"to", 30}, {"aloud", true}});
  const auto told =
      talk.wait_for([id](const Event& event) { return event.id == id && event.body.contains("total"); });
  ASSERT_TRUE(told);
  EXPECT_EQ(told->body["total"], 30);
  for (int i = 1; i <= 30; ++i) {
    EXPECT_TRUE(talk.wait_for([&](const Event& event) {
      return event.body.contains("value") && event.body["value"]["counted"] == i;
    })) << i;
  }
  EXPECT_EQ(talk.answer(id)->body["counted"], 30);
}

TEST(Client, CancelsWhatRunsAndWhatWaits) {
  Conversation talk;
  const auto running = talk.send("count", {{"to", 100'000}}), waiting = talk.send("echo"),
             last = talk.send("echo");
  ASSERT_TRUE(talk.wait_for([&](const Event& event) { return event.id == running; }));
  talk.client().cancel(waiting);
  const auto dropped = talk.answer(waiting);
  ASSERT_TRUE(dropped);
  EXPECT_TRUE(dropped->cancelled);
  talk.client().cancel(running);
  const auto stopped = talk.answer(running);
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(stopped->cancelled);
  EXPECT_FALSE(stopped->worker_lost);
  EXPECT_EQ(talk.answer(last)->kind, Event::Kind::result);
  talk.client().cancel(last);  // Over already
  EXPECT_EQ(talk.answer(talk.send("echo"))->kind, Event::Kind::result);
}

TEST(Client, CancelsWhatHasHardlyBegun) {
  Conversation talk;
  ASSERT_TRUE(talk.ready());
  for (int i = 0; i < 50; ++i) {
    const auto id = talk.send("count", {{"to", 100'000}});
    std::this_thread::sleep_for(std::chrono::microseconds(20 * i));
    talk.client().cancel(id);
    const auto stopped = talk.answer(id);
    ASSERT_TRUE(stopped);
    EXPECT_TRUE(stopped->cancelled);
    EXPECT_FALSE(stopped->worker_lost) << i;
  }
}

TEST(Client, KillsWhatDoesNotStopWhenCancelled) {
  Conversation talk({.watchdog = 60s, .cancel_limit = 100ms});
  ASSERT_TRUE(talk.ready());
  const auto id = talk.send("hang");
  std::this_thread::sleep_for(50ms);
  talk.client().cancel(id);
  const auto stopped = talk.answer(id);
  ASSERT_TRUE(is_lost(stopped));
  EXPECT_TRUE(stopped->cancelled);
  EXPECT_TRUE(talk.ready());
}

TEST(Client, ErrorsOfHandlersAreTheirs) {
  Conversation talk;
  const auto unknown = talk.answer(talk.send("dance"));
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->error.what.find("dance"), std::string::npos);
  const auto unreadable = talk.answer(talk.send("count", {{"to", "many"}}));
  ASSERT_TRUE(unreadable);
  EXPECT_EQ(unreadable->kind, Event::Kind::error);
  EXPECT_FALSE(unreadable->worker_lost);
  const auto too_much = talk.answer(talk.send("exhaust_memory"));
  ASSERT_TRUE(too_much);
  EXPECT_NE(too_much->error.what.find("not enough memory"), std::string::npos);
  EXPECT_EQ(talk.answer(talk.send("echo", 10))->body, 10);
}

TEST(Client, WhatIsPrintedDoesNotDisturbThePackets) {
  Conversation talk;
  testing::internal::CaptureStderr();
  EXPECT_EQ(talk.answer(talk.send("print"))->kind, Event::Kind::result);
  EXPECT_EQ(talk.answer(talk.send("echo", 5))->body, 5);
  testing::internal::GetCapturedStderr();
}

TEST(Client, RecordsInTheWorker) {
  Conversation talk;
  app::LaunchRequest request = app::launch_of_kernel("tiled", {{"m", 64}, {"p", 64}, {"n", 64}});
  request.event_blocks = app::BlockChoice{};
  const auto answer = talk.answer(talk.send("record", to_json(request)));
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->kind, Event::Kind::result) << answer->error.message();
  auto recording = decode(answer->bytes);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  auto here = app::record(request);
  ASSERT_TRUE(here.ok());
  recording->seconds = here->seconds = 0;
  EXPECT_EQ(*recording, *here);
  request.origin = app::CatalogKernel{"no such kernel"};
  EXPECT_NE(talk.answer(talk.send("record", to_json(request)))->error.what.find("no such kernel"),
            std::string::npos);
}

TEST(Client, CountsThatHaveNoMemoryAreErrors) {
  Conversation talk;
  const std::filesystem::path file =
      std::filesystem::path(WARPLENS_TEST_DATA) / "ptx" / "user_kernels.sm_75.ptx";
  app::LaunchRequest request;
  request.origin =
      app::FileKernel{.file = file, .entry = "reversed", .text = {}, .sources = {}, .source_folders = {}};
  request.shape = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 256};
  request.threads = 2000;
  for (const app::Fill fill : {app::Fill::zero, app::Fill::iota, app::Fill::random, app::Fill::file}) {
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1} << 45, std::uint64_t{1} << 62,
                                      (std::uint64_t{1} << 62) + 1, UINT64_MAX}) {
      request.arguments = {
          {"", app::BufferSpec{.type = ElementType::i32, .count = count, .fill = fill, .file = file}}};
      const auto answer = talk.answer(talk.send("record", to_json(request)));
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->kind, Event::Kind::error);
      EXPECT_FALSE(answer->worker_lost) << count << ": " << answer->error.message();
      EXPECT_FALSE(answer->error.hint.empty()) << answer->error.message();
    }
  }
  request.arguments = {
      {"", app::BufferSpec{.type = ElementType::i32, .count = 64, .fill = app::Fill::iota, .file = {}}}};
  const auto answer = talk.answer(talk.send("record", to_json(request)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, Event::Kind::result)
      << "2,000 threads are as many as there are cores: " << answer->error.message();
}

struct Crash {
  const char* request;
  json arguments;
  const char* words;
};
const Crash kCrashes[] = {{"crash", {{"how", "abort"}}, "signal 6"},
                          {"crash", {{"how", "segv"}}, "signal 11"},
                          {"crash", {{"how", "exit"}}, "exit status 3"},
                          {"crash", {{"how", "kill"}}, "signal 9"},
                          {"fault", nullptr, "illegal address (CUDA error 700)"}};

TEST(Client, ACrashCostsTheWorkerAndNamesWhatRan) {
  Conversation talk;
  for (const Crash& crash : kCrashes) {
    SCOPED_TRACE(crash.words);
    ASSERT_TRUE(talk.ready());
    const auto id = talk.send(crash.request, crash.arguments), next = talk.send("echo", "still here");
    const auto lost = talk.answer(id);
    ASSERT_TRUE(is_lost(lost));
    EXPECT_EQ(lost->error.what.find("tiled stopped: "), 0u) << lost->error.what;
    EXPECT_NE(lost->error.what.find(crash.words), std::string::npos) << lost->error.what;
    const auto after = talk.answer(next);  // It waited, and is answered by the new worker
    ASSERT_TRUE(after);
    EXPECT_EQ(after->body, "still here");
  }
}

TEST(Client, AHangIsNoticed) {
  Conversation talk({.watchdog = 200ms});
  ASSERT_TRUE(talk.ready());
  const auto begin = Clock::now();
  const auto lost = talk.answer(talk.send("hang"));
  ASSERT_TRUE(is_lost(lost));
  EXPECT_NE(lost->error.what.find("no progress for 0.2 s"), std::string::npos) << lost->error.what;
  EXPECT_GE(Clock::now() - begin, 200ms);
  ASSERT_TRUE(talk.ready());
  // What is slow and says so is left alone.
  talk.client().set_watchdog(2s);
  EXPECT_EQ(talk.answer(talk.send("count", {{"to", 300}}))->kind, Event::Kind::result);
  talk.client().set_watchdog(1h);
  const auto left_alone = talk.send("hang");
  EXPECT_FALSE(talk.answer(left_alone, 1s));
}

TEST(Client, AMachineThatStandsStillIsNoHang) {
  auto window = Process::start(test_window_with_watchdog());
  ASSERT_TRUE(window.ok());
  const int worker = std::stoi(line_from(*window));
  kill(worker, SIGSTOP);
  std::this_thread::sleep_for(50ms);  // What it has said is heard
  kill(window->pid(), SIGSTOP);
  std::this_thread::sleep_for(2500ms);
  kill(window->pid(), SIGCONT);
  std::this_thread::sleep_for(50ms);  // It is looked for
  kill(worker, SIGCONT);
  EXPECT_EQ(line_from(*window), "done");
}

TEST(Client, WhatTakesLongOnTheHostIsNoHang) {
  Conversation talk({.watchdog = 2s});
  ASSERT_TRUE(talk.ready());
  const auto slow = talk.send("ponder", {{"milliseconds", 3000}}),
             often = talk.send("wait_often", {{"launches", 50}, {"milliseconds", 60}});
  for (const auto id : {slow, often}) {
    const auto answer = talk.answer(id);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->kind, Event::Kind::result) << answer->error.message();
  }
  EXPECT_TRUE(is_lost(talk.answer(talk.send("wait_often", {{"launches", 1}, {"milliseconds", 60'000}}))));
}

TEST(Client, AnIdleWorkerThatIsKilledIsReplaced) {
  Conversation talk;
  ASSERT_TRUE(talk.ready());
  std::this_thread::sleep_for(1100ms);  // A worker that ends sooner counts as one that does not start
  const int first = talk.client().worker_pid();
  kill(first, SIGKILL);
  ASSERT_TRUE(talk.ready());
  EXPECT_NE(talk.client().worker_pid(), first);
}

TEST(Client, TwentyOfEachInARow) {
  const std::size_t files = open_files();
  {
    Conversation talk({.watchdog = 20s});
    const app::LaunchRequest request = app::launch_of_kernel("tiled", {{"m", 32}, {"p", 32}, {"n", 32}});
    const auto recorded = talk.answer(talk.send("record", to_json(request)));
    ASSERT_TRUE(recorded);
    ASSERT_EQ(recorded->kind, Event::Kind::result);
    ASSERT_TRUE(talk.ready());
    talk.client().set_watchdog(100ms);
    for (int i = 0; i < 20; ++i) {
      for (const auto& [name, arguments] : {std::pair{"crash", json{{"how", "segv"}}},
                                            std::pair{"fault", json()}, std::pair{"hang", json()}}) {
        ASSERT_TRUE(is_lost(talk.answer(talk.send(name, arguments)))) << name << ", " << i;
        ASSERT_TRUE(talk.ready()) << name << ", " << i;
      }
    }
    talk.client().set_watchdog(20s);
    EXPECT_TRUE(decode(recorded->bytes).ok());
    EXPECT_EQ(talk.answer(talk.send("echo", 1))->body, 1);
  }
  EXPECT_TRUE(no_children());
  EXPECT_EQ(open_files(), files);
}

TEST(Client, AWorkerThatBreaksTheProtocolIsLost) {
  for (const char* way : {"half", "garbage_later"}) {
    SCOPED_TRACE(way);
    Conversation talk({.command = bad_worker(way)});
    const auto lost = talk.answer(talk.send("echo"));
    ASSERT_TRUE(is_lost(lost));
    EXPECT_TRUE(talk.ready());
  }
  EXPECT_TRUE(no_children());
}

TEST(Client, AWorkerThatDoesNotStartIsToldOnce) {
  for (const char* way : {"dies", "silent", "garbage", "oversize", "old"}) {
    SCOPED_TRACE(way);
    Conversation talk({.command = bad_worker(way), .start_limit = 300ms});
    const auto id = talk.send("echo");
    const auto unavailable =
        talk.wait_for([](const Event& event) { return event.kind == Event::Kind::unavailable; });
    ASSERT_TRUE(unavailable);
    EXPECT_FALSE(unavailable->error.what.empty());
    const auto answer = talk.answer(id);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->kind, Event::Kind::error);
    EXPECT_TRUE(talk.answer(talk.send("echo")));  // Tried once more, and answered all the same
  }
  EXPECT_TRUE(no_children());
}

TEST(Client, AProgramThatIsNotThereIsSaid) {
  Conversation talk({.command = {"/no/such/program"}});
  const auto answer = talk.answer(talk.send("echo"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, Event::Kind::error);
}

TEST(Client, LeavesNothingBehindWhateverRuns) {
  const std::size_t files = open_files();
  for (const char* name : {"", "hang", "count"}) {
    SCOPED_TRACE(name);
    int pid = 0;
    {
      Conversation talk;
      ASSERT_TRUE(talk.ready());
      if (*name != 0) talk.send(name, {{"to", 1'000'000}});
      std::this_thread::sleep_for(30ms);
      pid = talk.client().worker_pid();
    }
    EXPECT_FALSE(alive(pid));
    EXPECT_TRUE(no_children());
  }
  EXPECT_EQ(open_files(), files);
}

TEST(Worker, EndsWhenItsWindowDies) {
  auto window = Process::start(test_window());
  ASSERT_TRUE(window.ok());
  const int pid = std::stoi(line_from(*window));
  ASSERT_TRUE(alive(pid));
  kill(window->pid(), SIGKILL);
  const auto deadline = Clock::now() + 20s;
  while (alive(pid) && Clock::now() < deadline) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(alive(pid));
}

TEST(Server, EndsWithOneWhereItCannotReadWhatItIsSent) {
  const auto status_after = [](const std::string& sent) {
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    EXPECT_EQ(pipe(in), 0);
    EXPECT_EQ(pipe(out), 0);
    EXPECT_EQ(write(in[1], sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
    close(in[1]);
    const int status = serve(in[0], out[1], {});
    for (const int end : {in[0], out[0], out[1]}) close(end);
    return status;
  };
  EXPECT_EQ(status_after(""), 0);
  EXPECT_EQ(status_after("no packet, but sixteen bytes and more"), 1);
  EXPECT_EQ(status_after("WLF1"), 1);
}

}  // namespace
}  // namespace warplens::worker
