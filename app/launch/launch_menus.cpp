#include "app/launch/launch_menus.h"
#include "app/launch/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "app/kernel_file/kernel_file.h"
#include "app/launch/launch_support.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// A GPU runs the whole grid in no time, so the totals are of all of it; the replay spares itself the other
/// blocks.
void choose_blocks(LaunchRequest& request, BlockChoice blocks) {
  if (request.engine == Engine::gpu) {
    request.event_blocks = std::move(blocks);
  } else {
    request.replay_blocks = std::move(blocks);
  }
}

/// Sizes and parameters in the kernel's order, those that are not said as it has them by itself.
std::vector<NamedValue> all_values(const LaunchRequest& launch) {
  const auto kernel = launch.catalog_kernel() != nullptr ? gpu::find_launchable(launch.catalog_kernel()->id)
                                                         : Result<const KernelDescriptor*>(nullptr);
  if (launch.form) return values_of(*launch.form);
  if (!kernel || *kernel == nullptr) return launch.values;
  std::vector<NamedValue> values;
  const auto add = [&](const std::string& name, std::int64_t by_itself) {
    values.push_back({name, launch.value(name).value_or(by_itself)});
  };
  for (const ExtentInfo& extent : (*kernel)->extents)
    add(std::string(1, extent.name), static_cast<std::int64_t>(extent.default_value));
  for (const ParameterInfo& parameter : (*kernel)->parameters) add(parameter.name, parameter.default_value);
  return values;
}

/// With `all_draw_one`.
Dim3 drawn_in(Dim3 grid, const LaunchMenus& menus) {
  const bool inside =
      menus.drawn && menus.drawn->x < grid.x && menus.drawn->y < grid.y && menus.drawn->z < grid.z;
  return inside ? *menus.drawn : middle_of(grid);
}

/// The menu's entry for the blocks that the recording has; those of one without accesses are not known.
void follow_blocks(LaunchMenus& menus, const Recording& recording) {
  const std::vector<Dim3>& drawn = recording.event_blocks;
  const bool all = recording.blocks_counted == recording.blocks_total, one = drawn.size() == 1;
  if (all && (drawn.empty() || drawn.size() == recording.blocks_total)) {
    menus.blocks = BlocksMenu::all;
  } else if (all && one) {
    menus.blocks = BlocksMenu::all_draw_one;
    menus.drawn = drawn.front();
  } else if (one && drawn.front() == middle_of(recording.grid)) {
    menus.blocks = BlocksMenu::centre_only;
  } else if (!drawn.empty()) {
    menus.blocks = BlocksMenu::chosen;
    menus.chosen_blocks.clear();
    for (const Dim3& block : drawn) {
      if (!menus.chosen_blocks.empty()) menus.chosen_blocks += ';';
      menus.chosen_blocks += fmt::format("{},{}", block.x, block.y);
      if (recording.grid.z > 1) menus.chosen_blocks += fmt::format(",{}", block.z);
    }
  }
}

}  // namespace

