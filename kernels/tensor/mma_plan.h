// How the replay computes an mma, mma.sp or wmma.mma: decided once, when the kernel is decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/ptx/module.h"
#include "kernels/tensor/dot_product.h"
#include "kernels/tensor/fragments.h"

namespace warplens::tensor {

/// One matrix in the registers of the warp: plain data, for the cores. See Fragment.
struct HeldMatrix {
  const std::uint16_t* places = nullptr;
  std::uint8_t registers = 0;
  std::uint8_t bits = 0;  ///< Of an element
};

/// Plain data, shared by the cores and the decoder. D[i][j] is C[i][j] and the sum over t < terms of
/// A[i][t] * B[row(t)][j]; row(t) is t, but of mma.sp, where the metadata of row i decides it.
struct MmaPlan {
  SumRule rule;
  std::uint16_t matrices = 1, m = 0, n = 0, terms = 0, b_rows = 0;
  HeldMatrix a, b, c, d;
  /// For mma.sp, which of the stored elements of a row of A term t is; null for other instructions.
  const std::uint16_t* stored = nullptr;
  std::uint8_t selector = 0;  ///< Of the lanes whose metadata count
};

inline constexpr int kMaxMatrixElements = 1024;
inline constexpr int kMaxTerms = 64;
inline constexpr int kMaxMatrixRegisters = 8;  ///< Of a lane

/// The order in which the terms of a sum are added: that of k, but where fp8 is computed by two products of
/// f16, of the first and of the second two of each four.
[[nodiscard]] std::vector<std::uint16_t> order_of_terms(const SumRule& rule, int terms);

/// Finds the rows of B by row of A and term from the lanes' metadata of mma.sp.
void find_rows_of_b(const MmaPlan& plan, const std::uint32_t* metadata, std::uint16_t* rows);

/// Computes the whole product element by element. The words of registers: [register][lane], of 32 bits, or of
/// 64 where the elements are f64.
void multiply_by_element(const MmaPlan& plan, const void* a, const void* b, const void* c,
                         const std::uint32_t* metadata, void* d);

/// A plan, and what it points to.
class MmaForm {
 public:
  MmaForm(MmaForm&&) = default;
  MmaForm& operator=(MmaForm&&) = default;
  MmaForm(const MmaForm&) = delete;  // The plan points into the lists
  MmaForm& operator=(const MmaForm&) = delete;
  ~MmaForm() = default;
  /// None for shapes and types that do not exist together. `compute_capability`: 90 of 9.0.
  static std::optional<MmaForm> of(const ptx::Instruction& instruction, int compute_capability);
  /// Of wgmma.mma_async: the product of 16 x 8 elements that a warp computes n / 8 times, with B, and A where
  /// it is not in registers, row by row.
  static std::optional<MmaForm> of_warpgroup(const ptx::Instruction& instruction);
  /// Of either.
  static std::optional<MmaForm> of_any(const ptx::Instruction& instruction, int compute_capability);
  [[nodiscard]] const MmaPlan& plan() const { return plan_; }

 private:
  MmaForm() = default;
  static MmaForm make(const ptx::Instruction& instruction, const SumRule& rule);
  void point_to_lists();

  MmaPlan plan_;
  std::vector<std::uint16_t> a_, b_, c_, d_, stored_;
};

}  // namespace warplens::tensor
