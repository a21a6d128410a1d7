#include "viz/picture/comparison/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/figures.h"
#include "kernels/base/texts.h"

namespace warplens::picture {
namespace {

constexpr int kSide = 32;  ///< Colours on either side of the middle

std::uint64_t size_of(std::int64_t difference) {
  return difference < 0 ? 0 - static_cast<std::uint64_t>(difference) : static_cast<std::uint64_t>(difference);
}

}  // namespace

std::string ratio_in_words(double a, double b) {
  if (b >= 2 * a) return tr("{ratio} times A", "ratio"_a = formatted("{:.3g}", b / a));
  const double percent = 100 * (b - a) / a;
  const double size = std::abs(percent);
  if (b > 0 && percent < -99)
    return formatted("{:.2f} %", std::max(percent, -99.99));  // Not all of it: never "-100 %"
  return formatted("{:+.{}f} %", percent, size >= 9.95 ? 0 : size >= 0.95 ? 1 : 2);
}

std::string change_in_words(std::uint64_t a, std::uint64_t b) {
  if (a == b) return "=";
  const std::string change = b > a ? "+" + with_thousands(b - a) : "-" + with_thousands(a - b);
  return a == 0
             ? change
             : fmt::format("{} ({})", change, ratio_in_words(static_cast<double>(a), static_cast<double>(b)));
}

std::string with_minus(const std::string& text) {
  std::string with;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool sign = text[i] == '-' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    with += sign ? std::string("\u2212") : std::string(1, text[i]);
  }
  return with;
}

std::string difference_in_figures(std::int64_t difference) {
  if (difference == 0) return "0";
  return (difference > 0 ? "+" : "\u2212") + with_thousands(size_of(difference));
}

std::vector<Colour> difference_table(const Palette& palette) {
  constexpr float kGrey = 0.28f,
                  kFirst = 0.25f;  // Of the muted text in the middle; of a side's colour in its first step
  const Colour middle = mixed(palette.panel, palette.muted, kGrey);
  std::vector<Colour> table;
  for (int i = -kSide; i <= kSide; ++i) {
    const float share = static_cast<float>(std::abs(i) - 1) / static_cast<float>(kSide - 1);
    table.push_back(
        i == 0 ? middle
               : mixed(middle, i < 0 ? palette.accent : palette.fill, kFirst + (1 - kFirst) * share));
  }
  return table;
}

float difference_value(std::int64_t difference, std::uint64_t max) {
  const std::uint64_t size = std::min(size_of(difference), std::max<std::uint64_t>(max, 1));
  if (size == 0) return 0.5f;
  const double share = max <= 1 ? 1 : static_cast<double>(size - 1) / static_cast<double>(max - 1);
  const double place = 1 + std::round(share * (kSide - 1));
  return static_cast<float>(0.5 + (difference < 0 ? -place : place) / (2 * kSide));
}

float draw_difference_key(Canvas& canvas, Rect box, std::uint64_t max) {
  const TextLook look = canvas.muted(kTinySize);
  const std::string figure = with_thousands(std::max<std::uint64_t>(max, 1));
  std::string left = tr("{count} more in launch A", "count"_a = figure),
              right = tr("{count} more in launch B", "count"_a = figure);
  const float bar = canvas.px(72), gap = canvas.px(5);
  const auto needed = [&] {
    return canvas.width_of(left, look) + canvas.width_of(right, look) + bar + 2 * gap + canvas.px(1);
  };
  if (needed() > box.width) {
    left = "A " + figure;
    right = figure + " B";
  }
  const float width = needed();
  if (width > box.width) return 0;
  Rect place{box.right() - width, box.y, width, box.height};
  canvas.fitted(cut_left(place, canvas.width_of(left, look) + gap), {left}, look);
  HeatMap scale{{place.x, place.y + place.height / 2 - canvas.px(4), bar, canvas.px(8)},
                1,
                2 * kSide + 1,
                {},
                difference_table(canvas.palette()),
                canvas.palette().line};
  std::vector<float> values;
  for (int i = 0; i <= 2 * kSide; ++i) values.push_back(static_cast<float>(i) / (2 * kSide));
  scale.values = std::move(values);
  canvas.add(std::move(scale));
  static_cast<void>(cut_left(place, bar + gap));
  canvas.fitted(place, {right}, look);
  return width;
}

}  // namespace warplens::picture
