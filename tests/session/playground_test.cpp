// What is tried out in the playground costs what `warplens pattern` says, and is a recording as any
// other.
#include "app/session/playground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "kernels/recording/validate.h"
#include "viz/analysis/pattern_csv.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

struct Predicted {
  std::string wavefronts, conflicts, sectors;
};

Predicted predicted(const analysis::WarpAccess& access, analysis::ComputeCapability cc) {
  const Result<analysis::PatternTable> table = analysis::parse_patterns(analysis::pattern_row(access));
  EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().message());
  const std::string csv = analysis::predictions_csv(*table, cc);
  std::vector<std::string> cells{""};
  for (const char c : csv.substr(csv.find('\n') + 1)) {
    if (c == ',') {
      cells.emplace_back();
    } else if (c != '\n') {
      cells.back() += c;
    }
  }
  return {cells.at(cells.size() - 3), cells.at(cells.size() - 2), cells.back()};
}

TEST(Playground, EqualsThePatternCommand) {
  std::mt19937 random(1);
  const auto below = [&](int most) { return std::uniform_int_distribution<int>(0, most - 1)(random); };
  const std::array<const char*, 6> items{"lane * s + o",   "o",
                                         "31 - lane + o",  "lane % 8 * s + lane / 8 + o",
                                         "(lane ^ s) + o", "lane / 2 * s + o"};
  int costed = 0;
  for (int i = 0; i < 10'000; ++i) {
    Playground playground;
    playground.space = below(2) == 0 ? Space::shared : Space::global;
    const int op = below(playground.space == Space::shared ? 3 : 4);
    playground.op = std::array{AccessOp::load, AccessOp::store, AccessOp::atomic,
                               AccessOp::reduction}[static_cast<std::size_t>(op)];
    playground.bytes = op < 2 ? 1 << below(5) : 4 << below(2);
    playground.items = items[static_cast<std::size_t>(below(items.size()))];
    playground.stride = below(65);
    playground.offset = below(65);
    playground.row_items = 1 + below(256);
    playground.padding = below(33);
    playground.swizzle_bits = below(6);
    playground.mask = below(3) == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random());
    const auto& models = analysis::device_models();
    playground.cc = below(2) == 0
                        ? analysis::ComputeCapability{9, 0}
                        : models[static_cast<std::size_t>(below(static_cast<int>(models.size())))].cc;

    const Result<std::shared_ptr<const Loaded>> loaded = played(playground);
    if (!loaded.ok()) {
      EXPECT_NE(loaded.error().what.find("lane "), std::string::npos)
          << loaded.error().message();  // Beyond what a block may have
      continue;
    }
    ++costed;
    const Recording& recording = *(*loaded)->recording;
    const Result<Done> sound = validate(recording);
    ASSERT_TRUE(sound.ok()) << sound.error().message();
    const AccessCost cost = (*loaded)->report.by_site.front().cost;
    const Predicted wanted =
        predicted(*analysis::access_of(*tried(playground), playground.cc), playground.cc);
    if (playground.space == Space::shared) {
      EXPECT_EQ(std::to_string(cost.wavefronts), wanted.wavefronts) << i;
      EXPECT_EQ(std::to_string(cost.bank_conflicts), wanted.conflicts) << i;
    } else {
      EXPECT_EQ(std::to_string(cost.sectors), wanted.sectors) << i;
    }
  }
  EXPECT_GT(costed, 9'000);
}

TEST(Playground, IsTheCodeOfACourse) {
  const auto wavefronts = [](Playground playground) {
    return (*played(playground))->report.shared_load.cost.wavefronts;
  };
  EXPECT_EQ(wavefronts({.stride = 32}), 32u);
  EXPECT_EQ(wavefronts({.stride = 33}), 1u);
  EXPECT_EQ(wavefronts({.stride = 32, .padding = 1}), 1u);
  EXPECT_EQ(wavefronts({.stride = 32, .swizzle_bits = 5}), 1u);
  EXPECT_EQ(wavefronts({.stride = 32, .swizzle_bits = 2}), 8u);
  EXPECT_EQ(wavefronts({.items = "lane % 8 * 132 + lane / 8", .stride = 0, .row_items = 1}), 1u);
}

TEST(Playground, RefusalsSayWhy) {
  EXPECT_NE(played({.items = "lane * k"}).error().what.find("`k`"), std::string::npos);
  EXPECT_NE(played({.items = "lane - 1"}).error().what.find("lane 0 would access item -1"),
            std::string::npos);
  EXPECT_NE(played({.items = "lane * 10000"}).error().what.find("232,448 bytes of shared memory"),
            std::string::npos);
  EXPECT_TRUE(played({.items = "lane - 1", .mask = 0xfffffffeu}).ok()) << "lane 0 takes no part";
  EXPECT_TRUE(played({.mask = 0}).ok());
}

TEST(Playground, SwizzleTakesTheConflictsOfLdmatrixAway) {
  Playground playground;
  playground.op = AccessOp::ldmatrix;
  playground.bytes = 16;
  playground.items = "lane % 8 * s + lane / 8";
  playground.stride = playground.row_items = 8;  // Rows of 128 bytes
  const auto wavefronts = [&] {
    const Result<std::shared_ptr<const Loaded>> loaded = played(playground);
    EXPECT_TRUE(loaded.ok());
    EXPECT_TRUE(validate(*(*loaded)->recording).ok());
    return (*loaded)->report.matrix_load.cost.wavefronts;
  };
  EXPECT_EQ(wavefronts(), 32u) << "the rows of each matrix lie on the same banks";
  playground.swizzle_bits = 3;
  EXPECT_EQ(wavefronts(), 4u);
  playground.swizzle_bits = 0;
  playground.padding = 1;
  EXPECT_EQ(wavefronts(), 4u);
  const auto access = analysis::access_of(*tried(playground), playground.cc);
  ASSERT_TRUE(access.ok());
  EXPECT_EQ(predicted(*access, playground.cc).wavefronts, "4");
}

}  // namespace
}  // namespace warplens::app
