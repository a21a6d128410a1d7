#include "viz/picture/coalescing.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"
#include "viz/analysis/sentences.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/access_strip.h"
#include "viz/picture/found.h"
#include "viz/picture/lanes.h"
#include "viz/picture/line_ruler.h"
#include "viz/picture/terms.h"

namespace warplens::picture {
namespace {

constexpr float kLowestWithLanes =
    84;  // Lanes above lines of memory: lower, there is room for the lines alone
constexpr std::size_t kMaxLines = 64;  // Of one access; 32 lanes, each across the border of two

/// One part of the warp beside the other: all in a row, else in two, else one above the other.
std::vector<Rect> part_boxes(const Canvas& canvas, Rect rest, std::size_t parts) {
  const float gap = canvas.px(14), narrowest = canvas.px(180);
  std::size_t columns = parts;
  while (columns > 1 && (rest.width + gap) / static_cast<float>(columns) < narrowest + gap) columns /= 2;
  const std::size_t rows = parts / columns;
  const float width = (rest.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float height = rest.height / static_cast<float>(rows);
  std::vector<Rect> boxes;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t row = i / columns, column = i % columns;
    boxes.push_back({rest.x + static_cast<float>(column) * (width + gap),
                     rest.y + static_cast<float>(row) * height, width, height});
  }
  return boxes;
}

/// "half-warp 0-15".
std::string part_in_words(const analysis::LanePart& part, const std::string& lanes) {
  return part.count == kWarpSize / 2 ? tr("half-warp {lanes}", "lanes"_a = lanes)
                                     : tr("quarter-warp {lanes}", "lanes"_a = lanes);
}

/// What the part costs and why.
void draw_part_header(Canvas& canvas, Rect box, const analysis::LanePart& part,
                      const analysis::WarpAccess& access, const analysis::Coalescing& coalescing,
                      analysis::ComputeCapability cc) {
  const std::string lanes = fmt::format("{}\u2013{}", part.first, part.first + part.count - 1);
  const std::string name = part_in_words(part, lanes);
  if (part.lanes == 0) {
    canvas.fitted_on(canvas.palette().panel, box,
                     {tr("{part}: no lane is active", "part"_a = name), tr("no lane is active")},
                     canvas.muted());
    return;
  }
  const std::string cost = analysis::describe_transactions(coalescing, cc);
  const std::string count = tr_n(coalescing.transactions.size(), "{n} transaction", "{n} transactions");
  const int bytes = access.space == Space::local ? std::min(access.bytes, 4) : access.bytes;
  const std::string whole = tr("{part}: {cost}", "part"_a = name, "cost"_a = cost);
  canvas.fitted_on(canvas.palette().panel, box,
                   {analysis::with_reason_apart(whole, part, bytes), whole,
                    tr("{part}: {cost}", "part"_a = name, "cost"_a = count),
                    tr("{part}: {cost}", "part"_a = lanes, "cost"_a = count), count},
                   canvas.plain(kSmallSize));
}

/// `strip`: the lanes above, of which lines lead to their bytes; null where there is room for the ruler
/// alone.
void draw_parts(Canvas& canvas, Rect rest, const Moment& moment, const analysis::WarpAccess& access,
                const std::vector<analysis::LanePart>& parts, const LaneStrip* strip,
                std::size_t lines_needed, const Highlight& highlight, const FoundHere& found) {
  const std::vector<Rect> boxes = part_boxes(canvas, rest, parts.size());
  std::vector<Ruler> rulers;
  std::vector<Rect> headers;
  std::size_t transactions = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Rect box = boxes[i];
    RulerSubject subject = ruler_subject(*moment.recording, access, parts[i].lanes, moment.cc);
    subject.first_transaction = transactions;
    transactions += subject.coalescing.transactions.size();
    add_found(subject, analysis::lane_range(parts[i].first, parts[i].count), found);
    headers.push_back(parts.size() > 1 && strip != nullptr ? cut_bottom(box, canvas.px(18)) : Rect{});
    rulers.push_back(
        lay_out_ruler(canvas, box, std::move(subject), lines_needed, highlight, strip != nullptr));
  }
  if (strip != nullptr) {
    for (const Ruler& ruler : rulers) draw_ruler_curves(canvas, ruler, *strip, highlight);
  }
  for (const Ruler& ruler : rulers) draw_ruler(canvas, ruler, strip, highlight);
  if (parts.size() == 1 || strip == nullptr) return;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    draw_part_header(canvas, headers[i], parts[i], access, rulers[i].subject.coalescing, moment.cc);
  }
}

std::string used_bytes(const analysis::Coalescing& coalescing) {
  if (coalescing.fetched_bytes == 0) return {};
  const double share =
      100.0 * static_cast<double>(coalescing.useful_bytes) / static_cast<double>(coalescing.fetched_bytes);
  return tr("{used} of {fetched} fetched bytes used ({share:.3g} %)",
            "used"_a = with_thousands(coalescing.useful_bytes),
            "fetched"_a = with_thousands(coalescing.fetched_bytes), "share"_a = share);
}

