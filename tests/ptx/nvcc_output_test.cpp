// What nvcc 13.0 makes of tests/data/cu, for compute capabilities 7.5 to 10.0.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "kernels/ptx/control_flow.h"
#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

std::vector<std::string> all_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(WARPLENS_TEST_DATA "/ptx"))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class NvccOutput : public testing::TestWithParam<std::string> {};

TEST_P(NvccOutput, ParsesAndIsSupported) {
  const Module module = parse_or_fail(read_test_data("ptx/" + GetParam()));
  ASSERT_FALSE(module.functions.empty());
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      EXPECT_NE(instruction.opcode, Opcode::unsupported) << instruction.ptx_line << ": " << instruction.text;
      EXPECT_LT(instruction.location.file, module.files.size());
    }
  }
}

// nvcc begins each instruction on a line of its own, with a tab; what stands there otherwise is a directive.
TEST_P(NvccOutput, EveryInstructionIsThere) {
  const std::string text = read_test_data("ptx/" + GetParam());
  const Module module = parse_or_fail(text);
  std::map<std::uint32_t, std::string> by_line;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions)
      by_line.emplace(instruction.ptx_line, instruction.text);
  }
  std::istringstream lines(text);
  std::string line;
  std::size_t found = 0;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    const bool is_indented_word =
        line.size() > 1 && line[0] == '\t' && (line[1] == '@' || std::islower(line[1]) != 0);
    const bool is_argument = line.find(';') == std::string::npos && !line.starts_with("\tcall");
    if (!is_indented_word || is_argument || line.starts_with("\tprototype")) continue;
    ++found;
    ASSERT_TRUE(by_line.contains(number)) << line;
    const std::string opcode = by_line[number].substr(0, by_line[number].find(' '));
    EXPECT_NE(line.find(opcode), std::string::npos) << line;
  }
  EXPECT_GT(found, module.functions.size());
}

TEST_P(NvccOutput, HasCleanControlFlow) {
  const Module module = parse_or_fail(read_test_data("ptx/" + GetParam()));
  for (const Function& function : module.functions) {
    const ControlFlow flow = analyse_control_flow(function);
    ASSERT_EQ(flow.block_of.size(), function.instructions.size());
    for (const BasicBlock& block : flow.blocks) {
      EXPECT_TRUE(block.leaves || !block.successors.empty());
      EXPECT_TRUE(block.immediate_post_dominator == kNoBlock ||
                  block.immediate_post_dominator < flow.blocks.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, NvccOutput, testing::ValuesIn(all_files()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(NvccOutputs, CoverEverySource) {
  std::set<std::string> sources, outputs;
  for (const auto& entry : std::filesystem::directory_iterator(WARPLENS_TEST_DATA "/cu"))
    sources.insert(entry.path().stem().string());
  for (const std::string& name : all_files()) outputs.insert(name.substr(0, name.find('.')));
  EXPECT_EQ(sources, outputs);
}

TEST(NvccOutputs, TiledLoopIsFound) {
  const Module module = parse_or_fail(read_test_data("ptx/matmul_tiled.sm_75.ptx"));
  const Function* const tiled = module.find_entry("tiled<16, float>");
  ASSERT_NE(tiled, nullptr);
  const ControlFlow flow = analyse_control_flow(*tiled);
  ASSERT_EQ(flow.outermost_loops.size(), 1u);
  std::size_t barriers = 0;
  for (std::uint32_t i = 0; i < tiled->instructions.size(); ++i) {
    if (tiled->instructions[i].opcode != Opcode::bar) continue;
    ++barriers;
    EXPECT_EQ(flow.blocks[flow.block_of[i]].loop_header, flow.outermost_loops[0]);
  }
  EXPECT_EQ(barriers, 2u);
}

}  // namespace
}  // namespace warplens::ptx
