#include "viz/picture/memory_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/level_figures.h"

namespace warplens::picture {
namespace {

using analysis::LevelBand;

using analysis::Levels;

constexpr float kNarrow = 430, kLow = 250;  ///< Below them, room is for rows alone

constexpr float kLowIfCounted = 310;  ///< Where each level's label has a line more

constexpr float kWithPhase = 470;  ///< From this height on, the phase has ribbons of its own

constexpr float kMaxOfWords = 0.65f;  ///< Of the room beside names: the rest is for bars

constexpr float kLevelsSentence = 72;  ///< Ems of one line

constexpr float kBar = 12, kMinRibbon = 1.5f;  ///< What flows is seen, however little it is beside the rest

constexpr float kBetweenRoutes = 14;  ///< Between what goes up and what comes down

/// A row for each level, its bar as long as what it hands towards the registers: names, bars and words in
/// columns, so that bars can be compared.
void draw_rows(Canvas& canvas, Rect box, const Levels& levels, const LevelsScene& scene,
               const LevelsScene* beside) {
  std::vector<LevelFigures> rows;
  for (const MemoryLevel level : levels_shown(levels))
    rows.insert(rows.begin(), level_figures(level, levels, scene.counted));
  const float height = std::min(box.height / static_cast<float>(rows.size()), canvas.px(34));
  const float size = std::clamp(height / canvas.px(1) * 0.55f, kSmallSize - 1, kBaseSize);
  // What a GPU counted is said in place of what goes down: the tooltip has both.
  const auto both = [](const LevelFigures& figures) {
    return tr("{up}, {down}", "up"_a = figures.up,
              "down"_a = figures.counted.empty() ? figures.down : figures.counted);
  };
  const auto short_name = [](MemoryLevel level) {
    return level == MemoryLevel::shared ? tr("Shared") : name_of(level);
  };
  float name = 0, brief = 0, up = 0, up_and_down = 0;
  std::uint64_t max = 1;
  for (const LevelFigures& figures : rows) {
    name = std::max(name, canvas.width_of(name_of(figures.level), canvas.plain(size)) + canvas.px(8));
    brief = std::max(brief, canvas.width_of(short_name(figures.level), canvas.plain(size)) + canvas.px(8));
    up = std::max(up, canvas.width_of(figures.up, canvas.muted(size)) + canvas.px(2));
    up_and_down = std::max(up_and_down, canvas.width_of(both(figures), canvas.muted(size)) + canvas.px(2));
    max = std::max(max, figures.to_registers.max);
  }
  if (beside != nullptr) {
    for (const MemoryLevel level : levels_shown(beside->grid))
      max = std::max(max, level_figures(level, beside->grid, {}).to_registers.max);
  }
  if (name + up > box.width) name = std::min(brief, box.width);  // Figures come before names
  const bool with_down = up_and_down <= (box.width - name) * kMaxOfWords;
  const float words = with_down ? up_and_down : std::min(up, box.width - name);
  for (const LevelFigures& figures : rows) {
    Rect row = cut_top(box, height);
    canvas.region(row, {}, tooltip_of(figures, scene));
    canvas.fitted(cut_left(row, name), {name_of(figures.level), short_name(figures.level)},
                  canvas.plain(size));
    canvas.fitted(cut_right(row, words),
                  {with_down ? both(figures) : figures.up, band_in_words(figures.to_registers),
                   bytes_in_words(figures.to_registers.max)},
                  canvas.muted(size));
    static_cast<void>(cut_right(row, std::min(canvas.px(8), row.width)));
    if (row.width < canvas.px(20)) continue;
    const float thick = std::min(canvas.px(9), height * 0.6f), top = row.y + (row.height - thick) / 2;
    const auto bar = [&](std::uint64_t bytes, float alpha) {
      const auto length =
          row.width * static_cast<float>(static_cast<double>(bytes) / static_cast<double>(max));
      if (bytes != 0)
        canvas.fill({row.x, top, std::max(length, canvas.px(1)), thick},
                    with_alpha(canvas.palette().accent, alpha));
    };
    bar(figures.to_registers.max, 0.3f);
    bar(figures.to_registers.min, 1);
    if (!figures.counted_up) continue;
    const float at =
        row.x + row.width * static_cast<float>(static_cast<double>(std::min(*figures.counted_up, max)) /
                                               static_cast<double>(max));
    canvas.line({at, top - canvas.px(2)}, {at, top + thick + canvas.px(2)}, canvas.palette().good, 2);
  }
}

/// What is drawn of a level: bars as tall as the bytes, those that go towards the registers above those that
/// come from them. The registers have a pair for shared memory and one for L1.
struct Bars {
  float up = 0, up_height = 0, down = 0, down_height = 0;
};

struct Node {
  LevelFigures figures;
  float x = 0;
  Bars bars, second;  ///< `second`: the registers' with L1, where they have shared memory's too
  [[nodiscard]] float top() const { return bars.up; }
  [[nodiscard]] float bottom() const {
    return std::max(bars.down + bars.down_height, second.down + second.down_height);
  }
};

/// DRAM, L2 and L1 lie in a row, shared memory above L1, the registers beside both. Where little comes from
/// global memory beside what shared memory holds, its bars are drawn so many times taller, and the picture
/// says so.
class RibbonPainter {
  /// Pixels a byte at the registers and shared memory; from L1 on bars are so many times wider.
  struct Scales {
    float near = 0, wider = 1;
  };

