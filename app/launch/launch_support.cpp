#include "app/launch/launch_support.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <thread>
#include <utility>

#include "app/launch/host.h"
#include "kernels/base/clusters.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

std::string in_words(Dim3 block) {
  return fmt::format("{},{},{}", block.x, block.y, block.z);
}

Result<std::vector<Dim3>> every_block(Dim3 grid, std::uint64_t max_events) {
  if (grid.count() > max_events) {
    return Error{tr("{count} blocks are too many to keep every access of", "count"_a = grid.count()), "",
                 tr("Choose a few with --blocks.")};
  }
  std::vector<Dim3> blocks(grid.count());
  for (std::uint64_t i = 0; i < blocks.size(); ++i) blocks[i] = index_from_linear(grid, i);
  return blocks;
}

Result<Dim3> parse_block(std::string_view text) {
  std::uint32_t index[3] = {0, 0, 0};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t& value : index) {
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) break;
    if (stop == end) return Dim3{index[0], index[1], index[2]};
    if (*stop != ',') break;
    at = stop + 1;
  }
  return Error{tr("`{text}` names no block", "text"_a = text), "",
               tr("Blocks are written X,Y;X,Y (or all).")};
}

}  // namespace

Result<BlockChoice> parse_blocks(const std::string& text) {
  if (text == "all") return BlockChoice{};
  BlockChoice choice{.all = false, .blocks = {}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const Result<Dim3> block = parse_block(std::string_view(text).substr(begin, end - begin));
    if (!block.ok()) return block.error();
    choice.blocks.push_back(*block);
    begin = end + 1;
  }
  return choice;
}

Result<std::vector<Dim3>> chosen_blocks(Dim3 grid, const BlockChoice& choice) {
  std::vector<Dim3> distinct;
  std::set<std::uint64_t> seen;
  if (choice.all) return distinct;
  for (const Dim3& block : choice.blocks) {
    if (block.x >= grid.x || block.y >= grid.y || block.z >= grid.z) {
      return Error{tr("block {block} is outside the grid of {x} x {y} x {z} blocks",
                      "block"_a = in_words(block), "x"_a = grid.x, "y"_a = grid.y, "z"_a = grid.z),
                   "", tr("Blocks are counted from 0.")};
    }
    if (seen.insert(linear_index(grid, block)).second) distinct.push_back(block);
  }
  return distinct;
}

Result<replay::Options> replay_options(Dim3 grid, Dim3 cluster, const LaunchRequest& request,
                                       replay::Progress* progress) {
  replay::Options options;
  options.pattern_cost = analysis::pattern_cost;
  options.unkept_cc = request.cc.name();
  options.shared_base = analysis::memory_rules_of(request.cc).shared_base;
  options.threads =
      std::min(request.threads,
               std::max(1u, std::thread::hardware_concurrency()));  // More take memory, and gain nothing
  options.limit = request.limit;
  options.progress = progress;
  if (!request.replay_blocks.all) {
    Result<std::vector<Dim3>> blocks = chosen_blocks(grid, request.replay_blocks);
    if (!blocks.ok()) return blocks.error();
    options.replay_blocks = with_whole_clusters(grid, cluster, *blocks);
    if (options.replay_blocks->size() == grid.count()) options.replay_blocks.reset();
  }
  if (!request.event_blocks) return options;
  if (request.event_blocks->all && options.replay_blocks) {
    options.event_blocks = *options.replay_blocks;
    return options;
  }
  Result<std::vector<Dim3>> blocks = request.event_blocks->all ? every_block(grid, options.max_events)
                                                               : chosen_blocks(grid, *request.event_blocks);
  if (!blocks.ok()) return blocks.error();
  options.event_blocks = std::move(*blocks);
  return options;
}

replay::Launch make_launch(const LaunchShape& shape, const Workload& workload, const replay::Memory& memory) {
  replay::Launch launch{.grid = shape.grid,
                        .block = shape.block,
                        .dynamic_shared_bytes = shape.dynamic_shared_bytes,
                        .arguments = {},
                        .cluster = shape.cluster};
  for (std::uint32_t k = 0; k < workload.arguments.size(); ++k) {
    if (const auto* const buffer = std::get_if<std::uint32_t>(&workload.arguments[k])) {
      const auto texture = workload.textures.find(*buffer);
      if (texture != workload.textures.end()) {
        launch.arguments.push_back(replay::TextureArgument{*buffer, texture->second});
      } else {
        launch.arguments.push_back(replay::BufferArgument{*buffer});
      }
    } else {
      const auto addresses = workload.scalar_addresses.find(k);
      launch.arguments.push_back(replay::ScalarArgument{
          .bytes = std::get<std::vector<std::byte>>(workload.arguments[k]),
          .addresses = addresses == workload.scalar_addresses.end() ? std::vector<PlacedAddress>()
                                                                    : addresses->second});
    }
  }
  launch.variables = workload.variables;
  for (VariableContents& variable : launch.variables)
    put_addresses(variable.bytes, variable.addresses, memory.bases());
  return launch;
}

LaunchResult make_memory(Workload& workload) {
  LaunchResult result;
  for (const Workload::Argument& argument : workload.arguments) {
    const auto* const buffer = std::get_if<std::uint32_t>(&argument);
    result.buffers.push_back(buffer == nullptr ? std::nullopt : std::optional(*buffer));
  }
  for (std::size_t i = 0; i < workload.buffers.size(); ++i) {
    if (workload.contents.empty() || workload.contents[i].empty()) {
      result.memory.reserve(workload.buffers[i]);
    } else {
      result.memory.add(workload.buffers[i], std::move(workload.contents[i]));
    }
  }
  for (const auto& [buffer, addresses] : workload.buffer_addresses)
    result.memory.place_addresses(buffer, addresses);
  return result;
}

bool is_large(const Recording& recording) {
  constexpr std::uint64_t kWarpInstructions = std::uint64_t{1} << 26;
  constexpr std::uint64_t kEachProduct = 64;  // A matrix product takes as long as so many other instructions
  std::uint64_t products = 0;
  for (const TensorTotals& totals : recording.tensor) products += totals.instructions;
  return recording.warp_instructions + kEachProduct * products > kWarpInstructions;
}

bool may_extrapolate(const LaunchRequest& request, const replay::Options& options) {
  return !options.replay_blocks && !request.whole_result && request.limit == 0;
}

Result<std::optional<replay::Extrapolation>> extrapolate_large(const replay::Program& program,
                                                               const replay::Launch& launch,
                                                               const replay::Memory& memory,
                                                               const replay::Options& options,
                                                               std::string& obstacle) {
  Result<replay::Extrapolation> followed = replay::extrapolate(program, launch, memory, options);
  if (!followed.ok()) return followed.error();
  obstacle = followed->obstacle;
  if (!followed->recording || !is_large(*followed->recording)) return std::optional<replay::Extrapolation>{};
  followed->recording->engine = "cpu";
  followed->recording->device = cpu_name();
  return std::optional(*std::move(followed));
}

Result<Countable> countable(const LaunchRequest& request, bool contents, replay::Progress* progress) {
  if (const CatalogKernel* const catalog_kernel = request.catalog_kernel())
    return countable_catalog_kernel(request, *catalog_kernel, contents);
  return countable_file_kernel(request, progress);
}

}  // namespace warplens::app
