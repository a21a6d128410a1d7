// Functions of the system's. CUDA C++ Programming Guide, "Formatted Output", "Assertion".
#include <cmath>
#include <cstdio>
#include <map>

#include "kernels/replay/block/format.h"
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

// What is printed
// ---------------------------------------------------------------------------------------------------------------------------------------------

struct Argument {
  std::uint64_t bits = 0;
  std::uint64_t bytes = 4;
};
Argument of(int value) {
  return {static_cast<std::uint32_t>(value), 4};
}
Argument of(long long value) {
  return {static_cast<std::uint64_t>(value), 8};
}
Argument of(double value) {
  return {std::bit_cast<std::uint64_t>(value), 8};
}

replay::Printed print(const std::string& format, const std::vector<Argument>& arguments = {}) {
  std::vector<std::byte> buffer;
  for (const Argument& argument : arguments) {
    const std::size_t at = (buffer.size() + argument.bytes - 1) / argument.bytes * argument.bytes;
    buffer.resize(at + argument.bytes);
    std::memcpy(buffer.data() + at, &argument.bits, argument.bytes);
  }
  const std::map<std::uint64_t, std::string> texts{{0x100, "text"}, {0x200, ""}};
  return replay::printed(
      format,
      [&](std::uint64_t offset, std::uint64_t bytes) -> std::optional<std::uint64_t> {
        if (offset + bytes > buffer.size()) return std::nullopt;
        std::uint64_t bits = 0;
        std::memcpy(&bits, buffer.data() + offset, bytes);
        return bits;
      },
      [&](std::uint64_t address) -> std::optional<std::string> {
        const auto found = texts.find(address);
        return found == texts.end() ? std::nullopt : std::optional(found->second);
      });
}

