#include "viz/analysis/matrix_instructions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <tuple>

#include "kernels/ptx/parser.h"

namespace warplens::analysis {
namespace {

Recording recording_of(const std::string& body) {
  Recording recording;
  recording.entry = "k";
  recording.ptx =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .b32 %r<32>; .reg .f32 %f<16>; .shared .align 16 .b8 tile[1024];\n" +
      body + "\nret;\n}\n";
  return recording;
}

constexpr const char* kMma =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
    "%r6}, "
    "{%f5, %f6, %f7, %f8};";

/// Returns an execution in which all elements of A and B are `half`, and all of C are `c`.
MatrixExecution execution_of(const MatrixInstruction& instruction, std::uint16_t half, float c) {
  MatrixExecution execution{.instruction = instruction.instruction};
  const auto append = [&](std::uint32_t word, std::size_t registers) {
    for (std::size_t k = 0; k < registers * kWarpSize; ++k) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&word);
      execution.registers.insert(execution.registers.end(), bytes, bytes + sizeof word);
    }
  };
  std::uint32_t bits = 0;
  std::memcpy(&bits, &c, sizeof c);
  append(0, 4);
  append(half | std::uint32_t{half} << 16, 6);
  append(bits, 4);
  return execution;
}

TEST(MatrixInstructions, RegisterNamesFollowTheOperands) {
  const auto instructions = matrix_instructions(recording_of(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [tile];\n" + std::string(kMma)));
  ASSERT_EQ(instructions.size(), 2u);
  EXPECT_FALSE(instructions[0].is_product());
  EXPECT_EQ(instructions[0].register_names,
            (std::vector<std::vector<std::string>>{{"%r1"}, {"%r2"}, {"%r3"}, {"%r4"}}));
  ASSERT_TRUE(instructions[1].is_product());
  EXPECT_EQ(instructions[1].matrices.size(), 4u);
  EXPECT_EQ(instructions[1].register_names[1].front(), "%r1") << "A follows D";
  EXPECT_EQ(instructions[1].register_names.back().back(), "%f8");
}

TEST(MatrixInstructions, ExecutionsThatWereNotKeptAreNotGuessed) {
  BlockDetails warp;
  warp.executions = {{.instruction = 7, .order = 3}, {.instruction = 7, .order = 9}};
  EXPECT_EQ(nearest_execution(warp, 7, 5), &warp.executions[1]);
  EXPECT_EQ(nearest_execution(warp, 7, 20), &warp.executions[1]);
  warp.cut = true;
  EXPECT_EQ(nearest_execution(warp, 7, 5), &warp.executions[1]);
  EXPECT_EQ(nearest_execution(warp, 7, 20), nullptr);
}

TEST(MatrixInstructions, PtxWithoutMatrixInstructionsGivesAnEmptyList) {
  EXPECT_TRUE(matrix_instructions(recording_of("mov.u32 %r1, 5;")).empty());
  EXPECT_TRUE(matrix_instructions(Recording{.ptx = "mma, but no PTX"}).empty());
}

TEST(MatrixInstructions, EachElementHasAPlaceOfItsOwn) {
  const auto instructions = matrix_instructions(recording_of(kMma));
  ASSERT_EQ(instructions.size(), 1u);
  for (const tensor::OperandMatrix& matrix : instructions[0].matrices) {
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> places;
    for (std::size_t row = 0; row < matrix.fragment.rows; ++row) {
      for (std::size_t column = 0; column < matrix.fragment.columns; ++column) {
        const RegisterPlace place = place_of(matrix.fragment, row, column);
        EXPECT_LT(place.lane, 32u);
        EXPECT_LT(place.reg, matrix.fragment.registers);
        places.emplace(place.lane, place.reg, place.value);
      }
    }
    EXPECT_EQ(places.size(), std::size_t{matrix.fragment.rows} * matrix.fragment.columns) << matrix.name;
  }
  // PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
  const tensor::Fragment& a = instructions[0].matrices[*instructions[0].matrix('A')].fragment;
  const RegisterPlace place = place_of(a, 9, 11);
  EXPECT_EQ(place.lane, 5u);
  EXPECT_EQ(place.reg, 3u);
  EXPECT_EQ(place.value, 1u);
}

TEST(MatrixInstructions, ElementIsTheSumOfItsTerms) {
  const auto instructions = matrix_instructions(recording_of(kMma));
  ASSERT_EQ(instructions.size(), 1u);
  const MatrixExecution execution = execution_of(instructions[0], 0x3e00 /* 1.5 */, 7);
  const ElementSum sum = element_sum(instructions[0], &execution, {9, 0}, 3, 5);
  EXPECT_EQ(sum.terms.size(), 16u);
  ASSERT_TRUE(sum.d);
  EXPECT_EQ(number_of(ptx::Type::f32, *sum.d), 7 + 16 * 2.25);
  ASSERT_EQ(sum.blocks.size(), 1u) << "9.0 adds 16 products at once";
  EXPECT_EQ(sum.blocks[0].terms.size(), 17u);
  EXPECT_EQ(element_sum(instructions[0], &execution, {8, 0}, 3, 5).blocks.size(), 2u) << "8.0 adds 8";
}

TEST(MatrixInstructions, TermsHaveNoValuesWithoutAnExecution) {
  const auto instructions = matrix_instructions(recording_of(kMma));
  ASSERT_EQ(instructions.size(), 1u);
  const ElementSum sum = element_sum(instructions[0], nullptr, {9, 0}, 3, 5);
  EXPECT_EQ(sum.terms.size(), 16u);
  EXPECT_FALSE(sum.d);
}

TEST(MatrixInstructions, InstructionThatTheWarpDoesNotExecuteIsNotTheNearest) {
  const Recording recording = recording_of("mov.b32 %r1, 0;\n" + std::string(kMma) + kMma);
  const auto instructions = matrix_instructions(recording);
  ASSERT_EQ(instructions.size(), 2u);
  BlockDetails warp;
  warp.executions = {{.instruction = instructions[1].instruction, .order = 3}};
  EXPECT_EQ(nearest_instruction(instructions, recording, std::nullopt, nullptr), 0u) << "not known";
  EXPECT_EQ(nearest_instruction(instructions, recording, std::nullopt, &warp), 1u);
  warp.cut = true;
  EXPECT_EQ(nearest_instruction(instructions, recording, std::nullopt, &warp), 0u) << "it may, later";
}

TEST(MatrixInstructions, NearestExecutionFollowsTheAccess) {
  BlockDetails warp;
  for (const std::uint32_t order : {2u, 5u, 9u})
    warp.executions.push_back({.instruction = 4, .order = order});
  EXPECT_EQ(nearest_execution(warp, 4, 3), &warp.executions[1]);
  EXPECT_EQ(nearest_execution(warp, 4, 5), &warp.executions[1]);
  EXPECT_EQ(nearest_execution(warp, 4, 100), &warp.executions[2]) << "the last one";
  EXPECT_EQ(nearest_execution(warp, 7, 0), nullptr);
}

}  // namespace
}  // namespace warplens::analysis
