// What launching a kernel of the ladder and one of a file have in common.
#pragma once

#include "app/launch/launch.h"
#include "kernels/catalog/workload.h"
#include "kernels/ptx/module.h"
#include "kernels/replay/extrapolate.h"
#include "kernels/replay/replay.h"

namespace warplens::app {

/// A request's choices of blocks, checked against the grid, and its rules as options of a replay. Where
/// blocks to replay are chosen, the rest of their clusters is replayed, too. `replay_blocks` is nullopt if
/// those are all blocks.
[[nodiscard]] Result<replay::Options> replay_options(Dim3 grid, Dim3 cluster, const LaunchRequest& request,
                                                     replay::Progress* progress);

/// The decoded program of an entry of `module`, run by the request's engine; Recording::engine and device say
/// by which. On a GPU, what can be proved of a large launch (kernels/replay/extrapolate.h) is not recorded.
[[nodiscard]] Result<Recording> run_engine(const LaunchRequest& request, const ptx::Module& module,
                                           const replay::Program& program, const replay::Launch& launch,
                                           replay::Memory& memory, const replay::Options& options,
                                           gpu::RecordTimes* times);

/// A result with the workload's buffers in its memory, and nothing else yet. Their contents are taken from
/// it; zeros where it has none.
[[nodiscard]] LaunchResult make_memory(Workload& workload);
/// On that memory.
[[nodiscard]] replay::Launch make_launch(const LaunchShape& shape, const Workload& workload,
                                         const replay::Memory& memory);

/// Whether a launch takes so long that not all its blocks are replayed, and its result is not verified whole:
/// more than a fraction of a second.
[[nodiscard]] bool is_large(const Recording& recording);
/// Whether not every block need be replayed.
[[nodiscard]] bool may_extrapolate(const LaunchRequest& request, const replay::Options& options);
/// What `replay::extrapolate` makes of a large launch; nullopt where it is not large, or cannot be followed,
/// for which `obstacle` says why.
[[nodiscard]] Result<std::optional<replay::Extrapolation>> extrapolate_large(const replay::Program& program,
                                                                             const replay::Launch& launch,
                                                                             const replay::Memory& memory,
                                                                             const replay::Options& options,
                                                                             std::string& obstacle);

/// A launch made ready to be replayed; what it points to lives as long as it does.
struct Countable {
  std::shared_ptr<void> keeps;
  const replay::Program* program = nullptr;
  replay::Launch launch;
  replay::Memory* memory = nullptr;
};
/// The whole grid of a request. Without `contents` its buffers may be empty.
[[nodiscard]] Result<Countable> countable(const LaunchRequest& request, bool contents,
                                          replay::Progress* progress);
[[nodiscard]] Result<Countable> countable_catalog_kernel(const LaunchRequest& request,
                                                         const CatalogKernel& catalog_kernel, bool contents);
[[nodiscard]] Result<Countable> countable_file_kernel(const LaunchRequest& request,
                                                      replay::Progress* progress);

// What is done with each origin.
[[nodiscard]] Result<LaunchResult> launch_catalog_kernel(const LaunchRequest& request,
                                                         const CatalogKernel& catalog_kernel,
                                                         replay::Progress* progress, gpu::RecordTimes* times,
                                                         const Verifier& verifier);
[[nodiscard]] Result<LaunchResult> launch_file_kernel(const LaunchRequest& request,
                                                      replay::Progress* progress, gpu::RecordTimes* times);
[[nodiscard]] Result<gpu::RunRequest> run_request_of_catalog_kernel(const LaunchRequest& request,
                                                                    const CatalogKernel& catalog_kernel);
[[nodiscard]] Result<gpu::RunRequest> run_request_of_file_kernel(const LaunchRequest& request);

}  // namespace warplens::app
