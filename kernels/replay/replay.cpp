#include "kernels/replay/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "kernels/recording/shape_table.h"
#include "kernels/recording/validate.h"
#include "kernels/replay/worker.h"

namespace warplens::replay {
namespace {

constexpr std::uint64_t kFirstBuffer = 0x10000000, kGuard = 0x10000;
/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::uint64_t kMaxShared = 227 * 1024;  ///< The most that a block can have, on CC 9.0 and 10.x
constexpr std::uint64_t kMaxLocal = 512 * 1024, kMaxConstant = 64 * 1024, kMaxParameters = 32764;
constexpr std::uint64_t kMaxModuleBytes = std::uint64_t{1} << 32;  ///< Of .global variables; ours

Error launch_error(const Program::Code& code, std::string what, std::string hint) {
  return {std::move(what), code.function.plain_name, std::move(hint)};
}

bool within(const Dim3& extent, const Dim3& limit) {
  return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= limit.x && extent.y <= limit.y && extent.z <= limit.z;
}

std::optional<Error> check_launch(const Program::Code& code, const Launch& launch) {
  if (!within(launch.grid, kMaxGrid)) {
    return launch_error(code, fmt::format("a grid of {} x {} x {} blocks", launch.grid.x, launch.grid.y, launch.grid.z),
                        fmt::format("It has from 1 to {} x {} x {}.", kMaxGrid.x, kMaxGrid.y, kMaxGrid.z));
  }
  if (!within(launch.block, kMaxBlock) || launch.block.count() > kMaxThreadsPerBlock) {
    return launch_error(code, fmt::format("a block of {} x {} x {} threads", launch.block.x, launch.block.y, launch.block.z),
                        fmt::format("It has from 1 to {} threads, at most {} in z.", kMaxThreadsPerBlock, kMaxBlock.z));
  }
  const struct {
    const char* what;
    std::uint64_t bytes, limit;
  } sizes[] = {{"shared memory a block", code.shared.bytes + launch.dynamic_shared_bytes, kMaxShared},
               {"local memory a thread", code.local.bytes, kMaxLocal},
               {"constant memory", code.constant.bytes, kMaxConstant},
               {"parameters", code.parameter_bytes, kMaxParameters},
               {"variables in global memory", code.global.bytes, kMaxModuleBytes}};
  for (const auto& size : sizes) {
    if (size.bytes > size.limit) {
      return launch_error(code, fmt::format("the kernel wants {} bytes of {}", size.bytes, size.what),
                          fmt::format("There are at most {}.", size.limit));
    }
  }
  if (launch.arguments.size() != code.parameters.size()) {
    return launch_error(code, fmt::format("{} arguments for {} parameters", launch.arguments.size(), code.parameters.size()),
                        "Give one for each parameter.");
  }
  return std::nullopt;
}

std::optional<Error> pass_arguments(const Program::Code& code, const Launch& launch, const Memory& memory, std::vector<std::byte>& parameters) {
  parameters.assign(code.parameter_bytes, std::byte{0});
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const std::uint64_t bytes = code.parameters[k].bytes();
    std::byte* to = parameters.data() + code.parameter_offsets[k];
    if (const auto* scalar = std::get_if<ScalarArgument>(&launch.arguments[k])) {
      if (scalar->bytes.size() != bytes) {
        return launch_error(code, fmt::format("argument {} has {} bytes, the parameter {}", k, scalar->bytes.size(), bytes),
                            "Give a scalar of the parameter's type, or a buffer for a pointer.");
      }
      std::memcpy(to, scalar->bytes.data(), bytes);
      continue;
    }
    const auto& buffer = std::get<BufferArgument>(launch.arguments[k]);
    if (buffer.buffer >= memory.buffers().size())
      return launch_error(code, fmt::format("argument {} names no buffer", k), "Add the buffer to the memory first.");
    if (bytes != 8)
      return launch_error(code, fmt::format("argument {} is a buffer, the parameter has {} bytes", k, bytes),
                          "Give a scalar of the parameter's type.");
    const std::uint64_t address = memory.buffers()[buffer.buffer].base + buffer.byte_offset;
    std::memcpy(to, &address, sizeof address);
  }
  return std::nullopt;
}

/// Blocks by linear index, ascending, each once.
std::optional<Error> list_blocks(const Program::Code& code, Dim3 grid, const std::vector<Dim3>& blocks, std::vector<std::uint64_t>& list) {
  for (const Dim3& b : blocks) {
    if (b.x >= grid.x || b.y >= grid.y || b.z >= grid.z) {
      return launch_error(code, fmt::format("block {},{},{} is outside the grid of {} x {} x {}", b.x, b.y, b.z, grid.x, grid.y, grid.z),
                          "Blocks count from 0.");
    }
    list.push_back(linear_index(grid, b));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return std::nullopt;
}

void map_memory(Memory& memory, std::vector<std::byte>& module_bytes, Job& job) {
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) {
    const Buffer& buffer = memory.buffers()[b];
    job.regions.push_back({buffer.base, buffer.bytes, memory.contents(b).data(), static_cast<std::uint32_t>(job.region_names.size())});
    job.region_names.push_back("buffer " + buffer.name);
  }
  for (const auto& variable : job.code.global.variables) {
    job.regions.push_back(
        {kModuleBase + variable.offset, variable.bytes, module_bytes.data() + variable.offset, static_cast<std::uint32_t>(job.region_names.size())});
    job.region_names.push_back("variable " + variable.name);
  }
}

Error out_of_memory() {
  return {"not enough memory for the replay", "", "Replay fewer blocks, or record events of fewer."};
}

/// Runs blocks on several threads. They are claimed in ascending order, so of several errors the one of the lowest block is everyone's.
class Team {
 public:
  Team(Job& job, PatternTotals& totals, std::uint64_t count, const std::vector<std::uint64_t>* blocks, unsigned threads)
      : job_(job), count_(count), blocks_(blocks) {
    for (unsigned t = 0; t < threads; ++t) workers.push_back(std::make_unique<Worker>(job, totals));
  }

