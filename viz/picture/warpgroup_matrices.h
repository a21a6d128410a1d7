// What is particular to wgmma among the pictures of matrices: D is shared out among four warps and up to 256
// columns wide, A and B lie in shared memory.
#pragma once

#include <string>

#include "viz/picture/matrix_painter.h"

namespace warplens::picture {

/// The columns of D and B that are drawn: all where `room` has cells for them, else a page of columns, the
/// one with what is highlighted.
[[nodiscard]] DrawnColumns drawn_columns(const Moment& moment, const FragmentsShown& shown,
                                         const MatrixHighlight& highlight, std::uint32_t room);

/// "columns 0 to 23".
[[nodiscard]] std::string columns_in_words(DrawnColumns drawn);

/// Cuts a map of D off the top of `rest`: the rows of each warp of the warpgroup, and the columns drawn. A
/// place on the selected warp's rows leads to its columns.
void draw_warpgroup_map(Canvas& canvas, Rect& rest, const Moment& moment, const FragmentsShown& shown,
                        DrawnColumns drawn);

/// "A: 0x5400, K-major, 128-byte swizzle, LBO 16, SBO 1,024 bytes"; empty of a matrix in registers or whose
/// place is not known.
[[nodiscard]] std::string shared_matrix_in_words(const FragmentsShown& shown, std::size_t matrix);

}  // namespace warplens::picture
