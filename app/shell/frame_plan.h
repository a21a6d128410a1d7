// What has to be drawn of a frame by a processor, where each pixel counts: not what the frame before has left
// there, and not what lies under something opaque. It needs no OpenGL.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warplens::app {

/// Pixels from the top left corner; to the left of `right`, above `bottom`.
struct PixelRect {
  int left = 0, top = 0, right = 0, bottom = 0;
  [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
  [[nodiscard]] int area() const { return empty() ? 0 : (right - left) * (bottom - top); }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

/// Triangles that are drawn in one call.
struct Batch {
  enum class Kind : std::uint8_t {
    opaque,
    plain,
    textured
  };  ///< Each can be drawn as any after it, which takes longer
  Kind kind = Kind::textured;
  ImTextureID texture{};
  PixelRect clip;
  std::uint32_t first_index = 0, indices = 0;
};

/// A part of the window that is drawn anew: all that is seen there, so parts may overlap.
struct FramePart {
  PixelRect rect;
  bool bare = false;  ///< To be cleared first: nothing opaque fills it
  std::vector<Batch> batches;
};

/// Plans the frames of one window; keeps what it has to know of the frame before.
class FramePlanner {
 public:
  static constexpr int kTile = 32;  ///< Pixels. What has changed is found out by squares

  /// Plans a frame. `kept`: the one that was planned before it is still in the window. `draw_data` has a
  /// scale of 1, and its textures are up to date. Of a texture whose number has an upper half, that says
  /// which pixels it has (HeatTexture::id). What shows another, if not the fonts', is always drawn anew: its
  /// pixels may have changed.
  void plan(const ImDrawData& draw_data, bool kept);

  [[nodiscard]] const std::vector<FramePart>& parts() const { return parts_; }
  /// Indices of the draw lists' vertices, one list behind the other.
  [[nodiscard]] const std::vector<ImU32>& indices() const { return indices_; }

 private:
  static constexpr std::int32_t kBare = -1;
  struct Tile {
    std::uint64_t hash = 0;      ///< Of all that is drawn there from its cover on
    std::int32_t cover = kBare;  ///< The last of the shapes that fill it with opaque colour
    bool changed = true;
  };
  /// A triangle, or two that stand for a rectangle.
  struct Shape {
    PixelRect bounds;  ///< Of what its clip rectangle lets through
    std::uint32_t first_index = 0;
    std::uint8_t indices = 3;
    Batch::Kind kind = Batch::Kind::textured;
  };
  struct Command {
    PixelRect clip, bounds;
    ImTextureID texture{};
    std::size_t first_shape = 0, end_shape = 0;
  };
  struct Change {
    PixelRect tiles;  ///< In tiles, not pixels
    std::int32_t cover = kBare;
  };
  [[nodiscard]] std::size_t place_of(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x);
  }
  void read(const ImDrawData& draw_data);
  void read_command(const ImDrawList& list, const ImDrawCmd& command, ImVec2 origin,
                    std::uint32_t first_vertex);
  void note(const PixelRect& bounds, const PixelRect& filled, std::uint64_t hash);
  [[nodiscard]] std::vector<Change> changes() const;
  [[nodiscard]] std::int32_t first_cover(const PixelRect& tiles) const;
  void add_part(const PixelRect& tiles);
  void add(FramePart& part, const Command& command, const PixelRect& clip, const Shape& shape);

  PixelRect window_;
  std::uint64_t frame_ = 0;
  int columns_ = 0, rows_ = 0;
  std::vector<Tile> tiles_, before_;
  std::vector<Shape> shapes_;
  std::vector<Command> commands_;
  std::vector<ImU32> shape_indices_, indices_;
  std::vector<FramePart> parts_;
};

}  // namespace warplens::app
