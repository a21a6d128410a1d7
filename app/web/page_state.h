// State that the WebAssembly module keeps between a page's requests. Private to app/web.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "app/lesson/shipped.h"
#include "app/lesson/words.h"
#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "kernels/base/result.h"

namespace warplens::app::web {

using Json = nlohmann::ordered_json;

/// The open lesson and its current scene.
struct PageLesson {
  std::string name;
  OpenedLesson opened;
  std::optional<PreparedScene> scene;
  std::unique_ptr<Scene> changed;  ///< The scene with a launch of the user's; null: as in the lesson
};

struct PageState {
  std::shared_ptr<const Loaded> loaded;  ///< Null: nothing is open
  Selection selection;
  std::optional<PageLesson> lesson;
};

/// The answer to a request, or an error.
using Answer = Result<Json>;
/// Answers one kind of request. Throws nlohmann::json::exception if the request lacks a field.
using Handler = Answer (*)(PageState& state, const Json& request);

Answer answer_start(PageState& state, const Json& request);
Answer answer_open(PageState& state, const Json& request);
Answer answer_place(PageState& state, const Json& request);
Answer answer_picture(PageState& state, const Json& request);
Answer answer_table(PageState& state, const Json& request);
Answer answer_report(PageState& state, const Json& request);
Answer answer_save(PageState& state, const Json& request);
Answer answer_pattern(PageState& state, const Json& request);
Answer answer_playground(PageState& state, const Json& request);
Answer answer_lesson(PageState& state, const Json& request);
Answer answer_scene(PageState& state, const Json& request);
Answer answer_scene_picture(PageState& state, const Json& request);

/// Returns the texts of the page by name, in the chosen language.
[[nodiscard]] Json words_of_page();
/// Returns the launch, its recorded blocks and its findings.
[[nodiscard]] Json json_of_opened(const Loaded& loaded);
/// Returns the selection, its limits, and the views that have something to show there.
[[nodiscard]] Json json_of_place(const Loaded& loaded, const Selection& selection);
[[nodiscard]] Error nothing_open();

}  // namespace warplens::app::web
