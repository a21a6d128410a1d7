#include "viz/picture/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/cost_words.h"
#include "viz/picture/terms.h"

namespace warplens::picture {
namespace {

using analysis::LineCost;

constexpr float kWideEnoughForColumns = 58;  ///< In ems
constexpr float kMinTextSize = 12, kLargestTextSize = 36, kBar = 5, kCurrentMark = 3, kIndent = 10,
                kRightIndent = 6;

std::string share_words(double share) {
  return share > 0 && share < 0.0005 ? formatted("< {:.1f} %", 0.1) : formatted("{:.1f} %", 100 * share);
}

/// A row's texts.
struct Row {
  std::string place, access, excess, share, sentence, fix, tooltip;
  Target target;
  double part = 0;
  bool current = false, lit = false;
};

bool is_current(const Moment& moment, const LineCost& cost) {
  const auto event = moment.event();
  return event && std::ranges::find(cost.figures.sites, moment.recording->events.site[*event]) !=
                      cost.figures.sites.end();
}

std::string tooltip_of(const Moment& moment, const LineCost& cost, const Row& row) {
  const analysis::LineFigures& figures = cost.figures;
  std::string tooltip =
      tr("{place}, {access}: {requests}, {cost}, ideal {ideal}. Beyond it: {excess}, {share} of the kernel's",
         "place"_a = row.place, "access"_a = row.access,
         "requests"_a = tr_n(figures.totals.requests, "{n} request", "{n} requests"),
         "cost"_a = counted_units(figures.space, figures.cost(), moment.cc),
         "ideal"_a = with_thousands(figures.ideal()), "excess"_a = row.excess, "share"_a = row.share);
  for (const std::string* more : {&row.sentence, &row.fix}) {
    if (!more->empty()) tooltip += '\n' + *more;
  }
  return tooltip;
}

Target target_of(const analysis::Results& results, const LineCost& cost) {
  if (cost.event) return {Target::Kind::event, static_cast<std::int64_t>(*cost.event)};
  if (cost.figures.line != 0 && cost.file == results.facts->source_file)
    return {Target::Kind::line, cost.figures.line};
  return {};
}

/// What all that cost more than their ideal do in vain, in the unit of a space.
std::uint64_t excess_in_unit_of(const analysis::Results& results, Space space) {
  std::uint64_t excess = 0;
  for (const LineCost& cost : results.costs) {
    if ((cost.figures.space == Space::shared) == (space == Space::shared)) excess += cost.excess();
  }
  return excess;
}

/// How long a row's bar is: its share, to the scale of the greater of both.
double part_of(const LineCost& cost, const analysis::Results& results, const analysis::Results* beside) {
  if (beside == nullptr) return cost.share;
  const std::uint64_t all = std::max(excess_in_unit_of(results, cost.figures.space),
                                     excess_in_unit_of(*beside, cost.figures.space));
  return static_cast<double>(cost.excess()) / static_cast<double>(std::max<std::uint64_t>(all, 1));
}

Row row_of(const Moment& moment, const analysis::Results& results, const LineCost& cost,
           const Highlight& highlight, const analysis::Results* beside) {
  const Recording& recording = *moment.recording;
  Row row{.place = cost_place(recording, cost, results.facts->source_file),
          .access = cost_access(recording, cost),
          .excess = counted_units(cost.figures.space, cost.excess(), moment.cc),
          .share = share_words(cost.share),
          .sentence = cost_sentence(recording, cost, moment.cc),
          .fix = fix_words(recording, cost, moment.cc),
          .target = target_of(results, cost),
          .part = part_of(cost, results, beside),
          .current = is_current(moment, cost)};
  row.lit =
      highlight.line != 0 && highlight.line == cost.figures.line && cost.file == results.facts->source_file;
  row.tooltip = tooltip_of(moment, cost, row);
  return row;
}

/// Rows in texts of one size: what, how much and a bar; beside it, or beneath where that is too narrow, the
/// sentence and the mend.
class RowPainter {
 public:
  RowPainter(Canvas& canvas, const std::vector<Row>& rows, float width, float size)
      : canvas_(canvas),
        width_(width),
        wide_(width >= canvas.px(size * kWideEnoughForColumns)),
        name_{canvas.palette().text, size, Font::sans_bold, Align::left},
        figure_{canvas.palette().costly, size, Font::sans_bold, Align::right},
        sentence_{canvas.palette().text, size * 0.9f, Font::sans, Align::left},
        fix_{canvas.palette().good, size * 0.9f, Font::sans, Align::left} {
    const float room =
        wide_ ? width_ - texts_width() - canvas.px(kIndent + kRightIndent + 24) : texts_width();
    for (const Row& row : rows) {
      stacked_ = stacked_ || canvas.width_of(name_of(row), name_) + canvas.width_of(figure_of(row), figure_) +
                                     canvas.px(size) >
                                 room;
    }
  }

