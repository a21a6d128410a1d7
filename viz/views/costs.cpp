#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/cost_words.h"
#include "viz/picture/costs.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_costs(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_costs(subject.moment, *subject.results, subject.highlight, size, style,
                             subject.moment_beside(), subject.results_beside());
}

/// One row an access of a source line that costs more than its ideal, most excess first.
std::string table_of_costs(const Subject& subject) {
  const Recording& recording = subject.recording();
  std::string table =
      "file,line,space,op,access,requests,unit,cost,ideal,excess,share,sentence,mended_cost,mend\n";
  for (const analysis::LineCost& cost : subject.results->costs) {
    const analysis::LineFigures& figures = cost.figures;
    table += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{:.4f},{},{},{}\n",
        cost.file < recording.files.size() ? cell(recording.files[cost.file].name) : std::string(),
        figures.line, name_of(figures.space), name_of(figures.op),
        cell(picture::cost_access(recording, cost)), figures.totals.requests, figures.unit(), figures.cost(),
        figures.ideal(), cost.excess(), cost.share,
        cell(picture::cost_sentence(recording, cost, subject.moment.cc)),
        cost.fix ? std::to_string(cost.fix->cost) : std::string(),
        cell(picture::fix_words(recording, cost, subject.moment.cc)));
  }
  return table;
}

const RegisterView kCosts{
    {.id = "costs",
     .title = marked("Costs"),
     .shows = marked("The excess of each line over the ideal, largest first, and what would fix it"),
     .place = Place::left,
     .rank = 5,
     .make = make_costs,
     .table = table_of_costs}};

}  // namespace
}  // namespace warplens::viz
