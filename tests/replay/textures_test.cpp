// Textures and surfaces. What an H100 gave (tests/data/textures_h100.csv, made by tests/gpu/textures.cu) is
// held bit for bit; the rest against the definitions of the PTX ISA.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "kernels/replay/texture/reciprocal.h"
#include "kernels/replay/texture/sampling.h"
#include "replay/run_kernel.h"

namespace warplens::testing {
namespace {

constexpr std::size_t kCoordinates = 4096;

/// The numbers that tests/gpu/textures.cu makes, too.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }

 private:
  std::uint64_t state_;
};

/// One line of the measurements: a texture, and a hash of what it gave at all coordinates.
struct Measured {
  int source = 0;  ///< 1 to 7: tex1D, tex2D, tex3D, tex1DLayered, tex2DLayered of arrays; tex1Dfetch, tex2D
                   ///< of linear memory
  int texels = 0;  ///< 0 f32, 1 u8, 2 i16, 3 i8, 4 f16, 5 f32 and 6 f16 of all exponents: four each
  bool linear = false, normalized = false;
  int mode = 0;
  std::uint64_t hash = 0;
};

std::vector<Measured> measured() {
  std::ifstream file(WARPLENS_TEST_DATA "/textures_h100.csv");
  std::vector<Measured> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Measured one;
    char comma = 0;
    words >> one.source >> comma >> one.texels >> comma >> one.linear >> comma >> one.normalized >> comma >>
        one.mode >> comma >> std::hex >> one.hash;
    all.push_back(one);
  }
  return all;
}

Texture texture_of(const Measured& one) {
  constexpr TextureShape kShapes[] = {
      TextureShape::one,         TextureShape::two, TextureShape::three, TextureShape::layered_one,
      TextureShape::layered_two, TextureShape::one, TextureShape::two};
  constexpr TexelType kTypes[] = {TexelType::f32, TexelType::u8,  TexelType::i16, TexelType::i8,
                                  TexelType::f16, TexelType::f32, TexelType::f16};
  const bool is_row = one.source == 1 || one.source == 4 || one.source == 6;
  Texture texture{.shape = kShapes[one.source - 1],
                  .type = kTypes[one.texels],
                  .channels = 4,
                  .width = one.source == 6 ? 1024u : 16u,
                  .height = is_row ? 1u : 9u,
                  .depth = one.source >= 3 && one.source <= 5 ? 3u : 1u,
                  .in_memory = one.source > 5,
                  .normalized_coordinates = one.normalized,
                  .linear_filter = one.linear,
                  .normalized_values = one.texels >= 1 && one.texels <= 3,
                  .address_mode = static_cast<AddressMode>(one.mode)};
  texture.pitch_bytes = std::uint64_t{texture.width} * texture.texel_bytes();
  return texture;
}

std::uint32_t any_float(std::uint32_t word, std::size_t channel) {
  constexpr std::uint32_t kFirst[] = {104, 0, 232, 110}, kSpread[] = {40, 12, 23, 20};
  if (channel == 3 && word % 3 != 0) return word & 0x80000000;
  if (channel == 0 && word % 61 == 0)
    return (word & 0x80000000) | 0x7f800000 | (word % 2 == 0 ? 0 : word & 0x7fffff);
  return (word & 0x807fffff) | (kFirst[channel] + (word >> 23 & 255) % kSpread[channel]) << 23;
}

std::uint32_t any_half(std::uint32_t bits) {
  if ((bits & 0x7c00) == 0x7c00 && bits % 16 != 0) bits &= 0xbfff;
  if ((bits & 0x7c00) == 0x7c00 && bits % 32 == 0) bits &= 0xfc00;
  return bits % 11 == 0 ? bits & 0x8000 : bits;
}

