#include "viz/picture/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/bank_heat.h"
#include "viz/picture/found.h"
#include "viz/picture/lanes.h"
#include "viz/picture/terms.h"

namespace warplens::picture {
namespace {

constexpr int kMaxRows = 64;  // Wavefronts of one access that the grid ever asks room for
constexpr float kFlattestCell = 6, kFlattestInHall = 5, kLowestCell = 13, kTallestCell = 26,
                kTallestBeside = 40;
constexpr float kLowestStrip = 10;  // Of the banks alone
constexpr float kHeatLabels = 48;   // Above and below banks over time
constexpr float kAboveTime = 4;
constexpr float kHighEnoughForAThird = 420, kWideEnoughForBeside = 600;
constexpr float kSmallestBankNumber = 5, kFigureInHall = 0.17f;
constexpr float kHeaderRow = 17, kMoreRow = 20, kBankNumbers = 30, kGroupNames = 44;

/// The grid of wavefronts x banks, and how much of it there is room for.
struct Grid {
  Rect box;
  std::vector<int> wavefronts;  ///< By row: which of the access's is drawn there; more than there is room for
  int rows = 0, banks = 32;
  float cell_width = 0, cell_height = 0;
  [[nodiscard]] Rect cell(int row, int bank, int width_in_banks = 1) const {
    return {box.x + static_cast<float>(bank) * cell_width, box.y + static_cast<float>(row) * cell_height,
            cell_width * static_cast<float>(width_in_banks), cell_height};
  }
};

/// Lanes that one bank serves in one wavefront with one word: the lowest one first. Under the rules of
/// compute capability 3.x a bank may serve two words, which share its cell.
struct Service {
  analysis::LaneService first;
  std::uint32_t lanes = 0;
  int part = 0, parts = 1;  ///< Of the bank's words in that wavefront, in the order of their lanes
};

std::vector<Service> group(const std::vector<analysis::LaneService>& wavefront) {
  std::vector<Service> services;
  for (const analysis::LaneService& lane : wavefront) {
    const auto known = std::ranges::find_if(services, [&](const Service& service) {
      return service.first.bank == lane.bank && service.first.word == lane.word;
    });
    if (known == services.end()) {
      services.push_back({lane, 1u << lane.lane});
      continue;
    }
    known->lanes |= 1u << lane.lane;
    if (lane.lane < known->first.lane) known->first = lane;
  }
  std::ranges::sort(services, {}, [](const Service& service) { return service.first.lane; });
  for (Service& service : services) {
    const auto same_bank = [&](const Service& other) { return other.first.bank == service.first.bank; };
    const auto before =
        std::ranges::find_if(services, [&](const Service& other) { return &other == &service; });
    service.part = static_cast<int>(std::count_if(services.begin(), before, same_bank));
    service.parts = static_cast<int>(std::ranges::count_if(services, same_bank));
  }
  return services;
}

/// Where there are fewer banks than lanes, as many lanes as banks have a grid of their own, side by side;
/// else the warp has one.
std::vector<std::uint32_t> lanes_by_grid(analysis::ComputeCapability cc) {
  const int banks = analysis::memory_rules_of(cc).banks;
  std::vector<std::uint32_t> grids;
  for (int lane = 0; lane < kWarpSize; lane += banks) grids.push_back(analysis::lane_range(lane, banks));
  return grids;
}

bool groups_share_a_grid(const Site& site, analysis::ComputeCapability cc) {
  const analysis::WarpAccess access = analysis::make_access(site, {}, 0, 0);
  return analysis::memory_rules_of(cc).word_by_word ? site.bytes > 4
                                                    : analysis::lanes_per_group(access, cc) < kWarpSize;
}

/// What the grids have room for, at every step alike.
struct GridRoom {
  int rows = 1;  ///< The most wavefronts of any shared access of the recording; on CC 1.x of a half-warp,
                 ///< each of which has its grid
  bool groups_named = false;  ///< Some access is taken in several lane groups that share a grid: beside the
                              ///< rows there are their names
  std::size_t headers = 1;    ///< Lines above the rows
};

GridRoom room_of(const Moment& moment, int enough) {
  const Recording& recording = *moment.recording;
  const std::vector<std::uint32_t> grids = lanes_by_grid(moment.cc);
  GridRoom room;
  room.headers = grids.size();
  std::uint64_t max = 1;
  for (std::size_t s = 0; s < recording.sites.size(); ++s) {
    const Site& site = recording.sites[s];
    if (site.space != Space::shared) continue;
    room.groups_named = room.groups_named || groups_share_a_grid(site, moment.cc);
    for (const PatternCount& pattern : recording.totals[s].patterns) {
      if (max >= static_cast<std::uint64_t>(enough)) break;
      analysis::WarpAccess access = analysis::make_access(site, recording.shapes[pattern.shape], pattern.mask,
                                                          pattern.alignment + kPatternAlignment);
      for (const std::uint32_t lanes : grids) {
        access.mask = pattern.mask & lanes;
        max = std::max(max, analysis::judge(access, moment.cc).wavefronts);
      }
    }
  }
  room.rows = static_cast<int>(std::min(max, static_cast<std::uint64_t>(enough)));
  return room;
}

/// Room for either of two that stand beside each other.
GridRoom united(const GridRoom& a, const GridRoom& b) {
  return {std::max(a.rows, b.rows), a.groups_named || b.groups_named, std::max(a.headers, b.headers)};
}

bool is_for_hall(const Canvas& canvas) {
  return canvas.style().min_text > 0;
}

float flattest_cell(const Canvas& canvas) {
  return canvas.px(is_for_hall(canvas) ? kFlattestInHall : kFlattestCell);
}

/// Whether all rows are to be seen in a grid with its labels of that height.
bool rows_fit(const Canvas& canvas, const GridRoom& room, float height) {
  const float labels = canvas.px(kHeaderRow * static_cast<float>(room.headers) + kMoreRow);
  return (height - labels) / static_cast<float>(room.rows) >= flattest_cell(canvas);
}

/// All rows in flat cells rather than some in higher ones.
Grid lay_out_grid(const Canvas& canvas, Rect box, int rows_wanted, int banks, float tallest) {
  Grid grid{.box = box, .wavefronts = {}, .banks = banks};
  grid.cell_width = box.width / static_cast<float>(banks);
  const float even = box.height / static_cast<float>(std::max(1, rows_wanted));
  grid.cell_height =
      even < flattest_cell(canvas) ? canvas.px(kLowestCell) : std::min(even, canvas.px(tallest));
  grid.rows = std::clamp(static_cast<int>(box.height / grid.cell_height + 0.01f), 0, rows_wanted);
  grid.box.height = static_cast<float>(grid.rows) * grid.cell_height;
  return grid;
}

/// Every `stride`-th of a row of `count` numbers fits; the first alone where no second one does.
int number_stride(const Canvas& canvas, float pitch, int count, const TextLook& look) {
  const float needed = canvas.width_of("00", look) + canvas.px(look.besides ? 0 : 4);
  int stride = 1;
  while (stride < count && pitch * static_cast<float>(stride) < needed) stride *= 2;
  return stride;
}

void draw_header(Canvas& canvas, Rect header, const Grid& grid) {
  TextLook look = canvas.muted(kTinySize, Align::centre);
  if (is_for_hall(canvas)) {  // Each bank has its number, as large as fits
    look.size = std::clamp(look.size * grid.cell_width * 0.86f / canvas.width_of("00", look),
                           kSmallestBankNumber, look.size);
    look.besides = true;
  }
  const int stride = number_stride(canvas, grid.cell_width, grid.banks, look);
  for (int bank = 0; bank < grid.banks; ++bank) {
    const Rect cell{grid.cell(0, bank).x, header.y, grid.cell_width, header.height};
    if (bank % stride == 0) canvas.text(centre(cell), std::to_string(bank), look);
    canvas.region(cell, {Target::Kind::bank, bank},
                  tr("Bank {bank}: words {first}, {second}, {third}, ..", "bank"_a = bank, "first"_a = bank,
                     "second"_a = bank + grid.banks, "third"_a = bank + 2 * grid.banks));
  }
}

void draw_empty_grid(Canvas& canvas, const Grid& grid, Rect numbers) {
  const Palette& palette = canvas.palette();
  const float gap = std::min(canvas.px(1), grid.cell_width / 8);
  canvas.fill(grid.box, with_alpha(palette.line, 0.45f), 2);
  for (int bank = 1; bank < grid.banks; ++bank) {
    const float x = grid.cell(0, bank).x;
    canvas.add(Line{{x, grid.box.y}, {x, grid.box.bottom()}, palette.panel, gap});
  }
  for (int row = 1; row < grid.rows; ++row) {
    const float y = grid.cell(row, 0).y;
    canvas.add(Line{{grid.box.x, y}, {grid.box.right(), y}, palette.panel, gap});
  }
  const TextLook look = canvas.muted(kTinySize, Align::right);
  const float line = canvas.px(kTinySize * 1.2f);
  const int every = grid.cell_height < line ? 2 : 1;
  for (int row = 0; row < grid.rows; ++row) {
    const Rect cell = grid.cell(row, 0);
    const auto drawn = static_cast<std::size_t>(row);
    // Rows that this access does not need are numbered on, where its grid is the only one.
    const int number = drawn < grid.wavefronts.size() ? grid.wavefronts[drawn] + 1
                       : grid.banks == kWarpSize      ? row + 1
                                                      : 0;
    if (number == 0) continue;
    if (row % every != 0) continue;
    canvas.fitted({numbers.x, centre(cell).y - line / 2, numbers.width - canvas.px(5), line},
                  {std::to_string(number)}, look);
  }
}

/// Beside the first wavefront of each lane group whose lanes it is for, and a line between the groups.
void draw_groups(Canvas& canvas, const Grid& grid, Rect names, const analysis::Unfolding& unfolding,
                 int lanes_together) {
  for (const analysis::WavefrontGroup& group : unfolding.groups) {
    const auto found = std::find(grid.wavefronts.begin(), grid.wavefronts.end(), group.first);
    const auto row = static_cast<int>(found - grid.wavefronts.begin());
    if (found == grid.wavefronts.end() || row >= grid.rows) continue;
    const Rect cell = grid.cell(row, 0);
    if (row > 0) canvas.line({grid.box.x, cell.y}, {grid.box.right(), cell.y}, canvas.palette().muted, 1);
    const int first = std::countr_zero(group.lanes) / lanes_together * lanes_together;
    const int last = std::max(first + lanes_together - 1, kWarpSize - 1 - std::countl_zero(group.lanes));
    const std::string name = group.word >= 0 ? tr("word {number}", "number"_a = group.word + 1)
                                             : fmt::format("{}\u2013{}", first, last);
    canvas.fitted({names.x, cell.y, names.width, cell.height}, {name}, canvas.muted(kTinySize));
  }
}

/// Which lanes one bank serves, with which word.
std::string service_in_words(const Service& service, int wavefront, const Recording& recording) {
  const std::uint64_t offset = service.first.word * 4;
  const std::string lanes = lanes_name(service.lanes), array = shared_array_name(recording, offset);
  const std::string address = shared_address_name(recording, offset);
  const std::string word =
      array.empty() ? tr("word {number}", "number"_a = service.first.word)
                    : tr("word {number} of {array}", "number"_a = service.first.word, "array"_a = array);
  if (service.parts > 1) {
    return tr("Wavefront {wavefront}, bank {bank}: {lanes} at {word}, address {address}, two words at once",
              "wavefront"_a = wavefront + 1, "bank"_a = service.first.bank, "lanes"_a = lanes,
              "word"_a = word, "address"_a = address);
  }
  if (std::popcount(service.lanes) < 2) {
    return tr("Wavefront {wavefront}, bank {bank}: {lanes} at {word}, address {address}",
              "wavefront"_a = wavefront + 1, "bank"_a = service.first.bank, "lanes"_a = lanes,
              "word"_a = word, "address"_a = address);
  }
  return tr(
      "Wavefront {wavefront}, bank {bank}: {lanes} at {word}, address {address}, moved once for all of them",
      "wavefront"_a = wavefront + 1, "bank"_a = service.first.bank, "lanes"_a = lanes, "word"_a = word,
      "address"_a = address);
}

/// One group of lanes in its cell. Lanes that ride along show as stripes of their colours along the bottom.
void draw_service(Canvas& canvas, const Grid& grid, int row, const Service& service,
                  const Recording& recording, const Highlight& highlight, const FoundHere& found) {
  const int lane = service.first.lane;
  const std::string tooltip =
      service_in_words(service, grid.wavefronts[static_cast<std::size_t>(row)], recording);
  // A wide access may run past the last bank and go on at the first.
  for (int word = 0; word < service.first.words;) {
    const int bank = (service.first.bank + word) % grid.banks;
    const int run = std::min(service.first.words - word, grid.banks - bank);
    const float gap = std::min(canvas.px(0.75f), grid.cell_width / 10);
    const auto in_part = [&](Rect whole) {
      const float height = whole.height / static_cast<float>(service.parts);
      return Rect{whole.x, whole.y + height * static_cast<float>(service.part), whole.width, height};
    };
    const Rect cell = inset(in_part(grid.cell(row, bank, run)), gap);
    const std::uint64_t first_word = service.first.word + static_cast<std::uint64_t>(word);
    const bool word_meant = highlight.shared_word && *highlight.shared_word >= first_word &&
                            *highlight.shared_word < first_word + static_cast<std::uint64_t>(run);
    const bool pointed_at = word_meant || (highlight.lane && (service.lanes >> *highlight.lane & 1u) != 0);
    canvas.fill(cell, lane_colour(lane), 2);
    if (std::popcount(service.lanes) > 1) {
      const Rect stripes{cell.x, cell.bottom() - cell.height * 0.22f, cell.width, cell.height * 0.22f};
      const float width = stripes.width / static_cast<float>(std::popcount(service.lanes));
      float x = stripes.x;
      for (int other = 0; other < kWarpSize; ++other) {
        if ((service.lanes >> other & 1u) == 0) continue;
        canvas.fill({x, stripes.y, width, stripes.height}, lane_colour(other));
        x += width;
      }
    }
    const std::optional<Met> met =
        met_at(recording, found, {first_word * 4, (first_word + static_cast<std::uint64_t>(run)) * 4}, lane);
    const Rect numbered = own_part(canvas, inset(in_part(grid.cell(row, bank)), gap), met);
    if (const auto look =
            lane_number_look(canvas, lane_colour(lane), inset(numbered, canvas.px(met ? 0 : 0.5f)))) {
      const std::string number = std::to_string(lane),
                        with_others = fmt::format("{} +{}", lane, std::popcount(service.lanes) - 1);
      canvas.fitted(
          own_part(canvas, cell, met),
          {std::popcount(service.lanes) > 1 ? std::string_view(with_others) : std::string_view(), number},
          *look);
    }
    for (int i = 0; i < run; ++i) {
      const Rect place = in_part(grid.cell(row, bank + i));
      canvas.region(place, {Target::Kind::lane_word, lane, static_cast<std::int64_t>(first_word) + i},
                    tooltip);
      const std::uint64_t at = (first_word + static_cast<std::uint64_t>(i)) * 4;
      if (is_marked(recording, found, {at, at + 4}, service.lanes)) {
        mark(canvas, inset(place, gap), met_at(recording, found, {at, at + 4}, lane));
      }
    }
    if (pointed_at) canvas.outline(cell, canvas.palette().text, 2, 2);
    word += run;
  }
}

/// A wavefront that serves several lanes with one word says so, in the empty cells beside it.
void draw_sharing(Canvas& canvas, const Grid& grid, int row, const Service& service) {
  const int words = service.first.words, others = std::popcount(service.lanes) - 1,
            end = service.first.bank + words;
  if (others == 0 || end > grid.banks) return;
  const bool right = end <= grid.banks / 2 + service.first.words;
  Rect free = right ? grid.cell(row, end, grid.banks - end) : grid.cell(row, 0, service.first.bank);
  free = inset(free, std::min(canvas.px(6), free.width / 4));
  free.y = grid.cell(row, 0).y;
  free.height = grid.cell_height;
  const std::string lanes = lanes_name(service.lanes);
  canvas.fitted_on(mixed(canvas.palette().line, canvas.palette().panel, 0.55f), free,
                   {tr_n(static_cast<std::uint64_t>(words), "{lanes} share one word",
                         "{lanes} share {n} words", "lanes"_a = lanes),
                    tr_n(static_cast<std::uint64_t>(others), "and {n} more lane", "and {n} more lanes")},
                   canvas.muted(kSmallSize, right ? Align::left : Align::right));
}

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
std::array<std::string, 2> more_wavefronts(const analysis::Unfolding& unfolding, const Grid& grid,
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
  GridRoom room;
  float tallest_cell;
  const Highlight& highlight;
  std::array<std::string, 3> base;  ///< base_in_words
  const std::optional<Counted>& counted;
  const Moment* beside;  ///< May be null
  const FoundHere& found;
};

/// Below the grid: lanes that were not let through, each at the bank that it wanted.
void draw_cut(Canvas& canvas, const Grid& grid, Rect below, const Unfolded& shown, std::uint32_t lanes) {
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
  if (lanes != 0xffffffffu) draw_half_name(canvas, cut_top(rest, canvas.px(kHeaderRow)), lanes, wavefronts);
  const Rect header_row = cut_top(rest, canvas.px(kHeaderRow));
  const bool needs_more =
      !is_for_hall(canvas) || (found.cut & lanes) != 0 || !rows_fit(canvas, room, rest.height);
  const Rect more = cut_bottom(rest, canvas.px(needs_more ? kMoreRow : 0));
  const Rect names = cut_left(rest, canvas.px(room.groups_named ? kGroupNames : 0));
  const Rect numbers = cut_left(rest, canvas.px(kBankNumbers));
  Grid grid = lay_out_grid(canvas, rest, room.rows, analysis::memory_rules_of(moment.cc).banks, tallest_cell);
  if (grid.rows == 0 || grid.cell_width <= 0) return;
  grid.wavefronts = wavefronts;
  canvas.fitted({numbers.x, header_row.y, numbers.width - canvas.px(5), header_row.height}, {tr("bank")},
                canvas.muted(kTinySize, Align::right));
  if (names.width > 0) {
    canvas.fitted({names.x, header_row.y, names.width, header_row.height},
                  {grid.banks == kWarpSize ? tr("lanes") : ""}, canvas.muted(kTinySize));
  }
  draw_header(canvas, {grid.box.x, header_row.y, grid.box.width, header_row.height}, grid);
  draw_empty_grid(canvas, grid, numbers);
  const int rows = std::min<int>(grid.rows, static_cast<int>(grid.wavefronts.size()));
  for (int row = 0; row < rows; ++row) {
    const int wavefront = grid.wavefronts[static_cast<std::size_t>(row)];
    const Rect line{numbers.x, grid.cell(row, 0).y, numbers.width + grid.box.width, grid.cell_height};
    canvas.region(line, {Target::Kind::wavefront, wavefront},
                  tr("Wavefront {number} of {count}", "number"_a = wavefront + 1,
                     "count"_a = unfolding.wavefronts.size()));
    const std::vector<Service> services = group(unfolding.wavefronts[static_cast<std::size_t>(wavefront)]);
    for (const Service& service : services)
      draw_service(canvas, grid, row, service, *moment.recording, highlight, found);
    if (services.size() == 1) draw_sharing(canvas, grid, row, services.front());
  }
  if (room.groups_named)
    draw_groups(canvas, grid, names, unfolding, analysis::lanes_per_group(access, moment.cc));
  Rect below{grid.box.x, grid.box.bottom(), grid.box.width, more.height};
  if (const auto left_out = more_wavefronts(unfolding, grid, rows); !left_out[0].empty()) {
    const std::optional<Rect> said = canvas.fitted(below, {left_out[0], left_out[1]}, canvas.muted());
    if (said) static_cast<void>(cut_left(below, said->width + canvas.px(17)));
  }
  const bool is_last = (lanes >> (kWarpSize - 1)) != 0;
  if ((found.cut & lanes) != 0) {
    draw_cut(canvas, grid, below, shown, lanes);
  } else if (is_last && !is_for_hall(canvas)) {
    canvas.fitted(below, {base[0], base[1], base[2]}, canvas.muted(kTinySize, Align::right));
  }
}

/// Where no row of the grid has room: the banks alone, in the colour of how many wavefronts each is busy for,
/// with that number.
void draw_banks_alone(Canvas& canvas, Rect box, const Unfolded& shown) {
  const int banks = analysis::memory_rules_of(shown.moment.cc).banks;
  const std::array<int, kMaxBanks> degrees = bank_degrees(shown.access, shown.moment.cc);
  box.height = std::min(box.height, canvas.px(kTallestCell));
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
  const float labels = kHeaderRow * static_cast<float>(shown.room.headers) + kMoreRow;
  if (rest.height < canvas.px(labels + kLowestCell)) return draw_banks_alone(canvas, rest, shown);
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
  const float headers = kHeaderRow * static_cast<float>(shown.room.headers) + kMoreRow;
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
          .idle = idle_lanes_in_words(*shown.moment.recording, shown.moment.warp,
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
  const bool for_the_grid = is_for_hall(canvas) && rows_fit(canvas, shown.room, grid) &&
                            !rows_fit(canvas, shown.room, grid - time - canvas.px(kAboveTime));
  if (size.height >= canvas.px(260) && has_time(*shown.moment.recording, shown.beside) && !for_the_grid) {
    draw_time(canvas, cut_bottom(rest, time), shown, event);
    static_cast<void>(cut_bottom(rest, canvas.px(kAboveTime)));
  }
  const Headline headline = headline_of(shown);
  draw_figure(canvas, cut_bottom(rest, figure_height(canvas, size.height)),
              {headline.figure, meaning_of(Term::wavefronts)}, headline.costly,
              {{headline.ideal, meaning_of(Term::ideal)},
               note_of(shown.counted),
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
  return wide && static_cast<float>(rows_wanted) * canvas.px(kTallestCell) > 0.4f * inside.height;
}

void draw_beside(Canvas& canvas, const Unfolded& shown, std::size_t event) {
  const bool hall = is_for_hall(canvas);
  Rect rest = canvas.inside();
  if (hall) rest = inset(rest, 0, -canvas.px(10));  // What is around it in the window is margin enough
  const float height = rest.height;
  draw_unfolding(canvas, cut_left(rest, rest.width * 0.54f), shown);
  static_cast<void>(cut_left(rest, canvas.px(hall ? 16 : 28)));
  const Headline headline = headline_of(shown);
  const float figure = hall ? height * kFigureInHall : figure_height(canvas, height * 1.4f);
  draw_figure(canvas, cut_top(rest, figure), {headline.figure, meaning_of(Term::wavefronts)}, headline.costly,
              {});
  const float size = std::clamp(height / canvas.px(1) * 0.026f, kSmallSize, 20.0f);
  const std::string counted = shown.counted ? " · " + shown.counted->words : std::string();
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
  GridRoom room = room_of(moment, kMaxRows);
  if (beside != nullptr) room = united(room, room_of(*beside, kMaxRows));
  const bool abreast = has_room_beside(canvas, room.rows) && has_time(*moment.recording, beside);
  const float tallest = std::max(kTallestCell, size.height / canvas.px(1) * 0.06f);
  const Unfolded shown{moment,
                       access,
                       unfolding,
                       room,
                       abreast ? kTallestBeside : tallest,
                       highlight,
                       base_in_words(moment, *event),
                       counted,
                       beside,
                       found};
  abreast ? draw_beside(canvas, shown, *event) : draw_stacked(canvas, size, shown, *event);
  return canvas.take();
}

}  // namespace warplens::picture
