#include "viz/picture/matrix_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

constexpr float kFaded = 0.72f;

}  // namespace

Colour bank_colour(const Palette& palette, std::uint32_t bank) {
  constexpr std::uint32_t kBanksOfPiece = 4;
  constexpr float kPalest = 0.14f, kSteps = 7;
  const std::uint32_t step = bank / kBanksOfPiece;
  return mixed(palette.panel, palette.accent, kPalest + (1 - kPalest) * static_cast<float>(step) / kSteps);
}

void MatrixPainter::draw(Rect box, std::size_t matrix, DrawnColumns drawn) {
  const tensor::OperandMatrix& of = shown_.instruction->matrices[matrix];
  const std::size_t rows = of.fragment.all_rows();
  const float width = box.width / static_cast<float>(drawn.count),
              height = box.height / static_cast<float>(rows);
  shared_ = analysis::shared_matrix_of(*shown_.instruction, shown_.execution, matrix);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < drawn.count; ++column) {
      const Rect cell{box.x + static_cast<float>(column) * width, box.y + static_cast<float>(row) * height,
                      width, height};
      draw_cell(cell,
                {static_cast<std::uint32_t>(matrix), static_cast<std::uint32_t>(row), drawn.first + column});
    }
  }
  for (std::size_t k = 1; k < of.fragment.matrices; ++k) {  // Several products at once
    const float y = box.y + static_cast<float>(k * of.fragment.rows) * height;
    canvas_.line({box.x, y}, {box.right(), y}, canvas_.palette().text, 2);
  }
}

void MatrixPainter::draw_cell(Rect cell, const MatrixElement& element) {
  shown_.instruction->matrices[element.matrix].descriptor ? draw_in_shared(cell, element)
                                                          : draw_in_registers(cell, element);
}

bool MatrixPainter::is_bright(const MatrixElement& element, bool is_lit) const {
  const bool nothing_is_lit = !highlight_.lane && !highlight_.element;
  return nothing_is_lit || is_lit || takes_part(element);
}

void MatrixPainter::draw_in_registers(Rect cell, const MatrixElement& element) {
  const Palette& palette = canvas_.palette();
  const analysis::MatrixInstruction& instruction = *shown_.instruction;
  const analysis::RegisterPlace place =
      analysis::place_of(instruction.matrices[element.matrix].fragment, element.row, element.column);
  const int lane = static_cast<int>(place.lane);
  const bool is_of_lane = highlight_.lane == lane;
  const Rect inside = inset(cell, std::min(canvas_.px(0.5f), cell.width / 12));
  const Colour colour =
      is_bright(element, is_of_lane) ? lane_colour(lane) : mixed(lane_colour(lane), palette.panel, kFaded);
  canvas_.fill(inside, colour, 1);
  if (const auto look = lane_number_look(canvas_, colour, inset(inside, canvas_.px(1))))
    canvas_.fitted(inside, {std::to_string(lane)}, *look);
  if (is_of_lane) canvas_.outline(inside, palette.text, highlight_.element == element ? 3 : 1.5f, 1);
  canvas_.region(
      cell,
      {Target::Kind::matrix_element, std::int64_t{kWarpSize} * element.matrix + lane, element.row,
       element.column},
      with_value(tr("{element}: lane {lane}, {register}", "element"_a = element_name(shown_, element),
                    "lane"_a = lane, "register"_a = register_name(instruction, element.matrix, place)),
                 element));
}

/// Without an execution, whose descriptor says where it lies, an element has no bank.
void MatrixPainter::draw_in_shared(Rect cell, const MatrixElement& element) {
  constexpr std::uint32_t kBanks = 32, kBankBytes = 4;
  const Palette& palette = canvas_.palette();
  const Rect inside = inset(cell, std::min(canvas_.px(0.5f), cell.width / 12));
  const std::string name = element_name(shown_, element);
  if (!shared_) {
    canvas_.fill(inside, palette.line, 1);
    canvas_.region(cell, {}, tr("{element}: in shared memory", "element"_a = name));
    return;
  }
  const Recording& recording = *moment_.recording;
  const std::uint32_t address = analysis::address_of_element(*shown_.instruction, *shared_, element.matrix,
                                                             moment_.warp, element.row, element.column);
  const std::uint32_t bank = address / kBankBytes % kBanks, offset = address - recording.shared_base,
                      word = offset / kBankBytes;
  const bool is_lit = highlight_.element == element || highlight_.word == word;
  const Colour full = bank_colour(palette, bank),
               colour = is_bright(element, is_lit) ? full : mixed(full, palette.panel, kFaded);
  canvas_.fill(inside, colour, 1);
  if (const auto look = lane_number_look(canvas_, colour, inset(inside, canvas_.px(1))))
    canvas_.fitted(inside, {std::to_string(bank)}, *look);
  if (is_lit) canvas_.outline(inside, palette.text, highlight_.element == element ? 3 : 1.5f, 1);
  canvas_.region(cell,
                 {Target::Kind::shared_matrix_element, (std::int64_t{element.matrix} << 32) + word,
                  element.row, element.column},
                 with_value(tr("{element}: {place} at {address}, bank {bank}", "element"_a = name,
                               "place"_a = shared_place_name(recording, offset),
                               "address"_a = hexadecimal(address), "bank"_a = bank),
                            element));
}

bool MatrixPainter::takes_part(const MatrixElement& element) const {
  if (!highlight_.element || !shown_.instruction->is_product()) return false;
  const auto is_sum = [this](const MatrixElement& one) { return name_of(one) == 'C' || name_of(one) == 'D'; };
  const bool to_sum = is_sum(element);
  if (to_sum == is_sum(*highlight_.element)) return false;
  const MatrixElement &factor = to_sum ? *highlight_.element : element,
                      &sum = to_sum ? element : *highlight_.element;
  return name_of(factor) == 'A' ? factor.row == sum.row
                                : factor.column == sum.column && product_of(factor) == product_of(sum);
}

std::string MatrixPainter::with_value(std::string tooltip, const MatrixElement& element) const {
  if (shown_.execution == nullptr) return tooltip;
  const analysis::MatrixInstruction& instruction = *shown_.instruction;
  const auto bits =
      analysis::element_bits(instruction, *shown_.execution, element.matrix, element.row, element.column);
  if (!bits) return tooltip;
  const tensor::OperandMatrix& matrix = instruction.matrices[element.matrix];
  const int digits = std::max(1, matrix.fragment.element_bits / 4);
  const std::string hex = fmt::format("0x{:0{}x}", *bits, digits);
  return std::move(tooltip) + "\n" +
         (analysis::holds_numbers(matrix.type)
              ? formatted("{:.9g} ({})", analysis::number_of(matrix.type, *bits), hex)
              : hex);
}

}  // namespace warplens::picture
