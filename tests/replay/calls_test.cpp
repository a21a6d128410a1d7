// Calls of functions. PTX ISA, "Function Calls" and "call".
#include <algorithm>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

/// A kernel with functions before it.
std::string with_functions(const std::string& functions, const std::string& body, int buffers = 1,
                           const std::string& declarations = "") {
  std::string text = kernel_of(body, buffers, declarations);
  return text.insert(text.find(".visible .entry"), functions + "\n");
}

/// Stores %r5 of each thread.
const std::string kStoreResult =
    "\nmov.u32 %r30, %tid.x; mul.wide.u32 %rd30, %r30, 4; add.s64 %rd31, %rd0, %rd30; st.global.u32 [%rd31], "
    "%r5;";

std::string call_of(const std::string& callee, const std::string& argument, const std::string& result,
                    const std::string& guard = "") {
  return "{ .param .b32 param0; st.param.b32 [param0+0], " + argument + "; .param .b32 retval0;\n" + guard +
         " call (retval0), " + callee + ", (param0);\nld.param.b32 " + result + ", [retval0+0]; }\n";
}

std::vector<std::uint32_t> results_of(const std::string& ptx, std::uint32_t threads = 32) {
  Trial run(ptx, "k", {1}, {threads});
  run.buffer(std::vector<std::uint32_t>(threads)).record();
  return run.contents<std::uint32_t>(0);
}

const std::string kTwice = R"(.func (.param .b32 func_retval0) twice(.param .b32 twice_param_0) {
.reg .b32 %r<4>; .reg .pred %p<2>;
ld.param.u32 %r1, [twice_param_0]; add.u32 %r2, %r1, %r1; st.param.b32 [func_retval0+0], %r2; ret; })";

TEST(Calls, ReturnWhatTheyCompute) {
  const auto results = results_of(with_functions(
      kTwice, "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 100;\n" + call_of("twice", "%r1", "%r3") +
                  call_of("twice", "%r3", "%r4") + "add.u32 %r5, %r4, %r2;" + kStoreResult));
  for (std::uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(results[l], 5 * l + 100) << "registers of the caller live on";
}

TEST(Calls, PartOfAWarpMayCall) {
  const std::string branch =
      "mov.u32 %r1, %tid.x; mov.u32 %r5, 7; setp.lt.u32 %p1, %r1, 5;\n@%p1 bra SKIP;\n" +
      call_of("twice", "%r1", "%r5") + "SKIP:\n";
  const auto branched = results_of(with_functions(kTwice, branch + kStoreResult, 1), 40);
  const std::string guarded =
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 5;\n" + call_of("twice", "%r1", "%r5", "@!%p1");
  const auto guarded_results = results_of(with_functions(kTwice, guarded + kStoreResult, 1), 40);
  for (std::uint32_t t = 0; t < 40; ++t) {
    EXPECT_EQ(branched[t], t < 5 ? 7 : 2 * t);
    EXPECT_EQ(guarded_results[t], t < 5 ? 0 : 2 * t);
  }
}

// PTX 1.x and 2.x, and by hand still: parameters that are registers. ptxas 13.0 takes them.
const std::string kPlusInRegisters =
    R"(.func (.reg .u32 %o) plus (.reg .u32 %x, .reg .u32 %unused, .reg .u64 %y) {
.reg .u32 %t; .reg .pred %p; setp.gt.u32 %p, %x, 20; cvt.u32.u64 %t, %y; add.u32 %o, %x, %t; @%p ret; add.u32 %o, %o, 1000; ret; })";

TEST(Calls, RegistersMayBeParameters) {
  const auto results = results_of(with_functions(
      kPlusInRegisters,
      "mov.u32 %r1, %tid.x; mov.u32 %r9, 5; mov.u64 %rd5, 7; call (%r5), plus, (%r1, 3, %rd5);\n"
      "call (_), plus, (%r5, %r9, 1); add.u32 %r5, %r5, %r9;" +
          kStoreResult));
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(results[l], l + 12 + (l > 20 ? 0 : 1000)) << l;
}