std::vector<std::uint32_t> texels_of(const Measured& one, const Texture& texture, Random& random) {
  std::vector<std::uint32_t> words(texture.bytes() / 4);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t& word = words[i];
    const std::uint32_t first = random.next();
    word = first * 2654435761u ^ random.next();
    if (one.texels == 4) word &= 0xbfffbfff;  // No infinity
    if (one.texels == 5) word = any_float(word, i % 4);
    if (one.texels == 6) word = any_half(word & 0xffff) | any_half(word >> 16) << 16;
    if (one.texels != 0) continue;
    const float value = word % 7 == 0 ? static_cast<float>(word % 3)
                                      : static_cast<float>(static_cast<int>(word >> 8)) / 65536.0f - 100;
    word = std::bit_cast<std::uint32_t>(value);
  }
  return words;
}

/// Inside and outside, on texels and between them, and bits of any kind.
std::vector<float> coordinates_of(std::uint32_t extent, bool normalized, Random& random) {
  std::vector<float> values(kCoordinates);
  const int e = static_cast<int>(extent);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t kind = i % 8;
    float& x = values[i];
    if (kind < 4) {
      x = static_cast<float>(random.next() % 100000) / 100000 * static_cast<float>(e) * 3 -
          static_cast<float>(e);
    } else if (kind < 6) {
      x = static_cast<float>(static_cast<int>(random.next() % (extent * 1024 + 1))) / 512 -
          static_cast<float>(e / 2);
    } else if (kind == 6) {
      x = static_cast<float>(static_cast<int>(random.next() % (4 * extent))) - static_cast<float>(e);
    } else {
      x = std::bit_cast<float>(random.next() * 2);
      if (i % 16 == 7) x = static_cast<float>(random.next() % 4096) / 4096 * static_cast<float>(e);
    }
    if (normalized) x /= static_cast<float>(e);
  }
  return values;
}

std::uint64_t hash_of(const Measured& one) {
  Random random(static_cast<std::uint64_t>(one.source) * 1000 + static_cast<std::uint64_t>(one.texels) * 100);
  const Texture texture = texture_of(one);
  const std::vector<std::uint32_t> texels = texels_of(one, texture, random);
  const auto* const data = reinterpret_cast<const std::byte*>(texels.data());
  const std::vector<float> x = coordinates_of(texture.width, one.normalized, random),
                           y = coordinates_of(texture.height, one.normalized, random),
                           z = coordinates_of(texture.depth, one.normalized, random);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < kCoordinates; ++i) {
    const auto number = static_cast<std::int32_t>(i);
    const replay::Sample got = one.source == 6 ? replay::fetch(texture, data, number - 1000)
                                               : replay::sample(texture, data, {x[i], y[i], z[i]},
                                                                static_cast<std::uint32_t>(number % 5 - 1));
    for (std::uint32_t component : got.components) {
      const bool has_its_own_nan = one.texels > 4 && one.linear;
      if (std::isnan(std::bit_cast<float>(component)) && !has_its_own_nan) component = 0x7fc00000;
      hash = (hash ^ component) * 0x100000001b3u;
    }
  }
  return hash;
}

TEST(Textures, EqualAnH100) {
  const std::vector<Measured> all = measured();
  ASSERT_EQ(all.size(), 784u);
  for (const Measured& one : all) {
    EXPECT_EQ(hash_of(one), one.hash)
        << "source " << one.source << " texels " << one.texels << " linear " << one.linear << " normalized "
        << one.normalized << " mode " << one.mode;
  }
}

/// A line of the measurements of cubes: of faces of so many texels each way.
struct MeasuredCube {
  std::uint32_t size = 0, layers = 0;
  int texels = 0;  ///< As of Measured
  bool linear = false;
  int mode = 0;
  std::uint64_t hash = 0;
};

