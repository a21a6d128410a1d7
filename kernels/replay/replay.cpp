#include "kernels/replay/replay.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>

#include "kernels/base/texts.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/block/team.h"
#include "kernels/replay/core/core.h"
#include "kernels/replay/decode/tensor_totals.h"
#include "kernels/replay/extrapolate/exposed.h"
#include "kernels/replay/outline.h"
#include "kernels/replay/races/block_watch.h"
#include "kernels/replay/texture/textures.h"

namespace warplens::replay {
namespace {

constexpr std::uint64_t kFirstBuffer = 0x10000000, kGuard = 0x10000;

/// Whether the order of blocks can show in what they load.
bool must_run_in_order(const Program::Code& code, const Launch& launch, const Options& options) {
  return options.limit != 0 || code.sequential ||
         may_meet(code.provenance.read, code.provenance.written, launch);
}

}  // namespace

std::uint32_t Memory::add(Buffer description, std::vector<std::byte> contents) {
  description.bytes = contents.size();
  place(std::move(description));
  contents_.push_back(std::move(contents));
  reserved_.emplace_back();
  return static_cast<std::uint32_t>(buffers_.size() - 1);
}

std::uint32_t Memory::reserve(Buffer description) {
  reserved_.push_back(std::make_shared<ZeroPages>(description.bytes));
  place(std::move(description));
  contents_.emplace_back();
  return static_cast<std::uint32_t>(buffers_.size() - 1);
}

void Memory::place(Buffer description) {
  description.base = kFirstBuffer;
  if (!buffers_.empty())
    description.base = (buffers_.back().base + buffers_.back().bytes + kGuard + kGuard - 1) / kGuard * kGuard;
  buffers_.push_back(std::move(description));
  addresses_.emplace_back();
}

void Memory::place_addresses(std::uint32_t index, std::vector<PlacedAddress> addresses) {
  put_addresses(contents_[index], addresses, bases());
  addresses_[index] = std::move(addresses);
}

std::span<std::byte> Memory::bytes(std::uint32_t index) {
  if (reserved_[index] != nullptr) return {reserved_[index]->data(), buffers_[index].bytes};
  return contents_[index];
}

std::span<const std::byte> Memory::bytes(std::uint32_t index) const {
  if (reserved_[index] != nullptr) return {reserved_[index]->data(), buffers_[index].bytes};
  return contents_[index];
}

std::vector<std::uint64_t> Memory::bases() const {
  std::vector<std::uint64_t> bases;
  for (const Buffer& buffer : buffers_) bases.push_back(buffer.base);
  return bases;
}

namespace {

/// What a launch's blocks work on.
struct Ground {
  std::vector<std::byte> parameters;
  ZeroPages module_bytes;
  std::vector<std::byte*> contents;  ///< By buffer
};

/// Finds the races of threads that store to the same addresses and load none of them: replays the blocks
/// again, one after the other, and restores memory afterwards.
Result<Findings> races_of_stores(const Program::Code& code, const Launch& launch, const Memory& memory,
                                 const Options& options, const Outline& outlined, Ground& ground) {
  Options quiet = options;
  quiet.pattern_cost = nullptr;
  BlockWatch watch(code, launch, BlockWatch::For::races);
  Job job{.code = watch.code(),
          .launch = launch,
          .options = quiet,
          .sites = sites_of_launch(code, launch),
          .parameters = ground.parameters};
  set_up(job, outlined, memory.buffers(), ground.contents, ground.module_bytes);
  job.event_blocks.clear();
  watch.begin(job, 1);
  // Buffers that are too large are not watched, such as those of a guessed launch.
  if (!watch.races()->watches_all()) return Findings{};
  const std::vector<bool> written = written_regions(code, launch, memory.buffers().size());
  std::vector<std::vector<std::byte>> before(job.regions.size());
  for (std::size_t r = 0; r < before.size(); ++r) {
    const Region& region = job.regions[r];
    if (written[region.id]) before[r].assign(region.data, region.data + region.bytes);
  }
  if (options.progress != nullptr) options.progress->begin(outlined.count);
  PatternTotals totals(job.sites, quiet);
  Team team(job, totals, outlined.count, options.replay_blocks ? &outlined.blocks : nullptr, 1);
  auto error = team.run();
  for (std::size_t r = 0; r < before.size(); ++r) std::ranges::copy(before[r], job.regions[r].data);
  if (error) return std::move(*error);
  Findings findings;
  for (const auto& runner : team.runners) findings.merge(runner->findings);
  findings.keep_only([](const Finding& finding) { return finding.is_global_race(); });
  return findings;
}

/// What one block leaves in memory that the kernel may store to, which is put back.
std::optional<std::vector<std::byte>> left_by_block(const Program::Code& code, const Launch& launch,
                                                    const Memory& memory, const Options& options,
                                                    const Outline& outlined, Ground& ground,
                                                    std::uint64_t block,
                                                    std::optional<std::uint32_t> altered_shuffle) {
  constexpr std::uint64_t kMaxStoredBytes = 256u << 20, kMaxInstructions = 1u << 26;
  Options quiet = options;
  quiet.pattern_cost = nullptr;
  quiet.max_warp_instructions = kMaxInstructions;
  Job job{.code = code,
          .launch = launch,
          .options = quiet,
          .sites = sites_of_launch(code, launch),
          .parameters = ground.parameters};
  set_up(job, outlined, memory.buffers(), ground.contents, ground.module_bytes);
  job.event_blocks.clear();
  job.altered_shuffle = altered_shuffle;
  const std::vector<bool> written = written_regions(code, launch, memory.buffers().size());
  std::uint64_t bytes = 0;
  for (const Region& region : job.regions) bytes += written[region.id] ? region.bytes : 0;
  if (bytes > kMaxStoredBytes) return std::nullopt;
  std::vector<std::byte> before;
  for (const Region& region : job.regions) {
    if (written[region.id]) before.insert(before.end(), region.data, region.data + region.bytes);
  }
  PatternTotals totals(job.sites, quiet);
  const std::vector<std::uint64_t> blocks{block};
  Team team(job, totals, 1, &blocks, 1);
  const bool has_ended = !team.run();
  std::vector<std::byte> after;
  std::size_t at = 0;
  for (const Region& region : job.regions) {
    if (!written[region.id]) continue;
    after.insert(after.end(), region.data, region.data + region.bytes);
    std::copy_n(before.data() + at, region.bytes, region.data);
    at += region.bytes;
  }
  return has_ended ? std::optional(std::move(after)) : std::nullopt;
}

/// Shuffles that read from lanes that are not there, where what they read matters: with another value the
/// block leaves other memory.
Findings undefined_shuffles(const Program::Code& code, const Launch& launch, const Memory& memory,
                            const Options& options, const Outline& outlined, Ground& ground,
                            const std::map<std::uint32_t, AbsentRead>& reads) {
  constexpr std::size_t kMaxRuns = 16;
  Findings findings;
  std::size_t runs = 0;
  for (const auto& [instruction, read] : reads) {
    if (++runs > kMaxRuns || code.waits_for_grid || code.allocates || code.uses_cluster) break;
    const auto usual =
        left_by_block(code, launch, memory, options, outlined, ground, read.block, std::nullopt);
    if (usual &&
        usual != left_by_block(code, launch, memory, options, outlined, ground, read.block, instruction))
      findings.add(read.block, read.finding);
  }
  return findings;
}

Result<Recording> run_launch(const Program& program, const Launch& launch, Memory& memory,
                             const Options& options) {
  const Program::Code& code = program.code();
  const auto started = std::chrono::steady_clock::now();
  Result<Outline> outlined = outline(code, launch, options);
  if (!outlined.ok()) return outlined.error();
  if (auto error = check_textures(code, launch)) return std::move(*error);
  Ground ground{.parameters = {}, .module_bytes = code.global.pages(launch.variables), .contents = {}};
  if (auto error = pass_arguments(code, launch, memory.bases(), ground.parameters)) return std::move(*error);
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b)
    ground.contents.push_back(memory.bytes(b).data());

