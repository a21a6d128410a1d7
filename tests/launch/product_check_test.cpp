// Products of a file's kernel in narrow types: exact where sums are, near where tensor cores round them.
#include "app/launch/product_check.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>

#include "app/launch_form/arguments.h"

namespace warplens::app {
namespace {

/// Whether C, f32 and 1 x 1, may be the product of 1 x 32 and 32 x 1 elements of a type, all of one value.
bool is_right(const std::string& type, const std::string& value, float c) {
  std::vector<NamedArgument> arguments;
  std::vector<std::vector<std::byte>> contents;
  for (const std::string& text : {"A=" + type + "[1][32]:value:" + value,
                                  "B=" + type + "[32][1]:value:" + value, std::string("C=f32[1][1]")}) {
    arguments.push_back(*parse_named_argument(text));
    contents.push_back(*initial_contents(std::get<BufferSpec>(arguments.back().value), 1));
  }
  const Result<ProductCheck> check = check_of_product({"A", "B", "C"}, arguments, contents);
  EXPECT_TRUE(check.ok()) << check.error().message();
  return check->is_right(std::as_bytes(std::span(&c, 1)));
}

TEST(ProductCheck, SmallIntegersAreExactInNarrowTypes) {
  for (const char* const type : {"f16", "bf16", "tf32", "e4m3", "e5m2"}) {
    EXPECT_TRUE(is_right(type, "3", 288)) << type;
    EXPECT_FALSE(is_right(type, "3", 287)) << type;
  }
}

TEST(ProductCheck, IntegersOf4BitsAreExact) {
  std::vector<NamedArgument> arguments;
  std::vector<std::vector<std::byte>> contents;
  for (const char* text : {"A=i4[1][32]:value:-3", "B=u4[32][2]:value:15", "C=i32[1][2]"}) {
    arguments.push_back(*parse_named_argument(text));
    contents.push_back(*initial_contents(std::get<BufferSpec>(arguments.back().value), 1));
  }
  const Result<ProductCheck> check = check_of_product({"A", "B", "C"}, arguments, contents);
  ASSERT_TRUE(check.ok()) << check.error().message();
  const std::int32_t right[]{-1440, -1440}, wrong[]{-1440, -1439};
  EXPECT_TRUE(check->is_right(std::as_bytes(std::span(right))));
  EXPECT_FALSE(check->is_right(std::as_bytes(std::span(wrong))));
}

TEST(ProductCheck, SumsOfFloatsOf8BitsMayKeep13Bits) {
  // 32 times the square of 0.8125, which e4m3 holds.
  EXPECT_TRUE(is_right("e4m3", "0.8125", 21.125f));
  EXPECT_TRUE(is_right("e4m3", "0.8125", 21.12f));
  EXPECT_FALSE(is_right("f16", "0.8125", 21.12f));
  EXPECT_FALSE(is_right("e4m3", "0.8125", 22));
}

}  // namespace
}  // namespace warplens::app
