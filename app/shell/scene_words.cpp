#include "app/shell/scene_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace warplens::app {
namespace {

constexpr float kAnswerPadding = 7;

}  // namespace

float SceneWords::lay_out(const GivenLesson& given, bool covered, bool notes) {
  parts_.clear();
  covered_ = covered;
  const FilledScene& words = scene_.words;
  const picture::Palette& palette = *look_.palette;
  if (words.question) {
    add(words.question->asks, {palette.text, sentence_size(), picture::Font::sans_bold});
    for (std::size_t i = 0; i < words.question->answers.size(); ++i) {
      if (covered || i == words.question->right || given.marked() == i) add_answer(i);
    }
    parts_.back().height += look_.px(kGap * size_) / 2;
  }
  const Scene& scene = given.scene_now();
  if (!covered || !scene.question->hides_sentence) add(words.sentence, {palette.fill, sentence_size()});
  if (!covered || !scene.question->hides_figures) {
    for (const FilledFigure& figure : words.figures)
      parts_.push_back({.figure = &figure, .height = look_.px(kSmall) * 1.5f});
  }
  if (notes && !words.notes.empty()) add(words.notes, {palette.muted, kSmall});
  float height = 0;
  for (const Part& part : parts_) height += part.height;
  return height;
}

std::optional<std::size_t> SceneWords::draw(const GivenLesson& given, ImVec2 at) const {
  std::optional<std::size_t> clicked;
  for (const Part& part : parts_) {
    if (part.answer) {
      if (draw_answer(given, part, at)) clicked = part.answer;
    } else if (part.figure != nullptr) {
      draw_figure(*part.figure, at);
    } else {
      part.words->draw(look_, at);
    }
    at.y += part.height;
  }
  return clicked;
}

void SceneWords::add(std::string_view text, const TextStyle& style) {
  FlowedWords words(look_, text, style, width_);
  const float height = words.height() + look_.px(kGap * size_);
  parts_.push_back({.words = std::move(words), .height = height});
}

void SceneWords::add_answer(std::size_t answer) {
  const TextStyle style{look_.palette->text, sentence_size()};
  FlowedWords words(look_, scene_.words.question->answers[answer], style,
                    width_ - 2 * padding() - number_width());
  const float height = words.height() + 2 * padding() + look_.px(kGap * size_) / 2;
  parts_.push_back({.words = std::move(words), .answer = answer, .height = height});
}

float SceneWords::sentence_size() const {
  return std::max(kSentence * size_, kSmall);
}

float SceneWords::padding() const {
  return look_.px(kAnswerPadding * size_ * size_);
}

float SceneWords::number_width() const {
  return look_.px(sentence_size()) * 1.5f;
}

bool SceneWords::draw_answer(const GivenLesson& given, const Part& part, ImVec2 at) const {
  const picture::Palette& palette = *look_.palette;
  const ImVec2 size{width_, part.words->height() + 2 * padding()};
  const bool marked = given.marked() == part.answer,
             right = !covered_ && scene_.words.question->right == part.answer;
  const picture::Colour edge = right    ? palette.good
                               : marked ? (covered_ ? palette.accent : palette.costly)
                                        : palette.line;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y},
                     packed(right || marked ? picture::with_alpha(edge, 0.18f) : palette.background),
                     look_.px(5));
  list.AddRect(at, {at.x + size.x, at.y + size.y}, packed(edge), look_.px(5), 0,
               look_.px(right || marked ? 2 : 1));
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(fmt::format("answer {}", *part.answer + 1).c_str(), size);
  ImGui::SetCursorScreenPos({at.x + padding(), at.y + padding()});
  write(look_, std::to_string(*part.answer + 1),
        {right || marked ? edge : palette.accent, sentence_size(), picture::Font::sans_bold});
  part.words->draw(look_, {at.x + padding() + number_width(), at.y + padding()});
  return clicked;
}

void SceneWords::draw_figure(const FilledFigure& figure, ImVec2 at) const {
  const TextStyle value{look_.palette->text, kSmall, picture::Font::sans_bold},
      label{look_.palette->muted, kSmall};
  const float of_value = width_of(look_, figure.text, value);
  ImGui::SetCursorScreenPos(at);
  write(look_, shortened(look_, figure.label, label, width_ - of_value - look_.px(kGap)), label);
  explain(look_, figure.meaning);
  ImGui::SetCursorScreenPos({at.x + width_ - of_value, at.y});
  write(look_, figure.text, value);
}

}  // namespace warplens::app
