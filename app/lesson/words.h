// The words of a scene with its figures filled in, so that no sentence can say what the recording does not.
//   {wavefronts}                 a field (fields.h)
//   {sectors / ideal}            two fields reckoned with: / or -
//   {=32}                        a number that is no figure of the picture, written on purpose
//   `as[32][{array.row}]`        code, in which numbers need no mark; fields are filled in it, too
//   {{ and }}                    braces
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/lesson/scene_player.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct FilledFigure {
  std::string name;     ///< Of the field
  std::string label;    ///< "shared store wavefronts"
  std::string meaning;  ///< One sentence
  std::string text;
  std::optional<double> number;
};

struct FilledQuestion {
  std::string asks;
  std::vector<std::string> answers;
  std::size_t right = 0;
};

/// What is read of a scene. Code keeps its backquotes.
struct FilledScene {
  std::string title, sentence, notes;
  std::vector<FilledFigure> figures;
  std::optional<FilledQuestion> question;
};

/// Errors: a field that there is not, or that has no value in this scene; braces that do not match.
[[nodiscard]] Result<std::string> filled(const LessonText& words, const Lesson& lesson,
                                         const StagedScene& staged);
[[nodiscard]] Result<std::vector<FilledFigure>> figures_of(const Lesson& lesson, const Scene& scene,
                                                           const StagedScene& staged);
[[nodiscard]] Result<FilledScene> filled(const Lesson& lesson, const Scene& scene, const StagedScene& staged);

/// A scene with all that is drawn and read of it.
struct PreparedScene {
  const Scene* scene = nullptr;
  StagedScene staged;
  FilledScene words;
};
/// Staged and filled; blocking, as ScenePlayer::play. `lesson` must outlive it.
[[nodiscard]] Result<PreparedScene> prepared(const Lesson& lesson, const Scene& scene, ScenePlayer& player);

/// Numbers in words that are neither a field, nor marked, nor code, nor part of a name (L1, float4).
[[nodiscard]] std::vector<std::string> bare_numbers(std::string_view words);

/// All that is wrong with a lesson: launches, places and fields that there are not, numbers that are no
/// fields, answers that do not differ.
[[nodiscard]] std::vector<Error> problems_of(const Lesson& lesson, ScenePlayer& player);

}  // namespace warplens::app