std::vector<MeasuredCube> measured_cubes() {
  std::ifstream file(WARPLENS_TEST_DATA "/cubes_h100.csv");
  std::vector<MeasuredCube> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    MeasuredCube one;
    char comma = 0;
    bool normalized = false;  // Makes no difference
    words >> one.size >> comma >> one.layers >> comma >> one.texels >> comma >> one.linear >> comma >>
        normalized >> comma >> one.mode >> comma >> std::hex >> one.hash;
    all.push_back(one);
  }
  return all;
}

/// Any, where components are equal or nearly so, at texels' borders, and of bits of any kind.
std::vector<std::array<float, 3>> directions(std::uint64_t seed) {
  Random random(seed);
  const auto unit = [&] {
    return static_cast<float>(static_cast<int>(random.next() % 200001) - 100000) / 100000;
  };
  const auto sign = [&] { return (random.next() & 1) != 0 ? 1.0f : -1.0f; };
  std::vector<std::array<float, 3>> all(kCoordinates);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      float& x = all[i].at(k);
      switch (i % 8) {
        case 3: x = static_cast<float>(static_cast<int>(random.next() % 9) - 4) / 4; break;
        case 4: x = static_cast<float>(static_cast<int>(random.next() % 2049) - 1024) / 1024; break;
        case 5: {
          const float aside = unit() * 0.125f;
          x = aside + sign();
          break;
        }
        case 6: {
          if (k == i / 8 % 3) {
            x = unit();
            break;
          }
          const float side = sign();
          x = side * (1 + static_cast<float>(static_cast<int>(random.next() % 65) - 32) / 256);
          break;
        }
        case 7: x = std::bit_cast<float>(random.next() * 2); break;
        default: x = unit(); break;
      }
      if (i % 16 == 7) x = unit() * 1000;
    }
  }
  return all;
}

std::uint64_t hash_of(const MeasuredCube& one) {
  constexpr TexelType kTypes[] = {TexelType::f32, TexelType::u8, TexelType::i16, TexelType::i8,
                                  TexelType::f16};
  Texture texture{.shape = one.layers > 1 ? TextureShape::layered_cube : TextureShape::cube,
                  .type = kTypes[one.texels],
                  .channels = 4,
                  .width = one.size,
                  .height = one.size,
                  .depth = 6 * one.layers,
                  .normalized_coordinates = true,
                  .linear_filter = one.linear,
                  .normalized_values = one.texels != 0 && one.texels != 4,
                  .address_mode = static_cast<AddressMode>(one.mode)};
  texture.pitch_bytes = std::uint64_t{texture.width} * texture.texel_bytes();
  Random random(std::uint64_t{one.size} * 1000 + std::uint64_t{one.layers} * 100 +
                static_cast<std::uint64_t>(one.texels));
  const std::vector<std::uint32_t> texels = texels_of({.texels = one.texels}, texture, random);
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::uint32_t number = 0;
  for (const std::array<float, 3>& direction : directions(std::uint64_t{one.size} * 7919 + one.layers)) {
    const replay::Sample got = replay::sample(texture, reinterpret_cast<const std::byte*>(texels.data()),
                                              direction, number++ % 5 - 1);
    for (std::uint32_t component : got.components) {
      if (std::isnan(std::bit_cast<float>(component))) component = 0x7fc00000;
      hash = (hash ^ component) * 0x100000001b3u;
    }
  }
  return hash;
}

TEST(Textures, CubesEqualAnH100) {
  const std::vector<MeasuredCube> all = measured_cubes();
  ASSERT_EQ(all.size(), 126u);
  for (const MeasuredCube& one : all) {
    EXPECT_EQ(hash_of(one), one.hash) << "size " << one.size << " layers " << one.layers << " texels "
                                      << one.texels << " linear " << one.linear << " mode " << one.mode;
  }
}

