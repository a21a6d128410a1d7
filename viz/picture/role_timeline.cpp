#include "viz/picture/role_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::Role;
using analysis::RoleTimeline;
using analysis::StepKind;
using analysis::StepSpan;
using analysis::WarpLine;

constexpr float kNarrowestStep = 2, kWidestStep = 40, kRowNames = 170, kTallestWarpRow = 40,
                kTallestMbarrier = 26, kTallestFlight = 90, kStepNumbers = 16, kRoleTitle = 17,
                kShortestWarpRow = 6;

/// The steps that are drawn, side by side.
struct StepColumns {
  Rect box;
  std::uint32_t first = 0, count = 1;
  [[nodiscard]] float width() const { return box.width / static_cast<float>(count); }
  [[nodiscard]] float x(std::uint32_t step) const {
    return box.x + static_cast<float>(std::clamp(step, first, first + count) - first) * width();
  }
  [[nodiscard]] bool shows(std::uint32_t begin, std::uint32_t end) const {
    return begin < first + count && end > first;
  }
  [[nodiscard]] Rect span(std::uint32_t begin, std::uint32_t end, Rect row) const {
    return {x(begin), row.y, x(end) - x(begin), row.height};
  }
};

StepColumns step_columns(const Canvas& canvas, Rect box, std::uint32_t steps, std::uint32_t current) {
  const auto room = static_cast<std::uint32_t>(std::max(1.0f, box.width / canvas.px(kNarrowestStep)));
  StepColumns columns{.box = box, .first = 0, .count = std::max(std::min(steps, room), 1u)};
  const std::uint32_t before = columns.count / 2;
  columns.first =
      std::min(current > before ? current - before : 0, std::max(steps, columns.count) - columns.count);
  columns.box.width = std::min(box.width, canvas.px(kWidestStep) * static_cast<float>(columns.count));
  return columns;
}

Colour colour_of(const Palette& palette, StepKind kind) {
  switch (kind) {
    case StepKind::load: return palette.muted;
    case StepKind::store: return palette.good;
    case StepKind::read_shared: return mixed(palette.panel, palette.accent, 0.5f);
    case StepKind::write_shared: return mixed(palette.panel, palette.fill, 0.5f);
    case StepKind::copy: return palette.fill;
    case StepKind::multiply: return palette.accent;
    case StepKind::wait: break;
  }
  return palette.header;
}

void draw_span(Canvas& canvas, const StepColumns& columns, Rect row, const Moment& moment, std::uint32_t warp,
               const StepSpan& span) {
  const Palette& palette = canvas.palette();
  const Rect box = columns.span(span.begin, span.end, row);
  const Rect inside = inset(box, 0, std::min(canvas.px(1), row.height / 6));
  canvas.fill(inside, colour_of(palette, span.kind), 1);
  const std::uint32_t steps = span.end - span.begin;
  if (span.kind == StepKind::wait) {
    canvas.hatch(inside, palette.muted, canvas.px(5));
    const std::string at =
        span.mbarrier ? tr("warp {warp} waits {steps} for phase {phase} of {mbarrier}", "warp"_a = warp,
                           "steps"_a = tr_n(steps, "{n} step", "{n} steps"), "phase"_a = span.phase,
                           "mbarrier"_a = mbarrier_name(*moment.recording, *span.mbarrier))
                      : tr("warp {warp} waits {steps} at a barrier", "warp"_a = warp,
                           "steps"_a = tr_n(steps, "{n} step", "{n} steps"));
    return canvas.region(box, {}, at);
  }
  const std::string words =
      tr("warp {warp}: {what}, {steps}", "warp"_a = warp, "what"_a = step_kind_name(span.kind),
         "steps"_a = tr_n(steps, "{n} step", "{n} steps"));
  if (span.orders == 0) return canvas.region(box, {}, words);
  const std::size_t event =
      events_of_warp(*moment.recording, moment.event_block, warp).begin + span.first_order;
  if (span.orders != steps) {
    return canvas.region(box, {Target::Kind::event, static_cast<std::int64_t>(event)}, words);
  }
  const std::uint32_t begin = std::max(span.begin, columns.first),
                      end = std::min(span.end, columns.first + columns.count);
  canvas.grid_region(box, 1, end - begin,
                     {Target::Kind::event, static_cast<std::int64_t>(event + (begin - span.begin))}, words);
}

