#include "app/session/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "app/session/launch.h"

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

TEST(ParseArgument, RefusesWhatIsNoArgument) {
  for (const char* text : {"", "i32", "i32:", "i32:1.5", "i32:2147483648", "u32:-1", "f32:abc", "f32:1.5x", "i16:1", "buf", "buf:", "buf:f32",
                           "buf:f32:", "buf:f32:0", "buf:f32:-1", "buf:f16:10", "buf:f32:10:ones", "buf:f32:10:", "buf:u8:99999999999999999999"}) {
    const Result<ArgumentSpec> argument = parse_argument(text);
    ASSERT_FALSE(argument.ok()) << text;
    EXPECT_NE(argument.error().message().find(text), std::string::npos) << "the message repeats what was given: " << argument.error().message();
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
      for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1} << 61, (std::uint64_t{1} << 62) + 1, UINT64_MAX}) {
        const BufferSpec buffer{.type = type, .count = count, .fill = fill, .file = "x"};
        EXPECT_FALSE(initial_contents(buffer, 1).ok()) << count;
        EXPECT_EQ(bytes_to_fill(buffer), count == 0 ? 0 : UINT64_MAX);
      }
    }
  }
  EXPECT_EQ(bytes_to_fill({.type = ElementType::u8, .count = 10, .fill = Fill::random}), 50u) << "the floats that they are made of, too";
}

TEST(ParseBlocks, AllOrAList) {
  EXPECT_TRUE(parse_blocks("all")->all);
  const Result<BlockChoice> some = parse_blocks("0,0;3,2;1,2,3;7");
  ASSERT_TRUE(some.ok());
  EXPECT_FALSE(some->all);
  EXPECT_EQ(some->blocks, (std::vector<Dim3>{{0, 0, 0}, {3, 2, 0}, {1, 2, 3}, {7, 0, 0}}));
  for (const char* text : {"", ";", "0,0;", "a", "1,", "1,2,3,4", "-1,0", "all;0,0", "1 ,2"}) EXPECT_FALSE(parse_blocks(text).ok()) << text;
}

TEST(ChosenBlocks, AreInsideTheGridAndDistinct) {
  EXPECT_EQ(*chosen_blocks({4, 4, 1}, *parse_blocks("3,3;0,0;3,3")), (std::vector<Dim3>{{3, 3, 0}, {0, 0, 0}}));
  EXPECT_TRUE(chosen_blocks({4, 4, 1}, BlockChoice{})->empty());
  const auto outside = chosen_blocks({4, 4, 1}, *parse_blocks("0,4"));
  ASSERT_FALSE(outside.ok());
  EXPECT_NE(outside.error().message().find("block 0,4,0 is outside the grid of 4 x 4 x 1"), std::string::npos) << outside.error().message();
}

}  // namespace
}  // namespace warplens::app