 public:
  /// `beside`: the levels that are drawn to one scale with these; null: none.
  RibbonPainter(Canvas& canvas, Rect box, float text_size, const Levels& levels, const CountedLevels& counted,
                const LevelsScene& scene, const Levels* beside, bool with_counted)
      : canvas_(canvas),
        box_(box),
        levels_(levels),
        counted_(counted),
        scene_(scene),
        shown_(levels_shown(levels)),
        size_(text_size),
        with_counted_(with_counted) {
    line_ = canvas.line_height(size_);
    columns_ =
        static_cast<int>(shown_.size()) - (shows(MemoryLevel::shared) && shows(MemoryLevel::l1) ? 1 : 0);
    scales_ = scales_for(levels);
    if (beside == nullptr) return;
    const Scales other = scales_for(*beside);
    scales_ = {.near = std::min(scales_.near, other.near), .wider = std::min(scales_.wider, other.wider)};
  }

  void draw() {
    place_nodes();
    draw_flows();
    for (const Node& node : nodes_) draw_node(node);
  }

 private:
  static constexpr float kLabelLines =
      4;  ///< Name, both figures, and the mark; one more where a GPU has counted

  [[nodiscard]] bool shows(MemoryLevel level) const {
    return std::ranges::find(shown_, level) != shown_.end();
  }
  [[nodiscard]] float label_height() const { return line_ * (kLabelLines + (with_counted_ ? 1.0f : 0.0f)); }
  [[nodiscard]] float pixels(std::uint64_t bytes, float scale) const {
    return bytes == 0 ? 0
                      : std::max(static_cast<float>(static_cast<double>(bytes) * static_cast<double>(scale)),
                                 canvas_.px(kMinRibbon));
  }
  [[nodiscard]] float near(std::uint64_t bytes) const {
    return pixels(bytes, scales_.near);
  }  ///< At the registers and shared memory
  [[nodiscard]] float below(std::uint64_t bytes) const {
    return pixels(bytes, scales_.near * scales_.wider);
  }  ///< From L1 on

  [[nodiscard]] std::uint64_t dram_up_most() const { return max_from_dram(levels_); }
  static std::uint64_t max_from_dram(const Levels& levels) {
    return levels.dram_up ? levels.dram_up->max : 0;
  }

