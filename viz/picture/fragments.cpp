#include "viz/picture/fragments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/picture/element_terms.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_painter.h"
#include "viz/picture/warpgroup_matrices.h"

namespace warplens::picture {
namespace {

using analysis::MatrixInstruction;

constexpr float kGapBetweenMatrices = 26, kHighEnoughForStrip = 260, kWideEnoughForTerms = 620,
                kHighEnoughForTerms = 560, kTermsBeside = 0.44f, kTermsBelow = 0.42f;
constexpr float kWidestCell = 2.6f, kHighestMatrixCell = 34, kLowestMatrixCell = 11;
constexpr float kGapOfGrid = 14, kTitleHeight = 18;
constexpr float kNarrowestMatrixCell = 16, kHighEnoughForMap = 300;  // Of wgmma

/// "A · f16 · 16 x 16".
std::string matrix_title(const MatrixInstruction& instruction, std::size_t matrix) {
  const tensor::OperandMatrix& of = instruction.matrices[matrix];
  const std::string size = fmt::format("{} × {}", of.fragment.all_rows(), of.fragment.columns);
  if (of.name >= '0' && of.name <= '9')
    return tr("matrix {number}", "number"_a = std::string(1, of.name)) + " · " +
           std::string(ptx::name_of(of.type));
  return fmt::format("{} · {} · {}", of.name, ptx::name_of(of.type), size);
}

/// Returns the largest size of a cell that fits, up to kHighestMatrixCell.
Size cell_size(const Canvas& canvas, Rect box, std::size_t columns, std::size_t rows) {
  const float width = box.width / static_cast<float>(columns), height = box.height / static_cast<float>(rows);
  const float high = std::min(height, canvas.px(kHighestMatrixCell));
  return {std::min(width, high * kWidestCell), std::min(high, width * 1.2f)};
}

/// Lists the registers of a lane with their elements in the columns that are drawn.
void draw_registers(Canvas& canvas, Rect box, const FragmentsShown& shown, DrawnColumns drawn, int lane) {
  const MatrixInstruction& instruction = *shown.instruction;
  canvas.fitted(cut_top(box, canvas.px(18)), {tr("Lane {lane}", "lane"_a = lane)}, canvas.plain());
  for (std::size_t k = 0; k < instruction.matrices.size(); ++k) {
    if (instruction.matrices[k].descriptor) continue;
    const std::vector<analysis::MatrixPosition> held =
        analysis::elements_of_lane(instruction.matrices[k].fragment, lane);
    const bool is_wide = instruction.matrices[k].name != 'A';
    for (std::size_t reg = 0; reg < instruction.register_names[k].size(); ++reg) {
      std::string elements;
      for (const analysis::MatrixPosition& at : held) {
        if (at.reg != reg || (is_wide && !drawn.has(at.column))) continue;
        elements += (elements.empty() ? "" : ", ") +
                    element_name(shown, {static_cast<std::uint32_t>(k), at.row, at.column});
      }
      if (elements.empty()) continue;
      const float height = canvas.px(15);
      if (box.height < height) return;
      canvas.fitted(cut_top(box, height),
                    {fmt::format("{}: {}", instruction.register_names[k][reg], elements), elements},
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
                             const tensor::Fragment& b, const tensor::Fragment& d, DrawnColumns drawn) {
  const float gap = canvas.px(kGapBetweenMatrices);
  const auto cells = [&](float gaps_x, float gaps_y, std::size_t columns, std::size_t rows) {
    const Rect room{0, 0, std::max(box.width - gaps_x * gap, 1.0f),
                    std::max(box.height - gaps_y * gap, 1.0f)};
    return cell_size(canvas, room, columns, rows);
  };
  const ProductLayout as_written{false, cells(1, 2, std::size_t{a.columns} + drawn.count,
                                              b.all_rows() + std::max(a.all_rows(), d.all_rows()))};
  const ProductLayout in_a_row{true, cells(2, 1, std::size_t{a.columns} + 2 * drawn.count,
                                           std::max({a.all_rows(), b.all_rows(), d.all_rows()}))};
  const auto smaller_side = [](const Size& cell) { return std::min(cell.width, cell.height); };
  const bool is_low = smaller_side(as_written.cell) < canvas.px(kLowestMatrixCell);
  return is_low && smaller_side(in_a_row.cell) > smaller_side(as_written.cell) ? in_a_row : as_written;
}

/// Says what the colours and numbers stand for, and where matrices in shared memory lie.
void draw_key(Canvas& canvas, Rect box, const FragmentsShown& shown) {
  const auto& matrices = shown.instruction->matrices;
  std::vector<std::string> paragraphs{
      tr("D = A · B + C. The colour and the number of a cell are those of the lane that holds the element.")};
  if (std::ranges::any_of(matrices, [](const auto& matrix) { return matrix.descriptor.has_value(); }))
    paragraphs.push_back(tr("Blue cells lie in shared memory; their number is the bank."));
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    if (std::string words = shared_matrix_in_words(shown, k); !words.empty())
      paragraphs.push_back(std::move(words));
  }
  const TextLook look = canvas.muted();
  for (const std::string& paragraph : paragraphs) {
    const auto lines = static_cast<float>(canvas.lines_of(paragraph, box.width, look));
    canvas.wrapped(cut_top(box, lines * canvas.line_height(look.size)), paragraph, look);
    static_cast<void>(cut_top(box, canvas.px(3)));
  }
}

void draw_factors(Canvas& canvas, Rect box, const Moment& moment, const FragmentsShown& shown,
                  const MatrixHighlight& highlight) {
  const MatrixInstruction& instruction = *shown.instruction;
  const std::size_t a = *instruction.matrix('A'), b = *instruction.matrix('B'), d = *instruction.matrix('D');
  const tensor::Fragment &of_a = instruction.matrices[a].fragment, &of_b = instruction.matrices[b].fragment,
                         &of_d = instruction.matrices[d].fragment;
  const float gap = canvas.px(kGapBetweenMatrices);
  DrawnColumns drawn{0, of_d.columns};
  if (instruction.is_of_warpgroup) {
    const float room = (box.width - gap) / canvas.px(kNarrowestMatrixCell) - static_cast<float>(of_a.columns);
    drawn = drawn_columns(moment, shown, highlight, static_cast<std::uint32_t>(std::max(room, 0.0f)));
    if (box.height >= canvas.px(kHighEnoughForMap)) draw_warpgroup_map(canvas, box, moment, shown, drawn);
  }
  const ProductLayout layout = product_layout(canvas, box, of_a, of_b, of_d, drawn);
  const auto columns_of = [&](std::size_t matrix) {
    return matrix == a ? DrawnColumns{0, of_a.columns} : drawn;
  };
  const auto size_of = [&](std::size_t matrix) {
    return Size{layout.cell.width * static_cast<float>(columns_of(matrix).count),
                layout.cell.height * static_cast<float>(instruction.matrices[matrix].fragment.all_rows())};
  };
  const auto place = [&](float x, float y, std::size_t matrix, const std::string& title) {
    const Size size = size_of(matrix);
    const DrawnColumns columns = columns_of(matrix);
    const std::string name(1, instruction.matrices[matrix].name);
    const bool is_page = columns.count < instruction.matrices[matrix].fragment.columns;
    const std::string of_page = is_page ? " · " + columns_in_words(columns) : std::string();
    canvas.fitted({x, y - canvas.px(18), std::max(size.width, canvas.px(60)), canvas.px(16)},
                  {title + of_page, name + of_page, name}, canvas.plain(kSmallSize));
    MatrixPainter(canvas, moment, shown, highlight)
        .draw({x, y, size.width, size.height}, matrix, columns_of(matrix));
  };
  const auto c = instruction.matrix('C');
  const bool c_is_d = c && instruction.matrices[*c].type == instruction.matrices[d].type;
  const std::string title_of_d =
      c_is_d ? tr("C and {d}", "d"_a = matrix_title(instruction, d)) : matrix_title(instruction, d);
  const float right_of_a = box.x + size_of(a).width + gap, top = box.y + gap;
  if (layout.in_a_row) {
    place(box.x, top, a, matrix_title(instruction, a));
    place(right_of_a, top, b, matrix_title(instruction, b));
    return place(right_of_a + size_of(b).width + gap, top, d, title_of_d);
  }
  const float below_b = top + size_of(b).height + gap;
  place(right_of_a, top, b, matrix_title(instruction, b));
  place(box.x, below_b, a, matrix_title(instruction, a));
  place(right_of_a, below_b, d, title_of_d);
  const Rect corner = inset({box.x, box.y, size_of(a).width, size_of(b).height}, canvas.px(2), canvas.px(6));
  if (highlight.lane) return draw_registers(canvas, corner, shown, drawn, *highlight.lane);
  draw_key(canvas, corner, shown);
}

/// "%r5", "%r5 to %r12".
std::string names_of_registers(const MatrixInstruction& instruction, std::size_t matrix) {
  const std::vector<std::string>& names = instruction.register_names[matrix];
  return names.size() == 1 ? names.front()
                           : tr("{first} to {last}", "first"_a = names.front(), "last"_a = names.back());
}

/// Returns, by matrix and row, the places that the lanes of the selected ldmatrix or stmatrix address;
/// nothing if another instruction is selected.
std::vector<std::vector<std::string>> addressed_rows(const Moment& moment,
                                                     const MatrixInstruction& instruction) {
  std::vector<std::vector<std::string>> rows;
  const auto event = moment.event();
  if (!event) return rows;
  const Site& site = moment.site_of(*event);
  if (site.instruction != instruction.instruction || !is_of_matrices(site.op)) return rows;
  int lane = 0;
  for (const tensor::OperandMatrix& matrix : instruction.matrices) {
    auto& of_matrix = rows.emplace_back();
    for (int row = 0; row < matrix.fragment.rows; ++row, ++lane) {
      const bool is_active = (moment.recording->events.mask[*event] >> lane & 1) != 0;
      of_matrix.push_back(
          is_active ? shared_place_name(*moment.recording, lane_address(*moment.recording, *event, lane))
                    : std::string());
    }
  }
  return rows;
}

/// Where matrices lie that are drawn beside each other, so many in a row.
struct MatrixGrid {
  std::size_t in_row = 1;
  Size part;            ///< With the title and the names of rows
  float row_names = 0;  ///< Their width; 0: they do not fit
  Size cell;
};
MatrixGrid matrix_grid(const Canvas& canvas, Rect box, std::size_t count, std::size_t in_row,
                       const tensor::Fragment& fragment, float row_names) {
  const float gap = canvas.px(kGapOfGrid), title = canvas.px(kTitleHeight);
  const std::size_t in_column = (count + in_row - 1) / in_row;
  MatrixGrid grid{.in_row = in_row,
                  .part = {(box.width + gap) / static_cast<float>(in_row) - gap,
                           (box.height + gap) / static_cast<float>(in_column) - gap},
                  .row_names = std::min(row_names, box.width / static_cast<float>(in_row) * 0.5f),
                  .cell = {}};
  const auto cell_beside = [&](float names) {
    const Rect room{0, 0, std::max(grid.part.width - names, 0.0f), std::max(grid.part.height - title, 0.0f)};
    return cell_size(canvas, room, fragment.columns, fragment.all_rows());
  };
  grid.cell = cell_beside(grid.row_names);
  if (grid.cell.height < 0.9f * canvas.px(kSmallSize)) {
    grid.row_names = 0;
    grid.cell = cell_beside(0);
  }
  return grid;
}

/// Draws the matrices side by side; those of ldmatrix and stmatrix with the address of each row.
void draw_side_by_side(Canvas& canvas, Rect box, const Moment& moment, const FragmentsShown& shown,
                       const MatrixHighlight& highlight) {
  const MatrixInstruction& instruction = *shown.instruction;
  const std::vector<std::vector<std::string>> places = addressed_rows(moment, instruction);
  const auto row_name = [&](std::size_t matrix, std::size_t row) {
    return tr("lane {lane}: {place}", "lane"_a = 8 * matrix + row, "place"_a = places[matrix][row]);
  };
  const TextLook look = canvas.muted(kSmallSize, Align::right);
  float row_names = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    for (std::size_t row = 0; row < places[k].size(); ++row)
      row_names = std::max(row_names, canvas.width_of(row_name(k, row), look) + canvas.px(6));
  }
  const std::size_t count = instruction.matrices.size();
  MatrixGrid grid = matrix_grid(canvas, box, count, count, instruction.matrices[0].fragment, row_names);
  if (count == 4) {
    const MatrixGrid two = matrix_grid(canvas, box, count, 2, instruction.matrices[0].fragment, row_names);
    if (two.cell.width * two.cell.height > grid.cell.width * grid.cell.height) grid = two;
  }
  const float gap = canvas.px(kGapOfGrid);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t across = k % grid.in_row, down = k / grid.in_row;
    Rect part{box.x + static_cast<float>(across) * (grid.part.width + gap),
              box.y + static_cast<float>(down) * (grid.part.height + gap), grid.part.width, grid.part.height};
    canvas.fitted(cut_top(part, canvas.px(kTitleHeight)),
                  {fmt::format("{} · {}", matrix_title(instruction, k), names_of_registers(instruction, k)),
                   matrix_title(instruction, k)},
                  canvas.plain(kSmallSize));
    const tensor::Fragment& fragment = instruction.matrices[k].fragment;
    const Rect labels = cut_left(part, grid.row_names);
    MatrixPainter(canvas, moment, shown, highlight)
        .draw({part.x, part.y, grid.cell.width * static_cast<float>(fragment.columns),
               grid.cell.height * static_cast<float>(fragment.all_rows())},
              k, {0, fragment.columns});
    if (grid.row_names == 0) continue;
    for (std::size_t row = 0; row < places[k].size(); ++row) {
      if (places[k][row].empty()) continue;
      canvas.fitted({labels.x, part.y + static_cast<float>(row) * grid.cell.height,
                     labels.width - canvas.px(4), grid.cell.height},
                    {row_name(k, row), places[k][row]}, look);
    }
  }
}

/// Returns the sentence about loads and stores of matrices, which have no terms.
std::string sentence_of_copies(const FragmentsShown& shown, const MatrixHighlight& highlight) {
  const MatrixInstruction& instruction = *shown.instruction;
  if (!highlight.lane) return tr("Each cell is an element, in the colour of the lane that holds it.");
  std::string held;
  for (std::size_t k = 0; k < instruction.matrices.size(); ++k) {
    for (const analysis::MatrixPosition& at :
         analysis::elements_of_lane(instruction.matrices[k].fragment, *highlight.lane))
      held += (held.empty() ? "" : ", ") +
              element_name(shown, {static_cast<std::uint32_t>(k), at.row, at.column});
  }
  return tr("Lane {lane} holds {elements}.", "lane"_a = *highlight.lane, "elements"_a = held);
}

}  // namespace

FragmentsShown fragments_shown(const Moment& moment, const std::vector<MatrixInstruction>& instructions,
                               std::optional<std::size_t> chosen, const BlockDetails* warp) {
  const auto event = moment.event();
  const bool is_of_warp = warp != nullptr && warp->warp == moment.warp &&
                          moment.event_block < moment.recording->event_blocks.size() &&
                          warp->block == moment.recording->event_blocks[moment.event_block];
  const std::size_t index = chosen && *chosen < instructions.size()
                                ? *chosen
                                : analysis::nearest_instruction(instructions, *moment.recording, event,
                                                                is_of_warp ? warp : nullptr);
  FragmentsShown shown{.instruction = &instructions[index]};
  shown.rows_before = shown.instruction->rows_before(moment.warp);
  if (!is_of_warp) return shown;
  const std::uint32_t order = event ? moment.recording->events.order[*event] : 0;
  shown.execution = analysis::nearest_execution(*warp, shown.instruction->instruction, order);
  shown.more = warp->cut;
  for (const MatrixExecution& execution : warp->executions) {
    if (execution.instruction != shown.instruction->instruction) continue;
    ++shown.of;
    if (&execution == shown.execution) shown.number = shown.of;
  }
  return shown;
}

MatrixHighlight matrix_highlight(const MatrixInstruction& instruction, const Highlight& highlight) {
  const MatrixHighlight without{{}, highlight.lane, highlight.shared_word};
  const auto& element = highlight.matrix_element;
  if (!element || element->matrix >= instruction.matrices.size()) return without;
  const tensor::OperandMatrix& matrix = instruction.matrices[element->matrix];
  if (element->row >= matrix.fragment.all_rows() || element->column >= matrix.fragment.columns)
    return without;
  if (matrix.descriptor) return {element, {}, highlight.shared_word};
  const auto lane = static_cast<int>(analysis::place_of(matrix.fragment, element->row, element->column).lane);
  if (highlight.lane.value_or(lane) != lane) return without;
  return {element, lane, highlight.shared_word};
}

std::string register_name(const MatrixInstruction& instruction, std::size_t matrix,
                          const analysis::RegisterPlace& place) {
  const std::string& name = instruction.register_names[matrix][place.reg];
  const std::uint32_t bits = instruction.matrices[matrix].fragment.element_bits;
  if (bits >= 32) return name;
  return tr("{register}, bits {first} to {last}", "register"_a = name, "first"_a = place.value * bits,
            "last"_a = (place.value + 1) * bits - 1);
}

std::string element_name(const FragmentsShown& shown, const MatrixElement& element) {
  const char name = shown.instruction->matrices[element.matrix].name;
  if (name >= '0' && name <= '9')
    return tr("matrix {number} [{row}][{column}]", "number"_a = std::string(1, name), "row"_a = element.row,
              "column"_a = element.column);
  const std::uint32_t row = element.row + (name == 'B' ? 0 : shown.rows_before);
  return fmt::format("{}[{}][{}]", name, row, element.column);
}

Picture make_fragments(const Moment& moment, const std::vector<MatrixInstruction>& instructions,
                       std::optional<std::size_t> chosen, const BlockDetails* warp,
                       const Highlight& highlight, Size size, const Style& style) {
  if (instructions.empty()) {
    return empty_picture(tr("Fragments"), tr("This kernel has no instruction on matrices."),
                         tr("Record one with mma, wmma, wgmma or ldmatrix, such as mma_plain."), size, style);
  }
  const FragmentsShown shown = fragments_shown(moment, instructions, chosen, warp);
  const MatrixInstruction& instruction = *shown.instruction;
  const MatrixHighlight of_matrices = matrix_highlight(instruction, highlight);
  Canvas canvas(size, roomy(style, size));
  std::string subtitle =
      instruction.line == 0 ? instruction.ptx.text.substr(0, instruction.ptx.text.find(' '))
                            : tr("line {line} · {opcode}", "line"_a = instruction.line,
                                 "opcode"_a = instruction.ptx.text.substr(0, instruction.ptx.text.find(' ')));
  if (shown.execution != nullptr)
    subtitle +=
        " · " + (shown.more
                     ? tr("warp {warp}, execution {number} of the first {count}", "warp"_a = moment.warp,
                          "number"_a = with_thousands(shown.number), "count"_a = with_thousands(shown.of))
                     : tr("warp {warp}, execution {number} of {count}", "warp"_a = moment.warp,
                          "number"_a = with_thousands(shown.number), "count"_a = with_thousands(shown.of)));
  canvas.name(tr("Fragments"), std::move(subtitle));
  Rect rest = canvas.inside();
  std::optional<ElementTerms> terms;
  if (instruction.is_product()) terms.emplace(shown, element_explained(instruction, of_matrices), moment.cc);
  draw_sentence(canvas, rest, terms ? terms->sentence() : sentence_of_copies(shown, of_matrices));
  if (rest.height >= canvas.px(kHighEnoughForStrip)) {
    Highlight of_lane = highlight;
    of_lane.lane = of_matrices.lane;
    draw_lane_strip(canvas, rest, ~0u, of_lane);
    static_cast<void>(cut_top(rest, canvas.px(6)));
  }
  if (!terms) {
    static_cast<void>(cut_bottom(rest, canvas.px(6)));
    draw_side_by_side(canvas, rest, moment, shown, of_matrices);
    return canvas.take();
  }
  const bool beside = rest.width >= canvas.px(kWideEnoughForTerms),
             below = !beside && rest.height >= canvas.px(kHighEnoughForTerms);
  const Rect place = beside  ? cut_right(rest, rest.width * kTermsBeside)
                     : below ? cut_bottom(rest, rest.height * kTermsBelow)
                             : Rect{};
  if (beside) static_cast<void>(cut_right(rest, canvas.px(16)));
  draw_factors(canvas, rest, moment, shown, of_matrices);
  if (beside || below) terms->draw(canvas, place);
  return canvas.take();
}

}  // namespace warplens::picture
