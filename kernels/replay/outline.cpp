#include "kernels/replay/outline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/base/clusters.h"
#include "kernels/base/texts.h"
#include "kernels/recording/validate.h"
#include "kernels/replay/decode/waits.h"
#include "kernels/replay/texture/textures.h"

namespace warplens::replay {
namespace {

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::uint64_t kMaxShared = 227 * 1024;  ///< The most that a block can have, on CC 9.0 and 10.x
constexpr std::uint64_t kMaxLocal = 512 * 1024, kMaxConstant = 64 * 1024, kMaxParameters = 32764;
constexpr std::uint64_t kMaxModuleBytes = std::uint64_t{1} << 32;  ///< Of .global variables; ours

Error launch_error(const Program::Code& code, std::string what, std::string hint) {
  return {std::move(what), code.function.plain_name, std::move(hint)};
}

bool within(const Dim3& extent, const Dim3& limit) {
  return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= limit.x && extent.y <= limit.y &&
         extent.z <= limit.z;
}

std::optional<Error> check_launch(const Program::Code& code, const Launch& launch) {
  if (!within(launch.grid, kMaxGrid)) {
    return launch_error(
        code,
        tr("a grid of {x} x {y} x {z} blocks", "x"_a = launch.grid.x, "y"_a = launch.grid.y,
           "z"_a = launch.grid.z),
        tr("It has from 1 to {x} x {y} x {z}.", "x"_a = kMaxGrid.x, "y"_a = kMaxGrid.y, "z"_a = kMaxGrid.z));
  }
  if (!within(launch.block, kMaxBlock) || launch.block.count() > kMaxThreadsPerBlock) {
    return launch_error(code,
                        tr("a block of {x} x {y} x {z} threads", "x"_a = launch.block.x,
                           "y"_a = launch.block.y, "z"_a = launch.block.z),
                        tr("It has from 1 to {threads} threads, at most {most_in_z} in z.",
                           "threads"_a = kMaxThreadsPerBlock, "most_in_z"_a = kMaxBlock.z));
  }
  const struct {
    const char* too_large;
    std::uint64_t bytes, limit;
  } sizes[] = {
      {marked("the kernel wants {size} bytes of shared memory per block"),
       code.shared.bytes + launch.dynamic_shared_bytes, kMaxShared},
      {marked("the kernel wants {size} bytes of local memory per thread"),
       code.lane_local_bytes + code.lane_call_param_bytes, kMaxLocal},
      {marked("the kernel wants {size} bytes of constant memory"), code.constant.bytes, kMaxConstant},
      {marked("the kernel wants {size} bytes of parameters"), code.parameter_bytes, kMaxParameters},
      {marked("the kernel wants {size} bytes of variables in global memory"), code.global.bytes,
       kMaxModuleBytes}};
  for (const auto& size : sizes) {
    if (size.bytes > size.limit) {
      return launch_error(code, tr(fmt::runtime(size.too_large), "size"_a = size.bytes),
                          tr("There are at most {most}.", "most"_a = size.limit));
    }
  }
  if (launch.arguments.size() != code.parameters.size()) {
    return launch_error(code,
                        tr("{arguments} arguments for {parameters} parameters",
                           "arguments"_a = launch.arguments.size(), "parameters"_a = code.parameters.size()),
                        tr("Give one for each parameter."));
  }
  return std::nullopt;
}

std::optional<Error> check_cluster(const Program::Code& code, const Launch& launch) {
  const Dim3 size = code.function.bounds.cluster_or(launch.cluster), grid = launch.grid;
  if (launch.cluster.count() > 1 && launch.cluster != size) {
    return launch_error(
        code,
        tr("a cluster of {x} x {y} x {z} blocks", "x"_a = launch.cluster.x, "y"_a = launch.cluster.y,
           "z"_a = launch.cluster.z),
        tr("The kernel requires {x} x {y} x {z}.", "x"_a = size.x, "y"_a = size.y, "z"_a = size.z));
  }
  if (size.count() > kMaxBlocksOfCluster) {
    return launch_error(code, tr("a cluster of {count} blocks", "count"_a = size.count()),
                        tr("It has at most {most}.", "most"_a = kMaxBlocksOfCluster));
  }
  if (!divides_into(grid, size)) {
    return launch_error(
        code,
        tr("a grid of {x} x {y} x {z} blocks does not divide into clusters of {cluster_x} x {cluster_y} x "
           "{cluster_z}",
           "x"_a = grid.x, "y"_a = grid.y, "z"_a = grid.z, "cluster_x"_a = size.x, "cluster_y"_a = size.y,
           "cluster_z"_a = size.z),
        tr("Each extent of the grid is a multiple of the cluster's."));
  }
  return std::nullopt;
}

/// Blocks of a cluster run together.
/// Blocks by linear index, ascending, each once.
std::optional<Error> list_blocks(const Program::Code& code, Dim3 grid, const std::vector<Dim3>& blocks,
                                 std::vector<std::uint64_t>& list) {
  for (const Dim3& b : blocks) {
    if (b.x >= grid.x || b.y >= grid.y || b.z >= grid.z) {
      return launch_error(
          code,
          tr("block {block_x},{block_y},{block_z} is outside the grid of {x} x {y} x {z}", "block_x"_a = b.x,
             "block_y"_a = b.y, "block_z"_a = b.z, "x"_a = grid.x, "y"_a = grid.y, "z"_a = grid.z),
          tr("Blocks count from 0."));
    }
    list.push_back(linear_index(grid, b));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return std::nullopt;
}

std::vector<SharedArray> list_shared_arrays(const Program::Code& code, const Launch& launch) {
  std::vector<SharedArray> arrays;
  const auto add = [&](const std::string& name, std::uint64_t offset, std::uint64_t bytes,
                       std::uint32_t element_bytes) {
    SharedArray array;
    array.name = name;
    array.offset = static_cast<std::uint32_t>(offset);
    array.bytes = static_cast<std::uint32_t>(bytes);
    array.element_bytes = element_bytes;
    array.pitch = array.bytes / std::max(1u, element_bytes);
    arrays.push_back(std::move(array));
  };
  for (const auto& v : code.shared.variables) add(v.name, v.offset, v.bytes, v.element_bytes);
  if (launch.dynamic_shared_bytes != 0) {
    add(code.dynamic_shared_name.empty() ? "dynamic" : code.dynamic_shared_name, code.shared.bytes,
        launch.dynamic_shared_bytes, code.dynamic_element_bytes);
  }
  return arrays;
}

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

}  // namespace

Result<Outline> outline(const Program::Code& code, const Launch& launch, const Options& options) {
  if (auto error = check_launch(code, launch)) return std::move(*error);
  if (auto error = check_cluster(code, launch)) return std::move(*error);
  Outline result;
  result.cluster = code.function.bounds.cluster_or(launch.cluster);
  if (options.replay_blocks) {
    if (auto error = list_blocks(code, launch.grid, *options.replay_blocks, result.blocks))
      return std::move(*error);
    if (code.uses_cluster) result.blocks = with_whole_clusters(launch.grid, result.cluster, result.blocks);
  }
  if (auto error = list_blocks(code, launch.grid, options.event_blocks, result.event_blocks))
    return std::move(*error);
  if (options.replay_blocks && !std::includes(result.blocks.begin(), result.blocks.end(),
                                              result.event_blocks.begin(), result.event_blocks.end())) {
    return launch_error(code, tr("a block to record is not among those to replay"),
                        tr("Add it to the blocks to replay."));
  }
  result.count = options.replay_blocks ? result.blocks.size() : launch.grid.count();
  result.shared_bytes = static_cast<std::uint32_t>(code.shared.bytes) + launch.dynamic_shared_bytes;
  result.warps = static_cast<std::uint32_t>((launch.block.count() + kWarpSize - 1) / kWarpSize);
  return result;
}

std::optional<Error> pass_arguments(const Program::Code& code, const Launch& launch,
                                    const std::vector<std::uint64_t>& buffer_bases,
                                    std::vector<std::byte>& parameters) {
  parameters.assign(code.parameter_bytes, std::byte{0});
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const std::uint64_t bytes = code.parameters[k].bytes();
    std::byte* to = parameters.data() + code.parameter_offsets[k];
    if (const auto* scalar = std::get_if<ScalarArgument>(&launch.arguments[k])) {
      if (scalar->bytes.size() != bytes) {
        return launch_error(code,
                            tr("argument {index} has {bytes} bytes, the parameter {parameter_bytes}",
                               "index"_a = k, "bytes"_a = scalar->bytes.size(), "parameter_bytes"_a = bytes),
                            tr("Give a scalar of the parameter's type, or a buffer for a pointer."));
      }
      std::memcpy(to, scalar->bytes.data(), bytes);
      for (const PlacedAddress& address : scalar->addresses) {
        if (address.buffer >= buffer_bases.size())
          return launch_error(code, tr("argument {index} names no buffer", "index"_a = k),
                              tr("Add the buffer to the memory first."));
      }
      put_addresses({to, bytes}, scalar->addresses, buffer_bases);
      continue;
    }
    if (const auto* texture = std::get_if<TextureArgument>(&launch.arguments[k])) {
      if (texture->buffer >= buffer_bases.size())
        return launch_error(code, tr("argument {index} names no buffer", "index"_a = k),
                            tr("Add the buffer to the memory first."));
      const std::uint64_t handle = kTextureHandles + k;
      if (bytes != sizeof handle)
        return launch_error(code,
                            tr("argument {index} is a texture or surface, the parameter has {bytes} bytes",
                               "index"_a = k, "bytes"_a = bytes),
                            tr("Give a scalar of the parameter's type."));
      std::memcpy(to, &handle, sizeof handle);
      continue;
    }
    const auto& buffer = std::get<BufferArgument>(launch.arguments[k]);
    if (buffer.buffer >= buffer_bases.size())
      return launch_error(code, tr("argument {index} names no buffer", "index"_a = k),
                          tr("Add the buffer to the memory first."));
    if (bytes != 8)
      return launch_error(code,
                          tr("argument {index} is a buffer, the parameter has {bytes} bytes", "index"_a = k,
                             "bytes"_a = bytes),
                          tr("Give a scalar of the parameter's type."));
    const std::uint64_t address = buffer_bases[buffer.buffer] + buffer.byte_offset;
    std::memcpy(to, &address, sizeof address);
  }
  answer_texture_queries(code, launch, parameters);
  return std::nullopt;
}

Recording describe_launch(const Program::Code& code, const Launch& launch, const Memory& memory,
                          const Outline& outline, const Options& options) {
  Recording recording;
  recording.entry = code.function.name;
  for (const std::string& file : code.files) recording.files.push_back({file_name(file), ""});
  recording.grid = launch.grid;
  recording.block = launch.block;
  recording.cluster = outline.cluster;
  recording.shared_bytes = outline.shared_bytes;
  recording.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  recording.shared_base = options.shared_base;
  recording.buffers = memory.buffers();
  recording.shared_arrays = list_shared_arrays(code, launch);
  recording.sites = sites_of_launch(code, launch);
  recording.tensor = code.tensor;
  recording.unkept_cc = options.unkept_cc;
  recording.phases_are_barriers = code.has_barrier;
  recording.blocks_total = launch.grid.count();
  recording.blocks_counted = outline.count;
  for (const std::uint64_t b : outline.event_blocks)
    recording.event_blocks.push_back(index_from_linear(launch.grid, b));
  return recording;
}

void set_phases(Recording& recording, const std::vector<PhaseRow>& rows) {
  for (const PhaseRow& row : rows) {
    recording.phases.push_back({.global_loads = row[kGlobalLoads],
                                .global_stores = row[kGlobalStores],
                                .shared_loads = row[kSharedLoads],
                                .shared_stores = row[kSharedStores] + row[kSharedFills],
                                .other = row[kOtherAccesses],
                                .fills = row[kSharedFills]});
  }
  while (recording.phases.size() > 1 && recording.phases.back() == PhaseTotals{}) recording.phases.pop_back();
}

void set_waiting_loops(Recording& recording, const Program::Code& code, const Polls& polls) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> by_line;
  for (const auto& [header, count] : polls) {
    const std::optional<Wait> wait = find_wait(code, {code.flow.block_of[header]});
    const ptx::SourceLocation& at = code.function.instructions[wait ? wait->instruction : header].location;
    by_line[{at.outer_file, at.own_line}] += count;
  }
  for (const auto& [at, count] : by_line)
    recording.waiting_loops.push_back({.file = at.first, .line = at.second, .polls = count});
}

/// Removes sites of generic accesses that never met their space, and tensor-core instructions that were not
/// executed.
void drop_unexecuted(Recording& recording, const std::vector<bool>& generic) {
  std::erase_if(recording.tensor, [](const TensorTotals& totals) { return totals.instructions == 0; });
  std::vector<std::int32_t> moved(recording.sites.size(), -1);
  std::size_t kept = 0;
  for (std::size_t s = 0; s < recording.sites.size(); ++s) {
    if (generic[s] && recording.totals[s].requests == 0) continue;
    moved[s] = static_cast<std::int32_t>(kept);
    if (kept != s) {
      recording.sites[kept] = std::move(recording.sites[s]);
      recording.totals[kept] = std::move(recording.totals[s]);
    }
    ++kept;
  }
  recording.sites.resize(kept);
  recording.totals.resize(kept);
  for (Site& site : recording.sites) {
    if (site.value_from >= 0) site.value_from = moved[static_cast<std::size_t>(site.value_from)];
  }
  for (std::uint32_t& site : recording.events.site) site = static_cast<std::uint32_t>(moved[site]);
}

}  // namespace warplens::replay