  [[nodiscard]] float gap() const { return canvas_.line_height(name_.size) * 0.6f; }

  /// Returns the height of the row's name, figure and bar alone.
  [[nodiscard]] float head_height() const {
    return canvas_.line_height(name_.size) * (stacked_ ? 2.0f : 1.0f) + canvas_.px(kBar + 5);
  }
  [[nodiscard]] float height_of(const Row& row) const {
    const auto lines = static_cast<float>(canvas_.lines_of(row.sentence, texts_width(), sentence_) +
                                          canvas_.lines_of(row.fix, texts_width(), fix_));
    const float texts = lines * canvas_.line_height(sentence_.size);
    return wide_ ? std::max(head_height(), texts) : head_height() + texts;
  }

  void draw(Rect box, const Row& row) {
    const Palette& palette = canvas_.palette();
    const float air = std::min(gap() / 3, canvas_.px(4));
    const Rect around{box.x, box.y - air, box.width, box.height + 2 * air};
    if (row.current || row.lit) canvas_.fill(around, with_alpha(palette.accent, row.current ? 0.14f : 0.08f));
    if (row.current)
      canvas_.fill({around.x, around.y, canvas_.px(kCurrentMark), around.height}, palette.accent);
    canvas_.region(around, row.target, row.tooltip);
    box = {box.x + canvas_.px(kIndent), box.y, std::max(0.0f, box.width - canvas_.px(kIndent + kRightIndent)),
           box.height};
    Rect texts = wide_ ? cut_right(box, texts_width()) : box;
    if (wide_) {
      static_cast<void>(cut_right(box, canvas_.px(24)));
      draw_head(box, row);
    } else {
      draw_head(cut_top(texts, head_height()), row);
    }
    // Where there is no room for both, a line of the sentence is enough.
    const float line = canvas_.line_height(sentence_.size);
    const int room =
        static_cast<int>(texts.height / line + 0.01f) - canvas_.lines_of(row.fix, texts.width, fix_);
    const int lines = std::min(canvas_.lines_of(row.sentence, texts.width, sentence_), std::max(room, 1));
    canvas_.wrapped(cut_top(texts, static_cast<float>(lines) * line), row.sentence, sentence_);
    canvas_.wrapped(texts, row.fix, fix_);
  }

 private:
  static std::string name_of(const Row& row) { return row.place + " · " + row.access; }
  static std::string figure_of(const Row& row) { return row.excess + "  " + row.share; }

  [[nodiscard]] float texts_width() const {
    return wide_ ? width_ * 0.53f : width_ - canvas_.px(kIndent + kRightIndent);
  }

  void draw_head(Rect box, const Row& row) {
    Rect line = cut_top(box, canvas_.line_height(name_.size));
    if (stacked_) {
      canvas_.fitted(line, {name_of(row), row.place}, name_);
      line = cut_top(box, canvas_.line_height(name_.size));
      TextLook look = figure_;
      look.align = Align::left;
      canvas_.fitted(line, {figure_of(row), row.excess}, look);
    } else {
      canvas_.fitted(line, {figure_of(row)}, figure_);
      canvas_.fitted(line, {name_of(row)}, name_);
    }
    static_cast<void>(cut_top(box, canvas_.px(1)));
    const Rect bar = cut_top(box, canvas_.px(kBar));
    canvas_.fill(bar, canvas_.palette().line, 2);
    canvas_.fill({bar.x, bar.y, bar.width * static_cast<float>(std::clamp(row.part, 0.0, 1.0)), bar.height},
                 canvas_.palette().costly, 2);
  }

