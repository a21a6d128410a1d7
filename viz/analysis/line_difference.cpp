#include "viz/analysis/line_difference.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace warplens::analysis {
namespace {

constexpr std::ptrdiff_t kMaxEdits = 2000;

using LineTexts = std::vector<std::string_view>;

LineTexts without_trailing_spaces(const std::vector<std::string>& lines) {
  LineTexts texts;
  for (const std::string& line : lines)
    texts.push_back(std::string_view(line).substr(0, line.find_last_not_of(" \t\r") + 1));
  return texts;
}

/// By how many edits the texts between `begin` and their ends differ, and for each number of edits the
/// furthest line of A on each diagonal.
struct EditGraph {
  const LineTexts &a, &b;
  std::ptrdiff_t begin, end_a, end_b;
  std::vector<std::vector<std::ptrdiff_t>> furthest;  ///< By edits; by diagonal + edits

  [[nodiscard]] bool is_down(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
    const std::vector<std::ptrdiff_t>& before = furthest[static_cast<std::size_t>(edits - 1)];
    const auto at = [&](std::ptrdiff_t of) { return before[static_cast<std::size_t>(of + edits - 1)]; };
    return diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
  }
  [[nodiscard]] std::ptrdiff_t x(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
    return furthest[static_cast<std::size_t>(edits)][static_cast<std::size_t>(diagonal + edits)];
  }
};

/// False where they differ too much.
bool search(EditGraph& graph) {
  const std::ptrdiff_t count_a = graph.end_a - graph.begin, count_b = graph.end_b - graph.begin;
  for (std::ptrdiff_t edits = 0; edits <= std::min(count_a + count_b, kMaxEdits); ++edits) {
    std::vector<std::ptrdiff_t> reached(static_cast<std::size_t>(2 * edits + 1));
    for (std::ptrdiff_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
      std::ptrdiff_t x = 0;
      if (edits > 0)
        x = graph.is_down(edits, diagonal) ? graph.x(edits - 1, diagonal + 1)
                                           : graph.x(edits - 1, diagonal - 1) + 1;
      while (x < count_a && x - diagonal < count_b &&
             graph.a[static_cast<std::size_t>(graph.begin + x)] ==
                 graph.b[static_cast<std::size_t>(graph.begin + x - diagonal)])
        ++x;
      reached[static_cast<std::size_t>(diagonal + edits)] = x;
      if (x >= count_a && x - diagonal >= count_b) {
        graph.furthest.push_back(std::move(reached));
        return true;
      }
    }
    graph.furthest.push_back(std::move(reached));
  }
  return false;
}

LinePair pair_at(std::ptrdiff_t a, std::ptrdiff_t b) {
  return {static_cast<std::uint32_t>(a + 1), static_cast<std::uint32_t>(b + 1)};
}

/// The way through the graph, from its end.
std::vector<LinePair> walk_back(const EditGraph& graph) {
  std::vector<LinePair> pairs;
  std::ptrdiff_t x = graph.end_a - graph.begin, y = graph.end_b - graph.begin;
  for (auto edits = static_cast<std::ptrdiff_t>(graph.furthest.size()) - 1; edits >= 0; --edits) {
    const std::ptrdiff_t diagonal = x - y;
    const bool down = edits > 0 && graph.is_down(edits, diagonal);
    const std::ptrdiff_t from = edits == 0 ? 0
                                : down     ? graph.x(edits - 1, diagonal + 1)
                                           : graph.x(edits - 1, diagonal - 1) + 1;
    for (; x > from; --x, --y) pairs.push_back(pair_at(graph.begin + x - 1, graph.begin + y - 1));
    if (edits == 0) break;
    if (down) {
      pairs.push_back({0, static_cast<std::uint32_t>(graph.begin + y)});
      --y;
    } else {
      pairs.push_back({static_cast<std::uint32_t>(graph.begin + x), 0});
      --x;
    }
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

std::vector<LinePair> line_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const LineTexts texts_a = without_trailing_spaces(a), texts_b = without_trailing_spaces(b);
  const std::size_t shorter = std::min(texts_a.size(), texts_b.size());
  std::size_t begin = 0, behind = 0;
  while (begin < shorter && texts_a[begin] == texts_b[begin]) ++begin;
  while (behind < shorter - begin &&
         texts_a[texts_a.size() - 1 - behind] == texts_b[texts_b.size() - 1 - behind])
    ++behind;
  EditGraph graph{texts_a, texts_b, static_cast<std::ptrdiff_t>(begin),
                  static_cast<std::ptrdiff_t>(texts_a.size() - behind),
                  static_cast<std::ptrdiff_t>(texts_b.size() - behind)};

  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i < begin; ++i)
    pairs.push_back(pair_at(static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(i)));
  if (search(graph)) {
    for (const LinePair& pair : walk_back(graph)) pairs.push_back(pair);
  } else {
    for (std::ptrdiff_t i = graph.begin; i < graph.end_a; ++i)
      pairs.push_back({static_cast<std::uint32_t>(i + 1), 0});
    for (std::ptrdiff_t i = graph.begin; i < graph.end_b; ++i)
      pairs.push_back({0, static_cast<std::uint32_t>(i + 1)});
  }
  for (std::size_t i = 0; i < behind; ++i)
    pairs.push_back(
        pair_at(graph.end_a + static_cast<std::ptrdiff_t>(i), graph.end_b + static_cast<std::ptrdiff_t>(i)));
  // Between equal lines, those of A come before those of B.
  for (auto run = pairs.begin(); run != pairs.end();) {
    const auto is_alone = [](const LinePair& pair) { return pair.a == 0 || pair.b == 0; };
    const auto first = std::find_if(run, pairs.end(), is_alone),
               last = std::find_if_not(first, pairs.end(), is_alone);
    std::stable_partition(first, last, [](const LinePair& pair) { return pair.b == 0; });
    run = last;
  }
  return pairs;
}

}  // namespace warplens::analysis
