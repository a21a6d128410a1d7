// What is read beside the pictures of a scene.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "app/lesson/given.h"
#include "app/shell/lesson_words.h"
#include "viz/canvas/canvas.h"

namespace warplens::app {

/// The question with its answers, the sentence, the figures and the notes of a scene, at one size and width.
class SceneWords {
 public:
  // At scale 1. A lesson's scale is such that the small size is 1/45 of the screen's height (app.cpp).
  static constexpr float kSentence = 12, kSmall = picture::kTinySize, kGap = 9;

  /// `scene` must outlive it. `width` in pixels; `size`: of the sentence's letters and of the gaps, 1 for
  /// those above.
  SceneWords(const Look& look, const PreparedScene& scene, float width, float size)
      : look_(look), scene_(scene), width_(width), size_(size) {}

  /// `covered`: a question waits for its answer. Once it has it, the answers that are neither right nor
  /// marked make room. Returns the height.
  [[nodiscard]] float lay_out(const GivenLesson& given, bool covered, bool notes);
  /// What was laid out, from a place on the screen. Returns the answer that was clicked.
  [[nodiscard]] std::optional<std::size_t> draw(const GivenLesson& given, ImVec2 at) const;

 private:
  struct Part {
    std::optional<FlowedWords> words;
    std::optional<std::size_t> answer;
    const FilledFigure* figure = nullptr;
    float height = 0;
  };

  void add(std::string_view text, const TextStyle& style);
  void add_answer(std::size_t answer);
  [[nodiscard]] float sentence_size() const;
  [[nodiscard]] float padding() const;
  [[nodiscard]] float number_width() const;
  [[nodiscard]] bool draw_answer(const GivenLesson& given, const Part& part, ImVec2 at) const;
  void draw_figure(const FilledFigure& figure, ImVec2 at) const;

  const Look& look_;
  const PreparedScene& scene_;
  float width_, size_;
  bool covered_ = false;  ///< As it was laid out
  std::vector<Part> parts_;
};

}  // namespace warplens::app
