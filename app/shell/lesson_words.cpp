#include "app/shell/lesson_words.h"

#include <utility>

#include "viz/canvas/fonts.h"

namespace warplens::app {
namespace {

constexpr float kLineHeight = 1.4f;
constexpr float kCodeSize = 0.94f;  ///< The code's letters are wide

}  // namespace

FlowedWords::FlowedWords(const Look& look, std::string_view words, const TextStyle& style, float width)
    : style_(style), width_(width), line_height_(look.px(style.size) * kLineHeight), height_(line_height_) {
  bool in_code = false, space = false;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty())
      place(look, std::exchange(word, {}), in_code ? picture::Font::mono : style.font,
            std::exchange(space, false));
  };
  for (const char c : words) {
    if (c == '`') {
      end_word();
      in_code = !in_code;
    } else if (c == ' ' || c == '\n') {
      end_word();
      space = true;
    } else {
      word += c;
    }
  }
  end_word();
}

// A word goes to the next line whole; of Chinese, which has no spaces, as much stays as fits.
void FlowedWords::place(const Look& look, std::string_view text, picture::Font font, bool space_before) {
  const TextStyle style{style_.colour, font == picture::Font::mono ? style_.size * kCodeSize : style_.size,
                        font};
  if (space_before && end_.x > 0) end_.x += width_of(look, " ", style_);
  while (!text.empty()) {
    std::size_t fits = picture::end_of_line(text, width_ - end_.x, look.px(style.size), font);
    const bool alone = end_.x == 0;
    if (fits == 0 && alone) fits = text.size();
    if (fits > 0) {
      words_.push_back({std::string(text.substr(0, fits)), end_, font});
      end_.x += width_of(look, text.substr(0, fits), style);
      text.remove_prefix(fits);
    }
    if (!text.empty()) end_ = {0, end_.y + line_height_};
  }
  height_ = end_.y + line_height_;
}

void FlowedWords::draw(const Look& look, ImVec2 at) const {
  for (const Word& word : words_) {
    ImGui::SetCursorScreenPos({at.x + word.at.x, at.y + word.at.y});
    write(
        look, word.text,
        {style_.colour, word.font == picture::Font::mono ? style_.size * kCodeSize : style_.size, word.font});
  }
}

}  // namespace warplens::app
