#include "app/worker/client.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "app/languages/languages.h"
#include "app/messages/message.h"
#include "app/worker/process.h"
#include "kernels/base/texts.h"

namespace warplens::worker {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr int kStartsTried = 3;  ///< In a row
constexpr auto kShortestLife =
    1s;  ///< A worker that ends sooner, with nothing asked of it, counts as one that does not start
constexpr milliseconds kLook = 50ms;  ///< A worker that is well is heard of as often
constexpr auto kGraceAfterEnd =
    500ms;  ///< Of a worker that has closed its output: it is about to end by itself
constexpr auto kGraceAtTheEnd = 200ms;  ///< Of the last one, when the window closes
constexpr const char* kNothingLost = marked("What was made before is kept, and a new worker is started.");

std::string seconds_in_words(milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

/// The thread, and what it shares with the window's.
class Client::Talk {
 public:
  explicit Talk(ClientOptions options) : options_(std::move(options)), thread_([this] { run(); }) {}

  ~Talk() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    ring();
    thread_.join();
    close(bell_);
  }

  std::uint64_t send(Request request) {
    std::uint64_t id = 0;
    {
      const std::lock_guard lock(mutex_);
      id = ++last_id_;
      sent_.push_back({id, std::move(request)});
    }
    ring();
    return id;
  }

  void cancel(std::uint64_t id) {
    {
      const std::lock_guard lock(mutex_);
      cancelled_.push_back(id);
    }
    ring();
  }

  void set_watchdog(milliseconds watchdog) {
    {
      const std::lock_guard lock(mutex_);
      options_.watchdog = watchdog;
    }
    ring();
  }

  std::vector<Event> poll() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }

  [[nodiscard]] int worker_pid() const { return pid_; }

 private:
  struct Waiting {
    std::uint64_t id = 0;
    Request request;
  };

  struct Running {
    std::uint64_t id = 0;
    std::string subject;
    Clock::time_point heard;                           ///< When something last came of it
    std::optional<Clock::time_point> cancel_deadline;  ///< Set when it is cancelled
  };

  enum class State : std::uint8_t { off, starting, ready };

  void ring() const {
    const std::uint64_t one = 1;
    static_cast<void>(!write(bell_, &one, sizeof one));
  }

  // All that follows runs on the thread
  // -------------------------------------------------------------------------------------------------------------

  void run() {
    while (take_orders()) {
      try {
        talk();
      } catch (const std::bad_alloc&) {
        decoder_ = PacketDecoder();  // What it holds of an answer too large
        lose(0ms, tr("there is not enough memory for its answer"));
      }
    }
    if (process_.running()) process_.end(running_ ? 0ms : kGraceAtTheEnd);
  }

  void talk() {
    if (state_ == State::off && starts_failed_ < kStartsTried) start();
    send_next();
    wait();
    const Clock::time_point looked = Clock::now();  // What was sent before it is read
    read();
    write_out();
    watch(looked);
  }

  /// False when the window closes.
  bool take_orders() {
    std::vector<std::uint64_t> cancelled;
    {
      const std::lock_guard lock(mutex_);
      if (quit_) return false;
      if (!sent_.empty() && starts_failed_ >= kStartsTried)
        starts_failed_ = kStartsTried - 1;  // Once more, for who asks
      std::ranges::move(sent_, std::back_inserter(waiting_));
      sent_.clear();
      cancelled.swap(cancelled_);
      watchdog_ = options_.watchdog;
    }
    for (const std::uint64_t id : cancelled) cancel_now(id);
    return true;
  }

  void cancel_now(std::uint64_t id) {
    if (running_ && running_->id == id && !running_->cancel_deadline) {
      running_->cancel_deadline = Clock::now() + options_.cancel_limit;
      put({MessageKind::cancel, id, {}, {}});
    }
    const auto found = std::ranges::find(waiting_, id, &Waiting::id);
    if (found == waiting_.end()) return;
    tell({.kind = Event::Kind::error,
          .id = id,
          .error = {tr("{subject} was cancelled", "subject"_a = found->request.subject), "", ""},
          .cancelled = true});
    waiting_.erase(found);
  }

  void start() {
    Result<Process> process = Process::start(options_.command);
    if (!process.ok()) return fail_start(process.error());
    process_ = *std::move(process);
    pid_ = process_.pid();
    decoder_ = PacketDecoder();
    outgoing_.clear();
    state_ = State::starting;
    started_ = Clock::now();
  }

