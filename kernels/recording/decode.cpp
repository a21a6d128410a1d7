
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/recording/event_store.h"
#include "kernels/recording/file.h"
#include "kernels/recording/layout.h"
#include "kernels/recording/sections.h"
#include "kernels/recording/validate.h"

namespace warplens {
namespace {

template <class T, class Item>
void read_column(ByteReader& reader, std::vector<Item>& items, T Item::* field) {
  std::vector<T> column(items.size());
  reader.column(std::span<T>(column));
  for (std::size_t i = 0; i < items.size(); ++i) items[i].*field = column[i];
}

void read_shapes(ByteReader& reader, std::vector<Shape>& shapes) {
  // The column is in memory twice while it is taken apart.
  shapes.resize(reader.count(sizeof(Shape), 2 * sizeof(Shape)));
  std::vector<std::uint64_t> steps(shapes.size() * kWarpSize);
  reader.column(std::span<std::uint64_t>(steps));
  auto step = steps.begin();
  for (Shape& shape : shapes) {
    std::uint64_t offset = 0;
    for (std::int64_t& of_lane : shape) {
      offset += static_cast<std::uint64_t>(unzigzag(*step++));
      of_lane = static_cast<std::int64_t>(offset);
    }
  }
}

void read_totals(ByteReader& reader, std::vector<SiteTotals>& totals) {
  // A pattern costs more than its memory: it is costed again and again, which takes time.
  static constexpr std::uint64_t kStoredEach = 20, kHeldEach = 640;
  layout::list(reader, totals);
  std::size_t count = 0;
  for (SiteTotals& site : totals) {
    site.patterns.resize(reader.count(kStoredEach, kHeldEach));
    count += site.patterns.size();
  }
  if (!reader.ok()) return;
  std::vector<PatternCount> patterns(count);
  read_column(reader, patterns, &PatternCount::shape);
  read_column(reader, patterns, &PatternCount::mask);
  read_column(reader, patterns, &PatternCount::alignment);
  read_column(reader, patterns, &PatternCount::count);
  auto next = patterns.begin();
  for (SiteTotals& site : totals) {
    const auto size = static_cast<std::ptrdiff_t>(site.patterns.size());
    std::copy(next, next + size, site.patterns.begin());
    next += size;
  }
}

/// Bytes of memory of a picture that shows every element of an array. In a matrix of more than `kMostCells` a
/// side, elements share cells.
std::uint64_t picture_bytes(const Buffer& buffer) {
  static constexpr std::uint64_t kMaxCells = 512, kEach = 32;
  return std::min<std::uint64_t>(buffer.rows, kMaxCells) * std::min(buffer.columns, kMaxCells) * kEach;
}
std::uint64_t picture_bytes(const SharedArray& array) {
  static constexpr std::uint64_t kEach = 8;
  return std::uint64_t{array.bytes} * kEach;
}

/// Appends the four stored columns of a part of a group.
void append(EventColumns& events, const EventColumns& group, EventRange part) {
  const auto copy = [&](auto EventColumns::* column) {
    const auto begin = (group.*column).begin();
    (events.*column)
        .insert((events.*column).end(), begin + static_cast<std::ptrdiff_t>(part.begin),
                begin + static_cast<std::ptrdiff_t>(part.end));
  };
  copy(&EventColumns::site);
  copy(&EventColumns::mask);
  copy(&EventColumns::shape);
  copy(&EventColumns::base);
}

/// Reads section after section into one recording. After the first error nothing more is read.
class Decoder {
 public:
  Decoder(std::span<const std::byte> bytes, std::uint64_t max_bytes, Checksums checksums)
      : budget_(std::min(max_bytes, max_cost(bytes.size()))), sections_(bytes, checksums, budget_) {}

  /// All events, or those of the block that is chosen.
  Result<Recording> decode(const ChooseBlock& only_block) {
    note(sections_.read_file_header());
    section("launch", [&](ByteReader& from) { layout::launch(from, recording_); });
    charge_pictures();
    section("source", [&](ByteReader& from) { layout::source(from, recording_); });
    if (sections_.minor() >= kOriginSince)
      section("origin", [&](ByteReader& from) { layout::origin(from, recording_); });
    if (sections_.minor() >= kArgumentsSince)
      section("args", [&](ByteReader& from) { layout::arguments(from, recording_); });
    if (sections_.minor() >= kFollowedSince)
      section("followed", [&](ByteReader& from) { layout::followed(from, recording_); });
    if (sections_.minor() >= kMessagesSince)
      section("messages", [&](ByteReader& from) { layout::messages(from, recording_); });
    if (sections_.minor() >= kEndedSince)
      section("ended", [&](ByteReader& from) { layout::ended(from, recording_); });
    section("sites", [&](ByteReader& from) { layout::list(from, recording_.sites); });
    section("shapes", [&](ByteReader& from) { read_shapes(from, recording_.shapes); });
    section("totals", [&](ByteReader& from) { read_totals(from, recording_.totals); });
    section("phases", [&](ByteReader& from) { layout::list(from, recording_.phases); });
    section("findings", [&](ByteReader& from) { layout::list(from, recording_.findings); });
    if (sections_.minor() >= kAccessedSince)
      section("accessed", [&](ByteReader& from) { layout::accessed(from, recording_); });
    if (sections_.minor() >= kWaitsSince)
      section("waits", [&](ByteReader& from) { layout::waits(from, recording_); });
    if (sections_.minor() >= kLandingsSince)
      section("landings", [&](ByteReader& from) { layout::landings(from, recording_); });
    if (sections_.minor() >= kTensorSince)
      section("tensor", [&](ByteReader& from) { layout::tensor(from, recording_); });
    if (sections_.minor() >= kClusterSince)
      section("cluster", [&](ByteReader& from) { layout::cluster(from, recording_); });
    section("index", [&](ByteReader& from) { runs_ = read_runs(from); });
    read_events(only_block);
    if (!error_) note(sections_.finish());
    if (!error_) note(validate(recording_));
    if (error_) return *error_;
    return std::move(recording_);
  }

