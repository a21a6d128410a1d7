#include "kernels/replay/replay.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <set>
#include <thread>

#include "kernels/base/texts.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/core.h"
#include "kernels/replay/outline.h"
#include "kernels/replay/team.h"
#include "kernels/replay/textures.h"

namespace warplens::replay {
namespace {

constexpr std::uint64_t kFirstBuffer = 0x10000000, kGuard = 0x10000;

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
  if (options.limit != 0 || code.sequential || meet(code.provenance.read, code.provenance.written, launch)) return 1;
  return warplens::replay::count_threads(options, blocks);
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
  if (!buffers_.empty()) description.base = (buffers_.back().base + buffers_.back().bytes + kGuard + kGuard - 1) / kGuard * kGuard;
  buffers_.push_back(std::move(description));
}

std::span<std::byte> Memory::bytes(std::uint32_t index) {
  if (reserved_[index] != nullptr) return {reserved_[index]->data(), buffers_[index].bytes};
  return contents_[index];
}

std::vector<std::uint64_t> Memory::bases() const {
  std::vector<std::uint64_t> bases;
  for (const Buffer& buffer : buffers_) bases.push_back(buffer.base);
  return bases;
}

namespace {

Result<Recording> run_launch(const Program& program, const Launch& launch, Memory& memory, const Options& options) {
  const Program::Code& code = program.code();
  const auto started = std::chrono::steady_clock::now();
  Result<Outline> outlined = outline(code, launch, options);
  if (!outlined.ok()) return outlined.error();
  if (auto error = check_textures(code, launch)) return std::move(*error);
  Job job{.code = code, .launch = launch, .options = options, .sites = sites_of_launch(code, launch)};
  if (auto error = pass_arguments(code, launch, memory.bases(), job.parameters)) return std::move(*error);

  std::vector<std::byte> module_bytes = code.global.contents(launch.variables);
  std::vector<std::byte*> contents;
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) contents.push_back(memory.bytes(b).data());
  set_up(job, *outlined, memory.buffers(), contents, module_bytes);
  const std::uint64_t count = outlined->count;
  if (options.progress != nullptr) options.progress->begin(count);

  PatternTotals totals(job.sites, options);
  Team team(job, totals, count, options.replay_blocks ? &outlined->blocks : nullptr, count_threads(code, launch, options, count));
  if (auto error = team.run()) return std::move(*error);

  if (job.ended) {  // Of what was not begun nothing is known
    outlined->count = job.blocks_begun;
    std::erase_if(outlined->event_blocks, [&](std::uint64_t block) { return block > job.last_begun; });
    job.event_blocks = outlined->event_blocks;
  }
  Recording recording = describe_launch(code, launch, memory, *outlined, options);
  recording.sites = job.sites;
  totals.finish(recording);
  if (auto error = gather_events_of(team, job, recording)) return std::move(*error);
  Findings findings;
  Messages messages;
  std::vector<PhaseRow> phases;
  for (const auto& runner : team.runners) {
    add_phases(*runner, 1, phases);
    findings.merge(runner->findings);
    messages.merge(std::move(runner->messages));
    recording.warp_instructions += runner->warp_instructions;
    recording.thread_instructions += runner->thread_instructions;
  }
  set_phases(recording, phases);
  recording.findings = findings.take();
  messages.give_to(recording);
  recording.ended = job.ended;
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
