#include "kernels/ptx/liveness.h"

#include <algorithm>

#include "kernels/base/texts.h"

namespace warplens::ptx {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

/// Lists of blocks, one for each register.
using BlocksByRegister = std::vector<std::vector<std::uint32_t>>;

/// Where a register is read before its block writes it, and where it is written.
struct Mentions {
  BlocksByRegister reads, writes;
};

Mentions find_mentions(const Function& function, const ControlFlow& flow,
                       const std::vector<RegisterUse>& uses) {
  Mentions mentions{BlocksByRegister(function.registers.size()), BlocksByRegister(function.registers.size())};
  const auto add = [](std::vector<std::uint32_t>& blocks, std::uint32_t block) {
    if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
  };
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
      for (const std::uint32_t r : uses[i].reads) {
        if (mentions.writes[r].empty() || mentions.writes[r].back() != b) add(mentions.reads[r], b);
      }
      if (function.instructions[i].guard.kind == Operand::Kind::reg) continue;
      for (const std::uint32_t r : uses[i].writes) add(mentions.writes[r], b);
    }
  }
  return mentions;
}

Error too_much_is_live(const Function& function, const ControlFlow& flow) {
  return {tr("{kernel} has {blocks} blocks of code and {registers} registers, of which too many are live at "
             "once: at most {most} over all edges between "
             "blocks",
             "kernel"_a = function.plain_name, "blocks"_a = flow.blocks.size(),
             "registers"_a = function.registers.size(), "most"_a = kMaxLiveOverEdges),
          "", tr("Compile it with less unrolling, or as several kernels")};
}

}  // namespace

bool Liveness::is_live(std::uint32_t block, std::uint32_t reg) const {
  return std::binary_search(at_begin[block].begin(), at_begin[block].end(), reg);
}

// Register by register, from each read backwards to the writes: Appel and Palsberg, "Modern Compiler
// Implementation", section 19.6. Only what is live is visited, whereas sets by block would be of all
// registers for all blocks.
Result<Liveness> find_liveness(const Function& function, const ControlFlow& flow,
                               const std::vector<RegisterUse>& uses) {
  const Mentions mentions = find_mentions(function, flow, uses);
  Liveness live{std::vector<std::vector<std::uint32_t>>(flow.blocks.size())};
  std::vector<std::uint32_t> written_for(flow.blocks.size(), kNone), seen_for(flow.blocks.size(), kNone),
      todo;  // By block: a register
  std::uint64_t edges = 0;
  for (std::uint32_t r = 0; r < function.registers.size(); ++r) {
    for (const std::uint32_t b : mentions.writes[r]) written_for[b] = r;
    const auto add = [&](std::uint32_t b) {
      if (seen_for[b] == r) return;
      seen_for[b] = r;
      live.at_begin[b].push_back(r);
      todo.push_back(b);
    };
    for (const std::uint32_t b : mentions.reads[r]) add(b);
    while (!todo.empty()) {
      const std::uint32_t b = todo.back();
      todo.pop_back();
      edges += flow.blocks[b].predecessors.size();
      if (edges > kMaxLiveOverEdges) return too_much_is_live(function, flow);
      for (const std::uint32_t p : flow.blocks[b].predecessors) {
        if (written_for[p] != r) add(p);
      }
    }
  }
  return live;
}

}  // namespace warplens::ptx
