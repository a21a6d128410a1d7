// The values that a segment's code samples: of its guards, and of the addresses of its accesses.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ptx/instrument/record_code.h"

namespace warplens::ptx {

struct Sampled {
  bool wide = false;
  bool by_low_half = false;     ///< 64 bits, of which the lower 32 are compared
  std::string now, next, step;  ///< Registers; of a value that follows from another's, none of its own
  const AccessGroup* follows = nullptr;  ///< Then that group, ..
  std::size_t root = 0;                  ///< .. and the value it follows from
  [[nodiscard]] const char* bits() const { return wide ? "b64" : "b32"; }
  [[nodiscard]] bool runs_wide() const { return wide && !by_low_half; }  ///< `next` and `step` have 64 bits
  [[nodiscard]] const char* run_bits() const { return runs_wide() ? "b64" : "b32"; }
};

/// Puts the sampling into the segment's code. Guards first, as in the frame.
[[nodiscard]] std::vector<Sampled> sample_values(RecordCode& code, const Segment& segment);

/// Puts the sampling of an instruction's operands into the code. Returns the code for the end of the segment
/// that passes them to the recorder, in totals mode: a call at the instruction would divide a group of
/// products that are in flight. `number`: of the operand groups of the kernel.
[[nodiscard]] std::string hand_over_operands(RecordCode& code, const OperandGroup& group,
                                             std::uint32_t number);

/// A value with 64 bits in a register: code that makes it, and the register's name. Uses %wl_p and
/// %wl_narrow.
[[nodiscard]] std::pair<std::string, std::string> widened(const RecordCode& code,
                                                          const std::vector<Sampled>& values, std::size_t v);
/// All of them to the frame, and the distances of segment `s`, for the recorder.
[[nodiscard]] std::string store_values(const RecordCode& code, std::uint32_t s,
                                       const std::vector<Sampled>& values);

}  // namespace warplens::ptx
