#include "viz/picture/tensor_box.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/analysis/tensor_boxes.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_tensor_box(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_tensor_box(subject.moment, subject.details.get(), subject.highlight, size, style);
}

/// One row a piece of 16 bytes. `coordinates`: of its first element, the innermost first; bytes `begin` to
/// `end` of it lie inside the tensor.
std::string table_of_tensor_box(const Subject& subject) {
  std::string table = "row,x0,x1,x2,x3,x4,global,begin,end,shared,without_swizzle,bank\n";
  const picture::Moment& moment = subject.moment;
  if (subject.details == nullptr) return table;
  const auto shown = analysis::copy_shown(*subject.details, subject.recording(), moment.warp, moment.event());
  if (!shown) return table;
  const analysis::TensorBox box(*shown->copy);
  const std::uint32_t elements = kBoxPieceBytes / box.copy().map.element_bytes();
  for (std::size_t k = 0; k < box.pieces().size(); ++k) {
    const BoxPiece& piece = box.pieces()[k];
    auto at = box.coordinates(piece.row);
    at[0] += static_cast<std::int64_t>(k % box.pieces_of_row() * elements);
    table += std::to_string(piece.row);
    for (std::size_t d = 0; d < kMaxTensorRank; ++d)
      table += d < box.copy().map.rank ? fmt::format(",{}", at.at(d)) : ",";
    table += fmt::format(",{:#x},{},{},{:#x},{:#x},{}\n", piece.global, piece.begin, piece.end, piece.shared,
                         box.plain_address(k), piece.shared / 4 % 32);
  }
  return table;
}

bool needs_details(const Recording& recording, const analysis::Facts& /*facts*/) {
  return analysis::has_tensor_copies(recording);
}

const RegisterView kBox{
    {.id = "box",
     .title = marked("TMA box"),
     .shows =
         marked("The box of a tensor that a bulk copy moves: its elements, sectors and lines, and where the "
                "swizzle puts it in shared memory"),
     .place = Place::middle_bottom,
     .rank = 21,
     .needs_details = needs_details,
     .make = make_tensor_box,
     .table = table_of_tensor_box}};

}  // namespace
}  // namespace warplens::viz
