// Declarations, scopes, labels, the line table and the errors of a whole module.
#include <gtest/gtest.h>

#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

const std::string kHeader = ".version 9.0\n.target sm_75\n.address_size 64\n";

TEST(Module, Header) {
  const Module module =
      parse_or_fail("// made by hand\n.version 9.0\n.target sm_90a, debug\n.address_size 64\n");
  EXPECT_EQ(module.version, "9.0");
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_TRUE(module.functions.empty());
}

TEST(Module, Variables) {
  const Module module = parse_or_fail(kHeader + R"(
.const .align 4 .b8 weights[8] = {0, 0, 128, 63, 255};
.visible .global .align 8 .u64 names[2] = {generic(first), generic(weights)+4};
.global .f32 halves[2][3] = {{0f3F000000}, {1.0, 2.0, -2.0}};
.extern .shared .align 16 .b8 dynamic[];
.global .attribute(.managed) .s16 minus = -2;
.global .u8 first[] = {1, 2, 3}, second = 7;
.global .v4 .f32 color;
.global .texref image;
)");
  ASSERT_EQ(module.variables.size(), 9u);
  const Variable& weights = module.variables[0];
  EXPECT_EQ(weights.space, StateSpace::constant);
  EXPECT_EQ(weights.bytes(), 8u);
  EXPECT_EQ(weights.initial, (std::vector<std::uint8_t>{0, 0, 128, 63, 255}));
  EXPECT_TRUE(weights.initial_addresses.empty());
  EXPECT_EQ(module.variables[1].initial_addresses.size(), 2u);
  EXPECT_EQ(module.variables[1].initial, std::vector<std::uint8_t>(16, 0));
  const Variable& halves = module.variables[2];
  EXPECT_EQ(halves.elements, 6u);
  ASSERT_EQ(halves.initial.size(), 24u);
  EXPECT_EQ(halves.initial[3], 0x3f);
  EXPECT_EQ(halves.initial[7], 0);
  EXPECT_EQ(halves.initial[15], 0x3f);
  EXPECT_EQ(halves.initial[23], 0xc0);
  EXPECT_EQ(module.variables[3].elements, 0u);
  EXPECT_EQ(module.variables[3].alignment, 16u);
  EXPECT_TRUE(module.variables[3].is_extern);
  EXPECT_EQ(module.variables[4].initial, (std::vector<std::uint8_t>{0xfe, 0xff}));
  EXPECT_EQ(module.variables[5].elements, 3u);
  EXPECT_EQ(module.variables[6].name, "second");
  EXPECT_EQ(module.variables[7].bytes(), 16u);
  EXPECT_EQ(module.variables[7].alignment, 16u);
}

TEST(Module, FunctionsAndTheirParameters) {
  const Module module = parse_or_fail(kHeader + R"(
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.func (.param .b32 func_retval0) _Z6squarei(.param .b32 _Z6squarei_param_0)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [_Z6squarei_param_0];
	mul.lo.s32 %r2, %r1, %r1;
	st.param.b32 [func_retval0+0], %r2;
	ret;
}
.weak .entry _Z3runILi4EEvPfS_(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 b[16])
.maxntid 16, 4, 2
.minnctapersm 3
.noreturn
{
	.pragma "nounroll";
	ret;
}
)");
  ASSERT_EQ(module.functions.size(), 2u);
  const Function& square = module.functions[0];
  EXPECT_FALSE(square.is_entry);
  EXPECT_EQ(square.plain_name, "square");
  ASSERT_EQ(square.returns.size(), 1u);
  EXPECT_EQ(square.variables[square.returns[0]].name, "func_retval0");
  const Function& run = module.functions[1];
  EXPECT_TRUE(run.is_entry);
  EXPECT_EQ(run.plain_name, "run<4>");
  EXPECT_EQ(run.max_threads, 128u);
  EXPECT_EQ(run.bounds.most_threads, (std::array<std::uint32_t, 3>{16, 4, 2}));
  EXPECT_EQ(run.bounds.min_blocks, 3u);
  ASSERT_EQ(run.parameters.size(), 2u);
  EXPECT_EQ(run.variables[run.parameters[0]].type, Type::u64);
  EXPECT_EQ(run.variables[run.parameters[1]].bytes(), 16u);
  EXPECT_EQ(run.variables[run.parameters[1]].alignment, 8u);
  EXPECT_EQ(run.variables[run.parameters[1]].space, StateSpace::param);
}

