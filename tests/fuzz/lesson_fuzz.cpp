// Any bytes give a lesson or an error; and in a lesson what is right is among the answers, and what is hidden
// among the views.
#include <cstdint>
#include <string_view>

#include "app/lesson/lesson.h"
#include "app/lesson/words.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lesson = warplens::app::parse_lesson({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (!lesson) {
    require(!lesson.error().what.empty() && !lesson.error().where.empty(), "an error says what and where");
    return 0;
  }
  require(!lesson->scenes.empty(), "a lesson has scenes");
  for (const warplens::app::Scene& scene : lesson->scenes) {
    require(!scene.launch.empty() && !scene.views.empty() && !scene.sentence.empty(),
            "a scene has what it needs");
    for (const warplens::app::ViewRow& row : scene.views) require(!row.empty(), "a row has views");
    (void)warplens::app::bare_numbers(scene.sentence.text);
    if (!scene.question) continue;
    require(scene.question->right < scene.question->answers.size(), "one of the answers is right");
    for (const std::string& hidden : scene.question->hides_views)
      require(scene.shows(hidden), "what is hidden is there");
  }
  return 0;
}
