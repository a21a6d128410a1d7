// The field's terms, each defined in a sentence where it stands on the screen. docs/glossary.md has all of
// them.
#pragma once

#include <cstdint>

namespace warplens::picture {

enum class Term : std::uint8_t {
  requests,
  sectors,
  transactions,
  lines,
  wavefronts,
  conflicts,
  ideal,
  used_bytes,
  excess,
  attainable,
  peak,
  banks,
  as_written,
  as_compiled
};
[[nodiscard]] const char* meaning_of(Term term);  ///< In the language chosen

}  // namespace warplens::picture
