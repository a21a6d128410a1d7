#include "viz/picture/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/base/texts.h"

namespace warplens::picture {
namespace {

constexpr float kCellHeight = 17, kHighestCell = 34;
constexpr float kSmallestNumber = 6.5f, kLargestNumber = 11, kLargestOfAll = 20;  ///< The last: in high cells
constexpr float kSmallestInHall = 4;                                              ///< Where scales are large
constexpr float kFewestPixels = 8;  ///< Of a number, whatever the scale

/// Over the strip: the label, or each part's name at its lanes with a line between.
void draw_strip_labels(Canvas& canvas, Rect row, const LaneStrip& strip, const LaneStripLabels& labels) {
  const int lanes_together = labels.lanes_together;
  if (lanes_together == kWarpSize) {
    canvas.fitted(row, {labels.label, tr("lanes")}, canvas.muted());
    return;
  }
  for (int first = 0; first < kWarpSize; first += lanes_together) {
    const Rect cells = united(strip.cell(first), strip.cell(first + lanes_together - 1));
    const std::string lanes = fmt::format("{}\u2013{}", first, first + lanes_together - 1);
    const float indent = first > 0 ? canvas.px(6) : 0;
    canvas.fitted({cells.x + indent, row.y, cells.width - indent, row.height},
                  {lanes_together == kWarpSize / 2 ? tr("half-warp: lanes {lanes}", "lanes"_a = lanes)
                                                   : tr("quarter-warp: lanes {lanes}", "lanes"_a = lanes),
                   tr("lanes {lanes}", "lanes"_a = lanes), lanes},
                  canvas.muted());
    if (first > 0)
      canvas.line({cells.x, row.y}, {cells.x, cells.bottom() + canvas.px(4)}, canvas.palette().text, 1.5f);
  }
}

}  // namespace

Rect LaneStrip::cell(int lane) const {
  const float width = box.width / static_cast<float>(kWarpSize);
  return {box.x + static_cast<float>(lane) * width, box.y, width, box.height};
}

Colour lane_line_colour(const Palette& palette, int lane) {
  const float t = static_cast<float>(lane) / 31.0f;
  const float faint = palette.dark ? std::max(0.0f, 0.35f - t) : std::max(0.0f, t - 0.7f);
  return mixed(lane_colour(lane), palette.text, faint);
}

std::optional<TextLook> lane_number_look(const Canvas& canvas, Colour background, Rect cell,
                                         std::string_view widest) {
  TextLook look{readable_on(background), 1, Font::sans_bold, Align::centre};
  look.size = std::min({cell.width / canvas.width_of(widest, look), cell.height / canvas.px(1),
                        std::clamp(cell.height / canvas.px(1) * 0.45f, kLargestNumber, kLargestOfAll)});
  const bool in_hall = canvas.style().min_text > 0;
  if (look.size < (in_hall ? kSmallestInHall : kSmallestNumber) || canvas.px(look.size) < kFewestPixels)
    return std::nullopt;
  look.besides = in_hall;
  return look;
}

LaneStrip draw_lane_strip(Canvas& canvas, Rect& rest, std::uint32_t mask, const Highlight& highlight,
                          const LaneStripLabels& labels) {
  const Palette& palette = canvas.palette();
  const Rect label_row = cut_top(rest, canvas.px(17));
  // As wide as what it leads to; wide lanes are higher where the picture is.
  const float high = std::min(rest.width / kWarpSize * 0.45f, rest.height * 0.06f);
  const LaneStrip strip{cut_top(rest, std::clamp(high, canvas.px(kCellHeight), canvas.px(kHighestCell)))};
  const float gap = std::min(canvas.px(1), strip.box.width / 200);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Rect cell = inset(strip.cell(lane), gap / 2);
    const bool active = (mask >> lane & 1u) != 0;
    const Colour colour = active ? lane_colour(lane) : palette.line;
    canvas.fill(cell, colour, 2);
    if (!active) canvas.line({cell.x, cell.bottom()}, {cell.right(), cell.y}, palette.muted);
    if (highlight.lane == lane) canvas.outline(cell, palette.text, 2, 2);
    const auto look = lane_number_look(canvas, colour, inset(cell, canvas.px(1)));
    if (active && look) canvas.fitted(cell, {std::to_string(lane)}, *look);
    canvas.region(strip.cell(lane), {Target::Kind::lane, lane},
                  active ? tr("Lane {lane}", "lane"_a = lane)
                         : tr("Lane {lane}: inactive, makes no access", "lane"_a = lane));
  }
  draw_strip_labels(canvas, label_row, strip, labels);
  return strip;
}

std::string idle_lanes_in_words(const Recording& recording, std::uint32_t warp, AccessOp op,
                                std::uint32_t mask) {
  if (is_of_pieces(op)) return {};
  const std::uint32_t launched = launched_lanes(recording, warp), inactive = launched & ~mask,
                      absent = ~launched & ~mask;
  const std::string off =
      inactive == 0 ? std::string() : tr("{lanes} inactive", "lanes"_a = lanes_name(inactive));
  const std::string missing =
      absent == 0 ? std::string() : tr("{lanes} absent", "lanes"_a = lanes_name(absent));
  return off.empty() || missing.empty() ? off + missing : off + ", " + missing;
}

Note comparison_note(AccessOp op, const std::optional<Counted>& counted) {
  const bool is_uncounted = is_of_pieces(op) && op != AccessOp::wgmma;
  return !counted && is_uncounted ? Note(tr("no GPU counts these wavefronts")) : note_of(counted);
}

Picture no_events_picture(const char* title, Size size, const Style& style) {
  return empty_picture(title, tr("This recording holds totals only."),
                       tr("Record it again with blocks chosen for events, to step through their accesses."),
                       size, style);
}

}  // namespace warplens::picture