  [[nodiscard]] Scales scales_for(const Levels& levels) const {
    const auto shared = static_cast<double>(levels.shared_up + levels.shared_down),
               lanes = static_cast<double>(levels.lanes_up + levels.lanes_down);
    const std::uint64_t up = std::max({levels.l1_up, levels.lanes_up, max_from_dram(levels)});
    const auto global = static_cast<double>(up + std::max(levels.l1_down, levels.lanes_down));
    const std::vector<MemoryLevel> shown = levels_shown(levels);
    const auto has = [&](MemoryLevel level) { return std::ranges::find(shown, level) != shown.end(); };
    const float labels = label_height() * (has(MemoryLevel::shared) && has(MemoryLevel::l1) ? 2.0f : 1.0f) +
                         canvas_.px(kBetweenRoutes) * 2.5f;
    const auto room = static_cast<double>(std::max(box_.height - labels, canvas_.px(20)));
    Scales scales{.near = static_cast<float>(room / std::max(shared + std::max(global, lanes), 1.0))};
    constexpr double kShareBelow = 0.4;
    if (!has(MemoryLevel::shared) || global <= 0 ||
        global * static_cast<double>(scales.near) > room * kShareBelow)
      return scales;
    scales.near = static_cast<float>(room * (1 - kShareBelow) / (shared + lanes));
    scales.wider = static_cast<float>(
        std::max(std::floor(room * kShareBelow / (global * static_cast<double>(scales.near))), 1.0));
    return scales;
  }

  const Node& node(MemoryLevel level) const {
    return *std::ranges::find_if(nodes_, [&](const Node& one) { return one.figures.level == level; });
  }

  [[nodiscard]] bool two_rows() const { return shows(MemoryLevel::shared) && shows(MemoryLevel::l1); }

  /// From `top` on, or to where `baseline` parts them.
  [[nodiscard]] Bars bars_from(float top, float up_height, float down_height) const {
    const float gap = down_height == 0 || up_height == 0 ? 0 : canvas_.px(kBetweenRoutes) / 2;
    return {.up = top, .up_height = up_height, .down = top + up_height + gap, .down_height = down_height};
  }
  [[nodiscard]] Bars bars_at(float baseline, float up_height, float down_height) const {
    return bars_from(baseline - up_height, up_height, down_height);
  }

  void place_nodes() {
    const float bar = canvas_.px(kBar),
                step = columns_ > 1 ? (box_.width - bar) / static_cast<float>(columns_ - 1) : 0;
    const float gap = canvas_.px(kBetweenRoutes);
    const Bars shared =
        bars_from(box_.y + label_height(), near(levels_.shared_up), near(levels_.shared_down));
    const float below_shared = shared.down + shared.down_height + gap;
    const float baseline = box_.y + std::max({below(levels_.l1_up), near(levels_.lanes_up),
                                              below(dram_up_most())});  // Where there is no shared memory
    float column = 0;
    for (const MemoryLevel level : shown_) {
      Node one{.figures = level_figures(level, levels_, counted_)};
      one.x = box_.x + step * column;
      float up = 0, down = 0;
      switch (level) {
        case MemoryLevel::registers: up = near(levels_.lanes_up), down = near(levels_.lanes_down); break;
        case MemoryLevel::shared: break;
        case MemoryLevel::l1: up = below(levels_.l1_up), down = below(levels_.l1_down); break;
        default:
          up = below(one.figures.to_registers.max), down = below(one.figures.from_registers.max);
          break;
      }
      if (level == MemoryLevel::shared || (level == MemoryLevel::registers && shows(MemoryLevel::shared))) {
        one.bars = shared;
        if (level == MemoryLevel::registers && shows(MemoryLevel::l1))
          one.second = bars_from(shared.down + shared.down_height + gap / 2, up, down);
      } else {
        one.bars = two_rows() ? bars_from(below_shared, up, down) : bars_at(baseline, up, down);
      }
      nodes_.push_back(std::move(one));
      if (level != MemoryLevel::l1 || !two_rows()) column += 1;
    }
  }

  /// A straight ribbon between two bars.
  void ribbon(Point from, float from_height, Point to, float to_height, Colour colour) {
    if (from_height <= 0 && to_height <= 0) return;
    canvas_.add(Polygon{.points = {from, to, {to.x, to.y + to_height}, {from.x, from.y + from_height}},
                        .colour = colour});
  }

