// The abstract domain of block_shift.h: what is known of a register's value as an affine function of the
// block index.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/base/block_classes.h"
#include "kernels/ptx/module.h"

namespace warplens::replay::shift_domain {

/// What is known of a register's value, of all lanes and blocks.
struct Known {
  enum class Form : std::uint8_t { unreached, shifted, unknown };
  Form form = Form::unreached;
  Shift shift;
  std::optional<std::uint64_t> constant;  ///< Of all lanes and blocks
  std::uint32_t cause = 0;  ///< The instruction that made it unknown; no part of what is compared

  [[nodiscard]] bool is_unknown() const { return form != Form::shifted; }
  [[nodiscard]] bool is_same() const { return form == Form::shifted && !shift.any(); }
  friend bool operator==(const Known& a, const Known& b) {
    return a.form == b.form && a.shift == b.shift && a.constant == b.constant;
  }
};

inline Known unknown(std::uint32_t cause) {
  return {.form = Known::Form::unknown, .cause = cause};
}
inline Known shifted(Shift shift) {
  return {.form = Known::Form::shifted, .shift = shift};
}
inline Known constant(std::uint64_t value) {
  return {.form = Known::Form::shifted, .constant = value};
}

inline Known joined(const Known& a, const Known& b) {
  if (a.form == Known::Form::unreached) return b;
  if (b.form == Known::Form::unreached) return a;
  if (a.is_unknown()) return a;
  if (b.is_unknown()) return b;
  if (a.shift != b.shift) return unknown(0);
  Known result = a;
  if (a.constant != b.constant) result.constant.reset();
  return result;
}

/// The value that a register of so many bytes holds, extended with its sign.
inline std::int64_t as_signed(std::uint64_t value, int bytes) {
  const int up = 64 - 8 * bytes;
  return static_cast<std::int64_t>(value << up) >> up;
}
inline std::uint64_t as_unsigned(std::uint64_t value, int bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

/// Of each axis; modulo what so many bytes hold.
template <class Operation>
inline Shift each_axis(int bytes, Operation operation) {
  const auto wrapped = [&](int axis) { return as_signed(operation(axis), bytes); };
  return {wrapped(0), wrapped(1), wrapped(2)};
}
inline std::uint64_t axis_of(const Shift& shift, int axis) {
  return static_cast<std::uint64_t>(axis == 0 ? shift.x : axis == 1 ? shift.y : shift.z);
}
inline Shift sum(const Shift& a, const Shift& b, int bytes) {
  return each_axis(bytes, [&](int axis) { return axis_of(a, axis) + axis_of(b, axis); });
}
inline Shift product(const Shift& a, std::uint64_t factor, int bytes) {
  return each_axis(bytes, [&](int axis) { return axis_of(a, axis) * factor; });
}
/// Differences of such shifts do not overflow.
inline bool is_near(const Shift& shift) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  const auto near = [](std::int64_t along) { return along > -kFar && along < kFar; };
  return near(shift.x) && near(shift.y) && near(shift.z);
}
inline bool is_multiple(const Shift& shift, std::int64_t of) {
  return shift.x % of == 0 && shift.y % of == 0 && shift.z % of == 0;
}

inline bool is_integer(ptx::Type type) {
  return type != ptx::Type::pred && type != ptx::Type::none && !ptx::is_float(type);
}

/// Whether comparing such values is comparing integers of 32 or 64 bits.
inline bool compares_integers(const ptx::Instruction& instruction, ptx::Type type) {
  return is_integer(type) && ptx::size_of(type) >= 4 && instruction.compare <= ptx::Compare::hs;
}

}  // namespace warplens::replay::shift_domain