TEST(Calls, RegistersMayBeParametersOfRecursiveFunctions) {
  const std::string sum =
      ".func (.reg .u32 %o) sum (.reg .u32 %x) { .reg .u32 %t; .reg .pred %p; mov.u32 %o, 0; setp.eq.u32 %p, "
      "%x, 0; @%p ret;\n"
      "sub.u32 %t, %x, 1; call (%t), sum, (%t); add.u32 %o, %t, %x; ret; }";
  const auto results =
      results_of(with_functions(sum, "mov.u32 %r1, %tid.x; call (%r5), sum, (%r1);" + kStoreResult));
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(results[l], l * (l + 1) / 2) << l;
}

TEST(Calls, AliasesAndUnusedResultsAreSupported) {
  const auto results = results_of(with_functions(
      kTwice + "\n.func (.param .b32 r) same (.param .b32 p);\n.alias same, twice;\n",
      "mov.u32 %r1, %tid.x; { .param .b32 q; st.param.b32 [q], %r1; call (_), twice, (q); }\n" +
          call_of("same", "%r1", "%r5") + kStoreResult));
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(results[l], 2 * l);
}

// Fibonacci's numbers: two calls of itself, at depths that differ by lane; what is live over the first call
// is kept for each.
TEST(Calls, FunctionsMayRecurse) {
  const std::string fibonacci = R"(.func (.param .b32 func_retval0) fib(.param .b32 fib_param_0) {
.reg .b32 %r<9>; .reg .pred %p<2>;
ld.param.u32 %r1, [fib_param_0]; mov.u32 %r5, %r1; setp.lt.u32 %p1, %r1, 2;
@%p1 bra DONE;
sub.u32 %r2, %r1, 1;
)" + call_of("fib", "%r2", "%r3") +
                                R"(
ld.param.u32 %r8, [fib_param_0]; sub.u32 %r4, %r8, 2;
)" + call_of("fib", "%r4", "%r6") +
                                R"(
add.u32 %r5, %r3, %r6;
DONE: st.param.b32 [func_retval0+0], %r5; ret; })";
  const auto results = results_of(with_functions(fibonacci, "mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 13;\n" +
                                                                call_of("fib", "%r2", "%r5") + kStoreResult),
                                  64);
  std::uint32_t expected[13] = {0, 1};
  for (int k = 2; k < 13; ++k) expected[k] = expected[k - 1] + expected[k - 2];
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(results[t], expected[t % 13]) << t;
}

// Lanes return from the middle of loops and branches, and meet again only behind the call.
TEST(Calls, ReturnEarly) {
  const std::string steps = R"(.func (.param .b32 func_retval0) steps(.param .b32 steps_param_0) {
.reg .b32 %r<9>; .reg .pred %p<4>;
ld.param.u32 %r1, [steps_param_0]; mov.u32 %r2, 0;
LOOP: setp.le.u32 %p1, %r1, 1; st.param.b32 [func_retval0+0], %r2;
@%p1 ret;
and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; add.u32 %r2, %r2, 1;
@%p2 bra EVEN;
setp.eq.u32 %p3, %r1, 27; @!%p3 bra ODD;
mov.u32 %r4, 999; st.param.b32 [func_retval0], %r4; ret;
ODD: mad.lo.u32 %r1, %r1, 3, 1; bra.uni LOOP;
EVEN: shr.u32 %r1, %r1, 1; bra.uni LOOP; })";
  const std::string body = "mov.u32 %r1, %tid.x;\n" + call_of("steps", "%r1", "%r4") +
                           "activemask.b32 %r6; popc.b32 %r7, %r6; shl.b32 %r8, %r7, 16;"
                           "or.b32 %r5, %r4, %r8;";
  const auto results = results_of(with_functions(steps, body + kStoreResult));
  for (std::uint32_t t = 0; t < 32; ++t) {
    std::uint32_t n = t, count = 0;
    for (; n > 1 && n != 27; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    EXPECT_EQ(results[t] & 0xffff, n == 27 ? 999 : count) << t;
    EXPECT_EQ(results[t] >> 16, 32u) << "all lanes are together again";
  }
}

