#include "app/session/comparison.h"

#include <cmath>
#include <tuple>
#include <utility>

#include "kernels/base/figures.h"
#include "kernels/base/texts.h"
#include "viz/picture/comparison/difference.h"

namespace warplens::app {
namespace {

using Best = ComparedFigure::Best;

bool counts_sectors(const ComparedSide& side) {
  return analysis::memory_rules_of(side.loaded.cc).counts_sectors;
}

const char* name_of_sectors(bool a, bool b) {
  if (a != b) return marked("sectors, transactions for CC 1.x");
  return a ? marked("sectors") : marked("transactions");
}

/// nullptr: the side has none.
void add_accesses(std::vector<ComparedFigure>& figures, FigureSource source, const std::string& prefix,
                  const analysis::Report* a, const analysis::Report* b, std::pair<bool, bool> sectors) {
  for (const analysis::TotalsKind& kind : analysis::totals_kinds()) {
    const auto amount = [&kind](const analysis::Report* report,
                                std::uint64_t (*of)(const analysis::Totals&)) {
      return report == nullptr ? std::nullopt : std::optional<Amount>(of(report->*kind.totals));
    };
    const auto add = [&](const char* id, const char* figure, bool one_measure,
                         std::uint64_t (*of)(const analysis::Totals&)) {
      figures.push_back({source, prefix + kind.id + "." + id, kind.title, figure, amount(a, of),
                         amount(b, of), one_measure, true, Best::least});
    };
    add("requests", marked("requests"), true, [](const analysis::Totals& totals) { return totals.requests; });
    if (kind.shared()) {
      add("wavefronts", marked("wavefronts"), true,
          [](const analysis::Totals& totals) { return totals.cost.wavefronts; });
    } else {
      add("sectors", name_of_sectors(sectors.first, sectors.second), sectors.first == sectors.second,
          [](const analysis::Totals& totals) { return totals.cost.sectors; });
    }
  }
}

const analysis::Report* compiled_report(const ComparedSide& side) {
  return side.loaded.compiled.has_counts() ? &side.loaded.compiled.report : nullptr;
}

void add_multiprocessor(std::vector<ComparedFigure>& figures, const ComparedSide& a, const ComparedSide& b) {
  struct Held {
    analysis::LaunchNeeds needs;
    analysis::Occupancy occupancy;
  };
  const auto held_by = [](const ComparedSide& side) {
    const analysis::OccupancySubject& subject = side.loaded.occupancy;
    return Held{subject.needs_for(side.loaded.cc), subject.occupancy_on(side.loaded.cc)};
  };
  const Held of_a = held_by(a), of_b = held_by(b);
  const auto add = [&](const char* id, const char* figure, std::optional<std::uint64_t> (*of)(const Held&),
                       Best best) {
    figures.push_back({FigureSource::multiprocessor, id, "", figure, of(of_a), of(of_b), true, true, best});
  };
  add(
      "threads_a_block", marked("threads per block"),
      [](const Held& held) { return std::optional<std::uint64_t>(held.needs.threads); }, Best::neither);
  add(
      "registers_a_thread", marked("registers per thread"),
      [](const Held& held) { return std::optional<std::uint64_t>(held.needs.registers); }, Best::neither);
  add(
      "shared_bytes_a_block", marked("bytes of shared memory per block"),
      [](const Held& held) { return std::optional<std::uint64_t>(held.needs.shared_bytes); }, Best::neither);
  // Without the registers they would be the most that can be. More is not better by itself: volkov's kernels
  // are faster with fewer.
  add(
      "blocks_an_sm", marked("blocks per SM"),
      [](const Held& held) {
        return held.needs.registers ? std::optional<std::uint64_t>(held.occupancy.blocks) : std::nullopt;
      },
      Best::neither);
  add(
      "warps_an_sm", marked("warps per SM"),
      [](const Held& held) {
        return held.needs.registers ? std::optional<std::uint64_t>(held.occupancy.warps) : std::nullopt;
      },
      Best::neither);
}

void add_measured(std::vector<ComparedFigure>& figures, const ComparedSide& a, const ComparedSide& b) {
  const auto time = [](const ComparedSide& side) {
    return side.measured ? std::optional<Amount>(side.measured->median_ms) : std::nullopt;
  };
  const auto rate = [](const ComparedSide& side) {
    return side.measured && side.measured->gflops > 0 ? std::optional<Amount>(side.measured->gflops)
                                                      : std::nullopt;
  };
  const bool apart = !a.measured || !b.measured || a.measured->p75_ms < b.measured->p25_ms ||
                     b.measured->p75_ms < a.measured->p25_ms;
  const bool one_device = !a.measured || !b.measured || a.measured->device == b.measured->device;
  const auto add = [&](const char* id, const char* figure, const std::optional<Amount>& of_a,
                       const std::optional<Amount>& of_b, Best best) {
    figures.push_back({.source = FigureSource::measured,
                       .id = id,
                       .figure = figure,
                       .a = of_a,
                       .b = of_b,
                       .one_measure = one_device,
                       .apart = apart,
                       .best = best});
  };
  add("measured.median_ms", marked("ms per launch"), time(a), time(b), Best::least);
  add("measured.gflops", marked("GFLOP/s"), rate(a), rate(b), Best::most);
}

auto sizes_of(const Recording& recording) {
  return std::tuple{recording.m, recording.p, recording.n};
}

bool is_product(const Recording& recording) {
  return recording.m != 0 && recording.p != 0 && recording.n != 0;
}

bool is_whole(const Recording& recording) {
  return recording.blocks_counted == recording.blocks_total && !recording.ended;
}

std::string why_not_judged(const ComparedSide& side_a, const ComparedSide& side_b) {
  const Recording &a = *side_a.loaded.recording, &b = *side_b.loaded.recording;
  if (!is_whole(a) || !is_whole(b)) return tr("Part of the blocks was counted: neither is called better.");
  if (a.kernel != b.kernel && !(is_product(a) && is_product(b)))
    return tr("They do different work: neither is called better.");
  if (sizes_of(a) != sizes_of(b)) return tr("Their sizes differ: neither is called better.");
  if (a.value_type != b.value_type)
    return tr("Their elements are of different types: neither is called better.");
  if (side_a.loaded.cc != side_b.loaded.cc) return tr("Their memory rules differ: neither is called better.");
  return "";
}

double as_double(const Amount& amount) {
  return std::visit([](auto value) { return static_cast<double>(value); }, amount);
}

std::string change_of_measured(double a, double b, bool of_time) {
  if (!(a > 0 && b > 0)) return "";
  if (!of_time) return tr("{ratio} times", "ratio"_a = formatted("{:.2f}", b / a));
  return b <= a ? tr("{ratio} times as fast", "ratio"_a = formatted("{:.2f}", a / b))
                : tr("{ratio} times as long", "ratio"_a = formatted("{:.2f}", b / a));
}

std::string title_of(const ComparedFigure& figure) {
  if (*figure.of == '\0') return tr(figure.figure);
  return tr("{access}: {figure}", "access"_a = tr(figure.of), "figure"_a = tr(figure.figure));
}

bool differs(const ComparedFigure& figure) {
  return figure.a && figure.b && figure.one_measure && figure.apart && figure.best != Best::neither &&
         as_double(*figure.a) != as_double(*figure.b);
}

/// By how much, in what memory is asked for; of what a multiprocessor holds nothing.
double apart_by(const ComparedFigure& figure) {
  const bool counted =
      figure.source == FigureSource::as_written || figure.source == FigureSource::as_compiled;
  return counted ? std::abs(as_double(*figure.b) - as_double(*figure.a)) : 0;
}

/// What was measured says most; else the count that changed most, the first of those.
std::string sentence_of(const Comparison& comparison) {
  const ComparedFigure* most = nullptr;
  for (const ComparedFigure& figure : comparison.figures) {
    if (!differs(figure)) continue;
    if (figure.source == FigureSource::measured) {
      most = &figure;
      break;
    }
    if (most == nullptr || apart_by(figure) > apart_by(*most)) most = &figure;
  }
  if (most == nullptr) return tr("What they access costs the same.");
  return tr("{figure}, {source}: {a} and {b}, {change}", "figure"_a = title_of(*most),
            "source"_a = tr(title_of(most->source)), "a"_a = in_words(most->a), "b"_a = in_words(most->b),
            "change"_a = change_in_words(*most));
}

}  // namespace

const char* title_of(FigureSource source) {
  switch (source) {
    case FigureSource::measured: return marked("measured");
    case FigureSource::as_written: return marked("as written");
    case FigureSource::as_compiled: return marked("as compiled");
    case FigureSource::multiprocessor: return marked("on a multiprocessor");
  }
  return "";
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::none: return "";
    case Verdict::same: return "same";
    case Verdict::better: return "better";
    case Verdict::worse: return "worse";
  }
  return "";
}

