#include "app/shell/speaker_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"

namespace warplens::app {
namespace {

using picture::Canvas;
using picture::Rect;
using picture::TextLook;

/// Texts below each other, each as high as it is.
class Column {
 public:
  Column(Canvas& canvas, Rect room) : canvas_(canvas), room_(room) {}

  void add(const std::string& text, const TextLook& look, float gap) {
    if (text.empty()) return;
    const int lines = canvas_.lines_of(text, room_.width, look);
    canvas_.wrapped(picture::cut_top(room_, static_cast<float>(lines) * canvas_.line_height(look.size) + 1),
                    text, look);
    static_cast<void>(picture::cut_top(room_, canvas_.px(gap)));
  }

 private:
  Canvas& canvas_;
  Rect room_;
};

}  // namespace

std::string minutes_and_seconds(double seconds) {
  const auto whole = static_cast<long>(std::max(0.0, seconds));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

SpeakerPage speaker_page(const GivenLesson& given, double seconds) {
  SpeakerPage page;
  const std::size_t scene = given.scene(), scenes = given.lesson().scenes.size();
  page.place = tr("{lesson} · scene {number} of {count}", "lesson"_a = given.lesson().title,
                  "number"_a = scene + 1, "count"_a = scenes);
  page.clock = minutes_and_seconds(seconds);
  page.title = given.title_of(scene);
  page.covered = given.covered();
  page.next = scene + 1 < scenes ? tr("Next: {scene}", "scene"_a = given.title_of(scene + 1))
                                 : tr("This is the last scene.");
  const PreparedResult prepared = given.prepared();
  if (!prepared || !prepared->ok()) return page;
  const FilledScene& words = (*prepared)->words;
  page.notes = words.notes;
  page.sentence = words.sentence;
  if (words.question) {
    page.asks = words.question->asks;
    page.answers = words.question->answers;
    page.right = words.question->right;
  }
  return page;
}

picture::Picture draw_speaker_page(const SpeakerPage& page, picture::Size size, const picture::Style& style) {
  constexpr float kNotes = 21, kText = 16, kTitle = 26, kClock = 40, kGap = 14;
  Canvas canvas(size, style);
  Rect room = picture::inset({0, 0, size.width, size.height}, canvas.px(24));
  const TextLook text = canvas.plain(kText),
                 bold{canvas.palette().text, kText, picture::Font::sans_bold, picture::Align::left};
  Rect top = picture::cut_top(room, canvas.px(kClock * 1.2f));
  const TextLook clock{canvas.palette().accent, kClock, picture::Font::sans_bold, picture::Align::right};
  canvas.fitted(top, {page.clock}, clock);
  top.width = std::max(0.0f, top.width - canvas.width_of(page.clock, clock) - canvas.px(kGap));
  canvas.wrapped(picture::cut_bottom(top, canvas.line_height(kText)), page.place, canvas.muted(kText));
  canvas.wrapped(picture::cut_bottom(room, canvas.line_height(kText)), page.next, bold);
  Column column(canvas, room);
  column.add(page.title, {canvas.palette().text, kTitle, picture::Font::sans_bold, picture::Align::left},
             kGap);
  column.add(page.notes, canvas.plain(kNotes), 2 * kGap);
  column.add(page.asks, bold, kGap / 2);
  for (std::size_t i = 0; i < page.answers.size(); ++i) {
    const bool right = i == page.right;
    column.add(
        fmt::format("{}{}.  {}", right ? "✓ " : "", i + 1, page.answers[i]),
        right ? TextLook{canvas.palette().good, kText, picture::Font::sans_bold, picture::Align::left} : text,
        kGap / 4);
  }
  column.add(page.sentence, canvas.muted(kText), kGap);
  return canvas.take();
}

}  // namespace warplens::app
