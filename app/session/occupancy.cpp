// What the machine code of a recorded kernel, and of its variants, takes of a multiprocessor.
#include <fmt/core.h>

#include <algorithm>

#include "app/compiled/compiled_launch.h"
#include "app/compiled/machine_code.h"
#include "app/session/loaded.h"
#include "kernels/base/texts.h"
#include "kernels/ptx/demangle.h"
#include "kernels/sass/symbolic_execution.h"

namespace warplens::app {
namespace {

using analysis::CompiledResources;
using analysis::CompiledVariant;

/// The member of each family that the listings are made for.
constexpr analysis::ComputeCapability kListed[] = {{7, 5}, {8, 6}, {9, 0}};

/// Local accesses are counted with a p of at most so much: each term of the sum takes as many.
constexpr std::uint64_t kMostTerms = 16;
/// One block takes thousands with so few terms.
constexpr std::uint64_t kMostFollowed = 10'000'000;

const sass::Function* find_function(const sass::Listing& listing, const std::string& plain_name) {
  const auto found = std::ranges::find_if(listing.functions, [&](const sass::Function& function) {
    return ptx::plain_name(function.name) == plain_name;
  });
  return found == listing.functions.end() ? nullptr : &*found;
}

/// Follows the first block of the grid, and counts its requests to local memory.
void count_local(const sass::Listing& listing, const sass::Function& function, const KernelDescriptor& kernel,
                 const Problem& problem, MachineCode effort, const std::atomic<bool>* cancelled,
                 CompiledVariant& variant) {
  const auto is_local = [](const sass::Instruction& instruction) {
    return instruction.opcode == "LDL" || instruction.opcode == "STL";
  };
  if (std::ranges::none_of(function.instructions, is_local)) {
    variant.local_loads = variant.local_stores = 0;
    return;
  }
  variant.follow_later = effort == MachineCode::at_hand;
  if (variant.follow_later) return;
  const LaunchPlan plan = kernel.plan(problem);
  // Wherever the buffers lie: far enough from each other.
  const auto base_of = [](std::uint32_t buffer) { return std::uint64_t{buffer + 1} << 36; };
  const sass::Launch launch{
      .grid = plan.grid,
      .block = plan.block,
      .parameters = parameter_bytes(make_outline(kernel, problem, plan), listing.architecture, base_of),
      .blocks = std::vector<Dim3>{{0, 0, 0}},
      .max_instructions = kMostFollowed};
  const Result<sass::SymbolicExecution> followed =
      sass::execute_symbolically(listing, function, launch, cancelled);
  if (!followed.ok()) return;
  std::uint64_t loads = 0, stores = 0;
  for (std::size_t i = 0; i < followed->sites.size(); ++i) {
    if (followed->sites[i].space != Space::local) continue;
    (followed->sites[i].op == AccessOp::load ? loads : stores) += followed->totals[i].requests;
  }
  variant.local_loads = loads;
  variant.local_stores = stores;
}

struct VariantProblem {
  std::string name;
  bool recorded = false;
  Problem problem;  ///< With the recording's extents
};

/// One for each value of the kernel's first parameter, the others as recorded; for a kernel without, the
/// recorded launch alone.
std::vector<VariantProblem> variant_problems(const KernelDescriptor& kernel, const Recording& recording) {
  std::vector<VariantProblem> variants;
  const auto add = [&](std::string name, const std::vector<NamedValue>& parameters) {
    Result<Problem> problem = problem_of(kernel, recording, parameters, recording.p);
    if (problem.ok())
      variants.push_back({std::move(name), parameters == recording.parameters, *std::move(problem)});
  };
  if (kernel.parameters.empty()) {
    add("", recording.parameters);
    return variants;
  }
  const ParameterInfo& varied = kernel.parameters.front();
  for (const std::int64_t value : varied.values) {
    std::vector<NamedValue> parameters = recording.parameters;
    for (NamedValue& parameter : parameters) {
      if (parameter.name == varied.name) parameter.value = value;
    }
    add(fmt::format("{} = {}", varied.name, value), parameters);
  }
  return variants;
}

/// Where the parameter changes nothing that is shown here, the recorded launch stands for all.
void drop_repeated(std::vector<CompiledVariant>& variants) {
  const auto differs = [&](const CompiledVariant& variant) {
    return variant.needs != variants.front().needs || variant.stack_bytes != variants.front().stack_bytes;
  };
  if (std::ranges::any_of(variants, differs)) return;
  std::erase_if(variants, [](const CompiledVariant& variant) { return !variant.recorded; });
  for (CompiledVariant& variant : variants) variant.name.clear();
}

CompiledResources resources_of(const KernelDescriptor& kernel, const Recording& recording,
                               const sass::Listing& listing, analysis::ComputeCapability cc,
                               MachineCode effort, const std::atomic<bool>* cancelled) {
  CompiledResources resources{.architecture = listing.architecture,
                              .cc = cc,
                              .terms = std::min(recording.p, kMostTerms),
                              .variants = {}};
  for (const auto& [name, recorded, problem] : variant_problems(kernel, recording)) {
    const LaunchPlan plan = kernel.plan(problem);
    const sass::Function* const function = find_function(listing, plan.entry);
    if (function == nullptr || !function->resources) continue;
    const sass::Resources& taken = *function->resources;
    CompiledVariant variant{.name = name,
                            .recorded = recorded,
                            .needs = {.threads = static_cast<std::uint32_t>(plan.block.count()),
                                      .registers = taken.registers,
                                      .shared_bytes = taken.shared_bytes + plan.dynamic_shared_bytes,
                                      .blocks = plan.grid.count()},
                            .stack_bytes = taken.stack_bytes,
                            .spill_store_bytes = taken.spill_store_bytes,
                            .spill_load_bytes = taken.spill_load_bytes,
                            .local_loads = std::nullopt,
                            .local_stores = std::nullopt};
    const Result<Problem> small = problem_of(kernel, recording, problem.parameters, resources.terms);
    if (small.ok()) count_local(listing, *function, kernel, *small, effort, cancelled, variant);
    resources.variants.push_back(std::move(variant));
  }
  drop_repeated(resources.variants);
  return resources;
}

/// What ptxas says that a file's kernel takes; its local accesses stand among the rest of what is counted as
/// compiled.
std::optional<CompiledResources> resources_of_file(const Recording& recording, const sass::Listing& listing,
                                                   analysis::ComputeCapability cc) {
  const sass::Function* const function = listing.find(recording.entry);
  if (function == nullptr || !function->resources) return std::nullopt;
  const sass::Resources& taken = *function->resources;
  CompiledVariant variant{.name = "",
                          .recorded = true,
                          .needs = {.threads = static_cast<std::uint32_t>(recording.block.count()),
                                    .registers = taken.registers,
                                    .shared_bytes = taken.shared_bytes + recording.dynamic_shared_bytes,
                                    .blocks = recording.grid.count(),
                                    .cluster_blocks = recording.cluster.count()},
                          .stack_bytes = taken.stack_bytes,
                          .spill_store_bytes = taken.spill_store_bytes,
                          .spill_load_bytes = taken.spill_load_bytes,
                          .local_loads = std::nullopt,
                          .local_stores = std::nullopt};
  return CompiledResources{
      .architecture = listing.architecture, .cc = cc, .terms = 0, .variants = {std::move(variant)}};
}

void add_file_kernel(const Recording& recording, analysis::ComputeCapability cc, MachineCode effort,
                     analysis::OccupancySubject& subject) {
  for (const analysis::ComputeCapability listed : kListed) {
    if (ladder_architecture(listed.major) != ladder_architecture(cc.major)) continue;
    const Result<std::string> text =
        machine_code_of(recording, architecture_of_machine_code(recording, cc), effort);
    const Result<sass::Listing> listing =
        text.ok() ? sass::parse_listing(*text, recording.kernel) : text.error();
    if (!listing.ok()) {
      subject.why_no_registers = reason(listing.error());
    } else if (auto resources = resources_of_file(recording, *listing, listed)) {
      subject.compiled.push_back(*std::move(resources));
    }
  }
  if (subject.compiled.empty() && subject.why_no_registers.empty())
    subject.why_no_registers = tr("there is no machine code of it");
}

}  // namespace

analysis::OccupancySubject occupancy_subject(const Recording& recording, analysis::ComputeCapability cc,
                                             MachineCode effort, const std::atomic<bool>* cancelled) {
  analysis::OccupancySubject subject{
      .kernel = recording.kernel,
      .launch = {.threads = static_cast<std::uint32_t>(recording.block.count()),
                 .registers = std::nullopt,
                 .shared_bytes = recording.shared_bytes,
                 .blocks = recording.blocks_total,
                 .cluster_blocks = recording.cluster.count()},
      .compiled = {},
      .why_no_registers = ""};
  if (recording.origin == Origin::file) {
    add_file_kernel(recording, cc, effort, subject);
    return subject;
  }
  const Result<const KernelDescriptor*> kernel = kernel_with_listing(recording);
  if (!kernel.ok()) {
    subject.why_no_registers = reason(kernel.error());
    return subject;
  }
  for (const analysis::ComputeCapability listed : kListed) {
    const std::string architecture = ladder_architecture(listed.major);
    const Result<std::string> text = ladder_listing((*kernel)->source_file, architecture);
    if (!text.ok()) continue;
    const Result<sass::Listing> listing =
        sass::parse_listing(*text, (*kernel)->source_file + " " + architecture);
    if (!listing.ok()) continue;
    CompiledResources resources = resources_of(**kernel, recording, *listing, listed, effort, cancelled);
    if (resources.recorded() != nullptr) subject.compiled.push_back(std::move(resources));
  }
  if (subject.compiled.empty()) subject.why_no_registers = tr("the listings of its machine code do not say");
  return subject;
}

}  // namespace warplens::app
