#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "kernels/recording/event_store.h"
#include "kernels/recording/file.h"
#include "kernels/recording/layout.h"
#include "kernels/recording/sections.h"
#include "kernels/recording/validate.h"

namespace warplens {
namespace {

template <class T, class Item>
void write_column(ByteWriter& writer, const std::vector<Item>& items, T Item::* field) {
  std::vector<T> column;
  column.reserve(items.size());
  for (const Item& item : items) column.push_back(item.*field);
  writer.column(std::span<const T>(column));
}

/// Lane by lane, each against the lane before it: what is affine in the lane becomes one number repeated.
void write_shapes(ByteWriter& writer, const std::vector<Shape>& shapes) {
  std::vector<std::uint64_t> steps;
  steps.reserve(shapes.size() * kWarpSize);
  for (const Shape& shape : shapes) {
    std::uint64_t before = 0;
    for (const std::int64_t offset : shape) {
      steps.push_back(zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) - before)));
      before = static_cast<std::uint64_t>(offset);
    }
  }
  writer.number(std::uint64_t{shapes.size()});
  writer.column(std::span<const std::uint64_t>(steps));
}

void write_totals(ByteWriter& writer, const std::vector<SiteTotals>& totals) {
  std::vector<PatternCount> patterns;
  layout::list(writer, totals);
  for (const SiteTotals& site : totals) {
    writer.number(std::uint64_t{site.patterns.size()});
    patterns.insert(patterns.end(), site.patterns.begin(), site.patterns.end());
  }
  write_column(writer, patterns, &PatternCount::shape);
  write_column(writer, patterns, &PatternCount::mask);
  write_column(writer, patterns, &PatternCount::alignment);
  write_column(writer, patterns, &PatternCount::count);
}

template <class Write>
void add_section(SectionWriter& file, std::string_view name, Write write) {
  ByteWriter content;
  write(content);
  file.add(name, content);
}

/// Returns the minimum size of a file with so many events and runs. Readers bound the memory that a file may
/// take by its size (max_cost), but the events of a regular kernel compress almost to nothing: such files are
/// padded.
std::uint64_t min_size(std::size_t events, std::size_t runs) {
  const std::uint64_t cost = events * kHeldEvent + runs * kHeldRun;
  return cost <= kCostOfAnyFile / 2 ? 0 : (kCostOfAnyFile + cost) / kCostOfAByte + 1;
}

}  // namespace

std::vector<std::byte> encode(const Recording& recording, Compression compression) {
  assert(validate(recording));
  const EventColumns& events = recording.events;
  SectionWriter file(compression);
  add_section(file, "launch", [&](ByteWriter& to) { layout::launch(to, recording); });
  add_section(file, "source", [&](ByteWriter& to) { layout::source(to, recording); });
  add_section(file, "origin", [&](ByteWriter& to) { layout::origin(to, recording); });
  add_section(file, "args", [&](ByteWriter& to) { layout::arguments(to, recording); });
  add_section(file, "followed", [&](ByteWriter& to) { layout::followed(to, recording); });
  add_section(file, "messages", [&](ByteWriter& to) { layout::messages(to, recording); });
  add_section(file, "ended", [&](ByteWriter& to) { layout::ended(to, recording); });
  add_section(file, "sites", [&](ByteWriter& to) { layout::list(to, recording.sites); });
  add_section(file, "shapes", [&](ByteWriter& to) { write_shapes(to, recording.shapes); });
  add_section(file, "totals", [&](ByteWriter& to) { write_totals(to, recording.totals); });
  add_section(file, "phases", [&](ByteWriter& to) { layout::list(to, recording.phases); });
  add_section(file, "findings", [&](ByteWriter& to) { layout::list(to, recording.findings); });
  add_section(file, "accessed", [&](ByteWriter& to) { layout::accessed(to, recording); });
  add_section(file, "waits", [&](ByteWriter& to) { layout::waits(to, recording); });
  add_section(file, "landings", [&](ByteWriter& to) { layout::landings(to, recording); });
  add_section(file, "tensor", [&](ByteWriter& to) { layout::tensor(to, recording); });
  add_section(file, "cluster", [&](ByteWriter& to) { layout::cluster(to, recording); });
  const std::vector<EventRun> runs = runs_of(events);
  add_section(file, "index", [&](ByteWriter& to) { write_runs(to, runs); });
  const std::uint64_t min = min_size(events.size(), runs.size());
  for (std::size_t begin = 0; begin < events.size(); begin += kEventsPerGroup) {
    ByteWriter group;
    write_group(group, events, {begin, std::min(begin + kEventsPerGroup, events.size())},
                recording.sites.size());
    file.add("events", group, file.size() < min ? Compression::none : compression);
  }
  return std::move(file).finish();
}

}  // namespace warplens
