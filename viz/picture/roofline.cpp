#include "viz/picture/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/base/texts.h"
#include "viz/canvas/chart.h"
#include "viz/picture/terms.h"

namespace warplens::picture {
namespace {

using analysis::Bound;
using analysis::Ceilings;
using analysis::CountedArithmetic;
using analysis::Roof;

constexpr float kMaxOfHeadline = 0.6f;  ///< That the names of numbered rings take from it
constexpr double kGoodShare = 0.5;      ///< Of the peak: what attains less is drawn as costly

/// Whether there are loads: without them there is no ratio to draw.
bool has_count(const Arithmetic& arithmetic) {
  return arithmetic.counted && arithmetic.counted->requested_bytes > 0;
}

/// Kernels of one ratio: they lie on the same place of the roof.
struct Group {
  double intensity = 0;
  std::vector<std::string> names;
};

std::vector<Group> groups_of(const std::vector<FormulaKernel>& ladder) {
  std::vector<Group> groups;
  for (const FormulaKernel& ladder_kernel : ladder) {
    constexpr double kAlike = 1.06;  // Not to be told apart on a logarithmic axis
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return std::max(group.intensity, ladder_kernel.intensity) <=
             kAlike * std::min(group.intensity, ladder_kernel.intensity);
    });
    if (same == groups.end()) {
      groups.push_back({ladder_kernel.intensity, {ladder_kernel.kernel}});
    } else {
      same->names.push_back(ladder_kernel.kernel);
    }
  }
  return groups;
}

struct Ranges {
  ChartAxis x, y;
};

Ranges ranges_of(const Arithmetic& arithmetic) {
  double min = arithmetic.roof.ridge(), greatest = min, slowest = arithmetic.roof.peak_gflops,
         fastest = slowest;
  const auto widen = [&](double intensity) {
    if (intensity <= 0) return;
    min = std::min(min, intensity);
    greatest = std::max(greatest, intensity);
    slowest = std::min(slowest, arithmetic.roof.attainable(intensity));
  };
  for (const FormulaKernel& ladder_kernel : arithmetic.ladder) {
    widen(ladder_kernel.intensity);
    if (!ladder_kernel.measured || ladder_kernel.measured->gflops <= 0) continue;
    widen(ladder_kernel.measured->intensity);
    slowest = std::min(slowest, ladder_kernel.measured->gflops);
    fastest = std::max(fastest, ladder_kernel.measured->gflops);
  }
  if (has_count(arithmetic)) {
    widen(arithmetic.counted->requested_intensity());
    widen(arithmetic.counted->fetched_intensity().value_or(0));
    slowest = std::min(slowest, ceilings(*arithmetic.counted, arithmetic.roof).attainable());
  }
  return {{min / 2, greatest * 3, tr("flop for each byte loaded from global memory"), "flop/B", {}},
          {std::min(slowest, arithmetic.roof.attainable(min)) / 2,
           fastest * 2.2,
           tr("GFLOP/s, attainable: the lowest of the roofs"),
           "GFLOP/s",
           {}}};
}

std::string bytes_each_flop(double intensity) {
  return in_figures(1 / intensity) + " B";
}

double flops_a_wavefront(const CountedArithmetic& counted) {
  return counted.flops / static_cast<double>(counted.shared.wavefronts);
}

std::string percent_of_peak(double gflops, const Roof& roof) {
  const double percent = 100 * gflops / roof.peak_gflops;
  return percent >= 99.95 ? "100 %" : formatted("{:.1f} %", percent);
}

