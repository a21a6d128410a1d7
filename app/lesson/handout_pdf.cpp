#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/lesson/handout_parts.h"
#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/frame.h"
#include "viz/export/pdf.h"

namespace warplens::app {
namespace {

using picture::Rect;

constexpr picture::Size kPage{1122.5f, 793.7f};  ///< A4 across at 96 to the inch
constexpr float kMargin = 36, kTitleSize = 24, kTextSize = 15, kCodeSize = 11, kGap = 10;
constexpr float kBelowHeight = 168, kLeastViewHeight = 200;
constexpr std::uint32_t kMostLinesOfPage = 9;

/// Backquotes mark code, which stands out by its own look on a screen alone.
std::string plain_words(std::string words) {
  std::erase(words, '`');
  std::ranges::replace(words, '\n', ' ');
  return words;
}

class PageMaker {
 public:
  PageMaker(const Lesson& lesson, const PreparedScene& scene, std::size_t number)
      : lesson_(lesson), scene_(scene), number_(number), canvas_(kPage, {&picture::light_palette(), 1}) {}

  Result<picture::Picture> make() {
    rest_ = picture::inset({0, 0, kPage.width, kPage.height}, kMargin);
    footer();
    head();
    const auto& question = scene_.words.question;
    if (question) {
      paragraph(question->asks,
                {canvas_.palette().text, kTextSize, picture::Font::sans_bold, picture::Align::left});
      for (std::size_t i = 0; i < question->answers.size(); ++i)
        paragraph(fmt::format("{}.  {}", i + 1, question->answers[i]), canvas_.plain(kTextSize - 1));
    } else {
      paragraph(scene_.words.sentence, canvas_.plain(kTextSize));
    }
    below();
    if (const Result<Done> drawn = views(); !drawn.ok()) return drawn.error();
    picture::Picture page = canvas_.take();
    for (Placed& view : placed_) picture::add_picture(page, std::move(view.picture), view.at);
    return page;
  }

 private:
  struct Placed {
    picture::Picture picture;
    picture::Point at;
  };

  void footer() {
    const Rect line = picture::cut_bottom(rest_, 18);
    canvas_.fitted(line, {lesson_.title}, canvas_.muted());
    canvas_.fitted(
        line, {tr("scene {number} of {scenes}", "number"_a = number_, "scenes"_a = lesson_.scenes.size())},
        canvas_.muted(picture::kSmallSize, picture::Align::right));
  }

  void head() {
    const Rect title = picture::cut_top(rest_, 38);
    const picture::TextLook look{canvas_.palette().text, kTitleSize, picture::Font::sans_bold,
                                 picture::Align::left};
    canvas_.wrapped(title, fmt::format("{}  {}", number_, plain_words(scene_.words.title)), look);
    canvas_.fitted(picture::cut_top(rest_, 18), {place_in_words(*scene_.scene, scene_.staged)},
                   canvas_.muted(12));
    static_cast<void>(picture::cut_top(rest_, 6));
  }

  void paragraph(const std::string& words, const picture::TextLook& look) {
    const std::string text = plain_words(words);
    const int lines = canvas_.lines_of(text, rest_.width, look);
    const Rect box = picture::cut_top(rest_, static_cast<float>(lines) * canvas_.line_height(look.size) + 3);
    canvas_.wrapped(box, text, look);
  }

  /// Source and figures, and what answers the question, along the bottom.
  void below() {
    Rect strip = picture::cut_bottom(rest_, kBelowHeight);
    static_cast<void>(picture::cut_top(strip, kGap));
    if (scene_.words.question) {
      Rect answer = picture::cut_right(strip, strip.width * 0.36f);
      static_cast<void>(picture::cut_left(answer, 24));
      const picture::TextLook bold{canvas_.palette().good, 13, picture::Font::sans_bold,
                                   picture::Align::left};
      const std::string right =
          tr("Answer: {answer}", "answer"_a = plain_words(right_answer(*scene_.words.question)));
      const Rect first = picture::cut_top(
          answer,
          static_cast<float>(canvas_.lines_of(right, answer.width, bold)) * canvas_.line_height(13) + 3);
      canvas_.wrapped(first, right, bold);
      canvas_.wrapped(answer, plain_words(scene_.words.sentence), canvas_.plain(12));
    }
    if (!scene_.words.figures.empty()) figures(picture::cut_right(strip, 250));
    source(strip);
  }

  void figures(Rect box) {
    static_cast<void>(picture::cut_left(box, 24));
    for (const FilledFigure& figure : scene_.words.figures) {
      if (box.height < 18) return;
      Rect row = picture::cut_top(box, 18);
      const auto value = canvas_.fitted(
          row, {figure.text}, {canvas_.palette().text, 13, picture::Font::sans_bold, picture::Align::right});
      static_cast<void>(picture::cut_right(row, (value ? value->width : 0) + 8));
      canvas_.wrapped(row, figure.label, canvas_.muted(12));
    }
  }

  void source(Rect box) {
    const SourceExcerpt excerpt = excerpt_of(scene_.staged, kMostLinesOfPage);
    if (excerpt.lines.empty()) return;
    canvas_.fill(box, canvas_.palette().header, 5);
    box = picture::inset(box, 6);
    for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
      Rect row = picture::cut_top(box, 16);
      if (excerpt.first + i == excerpt.current)
        canvas_.fill(row, picture::with_alpha(canvas_.palette().accent, 0.16f), 3);
      const Rect number = picture::cut_left(row, 34);
      canvas_.fitted(number, {std::to_string(excerpt.first + i)},
                     {canvas_.palette().muted, kCodeSize, picture::Font::mono, picture::Align::right});
      static_cast<void>(picture::cut_left(row, 10));
      canvas_.wrapped(row, excerpt.lines[i],
                      {canvas_.palette().text, kCodeSize, picture::Font::mono, picture::Align::left});
    }
  }

  Result<Done> views() {
    static_cast<void>(picture::cut_top(rest_, 4));
    rest_.height = std::max(rest_.height, kLeastViewHeight);
    const std::vector<ViewRow>& rows = scene_.scene->views;
    const float height = rest_.height / static_cast<float>(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const float width = rest_.width / static_cast<float>(rows[row].size());
      for (std::size_t column = 0; column < rows[row].size(); ++column) {
        Result<picture::Picture> view =
            view_of_scene(*scene_.scene, scene_.staged, rows[row][column], {width, height}, false, 1);
        if (!view.ok()) return view.error();
        placed_.push_back(
            {*std::move(view),
             {rest_.x + static_cast<float>(column) * width, rest_.y + static_cast<float>(row) * height}});
      }
    }
    return Done{};
  }

  const Lesson& lesson_;
  const PreparedScene& scene_;
  std::size_t number_;
  picture::Canvas canvas_;
  Rect rest_;
  std::vector<Placed> placed_;
};

}  // namespace

Result<std::string> make_pdf_handout(const Lesson& lesson, ScenePlayer& player) {
  std::vector<picture::Picture> pages;
  for (std::size_t i = 0; i < lesson.scenes.size(); ++i) {
    const Result<PreparedScene> scene = prepared(lesson, lesson.scenes[i], player);
    if (!scene.ok()) return scene.error();
    Result<picture::Picture> page = PageMaker(lesson, *scene, i + 1).make();
    if (!page.ok()) return page.error();
    pages.push_back(*std::move(page));
  }
  return viz::to_pdf(pages, viz::kA4Landscape, lesson.title);
}

}  // namespace warplens::app
