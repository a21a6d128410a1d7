#include "viz/analysis/memory_rules.h"

#include <algorithm>
#include <cassert>

#include "viz/analysis/access_rules.h"

namespace warplens::analysis {
namespace {

/// Distinct lines of a list of transactions, none of which is wider than a line.
std::uint64_t count_lines(const TransactionList& list) {
  std::array<std::uint64_t, TransactionList::kCapacity> lines;
  std::size_t count = 0;
  std::uint64_t met = 0;  // A bit for many lines each: most of them are told to be new by it
  for (int i = 0; i < list.size; ++i) {
    const std::uint64_t line = list.pieces[static_cast<std::size_t>(i)].address / kLineBytes;
    if (count > 0 && lines[count - 1] == line) continue;
    const std::uint64_t bit = std::uint64_t{1} << ((line * 0x9e3779b97f4a7c15u) >> 58);
    if ((met & bit) == 0 || std::find(lines.data(), lines.data() + count, line) == lines.data() + count)
      lines[count++] = line;
    met |= bit;
  }
  return count;
}

}  // namespace

WarpAccess make_access(const Site& site, const Shape& shape, std::uint32_t mask, std::uint64_t base) {
  WarpAccess access;
  access.space = site.space;
  access.op = site.op;
  access.bytes = site.bytes;
  access.matrices = site.matrices;
  access.bypass_l1 = site.op == AccessOp::cp_async && (site.text.find("cp.async.cg") != std::string::npos ||
                                                       site.text.find(".BYPASS") != std::string::npos);
  access.mask = mask;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    access.address[lane] = base + static_cast<std::uint64_t>(shape[lane]);
  return access;
}

AccessCost access_cost(const WarpAccess& access, ComputeCapability cc) {
  AccessCost cost;
  if (access.mask == 0) return cost;
  if (access.space == Space::shared) {
    SharedSchedule schedule;
    schedule_shared(access, memory_rules_of(cc), schedule);
    cost.wavefronts = static_cast<std::uint64_t>(schedule.wavefronts);
    cost.ideal_wavefronts = static_cast<std::uint64_t>(schedule.ideal);
    cost.bank_conflicts = static_cast<std::uint64_t>(schedule.wavefronts - schedule.groups);
  } else {
    TransactionList list;
    list_transactions(access, memory_rules_of(cc), list);
    cost.sectors = static_cast<std::uint64_t>(list.size);
    cost.ideal_sectors = list.ideal;
    cost.lines = count_lines(list);
  }
  return cost;
}

AccessCost pattern_cost(const Site& site, const Shape& shape, std::uint32_t mask, std::uint32_t alignment,
                        const std::string& cc) {
  const Result<ComputeCapability> parsed = parse_compute_capability(cc);
  assert(parsed.ok());
  return access_cost(make_access(site, shape, mask, pattern_base(alignment)),
                     parsed.ok() ? *parsed : ComputeCapability{});
}

}  // namespace warplens::analysis
