// What is loaded, and its derived results. Long work runs on a worker thread; views read immutable results.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/as_compiled.h"
#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/record.h"
#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/replay.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/memory_rules.h"
#include "viz/analysis/occupancy.h"
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

/// What runs the kernel: the CPU replay, or this machine's GPU with the kernel instrumented. Both make the same recording.
enum class Engine : std::uint8_t { cpu, gpu };

struct RecordRequest {
  std::string kernel = "tiled";
  std::optional<std::uint64_t> m, p, n;  ///< nullopt: as large as the kernel's descriptor says. Only those that the kernel has
  std::vector<NamedValue> parameters;
  std::string value_type = "f32";
  BlockChoice replay_blocks;                ///< Blocks to replay
  std::optional<BlockChoice> event_blocks;  ///< Blocks to keep events of, among the replayed; `all`: all of those; nullopt: none
  analysis::ComputeCapability cc;
  unsigned threads = 0;  ///< Of the CPU replay; 0: all cores
  Engine engine = Engine::cpu;
};
/// The kernel of the ladder with that id; the error names those there are.
[[nodiscard]] Result<const KernelDescriptor*> find_kernel(const std::string& id);

/// Runs a ladder kernel, checks the result, and completes the recording. Blocking: the window calls it on a worker.
///
/// The buffers, their contents and the check are make_workload's. The buffers of the recording have the padded extents (rows x pitch, columns =
/// pitch); Recording::m, p and n are the caller's. Recording::verified says that every element of the result that the replayed blocks own, padding
/// included, is right, bit for bit.
/// `times`: what the GPU took, if that is the engine.
[[nodiscard]] Result<Recording> record(const RecordRequest& request, replay::Progress* progress = nullptr, gpu::RecordTimes* times = nullptr);

/// The decoded program of an entry of `module`, run by an engine; Recording::engine and device say by which.
[[nodiscard]] Result<Recording> run_engine(Engine engine, const ptx::Module& module, const replay::Program& program, const replay::Launch& launch,
                                           replay::Memory& memory, const replay::Options& options, gpu::RecordTimes* times = nullptr);
/// Whether the result is wrong though the kernel is not so on purpose.
[[nodiscard]] bool failed(const Recording& recording);
/// What a kernel's result is called: "C" for a product, else "the result".
[[nodiscard]] const char* name_of_result(const Recording& recording);

/// What a recorded launch takes of a multiprocessor: registers, stack and spills of its machine code for each architecture that there is code for,
/// and of the kernel's other variants beside it. Local accesses are followed through one block each (CompiledVariant).
[[nodiscard]] analysis::OccupancySubject occupancy_subject(const Recording& recording, const std::atomic<bool>* cancelled = nullptr);

/// A recording with everything the views want of it, made once for a compute capability. Immutable.
struct Loaded {
  Recording recording;
  analysis::ComputeCapability cc;
  analysis::Report report;
  std::vector<analysis::PhaseKind> phase_kinds;
  std::vector<analysis::ElementCounts> element_counts;
  analysis::Divergence divergence;
  std::filesystem::path path;  ///< Empty if made here
  /// Where the recording is drawn: the kernel's own source file among recording.files.
  std::uint32_t source_file = 0;
  AsCompiled compiled;
  analysis::OccupancySubject occupancy;
};
[[nodiscard]] std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc, std::filesystem::path path = {},
                                                        const std::atomic<bool>* cancelled = nullptr);

}  // namespace warplens::app
