#include "viz/picture/access_strip.h"

#include <algorithm>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/sentences.h"

namespace warplens::picture {
namespace {

struct Bar {
  std::size_t event = 0;
  std::uint64_t value = 0, ideal = 0;
  std::size_t first = event, last = event;  ///< Of the accesses that it stands for
};

std::vector<Bar> bars_of_phase(const Moment& moment, std::size_t event, AccessFigure figure) {
  const EventRange range = events_of_phase(*moment.recording, moment.event_block, moment.warp,
                                           moment.recording->events.phase[event]);
  std::vector<Bar> bars;
  for (std::size_t at = range.begin; at < range.end; ++at) {
    if ((moment.site_of(at).space == Space::shared) != (figure == AccessFigure::wavefronts)) continue;
    const AccessCost cost = analysis::access_cost(moment.access(at), moment.cc);
    if (figure == AccessFigure::sectors) {
      bars.push_back({at, cost.sectors, cost.ideal_sectors});
    } else {
      bars.push_back({at, cost.wavefronts, cost.ideal_wavefronts});
    }
  }
  return bars;
}

/// Returns the bars of the phase of the moment's nearest access that has the figure.
std::vector<Bar> bars_beside(const Moment* beside, AccessFigure figure) {
  if (beside == nullptr) return {};
  const auto event = figure == AccessFigure::wavefronts ? beside->nearest({Space::shared})
                                                        : beside->nearest({Space::global, Space::local});
  return event ? bars_of_phase(*beside, *event, figure) : std::vector<Bar>();
}

bool of_one_measure(AccessFigure figure, analysis::ComputeCapability a, analysis::ComputeCapability b) {
  return figure == AccessFigure::wavefronts ||
         analysis::memory_rules_of(a).counts_sectors == analysis::memory_rules_of(b).counts_sectors;
}

/// More accesses than can be told apart: the costliest of each group stands for it.
std::vector<Bar> thinned(const std::vector<Bar>& bars, std::size_t max) {
  if (bars.size() <= max) return bars;
  std::vector<Bar> kept;
  for (std::size_t i = 0; i < max; ++i) {
    const auto begin = bars.begin() + static_cast<std::ptrdiff_t>(i * bars.size() / max);
    const auto end = bars.begin() + static_cast<std::ptrdiff_t>((i + 1) * bars.size() / max);
    Bar& bar = kept.emplace_back(
        *std::max_element(begin, end, [](const Bar& a, const Bar& b) { return a.value < b.value; }));
    bar.first = begin->event;
    bar.last = (end - 1)->event;
  }
  return kept;
}

/// What stands over the strip, where there is room for a long, a short or a very short label.
struct StripLabels {
  const char* full;
  const char* by_access;
  const char* figure;
};

StripLabels labels_of(AccessFigure figure, analysis::ComputeCapability cc) {
  if (figure == AccessFigure::wavefronts)
    return {tr("wavefronts of each access of the phase, hatched above ideal"), tr("wavefronts by access"),
            tr("wavefronts")};
  if (analysis::memory_rules_of(cc).counts_sectors)
    return {tr("sectors of each access of the phase, hatched above ideal"), tr("sectors by access"),
            tr("sectors")};
  return {tr("transactions of each access of the phase, hatched above ideal"), tr("transactions by access"),
          tr("transactions")};
}

}  // namespace

std::string figure_in_words(std::uint64_t count, AccessFigure figure, analysis::ComputeCapability cc) {
  if (figure == AccessFigure::wavefronts) return tr_n(count, "{n} wavefront", "{n} wavefronts");
  return analysis::counted_transactions(count, cc);
}

void draw_access_strip(Canvas& canvas, Rect& rest, const Moment& moment, std::size_t event,
                       AccessFigure figure, const Moment* beside) {
  const Palette& palette = canvas.palette();
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  const Rect box = cut_bottom(rest, canvas.px(34));
  Rect labels = cut_bottom(rest, canvas.px(18));
  const StripLabels words = labels_of(figure, moment.cc);

  const std::vector<Bar> all = bars_of_phase(moment, event, figure);
  const std::vector<Bar> others = bars_beside(beside, figure);
  const std::size_t room = std::max<std::size_t>(1, static_cast<std::size_t>(box.width / canvas.px(3)));
  const std::size_t accesses = std::max<std::size_t>(1, std::max(all.size(), others.size())),
                    places = std::min(room, accesses);
  const std::vector<Bar> bars = thinned(all, std::max<std::size_t>(1, all.size() * places / accesses));
  std::uint64_t max = 1;
  for (const Bar& bar : bars) max = std::max(max, bar.value);
  if (beside != nullptr && of_one_measure(figure, moment.cc, beside->cc)) {
    for (const Bar& bar : others) max = std::max(max, bar.value);
  }
  // Wide enough to be hit, narrow enough that two accesses do not look like two halves of one.
  const float pitch = std::min(box.width / static_cast<float>(places), canvas.px(26));
  const float gap = pitch > canvas.px(4) ? canvas.px(1.5f) : 0;

  const bool hatched = pitch >= canvas.px(6);

  canvas.fill(box, palette.header, 2);
  Rect current{};
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const Rect slot{box.x + static_cast<float>(i) * pitch, box.y, pitch, box.height};
    const float height =
        std::max(canvas.px(2), box.height * static_cast<float>(bar.value) / static_cast<float>(max));
    const Rect column{slot.x + gap / 2, box.bottom() - height, pitch - gap, height};
    canvas.fill(column, palette.good);
    if (bar.value > bar.ideal) {  // What goes beyond the ideal has another tone at any width
      Rect ideal = column;
      const Rect beyond =
          cut_top(ideal, height * static_cast<float>(bar.value - bar.ideal) / static_cast<float>(bar.value));
      canvas.fill(beyond, palette.costly);
      if (hatched) canvas.hatch(beyond, palette.panel, 4);
    }
    if (bar.first <= event && event <= bar.last) current = slot;
    canvas.region(slot, {Target::Kind::event, static_cast<std::int64_t>(bar.event)},
                  tr("{access}: {cost}, ideal {ideal}", "access"_a = access_name(moment, bar.event),
                     "cost"_a = figure_in_words(bar.value, figure, moment.cc), "ideal"_a = bar.ideal));
  }
  if (current.width > 0) {  // Wide enough to be seen, and over its neighbours
    const float width = std::max(current.width, canvas.px(5));
    const float x = std::clamp(centre(current).x - width / 2, box.x, std::max(box.x, box.right() - width));
    canvas.outline({x, current.y, width, current.height}, palette.text, 1.5f, 1);
  }
  const std::string highest = tr("at most {count}", "count"_a = with_thousands(max));
  const TextLook right = canvas.muted(kSmallSize, Align::right);
  Rect left = labels;
  if (const auto drawn = canvas.fitted(cut_right(left, labels.width / 2), {highest}, right))
    left.width = drawn->x - canvas.px(8) - left.x;
  canvas.fitted(left, {hatched ? words.full : "", words.by_access, words.figure}, canvas.muted());
}

}  // namespace warplens::picture
