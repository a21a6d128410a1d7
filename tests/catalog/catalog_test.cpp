#include "kernels/catalog/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>

#include "kernels/catalog/elements.h"

namespace warplens {
namespace {

const KernelDescriptor& kernel(std::string_view id) {
  const KernelDescriptor* found = catalog().find(id);
  if (found == nullptr) throw std::runtime_error("no kernel " + std::string(id));
  return *found;
}

TEST(Catalog, HoldsEveryKernelOfTheFolderOnceByRank) {
  std::set<std::string> files, described;
  for (const auto& file : std::filesystem::directory_iterator(WARPLENS_TEST_DATA "/../../kernels/ladder")) {
    if (file.path().extension() == ".cu") files.insert(file.path().filename());
  }
  std::set<std::string> ids;
  int rank = std::numeric_limits<int>::min();
  for (const KernelDescriptor& descriptor : catalog().kernels()) {
    described.insert(descriptor.source_file);
    EXPECT_TRUE(ids.insert(descriptor.id).second) << descriptor.id;
    EXPECT_GT(descriptor.rank, rank) << descriptor.id;
    rank = descriptor.rank;
  }
  EXPECT_EQ(described, files);
}

TEST(Catalog, EveryKernelIsComplete) {
  for (const KernelDescriptor& descriptor : catalog().kernels()) {
    SCOPED_TRACE(descriptor.id);
    EXPECT_FALSE(descriptor.shows.empty());
    EXPECT_NE(ladder_source(descriptor.source_file).find("__global__"), std::string_view::npos);
    EXPECT_NE(ladder_ptx(descriptor.source_file).find(".visible .entry"), std::string_view::npos);
    for (const ParameterInfo& parameter : descriptor.parameters) {
      EXPECT_TRUE(std::is_sorted(parameter.values.begin(), parameter.values.end()));
      EXPECT_NE(std::find(parameter.values.begin(), parameter.values.end(), parameter.default_value),
                parameter.values.end());
    }
  }
}

TEST(Catalog, KnowsNoOtherKernel) {
  EXPECT_EQ(catalog().find("tile"), nullptr);
  EXPECT_EQ(catalog().find(""), nullptr);
}

TEST(CatalogDeathTest, DuplicateIdAborts) {
  Catalog local;
  local.add({.rank = 1, .id = "twice"});
  EXPECT_DEATH(local.add({.rank = 2, .id = "twice"}), "two kernels are registered as `twice`");
}

TEST(MakeProblem, FillsInDefaults) {
  const Result<Problem> problem = make_problem(kernel("tiled"), 5, 6, 7, {}, "f32");
  ASSERT_TRUE(problem.ok());
  EXPECT_EQ(problem->parameter("T"), 32);
  EXPECT_EQ(problem->m, 5u);
  EXPECT_EQ(problem->p, 6u);
  EXPECT_EQ(problem->n, 7u);
}

TEST(MakeProblem, ListsTheAllowedValues) {
  const Result<Problem> problem = make_problem(kernel("tiled"), 5, 6, 7, {{"T", 7}}, "f32");
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().message(), "T = 7 is not possible for tiled. T is one of 1, 2, 4, 8, 16, 32.");
}

TEST(MakeProblem, RefusesWhatItCannotMean) {
  EXPECT_FALSE(make_problem(kernel("tiled"), 5, 6, 7, {{"K", 8}}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("tiled"), 5, 6, 7, {{"T", 8}, {"T", 16}}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("volkov_padded"), 5, 6, 7, {{"T", 8}}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("tiled"), 5, 6, 7, {}, "f16").ok());
  EXPECT_FALSE(make_problem(kernel("tiled"), 5, 6, 7, {}, "f64").ok());
  EXPECT_TRUE(make_problem(kernel("tiled_shared_a"), 5, 6, 7, {}, "f64").ok());
  EXPECT_TRUE(make_problem(kernel("register_tile"), 5, 6, 7, {}, "i32").ok());
  EXPECT_TRUE(make_problem(kernel("wmma_naive"), 5, 6, 7, {}, "tf32").ok());
  EXPECT_FALSE(make_problem(kernel("mma_plain"), 5, 6, 7, {}, "f32").ok());
}

TEST(MakeProblem, EmptyValueTypeMeansTheKernelsDefault) {
  EXPECT_EQ(make_problem(kernel("tiled"), 5, 6, 7, {}, "")->value_type, "f32");
  EXPECT_EQ(make_problem(kernel("mma_plain"), 5, 6, 7, {}, "")->value_type, "f16");
}

TEST(MakeProblem, KnowsEachKernelsOwnSizes) {
  const Result<Problem> sum = make_problem(kernel("vector_add"), {}, {}, {}, {}, "f32");
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(sum->n, 1000u);
  EXPECT_EQ(sum->m + sum->p, 0u);
  const Result<Problem> product = make_problem(kernel("tiled"), 5, {}, {}, {}, "f32");
  ASSERT_TRUE(product.ok());
  EXPECT_EQ(product->m, 5u);
  EXPECT_EQ(product->n, 256u);
  const Result<Problem> other = make_problem(kernel("vector_add"), {}, 7, {}, {}, "f32");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message(), "vector_add has no size p. Its sizes: n (Elements).");
}

