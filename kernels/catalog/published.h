// Figures that others published, to stand beside one's own: the tables of assets/reference, embedded in the
// binary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace warplens {

/// What a table's figures run along.
enum class PublishedBy : std::uint8_t { kernel, tile, size, loop_order };

struct PublishedPoint {
  std::string
      name;  ///< Of a kernel or a loop order, as the table gives it; empty where the point is one of a line
  std::string description;            ///< The table's own words, never translated; may be empty
  std::uint64_t m = 0, p = 0, n = 0;  ///< 0: the source does not say
  std::int64_t tile = 0;              ///< 0: none
  double milliseconds = 0;
  double gflops = 0;             ///< By the table's own definition; 0: it cannot be known
  double percent_of_cublas = 0;  ///< Of its rate where both took turns; 0: it was not measured so
  friend bool operator==(const PublishedPoint&, const PublishedPoint&) = default;
};

struct PublishedSeries {
  std::string name;       ///< "N = 1,024", "GTX 770", "i7 4770, a processor": what tells it from the others
  std::string processor;  ///< "i7 4770", if its figures are of a processor
  std::string
      kernel;  ///< Of the catalogue, which the points are figures of; empty: each point's own name, or none
  std::vector<PublishedPoint> points;       ///< A line's: ascending along its axis
  [[nodiscard]] std::string title() const;  ///< Its name as it is shown
};

/// Title, machine, source and definition are in English: shown by tr().
struct PublishedTable {
  std::string id;          ///< The file's name without its extension
  std::string title;       ///< "Lecture, RTX 4070"
  std::string machine;     ///< "RTX 4070"
  std::string source;      ///< One or two sentences: who measured what
  std::string definition;  ///< One sentence: what the times include, and how a rate comes of them
  PublishedBy by = PublishedBy::kernel;
  bool with_transfers = false;  ///< The times include both transfers
  /// Of a table of the whole ladder, measured with Warplens for machines without a GPU: the type of its
  /// values, and the dates. Else empty.
  std::string value_type, measured;
  std::vector<PublishedSeries> series;
};

/// All tables, in the order in which they are offered. An error names the file and the line; the embedded
/// tables have none, a test sees to it.
[[nodiscard]] const Result<std::vector<PublishedTable>>& published_tables();

/// The table of the whole ladder in values of that type; null: there is none.
[[nodiscard]] const PublishedTable* shipped_ladder(std::string_view value_type);

/// One table from its text. Errors: an unknown id; a header that is not the table's; a row with too few or
/// too many fields; a field that is no number.
[[nodiscard]] Result<PublishedTable> parse_published(std::string_view id, std::string_view text);

}  // namespace warplens
