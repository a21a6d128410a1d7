#include "viz/picture/element_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/base/texts.h"

namespace warplens::picture {
namespace {

using analysis::ComputeCapability;
using analysis::ElementSum;
using analysis::MatrixInstruction;

/// GPUs whose results stand beside each other.
struct ComparedGpu {
  ComputeCapability cc;
  const char* name;
};
constexpr ComparedGpu kComparedGpus[] = {{{7, 0}, "V100"}, {{7, 5}, "T4"},   {{8, 0}, "A100"},
                                         {{8, 9}, "L4"},   {{9, 0}, "H100"}, {{12, 0}, "RTX 5090"}};

/// The first compute capability that has such a product. PTX ISA, "Target ISA Notes" of mma and wmma.
ComputeCapability first_with(const MatrixInstruction& instruction) {
  using ptx::Type;
  const ptx::Instruction& product = instruction.ptx;
  const bool is_wmma = product.opcode == ptx::Opcode::wmma_mma;
  switch (product.source_type) {
    case Type::f16:
      if (is_wmma || tensor::has_four_products(product)) return {7, 0};
      return product.k == 8 ? ComputeCapability{7, 5} : ComputeCapability{8, 0};
    case Type::s8:
    case Type::u8:
      if (is_wmma) return {7, 2};
      return product.m == 8 ? ComputeCapability{7, 5} : ComputeCapability{8, 0};
    case Type::s4:
    case Type::u4:
    case Type::b1: return product.m == 8 ? ComputeCapability{7, 5} : ComputeCapability{8, 0};
    case Type::e4m3:
    case Type::e5m2: return {8, 9};
    default: return {8, 0};
  }
}

std::string number_text(double number) {
  return formatted("{:.6g}", number);
}
std::string bits_text(ptx::Type type, std::uint64_t bits) {
  return fmt::format("0x{:0{}x}", bits, 2 * ptx::size_of(type));
}

double value_of(std::int64_t significand, int exponent) {
  return std::ldexp(static_cast<double>(significand), exponent);
}

/// A term of an aligned sum, as numbers.
struct Shares {
  double whole = 0, dropped = 0;
};
Shares shares_of(const tensor::AlignedBlock& block, const tensor::AlignedTerm& term,
                 const tensor::SumRule& rule) {
  const double whole = value_of(term.significand, term.exponent - term.bits),
               kept = value_of(term.kept, block.exponent - rule.fraction_bits);
  return {whole, whole - kept};
}

struct TermRow {
  std::array<std::string, 5> cells;
  bool is_costly = false, is_strong = false;
};

class TermTable {
 public:
  TermTable(const FragmentsShown& shown, const MatrixElement& element, ComputeCapability cc)
      : instruction_(*shown.instruction),
        execution_(shown.execution),
        element_(element),
        sum_(analysis::element_sum(*shown.instruction, shown.execution, cc, element.row, element.column)),
        cc_(cc) {
    if (!sum_.d) {
      add_places();
    } else if (!sum_.blocks.empty()) {
      add_aligned();
    } else {
      add_products();
    }
  }

  [[nodiscard]] const ElementSum& sum() const { return sum_; }
  [[nodiscard]] const std::vector<TermRow>& rows() const { return rows_; }
  [[nodiscard]] std::array<std::string, 5> header() const {
    if (!sum_.d) return {"k", "A", "B", "", ""};
    if (sum_.blocks.empty()) return {"k", "A", "B", "A · B", ""};
    // Translators: of a number, the bits that are left out when it is added
    return {"k", "A", "B", "A · B", tr("dropped")};
  }
  /// Terms that lose bits, of all that are aligned.
  std::size_t losing = 0, aligned = 0;

  /// The bits of D that each of kComparedGpus gives, by results.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> results() const {
    std::vector<std::pair<std::string, std::uint64_t>> results;
    for (const ComparedGpu& gpu : kComparedGpus) {
      if (gpu.cc < first_with(instruction_)) continue;
      const ElementSum there =
          analysis::element_sum(instruction_, execution_, gpu.cc, element_.row, element_.column);
      if (there.d) results.emplace_back(fmt::format("{} ({})", gpu.name, gpu.cc.name()), *there.d);
    }
    return results;
  }

 private:
  [[nodiscard]] std::string number_of(char matrix, std::uint64_t bits) const {
    const ptx::Type type = instruction_.matrices[*instruction_.matrix(matrix)].type;
    return type == ptx::Type::b1 ? fmt::format("0x{:08x}", bits)
                                 : number_text(analysis::number_of(type, bits));
  }
  [[nodiscard]] std::string place_text(char matrix, std::size_t row, std::size_t column) const {
    const std::size_t index = *instruction_.matrix(matrix);
    const analysis::RegisterPlace place =
        analysis::place_of(instruction_.matrices[index].fragment, row, column);
    return tr("lane {lane}, {register}", "lane"_a = place.lane,
              "register"_a = register_name(instruction_, index, place));
  }

