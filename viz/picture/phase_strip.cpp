#include "viz/picture/phase_strip.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

// Widths grow with the requests, but a phase of few is still to be hit: each has at least this part of an
// even share.
constexpr float kMinOfShare = 0.35f;

Colour phase_colour(const Palette& palette, analysis::PhaseKind kind) {
  switch (kind) {
    case analysis::PhaseKind::fill: return palette.fill;
    case analysis::PhaseKind::compute:
    case analysis::PhaseKind::compute_and_fill:
    case analysis::PhaseKind::step: return palette.accent;
    case analysis::PhaseKind::write: return palette.good;
    case analysis::PhaseKind::other: break;
  }
  return palette.muted;
}

/// A phase of a kernel without barriers is a pass of its loop, if it has one.
const char* name_in_words(analysis::PhaseKind kind, std::size_t phases) {
  if (kind != analysis::PhaseKind::step) return tr(name_of(kind));
  return phases == 1 ? tr("the whole kernel") : tr("pass");
}

constexpr float kPast = 0.7f, kToCome = 0.35f;

/// Returns a phase's colour on the strip: past phases are paler than the current one, those to come paler
/// still.
Colour phase_ground(const Canvas& canvas, analysis::PhaseKind kind, std::uint32_t phase,
                    std::uint32_t current) {
  return mixed(canvas.palette().panel, phase_colour(canvas.palette(), kind),
               phase == current  ? 1.0f
               : phase < current ? kPast
                                 : kToCome);
}

float gap_of(const Canvas& canvas, Rect box) {
  return std::min(canvas.px(1), box.width / 6);
}

void draw_phase(Canvas& canvas, Rect box, std::uint32_t phase, const std::vector<analysis::PhaseKind>& kinds,
                const Moment& moment) {
  const analysis::PhaseKind kind = kinds[phase];
  const PhaseTotals& totals = moment.recording->phases[phase];
  const float gap = gap_of(canvas, box);
  canvas.fill({box.x + gap, box.y, box.width - 2 * gap, box.height},
              phase_ground(canvas, kind, phase, moment.phase), 2);
  canvas.region(box, {Target::Kind::phase, phase},
                tr_n(totals.requests(), "{phase}: {n} request", "{phase}: {n} requests",
                     "phase"_a = analysis::phase_in_words(kinds, phase)));
}

/// The larger of the two parts that a marker makes of a box, with some air about it.
Rect beside_marker(const Canvas& canvas, Rect box, float marker) {
  const float air = canvas.px(4), left = marker - air - box.x, right = box.right() - marker - air;
  if (left >= right) return {box.x, box.y, std::max(left, 0.0f), box.height};
  return {marker + air, box.y, std::max(right, 0.0f), box.height};
}

/// The number of the phase's tile, or its own; of the current one its kind too, beside the marker.
void draw_label(Canvas& canvas, Rect box, std::uint32_t phase, const std::vector<analysis::PhaseKind>& kinds,
                const Moment& moment, float marker) {
  const analysis::PhaseKind kind = kinds[phase];
  const Colour ground = phase_ground(canvas, kind, phase, moment.phase);
  const TextLook look{readable_on(ground), kSmallSize, Font::sans_bold, Align::centre};
  const std::string number = analysis::phase_number(kinds, phase),
                    of_kind = name_in_words(kind, moment.recording->phases.size());
  const std::string named =
      number.empty() ? of_kind : tr("{phase} {kind}", "phase"_a = number, "kind"_a = of_kind);
  const Rect inside = inset(box, gap_of(canvas, box) + canvas.px(2));
  if (phase == moment.phase) {  // Where neither side has room, the marker goes through it
    const Rect beside = beside_marker(canvas, inside, marker);
    const auto fits = [&](const std::string& text) { return canvas.width_of(text, look) <= beside.width; };
    if (fits(named) || fits(number)) {
      canvas.fitted(beside, {named, number}, look);
    } else {
      canvas.fitted_on(ground, inside, {named, number}, look);
    }
  } else if (canvas.width_of(std::to_string(moment.recording->phases.size()), look) <=
             inside.width) {  // Else only the first would be numbered
    canvas.fitted(inside, {number}, look);
  }
}

/// More phases than can be told apart: neighbours share a column, coloured by the first of each pixel.
void draw_many_phases(Canvas& canvas, Rect box, const std::vector<analysis::PhaseKind>& kinds,
                      const Moment& moment) {
  const auto count = static_cast<std::uint64_t>(moment.recording->phases.size());
  const auto columns = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(box.width));
  for (std::uint64_t column = 0; column < columns;) {
    const std::uint64_t phase = column * count / columns;
    std::uint64_t end = column + 1;
    const auto kind_at = [&](std::uint64_t at) { return kinds[at * count / columns]; };
    const auto past_at = [&](std::uint64_t at) { return at * count / columns <= moment.phase; };
    while (end < columns && kind_at(end) == kinds[phase] && past_at(end) == past_at(column)) ++end;
    const float step = box.width / static_cast<float>(columns);
    canvas.fill({box.x + static_cast<float>(column) * step, box.y, static_cast<float>(end - column) * step,
                 box.height},
                with_alpha(phase_colour(canvas.palette(), kinds[phase]), past_at(column) ? kPast : kToCome));
    column = end;
  }
  canvas.grid_region(box, 1, count, {Target::Kind::phase, 0}, tr_n(count, "{n} phase", "{n} phases"));
}

