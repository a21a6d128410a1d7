// Code around calls of functions that are instrumented, too: who goes together there, and what caller and
// callee leave for each other in their frames (record_frame.h). Lanes whose guard does not hold wait behind
// the call, and those that call different functions do so apart, as in the replay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ptx/instrument/record_code.h"
#include "kernels/ptx/instrument/segments.h"

namespace warplens::ptx {

class RecordCalls {
 public:
  explicit RecordCalls(RecordCode& code) : code_(code) {}

  /// Returns the code at the begin of a function of several, the kernel among them: a frame, which begins as
  /// the caller's.
  [[nodiscard]] std::string enter() const;
  /// Writes the code of a segment that ends at a call.
  void call(std::uint32_t s);
  /// Returns the code before lanes return. Others may wait for them where they would have reconverged; the
  /// nearest such place comes first. `joins`, by block: the register of the lanes that wait there, or empty.
  [[nodiscard]] std::string go_back(const std::vector<std::string>& joins) const;

  /// Segment::repeats_call, numbered behind the function's own.
  [[nodiscard]] const std::vector<Segment>& repeats() const { return repeats_; }

 private:
  [[nodiscard]] std::string part(std::uint32_t s);
  [[nodiscard]] std::string count_again(std::uint32_t s, const std::string& together,
                                        const std::string& holds);
  [[nodiscard]] std::string hand_to_callee() const;
  [[nodiscard]] std::string take_from_callee(std::uint32_t s);

  RecordCode& code_;
  std::vector<Segment> repeats_;
};

}  // namespace warplens::ptx
