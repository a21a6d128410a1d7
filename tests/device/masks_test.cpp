// The account that instrumented code keeps of which lanes go together is right wherever it would call the recorder. Needs no GPU: the replay runs the
// instrumented code, in which every call is replaced by a comparison with the lanes that the replay runs together there.
#include <gtest/gtest.h>

#include <cstring>
#include <regex>

#include "kernels/catalog/catalog.h"
#include "kernels/catalog/workload.h"
#include "kernels/ptx/instrument.h"
#include "kernels/ptx/parser.h"
#include "kernels/ptx/record_frame.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

/// A lane that is not where the account has it writes to address 4, where nothing is.
constexpr const char* kCheck = "{\n.reg .b32 %wlt_mask;\n.reg .b64 %wlt_at;\n.reg .pred %wlt_p;\nactivemask.b32 %wlt_mask;\n";
constexpr const char* kSame = "setp.ne.b32 %wlt_p, %wlt_mask, %wl_mask;\n";
constexpr const char* kAllThere = "and.b32 %wlt_mask, %wlt_mask, %wl_mask;\nsetp.ne.b32 %wlt_p, %wlt_mask, %wl_mask;\n";
constexpr const char* kReport = "mov.u64 %wlt_at, 4;\n@%wlt_p st.global.u32 [%wlt_at], %wlt_mask;\n}\n";

/// Lanes that only leave do not meet, but in the instrumented code they have something to do where they leave, so that its replay lets them.
bool only_leave(const ptx::Function& function, const ptx::Segment& segment) {
  const ptx::Opcode last = function.instructions[segment.end - 1].opcode;
  return segment.end - segment.first == 1 && (last == ptx::Opcode::ret || last == ptx::Opcode::exit || last == ptx::Opcode::bra);
}

std::string with_checks(const ptx::Function& function, const ptx::Instrumented& instrumented) {
  static const std::regex kBegin(R"(\{\n\.param \.b64 wl_a;\nst\.param\.b64 \[wl_a\], %wl_frame;\ncall\.uni warplens_begin, \(wl_a\);\n\}\n)");
  static const std::regex kCall(
      R"(\{\n\.param \.b64 wl_a;[^}]*\[wl_c\], ([^;]*);[^}]*call\.uni warplens_([a-z]+), \(wl_a, wl_b, wl_c, wl_d\);\n\}\n)");
  const std::string begin = "st.local.b32 [wl_frame+" + std::to_string(offsetof(ptx::RecordFrameHeader, event_warp)) + "], 0;\n";
  const std::string text = std::regex_replace(instrumented.text, kBegin, begin);
  std::string checked;
  auto at = text.begin();
  for (std::sregex_iterator call(text.begin(), text.end(), kCall), none; call != none; ++call) {
    const std::string name = (*call)[2];
    const bool leaving = name == "end" || (name != "part" && only_leave(function, instrumented.segments[std::stoul((*call)[1])]));
    checked.append(at, (*call)[0].first).append(kCheck).append(leaving ? kAllThere : kSame).append(kReport);
    at = (*call)[0].second;
  }
  return checked.append(at, text.end());
}

struct Outcome {
  Recording recording;
  std::vector<std::vector<std::byte>> memory;
};

Outcome replayed(const ptx::Module& module, const std::string& entry, const replay::Launch& launch, replay::Memory memory) {
  const Result<replay::Program> program = replay::Program::decode(module, entry);
  EXPECT_TRUE(program.ok()) << program.error().message();
  Result<Recording> recording = replay::run(*program, launch, memory, {.threads = 1});
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  Outcome outcome{std::move(*recording), {}};
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) outcome.memory.push_back(memory.contents(b));
  return outcome;
}

