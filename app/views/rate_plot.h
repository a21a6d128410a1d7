// Plots of rates: over time, or over what was swept. The scale of the rates only grows, in steps, so that
// lines do not jump.
#pragma once

#include <string_view>
#include <vector>

#include "app/views/look.h"

namespace warplens::app {

inline constexpr double kShownSeconds = 60;

class RateScale {
 public:
  /// The upper end of the axis that shows `greatest`.
  [[nodiscard]] double limit_for(double greatest);
  void forget() { limit_ = 0; }

 private:
  double limit_ = 0;
};

/// The axis of a plot's rates.
struct RateAxis {
  double limit = 0;
  const char* unit = "GFLOP/s";
};
/// Begins a plot over the last minute; ends by end_rate_plot. False: there is no room, and nothing to end.
[[nodiscard]] bool begin_time_plot(const Look& look, const char* id, ImVec2 size, const RateAxis& rates);
/// The same over positive values that double: `values` are marked on the axis.
[[nodiscard]] bool begin_sweep_plot(const Look& look, const char* id, ImVec2 size, const RateAxis& rates,
                                    const std::vector<double>& values);
void end_rate_plot();

void draw_rate_line(const Look& look, std::string_view id, picture::Colour colour,
                    const std::vector<double>& x, const std::vector<double>& rates, bool marked = false);
/// The names of a plot's lines, at their ends: over what the line reaches there, or under it where another
/// name is. One that finds no room is left out, so the most important come first.
class RateLabels {
 public:
  /// Right-aligned to the end of the line, which has one point at least and is drawn already.
  void add(const Look& look, std::string_view text, picture::Colour colour, const std::vector<double>& x,
           const std::vector<double>& rates);
  /// After all lines, so that none goes through a name.
  void draw(const Look& look) const;

 private:
  struct Box {
    ImVec2 from, to;
  };
  struct Label {
    Box box;
    std::string text;
    picture::Colour colour;
  };
  [[nodiscard]] bool is_free(const Box& box) const;
  std::vector<Label> labels_;
};
/// Write in the middle of the current plot, or of a frame as large as one would be.
void write_in_plot(const Look& look, std::string_view words);
void draw_empty_plot(const Look& look, ImVec2 size, std::string_view words);

}  // namespace warplens::app
