#include "app/session/finding_words.h"

#include <fmt/args.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/pseudo_language.h"
#include "kernels/recording/finding_texts.h"

namespace warplens::app {
namespace {

/// A sentence with something in the place of each argument.
std::string filled(std::string_view english) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  std::string_view rest = english;
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const std::string name(rest.substr(open + 1, rest.find('}') - open - 1));
    rest.remove_prefix(rest.find('}') + 1);
    arguments.push_back(fmt::arg(name.c_str(), name == "access" ? "store of 4 bytes to shared address 0x480"
                                               : name.ends_with("op") ? "load"
                                                                      : "7"));
  }
  return fmt::vformat(english, arguments);
}

TEST(FindingWords, EverySentenceIsReadBack) {
  for (const char* const english : finding_texts::kSentences) {
    const Finding finding{.text = filled(english)};
    EXPECT_EQ(sentence_for(finding), finding.text);
    const PseudoLanguage pseudo;
    EXPECT_EQ(outside_brackets(sentence_for(finding)), "") << sentence_for(finding);
  }
}

TEST(FindingWords, EverySentenceIsListed) {
  std::ifstream file(std::string(WARPLENS_TEST_DATA) + "/../../kernels/recording/finding_texts.h");
  ASSERT_TRUE(file);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  std::size_t made = 0;
  for (std::size_t at = source.find("marked("); at != std::string::npos; at = source.find("marked(", at + 1))
    ++made;
  EXPECT_EQ(made, std::size(finding_texts::kSentences));
}

}  // namespace
}  // namespace warplens::app
