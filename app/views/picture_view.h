// Draws a picture with Dear ImGui, and turns the pointer over it into hover and selection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/views/view.h"
#include "kernels/base/texts.h"
#include "viz/canvas/picture.h"

namespace warplens::app {

using PictureMaker =
    std::function<picture::Picture(const Frame& frame, picture::Size size, const picture::Style& style)>;

/// A picture kept until what it is made from changes, and the pixels of its heat maps.
class PictureView {
 public:
  /// The maker may look at more than the frame; `forget` when that changes.
  explicit PictureView(PictureMaker maker) : maker_(std::move(maker)) {}

  /// The picture for this frame in `size` pixels. Made anew only if the recording, the selection, what is
  /// hovered, the size, the style, the language or the context changed.
  [[nodiscard]] const picture::Picture& update(const Frame& frame, picture::Size size);
  /// Draws it at a screen position.
  void paint(const Frame& frame, ImVec2 at) const;
  /// The same; the pointer's hover and clicks are handled where the window is hovered.
  void show(const Frame& frame, ImVec2 at);
  /// The next update makes it anew.
  void forget() { key_.reset(); }

 private:
  struct Key {
    std::shared_ptr<const Loaded> loaded;
    Selection selection;
    Hover hovered;
    picture::Size size;
    picture::Style style;
    std::uint32_t context = 0;           ///< Of OpenGL
    const Language* language = nullptr;  ///< As of language_in_use
  };
  [[nodiscard]] static bool same(const Key& a, const Key& b);
  /// What the maker makes; if it fails, a picture that says so.
  [[nodiscard]] picture::Picture make(const Frame& frame, const Key& key) const;
  void draw_heat_maps(const Frame& frame);

  PictureMaker maker_;
  std::optional<Key> key_;
  picture::Picture picture_;
  std::vector<render::HeatTexture> heat_textures_;
  mutable std::vector<float> widths_;  ///< Of texts of the picture that have been measured
  bool dragging_ = false;
};

/// Shows in the middle of a panel that has nothing to draw why, and what to do, as such pictures say it.
void show_nothing(const Frame& frame, const std::string& what, const std::string& what_to_do);

/// The view's picture, filling its panel.
[[nodiscard]] std::unique_ptr<Widget> make_picture_panel(const viz::View& view);

/// What a click on a target selects, and what the pointer on it hovers.
[[nodiscard]] Selection selected(const Frame& frame, const picture::Target& target);
void hover(const Frame& frame, const picture::Target& target);
/// Goes to a finding's access; has its block recorded where it is not.
[[nodiscard]] Selection at_chosen(const Frame& frame, ChosenFinding chosen);

}  // namespace warplens::app
