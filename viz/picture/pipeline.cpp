#include "viz/picture/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::Filling;
using analysis::Pipeline;
using analysis::Stage;

constexpr float kNarrowestPhase = 22, kNames = 150, kTallestStage = 56, kTallestWarp = 30, kPhaseNumbers = 20;

/// Kinds of accesses, by colour.
enum class Doing : std::uint8_t { loads, fills, reads, stores };
constexpr std::size_t kDoings = 4;

Doing doing_of(const Site& site) {
  if (site.space == Space::shared) return writes(site.op, Space::shared) ? Doing::fills : Doing::reads;
  return writes(site.op, site.space) ? Doing::stores : Doing::loads;
}
const char* name_of(Doing doing) {
  switch (doing) {
    case Doing::loads: return marked("loads from global or local memory");
    case Doing::fills: return marked("stores and copies to shared memory");
    case Doing::reads: return marked("reads of shared memory");
    case Doing::stores: break;
  }
  return marked("stores to global or local memory");
}
Colour colour_of(const Palette& palette, Doing doing) {
  switch (doing) {
    case Doing::loads: return palette.muted;
    case Doing::fills: return palette.fill;
    case Doing::reads: return palette.accent;
    case Doing::stores: break;
  }
  return palette.good;
}

/// The phases that are drawn, side by side.
struct PhaseColumns {
  Rect box;
  std::uint32_t first = 0, count = 0;
  [[nodiscard]] float width() const { return box.width / static_cast<float>(count); }
  /// Returns the position of a time in phases.
  [[nodiscard]] float x(float time) const {
    const auto begin = static_cast<float>(first), end = static_cast<float>(first + count);
    return box.x + (std::clamp(time, begin, end) - begin) * width();
  }
  [[nodiscard]] Rect span(std::uint32_t begin, std::uint32_t end, Rect row) const {
    const float left = x(static_cast<float>(begin));
    return {left, row.y, x(static_cast<float>(end)) - left, row.height};
  }
  [[nodiscard]] bool shows(std::uint32_t begin, std::uint32_t end) const {
    return begin < first + count && end > first;
  }
};

PhaseColumns phase_columns(const Canvas& canvas, Rect box, std::uint32_t phases, std::uint32_t current) {
  const auto room = static_cast<std::uint32_t>(std::max(1.0f, box.width / canvas.px(kNarrowestPhase)));
  PhaseColumns columns{.box = box, .first = 0, .count = std::min(phases, room)};
  const std::uint32_t before = columns.count / 2;
  columns.first = std::min(current > before ? current - before : 0, phases - columns.count);
  return columns;
}

std::string stage_name(const Recording& recording, const Stage& stage) {
  return shared_place_name(recording, stage.offset);
}

/// Returns until when a filling is drawn as being filled: copies whose completion is not recorded until they
/// are read.
double filled_at(const Filling& filling) {
  if (const std::optional<double> completed = analysis::completion_time(filling)) return *completed;
  return std::max(filling.first_read.value_or(0), filling.issued + 1);
}

std::string filled_in_words(const Recording& recording, const Filling& filling) {
  const std::string issued = phase_name(recording, filling.issued);
  if (!filling.is_copy) return tr("stored in {issued}", "issued"_a = issued);
  if (!filling.landed) return tr("copied from {issued}", "issued"_a = issued);
  return tr("copied from {issued}, complete in {completed}", "issued"_a = issued,
            "completed"_a = phase_name(recording, *filling.landed));
}

std::string read_in_words(const Recording& recording, const Filling& filling) {
  if (!filling.first_read) return tr("not read");
  if (*filling.first_read == *filling.last_read)
    return tr("read in {phase}", "phase"_a = phase_name(recording, *filling.first_read));
  return tr("read from {first} to {last}", "first"_a = phase_name(recording, *filling.first_read),
            "last"_a = phase_name(recording, *filling.last_read));
}

