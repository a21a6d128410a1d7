#include "app/worker/server.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/languages/languages.h"
#include "app/worker/process.h"
#include "kernels/base/texts.h"

namespace warplens::worker {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto kProgressInterval = 50ms;
constexpr auto kGraceOfWork = 1s;
constexpr int kEnded = 0, kGarbled = 1, kUnfit = 4;

/// Reads at least a byte, once there is one; 0 at the end, and after an error.
std::size_t read_piece(int file, std::span<std::byte> into) {
  while (true) {
    const ssize_t size = read(file, into.data(), into.size());
    if (size >= 0 || errno != EINTR) return static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  }
}

Error not_enough_memory() {
  return {tr("not enough memory for this request"), "",
          tr("Choose smaller matrices or buffers, or fewer blocks to keep events of.")};
}

/// False if nobody reads any more.
bool write_whole(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t size = write(file, bytes.data(), bytes.size());
    if (size < 0 && errno != EINTR) return false;
    if (size > 0) bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return true;
}

class Server {
 public:
  Server(int in, int out, const ServerOptions& options) : in_(in), out_(out), options_(options) {}

  int run() {
    json body = options_.introduce ? options_.introduce() : json::object();
    body["protocol"] = kProtocolVersion;
    send({MessageKind::hello, 0, std::move(body), {}});
    std::jthread reader([this] { read(); });
    while (auto request = next_request()) {
      if (!answer(*std::move(request))) return stop(reader, kUnfit);
    }
    return stop(reader, garbled_ ? kGarbled : kEnded);
  }

 private:
  // The reader's thread
  // ---------------------------------------------------------------------------------------------------------------------------

  void read() {
    try {
      PacketDecoder decoder;
      std::vector<std::byte> piece(kPieceBytes);
      while (const std::size_t size = read_piece(in_, piece)) {
        decoder.feed(std::span(piece).first(size));
        if (!take_packets(decoder)) break;
      }
      if (decoder.in_the_middle()) tell_garbled({tr("it ends within a message"), "", ""});
    } catch (const std::bad_alloc&) {
      fmt::print(stderr, "warplens: what the worker is sent takes more memory than there is\n");
    } catch (const std::length_error&) {
      fmt::print(stderr, "warplens: what the worker is sent takes more memory than there is\n");
    }
    end();
  }

  bool take_packets(PacketDecoder& decoder) {
    while (true) {
      Result<std::optional<Packet>> packet = decoder.next();
      if (!packet.ok()) return tell_garbled(packet.error());
      if (!packet->has_value()) return true;
      Result<Message> message = to_message(**std::move(packet));
      if (!message.ok()) return tell_garbled(message.error());
      take(*std::move(message));
    }
  }

  /// What comes is not what a window sends. Returns false.
  bool tell_garbled(const Error& why) {
    fmt::print(stderr, "warplens: the worker cannot read what it is sent: {}\n", why.message());
    const std::lock_guard lock(mutex_);
    garbled_ = true;
    return false;
  }

  void take(Message message) {
    const std::lock_guard lock(mutex_);
    if (message.kind == MessageKind::cancel) cancelled_id_ = message.id;
    if (message.kind == MessageKind::request && message.body.is_object())
      requests_.push_back(std::move(message));
    if (work_ != nullptr && running_id_ == cancelled_id_) work_->cancel();
    changed_.notify_all();
  }

  /// Nobody listens any more: what runs is asked to stop, and left if it does not.
  void end() {
    std::unique_lock lock(mutex_);
    ended_ = true;
    requests_.clear();
    if (work_ != nullptr) work_->cancel();
    changed_.notify_all();
    if (!changed_.wait_for(lock, kGraceOfWork, [this] { return finished_; })) _exit(kEnded);
  }

  // The caller's thread
  // ---------------------------------------------------------------------------------------------------------------------------