// Directions of 16 components that are hard: zeros, what is no normal number, infinities, what is no number.
TEST(Textures, CubeCornerDirectionsEqualAnH100) {
  Texture texture{.shape = TextureShape::cube,
                  .width = 16,
                  .height = 16,
                  .depth = 6,
                  .pitch_bytes = 64,
                  .normalized_coordinates = true};
  std::vector<float> texels(6 * 16 * 16);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  constexpr float kHard[] = {0.0f, -0.0f, 1e-45f,  -1e-40f, 1.2e-38f, -2e-38f,  1,         -1,
                             0.5f, 1e30f, 8.6e37f, -2e38f,  3.4e38f,  INFINITY, -INFINITY, NAN};
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const std::array<float, 3> direction{kHard[i & 15], kHard[i >> 4 & 15], kHard[i >> 8]};
    const replay::Sample got =
        replay::sample(texture, reinterpret_cast<const std::byte*>(texels.data()), direction, 0);
    hash = (hash ^ got.components[0]) * 0x100000001b3u;
  }
  EXPECT_EQ(hash, 0x230aeab4c4e64325u);
}

TEST(Textures, ReciprocalEqualsAnH100) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint32_t mantissa = 0; mantissa < 1u << 23; ++mantissa) {
    const float reciprocal = replay::approximate_reciprocal(std::bit_cast<float>(127u << 23 | mantissa));
    hash = (hash ^ std::bit_cast<std::uint32_t>(reciprocal)) * 0x100000001b3u;
  }
  EXPECT_EQ(hash, 0xfa72a6c698274964u);
  EXPECT_EQ(replay::approximate_reciprocal(0.25f), 4.0f);
  EXPECT_EQ(replay::approximate_reciprocal(-3e-39f), -INFINITY);
  EXPECT_EQ(replay::approximate_reciprocal(2e38f), 0.0f);
}

/// Coordinates of gathers: inside and outside, between texels, on them.
std::vector<std::array<float, 3>> places_to_gather(bool normalized) {
  constexpr std::size_t kPlaces = 2048;
  Random random(77);
  std::vector<std::array<float, 3>> all(kPlaces);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const int extent = k == 0 ? 16 : 9;
      float& x = all[i].at(k);
      if (i % 4 < 2) {
        x = static_cast<float>(random.next() % 100000) / 100000 * static_cast<float>(extent) * 3 -
            static_cast<float>(extent);
      } else if (i % 4 == 2) {
        x = static_cast<float>(
                static_cast<int>(random.next() % static_cast<std::uint32_t>(extent * 1024 + 1))) /
                512 -
            static_cast<float>(extent / 2);
      } else if (i % 8 == 3) {
        x = static_cast<float>(static_cast<int>(random.next() % static_cast<std::uint32_t>(4 * extent))) -
            static_cast<float>(extent);
      } else {
        x = std::bit_cast<float>(random.next() * 2);
      }
      if (normalized) x /= static_cast<float>(extent);
    }
  }
  return all;
}

// Rows of gathers_h100.csv: texels, normalized, address mode, component, hash. The filter made no difference.
TEST(Textures, GathersEqualAnH100) {
  std::ifstream file(WARPLENS_TEST_DATA "/gathers_h100.csv");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Measured one{.source = 2};
    char comma = 0;
    std::uint32_t component = 0;
    words >> one.texels >> comma >> one.normalized >> comma >> one.mode >> comma >> component >> comma >>
        std::hex >> one.hash;
    const Texture texture = texture_of(one);
    Random random(5000 + static_cast<std::uint64_t>(one.texels));
    const std::vector<std::uint32_t> texels = texels_of(one, texture, random);
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::array<float, 3>& place : places_to_gather(one.normalized)) {
      for (std::uint32_t value :
           replay::gather(texture, reinterpret_cast<const std::byte*>(texels.data()), place, component)
               .components) {
        if (std::isnan(std::bit_cast<float>(value))) value = 0x7fc00000;
        hash = (hash ^ value) * 0x100000001b3u;
      }
    }
    EXPECT_EQ(hash, one.hash) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 80);
}

