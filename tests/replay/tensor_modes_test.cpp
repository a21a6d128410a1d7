// Copies by tensor maps in im2col mode, of interleaved tensors and of types that round; maps that a kernel
// changes. PTX ISA, "im2col mode", "Interleave layout", "tensormap.replace".
#include <fmt/core.h>

#include <numeric>

#include "replay/run_kernel.h"

namespace warplens::tensor_modes {
namespace {

using testing::Trial;

constexpr std::uint32_t kWords = 1024, kFirst = 5000;

/// A kernel of buffers A and B and a tensor map. %r2 is the mbarrier, %r3 shared memory, %rd3 the map's
/// address; one thread runs `body`. Afterwards the words of shared memory are stored to B.
std::string kernel_of(const std::string& body) {
  return R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 B, .param .align 64 .b8 map[128])
{
.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .b16 %rs<4>;
.shared .align 1024 .b8 s[4096]; .shared .align 8 .b64 bar; .shared .align 128 .b8 copy[128];
ld.param.u64 %rd0, [A]; ld.param.u64 %rd1, [B]; mov.b64 %rd2, map; cvta.param.u64 %rd3, %rd2;
mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s; setp.eq.u32 %p7, %r1, 0;
@%p7 mbarrier.init.shared::cta.b64 [%r2], 1;
fence.proxy.async.shared::cta;
bar.sync 0;
)" + body +
         R"(
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
mov.u32 %r10, %r1;
AGAIN: shl.b32 %r11, %r10, 2; add.u32 %r12, %r3, %r11; cvt.u64.u32 %rd10, %r11; add.s64 %rd11, %rd1, %rd10;
ld.shared.u32 %r13, [%r12]; st.global.u32 [%rd11], %r13;
add.u32 %r10, %r10, 32; setp.lt.u32 %p2, %r10, 1024; @%p2 bra AGAIN;
ret;
}
.file 1 "k.cu"
)";
}

std::string numbers(const std::vector<int>& values, const char* type, const char* reg, int first) {
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k)
    text += fmt::format("mov.{} {}{}, {};\n", type, reg, first + static_cast<int>(k), values[k]);
  return text;
}

std::string list(std::size_t count, const char* reg, int first) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k)
    text += fmt::format("{}{}{}", k == 0 ? "" : ", ", reg, first + static_cast<int>(k));
  return text;
}

/// `offsets`: empty for what is not in im2col mode.
std::string load(const TensorMap& map, const std::vector<int>& start, const std::vector<int>& offsets = {},
                 const std::string& address = "%rd3") {
  const bool is_im2col = !offsets.empty();
  return fmt::format("@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {};\n", map.box_bytes()) +
         numbers(start, "u32", "%r", 20) + numbers(offsets, "u16", "%rs", 0) + ".loc 1 3 0\n" +
         fmt::format(
             "@%p7 cp.async.bulk.tensor.{}d.shared::cluster.global.{}.mbarrier::complete_tx::bytes "
             "[%r3], [{}, {{{}}}], [%r2]{};\n",
             start.size(), is_im2col ? "im2col" : "tile", address, list(start.size(), "%r", 20),
             is_im2col ? fmt::format(", {{{}}}", list(offsets.size(), "%rs", 0)) : "");
}

struct Ran {
  Recording recording;
  std::vector<std::uint32_t> b;
  std::vector<std::string> found;  ///< But for reads of, and waits for, what was not copied
};

Ran run(const std::string& body, const TensorMap& map) {
  Trial trial(kernel_of(body), "k", {1}, {32});
  std::vector<std::uint32_t> a(kWords);
  std::iota(a.begin(), a.end(), kFirst);
  trial.buffer(a).buffer(std::vector<std::uint32_t>(kWords, 7)).tensor_map(map, 0);
  Ran ran;
  ran.recording = trial.record();
  ran.b = trial.contents<std::uint32_t>(1);
  for (const Finding& finding : ran.recording.findings) {
    if (finding.kind != FindingKind::uninitialised && finding.kind != FindingKind::deadlock)
      ran.found.push_back(fmt::format("{} {}", name_of(finding.kind), finding.line));
  }
  return ran;
}
using Found = std::vector<std::string>;

/// Two images of 3 rows of 4 pixels of 4 channels, for a filter of 3 x 3 with a border of 1.
TensorMap images() {
  return {.element = TensorElement::u32,
          .rank = 4,
          .extents = {4, 4, 3, 2, 1},
          .strides = {4, 16, 64, 192},
          .im2col = Im2col{.lower = {-1, -1}, .upper = {-1, -1}, .channels = 4, .pixels = 24}};
}

