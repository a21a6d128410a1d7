#include "kernels/ptx/control_flow.h"

#include <algorithm>
#include <utility>

#include "kernels/ptx/graph.h"
#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

bool is_guarded(const Instruction& instruction) {
  return instruction.guard.kind != Operand::Kind::none;
}

template <class Visit>
void for_each_target(const Instruction& instruction, Visit visit) {
  if (effect_of(instruction) == Effect::branch) visit(instruction.operands[0].label);
  if (effect_of(instruction) != Effect::indexed_branch) return;
  for (const Operand& target : instruction.operands[1].elements) visit(target.label);
}

void split_into_blocks(const std::vector<Instruction>& instructions, ControlFlow& flow) {
  std::vector<bool> starts(instructions.size() + 1, false);
  starts[0] = starts[instructions.size()] = true;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (ends_block(instructions[i]) || instructions[i].callee_may_exit) starts[i + 1] = true;
    for_each_target(instructions[i], [&](std::uint32_t target) { starts[target] = true; });
  }
  flow.block_of.reserve(instructions.size());
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (starts[i]) flow.blocks.emplace_back().first = i;
    flow.blocks.back().end = i + 1;
    flow.block_of.push_back(static_cast<std::uint32_t>(flow.blocks.size() - 1));
  }
}

void connect_blocks(const std::vector<Instruction>& instructions, ControlFlow& flow) {
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    BasicBlock& block = flow.blocks[b];
    const Instruction& last = instructions[block.end - 1];
    block.leaves =
        leaves_function(last) || last.callee_may_exit || (b + 1 == flow.blocks.size() && !ends_block(last));
    for_each_target(last, [&](std::uint32_t target) { block.successors.push_back(flow.block_of[target]); });
    const bool goes_on = !ends_block(last) || is_guarded(last);
    if (goes_on && b + 1 < flow.blocks.size()) block.successors.push_back(b + 1);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
    for (const std::uint32_t successor : block.successors) flow.blocks[successor].predecessors.push_back(b);
  }
}

void find_bare_exits(const std::vector<Instruction>& instructions, ControlFlow& flow) {
  std::vector<std::uint32_t> todo;
  const auto is_single = [&](std::uint32_t b) {
    return flow.blocks[b].end - flow.blocks[b].first == 1 && !is_guarded(instructions[flow.blocks[b].first]);
  };
  const auto add = [&](std::uint32_t b) {
    if (std::exchange(flow.blocks[b].is_bare_exit, true)) return;
    todo.push_back(b);
  };
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    if (is_single(b) && leaves_function(instructions[flow.blocks[b].first])) add(b);
  }
  while (!todo.empty()) {
    const std::uint32_t exit = todo.back();
    todo.pop_back();
    for (const std::uint32_t p : flow.blocks[exit].predecessors) {
      if (is_single(p) && effect_of(instructions[flow.blocks[p].first]) == Effect::branch) add(p);
    }
  }
}

/// The edges that count for post-dominance, without those to the exit: see
/// BasicBlock::immediate_post_dominator.
Graph paths_of_staying_lanes(const ControlFlow& flow, const DominatorTree& dominators) {
  Graph graph(flow.blocks.size());
  for (std::uint32_t b = 0; b < graph.size(); ++b) {
    const std::vector<std::uint32_t>& successors = flow.blocks[b].successors;
    const bool goes_forward = std::any_of(successors.begin(), successors.end(), [&](std::uint32_t s) {
      const bool is_back_edge = dominators.is_reachable(b) && dominators.dominates(s, b);
      return !flow.blocks[s].is_bare_exit && !is_back_edge;
    });
    for (const std::uint32_t s : successors) {
      if (!goes_forward || !flow.blocks[s].is_bare_exit) graph.add_edge(b, s);
    }
  }
  return graph;
}

/// The first block of each strong component that no edge leaves.
std::vector<std::uint32_t> ways_out(const Graph& graph) {
  const std::vector<std::uint32_t> component = strong_components(graph);
  std::vector<bool> is_left(graph.size(), false), is_seen(graph.size(), false);  // By component
  for (std::uint32_t b = 0; b < graph.size(); ++b) {
    for (const std::uint32_t s : graph.successors[b]) {
      if (component[s] != component[b]) is_left[component[b]] = true;
    }
  }
  std::vector<std::uint32_t> result;
  for (std::uint32_t b = 0; b < graph.size(); ++b) {
    if (!is_left[component[b]] && !is_seen[component[b]]) result.push_back(b);
    is_seen[component[b]] = true;
  }
  return result;
}

