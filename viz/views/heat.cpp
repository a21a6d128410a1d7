#include <fmt/format.h>

#include <map>

#include "kernels/base/texts.h"
#include "viz/picture/matrix_heat.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::CountedElements counted_elements(const picture::Moment& moment, const analysis::Results& results) {
  return {*moment.recording, results.facts->element_counts, results.grid_counts.get()};
}

picture::Picture make_heat(const Subject& subject, picture::Size size, const picture::Style& style) {
  const picture::CountedElements counted = counted_elements(subject.moment, *subject.results);
  if (!subject.beside) return picture::make_matrix_heat(counted, subject.highlight, size, style);
  const picture::CountedElements beside = counted_elements(subject.beside->moment, *subject.beside->results);
  return picture::make_matrix_heat(counted, subject.highlight, size, style, &beside);
}

picture::Picture make_heat_difference(const Subject& subject, picture::Size size,
                                      const picture::Style& style) {
  return picture::make_heat_difference(counted_elements(subject.beside->moment, *subject.beside->results),
                                       counted_elements(subject.moment, *subject.results), subject.highlight,
                                       size, style);
}

/// The first of the elements that a cell stands for.
std::uint64_t first_of(std::uint64_t cell, std::uint64_t cells, std::uint64_t elements) {
  return (cell * elements + cells - 1) / cells;
}

/// Returns the table of all blocks of the grid: one row an element; for matrices of more than 512 rows or
/// columns one row a cell of the picture, with its first element and its greatest counts.
std::string table_of_grid(const Recording& recording, const analysis::GridCounts& counts) {
  using Access = analysis::GridCounts::Access;
  std::string table = "buffer,row,column,reads,writes\n";
  for (std::uint32_t b = 0; b < recording.buffers.size(); ++b) {
    const Buffer& buffer = recording.buffers[b];
    const analysis::GridCounts::Cells &reads = counts.cells(b, Access::read),
                                      &writes = counts.cells(b, Access::write);
    for (std::uint32_t row = 0; row < reads.rows; ++row) {
      for (std::uint32_t column = 0; column < reads.columns; ++column) {
        const std::size_t cell = std::size_t{row} * reads.columns + column;
        if (reads.max[cell] == 0 && writes.max[cell] == 0) continue;
        table +=
            fmt::format("{},{},{},{},{}\n", viz::cell(buffer.name), first_of(row, reads.rows, buffer.rows),
                        first_of(column, reads.columns, buffer.columns), reads.max[cell], writes.max[cell]);
      }
    }
  }
  return table;
}

/// One row an element that is touched.
std::string table_of_heat(const Subject& subject) {
  const Recording& recording = subject.recording();
  if (subject.results->grid_counts) return table_of_grid(recording, *subject.results->grid_counts);
  std::string table = "buffer,row,column,reads,writes\n";
  for (const analysis::ElementCounts& counts : subject.results->facts->element_counts) {
    if (!counts.complete) return {};
    const Buffer& buffer = recording.buffers[counts.buffer];
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> touched;  // Reads and writes
    counts.reads.for_each(
        [&](std::uint64_t element, std::uint32_t count) { touched[element].first = count; });
    counts.writes.for_each(
        [&](std::uint64_t element, std::uint32_t count) { touched[element].second = count; });
    for (const auto& [element, count] : touched) {
      table += fmt::format("{},{},{},{},{}\n", cell(buffer.name), element / buffer.pitch,
                           element % buffer.pitch, count.first, count.second);
    }
  }
  return table;
}

const RegisterView kHeat{
    {.id = "heat",
     .title = marked("Matrix heat"),
     .shows =
         marked("How often each element of A, B and C is read and written; a click tells who touched it"),
     .place = Place::middle_top,
     .rank = 40,
     .of_grid = true,
     .make = make_heat,
     .difference = make_heat_difference,
     .table = table_of_heat}};

}  // namespace
}  // namespace warplens::viz
