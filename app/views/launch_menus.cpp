// What the launch row's menus describe.
#include <algorithm>
#include <optional>
#include <utility>

#include "app/views/launch_row.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// A GPU runs the whole grid in no time, so the totals are of all of it; the replay spares itself the other blocks.
void choose_blocks(LaunchRequest& request, BlockChoice blocks) {
  if (request.engine == Engine::gpu) {
    request.event_blocks = std::move(blocks);
  } else {
    request.replay_blocks = std::move(blocks);
  }
}

Dim3 middle_of(Dim3 grid) {
  return {grid.x / 2, grid.y / 2, grid.z / 2};
}

constexpr const char* kExtents[] = {"m", "p", "n"};

std::optional<std::uint64_t> extent_in(const LaunchRequest& launch, const char* name) {
  const std::optional<std::int64_t> value = launch.value(name);
  return value ? std::optional(static_cast<std::uint64_t>(std::max<std::int64_t>(*value, 0))) : std::nullopt;
}

}  // namespace

std::string LaunchMenus::kernel() const {
  const Rung* const rung = launch.rung();
  return rung == nullptr ? std::string() : rung->id;
}

const char* name_of(BlocksMenu choice) {
  switch (choice) {
    case BlocksMenu::all: return tr("All");
    case BlocksMenu::all_draw_one: return tr("All, draw one");
    case BlocksMenu::centre_only: return tr("Centre only");
    case BlocksMenu::chosen: break;
  }
  return tr("Chosen");
}

Result<LaunchRequest> request_of(const LaunchMenus& menus) {
  LaunchRequest request = menus.launch;
  request.replay_blocks = {};
  request.event_blocks = BlockChoice{};
  const Result<Dim3> grid = grid_of(request);
  if (!grid) return grid.error();
  const BlockChoice centre{.all = false, .blocks = {middle_of(*grid)}};
  if (menus.blocks == BlocksMenu::all_draw_one) request.event_blocks = centre;
  if (menus.blocks == BlocksMenu::centre_only) choose_blocks(request, centre);
  if (menus.blocks == BlocksMenu::chosen) {
    auto blocks = parse_blocks(menus.chosen_blocks);
    if (!blocks) return blocks.error();
    choose_blocks(request, *std::move(blocks));
  }
  return request;
}

Result<gpu::RunRequest> run_request_of(const LaunchMenus& menus) {
  if (menus.launch.rung() == nullptr) {
    return Error{tr("{kernel} is no kernel of the ladder's: the window records it, and cannot time it", "kernel"_a = name_of(menus.launch)), "",
                 tr("Time it on the command line: {command}", "command"_a = "warplens run FILE.ptx --grid X,Y --block X,Y --arg ...")};
  }
  gpu::RunRequest request;
  request.kernel = menus.kernel();
  request.m = extent_in(menus.launch, "m");
  request.p = extent_in(menus.launch, "p");
  request.n = extent_in(menus.launch, "n");
  for (const NamedValue& value : menus.launch.values) {
    if (std::ranges::find(kExtents, value.name) == std::end(kExtents)) request.parameters.push_back(value);
  }
  request.value_type = menus.launch.value_type;
  const Result<Problem> problem = gpu::check_request(request);
  if (!problem.ok()) return problem.error();
  request.parameters = problem->parameters;
  return request;
}

void follow(LaunchMenus& menus, const Recording& recording) {
  LaunchRequest recorded = launch_of(recording);
  recorded.engine = menus.launch.engine;
  recorded.cc = menus.launch.cc;
  recorded.replay_blocks = {};
  recorded.event_blocks.reset();
  menus.launch = std::move(recorded);
}

void choose_kernel(LaunchMenus& menus, const KernelDescriptor& kernel) {
  if (kernel.id == menus.kernel()) return;
  LaunchRequest chosen = launch_of_rung(kernel.id);
  const auto before = gpu::find_launchable(menus.kernel());
  const bool same_extents = before && (*before)->extents == kernel.extents;
  for (const ExtentInfo& extent : kernel.extents) {
    const std::string name(1, extent.name);
    const std::optional<std::int64_t> kept = same_extents ? menus.launch.value(name) : std::nullopt;
    chosen.set(name, kept.value_or(static_cast<std::int64_t>(extent.default_value)));
  }
  const std::string& type = menus.launch.value_type;
  const bool has_type = std::ranges::find(kernel.value_types, type) != kernel.value_types.end();
  chosen.value_type = has_type ? type : kernel.value_types.front();
  chosen.engine = menus.launch.engine;
  chosen.cc = menus.launch.cc;
  menus.launch = std::move(chosen);
}

}  // namespace warplens::app
