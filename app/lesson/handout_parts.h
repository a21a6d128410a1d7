// What both handouts draw of a scene. Private to app/lesson.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/lesson/handout.h"
#include "app/lesson/words.h"
#include "viz/canvas/picture.h"

namespace warplens::app {

/// The view as a panel.
[[nodiscard]] Result<picture::Picture> view_of_scene(const Scene& scene, const StagedScene& staged,
                                                     const std::string& view, picture::Size size, bool dark,
                                                     float scale);

/// Lines of the kernel's source around those that a phase's accesses lie on.
struct SourceExcerpt {
  std::uint32_t first = 1;         ///< The number of the first line
  std::vector<std::string> lines;  ///< Tabs are spaces
  std::uint32_t current = 0;       ///< The line of the selected access; 0: none
};
[[nodiscard]] SourceExcerpt excerpt_of(const StagedScene& staged, std::uint32_t max_lines);
/// Returns the line of the selected access; 0: none.
[[nodiscard]] std::uint32_t line_of_scene(const StagedScene& staged);

/// "bank_stride:stride=2 · block (0, 0) · warp 0 · phase 2 of 2"
[[nodiscard]] std::string place_in_words(const Scene& scene, const StagedScene& staged);

/// "2. 16 wavefronts"
[[nodiscard]] std::string right_answer(const FilledQuestion& question);

[[nodiscard]] Result<std::string> make_html_handout(const Lesson& lesson, ScenePlayer& player,
                                                    const std::string& page);
[[nodiscard]] Result<std::string> make_pdf_handout(const Lesson& lesson, ScenePlayer& player);

}  // namespace warplens::app