  [[nodiscard]] Colour loads(float strength) const {
    return mixed(canvas_.palette().panel, canvas_.palette().accent, strength);
  }
  [[nodiscard]] Colour stores(float strength) const {
    return mixed(canvas_.palette().panel, canvas_.palette().fill, strength);
  }
  [[nodiscard]] float right_of(const Node& node) const { return node.x + canvas_.px(kBar); }

  void flow(const Node& from, float from_y, float from_height, const Node& to, float to_y, float to_height,
            Colour colour) {
    ribbon({from.x + canvas_.px(kBar), from_y}, from_height, {to.x, to_y}, to_height, colour);
  }

  /// What may flow, pale, and on it what must.
  void band(const Node& from, const Node& to, const LevelBand& up, const LevelBand& down) {
    constexpr float kMay = 0.25f, kMust = 0.75f;
    const Bars &there = from.bars, &here = to.bars;
    flow(from, there.up, there.up_height, to, here.up, here.up_height, loads(kMay));
    flow(from, there.up, below(up.min), to, here.up, std::min(below(up.min), here.up_height), loads(kMust));
    flow(from, there.down, there.down_height, to, here.down, here.down_height, stores(kMay));
    flow(from, there.down, below(down.min), to, here.down, std::min(below(down.min), here.down_height),
         stores(kMust));
  }

  void draw_flows() {
    constexpr float kCertain = 0.75f;
    const auto both = [&](const Node& from, const Node& to, const Bars& there) {
      flow(from, from.bars.up, from.bars.up_height, to, there.up, there.up_height, loads(kCertain));
      flow(from, from.bars.down, from.bars.down_height, to, there.down, there.down_height, stores(kCertain));
    };
    if (shows(MemoryLevel::dram))
      band(node(MemoryLevel::dram), node(MemoryLevel::l2), *levels_.dram_up, *levels_.dram_down);
    if (shows(MemoryLevel::l2))
      band(node(MemoryLevel::l2), node(MemoryLevel::l1), *levels_.l2_up, *levels_.l2_down);
    const Node& registers = node(MemoryLevel::registers);
    if (shows(MemoryLevel::shared)) both(node(MemoryLevel::shared), registers, registers.bars);
    if (shows(MemoryLevel::l1))
      both(node(MemoryLevel::l1), registers, two_rows() ? registers.second : registers.bars);
  }

  void draw_bars(float x, const Bars& bars) {
    if (bars.up_height > 0)
      canvas_.fill({x, bars.up, canvas_.px(kBar), bars.up_height}, canvas_.palette().accent, 2);
    if (bars.down_height > 0)
      canvas_.fill({x, bars.down, canvas_.px(kBar), bars.down_height}, canvas_.palette().fill, 2);
  }

  /// Shared memory's words begin where the registers' end: each has its own width, or half of what there is.
  [[nodiscard]] float room_above(MemoryLevel level, float both) const {
    const auto width = [&](MemoryLevel one) {
      const LevelFigures& figures = node(one).figures;
      return std::max({canvas_.width_of(name_of(one), {canvas_.palette().text, size_, Font::sans_bold}),
                       canvas_.width_of(figures.up, canvas_.plain(size_)),
                       canvas_.width_of(figures.down, canvas_.muted(size_ - 1))});
    };
    const float gap = canvas_.px(6),
                other = width(level == MemoryLevel::shared ? MemoryLevel::registers : MemoryLevel::shared);
    return width(level) + other + gap <= both ? both - other - gap : (both - gap) / 2;
  }

  [[nodiscard]] bool has_room_for_marks(const Node& node) const {
    return node.bars.up_height >= canvas_.px(3);
  }

