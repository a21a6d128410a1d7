// Forms that ptxas 13.0 takes and that nvcc does not write: by hand, by Triton, by older compilers.
#include <algorithm>
#include <bit>

#include "kernels/ptx/statements.h"
#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

std::uint64_t value_of(const std::string& expression) {
  const Instruction instruction = parse_instruction("mov.u64 %rd1, " + expression + ";");
  EXPECT_EQ(instruction.opcode, Opcode::mov) << expression;
  if (instruction.operands.size() != 2) return 0;
  EXPECT_EQ(instruction.operands[1].kind, Kind::immediate) << expression;
  return instruction.operands[1].bits;
}

TEST(ConstantExpressions, HaveTheValuesOfThePtxIsa) {
  const std::pair<const char*, std::int64_t> kCases[] = {{"(7)", 7},
                                                         {"+5", 5},
                                                         {"-(5)", -5},
                                                         {"- 5", -5},
                                                         {"1 - -1", 2},
                                                         {"1--1", 2},
                                                         {"2+3*4", 14},
                                                         {"(2+3)*4", 20},
                                                         {"20/3/2", 3},
                                                         {"7 % 4", 3},
                                                         {"-7 / 2", -3},
                                                         {"-1 / 3", 0},
                                                         {"0xFFFFFFFFFFFFFFFF / 3", 0x5555555555555555},
                                                         {"-1U / 3", 0x5555555555555555},
                                                         {"1<<4|3", 19},
                                                         {"((1 << 4) | 3)", 19},
                                                         {"-7 >> 1", -4},
                                                         {"-7 >> 64", -1},
                                                         {"0xFFFFFFFFFFFFFFFE >> 1", 0x7FFFFFFFFFFFFFFF},
                                                         {"1 << 64", 0},
                                                         {"5 & 3 ^ 6 | 8", 15},
                                                         {"1 < 2 == 1", 1},
                                                         {"-1 < 0", 1},
                                                         {"-1 < 0U", 0},
                                                         {"(.s64)-1 < 0", 1},
                                                         {"(.u64)-1 < 0", 0},
                                                         {"3 >= 3 && 2 <= 1 || 1 != 0", 1},
                                                         {"!0", 1},
                                                         {"!5", 0},
                                                         {"~0x1f", -32},
                                                         {"(2 > 1 ? 5 : 6)", 5},
                                                         {"0 ? 1 : 0 ? 2 : 3", 3},
                                                         {"1.5 < 2.0", 1},
                                                         {"WARP_SZ*2", 64},
                                                         {"WARP_SZ-1", 31}};
  for (const auto& [expression, value] : kCases)
    EXPECT_EQ(static_cast<std::int64_t>(value_of(expression)), value) << expression;
}

TEST(ConstantExpressions, OfFloatingPointNumbers) {
  const Instruction wide = parse_instruction("mov.f64 %fd1, 1.0 / 4.0 - (0.5 + 1.0);");
  EXPECT_EQ(std::bit_cast<double>(wide.operands.at(1).bits), -1.25);
  const Instruction narrow = parse_instruction("add.f32 %f1, %f2, 1.5*2.0;");
  EXPECT_EQ(narrow.operands.at(2).bits, std::bit_cast<std::uint32_t>(3.0f));
}

