// A lesson to take home: one file for a browser, which needs nothing else, or A4 pages.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/lesson/lesson.h"
#include "app/lesson/stage.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// What is made, by a file's extension.
inline constexpr std::array<std::string_view, 2> kHandouts{".html", ".pdf"};
/// The most that an .html comes to. Where all steps of all phases are more, or a phase has very many,
/// scenes have those around their own step.
inline constexpr std::size_t kMostHandoutBytes = 5'000'000;

/// The bytes of a file with one of those extensions. Errors are those of staging and filling.
[[nodiscard]] Result<std::string> make_handout(const Lesson& lesson, Stage& stage, std::string_view extension);

}  // namespace warplens::app