void expect_right_account(const std::string& text, const std::string& entry, const replay::Launch& launch, const replay::Memory& memory) {
  const Result<ptx::Module> module = ptx::parse(text, "kernel.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const ptx::Function* const function = module->find_entry(entry);
  ASSERT_NE(function, nullptr);
  const Outcome plain = replayed(*module, function->name, launch, memory);
  for (const ptx::RecordMode mode : {ptx::RecordMode::totals, ptx::RecordMode::events}) {
    const Result<ptx::Instrumented> made =
        ptx::instrument(*module, *function, {.mode = mode, .threads_per_block = static_cast<std::uint32_t>(launch.block.count())});
    ASSERT_TRUE(made.ok()) << made.error().message();
    const std::string checked = with_checks(*function, *made);
    ASSERT_NE(checked.find("activemask.b32 %wlt_mask"), std::string::npos);
    const Result<ptx::Module> again = ptx::parse(checked, "instrumented.ptx");
    ASSERT_TRUE(again.ok()) << again.error().message();
    const Outcome after = replayed(*again, function->name, launch, memory);
    for (const Finding& finding : after.recording.findings) ADD_FAILURE() << finding.text;
    EXPECT_EQ(after.memory, plain.memory);
  }
}

struct Shape3 {
  std::uint64_t m, p, n;
};
constexpr Shape3 kShapes[] = {{33, 65, 17}, {1, 1, 1}, {70, 31, 50}};

class Masks : public testing::TestWithParam<std::string> {};

TEST_P(Masks, AreTheReplays) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  for (const Shape3& shape : kShapes) {
    const auto extent = [&](char name, std::uint64_t value) { return kernel.has_extent(name) ? std::optional(value) : std::nullopt; };
    const Result<Problem> problem =
        make_problem(kernel, extent('m', shape.m), extent('p', shape.p), extent('n', shape.n), {}, kernel.value_types.front());
    ASSERT_TRUE(problem.ok()) << problem.error().message();
    const LaunchPlan plan = kernel.plan(*problem);
    Workload workload = make_workload(kernel, *problem, plan);
    replay::Launch launch{.grid = plan.grid, .block = plan.block, .dynamic_shared_bytes = plan.dynamic_shared_bytes, .arguments = {}};
    for (const Workload::Argument& argument : workload.arguments) {
      if (const auto* const buffer = std::get_if<std::uint32_t>(&argument)) {
        launch.arguments.emplace_back(replay::BufferArgument{*buffer});
      } else {
        launch.arguments.emplace_back(replay::ScalarArgument{std::get<std::vector<std::byte>>(argument)});
      }
    }
    replay::Memory memory;
    for (std::size_t i = 0; i < workload.buffers.size(); ++i) memory.add(workload.buffers[i], std::move(workload.contents[i]));
    expect_right_account(std::string(ladder_ptx(kernel.source_file)), plan.entry, launch, memory);
  }
}

std::vector<std::string> right_kernels() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (!kernel.fault) ids.push_back(kernel.id);
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, Masks, testing::ValuesIn(right_kernels()), [](const auto& kernel) { return kernel.param; });

/// Each thread of a block of 77 adds to its word of a buffer.
void expect_right_account_of(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 k_out)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 "
      "%rd<4>;\n"
      "ld.param.u64 %rd1, [k_out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n" +
      body + "\nret;\n}\n";
  replay::Memory memory;
  const std::uint32_t out = memory.add({.name = "out", .columns = 77, .pitch = 77}, std::vector<std::byte>(77 * 4));
  SCOPED_TRACE(body);
  expect_right_account(text, "k", {.grid = {2, 1, 1}, .block = {77, 1, 1}, .dynamic_shared_bytes = 0, .arguments = {replay::BufferArgument{out}}},
                       memory);
}

constexpr const char* kTouch = "ld.global.u32 %r4, [%rd1];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd1], %r4;\n";

TEST(MasksOf, IfElse) {
  expect_right_account_of("and.b32 %r5, %r1, 3;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 bra ELSE;\n" + std::string(kTouch) + "bra.uni END;\nELSE:\n" +
                          kTouch + kTouch + "END:\n" + kTouch);
}

TEST(MasksOf, LoopsOfDifferentLengths) {
  expect_right_account_of("and.b32 %r5, %r1, 7;\nLOOP:\n" + std::string(kTouch) +
                          "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r5;\n@%p1 bra LOOP;\n" + kTouch);
}

TEST(MasksOf, ABranchInALoopOfDifferentLengthsInABranch) {
  expect_right_account_of("setp.gt.u32 %p1, %r1, 40;\n@!%p1 bra END;\nand.b32 %r5, %r1, 7;\nLOOP:\n" + std::string(kTouch) +
                          "xor.b32 %r6, %r1, %r2;\nand.b32 %r6, %r6, 1;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra NEXT;\n" + kTouch +
                          "NEXT:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r5;\n@%p1 bra LOOP;\n" + kTouch + "END:\n" + kTouch);
}

TEST(MasksOf, SomeLeaveInTheMidst) {
  expect_right_account_of("and.b32 %r5, %r1, 7;\nLOOP:\n" + std::string(kTouch) +
                          "setp.eq.u32 %p2, %r2, %r5;\n@%p2 exit;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 bra LOOP;\n" + kTouch);
  expect_right_account_of("setp.lt.u32 %p1, %r1, 20;\n@%p1 ret;\n" + std::string(kTouch));
}

TEST(MasksOf, SomeBreakOutOfTwoLoops) {
  expect_right_account_of(
      "and.b32 %r5, %r1, 7;\nOUTER:\nmov.u32 %r3, 0;\nINNER:\n" + std::string(kTouch) +
      "add.u32 %r6, %r2, %r3;\nsetp.gt.u32 %p2, %r6, %r5;\n@%p2 bra DONE;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 3;\n@%p1 bra INNER;\n" +
      kTouch + "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra OUTER;\nDONE:\n" + kTouch);
}

TEST(MasksOf, ManyTargets) {
  expect_right_account_of("and.b32 %r5, %r1, 3;\nTARGETS: .branchtargets A, B, C, END;\nbrx.idx %r5, TARGETS;\nA:\n" + std::string(kTouch) +
                          "bra.uni END;\nB:\n" + kTouch + kTouch + "bra.uni END;\nC:\n" + kTouch + "END:\n" + kTouch);
}

}  // namespace
}  // namespace warplens