bool ComparedFigure::is_nothing() const {
  const auto nothing = [](const std::optional<Amount>& amount) { return !amount || as_double(*amount) == 0; };
  return nothing(a) && nothing(b);
}

Verdict Comparison::verdict(const ComparedFigure& figure) const {
  if (!why_not_judged.empty() || !figure.one_measure || !figure.a || !figure.b ||
      figure.best == Best::neither)
    return Verdict::none;
  const double a = as_double(*figure.a), b = as_double(*figure.b);
  if (a == b || !figure.apart) return Verdict::same;
  return (b < a) == (figure.best == Best::least) ? Verdict::better : Verdict::worse;
}

MeasuredTime measured_time(const gpu::RunResult& run) {
  return {run.device,       run.times.launches, run.times.median_ms,
          run.times.p25_ms, run.times.p75_ms,   run.gflops};
}

Comparison compare(const ComparedSide& a, const ComparedSide& b) {
  Comparison comparison;
  const std::pair sectors{counts_sectors(a), counts_sectors(b)};
  add_measured(comparison.figures, a, b);
  add_accesses(comparison.figures, FigureSource::as_written, "as_written.", &a.loaded.report,
               &b.loaded.report, sectors);
  add_accesses(comparison.figures, FigureSource::as_compiled, "as_compiled.", compiled_report(a),
               compiled_report(b), sectors);
  add_multiprocessor(comparison.figures, a, b);
  comparison.why_not_judged = why_not_judged(a, b);
  if (!a.loaded.compiled.has_counts()) comparison.a_not_compiled = a.loaded.compiled.why_not();
  if (!b.loaded.compiled.has_counts()) comparison.b_not_compiled = b.loaded.compiled.why_not();
  return comparison;
}

