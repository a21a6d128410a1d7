#include "app/launch/guesses.h"

#include <gtest/gtest.h>

#include "app/launch/missing_arguments.h"
#include "app/session/loaded.h"
#include "kernels/compile/compile.h"

namespace warplens::app {
namespace {

LaunchRequest request_with(std::vector<FormField> fields, bool shape_guessed) {
  LaunchRequest request;
  request.origin = FileKernel{.file = "k.cu", .entry = "k"};
  request.form = LaunchForm{};
  request.form->grid = {"grid", "4", shape_guessed};
  request.form->block = {"block", "32", shape_guessed};
  request.form->fields = std::move(fields);
  return request;
}

std::vector<Finding> one_of_each() {
  std::vector<Finding> findings;
  for (const FindingKind kind :
       {FindingKind::race, FindingKind::out_of_bounds, FindingKind::barrier_divergence,
        FindingKind::failed_assertion, FindingKind::misaligned}) {
    Finding finding;
    finding.kind = kind;
    findings.push_back(finding);
  }
  return findings;
}

TEST(Guesses, WrittenFieldsAreNotGuesses) {
  EXPECT_EQ(guesses_of(request_with({{"n", "64", false}, {"a", "f32[n]", false}}, false)), Guesses{});
  EXPECT_EQ(guesses_of(launch_of_kernel("tiled")), Guesses{});
  std::vector<Finding> findings = one_of_each();
  EXPECT_TRUE(take_doubtful(findings, {}).empty());
  EXPECT_EQ(findings.size(), 5u);
}

TEST(Guesses, BoundsDependOnBuffersAndSizes) {
  const Guesses buffers = guesses_of(request_with({{"n", "64", false}, {"a", "f32[n]", true}}, false));
  EXPECT_TRUE(buffers.of_bounds());
  EXPECT_FALSE(buffers.of_figures()) << "how large a buffer is changes no count";
  EXPECT_EQ(buffers.fields, std::vector<std::string>{"a"});
  EXPECT_TRUE(guesses_of(request_with({{"n", "64", true}}, false)).of_figures());
  EXPECT_FALSE(guesses_of(request_with({{"s", "1.5", true}}, false)).of_bounds()) << "a factor";
  std::vector<Finding> findings = one_of_each();
  const std::vector<Finding> doubtful = take_doubtful(findings, buffers);
  ASSERT_EQ(doubtful.size(), 1u);
  EXPECT_EQ(doubtful[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(findings.size(), 4u);
}

TEST(Guesses, RacesOfGuessedThreadsAreMarked) {
  const Guesses shape = guesses_of(request_with({}, true));
  EXPECT_TRUE(shape.of_figures());
  std::vector<Finding> findings = one_of_each();
  EXPECT_EQ(take_doubtful(findings, shape).size(), 4u);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::failed_assertion);
  LaunchRequest written_block = request_with({}, true);
  written_block.form->block.guessed = false;
  findings = one_of_each();
  EXPECT_EQ(take_doubtful(findings, guesses_of(written_block)).size(), 1u)
      << "what happens within a block does not depend on how many there are";
}

TEST(Guesses, RacesInGlobalMemoryDependOnContents) {
  FormField indices{"a", "i32[64]", false};
  indices.has_guessed_contents = true;
  Finding shared, global;
  shared.access.emplace().space = Space::shared;
  shared.other.emplace();
  global = shared;
  global.access->space = Space::global;
  std::vector<Finding> findings{shared, global};
  EXPECT_EQ(take_doubtful(findings, guesses_of(request_with({indices}, false))), std::vector{global})
      << "the contents may be indices";
  EXPECT_EQ(findings, std::vector{shared});
}

TEST(MissingArguments, AreListedWithTheirFields) {
  FileEntry entry{.name = "k", .plain_name = "k"};
  entry.parameters = {{.name = "a", .is_pointer = true},
                      {.name = "view", .fields = {{.name = "data"}, {.name = "n"}}},
                      {.name = "n"}};
  LaunchForm form;
  form.set("n", "64");
  form.set("view.n", "3");
  EXPECT_EQ(missing_arguments(form, entry), (std::vector<std::string>{"a", "view.data"}));
}

TEST(MissingArguments, UnsupportedKernelsSayWhy) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  const auto reason = [](const char* body) {
    LaunchRequest request = request_with({}, false);
    std::get<FileKernel>(request.origin).cuda = std::string("__global__ void k(float* a) { ") + body + " }";
    return true_reason(request, Error{"nothing says what `a` points at", "", ""}).what;
  };
  EXPECT_EQ(reason("a[0] = 1;"), "nothing says what `a` points at");
  const char* const with_tensor_cores = "asm volatile(\"tcgen05.fence::before_thread_sync;\"); a[0] = 1;";
  EXPECT_NE(reason(with_tensor_cores).find("tensor cores"), std::string::npos) << reason(with_tensor_cores);
}

}  // namespace
}  // namespace warplens::app
