// Sums of products that the replay adds up in one go, as inner loops of matrix products are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"
#include "kernels/replay/decode/load_groups.h"

namespace warplens::replay {

/// Multiply-adds of a straight piece of code that add to one sum, each a product of two values that loads of
/// groups fetch for it alone. Nothing else stands between the first and the last, and nothing behind reads
/// what it leaves but the sum.
struct ProductSumPlan {
  struct Product {
    std::uint32_t x_above = 0, y_above = 0;  ///< As LoadGroupPlan::Load::above
  };
  std::uint32_t first = 0, end = 0;  ///< Its instructions: indices in ptx::Function::instructions
  std::uint32_t x_group = 0, y_group = 0;
  std::uint32_t last = 0;    ///< The multiply-add that leaves the sum
  std::uint32_t addend = 0;  ///< The multiply-add that begins with what was there before
  bool wide = false;         ///< f64, else f32
  std::vector<Product> products;
};

/// Finds sums of products, in the order of instructions.
[[nodiscard]] std::vector<ProductSumPlan> find_product_sums(const ptx::Function& function,
                                                            const ptx::ControlFlow& flow,
                                                            const std::vector<LoadGroupPlan>& groups);

}  // namespace warplens::replay