TEST(MakeProblem, KeepsTheLimitOfSharedMemory) {
  EXPECT_TRUE(make_problem(kernel("buffered_row"), 1, 12288, 1, {}, "f32").ok());
  const Result<Problem> too_much = make_problem(kernel("buffered_row"), 1, 12289, 1, {}, "f32");
  ASSERT_FALSE(too_much.ok());
  EXPECT_NE(too_much.error().message().find("49152"), std::string::npos) << too_much.error().message();
}

TEST(MakeProblem, KernelsFrom80OnMayOptInToMoreSharedMemory) {
  const KernelDescriptor& pipelined = kernel("mma_pipelined");
  const LaunchPlan plan = pipelined.plan(*make_problem(pipelined, 256, 256, 256, {{"S", 4}}, ""));
  EXPECT_EQ(plan.dynamic_shared_bytes, 96u * 1024);
}

TEST(MakeProblem, RefusesEmptyAndHugeMatrices) {
  EXPECT_FALSE(make_problem(kernel("tiled"), 0, 6, 7, {}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("tiled"), 5, 0, 7, {}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("tiled"), 5, 6, 0, {}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("tiled"), UINT64_MAX, UINT64_MAX, UINT64_MAX, {}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("naive"), 1, kMaxInnerExtent + 1, 1, {}, "f32").ok());
  const Result<Problem> too_large =
      make_problem(kernel("naive"), 46341, 16, 46341, {}, "f32");  // 46341^2 > 2^31 - 1
  ASSERT_FALSE(too_large.ok());
  EXPECT_NE(too_large.error().message().find("32-bit ints"), std::string::npos)
      << too_large.error().message();
  EXPECT_TRUE(make_problem(kernel("naive"), 46340, 16, 46340, {}, "f32").ok());
}

TEST(MakeProblem, PaddingCountsToo) {
  EXPECT_TRUE(make_problem(kernel("naive"), 46337, 46337, 1, {}, "f32").ok());
  EXPECT_TRUE(make_problem(kernel("tiled"), 46337, 46337, 1, {{"T", 1}}, "f32").ok());
  EXPECT_FALSE(make_problem(kernel("tiled"), 46337, 46337, 1, {}, "f32").ok());  // 46368 x 46368
}

TEST(MakeProblem, KeepsTheLimitsOfTheGrid) {
  EXPECT_TRUE(make_problem(kernel("naive"), 65535, 1, 1, {{"T", 1}}, "f32").ok());
  const Result<Problem> too_many = make_problem(kernel("naive"), 65536, 1, 1, {{"T", 1}}, "f32");
  ASSERT_FALSE(too_many.ok());
  EXPECT_NE(too_many.error().message().find("65535"), std::string::npos);
  EXPECT_TRUE(make_problem(kernel("naive_uncoalesced"), 65536, 1, 1, {{"T", 1}}, "f32").ok())
      << "rows run along x there";
}

// The tiles that blocks own cover C, each element once.
TEST(Plan, OutputTilesCoverCOnce) {
  for (const KernelDescriptor& descriptor : catalog().kernels()) {
    const auto extent = [&](char name, std::uint64_t value) {
      return descriptor.has_extent(name) ? std::optional(value) : std::nullopt;
    };
    const Result<Problem> problem =
        make_problem(descriptor, extent('m', 100), extent('p', 33), extent('n', 130), {}, "");
    ASSERT_TRUE(problem.ok());
    const LaunchPlan plan = descriptor.plan(*problem);
    SCOPED_TRACE(plan.entry);
    std::set<std::pair<std::uint64_t, std::uint64_t>> tiles;
    std::uint64_t elements = 0;
    for (std::uint32_t y = 0; y < plan.grid.y; ++y) {
      for (std::uint32_t x = 0; x < plan.grid.x; ++x) {
        const std::vector<Part> parts = parts_of(plan, std::vector<Dim3>{{x, y, 0}});
        EXPECT_FALSE(parts.empty()) << x << ", " << y;
        for (const Part& part : parts) {
          EXPECT_TRUE(tiles.emplace(part.row, part.column).second) << part.row << ", " << part.column;
          elements += part.rows * part.columns;
        }
      }
    }
    EXPECT_EQ(elements, plan.c.padded_rows * plan.c.padded_columns);
  }
}

