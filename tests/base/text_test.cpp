#include "kernels/base/text.h"

#include <gtest/gtest.h>

#include "kernels/base/result.h"

namespace warplens {
namespace {

TEST(ValidUtf8, LeavesTextAsItIs) {
  EXPECT_EQ(valid_utf8(""), "");
  EXPECT_EQ(valid_utf8("tiled.cu"), "tiled.cu");
  EXPECT_EQ(valid_utf8(std::string_view("a\0b\x1b\t\n", 6)), std::string("a\0b\x1b\t\n", 6))
      << "control characters are characters";
  EXPECT_EQ(valid_utf8("Größe × 2, \u4e09, \U0001f600, \ufffd"), "Größe × 2, \u4e09, \U0001f600, \ufffd");
  EXPECT_EQ(valid_utf8("\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"),
            "\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff");
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

TEST(Escaped, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(escaped("tile\tsum"), "tile\\tsum");
  EXPECT_EQ(escaped("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(escaped("a\nb\r\n"), "a\\nb\\r\\n");
  EXPECT_EQ(escaped(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\x9b31m")
      << "CSI in one character of C1";
  EXPECT_EQ(escaped("\xe2\x80\xae"
                    "gnp.exe"),
            "\\u202egnp.exe");
  EXPECT_EQ(escaped("\xe2\x81\xa6"
                    "x\xe2\x81\xa9"
                    "\xe2\x80\xa8"),
            "\\u2066x\\u2069\\u2028");
  EXPECT_EQ(escaped("\x9b"
                    "31m"),
            "\xef\xbf\xbd"
            "31m")
      << "CSI of Latin 1 is no UTF-8";
  EXPECT_EQ(escaped("Gr\xc3\xb6\xc3\x9f"
                    "e"),
            "Gr\xc3\xb6\xc3\x9f"
            "e");
}

TEST(Cut, BetweenCharacters) {
  EXPECT_EQ(cut_at_end("12345", 5), "12345");
  EXPECT_EQ(cut_at_end("123456", 5), "12\xe2\x80\xa6");
  EXPECT_EQ(cut_at_end("1\xc3\xb6"
                       "3456",
                       5),
            "1\xe2\x80\xa6");
  EXPECT_EQ(cut_at_begin("123456", 5),
            "\xe2\x80\xa6"
            "56");
  EXPECT_EQ(cut_at_begin("1234\xc3\xb6", 5), "\xe2\x80\xa6\xc3\xb6");
  EXPECT_EQ(cut_at_begin("12345\xe2\x82\xac", 5), "\xe2\x80\xa6");
}

TEST(ErrorMessage, IsOneLineThatCanBeReadAndShown) {
  const Error error{"no `" + std::string(10000, 'x') + "`", "/a\nb/" + std::string(10000, 'y') + "k.ptx:12",
                    std::string(10000, 'z')};
  const std::string message = error.message();
  EXPECT_LT(message.size(), 1500u);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_NE(message.find("k.ptx:12: no `xxx"), std::string::npos);
  EXPECT_EQ((Error{"a\x1b[2J", "b\nc", "d\x07"}.message()), "b\\nc: a\\x1b[2J. d\\x07");
}

TEST(Text, CsvCellsAreNoFormulas) {
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"a\""), "\"say \"\"a\"\"\"");
  for (const char* const text : {"=cmd()", "+1+cmd()", "-1+cmd()", "@sum"})
    EXPECT_EQ(csv_cell(text), std::string("'") + text);
  for (const char* const text : {"-1", "+2.5", "-1e6", "a=b", ""}) EXPECT_EQ(csv_cell(text), text);
  EXPECT_EQ(csv_cell("x\x1b[31m\n"), "x\\x1b[31m\\n");
}

}  // namespace
}  // namespace warplens