  std::optional<Error> run() {
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < workers.size(); ++t) threads.emplace_back([this, t] { work(*workers[t]); });
    work(*workers[0]);
    for (std::thread& thread : threads) thread.join();
    return std::move(error_);
  }

  std::vector<std::unique_ptr<Worker>> workers;

 private:
  void work(Worker& worker) {
    try {
      run_blocks(worker);
      worker.finish();
    } catch (const std::bad_alloc&) {
      note(count_, out_of_memory());
    }
  }
  void run_blocks(Worker& worker) {
    Progress* progress = job_.options.progress;
    for (;;) {
      const std::uint64_t k = next_.fetch_add(1, std::memory_order_relaxed);
      if (k >= count_) break;
      const std::uint64_t block = blocks_ != nullptr ? (*blocks_)[k] : k;
      std::optional<Error> error = worker.run_block(block);
      if (!error && progress != nullptr && progress->cancel.load(std::memory_order_relaxed)) error = Error{"cancelled", "", ""};
      if (error) {
        note(block, std::move(*error));
        break;
      }
      if (progress != nullptr) progress->blocks_done.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void note(std::uint64_t block, Error error) {
    const std::lock_guard lock(mutex_);
    next_.store(count_, std::memory_order_relaxed);
    if (error_ && block >= error_block_) return;
    error_ = std::move(error);
    error_block_ = block;
  }

  Job& job_;
  std::uint64_t count_;
  const std::vector<std::uint64_t>* blocks_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::optional<Error> error_;
  std::uint64_t error_block_ = 0;
};

void append_events(Recording& recording, std::vector<BlockEvents>& blocks, const std::vector<std::uint64_t>& event_blocks) {
  std::sort(blocks.begin(), blocks.end(), [](const BlockEvents& a, const BlockEvents& b) { return a.block < b.block; });
  EventColumns& to = recording.events;
  for (BlockEvents& from : blocks) {
    const auto at = std::lower_bound(event_blocks.begin(), event_blocks.end(), from.block) - event_blocks.begin();
    const EventColumns& c = from.columns;
    to.site.insert(to.site.end(), c.site.begin(), c.site.end());
    to.block.resize(to.site.size(), static_cast<std::uint32_t>(at));
    to.warp.insert(to.warp.end(), c.warp.begin(), c.warp.end());
    to.phase.insert(to.phase.end(), c.phase.begin(), c.phase.end());
    to.order.insert(to.order.end(), c.order.begin(), c.order.end());
    to.mask.insert(to.mask.end(), c.mask.begin(), c.mask.end());
    to.base.insert(to.base.end(), c.base.begin(), c.base.end());
    to.shape.insert(to.shape.end(), c.shape.begin(), c.shape.end());
    from.columns = {};
  }
}

/// Events refer to the shapes of the worker that recorded them; afterwards to the recording's.
void gather_events(Recording& recording, Team& team, const std::vector<std::uint64_t>& event_blocks) {
  ShapeTable table;
  std::vector<std::uint32_t> kept;  // the totals' shapes come first, in place
  for (const Shape& shape : recording.shapes) kept.push_back(table.intern(shape));
  std::vector<BlockEvents> all;
  for (const auto& worker : team.workers) {
    std::vector<std::uint32_t> index;
    for (const Shape& shape : worker->event_shapes.shapes()) index.push_back(table.intern(shape));
    for (BlockEvents& block : worker->events) {
      for (std::uint32_t& shape : block.columns.shape) shape = index[shape];
      all.push_back(std::move(block));
    }
  }
  append_events(recording, all, event_blocks);
  recording.shapes = table.take();
}

void gather_phases(Recording& recording, const Team& team) {
  for (const auto& worker : team.workers) {
    if (worker->phases.size() > recording.phases.size()) recording.phases.resize(worker->phases.size());
    for (std::size_t k = 0; k < worker->phases.size(); ++k) {
      const auto& from = worker->phases[k];
      PhaseTotals& to = recording.phases[k];
      to.global_loads += from[kGlobalLoads];
      to.global_stores += from[kGlobalStores];
      to.shared_loads += from[kSharedLoads];
      to.shared_stores += from[kSharedStores] + from[kSharedFills];
      to.fills += from[kSharedFills];
      to.other += from[kOtherAccesses];
    }
  }
  while (recording.phases.size() > 1 && recording.phases.back() == PhaseTotals{}) recording.phases.pop_back();
}

/// A generic access has sites for all spaces; those that it never met are dropped.
void drop_unmet_sites(Recording& recording, const std::vector<bool>& generic) {
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

std::vector<SharedArray> list_shared_arrays(const Program::Code& code, const Launch& launch) {
  std::vector<SharedArray> arrays;
  const auto add = [&](const std::string& name, std::uint64_t offset, std::uint64_t bytes, std::uint32_t element_bytes) {
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
    add(code.dynamic_shared_name.empty() ? "dynamic" : code.dynamic_shared_name, code.shared.bytes, launch.dynamic_shared_bytes,
        code.dynamic_element_bytes);
  }
  return arrays;
}

/// Buffers (and other origins, as bits above them) that a set of parameters points to at this launch.
bool meet(std::uint64_t read, std::uint64_t written, const Launch& launch) {
  if (read == 0 || written == 0) return false;
  if (((read | written) & kFromAnywhere) != 0 || (read & written & kFromModule) != 0) return true;
  std::set<std::uint32_t> buffers;
  const auto for_each_buffer = [&](std::uint64_t parameters, auto&& use) {
    for (std::size_t k = 0; k < launch.arguments.size() && k < 62; ++k) {
      const auto* buffer = std::get_if<BufferArgument>(&launch.arguments[k]);
      if (buffer != nullptr && (parameters >> k & 1) != 0) use(buffer->buffer);
    }
  };
  for_each_buffer(read, [&](std::uint32_t buffer) { buffers.insert(buffer); });
  bool shared = false;
  for_each_buffer(written, [&](std::uint32_t buffer) { shared |= buffers.contains(buffer); });
  return shared;
}

/// One, where the order of blocks can show in what they load.
unsigned count_threads(const Program::Code& code, const Launch& launch, const Options& options, std::uint64_t blocks) {
  if (code.sequential || meet(code.provenance.read, code.provenance.written, launch)) return 1;
  const unsigned wanted = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, wanted));
}

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

}  // namespace

