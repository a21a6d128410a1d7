#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/ptx/graph.h"

namespace warplens::ptx {
namespace {

struct DepthFirstTree {
  std::vector<std::uint32_t> node;    // by number, in preorder
  std::vector<std::uint32_t> number;  // by node; kNoNode: not reached
  std::vector<std::uint32_t> parent;  // numbers, by number
};

DepthFirstTree search_depth_first(const Graph& graph, std::uint32_t root) {
  DepthFirstTree tree{{}, std::vector<std::uint32_t>(graph.size(), kNoNode), {}};
  struct Visit {
    std::uint32_t node;
    std::size_t next = 0;
  };
  std::vector<Visit> path;
  const auto enter = [&](std::uint32_t node, std::uint32_t parent) {
    tree.number[node] = static_cast<std::uint32_t>(tree.node.size());
    tree.node.push_back(node);
    tree.parent.push_back(parent);
    path.push_back({node});
  };
  enter(root, kNoNode);
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next == graph.successors[visit.node].size()) {
      path.pop_back();
      continue;
    }
    const std::uint32_t successor = graph.successors[visit.node][visit.next++];
    if (tree.number[successor] == kNoNode) enter(successor, tree.number[visit.node]);
  }
  return tree;
}

/// The forest of the paper, over numbers: for each node, the node of least semidominator on the way to the
/// root of its tree.
class LinkEval {
 public:
  explicit LinkEval(std::size_t nodes) : semi(nodes), ancestor_(nodes, kNoNode), best_(nodes) {
    std::iota(semi.begin(), semi.end(), 0u);
    std::iota(best_.begin(), best_.end(), 0u);
  }

  void link(std::uint32_t parent, std::uint32_t child) { ancestor_[child] = parent; }

  std::uint32_t eval(std::uint32_t node) {
    path_.clear();
    for (std::uint32_t n = node; ancestor_[n] != kNoNode; n = ancestor_[n]) path_.push_back(n);
    if (path_.empty()) return node;
    const std::uint32_t root = ancestor_[path_.back()];
    path_.pop_back();  // It hangs from the root already.
    for (; !path_.empty(); path_.pop_back()) {
      const std::uint32_t n = path_.back(), above = ancestor_[n];
      if (semi[best_[above]] < semi[best_[n]]) best_[n] = best_[above];
      ancestor_[n] = root;
    }
    return best_[node];
  }

  std::vector<std::uint32_t> semi;

 private:
  std::vector<std::uint32_t> ancestor_, best_, path_;
};

}  // namespace

DominatorTree::DominatorTree(const Graph& graph, std::uint32_t root) : immediate_(graph.size(), kNoNode) {
  DepthFirstTree tree = search_depth_first(graph, root);
  const auto count = static_cast<std::uint32_t>(tree.node.size());
  LinkEval forest(count);
  std::vector<std::uint32_t> dominator(count, 0), bucket(count, kNoNode), next_in_bucket(count, kNoNode);
  for (std::uint32_t w = count; w-- > 1;) {
    for (const std::uint32_t predecessor : graph.predecessors[tree.node[w]]) {
      if (tree.number[predecessor] == kNoNode) continue;
      const std::uint32_t u = forest.eval(tree.number[predecessor]);
      forest.semi[w] = std::min(forest.semi[w], forest.semi[u]);
    }
    next_in_bucket[w] = std::exchange(bucket[forest.semi[w]], w);
    const std::uint32_t parent = tree.parent[w];
    forest.link(parent, w);
    for (std::uint32_t v = std::exchange(bucket[parent], kNoNode); v != kNoNode; v = next_in_bucket[v]) {
      const std::uint32_t u = forest.eval(v);
      dominator[v] = forest.semi[u] < forest.semi[v] ? u : parent;
    }
  }
  for (std::uint32_t w = 1; w < count; ++w) {
    if (dominator[w] != forest.semi[w]) dominator[w] = dominator[dominator[w]];
    immediate_[tree.node[w]] = tree.node[dominator[w]];
  }
  preorder_ = std::move(tree.node);
  number_subtrees();
}

void DominatorTree::number_subtrees() {
  first_.assign(immediate_.size(), 0);
  size_.assign(immediate_.size(), 0);
  for (auto node = preorder_.rbegin(); node != preorder_.rend(); ++node) {
    ++size_[*node];
    if (immediate_[*node] != kNoNode) size_[immediate_[*node]] += size_[*node];
  }
  std::vector<std::uint32_t> next_free(immediate_.size(), 0);
  for (const std::uint32_t node : preorder_) {
    if (immediate_[node] != kNoNode) {
      first_[node] = next_free[immediate_[node]];
      next_free[immediate_[node]] += size_[node];
    }
    next_free[node] = first_[node] + 1;
  }
}

}  // namespace warplens::ptx
