#include "app/languages/languages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <span>

#include "kernels/base/language_table.h"

namespace warplens {

std::span<const LanguageTable> shipped_languages();  // Compiled from texts/*.po

namespace app {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// The first of a list such as "pl:de".
const SpokenLanguage* first_spoken(std::string_view tags) {
  while (!tags.empty()) {
    const std::size_t end = std::min(tags.find(':'), tags.size());
    if (const SpokenLanguage* const found = find_language(tags.substr(0, end))) return found;
    tags.remove_prefix(std::min(end + 1, tags.size()));
  }
  return nullptr;
}

}  // namespace

const std::vector<SpokenLanguage>& spoken_languages() {
  static const std::vector<SpokenLanguage> kLanguages = [] {
    std::vector<SpokenLanguage> all{{kEnglish, "English", nullptr}};
    for (const LanguageTable& table : shipped_languages()) all.push_back({table.tag(), table.name(), &table});
    return all;
  }();
  return kLanguages;
}

const SpokenLanguage* find_language(std::string_view tag) {
  const std::string_view language = tag.substr(0, tag.find_first_of("_-.@"));
  const auto found = std::ranges::find(spoken_languages(), language, &SpokenLanguage::tag);
  return found == spoken_languages().end() ? nullptr : &*found;
}

std::vector<std::string_view> tags_of_languages() {
  std::vector<std::string_view> tags;
  for (const SpokenLanguage& language : spoken_languages()) tags.push_back(language.tag);
  return tags;
}

std::string why_not_spoken(const std::string& tag) {
  if (find_language(tag) != nullptr) return {};
  return fmt::format("`{}` is none of the languages: {}", tag, fmt::join(tags_of_languages(), ", "));
}

const SpokenLanguage& language_of_environment() {
  std::string_view locale;
  for (const char* const name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (locale.empty()) locale = variable(name);
  }
  const bool has_locale = !locale.empty() && locale != "C" && locale != "POSIX" && !locale.starts_with("C.");
  if (has_locale) {
    if (const SpokenLanguage* const preferred = first_spoken(variable("LANGUAGE"))) return *preferred;
    if (const SpokenLanguage* const found = find_language(locale)) return *found;
  }
  return spoken_languages().front();
}

void speak(std::string_view tag) {
  const SpokenLanguage* const chosen = find_language(tag);
  use_language((chosen == nullptr ? language_of_environment() : *chosen).catalogue);
}

const SpokenLanguage& language_spoken() {
  const auto found = std::ranges::find(spoken_languages(), language_in_use(), &SpokenLanguage::catalogue);
  return found == spoken_languages().end() ? spoken_languages().front() : *found;
}

}  // namespace app
}  // namespace warplens
