#include "kernels/replay/block/format.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace warplens::replay {
namespace {

constexpr int kMaxWidth = 4096;

/// What stands between a '%' and the letter that ends it.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;  ///< -1: none
  bool width_is_argument = false, precision_is_argument = false;
  int bytes = 4;  ///< Of an integer: 8 for long; narrower ones are passed as int, and cut
  int cut_to = 4;
  char letter = 0;
  std::size_t length = 0;  ///< Of all of it, '%' and letter included
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<Conversion> scan() {
    Conversion c;
    ++at_;  // '%'
    while (at_ < text_.size() && std::string_view("-+ #0").find(text_[at_]) != std::string_view::npos)
      c.flags += text_[at_++];
    number(c.width, c.width_is_argument);
    if (accept('.')) {
      c.precision = 0;
      number(c.precision, c.precision_is_argument);
    }
    size(c);
    if (at_ == text_.size() ||
        std::string_view("cdiouxXpeEfFgGaAs").find(text_[at_]) == std::string_view::npos)
      return std::nullopt;
    c.letter = text_[at_++];
    c.length = at_;
    return c;
  }

 private:
  bool accept(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void number(int& value, bool& is_argument) {
    is_argument = accept('*');
    while (!is_argument && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = std::min(std::max(value, 0) * 10 + (text_[at_++] - '0'), kMaxWidth);
    }
  }
  void size(Conversion& c) {
    if (accept('h')) {
      c.cut_to = accept('h') ? 1 : 2;
    } else if (accept('l')) {
      accept('l');
      c.bytes = c.cut_to = 8;
    } else if (accept('z') || accept('j') || accept('t')) {
      c.bytes = c.cut_to = 8;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Printer {
 public:
  Printer(const ReadArgument& argument, const ReadText& text) : argument_(argument), text_(text) {}

  /// False: there is no argument left for it.
  bool print(Conversion c) {
    if (c.width_is_argument) {
      const auto width = static_cast<std::int32_t>(next(4).value_or(0));
      if (width < 0) c.flags += '-';
      c.width = static_cast<int>(std::min<std::int64_t>(std::abs(std::int64_t{width}), kMaxWidth));
    }
    if (c.precision_is_argument)
      c.precision = std::min(static_cast<std::int32_t>(next(4).value_or(0)), kMaxWidth);
    switch (c.letter) {
      case 'd':
      case 'i': return integer(c, true);
      case 'o':
      case 'u':
      case 'x':
      case 'X': return integer(c, false);
      case 'c': return character(c);
      case 'p': return pointer(c);
      case 's': return string(c);
      default: return floating(c);
    }
  }

  std::string out;
  std::int32_t taken = 0;

 private:
  std::optional<std::uint64_t> next(std::uint64_t bytes) {
    if (taken == kMaxPrinted) return std::nullopt;
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const std::optional<std::uint64_t> value = argument_(offset_, bytes);
    if (!value) return std::nullopt;
    offset_ += bytes;
    ++taken;
    return value;
  }

  template <class Value>
  bool put(const Conversion& c, const char* size, Value value) {
    std::string spec = "%" + c.flags;
    if (c.width >= 0) spec += std::to_string(c.width);
    if (c.precision >= 0) spec += "." + std::to_string(c.precision);
    spec.append(size).append(1, c.letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
    if (length <= 0) return true;
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(length) + 1);
    std::snprintf(out.data() + before, static_cast<std::size_t>(length) + 1, spec.c_str(), value);
#pragma GCC diagnostic pop
    out.pop_back();
    return true;
  }
  bool integer(const Conversion& c, bool is_signed) {
    const std::optional<std::uint64_t> bits = next(static_cast<std::uint64_t>(c.bytes));
    if (!bits) return false;
    const int unused = 64 - 8 * c.cut_to;
    if (is_signed) return put(c, "ll", static_cast<long long>(*bits << unused) >> unused);
    return put(c, "ll", static_cast<unsigned long long>(*bits << unused) >> unused);
  }
  bool character(const Conversion& c) {
    const std::optional<std::uint64_t> bits = next(4);
    return bits && put(c, "", static_cast<int>(*bits));
  }
  bool pointer(const Conversion& c) {
    const std::optional<std::uint64_t> bits = next(8);
    return bits && put(c, "", reinterpret_cast<void*>(*bits));
  }
  bool string(const Conversion& c) {
    const std::optional<std::uint64_t> address = next(8);
    if (!address) return false;
    const std::optional<std::string> text = *address == 0 ? std::string("(null)") : text_(*address);
    return put(c, "", text ? text->c_str() : "(no text)");
  }
  bool floating(const Conversion& c) {
    const std::optional<std::uint64_t> bits = next(8);
    return bits && put(c, "", std::bit_cast<double>(*bits));
  }

  const ReadArgument& argument_;
  const ReadText& text_;
  std::uint64_t offset_ = 0;
};

}  // namespace

Printed printed(std::string_view format, const ReadArgument& argument, const ReadText& text) {
  Printer printer(argument, text);
  while (!format.empty()) {
    const std::size_t plain = std::min(format.find('%'), format.size());
    printer.out += format.substr(0, plain);
    format.remove_prefix(plain);
    if (format.empty()) break;
    if (format.starts_with("%%")) {
      printer.out += '%';
      format.remove_prefix(2);
      continue;
    }
    const std::optional<Conversion> conversion = Scanner(format).scan();
    const std::size_t length = conversion ? conversion->length : 1;
    if (!conversion || !printer.print(*conversion)) printer.out += format.substr(0, length);
    format.remove_prefix(length);
  }
  return {std::move(printer.out), printer.taken};
}

}  // namespace warplens::replay
