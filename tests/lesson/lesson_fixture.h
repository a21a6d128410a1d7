// Lessons written in a test, and their one scene.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "app/lesson/lesson.h"
#include "app/lesson/scene_player.h"

namespace warplens::app {

/// A lesson of one scene, whose lines are added to what every scene has. They begin in line 6 of the file.
inline std::string lesson_text(const std::string& lines, const std::string& launch = "bank_stride:stride=2") {
  return "title = \"A lesson\"\n[[scene]]\ntitle = \"A scene\"\nlaunch = \"" + launch +
         "\"\nviews = [\"banks\"]\n" + lines;
}

inline Lesson lesson_of(const std::string& lines, const std::string& launch = "bank_stride:stride=2") {
  const Result<Lesson> lesson = parse_lesson(lesson_text(lines, launch), "mine.toml");
  if (!lesson.ok()) throw std::runtime_error(lesson.error().message());
  return *lesson;
}

inline StagedScene staged_of(const Lesson& lesson) {
  ScenePlayer player({});
  const Result<StagedScene> staged = player.play(lesson, lesson.scenes.front());
  if (!staged.ok()) throw std::runtime_error(staged.error().message());
  return *staged;
}

}  // namespace warplens::app
