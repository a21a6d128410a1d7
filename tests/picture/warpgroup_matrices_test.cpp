// Fragments of wgmma: which warp has which rows of D, and where A and B lie in shared memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "picture/warpgroup.h"
#include "viz/picture/fragments.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

using test::kPlaceOfA;
using test::kPlaceOfB;
constexpr std::uint32_t kBase = test::kWarpgroupBase;
constexpr std::size_t kD = 0, kA = 1, kB = 2;

struct WarpgroupSubject : test::WarpgroupSubject {
  Moment moment{.recording = &recording, .cc = {9, 0}, .warp = test::kWarpOfGroup};

  [[nodiscard]] Picture make(const Highlight& highlight, bool has_values = true,
                             Size size = {1200, 800}) const {
    return make_fragments(moment, instructions, 0, has_values ? &matrices : nullptr, highlight, size,
                          {&dark_palette(), 1});
  }
};

const Region* region_that_begins(const Picture& picture, const std::string& words) {
  const auto found = std::ranges::find_if(
      picture.regions, [&](const Region& region) { return region.tooltip.starts_with(words); });
  return found == picture.regions.end() ? nullptr : &*found;
}
std::size_t count_of(const Picture& picture, Target::Kind kind, std::size_t matrix) {
  return static_cast<std::size_t>(std::ranges::count_if(picture.regions, [&](const Region& region) {
    const auto divisor = kind == Target::Kind::matrix_element ? kWarpSize : std::int64_t{1} << 32;
    return region.target.kind == kind && region.target.a / divisor == static_cast<std::int64_t>(matrix);
  }));
}

TEST(WarpgroupMatrices, RowsOfDCountFromTheWarpgroupsFirst) {
  const WarpgroupSubject subject;
  const Picture picture = subject.make({});
  // Row 9 of the third warp's 16, column 11: lane 4 * (9 % 8) + 11 % 8 / 2, register 4 * (11 / 8) + 2 + 11 %
  // 2
  const Region* const cell = region_that_begins(picture, "D[41][11]:");
  ASSERT_NE(cell, nullptr);
  EXPECT_TRUE(cell->tooltip.starts_with("D[41][11]: lane 5, %f7\n")) << cell->tooltip;
  EXPECT_NE(region_that_begins(picture, "warp 2: rows 32 to 47"), nullptr);
  EXPECT_NE(region_that_begins(picture, "warp 3: rows 48 to 63"), nullptr);
}

TEST(WarpgroupMatrices, ElementsInSharedMemoryNameAddressAndBank) {
  const WarpgroupSubject subject;
  const Picture picture = subject.make({});
  // Column 9, k = 10: row 9 of 128 bytes, byte 20, whose piece 1 the swizzle exchanges for piece 1 ^ 1.
  const std::uint32_t address = kPlaceOfB + 9 * 128 + (1 ^ 1) * 16 + 4;
  const Region* const cell = region_that_begins(picture, "B[10][9]:");
  ASSERT_NE(cell, nullptr);
  EXPECT_NE(cell->tooltip.find("at " + hexadecimal(address) + ", bank 1\n"), std::string::npos)
      << cell->tooltip;
  EXPECT_EQ(cell->target.kind, Target::Kind::shared_matrix_element);
  EXPECT_EQ(static_cast<std::uint32_t>(cell->target.a), (address - kBase) / 4);
  const Region* const of_a = region_that_begins(picture, "A[33][0]:");
  ASSERT_NE(of_a, nullptr);
  EXPECT_NE(of_a->tooltip.find("at " + hexadecimal(kPlaceOfA + 33 * 128 + 16)), std::string::npos)
      << of_a->tooltip;
}

TEST(WarpgroupMatrices, AddressesInSharedMemoryAreUnknownWithoutValues) {
  const WarpgroupSubject subject;
  const Picture picture = subject.make({}, false);
  EXPECT_EQ(count_of(picture, Target::Kind::shared_matrix_element, kB), 0u);
  EXPECT_EQ(picture.sentence, "The values of the matrices are not known.");
  EXPECT_GT(count_of(picture, Target::Kind::matrix_element, kD), 0u);
}

TEST(WarpgroupMatrices, PageWithTheHighlightedElementIsDrawn) {
  const WarpgroupSubject subject;
  const Picture first = subject.make({});
  const std::size_t drawn = count_of(first, Target::Kind::shared_matrix_element, kB) / 16;
  EXPECT_GE(drawn, 16u);
  EXPECT_LT(drawn, 256u) << "a picture is bounded";
  EXPECT_EQ(count_of(first, Target::Kind::shared_matrix_element, kA), 16u * 16);
  EXPECT_EQ(region_that_begins(first, "D[32][200]:"), nullptr);
  const Picture other =
      subject.make({.matrix_element = MatrixElement{.matrix = kD, .row = 0, .column = 200}});
  EXPECT_NE(region_that_begins(other, "D[32][200]:"), nullptr);
  EXPECT_EQ(count_of(other, Target::Kind::shared_matrix_element, kB) / 16, drawn);
}

TEST(WarpgroupMatrices, WordOfSharedMemoryLightsItsElements) {
  const WarpgroupSubject subject;
  const std::uint32_t word = (kPlaceOfB - kBase + 200 * 128) / 4;  // Column 200, k = 0 and 1
  const Picture picture = subject.make({.shared_word = word});
  const Region* const cell = region_that_begins(picture, "B[1][200]:");
  ASSERT_NE(cell, nullptr);
  const auto outlines = std::ranges::count_if(picture.items, [&](const Item& item) {
    const auto* const outline = std::get_if<OutlinedRect>(&item);
    return outline != nullptr && cell->rect.contains({outline->rect.x, outline->rect.y});
  });
  EXPECT_EQ(outlines, 1);
}

TEST(WarpgroupMatrices, TableHasAddressesOfSharedMemory) {
  const WarpgroupSubject subject;
  analysis::Results results;
  auto facts = std::make_shared<analysis::Facts>();
  facts->matrix_instructions = subject.instructions;
  results.facts = std::move(facts);
  viz::Subject of_view{.moment = subject.moment, .results = &results, .matrix_instruction = 0};
  of_view.details = std::make_shared<const BlockDetails>(subject.matrices);
  const std::string table = viz::find_view("fragments")->table(of_view);
  EXPECT_NE(table.find("\nD,41,11,5,%f7,0,0,\n"), std::string::npos);
  EXPECT_NE(table.find("\nB,10,9,,,,0,0x2884\n"), std::string::npos);
  EXPECT_NE(table.find("\nA,33,0,,,,0,0x1490\n"), std::string::npos);
}

}  // namespace
}  // namespace warplens::picture
