// Every maker at every size that a panel can be dragged to, and at every scale: it ends, and what it draws is
// sound. That nothing leaves the picture and no text lies on another is for the sizes that one can read
// (properties_test.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "picture/figures.h"
#include "picture/kernels.h"
#include "picture/makers.h"
#include "picture/sound.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/frame.h"
#include "viz/picture/occupancy.h"
#include "viz/picture/rate_bars.h"
#include "viz/picture/tile_phases/tile_phases.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

constexpr std::size_t kMaxItems = 200000;  ///< Of a picture; more would not be drawn in time

/// One by one as long as a pixel may make a difference, then in steps of a third.
std::vector<float> extents(float largest) {
  std::vector<float> all;
  for (float extent = 1; extent <= largest; extent = extent < 40 ? extent + 1 : std::floor(extent * 1.33f))
    all.push_back(extent);
  all.push_back(largest);
  return all;
}

std::vector<Size> sizes() {
  std::vector<Size> all;
  for (const float width : extents(4000)) {
    for (const float height : extents(3000)) all.push_back({width, height});
  }
  return all;
}

bool is_sound(const Rect& rect) {
  const bool finite = std::isfinite(rect.x) && std::isfinite(rect.y) && std::isfinite(rect.width) &&
                      std::isfinite(rect.height);
  return finite && rect.width >= 0 && rect.height >= 0;
}

/// What is wrong with it; empty: nothing.
std::string fault_of(const Picture& picture) {
  if (picture.items.size() > kMaxItems) return std::to_string(picture.items.size()) + " items";
  for (const Item& item : picture.items) {
    const Rect bounds = std::visit(Bounds{}, item);
    const auto* const map = std::get_if<HeatMap>(&item);
    const bool whole = map == nullptr ||
                       (map->values.size() == std::size_t{map->rows} * map->columns && !map->table.empty());
    if (is_sound(bounds) && whole) continue;
    return "an item of kind " + std::to_string(item.index()) + " at " + std::to_string(bounds.x) + "," +
           std::to_string(bounds.y) + " of " + std::to_string(bounds.width) + " x " +
           std::to_string(bounds.height);
  }
  for (const Region& region : picture.regions) {
    if (!is_sound(region.rect))
      return "a region of " + std::to_string(region.rect.width) + " x " + std::to_string(region.rect.height);
  }
  return {};
}

/// Where it is presented, no letter is smaller than the hall can read: but numbers in or above cells, of
/// which colour and place say the same.
std::string smaller_text(const Picture& picture, float min) {
  for (const Item& item : picture.items) {
    const auto* const text = std::get_if<Text>(&item);
    const bool number = text != nullptr && text->align == Align::centre &&
                        text->text.find_first_not_of("0123456789 +\u2212") == std::string::npos;
    if (text != nullptr && !number && text->size < min - 0.01f)
      return text->text + " of " + std::to_string(text->size) + " pixels";
  }
  return {};
}

class EverySize : public testing::TestWithParam<std::size_t> {};

/// Each size at one of the scales in turn; with WARPLENS_EVERY_SCREEN at all of them.
TEST_P(EverySize, EndsInASoundPicture) {
  constexpr std::array kScales{0.5f, 1.0f, 1.5f, 2.0f, 4.0f};
  const bool all = std::getenv("WARPLENS_EVERY_SCREEN") != nullptr;
  const NamedMaker& maker = makers()[GetParam()];
  std::size_t turn = 0;
  for (const Subject& subject : subjects()) {
    viz::Subject drawn{.moment = subject.moment, .results = subject.results.get()};
    drawn.moment.recording = &subject.recording;
    for (const Size size : sizes()) {
      for (const float scale : all ? std::span<const float>(kScales)
                                   : std::span<const float>(&kScales.at(turn++ % kScales.size()), 1)) {
        const Style style{&dark_palette(), scale};
        const std::string fault = fault_of(maker.make(drawn, size, style));
        ASSERT_TRUE(fault.empty()) << maker.name << " of " << subject.name << ", " << size.width << " x "
                                   << size.height << " at " << scale << ": " << fault;
      }
    }
  }
}

TEST_P(EverySize, HasNoSmallerTextThanIsAskedFor) {
  const NamedMaker& maker = makers()[GetParam()];
  for (const Subject& subject : subjects()) {
    viz::Subject drawn{.moment = subject.moment, .results = subject.results.get()};
    drawn.moment.recording = &subject.recording;
    for (const Size size :
         {Size{1240, 560}, Size{1860, 760}, Size{900, 560}, Size{560, 560}, Size{400, 300}}) {
      for (const float scale : {1.87f, 2.53f}) {
        const std::string smaller =
            smaller_text(maker.make(drawn, size, {&dark_palette(), scale, kTinySize}), kTinySize * scale);
        EXPECT_EQ(smaller, "") << maker.name << " of " << subject.name << ", " << size.width << " x "
                               << size.height << " at " << scale;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Makers, EverySize, testing::Range<std::size_t>(0, makers().size()),
                         [](const auto& index) {
                           std::string name = makers()[index.param].name;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

/// A matrix of one column and very many rows beside one of a single row: their tiles are more than there are
/// pixels.
TEST(EverySize, VeryLongMatricesEnd) {
  Recording recording = test::naive(20, 37, 5);
  recording.buffers[0].rows = 2'000'000'000;
  recording.buffers[0].columns = 1;
  recording.buffers[1].rows = 1;
  recording.buffers[1].columns = std::uint64_t{1} << 31;
  for (const float scale : {0.5f, 4.0f}) {
    for (const Size size : {Size{4, 4}, Size{60, 1000}, Size{700, 500}, Size{4000, 100}}) {
      const Picture picture =
          make_tile_phases({.recording = &recording, .cc = {9, 0}}, analysis::phase_kinds(recording), {},
                           size, {&dark_palette(), scale});
      EXPECT_EQ(fault_of(picture), "") << size.width << " x " << size.height << " at " << scale;
    }
  }
}

TEST(EverySize, FramesHoldEveryPicture) {
  for (const Size size : sizes()) {
    for (const float scale : {0.5f, 1.0f, 4.0f}) {
      const Style style{&dark_palette(), scale};
      const Size inside = frame_inside(size, style);
      ASSERT_GE(inside.width, 0);
      ASSERT_GE(inside.height, 0);
      const std::string fault = fault_of(framed(make_published(lines(true), inside, style), size, style));
      ASSERT_TRUE(fault.empty()) << size.width << " x " << size.height << " at " << scale << ": " << fault;
    }
  }
}

}  // namespace
}  // namespace warplens::picture
