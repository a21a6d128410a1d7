#include "kernels/ptx/control_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "kernels/ptx/parser.h"
#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

using Blocks = std::vector<std::uint32_t>;

ControlFlow flow_of(const std::string& body) {
  return analyse_control_flow(parse_body(body));
}

Blocks post_dominators(const ControlFlow& flow) {
  Blocks result;
  for (const BasicBlock& block : flow.blocks) result.push_back(block.immediate_post_dominator);
  return result;
}

Blocks depths(const ControlFlow& flow) {
  Blocks result;
  for (const BasicBlock& block : flow.blocks) result.push_back(block.loop_depth);
  return result;
}

TEST(ControlFlow, StraightLine) {
  const ControlFlow flow = flow_of("mov.u32 %r1, 1; bar.sync 0; call.uni f; ret;");
  ASSERT_EQ(flow.blocks.size(), 1u);
  EXPECT_EQ(flow.blocks[0].end, 4u);
  EXPECT_TRUE(flow.blocks[0].leaves);
  EXPECT_EQ(post_dominators(flow), Blocks{kNoBlock});
}

// Who does not come back from a call leaves there: what stands behind it is another block, and lanes meet
// where they did.
TEST(ControlFlow, CallsMayNotReturn) {
  const std::string functions =
      ".func ends() { .reg .pred p; @p exit; ret; }\n.func stays() { ret; }\n.func calls_it() { call.uni "
      "ends; ret; }\n"
      ".func knows_address(.param .b64 a) { .reg .b64 f; ld.param.b64 f, [a]; form: .callprototype _ (); "
      "call f, form; ret; }\n";
  const auto blocks_with = [&](const std::string& call) {
    const Result<Module> module = parse(".version 9.0\n.target sm_75\n.address_size 64\n" + functions +
                                            ".visible .entry k() { " + call + " ret; }\n",
                                        "k.ptx");
    EXPECT_TRUE(module.ok()) << module.error().message();
    return analyse_control_flow(*module->find_entry("k")).blocks;
  };
  EXPECT_EQ(blocks_with("call.uni stays;").size(), 1u);
  EXPECT_EQ(blocks_with("{ .param .b64 x; call.uni knows_address, (x); }").size(), 2u);
  for (const char* const call : {"call.uni ends;", "call.uni calls_it;"}) {
    const std::vector<BasicBlock> blocks = blocks_with(call);
    ASSERT_EQ(blocks.size(), 2u) << call;
    EXPECT_TRUE(blocks[0].leaves);
    EXPECT_EQ(blocks[0].successors, Blocks{1});
    EXPECT_EQ(blocks[0].immediate_post_dominator, 1u);
  }
}

TEST(ControlFlow, IfElse) {
  // 0 -> 1 | 2; 1 -> 3; 2 -> 3
  const ControlFlow flow =
      flow_of("@%p1 bra ELSE; mov.u32 %r1, 1; bra.uni END; ELSE: mov.u32 %r1, 2; END: ret;");
  ASSERT_EQ(flow.blocks.size(), 4u);
  EXPECT_EQ(post_dominators(flow), (Blocks{3, 3, 3, kNoBlock}));
  EXPECT_EQ(flow.block_of, (Blocks{0, 1, 1, 2, 3}));
  EXPECT_EQ(flow.blocks[0].successors, (Blocks{1, 2}));
  EXPECT_EQ(flow.blocks[3].predecessors, (Blocks{1, 2}));
  EXPECT_TRUE(flow.outermost_loops.empty());
}

TEST(ControlFlow, BranchToTheNextInstruction) {
  const ControlFlow flow = flow_of("@%p1 bra NEXT; NEXT: ret;");
  EXPECT_EQ(flow.blocks[0].successors, Blocks{1});
  EXPECT_EQ(post_dominators(flow), (Blocks{1, kNoBlock}));
}

