// Published figures with one's own beside them: outlined and hatched, or rings, are others'; filled are one's
// own.
#pragma once

#include <string>
#include <vector>

#include "viz/canvas/chart.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

struct ComparedFigure {
  double value = 0;         ///< 0: there is none
  std::string explanation;  ///< Its tooltip
  friend bool operator==(const ComparedFigure&, const ComparedFigure&) = default;
};
struct ComparedRow {
  std::string name, short_name;
  ComparedFigure published, own;
  friend bool operator==(const ComparedRow&, const ComparedRow&) = default;
};
struct ComparedLine {
  std::string name;
  bool own = false;
  std::vector<ChartPoint> points;  ///< Ascending in x
  std::vector<std::string> explanations;
  friend bool operator==(const ComparedLine&, const ComparedLine&) = default;
};

/// Rows, or lines over an axis, in one unit.
struct Compared {
  std::string title;         ///< "Kernels, RTX 4070"
  std::string unit;          ///< "GFLOP/s", or "ms"
  std::string machine, own;  ///< "RTX 4070", "Test GPU"; own: empty if there is nothing of one's own
  std::string why_no_own;    ///< What to do to see one's own, if there is none
  std::string note;          ///< The source, and what the figures include
  std::vector<ComparedRow> rows;
  std::vector<ComparedLine> lines;
  std::string axis;           ///< Of the lines: "tile T"
  std::vector<double> marks;  ///< On it
  friend bool operator==(const Compared&, const Compared&) = default;
};

/// Bars if there are rows, else a chart.
[[nodiscard]] Picture make_published(const Compared& compared, Size size, const Style& style);
/// The height that gives every row its place; small for a chart.
[[nodiscard]] float published_height(const Compared& compared, const Style& style);

/// What to see, and the source in words: what stands under the bars however far these are scrolled.
[[nodiscard]] Picture make_published_source(const Compared& compared, Size size, const Style& style);
[[nodiscard]] float published_source_height(const Compared& compared, float width, const Style& style);

}  // namespace warplens::picture
