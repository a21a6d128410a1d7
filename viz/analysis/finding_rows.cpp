#include "viz/analysis/finding_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warplens::analysis {

std::vector<FindingRow> finding_rows(std::span<const Finding> findings) {
  std::vector<FindingRow> rows;
  std::map<std::tuple<FindingKind, std::uint32_t, std::uint32_t>, std::size_t> row_of;
  for (std::uint32_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    const auto [place, is_new] = row_of.try_emplace({finding.kind, finding.file, finding.line}, rows.size());
    if (is_new) rows.push_back({.first = i, .members = {}, .other_lines = {}});
    FindingRow& row = rows[place->second];
    row.count += finding.count;
    row.members.push_back(i);
    if (finding.other_line != 0 &&
        std::ranges::find(row.other_lines, finding.other_line) == row.other_lines.end())
      row.other_lines.push_back(finding.other_line);
  }
  return rows;
}

}  // namespace warplens::analysis