TEST(ControlFlow, NestedLoops) {
  // 0 -> 1; 1 outer header; 2 inner, to itself; 3 -> 1 | 4
  const ControlFlow flow = flow_of(
      "mov.u32 %r1, 1; OUTER: mov.u32 %r2, 1; INNER: mov.u32 %r3, 1; @%p1 bra INNER; @%p2 bra OUTER; ret;");
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(depths(flow), (Blocks{0, 1, 2, 1, 0}));
  EXPECT_EQ(flow.outermost_loops, Blocks{1});
  EXPECT_EQ(flow.blocks[2].loop_header, 2u);
  EXPECT_EQ(flow.blocks[3].loop_header, 1u);
  EXPECT_EQ(flow.blocks[4].loop_header, kNoBlock);
  EXPECT_EQ(post_dominators(flow), (Blocks{1, 2, 3, 4, kNoBlock}));
}

TEST(ControlFlow, LoopsWithOneHeaderAreOne) {
  // `continue`: two back edges
  const ControlFlow flow = flow_of("LOOP: @%p1 bra LOOP; mov.u32 %r1, 1; @%p2 bra LOOP; ret;");
  EXPECT_EQ(depths(flow), (Blocks{1, 1, 0}));
}

TEST(ControlFlow, ExitedLanesDoNotReconverge) {
  // A guarded ret in one side of a branch: the others meet behind it.
  const ControlFlow guarded = flow_of("@%p1 bra SKIP; @%p2 ret; SKIP: mov.u32 %r1, 1; ret;");
  ASSERT_EQ(guarded.blocks.size(), 3u);
  EXPECT_TRUE(guarded.blocks[1].leaves);
  EXPECT_EQ(guarded.blocks[1].successors, Blocks{2});
  EXPECT_EQ(post_dominators(guarded), (Blocks{2, 2, kNoBlock}));
  // if (p1) { if (p2) return; r1 = 1; } barrier; as nvcc writes it: 0 -> 1 | 4; 1 -> 2 | 3; 2 -> 5, the bare
  // exit; 3 -> 4; 4 -> 5
  const ControlFlow nested =
      flow_of("@%p1 bra JOIN; @%p2 bra ON; bra END; ON: mov.u32 %r1, 1; JOIN: bar.sync 0; END: ret;");
  ASSERT_EQ(nested.blocks.size(), 6u);
  EXPECT_EQ(post_dominators(nested), (Blocks{4, 3, 5, 4, 5, kNoBlock}));
  // if (p1) return; and then the rest
  EXPECT_EQ(post_dominators(flow_of("@%p1 bra END; bar.sync 0; END: ret;")), (Blocks{1, 2, kNoBlock}));
  // What leaves after a store of its own is a path like any other.
  EXPECT_EQ(post_dominators(flow_of("@%p1 bra END; bar.sync 0; ret; END: mov.u32 %r1, 1; ret;")),
            (Blocks{kNoBlock, kNoBlock, kNoBlock}));
}

TEST(ControlFlow, LanesReconvergeBehindALoop) {
  // The other way of the loop's last branch leads back: lanes meet behind the loop, bare exit or not.
  EXPECT_EQ(post_dominators(flow_of("LOOP: mov.u32 %r1, 1; @%p1 bra LOOP; ret;")), (Blocks{1, kNoBlock}));
  // But a return from the middle of it leaves the others to go on together.
  EXPECT_EQ(
      post_dominators(flow_of("LOOP: @%p1 bra END; bar.sync 0; @%p2 bra LOOP; mov.u32 %r1, 2; END: ret;")),
      (Blocks{1, 2, 3, kNoBlock}));
}

TEST(ControlFlow, InfiniteLoop) {
  // 0 -> 1; 1 -> 2 | 3; 2 -> 4; 3 -> 4; 4 -> 1: nothing leaves, yet the branch in 1 meets in 4.
  const ControlFlow flow =
      flow_of("mov.u32 %r1, 0; L: @%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: bra L;");
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(post_dominators(flow)[2], 4u);
  EXPECT_EQ(post_dominators(flow)[3], 4u);
  EXPECT_EQ(post_dominators(flow)[4], 1u);
  EXPECT_EQ(post_dominators(flow)[0], 1u);
  EXPECT_EQ(depths(flow), (Blocks{0, 1, 1, 1, 1}));
}

