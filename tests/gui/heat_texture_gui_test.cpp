// A heat map's texture shows the map that it was given last, though it is not drawn anew where it has that
// already.
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gui/harness.h"
#include "viz/render/gl.h"
#include "viz/render/heat_texture.h"

namespace warplens::app {
namespace {

using picture::Colour;
using picture::HeatMap;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

class HeatTextureTest : public GuiTest {
 protected:
  /// Of the map, so many pixels a cell, from the texture.
  void expect_shown(const HeatMap& map, int pixels_a_cell) {
    const int width = static_cast<int>(map.columns) * pixels_a_cell,
              height = static_cast<int>(map.rows) * pixels_a_cell;
    texture_.draw(platform().graphics().heat_painter, map, width, height);
    std::vector<Colour> pixels(static_cast<std::size_t>(width * height));
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_.id()));
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto row = static_cast<std::size_t>(y / pixels_a_cell),
                   column = static_cast<std::size_t>(x / pixels_a_cell);
        const float value = map.values[row * map.columns + column];
        const Colour wanted = std::isnan(value) ? map.empty : picture::heat_colour(map, value);
        EXPECT_EQ(pixels[static_cast<std::size_t>(y * width + x)], wanted) << x << ", " << y;
      }
    }
  }
  void TearDown() override {
    texture_ = {};
    GuiTest::TearDown();
  }

 protected:
  render::HeatTexture texture_;
};

TEST_F(HeatTextureTest, ShowsTheMapThatItWasGivenLast) {
  start();
  const HeatMap first{{0, 0, 6, 4}, 2, 3, {0, 1, kNone, 0.5f, 0, 1}, {{10, 0, 0}, {20, 0, 0}, {30, 0, 0}},
                      {1, 2, 3}};
  HeatMap next = first;
  expect_shown(first, 2);
  const std::uint64_t id = texture_.id();
  expect_shown(next, 2);
  EXPECT_EQ(texture_.id(), id);
  next.values = {0, 1, kNone, 0.5f, 0, 0.5f};
  expect_shown(next, 2);
  EXPECT_NE(texture_.id() >> 32, id >> 32);
  next.values = {0, 1, kNone, 0.5f, 0, kNone};
  expect_shown(next, 2);
  next.table[2] = {99, 98, 97};
  expect_shown(next, 2);
  next.empty = {40, 41, 42};
  expect_shown(next, 2);
  std::swap(next.rows, next.columns);
  expect_shown(next, 2);
  expect_shown(next, 3);
  next.rect.x = 70;
  expect_shown(next, 3);
  expect_shown(first, 2);
}

}  // namespace
}  // namespace warplens::app