TEST(Calls, ThreadsMayExitInAFunction) {
  const std::string leave = R"(.func (.param .b32 func_retval0) leave(.param .b32 leave_param_0) {
.reg .b32 %r<4>; .reg .pred %p<3>;
ld.param.u32 %r1, [leave_param_0]; setp.lt.u32 %p1, %r1, 20;
@%p1 bra INNER;
st.param.b32 [func_retval0], %r1; ret;
INNER: setp.lt.u32 %p2, %r1, 10; @!%p2 exit;
)" + call_of("leave", "25", "%r2") +
                            R"(
add.u32 %r3, %r2, %r1; st.param.b32 [func_retval0], %r3; ret; })";
  const auto results =
      results_of(with_functions(leave, "mov.u32 %r1, %tid.x;\n" + call_of("leave", "%r1", "%r5") +
                                           call_of("leave", "%r5", "%r5") + kStoreResult));
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(results[t], t < 10 ? t + 25 : t < 20 ? 0 : t) << t;
  const auto all =
      results_of(with_functions(leave, "mov.u32 %r1, 15;\n" + call_of("leave", "%r1", "%r5") + kStoreResult));
  EXPECT_EQ(all, std::vector<std::uint32_t>(32)) << "nobody comes back";
}

const std::string kTable = R"(
.func (.param .b32 r) one(.param .b32 a) { .reg .b32 %r<4>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) ten(.param .b32 a) { .reg .b32 %r<4>; ld.param.u32 %r1, [a]; mul.lo.u32 %r2, %r1, 10; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) itself(.param .b32 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>; ld.param.u32 %r1, [a]; mov.b64 %rd1, itself;
setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 1000; @%p1 bra DONE; sub.u32 %r2, %r1, 1;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
{ .param .b32 x; st.param.b32 [x], %r2; .param .b32 y; call (y), %rd1, (x), P; ld.param.b32 %r3, [y]; }
add.u32 %r3, %r3, 1;
DONE: st.param.b32 [r], %r3; ret; }
.global .align 8 .u64 table[4] = {one, ten, itself, generic(one)};
)";
const std::string kCallByAddress = R"(
P: .callprototype (.param .b32 _) _ (.param .b32 _);
{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; call (y), %rd5, (x), P; ld.param.b32 %r5, [y]; }
)";

TEST(Calls, IndirectCallsMayDifferByLane) {
  const std::string body =
      "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table; add.s64 "
      "%rd4, %rd3, %rd2;"
      "ld.global.u64 %rd5, [%rd4];\n";
  const auto results = results_of(with_functions(kTable, body + kCallByAddress + kStoreResult), 64);
  for (std::uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(results[t], t % 4 == 1 ? 10 * t : t % 4 == 2 ? 1000 + t : t + 1) << t;

  const std::string chosen =
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; mov.b64 %rd3, one; mov.b64 %rd4, ten; selp.b64 %rd5, "
      "%rd3, %rd4, %p1;\n";
  const auto two = results_of(with_functions(kTable, chosen + kCallByAddress + kStoreResult));
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(two[t], t < 9 ? t + 1 : 10 * t) << t;
}

TEST(Calls, CountEachLaneOnce) {
  const std::string chosen =
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; mov.b64 %rd3, one; mov.b64 %rd4, ten; selp.b64 %rd5, "
      "%rd3, %rd4, %p1;\n";
  Trial apart(with_functions(kTable, chosen + kCallByAddress), "k", {1}, {32});
  const Recording recording = apart.buffer(std::vector<int>(1)).record();
  // ld.param and 5; st.param; the call twice, and what is called twice; ld.param, ret.
  EXPECT_EQ(recording.warp_instructions, 6u + 1 + 2 + 2 * 4 + 2);
  EXPECT_EQ(recording.thread_instructions, 32u * (6 + 1 + 1 + 4 + 2));
}

TEST(Calls, IndirectCallOfNoFunctionIsAnError) {
  Trial run(with_functions(kTable, "mov.u64 %rd5, 64;\n" + kCallByAddress), "k", {1}, {32});
  const auto result = run.buffer(std::vector<int>(1)).go();
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().what.find("calls what is no such function"), std::string::npos);
}

