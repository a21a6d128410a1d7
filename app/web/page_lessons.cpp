#include <utility>

#include "app/languages/languages.h"
#include "app/web/page_state.h"
#include "kernels/base/texts.h"
#include "viz/export/export.h"

namespace warplens::app::web {
namespace {

Error no_lesson() {
  return {tr("no lesson is open"), "", tr("Choose one from the menu.")};
}

Json json_of_question(const Scene& scene, const FilledQuestion& question) {
  return {{"asks", question.asks},
          {"answers", question.answers},
          {"right", question.right},
          {"hides_sentence", scene.question->hides_sentence},
          {"hides_figures", scene.question->hides_figures}};
}

Json json_of_views(const Scene& scene) {
  Json rows = Json::array();
  for (const ViewRow& row : scene.views) {
    Json views = Json::array();
    for (const std::string& id : row) {
      const viz::View* const view = viz::find_view(id);
      views.push_back({{"id", id},
                       {"title", view == nullptr ? id : tr(view->title)},
                       {"hidden", scene.tells_answer(id)}});
    }
    rows.push_back(std::move(views));
  }
  return rows;
}

/// The scene with a launch of the reader's. Its words are of its own launch, so there are none. Where the
/// scene's place is none of the launch, it is a telling one.
Result<PreparedScene> prepared_with(const std::string& launch, PageLesson& lesson, const Scene& scene) {
  lesson.changed = std::make_unique<Scene>(scene);
  Scene& changed = *lesson.changed;
  changed.launch = launch;
  Result<StagedScene> staged = lesson.opened.player.play(lesson.opened.lesson, changed);
  if (!staged.ok()) {
    changed.select.clear();
    changed.line_of_code.clear();
    changed.access.clear();
    changed.element.clear();
    changed.lane.reset();
    staged = lesson.opened.player.play(lesson.opened.lesson, changed);
  }
  if (!staged.ok()) return staged.error();
  PreparedScene ready{.scene = &changed, .staged = *std::move(staged), .words = {}};
  ready.words.title = scene.title;
  Result<std::vector<FilledFigure>> figures = figures_of(lesson.opened.lesson, changed, ready.staged);
  if (figures.ok()) ready.words.figures = *std::move(figures);
  return ready;
}

Json json_of_scene(const PreparedScene& ready) {
  const FilledScene& words = ready.words;
  Json figures = Json::array();
  for (const FilledFigure& figure : words.figures)
    figures.push_back(
        {{"name", figure.name}, {"label", figure.label}, {"meaning", figure.meaning}, {"text", figure.text}});
  return {{"title", words.title},
          {"launch", ready.scene->launch},
          {"rules", ready.staged.loaded->cc.name()},
          {"select", ready.staged.place()},
          {"step", ready.staged.selection.step},
          {"steps", ready.staged.steps()},
          {"sentence", words.sentence},
          {"figures", std::move(figures)},
          {"question", words.question ? json_of_question(*ready.scene, *words.question) : Json(nullptr)},
          {"views", json_of_views(*ready.scene)},
          {"place", json_of_place(*ready.staged.loaded, ready.staged.selection)}};
}

}  // namespace

Answer answer_lesson(PageState& state, const Json& request) {
  const auto name = request.at("name").get<std::string>();
  Result<OpenedLesson> opened = open_lesson(name);
  if (!opened.ok()) return opened.error();
  state.lesson.emplace(PageLesson{.name = name, .opened = *std::move(opened), .scene = {}, .changed = {}});
  const Lesson& lesson = state.lesson->opened.lesson;
  return Json{{"title", lesson.title}, {"about", lesson.about}, {"scenes", lesson.scenes.size()}};
}

Answer answer_scene(PageState& state, const Json& request) {
  if (!state.lesson) return no_lesson();
  const Lesson& lesson = state.lesson->opened.lesson;
  const auto index = request.at("scene").get<std::size_t>();
  if (index >= lesson.scenes.size()) return Error{tr("the lesson has no such scene"), "", ""};
  const auto launch = request.value("launch", "");
  Result<PreparedScene> ready = launch.empty()
                                    ? prepared(lesson, lesson.scenes[index], state.lesson->opened.player)
                                    : prepared_with(launch, *state.lesson, lesson.scenes[index]);
  if (!ready.ok()) return ready.error();
  state.lesson->scene = *std::move(ready);
  state.loaded = state.lesson->scene->staged.loaded;
  state.selection = state.lesson->scene->staged.selection;
  return json_of_scene(*state.lesson->scene);
}

Answer answer_scene_picture(PageState& state, const Json& request) {
  if (!state.lesson || !state.lesson->scene) return no_lesson();
  const PreparedScene& ready = *state.lesson->scene;
  const StagedScene staged = ready.staged.at_step(request.value("step", ready.staged.selection.step));
  const viz::ExportRequest drawn{.view = request.at("view").get<std::string>(),
                                 .subject = subject_of_scene(*ready.scene, staged),
                                 .width = request.value("width", 1600.0F),
                                 .height = request.value("height", 900.0F),
                                 .scale = request.value("scale", 1.0F) * ready.scene->zoom,
                                 .dark = request.value("dark", true),
                                 .subject_owner = {}};
  Result<std::string> svg = viz::make_file(drawn, ".svg");
  if (!svg.ok()) return svg.error();
  return Json{{"svg", *std::move(svg)}, {"place", json_of_place(*staged.loaded, staged.selection)}};
}

}  // namespace warplens::app::web
