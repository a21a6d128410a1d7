#include "kernels/base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace warplens {
namespace {

/// How many bytes the character at the beginning of `text` has; 0 if none begins there. The Unicode Standard,
/// table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0};
  };
  const auto goes_on = [&](std::size_t from, std::size_t end) {
    for (; from < end; ++from) {
      if ((byte(from) & 0xc0u) != 0x80) return false;
    }
    return true;
  };
  const std::uint8_t first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return goes_on(1, 2) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && second < 0xa0, surrogate = first == 0xed && second > 0x9f;
    return !overlong && !surrogate && goes_on(1, 3) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && second < 0x90, too_large = first == 0xf4 && second > 0x8f;
    return !overlong && !too_large && goes_on(1, 4) ? 4 : 0;
  }
  return 0;
}

/// Passes each character to `put`, which appends what stands for it; U+FFFD stands for every byte that
/// belongs to no character.
template <class Put>
std::string mapped(std::string_view text, Put put) {
  static constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0) {
      out += kReplacement;
    } else {
      put(text.substr(0, size), out);
    }
    text.remove_prefix(std::max<std::size_t>(1, size));
  }
  return out;
}

/// The code point of one valid character.
std::uint32_t code_of(std::string_view character) {
  const auto lead = static_cast<std::uint8_t>(character[0]);
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0xffu >> (character.size() + 1));
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<std::uint8_t>(c) & 0x3fu);
  return code;
}

/// Unicode Standard Annex 9: marks, embeddings, overrides and isolates. A name in which they stand reads
/// otherwise than it is written.
bool changes_direction(std::uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// Whether a terminal does anything but show it, or XML does not allow it (noncharacters).
bool is_unfit(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0),
             is_separator = code == 0x2028 || code == 0x2029;
  return is_control || is_separator || changes_direction(code) || (code & 0xfffe) == 0xfffe ||
         (code >= 0xfdd0 && code < 0xfdf0);
}

void put_escaped(std::string_view character, std::string& out) {
  const std::uint32_t code = code_of(character);
  if (!is_unfit(code)) {
    out += character;
  } else if (code == '\n' || code == '\r' || code == '\t') {
    out += code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t";
  } else {
    out += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  }
}

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

bool goes_on_a_character(char byte) {
  return (static_cast<std::uint8_t>(byte) & 0xc0u) == 0x80u;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  return mapped(text, [](std::string_view character, std::string& out) { out += character; });
}

std::string escaped(std::string_view text) {
  return mapped(text, put_escaped);
}

std::string csv_cell(std::string_view text) {
  std::string cell = escaped(text);
  double number = 0;
  const std::size_t sign = cell.starts_with('+') ? 1 : 0;  // from_chars takes a minus alone
  const auto parsed = std::from_chars(cell.data() + sign, cell.data() + cell.size(), number);
  const bool is_number = parsed.ec == std::errc{} && parsed.ptr == cell.data() + cell.size();
  if (!cell.empty() && std::string_view("=+-@").find(cell.front()) != std::string_view::npos && !is_number)
    cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string cut_at_end(std::string_view text, std::size_t max) {
  if (text.size() <= max) return std::string(text);
  std::size_t end = max < kEllipsis.size() ? 0 : max - kEllipsis.size();
  while (end > 0 && goes_on_a_character(text[end])) --end;
  return std::string(text.substr(0, end)).append(kEllipsis);
}

std::string cut_at_begin(std::string_view text, std::size_t max) {
  if (text.size() <= max) return std::string(text);
  std::size_t begin = max < kEllipsis.size() ? text.size() : text.size() - (max - kEllipsis.size());
  while (begin < text.size() && goes_on_a_character(text[begin])) ++begin;
  return std::string(kEllipsis).append(text.substr(begin));
}

std::string_view trimmed_line(std::string_view text, std::size_t number) {
  constexpr std::string_view kSpaces = " \t\r";
  for (std::size_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

}  // namespace warplens
