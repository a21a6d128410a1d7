#include "app/views/rate_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/figures.h"

namespace warplens::app {
namespace {

constexpr float kRowHeight = 24, kNameHeight = 16;

void draw_hatch(const Look& look, ImDrawList& list, ImVec2 from, ImVec2 to, picture::Colour colour) {
  list.PushClipRect(from, to, true);
  const float height = to.y - from.y;
  for (float x = from.x - height; x < to.x; x += look.px(6))
    list.AddLine({x, to.y}, {x + height, from.y}, packed(colour), look.px(1));
  list.PopClipRect();
}

/// The name stands beside the bar, or, where `name_width` is 0, above it.
void draw_bar(const Look& look, const RateBar& bar, double greatest, float name_width, float width) {
  const picture::Palette& palette = *look.palette;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const TextStyle text{.colour = palette.text};
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float above = name_width == 0 ? look.px(kNameHeight) : 0;
  if (above > 0) {
    const std::string name = shortened(look, bar.name, text, width);
    list.AddText(look.fonts.sans, look.px(text.size), at, packed(palette.text), name.c_str());
    at.y += above;
  }
  const float height = look.px(kRowHeight), thick = look.px(14);
  const float value_width = look.px(52);
  const float left = at.x + (above > 0 ? 0 : name_width + look.px(10));
  const float right = std::max(at.x + width - value_width, left + look.px(10));
  const float top = std::floor(at.y + (height - thick) / 2);
  const float text_top = std::floor(at.y + (height - look.px(text.size)) / 2);
  if (above == 0) {
    list.AddText(look.fonts.sans, look.px(text.size), {at.x, text_top}, packed(palette.text),
                 bar.name.c_str());
  }
  list.AddRectFilled({left, top}, {right, top + thick}, packed(mixed(palette.panel, palette.line, 0.6f)),
                     look.px(2));
  if (bar.value > 0) {
    const float end = left + (right - left) * static_cast<float>(bar.value / greatest);
    const ImVec2 from{left, top}, to{std::max(end, left + look.px(2)), top + thick};
    list.AddRectFilled(from, to, packed(picture::with_alpha(bar.colour, bar.hatched ? 0.3f : 1)), look.px(2));
    if (bar.hatched) draw_hatch(look, list, from, to, bar.colour);
  }
  const std::string value = bar.value > 0 ? rate_in_words(bar.value) : "-";
  list.AddText(look.fonts.sans, look.px(text.size), {right + look.px(8), text_top}, packed(palette.muted),
               value.c_str());
  ImGui::Dummy({width, above + height});
  explain(look, bar.explanation);
}

}  // namespace

std::string rate_in_words(double rate) {
  if (rate >= 100) return with_thousands(static_cast<std::uint64_t>(std::llround(rate)));
  return rate >= 1 ? formatted("{:.1f}", rate) : formatted("{:.2f}", rate);
}

void draw_rate_bars(const Look& look, const std::vector<RateBar>& bars, double greatest) {
  float name_width = 0;
  for (const RateBar& bar : bars) {
    greatest = std::max(greatest, bar.value);
    name_width = std::max(name_width, width_of(look, bar.name, {}));
  }
  const float width = ImGui::GetContentRegionAvail().x;
  if (name_width > width * 0.5f) name_width = 0;  // Shortened names of different bars would be equal
  for (const RateBar& bar : bars) draw_bar(look, bar, greatest, name_width, width);
}

}  // namespace warplens::app