TEST(ConstantExpressions, StandWhereverAnImmediateMay) {
  EXPECT_EQ(parse_instruction("ld.global.u32 %r1, [%rd1+4*3];").operands.at(1).offset, 12);
  EXPECT_EQ(parse_instruction("ld.global.u32 %r1, [%rd1+(1<<4)];").operands.at(1).offset, 16);
  EXPECT_EQ(parse_instruction("ld.global.u32 %r1, [%rd1+-4];").operands.at(1).offset, -4);
  EXPECT_EQ(parse_instruction("ld.global.u32 %r1, [%rd1-4];").operands.at(1).offset, -4);
  EXPECT_EQ(parse_instruction("bar.sync 2-1, WARP_SZ*2;").operands.at(1).bits, 64u);
  EXPECT_EQ(parse_instruction("st.global.v2.u32 [%rd1], {1+1, 2*3};").operands.at(1).elements.at(1).bits, 6u);
  const Module module = parse_or_fail(
      ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 a[2] = {1<<2, 3*(4+1)};\n.global .u64 b = "
      "a+4*1;\n"
      ".global .u64 c = generic(a)+(1<<2);\n.global .f32 f = 1.0/4.0;\n");
  ASSERT_EQ(module.variables.size(), 4u);
  EXPECT_EQ(module.variables[0].initial, (std::vector<std::uint8_t>{4, 0, 0, 0, 15, 0, 0, 0}));
  EXPECT_EQ(module.variables[1].initial_addresses.at(0).addend, 4);
  EXPECT_EQ(module.variables[2].initial_addresses.at(0).addend, 4);
  EXPECT_EQ(module.variables[3].initial, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3e}));
}

TEST(ConstantExpressions, ThatAreWrongSayWhy) {
  const std::pair<const char*, const char*> kCases[] = {
      {"7/0", "divides by zero"},    {"7 % (1-1)", "divides by zero"},
      {"1 + 2.0", "not of both"},    {"1.0 << 2.0", "operator of integers"},
      {"1.0 ? 2 : 3", "condition"},  {"(1", "expected `)`"},
      {"1 ? 2", "expected `:`"},     {"2 *", "expected an operand"},
      {"[%rd1+1.0]", "whole number"}};
  for (const auto& [expression, reason] : kCases) {
    const std::string begin = expression[0] == '[' ? "ld.global.u32 %r1, " : "mov.u64 %rd1, ";
    const Result<Module> module = parse(module_with_body(begin + expression + ";"), "test.ptx");
    ASSERT_FALSE(module.ok()) << expression;
    EXPECT_NE(module.error().message().find(reason), std::string::npos) << module.error().message();
  }
  for (const char* const piece : {"(", "-", "~", "1?", "1?1:"}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += piece;
    EXPECT_FALSE(parse(module_with_body("mov.u64 %rd1, " + deep + "1;"), "test.ptx").ok()) << piece;
  }
}

TEST(Vectors, OfOneRegisterAreTheRegister) {
  const Instruction load = parse_instruction("@%p1 ld.global.b32 { %r1 }, [ %rd1 + 4 ];");
  EXPECT_EQ(load.opcode, Opcode::ld);
  EXPECT_EQ(load.operands.at(0).kind, Kind::reg);
  EXPECT_EQ(load.operands.at(1).offset, 4);
  EXPECT_EQ(parse_instruction("st.global.b32 [%rd1], { %r1 };").operands.at(1).kind, Kind::reg);
  EXPECT_EQ(parse_instruction("st.global.b32 [%rd1], { 3 };").operands.at(1).kind, Kind::immediate);
  EXPECT_EQ(parse_instruction("mov.b32 { %r1 }, %r2;").operands.at(0).kind, Kind::reg);
  EXPECT_EQ(parse_instruction("ld.global.v2.b32 { %r1 }, [%rd1];").opcode, Opcode::unsupported);
  EXPECT_EQ(parse_instruction("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];").operands.at(0).kind,
            Kind::vector);
}

