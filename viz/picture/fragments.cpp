#include "viz/picture/fragments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/picture/element_terms.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::MatrixInstruction;

constexpr float kGapBetweenMatrices = 26, kHighEnoughForStrip = 260, kWideEnoughForTerms = 620,
                kHighEnoughForTerms = 560, kTermsBeside = 0.44f, kTermsBelow = 0.42f;
constexpr float kWidestCell = 2.6f, kHighestCell = 34, kLowestMatrixCell = 11;

std::size_t rows_in_all(const tensor::Fragment& fragment) {
  return std::size_t{fragment.rows} * fragment.matrices;
}

/// What is pointed at, as far as it is of this instruction.
struct Lit {
  std::optional<MatrixElement> element;
  std::optional<int> lane;
};
Lit lit(const MatrixInstruction& instruction, const Highlight& highlight) {
  Lit lit{.element = highlight.matrix_element, .lane = highlight.lane};
  if (lit.element) {
    const bool exists = lit.element->matrix < instruction.matrices.size() &&
                        lit.element->row < rows_in_all(instruction.matrices[lit.element->matrix].fragment) &&
                        lit.element->column < instruction.matrices[lit.element->matrix].fragment.columns;
    if (!exists) lit.element.reset();
  }
  if (lit.element) {
    const tensor::Fragment& fragment = instruction.matrices[lit.element->matrix].fragment;
    lit.lane = static_cast<int>(analysis::place_of(fragment, lit.element->row, lit.element->column).lane);
  }
  return lit;
}

class MatrixPainter {
 public:
  MatrixPainter(Canvas& canvas, const FragmentsShown& shown, Lit lit)
      : canvas_(canvas), shown_(shown), lit_(lit) {}

  void draw(Rect box, std::size_t matrix) {
    const tensor::Fragment& fragment = shown_.instruction->matrices[matrix].fragment;
    const std::size_t rows = rows_in_all(fragment), columns = fragment.columns;
    const float width = box.width / static_cast<float>(columns),
                height = box.height / static_cast<float>(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        const Rect cell{box.x + static_cast<float>(column) * width, box.y + static_cast<float>(row) * height,
                        width, height};
        draw_cell(cell, {static_cast<std::uint32_t>(matrix), static_cast<std::uint32_t>(row),
                         static_cast<std::uint32_t>(column)});
      }
    }
    if (fragment.matrices > 1) {  // Several products at once
      for (std::size_t k = 1; k < fragment.matrices; ++k) {
        const float y = box.y + static_cast<float>(k * fragment.rows) * height;
        canvas_.line({box.x, y}, {box.right(), y}, canvas_.palette().text, 2);
      }
    }
  }

 private:
  void draw_cell(Rect cell, const MatrixElement& element) {
    const Palette& palette = canvas_.palette();
    const MatrixInstruction& instruction = *shown_.instruction;
    const analysis::RegisterPlace place =
        analysis::place_of(instruction.matrices[element.matrix].fragment, element.row, element.column);
    const int lane = static_cast<int>(place.lane);
    const bool is_of_lane = lit_.lane == lane, is_bright = !lit_.lane || is_of_lane || takes_part(element);
    const Rect inside = inset(cell, std::min(canvas_.px(0.5f), cell.width / 12));
    const Colour colour = is_bright ? lane_colour(lane) : mixed(lane_colour(lane), palette.panel, 0.72f);
    canvas_.fill(inside, colour, 1);
    if (const auto look = lane_number_look(canvas_, colour, inset(inside, canvas_.px(1))))
      canvas_.fitted(inside, {std::to_string(lane)}, *look);
    if (is_of_lane) canvas_.outline(inside, palette.text, lit_.element == element ? 3 : 1.5f, 1);
    canvas_.region(cell,
                   {Target::Kind::matrix_element, std::int64_t{kWarpSize} * element.matrix + lane,
                    element.row, element.column},
                   tooltip(element, place));
  }

  /// Whether the element is multiplied with, or adds to, the one that is pointed at.
  [[nodiscard]] bool takes_part(const MatrixElement& element) const {
    if (!lit_.element || !shown_.instruction->is_product()) return false;
    const char from = shown_.instruction->matrices[lit_.element->matrix].name,
               to = shown_.instruction->matrices[element.matrix].name;
    const bool from_sum = from == 'C' || from == 'D', to_sum = to == 'C' || to == 'D';
    if (from == 'A') return (to_sum && element.row == lit_.element->row);
    if (from == 'B') return (to_sum && element.column == lit_.element->column);
    if (!from_sum) return false;
    return (to == 'A' && element.row == lit_.element->row) ||
           (to == 'B' && element.column == lit_.element->column);
  }

  [[nodiscard]] std::string tooltip(const MatrixElement& element,
                                    const analysis::RegisterPlace& place) const {
    const MatrixInstruction& instruction = *shown_.instruction;
    std::string text =
        tr("{element}: lane {lane}, {register}", "element"_a = element_name(instruction, element),
           "lane"_a = place.lane, "register"_a = register_name(instruction, element.matrix, place));
    if (shown_.execution == nullptr) return text;
    const auto bits =
        analysis::element_bits(instruction, *shown_.execution, element.matrix, element.row, element.column);
    if (!bits) return text;
    const tensor::RegisterMatrix& matrix = instruction.matrices[element.matrix];
    const int digits = std::max(1, matrix.fragment.element_bits / 4);
    const std::string hex = fmt::format("0x{:0{}x}", *bits, digits);
    return text + "\n" +
           (matrix.type == ptx::Type::b1
                ? hex
                : formatted("{:.9g} ({})", analysis::number_of(matrix.type, *bits), hex));
  }

  Canvas& canvas_;
  const FragmentsShown& shown_;
  Lit lit_;
};