TEST(Printf, PrintsAsTheHostDoes) {
  const auto expect = [](const replay::Printed& printed, const char* format, auto... values) {
    char text[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(text, sizeof text, format, values...);
#pragma GCC diagnostic pop
    EXPECT_STREQ(printed.text.c_str(), text) << format;
  };
  for (const char* format : {"%d", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%.4d", "%x", "%#X", "%o", "%u",
                             "%c", "%i", "%8.3d", "%hd", "%hhu"}) {
    for (const int value : {0, 1, -1, 65, 70000, -2147483647})
      expect(print(format, {of(value)}), format, value);
  }
  for (const char* format : {"%lld", "%llx", "%20llu", "%ld", "%-12lo|", "%zu"}) {
    for (const long long value : {0ll, -5ll, 1ll << 40}) expect(print(format, {of(value)}), format, value);
  }
  for (const char* format : {"%f", "%8.3f", "%-10.2e|", "%g", "%G", "%a", "%E", "%+.0f", "%#.0f", "%F"}) {
    for (const double value : {0.0, -1.5, 3.14159265358979, 1e300, double(INFINITY), -0.0})
      expect(print(format, {of(value)}), format, value);
  }
  expect(print("%*d|%-*d|%.*f", {of(6), of(42), of(6), of(42), of(2), of(1.2345)}), "%*d|%-*d|%.*f", 6, 42, 6,
         42, 2, 1.2345);
}

TEST(Printf, ReadsArgumentsFromTheirOffsets) {
  const replay::Printed mixed = print("%d %f %d %lld %s %%\n", {of(1), of(2.5), of(3), of(4ll), of(0x100ll)});
  EXPECT_EQ(mixed.text, "1 2.500000 3 4 text %\n");
  EXPECT_EQ(mixed.arguments, 5);
  EXPECT_EQ(print("%6.2s|%s|%s|%s", {of(0x100ll), of(0x200ll), of(0ll), of(0x300ll)}).text,
            "    te||(null)|(no text)");
}

TEST(Printf, KeepsUnknownConversions) {
  EXPECT_EQ(print("%n %y 100%", {of(1)}).text, "%n %y 100%");
  EXPECT_EQ(print("%d and %d", {of(1)}).text, "1 and %d") << "no argument is left";
  std::string many;
  for (int i = 0; i < 40; ++i) many += "%d";
  const replay::Printed cut = print(many, std::vector<Argument>(40, of(7)));
  EXPECT_EQ(cut.arguments, 32);
  EXPECT_EQ(cut.text.substr(0, 34), std::string(32, '7') + "%d");
  EXPECT_EQ(print("%999999999d", {of(1)}).text.size(), 4096u);
}

// In kernels
// ---------------------------------------------------------------------------------------------------------------------------------------------

const std::string kPrototypes =
    ".extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 "
    "vprintf_param_1);\n"
    ".extern .func __assertfail(.param .b64 a0, .param .b64 a1, .param .b32 a2, .param .b64 a3, .param .b64 "
    "a4);\n"
    ".global .align 1 .b8 $str[7] = {37, 100, 33, 10, 0, 0, 0};\n"   // "%d!\n"
    ".global .align 1 .b8 $text[6] = {105, 32, 60, 32, 110, 0};\n";  // "i < n"

std::string with_prototypes(const std::string& body) {
  std::string text = kernel_of(body, 1, ".local .align 8 .b8 values[8];");
  return text.insert(text.find(".visible .entry"), kPrototypes);
}

/// Prints %r1, and leaves what vprintf returns in %r5.
const std::string kPrint =
    "mov.u64 %rd10, values; cvta.local.u64 %rd11, %rd10; st.local.u32 [%rd10], %r1; mov.u64 %rd12, $str; "
    "cvta.global.u64 %rd13, %rd12;\n"
    "{ .param .b64 param0; st.param.b64 [param0+0], %rd13; .param .b64 param1; st.param.b64 [param1+0], "
    "%rd11; .param .b32 retval0;\n"
    "call.uni (retval0), vprintf, (param0, param1); ld.param.b32 %r5, [retval0+0]; }\n";

TEST(SystemCalls, PrintfIsKeptByBlockAndThread) {
  const std::string body =
      "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r3, 100, %r2; and.b32 %r4, %r2, 15;\n"
      "setp.ne.u32 %p1, %r4, 0; @%p1 bra DONE;\n" +
      kPrint + "DONE: st.global.u32 [%rd0], %r5;";
  for (const unsigned threads : {1u, 3u}) {
    Trial run(with_prototypes(body), "k", {3}, {40});
    run.buffer(std::vector<std::uint32_t>(1));
    run.options.threads = threads;
    const Recording recording = run.record();
    ASSERT_EQ(recording.messages.size(), 9u);
    for (std::uint32_t i = 0; i < 9; ++i) {
      const std::uint32_t block = i / 3, thread = i % 3 * 16;
      EXPECT_EQ(recording.messages[i].block, (Dim3{block, 0, 0}));
      EXPECT_EQ(recording.messages[i].thread, thread);
      EXPECT_EQ(recording.messages[i].text, std::to_string(100 * block + thread) + "!\n");
    }
    EXPECT_EQ(recording.messages_left_out, 0u);
  }
}

TEST(SystemCalls, PrintfReturnsHowManyArgumentsItTook) {
  Trial run(with_prototypes("mov.u32 %r1, 7;\n" + kPrint + "st.global.u32 [%rd0], %r5;"), "k", {1}, {1});
  run.buffer(std::vector<std::uint32_t>(1)).record();
  EXPECT_EQ(run.contents<std::uint32_t>(0), std::vector<std::uint32_t>{1});
}

// The first of them, whatever the number of threads.
TEST(SystemCalls, KeptMessagesAreBounded) {
  std::vector<Message> with_one;
  for (const unsigned threads : {1u, 4u}) {
    Trial run(with_prototypes("mov.u32 %r1, %ctaid.x;\n" + kPrint), "k", {200}, {64});
    run.buffer(std::vector<std::uint32_t>(1));
    run.options.threads = threads;
    const Recording recording = run.record();
    EXPECT_EQ(recording.messages.size(), kMaxMessages);
    EXPECT_EQ(recording.messages_left_out, 200 * 64 - kMaxMessages);
    if (threads == 1) with_one = recording.messages;
    EXPECT_EQ(recording.messages, with_one);
  }
}

// Of the block in which it fails nothing more is run; of the others everything.
TEST(SystemCalls, AFailedAssertionIsAFinding) {
  const std::string body =
      "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; add.u32 %r4, %r2, %r3; setp.lt.u32 %p1, %r4, 40; @%p1 bra "
      "GOOD;\n"
      "mov.u64 %rd12, $text; cvta.global.u64 %rd13, %rd12;\n"
      "{ .param .b64 param0; st.param.b64 [param0+0], %rd13; .param .b64 param1; st.param.b64 [param1+0], "
      "%rd13;\n"
      ".param .b32 param2; st.param.b32 [param2+0], 12; .param .b64 param3; st.param.b64 [param3+0], %rd13;\n"
      ".param .b64 param4; st.param.b64 [param4+0], 1; call.uni __assertfail, (param0, param1, param2, "
      "param3, param4); }\n"
      "GOOD: mov.u32 %r6, 1; red.global.add.u32 [%rd0], %r6;";
  Trial run(with_prototypes(body), "k", {3}, {40});
  run.buffer(std::vector<std::uint32_t>(1));
  const Recording recording = run.record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::failed_assertion);
  EXPECT_EQ(recording.findings[0].text,
            "the assertion `i < n` failed: on a GPU the launch ends with an error");
  EXPECT_EQ(recording.findings[0].block, (Dim3{1, 0, 0}));
  EXPECT_EQ(recording.findings[0].warp, 1u);
  EXPECT_EQ(recording.findings[0].lanes, 1u << 7);
  EXPECT_EQ(recording.findings[0].count, 2u) << "in two blocks";
  EXPECT_EQ(run.contents<std::uint32_t>(0)[0], 40u + 32 + 32);
}

}  // namespace
}  // namespace warplens
