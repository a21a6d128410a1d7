#include "worker/test_worker.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <thread>

#include "app/worker/client.h"
#include "app/worker/handlers.h"
#include "app/worker/server.h"
#include "kernels/gpu/context.h"

namespace warplens::worker {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(1h);
}

Result<Reply> hang_on_gpu(Call& call) {
  const gpu::Waiting waiting(call.work.launches.watch());
  hang();
}

/// Takes so many `milliseconds`, and says nothing.
Result<Reply> ponder(Call& call) {
  std::this_thread::sleep_for(std::chrono::milliseconds(call.arguments.at("milliseconds").get<int>()));
  return Reply{};
}

/// Waits for so many launches of so many `milliseconds`, one right after the other.
Result<Reply> wait_often(Call& call) {
  for (int left = call.arguments.at("launches").get<int>(); left > 0; --left) {
    const gpu::Waiting waiting(call.work.launches.watch());
    static_cast<void>(ponder(call));
  }
  return Reply{};
}

Result<Reply> count(Call& call) {
  const auto total = call.arguments.at("to").get<std::uint64_t>();
  auto& done = call.work.replay.blocks_done;
  call.work.replay.blocks_total = total;
  while (done < total && !call.work.cancelled()) {
    std::this_thread::sleep_for(10ms);
    ++done;
    if (call.arguments.value("aloud", false)) call.send({{"counted", done.load()}});
  }
  if (call.work.cancelled()) return Error{"cancelled", "", ""};
  return Reply{.body = {{"counted", total}}, .bytes = {}};
}

Result<Reply> crash(Call& call) {
  const auto how = call.arguments.at("how").get<std::string>();
  if (how == "abort") std::abort();
  if (how == "exit") std::exit(3);
  if (how == "kill") raise(SIGKILL);
  signal(SIGSEGV,
         SIG_DFL);  // The address sanitizer's own handler would end the process with a status of its own
  raise(SIGSEGV);
  return Reply{};
}

Result<Reply> print(Call& /*call*/) {
  std::cout << "WLF1 printed by a library" << std::endl;
  std::puts("and this by another");
  std::fflush(stdout);
  return Reply{};
}

Result<Reply> exhaust_memory(Call& /*call*/) {
  throw std::bad_alloc();
}

/// Takes all of the GPU's memory, or gives it back.
Result<Reply> hog(Call& call) {
  static gpu::ContextPointer context;
  static std::vector<gpu::DeviceBuffer> taken;
  taken.clear();
  if (!call.arguments.at("all").get<bool>()) return Reply{};
  if (!context) {
    Result<gpu::ContextPointer> opened = gpu::Context::open();
    if (!opened.ok()) return opened.error();
    context = *opened;
  }
  for (std::size_t bytes = std::size_t{1} << 32; bytes >= 4096; bytes /= 2) {
    for (auto buffer = gpu::DeviceBuffer::allocate(context, bytes); buffer.ok();
         buffer = gpu::DeviceBuffer::allocate(context, bytes)) {
      taken.push_back(std::move(*buffer));
    }
  }
  return Reply{};
}

Result<Reply> fault(Call& call) {
  call.unfit = true;
  return Error{"illegal address (CUDA error 700)", "", ""};
}

int serve_tests() {
  ServerOptions options = standard_worker();
  options.handlers["echo"] = [](Call& call) -> Result<Reply> {
    return Reply{call.arguments, {call.bytes.begin(), call.bytes.end()}};
  };
  options.handlers["count"] = count;
  options.handlers["crash"] = crash;
  options.handlers["hang"] = hang_on_gpu;
  options.handlers["ponder"] = ponder;
  options.handlers["wait_often"] = wait_often;
  options.handlers["print"] = print;
  options.handlers["exhaust_memory"] = exhaust_memory;
  options.handlers["hog"] = hog;
  options.handlers["fault"] = fault;
  options.handlers["pid"] = [](Call&) -> Result<Reply> { return Reply{.body = getpid(), .bytes = {}}; };
  return serve_standard_streams(options);
}

void write_out(const std::vector<std::byte>& bytes) {
  static_cast<void>(!write(STDOUT_FILENO, bytes.data(), bytes.size()));
}

void say_hello(int protocol) {
  const Packet hello = to_packet({MessageKind::hello, 0, {{"protocol", protocol}}, {}});
  write_out(header_of(hello));
  const auto text = std::as_bytes(std::span(hello.text));
  write_out({text.begin(), text.end()});
}

int misbehave(const std::string& way) {
  if (way == "dies") return 7;
  if (way == "silent") hang();
  if (way == "garbage") std::puts("Welcome to this machine! Today is a good day.");
  if (way == "old") say_hello(kProtocolVersion + 1);
  if (way == "oversize") {
    std::vector<std::byte> header = header_of({});
    header[14] = std::byte{0x7f};
    write_out(header);
  }
  if (way == "half" || way == "garbage_later") {
    say_hello(kProtocolVersion);
    std::vector<std::byte> request(1 << 16);
    static_cast<void>(!read(STDIN_FILENO, request.data(), request.size()));
    std::vector<std::byte> header = header_of({.text = std::string(100, ' '), .bytes = {}});
    if (way == "garbage_later") header[0] = std::byte{'?'};
    write_out(header);
    if (way == "half") return 0;
  }
  std::fflush(stdout);
  hang();
}

int be_a_window() {
  Client client({.command = test_worker(), .watchdog = 1h});
  client.send({.name = "hang", .subject = "hang", .arguments = {}, .bytes = {}});
  while (client.worker_pid() == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(500ms);  // It hangs by now
  std::printf("%d\n", client.worker_pid());
  std::fflush(stdout);
  hang();
}

int be_a_window_with_watchdog() {
  Client client({.command = test_worker(), .watchdog = 2s});
  const auto id = client.send(
      {.name = "count", .subject = "count", .arguments = {{"to", 100}, {"aloud", true}}, .bytes = {}});
  for (bool at_work = false; true; std::this_thread::sleep_for(1ms)) {
    for (const Event& event : client.poll()) {
      if (event.id != id) continue;
      if (!std::exchange(at_work, true)) std::printf("%d\n", client.worker_pid());
      std::fflush(stdout);
      if (event.kind == Event::Kind::progress) continue;
      std::puts(event.kind == Event::Kind::result ? "done" : "lost");
      std::fflush(stdout);
      hang();
    }
  }
}

}  // namespace

std::vector<std::string> test_worker() {
  return {"/proc/self/exe", "worker"};
}

std::vector<std::string> bad_worker(const std::string& way) {
  return {"/proc/self/exe", "bad_worker", way};
}

std::vector<std::string> test_window() {
  return {"/proc/self/exe", "window"};
}

std::vector<std::string> test_window_with_watchdog() {
  return {"/proc/self/exe", "watchful_window"};
}

int run_as_worker(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return -1;
  if (arguments[0] == "worker") return serve_tests();
  if (arguments[0] == "bad_worker" && arguments.size() == 2) return misbehave(arguments[1]);
  if (arguments[0] == "window") return be_a_window();
  if (arguments[0] == "watchful_window") return be_a_window_with_watchdog();
  return -1;
}

}  // namespace warplens::worker