/// A launch with textures.
struct TextureTrial {
  explicit TextureTrial(const std::string& body, int parameters, std::uint32_t threads = 32)
      : ptx(kernel_of(body, parameters)),
        launch{.grid = {1}, .block = {threads}, .dynamic_shared_bytes = 0, .arguments = {}} {}

  template <class T>
  TextureTrial& texture(Texture description, const std::vector<T>& values) {
    if (description.pitch_bytes == 0)
      description.pitch_bytes = std::uint64_t{description.width} * description.texel_bytes();
    launch.arguments.emplace_back(
        replay::TextureArgument{memory.add({.name = "t"}, bytes_of(values)), description});
    return *this;
  }
  template <class T>
  TextureTrial& buffer(const std::vector<T>& values) {
    launch.arguments.emplace_back(replay::BufferArgument{memory.add({.name = "o"}, bytes_of(values))});
    return *this;
  }
  Result<Recording> go() {
    const auto module = ptx::parse(ptx, "t.ptx");
    if (!module.ok()) return module.error();
    const auto program = replay::Program::decode(*module, "k");
    if (!program.ok()) return program.error();
    if (!program->unsupported().empty()) return Error{program->unsupported().front().reason, "", ""};
    return replay::run(*program, launch, memory, {.event_blocks = {{0, 0, 0}}, .threads = 1});
  }
  template <class T>
  [[nodiscard]] std::vector<T> contents(std::uint32_t index) const {
    std::vector<T> values(memory.contents(index).size() / sizeof(T));
    std::memcpy(values.data(), memory.contents(index).data(), values.size() * sizeof(T));
    return values;
  }

  std::string ptx;
  replay::Launch launch;
  replay::Memory memory;
};

const char* const kStore = "mul.wide.u32 %rd8, %r1, 4; add.u64 %rd8, %rd1, %rd8; st.global.b32 [%rd8], ";

TEST(Textures, ReadTexelsAreRecordedAsLoads) {
  TextureTrial run(std::string("mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000;\n"
                               "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f2}];\n") +
                       kStore + "%f3;",
                   2);
  std::vector<float> texels(32 * 3);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  const Result<Recording> recording = run.texture({.width = 32, .height = 3, .linear_filter = true}, texels)
                                          .buffer(std::vector<float>(32))
                                          .go();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const std::vector<float> out = run.contents<float>(1);
  for (std::size_t i = 0; i < 32; ++i) {  // Half-way between two columns and between rows 0 and 1
    const float left = static_cast<float>(i == 0 ? 0 : i - 1), right = static_cast<float>(i);
    EXPECT_EQ(out[i], (left + right + (left + 32) + (right + 32)) / 4) << i;
  }
  ASSERT_EQ(recording->sites.size(), 2u);
  EXPECT_EQ(recording->sites[0].bytes, 4);
  EXPECT_EQ(recording->sites[0].space, Space::global);
  EXPECT_EQ(recording->sites[0].op, AccessOp::load);
  EXPECT_EQ(recording->totals[0].requests, 4u);
  EXPECT_EQ(recording->totals[0].thread_accesses, 31u * 4 + 2) << "at the edge two texels are one";
}

TEST(Textures, GatheredTexelsAreRecordedAsLoads) {
  TextureTrial run(std::string("mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000;\n"
                               "tld4.g.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f2}];\nmul.f32 %f3, "
                               "%f3, 0f42C80000; add.f32 %f3, %f3, %f6;\n") +
                       kStore + "%f3;",
                   2);
  std::vector<float> texels(32 * 3 * 2);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  const Result<Recording> recording =
      run.texture({.channels = 2, .width = 32, .height = 3}, texels).buffer(std::vector<float>(32)).go();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const std::vector<float> out = run.contents<float>(1);
  for (std::size_t i = 0; i < 32; ++i) {
    const float upper = static_cast<float>(2 * (i == 0 ? 0 : i - 1) + 1);
    EXPECT_EQ(out[i], 100 * (upper + 64) + upper) << i;
  }
  EXPECT_EQ(recording->sites[0].bytes, 8);
  EXPECT_EQ(recording->totals[0].requests, 4u);
  EXPECT_FALSE(
      TextureTrial("mov.f32 %f1, 0f00000000; tld4.r.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f1}];",
                   1)
          .texture({.width = 4, .height = 4, .in_memory = true}, texels)
          .go()
          .ok());
}