void draw_filling(Canvas& canvas, const PhaseColumns& columns, Rect row, const Recording& recording,
                  const Stage& stage, const Filling& filling) {
  const Palette& palette = canvas.palette();
  const double filled = filled_at(filling);
  const std::uint32_t until = std::max(
      {filling.last_read.value_or(0) + 1, filling.issued + 1, static_cast<std::uint32_t>(std::ceil(filled))});
  if (!columns.shows(filling.issued, until)) return;
  const Rect inside = inset(row, 0, canvas.px(2));
  const auto span = [&](double begin, double end) {
    const float left = columns.x(static_cast<float>(begin));
    return Rect{left, inside.y, columns.x(static_cast<float>(end)) - left, inside.height};
  };
  const std::string name = std::to_string(filling.number);
  const Rect being_filled = span(filling.issued, filled);
  const Colour ground = mixed(palette.panel, palette.fill, filling.is_copy ? 0.25f : 0.9f);
  canvas.fill(being_filled, ground, 2);
  if (filling.is_copy) {
    canvas.hatch(being_filled, palette.fill);
    canvas.outline(being_filled, palette.fill, 1, 2);
  }
  canvas.fitted_on(ground, inset(being_filled, canvas.px(4), canvas.px(3)), {name},
                   {readable_on(ground), kSmallSize, Font::sans_bold, Align::centre});
  if (filling.first_read) {
    const double first = std::max<double>(*filling.first_read, filled), last = *filling.last_read + 1.0;
    if (first > filled) canvas.fill(span(filled, first), mixed(palette.panel, palette.accent, 0.25f));
    if (last > first) {
      canvas.fill(span(first, last), palette.accent, 2);
      canvas.fitted(span(first, last), {name},
                    {readable_on(palette.accent), kSmallSize, Font::sans_bold, Align::centre});
    }
  }
  canvas.region(columns.span(filling.issued, until, row), {Target::Kind::phase, filling.issued},
                tr("{stage}, filling {number}: {filled}, {read}", "stage"_a = stage_name(recording, stage),
                   "number"_a = filling.number, "filled"_a = filled_in_words(recording, filling),
                   "read"_a = read_in_words(recording, filling)));
}

void draw_warp(Canvas& canvas, const PhaseColumns& columns, Rect row, const Moment& moment,
               std::uint32_t warp) {
  const Recording& recording = *moment.recording;
  for (std::uint32_t phase = columns.first; phase < columns.first + columns.count; ++phase) {
    const EventRange events = events_of_phase(recording, moment.event_block, warp, phase);
    std::array<std::size_t, kDoings> counts{};
    for (std::size_t event = events.begin; event < events.end; ++event)
      ++counts[static_cast<std::size_t>(doing_of(recording.sites[recording.events.site[event]]))];
    Rect cell =
        inset(columns.span(phase, phase + 1, row), std::min(canvas.px(1), columns.width() / 8), canvas.px(1));
    std::string tooltip =
        tr("warp {warp} in {phase}", "warp"_a = warp, "phase"_a = phase_name(recording, phase));
    const float width = cell.width;
    for (std::size_t k = 0; k < kDoings; ++k) {
      if (counts[k] == 0) continue;
      const auto doing = static_cast<Doing>(k);
      canvas.fill(cut_left(cell, width * static_cast<float>(counts[k]) / static_cast<float>(events.size())),
                  colour_of(canvas.palette(), doing));
      tooltip +=
          "\n" + tr("{count} {what}", "count"_a = with_thousands(counts[k]), "what"_a = tr(name_of(doing)));
    }
    canvas.region(columns.span(phase, phase + 1, row), {Target::Kind::phase, phase}, tooltip);
  }
}

bool has_copies(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline.stages, [](const Stage& stage) {
    return std::ranges::any_of(stage.fillings, &Filling::is_copy);
  });
}

