// Words that people read. The English in the source is a text's id: another language has its own words for it
// in a catalogue, texts/LANGUAGE.po (GNU gettext's format; docs/texts.md), and English is what is shown where
// it has none.
//   tr("Nothing is loaded.")                                  in C++: const char*, for as long as the program
//   runs tr("{kernel} at {size}", "kernel"_a = id, "size"_a = n)   std::string. Arguments have names, as
//   languages differ in their order tr_n(count, "{n} line", "{n} lines")                      by a count,
//   `n`, which is written with its thousands apart
// A text is a whole sentence or a whole label: what is put together of halves cannot be translated.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <locale>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/base/figures.h"

namespace warplens {

using namespace fmt::literals;

/// How a language writes numbers.
struct NumberSigns {
  std::string_view thousands = ",";  ///< Between three digits and the next
  std::size_t min_grouped = 4;       ///< Numbers of fewer digits are not grouped
  char decimal = '.';
};

/// What one language has in place of English. What it returns stays valid while the program runs.
class Language {
 public:
  explicit Language(const NumberSigns& signs = {});
  virtual ~Language() = default;
  [[nodiscard]] const NumberSigns& signs() const { return signs_; }
  /// Returns the locale for fmt's `L`, which translations have where their English has a decimal fraction.
  [[nodiscard]] const std::locale& locale() const { return locale_; }
  /// nullptr: it has no such text.
  [[nodiscard]] virtual const char* text(const char* english) const = 0;
  [[nodiscard]] virtual const char* text(const char* one, const char* many, std::uint64_t count) const = 0;

 private:
  NumberSigns signs_;
  std::locale locale_;
};

/// Sets the language of all texts from now on; nullptr: English. May be called at any time, from one thread.
/// Texts that were made before stay as they are.
void use_language(const Language* language);
[[nodiscard]] const Language* language_in_use();
[[nodiscard]] const NumberSigns& signs_in_use();

[[nodiscard]] const char* tr(const char* english);

/// A text that is shown elsewhere, by tr(): so that it gets into the catalogue. For tables of constants.
[[nodiscard]] constexpr const char* marked(const char* english) {
  return english;
}

namespace texts {
[[nodiscard]] const char* of_count(std::uint64_t count, const char* one, const char* many);
[[nodiscard]] std::string filled(const char* text, fmt::format_args arguments);
using Count = decltype("n"_a = std::declval<const std::string&>());
}  // namespace texts

template <class Argument, class... Arguments>
[[nodiscard]] std::string tr(fmt::format_string<Argument, Arguments...> english, Argument&& argument,
                             Arguments&&... arguments) {
  return texts::filled(tr(fmt::string_view(english).data()), fmt::make_format_args(argument, arguments...));
}

template <class... Arguments>
[[nodiscard]] std::string tr_n(std::uint64_t count, fmt::format_string<texts::Count, Arguments...> one,
                               fmt::format_string<texts::Count, Arguments...> many,
                               Arguments&&... arguments) {
  const std::string digits = with_thousands(count);
  const char* const text =
      texts::of_count(count, fmt::string_view(one).data(), fmt::string_view(many).data());
  const auto n = "n"_a = digits;
  return texts::filled(text, fmt::make_format_args(n, arguments...));
}

}  // namespace warplens
