#include "kernels/base/text.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(ValidUtf8, LeavesTextAsItIs) {
  EXPECT_EQ(valid_utf8(""), "");
  EXPECT_EQ(valid_utf8("tiled.cu"), "tiled.cu");
  EXPECT_EQ(valid_utf8(std::string_view("a\0b\x1b\t\n", 6)), std::string("a\0b\x1b\t\n", 6)) << "control characters are characters";
  EXPECT_EQ(valid_utf8("Größe × 2, \u4e09, \U0001f600, \ufffd"), "Größe × 2, \u4e09, \U0001f600, \ufffd");
  EXPECT_EQ(valid_utf8("\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"), "\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff");
}

TEST(ValidUtf8, ReplacesEveryByteThatIsNoCharacter) {
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\ufffdb");
  EXPECT_EQ(valid_utf8("\x80\xbf"), "\ufffd\ufffd") << "bytes that go on from nothing";
  EXPECT_EQ(valid_utf8("\xc3"), "\ufffd") << "cut short";
  EXPECT_EQ(valid_utf8("\xe4\xb8"), "\ufffd\ufffd");
  EXPECT_EQ(valid_utf8("\xc3(\xe4\xb8("), "\ufffd(\ufffd\ufffd(");
  EXPECT_EQ(valid_utf8("\xc0\x80\xc1\xbf"), "\ufffd\ufffd\ufffd\ufffd") << "overlong";
  EXPECT_EQ(valid_utf8("\xe0\x9f\xbf"), "\ufffd\ufffd\ufffd") << "overlong";
  EXPECT_EQ(valid_utf8("\xf0\x8f\xbf\xbf"), "\ufffd\ufffd\ufffd\ufffd") << "overlong";
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd") << "a surrogate";
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd") << "above U+10FFFF";
  EXPECT_EQ(valid_utf8("\xf5\x80\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
}

}  // namespace
}  // namespace warplens
