#include <fmt/format.h>

#include <string>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/line_figures.h"
#include "viz/picture/comparison/source_difference.h"
#include "viz/picture/source_margin.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// Returns the line of the current access; 0: there is none.
std::uint32_t line_of(const picture::Moment& moment) {
  const auto event = moment.event();
  return event ? moment.site_of(*event).line : 0;
}

picture::Picture make_source(const Subject& subject, picture::Size size, const picture::Style& style) {
  const std::uint32_t line = line_of(subject.moment);
  analysis::TotalExcess beside;
  if (subject.beside)
    beside = analysis::total_excess(*subject.beside->moment.recording, subject.beside->results->report);
  return picture::make_source_margin(subject.recording(), subject.results->report,
                                     subject.results->facts->source_file, line, size, style, beside);
}

picture::SourceSide source_side(const picture::Moment& moment, const analysis::Results& results) {
  return {*moment.recording, results.report, results.facts->source_file, line_of(moment)};
}

picture::Picture make_source_difference(const Subject& subject, picture::Size size,
                                        const picture::Style& style) {
  return picture::make_source_difference(source_side(subject.beside->moment, *subject.beside->results),
                                         source_side(subject.moment, *subject.results), size, style,
                                         subject.first_row);
}

picture::ListRows difference_rows(const Subject& subject, const picture::Style& style) {
  return picture::source_difference_rows(source_side(subject.beside->moment, *subject.beside->results),
                                         source_side(subject.moment, *subject.results), style);
}

/// One row a source line, kind of access and array.
std::string table_of_source(const Subject& subject) {
  const Recording& recording = subject.recording();
  const std::uint32_t file = subject.results->facts->source_file;
  std::string table = "file,line,space,op,array,requests,unit,cost,ideal,excess\n";
  const std::vector<std::string> arrays = picture::arrays_of_sites(recording);
  for (const analysis::LineFigures& figure :
       analysis::file_figures(recording, subject.results->report, file, arrays)) {
    const std::string name = file < recording.files.size() ? recording.files[file].name : std::string();
    table += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", cell(name), figure.line, name_of(figure.space),
                         name_of(figure.op), cell(figure.array), figure.totals.requests, figure.unit(),
                         figure.cost(), figure.ideal(), figure.excess());
  }
  return table;
}

picture::Picture make_source_without_figures(const Subject& subject, picture::Size size,
                                             const picture::Style& style) {
  const auto event = subject.moment.event();
  const std::uint32_t line = event ? subject.moment.site_of(*event).line : 0;
  return picture::make_source_code(subject.recording(), subject.results->facts->source_file, line, size,
                                   style);
}

const RegisterView kSource{
    {.id = "source",
     .title = marked("Source"),
     .shows = marked("The kernel's CUDA source with the requests and the cost of every line beside it"),
     .place = Place::left,
     .rank = 1,
     .edits = true,
     .make = make_source,
     .make_covered = make_source_without_figures,
     .difference = make_source_difference,
     .difference_rows = difference_rows,
     .table = table_of_source}};

}  // namespace
}  // namespace warplens::viz
