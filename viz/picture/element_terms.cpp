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

/// GPUs whose results are compared: those of measured dot products (docs/tensor_cores.md). wgmma is Hopper's
/// alone.
struct ComparedGpu {
  ComputeCapability cc;
  const char* name;
};
constexpr ComparedGpu kComparedGpus[] = {
    {{7, 0}, "V100"}, {{8, 0}, "A100"}, {{8, 9}, "L40S"}, {{9, 0}, "H100"}, {{10, 0}, "B200"}};

/// The first compute capability of kComparedGpus that has such a product. PTX ISA, "Target ISA Notes" of mma
/// and wmma.
ComputeCapability first_with(const MatrixInstruction& instruction) {
  const ptx::Instruction& product = instruction.ptx;
  const bool is_wmma = product.opcode == ptx::Opcode::wmma_mma;
  if (product.source_type == ptx::Type::f16 && (is_wmma || tensor::has_four_products(product))) return {7, 0};
  if (product.source_type == ptx::Type::e4m3 || product.source_type == ptx::Type::e5m2) return {8, 9};
  if (product.source_type == ptx::Type::f64 && product.m != 8) return {9, 0};
  return {8, 0};
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

void draw_term_row(Canvas& canvas, Rect box, const ElementTerms::Row& row, std::span<const float> widths,
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

bool same_everywhere(const std::vector<ElementTerms::Result>& results) {
  return std::ranges::all_of(results, [&](const auto& one) { return one.second == results.front().second; });
}

}  // namespace

MatrixElement element_explained(const MatrixInstruction& instruction, const MatrixHighlight& highlight) {
  const auto d = static_cast<std::uint32_t>(*instruction.matrix('D'));
  const tensor::Fragment& fragment = instruction.matrices[d].fragment;
  MatrixElement element{.matrix = d};
  if (highlight.element) {
    const char name = instruction.matrices[highlight.element->matrix].name;
    if (name != 'A') element.column = highlight.element->column;
    element.row = highlight.element->row;
    if (name == 'B')  // Of several products at once, the first row of the same one
      element.row =
          element.row / instruction.matrices[highlight.element->matrix].fragment.rows * fragment.rows;
  } else if (highlight.lane) {
    const std::vector<analysis::MatrixPosition> held = analysis::elements_of_lane(fragment, *highlight.lane);
    if (!held.empty()) {
      element.row = held.front().row;
      element.column = held.front().column;
    }
  }
  return element;
}

ElementTerms::ElementTerms(const FragmentsShown& shown, const MatrixElement& element, ComputeCapability cc)
    : shown_(shown),
      instruction_(*shown.instruction),
      element_(element),
      sum_(analysis::element_sum(*shown.instruction, shown.execution, cc, element.row, element.column)),
      // Of blocks with an infinity or NaN nothing is aligned.
      is_aligned_(!sum_.blocks.empty() && sum_.blocks.size() * sum_.rule.block >= sum_.terms.size()) {
  if (!sum_.d) {
    add_places();
    return;
  }
  is_aligned_ ? add_aligned() : add_products();
  for (const ComparedGpu& gpu : kComparedGpus) {
    if (gpu.cc < first_with(instruction_) || instruction_.is_of_warpgroup) continue;
    const ElementSum there =
        analysis::element_sum(instruction_, shown.execution, gpu.cc, element.row, element.column);
    if (there.d) results_.emplace_back(fmt::format("{} ({})", gpu.name, gpu.cc.name()), *there.d);
  }
}

std::string ElementTerms::number_of(char matrix, std::uint64_t bits) const {
  const ptx::Type type = instruction_.matrices[*instruction_.matrix(matrix)].type;
  return analysis::holds_numbers(type) ? number_text(analysis::number_of(type, bits))
                                       : fmt::format("0x{:08x}", bits);
}

std::string ElementTerms::place_text(char matrix, std::size_t row, std::size_t column) const {
  const std::size_t index = *instruction_.matrix(matrix);
  if (instruction_.matrices[index].descriptor) return tr("in shared memory");
  const analysis::RegisterPlace place =
      analysis::place_of(instruction_.matrices[index].fragment, row, column);
  return tr("lane {lane}, {register}", "lane"_a = place.lane,
            "register"_a = register_name(instruction_, index, place));
}

void ElementTerms::add_places() {
  for (const analysis::ProductTerm& term : sum_.terms)
    rows_.push_back({{std::to_string(term.a_column), place_text('A', element_.row, term.a_column),
                      place_text('B', term.b_row, element_.column), "", ""}});
}

void ElementTerms::add_products() {
  const bool c_is_last =
      sum_.rule.kind == tensor::SumKind::fma_then_c || sum_.rule.kind == tensor::SumKind::aligned_then_c;
  if (!c_is_last) add_c();
  for (const analysis::ProductTerm& term : sum_.terms) {
    const bool is_of_bits = sum_.rule.kind == tensor::SumKind::bits;
    const double a = analysis::number_of(sum_.rule.a, term.a), b = analysis::number_of(sum_.rule.b, term.b);
    const std::string product =
        is_of_bits ? std::to_string(std::popcount(sum_.rule.exclusive ? term.a ^ term.b : term.a & term.b))
                   : number_text(a * b);
    rows_.push_back(
        {{std::to_string(term.a_column), number_of('A', term.a), number_of('B', term.b), product, ""}});
  }
  if (c_is_last) add_c();
}

void ElementTerms::add_c() {
  rows_.push_back({{"C", "", "", number_of('C', *sum_.c), ""}});
}

void ElementTerms::add_aligned() {
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
  if (sum_.rule.kind == tensor::SumKind::aligned_then_c) add_c();
}

void ElementTerms::add_term(const tensor::AlignedBlock& block, const tensor::AlignedTerm& term,
                            const std::array<std::string, 3>& first, bool is_strong) {
  const Shares shares = shares_of(block, term, sum_.rule);
  const bool loses = shares.dropped != 0;
  ++aligned_terms_;
  if (loses) ++losing_terms_;
  rows_.push_back({{first[0], first[1], first[2], number_text(shares.whole),
                    loses ? formatted("{:.2g}", shares.dropped) : std::string("0")},
                   loses,
                   is_strong});
}

void ElementTerms::draw(Canvas& canvas, Rect box) const {
  const bool is_places = !sum_.d;
  const analysis::RegisterPlace place =
      analysis::place_of(instruction_.matrices[element_.matrix].fragment, element_.row, element_.column);
  const std::string name = element_name(shown_, element_);
  const ptx::Type type = instruction_.matrices[element_.matrix].type;
  const auto text_of = [type](std::uint64_t bits) {
    return formatted("{:.9g}", analysis::number_of(type, bits));
  };
  const Rect title = cut_top(box, canvas.px(20));
  canvas.fitted(title,
                {tr("{element}: lane {lane}, {register}", "element"_a = name, "lane"_a = place.lane,
                    "register"_a = register_name(instruction_, element_.matrix, place)),
                 name},
                canvas.plain());
  if (sum_.d) {
    const Rect value = cut_top(box, canvas.px(22));
    canvas.fitted(
        value,
        {fmt::format("{} = {} ({})", name, text_of(*sum_.d), bits_text(type, *sum_.d)), text_of(*sum_.d)},
        {canvas.palette().good, kBaseSize, Font::sans_bold, Align::left});
  }
  const float row_height = std::clamp(box.height / 26, canvas.px(13), canvas.px(24));
  const float text = std::clamp(row_height / canvas.px(1) * 0.72f, kTinySize, kBaseSize + 2);
  Rect below =
      cut_bottom(box, std::min(box.height * 0.4f, row_height * (1.4f + static_cast<float>(results_.size()))));
  const float of_places[] = {0.08f, 0.46f, 0.46f, 0, 0}, of_values[] = {0.10f, 0.22f, 0.22f, 0.25f, 0.21f};
  const std::span<const float> widths = is_places ? std::span<const float>(of_places) : of_values;
  // Translators: of a number, the bits that are left out when it is added
  const Row header{{"k", "A", "B", is_places ? "" : "A · B", is_aligned_ ? tr("dropped") : ""}};
  draw_term_row(canvas, cut_top(box, row_height), header, widths, canvas.muted(text), is_places);
  canvas.line({box.x, box.y}, {box.right(), box.y}, canvas.palette().line);
  auto room = static_cast<std::size_t>(std::max(box.height / row_height, 0.0f));
  const bool all_fit = room >= rows_.size();
  if (!all_fit && room > 0) --room;
  for (std::size_t r = 0; r < std::min(room, rows_.size()); ++r)
    draw_term_row(canvas, cut_top(box, row_height), rows_[r], widths, canvas.plain(text), is_places);
  if (!all_fit)
    canvas.fitted(cut_top(box, row_height), {tr_n(rows_.size() - room, "{n} more term", "{n} more terms")},
                  canvas.muted(text));
  if (results_.empty()) return;
  canvas.fitted(
      cut_top(below, row_height * 1.2f),
      {same_everywhere(results_) ? tr("The same on all these GPUs:") : tr("Not the same on all these GPUs:")},
      canvas.muted(text));
  for (const auto& [gpu, bits] : results_) {
    if (below.height < row_height) break;
    Rect line = cut_top(below, row_height);
    const bool differs = bits != *sum_.d;
    const TextLook look{differs ? canvas.palette().costly : canvas.palette().text, text, Font::sans,
                        Align::left};
    canvas.fitted(cut_left(line, line.width * 0.35f), {gpu}, look);
    canvas.fitted(line, {fmt::format("{}   {}", bits_text(type, bits), text_of(bits)), bits_text(type, bits)},
                  look);
  }
}

std::string ElementTerms::sentence() const {
  if (!sum_.d)
    return instruction_.is_of_warpgroup ? tr("The values of the matrices are not known.")
                                        : tr("The values in the registers are not known.");
  if (results_.empty()) return how_added();
  const std::string compared = same_everywhere(results_)
                                   ? tr("All compared GPUs give the same bits.")
                                   : tr("The compared GPUs do not all give the same bits.");
  return how_added() + " " + compared;
}

std::string ElementTerms::how_added() const {
  const std::string name = element_name(shown_, element_);
  const std::string products = tr_n(sum_.terms.size(), "{n} product", "{n} products");
  switch (sum_.rule.kind) {
    case tensor::SumKind::aligned:
    case tensor::SumKind::aligned_then_c: break;
    case tensor::SumKind::fma:
      return tr("{element}: C and {products} by fused multiply-adds, one after the other.",
                "element"_a = name, "products"_a = products);
    case tensor::SumKind::fma_then_c:
      return tr("{element}: {products} by fused multiply-adds from zero, then C is added.",
                "element"_a = name, "products"_a = products);
    case tensor::SumKind::pairs_onto_c:
      return tr("{element}: C and {products}, added in pairs, one pair after the other.", "element"_a = name,
                "products"_a = products);
    case tensor::SumKind::integer:
    case tensor::SumKind::bits:
      return tr("{element}: C and {products}, added as integers.", "element"_a = name,
                "products"_a = products);
  }
  if (!is_aligned_) return tr("{element}: an infinity or NaN decides the sum.", "element"_a = name);
  const std::string at_once = tr_n(sum_.blocks.size(), "added at once", "added in {n} groups");
  return losing_terms_ == 0
             ? tr("{element}: C and {products}, {at_once}: aligning them loses no bits.", "element"_a = name,
                  "products"_a = products, "at_once"_a = at_once)
             : tr("{element}: C and {products}, {at_once}: aligning them loses bits of {losing} of {terms} "
                  "terms.",
                  "element"_a = name, "products"_a = products, "at_once"_a = at_once,
                  "losing"_a = losing_terms_, "terms"_a = aligned_terms_);
}

}  // namespace warplens::picture