TEST(Vectors, InRegistersHaveComponents) {
  const Function function = parse_body(
      ".reg .v4 .f32 v; .reg .v2 .b32 w<3>;\n"
      "ld.global.v4.f32 v, [%rd1]; add.f32 v.y, v.x, v.a; mov.b64 %rd2, w2; mov.b32 w2.g, w2.r; mov.v4.f32 "
      "{%f1, %f2, %f3, %f4}, v;\n");
  const auto name_of_register = [&](const Operand& operand) {
    return function.registers.at(static_cast<std::uint32_t>(operand.reg)).name;
  };
  ASSERT_EQ(function.instructions.size(), 6u);
  for (const Instruction& instruction : function.instructions)
    EXPECT_NE(instruction.opcode, Opcode::unsupported) << instruction.text;
  EXPECT_EQ(function.instructions[0].operands[0].elements.size(), 4u);
  EXPECT_EQ(name_of_register(function.instructions[1].operands[0]), "v.y");
  EXPECT_EQ(name_of_register(function.instructions[1].operands[2]), "v.w");
  EXPECT_EQ(name_of_register(function.instructions[2].operands[1].elements.at(1)), "w2.y");
  EXPECT_EQ(name_of_register(function.instructions[3].operands[0]), "w2.y");
  EXPECT_EQ(function.instructions[4].operands[1].elements.size(), 4u);
  const Function wrong =
      parse_body(".reg .v2 .b32 w; mov.b32 %r1, w.z; add.u32 %r1, w, 1; mov.b32 %r1, %r2.x;");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(wrong.instructions[i].opcode, Opcode::unsupported) << wrong.instructions[i].text;
}

TEST(Variables, AreIndexedByElements) {
  const Function function = parse_body(
      ".shared .u32 t[8]; .shared .v2 .u16 p[8]; mov.u32 %r1, t[3]; ld.shared.u32 %r1, t[WARP_SZ/8-1]; "
      "st.shared.u32 p[1], %r1;\n");
  EXPECT_EQ(function.instructions[0].operands[1].kind, Kind::variable);
  EXPECT_EQ(function.instructions[0].operands[1].offset, 12);
  EXPECT_EQ(function.instructions[1].operands[1].kind, Kind::address);
  EXPECT_EQ(function.instructions[1].operands[1].offset, 12);
  EXPECT_EQ(function.instructions[2].operands[0].offset, 2) << "of the elements of vectors, as ptxas counts";
}

TEST(Variables, AreIndexedByRegisters) {
  const Function function = parse_body(
      ".shared .u32 t[8]; ld.shared.u32 %r1, t[%r2]; st.shared.u32 t[%rd1+2], %r1; mov.u32 %r1, t[%r2+-1];");
  std::vector<Opcode> opcodes;
  for (const Instruction& instruction : function.instructions) opcodes.push_back(instruction.opcode);
  EXPECT_EQ(opcodes,
            (std::vector<Opcode>{Opcode::mad, Opcode::ld, Opcode::cvt, Opcode::add, Opcode::mad, Opcode::st,
                                 Opcode::add, Opcode::mad, Opcode::cvt, Opcode::mov, Opcode::ret}));
  const Operand& address = function.instructions[1].operands[1];
  EXPECT_EQ(address.kind, Kind::address);
  EXPECT_EQ(address.address_base, Kind::reg);
  EXPECT_EQ(address.reg, function.instructions[0].operands[0].reg);
  EXPECT_TRUE(function.instructions[0].is_generated);
  EXPECT_EQ(parse_instruction(".shared .u32 t[8]; ld.shared.u32 %r1, t[%tid.x];").opcode,
            Opcode::unsupported);
}