 private:
  void note(const Result<Done>& result) {
    if (!result && !error_) error_ = result.error();
  }

  template <class Read>
  void section(std::string_view name, Read read) {
    if (error_) return;
    const Result<std::vector<std::byte>> content = sections_.read(name);
    if (!content) return note(content.error());
    ByteReader reader(*content, name, budget_);
    read(reader);
    note(reader.finish());
    budget_.give_back(content->size());
  }

  /// What the buffers and arrays of a file take to be drawn grows with what it says of them, not with what it
  /// holds of them.
  void charge_pictures() {
    if (error_) return;
    const auto fits = [&](const auto& shown) { return budget_.take(picture_bytes(shown), 1); };
    if (std::ranges::all_of(recording_.buffers, fits) && std::ranges::all_of(recording_.shared_arrays, fits))
      return;
    error_ = Error{tr("its {buffers} buffers and {arrays} shared arrays need more memory than is allowed",
                      "buffers"_a = recording_.buffers.size(), "arrays"_a = recording_.shared_arrays.size()),
                   tr("section `{section}`", "section"_a = "launch"), tr("Make the recording again")};
  }

  /// Keeps the runs of `only_block`, as block 0, and returns where its events lie among all of them.
  EventRange select(std::uint32_t only_block) {
    if (only_block >= recording_.event_blocks.size()) {
      error_ = Error{tr("holds events of {blocks} blocks, and no block {block} among them",
                        "blocks"_a = recording_.event_blocks.size(), "block"_a = only_block),
                     "", ""};
      return {};
    }
    const auto first = std::partition_point(runs_.begin(), runs_.end(),
                                            [&](const EventRun& run) { return run.block < only_block; });
    const auto last = std::partition_point(first, runs_.end(),
                                           [&](const EventRun& run) { return run.block == only_block; });
    const std::uint64_t begin = count_events({runs_.begin(), first}), count = count_events({first, last});
    runs_ = {first, last};
    for (EventRun& run : runs_) run.block = 0;
    recording_.event_blocks = {recording_.event_blocks[only_block]};
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(begin + count)};
  }

  void read_events(const ChooseBlock& only_block) {
    if (error_) return;
    const std::uint64_t total = count_events(runs_);
    if (total > sections_.max_content() / kGroupBytesPerEvent) {
      error_ = Error{
          tr("the index counts {events} events, more than the rest of the file can hold", "events"_a = total),
          tr("section `{section}`", "section"_a = "index"), tr("Make the recording again")};
      return;
    }
    const EventRange wanted =
        only_block ? select(only_block(recording_)) : EventRange{0, static_cast<std::size_t>(total)};
    if (error_) return;
    if (!budget_.take(wanted.size(), kHeldEvent) || !budget_.take(kEventsPerGroup, kGroupBytesPerEvent)) {
      error_ = Error{tr("its {events} events need more memory than is allowed", "events"_a = wanted.size()),
                     tr("section `{section}`", "section"_a = "index"), tr("Record fewer blocks")};
      return;
    }
    for (std::size_t begin = 0; begin < total && !error_; begin += kEventsPerGroup) {
      read_group_part({begin, std::min(begin + kEventsPerGroup, static_cast<std::size_t>(total))}, wanted);
    }
    if (!error_) expand_runs(runs_, recording_.events);
  }

  /// The part of a group that is wanted; passes over it if there is none.
  void read_group_part(EventRange group, EventRange wanted) {
    const EventRange part{std::max(group.begin, wanted.begin), std::min(group.end, wanted.end)};
    if (part.begin >= part.end) return note(sections_.skip("events"));
    section("events", [&](ByteReader& from) {
      const EventColumns events = read_group(from, group.size(), recording_.sites.size());
      if (from.ok()) append(recording_.events, events, {part.begin - group.begin, part.end - group.begin});
    });
  }

  Budget budget_;
  SectionReader sections_;
  Recording recording_;
  std::vector<EventRun> runs_;
  std::optional<Error> error_;
};

}  // namespace

Result<Recording> decode(std::span<const std::byte> bytes, std::uint64_t max_bytes, Checksums checksums) {
  return Decoder(bytes, max_bytes, checksums).decode({});
}

Result<Recording> decode_block(std::span<const std::byte> bytes, const ChooseBlock& choose,
                               std::uint64_t max_bytes, Checksums checksums) {
  return Decoder(bytes, max_bytes, checksums).decode(choose);
}

}  // namespace warplens
