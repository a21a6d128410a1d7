#include "viz/picture/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "viz/analysis/buffer_finder.h"

namespace warplens::picture {
namespace {

bool writes(AccessOp op) {
  return op == AccessOp::store || op == AccessOp::atomic || op == AccessOp::reduction;
}

/// Marks elements of one buffer by their byte address.
class Marker {
 public:
  Marker(const Buffer& buffer, BufferFootprint& footprint)
      : buffer_(buffer),
        footprint_(footprint),
        element_shift_(std::countr_zero(static_cast<std::uint64_t>(size_of(buffer.type)))),
        is_whole_(footprint.rows == buffer.rows && footprint.columns == buffer.columns) {}

  void mark(std::uint64_t address, std::uint64_t bytes, Mark mark, ElementBox* box) {
    const std::uint64_t first = (address - buffer_.base) >> element_shift_;
    const std::uint64_t last = (address - buffer_.base + bytes - 1) >> element_shift_;
    for (std::uint64_t element = first; element <= last; ++element) {
      const std::uint64_t pitch = std::max<std::uint64_t>(buffer_.pitch, 1);
      mark_element(element / pitch, element % pitch, mark, box);
    }
  }
  void mark_element(std::uint64_t row, std::uint64_t column, Mark mark, ElementBox* box) {
    if (row >= buffer_.rows || column >= buffer_.columns) return;  // Padding between rows
    const std::uint64_t at_row = is_whole_ ? row : row * footprint_.rows / buffer_.rows;
    const std::uint64_t cell = at_row * footprint_.columns + (is_whole_ ? column : column * footprint_.columns / buffer_.columns);
    footprint_.marks[cell] = std::max(footprint_.marks[cell], mark);
    if (box != nullptr) box->include(row, column);
  }

 private:
  const Buffer& buffer_;
  BufferFootprint& footprint_;
  int element_shift_;  ///< An element's bytes are a power of two
  bool is_whole_;      ///< A cell for each element: no division
};

void mark_event(const Moment& moment, std::size_t event, const analysis::BufferFinder& buffers, std::vector<Marker>& markers,
                std::vector<BufferFootprint>& footprints) {
  const Recording& recording = *moment.recording;
  const Site& site = moment.site_of(event);
  const bool write = writes(site.op);
  const std::uint32_t phase = recording.events.phase[event];
  if (site.space != Space::global || (phase > moment.phase && !write)) return;
  const Mark mark = phase == moment.phase ? Mark::now : phase < moment.phase ? Mark::before : Mark::written_later;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((recording.events.mask[event] >> lane & 1u) == 0) continue;
    const std::uint64_t address = lane_address(recording, event, lane);
    const Buffer* const buffer = buffers.at(address);
    if (buffer == nullptr) continue;
    const auto b = static_cast<std::size_t>(buffer - recording.buffers.data());
    ElementBox* box = mark != Mark::now ? nullptr : write ? &footprints[b].written_now : &footprints[b].read_now;
    markers[b].mark(address, site.bytes, mark, box);
  }
}

std::string range_name(std::uint64_t begin, std::uint64_t end) {
  return end == begin + 1 ? fmt::format("[{}]", begin) : fmt::format("[{}..{}]", begin, end - 1);
}

}  // namespace

void ElementBox::include(std::uint64_t row, std::uint64_t column) {
  row_begin = std::min(row_begin, row);
  row_end = std::max(row_end, row + 1);
  column_begin = std::min(column_begin, column);
  column_end = std::max(column_end, column + 1);
}

ElementBox BufferFootprint::now() const {
  ElementBox all = read_now;
  for (const ElementBox& box : {written_now, held_now}) {
    all.row_begin = std::min(all.row_begin, box.row_begin);
    all.row_end = std::max(all.row_end, box.row_end);
    all.column_begin = std::min(all.column_begin, box.column_begin);
    all.column_end = std::max(all.column_end, box.column_end);
  }
  return all;
}

std::string box_name(const Buffer& buffer, const ElementBox& box) {
  const std::string columns = range_name(box.column_begin, box.column_end);
  return buffer.rows <= 1 ? buffer.name + columns : buffer.name + range_name(box.row_begin, box.row_end) + columns;
}

std::vector<BufferFootprint> block_footprint(const Moment& moment, const std::vector<analysis::SharedWord>& shared, std::uint32_t most_cells) {
  const Recording& recording = *moment.recording;
  std::vector<BufferFootprint> footprints;
  std::vector<Marker> markers;
  footprints.reserve(recording.buffers.size());  // The markers keep references
  for (const Buffer& buffer : recording.buffers) {
    BufferFootprint& footprint = footprints.emplace_back();
    footprint.rows = std::min(buffer.rows, most_cells);
    footprint.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, most_cells));
    footprint.marks.assign(std::size_t{footprint.rows} * footprint.columns, Mark::untouched);
    markers.emplace_back(buffer, footprint);
  }
  const analysis::BufferFinder buffers(recording);
  const EventRange events = events_of_block(recording, moment.event_block);
  for (std::size_t event = events.begin; event < events.end; ++event) mark_event(moment, event, buffers, markers, footprints);
  // What only lies in shared memory is not of a phase that leaves it alone, as that which writes the result does.
  const PhaseTotals phase = moment.phase < recording.phases.size() ? recording.phases[moment.phase] : PhaseTotals();
  if (phase.shared_loads + phase.shared_stores + phase.other == 0) return footprints;
  for (const analysis::SharedWord& word : shared) {
    if (!word.from_global) continue;
    markers[word.source.buffer].mark_element(word.source.row, word.source.column, Mark::now, &footprints[word.source.buffer].held_now);
  }
  return footprints;
}

}  // namespace warplens::picture