TEST(Variables, VectorVariablesTakeBracedInitialValues) {
  const Module module = parse_or_fail(
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".const .v2 .u8 c[] = {{1, 2}, {3}, {4, 5}};\n.global .v4 .u8 g = {6, 7};\n");
  EXPECT_EQ(module.variables.at(0).initial, (std::vector<std::uint8_t>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(module.variables.at(0).elements, 6u);
  EXPECT_EQ(module.variables.at(1).initial, (std::vector<std::uint8_t>{6, 7}));
}

TEST(SpecialRegisters, AreVectorsOfFour) {
  const Function function = parse_body(
      ".reg .v4 .u32 v; mov.v4.u32 v, %tid; mov.v4.u32 {%r1, %r2, %r3, %r4}, %nctaid; mov.u32 %r1, "
      "%ctaid.w;");
  const Operand& threads = function.instructions[0].operands[1];
  ASSERT_EQ(threads.elements.size(), 4u);
  EXPECT_EQ(threads.elements[1].special, SpecialRegister::tid_y);
  EXPECT_EQ(threads.elements[3].special, SpecialRegister::zero);
  EXPECT_EQ(function.instructions[1].operands[1].elements.at(2).special, SpecialRegister::nctaid_z);
  EXPECT_EQ(function.instructions[2].operands[1].special, SpecialRegister::zero);
}

TEST(Literals, MayBeginWithThePoint) {
  EXPECT_EQ(parse_instruction("add.f32 %f1, %f2, .5;").operands.at(2).bits,
            std::bit_cast<std::uint32_t>(0.5f));
  EXPECT_EQ(parse_instruction("mov.f64 %fd1, -.25e1;").operands.at(1).bits,
            std::bit_cast<std::uint64_t>(-2.5));
}

constexpr char kHeaderOf90[] = ".version 9.0\n.target sm_90\n.address_size 64\n";

TEST(Prototypes, MayEndWithoutASemicolon) {
  const Module module = parse_or_fail(
      std::string(kHeaderOf90) +
      ".extern .func (.param .u32 r) a (.param .u32 x)\n.visible .func b (.param .u32 x) .noreturn\n"
      ".func c\n.global .u32 v;\n.entry k() { call a, (1); ret; }\n.func (.param .u32 r) a (.param .u32 "
      "x)\n{ ret; }\n"
      ".func d (.param .u32 x)");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0].name, "k");
  EXPECT_EQ(module.functions[1].name, "a");
  EXPECT_EQ(module.variables.size(), 1u);
  const std::vector<FunctionText> located = locate_functions(module.text);
  ASSERT_EQ(located.size(), 6u);
  EXPECT_EQ(located[3].name, "k");
  EXPECT_EQ(located[3].instructions.size(), 2u);
  EXPECT_FALSE(parse(std::string(kHeaderOf90) + ".func a (.param .u32 x) 5", "test.ptx").ok());
}

TEST(Module, TexturesOfPtx1AreDeclared) {
  const Module module =
      parse_or_fail(".version 1.4\n.target sm_10\n.tex .u64 picture, table[2];\n.entry k () { exit; }\n");
  EXPECT_EQ(module.functions.size(), 1u);
}

TEST(Module, SamplersHaveInitialValues) {
  const Module module = parse_or_fail(
      ".version 9.0\n.target sm_90, texmode_independent\n.address_size 64\n.global .samplerref s = "
      "{addr_mode_0 = wrap, filter_mode = linear}, t[2] = {{addr_mode_0 = mirror}, {}};\n.entry k () { ret; "
      "}\n");
  EXPECT_EQ(module.functions.size(), 1u);
  EXPECT_FALSE(
      parse(std::string(kHeaderOf90) + ".global .samplerref s = {addr_mode_0 = wrap;", "t.ptx").ok());
}

TEST(Module, RegistersOfTheModuleAreTheKernelsOwn) {
  const Module module = parse_or_fail(std::string(kHeaderOf90) +
                                      ".reg .u32 g, h<4>;\n.func f () { mov.u32 g, 1; mov.u32 h2, 1; ret; "
                                      "}\n.entry k () { mov.u32 g, h3; ret; }\n");
  EXPECT_EQ(module.functions[0].instructions[0].opcode, Opcode::unsupported)
      << "what a function leaves in it, its caller sees";
  EXPECT_EQ(module.functions[0].instructions[1].opcode, Opcode::unsupported);
  EXPECT_EQ(module.functions[1].instructions[0].opcode, Opcode::mov);
}

TEST(Module, HiddenParametersAreNotPassed) {
  const Module module = parse_or_fail(
      std::string(kHeaderOf90) + ".entry k (.param .u64 a, .hidden .param .align 8 .b8 more[16]) { ret; }\n");
  EXPECT_EQ(module.functions[0].parameters.size(), 1u);
  ASSERT_EQ(module.functions[0].variables.size(), 2u);
  EXPECT_TRUE(module.functions[0].variables[1].is_hidden);
}

