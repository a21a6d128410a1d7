#include "kernels/ptx/line_table.h"

#include <algorithm>
#include <limits>

#include "kernels/base/texts.h"

namespace warplens::ptx {

std::size_t LineTable::PlaceHash::operator()(const Place& place) const {
  const std::uint64_t mixed =
      (std::uint64_t{place.file} << 48 ^ std::uint64_t{place.column} << 32 ^ place.line) *
      0x9e3779b97f4a7c15u;
  return mixed ^ mixed >> 32;
}

bool LineTable::parse_place(Cursor& cursor, Place& place) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  const auto file = cursor.expect_unsigned(marked("a file number"), Limits::kFileIndex);
  if (!file) return false;
  const auto line = cursor.expect_unsigned(marked("a line number"), kMax);
  if (!line) return false;
  const auto column = cursor.expect_unsigned(marked("a column number"), kMax);
  if (!column) return false;
  place = {static_cast<std::uint32_t>(*file), static_cast<std::uint32_t>(*line),
           static_cast<std::uint32_t>(*column)};
  highest_file_ = std::max(highest_file_, place.file);
  return true;
}

std::uint32_t LineTable::number_of(const Place& place) {
  const auto around = inlined_at_.find(place);
  const InlinedCall call{place.file, place.line, place.column,
                         around == inlined_at_.end() ? 0 : around->second};
  std::vector<std::uint32_t>& numbers = numbers_[PlaceHash{}(place) + call.inlined_at];
  for (const std::uint32_t number : numbers) {
    if (calls_[number - 1] == call) return number;
  }
  calls_.push_back(call);
  outermost_.push_back(call.inlined_at == 0 ? place : outermost_[call.inlined_at - 1]);
  own_lines_.push_back(place.file == outermost_.back().file ? place.line : own_lines_[call.inlined_at - 1]);
  return numbers.emplace_back(static_cast<std::uint32_t>(calls_.size()));
}

bool LineTable::parse(Cursor& cursor) {
  Place place;
  if (!parse_place(cursor, place)) return false;
  std::uint32_t inlined_at = 0;
  while (cursor.accept(',')) {
    const auto attribute = cursor.expect_word(marked("`function_name` or `inlined_at`"));
    if (!attribute) return false;
    if (*attribute == "function_name") {
      if (!cursor.expect_word(marked("a label"))) return false;
      if (cursor.accept('+') && !cursor.expect_unsigned(marked("an offset"), ~0ull)) return false;
    } else if (*attribute == "inlined_at") {
      Place call;
      if (!parse_place(cursor, call)) return false;
      inlined_at = number_of(call);
    } else {
      return cursor.fail(cursor.peek().line,
                         tr("unknown attribute {attribute} of .loc", "attribute"_a = quoted(*attribute)));
    }
  }
  if (place.line == 0)
    return true;  // Code that was moved has no line: it counts as of the line before, as in machine code
  inlined_at_.insert_or_assign(place, inlined_at);
  const Place& outer = inlined_at == 0 ? place : outermost_[inlined_at - 1];
  const std::uint32_t own_line = place.file == outer.file ? place.line : own_lines_[inlined_at - 1];
  current_ = {place.file, place.line, place.column, outer.file, outer.line, own_line, inlined_at};
  return true;
}

}  // namespace warplens::ptx