  void fail_start(Error error) {
    if (++starts_failed_ < kStartsTried) return;
    for (Waiting& waiting : waiting_) tell({.kind = Event::Kind::error, .id = waiting.id, .error = error});
    waiting_.clear();
    tell({.kind = Event::Kind::unavailable, .error = std::move(error)});
  }

  void send_next() {
    if (state_ != State::ready || running_ || waiting_.empty()) return;
    auto [id, request] = std::move(waiting_.front());
    waiting_.pop_front();
    starts_failed_ = 0;
    running_ = Running{
        .id = id, .subject = std::move(request.subject), .heard = Clock::now(), .cancel_deadline = {}};
    json body{{"name", std::move(request.name)},
              {"arguments", std::move(request.arguments)},
              {"language", app::language_spoken().tag}};
    put({MessageKind::request, id, std::move(body), std::move(request.bytes)});
  }

  void put(Message message) {
    const Packet packet = to_packet(std::move(message));
    append(outgoing_, header_of(packet));
    append(outgoing_, std::as_bytes(std::span(packet.text)));
    append(outgoing_, packet.bytes);
  }

  /// While something is waited for it looks every so often, and what such a look takes longer counts as
  /// nobody's silence: this thread was held up, perhaps by a machine that stood still with the worker on it.
  void wait() {
    std::array<pollfd, 2> files{pollfd{.fd = bell_, .events = POLLIN, .revents = 0},
                                pollfd{.fd = process_.stream(), .events = POLLIN, .revents = 0}};
    if (!outgoing_.empty()) files[1].events |= POLLOUT;
    int timeout = -1;
    if (state_ == State::off && starts_failed_ < kStartsTried) timeout = 0;
    const bool watched = deadline().has_value();
    if (watched) timeout = static_cast<int>(kLook.count());
    const Clock::time_point begin = Clock::now();
    ::poll(files.data(), files.size(), timeout);
    if (watched) excuse(Clock::now() - begin - kLook);
    std::uint64_t rings = 0;
    static_cast<void>(!::read(bell_, &rings, sizeof rings));
  }

  void excuse(Clock::duration held_up) {
    if (held_up <= Clock::duration::zero()) return;
    started_ += held_up;
    if (!running_) return;
    running_->heard += held_up;
    if (running_->cancel_deadline) *running_->cancel_deadline += held_up;
  }

  [[nodiscard]] std::optional<Clock::time_point> deadline() const {
    if (state_ == State::starting) return started_ + options_.start_limit;
    if (!running_) return std::nullopt;
    const auto silence = running_->heard + watchdog_;
    return running_->cancel_deadline ? std::min(silence, *running_->cancel_deadline) : silence;
  }

  void read() {
    static thread_local std::vector<std::byte> piece(kPieceBytes);
    while (process_.running()) {
      const ssize_t size = recv(process_.stream(), piece.data(), piece.size(), MSG_DONTWAIT);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (size <= 0) return lose(kGraceAfterEnd, "");
      if (running_) running_->heard = Clock::now();
      decoder_.feed(std::span(piece).first(static_cast<std::size_t>(size)));
      take_packets();
    }
  }

  void take_packets() {
    while (process_.running()) {
      Result<std::optional<Packet>> packet = decoder_.next();
      if (!packet.ok())
        return lose(0ms, tr("its worker wrote something other than answers ({reason})",
                            "reason"_a = packet.error().what));
      if (!packet->has_value()) return;
      Result<Message> message = to_message(**std::move(packet));
      if (!message.ok())
        return lose(0ms,
                    tr("its worker's answer cannot be read ({reason})", "reason"_a = message.error().what));
      take(*std::move(message));
    }
  }

  void take(Message message) {
    if (state_ == State::starting) return take_hello(message);
    if (!running_ || message.id != running_->id) return;  // An answer to what is over
    switch (message.kind) {
      case MessageKind::alive: return;  // To be heard was all
      case MessageKind::progress:
        return tell({.kind = Event::Kind::progress, .id = message.id, .body = std::move(message.body)});
      case MessageKind::result: return take_result(std::move(message));
      case MessageKind::error: return take_error(message);
      case MessageKind::hello:
      case MessageKind::request:
      case MessageKind::cancel: return lose(0ms, tr("its worker sent a message out of order"));
    }
  }

  void take_hello(Message& message) {
    if (message.kind != MessageKind::hello || !message.body.is_object())
      return lose(0ms, tr("the worker sent no greeting"));
    if (message.body["protocol"] != kProtocolVersion) {
      starts_failed_ = kStartsTried - 1;  // Another try would meet the same program
      return lose(0ms, tr("the worker is of another version of Warplens"));
    }
    state_ = State::ready;
    tell({.kind = Event::Kind::ready, .body = std::move(message.body)});
  }

