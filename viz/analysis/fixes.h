// What would lower the cost of an access: changes to its addresses that the memory rules are run on
// (docs/memory_model.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "viz/analysis/line_figures.h"

namespace warplens::analysis {

/// A change under which a line's access costs less, and what it costs then.
struct Fix {
  enum class Change : std::uint8_t {
    padded_rows,    ///< Shared arrays with unused words behind each row; all that is in a row stays in its
                    ///< column
    aligned_start,  ///< The lowest address of each request at the start of a line
    neighbours,     ///< From the lowest address on, an element for each lane; lanes that shared one go on
                    ///< sharing one
    neighbours_from_line  ///< The same from the start of a line on
  };
  Change change = Change::padded_rows;
  std::uint64_t cost = 0;       ///< Of all requests of the line's access, in its unit
  std::uint32_t row_words = 0;  ///< padded_rows: 4-byte words of a row, with its padding
  std::vector<std::uint32_t>
      padded;  ///< padded_rows: the arrays, as in Recording::shared_arrays, at least one

  /// Another access to these arrays that costs more with the padding: the one that gains most.
  struct Worse {
    LineFigures figures;
    std::uint64_t cost = 0;  ///< With the padding, of all its requests
  };
  std::optional<Worse> worse;
};

[[nodiscard]] const char* name_of(Fix::Change change);  ///< "padded_rows"

/// How the rows of some shared arrays lie, the same for all of them.
struct SharedRows {
  std::uint64_t bytes = 0, start = 0;  ///< Of a row; where rows start, modulo `bytes`
  std::uint32_t element_bytes = 0;
};

/// Finds mends for the lines of one recording, which must outlive it, as the report. Candidates:
///   shared             rows of the arrays that it touches, where their length is known, longer by 1, 2 or 4
///   words: the length with the least cost
///                      over all accesses to these arrays. If no length helps, neighbours
///   global             aligned_start, neighbours, neighbours_from_line: the least; of equal ones the first
/// A site touches the arrays that its recorded accesses lie in; without any, it may be every array: they are
/// then padded together. Padding keeps accesses on multiples of their width and inside a row, or is no
/// candidate. Nor is any for accesses whose patterns are not all kept, or whose place in the row does not
/// follow from their pattern.
class FixFinder {
 public:
  /// `events`: the recording's, or none.
  FixFinder(const Recording& recording, const Report& report, const EventColumns& events);
  /// nullopt: no candidate lowers the cost, or too many patterns were costed before.
  [[nodiscard]] std::optional<Fix> fix_of(const LineFigures& figures);

  static constexpr std::uint64_t kMaxCosted = std::uint64_t{1} << 18;  ///< A fraction of a second

 private:
  using Arrays = std::uint64_t;  ///< A bit for each of Recording::shared_arrays
  struct Padding {
    std::uint32_t row_words = 0;
    std::uint64_t cost = 0;                          ///< Of all accesses to the arrays
    std::map<std::uint32_t, std::uint64_t> by_site;  ///< Wavefronts of each site that touches them
  };

  [[nodiscard]] std::optional<Fix> padded(const LineFigures& figures);
  [[nodiscard]] std::optional<Fix> rearranged(const LineFigures& figures,
                                              std::span<const Fix::Change> changes);
  [[nodiscard]] Arrays arrays_padded_with(const LineFigures& figures) const;
  [[nodiscard]] const std::optional<Padding>& padding_of(Arrays arrays);
  [[nodiscard]] std::optional<Padding> best_padding(Arrays arrays);
  [[nodiscard]] std::optional<std::uint64_t> padded_cost(std::uint32_t site, const SharedRows& rows,
                                                         std::uint64_t padding);
  [[nodiscard]] std::optional<Fix::Worse> worst_hit(const Padding& padding) const;
  template <class Changed>
  [[nodiscard]] std::optional<std::uint64_t> cost_of_site(std::uint32_t site, Changed changed);

  const Recording& recording_;
  const Report& report_;
  std::vector<Arrays> touched_;  ///< By site
  std::map<Arrays, std::optional<Padding>> paddings_;
  std::uint64_t costed_ = 0;
};

}  // namespace warplens::analysis