  const bool in_order = must_run_in_order(code, launch, options);
  BlockWatch watch(code, launch, in_order ? BlockWatch::For::races : BlockWatch::For::stores);
  Job job{.code = watch.code(),
          .launch = launch,
          .options = options,
          .sites = sites_of_launch(code, launch),
          .parameters = ground.parameters};
  set_up(job, *outlined, memory.buffers(), ground.contents, ground.module_bytes);
  const std::uint64_t count = outlined->count;
  if (options.progress != nullptr) options.progress->begin(count);

  const unsigned threads = in_order ? 1 : count_threads(options, count);
  watch.begin(job, threads);
  PatternTotals totals(job.sites, options);
  Team team(job, totals, count, options.replay_blocks ? &outlined->blocks : nullptr, threads);
  if (auto error = team.run()) {
    Findings findings;
    for (const auto& runner : team.runners) findings.merge(runner->findings);
    keep_findings(std::move(findings), code, options.progress);
    return std::move(*error);
  }

  if (job.ended) {  // Of what was not begun nothing is known
    outlined->count = job.blocks_begun;
    std::erase_if(outlined->event_blocks, [&](std::uint64_t block) { return block > job.last_begun; });
    job.event_blocks = outlined->event_blocks;
  }
  Recording recording = describe_launch(code, launch, memory, *outlined, options);
  totals.finish(recording);
  if (auto error = gather_events_of(team, job, recording)) return std::move(*error);
  Findings findings;
  Messages messages;
  std::vector<PhaseRow> phases;
  Polls polls;
  for (const auto& runner : team.runners) {
    add_phases(*runner, 1, phases);
    for (const auto& [header, times] : runner->polls) polls[header] += times;
    findings.merge(runner->findings);
    messages.merge(std::move(runner->messages));
    recording.warp_instructions += runner->warp_instructions;
    recording.thread_instructions += runner->thread_instructions;
    add_tensor_executions(recording, runner->tensor_executions);
  }
  if (watch.has_met()) {
    const Result<Findings> races = races_of_stores(code, launch, memory, options, *outlined, ground);
    if (!races.ok()) return races.error();
    findings.merge(*races);
  }
  std::map<std::uint32_t, AbsentRead> absent_reads;
  for (const auto& runner : team.runners) {
    for (auto& [instruction, read] : runner->absent_reads) {
      const auto [known, is_new] = absent_reads.try_emplace(instruction, read);
      if (is_new) continue;
      const std::uint64_t sum = known->second.finding.count + read.finding.count;
      if (read.block < known->second.block) known->second = read;
      known->second.finding.count = sum;
    }
  }
  if (!absent_reads.empty())
    findings.merge(undefined_shuffles(code, launch, memory, options, *outlined, ground, absent_reads));
  set_phases(recording, phases);
  set_waiting_loops(recording, code, polls);
  recording.findings = findings.take();
  messages.give_to(recording);
  recording.ended = job.ended;
  drop_unexecuted(recording, code.generic_site);
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
