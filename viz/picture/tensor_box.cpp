#include "viz/picture/tensor_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/tensor_boxes.h"
#include "viz/picture/box_grids.h"
#include "viz/picture/lanes.h"
#include "viz/picture/terms.h"

namespace warplens::picture {
namespace {

using analysis::TensorBox;

constexpr float kTitle = 18, kGap = 16, kShortestRow = 6, kMapHeight = 56, kHighEnoughForMap = 420;
constexpr std::uint32_t kMostPieces = 2048;  // That a page has
constexpr float kWide = 1.1f;                ///< Width over height from which on all stand side by side

const Site* site_of(const Recording& recording, const TensorCopy& copy) {
  const auto found = std::ranges::find(recording.sites, copy.instruction, &Site::instruction);
  return found == recording.sites.end() ? nullptr : &*found;
}

/// "64 × 32", the outermost extent first.
template <class Extents>
std::string extents_in_words(const TensorMap& map, const Extents& extents) {
  std::string words;
  for (std::size_t d = map.rank; d-- > 0;) words += (words.empty() ? "" : " × ") + with_thousands(extents(d));
  return words;
}
std::string extents_of_tensor(const TensorMap& map) {
  return extents_in_words(map, [&](std::size_t d) { return map.extents.at(d); });
}
std::string extents_of_box(const TensorMap& map) {
  return extents_in_words(map, [&](std::size_t d) { return std::uint64_t{map.box_elements(d)}; });
}

const char* swizzle_name(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::none: return marked("no swizzle");
    case TensorSwizzle::bytes32: return marked("32-byte swizzle");
    case TensorSwizzle::bytes64: return marked("64-byte swizzle");
    case TensorSwizzle::bytes128: break;
  }
  return marked("128-byte swizzle");
}

/// The name of the buffer that the tensor lies in; empty if it lies in none.
std::string buffer_name(const Recording& recording, const TensorMap& map) {
  const auto found = std::ranges::find_if(recording.buffers, [&](const Buffer& buffer) {
    return map.address >= buffer.base && map.address - buffer.base < buffer.bytes;
  });
  return found == recording.buffers.end() ? std::string() : found->name;
}

std::string subtitle_of(const Moment& moment, const analysis::CopyShown& shown, const Site* site) {
  const TensorCopy& copy = *shown.copy;
  std::string words =
      site == nullptr || site->line == 0 ? std::string() : tr("line {line}", "line"_a = site->line) + " · ";
  if (site != nullptr) words += access_words(*site, buffer_name(*moment.recording, copy.map)) + " · ";
  return words + tr("warp {warp}, copy {number} of {count}", "warp"_a = copy.warp,
                    "number"_a = with_thousands(shown.number), "count"_a = with_thousands(shown.of));
}

std::string sentence_of(const TensorBox& box, bool is_load) {
  const TensorMap& map = box.copy().map;
  const std::size_t with = box.banks_of_eight_rows(true), without = box.banks_of_eight_rows(false);
  const std::uint32_t rows = std::min(box.rows(), 8u);
  std::string sentence;
  if (rows > 1) {
    const std::string of_rows = tr_n(rows, "{n} row", "{n} rows");
    sentence = map.swizzle == TensorSwizzle::none
                   ? tr("{rows} of a column of 16 bytes lie in {with} of 8 groups of banks.",
                        "rows"_a = of_rows, "with"_a = with)
                   : tr("{rows} of a column of 16 bytes lie in {with} of 8 groups of banks, without the "
                        "swizzle in {without}.",
                        "rows"_a = of_rows, "with"_a = with, "without"_a = without);
  }
  const std::uint64_t outside = box.bytes_outside();
  if (outside == 0) return sentence;
  const std::string bytes = with_thousands(outside), all = with_thousands(map.box_bytes());
  const std::string words =
      !is_load ? tr("{bytes} of {all} bytes lie outside the tensor and are not written.", "bytes"_a = bytes,
                    "all"_a = all)
      : map.fills_with_nan ? tr("{bytes} of {all} bytes lie outside the tensor and are filled with NaN.",
                                "bytes"_a = bytes, "all"_a = all)
                           : tr("{bytes} of {all} bytes lie outside the tensor and are filled with zeros.",
                                "bytes"_a = bytes, "all"_a = all);
  return sentence.empty() ? words : words + " " + sentence;
}

/// Draws the two innermost dimensions of the tensor to scale, with the box in them.
void draw_map(Canvas& canvas, Rect& rest, const TensorBox& box) {
  const TensorMap& map = box.copy().map;
  const Palette& palette = canvas.palette();
  Rect place = cut_top(rest, canvas.px(kMapHeight));
  const bool is_flat = map.rank == 1;
  const auto columns = static_cast<double>(map.extents[0]),
             rows = is_flat ? 1.0 : static_cast<double>(map.extents[1]);
  const float most = std::min(place.width * 0.4f, place.height * 3);
  const float shape = static_cast<float>(std::clamp(columns / rows, 0.1, 10.0));
  const float width = std::clamp(place.height * shape, canvas.px(14), most),
              height = std::clamp(width / shape, canvas.px(10), place.height);
  const Rect tensor{place.x, place.y, width, height};
  canvas.fill(tensor, palette.header);
  canvas.outline(tensor, palette.line);
  const auto along = [](double at, double extent, float length) {
    return static_cast<float>(std::clamp(at / extent, 0.0, 1.0)) * length;
  };
  const auto& start = box.copy().start;
  const double first_row = is_flat ? 0 : start[1],
               end_row = is_flat ? 1 : start[1] + static_cast<double>(map.box[1]);
  const float x = along(start[0], columns, width), y = along(first_row, rows, height);
  const float right = along(start[0] + static_cast<double>(map.box[0]), columns, width),
              bottom = along(end_row, rows, height);
  const float smallest = canvas.px(2);
  canvas.fill({tensor.x + std::min(x, width - smallest), tensor.y + std::min(y, height - smallest),
               std::max(right - x, smallest), std::max(bottom - y, smallest)},
              palette.accent);
  static_cast<void>(cut_left(place, width + canvas.px(10)));
  const std::string type = name_of(map.element);
  const std::vector<std::string> lines{
      tr("tensor: {type}, {extents}", "type"_a = type, "extents"_a = extents_of_tensor(map)),
      tr("box: {extents} from {start} on", "extents"_a = extents_of_box(map),
         "start"_a = coordinates_name(box, 0)),
      map.rank > 2 ? tr("on the left: the two innermost dimensions") : std::string()};
  for (const std::string& line : lines) canvas.fitted(cut_top(place, canvas.px(17)), {line}, canvas.muted());
  static_cast<void>(cut_top(rest, canvas.px(8)));
}

struct Parts {
  Rect box, plain, swizzled;
};
/// All side by side where the picture is wide; else the box above shared memory.
Parts parts_of(const Canvas& canvas, Rect rest, bool has_swizzle) {
  const float gap = canvas.px(kGap);
  Parts parts;
  if (rest.width >= kWide * rest.height) {
    parts.box = cut_left(rest, rest.width * (has_swizzle ? 0.38f : 0.5f));
    static_cast<void>(cut_left(rest, gap));
  } else {
    parts.box = cut_top(rest, rest.height * 0.5f);
    static_cast<void>(cut_top(rest, gap / 2));
  }
  if (has_swizzle) {
    parts.plain = cut_left(rest, (rest.width - gap) / 2);
    static_cast<void>(cut_left(rest, gap));
  }
  parts.swizzled = rest;
  return parts;
}

void draw_parts(Canvas& canvas, Rect rest, const Moment& moment, const TensorBox& box, bool is_load,
                const Highlight& highlight) {
  const bool has_swizzle = box.copy().map.swizzle != TensorSwizzle::none;
  Parts parts = parts_of(canvas, rest, has_swizzle);
  const auto title = [&](Rect& part, const std::string& words, const std::string& brief) {
    canvas.fitted(cut_top(part, canvas.px(kTitle)), {words, brief}, canvas.plain(kSmallSize));
  };
  if (parts.box.height >= canvas.px(kHighEnoughForMap)) draw_map(canvas, parts.box, box);
  title(parts.box, tr("Box on the tensor · number: first bank of 16 bytes"), tr("Box on the tensor"));
  title(parts.swizzled,
        has_swizzle ? tr("Shared memory, {swizzle} · number: column of the box",
                         "swizzle"_a = tr(swizzle_name(box.copy().map.swizzle)))
                    : tr("Shared memory · number: column of the box"),
        tr("Shared memory"));
  if (has_swizzle) title(parts.plain, tr("The same without the swizzle"), tr("no swizzle"));
  const auto fits = [&](float height) {
    return std::max(static_cast<std::uint32_t>(std::max(height, 0.0f) / canvas.px(kShortestRow)), 1u);
  };
  const std::uint32_t most_rows =
      std::min(fits(parts.box.height), std::max(kMostPieces / box.pieces_of_row(), 1u));
  BoxShown shown{
      .moment = moment, .box = box, .is_load = is_load, .page = {}, .lit = lit_bytes(moment, box, highlight)};
  const auto piece = shown.lit ? std::optional(shown.lit->piece) : std::nullopt;
  shown.page = box_page(box, piece, most_rows, fits(parts.swizzled.height - canvas.px(15)));
  if (shown.page.rows < box.rows()) {
    canvas.fitted(cut_bottom(parts.box, canvas.px(16)),
                  {tr("rows {first} to {last} of {count}", "first"_a = shown.page.first_row,
                      "last"_a = shown.page.first_row + shown.page.rows - 1, "count"_a = box.rows())},
                  canvas.muted());
  }
  draw_box_rows(canvas, parts.box, shown);
  draw_shared_lines(canvas, parts.swizzled, shown, true);
  if (has_swizzle) draw_shared_lines(canvas, parts.plain, shown, false);
}

}  // namespace

