// What the hardware does with one warp's addresses: the rules, and where each comes from, are in docs/memory_model.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// A compute capability whose rules are known. Rules change by family; see docs/memory_model.md.
struct ComputeCapability {
  int major = 9, minor = 0;
  [[nodiscard]] std::string name() const;  ///< "9.0"
  friend bool operator==(const ComputeCapability&, const ComputeCapability&) = default;
};
struct DeviceModel {
  ComputeCapability cc;
  const char* architecture;  ///< "Hopper"
  const char* note;          ///< One sentence on its memory rules
};
[[nodiscard]] const std::vector<DeviceModel>& device_models();  ///< 1.0 .. 12.0, ascending
[[nodiscard]] Result<ComputeCapability> parse_compute_capability(std::string_view text);

/// One warp access, as the rules see it.
struct WarpAccess {
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  int bytes = 4;           ///< Per lane
  int matrices = 0;        ///< ldmatrix / stmatrix
  bool bypass_l1 = false;  ///< cp.async .cg
  std::uint32_t mask = 0xffffffffu;
  std::array<std::uint64_t, kWarpSize> address{};  ///< By lane; inactive lanes are ignored
};
[[nodiscard]] WarpAccess make_access(const Site& site, const Shape& shape, std::uint32_t mask, std::uint64_t base);

/// Costs of one access. A mask of 0 costs nothing.
[[nodiscard]] AccessCost judge(const WarpAccess& access, ComputeCapability cc);

/// The form that replay::Options::judge wants.
[[nodiscard]] AccessCost judge_pattern(const Site& site, const Shape& shape, std::uint32_t mask, std::uint32_t alignment, const std::string& cc);

/// A shared access unfolded into its wavefronts: which lane is served when, by which bank, and which lanes ride along on another lane's word.
struct LaneService {
  int lane = 0;
  int bank = 0;            ///< Of the lane's first word
  std::uint64_t word = 0;  ///< Address / 4 of the lane's first word
  int words = 1;           ///< 4-byte words that this lane moves in this wavefront, from `word` on
  bool broadcast = false;  ///< Shares its word with a lower lane of the same wavefront: free
};
struct Unfolding {
  std::vector<std::vector<LaneService>> wavefronts;  ///< As many as judge() counts
  int ideal = 1, conflicts = 0;
  std::array<int, kWarpSize> waits{};  ///< By lane: wavefronts that passed before its (last) word came; 0 for the first; -1 inactive
};
[[nodiscard]] Unfolding unfold(const WarpAccess& access, ComputeCapability cc);

/// A global access as transactions: the pieces of memory moved, and who uses which bytes of them.
struct Transaction {
  std::uint64_t address = 0;       ///< Aligned
  std::uint32_t bytes = 32;        ///< 32, 64 or 128, by the rules
  std::uint32_t lanes = 0;         ///< Who touches it
  std::uint32_t useful_bytes = 0;  ///< Distinct bytes touched
};
struct Coalescing {
  std::vector<Transaction> transactions;  ///< Ascending addresses
  std::vector<std::uint64_t> lines;       ///< Distinct 128 B lines, ascending
  std::uint64_t ideal = 0, fetched_bytes = 0, useful_bytes = 0 /* distinct */, requested_bytes = 0 /* per lane */;
};
[[nodiscard]] Coalescing coalesce(const WarpAccess& access, ComputeCapability cc);

}  // namespace warplens::analysis
