#include "viz/picture/bank_heat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/picture/banks.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
std::vector<std::size_t> shared_events_of_phase(const Moment& moment, std::size_t event) {
  const EventRange range = events_of_phase(*moment.recording, moment.event_block, moment.warp,
                                           moment.recording->events.phase[event]);
  std::vector<std::size_t> events;
  for (std::size_t at = range.begin; at < range.end; ++at) {
    if (moment.site_of(at).space == Space::shared) events.push_back(at);
  }
  return events;
}

std::array<int, kMaxBanks> bank_degrees(const analysis::WarpAccess& access, analysis::ComputeCapability cc) {
  const analysis::Unfolding unfolding = analysis::unfold(access, cc);
  const int bank_count = analysis::memory_rules_of(cc).banks;
  std::array<int, kMaxBanks> degrees{};
  for (const analysis::WavefrontGroup& group : unfolding.groups) {
    std::array<int, kMaxBanks> busy{};
    for (int i = group.first; i < group.first + group.count; ++i) {
      std::uint32_t banks = 0;
      for (const analysis::LaneService& lane : unfolding.wavefronts[static_cast<std::size_t>(i)]) {
        for (int word = 0; word < lane.words; ++word) banks |= 1u << (lane.bank + word) % bank_count;
      }
      for (std::size_t bank = 0; bank < busy.size(); ++bank)
        busy[bank] += static_cast<int>(banks >> bank & 1u);
    }
    for (std::size_t bank = 0; bank < busy.size(); ++bank)
      degrees[bank] = std::max(degrees[bank], busy[bank]);
  }
  return degrees;
}

std::string wavefronts_in_words(std::uint64_t count) {
  return tr_n(count, "{n} wavefront", "{n} wavefronts");
}

namespace {

constexpr std::size_t kMaxHeatColumns = 1024;
constexpr float kHighEnoughForFigures = 110;
constexpr float kUntouched = std::numeric_limits<float>::quiet_NaN();

/// Those of the phase of the moment's nearest shared access; none without one.
std::vector<std::size_t> shared_events_beside(const Moment* beside) {
  const auto event = beside != nullptr ? beside->nearest({Space::shared}) : std::nullopt;
  return event ? shared_events_of_phase(*beside, *event) : std::vector<std::size_t>();
}

/// Keeps the degrees of each pattern: accesses of one pattern have the same, and a loop makes many of them.
class DegreesByPattern {
 public:
  explicit DegreesByPattern(const Moment& moment) : moment_(moment) {}
  const std::array<int, kMaxBanks>& operator()(std::size_t event) {
    const EventColumns& events = moment_.recording->events;
    const auto alignment = static_cast<std::uint32_t>(events.base[event] % kPatternAlignment);
    const auto [known, is_new] =
        degrees_.try_emplace({events.site[event], events.shape[event], events.mask[event], alignment});
    if (is_new) known->second = bank_degrees(moment_.access(event), moment_.cc);
    return known->second;
  }

 private:
  const Moment& moment_;
  std::map<std::array<std::uint32_t, 4>, std::array<int, kMaxBanks>> degrees_;
};

/// The colours of degrees 1 to `most`, which is as many as there are banks: with 16 they take lanes in
/// halves.
std::vector<Colour> degree_table(int max, const Palette& palette) {
  std::vector<Colour> table;
  for (int degree = 1; degree <= max; ++degree)
    table.push_back(conflict_colour(1 + (degree - 1) * (kWarpSize - 1) / (max - 1), palette));
  return table;
}

/// The scale beside the label, from 1 to as many as there are banks, each the double of the one before. It is
/// of one lane group: two groups take two wavefronts without a conflict.
float draw_scale(Canvas& canvas, Rect box, int max, const std::vector<Colour>& colours) {
  const TextLook look = canvas.muted(kTinySize);
  const std::string from = "1";
  std::string to = tr("{n}-way conflict in a bank", "n"_a = max);
  const float bar = canvas.px(48), gap = canvas.px(5);
  const auto needed = [&] {
    return canvas.width_of(from, look) + canvas.width_of(to, look) + bar + 2 * gap + canvas.px(1);
  };
  if (needed() > box.width) to = std::to_string(max);
  const float width = needed();
  if (width > box.width) return 0;
  Rect place{box.right() - width, box.y, width, box.height};
  canvas.fitted(cut_left(place, canvas.width_of(from, look) + gap), {from}, look);
  HeatMap scale{{place.x, place.y + place.height / 2 - canvas.px(4), bar, canvas.px(8)},
                1,
                static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(max))),
                {},
                colours,
                canvas.palette().line};
  std::vector<float> values;
  for (int degree = 1; degree <= max; degree *= 2)
    values.push_back(static_cast<float>(degree - 1) / static_cast<float>(max - 1));
  scale.values = std::move(values);
  canvas.add(std::move(scale));
  static_cast<void>(cut_left(place, bar + gap));
  canvas.fitted(place, {to}, look);
  return width;
}

