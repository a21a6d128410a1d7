// What is loaded, and its derived results. Long work runs on a worker thread; views read immutable results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/replay.h"
#include "viz/analysis/memory_rules.h"
#include "viz/analysis/reuse.h"
#include "viz/analysis/totals.h"

namespace warplens::app {

/// Which blocks a replay covers, and which become events.
struct BlockChoice {
  bool all = true;
  std::vector<Dim3> blocks;  ///< If not all
};
/// "all" or "X,Y[;X,Y]..." ("X" and "X,Y,Z" too).
[[nodiscard]] Result<BlockChoice> parse_blocks(const std::string& text);

/// The chosen blocks, each once; none for `all`. An error names a block that is outside the grid.
[[nodiscard]] Result<std::vector<Dim3>> chosen_blocks(Dim3 grid, const BlockChoice& choice);

struct RecordRequest {
  std::string kernel = "tiled";
  std::uint64_t m = 256, p = 256, n = 256;
  std::vector<NamedValue> parameters;
  std::string value_type = "f32";
  BlockChoice replay_blocks;                ///< Blocks to replay
  std::optional<BlockChoice> event_blocks;  ///< Blocks to keep events of, among the replayed; `all`: all of those; nullopt: none
  analysis::ComputeCapability cc;
  unsigned threads = 0;  ///< 0: all cores
};
/// The kernel of the ladder with that id; the error names those there are.
[[nodiscard]] Result<const KernelDescriptor*> find_kernel(const std::string& id);

/// Replays a ladder kernel on the CPU, checks the product, and completes the recording. Blocking: the window calls it on a worker.
///
/// A and B are integer_matrix with fixed seeds, zero-padded as the plan says; C starts as NaNs. The buffers of the recording have the padded extents
/// (rows x pitch, columns = pitch); Recording::m, p and n are the caller's. Recording::verified says that every element of C that the replayed blocks
/// own, padding included, equals the reference product bit for bit.
[[nodiscard]] Result<Recording> record(const RecordRequest& request, replay::Progress* progress = nullptr);

/// A recording with everything the views want of it, made once for a compute capability. Immutable.
struct Loaded {
  Recording recording;
  analysis::ComputeCapability cc;
  analysis::Report report;
  std::vector<analysis::PhaseKind> phase_kinds;
  std::vector<analysis::ElementCounts> element_counts;
  std::filesystem::path path;  ///< Empty if made here
  /// Where the recording is drawn: the kernel's own source file among recording.files.
  std::uint32_t source_file = 0;
};
[[nodiscard]] std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc, std::filesystem::path path = {});

}  // namespace warplens::app