  void add_places() {
    for (const analysis::ProductTerm& term : sum_.terms)
      rows_.push_back({{std::to_string(term.a_column), place_text('A', element_.row, term.a_column),
                        place_text('B', term.b_row, element_.column), "", ""}});
  }
  void add_products() {
    rows_.push_back({{"C", "", "", number_of('C', *sum_.c), ""}});
    for (const analysis::ProductTerm& term : sum_.terms) {
      const bool is_of_bits = sum_.rule.kind == tensor::SumKind::bits;
      const double a = analysis::number_of(sum_.rule.a, term.a), b = analysis::number_of(sum_.rule.b, term.b);
      const std::string product =
          is_of_bits ? std::to_string(std::popcount(sum_.rule.exclusive ? term.a ^ term.b : term.a & term.b))
                     : number_text(a * b);
      rows_.push_back(
          {{std::to_string(term.a_column), number_of('A', term.a), number_of('B', term.b), product, ""}});
    }
  }
  void add_aligned() {
    std::size_t next = 0;
    for (std::size_t k = 0; k < sum_.blocks.size(); ++k) {
      const tensor::AlignedBlock& block = sum_.blocks[k];
      const bool starts_at_zero = sum_.rule.kind == tensor::SumKind::aligned_then_c && k == 0;
      if (!starts_at_zero) add_term(block, block.terms[0], {k == 0 ? "C" : tr("sum"), "", ""}, k != 0);
      for (std::size_t t = 1; t < block.terms.size(); ++t, ++next) {
        const analysis::ProductTerm& term = sum_.terms[next];
        add_term(block, block.terms[t],
                 {std::to_string(term.a_column), number_of('A', term.a), number_of('B', term.b)}, false);
      }
    }
    if (sum_.rule.kind == tensor::SumKind::aligned_then_c)
      rows_.push_back({{"C", "", "", number_of('C', *sum_.c), ""}});
  }
  void add_term(const tensor::AlignedBlock& block, const tensor::AlignedTerm& term,
                const std::array<std::string, 3>& first, bool is_strong) {
    const Shares shares = shares_of(block, term, sum_.rule);
    ++aligned;
    const bool loses = shares.dropped != 0;
    if (loses) ++losing;
    rows_.push_back({{first[0], first[1], first[2], number_text(shares.whole),
                      loses ? formatted("{:.2g}", shares.dropped) : std::string("0")},
                     loses,
                     is_strong});
  }

  const MatrixInstruction& instruction_;
  const MatrixExecution* execution_;
  MatrixElement element_;
  ElementSum sum_;
  ComputeCapability cc_;
  std::vector<TermRow> rows_;
};

void draw_term_row(Canvas& canvas, Rect box, const TermRow& row, std::span<const float> widths,
                   const TextLook& look, bool is_places) {
  float x = box.x;
  for (std::size_t c = 0; c < row.cells.size(); ++c) {
    const float width = box.width * widths[c];
    TextLook of_cell = look;
    const bool is_number = c > 0 && !is_places;
    of_cell.align = is_number ? Align::right : Align::left;
    if (row.is_costly && c == 4) of_cell.colour = canvas.palette().costly;
    if (row.is_strong) of_cell.font = Font::sans_bold;
    canvas.fitted({x, box.y, width - canvas.px(6), box.height}, {row.cells[c]}, of_cell);
    x += width;
  }
}

bool same_everywhere(const std::vector<std::pair<std::string, std::uint64_t>>& results) {
  return std::ranges::all_of(results, [&](const auto& one) { return one.second == results.front().second; });
}

}  // namespace

MatrixElement element_explained(const MatrixInstruction& instruction, const Highlight& highlight) {
  const auto d = static_cast<std::uint32_t>(*instruction.matrix('D'));
  MatrixElement element{.matrix = d};
  if (const auto& lit = highlight.matrix_element; lit && lit->matrix < instruction.matrices.size()) {
    const char name = instruction.matrices[lit->matrix].name;
    if (name != 'B') element.row = lit->row;
    if (name != 'A') element.column = lit->column;
  } else if (highlight.lane) {
    const tensor::Fragment& fragment = instruction.matrices[d].fragment;
    for (std::size_t place = 0; place < fragment.places.size(); ++place) {
      const std::size_t row = place / fragment.columns, column = place % fragment.columns;
      if (static_cast<int>(analysis::place_of(fragment, row, column).lane) != *highlight.lane) continue;
      element.row = static_cast<std::uint32_t>(row);
      element.column = static_cast<std::uint32_t>(column);
      break;
    }
  }
  const tensor::Fragment& fragment = instruction.matrices[d].fragment;
  const bool exists =
      element.row < std::uint32_t{fragment.rows} * fragment.matrices && element.column < fragment.columns;
  return exists ? element : MatrixElement{.matrix = d};
}

