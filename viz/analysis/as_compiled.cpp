#include "viz/analysis/as_compiled.h"

#include <fmt/core.h>

#include <bit>
#include <map>
#include <tuple>

#include "kernels/base/figures.h"

namespace warplens::analysis {
namespace {

using Key = std::tuple<std::uint32_t, Space, AccessOp>;

std::map<Key, WidthCounts> count_widths(const Recording& recording, std::uint32_t file) {
  std::map<Key, WidthCounts> counts;
  for (std::size_t i = 0; i < recording.sites.size(); ++i) {
    const Site& site = recording.sites[i];
    if (site.file != file || site.line == 0 || recording.totals[i].requests == 0 || site.bytes == 0) continue;
    const auto width = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(site.bytes)));
    if (width < WidthCounts{}.size()) counts[{site.line, site.space, site.op}][width] += recording.totals[i].requests;
  }
  return counts;
}

}  // namespace

std::vector<ChangedAccesses> changed_accesses(const Recording& written, std::uint32_t file, const Recording& compiled, std::uint32_t compiled_file) {
  std::map<Key, std::pair<WidthCounts, WidthCounts>> both;
  for (const auto& [key, counts] : count_widths(written, file)) both[key].first = counts;
  for (const auto& [key, counts] : count_widths(compiled, compiled_file)) both[key].second = counts;
  std::vector<ChangedAccesses> changed;
  for (const auto& [key, counts] : both) {
    if (counts.first == counts.second) continue;
    const auto& [line, space, op] = key;
    changed.push_back({.line = line, .space = space, .op = op, .written = counts.first, .compiled = counts.second});
  }
  return changed;
}

std::string in_words(const WidthCounts& counts) {
  std::string words;
  for (std::size_t width = 0; width < counts.size(); ++width) {
    if (counts[width] != 0) words += fmt::format("{}{} of {} B", words.empty() ? "" : ", ", with_thousands(counts[width]), 1u << width);
  }
  return words.empty() ? "none" : words;
}

std::string disagreement(const Report& written, const Report& compiled) {
  const std::tuple<const char*, const Totals&, const Totals&> pairs[] = {{"global", written.global_store, compiled.global_store},
                                                                         {"shared", written.shared_store, compiled.shared_store}};
  for (const auto& [space, as_written, as_compiled] : pairs) {
    if (as_written.requested_bytes == as_compiled.requested_bytes) continue;
    return fmt::format("{} bytes stored to {} memory as written, {} as compiled", with_thousands(as_written.requested_bytes), space,
                       with_thousands(as_compiled.requested_bytes));
  }
  return "";
}

}  // namespace warplens::analysis
