#include "app/launch_form/launch_form.h"

#include <gtest/gtest.h>

namespace warplens::app {
namespace {

const std::string kText =
    "grid=(n+15)/16,(m+15)/16 block=16,16 shared=4*n m=250 p=m+6 n=100 alpha=1.5 A=f32[m][p]:ints "
    "B=f32[p][n]:ints C=f32[m][n,n+1] product=A*B->C "
    "arch=compute_90";

LaunchForm form_of(const std::string& text) {
  const Result<LaunchForm> form = parse_form(text);
  EXPECT_TRUE(form.ok()) << (form.ok() ? "" : form.error().message());
  return form.ok() ? *form : LaunchForm{};
}

TEST(LaunchForm, RoundTrips) {
  const LaunchForm form = form_of(kText);
  EXPECT_EQ(form.grid.text, "(n+15)/16,(m+15)/16");
  EXPECT_EQ(form.product, "A*B->C");
  EXPECT_EQ(form.architecture, "compute_90");
  ASSERT_NE(form.find("alpha"), nullptr);
  EXPECT_EQ(form.find("alpha")->text, "1.5");
  EXPECT_EQ(text_of(form), kText);
  EXPECT_EQ(form_of("a=f32[max(n, m)]  b=(1 + 2)").fields,
            (std::vector<FormField>{{.name = "a", .text = "f32[max(n, m)]", .of_comment = true},
                                    {.name = "b", .text = "(1 + 2)", .of_comment = true}}));
}

TEST(LaunchForm, UnknownFieldIsNamed) {
  for (const char* text : {"grid", "=4", "n=", "grid=4 8"}) EXPECT_FALSE(parse_form(text).ok()) << text;
  EXPECT_NE(parse_form("grid=4 8").error().what.find("`8`"), std::string::npos);
}

TEST(LaunchForm, SizesMakeGridAndMemory) {
  const LaunchForm form = form_of(kText);
  const std::vector<NamedValue> values = values_of(form);
  EXPECT_EQ(values, (std::vector<NamedValue>{{"m", 250}, {"p", 256}, {"n", 100}}));
  EXPECT_EQ(*extent_of(form.grid, values), (Dim3{7, 16, 1}));
  EXPECT_EQ(*shared_bytes_of(form, values), 400u);
  EXPECT_EQ(extent_of({"grid", "k"}, values).error().where, "grid");
  EXPECT_FALSE(extent_of({"grid", "1,2,3,4"}, values).ok());
  EXPECT_FALSE(extent_of({"grid", "n-100"}, values).ok());
  EXPECT_FALSE(extent_of({"grid", ""}, values).ok());
}

TEST(LaunchForm, ArgumentsFollowTheParameters) {
  const std::vector<KernelParameter> parameters{
      {.name = "A",
       .written = "const float*",
       .type = "f32",
       .is_pointer = true,
       .pointer_depth = 1,
       .bytes = 8},
      {.name = "n", .written = "int", .type = "i32", .bytes = 4},
      {.name = "alpha", .written = "float", .type = "f32", .bytes = 4}};
  const auto arguments = arguments_of(form_of(kText), parameters);
  ASSERT_TRUE(arguments.ok()) << arguments.error().message();
  ASSERT_EQ(arguments->size(), 3u);
  EXPECT_EQ((*arguments)[0].name, "A");
  EXPECT_EQ(text_of((*arguments)[0].value), "f32[250][256]:random");
  EXPECT_EQ(text_of((*arguments)[1].value), "i32:100");
  EXPECT_EQ(text_of((*arguments)[2].value), "f32:1.5");

  const auto missing = arguments_of(form_of("A=f32[4] n=4"), parameters);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().what.find("`alpha` (float)"), std::string::npos) << missing.error().what;
  const auto scalar = arguments_of(form_of("A=4 n=4 alpha=1"), parameters);
  ASSERT_FALSE(scalar.ok()) << "a pointer takes no number";
  EXPECT_EQ(scalar.error().where, "A");
}

TEST(LaunchForm, ArgumentsWithoutNamesFillTheRest) {
  const std::vector<KernelParameter> parameters{
      {.name = "a", .type = "f32", .is_pointer = true, .pointer_depth = 1, .bytes = 8},
      {.name = "n", .type = "i32", .bytes = 4}};
  LaunchForm form = form_of("n=8");
  form.fields.push_back({"", "buf:f32:n*2"});
  const auto arguments = arguments_of(form, parameters);
  ASSERT_TRUE(arguments.ok()) << arguments.error().message();
  EXPECT_EQ(text_of((*arguments)[0].value), "buf:f32:16");
  form.fields.push_back({"", "i32:9"});
  EXPECT_FALSE(arguments_of(form, parameters).ok()) << "one too many";
}

TEST(LaunchForm, AProductNamesThreeMatrices) {
  EXPECT_EQ(*parse_product("A*Bt->C"), (ProductNames{"A", "Bt", "C"}));
  for (const char* text : {"", "A*B", "A->C", "*B->C", "A*->C", "A*B->"})
    EXPECT_FALSE(parse_product(text).ok()) << text;
}

TEST(LaunchForm, CompilerOptionsStandAmongTheFields) {
  const Result<LaunchForm> form = parse_form("grid=2 -DTILE=32 block=8 -I include --extended-lambda n=4");
  ASSERT_TRUE(form.ok()) << form.error().message();
  EXPECT_EQ(form->options, "-DTILE=32 -I include --extended-lambda");
  EXPECT_EQ(form->block.text, "8");
  const Result<LaunchForm> again = parse_form(text_of(*form));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(*again, *form);
}

}  // namespace
}  // namespace warplens::app