void draw_element_terms(Canvas& canvas, Rect box, const FragmentsShown& shown, const MatrixElement& element,
                        ComputeCapability cc) {
  const MatrixInstruction& instruction = *shown.instruction;
  const TermTable table(shown, element, cc);
  const bool is_places = !table.sum().d;
  const analysis::RegisterPlace place =
      analysis::place_of(instruction.matrices[element.matrix].fragment, element.row, element.column);
  const std::string name = element_name(instruction, element);
  const ptx::Type type = instruction.matrices[element.matrix].type;
  const Rect title = cut_top(box, canvas.px(20));
  canvas.fitted(title,
                {tr("{element}: lane {lane}, {register}", "element"_a = name, "lane"_a = place.lane,
                    "register"_a = register_name(instruction, element.matrix, place)),
                 name},
                canvas.plain());
  if (table.sum().d) {
    const Rect value = cut_top(box, canvas.px(22));
    canvas.fitted(
        value,
        {fmt::format("{} = {} ({})", name, formatted("{:.9g}", analysis::number_of(type, *table.sum().d)),
                     bits_text(type, *table.sum().d)),
         formatted("{:.9g}", analysis::number_of(type, *table.sum().d))},
        {canvas.palette().good, kBaseSize, Font::sans_bold, Align::left});
  }
  const auto results = is_places ? std::vector<std::pair<std::string, std::uint64_t>>{} : table.results();
  const float row_height = std::clamp(box.height / 26, canvas.px(13), canvas.px(24));
  const float text = std::clamp(row_height / canvas.px(1) * 0.72f, kTinySize, kBaseSize + 2);
  Rect below =
      cut_bottom(box, std::min(box.height * 0.4f, row_height * (1.4f + static_cast<float>(results.size()))));
  const float of_places[] = {0.08f, 0.46f, 0.46f, 0, 0}, of_values[] = {0.10f, 0.22f, 0.22f, 0.25f, 0.21f};
  const std::span<const float> widths = is_places ? std::span<const float>(of_places) : of_values;
  draw_term_row(canvas, cut_top(box, row_height), {table.header()}, widths, canvas.muted(text), is_places);
  canvas.line({box.x, box.y}, {box.right(), box.y}, canvas.palette().line);
  const std::vector<TermRow>& rows = table.rows();
  auto room = static_cast<std::size_t>(std::max(box.height / row_height, 0.0f));
  const bool all_fit = room >= rows.size();
  if (!all_fit && room > 0) --room;
  for (std::size_t r = 0; r < std::min(room, rows.size()); ++r)
    draw_term_row(canvas, cut_top(box, row_height), rows[r], widths, canvas.plain(text), is_places);
  if (!all_fit)
    canvas.fitted(cut_top(box, row_height), {tr_n(rows.size() - room, "{n} more term", "{n} more terms")},
                  canvas.muted(text));
  if (results.empty()) return;
  canvas.fitted(cut_top(below, row_height * 1.2f),
                {same_everywhere(results) ? tr("The same on every GPU that has the instruction:")
                                          : tr("Not the same on every GPU:")},
                canvas.muted(text));
  for (const auto& [gpu, bits] : results) {
    if (below.height < row_height) break;
    Rect line = cut_top(below, row_height);
    const bool differs = bits != *table.sum().d;
    const TextLook look{differs ? canvas.palette().costly : canvas.palette().text, text, Font::sans,
                        Align::left};
    canvas.fitted(cut_left(line, line.width * 0.35f), {gpu}, look);
    canvas.fitted(
        line,
        {fmt::format("{}   {}", bits_text(type, bits), formatted("{:.9g}", analysis::number_of(type, bits))),
         bits_text(type, bits)},
        look);
  }
}

std::string element_in_words(const FragmentsShown& shown, const MatrixElement& element,
                             ComputeCapability cc) {
  const MatrixInstruction& instruction = *shown.instruction;
  const TermTable table(shown, element, cc);
  const ElementSum& sum = table.sum();
  if (!sum.d) return {};
  const std::string name = element_name(instruction, element);
  const auto results = table.results();
  const std::string elsewhere =
      same_everywhere(results) ? tr("Every GPU gives the same bits.") : tr("Other GPUs give other bits.");
  const std::string products = tr_n(sum.terms.size(), "{n} product", "{n} products");
  if (sum.blocks.empty()) {
    const bool are_integers =
        sum.rule.kind == tensor::SumKind::integer || sum.rule.kind == tensor::SumKind::bits;
    return are_integers
               ? tr("{element}: C and {products}, added as integers. {elsewhere}", "element"_a = name,
                    "products"_a = products, "elsewhere"_a = elsewhere)
               : tr("{element}: C and {products}, added one after the other, each sum rounded. {elsewhere}",
                    "element"_a = name, "products"_a = products, "elsewhere"_a = elsewhere);
  }
  const std::string at_once = tr_n(sum.blocks.size(), "added at once", "added in {n} groups");
  if (table.losing == 0) {
    return tr("{element}: C and {products}, {at_once}: no bits are lost. {elsewhere}", "element"_a = name,
              "products"_a = products, "at_once"_a = at_once, "elsewhere"_a = elsewhere);
  }
  return tr("{element}: C and {products}, {at_once}: {losing} of {terms} lose bits. {elsewhere}",
            "element"_a = name, "products"_a = products, "at_once"_a = at_once, "losing"_a = table.losing,
            "terms"_a = table.aligned, "elsewhere"_a = elsewhere);
}

}  // namespace warplens::picture
