// What the recordings of every engine have in common: the checks of a launch, and all that is known before it
// runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

struct Outline {
  std::vector<std::uint64_t> blocks;  ///< To replay: linear indices, ascending; empty for the whole grid
  std::vector<std::uint64_t> event_blocks;  ///< The same, of those whose events are kept
  std::uint64_t count = 0;                  ///< Blocks to replay
  std::uint32_t shared_bytes = 0;           ///< Static and dynamic, a block
  std::uint32_t warps = 0;                  ///< A block
  Dim3 cluster{1, 1, 1};                    ///< Blocks of a cluster
};
[[nodiscard]] Result<Outline> outline(const Program::Code& code, const Launch& launch,
                                      const Options& options);

/// Lays the arguments out as the kernel expects its parameters; buffers are where `buffer_bases` says.
[[nodiscard]] std::optional<Error> pass_arguments(const Program::Code& code, const Launch& launch,
                                                  const std::vector<std::uint64_t>& buffer_bases,
                                                  std::vector<std::byte>& parameters);

/// Describes a launch without totals, phases, events and findings.
[[nodiscard]] Recording describe_launch(const Program::Code& code, const Launch& launch, const Memory& memory,
                                        const Outline& outline, const Options& options);

/// Requests of a phase, by PhaseColumn.
using PhaseRow = std::array<std::uint64_t, kPhaseColumns>;
/// Phases behind the last that holds anything are left out.
void set_phases(Recording& recording, const std::vector<PhaseRow>& rows);

/// Polls of loops that wait, which no total counts, by the PTX instruction of the loop's header.
using Polls = std::map<std::uint32_t, std::uint64_t>;
void set_waiting_loops(Recording& recording, const Program::Code& code, const Polls& polls);

/// Removes sites of generic accesses that never met their space, and tensor-core instructions that were not
/// executed.
void drop_unexecuted(Recording& recording, const std::vector<bool>& generic);

/// Returns the clusters that some of these blocks belong to, by their index in the grid of clusters,
/// ascending.
[[nodiscard]] std::vector<std::uint64_t> clusters_of(Dim3 grid, Dim3 cluster,
                                                     const std::vector<std::uint64_t>& blocks);
/// Returns the blocks of a cluster by rank.
[[nodiscard]] std::vector<std::uint64_t> blocks_of_cluster(Dim3 grid, Dim3 cluster, std::uint64_t index);

}  // namespace warplens::replay
