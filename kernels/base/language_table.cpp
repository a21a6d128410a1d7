#include "kernels/base/language_table.h"

#include <algorithm>

namespace warplens {

const Translation* LanguageTable::find(const char* english) const {
  const auto at =
      std::ranges::lower_bound(translations_, std::string_view(english), {},
                               [](const Translation& one) { return std::string_view(one.english); });
  return at != translations_.end() && std::string_view(at->english) == english ? &*at : nullptr;
}

const char* LanguageTable::text(const char* english) const {
  const Translation* const found = find(english);
  return found == nullptr ? nullptr : found->forms[0];
}

const char* LanguageTable::text(const char* one, const char* /*many*/, std::uint64_t count) const {
  const Translation* const found = find(one);
  return found == nullptr ? nullptr : found->forms[form_(count)];
}

}  // namespace warplens
