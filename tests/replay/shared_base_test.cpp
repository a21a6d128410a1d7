// Where a block's shared memory begins: at address 0, or from compute capability 8.0 on at 1,024, behind what
// is the system's.
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

constexpr std::uint32_t kBefore80 = 0, kFrom80 = 1024;

/// A product of 48 x 48 by flipped_buffers, and how many of its elements are wrong.
struct FlippedBuffers {
  static constexpr std::size_t kSize = 48;

  explicit FlippedBuffers(std::uint32_t shared_base) {
    std::vector<float> a(kSize * kSize), b(kSize * kSize);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
    Trial run(testing::read_ptx("flipped_buffers.sm_75.ptx"), "flipped_buffers", {kSize / 16, kSize / 16},
              {16, 16});
    run.options.shared_base = shared_base;
    run.options.event_blocks = {{0, 0, 0}};
    recording = run.buffer(a)
                    .buffer(b)
                    .buffer(std::vector<float>(kSize * kSize))
                    .scalar(static_cast<int>(kSize))
                    .record();
    const auto c = run.contents<float>(2);
    for (std::size_t i = 0; i < c.size(); ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < kSize; ++k) sum += a[i / kSize * kSize + k] * b[k * kSize + i % kSize];
      wrong += c[i] != sum;
    }
  }

  Recording recording;
  int wrong = 0;
};

TEST(SharedBase, BuffersFlippedByExclusiveOrAreRightBeforeCC80) {
  const FlippedBuffers product(kBefore80);
  EXPECT_EQ(product.wrong, 0);
  EXPECT_TRUE(product.recording.findings.empty());
  EXPECT_EQ(product.recording.shared_base, 0u);
}

// What lands below the base is kept there, as on an H100, which computes the right product too; that it lies
// there is a finding.
TEST(SharedBase, BuffersFlippedByExclusiveOrReachWhatIsTheSystemsFromCC80On) {
  const FlippedBuffers before(kBefore80), product(kFrom80);
  EXPECT_EQ(product.wrong, 0);
  EXPECT_EQ(product.recording.shared_base, 1024u);
  EXPECT_EQ(product.recording.events.size(), before.recording.events.size());
  ASSERT_EQ(product.recording.findings.size(), 2u);  // Stores and loads of B's tile in the second buffer
  for (const Finding& finding : product.recording.findings)
    EXPECT_EQ(finding.kind, FindingKind::out_of_bounds);
  EXPECT_EQ(product.recording.findings[0].text,
            "store of 4 bytes to shared address 0x0, in the first 1,024 bytes, which are the system's on "
            "compute capability 8.0 and later");
}

/// Stores go from the first buffer to the second by an exclusive or of the address, loads by an index. How
/// many words are read as they were stored.
std::size_t words_found(std::uint32_t shared_base, std::size_t& findings) {
  static constexpr unsigned kWords = 512;
  const std::string body =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, a; mad.lo.u32 %r3, %r1, 4, %r2; xor.b32 %r4, %r3, 2048; add.u32 "
      "%r5, %r1, 1; st.shared.u32 [%r4], %r5;\n"
      "bar.sync 0; ld.shared.u32 %r6, [%r3+2048]; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1; "
      "st.global.u32 [%rd2], %r6;";
  Trial run(kernel_of(body, 1, ".shared .align 4 .b8 a[4096];"), "k", {1}, {kWords});
  run.options.shared_base = shared_base;
  findings = run.buffer(std::vector<unsigned>(kWords)).record().findings.size();
  const auto read = run.contents<unsigned>(0);
  std::size_t found = 0;
  for (unsigned i = 0; i < kWords; ++i) found += read[i] == i + 1;
  return found;
}

TEST(SharedBase, ExclusiveOrAndIndexMeetBeforeCC80AndPartFromThereOn) {
  std::size_t findings = 0;
  EXPECT_EQ(words_found(kBefore80, findings), 512u);
  EXPECT_EQ(findings, 0u);
  EXPECT_EQ(words_found(kFrom80, findings), 256u) << "the second half was stored below 1,024";
  EXPECT_EQ(findings, 2u) << "out of bounds, and read without having been written";
}

TEST(SharedBase, OffsetsBelowTheBaseWrapAt32Bits) {
  Trial run(
      kernel_of(
          "mov.u32 %r1, %tid.x; mov.u32 %r2, a; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3+-8], %r1;", 0,
          ".shared .align 4 .b8 a[256];"),
      "k", {1}, {32});
  run.options.event_blocks = {{0, 0, 0}};
  const Recording recording = run.record();
  ASSERT_EQ(recording.events.size(), 1u);
  EXPECT_EQ(recording.events.base[0], 0xfffffff8u);
  EXPECT_EQ(static_cast<std::uint32_t>(lane_address(recording, 0, 1)), 0xfffffffcu);
  EXPECT_EQ(static_cast<std::uint32_t>(lane_address(recording, 0, 2)), 0u);
}