std::uint32_t Memory::add(Buffer description, std::vector<std::byte> contents) {
  std::uint64_t base = kFirstBuffer;
  if (!buffers_.empty()) base = (buffers_.back().base + buffers_.back().bytes + kGuard + kGuard - 1) / kGuard * kGuard;
  description.base = base;
  description.bytes = contents.size();
  buffers_.push_back(std::move(description));
  contents_.push_back(std::move(contents));
  return static_cast<std::uint32_t>(buffers_.size() - 1);
}

namespace {

Result<Recording> run_launch(const Program& program, const Launch& launch, Memory& memory, const Options& options) {
  const Program::Code& code = program.code();
  const auto started = std::chrono::steady_clock::now();
  if (auto error = check_launch(code, launch)) return std::move(*error);
  Job job{.code = code, .launch = launch, .options = options};
  if (auto error = pass_arguments(code, launch, memory, job.parameters)) return std::move(*error);
  std::vector<std::uint64_t> blocks, event_blocks;
  if (options.replay_blocks) {
    if (auto error = list_blocks(code, launch.grid, *options.replay_blocks, blocks)) return std::move(*error);
  }
  if (auto error = list_blocks(code, launch.grid, options.event_blocks, event_blocks)) return std::move(*error);
  if (options.replay_blocks && !std::includes(blocks.begin(), blocks.end(), event_blocks.begin(), event_blocks.end())) {
    return launch_error(code, "a block to record is not among those to replay", "Add it to the blocks to replay.");
  }

  const std::uint64_t count = options.replay_blocks ? blocks.size() : launch.grid.count();
  std::vector<std::byte> module_bytes = code.global.contents();
  job.constants = code.constant.contents();
  map_memory(memory, module_bytes, job);
  job.shared_bytes = static_cast<std::uint32_t>(code.shared.bytes) + launch.dynamic_shared_bytes;
  job.warps = static_cast<std::uint32_t>((launch.block.count() + kWarpSize - 1) / kWarpSize);
  job.event_blocks = event_blocks;
  if (options.progress != nullptr) options.progress->blocks_total = count;

  PatternTotals totals(code.sites, options);
  Team team(job, totals, count, options.replay_blocks ? &blocks : nullptr, count_threads(code, launch, options, count));
  if (auto error = team.run()) return std::move(*error);

  Recording recording;
  recording.entry = code.function.name;
  for (const std::string& file : code.files) recording.files.push_back({file_name(file), ""});
  recording.grid = launch.grid;
  recording.block = launch.block;
  recording.shared_bytes = job.shared_bytes;
  recording.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  recording.buffers = memory.buffers();
  recording.shared_arrays = list_shared_arrays(code, launch);
  recording.sites = code.sites;
  totals.finish(recording);
  const std::size_t totals_shapes = recording.shapes.size();
  recording.judged_cc = options.judged_cc;
  gather_phases(recording, team);
  recording.phases_are_barriers = code.has_barrier;
  recording.blocks_total = launch.grid.count();
  recording.blocks_replayed = count;
  for (const std::uint64_t b : event_blocks) recording.event_blocks.push_back(index_from_linear(launch.grid, b));
  gather_events(recording, team, event_blocks);
  if (recording.shapes.size() > kMaxEventShapes + totals_shapes) return too_many_shapes(code);
  Findings findings;
  for (const auto& worker : team.workers) {
    findings.merge(worker->findings);
    recording.warp_instructions += worker->warp_instructions;
    recording.thread_instructions += worker->thread_instructions;
  }
  recording.findings = findings.take();
  drop_unmet_sites(recording, code.generic_site);
  canonicalise(recording);
  recording.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return recording;
}

}  // namespace

Result<Recording> run(const Program& program, const Launch& launch, Memory& memory, const Options& options) {
  try {
    return run_launch(program, launch, memory, options);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace warplens::replay
