#include "app/shell/scene_thumbnails.h"

#include <algorithm>
#include <variant>

#include "app/session/subject.h"
#include "viz/canvas/canvas.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

constexpr float kOfFullSize = 0.2f;  ///< So much smaller than in the lesson

void draw_question_mark(const Look& look, ImVec2 at, ImVec2 size) {
  const TextStyle mark{look.palette->muted, std::max(8.0f, size.y * 0.6f / look.scale),
                       picture::Font::sans_bold};
  ImGui::SetCursorScreenPos({at.x + (size.x - width_of(look, "?", mark)) / 2, at.y + size.y * 0.15f});
  write(look, "?", mark);
}

/// Letters that nobody could read.
picture::FilledRect bar_in_place_of(const picture::Text& text) {
  picture::Rect box = picture::text_box(text);
  box.y += box.height / 4;
  box.height /= 2;
  return {box, picture::with_alpha(text.colour, 0.5f)};
}

std::unique_ptr<PictureView> small_picture(const PreparedResult& prepared, const viz::View& view) {
  return std::make_unique<PictureView>(
      [prepared, &view](const Frame& /*frame*/, picture::Size size, picture::Style style) {
        const PreparedScene& scene = **prepared;
        style.scale *= kOfFullSize * scene.scene->zoom;
        picture::Picture picture = view.make(subject_of_scene(*scene.scene, scene.staged), size, style);
        for (picture::Item& item : picture.items) {
          if (const auto* const text = std::get_if<picture::Text>(&item)) item = bar_in_place_of(*text);
        }
        return picture;
      });
}

}  // namespace

void SceneThumbnails::draw(const Frame& frame, const GivenLesson& given, std::size_t scene, ImVec2 at,
                           ImVec2 size) {
  const Scene& drawn = given.lesson().scenes[scene];
  const std::string& first = drawn.views.front().front();
  if (drawn.hides(first) && !given.uncovered(scene)) return draw_question_mark(frame.look, at, size);
  const PreparedResult prepared = given.prepared(scene);
  const viz::View* const view = viz::find_view(first);
  if (!prepared || !prepared->ok() || view == nullptr) return;
  if (pictures_[scene] == nullptr) pictures_[scene] = small_picture(prepared, *view);
  Selection selection = (*prepared)->staged.selection;
  const Hover nothing;
  Hover hover;
  std::optional<BlockWanted> no_block;
  const Frame of_scene = frame.with((*prepared)->staged.loaded, selection, nothing, hover, no_block);
  static_cast<void>(pictures_[scene]->update(of_scene, {std::max(1.0f, size.x), std::max(1.0f, size.y)}));
  pictures_[scene]->paint(of_scene, at);
}

}  // namespace warplens::app
