// A lesson: scenes in their order, each a launch, a place in it, views of it and words. Lecturers write it as
// a TOML file (docs/lessons.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::app {

/// Words of a lesson, in which `{wavefronts}` stands for a figure of the recording (app/lesson/words.h).
struct LessonText {
  std::string text;
  std::uint32_t line = 0;  ///< Of the file, where it begins; 0: nothing was written
  [[nodiscard]] bool empty() const { return text.empty(); }
};

struct Question {
  LessonText asks;
  std::vector<LessonText> answers;  ///< Two to nine
  std::size_t right = 0;            ///< Index of the one that is right
  bool hides_sentence = true, hides_figures = true;
  std::vector<std::string> hides_views;  ///< Of the scene's
  std::uint32_t line = 0;
};

/// Views side by side.
using ViewRow = std::vector<std::string>;

struct Scene {
  std::string title;
  std::string
      launch;  ///< As of `warplens compare`: "tiled:T=16,size=512,cc=1.0", a file's kernel or a recording
  std::string against;       ///< Another, that this one is held against; empty: none
  std::string rules;         ///< Compute capability, where the launch names none: "9.0"
  std::string select;        ///< Block, warp, phase and step, as of --select; empty: a telling place
  std::string line_of_code;  ///< A piece of the source line whose access is meant; empty: that of `select`
  std::string access;        ///< And which of the line's: "shared load"; empty: the first
  std::optional<std::uint32_t> lane;  ///< Lit in the views
  std::string element;                ///< Likewise: "A[3][64]"; empty: none
  std::vector<ViewRow> views;         ///< Rows one above the other
  std::string
      compare;     ///< The view that Compare draws of both launches above its table; empty: the table alone
  float zoom = 1;  ///< Size of texts and lines in the views
  std::vector<std::string>
      figures;                 ///< Fields shown beside the sentence; empty: those that go with the access
  LessonText sentence, notes;  ///< Notes are the speaker's
  std::optional<Question> question;
  std::uint32_t line = 0;  ///< Of the file

  [[nodiscard]] bool shows(std::string_view view) const;
  /// Whether the answer uncovers it.
  [[nodiscard]] bool hides(std::string_view view) const;
  /// Whether it tells what is asked: it is hidden, or it is the source, beside whose lines stand figures that
  /// are.
  [[nodiscard]] bool tells_answer(std::string_view view) const;
};

struct Lesson {
  std::string file;    ///< As it was named
  std::string source;  ///< The file's text; empty of one that ships, which its name leads to
  std::string title, about;
  std::vector<Scene> scenes;  ///< At least one

  /// "banks.toml:12"
  [[nodiscard]] std::string place(std::uint32_t line) const;
};

/// Errors say file, line, what is wrong and what may stand there. What a launch, a place or a field names is
/// looked up when the scene is staged.
[[nodiscard]] Result<Lesson> parse_lesson(std::string_view text, const std::string& file);

}  // namespace warplens::app
