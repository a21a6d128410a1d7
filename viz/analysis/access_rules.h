// The two halves of the memory rules, private to this component: memory_rules.h is the way in.
#pragma once

#include <array>
#include <cstdint>

#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// Transactions of one warp access to global or local memory, in the order in which the rules form them.
struct TransactionList {
  struct Piece {
    std::uint64_t address;  ///< Aligned to `bytes`
    std::uint32_t bytes;
    std::uint32_t lanes;
    std::uint32_t rank;  ///< Atomics: the how-manieth lane on its word this piece serves; else 0
  };
  static constexpr int kCapacity = 5 * kWarpSize;  ///< A lane of 16 B touches at most 5 words

  std::array<Piece, kCapacity> pieces;  ///< The first `size` are set
  int size = 0;
  std::uint64_t ideal = 0;
};
void list_transactions(const WarpAccess& access, const MemoryRules& rules, TransactionList& list);

/// Where a word of a local access lies in the interleaved storage behind local memory, as an access of 4
/// bytes a lane or less: word 0 alone, but for lanes wider than a word. Any other access as it is.
[[nodiscard]] int storage_words(const WarpAccess& access);
[[nodiscard]] WarpAccess in_storage(const WarpAccess& access, int word);

/// When each 4-byte word of each lane passes the shared-memory data stage.
struct SharedSchedule {
  static constexpr int kMaxWords = 5;  ///< Of one lane: 4, and one more if misaligned
  std::uint32_t lanes = 0;             ///< Active lanes whose addresses count
  std::array<std::array<std::uint8_t, kMaxWords>, kWarpSize>
      when;  ///< By lane and word; set for `lanes` only
  int wavefronts = 0;

  struct Group {
    std::uint32_t lanes;
    std::int8_t word;  ///< See WavefrontGroup
    std::uint8_t first;
  };
  static constexpr int kMaxGroups = 8;
  int groups = 0;                       ///< Lane groups, as the rules merged them, that hold an active lane
  std::array<Group, kMaxGroups> group;  ///< The first `groups` are set
  int ideal = 0;                        ///< Wavefronts with perfect addresses
};
void schedule_shared(const WarpAccess& access, const MemoryRules& rules, SharedSchedule& schedule);

/// Number of 4-byte words that a lane touches from `address` on.
[[nodiscard]] inline int words_touched(std::uint64_t address, int bytes) {
  return static_cast<int>((address + static_cast<std::uint64_t>(bytes) - 1) / 4 - address / 4) + 1;
}
[[nodiscard]] int bank_of(std::uint64_t word, const WarpAccess& access, const MemoryRules& rules);

}  // namespace warplens::analysis
