#include "kernels/ptx/instrument/edge_counts.h"

#include <algorithm>
#include <optional>

#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

/// Edges between blocks, with the threads that go along them as far as they are known. One leads into each
/// function's first block, others out of the last ones.
class EdgeCounts {
 public:
  EdgeCounts(const Function& function, const ControlFlow& flow, std::span<const std::uint32_t> entries,
             const std::vector<std::uint64_t>& threads)
      : threads_(threads), in_(flow.blocks.size()), out_(flow.blocks.size()), taken_(flow.blocks.size()) {
    for (const std::uint32_t entry : entries) add_edge(std::nullopt, entry);
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) add_edges_of(function, flow, b);
  }

  /// Solves until nothing more follows.
  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < in_.size(); ++b) {
        changed |= solve(in_[b], threads_[b]);
        changed |= solve(out_[b], threads_[b]);
      }
    }
  }

  [[nodiscard]] bool is_guarded(std::size_t block) const { return taken_[block].has_value(); }
  [[nodiscard]] std::optional<std::uint64_t> taken(std::size_t block) const { return edges_[*taken_[block]]; }
  void set_taken(std::size_t block, std::uint64_t threads) { edges_[*taken_[block]] = threads; }

 private:
  std::uint32_t add_edge(std::optional<std::uint32_t> from, std::optional<std::uint32_t> to) {
    edges_.emplace_back();
    const auto edge = static_cast<std::uint32_t>(edges_.size() - 1);
    if (from) out_[*from].push_back(edge);
    if (to) in_[*to].push_back(edge);
    return edge;
  }

  void add_edges_of(const Function& function, const ControlFlow& flow, std::uint32_t b) {
    const Instruction& last = function.instructions[flow.blocks[b].end - 1];
    const bool guarded = last.guard.kind == Operand::Kind::reg;
    if (effect_of(last) == Effect::indexed_branch) {
      for (const std::uint32_t next : flow.blocks[b].successors) add_edge(b, next);
      add_edge(b, std::nullopt);  // Threads with an index out of range
      return;
    }
    if (ends_block(last)) {
      const std::uint32_t edge = leaves_function(last) ? add_edge(b, std::nullopt)
                                                       : add_edge(b, flow.block_of[last.operands[0].label]);
      if (!guarded) return;
      taken_[b] = edge;
    }
    if (last.callee_may_exit) add_edge(b, std::nullopt);
    add_edge(b, b + 1);
  }

  bool solve(const std::vector<std::uint32_t>& edges, std::uint64_t threads) {
    std::optional<std::uint32_t> unknown;
    for (const std::uint32_t edge : edges) {
      if (edges_[edge]) {
        threads -= *edges_[edge];
      } else if (unknown) {
        return false;
      } else {
        unknown = edge;
      }
    }
    if (unknown) edges_[*unknown] = threads;
    return unknown.has_value();
  }

  const std::vector<std::uint64_t>& threads_;
  std::vector<std::optional<std::uint64_t>> edges_;
  std::vector<std::vector<std::uint32_t>> in_, out_;  ///< By block
  std::vector<std::optional<std::uint32_t>> taken_;   ///< By block: the edge that the guard leads along
};

}  // namespace

std::vector<std::uint32_t> blocks_to_measure(const Function& function, const ControlFlow& flow,
                                             std::span<const std::uint32_t> entries) {
  const std::vector<std::uint64_t> threads(
      flow.blocks.size());  // What follows from what does not depend on the counts
  EdgeCounts counts(function, flow, entries, threads);
  std::vector<std::uint32_t> blocks;
  counts.solve();
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    if (!counts.is_guarded(b) || counts.taken(b)) continue;
    blocks.push_back(b);
    counts.set_taken(b, 0);
    counts.solve();
  }
  return blocks;
}

std::vector<std::uint64_t> takers(const Function& function, const ControlFlow& flow,
                                  const std::vector<std::uint64_t>& threads,
                                  const std::vector<std::uint64_t>& measured,
                                  std::span<const std::uint32_t> entries) {
  EdgeCounts counts(function, flow, entries, threads);
  for (const std::uint32_t b : blocks_to_measure(function, flow, entries)) counts.set_taken(b, measured[b]);
  counts.solve();
  std::vector<std::uint64_t> result(flow.blocks.size());
  for (std::size_t b = 0; b < result.size(); ++b) {
    if (counts.is_guarded(b)) result[b] = counts.taken(b).value_or(0);
  }
  return result;
}

}  // namespace warplens::ptx
