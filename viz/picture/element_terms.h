#pragma once

#include "viz/picture/canvas.h"
#include "viz/picture/fragments.h"

namespace warplens::picture {

/// The element of D that stands for what is pointed at: itself, or the first that the element of A or B, or
/// the lane, takes part in.
[[nodiscard]] MatrixElement element_explained(const analysis::MatrixInstruction& instruction,
                                              const Highlight& highlight);

/// The products of an element of D, a row each, in the order in which they are added: their values, what is
/// kept of each, and the result under several compute capabilities. Where values are not known: lanes and
/// registers.
void draw_element_terms(Canvas& canvas, Rect box, const FragmentsShown& shown, const MatrixElement& element,
                        analysis::ComputeCapability cc);

/// "16 products and C are aligned to 2^3: 4 of 17 terms lose bits", in words; empty where values are unknown.
[[nodiscard]] std::string element_in_words(const FragmentsShown& shown, const MatrixElement& element,
                                           analysis::ComputeCapability cc);

}  // namespace warplens::picture
