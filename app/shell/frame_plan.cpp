#include "app/shell/frame_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace warplens::app {
namespace {

/// Shapes of as many pixels are worth a call of their own, if they can be drawn in a faster way.
constexpr int kLarge = 2048;
/// How many more tiles are drawn rather than two parts instead of one.
constexpr int kWaste = 6;

PixelRect common(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

PixelRect around(const PixelRect& a, const PixelRect& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

int whole(float pixels) {
  return static_cast<int>(std::clamp(pixels, -1e6f, 1e6f));
}

/// Rounds the clip rectangle as Dear ImGui's own renderer does, so that both let the same pixels through.
PixelRect clip_of(const ImVec4& clip, ImVec2 origin, int height) {
  const int left = whole(clip.x - origin.x), up = whole(static_cast<float>(height) - (clip.w - origin.y));
  return {left, height - up - whole(clip.w - clip.y), left + whole(clip.z - clip.x), height - up};
}

struct Box {
  float left, top, right, bottom;
  [[nodiscard]] PixelRect touched() const {
    return {whole(std::floor(left)), whole(std::floor(top)), whole(std::ceil(right)),
            whole(std::ceil(bottom))};
  }
  [[nodiscard]] PixelRect filled() const {
    return {whole(std::ceil(left)), whole(std::ceil(top)), whole(std::floor(right)),
            whole(std::floor(bottom))};
  }
};

using Corners = std::array<const ImDrawVert*, 4>;

Box box_of(const Corners& corners, ImVec2 origin) {
  const auto [left, right] =
      std::minmax({corners[0]->pos.x, corners[1]->pos.x, corners[2]->pos.x, corners[3]->pos.x});
  const auto [top, bottom] =
      std::minmax({corners[0]->pos.y, corners[1]->pos.y, corners[2]->pos.y, corners[3]->pos.y});
  return {left - origin.x, top - origin.y, right - origin.x, bottom - origin.y};
}

bool is_upright_rectangle(const Corners& c) {
  return c[0]->pos.y == c[1]->pos.y && c[1]->pos.x == c[2]->pos.x && c[2]->pos.y == c[3]->pos.y &&
         c[3]->pos.x == c[0]->pos.x;
}

std::uint64_t hashed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

std::uint64_t hashed(std::uint64_t hash, const ImVec2& two) {
  return hashed(
      hash, std::uint64_t{std::bit_cast<std::uint32_t>(two.x)} << 32 | std::bit_cast<std::uint32_t>(two.y));
}

std::uint64_t hashed(std::uint64_t hash, const PixelRect& rect) {
  const auto two = [](int a, int b) {
    return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
  };
  return hashed(hashed(hash, two(rect.left, rect.top)), two(rect.right, rect.bottom));
}

Batch::Kind kind_of(const Corners& corners, ImVec2 white) {
  if (std::ranges::any_of(corners,
                          [&](const ImDrawVert* v) { return v->uv.x != white.x || v->uv.y != white.y; }))
    return Batch::Kind::textured;
  const bool opaque = std::ranges::all_of(
      corners, [](const ImDrawVert* v) { return (v->col & IM_COL32_A_MASK) == IM_COL32_A_MASK; });
  return opaque ? Batch::Kind::opaque : Batch::Kind::plain;
}

PixelRect tiles_touched(const PixelRect& pixels) {
  constexpr int kTile = FramePlanner::kTile;
  return {pixels.left / kTile, pixels.top / kTile, (pixels.right + kTile - 1) / kTile,
          (pixels.bottom + kTile - 1) / kTile};
}

}  // namespace

void FramePlanner::plan(const ImDrawData& draw_data, bool kept) {
  const PixelRect window{0, 0, whole(draw_data.DisplaySize.x), whole(draw_data.DisplaySize.y)};
  if (window != window_) kept = false;
  ++frame_;
  window_ = window;
  columns_ = tiles_touched(window).right;
  rows_ = tiles_touched(window).bottom;
  std::swap(tiles_, before_);
  tiles_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), {});
  read(draw_data);
  for (std::size_t i = 0; i < tiles_.size(); ++i)
    tiles_[i].changed = !kept || tiles_[i].hash != before_[i].hash;

  indices_.clear();
  parts_.clear();
  for (const Change& change : changes()) add_part(change.tiles);
}

void FramePlanner::read(const ImDrawData& draw_data) {
  shapes_.clear();
  commands_.clear();
  shape_indices_.clear();
  std::uint32_t first_vertex = 0;
  for (const ImDrawList* const list : draw_data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      if (command.UserCallback == nullptr) read_command(*list, command, draw_data.DisplayPos, first_vertex);
    }
    first_vertex += static_cast<std::uint32_t>(list->VtxBuffer.Size);
  }
}

