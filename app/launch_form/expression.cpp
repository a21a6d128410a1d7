#include "app/launch_form/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr int kDeepest = 100;

/// By recursive descent. After the first fault it holds the error, and everything is 0.
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, std::span<const NamedValue> values)
      : all_(text), rest_(text), values_(values) {}

  Result<std::int64_t> whole() {
    const std::int64_t value = bits();
    if (!error_ && !at_end()) fault(tr("`{text}` is not expected there", "text"_a = std::string(rest_)));
    if (error_) return *error_;
    return value;
  }

 private:
  void fault(const std::string& what) {
    if (!error_) {
      error_ = Error{
          tr("`{expression}`: {what}", "expression"_a = std::string(all_), "what"_a = what), "",
          values_.empty()
              ? tr("Write numbers, + - * / % << >> & ^ |, parentheses, min(a,b), max(a,b) or ceil(a,b).")
              : tr("Write numbers, {names}, + - * / % << >> & ^ |, parentheses, min(a,b), max(a,b) or "
                   "ceil(a,b).",
                   "names"_a = names())};
    }
    rest_ = {};
  }
  [[nodiscard]] std::string names() const {
    std::string names;
    for (const NamedValue& value : values_) names += (names.empty() ? "" : ", ") + value.name;
    return names;
  }
  bool at_end() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
    return rest_.empty();
  }
  bool take(std::string_view word) {
    if (at_end() || !rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take(char c) {
    if (at_end() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::int64_t plus(std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    if (__builtin_add_overflow(a, b, &value)) fault(tr("the number is too large"));
    return error_ ? 0 : value;
  }
  std::int64_t minus(std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    if (__builtin_sub_overflow(a, b, &value)) fault(tr("the number is too large"));
    return error_ ? 0 : value;
  }
  std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    if (__builtin_mul_overflow(a, b, &value)) fault(tr("the number is too large"));
    return error_ ? 0 : value;
  }
  std::int64_t divided(std::int64_t a, std::int64_t b, bool remainder) {
    if (b == 0) fault(tr("it divides by zero"));
    if (error_ || b == -1) return error_ ? 0 : remainder ? 0 : minus(0, a);
    return remainder ? a % b : a / b;
  }

  std::int64_t shifted(std::int64_t a, std::int64_t by, bool left) {
    constexpr std::int64_t kBits = 64;
    if (by < 0 || by >= kBits) fault(tr("it shifts by {bits} bits", "bits"_a = by));
    if (error_) return 0;
    if (!left) return a >> by;
    const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << by);
    if (value >> by != a) fault(tr("the number is too large"));
    return error_ ? 0 : value;
  }

  // From the operators that bind least to those that bind most, as in C++.
  std::int64_t bits() {
    std::int64_t value = exclusive();
    while (!error_ && take('|')) value |= exclusive();
    return value;
  }
  std::int64_t exclusive() {
    std::int64_t value = common();
    while (!error_ && take('^')) value ^= common();
    return value;
  }
  std::int64_t common() {
    std::int64_t value = shift();
    while (!error_ && take('&')) value &= shift();
    return value;
  }
  std::int64_t shift() {
    std::int64_t value = sum();
    while (!error_) {
      if (take("<<")) {
        value = shifted(value, sum(), true);
      } else if (take(">>")) {
        value = shifted(value, sum(), false);
      } else {
        break;
      }
    }
    return value;
  }
  std::int64_t sum() {
    std::int64_t value = product();
    while (!error_) {
      if (take('+')) {
        value = plus(value, product());
      } else if (take('-')) {
        value = minus(value, product());
      } else {
        break;
      }
    }
    return value;
  }
  std::int64_t product() {
    std::int64_t value = factor();
    while (!error_) {
      if (take('*')) {
        value = times(value, factor());
      } else if (take('/')) {
        value = divided(value, factor(), false);
      } else if (take('%')) {
        value = divided(value, factor(), true);
      } else {
        break;
      }
    }
    return value;
  }
  std::int64_t factor() {
    if (++depth_ > kDeepest) fault(tr("it is nested too deeply"));
    std::int64_t value = 0;
    if (error_) return 0;
    if (take('-')) {
      value = minus(0, factor());
    } else if (take('(')) {
      value = bits();
      expect(')');
    } else if (at_end()) {
      fault(tr("something is missing at its end"));
    } else if (std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
      value = number();
    } else {
      value = name();
    }
    --depth_;
    return value;
  }
  void expect(char c) {
    if (!take(c)) fault(tr("`{character}` is missing", "character"_a = std::string(1, c)));
  }
  std::int64_t number() {
    std::int64_t value = 0;
    const bool hexadecimal = rest_.starts_with("0x") || rest_.starts_with("0X");
    const char* const begin = rest_.data() + (hexadecimal ? 2 : 0);
    const auto [end, error] =
        std::from_chars(begin, rest_.data() + rest_.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc{}) fault(tr("the number is too large"));
    if (!error_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  static bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  std::string_view word() {
    std::size_t end = 0;
    while (end < rest_.size() && is_of_word(rest_[end])) ++end;
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }
  /// A field of a structure, "s.parts[2].n", where it is one of the values; else empty.
  std::string_view field_name() {
    std::size_t end = 0;
    while (end < rest_.size() &&
           (is_of_word(rest_[end]) || std::string_view(".[]").find(rest_[end]) != std::string_view::npos))
      ++end;
    for (; end > 0; --end) {
      const std::string_view found = rest_.substr(0, end);
      const bool is_whole = end == rest_.size() || !is_of_word(rest_[end]) || !is_of_word(rest_[end - 1]);
      if (!is_whole || std::ranges::find(values_, found, &NamedValue::name) == values_.end()) continue;
      rest_.remove_prefix(end);
      return found;
    }
    return {};
  }
  std::int64_t name() {
    const std::string_view rest = rest_, field = field_name(), found = field.empty() ? word() : field;
    if (found.empty()) {
      fault(tr("`{text}` is not expected there", "text"_a = std::string(rest)));
      return 0;
    }
    if (take('(')) return call(found);
    const auto value = std::ranges::find(values_, found, &NamedValue::name);
    if (value != values_.end()) return value->value;
    fault(tr("`{name}` is not known here", "name"_a = std::string(found)));
    return 0;
  }
  std::int64_t call(std::string_view function) {
    const std::int64_t a = bits();
    expect(',');
    const std::int64_t b = bits();
    expect(')');
    if (error_) return 0;
    if (function == "min") return std::min(a, b);
    if (function == "max") return std::max(a, b);
    if (function == "ceil") return divided(plus(a, minus(b, 1)), b, false);
    fault(tr("there is no function called `{name}`", "name"_a = std::string(function)));
    return 0;
  }

  std::string_view all_, rest_;
  std::span<const NamedValue> values_;
  std::optional<Error> error_;
  int depth_ = 0;
};

}  // namespace

Result<std::int64_t> evaluate(std::string_view expression, std::span<const NamedValue> values) {
  return ExpressionReader(expression, values).whole();
}

std::vector<std::string_view> parts_at_commas(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

}  // namespace warplens::app