std::string sentence_of(const Arithmetic& arithmetic) {
  if (!has_count(arithmetic)) {
    return arithmetic.why_not.empty()
               ? tr("Nothing is counted: the recording loads nothing. {what_to_do}",
                    "what_to_do"_a = arithmetic.what_to_do)
               : tr("Nothing is counted: {reason}. {what_to_do}", "reason"_a = arithmetic.why_not,
                    "what_to_do"_a = arithmetic.what_to_do);
  }
  const Roof& roof = arithmetic.roof;
  const CountedArithmetic& counted = *arithmetic.counted;
  const Ceilings found = ceilings(counted, roof);
  const std::string each = bytes_each_flop(counted.roof_intensity());
  if (!arithmetic.other_values.empty()) {
    return tr(
        "{kernel}, {type}: {bytes} an operation, so {bandwidth} GB/s feed {operations} G a second; the peak "
        "is that of float, not of this kernel",
        "kernel"_a = arithmetic.kernel, "type"_a = arithmetic.other_values, "bytes"_a = each,
        "bandwidth"_a = in_figures(roof.bandwidth_gbps), "operations"_a = in_figures(found.memory));
  }
  const std::string rate = in_figures(found.attainable()), share = percent_of_peak(found.attainable(), roof);
  const std::string bytes = counted.fetched_bytes ? tr("{bytes} fetched per flop", "bytes"_a = each)
                                                  : tr("{bytes} requested per flop", "bytes"_a = each);
  switch (found.bound()) {
    case Bound::arithmetic:
      return tr(
          "{kernel}: {bytes}, so {bandwidth} GB/s feed {rate} GFLOP/s, over the peak: limited by arithmetic",
          "kernel"_a = arithmetic.kernel, "bytes"_a = bytes, "bandwidth"_a = in_figures(roof.bandwidth_gbps),
          "rate"_a = in_figures(found.memory));
    case Bound::memory:
      return tr(
          "{kernel}: {bytes}, so {bandwidth} GB/s feed {rate} GFLOP/s, {share} of the peak: limited by "
          "memory",
          "kernel"_a = arithmetic.kernel, "bytes"_a = bytes, "bandwidth"_a = in_figures(roof.bandwidth_gbps),
          "rate"_a = rate, "share"_a = share);
    case Bound::scattered:
      return tr(
          "{kernel}: {bytes}, so {bandwidth} GB/s feed {rate} GFLOP/s, but {free} at the ideal: limited by "
          "scattered accesses",
          "kernel"_a = arithmetic.kernel, "bytes"_a = bytes, "bandwidth"_a = in_figures(roof.bandwidth_gbps),
          "rate"_a = rate, "free"_a = in_figures(*found.with_perfect_addresses));
    case Bound::shared:
      return tr(
          "{kernel}: {flops} flop per wavefront, so {rate} GFLOP/s of shared memory, {share} of the peak: "
          "limited by shared memory",
          "kernel"_a = arithmetic.kernel, "flops"_a = in_figures(flops_a_wavefront(counted)), "rate"_a = rate,
          "share"_a = share);
    case Bound::conflicts: break;
  }
  return tr(
      "{kernel}: {flops} flop per wavefront, so {rate} GFLOP/s of shared memory, {free} without bank "
      "conflicts: they bind",
      "kernel"_a = arithmetic.kernel, "flops"_a = in_figures(flops_a_wavefront(counted)), "rate"_a = rate,
      "free"_a = in_figures(*found.without_conflicts));
}

const char* bound_in_words(Bound bound) {
  switch (bound) {
    case Bound::memory: return tr("limited by memory");
    case Bound::scattered: return tr("limited by scattered accesses");
    case Bound::shared: return tr("limited by shared memory");
    case Bound::conflicts: return tr("limited by bank conflicts");
    case Bound::arithmetic: break;
  }
  return tr("limited by arithmetic");
}

/// Memory is not what serves what is asked for again.
bool caches_help(const Arithmetic& arithmetic) {
  return std::any_of(arithmetic.ladder.begin(), arithmetic.ladder.end(),
                     [&](const FormulaKernel& ladder_kernel) {
                       return ladder_kernel.measured &&
                              ladder_kernel.measured->gflops >
                                  1.02 * arithmetic.roof.attainable(ladder_kernel.measured->intensity);
                     });
}

/// What shared memory lets the recorded kernel reach, where that is lower than the peak.
void draw_shared_roofs(Chart& chart, Canvas& canvas, const Ranges& ranges, const Ceilings& found,
                       const Roof& roof) {
  const auto draw = [&](double rate, Colour colour) {
    if (rate < roof.peak_gflops)
      chart.line({{rate / roof.bandwidth_gbps, rate}, {ranges.x.to, rate}}, colour, 1.5f, true);
  };
  if (!found.shared) return;
  draw(*found.shared, found.bound() == Bound::conflicts ? canvas.palette().costly : canvas.palette().text);
  if (*found.without_conflicts > *found.shared) draw(*found.without_conflicts, canvas.palette().good);
}

