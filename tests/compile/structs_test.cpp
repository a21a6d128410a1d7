#include "kernels/compile/structs.h"

#include <gtest/gtest.h>

namespace warplens::compile {
namespace {

using Fields = std::vector<SourceField>;

Fields fields(const std::string& members) {
  const std::vector<SourceStruct> structs = structs_in("struct S {" + members + "};");
  return structs.size() == 1 ? structs[0].fields : Fields{{"not one structure", "", ""}};
}

TEST(Structs, FieldsHaveTypesNamesAndExtents) {
  EXPECT_EQ(
      fields("float x, y;\n  unsigned int n; // how many\n double weights[3];"),
      (Fields{
          {"float", "x", ""}, {"float", "y", ""}, {"unsigned int", "n", ""}, {"double", "weights", "3"}}));
  EXPECT_EQ(fields("float dt = 0.5f; int n{3};"), (Fields{{"float", "dt", ""}, {"int", "n", ""}}));
  EXPECT_EQ(fields("float x; __device__ float twice() const { return 2 * x; } S(); int n; static const int "
                   "kN = 3; public: int m;"),
            (Fields{{"float", "x", ""}, {"int", "n", ""}, {"int", "m", ""}}));
}

TEST(Structs, WhatIsNoPlainFieldLeavesNone) {
  for (const char* members : {"int& x;", "int a : 3;", "std::array<int, 3> a;", "int a[2][2];", ""})
    EXPECT_EQ(fields(members), Fields{}) << members;
  const std::vector<SourceStruct> derived = structs_in("struct A { int a; }; struct B : A { int b; };");
  ASSERT_EQ(derived.size(), 2u);
  EXPECT_EQ(derived[1].fields, Fields{});
}

TEST(Structs, PointersHaveTheirStarsInTheirTypes) {
  EXPECT_EQ(fields("int n; const float *a, *b[2], c, **d = nullptr; float* f() { return a; } static int* s;"),
            (Fields{{"int", "n", ""},
                    {"const float*", "a", ""},
                    {"const float*", "b", "2"},
                    {"const float", "c", ""},
                    {"const float**", "d", ""}}));
  EXPECT_EQ(fields("float* __restrict__ x; float const* const* const y; T * z;"),
            (Fields{{"float*", "x", ""}, {"float const**", "y", ""}, {"T*", "z", ""}}));
}

TEST(Structs, AreFoundByTheirNames) {
  const std::vector<SourceStruct> structs = structs_in(R"cu(
// struct Comment { int a; };
typedef struct { float x; } First;
struct __align__(16) Second { float x; };
struct Declared;
struct Declared make(struct First first) { return {}; }
void construct() { int a; }
)cu");
  ASSERT_EQ(structs.size(), 2u);
  EXPECT_EQ(structs[0].name, "First");
  EXPECT_EQ(structs[1].name, "Second");
}

TEST(Structs, BrokenTextsEnd) {
  for (const char* text : {"struct", "struct {", "struct S { int", "struct S { int a[", "struct S { f( { ",
                           "struct S {;;,,;};", "struct S { int , };"}) {
    EXPECT_LE(structs_in(text).size(), 1u) << text;
  }
}

}  // namespace
}  // namespace warplens::compile
