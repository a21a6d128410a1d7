// A language out of its catalogue: a table that tools/dev/compile_texts.py makes of a .po file when Warplens
// is built (cmake/texts.cmake).
#pragma once

#include <span>
#include <string_view>

#include "kernels/base/texts.h"

namespace warplens {

struct Translation {
  const char* english;       ///< Of a text with a count: its form for one
  const char* const* forms;  ///< One, or as many as the language has plural forms
  std::size_t count;         ///< Of them
};

class LanguageTable : public Language {
 public:
  /// The translations by their English, ascending. `form` is the catalogue's plural rule: of a count, which
  /// of the forms.
  LanguageTable(std::string_view tag, std::string_view name, const NumberSigns& signs,
                std::span<const Translation> translations, unsigned long (*form)(unsigned long))
      : Language(signs), tag_(tag), name_(name), translations_(translations), form_(form) {}

  [[nodiscard]] std::string_view tag() const { return tag_; }    ///< "pl", of BCP 47
  [[nodiscard]] std::string_view name() const { return name_; }  ///< "Polski": as it calls itself
  [[nodiscard]] std::span<const Translation> translations() const { return translations_; }
  [[nodiscard]] const char* text(const char* english) const override;
  [[nodiscard]] const char* text(const char* one, const char* many, std::uint64_t count) const override;

 private:
  [[nodiscard]] const Translation* find(const char* english) const;

  std::string_view tag_, name_;
  std::span<const Translation> translations_;
  unsigned long (*form_)(unsigned long);
};

}  // namespace warplens