void draw_flights(Canvas& canvas, const StepColumns& columns, Rect row, const RoleTimeline& timeline) {
  const Palette& palette = canvas.palette();
  const std::uint64_t most = timeline.most_in_flight;
  canvas.line({columns.box.x, row.bottom()}, {columns.box.right(), row.bottom()}, palette.line);
  if (most == 0) return;
  std::vector<std::uint32_t> changes{columns.first, columns.first + columns.count};
  for (const analysis::BytesFrom& from : timeline.in_flight) {
    if (from.step > columns.first && from.step < columns.first + columns.count) changes.push_back(from.step);
  }
  std::ranges::sort(changes);
  for (std::size_t k = 0; k + 1 < changes.size(); ++k) {
    const std::uint64_t bytes = timeline.bytes_in_flight(changes[k]);
    const float height =
        row.height * static_cast<float>(static_cast<double>(bytes) / static_cast<double>(most));
    const Rect span = columns.span(changes[k], changes[k + 1], row);
    if (bytes != 0) {
      const Rect bar{span.x, row.bottom() - height, span.width, height};
      canvas.fill(bar, mixed(palette.panel, palette.fill, 0.35f));
      canvas.hatch(bar, palette.fill);
    }
    canvas.region(span, {}, tr_n(bytes, "{n} byte in flight", "{n} bytes in flight"));
  }
}

void draw_mbarrier(Canvas& canvas, const StepColumns& columns, Rect row, const Moment& moment,
                   const analysis::MbarrierLine& line) {
  const Palette& palette = canvas.palette();
  const std::string name = mbarrier_name(*moment.recording, line.address);
  for (const analysis::MbarrierPhase& phase : line.phases) {
    if (!columns.shows(phase.begin, phase.end)) continue;
    const Rect box = columns.span(phase.begin, phase.end, row);
    const Rect inside = inset(box, 0, canvas.px(1));
    // Of odd parity the phases are stronger.
    const Colour colour = mixed(palette.panel, palette.muted, phase.number % 2 == 0 ? 0.25f : 0.55f);
    canvas.fill(inside, colour, 1);
    canvas.line({inside.right(), inside.y}, {inside.right(), inside.bottom()}, palette.text);
    canvas.fitted(inset(inside, canvas.px(2), 0), {std::to_string(phase.number)},
                  {readable_on(colour), kTinySize, Font::sans_bold, Align::centre});
    std::string words =
        tr("{mbarrier}, phase {phase}: {arrivals}", "mbarrier"_a = name, "phase"_a = phase.number,
           "arrivals"_a = tr_n(phase.arrivals, "{n} arrival", "{n} arrivals"));
    if (phase.bytes != 0) words += ", " + tr_n(phase.bytes, "{n} byte", "{n} bytes");
    canvas.region(box, {}, words);
  }
}

std::string sentence_of(const Moment& moment, const RoleTimeline& timeline, std::uint32_t step) {
  const std::string roles = tr_n(timeline.roles.size(), "{n} role", "{n} roles");
  const std::uint64_t most = timeline.most_in_flight;
  if (most == 0)
    return tr("{roles} among {warps}. Positions show the order, not times.", "roles"_a = roles,
              "warps"_a = tr_n(moment.recording->warps_per_block(), "{n} warp", "{n} warps"));
  return tr("{roles}; {now} bytes in flight here, {most} at most. Positions show the order, not times.",
            "roles"_a = roles, "now"_a = with_thousands(timeline.bytes_in_flight(step)),
            "most"_a = with_thousands(most));
}

void draw_key(Canvas& canvas, Rect& rest, const RoleTimeline& timeline) {
  Rect row = cut_bottom(rest, canvas.px(18));
  const TextLook look = canvas.muted();
  for (std::size_t k = 0; k < analysis::kStepKinds; ++k) {
    const auto kind = static_cast<StepKind>(k);
    const bool is_there =
        std::ranges::any_of(timeline.roles, [&](const Role& role) { return role.steps.at(k) != 0; });
    const std::string name = step_kind_name(kind);
    if (!is_there || canvas.width_of(name, look) + canvas.px(30) > row.width) continue;
    const Rect box = inset(cut_left(row, canvas.px(18)), canvas.px(2), canvas.px(4));
    canvas.fill(box, colour_of(canvas.palette(), kind), 1);
    if (kind == StepKind::wait) canvas.hatch(box, canvas.palette().muted, canvas.px(4));
    canvas.fitted(cut_left(row, canvas.width_of(name, look) + canvas.px(12)), {name}, look);
  }
}

