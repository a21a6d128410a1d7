#include "app/launch_form/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace warplens::app {
namespace {

const std::vector<NamedValue> kSizes{{"n", 100}, {"m", 7}, {"x_2", -3}};

std::int64_t value(const std::string& text) {
  const Result<std::int64_t> result = evaluate(text, kSizes);
  EXPECT_TRUE(result.ok()) << text << ": " << (result.ok() ? "" : result.error().message());
  return result.ok() ? *result : INT64_MIN;
}
std::string fault(const std::string& text) {
  const Result<std::int64_t> result = evaluate(text, kSizes);
  return result.ok() ? "none" : result.error().what;
}

TEST(Expression, EvaluatesAsInC) {
  EXPECT_EQ(value("(n+15)/16"), 7);
  EXPECT_EQ(value("n*n + 2*m - 1"), 10013);
  EXPECT_EQ(value("2+3*4-10/5%3"), 12);
  EXPECT_EQ(value("-x_2*-(2)"), -6);
  EXPECT_EQ(value(" 0x10 "), 16);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("min(n,m)*max(2, ceil(n,16))"), 49);
  EXPECT_EQ(value("-7/2"), -3);
  EXPECT_EQ(value("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(value("(-9223372036854775807-1)%-1"), 0);
}

TEST(Expression, ReadsStructureFields) {
  const std::vector<NamedValue> fields{{"s.n", 5}, {"s.part[1].k", 2}, {"n", 3}, {"s", 9}};
  for (const auto& [text, value] : std::vector<std::pair<std::string, std::int64_t>>{
           {"s.n*s.part[1].k", 10}, {"n+s.n", 8}, {"(s.n+15)/16", 1}, {"s*2", 18}, {"min(s.n,n)", 3}}) {
    const Result<std::int64_t> result = evaluate(text, fields);
    ASSERT_TRUE(result.ok()) << text;
    EXPECT_EQ(*result, value) << text;
  }
  for (const char* text : {"s.m", "s.nn", "s.part[0].k", "t.n"})
    EXPECT_FALSE(evaluate(text, fields).ok()) << text;
}

TEST(Expression, HasBitwiseOperators) {
  EXPECT_EQ(value("n ^ n & 6 | 1 << 3"), (100 ^ (100 & 6)) | (1 << 3));
  EXPECT_EQ(value("1 + 1 << 2 * 3"), 128);
  EXPECT_EQ(value("(n >> 2) & 7"), 1);
  EXPECT_EQ(value("-16 >> 2"), -4);
  EXPECT_NE(fault("1 << 64").find("64 bits"), std::string::npos);
  EXPECT_NE(fault("1 >> -1").find("-1 bits"), std::string::npos);
  EXPECT_NE(fault("3 << 62").find("too large"), std::string::npos);
  for (const char* text : {"n && m", "n <", "n <<", "^", "n || m"}) EXPECT_NE(fault(text), "none") << text;
}

TEST(Expression, ErrorsNameTheMistake) {
  EXPECT_NE(fault("n/0").find("divides by zero"), std::string::npos);
  EXPECT_NE(fault("k+1").find("`k`"), std::string::npos);
  EXPECT_NE(fault("n+").find("missing at its end"), std::string::npos);
  EXPECT_NE(fault("(n").find("`)`"), std::string::npos);
  EXPECT_NE(fault("n n").find("not expected"), std::string::npos);
  EXPECT_NE(fault("9223372036854775807+1").find("too large"), std::string::npos);
  EXPECT_NE(fault("9223372036854775807*2").find("too large"), std::string::npos);
  EXPECT_NE(fault("(-9223372036854775807-1)/-1").find("too large"), std::string::npos);
  EXPECT_NE(fault("99999999999999999999").find("too large"), std::string::npos);
  EXPECT_NE(fault("pow(n,2)").find("`pow`"), std::string::npos);
  EXPECT_NE(fault("ceil(n,0)").find("divides by zero"), std::string::npos);
  for (const char* text : {"", "*", "min(1)", "min(1,2,3)", "1..2", "n%%m", ")"})
    EXPECT_NE(fault(text), "none") << text;
  EXPECT_NE(fault(std::string(100000, '(')).find("nested"), std::string::npos);
  EXPECT_NE(fault(std::string(100000, '-')).find("nested"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