/// The most lines that a ruler needs for an access of which lanes were not let through.
std::size_t max_lines_of_found(const Recording& recording) {
  std::size_t max = 1;
  for (const Finding& finding : recording.findings) {
    if (!finding.access || finding.access->space != Space::global) continue;
    std::set<std::uint64_t> lines;
    for (const std::uint64_t address : finding.access->addresses)
      lines.insert(address / analysis::kLineBytes);
    if (const auto event = analysis::event_of(recording, finding)) {
      analysis::for_each_lane(recording.events.mask[*event], [&](int lane) {
        lines.insert(lane_address(recording, *event, lane) / analysis::kLineBytes);
      });
    }
    max = std::max(max, lines.size());
  }
  return max;
}

Picture nothing_coalesced(const Moment& moment, Size size, const Style& style) {
  if (moment.recording->events.size() == 0) return no_events_picture(tr("Coalescing"), size, style);
  return empty_picture(tr("Coalescing"),
                       tr("Warp {warp} makes no access to global memory.", "warp"_a = moment.warp),
                       tr("Choose another warp or block."), size, style);
}

/// An access of which no lane was let through: the lanes, and where they wanted to go.
Picture make_coalescing_found_alone(const Moment& moment, const Finding& finding, const Highlight& highlight,
                                    Size size, const Style& style) {
  const Recording& recording = *moment.recording;
  const FoundHere found = found_here(moment, std::nullopt);
  analysis::WarpAccess nothing;
  nothing.space = finding.access->space;
  nothing.op = finding.access->op;
  nothing.bytes = finding.access->bytes;
  nothing.mask = 0;
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Coalescing"), found_name(finding));
  Rect rest = canvas.inside();
  draw_found_sentence(canvas, rest, recording, found);
  draw_figure(canvas, cut_bottom(rest, figure_height(canvas, size.height)), {all_cut_in_words(finding)}, true,
              {});
  std::optional<LaneStrip> strip;
  if (rest.height >= canvas.px(kLowestWithLanes)) strip = draw_lane_strip(canvas, rest, 0, highlight);
  draw_parts(canvas, rest, moment, nothing, {analysis::LanePart{}}, strip ? &*strip : nullptr,
             max_lines_of_found(recording), highlight, found);
  if (strip) mark_lanes(canvas, *strip, recording, found);
  return canvas.take();
}

}  // namespace

Picture make_coalescing(const Moment& moment, const Highlight& highlight, Size size, const Style& style,
                        const Moment* beside, const std::optional<Counted>& counted) {
  if (const Finding* const finding = found_alone(moment, {Space::global, Space::local}))
    return make_coalescing_found_alone(moment, *finding, highlight, size, style);
  const auto event = moment.nearest({Space::global, Space::local});
  if (!event) return nothing_coalesced(moment, size, style);
  const FoundHere found = found_here(moment, event);
  const analysis::WarpAccess access = moment.access(*event);
  const analysis::Coalescing coalescing = analysis::coalesce(access, moment.cc);
  const std::vector<analysis::LanePart> parts = analysis::lane_parts(access, moment.cc);
  const AccessCost cost = analysis::access_cost(access, moment.cc);

  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Coalescing"), moment_name(moment, *event));
  Rect rest = canvas.inside();
  if (found.any()) {
    draw_found_sentence(canvas, rest, *moment.recording, found);
  } else {
    draw_sentence(canvas, rest, access_sentence(moment, *event));
  }
  std::size_t lines_needed = max_lines(*moment.recording, moment.cc, kMaxLines);
  if (beside != nullptr)
    lines_needed = std::max(lines_needed, max_lines(*beside->recording, beside->cc, kMaxLines));
  lines_needed = std::min(kMaxLines, std::max(lines_needed, max_lines_of_found(*moment.recording)));
  if (size.height >= canvas.px(lines_needed <= 2 ? 240 : 330))
    draw_access_strip(canvas, rest, moment, *event, AccessFigure::sectors, beside);
  const Rect figure = cut_bottom(rest, figure_height(canvas, size.height));
  const Term unit = analysis::memory_rules_of(moment.cc).counts_sectors ? Term::sectors : Term::transactions;
  draw_figure(canvas, figure,
              {figure_in_words(cost.sectors, AccessFigure::sectors, moment.cc), meaning_of(unit)},
              cost.sectors > cost.ideal_sectors,
              {{tr("ideal {count}", "count"_a = cost.ideal_sectors), meaning_of(Term::ideal)},
               note_of(counted),
               idle_lanes_in_words(*moment.recording, moment.warp, access.op, access.mask | found.cut),
               {tr_n(cost.lines, "{n} line", "{n} lines"), meaning_of(Term::lines)},
               {used_bytes(coalescing), meaning_of(Term::used_bytes)}});
  std::optional<LaneStrip> strip;
  if (rest.height >= canvas.px(kLowestWithLanes))
    strip = draw_lane_strip(canvas, rest, access.mask, highlight,
                            {.label = is_of_pieces(access.op) ? tr("pieces") : tr("lanes"),
                             .lanes_together = parts.front().count});
  draw_parts(canvas, rest, moment, access, parts, strip ? &*strip : nullptr, lines_needed, highlight, found);
  if (strip) mark_lanes(canvas, *strip, *moment.recording, found);
  return canvas.take();
}

}  // namespace warplens::picture