void draw_step_numbers(Canvas& canvas, const StepColumns& columns, Rect header, float names) {
  canvas.fitted({header.x, header.y, names - canvas.px(6), header.height}, {tr("step")},
                canvas.muted(kTinySize, Align::right));
  const float every_px = canvas.px(60);
  std::uint32_t every = 1;
  while (static_cast<float>(every) * columns.width() < every_px) every *= every % 4 == 0 ? 5 : 2;
  for (std::uint32_t step = (columns.first + every - 1) / every * every; step < columns.first + columns.count;
       step += every) {
    const float x = columns.x(step);
    canvas.fitted({x, header.y, std::min(every_px * 0.9f, columns.box.right() - x), header.height},
                  {with_thousands(step)}, canvas.muted(kTinySize));
  }
}

/// Draws the rows of the picture, each with its name, from the top of what is left.
class TimelineRows {
 public:
  TimelineRows(Canvas& canvas, const Moment& moment, const RoleTimeline& timeline, StepColumns columns,
               Rect now, float names)
      : canvas_(canvas), moment_(moment), timeline_(timeline), columns_(columns), now_(now), names_(names) {}

  void draw_bytes_in_flight(Rect& rest) {
    if (timeline_.flights.empty()) return;
    const Rect row = cut_top(rest, std::min(canvas_.px(kTallestFlight), rest.height * 0.15f));
    name(row, {tr("bytes in flight")});
    draw_flights(canvas_, columns_, row, timeline_);
    static_cast<void>(cut_top(rest, canvas_.px(6)));
  }

  void draw_mbarriers(Rect& rest) {
    const std::size_t count = timeline_.mbarriers.size();
    if (count == 0) return;
    const float height =
        std::min(canvas_.px(kTallestMbarrier), rest.height * 0.35f / static_cast<float>(count));
    for (const analysis::MbarrierLine& line : timeline_.mbarriers) {
      const Rect row = cut_top(rest, height);
      name(row, {mbarrier_name(*moment_.recording, line.address)});
      draw_mbarrier(canvas_, columns_, row, moment_, line);
    }
    static_cast<void>(cut_top(rest, canvas_.px(6)));
  }

  /// A row a warp; where that makes rows too low, the selected or first warp of each role.
  void draw_roles(Rect rest) {
    const auto roles = static_cast<float>(timeline_.roles.size());
    const float titles = roles * canvas_.px(kRoleTitle);
    const float height =
        std::min(canvas_.px(kTallestWarpRow),
                 (rest.height - titles) / static_cast<float>(moment_.recording->warps_per_block()));
    const bool has_all = height >= canvas_.px(kShortestWarpRow);
    const float low = std::min(canvas_.px(kTallestWarpRow), rest.height / roles);
    for (const Role& role : timeline_.roles) {
      if (!has_all) {
        const Rect row = cut_top(rest, low);
        name(row, {role_name(role), warps_name(role)});
        const auto selected = std::ranges::find(role.warps, moment_.warp, &WarpLine::warp);
        draw_warp(row, selected == role.warps.end() ? role.warps.front() : *selected);
        continue;
      }
      const Rect heading = cut_top(rest, canvas_.px(kRoleTitle));
      canvas_.fitted(heading, {role_name(role)}, canvas_.plain(kSmallSize));
      for (const WarpLine& line : role.warps) {
        const Rect row = cut_top(rest, height);
        name(row, {tr("warp {warp}", "warp"_a = line.warp)}, line.warp == moment_.warp);
        draw_warp(row, line);
      }
    }
  }

 private:
  void name(Rect row, std::initializer_list<std::string_view> variants, bool is_selected = false) {
    if (row.height < canvas_.px(kTinySize) * 0.9f) return;
    canvas_.fitted(
        {row.x, row.y, names_ - canvas_.px(6), row.height}, variants,
        is_selected ? canvas_.plain(kTinySize, Align::right) : canvas_.muted(kTinySize, Align::right));
  }
  void draw_warp(Rect row, const WarpLine& line) {
    const auto first = std::ranges::partition_point(
        line.spans, [&](const StepSpan& span) { return span.end <= columns_.first; });
    for (auto span = first; span != line.spans.end() && columns_.shows(span->begin, span->end); ++span)
      draw_span(canvas_, columns_, row, moment_, line.warp, *span);
    canvas_.fill({now_.x, row.y, now_.width, row.height},
                 with_alpha(canvas_.palette().text, line.warp == moment_.warp ? 0.8f : 0.3f));
  }

