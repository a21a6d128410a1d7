#include <algorithm>

#include "viz/analysis/access_rules.h"
#include "viz/analysis/lanes.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

Unfolding unfold(const WarpAccess& access, ComputeCapability cc) {
  const MemoryRules& rules = memory_rules_of(cc);
  SharedSchedule schedule;
  schedule_shared(access, rules, schedule);
  Unfolding result;
  result.wavefronts.resize(static_cast<std::size_t>(schedule.wavefronts));
  result.ideal = schedule.ideal;
  result.conflicts = schedule.wavefronts - schedule.groups;
  result.waits.fill(-1);
  for (int i = 0; i < schedule.groups; ++i) {
    const auto& group = schedule.group[static_cast<std::size_t>(i)];
    const int end =
        i + 1 < schedule.groups ? schedule.group[static_cast<std::size_t>(i) + 1].first : schedule.wavefronts;
    result.groups.push_back({group.lanes, group.word, group.first, end - group.first});
  }

  for_each_lane(schedule.lanes, [&](int lane) {
    int& waits = result.waits[static_cast<std::size_t>(lane)];
    waits = 0;
    if (result.wavefronts.empty()) return;  // cp.async past the data stage: served, but by no wavefront
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    for (int index = 0; index < words_touched(address, access.bytes); ++index) {
      const int when = schedule.when[static_cast<std::size_t>(lane)][static_cast<std::size_t>(index)];
      waits = std::max(waits, when);
      auto& wavefront = result.wavefronts[static_cast<std::size_t>(when)];
      const std::uint64_t word = address / 4 + static_cast<std::uint64_t>(index);
      if (!wavefront.empty() && wavefront.back().lane == lane &&
          wavefront.back().word + static_cast<std::uint64_t>(wavefront.back().words) == word) {
        ++wavefront.back().words;
        continue;
      }
      const bool shared = std::any_of(wavefront.begin(), wavefront.end(),
                                      [&](const LaneService& lower) { return lower.word == word; });
      wavefront.push_back({lane, bank_of(word, access, rules), word, 1, shared});
    }
  });
  return result;
}

}  // namespace warplens::analysis
