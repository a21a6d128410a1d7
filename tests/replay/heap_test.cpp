// What kernels allocate and free. CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and
// Operations".
#include <algorithm>
#include <set>

#include "kernels/replay/block/heap.h"
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using replay::Heap;
using testing::kernel_of;
using testing::Trial;

TEST(Heap, AllocatesTheLowestFreeRange) {
  Heap heap;
  const std::uint64_t a = heap.allocate(100), b = heap.allocate(1), c = heap.allocate(50);
  EXPECT_EQ(a, Heap::kBase);
  EXPECT_EQ(b, a + 112);
  EXPECT_EQ(c, b + 16);
  EXPECT_TRUE(heap.release(b));
  EXPECT_FALSE(heap.release(b)) << "twice";
  EXPECT_FALSE(heap.release(a + 16)) << "not where it begins";
  EXPECT_EQ(heap.allocate(17), c + 64) << "there is no room for it before";
  EXPECT_EQ(heap.allocate(16), b);
  EXPECT_NE(heap.find(a + 96, 4), nullptr);
  EXPECT_EQ(heap.find(a + 97, 4), nullptr);
  EXPECT_EQ(heap.find(a + 100, 1), nullptr) << "what fills up to a multiple of 16 is nobody's";
  EXPECT_TRUE(heap.release(a));
  EXPECT_EQ(heap.find(a, 4), nullptr);
}

TEST(Heap, HasEightMegabytes) {
  Heap heap;
  EXPECT_EQ(heap.allocate(Heap::kBytes + 1), 0u);
  EXPECT_EQ(heap.allocate(~std::uint64_t{0}), 0u);
  const std::uint64_t half = heap.allocate(Heap::kBytes / 2), rest = heap.allocate(Heap::kBytes / 2);
  EXPECT_NE(half, 0u);
  EXPECT_NE(rest, 0u);
  EXPECT_EQ(heap.allocate(1), 0u);
  EXPECT_TRUE(heap.release(half));
  EXPECT_TRUE(heap.release(rest));
  EXPECT_EQ(heap.allocate(Heap::kBytes), Heap::kBase) << "what is freed side by side is one";
}

Trial trial(const std::string& body, Dim3 grid = {1}, Dim3 block = {32}) {
  const std::string functions =
      ".extern .func (.param .b64 func_retval0) malloc (.param .b64 malloc_param_0);\n.extern .func free "
      "(.param .b64 free_param_0);\n";
  std::string text = kernel_of(body, 1);
  text.insert(text.find(".visible"), functions);
  Trial run(text + ".file 1 \"k.cu\"\n", "k", grid, block);
  run.buffer(std::vector<int>(1024));
  return run;
}
std::string malloc_into(const std::string& result, const std::string& bytes) {
  return "{ .param .b64 param0; st.param.b64 [param0], " + bytes +
         "; .param .b64 retval0; call.uni (retval0), malloc, (param0); ld.param.b64 " + result +
         ", [retval0]; }\n";
}
std::string free_of(const std::string& address) {
  return "{ .param .b64 param0; st.param.b64 [param0], " + address + "; call.uni free, (param0); }\n";
}

TEST(Heap, ThreadsGetDistinctAllocations) {
  Trial run = trial(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n" +
          malloc_into("%rd1", "8") +
          "st.u32 [%rd1+4], %r4; bar.sync 0; ld.u32 %r5, [%rd1+4]; add.u32 %r5, %r5, 1;\n"
          "mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], %r5;\n" +
          free_of("%rd1"),
      {3}, {48});
  const Recording recording = run.record();
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  const std::vector<int> left = run.contents<int>(0);
  for (int i = 0; i < 144; ++i) ASSERT_EQ(left[static_cast<std::size_t>(i)], i + 1);
}

TEST(Heap, MallocReturnsNullWhenFull) {
  Trial run = trial("mov.u32 %r1, %tid.x;\n" + malloc_into("%rd1", "1048576") +
                    "setp.ne.s64 %p1, %rd1, 0; selp.u32 %r2, 1, 0, %p1; mul.wide.u32 %rd2, %r1, 4; add.s64 "
                    "%rd3, %rd0, %rd2;\n"
                    "st.global.u32 [%rd3], %r2;");
  EXPECT_TRUE(run.record().findings.empty()) << "what is never freed is no finding";
  const std::vector<int> left = run.contents<int>(0);
  EXPECT_EQ(std::count(left.begin(), left.end(), 1), 8);
  EXPECT_EQ(left[7], 1);
  EXPECT_EQ(left[8], 0);
}

TEST(Heap, AccessAfterFreeIsOutOfBounds) {
  const Recording recording =
      trial(".loc 1 2 0\n" + malloc_into("%rd1", "16") + "st.u32 [%rd1], 1;\n.loc 1 4 0\n" + free_of("%rd1") +
            ".loc 1 5 0\nld.u32 %r1, [%rd1]; st.global.u32 [%rd0], 1;\n")
          .record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(recording.findings[0].line, 5u);
  EXPECT_EQ(recording.findings[0].lanes, 0xffffffffu);
  EXPECT_NE(recording.findings[0].text.find("in the heap, where nothing is allocated, or no longer"),
            std::string::npos)
      << recording.findings[0].text;
}

TEST(Heap, AccessPastAnAllocationIsOutOfBounds) {
  const Recording recording =
      trial(malloc_into("%rd1", "64") +
                "ld.u32 %r1, [%rd1+60]; ld.u32 %r1, [%rd1+64]; st.global.u32 [%rd0], 1;",
            {1}, {1})
          .record();
  EXPECT_EQ(recording.findings.size(), 1u);
}

TEST(Heap, DoubleFreeIsReported) {
  const Recording recording =
      trial(malloc_into("%rd1", "16") + free_of("%rd1") + ".loc 1 7 0\n" + free_of("%rd1") + free_of("0"))
          .record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(recording.findings[0].line, 7u);
  EXPECT_EQ(recording.findings[0].text.find("free of 0x11000000"), 0u) << recording.findings[0].text;
}

// Which address it got is in no register when an iteration ends.
TEST(Heap, AllocatingUntilFullEnds) {
  Trial run = trial("L:\n" + malloc_into("%rd1", "16") +
                        "setp.ne.s64 %p1, %rd1, 0; mov.u64 %rd1, 0; @%p1 bra L; st.global.u32 [%rd0], 1;",
                    {1}, {1});
  EXPECT_TRUE(run.record().findings.empty());
  EXPECT_EQ(run.contents<int>(0)[0], 1);
}

TEST(Heap, DoesNotDependOnThreads) {
  const std::string body = malloc_into("%rd1", "24") + "st.u32 [%rd1], 1; st.global.u32 [%rd0], 1;";
  Trial one = trial(body, {64}, {96}), many = trial(body, {64}, {96});
  many.options.threads = 8;
  Recording a = one.record();
  const Recording b = many.record();
  a.seconds = b.seconds;
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace warplens