void name_shared_roofs(Chart& chart, const Canvas& canvas, const Ranges& ranges, const Ceilings& found,
                       const Roof& roof) {
  const auto name = [&](double rate, const std::string& words, Colour colour) {
    if (rate >= roof.peak_gflops) return;
    chart.name_line({std::max(rate / roof.bandwidth_gbps, ranges.x.from), rate}, {ranges.x.to, rate},
                    {fmt::format("{} {} GFLOP/s", words, in_figures(rate)),
                     fmt::format("{} {}", words, in_figures(rate)), words, in_figures(rate)},
                    colour);
  };
  if (!found.shared) return;
  name(*found.shared, tr("shared memory"),
       found.bound() == Bound::conflicts ? canvas.palette().costly : canvas.palette().text);
  if (*found.without_conflicts > *found.shared)
    name(*found.without_conflicts, tr("without bank conflicts"), canvas.palette().good);
}

void draw_roof(Chart& chart, Canvas& canvas, const Ranges& ranges, const Roof& roof) {
  const Palette& palette = canvas.palette();
  chart.line({{roof.ridge(), ranges.y.from}, {roof.ridge(), roof.peak_gflops}}, palette.muted, 1, true);
  chart.line({{ranges.x.from, roof.attainable(ranges.x.from)},
              {roof.ridge(), roof.peak_gflops},
              {ranges.x.to, roof.peak_gflops}},
             palette.text, 2);
}

void name_roof(Chart& chart, const Canvas& canvas, const Ranges& ranges, const Roof& roof) {
  const Colour muted = canvas.palette().muted;
  const std::string peak = in_figures(roof.peak_gflops) + " GFLOP/s",
                    bandwidth = in_figures(roof.bandwidth_gbps) + " GB/s",
                    ridge = in_figures(roof.ridge()) + " flop/B";
  chart.name_line({roof.ridge(), roof.peak_gflops}, {ranges.x.to, roof.peak_gflops},
                  {tr("peak {rate}", "rate"_a = peak), peak}, muted);
  chart.name_line({ranges.x.from, roof.attainable(ranges.x.from)}, {roof.ridge(), roof.peak_gflops},
                  {tr("memory {bandwidth}", "bandwidth"_a = bandwidth), bandwidth}, muted);
  chart.name_line({roof.ridge(), ranges.y.from}, {roof.ridge(), roof.peak_gflops},
                  {tr("ridge {intensity}", "intensity"_a = ridge), ridge}, muted);
}

/// A line of its own; empty without shared memory.
std::string shared_in_words(const CountedArithmetic& counted) {
  if (counted.shared.wavefronts == 0) return {};
  const std::string wavefronts = with_thousands(counted.shared.wavefronts),
                    flops = in_figures(flops_a_wavefront(counted)),
                    bytes = with_thousands(counted.shared.bytes_a_pass);
  return "\n" + (counted.shared.architecture.empty()
                     ? tr("{wavefronts} wavefronts of shared memory as written, {flops} flop each, which "
                          "take as long as {bytes} B",
                          "wavefronts"_a = wavefronts, "flops"_a = flops, "bytes"_a = bytes)
                     : tr("{wavefronts} wavefronts of shared memory as compiled for {architecture}, {flops} "
                          "flop each, which take as long as {bytes} B",
                          "wavefronts"_a = wavefronts, "architecture"_a = counted.shared.architecture,
                          "flops"_a = flops, "bytes"_a = bytes));
}

