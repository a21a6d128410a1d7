#include "viz/picture/comparison/bank_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/bank_heat.h"
#include "viz/picture/comparison/difference.h"
#include "viz/picture/comparison/paired_accesses.h"
#include "viz/picture/lanes.h"
#include "viz/picture/terms.h"

namespace warplens::picture {
namespace {

constexpr std::size_t kMaxColumns = 1024;
constexpr float kNumbers = 30, kTimeRow = 16;

/// Two accesses that stand for each other, and what they do to the banks.
struct Column {
  AccessPair pair;
  std::uint64_t a = 0, b = 0;                ///< Wavefronts
  std::array<int, kMaxBanks> difference{};   ///< By bank, of the conflict degree
  std::array<bool, kMaxBanks> is_touched{};  ///< By either
};

Column column_of(const AccessPair& pair, const Moment& a, const Moment& b) {
  Column column{.pair = pair};
  std::array<int, kMaxBanks> degrees_a{}, degrees_b{};
  if (pair.a) {
    degrees_a = bank_degrees(a.access(*pair.a), a.cc);
    column.a = analysis::access_cost(a.access(*pair.a), a.cc).wavefronts;
  }
  if (pair.b) {
    degrees_b = bank_degrees(b.access(*pair.b), b.cc);
    column.b = analysis::access_cost(b.access(*pair.b), b.cc).wavefronts;
  }
  for (std::size_t bank = 0; bank < kMaxBanks; ++bank) {
    column.difference[bank] = degrees_b[bank] - degrees_a[bank];
    column.is_touched[bank] = degrees_a[bank] != 0 || degrees_b[bank] != 0;
  }
  return column;
}

/// All that is drawn.
struct BankScene {
  const Moment &a, &b;
  std::vector<Column> columns;
  std::size_t current = 0;
  std::size_t banks = 32;
  std::uint64_t max = 0;                   ///< Of all differences, whatever their sign
  std::uint64_t total_a = 0, total_b = 0;  ///< Wavefronts of the phase
};

BankScene scene_of(const Moment& a, const Moment& b, std::size_t event_a, std::size_t event_b, bool by_step) {
  BankScene scene{a, b};
  scene.banks = static_cast<std::size_t>(analysis::memory_rules_of(b.cc).banks);
  const std::vector<std::size_t> events_b = shared_events_of_phase(b, event_b);
  const std::vector<AccessPair> pairs =
      by_step ? paired_by_step(a, b, events_b)
              : paired_by_kind(*a.recording, shared_events_of_phase(a, event_a), *b.recording, events_b);
  for (const AccessPair& pair : pairs) {
    const Column& column = scene.columns.emplace_back(column_of(pair, a, b));
    if (pair.b == event_b) scene.current = scene.columns.size() - 1;
    scene.total_a += column.a;
    scene.total_b += column.b;
    for (const int difference : column.difference)
      scene.max = std::max(scene.max, static_cast<std::uint64_t>(std::abs(difference)));
  }
  return scene;
}

std::string access_of(const BankScene& scene, const Column& column) {
  return column.pair.b ? access_name(scene.b, *column.pair.b) : access_name(scene.a, *column.pair.a);
}

std::string in_both(const Column& column) {
  return fmt::format("{} \u2192 {}", column.pair.a ? std::to_string(column.a) : "-",
                     column.pair.b ? std::to_string(column.b) : "-");
}

std::string tooltip_of(const BankScene& scene, std::size_t index) {
  const Column& column = scene.columns[index];
  const std::string of =
      tr("{access}, access {number} of {count} in the phase", "access"_a = access_of(scene, column),
         "number"_a = index + 1, "count"_a = scene.columns.size());
  if (!column.pair.a)
    return tr("{access}: {wavefronts} in B; A has no such access", "access"_a = of,
              "wavefronts"_a = wavefronts_in_words(column.b));
  if (!column.pair.b)
    return tr("{access}: {wavefronts} in A; B has no such access", "access"_a = of,
              "wavefronts"_a = wavefronts_in_words(column.a));
  return tr("{access}: {a} in A, {b} in B: {change}", "access"_a = of, "a"_a = wavefronts_in_words(column.a),
            "b"_a = wavefronts_in_words(column.b),
            "change"_a = with_minus(change_in_words(column.a, column.b)));
}

/// Where banks differ most.
std::string sentence_of(const BankScene& scene) {
  if (scene.max == 0) return tr("In this phase every bank is as busy in B as in A");
  std::size_t at = 0, bank = 0;
  for (std::size_t i = 0; i < scene.columns.size(); ++i) {
    for (std::size_t j = 0; j < scene.banks; ++j) {
      if (std::abs(scene.columns[i].difference[j]) > std::abs(scene.columns[at].difference[bank])) {
        at = i;
        bank = j;
      }
    }
  }
  const Column& column = scene.columns[at];
  const auto count = static_cast<std::uint64_t>(std::abs(column.difference[bank]));
  return column.difference[bank] < 0
             ? tr_n(count,
                    "They differ most at the {access}: in B bank {bank} is busy for {n} wavefront less",
                    "They differ most at the {access}: in B bank {bank} is busy for {n} wavefronts less",
                    "access"_a = access_of(scene, column), "bank"_a = bank)
             : tr_n(count,
                    "They differ most at the {access}: in B bank {bank} is busy for {n} wavefront more",
                    "They differ most at the {access}: in B bank {bank} is busy for {n} wavefronts more",
                    "access"_a = access_of(scene, column), "bank"_a = bank);
}

/// "16 -> 1 wavefronts", what that is in percent, and the same of the phase.
void draw_wavefronts(Canvas& canvas, Rect box, const BankScene& scene) {
  const Column& column = scene.columns[scene.current];
  const std::string figure = tr_n(column.b, "{a} \u2192 {n} wavefront", "{a} \u2192 {n} wavefronts",
                                  "a"_a = column.pair.a ? std::to_string(column.a) : "-");
  const bool both = column.pair.a && column.a > 0;
  const std::string change =
      both && column.a != column.b
          ? with_minus(ratio_in_words(static_cast<double>(column.a), static_cast<double>(column.b)))
          : std::string(both ? "=" : "");
  const std::string phase = tr("the phase: {a} \u2192 {b}", "a"_a = with_thousands(scene.total_a),
                               "b"_a = with_thousands(scene.total_b));
  const std::string of_phase =
      scene.total_a != scene.total_b && scene.total_a > 0
          ? with_minus(ratio_in_words(static_cast<double>(scene.total_a), static_cast<double>(scene.total_b)))
          : std::string();
  draw_figure(canvas, box, {figure, meaning_of(Term::wavefronts)}, column.b > column.a,
              {change, phase, of_phase, access_of(scene, column)});
}

HeatMap map_of(const Canvas& canvas, Rect box, const BankScene& scene) {
  const std::size_t columns = std::min(scene.columns.size(), kMaxColumns);
  std::vector<std::optional<int>> cells(columns * scene.banks);
  for (std::size_t i = 0; i < scene.columns.size(); ++i) {
    const std::size_t column = i * columns / scene.columns.size();
    for (std::size_t bank = 0; bank < scene.banks; ++bank) {
      if (!scene.columns[i].is_touched[bank]) continue;
      std::optional<int>& cell = cells[bank * columns + column];
      if (!cell || std::abs(scene.columns[i].difference[bank]) > std::abs(*cell))
        cell = scene.columns[i].difference[bank];  // The greatest
    }
  }
  HeatMap map{box, static_cast<std::uint32_t>(scene.banks), static_cast<std::uint32_t>(columns),
              {},  difference_table(canvas.palette()),      with_alpha(canvas.palette().line, 0.45f)};
  std::vector<float> values;
  for (const std::optional<int>& cell : cells)
    values.push_back(cell ? difference_value(*cell, scene.max) : std::numeric_limits<float>::quiet_NaN());
  map.values = std::move(values);
  return map;
}

/// Each difference in its cell, where there is room in all.
void draw_differences(Canvas& canvas, const HeatMap& map, const BankScene& scene) {
  if (map.columns != scene.columns.size()) return;
  const float width = map.rect.width / static_cast<float>(map.columns),
              height = map.rect.height / static_cast<float>(map.rows);
  for (std::size_t column = 0; column < map.columns; ++column) {
    for (std::size_t bank = 0; bank < map.rows; ++bank) {
      const int difference = scene.columns[column].difference[bank];
      if (difference == 0) continue;
      const Rect cell{map.rect.x + static_cast<float>(column) * width,
                      map.rect.y + static_cast<float>(bank) * height, width, height};
      const auto look = lane_number_look(canvas, heat_colour(map, map.values[bank * map.columns + column]),
                                         inset(cell, canvas.px(1)), "\u221200");
      if (!look) return;
      canvas.fitted(cell, {difference_in_figures(difference)}, *look);
    }
  }
}

/// Beside the map its banks, as many as have room.
void draw_banks(Canvas& canvas, Rect numbers, const HeatMap& map) {
  const TextLook look = canvas.muted(kTinySize, Align::right);
  const float pitch = map.rect.height / static_cast<float>(map.rows), line = canvas.px(kTinySize * 1.2f);
  std::uint32_t stride = 1;
  while (stride < map.rows && pitch * static_cast<float>(stride) < line) stride *= 2;
  for (std::uint32_t bank = 0; bank < map.rows; bank += stride) {
    const float y = map.rect.y + (static_cast<float>(bank) + 0.5f) * pitch;
    canvas.fitted({numbers.x, y - line / 2, numbers.width - canvas.px(5), line}, {std::to_string(bank)},
                  look);
  }
}

/// Above the map what each access takes in A and in B; where there is no room for all, the current one alone.
void draw_columns(Canvas& canvas, Rect row, const HeatMap& map, const BankScene& scene) {
  TextLook look = canvas.muted(kTinySize, Align::centre);
  const float pitch = map.rect.width / static_cast<float>(scene.columns.size()),
              min = canvas.width_of("32 \u2192 32", look) + canvas.px(4);
  for (std::size_t i = 0; i < scene.columns.size(); ++i) {
    const Column& column = scene.columns[i];
    if (scene.columns.size() <= kMaxColumns) {
      const Rect place{map.rect.x + static_cast<float>(i) * pitch, map.rect.y, pitch, map.rect.height};
      const Target target =
          column.pair.b ? Target{Target::Kind::event, static_cast<std::int64_t>(*column.pair.b)} : Target{};
      canvas.region(place, target, tooltip_of(scene, i));
    }
    if (pitch < min && i != scene.current) continue;
    const float width = std::max(pitch, min),
                x = map.rect.x + (static_cast<float>(i) + 0.5f) * pitch - width / 2;
    look.colour = column.b > column.a   ? canvas.palette().costly
                  : column.b < column.a ? canvas.palette().good
                                        : canvas.palette().muted;
    look.font = i == scene.current ? Font::sans_bold : Font::sans;
    canvas.fitted({std::clamp(x, row.x, std::max(row.x, row.right() - width)), row.y, width, row.height},
                  {in_both(column)}, look);
  }
  const float width = std::min(std::max(pitch, canvas.px(6)), map.rect.width);
  const float x = std::clamp(map.rect.x + (static_cast<float>(scene.current) + 0.5f) * pitch - width / 2,
                             map.rect.x, std::max(map.rect.x, map.rect.right() - width));
  canvas.outline({x, map.rect.y - canvas.px(2), width, map.rect.height + canvas.px(3)}, canvas.palette().text,
                 2, 1.5f);
}

void draw_map(Canvas& canvas, Rect box, const BankScene& scene) {
  Rect labels = cut_top(box, canvas.px(18));
  const Rect numbers = cut_left(box, canvas.px(kNumbers));
  const Rect row = cut_top(box, canvas.px(kTimeRow));
  static_cast<void>(cut_top(box, canvas.px(3)));
  static_cast<void>(cut_bottom(box, canvas.px(6)));
  box = on_whole_pixels(box);
  if (box.width <= 0 || box.height <= 0) return;
  const HeatMap map = map_of(canvas, box, scene);
  canvas.add(map);
  draw_differences(canvas, map, scene);
  draw_banks(canvas, numbers, map);
  draw_columns(canvas, row, map, scene);
  labels.width -=
      draw_difference_key(
          canvas, {labels.x + labels.width * 0.4f, labels.y, labels.width * 0.6f, labels.height}, scene.max) +
      canvas.px(8);
  canvas.fitted(labels,
                {tr("conflict degree by bank and time, B \u2212 A"), tr("by bank and time, B \u2212 A"),
                 tr("B \u2212 A")},
                canvas.muted());
}

Picture no_access(const char* which, Size size, const Style& style) {
  return empty_picture(
      tr("Banks"),
      tr("{launch} makes no access to shared memory there: no difference by bank can be drawn.",
         "launch"_a = which),
      tr("Choose another warp or block, or side by side."), size, style);
}

}  // namespace

Picture make_bank_difference(const Moment& a, const Moment& b, bool by_step, Size size, const Style& style) {
  if (a.recording->events.size() == 0 || b.recording->events.size() == 0)
    return no_events_picture(tr("Banks"), size, style);
  const auto event_a = a.nearest({Space::shared}), event_b = b.nearest({Space::shared});
  if (!event_a || !event_b) return no_access(event_a ? "B" : "A", size, style);
  const int banks_a = analysis::memory_rules_of(a.cc).banks, banks_b = analysis::memory_rules_of(b.cc).banks;
  if (banks_a != banks_b) {
    return empty_picture(
        tr("Banks"),
        tr("Shared memory has {a} banks for A and {b} for B: bank by bank there is no difference.",
           "a"_a = banks_a, "b"_a = banks_b),
        tr("Choose side by side, or use the same memory rules for both."), size, style);
  }
  const BankScene scene = scene_of(a, b, *event_a, *event_b, by_step);
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Banks"), moment_name(b, *event_b));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(scene));
  draw_wavefronts(canvas, cut_bottom(rest, figure_height(canvas, size.height)), scene);
  draw_map(canvas, rest, scene);
  return canvas.take();
}

}  // namespace warplens::picture