std::string sentence_of(const Moment& moment, const Pipeline& pipeline) {
  std::string stages = tr_n(pipeline.stages.size() + pipeline.left_out, "{n} stage", "{n} stages");
  if (pipeline.left_out != 0)
    stages = tr("{stages}, of which the {n} largest are shown", "stages"_a = stages,
                "n"_a = pipeline.stages.size());
  if (!has_copies(pipeline))
    return tr("{stages}, filled by ordinary stores: there are no asynchronous copies.", "stages"_a = stages);
  const std::optional<std::uint32_t> phases = analysis::phases_in_flight(pipeline);
  if (!phases)
    return tr(
        "{stages}, filled by asynchronous copies. A recording made on a GPU does not contain when they "
        "complete.",
        "stages"_a = stages);
  if (*phases == 0) return tr("{stages}. Copies complete in the phase of their issue.", "stages"_a = stages);
  std::size_t in_flight = 0;
  for (const Stage& stage : pipeline.stages) {
    for (const Filling& filling : stage.fillings)
      in_flight +=
          filling.is_copy && filling.issued <= moment.phase && moment.phase < *filling.landed ? 1 : 0;
  }
  return tr("{stages}. A copy completes {phases} after its issue; after this phase {in_flight}.",
            "stages"_a = stages, "phases"_a = tr_n(*phases, "up to {n} phase", "up to {n} phases"),
            "in_flight"_a = tr_n(in_flight, "{n} is in flight", "{n} are in flight"));
}

struct PipelineShade {
  Colour colour;
  bool hatched = false;
  std::string text;
};
std::vector<PipelineShade> pipeline_shades(const Palette& palette, const Pipeline& pipeline) {
  std::vector<PipelineShade> shades;
  if (has_copies(pipeline)) shades.push_back({palette.fill, true, tr("copy in flight")});
  shades.push_back({palette.fill, false, tr("stored")});
  shades.push_back({mixed(palette.panel, palette.accent, 0.25f), false, tr("complete, not read yet")});
  shades.push_back({palette.accent, false, tr("read")});
  shades.push_back({palette.muted, false, tr("warps: loads from global memory")});
  shades.push_back({palette.good, false, tr("warps: stores to global memory")});
  return shades;
}

/// Draws the legend at the bottom of `rest`, in as many lines as it takes.
void draw_pipeline_legend(Canvas& canvas, Rect& rest, const Pipeline& pipeline) {
  const TextLook look = canvas.muted();
  const float line = canvas.px(18), square = canvas.px(18), gap = canvas.px(10);
  std::vector<std::vector<PipelineShade>> lines(1);
  float left = rest.width;
  for (PipelineShade& shade : pipeline_shades(canvas.palette(), pipeline)) {
    const float width = square + canvas.width_of(shade.text, look) + gap;
    if (width > left && !lines.back().empty()) {
      lines.emplace_back();
      left = rest.width;
    }
    left -= width;
    lines.back().push_back(std::move(shade));
  }
  Rect legend = cut_bottom(rest, line * static_cast<float>(lines.size()));
  for (const std::vector<PipelineShade>& shades : lines) {
    Rect row = cut_top(legend, line);
    for (const auto& [colour, hatched, text] : shades) {
      const Rect box = inset(cut_left(row, square), canvas.px(2), canvas.px(4));
      canvas.fill(box, hatched ? with_alpha(colour, 0.22f) : colour, 1);
      if (hatched) canvas.hatch(box, colour, 4);
      canvas.fitted(cut_left(row, canvas.width_of(text, look) + gap), {text}, look);
    }
  }
}

}  // namespace