std::string in_words(const std::optional<Amount>& amount) {
  if (!amount) return "-";
  if (const auto* const count = std::get_if<std::uint64_t>(&*amount)) return with_thousands(*count);
  const double value = std::get<double>(*amount);
  return formatted("{:.{}f}", value, value >= 1000 ? 0 : value >= 10 ? 1 : value >= 1 ? 3 : 4);
}

std::string change_in_words(const ComparedFigure& figure) {
  if (!figure.a || !figure.b || !figure.one_measure) return "";
  if (!figure.apart) return tr("no difference");
  const auto* const a = std::get_if<std::uint64_t>(&*figure.a);
  const auto* const b = std::get_if<std::uint64_t>(&*figure.b);
  if (a != nullptr && b != nullptr) return picture::change_in_words(*a, *b);
  return change_of_measured(as_double(*figure.a), as_double(*figure.b), figure.best == Best::least);
}

picture::Changes changes_of(const Comparison& comparison, std::string a, std::string b) {
  picture::Changes changes{.a = std::move(a),
                           .b = std::move(b),
                           .sentence = picture::with_minus(sentence_of(comparison)),
                           .note = comparison.why_not_judged,
                           .rows = {}};
  for (const ComparedFigure& figure : comparison.figures) {
    if (figure.is_nothing()) continue;
    const Verdict verdict = comparison.verdict(figure);
    changes.rows.push_back({.section = tr(title_of(figure.source)),
                            .name = title_of(figure),
                            .a = in_words(figure.a),
                            .b = in_words(figure.b),
                            .change = picture::with_minus(change_in_words(figure)),
                            .same = figure.one_measure && figure.a == figure.b,
                            .tone = verdict == Verdict::better  ? picture::Changes::Tone::better
                                    : verdict == Verdict::worse ? picture::Changes::Tone::worse
                                                                : picture::Changes::Tone::none});
  }
  return changes;
}

}  // namespace warplens::app