  std::optional<Message> next_request() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !requests_.empty(); });
    if (requests_.empty()) return std::nullopt;
    Message request = std::move(requests_.front());
    requests_.pop_front();
    return request;
  }

  /// False if the worker is fit for nothing more.
  bool answer(Message request) {
    Work work;
    set_running(request.id, &work);
    Call call{
        .arguments = request.body["arguments"], .bytes = request.bytes, .work = work, .send = [&](json body) {
          send({MessageKind::progress, request.id, {{"value", std::move(body)}}, {}});
        }};
    Result<Reply> reply = Error{};
    {
      const std::jthread ticker(
          [this, id = request.id, &work](const std::stop_token& stop) { tell_progress(stop, id, work); });
      reply = handle(request.body, call);
    }
    const bool cancelled = work.cancelled();
    set_running(0, nullptr);
    if (reply.ok()) {
      if (call.unfit) reply->body["unfit"] = true;
      send({MessageKind::result, request.id, std::move(reply->body), std::move(reply->bytes)});
    } else {
      json body = to_json(reply.error());
      body["cancelled"] = cancelled;
      body["unfit"] = call.unfit;
      send({MessageKind::error, request.id, std::move(body), {}});
    }
    return !call.unfit;
  }

  Result<Reply> handle(const json& body, Call& call) const {
    const json name = body.value("name", json());
    const auto handler = name.is_string() ? options_.handlers.find(name.get_ref<const std::string&>())
                                          : options_.handlers.end();
    if (handler == options_.handlers.end())
      return Error{tr("the worker knows no request `{request}`",
                      "request"_a = name.is_string() ? name.get<std::string>() : ""),
                   "", ""};
    try {
      app::speak(body.value("language", app::kEnglish));
      return handler->second(call);
    } catch (const json::exception& wrong) {
      return Error{tr("the request cannot be read: {reason}", "reason"_a = wrong.what()), "",
                   tr("Window and worker are of different versions.")};
    } catch (const std::bad_alloc&) {
      return not_enough_memory();
    } catch (const std::length_error&) {  // Of a container that is asked for more than there are addresses
      return not_enough_memory();
    } catch (const std::exception& unforeseen) {
      return Error{unforeseen.what(), "", ""};
    }
  }

  void set_running(std::uint64_t id, Work* work) {
    const std::lock_guard lock(mutex_);
    running_id_ = id;
    work_ = work;
    if (work != nullptr && (ended_ || id == cancelled_id_)) work->cancel();
    changed_.notify_all();
  }

  /// Says what has changed, and that the worker is at work; but nothing during a wait for the GPU: by that
  /// the window knows a kernel that hangs.
  void tell_progress(const std::stop_token& stop, std::uint64_t id, const Work& work) {
    std::uint64_t told_done = 0, told_total = 0, seen_waits = 0;
    std::mutex mutex;
    std::condition_variable_any wake;
    while (!stop.stop_requested()) {
      const std::uint64_t done = work.done(), total = work.replay.blocks_total, waits = work.waits();
      const bool same_wait = waits % 2 != 0 && waits == seen_waits;
      if (done != told_done || total != told_total) {
        send({MessageKind::progress, id, {{"done", done}, {"total", total}}, {}});
      } else if (!same_wait) {
        send({MessageKind::alive, id, {}, {}});
      }
      told_done = done;
      told_total = total;
      seen_waits = waits;
      std::unique_lock lock(mutex);
      wake.wait_for(lock, stop, kProgressInterval, [] { return false; });
    }
  }

  int stop(std::jthread& reader, int status) {
    if (status == kUnfit) {
      reader.detach();  // It waits for a window that is to go on living: the process ends under it
      std::fflush(nullptr);
      _exit(status);
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
    return status;
  }

  void send(Message message) {
    const Packet packet = to_packet(std::move(message));
    const std::lock_guard lock(out_mutex_);
    // A window that is gone is noticed by the reader.
    static_cast<void>(write_whole(out_, header_of(packet)) &&
                      write_whole(out_, std::as_bytes(std::span(packet.text))) &&
                      write_whole(out_, packet.bytes));
  }

  const int in_, out_;
  const ServerOptions& options_;
  std::mutex mutex_, out_mutex_;
  std::condition_variable changed_;
  std::deque<Message> requests_;
  std::uint64_t running_id_ = 0;
  Work* work_ = nullptr;            ///< Of what runs
  std::uint64_t cancelled_id_ = 0;  ///< The latest: it may not run yet, or no more
  bool garbled_ = false;            ///< What was read last was no message
  bool ended_ = false;              ///< There is nothing more to read
  bool finished_ = false;           ///< And nothing runs
};

}  // namespace

int serve(int in, int out, const ServerOptions& options) {
  return Server(in, out, options).run();
}

int serve_standard_streams(const ServerOptions& options) {
  signal(SIGPIPE, SIG_IGN);  // A window that is gone is noticed by the end of standard input
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  return serve(STDIN_FILENO, out, options);
}

}  // namespace warplens::worker
