#include <fmt/format.h>

#include <iterator>
#include <map>

#include "kernels/base/texts.h"
#include "viz/picture/matrix_heat.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_matrix_heat(subject.recording(), subject.results->facts->element_counts, subject.highlight, size, style);
}

/// One row an element that is touched.
std::string table(const Subject& subject) {
  const Recording& recording = subject.recording();
  std::string table = "buffer,row,column,reads,writes\n";
  for (const analysis::ElementCounts& counts : subject.results->facts->element_counts) {
    if (!counts.complete) return {};
    const Buffer& buffer = recording.buffers[counts.buffer];
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> touched;  // Reads and writes
    counts.reads.for_each([&](std::uint64_t element, std::uint32_t count) { touched[element].first = count; });
    counts.writes.for_each([&](std::uint64_t element, std::uint32_t count) { touched[element].second = count; });
    for (const auto& [element, count] : touched) {
      fmt::format_to(std::back_inserter(table), "{},{},{},{},{}\n", cell(buffer.name), element / buffer.pitch, element % buffer.pitch, count.first,
                     count.second);
    }
  }
  return table;
}

const RegisterView kHeat{{.id = "heat",
                          .title = marked("Matrix heat"),
                          .shows = marked("How often each element of A, B and C is read and written; a click tells who touched it"),
                          .place = Place::middle_top,
                          .rank = 40,
                          .make = make,
                          .table = table}};

}  // namespace
}  // namespace warplens::viz