  Canvas& canvas_;
  const Moment& moment_;
  const RoleTimeline& timeline_;
  StepColumns columns_;
  Rect now_;
  float names_;
};

}  // namespace

std::string step_kind_name(StepKind kind) {
  switch (kind) {
    case StepKind::load: return tr("loads");
    case StepKind::store: return tr("stores");
    case StepKind::read_shared: return tr("reads shared memory");
    case StepKind::write_shared: return tr("writes shared memory");
    case StepKind::copy: return tr("copies");
    case StepKind::multiply: return tr("multiplies");
    case StepKind::wait: break;
  }
  return tr("waits");
}

std::string warps_name(const Role& role) {
  std::uint32_t warps = 0;
  for (const WarpLine& line : role.warps) warps |= line.warp < 32 ? 1u << line.warp : 0;
  const std::string numbers = lane_numbers(warps);
  return role.warps.size() == 1 ? tr("warp {warps}", "warps"_a = numbers)
                                : tr("warps {warps}", "warps"_a = numbers);
}

std::string role_name(const Role& role) {
  constexpr StepKind kTelling[] = {StepKind::copy,  StepKind::multiply,    StepKind::load,
                                   StepKind::store, StepKind::read_shared, StepKind::write_shared};
  constexpr std::size_t kMost = 2;
  std::string does;
  std::size_t named = 0;
  for (const StepKind kind : kTelling) {
    if (role.steps.at(static_cast<std::size_t>(kind)) == 0 || named == kMost) continue;
    does += (does.empty() ? "" : ", ") + step_kind_name(kind);
    ++named;
  }
  if (does.empty()) does = tr("no accesses");
  return tr("{warps}: {does}", "warps"_a = warps_name(role), "does"_a = does);
}

std::string mbarrier_name(const Recording& recording, std::uint32_t address) {
  return shared_place_name(recording, address - recording.shared_base);
}

Picture make_role_timeline(const Moment& moment, const RoleTimeline* timeline, Size size,
                           const Style& style) {
  const Recording& recording = *moment.recording;
  const std::string title = tr("Timeline");
  if (recording.events.size() == 0 || moment.event_block >= recording.event_blocks.size())
    return no_events_picture(title.c_str(), size, style);
  if (timeline == nullptr)
    return empty_picture(title, tr("The order of the block is not known yet."),
                         tr("The block is replayed for it; a launch without its arguments cannot be."), size,
                         style);
  if (timeline->steps == 0)
    return empty_picture(title, tr("The warps of this block make no accesses."), tr("Select another block."),
                         size, style);
  Canvas canvas(size, roomy(style, size));
  const auto event = moment.event();
  const std::uint32_t step = event ? timeline->step_of(recording, *event) : 0;
  canvas.name(title,
              fmt::format("{} · {}", moment.block_name(),
                          tr("warp {warp}, step {step} of {steps}", "warp"_a = moment.warp,
                             "step"_a = with_thousands(step), "steps"_a = with_thousands(timeline->steps))));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(moment, *timeline, step));
  draw_key(canvas, rest, *timeline);
  static_cast<void>(cut_bottom(rest, canvas.px(4)));
  const float names = std::min(canvas.px(kRowNames), rest.width * 0.3f);
  const Rect header = cut_top(rest, canvas.px(kStepNumbers));
  const StepColumns columns =
      step_columns(canvas, {rest.x + names, rest.y, rest.width - names, rest.height}, timeline->steps, step);
  draw_step_numbers(canvas, columns, header, names);
  const Rect now = columns.span(step, step + 1, {0, rest.y, 0, rest.height});
  canvas.fill(now, with_alpha(canvas.palette().text, 0.18f));
  TimelineRows rows(canvas, moment, *timeline, columns, now, names);
  rows.draw_bytes_in_flight(rest);
  rows.draw_mbarriers(rest);
  rows.draw_roles(rest);
  return canvas.take();
}

}  // namespace warplens::picture
