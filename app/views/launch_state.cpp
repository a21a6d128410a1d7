// What the launch row's menus describe.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "app/views/launch_row.h"

namespace warplens::app {
namespace {

using Extent = std::optional<std::uint64_t>;

/// m, p and n, as far as the kernel has them.
std::tuple<Extent, Extent, Extent> extents_of(const KernelDescriptor& kernel, const LaunchState& state) {
  const auto extent = [&](char name, std::uint64_t value) { return kernel.has_extent(name) ? Extent(value) : std::nullopt; };
  return {extent('m', state.m), extent('p', state.p), extent('n', state.n)};
}

/// A GPU runs the whole grid in no time, so the totals are of all of it; the replay spares itself the other blocks.
void choose_blocks(RecordRequest& request, BlockChoice blocks) {
  if (request.engine == Engine::gpu) {
    request.event_blocks = std::move(blocks);
  } else {
    request.replay_blocks = std::move(blocks);
  }
}

/// Why there is nothing to launch where the menus show a user's kernel.
Error not_launched_here(const LaunchState& state) {
  return {fmt::format("{} is no kernel of the ladder's: the window shows its recording, and cannot run it", state.users_kernel), "",
          "Choose a kernel in the launch row, or record yours on the command line: warplens replay FILE.ptx ... -o FILE.wlr."};
}

}  // namespace

const std::string& kernel_name(const LaunchState& state) {
  return state.kernel.empty() ? state.users_kernel : state.kernel;
}

const char* name_of(BlocksMenu choice) {
  switch (choice) {
    case BlocksMenu::all: return "All";
    case BlocksMenu::all_draw_one: return "All, draw one";
    case BlocksMenu::centre_only: return "Centre only";
    case BlocksMenu::chosen: break;
  }
  return "Chosen";
}

Result<RecordRequest> request_of(const LaunchState& state) {
  if (state.kernel.empty()) return not_launched_here(state);
  const auto kernel = find_kernel(state.kernel);
  if (!kernel) return kernel.error();
  const auto [m, p, n] = extents_of(**kernel, state);
  const auto problem = make_problem(**kernel, m, p, n, state.parameters, state.value_type);
  if (!problem) return problem.error();

  RecordRequest request{.kernel = state.kernel,
                        .m = m,
                        .p = p,
                        .n = n,
                        .parameters = problem->parameters,
                        .value_type = state.value_type,
                        .event_blocks = BlockChoice{},
                        .cc = state.cc,
                        .engine = state.on_gpu ? Engine::gpu : Engine::cpu};
  const Dim3 grid = (*kernel)->plan(*problem).grid;
  const BlockChoice centre{.all = false, .blocks = {{grid.x / 2, grid.y / 2, grid.z / 2}}};
  if (state.blocks == BlocksMenu::all_draw_one) request.event_blocks = centre;
  if (state.blocks == BlocksMenu::centre_only) choose_blocks(request, centre);
  if (state.blocks == BlocksMenu::chosen) {
    auto blocks = parse_blocks(state.chosen_blocks);
    if (!blocks) return blocks.error();
    choose_blocks(request, *std::move(blocks));
  }
  return request;
}

Result<gpu::RunRequest> run_request_of(const LaunchState& state) {
  if (state.kernel.empty()) return not_launched_here(state);
  const auto kernel = gpu::find_launchable(state.kernel);
  if (!kernel) return kernel.error();
  gpu::RunRequest request;
  request.kernel = state.kernel;
  std::tie(request.m, request.p, request.n) = extents_of(**kernel, state);
  request.parameters = state.parameters;
  request.value_type = state.value_type;
  const Result<Problem> problem = gpu::check_request(request);
  if (!problem.ok()) return problem.error();
  request.parameters = problem->parameters;
  return request;
}

void follow(LaunchState& state, const Recording& recording) {
  const KernelDescriptor* kernel = ladder_kernel_of(recording);
  if (kernel == nullptr) {
    state.kernel.clear();
    state.users_kernel = recording.origin_file.empty() ? recording.kernel : fmt::format("{} of {}", recording.kernel, recording.origin_file);
    return;
  }
  state.kernel = kernel->id;
  if (recording.m != 0) state.m = recording.m;
  if (recording.p != 0) state.p = recording.p;
  if (recording.n != 0) state.n = recording.n;
  state.parameters = recording.parameters;
  state.value_type = recording.value_type;
}

void choose_kernel(LaunchState& state, const KernelDescriptor& kernel) {
  if (kernel.id == state.kernel) return;
  const auto before = gpu::find_launchable(state.kernel);
  if (!before || (*before)->extents != kernel.extents) {
    for (const ExtentInfo& extent : kernel.extents) (extent.name == 'm' ? state.m : extent.name == 'p' ? state.p : state.n) = extent.default_value;
  }
  state.kernel = kernel.id;
  state.parameters.clear();
  if (std::ranges::find(kernel.value_types, state.value_type) == kernel.value_types.end()) state.value_type = kernel.value_types.front();
}

}  // namespace warplens::app
