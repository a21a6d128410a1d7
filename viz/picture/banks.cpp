#include "viz/picture/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/bank_grid.h"
#include "viz/picture/bank_heat.h"
#include "viz/picture/found.h"
#include "viz/picture/lanes.h"
#include "viz/picture/terms.h"

namespace warplens::picture {
namespace {

constexpr int kMaxRows = 64;  // Wavefronts of one access that the grid ever asks room for

constexpr float kLowestStrip = 10;  // Of the banks alone

constexpr float kHeatLabels = 48;  // Above and below banks over time

constexpr float kAboveTime = 4;

constexpr float kHighEnoughForAThird = 420, kWideEnoughForBeside = 600;

/// "all words in bank 12", "words in 8 banks".
std::string banks_in_words(const analysis::Unfolding& unfolding, int banks) {
  std::set<int> used;
  for (const auto& wavefront : unfolding.wavefronts) {
    for (const analysis::LaneService& lane : wavefront) {
      for (int word = 0; word < lane.words; ++word) used.insert((lane.bank + word) % banks);
    }
  }
  if (used.size() == 1) return tr("all words in bank {bank}", "bank"_a = *used.begin());
  if (used.size() == static_cast<std::size_t>(banks))
    return tr_n(used.size(), "the {n} bank used", "all {n} banks used");
  return tr_n(used.size(), "words in {n} bank", "words in {n} banks");
}

/// From long to short; empty where all are shown.
std::array<std::string, 2> more_wavefronts(const analysis::Unfolding& unfolding, const BankGrid& grid,
                                           int shown) {
  if (grid.wavefronts.size() <= static_cast<std::size_t>(shown)) return {};
  const std::uint64_t left = grid.wavefronts.size() - static_cast<std::size_t>(shown);
  const bool one_by_one = std::all_of(grid.wavefronts.begin(), grid.wavefronts.end(), [&](int wavefront) {
    return unfolding.wavefronts[static_cast<std::size_t>(wavefront)].size() == 1;
  });
  const std::string count = tr_n(left, "… {n} more wavefront", "… {n} more wavefronts");
  if (!one_by_one) return {count, count};
  return {tr_n(left, "… {n} more wavefront: every lane waits for the one before it",
               "… {n} more wavefronts: every lane waits for the one before it"),
          count};
}

/// Where the recording's shared memory begins, and in it the array that the access is to: what the kernel's
/// own address arithmetic depends on. From long to short.
std::array<std::string, 3> base_in_words(const Moment& moment, std::size_t event) {
  const Recording& recording = *moment.recording;
  const std::string base = with_thousands(recording.shared_base);
  const std::string begins = tr("Shared memory begins at {address}", "address"_a = base);
  const bool from_8_0 = recording.shared_base != 0;
  const std::uint64_t offset = recording.events.base[event];
  const auto array = std::find_if(
      recording.shared_arrays.begin(), recording.shared_arrays.end(), [&](const SharedArray& candidate) {
        return offset >= candidate.offset && offset - candidate.offset < candidate.bytes;
      });
  if (array == recording.shared_arrays.end()) {
    return {
        from_8_0
            ? tr("Shared memory begins at {address} on compute capability 8.0 and later", "address"_a = base)
            : tr("Shared memory begins at {address} before compute capability 8.0", "address"_a = base),
        begins, begins};
  }
  const std::string name = shared_place_name(recording, array->offset),
                    place = with_thousands(recording.shared_base + array->offset);
  return {from_8_0
              ? tr("Shared memory begins at {address} on compute capability 8.0 and later; {array} lies at "
                   "{place}",
                   "address"_a = base, "array"_a = name, "place"_a = place)
              : tr("Shared memory begins at {address} before compute capability 8.0; {array} lies at {place}",
                   "address"_a = base, "array"_a = name, "place"_a = place),
          tr("Shared memory begins at {address}; {array} lies at {place}", "address"_a = base,
             "array"_a = name, "place"_a = place),
          begins};
}

/// The wavefronts that serve some lanes, in their order.
std::vector<int> wavefronts_of(const analysis::Unfolding& unfolding, std::uint32_t lanes) {
  std::vector<int> wavefronts;
  for (const analysis::WavefrontGroup& group : unfolding.groups) {
    if ((group.lanes & lanes) == 0) continue;
    for (int i = 0; i < group.count; ++i) wavefronts.push_back(group.first + i);
  }
  return wavefronts;
}

/// "half-warp 0-15: wavefronts 1 to 16".
void draw_half_name(Canvas& canvas, Rect box, std::uint32_t lanes, const std::vector<int>& wavefronts) {
  const std::string numbers = std::popcount(lanes) != 16     ? ""
                              : std::countr_zero(lanes) == 0 ? "0\u201315"
                                                             : "16\u201331";
  const std::string whole =
      wavefronts.empty()       ? tr("half-warp {lanes}: no lane is active", "lanes"_a = numbers)
      : wavefronts.size() == 1 ? tr("half-warp {lanes}: wavefront {number}", "lanes"_a = numbers,
                                    "number"_a = wavefronts.front() + 1)
                               : tr("half-warp {lanes}: wavefronts {first} to {last}", "lanes"_a = numbers,
                                    "first"_a = wavefronts.front() + 1, "last"_a = wavefronts.back() + 1);
  canvas.fitted(box, {whole, tr("half-warp {lanes}", "lanes"_a = numbers), numbers},
                canvas.plain(kSmallSize));
}

struct Unfolded {
  const Moment& moment;
  const analysis::WarpAccess& access;
  const analysis::Unfolding& unfolding;
  BankGridRoom room;
  float tallest_cell;
  const Highlight& highlight;
  std::array<std::string, 3> base;  ///< base_in_words
  const std::optional<Counted>& counted;
  const Moment* beside;  ///< May be null
  const FoundHere& found;
};

/// Below the grid: lanes that were not let through, each at the bank that it wanted.
void draw_cut(Canvas& canvas, const BankGrid& grid, Rect below, const Unfolded& shown, std::uint32_t lanes) {
  const Palette& palette = canvas.palette();
  const Recording& recording = *shown.moment.recording;
  analysis::for_each_lane(shown.found.cut & lanes, [&](int lane) {
    const std::uint64_t word = cut_lane_address(recording, shown.found, lane) / 4;
    const auto bank = static_cast<int>(word % static_cast<std::uint64_t>(grid.banks));
    const Rect cell =
        inset({grid.cell(0, bank).x, below.y + canvas.px(2), grid.cell_width, below.height - canvas.px(3)},
              canvas.px(0.75f));
    canvas.fill(cell, palette.panel, 2);
    canvas.hatch(cell, with_alpha(palette.costly, 0.6f), canvas.px(4));
    canvas.outline(cell, palette.costly, 1, 2);
    if (const auto look = lane_number_look(canvas, palette.panel, inset(cell, canvas.px(1)))) {
      canvas.fitted_on(palette.panel, cell, {std::to_string(lane)},
                       {palette.text, look->size, look->font, look->align});
    }
    canvas.region(cell, {Target::Kind::lane, lane},
                  tr("Lane {lane}, not executed: {place}", "lane"_a = lane,
                     "place"_a = cut_lane_in_words(recording, shown.found, lane)));
  });
}

void draw_grid(Canvas& canvas, Rect rest, const Unfolded& shown, std::uint32_t lanes) {
  const auto& [moment, access, unfolding, room, tallest_cell, highlight, base, counted, beside, found] =
      shown;
  const std::vector<int> wavefronts = wavefronts_of(unfolding, lanes);
  if (lanes != 0xffffffffu)
    draw_half_name(canvas, cut_top(rest, canvas.px(kBankHeaderRow)), lanes, wavefronts);
  const Rect header_row = cut_top(rest, canvas.px(kBankHeaderRow));
  const bool needs_more =
      !banks_are_for_hall(canvas) || (found.cut & lanes) != 0 || !bank_rows_fit(canvas, room, rest.height);
  const Rect more = cut_bottom(rest, canvas.px(needs_more ? kMoreWavefrontsRow : 0));
  const Rect names = cut_left(rest, canvas.px(room.groups_named ? kLaneGroupNames : 0));
  const Rect numbers = cut_left(rest, canvas.px(kBankNumbers));
  BankGrid grid =
      lay_out_bank_grid(canvas, rest, room.rows, analysis::memory_rules_of(moment.cc).banks, tallest_cell);
  if (grid.rows == 0 || grid.cell_width <= 0) return;
  grid.op = access.op;
  grid.wavefronts = wavefronts;
  canvas.fitted({numbers.x, header_row.y, numbers.width - canvas.px(5), header_row.height}, {tr("bank")},
                canvas.muted(kTinySize, Align::right));
  if (names.width > 0) {
    canvas.fitted({names.x, header_row.y, names.width, header_row.height},
                  {grid.banks != kWarpSize   ? ""
                   : is_of_pieces(access.op) ? tr("pieces")
                                             : tr("lanes")},
                  canvas.muted(kTinySize));
  }
  draw_bank_numbers(canvas, {grid.box.x, header_row.y, grid.box.width, header_row.height}, grid);
  draw_empty_bank_grid(canvas, grid, numbers);
  const int rows = std::min<int>(grid.rows, static_cast<int>(grid.wavefronts.size()));
  for (int row = 0; row < rows; ++row) {
    const int wavefront = grid.wavefronts[static_cast<std::size_t>(row)];
    const Rect line{numbers.x, grid.cell(row, 0).y, numbers.width + grid.box.width, grid.cell_height};
    canvas.region(line, {Target::Kind::wavefront, wavefront},
                  tr("Wavefront {number} of {count}", "number"_a = wavefront + 1,
                     "count"_a = unfolding.wavefronts.size()));
    const std::vector<BankService> services =
        services_of(unfolding.wavefronts[static_cast<std::size_t>(wavefront)]);
    for (const BankService& service : services)
      draw_service(canvas, grid, row, service, *moment.recording, highlight, found);
    if (services.size() == 1) draw_sharing(canvas, grid, row, services.front());
  }
  if (room.groups_named)
    draw_lane_groups(canvas, grid, names, unfolding, analysis::lanes_per_group(access, moment.cc));
  Rect below{grid.box.x, grid.box.bottom(), grid.box.width, more.height};
  if (const auto left_out = more_wavefronts(unfolding, grid, rows); !left_out[0].empty()) {
    const std::optional<Rect> said = canvas.fitted(below, {left_out[0], left_out[1]}, canvas.muted());
    if (said) static_cast<void>(cut_left(below, said->width + canvas.px(17)));
  }
  const bool is_last = (lanes >> (kWarpSize - 1)) != 0;
  if ((found.cut & lanes) != 0) {
    draw_cut(canvas, grid, below, shown, lanes);
  } else if (is_last && !banks_are_for_hall(canvas)) {
    canvas.fitted(below, {base[0], base[1], base[2]}, canvas.muted(kTinySize, Align::right));
  }
}

/// Where no row of the grid has room: the banks alone, in the colour of how many wavefronts each is busy for,
/// with that number.
void draw_banks_alone(Canvas& canvas, Rect box, const Unfolded& shown) {
  const int banks = analysis::memory_rules_of(shown.moment.cc).banks;
  const std::array<int, kMaxBanks> degrees = bank_degrees(shown.access, shown.moment.cc);
  box.height = std::min(box.height, canvas.px(kTallestBankCell));
  if (box.height < canvas.px(kLowestStrip)) return;
  const float width = box.width / static_cast<float>(banks);
  for (int bank = 0; bank < banks; ++bank) {
    const Rect cell =
        inset({box.x + static_cast<float>(bank) * width, box.y, width, box.height}, canvas.px(0.5f));
    const int degree = degrees[static_cast<std::size_t>(bank)];
    const Colour colour =
        degree == 0 ? with_alpha(canvas.palette().line, 0.45f) : conflict_colour(degree, canvas.palette());
    canvas.fill(cell, colour, 2);
    const auto look = lane_number_look(canvas, colour, cell);
    if (degree > 0 && look) canvas.fitted(cell, {std::to_string(degree)}, *look);
    canvas.region(
        cell, {Target::Kind::bank, bank},
        fmt::format("{} {}: {}", tr("bank"), bank, wavefronts_in_words(static_cast<std::uint64_t>(degree))));
  }
}

void draw_unfolding(Canvas& canvas, Rect rest, const Unfolded& shown) {
  const float labels = kBankHeaderRow * static_cast<float>(shown.room.headers) + kMoreWavefrontsRow;
  if (rest.height < canvas.px(labels + kLowestBankCell)) return draw_banks_alone(canvas, rest, shown);
  const std::vector<std::uint32_t> grids = lanes_by_grid(shown.moment.cc);
  if (grids.size() == 2) {
    const float gap = canvas.px(12);
    draw_grid(canvas, cut_left(rest, (rest.width - gap) / 2), shown, grids[0]);
    static_cast<void>(cut_left(rest, gap));
  }
  draw_grid(canvas, rest, shown, grids.back());
}

/// Whether accesses follow each other at all: one that is tried out is alone.
bool has_time(const Recording& recording, const Moment* beside) {
  if (beside != nullptr && has_time(*beside->recording, nullptr)) return true;
  const auto is_shared = [&](std::uint32_t site) { return recording.sites[site].space == Space::shared; };
  const auto first = std::ranges::find_if(recording.events.site, is_shared);
  return first != recording.events.site.end() &&
         std::any_of(first + 1, recording.events.site.end(), is_shared);
}

/// The height of the lower part, banks over time: a third, a fifth in low pictures, and what the grid of this
/// recording never needs.
float time_height(const Canvas& canvas, Rect rest, Size size, const Unfolded& shown) {
  const float min = size.height >= canvas.px(kHighEnoughForAThird)
                        ? size.height / 3
                        : std::max(size.height * 0.2f, canvas.px(70));
  const float headers = kBankHeaderRow * static_cast<float>(shown.room.headers) + kMoreWavefrontsRow;
  const float grid = static_cast<float>(shown.room.rows) * canvas.px(shown.tallest_cell) + canvas.px(headers);
  return std::clamp(rest.height - figure_height(canvas, size.height) - grid - canvas.px(kAboveTime), min,
                    std::max(min, size.height * 0.75f));
}

void draw_time(Canvas& canvas, Rect box, const Unfolded& shown, std::size_t event) {
  if (box.width >= canvas.px(730)) {
    draw_wavefront_histogram(canvas, cut_right(box, box.width * 0.3f), shown.moment, event, shown.beside);
    static_cast<void>(cut_right(box, canvas.px(24)));
  }
  draw_bank_heat(canvas, box, shown.moment, event, shown.beside);
}

/// Figure, ideal, conflicts and banks of the access.
struct Headline {
  std::string figure, ideal, conflicts, banks, idle;
  bool costly = false;
};

Headline headline_of(const Unfolded& shown) {
  const analysis::Unfolding& unfolding = shown.unfolding;
  const auto wavefronts = unfolding.wavefronts.size();
  return {.figure = tr_n(wavefronts, "{n} wavefront", "{n} wavefronts"),
          .ideal = tr("ideal {count}", "count"_a = unfolding.ideal),
          .conflicts = tr_n(static_cast<std::uint64_t>(unfolding.conflicts), "{n} conflict", "{n} conflicts"),
          .banks = banks_in_words(unfolding, analysis::memory_rules_of(shown.moment.cc).banks),
          .idle = idle_lanes_in_words(*shown.moment.recording, shown.moment.warp, shown.access.op,
                                      shown.access.mask | shown.found.cut),
          .costly = static_cast<int>(wavefronts) > unfolding.ideal};
}

/// The grid on top, below it the figure, banks over time, and the sentence.
void draw_stacked(Canvas& canvas, Size size, const Unfolded& shown, std::size_t event) {
  Rect rest = canvas.inside();
  if (shown.found.any()) {
    draw_found_sentence(canvas, rest, *shown.moment.recording, shown.found);
  } else {
    draw_sentence(canvas, rest, access_sentence(shown.moment, event));
  }
  const float time = time_height(canvas, rest, size, shown),
              grid = rest.height - figure_height(canvas, size.height);
  const bool for_the_grid = banks_are_for_hall(canvas) && bank_rows_fit(canvas, shown.room, grid) &&
                            !bank_rows_fit(canvas, shown.room, grid - time - canvas.px(kAboveTime));
  if (size.height >= canvas.px(260) && has_time(*shown.moment.recording, shown.beside) && !for_the_grid) {
    draw_time(canvas, cut_bottom(rest, time), shown, event);
    static_cast<void>(cut_bottom(rest, canvas.px(kAboveTime)));
  }
  const Headline headline = headline_of(shown);
  draw_figure(canvas, cut_bottom(rest, figure_height(canvas, size.height)),
              {headline.figure, meaning_of(Term::wavefronts)}, headline.costly,
              {{headline.ideal, meaning_of(Term::ideal)},
               comparison_note(shown.access.op, shown.counted),
               {headline.conflicts, meaning_of(Term::conflicts)},
               headline.idle,
               {headline.banks, meaning_of(Term::banks)}});
  draw_unfolding(canvas, rest, shown);
}

/// Wide pictures of recordings whose accesses take many wavefronts have all else beside the grid, which needs
/// the height.
bool has_room_beside(const Canvas& canvas, int rows_wanted) {
  const Rect inside = canvas.inside();
  const bool wide = inside.width >= canvas.px(kWideEnoughForBeside) && inside.width >= 1.4f * inside.height;
  return wide && static_cast<float>(rows_wanted) * canvas.px(kTallestBankCell) > 0.4f * inside.height;
}

void draw_beside(Canvas& canvas, const Unfolded& shown, std::size_t event) {
  const bool hall = banks_are_for_hall(canvas);
  Rect rest = canvas.inside();
  if (hall) rest = inset(rest, 0, -canvas.px(10));  // What is around it in the window is margin enough
  const float height = rest.height;
  draw_unfolding(canvas, cut_left(rest, rest.width * 0.54f), shown);
  static_cast<void>(cut_left(rest, canvas.px(hall ? 16 : 28)));
  const Headline headline = headline_of(shown);
  const float figure = hall ? height * kBanksFigureInHall : figure_height(canvas, height * 1.4f);
  draw_figure(canvas, cut_top(rest, figure), {headline.figure, meaning_of(Term::wavefronts)}, headline.costly,
              {});
  const float size = std::clamp(height / canvas.px(1) * 0.026f, kSmallSize, 20.0f);
  const Note comparison = comparison_note(shown.access.op, shown.counted);
  const std::string counted = comparison.text.empty() ? std::string() : " · " + comparison.text;
  const std::string guessed = canvas.style().guessed ? guessed_note().text + " · " : std::string();
  const std::string two = guessed + headline.ideal + counted + " · " + headline.conflicts +
                          (headline.idle.empty() ? "" : " · " + headline.idle);
  const std::string all = two + " · " + headline.banks;
  const Rect notes = cut_top(rest, canvas.line_height(size));
  canvas.fitted(notes, {all, two, guessed + headline.ideal + counted, guessed + headline.ideal},
                canvas.muted(size));
  canvas.region(notes, {},
                fmt::format("{}: {}\n{}: {}{}", headline.ideal, meaning_of(Term::ideal), headline.conflicts,
                            meaning_of(Term::conflicts),
                            shown.counted ? "\n" + shown.counted->meaning : std::string()));
  const bool wrong = shown.found.any();
  const std::string sentence =
      wrong ? found_in_words(*shown.moment.recording, shown.found) : access_sentence(shown.moment, event);
  canvas.say(sentence);
  const Rect said = cut_top(rest, 3 * canvas.line_height(size));
  canvas.wrapped(said, sentence,
                 {wrong ? canvas.palette().costly : canvas.palette().fill, size, Font::sans, Align::left});
  canvas.region(said, {}, sentence);
  if (wrong) add_found_region(canvas, said, *shown.moment.recording, shown.found);
  if (hall) static_cast<void>(cut_top(rest, canvas.px(4)));
  const float heat = height / 3 + canvas.px(kHeatLabels),
              histogram = std::min(canvas.px(84), rest.height - heat);
  if (histogram >= canvas.px(60))
    draw_wavefront_histogram(canvas, cut_bottom(rest, histogram), shown.moment, event, shown.beside);
  draw_bank_heat(canvas, rest, shown.moment, event, shown.beside);
}

Picture nothing_to_draw(const Moment& moment, Size size, const Style& style) {
  const Recording& recording = *moment.recording;
  if (recording.events.size() == 0) return no_events_picture(tr("Banks"), size, style);
  const bool any = std::any_of(recording.sites.begin(), recording.sites.end(),
                               [](const Site& site) { return site.space == Space::shared; });
  if (any)
    return empty_picture(tr("Banks"),
                         tr("Warp {warp} makes no access to shared memory.", "warp"_a = moment.warp),
                         tr("Choose another warp or block."), size, style);
  return empty_picture(
      tr("Banks"),
      tr("{kernel} uses no shared memory, so there are no banks to draw.", "kernel"_a = recording.kernel),
      tr("Its accesses to global memory are drawn in {view}; record {kernel} to see banks.",
         "view"_a = tr("Coalescing"), "kernel"_a = "tiled"),
      size, style);
}

/// An access of which no lane was let through: the lanes, each saying where it wanted to go.
Picture make_found_alone(const Moment& moment, const Finding& finding, const Highlight& highlight, Size size,
                         const Style& style) {
  const Recording& recording = *moment.recording;
  const FoundHere found = found_here(moment, std::nullopt);
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Banks"), found_name(finding));
  Rect rest = canvas.inside();
  draw_found_sentence(canvas, rest, recording, found);
  draw_figure(canvas, cut_bottom(rest, figure_height(canvas, size.height)), {all_cut_in_words(finding)}, true,
              {});
  const LaneStrip strip = draw_lane_strip(canvas, rest, 0, highlight);
  mark_lanes(canvas, strip, recording, found);
  return canvas.take();
}
}  // namespace

Picture make_banks(const Moment& moment, const Highlight& highlight, Size size, const Style& style,
                   const Moment* beside, const std::optional<Counted>& counted) {
  if (const Finding* const finding = found_alone(moment, {Space::shared}))
    return make_found_alone(moment, *finding, highlight, size, style);
  const auto event = moment.nearest({Space::shared});
  if (!event) return nothing_to_draw(moment, size, style);
  const FoundHere found = found_here(moment, event);
  const analysis::WarpAccess access = moment.access(*event);
  const analysis::Unfolding unfolding = analysis::unfold(access, moment.cc);

  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Banks"), moment_name(moment, *event));
  BankGridRoom room = bank_grid_room(moment, kMaxRows);
  if (beside != nullptr) room = united_room(room, bank_grid_room(*beside, kMaxRows));
  const bool abreast = has_room_beside(canvas, room.rows) && has_time(*moment.recording, beside);
  const float tallest = std::max(kTallestBankCell, size.height / canvas.px(1) * 0.06f);
  const Unfolded shown{moment,
                       access,
                       unfolding,
                       room,
                       abreast ? kTallestBankCellBeside : tallest,
                       highlight,
                       base_in_words(moment, *event),
                       counted,
                       beside,
                       found};
  abreast ? draw_beside(canvas, shown, *event) : draw_stacked(canvas, size, shown, *event);
  return canvas.take();
}

}  // namespace warplens::picture
