#include "viz/analysis/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "recording/sample.h"

namespace warplens::analysis {
namespace {

bool is_global_write(AccessOp op) {
  return op == AccessOp::store || op == AccessOp::atomic || op == AccessOp::reduction;
}

/// Whether the phase reads a word of shared memory.
bool is_read(const Recording& recording, std::uint32_t block, std::uint32_t phase, std::size_t word) {
  const EventRange events = events_of_block(recording, block);
  for (std::size_t event = events.begin; event < events.end; ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (recording.events.phase[event] != phase || site.space != Space::shared || site.op != AccessOp::load)
      continue;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((recording.events.mask[event] >> lane & 1u) == 0) continue;
      const std::uint64_t address = lane_address(recording, event, lane);
      if (address < 4 * (word + 1) && address + site.bytes > 4 * word) return true;
    }
  }
  return false;
}

/// The footprints of a phase from all of the block's accesses, lane by lane.
std::vector<BufferFootprint> counted_anew(const Recording& recording, std::uint32_t block,
                                          std::uint32_t phase, const std::vector<SharedWord>& shared) {
  std::vector<BufferFootprint> footprints(recording.buffers.size());
  std::vector<std::vector<float>> marks;
  for (std::size_t b = 0; b < footprints.size(); ++b) {
    footprints[b].rows = std::min(recording.buffers[b].rows, kMaxFootprintCells);
    footprints[b].columns =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(recording.buffers[b].columns, kMaxFootprintCells));
    marks.emplace_back(std::size_t{footprints[b].rows} * footprints[b].columns, Mark::untouched);
  }
  const auto mark = [&](std::size_t b, std::uint64_t row, std::uint64_t column, float strength) {
    const Buffer& buffer = recording.buffers[b];
    const BufferFootprint& footprint = footprints[b];
    float& cell = marks[b][row * footprint.rows / buffer.rows * footprint.columns +
                           column * footprint.columns / buffer.columns];
    if (std::isnan(cell) || strength > cell) cell = strength;
  };
  const EventRange events = events_of_block(recording, block);
  for (std::size_t event = events.begin; event < events.end; ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    const std::uint32_t when = recording.events.phase[event];
    const bool write = is_global_write(site.op);
    if (site.space != Space::global || (when > phase && !write)) continue;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((recording.events.mask[event] >> lane & 1u) == 0) continue;
      const std::uint64_t address = lane_address(recording, event, lane);
      const auto buffer = std::ranges::find_if(
          recording.buffers, [&](const Buffer& one) { return address - one.base < one.bytes; });
      if (buffer == recording.buffers.end()) continue;
      const auto b = static_cast<std::size_t>(buffer - recording.buffers.begin());
      const auto bytes = static_cast<std::uint64_t>(size_of(buffer->type));
      for (std::uint64_t element = (address - buffer->base) / bytes;
           element <= (address - buffer->base + site.bytes - 1) / bytes; ++element) {
        const std::uint64_t row = element / buffer->pitch, column = element % buffer->pitch;
        if (row >= buffer->rows || column >= buffer->columns) continue;
        mark(b, row, column, when == phase ? Mark::now : when < phase ? Mark::before : Mark::written_later);
        if (when == phase) (write ? footprints[b].written_now : footprints[b].read_now).include(row, column);
      }
    }
  }
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const SharedWord& word = shared[i];
    if (!word.from_global || !is_read(recording, block, phase, i)) continue;
    const Buffer& buffer = recording.buffers[word.source.buffer];
    for (std::uint64_t k = 0; k < word.elements; ++k) {
      const std::uint64_t element = word.source.row * buffer.pitch + word.source.column + k,
                          row = element / buffer.pitch, column = element % buffer.pitch;
      if (row >= buffer.rows || column >= buffer.columns) continue;  // Padding between rows
      mark(word.source.buffer, row, column, Mark::now);
      footprints[word.source.buffer].held_now.include(row, column);
    }
  }
  for (std::size_t b = 0; b < footprints.size(); ++b)
    footprints[b].marks = std::make_shared<const std::vector<float>>(marks[b]);
  return footprints;
}

