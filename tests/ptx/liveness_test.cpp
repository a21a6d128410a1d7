#include "kernels/ptx/liveness.h"

#include <gtest/gtest.h>

#include "kernels/ptx/uniformity.h"
#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

struct Analysed {
  Function function;
  ControlFlow flow;
  Result<Liveness> live = Error{};

  explicit Analysed(const std::string& body)
      : function(parse_body(body)), flow(analyse_control_flow(function)) {
    std::vector<RegisterUse> uses;
    for (const Instruction& instruction : function.instructions) uses.push_back(register_use(instruction));
    live = find_liveness(function, flow, uses);
  }
  /// The names of what is live at the beginning of a block.
  [[nodiscard]] std::string at_begin(std::uint32_t block) const {
    std::string names;
    for (const std::uint32_t r : live->at_begin.at(block)) names += function.registers[r].name + " ";
    return names;
  }
};

TEST(Liveness, LastsFromWriteToLastRead) {
  const Analysed loop(R"(mov.u32 %r1, 0;
    mov.u32 %r2, 7;
    Loop: add.u32 %r1, %r1, %r2;
    mov.u32 %r3, %r1;
    setp.lt.u32 %p1, %r3, 100;
    @%p1 bra Loop;
    add.u32 %r4, %r3, 1;
    ret;)");
  ASSERT_TRUE(loop.live.ok());
  ASSERT_EQ(loop.flow.blocks.size(), 3u);
  EXPECT_EQ(loop.at_begin(0), "");
  EXPECT_EQ(loop.at_begin(1), "%r1 %r2 ");
  EXPECT_EQ(loop.at_begin(2), "%r3 ");
  EXPECT_TRUE(loop.live->is_live(1, 0));
  EXPECT_FALSE(loop.live->is_live(2, 0));
}

TEST(Liveness, AGuardedWriteLeavesTheOldValueToOthers) {
  const Analysed guarded("@%p1 bra L;\nL: @%p2 mov.u32 %r1, 0;\nadd.u32 %r2, %r1, 1;\nret;");
  EXPECT_EQ(guarded.at_begin(1), "%p2 %r1 ");
  const Analysed plain("@%p1 bra L;\nL: mov.u32 %r1, 0;\nadd.u32 %r2, %r1, 1;\nret;");
  EXPECT_EQ(plain.at_begin(1), "");
}

TEST(Liveness, HasALimitThatTheErrorNames) {
  std::string body = ".reg .b32 %v<7001>;\n";
  for (int i = 0; i < 7000; ++i) body += "mov.u32 %v" + std::to_string(i) + ", 1;\n";
  for (int i = 0; i < 7000; ++i)
    body += "@%p1 bra L" + std::to_string(i) + ";\nL" + std::to_string(i) + ":\n";
  for (int i = 0; i < 7000; ++i) body += "add.u32 %r1, %r1, %v" + std::to_string(i) + ";\n";
  const Analysed large(body + "ret;");
  ASSERT_FALSE(large.live.ok());
  EXPECT_NE(large.live.error().what.find(std::to_string(kMaxLiveOverEdges)), std::string::npos)
      << large.live.error().what;
}

// Each value comes from the next one in the text: what is followed round by round takes a round for each.
TEST(Liveness, ValuesAreFollowedInTimeByTheText) {
  constexpr int kValues = 200'000;
  std::string body = ".reg .b32 %v<" + std::to_string(kValues + 1) + ">;\n";
  for (int i = 0; i < kValues; ++i)
    body += "add.u32 %v" + std::to_string(i) + ", %v" + std::to_string(i + 1) + ", 1;\n";
  body += "mov.u32 %v" + std::to_string(kValues) +
          ", %tid.x;\nsetp.eq.u32 %p1, %v0, 0;\n@%p1 bra L;\nadd.u32 %r1, %r1, 1;\nL: ret;";
  const Analysed chain(body);
  EXPECT_TRUE(chain.live.ok());
  EXPECT_TRUE(find_partings(chain.function, chain.flow).at(0))
      << "the condition comes from %tid.x by way of all of them";
}

}  // namespace
}  // namespace warplens::ptx