TEST(ControlFlow, IrreducibleCycle) {
  // 0 -> 1 | 2; 1 -> 2; 2 -> 1 | 3: the cycle 1, 2 is entered at both.
  const ControlFlow flow =
      flow_of("@%p1 bra B; A: mov.u32 %r1, 1; B: mov.u32 %r1, 2; @%p2 bra A; mov.u32 %r1, 3; ret;");
  ASSERT_EQ(flow.blocks.size(), 4u);
  EXPECT_EQ(depths(flow), (Blocks{0, 0, 0, 0}));
  EXPECT_EQ(post_dominators(flow), (Blocks{2, 2, 3, kNoBlock}));
}

TEST(ControlFlow, UnreachableCode) {
  const ControlFlow flow = flow_of("bra END; DEAD: @%p1 bra DEAD; END: mov.u32 %r1, 1; ret;");
  ASSERT_EQ(flow.blocks.size(), 3u);
  EXPECT_EQ(flow.blocks[1].loop_depth, 0u);
  EXPECT_EQ(post_dominators(flow), (Blocks{2, 2, kNoBlock}));
}

TEST(ControlFlow, IndexedBranch) {
  const ControlFlow flow = flow_of(
      "T: .branchtargets A, B, A; brx.idx %r1, T; A: mov.u32 %r1, 1; bra C; B: mov.u32 %r1, 2; C: ret;");
  EXPECT_EQ(flow.blocks[0].successors, (Blocks{1, 2}));
  EXPECT_EQ(post_dominators(flow), (Blocks{3, 3, 3, kNoBlock}));
}

TEST(ControlFlow, DeepNestsTakeNoTimeAndNoStack) {
  constexpr int kDepth = 30000;
  std::string body;
  for (int i = 0; i < kDepth; ++i) body += "L" + std::to_string(i) + ": mov.u32 %r1, 1;\n";
  for (int i = kDepth; i-- > 0;) body += "@%p1 bra L" + std::to_string(i) + ";\n";
  const ControlFlow flow = flow_of(body + "ret;");
  ASSERT_EQ(flow.blocks.size(), 2u * kDepth);
  EXPECT_EQ(flow.blocks[kDepth - 1].loop_depth, static_cast<std::uint32_t>(kDepth));
  EXPECT_EQ(flow.outermost_loops, Blocks{0});
}

// The definitions themselves, by brute force over small graphs.
class Definitions {
 public:
  Definitions(const Function& function, const ControlFlow& flow)
      : function_(function), flow_(flow), count_(static_cast<std::uint32_t>(flow.blocks.size())) {
    for (std::uint32_t b = 0; b < count_; ++b) edges_.push_back(flow.blocks[b].successors);
    reached_ = reachable(edges_, 0, kNoBlock);
    staying_ = edges_;
    for (std::uint32_t b = 0; b < count_; ++b) {
      const bool goes_forward = std::ranges::any_of(edges_[b], [&](std::uint32_t s) {
        return !is_bare_exit(s, 0) && !(reached_.contains(b) && dominates(s, b));
      });
      if (goes_forward) std::erase_if(staying_[b], [&](std::uint32_t s) { return is_bare_exit(s, 0); });
    }
    for (std::uint32_t b = 0; b < count_; ++b) {  // First blocks of sets from which nothing else is reached
      bool is_head = true;
      for (const std::uint32_t r : reachable(staying_, b, kNoBlock))
        is_head = is_head && r >= b && reachable(staying_, r, kNoBlock).contains(b);
      ends_.push_back(is_head);
    }
  }

  [[nodiscard]] bool dominates(std::uint32_t a, std::uint32_t b) const {
    return a == b || a == 0 || !reachable(edges_, 0, a).contains(b);
  }

  [[nodiscard]] bool post_dominates(std::uint32_t p, std::uint32_t b) const {
    if (p == b) return true;
    return std::ranges::none_of(reachable(staying_, b, p), [&](std::uint32_t s) { return ends_[s]; });
  }

  [[nodiscard]] std::uint32_t immediate_post_dominator(std::uint32_t b) const {
    for (std::uint32_t p = 0; p < count_; ++p) {
      if (p == b || !post_dominates(p, b)) continue;
      bool is_nearest = true;
      for (std::uint32_t q = 0; q < count_; ++q)
        is_nearest = is_nearest && (q == b || !post_dominates(q, b) || post_dominates(q, p));
      if (is_nearest) return p;
    }
    return kNoBlock;
  }

