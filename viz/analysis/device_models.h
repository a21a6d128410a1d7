// Compute capabilities, and the table of what the memory rules decide by them. The rules in words, and where
// each comes from: docs/memory_model.md.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::analysis {

inline constexpr std::uint32_t kSectorBytes = 32,
                               kLineBytes =
                                   128;  ///< Aligned pieces of global memory, on every NVIDIA GPU so far

/// A compute capability whose rules are known.
struct ComputeCapability {
  int major = 9, minor = 0;
  [[nodiscard]] std::string name() const;  ///< "9.0"
  friend bool operator==(const ComputeCapability&, const ComputeCapability&) = default;
  friend constexpr bool operator<(const ComputeCapability& a, const ComputeCapability& b) {
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
  }
};
struct DeviceModel {
  ComputeCapability cc;
  const char* architecture;  ///< "Hopper"
  const char* note;          ///< One sentence on its memory rules; to be shown by tr()
};
[[nodiscard]] const std::vector<DeviceModel>& device_models();  ///< Ascending
[[nodiscard]] Result<ComputeCapability> parse_compute_capability(std::string_view text);

/// A figure for each width of a lane.
struct ByWidth {
  std::array<std::uint8_t, 5> figures;  ///< Of lanes of 1, 2, 4, 8 and 16 bytes
  [[nodiscard]] constexpr std::uint32_t operator[](int bytes) const {
    return figures[std::clamp<std::size_t>(std::bit_width(static_cast<unsigned>(bytes)), 1, 5) - 1];
  }
};

/// How the lanes that are taken together form transactions with global memory.
enum class Joining : std::uint8_t {
  in_place,  ///< One transaction if lane k is on item k of an aligned segment, for all active lanes; else
             ///< each lane makes one by itself
  gathered,  ///< The segment of the lowest lane takes every lane in it and shrinks to what is used; repeated
             ///< with the lanes left
  segments,  ///< The distinct aligned segments that they touch
};

/// What lets two lanes of a group pass in one bank in the same wavefront.
enum class Sharing : std::uint8_t {
  row,            ///< Touching the same row of the bank: the same word, but for banks wider than a word
  none,           ///< Nothing: every lane costs a pass, even on the same word
  one_broadcast,  ///< Touching the one word that is broadcast in this pass
  same_address,   ///< Writing the same place, which only one of them does
};

/// What the memory rules decide by compute capability: a row of the table in device_models.cpp.
struct MemoryRules {
  ComputeCapability since;  ///< The row holds from it on, up to the next row's

  Joining joining;
  ByWidth lanes_joining;  ///< Lanes whose transactions with global memory are formed together
  ByWidth segment_bytes,
      past_l1_bytes;    ///< The widest transaction of lanes that join; the same of accesses past the L1 cache
  bool counts_sectors;  ///< Every transaction is a sector, and is called so

  std::uint32_t shared_base;  ///< The address at which a block's shared memory begins; what lies below is the
                              ///< system's. A multiple of 256
  int banks, bank_bytes;  ///< A power of two, at most 32; what a bank delivers in a pass: 4, or 8 in one of
                          ///< two modes
  int clocks_a_pass;      ///< Of the cores' clock: a pass through the shared-memory data stage is a wavefront
  ByWidth
      lane_groups;  ///< Lanes that the shared-memory data stage takes together where nothing merges groups
  Sharing shared_loads, shared_stores;
  bool word_by_word;    ///< The 4-byte words of a wide lane pass one after the other
  int min_of_widest;    ///< The fewest wavefronts of an access of 16 bytes a lane
  bool pair_rule;       ///< A wide load takes two lane groups at once where neighbours read the same
  bool ideal_by_bytes;  ///< The ideal of loads and stores: all banks busy until the bytes are through; else a
                        ///< wavefront for each lane group

  /// What all banks deliver in a pass.
  [[nodiscard]] constexpr int bytes_a_pass() const { return banks * bank_bytes; }
};
[[nodiscard]] std::span<const MemoryRules> memory_rule_table();  ///< Ascending
/// The row that holds; the last one for compute capabilities that are newer than any known.
[[nodiscard]] const MemoryRules& memory_rules_of(ComputeCapability cc);

}  // namespace warplens::analysis
