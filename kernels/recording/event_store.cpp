#include "kernels/recording/event_store.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

/// The access that every site counts as having made before its first event of a group.
struct Previous {
  std::uint32_t mask = 0xffffffff;
  std::uint32_t shape = 0;
  std::uint64_t base = 0;
};

template <class T>
void write_deltas(ByteWriter& writer, const std::vector<EventRun>& runs, T EventRun::* field) {
  std::vector<T> deltas;
  deltas.reserve(runs.size());
  T before = 0;
  for (const EventRun& run : runs) {
    deltas.push_back(run.*field - before);
    before = run.*field;
  }
  writer.column(std::span<const T>(deltas));
}

template <class T>
void read_deltas(ByteReader& reader, std::vector<EventRun>& runs, T EventRun::* field) {
  std::vector<T> deltas(runs.size());
  reader.column(std::span<T>(deltas));
  T value = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    value += deltas[i];
    runs[i].*field = value;
  }
}

auto place(const EventRun& run) {
  return std::tie(run.block, run.warp, run.phase);
}

void check_runs(ByteReader& reader, const std::vector<EventRun>& runs) {
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].count == 0) return reader.fail(tr("run {run} of the index is empty", "run"_a = i));
    if (i > 0 && place(runs[i]) <= place(runs[i - 1]))
      return reader.fail(tr("run {run} of the index is out of order", "run"_a = i));
    events += runs[i].count;
    if (events < runs[i].count) return reader.fail(tr("the index counts more events than there can be"));
  }
}

}  // namespace

std::vector<EventRun> runs_of(const EventColumns& events) {
  std::vector<EventRun> runs;
  for (std::size_t event = 0; event < events.size(); ++event) {
    const EventRun run{events.block[event], events.warp[event], events.phase[event], 1};
    if (!runs.empty() && place(runs.back()) == place(run)) {
      ++runs.back().count;
    } else {
      runs.push_back(run);
    }
  }
  return runs;
}

void write_runs(ByteWriter& writer, const std::vector<EventRun>& runs) {
  writer.number(std::uint64_t{runs.size()});
  write_deltas(writer, runs, &EventRun::block);
  write_deltas(writer, runs, &EventRun::warp);
  write_deltas(writer, runs, &EventRun::phase);
  write_deltas(writer, runs, &EventRun::count);
}

std::vector<EventRun> read_runs(ByteReader& reader) {
  static constexpr std::uint64_t kStoredEach = 20, kHeldEach = sizeof(EventRun) + sizeof(EventRun::count);
  std::vector<EventRun> runs(reader.count(kStoredEach, kHeldEach));
  read_deltas(reader, runs, &EventRun::block);
  read_deltas(reader, runs, &EventRun::warp);
  read_deltas(reader, runs, &EventRun::phase);
  read_deltas(reader, runs, &EventRun::count);
  check_runs(reader, runs);
  return runs;
}

std::uint64_t count_events(std::span<const EventRun> runs) {
  std::uint64_t count = 0;
  for (const EventRun& run : runs) count += run.count;
  return count;
}

void write_group(ByteWriter& writer, const EventColumns& events, EventRange range, std::size_t sites) {
  std::vector<Previous> previous(sites);
  std::vector<std::uint32_t> masks, shapes;
  std::vector<std::uint64_t> bases;
  for (std::size_t event = range.begin; event < range.end; ++event) {
    Previous& before = previous[events.site[event]];
    masks.push_back(events.mask[event] ^ before.mask);
    shapes.push_back(events.shape[event] ^ before.shape);
    bases.push_back(zigzag(static_cast<std::int64_t>(events.base[event] - before.base)));
    before = {events.mask[event], events.shape[event], events.base[event]};
  }
  writer.column(std::span<const std::uint32_t>(events.site).subspan(range.begin, range.size()));
  writer.column(std::span<const std::uint32_t>(masks));
  writer.column(std::span<const std::uint32_t>(shapes));
  writer.column(std::span<const std::uint64_t>(bases));
}

EventColumns read_group(ByteReader& reader, std::size_t count, std::size_t sites) {
  EventColumns events;
  const auto read = [&]<class T>(std::vector<T>& column) {
    column.resize(count);
    reader.column(std::span<T>(column));
  };
  read(events.site);
  read(events.mask);
  read(events.shape);
  read(events.base);

  std::vector<Previous> previous(sites);
  for (std::size_t event = 0; event < count; ++event) {
    const std::uint32_t site = events.site[event];
    if (site >= sites) {
      reader.fail(tr("event {event} of the group names site {site} of {sites}", "event"_a = event,
                     "site"_a = site, "sites"_a = sites));
      break;
    }
    Previous& before = previous[site];
    before.mask ^= events.mask[event];
    before.shape ^= events.shape[event];
    before.base += static_cast<std::uint64_t>(unzigzag(events.base[event]));
    events.mask[event] = before.mask;
    events.shape[event] = before.shape;
    events.base[event] = before.base;
  }
  return events;
}

void expand_runs(std::span<const EventRun> runs, EventColumns& events) {
  const auto count = static_cast<std::size_t>(count_events(runs));
  for (auto* column : {&events.block, &events.warp, &events.phase, &events.order}) column->reserve(count);
  for (const EventRun& run : runs) {
    const bool same_warp =
        !events.block.empty() && events.block.back() == run.block && events.warp.back() == run.warp;
    const std::uint32_t first = same_warp ? events.order.back() + 1 : 0;
    events.block.insert(events.block.end(), run.count, run.block);
    events.warp.insert(events.warp.end(), run.count, run.warp);
    events.phase.insert(events.phase.end(), run.count, run.phase);
    for (std::uint64_t i = 0; i < run.count; ++i)
      events.order.push_back(first + static_cast<std::uint32_t>(i));
  }
}

}  // namespace warplens
