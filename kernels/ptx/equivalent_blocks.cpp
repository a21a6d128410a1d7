#include "kernels/ptx/equivalent_blocks.h"

#include <algorithm>
#include <numeric>

#include "kernels/ptx/graph.h"

namespace warplens::ptx {
namespace {

/// Every cycle is a natural loop: without the edges back to a dominator there is none.
bool is_reducible(const Graph& graph, const DominatorTree& tree) {
  Graph forward(graph.size());
  for (std::uint32_t b = 0; b < graph.size(); ++b) {
    for (const std::uint32_t s : graph.successors[b]) {
      if (!(tree.is_reachable(b) && tree.dominates(s, b))) forward.add_edge(b, s);
    }
  }
  std::vector<std::uint32_t> components = strong_components(forward);
  std::sort(components.begin(), components.end());
  return std::adjacent_find(components.begin(), components.end()) == components.end();
}

DominatorTree post_dominators(const ControlFlow& flow, const Graph& graph) {
  const std::uint32_t exit = graph.size();
  Graph backwards = reversed(graph);
  backwards.successors.emplace_back();
  backwards.predecessors.emplace_back();
  for (std::uint32_t b = 0; b < exit; ++b) {
    if (flow.blocks[b].leaves) backwards.add_edge(exit, b);
  }
  return {backwards, exit};
}

/// Blocks looked at in all. Code that was made to take longer has blocks that are counted each by itself.
constexpr std::uint64_t kMaxSteps = 1u << 27;

/// Whether a path leads from `block` back to it that does not pass `without`; also true where that is not
/// found out within `steps`.
bool comes_back(const Graph& graph, std::uint32_t block, std::uint32_t without, std::uint64_t& steps) {
  std::vector<bool> seen(graph.size());
  std::vector<std::uint32_t> todo{block};
  while (!todo.empty()) {
    const std::uint32_t at = todo.back();
    todo.pop_back();
    if (steps == 0) return true;
    --steps;
    for (const std::uint32_t s : graph.successors[at]) {
      if (s == block) return true;
      if (s != without && !seen[s]) todo.push_back(s);
      seen[s] = true;
    }
  }
  return false;
}

/// Whether lanes that part behind `from` have met again where `block` is: they wait for each other at
/// immediate post-dominators alone. Not, where that is not found out within `steps`.
bool have_met(const ControlFlow& flow, std::uint32_t from, std::uint32_t block, std::uint64_t& steps) {
  for (; from != block && from != kNoBlock && steps > 0; --steps)
    from = flow.blocks[from].immediate_post_dominator;
  return from == block;
}

}  // namespace

std::vector<std::uint32_t> find_equivalent_blocks(const ControlFlow& flow) {
  std::vector<std::uint32_t> first(flow.blocks.size());
  std::iota(first.begin(), first.end(), 0u);
  if (flow.blocks.empty()) return first;
  const Graph graph = graph_of(flow);
  const DominatorTree before(graph, 0);
  if (!is_reducible(graph, before)) return first;
  const DominatorTree after = post_dominators(flow, graph);
  std::uint64_t steps = kMaxSteps;
  const auto always_leads_to = [&](std::uint32_t d, std::uint32_t b) {
    return after.is_reachable(d) && after.is_reachable(b) && after.dominates(b, d) &&
           have_met(flow, d, b, steps) && !comes_back(graph, d, b, steps);
  };
  // Blocks that are executed with `b` lie on the way up from it to the root: each has the one before it among
  // its dominators.
  for (const std::uint32_t b : before.preorder()) {
    if (flow.blocks[b].is_bare_exit) continue;  // Where lanes do not wait for each other
    for (std::uint32_t d = before.immediate_dominator(b); d != kNoNode; d = before.immediate_dominator(d)) {
      if (steps == 0) return first;
      --steps;
      if (flow.blocks[d].loop_header == flow.blocks[b].loop_header && always_leads_to(d, b)) {
        first[b] = first[d];
        break;
      }
    }
  }
  return first;
}

}  // namespace warplens::ptx
