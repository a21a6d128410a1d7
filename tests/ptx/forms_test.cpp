// Every form of tests/data/ptx_forms.txt is parsed with its suffixes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "kernels/ptx/opcodes.h"
#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

// Every form that 314 public kernels were found to use: a statement is made up for each, and each suffix must
// be found again in the typed instruction.
class Form : public testing::TestWithParam<std::string> {};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string operands_for(const std::vector<std::string>& words) {
  const std::string root = words[0];
  std::string data = "%r1";
  for (const std::string& word : words) {
    if (word == "v2") data = "{%r1, %r2}";
    if (word == "v4") data = "{%r1, %r2, %r3, %r4}";
  }
  const auto is = [&](const std::string& list) {
    return (" " + list + " ").find(" " + root + " ") != std::string::npos;
  };
  if (is("ld")) return data + ", [%rd1]";
  if (is("st red")) return "[%rd1], " + data;
  if (is("atom"))
    return words.end() != std::find(words.begin(), words.end(), "cas") ? "%r1, [%rd1], %r2, %r3"
                                                                       : "%r1, [%rd1], %r2";
  if (is("bra")) return "L";
  if (is("bar barrier")) return "0";
  if (is("ret trap membar")) return "";
  if (is("call")) return "(%r1), callee, (%r2)";
  if (is("mov cvta cvt ex2 neg abs not rcp rsqrt sqrt lg2")) return "%r1, %r2";
  if (is("setp")) return "%p1, %r1, %r2";
  if (is("fma mad selp lop3 shf")) return "%r1, %r2, %r3, %r4";
  if (is("bfi shfl")) return "%r1, %r2, %r3, %r4, %r5";
  if (is("tex")) return "{%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6}]";
  return "%r1, %r2, %r3";
}

TEST_P(Form, Parses) {
  const std::string form = GetParam();
  const std::vector<std::string> words = split(form, '.');
  const Instruction instruction = parse_instruction("L: " + form + " " + operands_for(words) + ";");
  if (words[0] == "tex") {
    EXPECT_EQ(instruction.opcode, Opcode::tex);
    return;
  }
  EXPECT_NE(instruction.opcode, Opcode::unsupported) << instruction.text;
  std::vector<std::string> types;
  for (const Type type : {instruction.type, instruction.source_type}) {
    if (type != Type::none) types.emplace_back(name_of(type));
  }
  std::vector<std::string> expected_types;
  for (const std::string& word : words) {
    if (word.size() > 1 && std::string("bsuf").find(word[0]) != std::string::npos &&
        std::isdigit(word[1]) != 0)
      expected_types.push_back(word);
    if (word == "bf16" || word == "pred") expected_types.push_back(word);
    if (word == "global" || word == "shared" || word == "const" || word == "param") {
      EXPECT_TRUE(name_of(instruction.space) == word || name_of(instruction.to_space) == word);
    }
    EXPECT_EQ(instruction.vector == 4, form.find(".v4") != std::string::npos);
  }
  EXPECT_EQ(types, expected_types);
}

std::vector<std::string> all_forms() {
  std::vector<std::string> forms;
  for (const std::string& line : split(read_test_data("ptx_forms.txt"), '\n')) {
    if (!line.empty() && line[0] != '#') forms.push_back(line.substr(0, line.find(' ')));
  }
  return forms;
}

INSTANTIATE_TEST_SUITE_P(PublicKernels, Form, testing::ValuesIn(all_forms()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(Forms, CoverEveryOpcode) {
  EXPECT_EQ(all_forms().size(), 196u);
}

}  // namespace
}  // namespace warplens::ptx