/// "A · f16 · 16 x 16".
std::string matrix_title(const MatrixInstruction& instruction, std::size_t matrix) {
  const tensor::RegisterMatrix& of = instruction.matrices[matrix];
  const std::string size = fmt::format("{} × {}", rows_in_all(of.fragment), of.fragment.columns);
  if (of.name >= '0' && of.name <= '9')
    return tr("matrix {number}", "number"_a = std::string(1, of.name)) + " · " +
           std::string(ptx::name_of(of.type));
  return fmt::format("{} · {} · {}", of.name, ptx::name_of(of.type), size);
}

/// Cells of a size: as wide as there is room for, but no more than legible.
Size cell_size(const Canvas& canvas, Rect box, std::size_t columns, std::size_t rows) {
  const float width = box.width / static_cast<float>(columns), height = box.height / static_cast<float>(rows);
  const float high = std::min(height, canvas.px(kHighestCell));
  return {std::min(width, high * kWidestCell), std::min(high, width * 1.2f)};
}

/// What a lane holds: a row a register.
void draw_registers(Canvas& canvas, Rect box, const MatrixInstruction& instruction, int lane) {
  canvas.fitted(cut_top(box, canvas.px(18)), {tr("Lane {lane}", "lane"_a = lane)}, canvas.plain());
  std::size_t name = 0;
  for (std::size_t k = 0; k < instruction.matrices.size(); ++k) {
    const tensor::RegisterMatrix& matrix = instruction.matrices[k];
    for (std::size_t reg = 0; reg < matrix.registers.size(); ++reg, ++name) {
      std::string elements;
      for (std::size_t place = 0; place < matrix.fragment.places.size(); ++place) {
        const std::size_t row = place / matrix.fragment.columns, column = place % matrix.fragment.columns;
        const analysis::RegisterPlace at = analysis::place_of(matrix.fragment, row, column);
        if (static_cast<int>(at.lane) != lane || at.reg != reg) continue;
        elements += (elements.empty() ? "" : ", ") +
                    element_name(instruction, {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(row),
                                               static_cast<std::uint32_t>(column)});
      }
      const float height = canvas.px(15);
      if (box.height < height) return;
      canvas.fitted(cut_top(box, height),
                    {fmt::format("{}: {}", instruction.register_names[name], elements), elements},
                    canvas.muted());
    }
  }
}