void draw_points(Chart& chart, Canvas& canvas, const Arithmetic& arithmetic,
                 const std::vector<Group>& groups) {
  const Palette& palette = canvas.palette();
  const Roof& roof = arithmetic.roof;
  for (const Group& group : groups) {
    const double reach = roof.attainable(group.intensity);
    chart.mark({group.intensity, reach}, ChartMark::ring, palette.muted,
               tr("{kernels}\nby formula at {size}: {intensity} flop/B, so {rate} GFLOP/s at most",
                  "kernels"_a = fmt::format("{}", fmt::join(group.names, "\n")), "size"_a = arithmetic.size,
                  "intensity"_a = in_figures(group.intensity), "rate"_a = in_figures(reach)),
               3.5f);
  }
  for (const FormulaKernel& ladder_kernel : arithmetic.ladder) {
    if (!ladder_kernel.measured) continue;
    const MeasuredRate& measured = *ladder_kernel.measured;
    chart.mark({measured.intensity, measured.gflops}, ChartMark::diamond, palette.fill,
               tr("{run}: {rate} GFLOP/s, measured; {intensity} flop/B by formula", "run"_a = measured.what,
                  "rate"_a = in_figures(measured.gflops), "intensity"_a = in_figures(measured.intensity)));
  }
  if (!has_count(arithmetic)) return;
  const CountedArithmetic& counted = *arithmetic.counted;
  const double requested = counted.requested_intensity(), intensity = counted.roof_intensity();
  chart.mark({requested, roof.attainable(requested)}, ChartMark::square, palette.good,
             tr_n(static_cast<std::uint64_t>(counted.flops),
                  "{kernel}: {intensity} flop/B requested, counted: {n} flop over {bytes} B that its lanes "
                  "ask for. The textbook's CGMA",
                  "{kernel}: {intensity} flop/B requested, counted: {n} flops over {bytes} B that its lanes "
                  "ask for. The textbook's CGMA",
                  "kernel"_a = arithmetic.kernel, "intensity"_a = in_figures(requested),
                  "bytes"_a = with_thousands(counted.requested_bytes)),
             4.5f);
  const double reached = ceilings(counted, roof).attainable();
  if (!counted.fetched_bytes)
    return chart.mark({intensity, reached}, ChartMark::disc, palette.accent, shared_in_words(counted), 4.5f);
  chart.mark(
      {intensity, reached}, ChartMark::disc, palette.accent,
      tr("{kernel}: {intensity} flop/B fetched, counted: {bytes} B in transactions of the first-level cache",
         "kernel"_a = arithmetic.kernel, "intensity"_a = in_figures(intensity),
         "bytes"_a = with_thousands(*counted.fetched_bytes)) +
          shared_in_words(counted),
      4.5f);
}

void name_counted(Chart& chart, const Canvas& canvas, const Arithmetic& arithmetic) {
  const Palette& palette = canvas.palette();
  const Roof& roof = arithmetic.roof;
  if (!has_count(arithmetic)) return;
  const double requested = arithmetic.counted->requested_intensity(),
               intensity = arithmetic.counted->roof_intensity();
  const std::string figure = in_figures(intensity) + " flop/B";
  chart.name({intensity, ceilings(*arithmetic.counted, roof).attainable()},
             {fmt::format("{}: {}", arithmetic.kernel, figure), figure}, palette.accent, true);
  chart.name({requested, roof.attainable(requested)},
             {tr("requested: {intensity} flop/B", "intensity"_a = in_figures(requested)), tr("requested")},
             palette.good);
}

/// A ring that has a number, as there is no room for its name beside it.
struct NumberedRing {
  std::string name, short_name;
};

std::vector<NumberedRing> name_others(Chart& chart, const Canvas& canvas, const Arithmetic& arithmetic,
                                      const std::vector<Group>& groups, bool with_numbers) {
  const Palette& palette = canvas.palette();
  const Roof& roof = arithmetic.roof;
  std::vector<NumberedRing> numbered;
  for (const FormulaKernel& ladder_kernel : arithmetic.ladder) {
    if (!ladder_kernel.measured) continue;
    const std::string figure = in_figures(ladder_kernel.measured->gflops);
    chart.name({ladder_kernel.measured->intensity, ladder_kernel.measured->gflops},
               {fmt::format("{} {}", ladder_kernel.kernel, figure), ladder_kernel.kernel}, palette.fill);
  }
  for (const Group& group : groups) {
    const std::string& first = group.names.front();
    const std::size_t others = group.names.size() - 1;
    const std::string all =
        others == 0 ? first
                    : tr_n(others, "{kernel} and {n} more", "{kernel} and {n} more", "kernel"_a = first);
    const std::string brief = others == 0 ? first : fmt::format("{} +{}", first, others);
    const ChartPoint ring{group.intensity, roof.attainable(group.intensity)};
    if (chart.name(ring, {all, brief}, palette.muted)) continue;
    if (with_numbers && chart.number(ring, numbered.size() + 1, palette.text))
      numbered.push_back({all, brief});
  }
  return numbered;
}

