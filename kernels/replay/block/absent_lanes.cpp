// Lanes that a mask names and that do not come. PTX ISA, "bar.warp.sync", "shfl.sync", "vote.sync" and
// others: a lane waits until all lanes of the mask that have not exited have executed the same with the same
// mask. Where in the code they do so is of no account: both sides of a branch may wait for each other. In
// lockstep one side comes first; so what it misses is remembered, and told once the others have gone by: they
// come to such an instruction together with those who waited, or the warp ends. A lane that leaves a branch
// or a loop only to exit counts as one that has exited.
//
// What a shuffle reads from a lane that takes no part in it is undefined, of lanes that have exited as well.
// Many a kernel reads such a value and makes no use of it. So it is no finding before a second run of the
// block, with another value in its place, has left other memory (undefined_shuffles).
#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"

namespace warplens::replay {
namespace {

/// An instruction's words without its operands.
std::string_view opcode_in(const ptx::Instruction& instruction) {
  const std::string_view text = instruction.text;
  return text.substr(0, text.find(' '));
}

}  // namespace

void check_presence(Machine& m, const Instr* i, std::uint32_t lanes, std::uint32_t mask) {
  m.runner->check_presence(i, lanes, mask);
}
void check_whole_warp(Machine& m, const Instr* i) {
  m.runner->check_whole_warp(i);
}
std::uint32_t read_absent_lanes(Machine& m, const Instr* i, std::uint32_t readers, std::uint32_t mask,
                                const std::uint32_t* source) {
  return m.runner->read_absent_lanes(i, readers, mask, source);
}

/// Lanes that are about to exit, or have: of the others each still has something to do.
std::uint32_t BlockRunner::lanes_that_leave() const {
  std::uint32_t lanes = machine_.gone | ~machine_.alive;
  for (std::uint32_t k = 0; k < machine_.depth; ++k) {
    const Suspended& side = machine_.stack[k];
    const bool is_where_all_meet = (side.mask & machine_.active) != 0;
    if (!is_where_all_meet && exits_at(code_, side.pc->index)) lanes |= side.mask;
  }
  return lanes;
}

void BlockRunner::check_presence(const Instr* i, std::uint32_t lanes, std::uint32_t mask) {
  std::vector<AwaitedLanes>& awaited = warps_[machine_.warp].awaited;
  const ptx::Instruction& instruction = code_.function.instructions[i->index];
  for (AwaitedLanes& earlier : awaited) {
    if (earlier.mask != mask ||
        opcode_in(code_.function.instructions[earlier.instruction]) != opcode_in(instruction))
      continue;
    const bool is_later = (lanes & earlier.came) != 0;  // Those who waited are here again
    if (is_later && (lanes & earlier.absent) != 0) {
      report_absent_lanes(earlier);
      earlier.absent = 0;
    } else if (!is_later) {
      earlier.absent &= ~lanes;
      earlier.came |= lanes;
      lanes |= earlier.came;  // All of these have met
    }
  }
  std::erase_if(awaited, [](const AwaitedLanes& one) { return one.absent == 0; });
  const std::uint32_t absent = mask & ~lanes & ~lanes_that_leave();
  const auto is_known = [&](const AwaitedLanes& one) {
    return one.instruction == i->index && one.mask == mask && one.absent == absent;
  };
  if (absent != 0 && std::ranges::none_of(awaited, is_known))
    awaited.push_back({i->index, mask, lanes, absent});
  machine_.awaits_lanes = !awaited.empty();
}

void BlockRunner::report_awaited(std::uint32_t w) {
  for (const AwaitedLanes& one : warps_[w].awaited) report_absent_lanes(one);
  warps_[w].awaited.clear();
}

void BlockRunner::report_absent_lanes(const AwaitedLanes& awaited) {
  const ptx::Instruction& instruction = code_.function.instructions[awaited.instruction];
  Finding finding = make_finding(FindingKind::absent_lanes, instruction, machine_.warp, awaited.absent);
  finding.text =
      fmt::format(finding_texts::kAbsent, "op"_a = opcode_in(instruction),
                  "lanes"_a = name_lanes(awaited.came), "warp"_a = machine_.warp,
                  "mask"_a = fmt::format("0x{:x}", awaited.mask), "missing"_a = name_lanes(awaited.absent));
  findings.add(linear_, std::move(finding));
}

/// PTX ISA, "mma" and others: undefined if a thread of the warp has exited.
void BlockRunner::check_whole_warp(const Instr* i) {
  constexpr std::uint32_t kAll = 0xffffffffu;
  if (machine_.alive != kAll) report_absent_lanes({i->index, kAll, machine_.active, ~machine_.alive});
  check_presence(i, machine_.active, kAll);
}

std::uint32_t BlockRunner::read_absent_lanes(const Instr* i, std::uint32_t readers, std::uint32_t mask,
                                             const std::uint32_t* source) {
  const ptx::Instruction& instruction = code_.function.instructions[i->index];
  const std::uint32_t may_come =
      instruction.sync ? mask & ~lanes_that_leave() : 0u;  // Of those check_presence sees to it
  std::uint32_t undefined = 0, sources = 0;
  for_each_lane(readers, [&](std::uint32_t l) {
    if ((may_come >> source[l] & 1) != 0) return;
    undefined |= 1u << l;
    sources |= 1u << source[l];
  });
  if (undefined == 0) return 0;
  if (job_.altered_shuffle) return *job_.altered_shuffle == i->index ? undefined : 0u;
  const auto [entry, is_new] = absent_reads.try_emplace(i->index);
  AbsentRead& read = entry->second;
  const std::uint64_t count = is_new ? 1 : read.finding.count + 1;
  if (is_new || linear_ < read.block) {
    read = {linear_, make_finding(FindingKind::absent_lanes, instruction, machine_.warp, undefined)};
    read.finding.text = fmt::format(finding_texts::kReadsAbsent, "op"_a = opcode_in(instruction),
                                    "lanes"_a = name_lanes(undefined), "warp"_a = machine_.warp,
                                    "missing"_a = name_lanes(sources));
  }
  read.finding.count = count;
  return 0;
}

}  // namespace warplens::replay