TEST(Module, AliasesAreTheFunctionThatTheyName) {
  const Module module =
      parse_or_fail(std::string(kHeaderOf90) +
                    ".func f () { ret; }\n.func g ();\n.alias g, f;\n.entry k () { call g; ret; }\n");
  EXPECT_EQ(module.functions.at(1).instructions.at(0).operands.at(1).text, "f");
}

TEST(Module, LineMarkersOfAPreprocessorAreComments) {
  const Module module = parse_or_fail("# 1 \"a.cu\"\n" + std::string(kHeaderOf90) +
                                      "#line 12 \"a.cu\"\n.entry k () { .reg .u64 r; # 13 \"a.cu\" "
                                      "2\nmov.u64\n  # 14 \"b.cu\"\n r, 1; ret; }\n"
                                      ".func f () { }\n");
  EXPECT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0].instructions[0].text, "mov.u64 r, 1");
  EXPECT_EQ(module.functions[0].instructions[0].ptx_line, 7u);
  EXPECT_FALSE(parse(std::string(kHeaderOf90) + "# 12\n", "test.ptx").ok());
  EXPECT_FALSE(parse(std::string(kHeaderOf90) + "#pragma once\n", "test.ptx").ok());
}

TEST(Module, AddressesOf32BitsAreRefusedInOneSentence) {
  const std::string kernel =
      ".entry k (.param .u32 a) { .reg .u32 r; ld.param.u32 r, [a]; ld.global.u32 r, [r]; exit; }\n";
  for (const std::string header :
       {".version 1.4\n.target sm_13\n", ".version 2.3\n.target sm_20\n.address_size 32\n"}) {
    const Result<Module> module = parse(header + kernel, "test.ptx");
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(
        module.error().message(),
        std::string(
            "test.ptx:3: addresses are not of 64 bits. Compile for a 64-bit machine: nvcc without -m32."));
  }
}

TEST(Calls, MayLeaveTheResultUnused) {
  const Instruction call = parse_instruction(".param .b32 q; call (_), f, (q);");
  ASSERT_EQ(call.opcode, Opcode::call);
  EXPECT_EQ(call.operands[0].elements.at(0).kind, Kind::sink);
}

TEST(Calls, PassRegisters) {
  const Module module = parse_or_fail(
      std::string(kHeaderOf90) + ".func (.reg .u32 %o) plus (.reg .u32 %x) { add.u32 %o, %x, 100; ret; }\n");
  const Function& function = module.functions.at(0);
  ASSERT_EQ(function.registers.size(), 2u);
  EXPECT_EQ(function.variables.at(function.returns.at(0)).reg, RegisterId{0});
  EXPECT_EQ(function.variables.at(function.parameters.at(0)).reg, RegisterId{1});
  EXPECT_EQ(function.instructions.at(1).operands.size(), 1u) << "ret reads what is returned";
}

TEST(Calls, PassVectorsOfRegistersByTheirComponents) {
  const Module module = parse_or_fail(
      std::string(kHeaderOf90) +
      ".func (.reg .v2 .u32 o) swap (.reg .v2 .u32 i) { mov.u32 o.x, i.y; mov.u32 o.y, i.x; ret; }\n"
      ".entry k () { .reg .v2 .u32 v; call (v), swap, (v); ret; }\n");
  const Function& swap = module.functions.at(0);
  EXPECT_EQ(swap.parameters.size(), 2u);
  EXPECT_EQ(swap.instructions.at(2).operands.size(), 2u) << "ret reads both";
  EXPECT_EQ(swap.instructions.at(0).operands.at(1).reg, swap.variables.at(swap.parameters.at(1)).reg);
  const Instruction& call = module.functions.at(1).instructions.at(0);
  ASSERT_EQ(call.opcode, Opcode::call);
  EXPECT_EQ(call.operands.at(0).elements.size(), 2u);
  EXPECT_EQ(call.operands.at(2).elements.size(), 2u);
}

}  // namespace
}  // namespace warplens::ptx