/// "1 volkov", "2 tiled and 4 more": what the numbers stand for, in rows of so much width; nullopt: there are
/// not rows enough.
std::optional<std::vector<std::string>> key_of(const Canvas& canvas,
                                               const std::vector<NumberedRing>& numbered, float width,
                                               std::size_t rows) {
  for (const auto name : {&NumberedRing::name, &NumberedRing::short_name}) {
    std::vector<std::string> key;
    bool fits = true;
    for (std::size_t i = 0; i < numbered.size(); ++i) {
      const std::string entry = fmt::format("{} {}", i + 1, numbered[i].*name),
                        longer = key.empty() ? entry : key.back() + "   " + entry;
      const bool goes_on = !key.empty() && canvas.width_of(longer, canvas.muted()) <= width;
      goes_on ? key.back() = longer : key.emplace_back(entry);
      fits = fits && canvas.width_of(key.back(), canvas.muted()) <= width;
    }
    if (fits && key.size() <= rows) return key;
  }
  return std::nullopt;
}

void draw_headline(Canvas& canvas, Rect row, const Arithmetic& arithmetic) {
  const Roof& roof = arithmetic.roof;
  if (!has_count(arithmetic)) {
    canvas.fitted(row, {tr("The roof, and the ladder by formula"), tr("By formula")}, canvas.plain());
    return;
  }
  const CountedArithmetic& counted = *arithmetic.counted;
  if (!arithmetic.other_values.empty()) {  // The peak is not theirs
    draw_figure(canvas, row,
                tr("{operations} operations per byte", "operations"_a = in_figures(counted.roof_intensity())),
                false,
                {counted.fetched_bytes ? tr("fetched") : tr("requested"),
                 tr("of {type}", "type"_a = arithmetic.other_values)});
    return;
  }
  const Ceilings found = ceilings(counted, roof);
  draw_figure(canvas, row,
              {fmt::format("{} GFLOP/s", in_figures(found.attainable())), meaning_of(Term::attainable)},
              found.attainable() < kGoodShare * roof.peak_gflops,
              {tr("attainable"),
               bound_in_words(found.bound()),
               {tr("{share} of the peak", "share"_a = percent_of_peak(found.attainable(), roof)),
                meaning_of(Term::peak)}});
}

/// Every kernel of the ladder with its ratio, beside a chart that is wide enough: a ring may stand for
/// several. Cuts its place off `rest`.
void draw_kernels(Canvas& canvas, Rect& rest, const Arithmetic& arithmetic) {
  constexpr float kWideEnough = 880;
  const float row = canvas.line_height(kSmallSize), figures = canvas.px(48);
  const auto rows = static_cast<float>(arithmetic.ladder.size() + 1);
  if (arithmetic.ladder.empty() || rest.width < canvas.px(kWideEnough) || rest.height < rows * row) return;
  const std::string heading = tr("by formula");
  float names = canvas.width_of(heading, canvas.muted());
  for (const FormulaKernel& ladder_kernel : arithmetic.ladder) {
    names = std::max(names, canvas.width_of(ladder_kernel.name, {canvas.palette().text, kSmallSize,
                                                                 Font::sans_bold, Align::left}));
  }
  Rect column = cut_right(rest, names + figures + canvas.px(10));
  static_cast<void>(cut_right(rest, canvas.px(16)));
  const auto line = [&](const std::string& name, const std::string& figure, const TextLook& look) {
    Rect place = cut_top(column, row);
    canvas.fitted(cut_right(place, figures), {figure}, {look.colour, look.size, look.font, Align::right});
    canvas.fitted(place, {name}, look);
  };
  line(heading, "flop/B", canvas.muted());
  for (const FormulaKernel& ladder_kernel : arithmetic.ladder) {
    const Font font = ladder_kernel.recorded ? Font::sans_bold : Font::sans;
    line(ladder_kernel.name, in_figures(ladder_kernel.intensity),
         {ladder_kernel.recorded ? canvas.palette().text : canvas.palette().muted, kSmallSize, font,
          Align::left});
  }
}

/// Returns the legend of the points that there are.
std::vector<LegendEntry> legend_of(const Palette& palette, const Arithmetic& arithmetic) {
  std::vector<LegendEntry> entries;
  if (has_count(arithmetic)) {
    if (arithmetic.counted->fetched_bytes)
      entries.push_back({ChartMark::disc, palette.accent, tr("fetched, counted")});
    entries.push_back({ChartMark::square, palette.good, tr("requested, counted: CGMA")});
  }
  if (!arithmetic.ladder.empty()) entries.push_back({ChartMark::ring, palette.muted, tr("by formula")});
  if (std::ranges::any_of(arithmetic.ladder, [](const FormulaKernel& ladder_kernel) {
        return ladder_kernel.measured.has_value();
      })) {
    entries.push_back(
        {ChartMark::diamond, palette.fill,
         caches_help(arithmetic) ? tr("measured; over the roof: served by caches") : tr("measured")});
  }
  return entries;
}

