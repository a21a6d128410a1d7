#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "viz/canvas/canvas.h"
#include "viz/picture/fragments.h"

namespace warplens::picture {

/// Returns the highlighted element of D, or the first that the highlighted element of A or B, or the lane,
/// contributes to.
[[nodiscard]] MatrixElement element_explained(const analysis::MatrixInstruction& instruction,
                                              const MatrixHighlight& highlight);

/// The products of an element of D in the order in which they are added, what is kept of each, and the result
/// on several GPUs. Without values: the lanes and registers of the factors.
class ElementTerms {
 public:
  /// The instruction of `shown` must outlive it.
  ElementTerms(const FragmentsShown& shown, const MatrixElement& element, analysis::ComputeCapability cc);

  void draw(Canvas& canvas, Rect box) const;
  /// "D[3][5]: C and 16 products, added at once: ...".
  [[nodiscard]] std::string sentence() const;

  struct Row {
    std::array<std::string, 5> cells;
    bool is_costly = false, is_strong = false;
  };
  using Result = std::pair<std::string, std::uint64_t>;  ///< Of a GPU: "A100 (8.0)", the bits of the element

 private:
  [[nodiscard]] std::string number_of(char matrix, std::uint64_t bits) const;
  [[nodiscard]] std::string place_text(char matrix, std::size_t row, std::size_t column) const;
  [[nodiscard]] std::string how_added() const;
  void add_places();
  void add_products();
  void add_aligned();
  void add_c();
  void add_term(const tensor::AlignedBlock& block, const tensor::AlignedTerm& term,
                const std::array<std::string, 3>& first, bool is_strong);

  FragmentsShown shown_;
  const analysis::MatrixInstruction& instruction_;
  MatrixElement element_;
  analysis::ElementSum sum_;
  bool is_aligned_ = false;
  std::vector<Row> rows_;
  std::vector<Result> results_;
  std::size_t losing_terms_ = 0, aligned_terms_ = 0;
};

}  // namespace warplens::picture
