#include "app/compiled/line_match.h"

#include <algorithm>

namespace warplens::app {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<std::int64_t> match_lines(std::string_view before, std::string_view now) {
  const std::vector<std::string_view> old_lines = lines_of(before), lines = lines_of(now);
  const std::size_t shorter = std::min(old_lines.size(), lines.size());
  std::size_t same_before = 0, same_behind = 0;
  while (same_before < shorter && old_lines[same_before] == lines[same_before]) ++same_before;
  while (same_behind < shorter - same_before &&
         old_lines[old_lines.size() - 1 - same_behind] == lines[lines.size() - 1 - same_behind])
    ++same_behind;

  std::vector<std::int64_t> matches(lines.size(), -1);
  const bool changed_in_place = old_lines.size() == lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i < same_before || changed_in_place) {
      matches[i] = static_cast<std::int64_t>(i);
    } else if (i >= lines.size() - same_behind) {
      matches[i] = static_cast<std::int64_t>(i + old_lines.size() - lines.size());
    }
  }
  return matches;
}

}  // namespace warplens::app