TEST(Calls, PassStructuresByValue) {
  const std::string swap =
      R"(.func (.param .align 8 .b8 r[24]) swap(.param .align 8 .b8 a[24], .param .b32 b) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %rs<9>;
ld.param.u64 %rd1, [a]; ld.param.v2.u32 {%r1, %r2}, [a+8]; ld.param.u32 %r3, [b]; ld.param.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [a+16];
st.param.v2.b32 [r], {%r2, %r1}; st.param.b64 [r+8], %rd1; st.param.v4.b8 [r+16], {%rs4, %rs3, %rs2, %rs1}; st.param.b32 [r+20], %r3; ret; })";
  const std::string body = R"(mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1000; cvt.u64.u32 %rd1, %r1;
{ .param .align 8 .b8 x[24]; st.param.b64 [x], %rd1; st.param.v2.b32 [x+8], {%r1, %r2}; st.param.v4.b8 [x+16], {1, 2, 3, 4}; st.param.b32 [x+20], 0;
.param .b32 y; st.param.b32 [y], 77; .param .align 8 .b8 z[24]; call.uni (z), swap, (x, y);
ld.param.v2.b32 {%r3, %r4}, [z]; ld.param.b64 %rd2, [z+8]; ld.param.v2.b32 {%r7, %r8}, [z+16]; }
cvt.u32.u64 %r6, %rd2; mul.wide.u32 %rd30, %r1, 20; add.s64 %rd31, %rd0, %rd30;
st.global.u32 [%rd31], %r3; st.global.u32 [%rd31+4], %r4; st.global.u32 [%rd31+8], %r6; st.global.u32 [%rd31+12], %r7; st.global.u32 [%rd31+16], %r8;)";
  Trial run(with_functions(swap, body), "k", {1}, {32});
  run.buffer(std::vector<std::uint32_t>(160)).record();
  const auto c = run.contents<std::uint32_t>(0);
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(std::vector<std::uint32_t>(c.begin() + 5 * t, c.begin() + 5 * t + 5),
              (std::vector<std::uint32_t>{t + 1000, t, t, 0x01020304u, 77}));
  }
}

// Every call has variables of its own, and pointers to those of the calls before stay what they are: the sum
// goes through all of them.
TEST(Calls, EachCallHasItsLocalMemory) {
  const std::string chain = R"(.func (.param .b32 r) chain(.param .b32 a, .param .b64 above) {
.local .align 8 .b8 depot[16]; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
ld.param.u32 %r1, [a]; ld.param.u64 %rd1, [above]; mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2;
st.local.u32 [%rd2], %r1; st.local.u64 [%rd2+8], %rd1; setp.eq.u32 %p1, %r1, 0; @%p1 bra SUM;
sub.u32 %r2, %r1, 1;
{ .param .b32 x; st.param.b32 [x], %r2; .param .b64 y; st.param.b64 [y], %rd3; .param .b32 z; call (z), chain, (x, y); ld.param.b32 %r3, [z]; }
ld.local.u32 %r4, [depot]; setp.eq.u32 %p2, %r4, %r1; selp.b32 %r3, %r3, -1, %p2;
st.param.b32 [r], %r3; ret;
SUM: mov.u32 %r5, 0;
NEXT: ld.u32 %r6, [%rd3]; add.u32 %r5, %r5, %r6; ld.u64 %rd3, [%rd3+8]; setp.ne.u64 %p2, %rd3, 0; @%p2 bra NEXT;
st.param.b32 [r], %r5; ret; })";
  const std::string body = R"(mov.u32 %r1, %tid.x;
{ .param .b32 x; st.param.b32 [x], %r1; .param .b64 y; st.param.b64 [y], 0; .param .b32 z; call (z), chain, (x, y); ld.param.b32 %r5, [z]; })";
  Trial run(with_functions(chain, body + kStoreResult), "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<std::uint32_t>(32)).record();
  const auto results = run.contents<std::uint32_t>(0);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(results[t], t * (t + 1) / 2) << t;
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_TRUE(std::any_of(recording.sites.begin(), recording.sites.end(),
                          [](const Site& site) { return site.space == Space::local; }));
}

