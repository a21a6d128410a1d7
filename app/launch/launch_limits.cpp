#include "app/launch/launch_limits.h"

#include "kernels/base/texts.h"
#include "kernels/ptx/grid_barrier.h"
#include "kernels/recording/validate.h"
#include "viz/analysis/occupancy.h"

namespace warplens::app {
namespace {

std::string side_by_side(Dim3 extent) {
  return fmt::format("{} x {} x {}", extent.x, extent.y, extent.z);
}

bool lies_between(Dim3 extent, Dim3 most) {
  const auto fits = [](std::uint32_t value, std::uint32_t limit) { return value >= 1 && value <= limit; };
  return fits(extent.x, most.x) && fits(extent.y, most.y) && fits(extent.z, most.z);
}

Result<Done> check_extents(const LaunchShape& shape, const std::string& kernel) {
  if (!lies_between(shape.grid, kMaxGrid)) {
    return Error{
        tr("a grid of {extent} blocks", "extent"_a = side_by_side(shape.grid)), kernel,
        tr("No GPU launches it: there are from 1 to {extent}.", "extent"_a = side_by_side(kMaxGrid))};
  }
  if (lies_between(shape.block, kMaxBlock) && shape.block.count() <= kMaxThreadsPerBlock) return Done{};
  return Error{tr("a block of {extent} threads", "extent"_a = side_by_side(shape.block)), kernel,
               tr("No GPU launches it: it has from 1 to {threads} threads, at most {most_in_z} in z.",
                  "threads"_a = kMaxThreadsPerBlock, "most_in_z"_a = kMaxBlock.z)};
}

Result<Done> check_launch_bounds(const LaunchShape& shape, const ptx::Function& entry) {
  const std::uint64_t threads = shape.block.count();
  const auto [x, y, z] = entry.bounds.required_threads;
  if (const Dim3 required{x, y, z}; required.x != 0) {
    if (shape.block == required) return Done{};
    return Error{tr("a block of {extent} threads", "extent"_a = side_by_side(shape.block)), entry.plain_name,
                 tr("The kernel was compiled for blocks of {extent} and no other (.reqntid).",
                    "extent"_a = side_by_side(required))};
  }
  if (entry.max_threads == 0 || threads <= entry.max_threads) return Done{};
  return Error{tr("a block of {threads} threads", "threads"_a = threads), entry.plain_name,
               tr("The kernel was compiled for {most} at most (__launch_bounds__, in PTX .maxntid): choose a "
                  "smaller block, or change that.",
                  "most"_a = entry.max_threads)};
}

std::uint64_t shared_bytes(const LaunchShape& shape, const ptx::Function& entry) {
  std::uint64_t bytes = shape.dynamic_shared_bytes;
  for (const ptx::Variable& variable : entry.variables) {
    if (variable.space == ptx::StateSpace::shared) bytes += variable.bytes();
  }
  return bytes;
}

Result<Done> check_shared_memory(const LaunchRequest& request, const ptx::Function& entry) {
  const std::uint64_t bytes = shared_bytes(request.shape, entry);
  const std::uint64_t most = analysis::multiprocessor_model(request.cc).shared_bytes_a_block;
  if (bytes <= most || request.engine == Engine::gpu) return Done{};
  return Error{tr("a block of {bytes} bytes of shared memory", "bytes"_a = bytes), entry.plain_name,
               tr("Compute capability {capability} has at most {most} for a block: choose a smaller tile, or "
                  "another compute capability (--cc).",
                  "capability"_a = request.cc.name(), "most"_a = most)};
}

/// Of blocks that wait for each other, none may be left to begin later.
Result<Done> check_together(const LaunchRequest& request, const ptx::Module& module,
                            const ptx::Function& entry) {
  if (request.engine == Engine::gpu || !ptx::waits_for_grid(module, entry)) return Done{};
  const analysis::MultiprocessorModel& model = analysis::multiprocessor_model(request.cc);
  const std::uint64_t blocks = request.shape.grid.count();
  const analysis::Occupancy held = analysis::occupancy(
      model, {.threads = static_cast<std::uint32_t>(request.shape.block.count()),
              .registers = std::nullopt,
              .shared_bytes = static_cast<std::uint32_t>(shared_bytes(request.shape, entry)),
              .blocks = blocks});
  if (blocks <= held.blocks_a_wave) return Done{};
  return Error{
      tr("a grid of {blocks} blocks that wait for each other", "blocks"_a = blocks), entry.plain_name,
      tr("{card}, of compute capability {capability}, holds at most {most} of them at a time, {each} on each "
         "of its {multiprocessors} "
         "multiprocessors, and later ones would never begin: choose a smaller grid, or another compute "
         "capability (--cc).",
         "card"_a = tr(model.card), "capability"_a = request.cc.name(), "most"_a = held.blocks_a_wave,
         "each"_a = held.blocks, "multiprocessors"_a = model.multiprocessors)};
}

}  // namespace

Result<Done> check_limits(const LaunchRequest& request, const ptx::Module& module,
                          const ptx::Function& entry) {
  if (Result<Done> shape = check_extents(request.shape, entry.plain_name); !shape.ok()) return shape;
  if (Result<Done> bounds = check_launch_bounds(request.shape, entry); !bounds.ok()) return bounds;
  if (Result<Done> shared = check_shared_memory(request, entry); !shared.ok()) return shared;
  return check_together(request, module, entry);
}

}  // namespace warplens::app
