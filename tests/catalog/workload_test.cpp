#include "kernels/catalog/workload.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>

namespace warplens {
namespace {

LaunchPlan plan_of(std::uint64_t m, std::uint64_t p, std::uint64_t n) {
  const Problem problem{.m = m, .p = p, .n = n, .parameters = {{"T", 8}}, .value_type = "f32"};
  return catalog().find("tiled")->plan(problem);
}

Workload workload_of(const LaunchPlan& plan) {
  return product_workload(
      {.m = plan.a.rows, .p = plan.a.columns, .n = plan.b.columns, .parameters = {}, .value_type = "f32"},
      plan);
}

// What a right kernel leaves in C.
std::vector<std::byte> right_result(const LaunchPlan& plan) {
  const auto product = reference_product(integer_matrix(plan.a.rows, plan.a.columns, 1),
                                         integer_matrix(plan.b.rows, plan.b.columns, 2), plan.c.rows,
                                         plan.a.columns, plan.c.columns);
  std::vector<std::byte> bytes(plan.c.padded_rows * plan.c.padded_columns * sizeof(float));
  for (std::uint64_t row = 0; row < plan.c.rows; ++row) {
    std::memcpy(bytes.data() + row * plan.c.padded_columns * sizeof(float),
                product.data() + row * plan.c.columns, plan.c.columns * sizeof(float));
  }
  return bytes;
}

void add_to_element(std::vector<std::byte>& bytes, std::uint64_t index, float value) {
  float element = 0;
  std::memcpy(&element, bytes.data() + index * sizeof element, sizeof element);
  element += value;
  std::memcpy(bytes.data() + index * sizeof element, &element, sizeof element);
}

TEST(ProductWorkload, TakesARightResultAlone) {
  const LaunchPlan plan = plan_of(13, 9, 11);
  const Workload workload = workload_of(plan);
  std::vector<std::byte> result = right_result(plan);
  EXPECT_TRUE(workload.verify(result, std::nullopt));
  EXPECT_FALSE(workload.verify(workload.contents[workload.output], std::nullopt)) << "C is poisoned";
  add_to_element(result, 12 * plan.c.padded_columns + 10, 1);
  EXPECT_FALSE(workload.verify(result, std::nullopt));
  EXPECT_TRUE(workload.verify(result, std::vector<Dim3>{{0, 0, 0}}))
      << "another block owns the wrong element";
  EXPECT_FALSE(workload.verify(result, std::vector<Dim3>{{1, 1, 0}}));
}

// Large enough to be checked by its projection.
TEST(ProductWorkload, ProjectionSeesOneWrongElement) {
  const LaunchPlan plan = plan_of(1701, 1593, 1603);
  ASSERT_GT(plan.c.rows * plan.c.columns * plan.a.columns, kMaxProductsToRepeat);
  const Workload workload = workload_of(plan);
  std::vector<std::byte> result = right_result(plan);
  EXPECT_TRUE(workload.verify(result, std::nullopt));
  for (const std::uint64_t index :
       {std::uint64_t{0}, 1700 * plan.c.padded_columns + 1602, 5 * plan.c.padded_columns + 1605}) {
    for (const float error : {1.0f, -65536.0f, 0.5f}) {
      std::vector<std::byte> wrong = result;
      add_to_element(wrong, index, error);
      EXPECT_FALSE(workload.verify(wrong, std::nullopt)) << index << " is off by " << error;
    }
  }
  EXPECT_FALSE(workload.verify(workload.contents[workload.output], std::nullopt));
}

// The same small integers in every type, and a poison that none of them is.
TEST(ProductWorkload, HoldsEveryValueType) {
  const KernelDescriptor& kernel = *catalog().find("tiled_shared_a");
  const auto product = reference_product(integer_matrix(5, 7, 1), integer_matrix(7, 3, 2), 5, 7, 3);
  for (const ValueType& of : value_types()) {
    SCOPED_TRACE(of.name);
    const ElementType type = of.result;
    const Problem problem{.m = 5, .p = 7, .n = 3, .parameters = {}, .value_type = of.name};
    const Workload workload = make_workload(kernel, problem, kernel.plan(problem));
    const auto size = static_cast<std::size_t>(size_of(type));
    EXPECT_EQ(workload.buffers[0].type, of.operand);
    EXPECT_EQ(workload.buffers[2].type, type);
    EXPECT_EQ(workload.contents[1].size(), 16 * 16 * static_cast<std::size_t>(size_of(of.operand)));
    EXPECT_FALSE(workload.verify(workload.contents[workload.output], std::nullopt)) << "poisoned";

    std::vector<std::byte> result(16 * 16 * size);
    for (std::size_t i = 0; i < product.size(); ++i) {
      const auto put = [&](auto value) {
        std::memcpy(result.data() + (i / 3 * 16 + i % 3) * size, &value, sizeof value);
      };
      if (type == ElementType::f32) put(product[i]);
      if (type == ElementType::f64) put(static_cast<double>(product[i]));
      if (type == ElementType::i32) put(static_cast<std::int32_t>(product[i]));
    }
    EXPECT_TRUE(workload.verify(result, std::nullopt));
    result[3 * size] = std::byte{1};
    EXPECT_FALSE(workload.verify(result, std::nullopt)) << "padding";
  }
}

TEST(ProductWorkload, OperandsOfHalfPrecisionHoldTheSmallIntegers) {
  const KernelDescriptor& kernel = *catalog().find("wmma_naive");
  const std::vector<float> a = integer_matrix(1, 64, 1);
  // By value + 3: sign, exponent and fraction of -3, -2, -1, 0, 1, 2, 3.
  const std::map<std::string, std::array<std::uint16_t, 7>> bits{
      {"f16", {0xc200, 0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000, 0x4200}},
      {"bf16", {0xc040, 0xc000, 0xbf80, 0x0000, 0x3f80, 0x4000, 0x4040}}};
  for (const auto& [type, expected] : bits) {
    const Problem problem{.m = 1, .p = 64, .n = 1, .parameters = {}, .value_type = type};
    const Workload workload = make_workload(kernel, problem, kernel.plan(problem));
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::uint16_t element = 0;
      std::memcpy(&element, workload.contents[0].data() + 2 * i, sizeof element);
      EXPECT_EQ(element, expected[static_cast<std::size_t>(a[i] + 3)]) << type << " " << a[i];
    }
  }
}

// Blocks that go on where the grid ends own what lies a grid further.
TEST(ProductWorkload, OwnersGoOnPastTheGrid) {
  const KernelDescriptor& kernel = *catalog().find("tiled_dynamic");
  const Problem problem{.m = 40, .p = 4, .n = 40, .parameters = {{"T", 8}, {"grid", 2}}, .value_type = "f32"};
  const LaunchPlan plan = kernel.plan(problem);
  const Workload workload = make_workload(kernel, problem, plan);
  std::vector<std::byte> result = right_result(plan);
  add_to_element(result, 33 * 40 + 39, 1);  // Tile (4, 4), of block (0, 0)
  EXPECT_FALSE(workload.verify(result, std::vector<Dim3>{{0, 0, 0}}));
  EXPECT_TRUE(workload.verify(result, std::vector<Dim3>{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
}

}  // namespace
}  // namespace warplens
