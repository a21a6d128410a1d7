// The colour scale of lanes and of conflict degrees. Viridis (Smith and van der Walt, for matplotlib, released as CC0) rises evenly in lightness, so
// that it survives a projector, a grey print and colour-blind eyes.
#include <algorithm>
#include <array>
#include <cmath>

#include "viz/picture/picture.h"

namespace warplens::picture {
namespace {

struct Rgb {
  std::uint8_t r, g, b;
};
// Seventeen evenly spaced stops of the published 256-entry table; between them the table is straight to within two steps of 255.
constexpr std::array<Rgb, 17> kStops{{{68, 1, 84},
                                      {72, 24, 106},
                                      {71, 45, 123},
                                      {66, 64, 134},
                                      {59, 82, 139},
                                      {51, 99, 141},
                                      {44, 114, 142},
                                      {38, 130, 142},
                                      {33, 145, 140},
                                      {31, 160, 136},
                                      {40, 174, 128},
                                      {63, 188, 115},
                                      {94, 201, 98},
                                      {132, 212, 75},
                                      {173, 220, 48},
                                      {216, 226, 25},
                                      {253, 231, 37}}};

std::uint8_t between(std::uint8_t from, std::uint8_t to, float t) {
  return static_cast<std::uint8_t>(std::lround(static_cast<float>(from) + t * static_cast<float>(to - from)));
}

}  // namespace

Colour viridis(float t) {
  const float place = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(kStops.size() - 1);
  const auto stop = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  const float part = place - static_cast<float>(stop);
  const Rgb from = kStops[stop], to = kStops[stop + 1];
  return {between(from.r, to.r, part), between(from.g, to.g, part), between(from.b, to.b, part)};
}

Colour lane_colour(int lane) {
  return viridis(static_cast<float>(lane) / 31.0f);
}
// What costs most stands off most: towards yellow on a dark ground, towards dark purple on a light one. Most cells have degree 1, which is to be seen
// too.
Colour conflict_colour(int degree, const Palette& palette) {
  constexpr float kFirstOnDark = 0.25f, kFirstOnLight = 0.72f;
  const float share = static_cast<float>(degree - 1) / 31.0f;
  return viridis(palette.dark ? kFirstOnDark + (1 - kFirstOnDark) * share : kFirstOnLight * (1 - share));
}

}  // namespace warplens::picture
