// The ways in which a view leaves the window, and the menu that offers them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/shell/panels.h"
#include "app/views/look.h"
#include "kernels/base/texts.h"
#include "viz/export/export.h"

namespace warplens::app {

struct ExportWay {
  std::string_view id;         ///< "png_2x"
  const char* words;           ///< "PNG at 2x"; shown by tr()
  std::string_view extension;  ///< ".png"
  float scale = 1;             ///< Times what is on screen
  bool to_clipboard = false;   ///< As text, or as a picture
};
inline constexpr std::array<ExportWay, 9> kExportWays{{{"png", "PNG", ".png"},
                                                       {"png_2x", marked("PNG at 2x"), ".png", 2},
                                                       {"png_3x", marked("PNG at 3x"), ".png", 3},
                                                       {"svg", "SVG", ".svg"},
                                                       {"csv", "CSV", ".csv"},
                                                       {"trace", marked("Perfetto trace"), ".json"},
                                                       {"png", "PNG", ".png", 1, true},
                                                       {"svg", "SVG", ".svg", 1, true},
                                                       {"csv", "CSV", ".csv", 1, true}}};

[[nodiscard]] bool can_be_exported(const viz::View& view, const ExportWay& way);
[[nodiscard]] bool can_be_exported(const viz::View& view);  ///< In some way
/// "Export Banks as PNG at 2x ...", "Copy Banks as CSV"
[[nodiscard]] std::string name_of(const ExportWay& way, const viz::View& view);
/// "export.banks.png_2x", "copy.banks.csv"
[[nodiscard]] std::string id_of(const ExportWay& way, const viz::View& view);
/// Returns the request for the panel, in the way's format, with the size that it has on screen, as large as
/// pictures may be. `scale`: that of the screen.
[[nodiscard]] viz::ExportRequest sized_request(const Panel& panel, const ExportWay& way, float scale);

/// The menu of a panel.
class ExportMenu {
 public:
  /// Opens the menu in the next frame.
  void open(std::size_t panel) { wanted_ = panel; }
  /// The way that is chosen in this frame, if one is. `enabled`: whether there is something to export now.
  [[nodiscard]] std::optional<ExportWay> draw(const Look& look, const Panels& panels, bool enabled);
  [[nodiscard]] std::size_t panel() const { return panel_; }

 private:
  std::optional<std::size_t> wanted_;
  std::size_t panel_ = 0;
};

}  // namespace warplens::app
