// What the module keeps for a page between its requests. Private to app/web.
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

/// A lesson that is open, with the scene that is on.
struct PageLesson {
  std::string name;
  OpenedLesson opened;
  std::optional<PreparedScene> scene;
  std::unique_ptr<Scene>
      changed;  ///< The scene with another launch, where one tries it; null: it is the lesson's
};

struct PageState {
  std::shared_ptr<const Loaded> loaded;  ///< Null: nothing is open
  Selection selection;
  std::optional<PageLesson> lesson;
};

/// A request's answer, or what is wrong with it.
using Answer = Result<Json>;
/// Answers one kind of request. May throw what nlohmann::json throws of a request that lacks something.
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

/// The words of the page itself, by their names in it, in the language chosen.
[[nodiscard]] Json words_of_page();
/// What is open: the launch, its blocks, what was found.
[[nodiscard]] Json json_of_opened(const Loaded& loaded);
/// Where one looks, how far one can go, and what is there to see.
[[nodiscard]] Json json_of_place(const Loaded& loaded, const Selection& selection);
[[nodiscard]] Error nothing_open();

}  // namespace warplens::app::web