std::uint32_t word(std::uint32_t channel, std::uint32_t w, std::uint32_t h, std::uint32_t n) {
  return kFirst + channel + 4 * w + 16 * h + 48 * n;
}

TEST(TensorModes, Im2colWalksOverThePixelsOfAConvolution) {
  const TensorMap map = images();
  EXPECT_EQ(map.box_bytes(), 24u * 16);
  // The filter's base starts at (-1, -1); the offsets add (2, 1).
  const Ran ran = run(load(map, {0, -1, -1, 0}, {2, 1}), map);
  EXPECT_EQ(ran.found, Found{});
  for (std::uint32_t pixel = 0; pixel < 24; ++pixel) {
    const std::uint32_t w = pixel % 4 + 1, h = pixel / 4 % 3, n = pixel / 12;
    for (std::uint32_t channel = 0; channel < 4; ++channel)
      EXPECT_EQ(ran.b[4 * pixel + channel], w < 4 ? word(channel, w, h, n) : 0) << pixel;
  }
}

TEST(TensorModes, Im2colContinuesInTheNextRowAndImage) {
  TensorMap map = images();
  map.im2col->upper = {-2, -1};  // Bases of 3 columns
  map.element_strides = {1, 2, 1, 1, 1};
  map.im2col->pixels = 8;
  const Ran ran = run(load(map, {0, 1, 1, 0}, {0, 0}), map);  // Base 1, then -1 and 1 of rows -1, 0 and 1
  EXPECT_EQ(ran.b[0], word(0, 1, 1, 0));
  EXPECT_EQ(ran.b[4], 0u) << "the next image begins at row -1";
  EXPECT_EQ(ran.b[8], 0u);
  EXPECT_EQ(ran.b[12], 0u) << "column -1 of row 0";
  EXPECT_EQ(ran.b[16], word(0, 1, 0, 1));
  EXPECT_EQ(ran.b[24], word(0, 1, 1, 1));
  EXPECT_EQ(ran.b[28], 0u) << "there is no third image";
}

TEST(TensorModes, BaseOutsideTheBoundingBoxIsReported) {
  const TensorMap map = images();
  EXPECT_EQ(run(load(map, {0, 3, 0, 0}, {0, 0}), map).found, Found{"async_copy 3"});
  EXPECT_EQ(run(load(map, {0, -2, 0, 0}, {1, 0}), map).found, Found{"async_copy 3"});
  EXPECT_EQ(run(load(map, {1, 0, 0, 0}, {0, 0}), map).found, Found{"async_copy 3"}) << "4 of 16 bytes";
  EXPECT_EQ(run(load(map, {0, 0, 0, -1}, {0, 0}), map).found, Found{}) << "filled";
}

TEST(TensorModes, MapOfAnotherModeIsReported) {
  TensorMap map = images();
  const std::string body = load(map, {0, 0, 0, 0}, {0, 0});
  map.im2col.reset();
  map.box = {4, 1, 1, 1, 1};
  EXPECT_EQ(run(body, map).found, Found{"async_copy 3"});
}

/// W 4, H 3, 2 slices of 16 bytes, N 2.
TensorMap slices() {
  return {.element = TensorElement::f16,
          .rank = 4,
          .extents = {4, 3, 2, 2, 1},
          .strides = {2, 64, 192, 384},
          .box = {8, 2, 5, 2, 1},
          .interleave = TensorInterleave::bytes16};
}

TEST(TensorModes, InterleavedTensorsAreCopiedSliceBySlice) {
  const TensorMap map = slices();
  EXPECT_EQ(map.box_bytes(), 8u * 2 * 2 * 16) << "one slice of channels";
  const Ran ran = run(load(map, {1, 2, 1, 0}), map);
  EXPECT_EQ(ran.found, Found{});
  const std::uint32_t first = kFirst + 1 * 4 + 2 * 16 + 1 * 48;
  EXPECT_EQ(ran.b[0], first);
  EXPECT_EQ(ran.b[11], first + 11);
  EXPECT_EQ(ran.b[12], 0u) << "W is 4";
  EXPECT_EQ(ran.b[32], 0u) << "H is 3";
  EXPECT_EQ(ran.b[64], first + 96) << "the other N";
}

TEST(TensorModes, ElementStridesOfInterleavedTensorsApplyToTheInnermostDimension) {
  TensorMap map = slices();
  map.element_strides[0] = 2;
  const Ran ran = run(load(map, {0, 0, 0, 0}), map);
  EXPECT_EQ(map.box_bytes(), 4u * 2 * 2 * 16);
  EXPECT_EQ(ran.b[4], kFirst + 8);
  EXPECT_EQ(ran.b[8], 0u) << "W is 4";
}

