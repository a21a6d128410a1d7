// How different colours look: CIEDE2000 (G. Sharma, W. Wu, E. Dalal, 2005), also to eyes that lack one kind
// of cone, as G. Machado, M. Oliveira and L. Fernandes simulate them (2009), and in a grey print.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "viz/canvas/picture.h"

namespace warplens::picture {

enum class Sight { all_cones, protanopia, deuteranopia, tritanopia, grey_print };
inline constexpr std::array kSights{Sight::all_cones, Sight::protanopia, Sight::deuteranopia,
                                    Sight::tritanopia, Sight::grey_print};

struct Lab {
  double l = 0, a = 0, b = 0;
};

inline double linear_light(std::uint8_t value) {
  const double share = value / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

/// Relative luminance, by WCAG 2.
inline double luminance(Colour colour) {
  return 0.2126 * linear_light(colour.r) + 0.7152 * linear_light(colour.g) + 0.0722 * linear_light(colour.b);
}

inline double contrast(Colour a, Colour b) {
  const double la = luminance(a) + 0.05, lb = luminance(b) + 0.05;
  return la > lb ? la / lb : lb / la;
}

using Rows = std::array<std::array<double, 3>, 3>;

/// What of the light is seen: rows of a matrix in linear RGB.
inline Rows seen_by(Sight sight) {
  switch (sight) {
    case Sight::protanopia:
      return {{{0.152286, 1.052583, -0.204868},
               {0.114503, 0.786281, 0.099216},
               {-0.003882, -0.048116, 1.051998}}};
    case Sight::deuteranopia:
      return {
          {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    case Sight::tritanopia:
      return {{{1.255528, -0.076749, -0.178779},
               {-0.078411, 0.930809, 0.147602},
               {0.004733, 0.691367, 0.303900}}};
    case Sight::grey_print:
      return {{{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}};
    case Sight::all_cones: break;
  }
  return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

inline std::array<double, 3> product(const Rows& rows, const std::array<double, 3>& column) {
  std::array<double, 3> result{};
  for (std::size_t i = 0; i < 3; ++i)
    result.at(i) = rows.at(i)[0] * column[0] + rows.at(i)[1] * column[1] + rows.at(i)[2] * column[2];
  return result;
}

inline Lab lab_of(Colour colour, Sight sight) {
  constexpr Rows kToXyz{{{0.4124564, 0.3575761, 0.1804375},
                         {0.2126729, 0.7151522, 0.0721750},
                         {0.0193339, 0.1191920, 0.9503041}}};
  std::array<double, 3> seen =
      product(seen_by(sight), {linear_light(colour.r), linear_light(colour.g), linear_light(colour.b)});
  for (double& part : seen) part = std::clamp(part, 0.0, 1.0);
  const auto [x, y, z] = product(kToXyz, seen);
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  return {116 * f(y) - 16, 500 * (f(x / 0.95047) - f(y)), 200 * (f(y) - f(z / 1.08883))};
}

inline double delta_e_2000(const Lab& one, const Lab& two) {
  constexpr double kPi = std::numbers::pi;
  const auto seventh = [](double x) {
    return std::sqrt(std::pow(x, 7) / (std::pow(x, 7) + std::pow(25.0, 7)));
  };
  const auto in_circle = [](double hue) { return hue < 0 ? hue + 2 * kPi : hue; };
  const double mean_chroma = (std::hypot(one.a, one.b) + std::hypot(two.a, two.b)) / 2,
               stretch = 1.5 - 0.5 * seventh(mean_chroma);
  const double c1 = std::hypot(one.a * stretch, one.b), c2 = std::hypot(two.a * stretch, two.b);
  const double h1 = c1 == 0 ? 0 : in_circle(std::atan2(one.b, one.a * stretch)),
               h2 = c2 == 0 ? 0 : in_circle(std::atan2(two.b, two.a * stretch));
  const bool has_hues = c1 * c2 != 0, around = std::abs(h1 - h2) > kPi;
  const double dh = !has_hues ? 0 : around ? h2 - h1 + (h2 <= h1 ? 2 * kPi : -2 * kPi) : h2 - h1;
  const double dl = two.l - one.l, dc = c2 - c1, d_hue = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2);
  const double l = (one.l + two.l) / 2, c = (c1 + c2) / 2;
  const double h = !has_hues           ? h1 + h2
                   : !around           ? (h1 + h2) / 2
                   : h1 + h2 < 2 * kPi ? (h1 + h2) / 2 + kPi
                                       : (h1 + h2) / 2 - kPi;
  const double t = 1 - 0.17 * std::cos(h - kPi / 6) + 0.24 * std::cos(2 * h) +
                   0.32 * std::cos(3 * h + kPi / 30) - 0.2 * std::cos(4 * h - 63 * kPi / 180);
  const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50)), sc = 1 + 0.045 * c,
               sh = 1 + 0.015 * c * t;
  const double turn = std::exp(-std::pow((h * 180 / kPi - 275) / 25, 2)) * kPi / 3;
  const double rt = -std::sin(turn) * 2 * seventh(c);
  return std::sqrt(dl / sl * dl / sl + dc / sc * dc / sc + d_hue / sh * d_hue / sh +
                   rt * dc / sc * d_hue / sh);
}

inline double difference(Colour a, Colour b, Sight sight) {
  return delta_e_2000(lab_of(a, sight), lab_of(b, sight));
}

}  // namespace warplens::picture