/// Draws the degree in every cell where lanes wait, if there is room in all. `width`: of a column; `colours`:
/// by degree, from 1.
void draw_degrees(Canvas& canvas, Rect box, const std::vector<std::array<int, kMaxBanks>>& columns,
                  float width, int banks, const std::vector<Colour>& colours) {
  const float height = box.height / static_cast<float>(banks);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    for (int bank = 0; bank < banks; ++bank) {
      const int degree = std::min(columns[column][static_cast<std::size_t>(bank)], banks);
      if (degree <= 1) continue;
      const Rect cell{box.x + static_cast<float>(column) * width, box.y + static_cast<float>(bank) * height,
                      width, height};
      const auto look = lane_number_look(canvas, colours[static_cast<std::size_t>(degree - 1)], cell);
      if (!look) return;
      canvas.fitted(cell, {std::to_string(degree)}, *look);
    }
  }
}

/// Over the columns, how many wavefronts each access takes; where there is no room for all, that of the
/// current one alone.
void draw_wavefronts(Canvas& canvas, Rect row, const Moment& moment, const std::vector<std::size_t>& events,
                     float pitch, std::size_t current) {
  TextLook look = canvas.muted(kTinySize, Align::centre);
  const float min = canvas.width_of("32", look) + canvas.px(4);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (pitch < min && events[i] != current) continue;
    const AccessCost cost = analysis::access_cost(moment.access(events[i]), moment.cc);
    const float width = std::max(pitch, min), x = row.x + (static_cast<float>(i) + 0.5f) * pitch - width / 2;
    look.colour = cost.wavefronts > cost.ideal_wavefronts ? canvas.palette().costly : canvas.palette().good;
    look.font = events[i] == current ? Font::sans_bold : Font::sans;
    canvas.fitted({std::clamp(x, row.x, std::max(row.x, row.right() - width)), row.y, width, row.height},
                  {std::to_string(cost.wavefronts)}, look);
  }
}

/// By wavefronts: accesses, and whether they are above their ideal.
using WavefrontCounts = std::map<std::uint64_t, std::pair<std::uint64_t, bool>>;

WavefrontCounts wavefront_counts(const Moment& moment, const std::vector<std::size_t>& events) {
  WavefrontCounts counts;
  for (const std::size_t at : events) {
    const AccessCost cost = analysis::access_cost(moment.access(at), moment.cc);
    auto& [count, costly] = counts[cost.wavefronts];
    ++count;
    costly = costly || cost.wavefronts > cost.ideal_wavefronts;
  }
  return counts;
}

}  // namespace

