#include "viz/picture/bank_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {

std::vector<BankService> services_of(const std::vector<analysis::LaneService>& wavefront) {
  std::vector<BankService> services;
  for (const analysis::LaneService& lane : wavefront) {
    const auto known = std::ranges::find_if(services, [&](const BankService& service) {
      return service.first.bank == lane.bank && service.first.word == lane.word;
    });
    if (known == services.end()) {
      services.push_back({lane, 1u << lane.lane});
      continue;
    }
    known->lanes |= 1u << lane.lane;
    if (lane.lane < known->first.lane) known->first = lane;
  }
  std::ranges::sort(services, {}, [](const BankService& service) { return service.first.lane; });
  for (auto service = services.begin(); service != services.end(); ++service) {
    const auto same_bank = [&](const BankService& other) { return other.first.bank == service->first.bank; };
    service->part = static_cast<int>(std::count_if(services.begin(), service, same_bank));
    service->parts = static_cast<int>(std::ranges::count_if(services, same_bank));
  }
  return services;
}

std::vector<std::uint32_t> lanes_by_grid(analysis::ComputeCapability cc) {
  const int banks = analysis::memory_rules_of(cc).banks;
  std::vector<std::uint32_t> grids;
  for (int lane = 0; lane < kWarpSize; lane += banks) grids.push_back(analysis::lane_range(lane, banks));
  return grids;
}
namespace {

bool groups_share_a_grid(const Site& site, analysis::ComputeCapability cc) {
  const analysis::WarpAccess access = analysis::make_access(site, {}, 0, 0);
  return analysis::memory_rules_of(cc).word_by_word ? site.bytes > 4
                                                    : analysis::lanes_per_group(access, cc) < kWarpSize;
}

}  // namespace

BankGridRoom bank_grid_room(const Moment& moment, int enough) {
  const Recording& recording = *moment.recording;
  const std::vector<std::uint32_t> grids = lanes_by_grid(moment.cc);
  BankGridRoom room;
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
        max = std::max(max, analysis::access_cost(access, moment.cc).wavefronts);
      }
    }
  }
  room.rows = static_cast<int>(std::min(max, static_cast<std::uint64_t>(enough)));
  return room;
}

BankGridRoom united_room(const BankGridRoom& a, const BankGridRoom& b) {
  return {std::max(a.rows, b.rows), a.groups_named || b.groups_named, std::max(a.headers, b.headers)};
}

bool banks_are_for_hall(const Canvas& canvas) {
  return canvas.style().min_text > 0;
}
namespace {

float flattest_cell(const Canvas& canvas) {
  return canvas.px(banks_are_for_hall(canvas) ? kFlattestBankCellInHall : kFlattestBankCell);
}

}  // namespace

bool bank_rows_fit(const Canvas& canvas, const BankGridRoom& room, float height) {
  const float labels = canvas.px(kBankHeaderRow * static_cast<float>(room.headers) + kMoreWavefrontsRow);
  return (height - labels) / static_cast<float>(room.rows) >= flattest_cell(canvas);
}

BankGrid lay_out_bank_grid(const Canvas& canvas, Rect box, int rows_wanted, int banks, float tallest) {
  BankGrid grid{.box = box, .wavefronts = {}, .banks = banks};
  grid.cell_width = box.width / static_cast<float>(banks);
  const float even = box.height / static_cast<float>(std::max(1, rows_wanted));
  grid.cell_height =
      even < flattest_cell(canvas) ? canvas.px(kLowestBankCell) : std::min(even, canvas.px(tallest));
  grid.rows = std::clamp(static_cast<int>(box.height / grid.cell_height + 0.01f), 0, rows_wanted);
  grid.box.height = static_cast<float>(grid.rows) * grid.cell_height;
  return grid;
}
namespace {

/// Every `stride`-th of a row of `count` numbers fits; the first alone where no second one does.
int number_stride(const Canvas& canvas, float pitch, int count, const TextLook& look) {
  const float needed = canvas.width_of("00", look) + canvas.px(look.besides ? 0 : 4);
  int stride = 1;
  while (stride < count && pitch * static_cast<float>(stride) < needed) stride *= 2;
  return stride;
}

}  // namespace

void draw_bank_numbers(Canvas& canvas, Rect header, const BankGrid& grid) {
  TextLook look = canvas.muted(kTinySize, Align::centre);
  if (banks_are_for_hall(canvas)) {  // Each bank has its number, as large as fits
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

void draw_empty_bank_grid(Canvas& canvas, const BankGrid& grid, Rect numbers) {
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

void draw_lane_groups(Canvas& canvas, const BankGrid& grid, Rect names, const analysis::Unfolding& unfolding,
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
namespace {

/// Which lanes one bank serves, with which word.
std::string service_in_words(const BankService& service, AccessOp op, int wavefront,
                             const Recording& recording) {
  const std::uint64_t offset = service.first.word * 4;
  const std::string lanes = lanes_name(service.lanes, op), array = shared_array_name(recording, offset);
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

}  // namespace

void draw_service(Canvas& canvas, const BankGrid& grid, int row, const BankService& service,
                  const Recording& recording, const Highlight& highlight, const FoundHere& found) {
  const int lane = service.first.lane;
  const std::string tooltip =
      service_in_words(service, grid.op, grid.wavefronts[static_cast<std::size_t>(row)], recording);
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

void draw_sharing(Canvas& canvas, const BankGrid& grid, int row, const BankService& service) {
  const int words = service.first.words, others = std::popcount(service.lanes) - 1,
            end = service.first.bank + words;
  if (others == 0 || end > grid.banks) return;
  const bool right = end <= grid.banks / 2 + service.first.words;
  Rect free = right ? grid.cell(row, end, grid.banks - end) : grid.cell(row, 0, service.first.bank);
  free = inset(free, std::min(canvas.px(6), free.width / 4));
  free.y = grid.cell(row, 0).y;
  free.height = grid.cell_height;
  const std::string lanes = lanes_name(service.lanes, grid.op);
  canvas.fitted_on(mixed(canvas.palette().line, canvas.palette().panel, 0.55f), free,
                   {tr_n(static_cast<std::uint64_t>(words), "{lanes} share one word",
                         "{lanes} share {n} words", "lanes"_a = lanes),
                    tr_n(static_cast<std::uint64_t>(others), "and {n} more lane", "and {n} more lanes")},
                   canvas.muted(kSmallSize, right ? Align::left : Align::right));
}

}  // namespace warplens::picture
