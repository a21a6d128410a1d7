#include "viz/canvas/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace warplens::picture {
namespace {

constexpr Colour hex(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
          static_cast<std::uint8_t>(rgb)};
}

// Accent, good, costly and fill are told apart by eyes of any colour vision, and those that meet by a grey
// print, too; the tests compute by how much.
constexpr Palette kDark{.background = hex(0x0e1116),
                        .panel = hex(0x161a20),
                        .header = hex(0x1b2027),
                        .line = hex(0x2a313b),
                        .text = hex(0xe9ecf0),
                        .muted = hex(0x98a3b1),
                        .accent = hex(0x5d9aed),
                        .good = hex(0x5ddab1),
                        .costly = hex(0xef713c),
                        .fill = hex(0xf3b650),
                        .dark = true};
constexpr Palette kLight{.background = hex(0xeef1f4),
                         .panel = hex(0xffffff),
                         .header = hex(0xf5f7f9),
                         .line = hex(0xcfd6de),
                         .text = hex(0x12161b),
                         .muted = hex(0x56616e),
                         .accent = hex(0x0b6bcb),
                         .good = hex(0x005739),
                         .costly = hex(0xb74102),
                         .fill = hex(0x6f3200),
                         .dark = false};

/// The cell of a grid region under a point: row or column of `count` over `extent` pixels.
std::int64_t cell_at(float offset, float extent, std::uint64_t count) {
  const auto cell = static_cast<std::int64_t>(std::floor(offset / extent * static_cast<float>(count)));
  return std::clamp<std::int64_t>(cell, 0, static_cast<std::int64_t>(count) - 1);
}

Hit resolve(const Region& region, Point p) {
  Hit hit{region.rect, region.target, region.tooltip};
  if (region.columns == 0) return hit;
  const auto rows = std::max<std::uint64_t>(region.rows, 1);
  const std::int64_t row = cell_at(p.y - region.rect.y, region.rect.height, rows);
  const std::int64_t column = cell_at(p.x - region.rect.x, region.rect.width, region.columns);
  const float width = region.rect.width / static_cast<float>(region.columns),
              height = region.rect.height / static_cast<float>(rows);
  hit.rect = {region.rect.x + static_cast<float>(column) * width,
              region.rect.y + static_cast<float>(row) * height, width, height};
  if (region.target.kind == Target::Kind::element) {
    hit.target.b += region.transposed ? column : row;
    hit.target.c += region.transposed ? row : column;
    const bool is_matrix = (region.transposed ? region.columns : rows) > 1;
    if (is_matrix) hit.tooltip += "[" + std::to_string(hit.target.b) + "]";
    hit.tooltip += "[" + std::to_string(hit.target.c) + "]";
  } else if (region.target.kind == Target::Kind::block) {
    hit.target.a += region.transposed ? row : column;
    hit.target.b += region.transposed ? column : row;
    hit.tooltip += " (" + std::to_string(hit.target.a) + ", " + std::to_string(hit.target.b) + ")";
  } else {
    hit.target.a += row * static_cast<std::int64_t>(region.columns) + column;
  }
  return hit;
}

}  // namespace

bool CellValues::same(const CellValues& other) const {
  return values_ == other.values_ ||
         (size() == other.size() &&
          (size() == 0 || std::memcmp(data(), other.data(), size() * sizeof(float)) == 0));
}

std::optional<Hit> Picture::hit(Point p) const {
  const auto found = std::find_if(regions.rbegin(), regions.rend(),
                                  [&](const Region& region) { return region.rect.contains(p); });
  if (found == regions.rend()) return std::nullopt;
  return resolve(*found, p);
}

const Palette& dark_palette() {
  return kDark;
}
const Palette& light_palette() {
  return kLight;
}

Colour heat_colour(const HeatMap& map, float value) {
  const float last = static_cast<float>(map.table.size() - 1);
  return map.table[static_cast<std::size_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * last))];
}

Colour readable_on(Colour background) {
  // Relative luminance by WCAG 2; black and white contrast equally with 0.179, and by 4.58.
  static const std::array<float, 256> linear = [] {
    std::array<float, 256> by_value{};
    for (std::size_t value = 0; value < by_value.size(); ++value) {
      const float share = static_cast<float>(value) / 255.0f;
      by_value[value] = share <= 0.04045f ? share / 12.92f : std::pow((share + 0.055f) / 1.055f, 2.4f);
    }
    return by_value;
  }();
  const float luminance =
      0.2126f * linear[background.r] + 0.7152f * linear[background.g] + 0.0722f * linear[background.b];
  return luminance > 0.179f ? hex(0x000000) : hex(0xffffff);
}

Colour with_alpha(Colour colour, float alpha) {
  colour.a = static_cast<std::uint8_t>(std::lround(std::clamp(alpha, 0.0f, 1.0f) * 255.0f));
  return colour;
}

Colour mixed(Colour from, Colour to, float amount) {
  const auto mix = [amount](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(
        std::lround(static_cast<float>(a) + (static_cast<float>(b) - static_cast<float>(a)) * amount));
  };
  return {mix(from.r, to.r), mix(from.g, to.g), mix(from.b, to.b), mix(from.a, to.a)};
}

}  // namespace warplens::picture
