#include "kernels/catalog/arithmetic.h"

#include <gtest/gtest.h>

#include <map>

namespace warplens {
namespace {

double intensity(const std::string& id, std::uint64_t m, std::uint64_t p, std::uint64_t n,
                 const std::vector<NamedValue>& parameters = {}, const std::string& value_type = "f32") {
  const KernelDescriptor& kernel = *catalog().find(id);
  const auto problem = make_problem(kernel, m, p, n, parameters, value_type);
  EXPECT_TRUE(problem.ok());
  return figures_by_formula(kernel, *problem).value().intensity();
}

TEST(LoadFormula, EveryLadderKernelHasOneAndNoDemonstrator) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    SCOPED_TRACE(kernel.id);
    EXPECT_EQ(kernel.global_loads.count != nullptr, kernel.group == KernelGroup::ladder);
    EXPECT_EQ(std::string_view(kernel.global_loads.loads).empty(), kernel.group != KernelGroup::ladder);
    EXPECT_EQ(std::string_view(kernel.global_loads.intensity).empty(), kernel.group != KernelGroup::ladder);
  }
}

TEST(LoadFormula, GivesTheTextbooksRatios) {
  EXPECT_EQ(intensity("naive", 256, 256, 256), 0.25);
  EXPECT_EQ(intensity("naive", 100, 37, 5), 0.25);
  for (const std::int64_t tile : {1, 2, 4, 8, 16, 32}) {
    EXPECT_EQ(intensity("tiled", 256, 256, 256, {{"T", tile}}), static_cast<double>(tile) / 4);
  }
  EXPECT_EQ(intensity("tiled_guarded", 256, 256, 256), 4);
  EXPECT_EQ(intensity("tiled_dynamic", 240, 240, 240, {{"T", 12}}), 3);
  EXPECT_EQ(intensity("buffered_row", 256, 256, 256), 256.0 / (2 * 257));
  EXPECT_EQ(intensity("buffered_column", 256, 256, 256), 256.0 / (2 * 257));
  EXPECT_EQ(intensity("tiled_shared_a", 256, 256, 256), 8.0 / 17);
  EXPECT_EQ(intensity("tiled_shared_a", 256, 256, 256, {}, "f64"), 4.0 / 17);
  EXPECT_EQ(intensity("register_tile", 256, 256, 256, {{"T", 8}}), 2);
  EXPECT_EQ(intensity("volkov", 256, 256, 256), 6.4);
  EXPECT_EQ(intensity("register_block", 256, 256, 256), 32);
  EXPECT_EQ(intensity("wmma_naive", 256, 256, 256, {}, "f16"), 8);
  EXPECT_EQ(intensity("wmma_naive", 256, 256, 256, {}, "tf32"), 4);
  EXPECT_EQ(intensity("mma_plain", 256, 256, 256, {}, "bf16"), 64);
  EXPECT_EQ(intensity("mma_pipelined", 256, 256, 256, {}, "f16"), 256.0 / 3);
}

TEST(LoadFormula, PaddingLowersTheRatio) {
  // 33 is padded to 64 in each direction: eight times the loads of 32, for hardly more of the product.
  EXPECT_NEAR(intensity("tiled", 33, 33, 33), 8 * 33.0 * 33 * 33 / (64 * 64 * 64), 1e-12);
  EXPECT_EQ(intensity("tiled", 64, 64, 64), 8);
}

TEST(LadderByFormula, TensorCoreTypeListsTheKernelsThatAcceptIt) {
  std::vector<std::string> ids;
  for (const CatalogKernel& catalog_kernel : ladder_by_formula(256, 256, 256, "mma_plain", {}, "bf16")) {
    ids.push_back(catalog_kernel.kernel);
    EXPECT_EQ(catalog_kernel.value_type, "bf16");
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"wmma_naive", "wmma_shared", "mma_plain", "mma_swizzled",
                                           "mma_pipelined", "tma_wgmma", "warp_specialised"}));
  EXPECT_TRUE(ladder_by_formula(256, 256, 256, "", {}, "s8").empty());
}

TEST(LadderByFormula, HoldsAllKernelsInOrder) {
  const auto ladder_kernels = ladder_by_formula(256, 256, 256, "tiled", {{"T", 8}});
  std::vector<std::string> ids, expected;
  for (const CatalogKernel& catalog_kernel : ladder_kernels) ids.push_back(catalog_kernel.kernel);
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group == KernelGroup::ladder && kernel.value_types.front() == "f32")
      expected.push_back(kernel.id);
  }
  EXPECT_EQ(ids, expected);
  for (const CatalogKernel& catalog_kernel : ladder_kernels) {
    if (catalog_kernel.kernel != "tiled") continue;
    EXPECT_EQ(catalog_kernel.figures.intensity(), 2);
    EXPECT_EQ(name_with_tile(catalog_kernel.kernel, catalog_kernel.parameters), "tiled, T = 8");
  }
}

TEST(LadderByFormula, LeavesOutWhatCannotBeLaunched) {
  const auto ladder_kernels =
      ladder_by_formula(64, 20000, 64);  // A row of A is more than a block's shared memory holds
  EXPECT_EQ(ladder_kernels.size() + 2, ladder_by_formula(64, 64, 64).size());
  for (const CatalogKernel& catalog_kernel : ladder_kernels)
    EXPECT_FALSE(catalog_kernel.kernel.starts_with("buffered"));
}

}  // namespace
}  // namespace warplens