TEST(Module, FindsEntries) {
  std::string text = kHeader;
  for (const std::string name : {"_Z5tiledILi16EEvPf", "_Z5tiledILi32EEvPf", "_Z5naivePf",
                                 "_Z6paddedILi8EEvPf", "_Z4sameIfEvPf", "_Z4samePf"}) {
    text += ".visible .entry " + name + "() { ret; }\n";
  }
  text += ".func helper() { ret; }\n";
  const Module module = parse_or_fail(text);
  const auto found = [&](std::string_view name) {
    const Function* const entry = module.find_entry(name);
    return entry == nullptr ? "none" : entry->name;
  };
  EXPECT_EQ(found("_Z5tiledILi16EEvPf"), "_Z5tiledILi16EEvPf");
  EXPECT_EQ(found("tiled<32>"), "_Z5tiledILi32EEvPf");
  EXPECT_EQ(found("tiled"), "none");  // Two of them
  EXPECT_EQ(found("naive"), "_Z5naivePf");
  EXPECT_EQ(found("padded"), "_Z6paddedILi8EEvPf");
  EXPECT_EQ(found("same"), "_Z4samePf");  // The whole name counts first.
  EXPECT_EQ(found("helper"), "none");     // No entry
  EXPECT_EQ(found(""), "none");
}

TEST(Module, CopiesWhatAFunctionNames) {
  const Module module = parse_or_fail(kHeader + R"(
.global .u32 unused = 1;
.const .u32 used = 2;
.visible .entry a() { .reg .b64 %rd<3>; mov.u64 %rd1, used; ld.const.u32 %rd2, [used]; ret; }
.visible .entry b() { ret; }
)");
  ASSERT_EQ(module.functions.size(), 2u);
  ASSERT_EQ(module.functions[0].variables.size(), 1u);
  EXPECT_EQ(module.functions[0].variables[0].name, "used");
  EXPECT_EQ(module.functions[0].variables[0].initial, (std::vector<std::uint8_t>{2, 0, 0, 0}));
  EXPECT_TRUE(module.functions[1].variables.empty());
}

TEST(Body, RegistersAreThoseNamed) {
  const Function function = parse_body(".reg .b32 %q<4>, single; mov.u32 %r98, %q2; mov.u32 single, %r098;");
  ASSERT_EQ(function.registers.size(), 3u);
  EXPECT_EQ(function.registers[0].name, "single");
  EXPECT_EQ(function.registers[1].name, "%r98");
  EXPECT_EQ(function.registers[2].name, "%q2");
  EXPECT_EQ(function.registers[2].type, Type::b32);
}

TEST(Body, ScopesHideNames) {
  const Function function = parse_body(R"(
mov.u32 %r1, 1;
{ .reg .f32 %r1; mov.f32 %r1, 0f00000000; { .reg .pred %r<1>; setp.ne.u32 %r0, 1, 2; mov.f32 %r1, 0f00000000; } mov.f32 %r1, 0f00000000; }
mov.u32 %r1, 2;
)");
  const auto type_of = [&](std::size_t i) {
    return function.registers.at(static_cast<std::uint32_t>(function.instructions.at(i).operands[0].reg))
        .type;
  };
  EXPECT_EQ(type_of(0), Type::b32);
  EXPECT_EQ(type_of(1), Type::f32);
  EXPECT_EQ(type_of(2), Type::pred);
  EXPECT_EQ(type_of(3), Type::f32);
  EXPECT_EQ(type_of(4), Type::f32);
  EXPECT_EQ(type_of(5), Type::b32);
  EXPECT_EQ(function.instructions[0].operands[0].reg, function.instructions[5].operands[0].reg);
}

TEST(Body, WhatIsUnsupportedInBracesEndsWithItsStatement) {
  const Function function = parse_body(
      ".reg .v2 .b32 v; .reg .b64 o; mov.b64 o, {v, %r1}; mov.b64 o, {{%r1, %r2}, %r3}; mov.u64 o, 1;");
  ASSERT_GE(function.instructions.size(), 3u);
  EXPECT_EQ(function.instructions[0].opcode, Opcode::unsupported);
  EXPECT_EQ(function.instructions[1].opcode, Opcode::unsupported);
  EXPECT_EQ(function.instructions[2].opcode, Opcode::mov);
}

