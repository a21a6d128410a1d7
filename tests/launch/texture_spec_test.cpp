// Textures and surfaces among arguments: read, written, launched.
#include <gtest/gtest.h>

#include <cstring>

#include "app/launch/launch.h"
#include "app/launch_form/arguments.h"

namespace warplens::app {
namespace {

Texture texture_of(const std::string& text) {
  const Result<ArgumentSpec> spec = parse_argument(text);
  EXPECT_TRUE(spec.ok()) << text << ": " << (spec.ok() ? "" : spec.error().message());
  const auto* const buffer = spec.ok() ? std::get_if<BufferSpec>(&*spec) : nullptr;
  if (buffer == nullptr || !buffer->texture) return {};
  EXPECT_EQ(parse_argument(text_of(*spec)).ok() ? text_of(*parse_argument(text_of(*spec))) : "",
            text_of(*spec))
      << text;
  return *buffer->texture;
}

TEST(TextureSpec, ParsesShapeTexelsAndOptions) {
  const Texture plain = texture_of("tex2d:f32[9][16]");
  EXPECT_EQ(plain.shape, TextureShape::two);
  EXPECT_EQ(plain.width, 16u);
  EXPECT_EQ(plain.height, 9u);
  EXPECT_EQ(plain.pitch_bytes, 64u);
  EXPECT_EQ(plain.address_mode, AddressMode::clamp);
  const Texture four = texture_of("tex2d:u8x4[9][10]:ints:3,linear,wrap,normalized,floats,memory");
  EXPECT_EQ(four.channels, 4u);
  EXPECT_EQ(four.type, TexelType::u8);
  EXPECT_TRUE(four.linear_filter && four.normalized_coordinates && four.normalized_values && four.in_memory);
  EXPECT_EQ(four.address_mode, AddressMode::wrap);
  EXPECT_EQ(four.pitch_bytes, 64u) << "40 bytes, rounded up to what a GPU takes";
  EXPECT_EQ(texture_of("tex3d:f32[2][3][4]").depth, 2u);
  EXPECT_EQ(texture_of("texa1d:i16x2[5][7],border").depth, 5u);
  EXPECT_EQ(texture_of("texa1d:i16x2[5][7],border").height, 1u);
  EXPECT_EQ(texture_of("texa2d:f32[5][7][8]").height, 7u);
  EXPECT_EQ(texture_of("tex1d:f32[100]:iota,memory").width, 100u);
  EXPECT_TRUE(texture_of("surf2d:i32[4][8]:iota").is_surface);
  const Texture cube = texture_of("texcube:u8x4[6][9][9]:ints,linear,floats");
  EXPECT_EQ(cube.shape, TextureShape::cube);
  EXPECT_EQ(cube.depth, 6u);
  EXPECT_TRUE(cube.normalized_coordinates) << "a direction is of any length";
  EXPECT_EQ(texture_of("texacube:f32[18][4][4]").depth, 18u);
}

TEST(TextureSpec, InvalidSpecsAreRefused) {
  for (const char* const text : {"tex2d:f32[9]",
                                 "tex1d:f32[9][9]",
                                 "tex2d:f64[9][9]",
                                 "tex2d:f32x3[9][9]",
                                 "tex2d:f32[9][9]:no",
                                 "tex2d:i32[9][9]:iota,linear",
                                 "tex2d:f32[9][9],floatz",
                                 "tex2d:i32[9][9],floats",
                                 "tex2d:f16[4][4],floats",
                                 "tex1d:f32[9],memory,linear",
                                 "texa1d:f32[2][9],memory",
                                 "surf2d:i32[4][4],linear",
                                 "tex2d:f32[0][4]",
                                 "tex4d:f32[4][4]",
                                 "texcube:f32[6][4][5]",
                                 "texcube:f32[5][4][4]",
                                 "texcube:f32[12][4][4]",
                                 "texacube:f32[7][4][4]",
                                 "surfcube:f32[6][4][4]",
                                 "texcube:f32[4][4]",
                                 "texcube:f32[6][4][4],memory",
                                 "tex2d:f32[200000][4]",
                                 "tex2d:"}) {
    EXPECT_FALSE(parse_argument(text).ok()) << text;
  }
}

/// A kernel that reads the texel of each thread, and writes it to a surface doubled.
constexpr const char* kKernel = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 t, .param .u64 s)
{
.reg .b64 %rd<3>; .reg .b32 %r<8>; .reg .f32 %f<8>;
ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [s];
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;
tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
add.f32 %f3, %f3, %f3;
shl.b32 %r3, %r1, 2; mov.b32 %r4, %f3;
sust.b.2d.b32.trap [%rd2, {%r3, %r2}], {%r4};
ret;
}
)";

TEST(TextureSpec, IsLaunched) {
  LaunchRequest request;
  request.origin = FileKernel{.file = "k.ptx", .entry = "k", .text = kKernel};
  request.shape = {.grid = {1}, .block = {16, 4}, .dynamic_shared_bytes = 0};
  request.arguments = {*parse_named_argument("t=tex2d:f32[4][16]:iota,memory"),
                       *parse_named_argument("s=surf2d:f32[4][16]")};
  Result<LaunchResult> result = launch(request);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_TRUE(result->recording.findings.empty());
  ASSERT_EQ(result->recording.buffers.size(), 2u);
  EXPECT_EQ(result->recording.buffers[0].rows, 4u);
  EXPECT_EQ(result->recording.buffers[0].columns, 16u);
  std::vector<float> written(64);
  std::memcpy(written.data(), result->memory.bytes(1).data(), 64 * sizeof(float));
  for (std::size_t i = 0; i < written.size(); ++i) EXPECT_EQ(written[i], 2 * static_cast<float>(i));
  request.arguments[1] = *parse_named_argument("s=tex2d:f32[4][16]");
  const Result<LaunchResult> wrong = launch(request);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message().find("it takes a surface"), std::string::npos) << wrong.error().message();
}

}  // namespace
}  // namespace warplens::app
