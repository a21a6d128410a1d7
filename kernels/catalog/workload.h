// What one launch of a kernel works on: its buffers and what they hold at the start, its arguments, and
// whether what it left there is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/placed_address.h"
#include "kernels/base/texture.h"
#include "kernels/base/variable_contents.h"
#include "kernels/catalog/catalog.h"
#include "kernels/recording/recording.h"

namespace warplens {

struct Workload {
  /// The index of a buffer, whose address is passed, or a scalar's bytes (little-endian, as wide as the
  /// parameter).
  using Argument = std::variant<std::uint32_t, std::vector<std::byte>>;

  std::vector<Buffer>
      buffers;  ///< `base` is whoever's who lays them out; `bytes`, too, where there are contents
  std::vector<std::vector<std::byte>>
      contents;  ///< By buffer, at the start. What the kernel is to write is poisoned. Empty: see `fill`
  std::vector<Argument> arguments;            ///< In the kernel's order
  std::map<std::uint32_t, Texture> textures;  ///< By buffer: those that are passed as objects, not by address
  std::vector<VariableContents> variables;    ///< Set before the launch
  /// Addresses to place in scalars, by argument, and in buffers with contents, by buffer.
  std::map<std::uint32_t, std::vector<PlacedAddress>> scalar_addresses, buffer_addresses;
  std::uint32_t output = 0;  ///< The buffer that holds the result
  /// Whether the part of the result that these blocks own (nullopt: all of it) is right, bit for bit. Takes
  /// the output buffer's bytes after the run.
  std::function<bool(std::span<const std::byte> result, const std::optional<std::vector<Dim3>>& blocks)>
      verify;
  /// Fills the buffers if `contents` is empty: puts into them, which hold zeros, what these blocks read, and
  /// poisons what they are to write.
  std::function<void(const std::vector<Dim3>& blocks, std::span<std::byte* const> buffers)> fill;
};

/// What the kernel's descriptor says; a product's where it says nothing.
[[nodiscard]] Workload make_workload(const KernelDescriptor& kernel, const Problem& problem,
                                     const LaunchPlan& plan);

/// Makes a workload without contents if it need not have them all for a few blocks to run.
[[nodiscard]] Workload make_partial_workload(const KernelDescriptor& kernel, const Problem& problem,
                                             const LaunchPlan& plan);

/// Makes its buffers and arguments alone: those of a product without its matrices.
[[nodiscard]] Workload make_outline(const KernelDescriptor& kernel, const Problem& problem,
                                    const LaunchPlan& plan);

/// Returns the bytes of A, B and C, padding included.
[[nodiscard]] std::uint64_t padded_matrix_bytes(const LaunchPlan& plan, const std::string& value_type);
/// How many bytes a workload takes, with what it keeps to verify with.
[[nodiscard]] std::uint64_t workload_bytes(const LaunchPlan& plan, const std::string& value_type);

/// A, B and C of a product: A and B are integer_matrix with fixed seeds, zero-padded as the plan says, and C
/// is poisoned: every element holds what no product gives. Arguments are (A, B, C, m, p, n), the extents
/// padded. Where B lies by columns, the buffer `Bt` takes B's place. Where the plan has a box for a matrix,
/// its tensor map takes the place of its address.
///
/// What blocks own is compared with the reference product, padding included. A whole C that would take long
/// to compute anew (kMaxProductsToRepeat) is checked by its projection instead: for a random x of 64-bit
/// integers, C x = A (B x) modulo 2^64, row by row. Integers make it exact: a right C always passes, and a
/// row with an error passes with a probability of less than 2^-38 (Freivalds: "Probabilistic machines can use
/// less running time", 1977).
[[nodiscard]] Workload product_workload(const Problem& problem, const LaunchPlan& plan);
/// The same without contents: only some blocks' parts of the matrices are ever made. Verifies the parts of
/// blocks only.
[[nodiscard]] Workload partial_product_workload(const Problem& problem, const LaunchPlan& plan);
[[nodiscard]] Workload product_outline(const Problem& problem, const LaunchPlan& plan);
inline constexpr std::uint64_t kMaxProductsToRepeat = std::uint64_t{1} << 32;

/// A matrix of f32 with its place in a launch plan and its values, row by row without padding.
struct NamedMatrix {
  const char* name = "";
  MatrixLayout layout;
  std::vector<float> values;
};

/// Makes the workload of a kernel that is not a product: the inputs, and what the result must be, in the
/// layout LaunchPlan::c. Arguments are the inputs, the result and some ints.
[[nodiscard]] Workload known_workload(const LaunchPlan& plan, const std::vector<NamedMatrix>& inputs,
                                      const NamedMatrix& result, const std::vector<std::int64_t>& ints);

/// A rectangle of a matrix.
struct Neighbourhood {
  std::uint64_t row = 0, rows = 0, column = 0, columns = 0;
  std::vector<float> values;  ///< Row by row
  [[nodiscard]] float at(std::uint64_t in_row, std::uint64_t in_column) const {
    return values[(in_row - row) * columns + in_column - column];
  }
};
/// A kernel that makes each element of its result of what lies around it in its input, an integer_matrix of
/// as many rows and columns.
struct Stencil {
  const char *input = "", *result = "";
  std::uint64_t reach = 0;  ///< Rows and columns to each side
  std::vector<std::int64_t> ints;
  /// What an element must be, from all that lies within reach of it in the matrix.
  std::function<float(const Neighbourhood& around, std::uint64_t row, std::uint64_t column)> element;
};
/// Arguments are the input (LaunchPlan::a), the result (LaunchPlan::c) and the ints.
[[nodiscard]] Workload stencil_workload(const LaunchPlan& plan, const Stencil& stencil);
/// The same without contents: only what some blocks read is ever made.
[[nodiscard]] Workload partial_stencil_workload(const LaunchPlan& plan, const Stencil& stencil);

}  // namespace warplens