TEST(Body, TheInnermostOfANameAndARangeIsMeant) {
  const Function function = parse_body(
      ".reg .b64 %q3; mov.u64 %q3, 1; { .reg .b32 %q<5>; mov.u32 %q3, 2; { .reg .b16 %q3; mov.u16 %q3, 3; } "
      "}\n");
  for (const std::size_t i : {0u, 1u, 2u}) {
    const Type type =
        function.registers.at(static_cast<std::uint32_t>(function.instructions.at(i).operands[0].reg)).type;
    EXPECT_EQ(type, i == 0 ? Type::b64 : i == 1 ? Type::b32 : Type::b16) << i;
  }
}

TEST(Body, AShorterRangeHidesNoMoreThanItHas) {
  const Function function =
      parse_body("{ .reg .b64 %r<2>; mov.u64 %r1, 1; mov.u32 %r2, 2; }\nmov.u32 %r1, 3;\n");
  const auto type_of = [&](std::size_t i) {
    return function.registers.at(static_cast<std::uint32_t>(function.instructions.at(i).operands[0].reg))
        .type;
  };
  EXPECT_EQ(type_of(0), Type::b64);
  EXPECT_EQ(type_of(1), Type::b32);
  EXPECT_EQ(type_of(2), Type::b32);
}

TEST(Body, LabelsBelongToTheirScope) {
  const Function function = parse_body(R"(
{ @%p1 bra DONE; mov.u32 %r1, 1; DONE: }
{ @%p1 bra DONE; @%p1 bra END; DONE: }
END: ret;
)");
  ASSERT_EQ(function.instructions.size(), 5u);
  EXPECT_EQ(function.instructions[0].operands[0].label, 2u);
  EXPECT_EQ(function.instructions[2].operands[0].label, 4u);
  EXPECT_EQ(function.instructions[3].operands[0].label, 4u);
}

TEST(Body, AlwaysEndsInAnInstructionThatLeavesIt) {
  EXPECT_EQ(parse_body("").instructions.at(0).opcode, Opcode::ret);
  const Function label_at_end = parse_body("@%p1 bra END; ret; END:");
  ASSERT_EQ(label_at_end.instructions.size(), 3u);
  EXPECT_EQ(label_at_end.instructions[0].operands[0].label, 2u);
  EXPECT_EQ(label_at_end.instructions[2].opcode, Opcode::ret);
  EXPECT_EQ(parse_body("@%p1 ret;").instructions.size(), 2u);
  EXPECT_EQ(parse_body("ret; $L__func_end0:").instructions.size(), 1u);  // No branch goes there.
  EXPECT_EQ(parse_body("L: bra.uni L;").instructions.size(), 1u);
}

TEST(Body, IndexedBranches) {
  const Function function = parse_body(R"(
$L_table: .branchtargets $L_a, $L_b, $L_a;
brx.idx %r1, $L_table;
$L_a: mov.u32 %r1, 1;
$L_b: ret;
)");
  const Instruction& branch = function.instructions.at(0);
  ASSERT_EQ(branch.opcode, Opcode::brx_idx);
  ASSERT_EQ(branch.operands.size(), 2u);
  ASSERT_EQ(branch.operands[1].elements.size(), 3u);
  EXPECT_EQ(branch.operands[1].elements[0].label, 1u);
  EXPECT_EQ(branch.operands[1].elements[1].label, 2u);
  EXPECT_EQ(branch.operands[1].elements[2].label, 1u);
}

TEST(Body, Calls) {
  const Function function = parse_body(R"(
{ // callseq 0, 0
.reg .b32 temp_param_reg;
.param .b64 param0;
st.param.b64 [param0+0], %rd1;
.param .b32 retval0;
call.uni (retval0),
vprintf,
(
param0,
%r7
);
ld.param.b32 %r1, [retval0+0];
}
call.uni notify;
.param .b32 retval1;
call (retval1), %rd1, (), prototype_0;
prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);
)");
  const Instruction& print = function.instructions.at(1);
  ASSERT_EQ(print.opcode, Opcode::call);
  EXPECT_TRUE(print.uniform);
  EXPECT_EQ(print.text, "call.uni (retval0), vprintf, ( param0, %r7 )");
  ASSERT_EQ(print.operands.size(), 3u);
  ASSERT_EQ(print.operands[0].elements.size(), 1u);
  EXPECT_EQ(function.variables[print.operands[0].elements[0].variable].name, "retval0");
  EXPECT_EQ(print.operands[1].kind, Kind::function);
  EXPECT_EQ(print.operands[1].text, "vprintf");
  ASSERT_EQ(print.operands[2].elements.size(), 2u);
  EXPECT_EQ(print.operands[2].elements[1].kind, Kind::reg);
  const Instruction& bare = function.instructions.at(3);
  EXPECT_EQ(bare.operands[1].text, "notify");
  EXPECT_TRUE(bare.operands[0].elements.empty());
}