/// Where A, B and D go: as a product is written, B above D and A beside it; where that makes cells too low,
/// in one row. C, which D is added to, lies as D.
struct ProductLayout {
  bool in_a_row = false;
  Size cell;
};
ProductLayout product_layout(const Canvas& canvas, Rect box, const tensor::Fragment& a,
                             const tensor::Fragment& b, const tensor::Fragment& d) {
  const float gap = canvas.px(kGapBetweenMatrices);
  const auto cells = [&](float gaps_x, float gaps_y, std::size_t columns, std::size_t rows) {
    const Rect room{0, 0, std::max(box.width - gaps_x * gap, 1.0f),
                    std::max(box.height - gaps_y * gap, 1.0f)};
    return cell_size(canvas, room, columns, rows);
  };
  const ProductLayout as_written{false, cells(1, 2, a.columns + std::max(b.columns, d.columns),
                                              rows_in_all(b) + std::max(rows_in_all(a), rows_in_all(d)))};
  const ProductLayout in_a_row{true, cells(2, 1, a.columns + b.columns + d.columns,
                                           std::max({rows_in_all(a), rows_in_all(b), rows_in_all(d)}))};
  const auto smaller_side = [](const Size& cell) { return std::min(cell.width, cell.height); };
  const bool is_low = smaller_side(as_written.cell) < canvas.px(kLowestMatrixCell);
  return is_low && smaller_side(in_a_row.cell) > smaller_side(as_written.cell) ? in_a_row : as_written;
}

void draw_factors(Canvas& canvas, Rect box, const FragmentsShown& shown, const Lit& lit) {
  const MatrixInstruction& instruction = *shown.instruction;
  const std::size_t a = *instruction.matrix('A'), b = *instruction.matrix('B'), d = *instruction.matrix('D');
  const tensor::Fragment &of_a = instruction.matrices[a].fragment, &of_b = instruction.matrices[b].fragment,
                         &of_d = instruction.matrices[d].fragment;
  const float gap = canvas.px(kGapBetweenMatrices);
  const ProductLayout layout = product_layout(canvas, box, of_a, of_b, of_d);
  const auto size_of = [&](const tensor::Fragment& fragment) {
    return Size{layout.cell.width * static_cast<float>(fragment.columns),
                layout.cell.height * static_cast<float>(rows_in_all(fragment))};
  };
  const auto place = [&](float x, float y, std::size_t matrix, const std::string& title) {
    const Size size = size_of(instruction.matrices[matrix].fragment);
    canvas.fitted({x, y - canvas.px(18), std::max(size.width, canvas.px(60)), canvas.px(16)},
                  {title, std::string(1, instruction.matrices[matrix].name)}, canvas.plain(kSmallSize));
    MatrixPainter(canvas, shown, lit).draw({x, y, size.width, size.height}, matrix);
  };
  const auto c = instruction.matrix('C');
  const bool c_is_d = c && instruction.matrices[*c].type == instruction.matrices[d].type;
  const std::string title_of_d =
      c_is_d ? tr("C and {d}", "d"_a = matrix_title(instruction, d)) : matrix_title(instruction, d);
  const float right_of_a = box.x + size_of(of_a).width + gap, top = box.y + gap;
  if (layout.in_a_row) {
    place(box.x, top, a, matrix_title(instruction, a));
    place(right_of_a, top, b, matrix_title(instruction, b));
    return place(right_of_a + size_of(of_b).width + gap, top, d, title_of_d);
  }
  const float below_b = top + size_of(of_b).height + gap;
  place(right_of_a, top, b, matrix_title(instruction, b));
  place(box.x, below_b, a, matrix_title(instruction, a));
  place(right_of_a, below_b, d, title_of_d);
  const Rect corner =
      inset({box.x, box.y, size_of(of_a).width, size_of(of_b).height}, canvas.px(2), canvas.px(6));
  if (lit.lane) return draw_registers(canvas, corner, instruction, *lit.lane);
  canvas.wrapped(
      corner,
      tr("D = A · B + C. The colour and the number of a cell are those of the lane that holds the element."),
      canvas.muted());
}

