// Global and local memory: which transactions one warp access makes. Sources of the rules: docs/memory_model.md.
#include <algorithm>
#include <cassert>
#include <limits>

#include "viz/analysis/access_rules.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr std::uint32_t kSectorBytes = 32, kLineBytes = 128;

std::uint64_t align_down(std::uint64_t address, std::uint32_t size) {
  return address & ~std::uint64_t{size - 1};
}
std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
  return (value + by - 1) / by;
}
std::uint64_t bytes_of(const WarpAccess& access) {
  return static_cast<std::uint64_t>(access.bytes);
}

/// Adds lanes to a piece formed since `first`, or forms a new one.
void add_piece(TransactionList& list, int first, const TransactionList::Piece& piece) {
  for (int i = list.size - 1; i >= first; --i) {
    auto& known = list.pieces[static_cast<std::size_t>(i)];
    if (known.address == piece.address && known.rank == piece.rank) {
      known.lanes |= piece.lanes;
      return;
    }
  }
  assert(list.size < TransactionList::kCapacity);
  list.pieces[static_cast<std::size_t>(list.size++)] = piece;
}

/// The distinct aligned segments of `size` bytes that `lanes` touch.
void list_segments(const WarpAccess& access, std::uint32_t lanes, std::uint32_t size, TransactionList& list) {
  const int first = list.size;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t begin = access.address[static_cast<std::size_t>(lane)];
    for (std::uint64_t segment = align_down(begin, size); segment < begin + bytes_of(access); segment += size) {
      add_piece(list, first, {segment, size, 1u << lane, 0});
    }
  });
  list.ideal += divide_up(static_cast<std::uint64_t>(std::popcount(lanes)) * bytes_of(access), size);
}

/// CC 2.x and 3.x take wide lanes in parts: half-warps for 8 bytes, quarter-warps for 16.
void list_segments_in_parts(const WarpAccess& access, std::uint32_t size, TransactionList& list) {
  const int part = access.bytes == 16 ? 8 : access.bytes == 8 ? 16 : 32;
  for (int lane = 0; lane < kWarpSize; lane += part) list_segments(access, access.mask & lane_range(lane, part), size, list);
}

/// Atomics: a sector is visited once for each lane on its most wanted word.
void list_atomics(const WarpAccess& access, TransactionList& list) {
  for_each_lane(access.mask, [&](int lane) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    for (std::uint64_t word = align_down(address, 4); word < address + bytes_of(access); word += 4) {
      std::uint32_t rank = 0;
      for_each_lane(access.mask & lane_range(0, lane), [&](int lower) {
        const std::uint64_t other = access.address[static_cast<std::size_t>(lower)];
        if (align_down(other, 4) <= word && word < other + bytes_of(access)) ++rank;
      });
      add_piece(list, 0, {align_down(word, kSectorBytes), kSectorBytes, 1u << lane, rank});
    }
  });
  list.ideal += divide_up(static_cast<std::uint64_t>(std::popcount(access.mask)) * bytes_of(access), kSectorBytes);
}

/// CC 1.2 and 1.3, one half-warp: the lowest lane's segment takes every lane in it, and shrinks to the half or quarter that is used.
void list_gathered(const WarpAccess& access, std::uint32_t lanes, TransactionList& list) {
  const std::uint32_t widest = access.bytes == 1 ? 32 : access.bytes == 2 ? 64 : 128;
  list.ideal += divide_up(static_cast<std::uint64_t>(std::popcount(lanes)) * bytes_of(access), widest);
  while (lanes != 0) {
    std::uint64_t segment = align_down(access.address[static_cast<std::size_t>(std::countr_zero(lanes))], widest);
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max(), high = 0;
    std::uint32_t members = 0;
    for_each_lane(lanes, [&](int lane) {
      const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
      if (align_down(address, widest) != segment) return;
      members |= 1u << lane;
      low = std::min(low, address);
      high = std::max(high, address + bytes_of(access));
    });
    std::uint32_t size = widest;
    for (std::uint32_t half = size / 2; half >= kSectorBytes; half /= 2) {
      if (low >= segment + half) {
        segment += half;
      } else if (high > segment + half) {
        break;
      }
      size = half;
    }
    add_piece(list, list.size, {segment, size, members, 0});
    lanes &= ~members;
  }
}