bool same_words(const std::vector<SharedWord>& a, const std::vector<SharedWord>& b) {
  const auto fields = [](const SharedWord& word) {
    return std::tuple(word.written, word.from_global, word.source.buffer, word.source.row, word.source.column,
                      word.warp, word.lane, word.phase);
  };
  return std::ranges::equal(a, b, {}, fields, fields);
}

bool same_marks(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b,
                            [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void expect_as_counted_anew(PhaseFollower& follower, const Recording& recording, std::uint32_t block,
                            std::uint32_t phase) {
  SCOPED_TRACE(testing::Message() << "block " << block << ", phase " << phase);
  const auto state = follower.at(recording, block, phase);
  const std::vector<SharedWord> shared = shared_contents(recording, block, phase, true);
  EXPECT_TRUE(same_words(state->shared, shared));
  const std::vector<BufferFootprint> wanted = counted_anew(recording, block, phase, shared);
  ASSERT_EQ(state->footprints.size(), wanted.size());
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    const BufferFootprint &one = state->footprints[b], &other = wanted[b];
    EXPECT_EQ(one.rows, other.rows);
    EXPECT_EQ(one.columns, other.columns);
    EXPECT_TRUE(same_marks(*one.marks, *other.marks)) << recording.buffers[b].name;
    EXPECT_EQ(one.read_now, other.read_now);
    EXPECT_EQ(one.written_now, other.written_now);
    EXPECT_EQ(one.held_now, other.held_now);
  }
}

TEST(PhaseFollower, EqualsAllAccessesInEitherDirection) {
  for (const std::uint32_t size : {64u, 96u, 272u, 512u}) {
    SCOPED_TRACE(size);
    const Recording recording = sample::make({.tile = 16, .size = size, .event_blocks = 3});
    PhaseFollower follower;
    const auto phases = static_cast<std::uint32_t>(recording.phases.size());
    for (std::uint32_t phase = 0; phase < phases; phase += 1 + phases / 12)
      expect_as_counted_anew(follower, recording, 0, phase);
    for (std::uint32_t phase = phases; phase-- > phases - 5;)
      expect_as_counted_anew(follower, recording, 0, phase);
    std::mt19937 random(size);
    std::uint32_t block = 0;
    for (int i = 0; i < 15; ++i) {
      if (i % 9 == 0) block = static_cast<std::uint32_t>(random() % 3);
      expect_as_counted_anew(follower, recording, block, static_cast<std::uint32_t>(random() % phases));
    }
  }
}

constexpr std::uint32_t kPhases = 40;

/// Accesses to matrices that are no multiple of the cells, with padding between rows, and elements that are
/// written in several phases. `loops`: most of a warp's accesses by a site lie equally far from the last.
Recording scattered_recording(unsigned seed, bool loops) {
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  Recording recording;
  recording.grid = {1, 1, 1};
  recording.block = {64, 1, 1};
  recording.shared_bytes = 512;
  recording.event_blocks = {{0, 0, 0}};
  recording.buffers = {{"a", ElementType::f32, 0x100000, 301 * 400 * 4, 301, 387, 400},
                       {"b", ElementType::f64, 0x200000, 7 * 300 * 8, 7, 299, 300},
                       {"c", ElementType::u8, 0x300000, 1000, 1, 1000, 1000}};
  for (const AccessOp op : {AccessOp::load, AccessOp::store, AccessOp::atomic}) {
    for (const std::uint8_t bytes : {std::uint8_t{1}, std::uint8_t{4}, std::uint8_t{16}}) {
      recording.sites.push_back(
          {.instruction = static_cast<std::uint32_t>(recording.sites.size()), .op = op, .bytes = bytes});
    }
  }
  const auto first_shared = static_cast<std::uint32_t>(recording.sites.size());
  recording.sites.push_back(
      {.instruction = 20, .space = Space::shared, .op = AccessOp::store, .bytes = 4, .value_from = 1});
  recording.sites.push_back({.instruction = 21, .space = Space::shared, .op = AccessOp::load, .bytes = 4});
  for (const std::int64_t stride : {4, 16, 36, 1600, 0, 8}) {
    Shape& shape = recording.shapes.emplace_back();
    for (std::int64_t lane = 0; lane < kWarpSize; ++lane)
      shape[static_cast<std::size_t>(lane)] = lane * stride;
  }
  recording.phases.resize(kPhases);
  EventColumns& events = recording.events;
  struct Latest {
    std::uint64_t base = 0, step = 0;
    std::uint32_t mask = 0, shape = 0;
  };
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    std::vector<Latest> latest(recording.sites.size());
    for (std::uint32_t phase = 0, order = 0; phase < kPhases; ++phase) {
      for (std::uint32_t i = loops ? 30 : pick(4); i > 0; --i, ++order) {
        const std::uint32_t site = pick(static_cast<std::uint32_t>(recording.sites.size()));
        const bool shared = site >= first_shared;
        if (shared)
          ++(site == first_shared ? recording.phases[phase].shared_stores
                                  : recording.phases[phase].shared_loads);
        const Buffer& buffer = recording.buffers[pick(3)];
        events.site.push_back(site);
        events.block.push_back(0);
        events.warp.push_back(warp);
        events.phase.push_back(phase);
        events.order.push_back(order);
        Latest& here = latest[site];
        if (loops && here.mask != 0 && pick(12) != 0) {
          here.base += here.step;
        } else {
          constexpr std::array<std::uint64_t, 8> kSteps{0, 1, 4, 8, 16, 24, 64, 128};
          here = {.base = shared ? pick(96) * 4
                                 : buffer.base + pick(static_cast<std::uint32_t>(buffer.bytes)) / 16 * 16,
                  .step = shared ? 0 : kSteps.at(pick(8)),
                  .mask = loops && pick(3) != 0 ? ~0u : pick(~0u) | 1u,
                  .shape = shared ? 0 : pick(static_cast<std::uint32_t>(recording.shapes.size()))};
        }
        events.mask.push_back(here.mask);
        events.base.push_back(here.base);
        events.shape.push_back(here.shape);
      }
    }
  }
  return recording;
}

