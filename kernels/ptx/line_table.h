// `.loc` directives (PTX ISA, "Debugging Directives: .loc").
#pragma once

#include <cstdint>
#include <unordered_map>

#include "kernels/ptx/cursor.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

class LineTable {
 public:
  /// Reads what follows `.loc`: "file line column[, function_name label[+offset], inlined_at file line column]".
  [[nodiscard]] bool parse(Cursor& cursor);
  void reset() { current_ = {}; }

  [[nodiscard]] const SourceLocation& current() const { return current_; }
  [[nodiscard]] std::uint32_t highest_file() const { return highest_file_; }

 private:
  struct Place {
    std::uint32_t file = 0, line = 0, column = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const;
  };
  [[nodiscard]] bool parse_place(Cursor& cursor, Place& place);

  SourceLocation current_;
  std::uint32_t highest_file_ = 0;
  /// Where the outermost call of the chain stood when code at that place was last named. An `inlined_at` names a place of an earlier `.loc`, so one
  /// look-up finds the end of a chain of any length.
  std::unordered_map<Place, Place, PlaceHash> outermost_;
};

}  // namespace warplens::ptx
