// The languages that Warplens speaks in its window and in handouts. On the command line it speaks English, as
// scripts read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/texts.h"

namespace warplens::app {

inline constexpr std::string_view kEnglish = "en";

struct SpokenLanguage {
  std::string_view tag;                 ///< "pl", of BCP 47
  std::string_view name;                ///< As it calls itself: "Polski"
  const Language* catalogue = nullptr;  ///< nullptr: English, which stands in the code
};

/// English, and those of the catalogues in texts/.
[[nodiscard]] const std::vector<SpokenLanguage>& spoken_languages();
/// Finds the language of a tag, or of a locale's name such as "pl_PL.UTF-8"; nullptr: Warplens does not have
/// it.
[[nodiscard]] const SpokenLanguage* find_language(std::string_view tag);
[[nodiscard]] std::vector<std::string_view> tags_of_languages();
/// For options: empty, or that Warplens does not speak it, and what it speaks.
[[nodiscard]] std::string why_not_spoken(const std::string& tag);
/// The first that is spoken of what LANGUAGE, LC_ALL, LC_MESSAGES and LANG name, as gettext looks for them;
/// else English.
[[nodiscard]] const SpokenLanguage& language_of_environment();
/// All texts from now on are of that tag's language; of the environment's, where it is empty or of no
/// language that is spoken.
void speak(std::string_view tag);
[[nodiscard]] const SpokenLanguage& language_spoken();

}  // namespace warplens::app
