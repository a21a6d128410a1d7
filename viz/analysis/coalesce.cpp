#include <algorithm>

#include "viz/analysis/access_rules.h"
#include "viz/analysis/lanes.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {
namespace {

/// Bytes [begin, end) that one lane touches.
struct LaneBytes {
  std::uint64_t begin, end;
  int lane;
};

std::vector<LaneBytes> bytes_touched(const WarpAccess& access) {
  std::vector<LaneBytes> touched;
  for (const WarpAccess& part : where_it_lies(access)) {
    for_each_lane(part.mask, [&](int lane) {
      const std::uint64_t begin = part.address[static_cast<std::size_t>(lane)];
      touched.push_back({begin, begin + static_cast<std::uint64_t>(part.bytes), lane});
    });
  }
  std::sort(touched.begin(), touched.end(),
            [](const LaneBytes& a, const LaneBytes& b) { return a.begin < b.begin; });
  return touched;
}

/// Distinct bytes of [begin, end) that `lanes` touch; `touched` ascending.
std::uint64_t distinct_bytes(const std::vector<LaneBytes>& touched, std::uint32_t lanes, std::uint64_t begin,
                             std::uint64_t end) {
  std::uint64_t sum = 0, counted_to = begin;
  for (const LaneBytes& bytes : touched) {
    if ((lanes >> bytes.lane & 1u) == 0) continue;
    const std::uint64_t from = std::max(bytes.begin, counted_to), to = std::min(bytes.end, end);
    if (from >= to) continue;
    sum += to - from;
    counted_to = to;
  }
  return sum;
}

}  // namespace

Coalescing coalesce(const WarpAccess& access, ComputeCapability cc) {
  Coalescing result;
  TransactionList list;
  list_transactions(access, memory_rules_of(cc), list);
  const std::vector<LaneBytes> touched = bytes_touched(access);
  for (int i = 0; i < list.size; ++i) {
    const auto& piece = list.pieces[static_cast<std::size_t>(i)];
    const std::uint64_t useful =
        distinct_bytes(touched, piece.lanes, piece.address, piece.address + piece.bytes);
    result.transactions.push_back(
        {piece.address, piece.bytes, piece.lanes, static_cast<std::uint32_t>(useful)});
    result.lines.push_back(piece.address / kLineBytes * kLineBytes);
    result.fetched_bytes += piece.bytes;
  }
  std::stable_sort(result.transactions.begin(), result.transactions.end(),
                   [](const Transaction& a, const Transaction& b) { return a.address < b.address; });
  std::sort(result.lines.begin(), result.lines.end());
  result.lines.erase(std::unique(result.lines.begin(), result.lines.end()), result.lines.end());

  result.ideal = list.ideal;
  result.useful_bytes =
      touched.empty() ? 0 : distinct_bytes(touched, access.mask, touched.front().begin, ~std::uint64_t{0});
  for (const LaneBytes& bytes : touched) result.requested_bytes += bytes.end - bytes.begin;
  return result;
}

std::vector<WarpAccess> where_it_lies(const WarpAccess& access) {
  std::vector<WarpAccess> parts;
  for (int word = 0; word < storage_words(access); ++word) parts.push_back(in_storage(access, word));
  return parts;
}

}  // namespace warplens::analysis