TEST(Body, SourceLocations) {
  const Module module = parse_or_fail(module_with_body(R"(
mov.u32 %r1, 1;
.loc 1 14 3
mov.u32 %r1, 2;
.loc 2 8 45, function_name $L__info_string0, inlined_at 1 14 3
.loc 3 7 45, function_name $L__info_string1, inlined_at 2 8 45
mov.u32 %r1, 3;
.loc 2 8 45, function_name $L__info_string0+4, inlined_at 1 20 3
mov.u32 %r1, 4;
.loc 3 7 45, function_name $L__info_string1, inlined_at 2 8 45
mov.u32 %r1, 5;
.loc 1 5 9, function_name $L__info_string1, inlined_at 3 7 45
mov.u32 %r1, 6;
.loc 1 0 3
ret;)") + ".file 1 \"kernel.cu\", 1700000000, 1234\n.file 3 \"inner.h\"\n.section "
          ".debug_str\n{\n$L__info_string0:\n.b8 95,90,53\n}\n");
  const auto place = [&](std::size_t i) { return module.functions.at(0).instructions.at(i).location; };
  EXPECT_EQ(place(0), (SourceLocation{}));
  EXPECT_EQ(place(1), (SourceLocation{1, 14, 3, 1, 14, 14}));
  EXPECT_EQ(place(2), (SourceLocation{3, 7, 45, 1, 14, 14, 2}));
  EXPECT_EQ(place(3), (SourceLocation{2, 8, 45, 1, 20, 20, 3}));
  EXPECT_EQ(place(4), (SourceLocation{3, 7, 45, 1, 20, 20, 4}));
  EXPECT_EQ(place(5), (SourceLocation{1, 5, 9, 1, 20, 5, 5})) << "back in the kernel's own file";
  EXPECT_EQ(
      module.inlined_calls,
      (std::vector<InlinedCall>{{1, 14, 3, 0}, {2, 8, 45, 1}, {1, 20, 3, 0}, {2, 8, 45, 3}, {3, 7, 45, 4}}));
  EXPECT_EQ(place(6), place(5)) << "what the compiler moved, at line 0, counts as of the line before";
  EXPECT_EQ(module.files, (std::vector<std::string>{"", "kernel.cu", "", "inner.h"}));
}

TEST(Errors, SayWhatAndWhere) {
  const std::string line = "test.ptx:" + std::to_string(kLinesBeforeBody + 1);
  const auto in_body = [](const std::string& body) { return message_of(module_with_body(body)); };
  EXPECT_EQ(message_of("hello"), "test.ptx:1: expected a directive such as `.entry`, found `hello`");
  EXPECT_EQ(message_of(""),
            "test.ptx: no .version directive: this is not PTX. Give the PTX text that nvcc -ptx writes.");
  EXPECT_EQ(in_body("mov.u32 %r1, %r99;"),
            line + ": `%r99` is not declared. Declare it before it is used, with .reg or a state space.");
  EXPECT_EQ(in_body("mov.u32 %r1, 0xg;"), line + ": expected an operand, found `0xg`");
  EXPECT_EQ(in_body("mov.u32 %r1 %r2;"), line + ": expected `,`, found `%r2`");
  EXPECT_EQ(in_body("ret %r2;"), line + ": expected `;`, found `%r2`");
  EXPECT_EQ(in_body("bra NOWHERE;"), line + ": label `NOWHERE` is not defined");
  EXPECT_EQ(in_body("L: L: ret;"), line + ": label `L` is defined twice");
  EXPECT_EQ(in_body("@%r1 ret;"), line + ": `%r1` is not a predicate register");
  EXPECT_EQ(in_body(".reg .b32 %x<4000000000>;"),
            line + ": a number of registers is too large: 4000000000, at most 1048576");
  EXPECT_EQ(in_body(".shared .align 3 .b8 x[4];"), line + ": an alignment is a power of two, not 3");
  EXPECT_EQ(in_body(".shared .b64 x[0x7fffffff][0x7fffffff];"),
            line + ": `x` is too large: at most 2^40 bytes");
  EXPECT_EQ(in_body(".wrong"), line + ": unknown directive `.wrong` in a function");
  EXPECT_EQ(in_body("brx.idx %r1, TABLE;"), line + ": `TABLE` is not a table of branch targets");
  EXPECT_EQ(in_body("mov.u32 %r1, \x01\xff;"), line + ": expected an operand, found `\\x01`");
  EXPECT_EQ(in_body(std::string(100, '{')), line + ": more than 64 nested scopes");
  EXPECT_EQ(message_of(kHeader + ".global .u8 x[2] = {1, 2, 3};"),
            "test.ptx:4: `x` has more initial values than elements");
  EXPECT_EQ(message_of(kHeader + ".global .u8 x[2][2] = {{1, 2, 3}};"),
            "test.ptx:4: a row of `x` has too many values");
  EXPECT_EQ(message_of(kHeader + ".global .u8 x[2] = {{{{1}}}};"),
            "test.ptx:4: too many braces in the initial value of `x`");
  EXPECT_EQ(message_of(kHeader + "/* open"),
            "test.ptx:4: expected a directive such as `.entry`, found `/* open`");
  EXPECT_EQ(message_of(kHeader + ".file 99999999 \"x\""),
            "test.ptx:4: a file number is too large: 99999999, at most 65536");
}