TEST(Textures, DirectionChoosesTheCubeFace) {
  TextureTrial run(
      std::string(
          "mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; sub.f32 %f1, %f1, 0f41780000; mov.f32 %f2, "
          "0f41000000; mov.f32 %f3, 0fC0000000;\n"
          "mov.u32 %r2, 1;\ntex.acube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd0, {%r2, %f1, %f2, %f3}];\n") +
          kStore + "%f4;",
      2);
  std::vector<float> texels(12 * 4 * 4);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  const Result<Recording> recording = run.texture({.shape = TextureShape::layered_cube,
                                                   .width = 4,
                                                   .height = 4,
                                                   .depth = 12,
                                                   .normalized_coordinates = true},
                                                  texels)
                                          .buffer(std::vector<float>(32))
                                          .go();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const std::vector<float> out = run.contents<float>(1);
  for (std::size_t i = 0; i < 32; ++i) {  // PTX ISA, "tex": of the face +x s = -z and t = -y, of -x s = z and
                                          // t = -y, of +y s = x and t = z
    const double x = static_cast<double>(i) - 15.5, y = 8, z = -2;
    const std::size_t face = x > y ? 0 : x < -y ? 1 : 2;
    const double along = face == 2 ? y : std::fabs(x),
                 s = (face == 0   ? -z
                      : face == 1 ? z
                                  : x) /
                     along,
                 t = (face == 2 ? z : -y) / along;
    const auto column = static_cast<std::size_t>((s + 1) / 2 * 4),
               row = static_cast<std::size_t>((t + 1) / 2 * 4);
    EXPECT_EQ(out[i], static_cast<float>(((6 + face) * 4 + row) * 4 + column)) << i;
  }
  EXPECT_EQ(recording->totals[0].requests, 1u);
}

// Levels and gradients choose among mipmaps, of which there is one: on an H100 they made no difference
// (65,536 places, eight levels, four gradients).
TEST(Textures, LevelsAndGradientsMakeNoDifference) {
  std::vector<float> texels(40 * 3), plain;
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * i);
  for (const char* const form :
       {"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f2}];",
        "tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f2}], %f1;",
        "tex.grad.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f2}], {%f1, %f2}, {%f2, %f1};"}) {
    TextureTrial run(std::string("mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, "
                                 "0f3F99999A; mov.f32 %f2, 0f3F800000;\n") +
                         form + kStore + "%f3;",
                     2);
    ASSERT_TRUE(run.texture({.width = 40, .height = 3, .linear_filter = true}, texels)
                    .buffer(std::vector<float>(32))
                    .go()
                    .ok())
        << form;
    if (plain.empty()) plain = run.contents<float>(1);
    EXPECT_EQ(run.contents<float>(1), plain) << form;
  }
}

TEST(Textures, LinearMemoryByIndex) {
  TextureTrial run(std::string("mov.u32 %r1, %tid.x; sub.s32 %r2, %r1, 4;\n"
                               "tex.1d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [%rd0, {%r2}];\nadd.s32 %r3, %r3, "
                               "%r4; add.s32 %r3, %r3, %r5;\n") +
                       kStore + "%r3;",
                   2);
  const Result<Recording> recording = run.texture({.shape = TextureShape::one,
                                                   .type = TexelType::i16,
                                                   .channels = 2,
                                                   .width = 20,
                                                   .in_memory = true},
                                                  numbers(20))
                                          .buffer(std::vector<int>(32, -1))
                                          .go();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const std::vector<int> out = run.contents<int>(1);
  const std::vector<std::int16_t> texels = run.contents<std::int16_t>(0);
  for (int i = 0; i < 32; ++i) {
    const int at = i - 4;
    EXPECT_EQ(out[static_cast<std::size_t>(i)],
              at < 0 || at >= 20
                  ? 0
                  : texels[static_cast<std::size_t>(2 * at)] + texels[static_cast<std::size_t>(2 * at + 1)])
        << i;
  }
}

