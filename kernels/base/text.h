// Text that comes from elsewhere: from a file, from a name that someone gave.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warplens {

/// The text with every byte that belongs to no character of UTF-8 replaced by U+FFFD, the replacement
/// character.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// `text` on one line, with nothing in it that a terminal obeys: control characters (C0, DEL, C1), line and
/// paragraph separators, noncharacters, and what changes the direction of text stand as `\n`, `\x1b`,
/// `\u202e`. What is no UTF-8 is replaced.
[[nodiscard]] std::string escaped(std::string_view text);

/// Returns the text as a cell of a CSV file: escaped, quoted where it has to be, and with an apostrophe
/// before what a spreadsheet would take for a formula (text that begins with `=`, `+`, `-` or `@` and is not
/// a number).
[[nodiscard]] std::string csv_cell(std::string_view text);

/// Return at most `max` bytes of `text`, cut between characters; an ellipsis takes the place of what is cut.
[[nodiscard]] std::string cut_at_end(std::string_view text, std::size_t max);
[[nodiscard]] std::string cut_at_begin(std::string_view text, std::size_t max);
/// The line of that number, from 1, without the spaces around it; empty if there is none.
[[nodiscard]] std::string_view trimmed_line(std::string_view text, std::size_t number);

}  // namespace warplens
