// Global and local memory: which transactions one warp access makes. Sources of the rules:
// docs/memory_model.md.
#include <algorithm>
#include <cassert>
#include <limits>

#include "viz/analysis/access_rules.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr int kHalfWarp = 16;  // What Joining::in_place is stated for

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
    for (std::uint64_t segment = align_down(begin, size); segment < begin + bytes_of(access);
         segment += size) {
      add_piece(list, first, {segment, size, 1u << lane, 0});
    }
  });
  list.ideal += divide_up(static_cast<std::uint64_t>(std::popcount(lanes)) * bytes_of(access), size);
}

bool is_atomic(const WarpAccess& access) {
  return is_atomic(access.op);
}

/// Lanes whose transactions are formed together. The words of a local access are taken one after the other.
int lanes_together(const WarpAccess& access, const MemoryRules& rules) {
  if (is_atomic(access)) return kWarpSize;
  return static_cast<int>(
      rules.lanes_joining[access.space == Space::local ? std::min(access.bytes, 4) : access.bytes]);
}

/// The sectors that a warp's atomics touch.
class AtomicSectors {
 public:
  struct Sector {
    std::uint64_t address;
    std::array<std::uint8_t, kSectorBytes / 4> lanes_on_word;
    std::array<std::uint8_t, kWarpSize> piece_behind;  ///< By rank: one more than the piece's index; 0: none
  };
  Sector& operator[](std::uint64_t address) {
    std::size_t at = (address * 0x9e3779b97f4a7c15u) >> 57;
    while (behind_[at] != 0 && sectors_[behind_[at] - std::size_t{1}].address != address)
      at = (at + 1) % kPlaces;
    if (behind_[at] == 0) {
      sectors_[size_] = {address, {}, {}};
      behind_[at] = ++size_;
    }
    return sectors_[behind_[at] - std::size_t{1}];
  }

 private:
  static constexpr std::size_t kPlaces = 128, kCapacity = 2 * kWarpSize;  // A lane touches at most two
  std::array<std::uint8_t, kPlaces> behind_{};  // By place: one more than the sector's index; 0: free
  std::array<Sector, kCapacity> sectors_;       // The first `size_` are set
  std::uint8_t size_ = 0;
};

/// Atomics: a sector is visited once for each lane on its most wanted word.
void list_atomics(const WarpAccess& access, TransactionList& list) {
  AtomicSectors sectors;
  for_each_lane(access.mask, [&](int lane) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    for (std::uint64_t word = align_down(address, 4); word < address + bytes_of(access); word += 4) {
      AtomicSectors::Sector& sector = sectors[align_down(word, kSectorBytes)];
      const std::uint32_t rank = sector.lanes_on_word[word % kSectorBytes / 4]++;
      std::uint8_t& behind = sector.piece_behind[rank];
      if (behind == 0) {
        list.pieces[static_cast<std::size_t>(list.size++)] = {sector.address, kSectorBytes, 0, rank};
        behind = static_cast<std::uint8_t>(list.size);
      }
      list.pieces[behind - std::size_t{1}].lanes |= 1u << lane;
    }
  });
  list.ideal +=
      divide_up(static_cast<std::uint64_t>(std::popcount(access.mask)) * bytes_of(access), kSectorBytes);
}
static_assert(TransactionList::kCapacity < 256);

