#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/texts.h"
#include "viz/analysis/grid_sectors.h"
#include "viz/analysis/levels.h"
#include "viz/analysis/occupancy.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/memory_levels.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// A launch as one looks at it.
struct Looked {
  const picture::Moment& moment;
  const analysis::Results& results;
};

std::uint64_t blocks_a_wave(const Looked& at) {
  return at.results.occupancy.occupancy_on(at.moment.cc).blocks_a_wave;
}

std::string blocks_in_words(const Recording& recording) {
  if (recording.blocks_counted == recording.blocks_total)
    return tr_n(recording.blocks_total, "the only block", "all {n} blocks");
  return tr_n(recording.blocks_total, "{counted} of {n} block", "{counted} of {n} blocks",
              "counted"_a = picture::with_thousands(recording.blocks_counted));
}

analysis::Levels levels(const Looked& at) {
  return analysis::levels_of(at.results.report, at.results.sectors(), blocks_a_wave(at));
}

bool makes_accesses(const analysis::Results& results) {
  return std::ranges::any_of(results.report.by_site,
                             [](const analysis::Totals& totals) { return totals.requests != 0; });
}

bool is_drawn(const Looked& at) {
  return !(at.moment.cc < analysis::kFirstOfLevels) && makes_accesses(at.results);
}

picture::CountedLevels counted_levels(const analysis::Results& results) {
  picture::CountedLevels levels;
  const LaunchCounters* const counted = results.hardware.get();
  if (counted == nullptr) return levels;
  const auto bytes = [](const std::optional<std::uint64_t>& sectors) {
    return sectors ? std::optional(*sectors * analysis::kSectorBytes) : std::nullopt;
  };
  const bool loads_alone = results.report.local_load.requests + results.report.global_atomic.requests ==
                           0;  // They are what L1 is asked for
  if (loads_alone) levels.l1 = bytes(counted->global_load_sectors);
  levels.l2 = bytes(counted->sectors_from_l2);
  levels.dram = counted->dram_read_bytes;
  return levels;
}

picture::LevelsScene scene_of(const Looked& at) {
  const auto& [moment, results] = at;
  const Recording& recording = *moment.recording;
  picture::LevelsScene scene{
      .kernel = recording.kernel,
      .grid = levels(at),
      .blocks = blocks_in_words(recording),
      .why_no_bands = recording.blocks_counted == recording.blocks_total
                          ? tr("which sectors all blocks share was not counted")
                          : tr("not all blocks were run, so what they share is not known"),
      .blocks_a_wave = blocks_a_wave(at),
      .counted = counted_levels(results),
      .phase = std::nullopt,
      .phase_name = {}};
  if (moment.event_block < recording.event_blocks.size() && !recording.phases.empty()) {
    scene.phase = analysis::levels_of_phase(recording, moment.event_block, moment.phase, moment.cc);
    scene.phase_name = tr("{phase}, of {block}",
                          "phase"_a = analysis::phase_in_words(results.facts->phase_kinds, moment.phase),
                          "block"_a = moment.block_name());
  }
  return scene;
}

picture::Picture make_levels(const Subject& subject, picture::Size size, const picture::Style& style) {
  if (subject.moment.cc < analysis::kFirstOfLevels) {
    return picture::empty_picture(
        tr("Memory levels"), tr("Before compute capability 3.0, L1 did not ask for sectors of 32 bytes."),
        tr("Choose later rules."), size, style);
  }
  if (!makes_accesses(*subject.results))
    return picture::empty_picture(tr("Memory levels"), tr("This kernel makes no access to memory."),
                                  tr("Record one that does."), size, style);
  std::optional<picture::LevelsScene> beside;
  if (subject.beside && is_drawn({subject.beside->moment, *subject.beside->results})) {
    beside = scene_of({subject.beside->moment, *subject.beside->results});
  }
  return picture::make_memory_levels(scene_of({subject.moment, *subject.results}), size, style,
                                     beside ? &*beside : nullptr);
}

/// One row a level and direction: bytes, and where they are known the marks between.
std::string table_of_levels(const Subject& subject) {
  std::string table = "level,direction,least_bytes,most_bytes,once_a_block_bytes,once_a_wave_bytes\n";
  if (subject.moment.cc < analysis::kFirstOfLevels) return table;
  const analysis::Levels all = levels({subject.moment, *subject.results});
  const auto known = [](const std::optional<std::uint64_t>& bytes) {
    return bytes ? std::to_string(*bytes) : std::string();
  };
  const auto add = [&](const char* level, const char* direction,
                       const std::optional<analysis::LevelBand>& band) {
    if (!band) return;
    table += fmt::format("{},{},{},{},{},{}\n", level, direction, band->min, band->max,
                         known(band->once_a_block), known(band->once_a_wave));
  };
  const auto add_exact = [&](const char* level, std::uint64_t up, std::uint64_t down) {
    add(level, "up", analysis::LevelBand{.min = up, .max = up});
    add(level, "down", analysis::LevelBand{.min = down, .max = down});
  };
  add_exact("registers", all.shared_up + all.lanes_up, all.shared_down + all.lanes_down);
  add_exact("shared", all.shared_up, all.shared_down);
  add_exact("l1", all.l1_up, all.l1_down);
  add("l2", "up", all.l2_up);
  add("l2", "down", all.l2_down);
  add("dram", "up", all.dram_up);
  add("dram", "down", all.dram_down);
  return table;
}

const RegisterView kLevels{{.id = "levels",
                            .title = marked("Memory levels"),
                            .shows = marked("How many bytes DRAM, L2, L1 and shared memory hand on to the "
                                            "registers, and how much of it depends on caches"),
                            .place = Place::right_bottom,
                            .rank = 57,
                            .of_grid = true,
                            .make = make_levels,
                            .table = table_of_levels}};

}  // namespace
}  // namespace warplens::viz
