// A client that waits for answers, as only tests may.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/worker/client.h"
#include "worker/test_worker.h"

namespace warplens::worker {

class Conversation {
 public:
  explicit Conversation(ClientOptions options = {}) : client_(with_bell(std::move(options))) {}

  Client& client() { return client_; }
  std::uint64_t send(const std::string& name, nlohmann::json arguments = nullptr,
                     std::vector<std::byte> bytes = {}) {
    return client_.send(
        {.name = name, .subject = "tiled", .arguments = std::move(arguments), .bytes = std::move(bytes)});
  }

  /// The first event not taken yet for which `is` holds; nullopt after `limit`. Those before it are kept for
  /// later.
  template <class Is>
  std::optional<Event> wait_for(Is is, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (true) {
      for (Event& event : client_.poll()) events_.push_back(std::move(event));
      for (auto event = events_.begin(); event != events_.end(); ++event) {
        if (!is(*event)) continue;
        Event found = std::move(*event);
        events_.erase(event);
        return found;
      }
      std::unique_lock lock(mutex_);
      if (!changed_.wait_until(lock, deadline, [this] { return std::exchange(kernel_, false); }))
        return std::nullopt;
    }
  }
  /// The result or error of a request.
  std::optional<Event> answer(std::uint64_t id, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    return wait_for(
        [id](const Event& event) {
          return event.id == id && (event.kind == Event::Kind::result || event.kind == Event::Kind::error);
        },
        limit);
  }
  std::optional<Event> ready(std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    return wait_for([](const Event& event) { return event.kind == Event::Kind::ready; }, limit);
  }

 private:
  ClientOptions with_bell(ClientOptions options) {
    if (options.command == ClientOptions{}.command) options.command = test_worker();
    options.wake = [this] {
      const std::lock_guard lock(mutex_);
      kernel_ = true;
      changed_.notify_all();
    };
    return options;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool kernel_ = false;
  std::vector<Event> events_;
  Client client_;
};

}  // namespace warplens::worker
