// SVG that is dark or light as the reader's browser is: what a picture has of both.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "viz/canvas/picture.h"

namespace warplens::app {

/// The colours of pictures drawn in both palettes, as CSS variables.
class Theme {
 public:
  /// The elements of a picture, drawn in both palettes. Where both differ in colours alone, an element names
  /// variables; else it is there twice, in groups of the classes `dark` and `light`. Numbers are shortened.
  [[nodiscard]] std::vector<std::string> elements(const picture::Picture& dark,
                                                  const picture::Picture& light);

  /// "--k0:#0e1116;--k1:..": declarations of the variables' values.
  [[nodiscard]] std::string dark_values() const { return values(true); }
  [[nodiscard]] std::string light_values() const { return values(false); }

 private:
  [[nodiscard]] std::string element(std::string_view dark, std::string_view light);
  [[nodiscard]] std::string values(bool dark) const;

  std::map<std::pair<std::string, std::string>, std::size_t> variables_;
};

}  // namespace warplens::app
