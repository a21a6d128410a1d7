#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/recording/block_details.h"
#include "viz/analysis/matrix_instructions.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// The matrices of one instruction, and what a warp had in them.
struct FragmentsShown {
  const analysis::MatrixInstruction* instruction = nullptr;
  const MatrixExecution* execution = nullptr;  ///< Null: the values are not known
  std::size_t number = 0, of = 0;              ///< The execution among those of the warp, from 1
  bool more = false;                           ///< The warp has more executions than were kept
  std::uint32_t rows_before = 0;               ///< Of D and A: MatrixInstruction::rows_before
};
/// `chosen`: an index into `instructions`, which are not empty; nullopt: the one nearest to the moment's
/// access. `warp`: null, or what its registers held.
[[nodiscard]] FragmentsShown fragments_shown(const Moment& moment,
                                             const std::vector<analysis::MatrixInstruction>& instructions,
                                             std::optional<std::size_t> chosen, const BlockDetails* warp);
/// What of one instruction's matrices is selected or pointed at.
struct MatrixHighlight {
  std::optional<MatrixElement> element;
  std::optional<int> lane;            ///< The one that holds `element`, where there is one
  std::optional<std::uint32_t> word;  ///< Of shared memory, as Highlight::shared_word
};
/// Leaves out an element that the instruction does not have, or that another lane than the highlighted one
/// holds.
[[nodiscard]] MatrixHighlight matrix_highlight(const analysis::MatrixInstruction& instruction,
                                               const Highlight& highlight);
/// "%r12" of a matrix's register; for several elements in it "%r12, bits 16–31".
[[nodiscard]] std::string register_name(const analysis::MatrixInstruction& instruction, std::size_t matrix,
                                        const analysis::RegisterPlace& place);
/// "D[3][5]"; of ldmatrix "matrix 2 [3][5]". Rows of D and A of wgmma count from the first of the warpgroup.
[[nodiscard]] std::string element_name(const FragmentsShown& shown, const MatrixElement& element);

/// A, B, C and D of a product (or the matrices of ldmatrix, stmatrix, wmma.load, ..) as the lanes of the warp
/// hold them: a cell an element, coloured and numbered by its lane. What belongs to the element or lane that
/// is pointed at is bright. What wgmma reads in shared memory is coloured and numbered by its bank. Beside a
/// product, how the element of D comes about: every term, what of its bits is kept when they are added, and
/// what other GPUs give.
[[nodiscard]] Picture make_fragments(const Moment& moment,
                                     const std::vector<analysis::MatrixInstruction>& instructions,
                                     std::optional<std::size_t> chosen, const BlockDetails* warp,
                                     const Highlight& highlight, Size size, const Style& style);

}  // namespace warplens::picture
