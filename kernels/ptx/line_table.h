// `.loc` directives (PTX ISA, "Debugging Directives: .loc").
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernels/ptx/cursor.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

class LineTable {
 public:
  /// Calls that code was inlined at are added to `calls`, which is Module::inlined_calls.
  explicit LineTable(std::vector<InlinedCall>& calls) : calls_(calls) {}

  /// Reads what follows `.loc`: "file line column[, function_name label[+offset], inlined_at file line
  /// column]".
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

  /// The number of a call at `place`, whose code was itself inlined at another; each is kept once.
  [[nodiscard]] std::uint32_t number_of(const Place& place);

  std::vector<InlinedCall>& calls_;
  std::vector<Place> outermost_;  ///< By call: where the chain ends, in the kernel
  std::vector<std::uint32_t>
      own_lines_;  ///< By call: the innermost line of the chain that is in the file where it ends
  SourceLocation current_;
  std::uint32_t highest_file_ = 0;
  /// The call that code at that place was inlined at when it was last named, 0 for none. An `inlined_at`
  /// names a place of an earlier `.loc`, so one look-up finds a chain of any length.
  std::unordered_map<Place, std::uint32_t, PlaceHash> inlined_at_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> numbers_;  ///< By a hash of the call
};

}  // namespace warplens::ptx