// A short text must not ask for much memory.
TEST(Errors, MemoryIsBounded) {
  std::string rows = kHeader;
  for (int i = 0; i < 100; ++i) rows += ".global .u8 x" + std::to_string(i) + "[2][16000000] = {{1}, {2}};\n";
  EXPECT_NE(message_of(rows).find("take more than 256 MiB"), std::string::npos);

  std::string copies = kHeader + ".global .u8 x[1][16000000] = {{1}};\n";
  for (int i = 0; i < 100; ++i)
    copies += ".func f" + std::to_string(i) + "() { .reg .b64 a; mov.u64 a, x; ret; }\n";
  EXPECT_NE(message_of(copies).find("take more than 256 MiB"), std::string::npos);

  EXPECT_EQ(message_of(kHeader + ".global .b8 g[4294967296] = {1};"),
            "test.ptx:4: `g` has initial values and 4294967296 bytes: at most 268435456");

  std::string branches = "T: .branchtargets L";
  for (int i = 0; i < 20000; ++i) branches += ",L";
  branches += ";\nL:";
  for (int i = 0; i < 1000; ++i) branches += "brx.idx %r1, T;\n";
  EXPECT_NE(message_of(module_with_body(branches)).find("take more than 256 MiB"), std::string::npos);
}

TEST(Errors, DimensionsAreBounded) {
  std::string text = kHeader + ".global .u8 x";
  for (int i = 0; i < 200000; ++i) text += "[1]";
  text += " = " + std::string(200000, '{') + "1" + std::string(200000, '}') + ";\n";
  EXPECT_EQ(message_of(text), "test.ptx:4: `x` has more than 32 dimensions");
}

TEST(Module, AByteOrderMarkAndLineEndsOfWindowsAreAccepted) {
  const Module module = parse_or_fail(
      "\xef\xbb\xbf.version 9.0\r\n.target sm_75\r\n.address_size 64\r\n.visible .entry "
      "k()\r\n{\r\nret;\r\n}\r\n");
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_EQ(module.functions[0].ptx_line, 4u);
  EXPECT_EQ(module.text.substr(0, 8), ".version");
}

// One body with many names makes tables that are large: to go on to the next must not take as long as to make
// them.
TEST(Module, ManyBodiesAfterALargeOneTakeTimeByTheText) {
  std::string text = kHeader + ".visible .entry large()\n{\n.reg .b32 %r<900000>;\n";
  for (int i = 0; i < 300000; ++i) text += "mov.u32 %r" + std::to_string(i) + ",0;\n";
  text += "ret;\n}\n";
  for (int i = 0; i < 150000; ++i) text += ".entry k" + std::to_string(i) + "(){ret;}\n";
  EXPECT_EQ(parse_or_fail(text).functions.size(), 150001u);
}

TEST(Errors, EveryTruncationIsAnswered) {
  const std::string text = read_test_data("ptx/sorting.sm_75.ptx");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Result<Module> module = parse(text.substr(0, length), "cut.ptx");
    EXPECT_TRUE(module.ok() || !(module.error().what.empty() || module.error().where.empty())) << length;
  }
  EXPECT_FALSE(parse(text.substr(0, text.rfind('}')), "cut.ptx").ok());
}

}  // namespace
}  // namespace warplens::ptx