bool told_apart(const Canvas& canvas, Rect box, std::size_t phases) {
  return box.width / static_cast<float>(phases) >= canvas.px(4);
}

void draw_marker(Canvas& canvas, Rect box, float x) {
  const float head = canvas.px(4);
  canvas.line({x, box.y - canvas.px(5)}, {x, box.bottom() + canvas.px(4)}, canvas.palette().text, 2);
  canvas.fill({x - head, box.y - canvas.px(8), 2 * head, canvas.px(6)}, canvas.palette().text, 2);
}

}  // namespace

std::vector<float> phase_edges(const Recording& recording) {
  std::vector<float> edges{0};
  const std::size_t count = recording.phases.size();
  if (count == 0) return edges;
  double requests = 0;
  for (const PhaseTotals& phase : recording.phases) requests += static_cast<double>(phase.requests());
  const double even = 1.0 / static_cast<double>(count);
  double at = 0;
  for (const PhaseTotals& phase : recording.phases) {
    const double share = requests > 0 ? static_cast<double>(phase.requests()) / requests : even;
    at += kMinOfShare * even + (1 - kMinOfShare) * share;
    edges.push_back(static_cast<float>(at));
  }
  edges.back() = 1;
  return edges;
}

StripPlace place_on_strip(const Moment& moment, float part) {
  const std::vector<float> edges = phase_edges(*moment.recording);
  if (edges.size() < 2) return {};
  part = std::clamp(part, 0.0f, 1.0f);
  const auto after = std::upper_bound(edges.begin(), edges.end() - 1, part);
  const auto phase = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(0, after - edges.begin() - 1));
  const std::uint32_t last = static_cast<std::uint32_t>(edges.size() - 2);
  StripPlace place{std::min(phase, last), 0};
  Moment there = moment;
  there.phase = place.phase;
  const auto steps = static_cast<float>(there.steps().size());
  const float within = (part - edges[place.phase]) / (edges[place.phase + 1] - edges[place.phase]);
  if (steps > 0) place.step = static_cast<std::uint32_t>(std::clamp(within * steps, 0.0f, steps - 1));
  return place;
}

Rect phase_strip_box(Size size, const Style& style) {
  const float margin = std::min({14 * style.scale, size.width / 10, size.height / 5});
  const float height = std::min(size.height - 2 * margin, std::max(30 * style.scale, size.height * 0.12f));
  return {margin, (size.height - height) / 2, size.width - 2 * margin, height};
}

Picture make_phase_strip(const Moment& moment, const std::vector<analysis::PhaseKind>& kinds, Size size,
                         const Style& style) {
  const Recording& recording = *moment.recording;
  if (recording.phases.empty() || kinds.size() != recording.phases.size())
    return no_events_picture(tr("Phases"), size, style);
  Canvas canvas(size, style);
  canvas.name(tr("Phases"),
              fmt::format("{} · {}", analysis::phase_in_words(kinds, moment.phase), moment.block_name()));
  const Rect box = phase_strip_box(size, style);
  const std::vector<float> edges = phase_edges(recording);
  const std::uint32_t current =
      std::min<std::uint32_t>(moment.phase, static_cast<std::uint32_t>(recording.phases.size() - 1));
  const bool apart = told_apart(canvas, box, recording.phases.size());
  const auto box_of = [&](std::uint32_t phase) {
    return Rect{box.x + edges[phase] * box.width, box.y, (edges[phase + 1] - edges[phase]) * box.width,
                box.height};
  };
  if (apart) {
    for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase)
      draw_phase(canvas, box_of(phase), phase, kinds, moment);
  } else {
    draw_many_phases(canvas, box, kinds, moment);
  }
  const auto steps = static_cast<float>(std::max<std::size_t>(1, moment.steps().size()));
  const float within = std::min(1.0f, (static_cast<float>(moment.step) + 0.5f) / steps);
  const float marker =
      std::clamp(box.x + (edges[current] + within * (edges[current + 1] - edges[current])) * box.width, box.x,
                 box.right());
  draw_marker(canvas, box, marker);
  for (std::uint32_t phase = 0; apart && phase < recording.phases.size(); ++phase) {
    draw_label(canvas, box_of(phase), phase, kinds, moment, marker);
  }
  canvas.say(tr("{phase}: step {step} of {steps} of warp {warp}",
                "phase"_a = analysis::phase_in_words(kinds, current), "step"_a = moment.step + 1,
                "steps"_a = moment.steps().size(), "warp"_a = moment.warp));
  return canvas.take();
}

}  // namespace warplens::picture