/// Beside each other; of ldmatrix and stmatrix with what each row is read from or written to.
void draw_side_by_side(Canvas& canvas, Rect box, const Moment& moment, const FragmentsShown& shown,
                       const Lit& lit) {
  const MatrixInstruction& instruction = *shown.instruction;
  const auto event = moment.event();
  const bool names_rows =
      event &&
      moment.recording->sites[moment.recording->events.site[*event]].instruction == instruction.instruction &&
      is_of_matrices(moment.site_of(*event).op);
  const std::size_t count = instruction.matrices.size(),
                    in_row = count == 4 && box.width < 2 * box.height ? 2 : count;
  const std::size_t in_column = (count + in_row - 1) / in_row;
  const float gap = canvas.px(14);
  const Size tile{(box.width + gap) / static_cast<float>(in_row) - gap,
                  (box.height + gap) / static_cast<float>(in_column) - gap};
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t across = k % in_row, down = k / in_row;
    Rect part{box.x + static_cast<float>(across) * (tile.width + gap),
              box.y + static_cast<float>(down) * (tile.height + gap), tile.width, tile.height};
    const Rect title = cut_top(part, canvas.px(18));
    canvas.fitted(title,
                  {fmt::format("{} · {}", matrix_title(instruction, k), instruction.register_names[k]),
                   matrix_title(instruction, k)},
                  canvas.plain(kSmallSize));
    const tensor::Fragment& fragment = instruction.matrices[k].fragment;
    const float names = names_rows ? std::min(canvas.px(120), part.width * 0.45f) : 0;
    const Rect labels = cut_left(part, names);
    const Size cell = cell_size(canvas, part, fragment.columns, rows_in_all(fragment));
    MatrixPainter(canvas, shown, lit)
        .draw({part.x, part.y, cell.width * static_cast<float>(fragment.columns),
               cell.height * static_cast<float>(rows_in_all(fragment))},
              k);
    if (!names_rows) continue;
    for (int row = 0; row < fragment.rows; ++row) {
      const int lane = static_cast<int>(8 * k) + row;
      if ((moment.recording->events.mask[*event] >> lane & 1) == 0) continue;
      const std::string place =
          shared_place_name(*moment.recording, lane_address(*moment.recording, *event, lane));
      canvas.fitted({labels.x, part.y + static_cast<float>(row) * cell.height, labels.width - canvas.px(4),
                     cell.height},
                    {tr("lane {lane}: {place}", "lane"_a = lane, "place"_a = place), place},
                    canvas.muted(kSmallSize, Align::right));
    }
  }
}

std::string sentence_of(const Moment& moment, const FragmentsShown& shown, const Lit& lit,
                        const Highlight& highlight) {
  const MatrixInstruction& instruction = *shown.instruction;
  const std::string values =
      shown.execution != nullptr ? std::string() : tr("What the registers held is not known.");
  if (!instruction.is_product()) {
    if (!lit.lane) return tr("Each cell is an element, in the colour of the lane that holds it.");
    std::string held;
    for (std::size_t k = 0; k < instruction.matrices.size(); ++k) {
      const tensor::Fragment& fragment = instruction.matrices[k].fragment;
      for (std::size_t row = 0; row < rows_in_all(fragment); ++row) {
        for (std::size_t column = 0; column < fragment.columns; ++column) {
          if (static_cast<int>(analysis::place_of(fragment, row, column).lane) != *lit.lane) continue;
          if (!held.empty()) held += ", ";
          held += element_name(instruction, {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(row),
                                             static_cast<std::uint32_t>(column)});
        }
      }
    }
    return tr("Lane {lane} holds {elements}.", "lane"_a = *lit.lane, "elements"_a = held);
  }
  const MatrixElement element = element_explained(instruction, highlight);
  const std::string sum = element_in_words(shown, element, moment.cc);
  return sum.empty() ? values : sum;
}

}  // namespace