TEST(Textures, SurfacesAreReadAndWrittenByByte) {
  TextureTrial run(
      "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, 1;\n"
      "suld.b.2d.b32.zero {%r4}, [%rd0, {%r2, %r3}]; add.s32 %r4, %r4, 100;\n"
      "mov.u32 %r5, 0; sust.b.2d.b32.clamp [%rd0, {%r2, %r5}], {%r4};\n"
      "suld.b.2d.v2.b16.clamp {%rs1, %rs2}, [%rd0, {%r2, %r3}]; cvt.u32.u16 %r6, %rs1; cvt.u32.u16 %r7, "
      "%rs2; shl.b32 %r7, %r7, 16; or.b32 %r6, %r6, "
      "%r7;\n"
      "mul.wide.u32 %rd8, %r1, 4; add.u64 %rd8, %rd1, %rd8; st.global.b32 [%rd8], %r6;",
      2);
  std::vector<int> texels = numbers(24 * 2);
  const Result<Recording> recording =
      run.texture({.type = TexelType::i32, .width = 24, .height = 2, .is_surface = true}, texels)
          .buffer(std::vector<int>(32))
          .go();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const std::vector<int> after = run.contents<int>(0), out = run.contents<int>(1);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], texels[24 + std::min<std::size_t>(i, 23)]) << i;
    if (i < 23) {
      EXPECT_EQ(after[i], texels[24 + i] + 100) << i;
    }
  }
  EXPECT_EQ(after[23], 100) << "the last lane's, which read beyond the edge";
  EXPECT_TRUE(recording->findings.empty());
}

/// What an H200 gave.
TEST(Textures, QueriesGiveTheSizesOfTheLaunch) {
  const auto answers = [](const char* kind, const Texture& texture) {
    std::string body;
    for (const char* query : {"width", "height", "depth"}) {
      body += std::string(kind) + "." + query + ".b32 %r1, [%rd0]; st.global.b32 [%rd1], %r1; " +
              "add.u64 %rd1, %rd1, 4;\n";
    }
    TextureTrial run(body, 2);
    const Result<Recording> recording =
        run.texture(texture, std::vector<float>(2000)).buffer(std::vector<int>(3)).go();
    EXPECT_TRUE(recording.ok()) << recording.error().message();
    return run.contents<int>(1);
  };
  using Sizes = std::vector<int>;
  using S = TextureShape;
  EXPECT_EQ(answers("txq", {.width = 5, .height = 7, .normalized_coordinates = true}), (Sizes{5, 7, 0}));
  EXPECT_EQ(answers("txq", {.shape = S::layered_two, .width = 5, .height = 7, .depth = 6}), (Sizes{5, 7, 6}));
  EXPECT_EQ(answers("txq", {.shape = S::one, .width = 9}), (Sizes{9, 1, 0}));
  EXPECT_EQ(answers("txq", {.shape = S::three, .width = 5, .height = 4, .depth = 3}), (Sizes{5, 4, 3}));
  EXPECT_EQ(answers("txq", {.shape = S::cube, .width = 8, .height = 8, .depth = 6}), (Sizes{8, 8, 0}));
  EXPECT_EQ(answers("txq", {.shape = S::layered_cube, .width = 8, .height = 8, .depth = 12}),
            (Sizes{8, 8, 2}));
  EXPECT_EQ(answers("txq", {.shape = S::one, .width = 37, .in_memory = true}), (Sizes{37, 0, 0}));
  EXPECT_EQ(answers("txq", {.width = 5, .height = 7, .in_memory = true}), (Sizes{5, 7, 0}));
  EXPECT_EQ(answers("suq", {.width = 5, .height = 7, .is_surface = true}), (Sizes{5, 7, 0}));
  EXPECT_EQ(
      answers("suq", {.shape = S::layered_two, .width = 5, .height = 7, .depth = 6, .is_surface = true}),
      (Sizes{5, 7, 6}));
  EXPECT_EQ(answers("suq", {.shape = S::one, .width = 9, .is_surface = true}), (Sizes{9, 0, 0}));
  EXPECT_EQ(answers("suq", {.shape = S::three, .width = 5, .height = 4, .depth = 3, .is_surface = true}),
            (Sizes{5, 4, 3}));
  EXPECT_EQ(answers("suq", {.shape = S::cube, .width = 8, .height = 8, .depth = 6, .is_surface = true}),
            (Sizes{8, 8, 6}));
  EXPECT_EQ(
      answers("suq", {.shape = S::layered_cube, .width = 8, .height = 8, .depth = 12, .is_surface = true}),
      (Sizes{8, 8, 12}));
}

