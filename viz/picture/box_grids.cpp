#include "viz/picture/box_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/reuse.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_painter.h"

namespace warplens::picture {
namespace {

using analysis::TensorBox;

constexpr std::uint32_t kPiece = kBoxPieceBytes, kLineBytes = 128, kSectorBytes = 32, kBankBytes = 4,
                        kBanks = 32, kPiecesOfLine = kLineBytes / kPiece;
constexpr float kTallestRow = 26, kWidestPiece = 70, kNamesOfRows = 118;

std::uint32_t bank_of(std::uint32_t address) {
  return address / kBankBytes % kBanks;
}

/// "[64][128 to 135]": the elements of a piece, the outermost coordinate first.
std::string piece_name(const TensorBox& box, std::size_t piece) {
  const TensorMap& map = box.copy().map;
  const std::uint32_t elements = kPiece / map.element_bytes();
  const auto at = box.coordinates(box.pieces()[piece].row);
  std::string name;
  for (std::size_t d = map.rank - 1; d > 0; --d) name += fmt::format("[{}]", at.at(d));
  const std::int64_t first =
      at[0] + static_cast<std::int64_t>(piece % box.pieces_of_row()) * std::int64_t{elements};
  return name + fmt::format("[{}\u2013{}]", first, first + elements - 1);
}

/// What of a piece is not in the tensor, in words; empty: nothing.
std::string outside_in_words(const BoxShown& shown, const BoxPiece& piece) {
  const std::uint32_t outside = kPiece - (piece.end - piece.begin);
  if (outside == 0) return {};
  if (!shown.is_load) return tr("{bytes} bytes outside the tensor: not written", "bytes"_a = outside);
  return shown.box.copy().map.fills_with_nan
             ? tr("{bytes} bytes outside the tensor: filled with NaN", "bytes"_a = outside)
             : tr("{bytes} bytes outside the tensor: filled with zeros", "bytes"_a = outside);
}

std::string piece_in_words(const BoxShown& shown, std::size_t piece) {
  const BoxPiece& of = shown.box.pieces()[piece];
  const std::uint32_t plain = shown.box.plain_address(piece), bank = bank_of(of.shared);
  std::string text = tr("{elements} in shared memory at {address}, banks {first} to {last}",
                        "elements"_a = piece_name(shown.box, piece), "address"_a = hexadecimal(of.shared),
                        "first"_a = bank, "last"_a = bank + kPiece / kBankBytes - 1);
  if (plain != of.shared)
    text += "\n" + tr("without the swizzle at {address}, banks {first} to {last}",
                      "address"_a = hexadecimal(plain), "first"_a = bank_of(plain),
                      "last"_a = bank_of(plain) + kPiece / kBankBytes - 1);
  if (const std::string outside = outside_in_words(shown, of); !outside.empty()) text += "\n" + outside;
  return text;
}

Target word_of(const BoxShown& shown, const BoxPiece& piece) {
  return {Target::Kind::shared_word, (piece.shared - shown.moment.recording->shared_base) / kBankBytes};
}

/// The bytes of a piece within its cell.
Rect part_of(Rect cell, std::uint32_t begin, std::uint32_t end) {
  const float of_byte = cell.width / static_cast<float>(kPiece);
  return {cell.x + of_byte * static_cast<float>(begin), cell.y, of_byte * static_cast<float>(end - begin),
          cell.height};
}

/// Draws a piece in the colour of its banks, with a number.
void draw_piece(Canvas& canvas, Rect cell, const BoxShown& shown, std::size_t piece, std::uint32_t number) {
  const Palette& palette = canvas.palette();
  const BoxPiece& of = shown.box.pieces()[piece];
  const Colour colour = bank_colour(palette, bank_of(of.shared));
  if (of.begin != of.end) canvas.fill(part_of(cell, of.begin, of.end), colour);
  const auto draw_outside = [&](std::uint32_t begin, std::uint32_t end) {
    if (begin == end) return;
    const Rect part = part_of(cell, begin, end);
    canvas.fill(part, palette.header);
    canvas.hatch(part, palette.muted, canvas.px(4));
  };
  draw_outside(0, of.begin);
  draw_outside(of.end, kPiece);
  const bool is_whole = of.begin == 0 && of.end == kPiece;
  if (const auto look = lane_number_look(canvas, colour, inset(cell, canvas.px(1)), "000"); look && is_whole)
    canvas.fitted(cell, {std::to_string(number)}, *look);
  if (!shown.lit || shown.lit->piece != piece) return;
  canvas.outline(cell, palette.text, 2);
  Rect lit = part_of(cell, shown.lit->begin, shown.lit->end);
  canvas.fill(cut_bottom(lit, std::min(canvas.px(3), cell.height / 4)), palette.text);
}

/// A place on the box stands for elements of a buffer, where there is one; else for words of shared memory.
void add_regions(Canvas& canvas, Rect cell, const BoxShown& shown, std::size_t piece) {
  const BoxPiece& of = shown.box.pieces()[piece];
  const std::string tooltip = piece_in_words(shown, piece);
  canvas.grid_region(cell, 1, kPiece / kBankBytes, word_of(shown, of), tooltip);
  if (of.begin == of.end) return;
  const std::uint32_t bytes = shown.box.copy().map.element_bytes();
  analysis::ElementPlace first;
  const Recording& recording = *shown.moment.recording;
  if (!analysis::locate(recording, of.global + of.begin, first)) return;
  const Buffer& buffer = recording.buffers[first.buffer];
  const std::uint64_t elements = static_cast<std::uint64_t>(of.end - of.begin) / bytes;
  if (static_cast<std::uint32_t>(size_of(buffer.type)) != bytes || first.column + elements > buffer.columns)
    return;
  // The column of the cell that is pointed at follows.
  const std::string row = buffer.rows > 1 ? fmt::format("[{}]", first.row) : std::string();
  canvas.grid_region(part_of(cell, of.begin, of.end), 1, elements,
                     {Target::Kind::element, first.buffer, static_cast<std::int64_t>(first.row),
                      static_cast<std::int64_t>(first.column)},
                     tooltip + "\n" + buffer.name + row);
}

/// Whether the first piece of a row is the second half of a sector, and the last one a first half.
bool begins_in_sector(const BoxPiece& piece) {
  return piece.global % kSectorBytes != 0;
}
bool ends_in_sector(const BoxPiece& piece) {
  return (piece.global + kPiece) % kSectorBytes != 0;
}

struct RowPieces {
  std::size_t first = 0, last = 0;
};
RowPieces pieces_of(const TensorBox& box, std::uint32_t row) {
  const std::size_t first = std::size_t{row} * box.pieces_of_row();
  return {first, first + box.pieces_of_row() - 1};
}

/// Whether a row is the first with its coordinates beyond the two innermost.
bool begins_plane(const TensorBox& box, std::uint32_t row) {
  return box.copy().map.rank > 2 && row % box.copy().map.box_elements(1) == 0;
}

/// The place of the name of a row, which may be lower than its name.
Rect row_name_box(const Canvas& canvas, Rect names, float y, float height) {
  const float own = std::max(height, canvas.px(kTinySize) * 1.2f);
  return {names.x, y + (height - own) / 2, names.width, own};
}

}  // namespace

std::optional<LitBytes> lit_bytes(const Moment& moment, const TensorBox& box, const Highlight& highlight) {
  const Recording& recording = *moment.recording;
  if (highlight.shared_word) {
    const std::uint32_t address = *highlight.shared_word * kBankBytes + recording.shared_base;
    if (const auto piece = box.piece_in_shared(address))
      return LitBytes{*piece, address % kPiece, address % kPiece + kBankBytes};
  }
  if (!highlight.element || highlight.element->buffer >= recording.buffers.size()) return std::nullopt;
  const Buffer& buffer = recording.buffers[highlight.element->buffer];
  const auto bytes = static_cast<std::uint32_t>(size_of(buffer.type));
  const std::uint64_t address =
      buffer.base + (highlight.element->row * buffer.pitch + highlight.element->column) * bytes;
  const auto piece = box.piece_in_global(address);
  if (!piece) return std::nullopt;
  const auto begin = static_cast<std::uint32_t>(address - box.pieces()[*piece].global);
  return LitBytes{*piece, begin, std::min(begin + bytes, kPiece)};
}

BoxPage box_page(const TensorBox& box, std::optional<std::size_t> piece, std::uint32_t most_rows,
                 std::uint32_t most_lines) {
  constexpr std::uint32_t kPatternBytes = 1024;  // After which swizzles repeat
  const std::uint32_t pitch = box.pitch();
  const std::uint32_t unit =
      std::lcm(box.copy().map.swizzle == TensorSwizzle::none ? kLineBytes : kPatternBytes, pitch);
  const std::uint32_t most = std::max(std::min(most_rows * pitch, most_lines * kLineBytes) / unit, 1u) * unit;
  const std::uint32_t all = (box.shared_bytes() + unit - 1) / unit * unit, bytes = std::min(most, all);
  const std::uint32_t at = piece ? box.pieces()[*piece].row * pitch / bytes * bytes : 0;
  const std::uint32_t end = std::min(at + bytes, box.shared_bytes());
  return {.first_row = at / pitch,
          .rows = (end - at) / pitch,
          .first_line = at / kLineBytes,
          .lines = (end - at + kLineBytes - 1) / kLineBytes};
}

std::string coordinates_name(const TensorBox& box, std::uint32_t row) {
  const auto at = box.coordinates(row);
  std::string name;
  for (std::size_t d = box.copy().map.rank; d-- > 0;)
    name += (name.empty() ? "" : ", ") + std::to_string(at.at(d));
  return "[" + name + "]";
}

void draw_box_rows(Canvas& canvas, Rect box, const BoxShown& shown) {
  const Palette& palette = canvas.palette();
  const TensorBox& of = shown.box;
  const std::uint32_t end = shown.page.first_row + shown.page.rows;
  bool has_lead = false, has_trail = false;
  for (std::uint32_t row = shown.page.first_row; row < end; ++row) {
    const auto [first, last] = pieces_of(of, row);
    has_lead = has_lead || begins_in_sector(of.pieces()[first]);
    has_trail = has_trail || ends_in_sector(of.pieces()[last]);
  }
  const float height = std::min(box.height / static_cast<float>(shown.page.rows), canvas.px(kTallestRow));
  Rect names = cut_left(box, std::min(canvas.px(kNamesOfRows), box.width * 0.25f));
  names.width -= canvas.px(6);
  const auto columns = static_cast<float>(of.pieces_of_row() + (has_lead ? 1 : 0) + (has_trail ? 1 : 0));
  const float width = std::min(box.width / columns, canvas.px(kWidestPiece)), gap = canvas.px(0.75f);
  const float first_x = box.x + (has_lead ? width : 0);
  const bool has_names = height >= canvas.px(kTinySize) * 0.9f;
  const auto every = static_cast<std::uint32_t>(has_names ? 1 : 8);
  for (std::uint32_t row = shown.page.first_row; row < end; ++row) {
    const float y = box.y + height * static_cast<float>(row - shown.page.first_row);
    if ((row - shown.page.first_row) % every == 0)
      canvas.fitted(row_name_box(canvas, names, y, height), {coordinates_name(of, row)},
                    canvas.muted(kTinySize, Align::right));
    if (row != shown.page.first_row && begins_plane(of, row))
      canvas.line({names.x, y}, {box.right(), y}, palette.muted, 1);
    const auto [first, last] = pieces_of(of, row);
    const auto draw_unused = [&](float x) {
      const Rect cell = inset({x, y, width, height}, gap, gap / 2);
      canvas.hatch(cell, palette.costly, canvas.px(4));
      canvas.region(cell, {}, tr("The other half of a sector of 32 bytes: moved, and not used"));
    };
    const auto is_inside = [&](std::size_t piece) {
      return of.pieces()[piece].begin != of.pieces()[piece].end;
    };
    if (begins_in_sector(of.pieces()[first]) && is_inside(first)) draw_unused(first_x - width);
    if (ends_in_sector(of.pieces()[last]) && is_inside(last))
      draw_unused(first_x + width * static_cast<float>(of.pieces_of_row()));
    for (std::size_t piece = first; piece <= last; ++piece) {
      const Rect whole{first_x + width * static_cast<float>(piece - first), y, width, height};
      // The pieces of a sector touch each other.
      const float left = begins_in_sector(of.pieces()[piece]) ? 0 : gap,
                  right = ends_in_sector(of.pieces()[piece]) ? 0 : gap;
      const Rect cell{whole.x + left, whole.y + gap / 2, std::max(whole.width - left - right, 0.0f),
                      std::max(whole.height - gap, 0.0f)};
      draw_piece(canvas, cell, shown, piece, bank_of(of.pieces()[piece].shared));
      add_regions(canvas, whole, shown, piece);
      const bool is_between = is_inside(piece) || (piece > first && is_inside(piece - 1));
      if (is_between && of.pieces()[piece].global % kLineBytes == 0)
        canvas.line({whole.x, whole.y}, {whole.x, whole.bottom()}, palette.text, 1.5f);
    }
    const Rect end_of_row{first_x + width * static_cast<float>(of.pieces_of_row()), y, 0, height};
    if (is_inside(last) && (of.pieces()[last].global + kPiece) % kLineBytes == 0)
      canvas.line({end_of_row.x, y}, {end_of_row.x, y + height}, palette.text, 1.5f);
  }
}

void draw_shared_lines(Canvas& canvas, Rect box, const BoxShown& shown, bool is_swizzled) {
  const TensorBox& of = shown.box;
  const Palette& palette = canvas.palette();
  const BoxPage& page = shown.page;
  Rect header = cut_top(box, canvas.px(15));
  Rect names = cut_left(box, std::min(canvas.px(kNamesOfRows), box.width * 0.25f));
  static_cast<void>(cut_left(header, names.width));
  names.width -= canvas.px(6);
  const float height = std::min(box.height / static_cast<float>(page.lines), canvas.px(kTallestRow));
  const float width = std::min(box.width / kPiecesOfLine, canvas.px(kWidestPiece)), gap = canvas.px(0.75f);
  canvas.fitted({names.x, header.y, names.width, header.height}, {tr("bank")},
                canvas.muted(kTinySize, Align::right));
  const TextLook look = canvas.muted(kTinySize, Align::centre);
  const bool has_ranges = canvas.width_of("28\u201331", look) <= width,
             has_numbers = canvas.width_of("28", look) <= width;
  for (std::uint32_t k = 0; has_numbers && k < kPiecesOfLine; ++k) {
    const std::string bank = std::to_string(4 * k), range = fmt::format("{}\u2013{}", bank, 4 * k + 3);
    canvas.fitted({header.x + width * static_cast<float>(k), header.y, width, header.height},
                  {has_ranges ? range : bank}, look);
  }
  const std::uint32_t base = of.copy().shared / kLineBytes + page.first_line;
  const auto every = static_cast<std::uint32_t>(height >= canvas.px(kTinySize) * 0.9f ? 1 : 8);
  for (std::uint32_t line = 0; line < page.lines; ++line) {
    const float y = box.y + height * static_cast<float>(line);
    canvas.fill(inset({box.x, y, width * kPiecesOfLine, height}, gap, gap / 2), palette.header);
    if (line % every != 0) continue;
    const std::string address = hexadecimal(std::uint64_t{base + line} * kLineBytes);
    canvas.fitted(row_name_box(canvas, names, y, height), {address}, canvas.muted(kTinySize, Align::right));
  }
  const std::uint32_t elements = kPiece / of.copy().map.element_bytes();
  const std::size_t first = pieces_of(of, page.first_row).first,
                    end = first + std::size_t{page.rows} * of.pieces_of_row();
  for (std::size_t piece = first; piece < end; ++piece) {
    const std::uint32_t address = is_swizzled ? of.pieces()[piece].shared : of.plain_address(piece);
    const std::uint32_t in_line = address % kLineBytes / kPiece, line = address / kLineBytes - base;
    const Rect whole{box.x + width * static_cast<float>(in_line), box.y + height * static_cast<float>(line),
                     width, height};
    const auto column = static_cast<std::uint32_t>(piece % of.pieces_of_row()) * elements;
    draw_piece(canvas, inset(whole, gap, gap / 2), shown, piece, column);
    canvas.grid_region(whole, 1, kPiece / kBankBytes, word_of(shown, of.pieces()[piece]),
                       piece_in_words(shown, piece));
  }
}

}  // namespace warplens::picture
