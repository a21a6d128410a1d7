#include "kernels/replay/replay.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "kernels/base/texts.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/block_runner.h"
#include "kernels/replay/core.h"
#include "kernels/replay/outline.h"

namespace warplens::replay {
namespace {

constexpr std::uint64_t kFirstBuffer = 0x10000000, kGuard = 0x10000;
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
  return {tr("not enough memory for the replay"), "", tr("Replay fewer blocks, or record events of fewer.")};
}

/// Runs blocks on several threads. They are claimed in ascending order, so of several errors the one of the lowest block is everyone's.
class Team {
 public:
  Team(Job& job, PatternTotals& totals, std::uint64_t count, const std::vector<std::uint64_t>* blocks, unsigned threads)
      : job_(job), count_(count), blocks_(blocks) {
    for (unsigned t = 0; t < threads; ++t) runners.push_back(std::make_unique<BlockRunner>(job, totals));
  }

  std::optional<Error> run() {
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < runners.size(); ++t) threads.emplace_back([this, t] { work(*runners[t]); });
    work(*runners[0]);
    for (std::thread& thread : threads) thread.join();
    return std::move(error_);
  }

  std::vector<std::unique_ptr<BlockRunner>> runners;

 private:
  void work(BlockRunner& runner) {
    try {
      run_blocks(runner);
      runner.finish();
    } catch (const std::bad_alloc&) {
      note(count_, out_of_memory());
    }
  }
  void run_blocks(BlockRunner& runner) {
    Progress* progress = job_.options.progress;
    for (;;) {
      const std::uint64_t k = next_.fetch_add(1, std::memory_order_relaxed);
      if (k >= count_) break;
      const std::uint64_t block = blocks_ != nullptr ? (*blocks_)[k] : k;
      std::optional<Error> error = runner.run_block(block);
      if (!error && progress != nullptr && progress->cancel.load(std::memory_order_relaxed)) error = Error{tr("cancelled"), "", ""};
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

void gather_phases(Recording& recording, const Team& team) {
  std::vector<PhaseRow> rows;
  for (const auto& runner : team.runners) {
    if (runner->phases.size() > rows.size()) rows.resize(runner->phases.size());
    for (std::size_t k = 0; k < runner->phases.size(); ++k) {
      for (std::size_t column = 0; column < kPhaseColumns; ++column) rows[k][column] += runner->phases[k][column];
    }
  }
  set_phases(recording, rows);
}

/// Logs have the addresses that the kernel saw, recordings offsets in the block's own shared memory.
void count_from_shared_base(Recording& recording) {
  EventColumns& events = recording.events;
  for (std::size_t event = 0; recording.shared_base != 0 && event < events.size(); ++event) {
    if (recording.sites[events.site[event]].space == Space::shared) events.base[event] -= recording.shared_base;
  }
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
  Result<Outline> outlined = outline(code, launch, options);
  if (!outlined.ok()) return outlined.error();
  std::vector<std::uint64_t> bases;
  for (const Buffer& buffer : memory.buffers()) bases.push_back(buffer.base);
  Job job{.code = code, .launch = launch, .options = options};
  if (auto error = pass_arguments(code, launch, bases, job.parameters)) return std::move(*error);

  std::vector<std::byte> module_bytes = code.global.contents();
  job.constants = code.constant.contents();
  map_memory(memory, module_bytes, job);
  job.shared_begin = options.shared_base;
  job.shared_end = options.shared_base + outlined->shared_bytes;
  job.warps = outlined->warps;
  job.event_blocks = outlined->event_blocks;
  const std::uint64_t count = outlined->count;
  if (options.progress != nullptr) options.progress->blocks_total = count;

  PatternTotals totals(code.sites, options);
  Team team(job, totals, count, options.replay_blocks ? &outlined->blocks : nullptr, count_threads(code, launch, options, count));
  if (auto error = team.run()) return std::move(*error);

  Recording recording = describe_launch(code, launch, memory, *outlined, options);
  totals.finish(recording);
  const std::size_t totals_shapes = recording.shapes.size();
  gather_phases(recording, team);
  std::vector<EventLog*> logs;
  for (const auto& runner : team.runners) logs.push_back(&runner->event_log);
  gather_events(recording, logs, outlined->event_blocks);
  count_from_shared_base(recording);
  if (recording.shapes.size() > kMaxEventShapes + totals_shapes) return too_many_shapes(code);
  Findings findings;
  for (const auto& runner : team.runners) {
    findings.merge(runner->findings);
    recording.warp_instructions += runner->warp_instructions;
    recording.thread_instructions += runner->thread_instructions;
  }
  recording.findings = findings.take();
  drop_unmet_sites(recording, code.generic_site);
  canonicalise(recording);
  recording.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return recording;
}

}  // namespace

const char* instruction_set() {
  return best_core().name;
}

Result<Recording> run(const Program& program, const Launch& launch, Memory& memory, const Options& options) {
  try {
    return run_launch(program, launch, memory, options);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace warplens::replay