void FramePlanner::read_command(const ImDrawList& list, const ImDrawCmd& command, ImVec2 origin,
                                std::uint32_t first_vertex) {
  Command read{.clip = common(clip_of(command.ClipRect, origin, window_.bottom), window_),
               .texture = command.GetTexID(),
               .first_shape = shapes_.size()};
  if (read.clip.empty()) return;
  const bool of_fonts = read.texture == ImGui::GetIO().Fonts->TexRef.GetTexID();
  const ImVec2 white = of_fonts ? ImGui::GetIO().Fonts->TexUvWhitePixel : ImVec2{-1, -1};
  const bool may_have_changed = !of_fonts && read.texture >> 32 == 0;
  const std::uint64_t seed =
      hashed(hashed(hashed(1, read.clip), read.texture), may_have_changed ? frame_ : 0);
  const ImDrawIdx* const indices = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
  for (unsigned i = 0, step = 3; i + 3 <= command.ElemCount; i += step) {
    const ImDrawIdx* const at = indices + i;
    const bool two = i + 6 <= command.ElemCount && at[3] == at[0] && at[4] == at[2];
    step = two ? 6 : 3;
    const Corners corners{vertices + at[0], vertices + at[1], vertices + at[2], vertices + at[two ? 5 : 2]};
    const Box box = box_of(corners, origin);
    Shape shape{.bounds = common(box.touched(), read.clip),
                .first_index = static_cast<std::uint32_t>(shape_indices_.size()),
                .indices = static_cast<std::uint8_t>(step),
                .kind = kind_of(corners, white)};
    if (shape.bounds.empty()) continue;
    std::uint64_t hash = seed;
    for (const ImDrawVert* const corner : corners)
      hash = hashed(hashed(hashed(hash, corner->pos), corner->uv), corner->col);
    const bool fills = two && shape.kind == Batch::Kind::opaque && is_upright_rectangle(corners);
    note(shape.bounds, fills ? common(box.filled(), read.clip) : PixelRect{}, hash);
    for (unsigned k = 0; k < step; ++k) shape_indices_.push_back(first_vertex + command.VtxOffset + at[k]);
    read.bounds = around(read.bounds, shape.bounds);
    shapes_.push_back(shape);
  }
  read.end_shape = shapes_.size();
  if (read.end_shape > read.first_shape) commands_.push_back(read);
}

/// Notes the shape that comes next.
void FramePlanner::note(const PixelRect& bounds, const PixelRect& filled, std::uint64_t hash) {
  const PixelRect touched = tiles_touched(bounds);
  for (int y = touched.top; y < touched.bottom; ++y) {
    for (int x = touched.left; x < touched.right; ++x) {
      Tile& tile = tiles_[place_of(x, y)];
      const PixelRect pixels = common({x * kTile, y * kTile, (x + 1) * kTile, (y + 1) * kTile}, window_);
      if (!filled.empty() && common(pixels, filled) == pixels)
        tile = {.cover = static_cast<std::int32_t>(shapes_.size())};
      tile.hash = hashed(tile.hash, hash);
    }
  }
}

/// What has changed, as few rectangles: each within one cover, or its parts would have to begin further
/// below.
std::vector<FramePlanner::Change> FramePlanner::changes() const {
  std::vector<Change> changes;
  for (int y = 0; y < rows_; ++y) {
    const Tile* const row = tiles_.data() + place_of(0, y);
    for (int x = 0; x < columns_;) {
      const int left = x++;
      if (!row[left].changed) continue;
      while (x < columns_ && row[x].changed && row[x].cover == row[left].cover) ++x;
      changes.push_back({{left, y, x, y + 1}, row[left].cover});
    }
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (std::size_t k = i + 1; k < changes.size();) {
      const PixelRect both = around(changes[i].tiles, changes[k].tiles);
      const bool alike = changes[i].cover == changes[k].cover;
      if (!alike || both.area() > changes[i].tiles.area() + changes[k].tiles.area() + kWaste) {
        ++k;
        continue;
      }
      changes[i].tiles = both;
      changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(k));
      k = i + 1;
    }
  }
  return changes;
}

std::int32_t FramePlanner::first_cover(const PixelRect& tiles) const {
  std::int32_t first = tiles_[place_of(tiles.left, tiles.top)].cover;
  for (int y = tiles.top; y < tiles.bottom; ++y) {
    for (int x = tiles.left; x < tiles.right; ++x) first = std::min(first, tiles_[place_of(x, y)].cover);
  }
  return first;
}

void FramePlanner::add_part(const PixelRect& tiles) {
  const std::int32_t cover = first_cover(tiles);
  FramePart part{
      .rect =
          common({tiles.left * kTile, tiles.top * kTile, tiles.right * kTile, tiles.bottom * kTile}, window_),
      .bare = cover == kBare};
  const auto begin = static_cast<std::size_t>(std::max(cover, 0));
  for (const Command& command : commands_) {
    const PixelRect clip = common(command.clip, part.rect);
    if (command.end_shape <= begin || common(command.bounds, clip).empty()) continue;
    for (std::size_t i = std::max(command.first_shape, begin); i < command.end_shape; ++i) {
      if (!common(shapes_[i].bounds, clip).empty()) add(part, command, clip, shapes_[i]);
    }
  }
  parts_.push_back(std::move(part));
}

void FramePlanner::add(FramePart& part, const Command& command, const PixelRect& clip, const Shape& shape) {
  const bool is_large = common(shape.bounds, clip).area() >= kLarge;
  const auto fits = [&](const Batch& batch) {
    if (batch.clip != clip || shape.kind > batch.kind) return false;
    if (batch.kind == Batch::Kind::textured && batch.texture != command.texture) return false;
    return !is_large || shape.kind == batch.kind;
  };
  if (part.batches.empty() || !fits(part.batches.back())) {
    part.batches.push_back({.kind = shape.kind,
                            .texture = command.texture,
                            .clip = clip,
                            .first_index = static_cast<std::uint32_t>(indices_.size())});
  }
  part.batches.back().indices += shape.indices;
  const auto from = shape_indices_.begin() + shape.first_index;
  indices_.insert(indices_.end(), from, from + shape.indices);
}

}  // namespace warplens::app
