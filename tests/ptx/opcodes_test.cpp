#include "kernels/ptx/opcodes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

using Holds = OperandForm::Holds;

/// The operands, without their elements, that a statement writes.
std::size_t destinations_of(const std::string& statement) {
  const Instruction instruction = parse_instruction(statement);
  EXPECT_NE(instruction.opcode, Opcode::unsupported) << statement;
  return count_destinations(instruction);
}

TEST(Opcodes, HaveRowsInTheirOrder) {
  const auto rows = opcode_rows();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(Opcode::unsupported) + 1);
  std::set<std::string_view> written;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rows[i].opcode), i);
    EXPECT_EQ(&row_of(rows[i].opcode), &rows[i]);
    EXPECT_TRUE(written.insert(rows[i].written).second) << rows[i].written;
  }
}

TEST(Opcodes, DestinationsDependOnWhatIsWritten) {
  EXPECT_EQ(destinations_of("add.s32 %r1, %r2, %r3;"), 1u);
  EXPECT_EQ(destinations_of("setp.lt.s32 %p1, %r2, %r3;"), 1u);
  EXPECT_EQ(destinations_of("setp.lt.s32 %p1|%p2, %r2, %r3;"), 2u);
  EXPECT_EQ(destinations_of("bar.sync 0, 64;"), 0u);
  EXPECT_EQ(destinations_of("barrier.cta.red.and.pred %p1, 0, %p2;"), 1u);
  EXPECT_EQ(destinations_of("atom.global.add.u32 _, [%rd1], %r2;"), 1u);
  EXPECT_EQ(destinations_of("red.global.add.u32 [%rd1], %r2;"), 0u);
  EXPECT_EQ(destinations_of("prefetchu.L1 [%rd1];"), 0u);
}

TEST(Opcodes, OperandsHoldWhatTheTableSays) {
  const auto held = [](const std::string& statement) {
    const Instruction instruction = parse_instruction(statement);
    std::vector<Holds> holds;
    for (std::size_t k = 0; k < instruction.operands.size(); ++k)
      holds.push_back(form_of_operand(instruction, k).holds);
    return holds;
  };
  EXPECT_EQ(held("bfi.b64 %rd1, %rd2, %rd3, %r4, %r5;"),
            (std::vector{Holds::type, Holds::type, Holds::type, Holds::bits32, Holds::bits32}));
  EXPECT_EQ(held("match.any.sync.b64 %r1, %rd2, -1;"),
            (std::vector{Holds::bits32, Holds::type, Holds::bits32}));
  EXPECT_EQ(held("match.all.sync.b64 %r1|%p1, %rd2, -1;"),
            (std::vector{Holds::bits32, Holds::predicate, Holds::type, Holds::bits32}));
  EXPECT_EQ(held("setp.lt.and.s32 %p1|%p2, %r2, %r3, %p3;"),
            (std::vector{Holds::predicate, Holds::predicate, Holds::type, Holds::type, Holds::predicate}));
  EXPECT_EQ(held("mad.wide.s32 %rd1, %r2, %r3, %rd4;"),
            (std::vector{Holds::widened, Holds::type, Holds::type, Holds::widened}));
  EXPECT_EQ(held("set.lt.u32.s32 %r1, %r2, %r3;"),
            (std::vector{Holds::type, Holds::second_type, Holds::second_type}));
}

TEST(Opcodes, EffectsAnswerForControl) {
  const auto is = [](bool (*question)(const Instruction&), const std::string& statement) {
    return question(parse_instruction("L: " + statement));
  };
  for (const char* const statement : {"bra L;", "ret;", "exit;", "trap;"})
    EXPECT_TRUE(is(ends_block, statement)) << statement;
  for (const char* const statement : {"bar.sync 0;", "brkpt;", "add.s32 %r1, %r2, %r3;"})
    EXPECT_FALSE(is(ends_block, statement)) << statement;
  for (const char* const statement : {"ret;", "exit;", "trap;"})
    EXPECT_TRUE(is(leaves_function, statement)) << statement;
  EXPECT_FALSE(is(leaves_function, "bra L;"));
  for (const char* const statement : {"bar.sync 0;", "bar.cta.arrive 0, 64;", "barrier.sync 0;"})
    EXPECT_TRUE(is(is_barrier, statement)) << statement;
  EXPECT_FALSE(is(is_barrier, "bar.warp.sync -1;"));
}

TEST(Opcodes, AnAccessHasAnAddressAndData) {
  for (const char* const statement :
       {"ld.global.u32 %r1, [%rd1];", "st.global.u32 [%rd1], %r1;", "atom.global.add.u32 %r1, [%rd1], %r2;",
        "red.global.add.u32 [%rd1], %r1;"}) {
    const Instruction instruction = parse_instruction(statement);
    EXPECT_TRUE(is_access(instruction)) << statement;
    EXPECT_EQ(address_of(instruction).kind, Operand::Kind::address) << statement;
    EXPECT_EQ(data_of(instruction).kind, Operand::Kind::reg) << statement;
  }
  EXPECT_FALSE(is_access(parse_instruction("prefetch.global.L1 [%rd1];")));
  EXPECT_TRUE(is_atomic(parse_instruction("red.global.add.u32 [%rd1], %r1;")));
  EXPECT_FALSE(is_atomic(parse_instruction("st.global.u32 [%rd1], %r1;")));
}

TEST(Opcodes, ValuesAreTheSameWhereTheirOperandsAre) {
  const auto is_uniform = [](const std::string& statement) {
    return is_uniform_if_operands_are(parse_instruction(statement));
  };
  EXPECT_TRUE(is_uniform("add.s32 %r1, %r2, %r3;"));
  EXPECT_TRUE(is_uniform("ld.param.u64 %rd1, [kernel_param_0];"));
  EXPECT_TRUE(is_uniform("ld.const.u32 %r1, [%rd1];"));
  EXPECT_FALSE(is_uniform("ld.global.u32 %r1, [%rd1];"));
  EXPECT_FALSE(is_uniform("atom.global.add.u32 %r1, [%rd1], %r2;"));
  EXPECT_FALSE(is_uniform("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;"));
  EXPECT_FALSE(is_uniform("activemask.b32 %r1;"));
  EXPECT_FALSE(is_uniform("addc.u32 %r1, %r2, %r3;"));
  EXPECT_TRUE(reads_carry(parse_instruction("madc.lo.u32 %r1, %r2, %r3, %r4;")));
  EXPECT_FALSE(reads_carry(parse_instruction("add.cc.u32 %r1, %r2, %r3;"))) << "it writes the flag";
}

TEST(Opcodes, OldFormsCrossLanesWithoutSayingWhich) {
  EXPECT_TRUE(lacks_sync(parse_instruction("shfl.bfly.b32 %r1, %r2, 1, 31;")));
  EXPECT_TRUE(lacks_sync(parse_instruction("vote.ballot.b32 %r1, %p1;")));
  EXPECT_FALSE(lacks_sync(parse_instruction("vote.sync.ballot.b32 %r1, %p1, -1;")));
  EXPECT_FALSE(lacks_sync(parse_instruction("add.s32 %r1, %r2, %r3;")));
}

TEST(Opcodes, BarriersNeedTheirWords) {
  for (const char* const statement :
       {"bar 0;", "bar.red.and %p1, 0, %p2;", "bar.sync.u32 0;", "barrier.cluster;"}) {
    EXPECT_EQ(parse_instruction(statement).opcode, Opcode::unsupported) << statement;
  }
}

}  // namespace
}  // namespace warplens::ptx
