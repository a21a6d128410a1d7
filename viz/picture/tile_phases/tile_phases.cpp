#include "viz/picture/tile_phases/tile_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/analysis/sentences.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_map.h"
#include "viz/picture/terms.h"
#include "viz/picture/tile_phases/product_places.h"
#include "viz/picture/tile_phases/shared_tiles.h"
#include "viz/picture/tile_phases/tile_legend.h"
#include "viz/picture/tile_phases/tile_sentences.h"
#include "viz/picture/tile_phases/tiling.h"

namespace warplens::picture {
namespace {

constexpr float kSentenceEms = 46;  ///< What the sentences of matrices of three digits need

/// What everything below draws from.
struct Scene {
  const Moment& moment;
  const Highlight& highlight;
  const std::vector<analysis::SharedWord>& shared;
  const std::vector<analysis::BufferFootprint>& footprints;
  analysis::PhaseFollower& follower;
  std::optional<std::size_t> event;
  std::vector<LaneElement> touched;
  Tiling tiling;
  const Recording* beside = nullptr;  ///< What is drawn beside it, to one scale
};

/// "A 4,096 × 4,096".
std::string size_name(const std::string& name, const Buffer& matrix) {
  return fmt::format("{} {} × {}", name, with_thousands(matrix.rows), with_thousands(matrix.columns));
}

/// `tile_rows` and `tile_columns`: as drawn. `is_padded`: there is more of it than of the product.
void draw_matrix(Canvas& canvas, const Scene& scene, std::uint32_t buffer, Rect box, Rect label,
                 std::uint64_t tile_rows, std::uint64_t tile_columns, bool is_padded,
                 bool is_transposed = false) {
  const Recording& recording = *scene.moment.recording;
  const Buffer& matrix = recording.buffers[buffer];
  draw_matrix_map(canvas, box,
                  {&recording, buffer, &scene.footprints[buffer], tile_rows, tile_columns, is_transposed},
                  scene.touched, scene.highlight);
  const ElementBox now = scene.footprints[buffer].now();
  const std::string touched = now.empty() ? std::string() : analysis::box_name(matrix, now);
  if (is_transposed) {
    const std::string size = size_name("B", transposed(matrix)),
                      stored = tr("{matrix}, stored transposed", "matrix"_a = size);
    canvas.fitted(
        label,
        {touched.empty() ? stored : tr("{matrix}: {elements}", "matrix"_a = stored, "elements"_a = touched),
         touched.empty() ? stored : touched, tr("B, stored as {matrix}", "matrix"_a = matrix.name),
         matrix.name},
        canvas.muted(kSmallSize, Align::centre));
    return;
  }
  const std::string size = size_name(matrix.name, matrix);
  const std::string whole = is_padded ? tr("{matrix}, padded", "matrix"_a = size) : size;
  canvas.fitted(label,
                {touched.empty() ? whole : fmt::format("{}: {}", whole, touched),
                 touched.empty() ? whole : touched, whole, size, matrix.name},
                canvas.muted(kSmallSize, Align::centre));
}

void draw_arrow(Canvas& canvas, Point from, Point to) {
  const Colour colour = canvas.palette().muted;
  const float head = canvas.px(3.5f);
  const bool across = to.x - from.x > to.y - from.y;
  canvas.line(from, to, colour);
  if (across) {
    canvas.add(
        Polygon{{{to.x + head, to.y}, {to.x - head, to.y - head}, {to.x - head, to.y + head}}, colour});
  } else {
    canvas.add(
        Polygon{{{to.x, to.y + head}, {to.x + head, to.y - head}, {to.x - head, to.y - head}}, colour});
  }
}

/// A matrix as it is drawn.
struct Drawn {
  std::uint32_t buffer = 0;
  Rect box;
  Buffer shape;  ///< Rows and columns as drawn
  std::uint64_t tile_rows = 0, tile_columns = 0;
  bool transposed = false;
  [[nodiscard]] ElementBox as_drawn(ElementBox elements) const {
    return transposed ? picture::transposed(elements) : elements;
  }
};

/// So many tiles a side around what is touched now, or as much of the matrix as there is.
ElementBox surroundings(const Drawn& matrix, const ElementBox& now, std::uint64_t tiles) {
  const auto around = [tiles](std::uint64_t begin, std::uint64_t end, std::uint64_t tile, std::uint64_t all) {
    const std::uint64_t extent = std::min(std::max(tiles * tile, end - begin), all),
                        middle = (begin + end) / 2;
    const std::uint64_t first = std::min(middle > extent / 2 ? middle - extent / 2 : 0, all - extent);
    return std::pair{first, first + extent};
  };
  const auto [row, row_end] = around(now.row_begin, now.row_end, matrix.tile_rows, matrix.shape.rows);
  const auto [column, column_end] =
      around(now.column_begin, now.column_end, matrix.tile_columns, matrix.shape.columns);
  return {row, row_end, column, column_end};
}

/// Pixels an element of a part that fills a box.
float scale_of(Rect box, const ElementBox& part) {
  return std::min(box.width / static_cast<float>(part.column_end - part.column_begin),
                  box.height / static_cast<float>(part.row_end - part.row_begin));
}

/// What is too small to be seen in the whole, enlarged: the tile that is touched now among its neighbours,
/// and the lanes in it. The part of `corner` that it covers; nullopt where there is no room to enlarge
/// anything.
std::optional<Rect> draw_lens(Canvas& canvas, const Rect corner, const Scene& scene, const Drawn& matrix) {
  const Palette& palette = canvas.palette();
  const ElementBox now = matrix.as_drawn(scene.footprints[matrix.buffer].now());
  if (now.empty()) return std::nullopt;
  Rect below = corner;
  const Rect label = cut_top(below, canvas.px(17));
  constexpr float kMinEnlarged = 2;
  const float min = kMinEnlarged * matrix.box.width / static_cast<float>(matrix.shape.columns);
  ElementBox part = surroundings(matrix, now, 5);
  if (scale_of(below, part) < min) part = surroundings(matrix, now, 3);
  const float scale = scale_of(below, part);
  if (scale < min) return std::nullopt;
  const auto rows = static_cast<float>(part.row_end - part.row_begin),
             columns = static_cast<float>(part.column_end - part.column_begin);
  const Rect box{below.x, below.y, columns * scale, rows * scale};
  const auto place = [&](std::uint64_t row, std::uint64_t row_end, std::uint64_t column,
                         std::uint64_t column_end) {
    return Rect{box.x + static_cast<float>(column - part.column_begin) * scale,
                box.y + static_cast<float>(row - part.row_begin) * scale,
                static_cast<float>(column_end - column) * scale, static_cast<float>(row_end - row) * scale};
  };
  const Recording& recording = *scene.moment.recording;
  const std::string& name = recording.buffers[matrix.buffer].name;
  const auto named =
      canvas.fitted(label, {tr("{matrix}, enlarged", "matrix"_a = name), name}, canvas.muted());
  draw_marks(canvas, box,
             {.recording = &recording,
              .buffer = matrix.buffer,
              .footprint = &scene.footprints[matrix.buffer],
              .transposed = matrix.transposed},
             part);
  for (std::uint64_t row = (part.row_begin / matrix.tile_rows + 1) * matrix.tile_rows; row < part.row_end;
       row += matrix.tile_rows) {
    const float y = place(row, row, part.column_begin, part.column_begin).y;
    canvas.line({box.x, y}, {box.right(), y}, with_alpha(palette.panel, 0.8f));
  }
  for (std::uint64_t column = (part.column_begin / matrix.tile_columns + 1) * matrix.tile_columns;
       column < part.column_end; column += matrix.tile_columns) {
    const float x = place(part.row_begin, part.row_begin, column, column).x;
    canvas.line({x, box.y}, {x, box.bottom()}, with_alpha(palette.panel, 0.8f));
  }
  canvas.outline(place(now.row_begin, now.row_end, now.column_begin, now.column_end), palette.text,
                 1.5f);  // Below the lanes: it may be narrow
  for (const LaneElement& one : scene.touched) {
    if (one.element.buffer != matrix.buffer) continue;
    const std::uint64_t row = matrix.transposed ? one.element.column : one.element.row,
                        column = matrix.transposed ? one.element.row : one.element.column;
    const Rect element = place(row, row + 1, column, column + 1);
    const float grown = std::max(0.0f, canvas.px(2) - element.width) / 2;
    if (is_first_at_its_element(scene.touched, one)) draw_lane(canvas, inset(element, -grown), one.lane);
  }
  canvas.outline(box, palette.accent, 1.5f);
  // The same frame around that part in the whole.
  const Rect from = element_place(matrix.box, matrix.shape, part.row_begin, part.column_begin, 0);
  const Rect to = element_place(matrix.box, matrix.shape, part.row_end - 1, part.column_end - 1, 0);
  canvas.outline(inset(united(from, to), -canvas.px(1)), palette.accent, 1.5f);
  return named ? united(box, *named) : box;
}

/// Where C's tiles are too small to be seen: the matrix that the access touches, or what is touched first; in
/// the free corner. As draw_lens.
std::optional<Rect> draw_lens_of_any(Canvas& canvas, Rect corner, const Scene& scene,
                                     const std::array<Drawn, 3>& matrices) {
  constexpr float kSmallestTile = 12;
  const Drawn& c = matrices.back();
  if (c.tile_rows == 0 || c.tile_columns == 0 || c.tile_rows >= c.shape.rows) return std::nullopt;
  if (c.box.height * static_cast<float>(c.tile_rows) / static_cast<float>(c.shape.rows) >=
      canvas.px(kSmallestTile))
    return std::nullopt;
  const auto touched = std::ranges::find_if(matrices, [&](const Drawn& matrix) {
    return !scene.touched.empty() && scene.touched.front().element.buffer == matrix.buffer;
  });
  const auto drawn = std::ranges::find_if(
      matrices, [&](const Drawn& matrix) { return !scene.footprints[matrix.buffer].now().empty(); });
  const auto chosen = touched != matrices.end() ? touched : drawn;
  if (chosen == matrices.end() || chosen->tile_rows == 0 || chosen->tile_columns == 0) return std::nullopt;
  return draw_lens(canvas, corner, scene, *chosen);
}

/// A tile of C leads to the block that writes it.
void offer_blocks(Canvas& canvas, Rect box, const Recording& recording, const Buffer& c,
                  const Tiling& tiling) {
  if (!tiling.across || tiling.rows == 0 || tiling.columns == 0) return;
  const std::uint64_t rows = (c.rows + tiling.rows - 1) / tiling.rows,
                      columns = (c.columns + tiling.columns - 1) / tiling.columns;
  const bool by_x = *tiling.across == Tiling::Across::x;
  if ((by_x ? columns : rows) > recording.grid.x || (by_x ? rows : columns) > recording.grid.y) return;
  const float width =
      box.width * static_cast<float>(columns * tiling.columns) / static_cast<float>(c.columns);
  const float height = box.height * static_cast<float>(rows * tiling.rows) / static_cast<float>(c.rows);
  canvas.grid_region({box.x, box.y, width, height}, rows, columns, {Target::Kind::block, 0, 0},
                     tr("Go to the block that writes this tile:"), !by_x);
}

/// Shared arrays stand beside the matrices, where there are any.
std::pair<Rect, Rect> with_room_for_tiles(const Canvas& canvas, Rect rest, const Recording& recording) {
  if (recording.shared_arrays.empty() || rest.width < canvas.px(330)) return {rest, Rect{}};
  const Rect tiles = cut_right(rest, rest.width * 0.42f);
  static_cast<void>(cut_right(rest, canvas.px(20)));
  return {rest, tiles};
}

/// `room`: the box with what stands beside the matrices.
void draw_product(Canvas& canvas, Rect box, Rect room, const Scene& scene, const Product& product) {
  const Recording& recording = *scene.moment.recording;
  const ProductMatrices shapes = product_matrices(recording, product);
  const auto& [a, b, c] = shapes;
  const float label = canvas.px(kLabelHeight), gap = canvas.px(kMatrixGap), axis = canvas.px(kAxis);
  float at_angle = scale_at_an_angle(canvas, box, shapes), in_row = scale_in_a_row(canvas, box, shapes);
  if (const auto other = scene.beside != nullptr ? product_of(*scene.beside) : std::nullopt) {
    const ProductMatrices others = product_matrices(*scene.beside, *other);
    const Rect other_box = with_room_for_tiles(canvas, room, *scene.beside).first;
    at_angle = std::min(at_angle, scale_at_an_angle(canvas, other_box, others));
    in_row = std::min(in_row, scale_in_a_row(canvas, other_box, others));
  }
  const float much_larger =
      canvas.style().min_text > 0 ? 1.1f : 1.5f;  // The angle shows more than a row does, from near by
  const bool row = in_row > much_larger * at_angle;
  if ((row ? in_row : at_angle) <= 0) return;
  const ProductPlaces places =
      row ? places_in_a_row(canvas, box, shapes, in_row) : places_at_an_angle(canvas, box, shapes, at_angle);
  const Rect box_a = places.a, box_b = places.b, box_c = places.c;
  const Tiling& tiling = scene.tiling;
  const auto below = [&](Rect matrix) {
    return Rect{matrix.x - places.aside, matrix.bottom(), matrix.width + 2 * places.aside, label};
  };
  const auto is_padded = [](const Buffer& matrix, std::uint64_t of_rows, std::uint64_t of_columns) {
    return of_rows != 0 && of_columns != 0 && (matrix.rows > of_rows || matrix.columns > of_columns);
  };
  draw_matrix(canvas, scene, product.a, box_a, below(box_a), tiling.rows, tiling.depth,
              is_padded(a, recording.m, recording.p));
  draw_matrix(canvas, scene, product.b, box_b, below(box_b), tiling.depth, tiling.columns,
              is_padded(b, recording.p, recording.n), product.b_transposed);
  draw_matrix(canvas, scene, product.c, box_c, below(box_c), tiling.rows, tiling.columns,
              is_padded(c, recording.m, recording.n));
  offer_blocks(canvas, box_c, recording, c, tiling);
  if (const ElementBox written = scene.follower.written_by(recording, scene.moment.event_block, product.c);
      !written.empty()) {
    const Rect tile = draw_area(
        canvas, box_c,
        {.recording = &recording, .buffer = product.c, .footprint = &scene.footprints[product.c]}, written);
    const bool narrow =
        std::min(tile.width, tile.height) <= canvas.px(3);  // Then around the frame of what is touched now
    canvas.outline(inset(tile, narrow ? -canvas.px(3) : 0), buffer_colour(canvas.palette(), product.c), 1.5f);
  }

  // k runs along A's rows and down B's columns.
  const TextLook look = canvas.muted(kSmallSize, Align::centre);
  if (box_a.width > canvas.px(40)) {
    const float y = box_a.y - axis / 2;
    const Rect k = canvas.text({box_a.x + canvas.px(4), y}, "k", look);
    draw_arrow(canvas, {k.right() + canvas.px(4), y},
               {box_a.x + std::min(box_a.width, canvas.px(70)) - canvas.px(4), y});
  }
  if (box_b.height > canvas.px(40)) {
    const float x = box_b.x - axis / 2;
    const Rect k = canvas.text({x, box_b.y + canvas.px(5)}, "k", look);
    draw_arrow(canvas, {x, k.bottom() + canvas.px(2)},
               {x, box_b.y + std::min(box_b.height - canvas.px(6), canvas.px(70))});
  }
  Rect corner = places.corner;
  const std::uint64_t depth =
      tiling.depth != 0 ? tiling.depth
                        : tiling.rows;  // Of what runs along k one by one, a part as long as it is high
  const std::array<Drawn, 3> matrices{Drawn{product.a, box_a, a, tiling.rows, depth},
                                      Drawn{product.b, box_b, b, depth, tiling.columns, product.b_transposed},
                                      Drawn{product.c, box_c, c, tiling.rows, tiling.columns}};
  const bool below_all = corner.y >= box_c.bottom(),
             room_for_lens = !below_all || corner.height >= box_c.height;
  const auto lens = room_for_lens ? draw_lens_of_any(canvas, corner, scene, matrices) : std::nullopt;
  if (lens) static_cast<void>(cut_left(corner, lens->right() + gap - corner.x));
  const std::vector<LegendShade> shades =
      legend_shades(canvas.palette(), {product.a, product.b}, {product.c});
  if (below_all) {
    if (corner.height >= canvas.px(kTileLegendRow))
      draw_tile_legend_row(canvas, cut_top(corner, canvas.px(kTileLegendRow)), shades);
  } else {
    draw_tile_legend(canvas, corner, shades);
  }
}

/// The buffer with the extents for which there has to be room where that of the same name stands beside it.
Buffer with_buffer_beside(Buffer buffer, const Recording* beside) {
  if (beside == nullptr) return buffer;
  const auto other = std::ranges::find(beside->buffers, buffer.name, &Buffer::name);
  if (other == beside->buffers.end()) return buffer;
  buffer.rows = std::max(buffer.rows, other->rows);
  buffer.columns = std::max(buffer.columns, other->columns);
  return buffer;
}

/// One buffer of a kernel that is no matrix product, to scale, its name above it.
void draw_buffer(Canvas& canvas, Rect slot, const Scene& scene, std::uint32_t buffer) {
  const Recording& recording = *scene.moment.recording;
  const Buffer& described = recording.buffers[buffer];
  const Rect name = cut_top(slot, canvas.px(18));
  static_cast<void>(cut_bottom(slot, canvas.px(8)));
  const Buffer larger = with_buffer_beside(described, scene.beside);
  if (described.rows <= 1) {
    slot.height = std::min(slot.height, canvas.px(80));
    slot.width *= static_cast<float>(described.columns) / static_cast<float>(larger.columns);
  } else {
    const float scale = std::min(slot.width / static_cast<float>(larger.columns),
                                 slot.height / static_cast<float>(larger.rows));
    slot.width = static_cast<float>(described.columns) * scale;
    slot.height = static_cast<float>(described.rows) * scale;
  }
  draw_matrix_map(canvas, slot,
                  {.recording = &recording, .buffer = buffer, .footprint = &scene.footprints[buffer]},
                  scene.touched, scene.highlight);
  const ElementBox now = scene.footprints[buffer].now();
  const std::string size = described.rows > 1 ? size_name(described.name, described)
                                              : tr_n(described.columns, "{buffer}: {n} element",
                                                     "{buffer}: {n} elements", "buffer"_a = described.name);
  const std::string touched = now.empty() ? size : analysis::box_name(described, now);
  canvas.fitted(
      name,
      {now.empty() ? size : tr("{buffer}, now {elements}", "buffer"_a = size, "elements"_a = touched),
       touched, size, described.name},
      canvas.muted());
}

/// Matrices side by side, else one buffer below the other.
void draw_buffers(Canvas& canvas, Rect box, const Scene& scene) {
  std::vector<std::uint32_t> shown;
  bool matrices = true;
  for (std::uint32_t buffer = 0; buffer < scene.moment.recording->buffers.size(); ++buffer) {
    const Buffer& described = scene.moment.recording->buffers[buffer];
    if (described.columns == 0) continue;
    shown.push_back(buffer);
    matrices = matrices && described.rows > 1;
  }
  if (!shown.empty() && box.height >= canvas.px(120)) {
    draw_tile_legend_row(canvas, cut_bottom(box, canvas.px(kTileLegendRow)),
                         legend_shades(canvas.palette(), shown, shown));
  }
  const float min = canvas.px(40), gap = canvas.px(14),
              count = static_cast<float>(std::max<std::size_t>(1, shown.size()));
  const float width = (box.width - gap * (count - 1)) / count, height = std::max(box.height / count, min);
  for (const std::uint32_t buffer : shown) {
    if (box.height < min || box.width < min)
      return;  // No room left: the pointed-at phase is still told in words
    const Rect slot = matrices ? cut_left(box, width) : cut_top(box, height);
    if (matrices) static_cast<void>(cut_left(box, gap));
    draw_buffer(canvas, slot, scene, buffer);
  }
}

/// "Tile 6 fills shared memory from A[96..127][32..63] and B[32..63][64..95]."
std::string phase_sentence(const Scene& scene, const std::vector<analysis::PhaseKind>& kinds) {
  const analysis::PhaseKind kind = kinds[scene.moment.phase];
  const Recording& recording = *scene.moment.recording;
  std::vector<std::string> read, written, held;
  for (std::size_t b = 0; b < scene.footprints.size(); ++b) {
    const analysis::BufferFootprint& footprint = scene.footprints[b];
    if (!footprint.read_now.empty())
      read.push_back(analysis::box_name(recording.buffers[b], footprint.read_now));
    if (!footprint.written_now.empty())
      written.push_back(analysis::box_name(recording.buffers[b], footprint.written_now));
    if (!footprint.held_now.empty())
      held.push_back(analysis::box_name(recording.buffers[b], footprint.held_now));
  }
  const std::string phase = name_in_sentence(recording, kinds, scene.moment.phase);
  if (kind == analysis::PhaseKind::write && analysis::counts_tiles(kinds) && !written.empty() &&
      read.empty()) {
    return tr("Results are written to {written}", "written"_a = list_in_words(written));
  }
  if (kind == analysis::PhaseKind::fill && !read.empty()) {
    return tr("{phase} fills shared memory from {elements}", "phase"_a = phase,
              "elements"_a = list_in_words(read));
  }
  if (kind == analysis::PhaseKind::compute_and_fill && written.empty() && !read.empty() && !held.empty()) {
    return tr("{phase} computes from shared memory: {held}; for a later tile it fetches {read}",
              "phase"_a = phase, "held"_a = list_in_words(held), "read"_a = list_in_words(read));
  }
  const bool computes = kind == analysis::PhaseKind::compute || kind == analysis::PhaseKind::compute_and_fill;
  if (computes && written.empty()) return computing_phase_in_words(phase, read, held);
  return global_accesses_in_words(phase, read, written);
}

/// What the access costs, what it is, which launched lanes do not make it, and what ends the phase.
void draw_access(Canvas& canvas, Rect row, const Scene& scene) {
  const Recording& recording = *scene.moment.recording;
  const bool last = scene.moment.phase + 1 >= recording.phases.size();
  const std::string end = !recording.phases_are_barriers ? std::string()
                          : last                         ? tr("the block ends after this phase")
                                                         : tr("a barrier ends this phase");
  if (!scene.event) {
    canvas.fitted(row,
                  {tr("warp {warp} makes no access in this phase", "warp"_a = scene.moment.warp) +
                   (end.empty() ? "" : " · " + end)},
                  canvas.muted());
    return;
  }
  const AccessCost cost = analysis::access_cost(scene.moment.access(*scene.event), scene.moment.cc);
  const bool shared = scene.moment.site_of(*scene.event).space == Space::shared;
  const std::uint64_t count = shared ? cost.wavefronts : cost.sectors,
                      ideal = shared ? cost.ideal_wavefronts : cost.ideal_sectors;
  const std::string figure = shared ? tr_n(count, "{n} wavefront", "{n} wavefronts")
                                    : analysis::counted_transactions(count, scene.moment.cc);
  const bool has_lanes = !is_of_pieces(scene.moment.site_of(*scene.event).op);
  const std::uint32_t idle =
      has_lanes ? launched_lanes(recording, scene.moment.warp) & ~recording.events.mask[*scene.event] : 0;
  const std::string switched_off =
      idle == 0 ? std::string() : tr("{lanes} out of range or switched off", "lanes"_a = lanes_name(idle));
  const Term unit = shared                                                      ? Term::wavefronts
                    : analysis::memory_rules_of(scene.moment.cc).counts_sectors ? Term::sectors
                                                                                : Term::transactions;
  draw_figure(canvas, row, {figure, meaning_of(unit)}, count > ideal,
              {{tr("ideal {count}", "count"_a = ideal), meaning_of(Term::ideal)},
               access_name(scene.moment, *scene.event),
               switched_off,
               end});
}
}  // namespace

Picture make_tile_phases(const Moment& moment, const std::vector<analysis::PhaseKind>& kinds,
                         const Highlight& highlight, Size size, const Style& style, const Recording* beside,
                         analysis::PhaseFollower* follower) {
  const Recording& recording = *moment.recording;
  if (recording.events.size() == 0 || moment.event_block >= recording.event_blocks.size())
    return no_events_picture(tr("Tile phases"), size, style);
  analysis::PhaseFollower own;
  analysis::PhaseFollower& followed = follower != nullptr ? *follower : own;
  const std::shared_ptr<const analysis::PhaseState> state =
      followed.at(recording, moment.event_block, moment.phase);
  Scene scene{moment, highlight, state->shared, state->footprints, followed, moment.event(), {}, {}, beside};
  if (scene.event) scene.touched = touched_elements(moment, *scene.event, scene.shared);
  const std::optional<Product> product = product_of(recording);

  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Tile phases"),
              fmt::format("{} · {}", analysis::phase_in_words(kinds, moment.phase), moment.block_name()));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, phase_sentence(scene, kinds), kSentenceEms);
  if (size.height >= canvas.px(180))
    draw_access(canvas, cut_bottom(rest, figure_height(canvas, size.height)), scene);
  if (product) scene.tiling = tiling_of(recording, *product, kinds, followed);
  const auto [matrices, tiles] = with_room_for_tiles(canvas, rest, recording);
  if (tiles.width > 0) draw_shared_tiles(canvas, tiles, moment, scene.shared, scene.event, highlight, beside);
  if (product) {
    draw_product(canvas, matrices, rest, scene, *product);
  } else {
    draw_buffers(canvas, matrices, scene);
  }
  return canvas.take();
}

}  // namespace warplens::picture
