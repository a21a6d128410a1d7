#include "app/launch_form/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "app/launch/launch.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

template <class T>
T scalar(const std::string& text) {
  const Result<ArgumentSpec> argument = parse_argument(text);
  if (!argument.ok()) throw std::runtime_error(argument.error().message());
  const auto& bytes = std::get<ScalarSpec>(*argument).bytes;
  EXPECT_EQ(bytes.size(), sizeof(T));
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T>
std::vector<T> elements(const std::string& text, std::uint64_t seed = 1) {
  const Result<ArgumentSpec> argument = parse_argument(text);
  if (!argument.ok()) throw std::runtime_error(argument.error().message());
  const Result<std::vector<std::byte>> bytes = initial_contents(std::get<BufferSpec>(*argument), seed);
  if (!bytes.ok()) throw std::runtime_error(bytes.error().message());
  std::vector<T> values(bytes->size() / sizeof(T));
  std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

TEST(ParseArgument, Scalars) {
  EXPECT_EQ(scalar<std::int32_t>("i32:-7"), -7);
  EXPECT_EQ(scalar<std::uint32_t>("u32:4294967295"), 4294967295u);
  EXPECT_EQ(scalar<std::int64_t>("i64:-9000000000"), -9000000000);
  EXPECT_EQ(scalar<std::uint64_t>("u64:18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(scalar<float>("f32:1.5"), 1.5f);
  EXPECT_EQ(scalar<double>("f64:-1e300"), -1e300);
}

TEST(ParseArgument, SmallAndNarrowTypes) {
  EXPECT_EQ(scalar<std::int8_t>("i8:-128"), -128);
  EXPECT_EQ(scalar<std::uint16_t>("u16:65535"), 65535u);
  EXPECT_EQ(scalar<std::uint16_t>("f16:1.5"), 0x3e00u);
  EXPECT_EQ(scalar<std::uint16_t>("bf16:-2"), 0xc000u);
  EXPECT_EQ(scalar<std::uint8_t>("e4m3:1.5"), 0x3cu);
  EXPECT_EQ(scalar<std::uint8_t>("e4m3:-448"), 0xfeu);
  EXPECT_EQ(scalar<std::uint8_t>("e4m3:1000"), 0x7eu) << "the largest";
  EXPECT_EQ(scalar<std::uint8_t>("e4m3:0.001953125"), 0x01u) << "subnormal";
  EXPECT_EQ(scalar<std::uint8_t>("e4m3:17"), 0x58u) << "half-way between 16 and 18";
  EXPECT_EQ(scalar<std::uint8_t>("e5m2:1.5"), 0x3eu);
  EXPECT_EQ(scalar<std::uint8_t>("e5m2:-57344"), 0xfbu);
  EXPECT_EQ(scalar<std::uint32_t>("tf32:1.00048828125"), 0x3f802000u) << "half-way away from zero";
  EXPECT_EQ(scalar<std::uint32_t>("tf32:-3"), 0xc0400000u);
  EXPECT_EQ((scalar<std::array<float, 4>>("f32x4:1,2,3,4.5")), (std::array<float, 4>{1, 2, 3, 4.5f}));
  EXPECT_EQ(scalar<std::uint32_t>("bytes:01020304"), 0x04030201u);
}

TEST(ParseArgument, NumbersAreExpressionsOfSizes) {
  const std::vector<NamedValue> values{{"m", 6}, {"n", 10}};
  const ArgumentScope scope{.values = values, .type = "i64"};
  const auto text = [&](const std::string& argument) {
    const Result<ArgumentSpec> parsed = parse_argument(argument, scope);
    return parsed.ok() ? text_of(*parsed) : parsed.error().what;
  };
  EXPECT_EQ(text("n*n"), "i64:100");
  EXPECT_EQ(text("f32:n"), "f32:10");
  EXPECT_EQ(text("buf:f32:m*n:iota"), "buf:f32:60:iota");
  EXPECT_EQ(text("f32[m][n]:ints:7"), "f32[6][10]:random:7");
  EXPECT_EQ(text("f16[m][n,max(n,m)+1]"), "f16[6][10,11]");
  EXPECT_EQ(text("f32[n]"), "buf:f32:10");
  EXPECT_EQ(text("f32[1][n]"), "buf:f32:10");
  EXPECT_NE(text("k").find("`k`"), std::string::npos);
}

TEST(ParseArgument, RoundTrips) {
  for (const char* text : {"i8:-3",
                           "u64:18446744073709551615",
                           "f16:0.333251953125",
                           "f32:0.1",
                           "f64:0.1",
                           "f32x2:1,-2",
                           "bytes:00ff10",
                           "buf:bf16:7:normal:3",
                           "e4m3[4][8]:uniform",
                           "buf:e5m2:7:normal:3",
                           "i4:-3",
                           "u4[4][8]:iota",
                           "buf:i4:7:list:1,-2",
                           "buf:tf32:9:normal",
                           "u16[3][4,5]:iota",
                           "f32[3][3]:identity",
                           "buf:i64:9:value:-4",
                           "buf:f32:9:uniform",
                           "buf:i32:9:below:256",
                           "buf:u8:9:below:3:7",
                           "buf:i32:4:list:0,3,5",
                           "f32[2][2]:list:0.5,-1,2,3"}) {
    const Result<ArgumentSpec> argument = parse_argument(text);
    ASSERT_TRUE(argument.ok()) << argument.error().message();
    EXPECT_EQ(text_of(*argument), text);
  }
}

TEST(InitialContents, FillsMatrices) {
  EXPECT_EQ(elements<float>("f32[2][3]:identity"), (std::vector<float>{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(elements<std::int16_t>("i16[2][2,3]:iota"), (std::vector<std::int16_t>{0, 1, 0, 2, 3, 0}));
  EXPECT_EQ(elements<double>("buf:f64:2:value:0.25"), (std::vector<double>{0.25, 0.25}));
  EXPECT_EQ(elements<std::int8_t>("buf:i8:3:iota").size(), 3u);
  EXPECT_EQ(elements<float>("buf:f32:100:normal:5"), elements<float>("buf:f32:100:normal:5", 9))
      << "a seed of its own";
  EXPECT_NE(elements<float>("buf:f32:100:uniform"), elements<float>("buf:f32:100:uniform", 9));
  for (const float value : elements<float>("buf:f32:1000:uniform"))
    EXPECT_TRUE(value >= 0 && value < 1) << value;
  EXPECT_EQ(elements<std::uint16_t>("buf:f16:2:value:65504"), (std::vector<std::uint16_t>{0x7bff, 0x7bff}));
}

TEST(InitialContents, IntegersOf4BitsLieTwoAByte) {
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(scalar<std::uint8_t>("u4:15"), 15u);
  EXPECT_EQ(scalar<std::uint8_t>("i4:-3") & 0xf, 0xdu);
  EXPECT_FALSE(parse_argument("i4:8").ok());
  EXPECT_FALSE(parse_argument("u4:-1").ok());
  EXPECT_EQ(elements<std::uint8_t>("i4[5]:list:1,-2,7,-8,3"), (Bytes{0xe1, 0x87, 0x03}));
  EXPECT_EQ(elements<std::uint8_t>("u4[2][2,4]:iota"), (Bytes{0x10, 0x00, 0x32, 0x00}));
  EXPECT_EQ(elements<std::uint8_t>("u4[18]:iota"),
            (Bytes{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0x10}));
  EXPECT_FALSE(parse_argument("i4[2][3]").ok()) << "a row ends with a byte";
  const auto buffer = std::get<BufferSpec>(*parse_argument("i4[2][2,4]:list:-1,5,-8,7"));
  EXPECT_EQ(elements_of(buffer, *initial_contents(buffer, 1)), (std::vector<double>{-1, 5, -8, 7}));
  for (const std::uint8_t pair : elements<std::uint8_t>("i4[64]:random")) {
    for (const int value : {pair & 0xf, pair >> 4}) EXPECT_LE(std::abs((value ^ 8) - 8), 3);
  }
  EXPECT_EQ(bytes_to_fill(std::get<BufferSpec>(*parse_argument("u4[7]"))), 4u);
}

/// An array of ml_dtypes' int4 has one element a byte.
TEST(InitialContents, IntegersOf4BitsComeFromNumPy) {
  const auto path = std::filesystem::path(testing::TempDir()) / "warplens_int4.npy";
  const std::string header = "{'descr': '<V1', 'fortran_order': False, 'shape': (2, 2), }";
  std::ofstream(path, std::ios::binary) << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size())
                                        << '\0' << header << "\x01\xff\x07\xf8";
  const std::string file = "file=" + path.string();
  EXPECT_EQ(elements<std::uint8_t>("i4[4]:" + file), (std::vector<std::uint8_t>{0xf1, 0x87}));
  EXPECT_EQ(elements<std::uint8_t>("i4[2][2,4]:" + file),
            (std::vector<std::uint8_t>{0xf1, 0x00, 0x87, 0x00}));
}

TEST(InitialContents, ComesFromNumPy) {
  const auto path = std::filesystem::path(testing::TempDir()) / "warplens_array.npy";
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const auto write = [&](const std::string& of, std::size_t floats) {
    std::ofstream file(path, std::ios::binary);
    file << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(of.size()) << '\0' << of;
    for (std::size_t i = 0; i < floats; ++i) {
      const auto value = static_cast<float>(i);
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
  };
  const auto fault = [&](const std::string& argument) {
    const Result<std::vector<std::byte>> bytes =
        initial_contents(std::get<BufferSpec>(*parse_argument(argument)), 1);
    return bytes.ok() ? "none" : bytes.error().what;
  };
  const std::string file = "file=" + path.string();
  write(header, 6);
  EXPECT_EQ(elements<float>("f32[2][3,4]:" + file), (std::vector<float>{0, 1, 2, 0, 3, 4, 5, 0}));
  EXPECT_NE(fault("i32[2][3]:" + file).find("`<f4`"), std::string::npos);
  EXPECT_NE(fault("f32[2][2]:" + file).find("24 bytes"), std::string::npos);
  write("{'descr': '<f4', 'fortran_order': True, }", 6);
  EXPECT_NE(fault("f32[2][3]:" + file).find("columns"), std::string::npos);
  std::ofstream(path) << "no array at all";
  EXPECT_NE(fault("f32[2][3]:" + file).find(".npy"), std::string::npos);
  // Of ml_dtypes, to which NumPy gives no names of their own.
  std::ofstream bytes(path, std::ios::binary);
  const std::string of_bytes = "{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }";
  bytes << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(of_bytes.size()) << '\0' << of_bytes
        << "\x3c\x7e";
  bytes.close();
  EXPECT_EQ(elements<std::uint8_t>("e4m3[2]:" + file), (std::vector<std::uint8_t>{0x3c, 0x7e}));
  EXPECT_NE(fault("bf16[1]:" + file).find("`<V1`"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(ParseArgument, InvalidArgumentsAreRefused) {
  for (const char* text : {"",
                           "i32",
                           "i32:",
                           "i32:1.5",
                           "i32:2147483648",
                           "u32:-1",
                           "f32:abc",
                           "f32:1.5x",
                           "i16:32768",
                           "i12:1",
                           "buf",
                           "buf:",
                           "buf:f32",
                           "buf:f32:",
                           "buf:f32:0",
                           "buf:f32:-1",
                           "buf:f24:10",
                           "f32x4:1,2,3",
                           "f32x2:1,2,3",
                           "f32x0:",
                           "bytes:",
                           "bytes:0",
                           "bytes:0g",
                           "f32[2][3",
                           "f32[2]3]",
                           "f32[2][3][4]",
                           "f32[2][3,2]",
                           "f32[0]",
                           "buf:i32:4:uniform",
                           "buf:f32:4:iota:3",
                           "buf:f32:4:value",
                           "f32[4294967296][4294967296]",
                           "buf:f32:10:ones",
                           "buf:f32:10:",
                           "buf:u8:99999999999999999999"}) {
    const Result<ArgumentSpec> argument = parse_argument(text);
    ASSERT_FALSE(argument.ok()) << text;
    EXPECT_NE(argument.error().message().find(text), std::string::npos)
        << "the message repeats what was given: " << argument.error().message();
  }
}

TEST(InitialContents, ZeroIsTheDefault) {
  EXPECT_EQ(elements<float>("buf:f32:3"), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(elements<double>("buf:f64:2:zero"), (std::vector<double>{0, 0}));
}

TEST(InitialContents, Iota) {
  EXPECT_EQ(elements<float>("buf:f32:4:iota"), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(elements<std::int32_t>("buf:i32:3:iota"), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(elements<std::uint8_t>("buf:u8:258:iota")[257], 1) << "u8 wraps round";
}

TEST(InitialContents, RandomIsSmallAndRepeats) {
  const std::vector<std::int32_t> values = elements<std::int32_t>("buf:i32:1000:random", 3);
  EXPECT_EQ(values, elements<std::int32_t>("buf:i32:1000:random", 3));
  EXPECT_NE(values, elements<std::int32_t>("buf:i32:1000:random", 4));
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -3);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 3);
  const std::vector<std::uint8_t> bytes = elements<std::uint8_t>("buf:u8:1000:random");
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 6);
}

TEST(InitialContents, FilesHoldExactlyTheBuffer) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "warplens_argument.bin";
  const std::vector<float> values{1.5f, -2.25f, 3e10f};
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(values.data()), 12);
  EXPECT_EQ(elements<float>("buf:f32:3:file=" + path.string()), values);

  const BufferSpec four{.type = ElementType::f32, .count = 4, .fill = Fill::file, .file = path};
  const Result<std::vector<std::byte>> wrong_size = initial_contents(four, 1);
  ASSERT_FALSE(wrong_size.ok());
  EXPECT_NE(wrong_size.error().message().find("12 bytes"), std::string::npos) << wrong_size.error().message();
  std::filesystem::remove(path);
  EXPECT_FALSE(initial_contents(four, 1).ok()) << "the file is gone";
}

TEST(InitialContents, CountsWithoutAnAddressAreErrors) {
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::u8}) {
    for (const Fill fill : {Fill::zero, Fill::iota, Fill::random, Fill::file}) {
      for (const std::uint64_t count :
           {std::uint64_t{0}, std::uint64_t{1} << 61, (std::uint64_t{1} << 62) + 1, UINT64_MAX}) {
        const BufferSpec buffer{.type = type, .count = count, .fill = fill, .file = "x"};
        EXPECT_FALSE(initial_contents(buffer, 1).ok()) << count;
        EXPECT_EQ(bytes_to_fill(buffer), count == 0 ? 0 : UINT64_MAX);
      }
    }
  }
  EXPECT_EQ(bytes_to_fill({.type = ElementType::u8, .count = 10, .fill = Fill::random}), 10u);
}

TEST(InitialContents, LargeIntegerBufferEqualsIntegerMatrix) {
  constexpr std::uint64_t kCount = (1u << 21) + 5;
  const std::vector<float> values = elements<float>("buf:f32:" + std::to_string(kCount) + ":random", 9);
  EXPECT_EQ(values, integer_matrix(1, kCount, 9));
}

TEST(ParseBlocks, AllOrAList) {
  EXPECT_TRUE(parse_blocks("all")->all);
  const Result<BlockChoice> some = parse_blocks("0,0;3,2;1,2,3;7");
  ASSERT_TRUE(some.ok());
  EXPECT_FALSE(some->all);
  EXPECT_EQ(some->blocks, (std::vector<Dim3>{{0, 0, 0}, {3, 2, 0}, {1, 2, 3}, {7, 0, 0}}));
  for (const char* text : {"", ";", "0,0;", "a", "1,", "1,2,3,4", "-1,0", "all;0,0", "1 ,2"})
    EXPECT_FALSE(parse_blocks(text).ok()) << text;
}

TEST(ChosenBlocks, AreInsideTheGridAndDistinct) {
  EXPECT_EQ(*chosen_blocks({4, 4, 1}, *parse_blocks("3,3;0,0;3,3")),
            (std::vector<Dim3>{{3, 3, 0}, {0, 0, 0}}));
  EXPECT_TRUE(chosen_blocks({4, 4, 1}, BlockChoice{})->empty());
  const auto outside = chosen_blocks({4, 4, 1}, *parse_blocks("0,4"));
  ASSERT_FALSE(outside.ok());
  EXPECT_NE(outside.error().message().find("block 0,4,0 is outside the grid of 4 x 4 x 1"), std::string::npos)
      << outside.error().message();
}

}  // namespace
}  // namespace warplens::app