  Canvas& canvas_;
  float width_;
  bool wide_, stacked_ = false;
  TextLook name_, figure_, sentence_, fix_;
};

/// Returns the largest text size in which all rows have room; else a small one.
float text_size(Canvas& canvas, const std::vector<Row>& rows, Rect rest) {
  const float largest =
      std::clamp(std::min(rest.height, rest.width) / canvas.px(1) * 0.04f, kMinTextSize, kLargestTextSize);
  for (float size = largest; size > kMinTextSize; size -= 1) {
    const RowPainter painter(canvas, rows, rest.width, size);
    float height = 0;
    for (const Row& row : rows) height += painter.height_of(row) + painter.gap();
    if (height <= rest.height) return size;
  }
  return kMinTextSize;
}

/// `others`: of what stands beside it, whose bars are as long.
void draw_rows(Canvas& canvas, Rect rest, const std::vector<Row>& rows, const std::vector<Row>& others) {
  RowPainter painter(canvas, rows, rest.width,
                     std::min(text_size(canvas, rows, rest), text_size(canvas, others, rest)));
  const float more_height = canvas.line_height(kSmallSize);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float room = std::max(0.0f, rest.height - (i + 1 == rows.size() ? 0 : more_height));
    const float whole = painter.height_of(rows[i]),
                height = i > 0 && whole > room ? painter.head_height() : whole;
    if (i > 0 && height > room) {
      canvas.fitted(cut_top(rest, more_height), {tr_n(rows.size() - i, "and {n} more", "and {n} more")},
                    canvas.muted());
      return;
    }
    painter.draw(cut_top(rest, std::min(height, room)), rows[i]);
    static_cast<void>(cut_top(rest, std::min(painter.gap(), std::max(0.0f, rest.height - more_height))));
  }
}

/// Excess of all rows, by unit: that of the first row first.
struct Totals {
  std::string first, second;
};
Totals totals_of(const std::vector<LineCost>& costs, analysis::ComputeCapability cc) {
  std::array<std::uint64_t, 2> excess{};  // Of global and local memory; of shared memory
  for (const LineCost& cost : costs) excess[cost.figures.space == Space::shared ? 1 : 0] += cost.excess();
  const bool shared_first = costs.front().figures.space == Space::shared;
  const auto words = [&](bool shared) {
    return excess[shared ? 1 : 0] == 0
               ? std::string()
               : counted_units(shared ? Space::shared : Space::global, excess[shared ? 1 : 0], cc);
  };
  return {words(shared_first), words(!shared_first)};
}

std::string sentence_of(const Row& first, Space space, analysis::ComputeCapability cc) {
  const std::string of = tr("{place}, {access}", "place"_a = first.place, "access"_a = first.access);
  if (space == Space::shared)
    return tr("{access}: {share} of all wavefronts beyond the ideal", "access"_a = of,
              "share"_a = first.share);
  if (analysis::memory_rules_of(cc).counts_sectors) {
    return tr("{access}: {share} of all sectors beyond the ideal", "access"_a = of, "share"_a = first.share);
  }
  return tr("{access}: {share} of all transactions beyond the ideal", "access"_a = of,
            "share"_a = first.share);
}

}  // namespace

Picture make_costs(const Moment& moment, const analysis::Results& results, const Highlight& highlight,
                   Size size, const Style& style, const Moment* beside,
                   const analysis::Results* results_beside) {
  const std::vector<LineCost>& costs = results.costs;
  if (costs.empty()) {
    const bool accesses = std::ranges::any_of(
        results.report.by_site, [](const analysis::Totals& totals) { return totals.requests > 0; });
    if (!accesses)
      return empty_picture(tr("Costs"), tr("This kernel makes no access to memory."),
                           tr("Record one that does."), size, style);
    return empty_picture(tr("Costs"), tr("Everything is at the ideal."),
                         tr("No access takes more sectors or wavefronts than the ideal."), size, style);
  }
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Costs"), tr_n(costs.size(), "{n} access, by what it takes beyond the ideal",
                                "{n} accesses, by what they take beyond the ideal"));
  Rect rest = canvas.inside();
  std::vector<Row> rows, others;
  for (const LineCost& cost : costs) rows.push_back(row_of(moment, results, cost, highlight, results_beside));
  if (results_beside != nullptr) {
    for (const LineCost& cost : results_beside->costs)
      others.push_back(row_of(*beside, *results_beside, cost, highlight, &results));
  }
  draw_sentence(canvas, rest, sentence_of(rows[0], costs[0].figures.space, moment.cc));
  const Totals totals = totals_of(costs, moment.cc);
  const Rect figure = cut_bottom(rest, figure_height(canvas, size.height));
  draw_figure(canvas, figure,
              {tr("{excess} beyond the ideal", "excess"_a = totals.first), meaning_of(Term::excess)}, true,
              {totals.second, {tr("as written"), meaning_of(Term::as_written)}});
  static_cast<void>(cut_bottom(rest, canvas.px(4)));
  draw_rows(canvas, rest, rows, others);
  return canvas.take();
}

}  // namespace warplens::picture
