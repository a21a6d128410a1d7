// The colour scale of lanes and of conflict degrees. Viridis (Smith and van der Walt, for matplotlib,
// released as CC0) rises evenly in lightness, so that it survives a projector, a grey print and colour-blind
// eyes.
#include <algorithm>
#include <array>
#include <cmath>

#include "viz/canvas/picture.h"

namespace warplens::picture {
namespace {

struct Rgb {
  std::uint8_t r, g, b;
};
// Seventeen evenly spaced stops of the published 256-entry table; between them the table is straight to
// within two steps of 255.
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

/// Viridis, and what lies 0.15 before it and behind it.
Colour beyond_viridis(float t) {
  constexpr float kBeyondRange = 0.15f;
  constexpr Colour kBefore{34, 0, 42}, kBehind{255, 250, 190};
  if (t < 0) return mixed(viridis(0), kBefore, -t / kBeyondRange);
  return t > 1 ? mixed(viridis(1), kBehind, (t - 1) / kBeyondRange) : viridis(t);
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
// What costs most stands off most: towards yellow on a dark ground, towards dark purple on a light one. Most
// cells have degree 1, which is to be seen too. From a degree to its double is about the same step for the
// eye, any eye: that takes more than viridis has, so both ends go on a little.
Colour conflict_colour(int degree, const Palette& palette) {
  constexpr std::array<float, 6> kOnDark{0.2f, 0.36f, 0.5f, 0.67f, 0.86f, 1.15f},
      kOnLight{0.74f, 0.55f, 0.41f, 0.26f, 0.07f, -0.15f};  // 1, 2, 4 ..
  const std::array<float, 6>& doubled = palette.dark ? kOnDark : kOnLight;
  const float doublings =
      std::clamp(std::log2(static_cast<float>(degree)), 0.0f, static_cast<float>(doubled.size() - 1));
  const auto stop = std::min(static_cast<std::size_t>(doublings), doubled.size() - 2);
  return beyond_viridis(std::lerp(doubled[stop], doubled[stop + 1], doublings - static_cast<float>(stop)));
}

}  // namespace warplens::picture
