// Whether a kernel of the user's computed the product of two matrices.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/launch_form/arguments.h"
#include "app/launch_form/launch_form.h"

namespace warplens::app {

struct ProductCheck {
  std::uint64_t m = 0, p = 0, n = 0;
  std::uint32_t result = 0;  ///< The argument that is C
  /// Takes C's bytes after the run. Bit for bit where A and B hold integers whose sums the type of C holds;
  /// else as near as rounding each term allows.
  std::function<bool(std::span<const std::byte>)> is_right;
  /// The same of the elements of C alone that a part of the blocks changed, from what C held before; nullopt:
  /// they changed none.
  std::function<std::optional<bool>(std::span<const std::byte> before, std::span<const std::byte> after)>
      is_right_in_part;
};

/// `contents` is what the buffers hold at the start (argument_buffers.h). An error where one is missing, is
/// no matrix, or the extents do not fit.
[[nodiscard]] Result<ProductCheck> check_of_product(const ProductNames& product,
                                                    std::span<const NamedArgument> arguments,
                                                    const std::vector<std::vector<std::byte>>& contents);

}  // namespace warplens::app