FragmentsShown fragments_shown(const Moment& moment, const std::vector<MatrixInstruction>& instructions,
                               std::optional<std::size_t> chosen, const WarpMatrices* warp) {
  const auto event = moment.event();
  const std::size_t index = chosen && *chosen < instructions.size()
                                ? *chosen
                                : analysis::nearest_instruction(instructions, *moment.recording, event);
  FragmentsShown shown{.instruction = &instructions[index]};
  const bool is_of_warp = warp != nullptr && warp->warp == moment.warp &&
                          moment.event_block < moment.recording->event_blocks.size() &&
                          warp->block == moment.recording->event_blocks[moment.event_block];
  if (!is_of_warp) return shown;
  const std::uint32_t order = event ? moment.recording->events.order[*event] : 0;
  shown.execution = analysis::nearest_execution(*warp, shown.instruction->instruction, order);
  for (const MatrixExecution& execution : warp->executions) {
    if (execution.instruction != shown.instruction->instruction) continue;
    ++shown.of;
    if (&execution == shown.execution) shown.number = shown.of;
  }
  return shown;
}

std::string register_name(const MatrixInstruction& instruction, std::size_t matrix,
                          const analysis::RegisterPlace& place) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < matrix; ++k) first += instruction.matrices[k].registers.size();
  const std::string& name = instruction.register_names[first + place.reg];
  const std::uint32_t bits = instruction.matrices[matrix].fragment.element_bits;
  if (bits >= 32) return name;
  return tr("{register}, bits {first} to {last}", "register"_a = name, "first"_a = place.value * bits,
            "last"_a = (place.value + 1) * bits - 1);
}

std::string element_name(const MatrixInstruction& instruction, const MatrixElement& element) {
  const char name = instruction.matrices[element.matrix].name;
  if (name >= '0' && name <= '9')
    return tr("matrix {number} [{row}][{column}]", "number"_a = std::string(1, name), "row"_a = element.row,
              "column"_a = element.column);
  return fmt::format("{}[{}][{}]", name, element.row, element.column);
}

Picture make_fragments(const Moment& moment, const std::vector<MatrixInstruction>& instructions,
                       std::optional<std::size_t> chosen, const WarpMatrices* warp,
                       const Highlight& highlight, Size size, const Style& style) {
  if (instructions.empty()) {
    return empty_picture(tr("Fragments"), tr("This kernel has no instruction on matrices in registers."),
                         tr("Record one with mma, wmma or ldmatrix, such as mma_plain."), size, style);
  }
  const FragmentsShown shown = fragments_shown(moment, instructions, chosen, warp);
  const MatrixInstruction& instruction = *shown.instruction;
  const Lit lit_now = lit(instruction, highlight);
  Canvas canvas(size, roomy(style, size));
  std::string subtitle =
      instruction.line == 0 ? instruction.ptx.text.substr(0, instruction.ptx.text.find(' '))
                            : tr("line {line} · {opcode}", "line"_a = instruction.line,
                                 "opcode"_a = instruction.ptx.text.substr(0, instruction.ptx.text.find(' ')));
  if (shown.of != 0)
    subtitle += " · " + tr("warp {warp}, execution {number} of {count}", "warp"_a = moment.warp,
                           "number"_a = with_thousands(shown.number), "count"_a = with_thousands(shown.of));
  canvas.name(tr("Fragments"), std::move(subtitle));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(moment, shown, lit_now, highlight));
  if (rest.height >= canvas.px(kHighEnoughForStrip)) {
    Highlight of_lane = highlight;
    of_lane.lane = lit_now.lane;
    draw_lane_strip(canvas, rest, ~0u, of_lane);
    static_cast<void>(cut_top(rest, canvas.px(6)));
  }
  if (!instruction.is_product()) {
    draw_side_by_side(canvas, rest, moment, shown, lit_now);
    return canvas.take();
  }
  const bool beside = rest.width >= canvas.px(kWideEnoughForTerms),
             below = !beside && rest.height >= canvas.px(kHighEnoughForTerms);
  const Rect terms = beside  ? cut_right(rest, rest.width * kTermsBeside)
                     : below ? cut_bottom(rest, rest.height * kTermsBelow)
                             : Rect{};
  if (beside) static_cast<void>(cut_right(rest, canvas.px(16)));
  draw_factors(canvas, rest, shown, lit_now);
  if (beside || below)
    draw_element_terms(canvas, terms, shown, element_explained(instruction, highlight), moment.cc);
  return canvas.take();
}

}  // namespace warplens::picture
