// What a class sees of an access while it is asked what that costs.
#include "viz/picture/touched_elements.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "picture/makers.h"
#include "viz/canvas/canvas.h"

namespace warplens::picture {
namespace {

std::size_t lanes_in(const Picture& picture) {
  std::size_t lanes = 0;
  for (const Region& region : picture.regions) lanes += region.target.kind == Target::Kind::lane ? 1 : 0;
  return lanes;
}

TEST(TouchedElements, HasEveryLaneAndNoCost) {
  std::size_t drawn = 0;
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    Moment moment = subject.moment;
    moment.recording = &subject.recording;
    const auto event = moment.event();
    for (const Size size : {Size{1200, 900}, Size{400, 300}, Size{60, 40}, Size{1, 1}}) {
      const Picture picture = make_touched_elements(moment, {}, size, {&dark_palette(), 1, kTinySize});
      for (const Item& item : picture.items) {
        const auto* const text = std::get_if<Text>(&item);
        if (text == nullptr) continue;
        for (const char* const cost : {"wavefront", "sector", "conflict", "bank"})
          EXPECT_EQ(text->text.find(cost), std::string::npos) << text->text;
      }
      if (!event || picture.items.empty() || size.width < 1000) continue;
      ++drawn;
      EXPECT_EQ(lanes_in(picture), static_cast<std::size_t>(std::popcount(moment.access(*event).mask)));
    }
  }
  EXPECT_GT(drawn, 3u);
}

TEST(TouchedElements, OfNothingIsNothing) {
  const Recording empty;
  Moment moment;
  moment.recording = &empty;
  EXPECT_TRUE(make_touched_elements(moment, {}, {400, 300}, {&dark_palette(), 1}).items.empty());
}

}  // namespace
}  // namespace warplens::picture
