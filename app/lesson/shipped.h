// Lessons that ship with Warplens, and where lessons come from.
#pragma once

#include <string>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/lesson/scene_player.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// Returns the lessons in the order in which a course would take them: "coalescing", "tiles", ..
[[nodiscard]] std::vector<std::string> shipped_lessons();

/// A lesson, and what plays its scenes.
struct OpenedLesson {
  Lesson lesson;
  ScenePlayer player;
};
/// A lesson's file, or one that ships, by its name. A file comes first.
[[nodiscard]] Result<OpenedLesson> open_lesson(const std::string& name);

}  // namespace warplens::app
