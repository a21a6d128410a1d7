// The account that instrumented code keeps of which lanes go together is right wherever it would call the
// recorder. Needs no GPU: the replay runs the instrumented code, in which every call is replaced by a
// comparison with the lanes that the replay runs together there.
#include <gtest/gtest.h>

#include <cstring>
#include <regex>

#include "device/problems.h"
#include "kernels/gpu/matrix_pieces.h"
#include "kernels/ptx/instrument/instrument.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

/// A lane that is not where the account has it writes to address 4, where nothing is.
constexpr const char* kCheck =
    "{\n.reg .b32 %wlt_mask;\n.reg .b64 %wlt_at;\n.reg .pred %wlt_p;\nactivemask.b32 %wlt_mask;\n";
constexpr const char* kSame = "setp.ne.b32 %wlt_p, %wlt_mask, %wl_mask;\n";
constexpr const char* kAllThere =
    "and.b32 %wlt_mask, %wlt_mask, %wl_mask;\nsetp.ne.b32 %wlt_p, %wlt_mask, %wl_mask;\n";
constexpr const char* kReport = "mov.u64 %wlt_at, 4;\n@%wlt_p st.global.u32 [%wlt_at], %wlt_mask;\n}\n";

/// Lanes that only leave do not meet, but in the instrumented code they have something to do where they
/// leave, so that its replay lets them.
bool only_leave(const ptx::Function& function, const ptx::Segment& segment) {
  const ptx::Opcode last = function.instructions[segment.end - 1].opcode;
  return segment.end - segment.first == 1 &&
         (last == ptx::Opcode::ret || last == ptx::Opcode::exit || last == ptx::Opcode::bra);
}

std::string with_checks(const ptx::Function& function, const ptx::Instrumented& instrumented) {
  static const std::regex kBegin(
      R"(\{\n\.param \.b64 wl_a;\nst\.param\.b64 \[wl_a\], %wl_frame;\ncall\.uni warplens_begin, \(wl_a\);\n\}\n)");
  static const std::regex kCall(
      R"(\{\n\.param \.b64 wl_a;[^}]*\[wl_c\], ([^;]*);[^}]*call\.uni warplens_([a-z]+), \(wl_a, wl_b, wl_c, wl_d\);\n\}\n)");
  static const std::regex kLogUsed(R"(@%wl_p st\.global\.b64 \[%wl_wide\], %wl_at;\n)");
  std::string begin =
      "st.local.b32 [wl_frame+" + std::to_string(offsetof(ptx::RecordFrameHeader, event_warp)) + "], 0;\n";
  for (const std::size_t field :
       {offsetof(ptx::RecordFrameHeader, log_at), offsetof(ptx::RecordFrameHeader, log_begin),
        offsetof(ptx::RecordFrameHeader, log_end), offsetof(ptx::RecordFrameHeader, log_used)}) {
    begin += "st.local.b64 [wl_frame+" + std::to_string(field) +
             "], 0;\n";  // No room: the recorder is asked each time
  }
  begin +=
      "st.local.b32 [wl_frame+" + std::to_string(offsetof(ptx::RecordFrameHeader, all_lanes)) + "], -1;\n";
  const std::string text =
      std::regex_replace(std::regex_replace(instrumented.text, kBegin, begin), kLogUsed, "");
  std::string checked;
  auto at = text.begin();
  for (std::sregex_iterator call(text.begin(), text.end(), kCall), none; call != none; ++call) {
    const std::string name = (*call)[2];
    const bool is_of_segment = name == "turn" || name == "once" || name == "event";
    const bool leaving =
        name == "end" || name == "counts" ||
        (is_of_segment && only_leave(function, instrumented.segments[std::stoul((*call)[1])]));
    checked.append(at, (*call)[0].first).append(kCheck).append(leaving ? kAllThere : kSame).append(kReport);
    at = (*call)[0].second;
  }
  return checked.append(at, text.end());
}

struct Outcome {
  Recording recording;
  std::vector<std::vector<std::byte>> memory;
};

Outcome replayed(const ptx::Module& module, const std::string& entry, const replay::Launch& launch,
                 replay::Memory memory, bool takes_short_turns = false) {
  const Result<replay::Program> program = replay::Program::decode(module, entry);
  EXPECT_TRUE(program.ok()) << program.error().message();
  replay::Options options{.threads = 1};
  if (takes_short_turns) options.turn = 1u << 9;
  Result<Recording> recording = replay::run(*program, launch, memory, options);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  Outcome outcome{std::move(*recording), {}};
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) outcome.memory.push_back(memory.contents(b));
  return outcome;
}

void expect_right_account(const std::string& text, const std::string& entry, const replay::Launch& launch,
                          const replay::Memory& memory) {
  const Result<ptx::Module> module = ptx::parse(text, "kernel.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const ptx::Function* const function = module->find_entry(entry);
  ASSERT_NE(function, nullptr);
  const Outcome plain = replayed(*module, function->name, launch, memory);
  for (const ptx::RecordMode mode : {ptx::RecordMode::totals, ptx::RecordMode::events}) {
    const Result<ptx::Instrumented> made =
        ptx::instrument(*module, *function,
                        {.mode = mode,
                         .threads_per_block = static_cast<std::uint32_t>(launch.block.count()),
                         .pieces_of = gpu::pieces_of_matrix});
    ASSERT_TRUE(made.ok()) << made.error().message();
    const std::string checked = with_checks(*function, *made);
    ASSERT_NE(checked.find("activemask.b32 %wlt_mask"), std::string::npos);
    const Result<ptx::Module> again = ptx::parse(checked, "instrumented.ptx");
    ASSERT_TRUE(again.ok()) << again.error().message();
    const Outcome after = replayed(*again, function->name, launch, memory, gpu::polls_mbarriers(text));
    for (const Finding& finding : after.recording.findings) {
      // Some of the kernels' blocks share their result, and the recorder's votes name lanes that have exited
      // when the hardware waits for them
      if (finding.kind != FindingKind::block_race && finding.kind != FindingKind::absent_lanes)
        ADD_FAILURE() << finding.text;
    }
    EXPECT_EQ(after.memory, plain.memory);
  }
}

class Masks : public testing::TestWithParam<std::string> {};

TEST_P(Masks, AreTheReplays) {
  for (const gpu::ProblemToRun& problem : gpu::odd_problems(*catalog().find(GetParam()))) {
    SCOPED_TRACE(problem.name);
    expect_right_account(problem.ptx, problem.entry, problem.launch, problem.memory);
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, Masks, testing::ValuesIn(gpu::recordable_kernels()),
                         [](const auto& kernel) { return kernel.param; });

TEST(MasksOf, CodeInWhichLanesPart) {
  for (const gpu::ShortCode& code : gpu::divergent_codes()) {
    SCOPED_TRACE(code.what);
    const gpu::ProblemToRun problem = gpu::problem_of(code);
    expect_right_account(problem.ptx, problem.entry, problem.launch, problem.memory);
  }
}

}  // namespace
}  // namespace warplens