TEST(Textures, QueriesAreOfParametersAndOfTheirKind) {
  TextureTrial swapped("suq.width.b32 %r1, [%rd0];", 1);
  EXPECT_FALSE(swapped.texture({.width = 4, .height = 4}, std::vector<float>(16)).go().ok());
  TextureTrial computed("add.u64 %rd0, %rd0, 1; txq.width.b32 %r1, [%rd0];", 1);
  const Result<Recording> refused = computed.texture({.width = 4, .height = 4}, std::vector<float>(16)).go();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "its texture or surface is not itself a parameter of the kernel");
}

TEST(Textures, TrapModeBeyondTheEdgeIsReported) {
  TextureTrial run("mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\nsuld.b.1d.b32.trap {%r4}, [%rd0, {%r2}];", 1);
  const Result<Recording> recording =
      run.texture({.shape = TextureShape::one, .type = TexelType::i32, .width = 30, .is_surface = true},
                  numbers(30))
          .go();
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  ASSERT_EQ(recording->findings.size(), 1u);
  EXPECT_EQ(recording->findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(recording->findings[0].lanes, 0xc0000000u);
}

TEST(Textures, AreThoseThatTheKernelReads) {
  const std::string body =
      "mov.f32 %f1, 0f00000000; tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f1}];";
  const std::vector<float> texel(16);
  EXPECT_TRUE(TextureTrial(body, 1).texture({.width = 4, .height = 4}, texel).go().ok());
  EXPECT_FALSE(TextureTrial(body, 1).buffer(texel).go().ok()) << "no texture";
  EXPECT_FALSE(TextureTrial(body, 1).texture({.shape = TextureShape::one, .width = 16}, texel).go().ok());
  EXPECT_FALSE(
      TextureTrial(body, 1).texture({.type = TexelType::i32, .width = 4, .height = 4}, texel).go().ok());
  EXPECT_FALSE(TextureTrial(body, 1).texture({.width = 4, .height = 4, .is_surface = true}, texel).go().ok());
  const Result<Recording> computed = TextureTrial(
                                         "add.u64 %rd0, %rd0, 1; mov.f32 %f1, 0f00000000; tex.2d.v4.f32.f32 "
                                         "{%f3, %f4, %f5, %f6}, [%rd0, {%f1, %f1}];",
                                         1)
                                         .texture({.width = 4, .height = 4}, texel)
                                         .go();
  ASSERT_FALSE(computed.ok());
  EXPECT_EQ(computed.error().what, "its texture or surface is not itself a parameter of the kernel");
}

}  // namespace
}  // namespace warplens::testing