void find_post_dominators(ControlFlow& flow, const Graph& staying) {
  const std::uint32_t exit = staying.size();
  Graph backwards = reversed(staying);
  backwards.successors.emplace_back();
  backwards.predecessors.emplace_back();
  for (const std::uint32_t last : ways_out(staying)) backwards.add_edge(exit, last);
  const DominatorTree tree(backwards, exit);
  for (std::uint32_t b = 0; b < exit; ++b) {
    const std::uint32_t post_dominator = tree.immediate_dominator(b);
    flow.blocks[b].immediate_post_dominator = post_dominator == exit ? kNoBlock : post_dominator;
  }
}

/// Loops found so far, each standing as one block, its header: a union-find forest.
class CollapsedLoops {
 public:
  explicit CollapsedLoops(std::size_t blocks) : into_(blocks, kNoBlock) {}
  void collapse(std::uint32_t block, std::uint32_t header) { into_[block] = header; }
  std::uint32_t find(std::uint32_t block) {
    std::uint32_t root = block;
    while (into_[root] != kNoBlock) root = into_[root];
    while (block != root) {
      const std::uint32_t next = into_[block];
      into_[block] = root;
      block = next;
    }
    return root;
  }

 private:
  std::vector<std::uint32_t> into_;
};

/// The header of the smallest loop around each block that the block does not head itself, and whether it
/// heads one.
struct LoopNest {
  std::vector<std::uint32_t> around;
  std::vector<bool> is_header;
};

// Headers are taken inner ones first. A loop is what reaches its back edges (edges to the header from blocks
// that it dominates) without passing the header.
LoopNest find_loop_nest(const Graph& graph, const DominatorTree& tree) {
  LoopNest nest{std::vector<std::uint32_t>(graph.size(), kNoBlock), std::vector<bool>(graph.size(), false)};
  CollapsedLoops loops(graph.size());
  std::vector<std::uint32_t> todo;
  for (auto header = tree.preorder().rbegin(); header != tree.preorder().rend(); ++header) {
    for (const std::uint32_t source : graph.predecessors[*header]) {
      if (!tree.is_reachable(source) || !tree.dominates(*header, source)) continue;
      nest.is_header[*header] = true;
      todo.push_back(source);
    }
    while (!todo.empty()) {
      const std::uint32_t block = loops.find(todo.back());
      todo.pop_back();
      if (block == *header) continue;
      nest.around[block] = *header;
      loops.collapse(block, *header);
      for (const std::uint32_t predecessor : graph.predecessors[block]) {
        if (tree.is_reachable(predecessor)) todo.push_back(predecessor);
      }
    }
  }
  return nest;
}

void find_loops(ControlFlow& flow, const Graph& graph, const DominatorTree& tree) {
  const LoopNest nest = find_loop_nest(graph, tree);
  for (const std::uint32_t b : tree.preorder()) {
    BasicBlock& block = flow.blocks[b];
    const std::uint32_t around = nest.around[b];
    block.loop_header = nest.is_header[b] ? b : around;
    block.loop_depth =
        (around == kNoBlock ? 0 : flow.blocks[around].loop_depth) + (nest.is_header[b] ? 1 : 0);
  }
  for (std::uint32_t b = 0; b < graph.size(); ++b) {
    if (nest.is_header[b] && flow.blocks[b].loop_depth == 1) flow.outermost_loops.push_back(b);
  }
}

}  // namespace

Graph graph_of(const ControlFlow& flow) {
  Graph graph(flow.blocks.size());
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    graph.successors[b] = flow.blocks[b].successors;
    graph.predecessors[b] = flow.blocks[b].predecessors;
  }
  return graph;
}

ControlFlow analyse_control_flow(const Function& function) {
  ControlFlow flow;
  if (function.instructions.empty()) return flow;
  split_into_blocks(function.instructions, flow);
  connect_blocks(function.instructions, flow);
  const Graph graph = graph_of(flow);
  const DominatorTree dominators(graph, 0);
  find_bare_exits(function.instructions, flow);
  find_post_dominators(flow, paths_of_staying_lanes(flow, dominators));
  find_loops(flow, graph, dominators);
  return flow;
}

}  // namespace warplens::ptx
