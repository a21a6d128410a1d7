#include "viz/picture/fragments.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_fragments(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_fragments(subject.moment, subject.results->facts->matrix_instructions,
                                 subject.matrix_instruction, subject.details.get(), subject.highlight, size,
                                 style);
}

/// "3,%r4,16": lane, register and its first bit.
std::string register_cells(const analysis::MatrixInstruction& instruction, std::size_t matrix,
                           std::size_t row, std::size_t column) {
  const tensor::Fragment& fragment = instruction.matrices[matrix].fragment;
  const analysis::RegisterPlace place = analysis::place_of(fragment, row, column);
  return fmt::format("{},{},{}", place.lane, cell(instruction.register_names[matrix][place.reg]),
                     place.value * fragment.element_bits);
}

/// Lists the elements of all matrices of the instruction, one per row.
std::string table_of_fragments(const Subject& subject) {
  std::string table = "matrix,row,column,lane,register,bit,value,address\n";
  const auto& instructions = subject.results->facts->matrix_instructions;
  if (instructions.empty()) return table;
  const picture::FragmentsShown shown = picture::fragments_shown(
      subject.moment, instructions, subject.matrix_instruction, subject.details.get());
  const analysis::MatrixInstruction& instruction = *shown.instruction;
  for (std::size_t k = 0; k < instruction.matrices.size(); ++k) {
    const tensor::OperandMatrix& matrix = instruction.matrices[k];
    const auto shared = analysis::shared_matrix_of(instruction, shown.execution, k);
    for (std::size_t row = 0; row < matrix.fragment.all_rows(); ++row) {
      for (std::size_t column = 0; column < matrix.fragment.columns; ++column) {
        const auto bits = shown.execution == nullptr
                              ? std::nullopt
                              : analysis::element_bits(instruction, *shown.execution, k, row, column);
        const std::string value = !bits ? std::string()
                                  : analysis::holds_numbers(matrix.type)
                                      ? fmt::format("{:.17g}", analysis::number_of(matrix.type, *bits))
                                      : fmt::format("{:#x}", *bits);
        const std::size_t in_whole = row + (matrix.name == 'B' ? 0 : shown.rows_before);
        table += fmt::format(
            "{},{},{},{},{},{}\n", matrix.name, in_whole, column,
            matrix.descriptor ? ",," : register_cells(instruction, k, row, column), value,
            shared ? fmt::format("{:#x}", analysis::address_of_element(instruction, *shared, k,
                                                                       subject.moment.warp, row, column))
                   : std::string());
      }
    }
  }
  return table;
}

bool needs_details(const Recording& /*recording*/, const analysis::Facts& facts) {
  return !facts.matrix_instructions.empty();
}

const RegisterView kFragments{
    {.id = "fragments",
     .title = marked("Fragments"),
     .shows = marked(
         "The matrices of one mma, wmma, wgmma or ldmatrix: lane and register of each element, or where "
         "it lies in shared memory, and how an element of the product is added up"),
     .place = Place::right_bottom,
     .rank = 56,
     .needs_details = needs_details,
     .make = make_fragments,
     .table = table_of_fragments}};

}  // namespace
}  // namespace warplens::viz