TEST(Calls, TakeAndReturnRegisters) {
  const std::string body =
      "mov.u32 %r1, %tid.x;\ncall (%r4), twice, (%r1);\ncall (%r5), twice, (7);\nadd.u32 %r5, %r5, %r4;";
  const auto results = results_of(with_functions(kTwice, body + kStoreResult));
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(results[t], 14 + 2 * t);
}

TEST(Calls, ReachBarriers) {
  const std::string meet = R"(.func (.param .b32 r) meet(.param .b32 a) { .reg .b32 %r<9>; .reg .b64 %rd<4>;
.shared .align 4 .b8 s[256]; ld.param.u32 %r1, [a]; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1; bar.sync 0;
xor.b32 %r4, %r1, 63; mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; bar.sync 0; st.param.b32 [r], %r6; ret; })";
  const auto results =
      results_of(with_functions(meet, "mov.u32 %r1, %tid.x;\n" + call_of("meet", "%r1", "%r5") +
                                          call_of("meet", "%r5", "%r5") + kStoreResult),
                 64);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(results[t], t);
}

TEST(Calls, AreRecordedByTheirOwnLines) {
  const std::string reader =
      R"(.func (.param .b32 r) reader(.param .b64 a) { .reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1]; st.param.b32 [r], %r1; ret; })";
  const std::string body =
      R"({ .param .b64 x; st.param.b64 [x], %rd0; .param .b32 y; call (y), reader, (x); ld.param.b32 %r5, [y]; }
{ .param .b64 x; st.param.b64 [x], %rd0; .param .b32 y; call (y), reader, (x); ld.param.b32 %r5, [y]; })";
  Trial run(with_functions(reader, body), "k", {2}, {64});
  const Recording recording = run.buffer(std::vector<int>(1)).record();
  ASSERT_EQ(recording.sites.size(), 1u);
  EXPECT_EQ(recording.sites[0].ptx_line, 5u);
  EXPECT_EQ(recording.sites[0].text, "ld.global.u32 %r1, [%rd1]");
}

TEST(Calls, EndlessRecursionIsAnError) {
  const std::string endless =
      ".func endless(.param .b32 a) { { .param .b32 x; st.param.b32 [x], 1; call endless, (x); } ret; }";
  Trial run(with_functions(endless, "{ .param .b32 x; st.param.b32 [x], 1; call endless, (x); }"), "k", {1},
            {32});
  const auto result = run.buffer(std::vector<int>(1)).go();
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().what.find("nest too deep"), std::string::npos);
}

TEST(Calls, FunctionsWithoutBodyAreRefused) {
  const std::string ptx = with_functions(".extern .func other(.param .b32 a);",
                                         "{ .param .b32 x; st.param.b32 [x], 1; call other, (x); }");
  const auto module = ptx::parse(ptx, "test.ptx");
  const auto program = replay::Program::decode(*module, "k");
  ASSERT_EQ(program->unsupported().size(), 1u);
  EXPECT_EQ(program->unsupported()[0].reason, "the file has no body of the function");
  EXPECT_EQ(program->unsupported()[0].kind, replay::RefusalKind::calls);
}

}  // namespace
}  // namespace warplens
