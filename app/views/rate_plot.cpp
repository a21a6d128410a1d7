#include "app/views/rate_plot.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kLabelSize = 12;
constexpr auto kPlotFlags = ImPlotFlags_NoTitle | ImPlotFlags_NoLegend | ImPlotFlags_NoMenus |
                            ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText | ImPlotFlags_NoInputs;

bool begin_plot(const Look& look, const char* id, ImVec2 size) {
  ImGui::PushFont(look.fonts.sans, 11);
  if (ImPlot::BeginPlot(id, {size.x, std::max(size.y, look.px(60))}, kPlotFlags)) return true;
  ImGui::PopFont();
  return false;
}

/// The greatest of 1, 2, 5, 10, .. and their decimal parts that is not above `most`.
double round_number_up_to(double most) {
  const double power = std::pow(10, std::floor(std::log10(most)));
  return power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
}

/// The least of those numbers that is not below `least`.
double round_number_down_to(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  return power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
}

/// `height`: of the plot. A low one marks two rates, for more would lie on each other; others as many as are
/// read at a glance.
void set_up_rates(const Look& look, const RateAxis& rates, float height) {
  constexpr float kLowPlot = 120, kApart = 34;
  const double limit = rates.limit > 0 ? rates.limit : 1;
  ImPlot::SetupAxis(ImAxis_Y1, rates.unit, ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, limit, ImPlotCond_Always);
  ImPlot::SetupAxisFormat(  // Before the ticks, whose labels are made at once
      ImAxis_Y1,
      [](double value, char* buffer, int size, void*) {
        const std::string text = value >= 1000
                                     ? with_thousands(static_cast<std::uint64_t>(std::llround(value)))
                                     : formatted("{:g}", value);
        return std::snprintf(buffer, static_cast<std::size_t>(size), "%s", text.c_str());
      },
      nullptr);
  if (height < look.px(kLowPlot)) {
    ImPlot::SetupAxisTicks(ImAxis_Y1, 0, round_number_up_to(limit), 2);
  } else {
    const double step = round_number_down_to(limit * look.px(kApart) / height),
                 steps = std::floor(limit / step * (1 + 1e-9));
    ImPlot::SetupAxisTicks(ImAxis_Y1, 0, steps * step, static_cast<int>(steps) + 1);
  }
}

void write_centred(const Look& look, std::string_view words, ImVec2 from, ImVec2 size) {
  const float width = std::min(size.x - look.px(32), look.px(430));
  if (width <= look.px(40)) return;
  const TextStyle style{.colour = look.palette->muted};
  const float lines = std::ceil(width_of(look, words, style) / width);
  ImGui::SetCursorScreenPos(
      {std::floor(from.x + (size.x - std::min(width, width_of(look, words, style))) / 2),
       std::floor(from.y + (size.y - lines * look.px(style.size * 1.35f)) / 2)});
  ImGui::BeginGroup();
  write_wrapped(look, words, style, width / look.scale);
  ImGui::EndGroup();
}

/// Between which heights on the screen a line runs from `left` on.
struct Reach {
  float above, below;
};
Reach reach_beneath(const std::vector<double>& x, const std::vector<double>& rates, float left) {
  const float end = ImPlot::PlotToPixels(x.back(), rates.back()).y;
  Reach reach{end, end};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const ImVec2 point = ImPlot::PlotToPixels(x[i], rates[i]);
    if (point.x >= left) reach = {std::min(reach.above, point.y), std::max(reach.below, point.y)};
  }
  return reach;
}

struct Points {
  const std::vector<double>&x, &rates;
};
/// Given to ImPlot as a function and not as numbers: the plots of numbers are templates of all their kinds,
/// which take seconds to compile.
ImPlotPoint point_of(int index, void* points) {
  const auto& [x, rates] = *static_cast<const Points*>(points);
  return {x[static_cast<std::size_t>(index)], rates[static_cast<std::size_t>(index)]};
}

}  // namespace

double RateScale::limit_for(double greatest) {
  if (greatest > limit_) limit_ = std::pow(2, std::ceil(std::log2(std::max(greatest * 1.25, 1e-3))));
  return limit_;
}

bool begin_time_plot(const Look& look, const char* id, ImVec2 size, const RateAxis& rates) {
  if (!begin_plot(look, id, size)) return false;
  constexpr std::array kTicks{-60.0, 0.0};
  const std::array tick_names{tr("60 s ago"), tr("now")};
  ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisLimits(ImAxis_X1, -kShownSeconds - 3, 3, ImPlotCond_Always);
  ImPlot::SetupAxisTicks(ImAxis_X1, kTicks.data(), kTicks.size(), tick_names.data());
  set_up_rates(look, rates, size.y);
  return true;
}

bool begin_sweep_plot(const Look& look, const char* id, ImVec2 size, const RateAxis& rates,
                      const std::vector<double>& values) {
  if (values.empty() || !begin_plot(look, id, size)) return false;
  std::vector<double> marked;
  std::vector<std::string> names;
  for (const double value : values) {
    // A tick for each doubling: there is no room for more.
    if (!marked.empty() && value < marked.back() * 1.99) continue;
    marked.push_back(value);
    names.push_back(with_thousands(static_cast<std::uint64_t>(value)));
  }
  std::vector<const char*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisLimits(ImAxis_X1, values.front() * 0.9, values.back() * 1.1, ImPlotCond_Always);
  ImPlot::SetupAxisTicks(ImAxis_X1, marked.data(), static_cast<int>(marked.size()), texts.data());
  set_up_rates(look, rates, size.y);
  return true;
}

