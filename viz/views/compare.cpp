#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/canvas.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make(const Subject& subject, picture::Size size, const picture::Style& style) {
  if (subject.changes) return picture::make_changes(*subject.changes, size, style);
  return picture::empty_picture(tr("Compare"), tr("There is one launch, and none beside it."),
                                tr("Choose another kernel, size or parameter: what was on screen before is compared with it."), size, style);
}

/// One row a figure that either has.
std::string table(const Subject& subject) {
  std::string table = "section,figure,a,b,b_against_a,verdict\n";
  if (!subject.changes) return table;
  for (const picture::Changes::Row& row : subject.changes->rows) {
    const char* const verdict = row.tone == picture::Changes::Tone::better ? "better" : row.tone == picture::Changes::Tone::worse ? "worse" : "";
    table += fmt::format("{},{},{},{},{},{}\n", cell(row.section), cell(row.name), cell(row.a), cell(row.b), cell(row.change), verdict);
  }
  return table;
}

const RegisterView kCompare{{.id = "compare",
                             .title = marked("Compare"),
                             .shows = marked("Two launches beside each other: any picture of both, and what changed"),
                             .place = Place::right_bottom,
                             .rank = 59,
                             .of_two = true,
                             .make = make,
                             .table = table}};

}  // namespace
}  // namespace warplens::viz
