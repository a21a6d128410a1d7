#include "kernels/ptx/line_table.h"

#include <algorithm>
#include <limits>

#include "kernels/base/texts.h"

namespace warplens::ptx {

std::size_t LineTable::PlaceHash::operator()(const Place& place) const {
  const std::uint64_t mixed = (std::uint64_t{place.file} << 48 ^ std::uint64_t{place.column} << 32 ^ place.line) * 0x9e3779b97f4a7c15u;
  return mixed ^ mixed >> 32;
}

bool LineTable::parse_place(Cursor& cursor, Place& place) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto file = cursor.expect_unsigned(marked("a file number"), Limits::kFileIndex);
  if (!file) return false;
  const auto line = cursor.expect_unsigned(marked("a line number"), kMost);
  if (!line) return false;
  const auto column = cursor.expect_unsigned(marked("a column number"), kMost);
  if (!column) return false;
  place = {static_cast<std::uint32_t>(*file), static_cast<std::uint32_t>(*line), static_cast<std::uint32_t>(*column)};
  highest_file_ = std::max(highest_file_, place.file);
  return true;
}

bool LineTable::parse(Cursor& cursor) {
  Place place;
  if (!parse_place(cursor, place)) return false;
  Place outer = place;
  while (cursor.accept(',')) {
    const auto attribute = cursor.expect_word(marked("`function_name` or `inlined_at`"));
    if (!attribute) return false;
    if (*attribute == "function_name") {
      if (!cursor.expect_word(marked("a label"))) return false;
      if (cursor.accept('+') && !cursor.expect_unsigned(marked("an offset"), ~0ull)) return false;
    } else if (*attribute == "inlined_at") {
      Place call;
      if (!parse_place(cursor, call)) return false;
      const auto known = outermost_.find(call);
      outer = known == outermost_.end() ? call : known->second;
    } else {
      return cursor.fail(cursor.peek().line, tr("unknown attribute {attribute} of .loc", "attribute"_a = quoted(*attribute)));
    }
  }
  outermost_.insert_or_assign(place, outer);
  current_ = {place.file, place.line, place.column, outer.file, outer.line};
  return true;
}

}  // namespace warplens::ptx