/// Joining::gathered: a segment shrinks to the half or quarter that is used.
void list_gathered(const WarpAccess& access, std::uint32_t lanes, std::uint32_t widest,
                   TransactionList& list) {
  list.ideal += divide_up(static_cast<std::uint64_t>(std::popcount(lanes)) * bytes_of(access), widest);
  while (lanes != 0) {
    std::uint64_t segment =
        align_down(access.address[static_cast<std::size_t>(std::countr_zero(lanes))], widest);
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

/// Joining::in_place, one half-warp: whether lane k is on item k of an aligned segment, and if not, why.
LanePart joined_in_place(const WarpAccess& access, std::uint32_t lanes, const MemoryRules& rules) {
  using Apart = LanePart::Apart;
  LanePart part{.lanes = lanes, .segment = rules.segment_bytes[access.bytes]};
  if (lanes == 0) return part;
  if (access.bytes < 4) {
    part.apart = Apart::narrow;
    return part;
  }
  const auto offset_of = [&](int lane) {
    return static_cast<std::uint64_t>(lane % kHalfWarp) * bytes_of(access);
  };
  const auto first_off = [&](std::uint64_t start) {
    int found = -1;
    for_each_lane(lanes, [&](int lane) {
      if (found < 0 && access.address[static_cast<std::size_t>(lane)] != start + offset_of(lane))
        found = lane;
    });
    return found;
  };
  const int lowest = std::countr_zero(lanes);
  const std::uint64_t address = access.address[static_cast<std::size_t>(lowest)],
                      start = address - offset_of(lowest);
  if (first_off(start) < 0) {
    part.past = static_cast<std::uint32_t>(start % part.segment);
    if (part.past != 0) part.apart = Apart::misaligned;
    return part;
  }
  part.apart = Apart::out_of_place;
  part.lane = first_off(align_down(address, part.segment) - align_down(offset_of(lowest), part.segment));
  return part;
}

/// Joining::in_place, one half-warp: an aligned segment, two for 16-byte lanes, or every lane by itself.
void list_in_place(const WarpAccess& access, std::uint32_t lanes, const MemoryRules& rules,
                   TransactionList& list) {
  if (lanes == 0) return;
  const LanePart part = joined_in_place(access, lanes, rules);
  if (part.apart != LanePart::Apart::no) {
    for_each_lane(lanes, [&](int lane) {
      add_piece(list, list.size,
                {align_down(access.address[static_cast<std::size_t>(lane)], kSectorBytes), kSectorBytes,
                 1u << lane, 0});
    });
  } else {
    const int lowest = std::countr_zero(lanes);
    const std::uint64_t start = access.address[static_cast<std::size_t>(lowest)] -
                                static_cast<std::uint64_t>(lowest % kHalfWarp) * bytes_of(access);
    if (access.bytes < 16) {
      add_piece(list, list.size, {start, part.segment, lanes, 0});
    } else {  // Two segments are fetched whichever lanes are active
      const std::uint32_t first_eight = lanes & (0xffu | 0xffu << 16);
      add_piece(list, list.size, {start, part.segment, first_eight, 0});
      add_piece(list, list.size, {start + part.segment, part.segment, lanes & ~first_eight, 0});
    }
  }
  const auto active = static_cast<std::uint64_t>(std::popcount(lanes));
  list.ideal += access.bytes < 4 ? active : access.bytes < 16 ? 1 : 2;
}

void list_global(const WarpAccess& access, const MemoryRules& rules, TransactionList& list) {
  if (is_atomic(access)) return list_atomics(access, list);
  const std::uint32_t segment = (access.bypass_l1 ? rules.past_l1_bytes : rules.segment_bytes)[access.bytes];
  const int together = lanes_together(access, rules);
  for (int lane = 0; lane < kWarpSize; lane += together) {
    const std::uint32_t lanes = access.mask & lane_range(lane, together);
    switch (rules.joining) {
      case Joining::in_place: list_in_place(access, lanes, rules, list); break;
      case Joining::gathered: list_gathered(access, lanes, segment, list); break;
      case Joining::segments: list_segments(access, lanes, segment, list); break;
    }
  }
}

}  // namespace

int storage_words(const WarpAccess& access) {
  return access.space == Space::local ? std::max(1, access.bytes / 4) : 1;
}

// Word w of lane l lies at (w * 32 + l) * 4, so that the same index in all lanes is one line; a wide lane's
// words are taken one after the other.
WarpAccess in_storage(const WarpAccess& access, int word) {
  if (access.space != Space::local) return access;
  WarpAccess part = access;
  part.bytes = std::min(access.bytes, 4);
  for_each_lane(access.mask, [&](int lane) {
    std::uint64_t& address = part.address[static_cast<std::size_t>(lane)];
    address =
        ((address / 4 + static_cast<std::uint64_t>(word)) * kWarpSize + static_cast<std::uint64_t>(lane)) *
            4 +
        address % 4;
  });
  return part;
}

std::vector<LanePart> lane_parts(const WarpAccess& access, ComputeCapability cc) {
  std::vector<LanePart> parts;
  const MemoryRules& rules = memory_rules_of(cc);
  const int together = lanes_together(access, rules);
  const bool in_place = rules.joining == Joining::in_place && !is_atomic(access);
  for (int lane = 0; lane < kWarpSize; lane += together) {
    LanePart part{.lanes = access.mask & lane_range(lane, together)};
    for (int word = 0; in_place && part.apart == LanePart::Apart::no && word < storage_words(access);
         ++word) {
      part = joined_in_place(in_storage(access, word), part.lanes, rules);
    }
    part.first = lane;
    part.count = together;
    parts.push_back(part);
  }
  return parts;
}

void list_transactions(const WarpAccess& access, const MemoryRules& rules, TransactionList& list) {
  if (access.space != Space::local) {
    list_global(access, rules, list);
    list.ideal = std::min(
        list.ideal,
        static_cast<std::uint64_t>(list.size));  // Lanes that share bytes need less than their bytes added up
    return;
  }

  WarpAccess same_index = access;
  same_index.address.fill(0);
  TransactionList ideal;
  for (int word = 0; word < storage_words(access); ++word) {
    list_global(in_storage(access, word), rules, list);
    list_global(in_storage(same_index, word), rules, ideal);
  }
  list.ideal = static_cast<std::uint64_t>(ideal.size);
}

}  // namespace warplens::analysis
