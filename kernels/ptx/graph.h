// Directed graphs, as control_flow needs them. Nodes are 0 .. n-1.
#pragma once

#include <cstdint>
#include <vector>

namespace warplens::ptx {

inline constexpr std::uint32_t kNoNode = 0xffffffffu;

struct Graph {
  explicit Graph(std::size_t nodes) : successors(nodes), predecessors(nodes) {}
  void add_edge(std::uint32_t from, std::uint32_t to) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(successors.size()); }

  std::vector<std::vector<std::uint32_t>> successors, predecessors;
};

/// Every edge turned round.
[[nodiscard]] Graph reversed(const Graph& graph);

class DominatorTree {
 public:
  /// Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", 1979: the simple variant,
  /// O(m log n).
  DominatorTree(const Graph& graph, std::uint32_t root);

  /// kNoNode for the root and for nodes that the root does not reach.
  [[nodiscard]] std::uint32_t immediate_dominator(std::uint32_t node) const { return immediate_[node]; }
  [[nodiscard]] bool is_reachable(std::uint32_t node) const { return size_[node] > 0; }
  /// Whether every path from the root to reachable `b` passes `a`. True for a == b.
  [[nodiscard]] bool dominates(std::uint32_t a, std::uint32_t b) const {
    return first_[b] - first_[a] < size_[a];
  }
  /// The reachable nodes, each after its dominators.
  [[nodiscard]] const std::vector<std::uint32_t>& preorder() const { return preorder_; }

 private:
  void number_subtrees();

  std::vector<std::uint32_t> immediate_, preorder_;
  std::vector<std::uint32_t> first_,
      size_;  ///< The nodes that `a` dominates have the numbers first_[a] .. first_[a] + size_[a] - 1
};

/// The strongly connected component of each node. Components are numbered so that edges lead to the same or a
/// smaller number.
[[nodiscard]] std::vector<std::uint32_t> strong_components(const Graph& graph);

}  // namespace warplens::ptx
