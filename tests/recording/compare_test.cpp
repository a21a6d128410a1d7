#include "kernels/recording/compare.h"

#include <gtest/gtest.h>

#include "recording/sample.h"

namespace warplens {
namespace {

/// The differences between the sample and the sample changed by `change`.
template <class Change>
std::vector<std::string> after(Change change) {
  const Recording a = sample::make();
  Recording b = a;
  change(b);
  std::vector<std::string> texts;
  for (const Difference& difference : differences(a, b)) texts.push_back(difference.what);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Compare, EqualRecordingsDoNotDiffer) {
  EXPECT_EQ(after([](Recording&) {}), Texts{});
}

TEST(Compare, EngineDeviceAndTimeAreNotCompared) {
  EXPECT_EQ(after([](Recording& b) {
              b.engine = "gpu";
              b.device = "another";
              b.seconds = 99;
            }),
            Texts{});
}

TEST(Compare, NamesTheLineAndBothCounts) {
  EXPECT_EQ(after([](Recording& b) { b.totals[sample::kReadA].requests = 1048577; }),
            Texts{"line 9 shared load: 512 against 1,048,577 requests"});
}

TEST(Compare, NamesTheEventThatDiffers) {
  EXPECT_EQ(after([](Recording& b) { b.events.base[0] += 0x80; }),
            Texts{"event 0 (block 0,0 warp 0 order 0): base 0x100000 against 0x100080"});
  EXPECT_EQ(after([](Recording& b) { b.events.mask[18] = 0xf; }),
            Texts{"event 18 (block 0,0 warp 1 order 0): active lanes 0xffffffff against 0x0000000f"});
  EXPECT_EQ(after([](Recording& b) { b.events.site[0] = sample::kFillA; }),
            Texts{"event 0 (block 0,0 warp 0 order 0): line 6 global load (site 0) against line 6 shared "
                  "store (site 1)"});
}

TEST(Compare, NamesTheLaneThatDiffers) {
  const auto texts = after([](Recording& b) {
    Shape shape = b.shapes[b.events.shape[0]];
    shape[5] += 4;
    b.events.shape[0] = static_cast<std::uint32_t>(b.shapes.size());
    b.shapes.push_back(shape);
  });
  EXPECT_EQ(texts,
            Texts{"event 0 (block 0,0 warp 0 order 0): lane 5 lies 20 against 24 bytes from the base"});
}

TEST(Compare, ShapesMayBeNumberedDifferently) {
  EXPECT_EQ(after([](Recording& b) {
              const auto count = static_cast<std::uint32_t>(b.shapes.size());
              b.shapes.insert(b.shapes.begin(), Shape{});
              b.shapes[0][31] = 77;
              ASSERT_EQ(b.shapes.size(), count + 1);
              for (std::uint32_t& shape : b.events.shape) ++shape;
              for (SiteTotals& totals : b.totals) {
                for (PatternCount& pattern : totals.patterns) ++pattern.shape;
              }
            }),
            Texts{});
}

TEST(Compare, MissingEventsAreSaid) {
  EXPECT_EQ(after([](Recording& b) {
              for (auto* column : {&b.events.site, &b.events.block, &b.events.warp, &b.events.phase,
                                   &b.events.order, &b.events.mask, &b.events.shape}) {
                column->pop_back();
              }
              b.events.base.pop_back();
            }),
            Texts{"events: 1,152 against 1,151 accesses"});
}

TEST(Compare, LaunchSitesPhasesAndFindingsAreCompared) {
  EXPECT_EQ(after([](Recording& b) { b.grid = {3, 2, 1}; }), Texts{"grid: `2 x 2` against `3 x 2`"});
  EXPECT_EQ(after([](Recording& b) { b.parameters[0].value = 16; }),
            Texts{"parameter: `T = 32` against `T = 16`"});
  EXPECT_EQ(after([](Recording& b) { b.buffers[2].pitch = 72; }).size(), 1u);
  EXPECT_EQ(after([](Recording& b) { b.shared_arrays[0].pitch = 33; }).size(), 1u);
  EXPECT_EQ(after([](Recording& b) { b.sites[2].bytes = 8; }),
            Texts{"memory instruction: `tiled.cu line 7 global load, 4 bytes per lane` against `tiled.cu "
                  "line 7 global load, 8 bytes per lane`"});
  EXPECT_EQ(after([](Recording& b) { b.sites[2].ptx_line = 1; }), Texts{});
  EXPECT_EQ(after([](Recording& b) { b.phases[1].shared_loads = 1; }),
            Texts{"phase 1: 512 against 1 shared loads"});
  EXPECT_EQ(after([](Recording& b) { b.findings.pop_back(); }), Texts{"kernel: 2 against 1 findings"});
  EXPECT_EQ(after([](Recording& b) { b.findings[0].lanes = 1; }).size(), 1u);
  EXPECT_EQ(after([](Recording& b) { b.totals[0].patterns[0].alignment += 4; }),
            Texts{"line 6 global load: other addresses, from pattern 1 on"});
}

TEST(Compare, NamesEveryFigureOfJudgedRequests) {
  // What a report adds up without any pattern: nothing else tells of it.
  for (const auto figure :
       {&AccessCost::sectors, &AccessCost::ideal_sectors, &AccessCost::lines, &AccessCost::wavefronts,
        &AccessCost::ideal_wavefronts, &AccessCost::bank_conflicts}) {
    EXPECT_EQ(after([&](Recording& b) { b.totals[3].unkept_cost.*figure = 7; }).size(), 1u);
  }
}

TEST(Compare, StopsAtTheLimit) {
  const Recording a = sample::make();
  Recording b = a;
  for (std::uint64_t& base : b.events.base) base += 4;
  EXPECT_EQ(differences(a, b, 7).size(), 7u);
  EXPECT_EQ(differences(a, b).size(), 20u);
  EXPECT_TRUE(differences(a, b, 0).empty());
}

}  // namespace
}  // namespace warplens