TEST(PhaseFollower, FindsWhatScatteredAccessesSay) {
  const Recording recording = scattered_recording(1, false);
  std::mt19937 random(1);
  PhaseFollower follower;
  for (std::uint32_t phase = 0; phase < kPhases; ++phase)
    expect_as_counted_anew(follower, recording, 0, phase);
  for (int i = 0; i < 60; ++i)
    expect_as_counted_anew(follower, recording, 0, static_cast<std::uint32_t>(random() % kPhases));
}

TEST(PhaseFollower, FindsWhatLoopsSay) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const Recording recording = scattered_recording(seed, true);
    PhaseFollower follower;
    for (std::uint32_t phase = 0; phase < kPhases; ++phase)
      expect_as_counted_anew(follower, recording, 0, phase);
  }
}

TEST(PhaseFollower, WorksAPhaseOutOnce) {
  const Recording recording = sample::make();
  PhaseFollower follower;
  const auto state = follower.at(recording, 0, 2);
  EXPECT_EQ(follower.at(recording, 0, 2), state);
  EXPECT_NE(follower.at(recording, 1, 2), state);
}

TEST(PhaseFollower, SharesWhatAPhaseLeavesAlone) {
  const Recording recording = sample::make();  // C is written in the last phase, number 4
  PhaseFollower follower;
  const auto first = follower.at(recording, 0, 0), second = follower.at(recording, 0, 1),
             last = follower.at(recording, 0, 4);
  EXPECT_EQ(first->footprints[2].marks, second->footprints[2].marks);
  EXPECT_NE(first->footprints[2].marks, last->footprints[2].marks);
  EXPECT_EQ(first->footprints[2].marks, follower.at(recording, 0, 3)->footprints[2].marks);
}

TEST(PhaseFollower, FindsWhatBlocksWrite) {
  const Recording recording = sample::make();
  PhaseFollower follower;
  for (const std::uint32_t block : {0u, 1u, 0u}) {
    for (std::uint32_t buffer = 0; buffer < recording.buffers.size(); ++buffer) {
      EXPECT_EQ(follower.written_by(recording, block, buffer), written_by(recording, block, buffer));
    }
  }
  EXPECT_EQ(follower.written_by(recording, 1, 2), (ElementBox{0, 32, 32, 64}));
  EXPECT_TRUE(follower.written_by(recording, 1, 0).empty());
}

}  // namespace
}  // namespace warplens::analysis
