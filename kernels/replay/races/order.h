// Happens-before among the warps of a block, or among the lanes of a warp, by vector clocks (F. Mattern,
// "Virtual Time and Global States of Distributed Systems", 1989).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace warplens::replay {

class Order {
 public:
  static constexpr std::uint32_t kAgents = 32;
  /// By agent, the time until which its accesses happen before something.
  using Clock = std::array<std::uint32_t, kAgents>;

  [[nodiscard]] std::uint32_t now() const { return now_; }
  /// Begins a new time, and returns it.
  std::uint32_t advance() { return ++now_; }

  /// Returns whether what `agent` does now comes after an access that `other` made at that time.
  [[nodiscard]] bool comes_after(std::uint32_t agent, std::uint32_t other, std::uint32_t time) const {
    return agent == other || time <= all_until_ || time <= clocks_[agent][other];
  }
  /// All that has been done comes before all that follows.
  void order_all() {
    all_until_ = now_;
    ++now_;
  }
  /// All that has been done comes before what `agent` does from now on.
  void acquire_all(std::uint32_t agent) {
    clocks_[agent].fill(now_);
    ++now_;
  }
  /// What `clock` holds comes before what `agent` does from now on.
  void acquire(std::uint32_t agent, const Clock& clock) { raise(clocks_[agent], clock); }
  /// The same of the access that `other` made at `time`, and of all that `other` has acquired until now: that
  /// may be too much, so races may be missed, but none is invented.
  void acquire(std::uint32_t agent, std::uint32_t other, std::uint32_t time) {
    raise(clocks_[agent], clocks_[other]);
    clocks_[agent][other] = std::max(clocks_[agent][other], time);
  }
  /// Adds to `clock` what comes before an access that `agent` makes now, and what it has done itself.
  void release(std::uint32_t agent, Clock& clock) {
    raise(clock, clocks_[agent]);
    clock[agent] = now_;
    ++now_;
  }
  /// Adds to `clock` what all agents have done.
  void release_all(Clock& clock) {
    clock.fill(now_);
    ++now_;
  }
  /// These agents have met, as at a barrier.
  void order(std::uint32_t agents) {
    Clock met{};
    for (std::uint32_t left = agents; left != 0; left &= left - 1)
      release(static_cast<std::uint32_t>(std::countr_zero(left)), met);
    for (std::uint32_t left = agents; left != 0; left &= left - 1)
      acquire(static_cast<std::uint32_t>(std::countr_zero(left)), met);
  }

  /// Adds to `to` what `from` holds.
  static void raise(Clock& to, const Clock& from) {
    for (std::uint32_t a = 0; a < kAgents; ++a) to[a] = std::max(to[a], from[a]);
  }

 private:
  std::uint32_t now_ = 1;
  std::uint32_t all_until_ = 0;
  std::array<Clock, kAgents> clocks_{};
};

}  // namespace warplens::replay
