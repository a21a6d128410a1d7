// What the hardware does with one warp's addresses: the rules, and where each comes from, are in
// docs/memory_model.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/device_models.h"

namespace warplens::analysis {

/// One warp access, as the rules see it. Addresses are meant to be multiples of the width, as the hardware
/// demands; others are costed too, by the words and sectors that they touch.
struct WarpAccess {
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  int bytes = 4;  ///< Per lane: 1, 2, 4, 8 or 16; ldmatrix, stmatrix: 16, a row
  int matrices =
      0;  ///< ldmatrix / stmatrix: 1, 2 or 4; lanes from 8 * matrices on name no row and do not count
  bool bypass_l1 = false;  ///< cp.async .cg; and global accesses under CC 2.x with the L1 cache switched off
  bool eight_byte_banks = false;  ///< CC 3.x only: the 8-byte bank mode, which a program has to ask for
  std::uint32_t mask = 0xffffffffu;
  std::array<std::uint64_t, kWarpSize> address{};  ///< By lane, inactive ones ignored. Shared: in the block's
                                                   ///< shared memory; local: in the lane's own
};
[[nodiscard]] WarpAccess make_access(const Site& site, const Shape& shape, std::uint32_t mask,
                                     std::uint64_t base);

/// An address that a pattern of this alignment may have had: high, so that lanes below the lowest active
/// one's address stay above 0.
[[nodiscard]] constexpr std::uint64_t pattern_base(std::uint32_t alignment) {
  return (std::uint64_t{1} << 48) + alignment;
}

/// Costs of one access. A mask of 0 costs nothing. Global and local memory fill sectors, ideal_sectors and
/// lines; shared memory wavefronts, ideal_wavefronts and bank_conflicts.
///   - sectors: transactions. Distinct 32-byte sectors from CC 5.0 on; before it what the rules of the time
///     move (32, 64 or 128 bytes each).
///   - ideal_sectors: the same lanes and width with perfect addresses, but no more than the actual: from
///     CC 5.0 on ceil(active lanes * width / 32).
///   - ideal_wavefronts: likewise; ceil(active lanes * width / 128) for loads and stores from CC 5.0 on, else
///     the lane groups that hold an active lane.
///   - bank_conflicts: wavefronts less the lane groups, after merging, that hold an active lane.
[[nodiscard]] AccessCost access_cost(const WarpAccess& access, ComputeCapability cc);

/// The form that replay::Options::pattern_cost wants. `alignment` is the lowest active lane's address modulo
/// kPatternAlignment; `cc` one of device_models(), as "9.0".
[[nodiscard]] AccessCost pattern_cost(const Site& site, const Shape& shape, std::uint32_t mask,
                                      std::uint32_t alignment, const std::string& cc);

/// A shared access unfolded into its wavefronts: which lane is served when, by which bank, and which lanes
/// ride along on another lane's word.
struct LaneService {
  int lane = 0;
  int bank = 0;            ///< Of the lane's first word
  std::uint64_t word = 0;  ///< Address / 4 of the lane's first word
  int words = 1;           ///< 4-byte words that this lane moves in this wavefront, from `word` on
  bool broadcast = false;  ///< Shares its word with a lower lane of the same wavefront: free
};
/// Lanes that the data stage takes together, after merging, and their wavefronts [first, first + count).
struct WavefrontGroup {
  std::uint32_t lanes = 0;  ///< The active ones
  int word = -1;  ///< CC 1.x, lanes wider than a word: which of their words, counted from 0; else -1
  int first = 0, count = 0;
};
struct Unfolding {
  /// As many as access_cost() counts, lanes ascending in each. Every active lane is served in exactly one,
  /// all its words at once; but for misaligned lanes and for wide lanes under CC 1.x, whose words can come in
  /// several. In one wavefront a bank gives one word to any number of lanes; on CC 3.x two.
  std::vector<std::vector<LaneService>> wavefronts;
  std::vector<WavefrontGroup> groups;  ///< Those that hold an active lane, in the order in which they pass
  int ideal = 0, conflicts = 0;
  std::array<int, kWarpSize>
      waits{};  ///< By lane: wavefronts that passed before its (last) word came; 0 for the first; -1 inactive
};
[[nodiscard]] Unfolding unfold(const WarpAccess& access, ComputeCapability cc);

/// How many lanes the data stage takes together where nothing merges groups: 32, 16 or 8.
[[nodiscard]] int lanes_per_group(const WarpAccess& access, ComputeCapability cc);

/// A global access as transactions: the pieces of memory moved, and who uses which bytes of them.
struct Transaction {
  std::uint64_t address = 0;  ///< Aligned. Local memory: in the interleaved storage, where word w of lane l
                              ///< lies at (w * 32 + l) * 4
  std::uint32_t bytes = 32;   ///< 32, 64 or 128, by the rules
  std::uint32_t lanes = 0;    ///< Who touches it
  std::uint32_t useful_bytes = 0;  ///< Distinct bytes touched
};
struct Coalescing {
  std::vector<Transaction> transactions;  ///< As many as access_cost().sectors; ascending addresses. An
                                          ///< atomic's sector comes once for each of its visits
  std::vector<std::uint64_t> lines;       ///< Distinct 128 B lines, ascending
  std::uint64_t ideal = 0, fetched_bytes = 0, useful_bytes = 0 /* distinct */,
                requested_bytes = 0 /* per lane */;
};
[[nodiscard]] Coalescing coalesce(const WarpAccess& access, ComputeCapability cc);

/// A global or local access where its bytes lie, with the addresses that Transaction and Coalescing::lines
/// have: itself, or for local memory an access for each word of a lane, in the interleaved storage.
[[nodiscard]] std::vector<WarpAccess> where_it_lies(const WarpAccess& access);

/// Lanes [first, first + count) whose transactions are formed together: the warp; before CC 5.0 its halves or
/// quarters, by the rules and the width. Each part makes the transactions that it would make if no other lane
/// were active.
struct LanePart {
  /// CC 1.0 and 1.1: why each active lane makes a transaction of its own.
  enum class Apart : std::uint8_t {
    no,           ///< It does not: the lanes join
    narrow,       ///< Lanes of less than 4 bytes never join
    misaligned,   ///< Lane k is k items behind the first, which does not start a segment of `segment` bytes
    out_of_place  ///< `lane`, the first of such, does not access the item of the segment that has its number
                  ///< in the half-warp
  };
  int first = 0, count = kWarpSize;
  std::uint32_t lanes = 0;  ///< The active ones
  Apart apart = Apart::no;
  int lane = 0;
  std::uint32_t segment = 0,
                past = 0;  ///< Bytes; misaligned: the first item lies `past` bytes behind a segment's start
};
/// The parts of an access to global or local memory, ascending, those without an active lane among them.
/// Atomics are taken whole.
[[nodiscard]] std::vector<LanePart> lane_parts(const WarpAccess& access, ComputeCapability cc);

}  // namespace warplens::analysis
