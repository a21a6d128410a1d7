#include <algorithm>

#include "kernels/ptx/graph.h"

namespace warplens::ptx {

Graph reversed(const Graph& graph) {
  Graph result(0);
  result.successors = graph.predecessors;
  result.predecessors = graph.successors;
  return result;
}

// Tarjan, "Depth-first search and linear graph algorithms", 1972, with a stack of its own instead of
// recursion.
std::vector<std::uint32_t> strong_components(const Graph& graph) {
  struct Visit {
    std::uint32_t node;
    std::size_t next = 0;
  };
  std::vector<std::uint32_t> component(graph.size(), kNoNode), number(graph.size(), kNoNode),
      lowest(graph.size(), 0), open;
  std::vector<Visit> path;
  std::uint32_t numbers = 0, components = 0;
  const auto enter = [&](std::uint32_t node) {
    number[node] = lowest[node] = numbers++;
    open.push_back(node);
    path.push_back({node});
  };
  const auto close = [&](std::uint32_t root) {
    std::uint32_t member = kNoNode;
    do {
      member = open.back();
      open.pop_back();
      component[member] = components;
    } while (member != root);
    ++components;
  };
  for (std::uint32_t start = 0; start < graph.size(); ++start) {
    if (number[start] == kNoNode) enter(start);
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::uint32_t node = visit.node;
      if (visit.next < graph.successors[node].size()) {
        const std::uint32_t successor = graph.successors[node][visit.next++];
        if (number[successor] == kNoNode) {
          enter(successor);
        } else if (component[successor] == kNoNode) {
          lowest[node] = std::min(lowest[node], number[successor]);
        }
        continue;
      }
      if (lowest[node] == number[node]) close(node);
      path.pop_back();
      if (!path.empty()) lowest[path.back().node] = std::min(lowest[path.back().node], lowest[node]);
    }
  }
  return component;
}

}  // namespace warplens::ptx
