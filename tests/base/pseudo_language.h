// A language for tests: every text a third longer, with accents, in brackets: "[Ŕéçöŕð öñ GPU···]". What
// shows no brackets was not translated, and what is cut off would be so in a language that needs more room.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/texts.h"

namespace warplens {

class PseudoLanguage : public Language {
 public:
  PseudoLanguage() { use_language(this); }
  ~PseudoLanguage() override { use_language(nullptr); }
  PseudoLanguage(const PseudoLanguage&) = delete;
  PseudoLanguage& operator=(const PseudoLanguage&) = delete;

  [[nodiscard]] const char* text(const char* english) const override {
    const auto [place, is_new] = texts_.try_emplace(english);
    if (is_new) place->second = translated(english);
    return place->second.c_str();
  }
  [[nodiscard]] const char* text(const char* one, const char* many, std::uint64_t count) const override {
    return text(count == 1 ? one : many);
  }

  [[nodiscard]] static std::string translated(std::string_view english) {
    static constexpr std::string_view kPlain = "aceinorsuyACEINORSUY";
    static constexpr const char* kAccented[] = {
        "\u00e1", "\u00e7", "\u00e9", "\u00ef", "\u00f1", "\u00f6", "\u0155", "\u0161", "\u00fc", "\u00fd",
        "\u00c1", "\u00c7", "\u00c9", "\u00cf", "\u00d1", "\u00d6", "\u0154", "\u0160", "\u00dc", "\u00dd"};
    std::string text = "[";
    bool in_argument = false;
    std::size_t letters = 0;
    for (const char c : english) {
      if (c == '{' || c == '}') in_argument = c == '{';
      const std::size_t at = in_argument ? std::string_view::npos : kPlain.find(c);
      if (at == std::string_view::npos) {
        text += c;
      } else {
        text += kAccented[at];
      }
      if (!in_argument) ++letters;
    }
    for (std::size_t i = 0; i < (letters + 2) / 3; ++i) text += "\u00b7";
    return text + "]";
  }

 private:
  mutable std::map<std::string, std::string, std::less<>>
      texts_;  // Of one thread; their characters stay where they are
};

/// What stands in `text` outside all brackets: of a sentence, nothing, or it was put together of halves.
[[nodiscard]] inline std::string outside_brackets(std::string_view text) {
  std::string outside;
  int depth = 0;
  for (const char c : text) {
    if (c == ']') depth = std::max(depth - 1, 0);
    if (depth == 0 && c != ']' && c != '[') outside += c;
    if (c == '[') ++depth;
  }
  return outside;
}

/// The words of `text` that the language left as they are: three letters and more, none with an accent.
/// `tiled_guarded` is one word, `0xacc` is none.
[[nodiscard]] inline std::vector<std::string> words_left_alone(std::string_view text) {
  const auto is_plain = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto is_of_word = [&](char c) {
    return is_plain(c) || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0xc3;
  };  // Or an accented letter
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool goes_on =
        !word.empty() && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
    if (i < text.size() && (is_of_word(text[i]) || goes_on)) {
      word += text[i];
      continue;
    }
    if (word.size() >= 3 && std::ranges::all_of(word, is_plain)) words.push_back(word);
    word.clear();
  }
  return words;
}

}  // namespace warplens
