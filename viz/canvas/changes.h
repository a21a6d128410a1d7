// What changed between two launches: a table of figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/canvas/picture.h"

namespace warplens::picture {

/// In words, in the language chosen.
struct Changes {
  enum class Tone : std::uint8_t { none, better, worse };
  struct Row {
    std::string section;  ///< "as written"; rows of one section stand together
    std::string name;     ///< "shared store: wavefronts"
    std::string a, b, change;
    bool same = false;
    Tone tone = Tone::none;  ///< Of B against A
  };
  std::string a, b;      ///< The launches: "tiled, 256 x 256 x 256, T = 16"
  std::string sentence;  ///< The change that matters most
  std::string note;      ///< What has to be said of the figures; may be empty
  std::vector<Row> rows;
};
[[nodiscard]] Picture make_changes(const Changes& changes, Size size, const Style& style);
/// The height in which a picture of that width has room for all that changed.
[[nodiscard]] float changes_height(const Changes& changes, float width, const Style& style);

}  // namespace warplens::picture