  /// Its words stand below it; above it where there is a row below.
  void draw_node(const Node& node) {
    const Palette& palette = canvas_.palette();
    const float bar = canvas_.px(kBar);
    draw_bars(node.x, node.bars);
    draw_bars(node.x, node.second);
    for (const auto once : {node.figures.to_registers.once_a_block, node.figures.to_registers.once_a_wave}) {
      if (!once || !has_room_for_marks(node)) continue;
      const float at = node.bars.up + below(*once);
      canvas_.line({node.x - canvas_.px(3), at}, {node.x + bar + canvas_.px(6), at}, palette.text, 1.5f);
    }
    if (node.figures.counted_up && node.bars.up_height >= canvas_.px(4)) {
      const float at = node.bars.up + std::min(below(*node.figures.counted_up), node.bars.up_height);
      canvas_.line({node.x - canvas_.px(6), at}, {node.x + bar + canvas_.px(10), at}, palette.good, 2.5f);
    }
    const MemoryLevel level = node.figures.level;
    const bool above =
        shows(MemoryLevel::shared) && (level == MemoryLevel::registers || level == MemoryLevel::shared);
    const Align align = level == MemoryLevel::registers ? Align::right : Align::left;
    float room =
        columns_ > 1 ? (box_.width - bar) / static_cast<float>(columns_ - 1) - canvas_.px(10) : box_.width;
    if (!shows(MemoryLevel::shared) && (level == MemoryLevel::registers || level == MemoryLevel::l1))
      room = room / 2 - canvas_.px(2);  // They share a column
    if (above && columns_ > 1) room = std::min(room, room_above(level, room));
    Rect label{align == Align::right ? node.x + bar - room : node.x,
               above ? node.top() - label_height() : node.bottom() + canvas_.px(3), room, label_height()};
    canvas_.region(united(label, {node.x, node.top(), bar, node.bottom() - node.top()}), {},
                   tooltip_of(node.figures, scene_));
    if (above) static_cast<void>(cut_top(label, line_ * 0.8f));
    canvas_.fitted(cut_top(label, line_), {name_of(level)}, {palette.text, size_, Font::sans_bold, align});
    canvas_.fitted(cut_top(label, line_), {node.figures.up, band_in_words(node.figures.to_registers)},
                   {palette.text, size_, Font::sans, align});
    canvas_.fitted(cut_top(label, line_), {node.figures.down, band_in_words(node.figures.from_registers)},
                   canvas_.muted(size_ - 1, align));
    const std::string drawn = level == MemoryLevel::l1 && scales_.wider > 1
                                  ? tr("drawn at {n}x scale", "n"_a = static_cast<int>(scales_.wider))
                                  : std::string();
    canvas_.fitted(cut_top(label, line_),
                   {!drawn.empty()             ? drawn
                    : has_room_for_marks(node) ? node.figures.mark
                                               : std::string()},
                   canvas_.muted(size_ - 1, align));
    canvas_.fitted(cut_top(label, line_), {node.figures.counted},
                   {palette.good, size_ - 1, Font::sans_bold, align});
  }

