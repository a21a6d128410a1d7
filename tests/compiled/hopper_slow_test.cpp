// Kernels for compute capability 9.0: their machine code accesses what the replay of their PTX records.
#include <gtest/gtest.h>

#include "app/compiled/as_compiled.h"
#include "app/compiled/followed_values.h"
#include "app/compiled/machine_code.h"
#include "kernels/compile/machine_code.h"

namespace warplens::app {
namespace {

class HopperKernel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (compile::compilers().empty() || !compile::has_assembler())
      GTEST_SKIP() << "skipped: there is no compiler or no assembler on this machine";
  }
  static Result<Recording> recorded() {
    LaunchRequest request;
    request.origin = FileKernel{.file = std::string(WARPLENS_TEST_DATA) + "/hopper/" + GetParam() + ".cu"};
    request.form = *parse_form("");
    return record(request);
  }
};

TEST_P(HopperKernel, AccessesTheSameAsCompiled) {
  const Result<Recording> recording = recorded();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_TRUE(recording->findings.empty()) << recording->findings.front().text;
  const AsCompiled compiled = as_compiled(*recording, {9, 0});
  ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
  const analysis::Report written = analysis::report(*recording, {9, 0});
  for (const analysis::TotalsKind& kind : analysis::totals_kinds()) {
    SCOPED_TRACE(kind.id);
    EXPECT_EQ((compiled.report.*kind.totals).requests, (written.*kind.totals).requests);
    EXPECT_EQ((compiled.report.*kind.totals).requested_bytes, (written.*kind.totals).requested_bytes);
    EXPECT_EQ((compiled.report.*kind.totals).cost, (written.*kind.totals).cost);
  }
}

/// What it leaves is known where no product is among what is stored.
TEST_P(HopperKernel, LeavesTheSameWithValues) {
  const Result<Recording> recording = recorded();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const Result<std::string> text = machine_code_of(*recording, "sm_90", MachineCode::made);
  ASSERT_TRUE(text.ok()) << text.error().message();
  const Result<sass::Listing> listing = sass::parse_listing(*text, "k");
  ASSERT_TRUE(listing.ok()) << listing.error().message();
  Result<sass::Launch> shape = launch_of_file(*recording, "sm_90");
  ASSERT_TRUE(shape.ok()) << shape.error().message();
  Result<FollowedValues> followed =
      follow_values(*recording, *listing, *listing->find(recording->entry), *shape, nullptr);
  ASSERT_TRUE(followed.ok()) << followed.error().message();
  EXPECT_EQ(followed->followed.stored_unknown, !recording->tensor.empty());
  EXPECT_EQ(leaves_what_the_replay_leaves(*recording, *followed), recording->tensor.empty());
  if (const auto plain = sass::execute_symbolically(*listing, *listing->find(recording->entry), *shape);
      plain.ok()) {
    EXPECT_TRUE(plain->totals == followed->followed.totals);
    EXPECT_TRUE(plain->shapes == followed->followed.shapes);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HopperKernel,
                         testing::Values("products", "schedule", "cluster", "pipeline"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace warplens::app