/// CC 1.0 and 1.1, one half-warp: lane k on element k of an aligned segment, or every lane by itself.
void list_strict(const WarpAccess& access, std::uint32_t lanes, TransactionList& list) {
  if (lanes == 0) return;
  const auto offset_of = [&](int lane) { return static_cast<std::uint64_t>(lane % 16) * bytes_of(access); };
  const int lowest = std::countr_zero(lanes);
  const std::uint64_t start = access.address[static_cast<std::size_t>(lowest)] - offset_of(lowest);
  const std::uint32_t segment = access.bytes == 4 ? 64 : 128;
  bool joined = access.bytes >= 4 && start % segment == 0;
  for_each_lane(lanes, [&](int lane) { joined = joined && access.address[static_cast<std::size_t>(lane)] == start + offset_of(lane); });

  if (!joined) {
    for_each_lane(lanes, [&](int lane) {
      add_piece(list, list.size, {align_down(access.address[static_cast<std::size_t>(lane)], kSectorBytes), kSectorBytes, 1u << lane, 0});
    });
  } else if (access.bytes < 16) {
    add_piece(list, list.size, {start, segment, lanes, 0});
  } else {  // Two segments are fetched whichever lanes are active
    const std::uint32_t first_eight = lanes & (0xffu | 0xffu << 16);
    add_piece(list, list.size, {start, segment, first_eight, 0});
    add_piece(list, list.size, {start + segment, segment, lanes & ~first_eight, 0});
  }
  const auto active = static_cast<std::uint64_t>(std::popcount(lanes));
  list.ideal += access.bytes < 4 ? active : access.bytes < 16 ? 1 : 2;
}

void list_global(const WarpAccess& access, ComputeCapability cc, TransactionList& list) {
  if (access.op == AccessOp::atomic || access.op == AccessOp::reduction) return list_atomics(access, list);
  if (cc.major >= 5) return list_segments(access, access.mask, kSectorBytes, list);
  if (cc.major == 3) return list_segments_in_parts(access, kSectorBytes, list);
  if (cc.major == 2) return list_segments_in_parts(access, access.bypass_l1 ? kSectorBytes : kLineBytes, list);
  for (const std::uint32_t half : {access.mask & 0x0000ffffu, access.mask & 0xffff0000u}) {
    cc.minor >= 2 ? list_gathered(access, half, list) : list_strict(access, half, list);
  }
}

}  // namespace

int storage_words(const WarpAccess& access) {
  return access.space == Space::local ? std::max(1, access.bytes / 4) : 1;
}

/// Word w of lane l lies at (w * 32 + l) * 4, so that the same index in all lanes is one line; a wide lane's words are taken one after the other.
WarpAccess in_storage(const WarpAccess& access, int word) {
  if (access.space != Space::local) return access;
  WarpAccess part = access;
  part.bytes = std::min(access.bytes, 4);
  for_each_lane(access.mask, [&](int lane) {
    std::uint64_t& address = part.address[static_cast<std::size_t>(lane)];
    address = ((address / 4 + static_cast<std::uint64_t>(word)) * kWarpSize + static_cast<std::uint64_t>(lane)) * 4 + address % 4;
  });
  return part;
}

void list_transactions(const WarpAccess& access, ComputeCapability cc, TransactionList& list) {
  if (access.space != Space::local) {
    list_global(access, cc, list);
    list.ideal = std::min(list.ideal, static_cast<std::uint64_t>(list.size));  // Lanes that share bytes need less than their bytes added up
    return;
  }

  WarpAccess same_index = access;
  same_index.address.fill(0);
  TransactionList ideal;
  for (int word = 0; word < storage_words(access); ++word) {
    list_global(in_storage(access, word), cc, list);
    list_global(in_storage(same_index, word), cc, ideal);
  }
  list.ideal = static_cast<std::uint64_t>(ideal.size);
}

}  // namespace warplens::analysis
