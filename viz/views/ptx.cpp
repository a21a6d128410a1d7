#include <fmt/format.h>

#include <string>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/line_figures.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// One row an instruction that accesses memory.
std::string table_of_ptx(const Subject& subject) {
  std::string table = "ptx_line,line,space,op,array,requests,unit,cost,ideal,excess\n";
  const std::vector<std::string> arrays = picture::arrays_of_sites(subject.recording());
  for (const auto& [ptx_line, all] :
       analysis::ptx_figures(subject.recording(), subject.results->report, arrays)) {
    for (const analysis::LineFigures& figure : all) {
      table += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", ptx_line, figure.line, name_of(figure.space),
                           name_of(figure.op), cell(figure.array), figure.totals.requests, figure.unit(),
                           figure.cost(), figure.ideal(), figure.excess());
    }
  }
  return table;
}

const RegisterView kPtx{
    {.id = "ptx",
     .title = marked("PTX"),
     .shows = marked("The instructions that the compiler made of the source, with what each costs"),
     .place = Place::left,
     .rank = 2,
     .table = table_of_ptx}};

}  // namespace
}  // namespace warplens::viz
