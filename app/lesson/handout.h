// A lesson to take home: one file for a browser, which needs nothing else, or A4 pages.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/lesson/lesson.h"
#include "app/lesson/scene_player.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// What is made, by a file's extension.
inline constexpr std::array<std::string_view, 2> kHandouts{".html", ".pdf"};
/// The most that an .html comes to. Where all steps of all phases are more, or a phase has very many,
/// scenes have those around their own step.
inline constexpr std::size_t kMostHandoutBytes = 5'000'000;

/// Opens the lesson, its file or one that ships, and writes its handout to a file with one of those
/// extensions. Errors: of the lesson, of staging, or of the file.
[[nodiscard]] Result<Done> make_handout_file(const std::string& lesson, const std::filesystem::path& path);

/// The bytes of a file with one of those extensions. Errors are those of staging and filling.
/// `page`: where the page of docs/browser.md is, relative to the handout or as a whole address. Scenes of
/// kernels of the ladder then have a button, of an .html, that shows them there, to be launched with other
/// values. Empty: they have none.
[[nodiscard]] Result<std::string> make_handout(const Lesson& lesson, ScenePlayer& player,
                                               std::string_view extension, const std::string& page = {});

}  // namespace warplens::app