void draw_bank_heat(Canvas& canvas, Rect box, const Moment& moment, std::size_t event, const Moment* beside) {
  const int banks = analysis::memory_rules_of(moment.cc).banks;
  const int max = beside != nullptr ? std::max(banks, analysis::memory_rules_of(beside->cc).banks) : banks;
  Rect labels = cut_top(box, canvas.px(18));
  const Rect figures =
      box.height >= canvas.px(kHighEnoughForFigures) ? cut_top(box, canvas.px(kTinySize * 1.5f)) : Rect{};
  static_cast<void>(cut_top(box, canvas.px(3)));     // The marker stands out above
  static_cast<void>(cut_bottom(box, canvas.px(6)));  // and below
  box.height *= static_cast<float>(banks) / static_cast<float>(max);
  box = on_whole_pixels(box);
  const std::vector<std::size_t> events = shared_events_of_phase(moment, event);
  const std::size_t places = std::max(events.size(), shared_events_beside(beside).size()),
                    columns = std::min(places, kMaxHeatColumns);
  const std::vector<Colour> colours = degree_table(max, canvas.palette());
  HeatMap map{box,     static_cast<std::uint32_t>(banks),       static_cast<std::uint32_t>(columns), {},
              colours, with_alpha(canvas.palette().line, 0.45f)};
  std::vector<float> values(columns * static_cast<std::size_t>(banks), kUntouched);
  std::size_t current = 0;
  DegreesByPattern degrees_of(moment);
  std::vector<std::array<int, kMaxBanks>> degrees_by_column;  // Where every access has a column of its own
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] == event) current = i;
    const std::size_t column = i * columns / places;
    const std::array<int, kMaxBanks>& degrees = degrees_of(events[i]);
    if (columns == places) degrees_by_column.push_back(degrees);
    for (std::size_t bank = 0; bank < static_cast<std::size_t>(banks); ++bank) {
      if (degrees[bank] == 0) continue;
      const float value = std::min(1.0f, static_cast<float>(degrees[bank] - 1) / static_cast<float>(max - 1));
      float& cell = values[bank * columns + column];
      if (std::isnan(cell) || value > cell) cell = value;  // The worst of what shares a column
    }
  }
  map.values = std::move(values);
  canvas.add(std::move(map));
  const float pitch = box.width / static_cast<float>(places);
  draw_degrees(canvas, box, degrees_by_column, pitch, banks, colours);
  if (figures.height > 0) draw_wavefronts(canvas, figures, moment, events, pitch, event);

  const float width = std::min(std::max(pitch, canvas.px(6)), box.width);
  const float x = std::clamp(box.x + (static_cast<float>(current) + 0.5f) * pitch - width / 2, box.x,
                             std::max(box.x, box.right() - width));
  canvas.outline({x, box.y - canvas.px(2), width, box.height + canvas.px(3)}, canvas.palette().text, 2, 1.5f);
  if (events.size() <= kMaxHeatColumns) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      canvas.region(
          {box.x + static_cast<float>(i) * pitch, box.y, pitch, box.height},
          {Target::Kind::event, static_cast<std::int64_t>(events[i])},
          tr("{access}, access {number} of {count} in the phase", "access"_a = access_name(moment, events[i]),
             "number"_a = i + 1, "count"_a = events.size()));
    }
  }
  const float scale = draw_scale(
      canvas, {labels.x + labels.width / 2, labels.y, labels.width / 2, labels.height}, max, colours);
  labels.width -= scale + canvas.px(8);
  canvas.fitted(labels,
                {tr_n(events.size(), "bank 0\u2013{last_bank} by time: the {n} shared access of the phase",
                      "bank 0\u2013{last_bank} by time: the {n} shared accesses of the phase",
                      "last_bank"_a = banks - 1),
                 tr("bank by time"), tr("banks")},
                canvas.muted());
}

void draw_wavefront_histogram(Canvas& canvas, Rect box, const Moment& moment, std::size_t event,
                              const Moment* beside) {
  const Rect labels = cut_top(box, canvas.px(18));
  WavefrontCounts counts = wavefront_counts(moment, shared_events_of_phase(moment, event));
  const WavefrontCounts counts_beside =
      beside != nullptr ? wavefront_counts(*beside, shared_events_beside(beside)) : WavefrontCounts();
  std::uint64_t max = 1;
  for (const auto& [wavefronts, bucket] : counts) max = std::max(max, bucket.first);
  for (const auto& [wavefronts, bucket] : counts_beside) {
    max = std::max(max, bucket.first);
    counts.try_emplace(wavefronts);  // Both have the same rows
  }
  canvas.fitted(labels, {tr("accesses of the phase by wavefronts"), tr("by wavefronts")}, canvas.muted());
  const float row_height =
      std::min(canvas.px(22), box.height / static_cast<float>(std::max<std::size_t>(counts.size(), 1)));
  if (row_height < canvas.px(12)) return;
  const TextLook label = canvas.muted(kSmallSize, Align::right);
  const float number = canvas.width_of("32", label) + canvas.px(8),
              figure = canvas.width_of(with_thousands(max), label) + canvas.px(8);
  for (const auto& [wavefronts, bucket] : counts) {
    Rect row = cut_top(box, row_height);
    const Rect name = cut_left(row, number), value = cut_right(row, figure);
    Rect bar = inset(row, std::min(canvas.px(3), row.height / 4));
    canvas.fill(bar, canvas.palette().line, 2);
    bar.width *= static_cast<float>(bucket.first) / static_cast<float>(max);
    canvas.fill(bar, bucket.second ? canvas.palette().costly : canvas.palette().good, 2);
    canvas.fitted({name.x, name.y, name.width - canvas.px(4), name.height}, {std::to_string(wavefronts)},
                  label);
    canvas.fitted(value, {with_thousands(bucket.first)}, label);
  }
}

}  // namespace warplens::picture