  /// The blocks of the natural loop of a header; none if it heads none.
  [[nodiscard]] std::set<std::uint32_t> loop_of(std::uint32_t header) const {
    std::set<std::uint32_t> loop;
    for (std::uint32_t source = 0; source < count_; ++source) {
      const bool is_edge = std::ranges::count(edges_[source], header) > 0;
      if (!is_edge || !reached_.contains(source) || !dominates(header, source)) continue;
      loop.insert(header);
      for (std::uint32_t b = 0; b < count_; ++b) {
        if (b != header && reached_.contains(b) && reachable(edges_, b, header).contains(source))
          loop.insert(b);
      }
    }
    return loop;
  }

 private:
  [[nodiscard]] bool is_bare_exit(std::uint32_t b, std::uint32_t steps) const {
    const BasicBlock& block = flow_.blocks[b];
    const Instruction& only = function_.instructions[block.first];
    if (steps > count_ || block.end - block.first > 1 || only.guard.kind != Operand::Kind::none) return false;
    return block.leaves || (only.opcode == Opcode::bra && is_bare_exit(block.successors[0], steps + 1));
  }

  /// What is reached from `from` without passing `without`; `from` among it.
  [[nodiscard]] static std::set<std::uint32_t> reachable(const std::vector<Blocks>& edges, std::uint32_t from,
                                                         std::uint32_t without) {
    std::set<std::uint32_t> seen{from};
    Blocks todo{from};
    while (!todo.empty()) {
      const std::uint32_t b = todo.back();
      todo.pop_back();
      for (const std::uint32_t s : edges[b]) {
        if (s != without && seen.insert(s).second) todo.push_back(s);
      }
    }
    return seen;
  }

  const Function& function_;
  const ControlFlow& flow_;
  std::uint32_t count_;
  std::vector<Blocks> edges_, staying_;  ///< All, and those that count for post-dominance
  std::set<std::uint32_t> reached_;
  std::vector<bool> ends_;
};

std::string random_body(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t blocks = 2 + below(10), leaving = below(4);
  std::string body;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    body += "L" + std::to_string(b) + ": ";
    const std::string target = "bra L" + std::to_string(below(blocks)) + "; ";
    switch (below(8)) {
      case 0: body += below(3) < leaving ? "ret; " : target; break;
      case 1: body += below(3) < leaving ? "@%p1 exit; " : "@%p1 " + target; break;
      case 2: body += target; break;
      case 3: body += "mov.u32 %r1, 1; "; break;
      default: body += "@%p1 " + target; break;
    }
  }
  return body + (leaving > 0 ? "ret;" : "bra L" + std::to_string(below(blocks)) + ";");
}

TEST(ControlFlow, AgreesWithTheDefinitionsOnRandomGraphs) {
  std::mt19937 random(20240607);
  std::size_t loops = 0, infinite = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::string body = random_body(random);
    const Function function = parse_body(body);
    const ControlFlow flow = analyse_control_flow(function);
    const Definitions definitions(function, flow);
    std::vector<std::set<std::uint32_t>> all_loops;
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) all_loops.push_back(definitions.loop_of(b));
    infinite += std::ranges::none_of(flow.blocks, [](const BasicBlock& block) { return block.leaves; });
    Blocks outermost;
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
      ASSERT_EQ(flow.blocks[b].immediate_post_dominator, definitions.immediate_post_dominator(b))
          << b << " in " << body;
      std::uint32_t depth = 0, innermost = kNoBlock;
      for (std::uint32_t h = 0; h < flow.blocks.size(); ++h) {
        if (!all_loops[h].contains(b)) continue;
        ++depth;
        if (innermost == kNoBlock || all_loops[h].size() < all_loops[innermost].size()) innermost = h;
      }
      loops += depth > 1;
      ASSERT_EQ(flow.blocks[b].loop_depth, depth) << b << " in " << body;
      ASSERT_EQ(flow.blocks[b].loop_header, innermost) << b << " in " << body;
      if (innermost == b && depth == 1) outermost.push_back(b);
    }
    ASSERT_EQ(flow.outermost_loops, outermost) << body;
  }
  EXPECT_GT(loops, 100u);     // The graphs have nested loops,
  EXPECT_GT(infinite, 100u);  // and some never end.
}

}  // namespace
}  // namespace warplens::ptx
