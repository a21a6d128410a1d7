// The window's end: keeps a worker process ready, asks it, and survives it. Nothing here waits; a thread of
// its own does the talking.
//
// Requests are answered one after the other. A worker that dies, or is silent for too long over a request,
// costs that request alone: the next worker is started at once, and goes on with those that wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/worker/client_options.h"
#include "kernels/base/result.h"

namespace warplens::worker {

struct Request {
  std::string name;     ///< Of the handler
  std::string subject;  ///< What errors call it: "tiled"
  nlohmann::json arguments;
  std::vector<std::byte> bytes;
};

struct Event {
  /// ready: a worker has come up, `body` is what it says of itself. unavailable: none does, and `error` says
  /// why.
  enum class Kind : std::uint8_t { ready, unavailable, progress, result, error };
  Kind kind = Kind::ready;
  std::uint64_t id = 0;  ///< Of the request; 0 for ready and unavailable
  nlohmann::json body;
  std::vector<std::byte> bytes;
  Error error;
  bool cancelled = false;    ///< With error: asked for
  bool worker_lost = false;  ///< With error: it cost the worker
};

/// The functions are for one thread, the window's.
class Client {
 public:
  explicit Client(ClientOptions options);
  /// Ends the worker.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Returns the id by which the answer is known. Every request gets one `result` or one `error`.
  std::uint64_t send(Request request);
  void cancel(std::uint64_t id);
  void set_watchdog(std::chrono::milliseconds watchdog);

  /// What has happened since the last time, in order.
  [[nodiscard]] std::vector<Event> poll();
  [[nodiscard]] int worker_pid() const;  ///< 0: none runs at the moment

 private:
  class Talk;
  std::unique_ptr<Talk> talk_;
};

}  // namespace warplens::worker
