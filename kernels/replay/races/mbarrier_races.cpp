// Races in shared memory where mbarriers order warps. SharedRaces gets loads and stores out of the access log
// whenever a warp synchronises, and what bulk copies and wgmma access when they are issued.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/races/access_log.h"

namespace warplens::replay {
namespace {

constexpr std::uint32_t kMaxShift = 2;

/// Returns whether warps may be ordered through global memory, which nothing here observes.
bool reads_global_strongly(const Program::Code& code) {
  const std::vector<AccessKind> kinds = kinds_of_accesses(code);
  return std::ranges::any_of(code.sites, [&](const Site& site) {
    return site.space != Space::shared && reads_strongly(kinds[site.instruction]);
  });
}

}  // namespace

void BlockRunner::make_shared_races() {
  const auto& instructions = code_.function.instructions;
  const bool has_mbarriers = std::ranges::any_of(
      instructions, [](const auto& i) { return ptx::effect_of(i) == ptx::Effect::mbarrier; });
  if (!code_.uses_async_proxy && !(has_mbarriers && job_.warps > 1)) return;
  if (reads_global_strongly(code_)) return;
  find_shared_access_traits();
  std::uint32_t shift = kMaxShift;
  for (const SharedAccessTraits& traits : shared_access_traits_) {
    if (traits.element != 0)
      shift = std::min(shift, static_cast<std::uint32_t>(std::countr_zero(traits.element)));
  }
  shared_races_ = std::make_unique<SharedRaces>(job_.shared_end, shift);
}

void BlockRunner::check_shared_accesses() {
  if (shared_races_ == nullptr) return;
  Order& order = as_raced_.warps;
  for_each_access(
      compared_until_, machine_.log.next, patterns_, code_.load_groups, [&](const Logged& logged) {
        const SharedAccessTraits& traits = shared_access_traits_[logged.instruction];
        if (traits.strong || traits.acquires) {  // It may be a flag that any warp has set
          order.acquire_all(machine_.warp);
          return;
        }
        std::uint32_t lanes = 0;
        SharedRaces::Found first;
        for_each_lane(logged.mask, [&](std::uint32_t l) {
          const SharedRaces::Place place{logged.instruction, machine_.warp, l};
          const SharedRaces::Found found =
              traits.stores ? shared_races_->store(order, place, logged.first_byte[l], traits.bytes)
                            : shared_races_->load(order, place, logged.first_byte[l], traits.bytes);
          if (!found || bulk_copies_.in_flight(found->first_byte, 1)) return;  // That is a finding of its own
          lanes |= 1u << l;
          if (!first) first = found;
        });
        if (lanes != 0) report_shared_conflict(found_access(logged, lanes, traits.bytes), lanes, *first);
      });
  compared_until_ = machine_.log.next;
}

void BlockRunner::report_proxy_conflict(const SharedRaces::Place& place, std::uint32_t address,
                                        const SharedRaces::Found& found) {
  if (!found) return;
  FoundAccess access = found_access(place.instruction, Space::shared, kBoxPieceBytes, 1u << place.lane);
  access.addresses.push_back(as_recorded(Space::shared, address));
  report_shared_conflict(std::move(access), 1u << place.lane, *found);
}

void BlockRunner::report_shared_conflict(FoundAccess access, std::uint32_t lanes,
                                         const SharedRaces::Conflict& conflict) {
  const ptx::Instruction &here = code_.function.instructions[access.instruction],
                         &there = code_.function.instructions[conflict.other.instruction];
  const std::uint64_t address = access.addresses.front();
  const std::uint32_t bytes = access.bytes;
  Finding finding = make_race(conflict.is_read_of_proxy ? FindingKind::async_copy : FindingKind::race,
                              machine_.warp, lanes, std::move(access),
                              {.instruction = conflict.other.instruction,
                               .block = block_,
                               .warp = conflict.other.warp,
                               .lane = conflict.other.lane,
                               .address = as_recorded(Space::shared, conflict.first_byte)});
  finding.text = fmt::format(fmt::runtime(conflict.is_read_of_proxy ? finding_texts::kOverwrittenEarly
                                                                    : finding_texts::kUnorderedWarps),
                             "op"_a = access_in_words(here), "bytes"_a = bytes,
                             "address"_a = fmt::format("0x{:x}", address), "warp"_a = machine_.warp,
                             "other_op"_a = access_in_words(there), "line"_a = finding.other_line,
                             "other_warp"_a = conflict.other.warp, "lane"_a = conflict.other.lane);
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