/// What the kernel sees as addresses of `a`, `b` and `c`, and of generic ones relative to the window.
std::vector<unsigned> addresses_seen(std::uint32_t base, const std::string& declarations,
                                     const std::vector<std::string>& names,
                                     const std::string& of_module = "") {
  std::string body;
  for (std::size_t i = 0; i < names.size(); ++i) {
    body += "mov.u32 %r1, " + names[i] + "; st.global.u32 [%rd0+" + std::to_string(4 * i) + "], %r1;\n";
  }
  std::string text = kernel_of(body, 1, declarations);
  text.insert(text.find(".visible"), of_module);
  Trial run(text, "k", {1}, {1});
  run.options.shared_base = base;
  EXPECT_TRUE(run.buffer(std::vector<unsigned>(names.size())).record().findings.empty());
  return run.contents<unsigned>(0);
}

// The figures are those of an H100, by CUDA 13.0.
TEST(SharedBase, AlignmentCountsFromTheBase) {
  using Addresses = std::vector<unsigned>;
  EXPECT_EQ(addresses_seen(1024, ".shared .align 16384 .b8 a[64];", {"a", "a+8"}), (Addresses{1024, 1032}));
  const std::string fixed = ".shared .align 4 .b8 a[144];",
                    dynamic = ".extern .shared .align 16384 .b8 b[];\n";
  EXPECT_EQ(addresses_seen(1024, fixed, {"a", "b", "b+4"}, dynamic), (Addresses{1024, 17408, 17412}));
  EXPECT_EQ(addresses_seen(0, fixed, {"a", "b", "b+4"}, dynamic), (Addresses{0, 16384, 16388}));
  EXPECT_EQ(addresses_seen(1024, ".shared .align 4 .b8 a[4];\n.shared .align 128 .b8 b[4];", {"a", "b"}),
            (Addresses{1024, 1152}));
}

TEST(SharedBase, GenericAddressesIncludeTheBase) {
  const std::string body =
      "mov.u64 %rd1, a; cvta.shared.u64 %rd2, %rd1; st.u32 [%rd2+8], 7; ld.shared.u32 %r1, [a+8]; "
      "st.global.u32 [%rd0], %r1;\n"
      "cvta.to.shared.u64 %rd3, %rd2; st.global.u64 [%rd0+8], %rd3;";
  Trial run(kernel_of(body, 1, ".shared .align 4 .b8 a[64];"), "k", {1}, {1});
  run.options.event_blocks = {{0, 0, 0}};
  const Recording recording = run.buffer(std::vector<unsigned>(4)).record();
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_EQ(run.contents<unsigned>(0), (std::vector<unsigned>{7, 0, 1024, 0}));
  EXPECT_EQ(recording.events.base[0], 8u) << "the generic store, as an offset";
  EXPECT_EQ(recording.events.base[1], 8u) << "the load";
}

TEST(SharedBase, RecordingDiffersOnlyInTheBase) {
  std::vector<Recording> recordings;
  for (const std::uint32_t base : {0u, 1024u}) {
    // Lines, shapes and scattered accesses; two bytes short of a whole number of cache lines.
    const std::string body =
        "mov.u32 %r1, %tid.x; mov.u32 %r2, a; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 "
        "[%r4], %r1;\n"
        "xor.b32 %r5, %r3, 20; add.u32 %r5, %r5, %r2; bar.sync 0; ld.shared.u32 %r6, [%r5];\n"
        "mul.lo.u32 %r7, %r1, %r1; and.b32 %r7, %r7, 252; add.u32 %r7, %r7, %r2; ld.shared.u32 %r8, [%r7];\n"
        "setp.lt.u32 %p1, %r1, 9; @%p1 ld.shared.u32 %r8, [%r4+64]; atom.shared.add.u32 %r9, [%r4], 1;";
    Trial run(kernel_of(body, 0, ".shared .align 4 .b8 a[270];"), "k", {2}, {64});
    run.options.shared_base = base;
    run.options.event_blocks = {{0, 0, 0}, {1, 0, 0}};
    recordings.push_back(run.record());
    EXPECT_EQ(recordings.back().shared_base, base);
    recordings.back().shared_base = 0;
    recordings.back().seconds = 0;
    for (Finding& finding : recordings.back().findings) finding.text.clear();  // They name addresses
  }
  EXPECT_GT(recordings[0].events.size(), 0u);
  EXPECT_EQ(recordings[0], recordings[1]);
}

TEST(SharedBase, EndLiesBehindAllSharedMemory) {
  Trial run(kernel_of("mov.u32 %r1, a; st.shared.u32 [%r1+60], 1; st.shared.u32 [%r1+64], 1; ld.shared.u32 "
                      "%r2, [1020]; st.global.u32 [%rd0], %r2;",
                      1, ".shared .align 4 .b8 a[64];"),
            "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<int>(1, 5)).record();
  ASSERT_EQ(recording.findings.size(), 1u) << "of one line, the first";
  EXPECT_EQ(recording.findings[0].count, 2u);
  EXPECT_EQ(recording.findings[0].text,
            "store of 4 bytes to shared address 0x40, 0 bytes past the end of the block's shared memory (64 "
            "bytes)");
  EXPECT_EQ(run.contents<int>(0)[0], 0);
}

TEST(SharedBase, SpecialRegistersGiveTheReservedBytes) {
  const std::vector<std::string> names{"%reserved_smem_offset_begin", "%reserved_smem_offset_end",
                                       "%reserved_smem_offset_cap"};
  EXPECT_EQ(addresses_seen(1024, "", names), (std::vector<unsigned>{0, 288, 1024}));
}

}  // namespace
}  // namespace warplens
