// Where the commands' results go: like the stream behind it, but it remembers why it failed.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>
#include <streambuf>

namespace warplens::app {

/// Collects what is written and passes it on in pieces. Once that fails, nothing more is passed on.
class Outlet : public std::streambuf {
 public:
  explicit Outlet(std::ostream& to) : to_(to) { setp(piece_.data(), piece_.data() + piece_.size()); }
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  /// Passes on what is left. False if anything that was written did not get through.
  [[nodiscard]] bool finish() { return sync() == 0; }
  /// What the operating system said when it first failed, as errno has it; 0: nothing.
  [[nodiscard]] int reason() const { return reason_; }

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  std::ostream& to_;
  std::array<char, 1u << 14> piece_{};
  bool failed_ = false;
  int reason_ = 0;
};

}  // namespace warplens::app