std::string LaunchMenus::kernel() const {
  const CatalogKernel* const catalog_kernel = launch.catalog_kernel();
  return catalog_kernel == nullptr ? std::string() : catalog_kernel->id;
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

std::string blocks_in_words(const LaunchMenus& menus) {
  const Result<Dim3> grid =
      menus.blocks == BlocksMenu::all_draw_one ? grid_of(menus.launch) : Result<Dim3>(Dim3{});
  if (menus.blocks != BlocksMenu::all_draw_one || !grid) return name_of(menus.blocks);
  const Dim3 block = drawn_in(*grid, menus);
  return grid->z > 1 ? tr("All, draw {x},{y},{z}", "x"_a = block.x, "y"_a = block.y, "z"_a = block.z)
                     : tr("All, draw {x},{y}", "x"_a = block.x, "y"_a = block.y);
}

Result<LaunchRequest> request_of(const LaunchMenus& menus) {
  LaunchRequest request = menus.launch;
  request.replay_blocks = {};
  request.event_blocks = BlockChoice{};
  const Result<Dim3> grid = grid_of(request);
  if (!grid) return grid.error();
  const BlockChoice centre{.all = false, .blocks = {middle_of(*grid)}};
  if (menus.blocks == BlocksMenu::all_draw_one)
    request.event_blocks = BlockChoice{.all = false, .blocks = {drawn_in(*grid, menus)}};
  if (menus.blocks == BlocksMenu::centre_only) choose_blocks(request, centre);
  if (menus.blocks == BlocksMenu::chosen) {
    auto blocks = parse_blocks(menus.chosen_blocks);
    if (!blocks) return blocks.error();
    choose_blocks(request, *std::move(blocks));
  }
  return request;
}

Dim3 middle_of(Dim3 grid) {
  return {grid.x / 2, grid.y / 2, grid.z / 2};
}

bool has_too_many_events(const LaunchRequest& request, replay::Progress* progress) {
  constexpr std::uint64_t kMaxKept = std::uint64_t{1} << 21;  // Which takes some 0.3 s and 100 MB
  constexpr std::uint64_t kFewBlocks = 128;  // Of which no more than that many accesses are likely
  constexpr std::uint64_t kInstructionsAnAccess = 1024;  // By then there are too many, or it accesses little
  const Result<Dim3> grid = grid_of(request);
  if (!grid || grid->count() <= kFewBlocks || !request.replay_blocks.all) return false;
  LaunchRequest probe = request;
  probe.engine = Engine::cpu;
  probe.replay_blocks = BlockChoice{.all = false, .blocks = {middle_of(*grid)}};
  probe.event_blocks = probe.replay_blocks;
  const std::uint64_t most = kMaxKept / grid->count();
  try {
    const Result<Countable> launch = countable(probe, false, progress);
    Result<replay::Options> options = replay_options(*grid, probe.shape.cluster, probe, progress);
    if (!launch.ok() || !options.ok()) return false;
    options->limit = kInstructionsAnAccess * (most + 1);
    const Result<Recording> recording =
        replay::run(*launch->program, launch->launch, *launch->memory, *options);
    return recording.ok() && recording->events.size() > most;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Result<LaunchRequest> make_request_to_record(SubjectKind kind, const std::string& subject,
                                             const LaunchWords& words, analysis::ComputeCapability cc,
                                             const std::optional<BlockChoice>& event_blocks,
                                             const std::optional<Dim3>& drawn) {
  Result<LaunchRequest> request = make_request(kind, subject, words, cc);
  if (!request.ok()) return request;
  request->event_blocks = event_blocks;
  if (event_blocks && event_blocks->all && has_too_many_events(*request, nullptr)) {
    if (const Result<Dim3> grid = grid_of(*request); grid.ok())
      request->event_blocks = BlockChoice{.all = false, .blocks = {drawn.value_or(middle_of(*grid))}};
  }
  return request;
}

Result<gpu::RunRequest> run_request_of(const LaunchMenus& menus) {
  if (menus.launch.catalog_kernel() == nullptr) {
    return Error{tr("{kernel} is not a kernel of the ladder: the window records it, and cannot time it",
                    "kernel"_a = name_of(menus.launch)),
                 "",
                 tr("Time it on the command line: {command}",
                    "command"_a = "warplens run FILE.ptx --grid X,Y --block X,Y --arg ...")};
  }
  return run_request_of(menus.launch);
}

std::int64_t largest_in_window(const KernelDescriptor& kernel, const ExtentInfo& extent) {
  constexpr std::uint64_t kLargestMatrix = 16384;
  const bool product = std::ranges::find(kernel.extents, 'p', &ExtentInfo::name) != kernel.extents.end();
  return static_cast<std::int64_t>(product ? std::min(extent.max, kLargestMatrix) : extent.max);
}

bool same_launch(const LaunchMenus& a, const LaunchMenus& b) {
  return same_but_drawn(a, b) && (a.blocks != BlocksMenu::all_draw_one || a.drawn == b.drawn);
}

bool same_but_drawn(const LaunchMenus& a, const LaunchMenus& b) {
  const auto apart_from_rules = [](const LaunchMenus& menus) {
    LaunchRequest launch = menus.launch;
    launch.values = all_values(launch);
    launch.cc = {};
    return launch;
  };
  return a.blocks == b.blocks && (a.blocks != BlocksMenu::chosen || a.chosen_blocks == b.chosen_blocks) &&
         apart_from_rules(a) == apart_from_rules(b) &&
         architecture_of(a.launch) == architecture_of(b.launch);  // Other rules may ask for other code
}

bool is_of(const gpu::RunResult& run, const LaunchMenus& menus) {
  const Result<gpu::RunRequest> request = run_request_of(menus);
  return request.ok() && request->kernel == run.kernel && request->value_type == run.value_type &&
         request->parameters == run.parameters && request->m.value_or(0) == run.m &&
         request->p.value_or(0) == run.p && request->n.value_or(0) == run.n;
}

std::string launch_in_words(const LaunchMenus& menus) {
  std::string words = name_of(menus.launch);
  for (const NamedValue& value : all_values(menus.launch))
    words += fmt::format(" · {} {}", value.name, value.value);
  return words;
}

void follow(LaunchMenus& menus, const Recording& recording) {
  LaunchRequest recorded = launch_of(recording);
  recorded.engine = menus.launch.engine;
  recorded.cc = menus.launch.cc;
  recorded.replay_blocks = {};
  recorded.event_blocks.reset();
  menus.launch = std::move(recorded);
  follow_blocks(menus, recording);
}

void choose_kernel(LaunchMenus& menus, const KernelDescriptor& kernel) {
  if (kernel.id == menus.kernel()) return;
  LaunchRequest chosen = launch_of_kernel(kernel.id);
  const auto before = gpu::find_launchable(menus.kernel());
  const bool same_extents = before && (*before)->extents == kernel.extents;
  for (const ExtentInfo& extent : kernel.extents) {
    const std::string name(1, extent.name);
    const std::optional<std::int64_t> kept = same_extents ? menus.launch.value(name) : std::nullopt;
    chosen.set(name, kept.value_or(static_cast<std::int64_t>(extent.default_value)));
  }
  for (const ParameterInfo& parameter : kernel.parameters) {  // A tile of 16 stays one
    const std::optional<std::int64_t> kept = before ? menus.launch.value(parameter.name) : std::nullopt;
    if (kept && std::ranges::find(parameter.values, *kept) != parameter.values.end())
      chosen.set(parameter.name, *kept);
  }
  const std::string& type = menus.launch.value_type;
  const bool has_type = std::ranges::find(kernel.value_types, type) != kernel.value_types.end();
  chosen.value_type = has_type ? type : kernel.value_types.front();
  chosen.engine = menus.launch.engine;
  chosen.cc = menus.launch.cc;
  menus.launch = std::move(chosen);
  if (menus.blocks == BlocksMenu::chosen) menus.blocks = BlocksMenu::all;  // They were of another grid
}

}  // namespace warplens::app
