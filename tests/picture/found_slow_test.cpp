// Findings at the access that they are of: who is at fault, what both accesses of a race touch, where a
// buffer ends.
#include "viz/picture/found.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/pseudo_language.h"
#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/picture/banks.h"
#include "viz/picture/coalescing.h"

namespace warplens::picture {
namespace {

/// Every access of it, and the one without an event, at that size.
void expect_sound_at(const Recording& recording, Size size, const Style& style,
                     analysis::ComputeCapability cc) {
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    for (std::uint32_t step = 0; step < 5; ++step) {
      for (const std::optional<std::uint32_t> finding :
           {std::optional<std::uint32_t>(), std::optional(test::finding_on(recording, 9))}) {
        const Moment moment{&recording, cc, 0, warp, 0, step, finding};
        for (const std::optional<int> lane : {std::optional<int>(), std::optional(3), std::optional(31)}) {
          SCOPED_TRACE(std::to_string(size.width) + ", step " + std::to_string(step) + " of warp " +
                       std::to_string(warp));
          expect_sound(make_coalescing(moment, {.lane = lane}, size, style), style.scale);
          expect_sound(make_banks(moment, {.lane = lane}, size, style), style.scale);
        }
      }
    }
  }
}

TEST(Found, PicturesAreSoundAtEverySizeUnderAllRules) {
  const Recording recording = test::wrong();
  for (const Size size :
       {Size{300, 120}, Size{420, 300}, Size{560, 80}, Size{700, 500}, Size{1100, 800}, Size{1900, 1000}}) {
    for (const analysis::ComputeCapability cc :
         {kHopper, analysis::ComputeCapability{1, 0}, analysis::ComputeCapability{3, 5}}) {
      expect_sound_at(recording, size, kStyle, cc);
      expect_sound_at(recording, size, {&light_palette(), 2}, cc);
      const PseudoLanguage pseudo;
      expect_sound_at(recording, size, kStyle, cc);
    }
  }
}

}  // namespace
}  // namespace warplens::picture
