#include "app/compiled/as_compiled.h"

#include <algorithm>
#include <utility>

#include "app/compiled/compiled_launch.h"
#include "app/compiled/followed_values.h"
#include "app/compiled/machine_code.h"
#include "app/launch/inlined.h"
#include "kernels/base/clusters.h"
#include "kernels/base/texts.h"
#include "kernels/ptx/parser.h"
#include "kernels/sass/symbolic_execution.h"

namespace warplens::app {
namespace {

/// The blocks to follow; nullopt: all.
Result<std::optional<std::vector<Dim3>>> followed_blocks(const Recording& recording,
                                                         const std::optional<std::vector<Dim3>>& blocks) {
  if (recording.blocks_counted == recording.blocks_total) return std::optional<std::vector<Dim3>>{};
  if (blocks) return blocks;
  if (recording.event_blocks.size() == recording.blocks_counted) return std::optional{recording.event_blocks};
  std::vector<Dim3> clusters = with_whole_clusters(recording.grid, recording.cluster, recording.event_blocks);
  if (clusters.size() == recording.blocks_counted) return std::optional{std::move(clusters)};
  return Error{tr("the recording is of a part of the grid and does not say of which"), "", ""};
}

/// Machine code takes fewer instructions than PTX for the most part, and some more where one of PTX stands
/// for several. What takes many times as many is not the launch that was recorded, whatever the recording
/// says.
std::uint64_t allowed_instructions(const Recording& recording, std::uint64_t most) {
  constexpr std::uint64_t kTimes = 16, kAlways = 1'000'000;
  return std::min(most, kTimes * recording.warp_instructions + kAlways);
}

Result<sass::Launch> sass_launch_of_catalog_kernel(const Recording& recording,
                                                   const std::string& architecture) {
  const KernelDescriptor& kernel = *ladder_kernel_of(recording);
  const Result<Problem> problem = problem_of(kernel, recording, recording.parameters, recording.p);
  if (!problem.ok()) return problem.error();
  const LaunchPlan plan = kernel.plan(*problem);
  if (plan.grid != recording.grid || plan.block != recording.block)
    return Error{tr("the recording is of another launch of the kernel"), "", ""};
  const Workload outline = make_outline(kernel, *problem, plan);
  if (outline.buffers.size() > recording.buffers.size())
    return Error{tr("the recording lacks a buffer"), "", ""};
  const auto base_of = [&](std::uint32_t buffer) { return recording.buffers[buffer].base; };
  return sass::Launch{.grid = plan.grid,
                      .block = plan.block,
                      .parameters = parameter_bytes(outline, architecture, base_of),
                      .blocks = {},
                      .cluster = recording.cluster};
}

/// The recording's own files keep their indices; others of the listing come after them.
std::vector<SourceFile> joined_files(const Recording& recording, const sass::Listing& listing,
                                     std::vector<std::uint32_t>& index_of) {
  std::vector<SourceFile> files = recording.files;
  for (const std::string& name : listing.files) {
    const auto known = std::ranges::find(files, name, &SourceFile::name);
    index_of.push_back(static_cast<std::uint32_t>(known - files.begin()));
    if (known == files.end()) files.push_back({.name = name, .text = ""});
  }
  return files;
}

/// Whether the machine code stores less to shared memory and yet does what was recorded: with all values it
/// counts the same, and leaves the same.
bool drops_stores_of_no_use(const Recording& recording, const sass::Listing& listing,
                            const sass::Launch& launch, const AsCompiled& result,
                            const std::atomic<bool>* cancelled) {
  const Result<FollowedValues> values = follow_values(recording, listing, result.function, launch, cancelled);
  return values.ok() && values->followed.totals == result.accesses.totals &&
         values->followed.shapes == result.accesses.shapes && values->followed.executed == result.executed &&
         leaves_what_the_replay_leaves(recording, *values);
}

/// Whether executing the machine code takes long: its blocks are as long as those that were replayed.
bool takes_long_to_follow(const Recording& recording) {
  constexpr std::uint64_t kMostInABlock = std::uint64_t{1} << 20;
  return recording.warp_instructions / std::max<std::uint64_t>(recording.blocks_counted, 1) > kMostInABlock;
}

/// Whether a call by an absolute address, which machine code makes of printf, can be of nothing but the
/// system's functions.
bool calls_system_only(const Recording& recording, const sass::Function& function) {
  const auto is_absolute = [](const sass::Instruction& instruction) {
    return instruction.opcode == "CALL" && instruction.has("ABS");
  };
  if (std::ranges::none_of(function.instructions, is_absolute)) return false;
  const Result<ptx::Module> module = ptx::parse(recording.ptx, recording.origin_file);
  if (!module.ok()) return false;
  const auto is_by_address = [](const ptx::Instruction& instruction) {
    return instruction.opcode == ptx::Opcode::call && instruction.operands[1].kind == ptx::Operand::Kind::reg;
  };
  return std::ranges::none_of(module->functions, [&](const ptx::Function& one) {
    return std::ranges::any_of(one.instructions, is_by_address);
  });
}

/// Fills in what is counted; what went wrong instead.
std::string count(const Recording& recording, const sass::Listing& listing, analysis::ComputeCapability cc,
                  const std::optional<std::vector<Dim3>>& chosen, std::uint64_t most,
                  const std::atomic<bool>* cancelled, MachineCode effort, AsCompiled& result) {
  const bool ended_early = std::ranges::any_of(
      recording.findings, [](const Finding& f) { return f.kind == FindingKind::barrier_divergence; });
  if (ended_early)
    return tr(
        "a barrier that a part of a block does not reach ended the replay, and what a GPU does then is not "
        "defined");
  if (std::ranges::any_of(recording.findings,
                          [](const Finding& f) { return f.kind == FindingKind::deadlock; })) {
    return tr("a loop that waits for ever ended the replay");
  }
  if (recording.ended) return tr("the launch was ended before its end");
  const auto blocks = followed_blocks(recording, chosen);
  if (!blocks.ok()) return reason(blocks.error());
  Result<sass::Launch> launch = recording.origin == Origin::file
                                    ? launch_of_file(recording, result.architecture)
                                    : sass_launch_of_catalog_kernel(recording, result.architecture);
  if (!launch.ok()) return reason(launch.error());
  launch->blocks = *blocks;
  launch->calls_system_only = calls_system_only(recording, result.function);
  launch->max_instructions = allowed_instructions(recording, most);
  launch->one_of_each_kind = recording.warp_instructions > most;
  bool needs_values = false;
  Result<sass::SymbolicExecution> followed =
      sass::execute_symbolically(listing, result.function, *launch, cancelled, &needs_values);
  if (needs_values) {
    Result<FollowedValues> with_values =
        follow_values(recording, listing, result.function, *launch, cancelled);
    if (!with_values.ok()) return reason(with_values.error());
    followed = std::move(with_values->followed);
  }
  if (!followed.ok()) return reason(followed.error());

  Recording& accesses = result.accesses;
  std::vector<std::uint32_t> index_of;
  accesses.files = joined_files(recording, listing, index_of);
  accesses.sites = std::move(followed->sites);
  accesses.shapes = std::move(followed->shapes);
  accesses.totals = std::move(followed->totals);
  for (Site& site : accesses.sites) site.file = site.line != 0 ? index_of[site.file] : 0;
  result.executed = std::move(followed->executed);
  result.tries_again = followed->tries_again;
  result.report = analysis::report(accesses, cc);
  const auto instructions = static_cast<std::uint32_t>(result.function.instructions.size());
  result.mix = sass::instruction_mix(result.function, result.executed, 0, instructions);
  result.loop = sass::hottest_loop(result.function, result.executed);
  if (result.loop)
    result.inner =
        sass::instruction_mix(result.function, result.executed, result.loop->first, result.loop->end);
  const analysis::Report written = analysis::report(recording, cc);
  std::string why = analysis::disagreement(written, result.report);
  if (why.empty() || !analysis::may_drop_stores(written, result.report)) return why;
  if (effort == MachineCode::at_hand) {
    result.left_for_later = true;
    return tr("it is being followed");
  }
  if (drops_stores_of_no_use(recording, listing, *launch, result, cancelled)) why.clear();
  return why;
}

}  // namespace

AsCompiled as_compiled(const Recording& recording, analysis::ComputeCapability cc,
                       const std::optional<std::vector<Dim3>>& blocks, const std::atomic<bool>* cancelled,
                       std::uint64_t max_instructions, MachineCode effort) {
  AsCompiled result;
  const auto without_listing = [&](std::string why) {
    result.why_no_listing = std::move(why);
    return result;
  };
  result.architecture = architecture_of_machine_code(recording, cc);
  if (result.architecture.empty())
    return without_listing(
        tr("nvcc 13.0 makes no machine code for compute capability {cc}", "cc"_a = cc.name()));
  const bool follow_later = effort == MachineCode::at_hand && takes_long_to_follow(recording);
  result.left_for_later =
      follow_later || (effort == MachineCode::at_hand && can_be_made(recording, result.architecture));
  const Result<std::string> text = machine_code_of(recording, result.architecture, effort, cancelled);
  if (!text.ok()) return without_listing(reason(text.error()));
  Result<sass::Listing> listing = sass::parse_listing(*text, recording.kernel + " " + result.architecture);
  if (!listing.ok()) return without_listing(reason(listing.error()));
  place_instructions(*listing, recording);
  const sass::Function* const function = listing->find(recording.entry);
  if (function == nullptr) return without_listing(tr("the listing lacks the kernel"));
  result.function = *function;
  result.files = listing->files;
  result.why_no_counts =
      follow_later ? tr("it is being followed")
                   : count(recording, *listing, cc, blocks, max_instructions, cancelled, effort, result);
  return result;
}

}  // namespace warplens::app
