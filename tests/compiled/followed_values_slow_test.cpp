// Machine code whose way depends on what it loads: what it leaves in memory is what the replay leaves, so
// that what it was followed through is what ran.
#include "app/compiled/followed_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "app/compiled/as_compiled.h"
#include "app/compiled/compiled_launch.h"
#include "app/compiled/machine_code.h"
#include "app/kernel_file/kernel_file.h"
#include "kernels/compile/machine_code.h"
#include "viz/analysis/as_compiled.h"

namespace warplens::app {
namespace {

/// The machine code of each kernel for sm_90, and for one of the others by the length of its name; with
/// WARPLENS_AT_LENGTH for all of them.
class FollowedValuesOf : public testing::TestWithParam<const char*> {
 protected:
  /// Of those that need it: "half_choices_80".
  static bool is_of_cc_8() { return std::string_view(GetParam()).ends_with("_80"); }
  static std::vector<const char*> architectures() {
    if (is_of_cc_8()) return {"sm_86", "sm_90"};
    if (std::getenv("WARPLENS_AT_LENGTH") != nullptr) return {"sm_75", "sm_86", "sm_90"};
    return {std::strlen(GetParam()) % 2 == 0 ? "sm_75" : "sm_86", "sm_90"};
  }

  void SetUp() override {
    if (compile::compilers().empty() || !compile::has_assembler())
      GTEST_SKIP() << "skipped: there is no compiler or no assembler on this machine";
  }
};

TEST_P(FollowedValuesOf, LeaveWhatTheReplayLeaves) {
  LaunchRequest request;
  request.origin = FileKernel{.file = std::string(WARPLENS_TEST_DATA) + "/" + GetParam() + ".cu"};
  // Machine code for each of them can be made of it
  request.form = *parse_form(is_of_cc_8() ? "arch=compute_80" : "arch=compute_75");
  Result<LaunchResult> launched = launch(request);
  ASSERT_TRUE(launched.ok()) << launched.error().message();
  const Recording& recording = launched->recording;
  for (const char* const architecture : architectures()) {
    SCOPED_TRACE(architecture);
    const Result<std::string> text = machine_code_of(recording, architecture, MachineCode::made);
    ASSERT_TRUE(text.ok()) << text.error().message();
    const Result<sass::Listing> listing = sass::parse_listing(*text, "k");
    ASSERT_TRUE(listing.ok()) << listing.error().message();
    const sass::Function* const function = listing->find(recording.entry);
    ASSERT_NE(function, nullptr);
    Result<sass::Launch> shape = launch_of_file(recording, architecture);
    ASSERT_TRUE(shape.ok()) << shape.error().message();
    shape->max_instructions = 10'000'000;
    Result<FollowedValues> followed = follow_values(recording, *listing, *function, *shape, nullptr);
    ASSERT_TRUE(followed.ok()) << followed.error().message();
    // Where no value of memory decides, the same is counted without them, from few blocks.
    if (const auto plain = sass::execute_symbolically(*listing, *function, *shape); plain.ok()) {
      EXPECT_TRUE(plain->totals == followed->followed.totals);
      EXPECT_TRUE(plain->shapes == followed->followed.shapes);
      EXPECT_TRUE(plain->executed == followed->followed.executed);
    }
    EXPECT_EQ(leaves_what_the_replay_leaves(recording, *followed),
              replay::bytes_of_global_variables(*followed->after.program) == 0);
    for (std::uint32_t i = 0; i < recording.buffers.size(); ++i) {
      const auto left = followed->after.memory->bytes(i), expected = launched->memory.bytes(i);
      ASSERT_EQ(left.size(), expected.size());
      const auto [a, b] = std::ranges::mismatch(left, expected);
      EXPECT_EQ(a, left.end()) << recording.buffers[i].name << " at byte " << a - left.begin();
    }
  }
  EXPECT_TRUE(as_compiled(recording, {9, 0}).has_counts()) << as_compiled(recording, {9, 0}).why_not();
}

TEST(FollowedValues, OverwrittenStoreMayBeDropped) {
  if (compile::compilers().empty() || !compile::has_assembler())
    GTEST_SKIP() << "skipped: there is no compiler or no assembler on this machine";
  LaunchRequest request;
  request.origin = FileKernel{.file = std::string(WARPLENS_TEST_DATA) + "/values/merged.cu"};
  request.form = *parse_form("");
  const Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const AsCompiled compiled = as_compiled(*recording, {9, 0});
  ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
  const analysis::Report written = analysis::report(*recording, {9, 0});
  EXPECT_EQ(compiled.report.shared_store.requested_bytes, 4u * 9 * 256);
  EXPECT_GT(written.shared_store.requested_bytes, compiled.report.shared_store.requested_bytes);
  EXPECT_TRUE(analysis::may_drop_stores(written, compiled.report));
  EXPECT_FALSE(analysis::may_drop_stores(compiled.report, written))
      << "nothing is stored that was not written";
  EXPECT_FALSE(analysis::disagreement(written, compiled.report).empty());
  const AsCompiled at_hand =
      as_compiled(*recording, {9, 0}, std::nullopt, nullptr, kMaxInstructionsToFollow, MachineCode::at_hand);
  EXPECT_TRUE(at_hand.left_for_later) << "the comparison takes a replay";
  EXPECT_FALSE(at_hand.has_counts());

  // Only where it leaves what the replay leaves, and all of that is known.
  const Result<std::string> text = machine_code_of(*recording, "sm_90", MachineCode::made);
  ASSERT_TRUE(text.ok()) << text.error().message();
  const Result<sass::Listing> listing = sass::parse_listing(*text, "k");
  ASSERT_TRUE(listing.ok()) << listing.error().message();
  Result<sass::Launch> shape = launch_of_file(*recording, "sm_90");
  ASSERT_TRUE(shape.ok()) << shape.error().message();
  Result<FollowedValues> followed =
      follow_values(*recording, *listing, *listing->find(recording->entry), *shape, nullptr);
  ASSERT_TRUE(followed.ok()) << followed.error().message();
  EXPECT_TRUE(leaves_what_the_replay_leaves(*recording, *followed));
  followed->followed.stored_unknown = true;
  EXPECT_FALSE(leaves_what_the_replay_leaves(*recording, *followed));
  followed->followed.stored_unknown = false;
  followed->after.memory->bytes(0).back() ^= std::byte{1};
  EXPECT_FALSE(leaves_what_the_replay_leaves(*recording, *followed));
}

TEST(FollowedValues, RetryLoopIsNotCounted) {
  if (compile::compilers().empty() || !compile::has_assembler())
    GTEST_SKIP() << "skipped: there is no compiler or no assembler on this machine";
  LaunchRequest request;
  request.origin = FileKernel{.file = std::string(WARPLENS_TEST_DATA) + "/values/floatadd.cu"};
  request.form = *parse_form("");
  const Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const std::string why = as_compiled(*recording, {9, 0}).why_not();
  EXPECT_NE(why.find("its iteration count depends on when other warps arrive"), std::string::npos) << why;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, FollowedValuesOf,
    testing::Values("values/absdiff", "values/async_copies_80", "values/bitonic", "values/claims",
                    "values/compact", "values/division", "values/doubles", "values/flags",
                    "values/half_choices_80", "values/half_pairs", "values/halves", "values/hash",
                    "values/jumps", "values/match", "values/matrix_rows", "values/merged", "values/radix",
                    "values/rows", "values/search", "values/softmaxdiv", "values/spmv", "values/sums",
                    "values/tables", "values/tickets", "exercises/histogram", "exercises/particles",
                    "exercises/reduction", "exercises/scan", "exercises/softmax", "exercises/sort",
                    "exercises/stencil", "exercises/vector_add"),
    [](const auto& one) { return std::string(one.param).substr(std::string(one.param).find('/') + 1); });

}  // namespace
}  // namespace warplens::app
