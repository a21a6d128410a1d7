#include "viz/picture/warpgroup_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/base/texts.h"

namespace warplens::picture {
namespace {

using analysis::MatrixInstruction;

constexpr std::uint32_t kWarpsOfGroup = 4;
constexpr float kRowOfWarp = 13, kNamesOfWarps = 130;

/// Returns the column of B that has the word of shared memory.
std::optional<std::uint32_t> column_with_word(const Moment& moment, const FragmentsShown& shown,
                                              std::uint32_t word) {
  const MatrixInstruction& instruction = *shown.instruction;
  const std::size_t b = *instruction.matrix('B');
  const auto shared = analysis::shared_matrix_of(instruction, shown.execution, b);
  if (!shared) return std::nullopt;
  const tensor::Fragment& fragment = instruction.matrices[b].fragment;
  for (std::uint32_t column = 0; column < fragment.columns; ++column) {
    for (std::size_t row = 0; row < fragment.rows; ++row) {
      const std::uint32_t address =
          analysis::address_of_element(instruction, *shared, b, moment.warp, row, column);
      if ((address - moment.recording->shared_base) / 4 == word) return column;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> highlighted_column(const Moment& moment, const FragmentsShown& shown,
                                                const MatrixHighlight& highlight) {
  if (highlight.element && shown.instruction->matrices[highlight.element->matrix].name != 'A')
    return highlight.element->column;
  return highlight.word ? column_with_word(moment, shown, *highlight.word) : std::nullopt;
}

std::string swizzle_in_words(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::none ? tr("no swizzle")
                                        : tr("{bytes}-byte swizzle", "bytes"_a = width_of(swizzle));
}

}  // namespace

DrawnColumns drawn_columns(const Moment& moment, const FragmentsShown& shown,
                           const MatrixHighlight& highlight, std::uint32_t room) {
  constexpr std::uint32_t kTile = 8;  // Columns after which lanes and registers repeat
  const std::uint32_t all = shown.instruction->matrices[*shown.instruction->matrix('D')].fragment.columns;
  const std::uint32_t count = std::min(all, std::max(room / kTile * kTile, kTile));
  const std::uint32_t page = highlighted_column(moment, shown, highlight).value_or(0) / count;
  return {.first = std::min(page * count, all - count), .count = count};
}

std::string columns_in_words(DrawnColumns drawn) {
  return tr("columns {first} to {last}", "first"_a = drawn.first, "last"_a = drawn.first + drawn.count - 1);
}

void draw_warpgroup_map(Canvas& canvas, Rect& rest, const Moment& moment, const FragmentsShown& shown,
                        DrawnColumns drawn) {
  const MatrixInstruction& instruction = *shown.instruction;
  const auto d = static_cast<std::uint32_t>(*instruction.matrix('D'));
  const tensor::Fragment& fragment = instruction.matrices[d].fragment;
  const Palette& palette = canvas.palette();
  const std::uint32_t in_group = moment.warp % kWarpsOfGroup, first_warp = moment.warp - in_group;
  canvas.fitted(cut_top(rest, canvas.px(16)),
                {tr("D of the warpgroup · 64 × {columns} · below: {drawn}", "columns"_a = fragment.columns,
                    "drawn"_a = columns_in_words(drawn)),
                 columns_in_words(drawn)},
                canvas.muted());
  Rect map = cut_top(rest, canvas.px(kRowOfWarp) * kWarpsOfGroup);
  const Rect names = cut_left(map, std::min(canvas.px(kNamesOfWarps), map.width * 0.4f));
  const float of_column = map.width / static_cast<float>(fragment.columns);
  for (std::uint32_t w = 0; w < kWarpsOfGroup; ++w) {
    const Rect band{map.x, map.y + canvas.px(kRowOfWarp) * static_cast<float>(w), map.width,
                    canvas.px(kRowOfWarp)};
    const Rect inside = inset(band, 0, canvas.px(0.5f));
    const bool is_selected = w == in_group;
    canvas.fill(inside, is_selected ? mixed(palette.panel, palette.accent, 0.3f) : palette.line, 1);
    const std::string name = tr("warp {warp}: rows {first} to {last}", "warp"_a = first_warp + w,
                                "first"_a = w * fragment.rows, "last"_a = (w + 1) * fragment.rows - 1u);
    if (!is_selected) {
      canvas.region(band, {}, name);
    } else {
      for (std::uint32_t first = 0; first < fragment.columns; first += drawn.count) {
        const DrawnColumns page{first, std::min(drawn.count, fragment.columns - first)};
        const auto place = analysis::place_of(fragment, 0, first);
        canvas.region({map.x + of_column * static_cast<float>(first), band.y,
                       of_column * static_cast<float>(page.count), band.height},
                      {Target::Kind::matrix_element, std::int64_t{kWarpSize} * d + place.lane, 0, first},
                      name + "\n" + columns_in_words(page));
      }
      canvas.outline({inside.x + of_column * static_cast<float>(drawn.first), inside.y,
                      of_column * static_cast<float>(drawn.count), inside.height},
                     palette.accent, 2, 1);
    }
    canvas.fitted({names.x, band.y, names.width - canvas.px(6), band.height}, {name},
                  is_selected ? canvas.plain(kTinySize) : canvas.muted(kTinySize));
  }
  static_cast<void>(cut_top(rest, canvas.px(6)));
}

std::string shared_matrix_in_words(const FragmentsShown& shown, std::size_t matrix) {
  const auto shared = analysis::shared_matrix_of(*shown.instruction, shown.execution, matrix);
  if (!shared) return {};
  return tr(
      "{matrix}: {address}, {order}, {swizzle}, LBO {leading}, SBO {stride} bytes",
      "matrix"_a = std::string(1, shown.instruction->matrices[matrix].name),
      "address"_a = hexadecimal(shared->start), "order"_a = shared->is_mn_major ? "MN-major" : "K-major",
      "swizzle"_a = swizzle_in_words(shared->swizzle), "leading"_a = with_thousands(shared->leading_offset),
      "stride"_a = with_thousands(shared->stride_offset));
}

}  // namespace warplens::picture