/// Whose roof, and which wavefronts lie under it.
std::string subtitle_of(const Arithmetic& arithmetic) {
  if (!has_count(arithmetic) || arithmetic.counted->shared.wavefronts == 0) return arithmetic.device;
  const std::string& architecture = arithmetic.counted->shared.architecture;
  return architecture.empty() ? tr("{device} · wavefronts as written", "device"_a = arithmetic.device)
                              : tr("{device} · wavefronts as compiled for {architecture}",
                                   "device"_a = arithmetic.device, "architecture"_a = architecture);
}

/// `key_rows`: beneath the chart, for what the numbers of rings stand for; 0: the headline says it; nullopt:
/// no ring has a number. Gives nullopt where that is not enough.
std::optional<Picture> drawn(const Arithmetic& arithmetic, Size size, const Style& style,
                             std::optional<std::size_t> key_rows) {
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Roofline"), subtitle_of(arithmetic));
  Rect rest = canvas.inside();
  const float ems = rest.height < canvas.px(160)
                        ? 1
                        : 72;  // In a low picture one line, else as many as the longest sentences need
  draw_sentence(canvas, rest, sentence_of(arithmetic), ems);
  Rect headline = cut_top(rest, figure_height(canvas, size.height));
  const Palette& palette = canvas.palette();
  if (rest.height > canvas.px(100))
    draw_legend(canvas, cut_bottom(rest, canvas.line_height(kSmallSize)), legend_of(palette, arithmetic));
  Rect below = cut_bottom(rest, canvas.line_height(kSmallSize) * static_cast<float>(key_rows.value_or(0)));
  static_cast<void>(cut_bottom(rest, canvas.px(4)));
  if (rest.height < canvas.px(kLowestChart)) {
    if (key_rows.value_or(0) > 0) return std::nullopt;
    draw_headline(canvas, headline, arithmetic);
    return canvas.take();
  }
  const Ranges ranges = ranges_of(arithmetic);
  const std::vector<Group> groups = groups_of(arithmetic.ladder);
  draw_kernels(canvas, rest, arithmetic);
  Chart chart(canvas, rest, ranges.x, ranges.y);
  const std::optional<Ceilings> found = has_count(arithmetic) && arithmetic.other_values.empty()
                                            ? std::optional(ceilings(*arithmetic.counted, arithmetic.roof))
                                            : std::nullopt;
  draw_roof(chart, canvas, ranges, arithmetic.roof);
  if (found) draw_shared_roofs(chart, canvas, ranges, *found, arithmetic.roof);
  draw_points(chart, canvas, arithmetic, groups);
  name_counted(chart, canvas, arithmetic);
  const std::vector<NumberedRing> numbered =
      name_others(chart, canvas, arithmetic, groups, key_rows.has_value());
  const float key_width = below.height > 0 ? below.width : headline.width * kMaxOfHeadline;
  const auto key = key_of(canvas, numbered, key_width, std::max<std::size_t>(key_rows.value_or(0), 1));
  if (!key) return std::nullopt;
  for (const std::string& row : *key) {
    const float width = canvas.width_of(row, canvas.muted()) + canvas.px(1);
    canvas.fitted(
        below.height > 0 ? cut_top(below, canvas.line_height(kSmallSize)) : cut_right(headline, width), {row},
        canvas.muted());
  }
  if (key_rows == std::size_t{0} && !key->empty()) static_cast<void>(cut_right(headline, canvas.px(14)));
  draw_headline(canvas, headline, arithmetic);
  if (found) name_shared_roofs(chart, canvas, ranges, *found, arithmetic.roof);
  name_roof(chart, canvas, ranges, arithmetic.roof);
  return canvas.take();
}

}  // namespace

Picture make_roofline(const Arithmetic& arithmetic, Size size, const Style& style) {
  for (const std::size_t key_rows : {0u, 1u, 2u, 3u}) {
    if (std::optional<Picture> picture = drawn(arithmetic, size, style, key_rows)) return *std::move(picture);
  }
  return *drawn(arithmetic, size, style, std::nullopt);
}

}  // namespace warplens::picture
