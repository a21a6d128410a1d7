// Ctrl+C, by which a launch ends and says how far it came.
#pragma once

#include <atomic>

namespace warplens::app {

/// While it lives, the first Ctrl+C (SIGINT) sets `flag`; the second ends the program, as ever. One at a
/// time. Where SIGINT was ignored, it stays so.
class Interrupt {
 public:
  explicit Interrupt(std::atomic<bool>& flag);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
};

}  // namespace warplens::app
