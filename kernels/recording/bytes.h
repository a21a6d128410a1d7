// Writing and reading the bytes of one section of a recording's file. Both ends offer the same functions, so
// that one template (layout.h) states the layout for both. Numbers are little-endian.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/base/result.h"

namespace warplens {

/// What may still be allocated. Everything that grows with what a file declares asks here first.
class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : left_(bytes) {}
  /// False, and nothing taken, if `count` things of `each` bytes are more than what is left.
  [[nodiscard]] bool take(std::uint64_t count, std::uint64_t each) {
    if (each != 0 && count > left_ / each) return false;
    left_ -= count * each;
    return true;
  }
  void give_back(std::uint64_t bytes) { left_ += bytes; }

 private:
  std::uint64_t left_;
};

template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool>;

/// Signed differences as small unsigned numbers: 0, -1, 1, -2 .. become 0, 1, 2, 3 ..
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

class ByteWriter {
 public:
  static constexpr bool kReads = false;

  template <Number T>
  void number(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t byte = 0; byte < sizeof(T); ++byte)
      bytes_.push_back(static_cast<std::byte>(bits >> (8 * byte)));
  }
  void number(double value);
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void flag(std::optional<bool> value) { number(static_cast<std::uint8_t>(value ? *value : 2)); }
  template <class E>
  void enumerator(E value, E /*last*/) {
    number(static_cast<std::uint8_t>(value));
  }
  void text(const std::string& value);

  /// A column in byte planes: the lowest byte of every value, then the next .. Bytes of a kind lie together,
  /// which is what compresses.
  template <std::unsigned_integral T>
  void column(std::span<const T> values) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + values.size_bytes());
    std::byte* to = bytes_.data() + at;
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      for (const T value : values) *to++ = static_cast<std::byte>(value >> (8 * byte));
    }
  }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Never reads past the end: the first thing that is wrong is kept as the error, and everything read after it
/// is zero or empty.
class ByteReader {
 public:
  static constexpr bool kReads = true;

  /// `section` is named in errors; it must outlive the reader, as must `bytes` and `budget`.
  ByteReader(std::span<const std::byte> bytes, std::string_view section, Budget& budget)
      : bytes_(bytes), section_(section), budget_(&budget) {}

  template <Number T>
  void number(T& value) {
    std::uint64_t bits = 0;
    const auto from = take(sizeof(T));
    for (std::size_t byte = 0; byte < from.size(); ++byte)
      bits |= std::to_integer<std::uint64_t>(from[byte]) << (8 * byte);
    value = static_cast<T>(bits);
  }
  void number(double& value);
  void flag(bool& value);
  void flag(std::optional<bool>& value);
  template <class E>
  void enumerator(E& value, E last) {
    value = static_cast<E>(small_number(static_cast<std::uint8_t>(last)));
  }
  /// What is no UTF-8 is replaced.
  void text(std::string& value);

  template <std::unsigned_integral T>
  void column(std::span<T> values) {
    const auto from = take(values.size_bytes());
    if (from.empty()) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint64_t value = 0;
      for (std::size_t byte = 0; byte < sizeof(T); ++byte)
        value |= std::to_integer<std::uint64_t>(from[byte * values.size() + i]) << (8 * byte);
      values[i] = static_cast<T>(value);
    }
  }

  /// A declared number of things that take at least `stored_each` (not 0) bytes here and `held_each` in
  /// memory; 0 if that cannot be.
  [[nodiscard]] std::size_t count(std::uint64_t stored_each, std::uint64_t held_each);

  void fail(std::string what);
  [[nodiscard]] bool ok() const { return !error_; }
  /// Done, or the first error; bytes left over are one.
  [[nodiscard]] Result<Done> finish();

 private:
  /// The next bytes, or none and an error if there are fewer.
  std::span<const std::byte> take(std::size_t size);
  std::uint8_t small_number(std::uint8_t last);

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::string_view section_;
  Budget* budget_;
  std::optional<Error> error_;
};

}  // namespace warplens
