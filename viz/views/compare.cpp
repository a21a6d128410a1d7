#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/frame.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

constexpr float kMinPictureWidth = 250, kMinPictureHeight = 150, kMinTableHeight = 60, kNames = 26, kGap = 10;
constexpr float kPicturesShare = 0.62f;  ///< Of the height, where both have room

/// The launch beside, with the subject beside it.
Subject subject_beside(const Subject& subject) {
  Subject other{
      .moment = subject.beside->moment, .results = subject.beside->results, .highlight = subject.highlight};
  other.beside = Side{subject.moment, subject.results};
  return other;
}

void draw_name(picture::Canvas& canvas, picture::Rect box, const char* letter, picture::Colour colour,
               const std::string& launch) {
  static_cast<void>(picture::cut_left(box, canvas.px(12)));
  canvas.fitted(picture::cut_left(box, canvas.px(20)), {letter},
                {colour, picture::kBaseSize, picture::Font::sans_bold});
  canvas.wrapped({box.x, box.y + (box.height - canvas.line_height(picture::kSmallSize + 1)) / 2, box.width,
                  canvas.line_height(picture::kSmallSize + 1)},
                 launch, canvas.muted(picture::kSmallSize + 1));
}

/// The launches' names, the picture of each or of their difference, and beneath what changed.
picture::Picture make_both(const Subject& subject, picture::Size size, const picture::Style& style) {
  const Drawn& drawn = *subject.drawn;
  picture::Canvas canvas(size, style);
  const std::string view = drawn.difference ? tr("{view}, the difference", "view"_a = tr(drawn.view->title))
                                            : std::string(tr(drawn.view->title));
  canvas.name(tr("Compare"), tr("{view} · {place}", "view"_a = view, "place"_a = drawn.place));
  canvas.say(subject.changes->sentence);
  picture::Rect rest{0, 0, size.width, size.height};
  picture::Rect names = picture::cut_top(rest, canvas.px(kNames));
  const float gap = canvas.px(kGap), half = std::floor((size.width - gap) / 2),
              height = std::floor(rest.height * kPicturesShare);
  draw_name(canvas, picture::cut_left(names, half), "A", canvas.palette().accent, subject.changes->a);
  static_cast<void>(picture::cut_left(names, gap));
  draw_name(canvas, names, "B", canvas.palette().fill, subject.changes->b);
  canvas.line({0, rest.y}, {size.width, rest.y}, canvas.palette().line);
  canvas.line({0, rest.y + height}, {size.width, rest.y + height}, canvas.palette().line);
  if (!drawn.difference)
    canvas.line({half + gap / 2, 0}, {half + gap / 2, rest.y + height}, canvas.palette().line);
  picture::Picture all = canvas.take();
  if (drawn.difference) {
    picture::add_picture(all, drawn.view->difference(subject, {size.width, height}, style), {0, rest.y});
  } else {
    picture::add_picture(all, drawn.view->make(subject_beside(subject), {half, height}, style), {0, rest.y});
    picture::add_picture(all, drawn.view->make(subject, {half, height}, style), {half + gap, rest.y});
  }
  picture::add_picture(all,
                       picture::make_changes(*subject.changes, {size.width, rest.height - height}, style),
                       {0, rest.y + height});
  return all;
}

/// Where letters are as large as a hall needs, pictures are smaller in proportion to them.
bool has_room_for_both(picture::Size size, const picture::Style& style) {
  constexpr float kInHall = 0.6f;
  const float scale = style.scale * (style.min_text > 0 ? kInHall : 1);
  return size.width >= scale * (2 * kMinPictureWidth + kGap) &&
         size.height >= scale * (kNames + kMinPictureHeight + kMinTableHeight);
}

picture::Picture make_compare(const Subject& subject, picture::Size size, const picture::Style& style) {
  if (!subject.changes) {
    return picture::empty_picture(
        tr("Compare"), tr("There is one launch, and none beside it."),
        tr("Choose another kernel, size or parameter: what was on screen before is compared with it."), size,
        style);
  }
  const bool both = subject.drawn && subject.beside && has_room_for_both(size, style);
  return both ? make_both(subject, size, style) : picture::make_changes(*subject.changes, size, style);
}

/// One row a figure that either has.
std::string table_of_compare(const Subject& subject) {
  std::string table = "section,figure,a,b,b_against_a,verdict\n";
  if (!subject.changes) return table;
  for (const picture::Changes::Row& row : subject.changes->rows) {
    const char* const verdict = row.tone == picture::Changes::Tone::better  ? "better"
                                : row.tone == picture::Changes::Tone::worse ? "worse"
                                                                            : "";
    table += fmt::format("{},{},{},{},{},{}\n", cell(row.section), cell(row.name), cell(row.a), cell(row.b),
                         cell(row.change), verdict);
  }
  return table;
}

const RegisterView kCompare{
    {.id = "compare",
     .title = marked("Compare"),
     .shows = marked("Two launches beside each other: any picture of both, and what changed"),
     .place = Place::right_bottom,
     .rank = 59,
     .of_two = true,
     .make = make_compare,
     .table = table_of_compare}};

}  // namespace
}  // namespace warplens::viz