TEST(Plan, GroupedTilesRunDownTheColumnsOfAGroup) {
  // 10 x 2 tiles of 128 x 256 in groups of 8 rows, for 20 blocks
  const LaunchPlan plan =
      kernel("warp_specialised").plan(*make_problem(kernel("warp_specialised"), 1280, 64, 512, {}, ""));
  ASSERT_EQ(plan.grid.x, 20u);
  const auto first_element = [&](std::uint32_t block) {
    const Part part = parts_of(plan, std::vector<Dim3>{{block, 0, 0}}).at(0);
    return std::pair(part.row, part.column);
  };
  EXPECT_EQ(first_element(7), std::pair(std::uint64_t{7 * 128}, std::uint64_t{0}));
  EXPECT_EQ(first_element(8), std::pair(std::uint64_t{0}, std::uint64_t{256}));
  EXPECT_EQ(first_element(16), std::pair(std::uint64_t{8 * 128}, std::uint64_t{0}));
  EXPECT_EQ(first_element(18), std::pair(std::uint64_t{8 * 128}, std::uint64_t{256}));
}

TEST(Plan, PadsOnlyWhereTheKernelNeedsIt) {
  const auto plan = [](std::string_view id) {
    return kernel(id).plan(*make_problem(kernel(id), 100, 33, 130, {}, "f32"));
  };
  EXPECT_FALSE(plan("naive").a.padded());
  EXPECT_FALSE(plan("naive_uncoalesced").c.padded());
  EXPECT_EQ(plan("tiled").kernel_m(), 128u);
  EXPECT_EQ(plan("tiled").kernel_p(), 64u);
  EXPECT_EQ(plan("tiled").kernel_n(), 160u);
  EXPECT_EQ(plan("volkov_padded").kernel_m(), 112u);
  EXPECT_EQ(plan("volkov_padded").kernel_p(), 64u);
  EXPECT_EQ(plan("volkov_padded").kernel_n(), 192u);
  EXPECT_EQ(plan("register_block").kernel_m(), 128u);
  EXPECT_EQ(plan("register_block").kernel_p(), 40u);
  EXPECT_EQ(plan("register_block").kernel_n(), 256u);
}

TEST(LadderCapability, IsThatOfThePtx) {
  EXPECT_EQ(ladder_capability("tiled.cu"), 75);
  EXPECT_EQ(ladder_capability("async_copy.cu"), 80);
}

TEST(LadderListing, SaysWhichCapabilityAKernelNeeds) {
  const Result<std::string> listing = ladder_listing("async_copy.cu", "sm_75");
  ASSERT_FALSE(listing.ok());
  EXPECT_EQ(listing.error().what, "it needs compute capability 8.0 or later");
  EXPECT_EQ(listing.error().where, "async_copy.sm_75.sass");
  EXPECT_TRUE(ladder_listing("async_copy.cu", "sm_86").ok());
}

TEST(IntegerMatrix, SmallIntegersTheSameEverywhere) {
  const std::vector<float> matrix = integer_matrix(3, 4, 1);
  EXPECT_EQ(matrix, (std::vector<float>{3, -2, 2, 1, 1, -3, 1, 0, -3, -3, -2, -2}));
  const std::vector<float> large = integer_matrix(100, 100, 2);
  const std::set<float> values(large.begin(), large.end());
  EXPECT_EQ(values, (std::set<float>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_NE(integer_matrix(3, 4, 1), integer_matrix(3, 4, 2));
}

std::vector<float> plain_product(const std::vector<float>& a, const std::vector<float>& b, std::uint64_t m,
                                 std::uint64_t p, std::uint64_t n) {
  std::vector<float> c(m * n);
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::uint64_t k = 0; k < p; ++k)
        sum += static_cast<std::int64_t>(a[i * p + k]) * static_cast<std::int64_t>(b[k * n + j]);
      c[i * n + j] = static_cast<float>(sum);
    }
  }
  return c;
}

TEST(ReferenceProduct, EqualsTheDefinition) {
  struct Shape {
    std::uint64_t m, p, n;
  };
  for (const auto [m, p, n] :
       {Shape{1, 1, 1}, {1, 7, 1}, {5, 3, 2}, {17, 130, 33}, {64, 65, 1100}, {300, 129, 257}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << p << " x " << n);
    const std::vector<float> a = integer_matrix(m, p, 3), b = integer_matrix(p, n, 4);
    EXPECT_EQ(reference_product(a, b, m, p, n), plain_product(a, b, m, p, n));
  }
}

TEST(LadderKernelOf, IsByOriginAndNotByName) {
  Recording recording;
  recording.kernel = "tiled";
  recording.origin = Origin::ladder;
  EXPECT_EQ(ladder_kernel_of(recording), catalog().find("tiled"));
  recording.origin = Origin::file;
  EXPECT_EQ(ladder_kernel_of(recording), nullptr);
  recording.verified = true;
  EXPECT_EQ(ladder_kernel_of(recording), nullptr);
  recording.origin = Origin::ladder;
  recording.kernel = "of_a_later_version";
  EXPECT_EQ(ladder_kernel_of(recording), nullptr);
}

TEST(LadderKernelOf, IsInferredOfFilesThatDoNotSay) {
  Recording recording;
  recording.kernel = "tiled";
  EXPECT_EQ(ladder_kernel_of(recording), nullptr) << "a user's: nothing verified it";
  recording.verified = false;
  EXPECT_EQ(ladder_kernel_of(recording), catalog().find("tiled"));
}

}  // namespace
}  // namespace warplens