  static bool is_set(const Message& message, const char* key) {
    if (!message.body.is_object()) return false;
    const auto found = message.body.find(key);
    return found != message.body.end() && found->is_boolean() && found->get<bool>();
  }

  void take_result(Message message) {
    const bool unfit = is_set(message, "unfit");
    running_.reset();
    tell({.kind = Event::Kind::result,
          .id = message.id,
          .body = std::move(message.body),
          .bytes = std::move(message.bytes)});
    if (unfit) end_worker(kGraceAfterEnd);
  }

  void take_error(const Message& message) {
    Error error = error_from(message.body);
    const bool unfit = is_set(message, "unfit");
    if (unfit) {
      error.what =
          tr("{subject} stopped: {reason}", "subject"_a = running_->subject, "reason"_a = error.what);
      if (error.hint.empty()) error.hint = tr(kNothingLost);
    }
    tell({.kind = Event::Kind::error,
          .id = message.id,
          .error = std::move(error),
          .cancelled = is_set(message, "cancelled"),
          .worker_lost = unfit});
    running_.reset();
    if (unfit) end_worker(kGraceAfterEnd);
  }

  void write_out() {
    std::size_t written = 0;
    while (written < outgoing_.size()) {
      const ssize_t size = ::send(process_.stream(), outgoing_.data() + written, outgoing_.size() - written,
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) break;  // Full, or the worker is gone, which reading tells
      written += static_cast<std::size_t>(size);
    }
    outgoing_.erase(outgoing_.begin(), outgoing_.begin() + static_cast<std::ptrdiff_t>(written));
  }

  void watch(Clock::time_point now) {
    const auto when = deadline();
    if (!when || now < *when) return;
    if (state_ == State::starting)
      return lose(0ms, tr("the worker did not start within {time}",
                          "time"_a = seconds_in_words(options_.start_limit)));
    lose(0ms, running_->cancel_deadline
                  ? tr("it was cancelled, and did not stop by itself")
                  : tr("no progress for {time}", "time"_a = seconds_in_words(watchdog_)));
  }

  std::string end_worker(milliseconds grace) {
    std::string words = process_.end(grace);
    pid_ = 0;
    state_ = State::off;
    outgoing_.clear();
    return words;
  }

  /// The worker is gone, or no good. An empty `reason`: how the process ended is the reason.
  void lose(milliseconds grace, std::string reason) {
    const bool failed_to_start =
        state_ == State::starting || (!running_ && Clock::now() - started_ < kShortestLife);
    const std::string ending = end_worker(grace);
    if (reason.empty()) reason = ending;
    if (running_) {
      Error error{tr("{subject} stopped: {reason}", "subject"_a = running_->subject, "reason"_a = reason), "",
                  tr(kNothingLost)};
      tell({.kind = Event::Kind::error,
            .id = running_->id,
            .error = std::move(error),
            .cancelled = running_->cancel_deadline.has_value(),
            .worker_lost = true});
      running_.reset();
    }
    if (failed_to_start)
      fail_start({tr("no worker for the GPU can be started: {reason}", "reason"_a = reason),
                  options_.command.front(), tr("Restart Warplens.")});
  }

  void tell(Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    if (options_.wake) options_.wake();
  }

  ClientOptions options_;
  const int bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

  std::mutex mutex_;  // Of these:
  std::deque<Waiting> sent_;
  std::vector<std::uint64_t> cancelled_;
  std::vector<Event> events_;
  std::uint64_t last_id_ = 0;
  bool quit_ = false;
  std::atomic<int> pid_{0};

  State state_ = State::off;
  Process process_;
  PacketDecoder decoder_;
  std::vector<std::byte> outgoing_;
  std::deque<Waiting> waiting_;
  std::optional<Running> running_;
  Clock::time_point started_;
  milliseconds watchdog_{0};
  int starts_failed_ = 0;
  std::thread thread_;  // Last: it uses the rest
};

Client::Client(ClientOptions options) : talk_(std::make_unique<Talk>(std::move(options))) {}

Client::~Client() = default;

std::uint64_t Client::send(Request request) {
  return talk_->send(std::move(request));
}

void Client::cancel(std::uint64_t id) {
  talk_->cancel(id);
}

void Client::set_watchdog(std::chrono::milliseconds watchdog) {
  talk_->set_watchdog(watchdog);
}

std::vector<Event> Client::poll() {
  return talk_->poll();
}

int Client::worker_pid() const {
  return talk_->worker_pid();
}

}  // namespace warplens::worker
