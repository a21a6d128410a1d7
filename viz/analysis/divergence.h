// Control divergence: which accesses are made by a part of a warp's lanes only, where in the kernel and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// One access of the kernel in one phase: of one warp, or of all warps of the counted blocks together.
struct PhaseLanes {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  ///< Active ones, added up over the requests
  std::uint64_t warps = 0;  ///< That make the access in this phase
  std::uint64_t divergent_warps =
      0;  ///< Of these: those that make it, at least once, with fewer lanes than the warp has threads

  /// Active lanes a request; 0 without requests.
  [[nodiscard]] double mean_lanes() const {
    return requests == 0 ? 0 : static_cast<double>(lanes) / static_cast<double>(requests);
  }
  friend bool operator==(const PhaseLanes&, const PhaseLanes&) = default;
};

/// An access as the source writes it: one line, space, operation, and the buffer or array that it touches.
/// The copies of an unrolled loop are one.
///
/// A *warp-phase* of it is a warp of the counted blocks and a phase in which some of these warps makes the
/// access. It is divergent if the warp makes the access then with a part of its threads. A warp of which no
/// thread makes it does not diverge, and counts among the warp-phases all the same.
struct AccessLanes {
  std::vector<std::uint32_t> sites;  ///< In PTX order; at least one
  std::string of;                    ///< "A", "as": what the first counted request touches; empty if unknown

  // Of all blocks that were run.
  std::uint64_t requests = 0, divergent_requests = 0, thread_accesses = 0;

  // Of the counted blocks.
  std::vector<PhaseLanes> by_phase;    ///< By phase of the recording
  std::uint64_t phases = 0;            ///< In which some warp makes the access
  std::uint64_t warp_phases = 0;       ///< Warps times `phases`
  std::uint64_t making = 0;            ///< Warp-phases in which the warp makes the access
  std::uint64_t divergent = 0;         ///< Warp-phases that diverge
  std::uint64_t divergent_phases = 0;  ///< Phases in which some warp diverges

  /// Active lanes a request, of all blocks that were run.
  [[nodiscard]] double mean_lanes() const {
    return requests == 0 ? 0 : static_cast<double>(thread_accesses) / static_cast<double>(requests);
  }
  friend bool operator==(const AccessLanes&, const AccessLanes&) = default;
};

/// Accesses times phases that are counted: two for each of the most phases that a recording has.
inline constexpr std::uint64_t kMaxLaneCounts = std::uint64_t{1} << 21;

struct Divergence {
  std::vector<AccessLanes> accesses;    ///< In PTX order; those without requests are left out
  std::vector<std::int32_t> access_of;  ///< By site: index into `accesses`; -1: left out
  std::uint64_t blocks = 0;  ///< That were counted by warps: the recorded ones, or more of the grid
  std::uint64_t warps = 0;   ///< Of these blocks
  bool too_many = false;     ///< More accesses times phases than kMostLaneCounts: then none of them is here
  friend bool operator==(const Divergence&, const Divergence&) = default;
  [[nodiscard]] bool empty() const { return accesses.empty(); }
  /// The access that a site belongs to. For an unknown site (~0u is one): the first load from global memory,
  /// else the first of all. Not if empty().
  [[nodiscard]] std::size_t access_or_first_load(const Recording& recording, std::uint32_t site) const;
};
/// Counts the divergence of the recorded blocks.
[[nodiscard]] Divergence divergence(const Recording& recording);

/// Counts the warps of more blocks than a recording has events of: block by block, or by those that stand for
/// others.
class LaneTotals {
 public:
  /// `launch`: what was recorded of it, with totals of all blocks that are added. It must outlive this.
  explicit LaneTotals(const Recording& launch);
  /// Adds the recorded blocks of another recording of the launch. Blocks are added in the order of the grid.
  void add(const Recording& recording);
  /// Adds `blocks` blocks, which behave as recording.event_blocks[event_block] does.
  void add(const Recording& recording, std::uint32_t event_block, std::uint64_t blocks);
  [[nodiscard]] Divergence counted() const;

 private:
  /// File, line, instruction where there is no line, space, operation, and what is touched.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Space, AccessOp, std::string>;
  [[nodiscard]] Key key_of(std::uint32_t index, const std::string& of) const;
  void add(const Recording& recording, EventRange events, std::uint64_t times);
  /// A site that was not met before takes its place among the accesses.
  void meet(std::uint32_t site, const std::string& of);

  const Recording& launch_;
  std::map<Key, std::size_t> known_;     ///< Index into accesses_
  std::vector<AccessLanes> accesses_;    ///< As they were met
  std::vector<std::int32_t> access_of_;  ///< By site of the launch: index into accesses_, or negative
  std::uint64_t blocks_ = 0;
  bool too_many_ = false;
};

/// One warp's part, by access and phase: [access][phase].
[[nodiscard]] std::vector<std::vector<PhaseLanes>> lanes_of_warp(const Recording& recording,
                                                                 const Divergence& divergence,
                                                                 std::uint32_t event_block,
                                                                 std::uint32_t warp);

/// The lanes of a warp that exist, as a mask: the last warp of a block may have fewer than 32 threads.
[[nodiscard]] std::uint32_t launched_lanes(const Recording& recording, std::uint32_t warp);

}  // namespace warplens::analysis