void end_rate_plot() {
  ImPlot::EndPlot();
  ImGui::PopFont();
}

void draw_rate_line(const Look& look, std::string_view id, picture::Colour colour,
                    const std::vector<double>& x, const std::vector<double>& rates, bool marked) {
  if (x.empty()) return;
  const std::string name(id);
  const int count = static_cast<int>(x.size());
  Points points{x, rates};
  ImPlot::PlotLineG(name.c_str(), point_of, &points, count,
                    {ImPlotProp_LineColor, as_vector(colour), ImPlotProp_LineWeight, look.px(1.75f)});
  if (!marked) return;
  ImPlot::PlotScatterG(
      (name + " points").c_str(), point_of, &points, count,
      {ImPlotProp_Marker, ImPlotMarker_Circle, ImPlotProp_MarkerSize, look.px(3), ImPlotProp_MarkerFillColor,
       as_vector(colour), ImPlotProp_MarkerLineColor, as_vector(colour)});
}

void RateLabels::add(const Look& look, std::string_view text, picture::Colour colour,
                     const std::vector<double>& x, const std::vector<double>& rates) {
  const TextStyle style{.colour = colour, .size = kLabelSize, .font = picture::Font::sans_bold};
  const ImVec2 plot = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const float height = look.px(16), width = width_of(look, text, style);
  const float left = std::floor(std::max(ImPlot::PlotToPixels(x.back(), 0.0).x - width, plot.x + look.px(4)));
  const Reach reach = reach_beneath(x, rates, left);
  const float highest = plot.y + look.px(2), lowest = std::max(plot.y + size.y - height, highest);
  std::vector<float> tops{reach.above - height - look.px(4), reach.below + look.px(6)};
  const float line_end = ImPlot::PlotToPixels(x.back(), rates.back()).y;
  for (const auto& [other, name, its_colour] :
       labels_) {  // Where lines are close together: above or below another line's label
    for (const float top : {other.from.y - height - look.px(1), other.to.y + look.px(1)}) {
      if (std::abs(top - line_end) < 3 * height) tops.push_back(top);
    }
  }
  const auto place = [&](bool off_its_line) -> std::optional<Box> {
    for (const float wanted : tops) {
      const float top = std::floor(std::clamp(wanted, highest, lowest));
      const Box box{{left, top}, {left + width, top + height}};
      if (is_free(box) && !(off_its_line && box.from.y < reach.below && box.to.y > reach.above)) return box;
    }
    return std::nullopt;
  };
  std::optional<Box> box = place(true);
  if (!box) box = place(false);  // A line that wanders all over the plot
  if (box) labels_.push_back({*box, std::string(text), colour});
}

void RateLabels::draw(const Look& look) const {
  ImVec4 ground = ImPlot::GetStyle().Colors[ImPlotCol_PlotBg];
  ground.w = 1;
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  for (const auto& [box, text, colour] : labels_) {
    list.AddRectFilled({box.from.x - look.px(3), box.from.y - look.px(1)}, {box.to.x + look.px(3), box.to.y},
                       ImGui::ColorConvertFloat4ToU32(ground), look.px(2));
    list.AddText(look.fonts.sans_bold, look.px(kLabelSize), box.from, packed(colour), text.c_str());
  }
}

bool RateLabels::is_free(const Box& box) const {
  return std::ranges::none_of(labels_, [&](const Label& label) {
    const Box& other = label.box;
    return box.from.x < other.to.x && other.from.x < box.to.x && box.from.y < other.to.y &&
           other.from.y < box.to.y;
  });
}

void write_in_plot(const Look& look, std::string_view words) {
  const ImVec2 from = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const TextStyle style{.colour = look.palette->muted};
  const std::string text = shortened(look, words, style, size.x - look.px(16));
  ImPlot::GetPlotDrawList()->AddText(look.fonts.sans, look.px(style.size),
                                     {std::floor(from.x + (size.x - width_of(look, text, style)) / 2),
                                      std::floor(from.y + size.y / 2 - look.px(7))},
                                     packed(style.colour), text.c_str());
}

void draw_empty_plot(const Look& look, ImVec2 size, std::string_view words) {
  const picture::Palette& palette = *look.palette;
  const ImVec2 from = ImGui::GetCursorScreenPos(), real{size.x, std::max(size.y, look.px(60))};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to{from.x + real.x, from.y + real.y};
  list.AddRectFilled(from, to,
                     packed(palette.dark ? mixed(palette.background, palette.panel, 0.3f) : palette.header),
                     look.px(2));
  list.AddRect(from, to, packed(palette.line), look.px(2));
  write_centred(look, words, from, real);
  ImGui::SetCursorScreenPos(from);
  ImGui::Dummy(real);
}

}  // namespace warplens::app
