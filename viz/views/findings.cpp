#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/analysis/finding_rows.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// One row for each kind at a line.
std::string table_of_findings(const Subject& subject) {
  const Recording& recording = subject.recording();
  const auto name = [&](std::uint32_t file) {
    return file < recording.files.size() ? cell(recording.files[file].name) : std::string();
  };
  std::string table = "kind,file,line,other_line,count,block_x,block_y,block_z,warp,lanes,text\n";
  for (const analysis::FindingRow& row : analysis::finding_rows(recording.findings)) {
    const Finding& finding = recording.findings[row.first];
    table += fmt::format("{},{},{},{},{},{},{},{},{},0x{:08x},{}\n", name_of(finding.kind),
                         name(finding.file), finding.line, finding.other_line, row.count, finding.block.x,
                         finding.block.y, finding.block.z, finding.warp, finding.lanes, cell(finding.text));
  }
  return table;
}

const RegisterView kFindings{
    {.id = "findings",
     .title = marked("Findings"),
     .shows =
         marked("What is wrong in the kernel: races, accesses out of bounds, barriers that not all reach"),
     .place = Place::left,
     .rank = 4,
     .in_front = [](const Recording& recording) { return !recording.findings.empty(); },
     .table = table_of_findings}};

}  // namespace
}  // namespace warplens::viz