TEST(TensorModes, LoadsOfTf32AreRounded) {
  TensorMap map{
      .element = TensorElement::tf32, .rank = 1, .extents = {16, 1, 1, 1, 1}, .box = {32, 1, 1, 1, 1}};
  const Ran ran = run(load(map, {0}), map);
  EXPECT_EQ(ran.b[0], 8192u) << "5000 units in the last place are nearer to 8192 than to 0";
  EXPECT_EQ(ran.b[16], 0u) << "outside";
  map.fills_with_nan = true;
  EXPECT_EQ(run(load(map, {0}), map).b[16], 0x7ff77ff7u) << "what is filled in is not rounded";
}

/// The map is copied to shared memory, changed there, and copied to behind the 32nd word of B.
std::string replace(const std::string& fields) {
  std::string copy;
  for (int k = 0; k < 16; ++k)
    copy += fmt::format("ld.u64 %rd12, [%rd3+{0}]; st.shared.u64 [%r4+{0}], %rd12;\n", 8 * k);
  return "mov.u32 %r4, copy; cvt.u64.u32 %rd4, %r4; add.s64 %rd5, %rd1, 128;\n" + copy + ".loc 1 5 0\n" +
         fields +
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd5], "
         "[%r4], 128;\n"
         "fence.proxy.tensormap::generic.acquire.gpu [%rd5], 128;\n";
}
constexpr const char* kReplace = "tensormap.replace.tile.{}.shared::cta.b1024.{} [%rd4], {};\n";

TEST(TensorModes, CopyUsesTheReplacedMap) {
  const TensorMap map{.element = TensorElement::u16,
                      .rank = 2,
                      .extents = {32, 32, 1, 1, 1},
                      .strides = {4, 64},
                      .box = {32, 4, 1, 1, 1}};
  TensorMap changed = map;
  changed.element = TensorElement::u32;
  changed.box = {8, 3, 1, 1, 1};
  const std::string fields =
      "add.s64 %rd6, %rd0, 256; mov.u32 %r5, 20; mov.u32 %r6, 8; mov.u32 %r7, 3; mov.b64 %rd7, 80;\n" +
      fmt::format(fmt::runtime(kReplace), "global_address", "b64", "%rd6") +
      fmt::format(fmt::runtime(kReplace), "global_dim", "b32", "0, %r5") +
      fmt::format(fmt::runtime(kReplace), "global_stride", "b64", "0, %rd7") +
      fmt::format(fmt::runtime(kReplace), "box_dim", "b32", "0, %r6") +
      fmt::format(fmt::runtime(kReplace), "box_dim", "b32", "1, %r7") +
      fmt::format(fmt::runtime(kReplace), "elemtype", "b32", "2");
  const Ran ran = run(replace(fields) + load(changed, {16, 1}, {}, "%rd5"), map);
  EXPECT_EQ(ran.found, Found{});
  EXPECT_EQ(ran.b[0], kFirst + 64 + 20 + 16);
  EXPECT_EQ(ran.b[3], kFirst + 64 + 20 + 19);
  EXPECT_EQ(ran.b[4], 0u) << "a row has 20 elements now";
  EXPECT_EQ(ran.b[8], kFirst + 64 + 40 + 16);
}

TEST(TensorModes, ReplacingWhereThereIsNoMapIsReported) {
  const TensorMap map{.rank = 1, .extents = {32, 1, 1, 1, 1}, .box = {4, 1, 1, 1, 1}};
  const std::string elsewhere =
      "tensormap.replace.tile.rank.global.b1024.b32 [%rd0], 0;\n" + load(map, {0}, {}, "%rd3");
  EXPECT_EQ(run(".loc 1 5 0\n" + elsewhere, map).found.front(), "async_copy 5");
  const std::string unknown = "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%rd4], 15;\n";
  EXPECT_EQ(run(replace(unknown) + load(map, {0}), map).found.front(), "async_copy 5");
}

TEST(TensorModes, IncompleteMapIsReportedAtTheCopy) {
  const TensorMap map{.rank = 1, .extents = {32, 1, 1, 1, 1}, .box = {4, 1, 1, 1, 1}};
  const std::string fields =
      "mov.u32 %r5, 3;\n" + fmt::format(fmt::runtime(kReplace), "box_dim", "b32", "0, %r5");
  EXPECT_EQ(run(replace(fields) + load(map, {0}, {}, "%rd5"), map).found, Found{"async_copy 3"})
      << "12 bytes a row";
}

}  // namespace
}  // namespace warplens::tensor_modes