  Canvas& canvas_;
  Rect box_;
  const Levels& levels_;
  CountedLevels counted_;
  const LevelsScene& scene_;
  std::vector<MemoryLevel> shown_;
  std::vector<Node> nodes_;
  int columns_ = 1;
  float size_ = 0, line_ = 0;
  Scales scales_;
  bool with_counted_;  ///< A label has a line for what a GPU counted
};

std::string in_times(double times) {
  return times >= 99.5 ? formatted("{:.0f} ×", times) : formatted("{:.2g} ×", times);
}

std::string sentence_of(const LevelsScene& scene) {
  const Levels& grid = scene.grid;
  const std::string registers = bytes_in_words(grid.shared_up + grid.lanes_up),
                    asked = bytes_in_words(grid.l1_up);
  if (grid.l1_up == 0)
    return tr("Nothing is loaded from global memory; {stored} is stored there",
              "stored"_a = bytes_in_words(grid.l1_down));
  const std::string lanes =
      grid.shared_up == 0
          ? tr("Lanes load {all}; {asked} requested from L1", "all"_a = registers, "asked"_a = asked)
          : tr("Lanes load {all}, {shared} from shared memory; {asked} requested from L1",
               "all"_a = registers, "shared"_a = bytes_in_words(grid.shared_up), "asked"_a = asked);
  if (!grid.l2_up)
    return tr("{what_is_known}; {reason}", "what_is_known"_a = lanes, "reason"_a = scene.why_no_bands);
  if (grid.l2_up->exact())
    return tr("{what_is_known}: all of it comes from L2, since nothing is requested twice",
              "what_is_known"_a = lanes);
  const std::string min = bytes_in_words(grid.l2_up->min);
  if (const auto once = grid.l2_up->once_a_block) {
    return tr("{what_is_known}: at least {least} from L2, {block} if each block fetches its own",
              "what_is_known"_a = lanes, "least"_a = min, "block"_a = bytes_in_words(*once));
  }
  return tr("{what_is_known}: at least {least} from L2, at most all of it", "what_is_known"_a = lanes,
            "least"_a = min);
}
}  // namespace

std::string bytes_in_words(std::uint64_t bytes) {
  if (bytes < 10'000) return with_thousands(bytes) + " B";
  constexpr std::array kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return formatted("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

Picture make_memory_levels(const LevelsScene& scene, Size size, const Style& style,
                           const LevelsScene* beside) {
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Memory levels"),
              tr("{kernel} · {blocks}", "kernel"_a = scene.kernel, "blocks"_a = scene.blocks));
  const std::string sentence = sentence_of(scene);
  canvas.say(sentence);
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence, kLevelsSentence);
  const float text_size =
      std::clamp(std::min(size.height * 0.022f, size.width * 0.02f) / canvas.px(1), kSmallSize, 19.0f);
  // Both of two pictures that are to one scale have room for the same.
  const auto both = [&](const auto& holds) { return holds(scene) && (beside == nullptr || holds(*beside)); };
  const bool with_counted = !both([](const LevelsScene& one) { return !one.counted.l2; });
  const bool rows =
      size.width < canvas.px(kNarrow) || size.height < canvas.px(with_counted ? kLowIfCounted : kLow);
  // Where shared memory has a row above the others, the figure stands beside it.
  const bool in_corner = !rows && both([](const LevelsScene& one) {
    return one.grid.l2_up && one.grid.shared_up + one.grid.shared_down != 0;
  });
  const bool with_phase = both([](const LevelsScene& one) { return one.phase.has_value(); });
  if (!rows && with_phase && size.height >= canvas.px(kWithPhase)) {
    Rect below = cut_bottom(rest, rest.height * 0.4f);
    static_cast<void>(cut_top(below, canvas.px(10)));
    canvas.line({below.x, below.y}, {below.right(), below.y}, canvas.palette().line);
    static_cast<void>(cut_top(below, canvas.px(6)));
    canvas.fitted(cut_top(below, canvas.line_height(text_size + 2)), {scene.phase_name},
                  canvas.plain(text_size + 1));
    RibbonPainter(canvas, below, text_size, *scene.phase, {}, scene,
                  beside != nullptr ? &*beside->phase : nullptr, false)
        .draw();
  }
  Rect figure = in_corner ? Rect{rest.x, rest.y, rest.width * 0.6f, figure_height(canvas, size.height)}
                          : cut_bottom(rest, figure_height(canvas, size.height));
  const std::uint64_t loaded = scene.grid.shared_up + scene.grid.lanes_up;
  const double reuse =
      scene.grid.l1_up == 0 ? 0 : static_cast<double>(loaded) / static_cast<double>(scene.grid.l1_up);
  draw_figure(canvas, figure,
              {in_times(reuse), tr("Bytes that reach registers per byte requested from L1: what lanes share, "
                                   "and what shared memory holds for them.")},
              reuse < 1,
              {tr("register bytes per byte requested from L1"),
               scene.grid.dram_up ? tr("pale: depends on caches") : std::string()});
  if (rows) {
    draw_rows(canvas, rest, scene.grid, scene, beside);
  } else {
    RibbonPainter(canvas, rest, text_size, scene.grid, scene.counted, scene,
                  beside != nullptr ? &beside->grid : nullptr, with_counted)
        .draw();
  }
  return canvas.take();
}

}  // namespace warplens::picture