Picture make_pipeline(const Moment& moment, const Pipeline& pipeline,
                      const std::vector<analysis::PhaseKind>& kinds, Size size, const Style& style) {
  const Recording& recording = *moment.recording;
  if (recording.events.size() == 0 || moment.event_block >= recording.event_blocks.size())
    return no_events_picture(tr("Pipeline"), size, style);
  if (pipeline.stages.empty()) {
    return empty_picture(tr("Pipeline"), tr("This kernel fills no shared memory."),
                         tr("Record one that does, such as async_copy."), size, style);
  }
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Pipeline"),
              fmt::format("{} · {}", analysis::phase_in_words(kinds, moment.phase), moment.block_name()));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(moment, pipeline));
  draw_pipeline_legend(canvas, rest, pipeline);
  static_cast<void>(cut_bottom(rest, canvas.px(4)));
  const float names = std::min(canvas.px(kNames), rest.width * 0.25f);
  const Rect header = cut_top(rest, canvas.px(kPhaseNumbers));
  const std::uint32_t phases = std::max(pipeline.phases, 1u), current = std::min(moment.phase, phases - 1);
  const PhaseColumns columns =
      phase_columns(canvas, {rest.x + names, rest.y, rest.width - names, rest.height}, phases, current);
  for (std::uint32_t phase = columns.first; phase < columns.first + columns.count; ++phase) {
    const Rect cell = columns.span(phase, phase + 1, header);
    if (phase == current)
      canvas.fill({cell.x, cell.y, cell.width, rest.bottom() - cell.y},
                  with_alpha(canvas.palette().text, 0.10f), 2);
    canvas.fitted(
        cell, {analysis::phase_number(kinds, phase)},
        phase == current ? canvas.plain(kSmallSize, Align::centre) : canvas.muted(kSmallSize, Align::centre));
    canvas.line({cell.x, cell.bottom()}, {cell.x, rest.bottom()}, canvas.palette().line);
    canvas.region({cell.x, cell.y, cell.width, rest.bottom() - cell.y}, {Target::Kind::phase, phase},
                  analysis::phase_in_words(kinds, phase));
  }
  canvas.fitted({rest.x, header.y, names - canvas.px(6), header.height},
                {analysis::counts_tiles(kinds) ? tr("tile") : tr("phase")},
                canvas.muted(kSmallSize, Align::right));
  const std::uint32_t warps = recording.warps_per_block();
  const auto stages = static_cast<float>(pipeline.stages.size());
  const float stage_row = std::min(canvas.px(kTallestStage), rest.height * 0.6f / stages);
  for (const Stage& stage : pipeline.stages) {
    const Rect row = cut_top(rest, stage_row);
    canvas.fitted({row.x, row.y, names - canvas.px(6), row.height},
                  {tr("{place} · {bytes} bytes", "place"_a = stage_name(recording, stage),
                      "bytes"_a = with_thousands(stage.bytes)),
                   stage_name(recording, stage)},
                  canvas.plain(kSmallSize, Align::right));
    for (const Filling& filling : stage.fillings)
      draw_filling(canvas, columns, row, recording, stage, filling);
  }
  static_cast<void>(cut_top(rest, canvas.px(8)));
  const float warp_row = std::min(canvas.px(kTallestWarp), rest.height / static_cast<float>(warps));
  const bool numbers_fit = warp_row >= canvas.px(kSmallSize);
  if (!numbers_fit) {
    canvas.fitted({rest.x, rest.y, names - canvas.px(6), std::min(rest.height, canvas.px(16))},
                  {tr_n(warps, "{n} warp", "{n} warps")}, canvas.muted(kSmallSize, Align::right));
  }
  for (std::uint32_t warp = 0; warp < warps && warp_row >= canvas.px(3); ++warp) {
    const Rect row = cut_top(rest, warp_row);
    if (numbers_fit) {
      canvas.fitted({row.x, row.y, names - canvas.px(6), row.height},
                    {tr("warp {warp}", "warp"_a = warp), std::to_string(warp)},
                    warp == moment.warp ? canvas.plain(kSmallSize, Align::right)
                                        : canvas.muted(kSmallSize, Align::right));
    }
    draw_warp(canvas, columns, row, moment, warp);
  }
  return canvas.take();
}

}  // namespace warplens::picture