Picture make_tensor_box(const Moment& moment, const BlockDetails* details, const Highlight& highlight,
                        Size size, const Style& style) {
  const Recording& recording = *moment.recording;
  const std::string title = tr("TMA box");
  if (!analysis::has_tensor_copies(recording))
    return empty_picture(title, tr("This kernel copies no boxes of tensors."),
                         tr("Record one with cp.async.bulk.tensor."), size, style);
  const bool is_of_block = details != nullptr && moment.event_block < recording.event_blocks.size() &&
                           details->block == recording.event_blocks[moment.event_block];
  if (!is_of_block)
    return empty_picture(title, tr("The boxes are not known yet."),
                         tr("The block is replayed for them; a launch without its arguments cannot be."),
                         size, style);
  const auto shown = analysis::copy_shown(*details, recording, moment.warp, moment.event());
  if (!shown)
    return empty_picture(title, tr("This block copies no boxes of tensors."), tr("Select another block."),
                         size, style);
  const TensorBox box(*shown->copy);
  const Site* const site = site_of(recording, *shown->copy);
  const bool is_load = site == nullptr || site->op == AccessOp::bulk_load;
  Canvas canvas(size, roomy(style, size));
  canvas.name(title, subtitle_of(moment, *shown, site));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(box, is_load));
  const AccessCost cost = analysis::cost_of_copy(recording, moment.event_block, box, moment.cc);
  const Rect figure = cut_bottom(rest, figure_height(canvas, size.height));
  const std::uint64_t bytes = box.copy().map.box_bytes();
  draw_figure(canvas, figure, {tr_n(cost.sectors, "{n} sector", "{n} sectors"), meaning_of(Term::sectors)},
              cost.sectors > cost.ideal_sectors,
              {{tr("ideal {count}", "count"_a = cost.ideal_sectors), meaning_of(Term::ideal)},
               {tr_n(cost.lines, "{n} line", "{n} lines"), meaning_of(Term::lines)},
               tr_n(bytes, "{n} byte", "{n} bytes"),
               tr(swizzle_name(box.copy().map.swizzle))});
  draw_parts(canvas, rest, moment, box, is_load, highlight);
  return canvas.take();
}

}  // namespace warplens::picture
