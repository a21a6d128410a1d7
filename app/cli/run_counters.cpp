#include "app/cli/run_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/cli/recordings.h"
#include "app/session/counter_check.h"
#include "app/session/grid_counts.h"
#include "app/session/hardware_figures.h"
#include "kernels/base/figures.h"
#include "kernels/gpu/counters.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

/// By the rules and the machine code of a compute capability, with the sectors of all blocks.
std::shared_ptr<const Loaded> replayed(Context& context, const std::string& subject,
                                       const LaunchOptions& launch, analysis::ComputeCapability cc) {
  std::optional<Recording> recording = load_or_record(context, subject, launch, cc, std::nullopt);
  if (!recording) return nullptr;
  Result<std::shared_ptr<const Loaded>> loaded =
      with_grid_counts(make_loaded(*std::move(recording), cc, path_of(subject), nullptr, MachineCode::made));
  if (loaded.ok()) return *std::move(loaded);
  context.fail(loaded.error());
  return nullptr;
}

std::string replay_in_words(const CheckedCounter& counter) {
  if (counter.replayed) return with_thousands(*counter.replayed);
  if (!counter.band) return "-";
  const std::uint64_t least = counter.band->min / counter.unit_bytes,
                      most = counter.band->max / counter.unit_bytes;
  return fmt::format("{} to {}", with_thousands(least), with_thousands(most));
}

const char* unit_of(const CheckedInstruction& one) {
  return one.space == Space::shared ? "wavefronts" : "sectors";
}

/// What is counted of it, by name.
std::vector<std::pair<const char*, const analysis::CountedTwice*>> figures_of(const CheckedInstruction& one) {
  const bool shared = one.space == Space::shared;
  std::vector<std::pair<const char*, const analysis::CountedTwice*>> figures{
      {unit_of(one), &one.count.cost}, {"requests", &one.count.requests}};
  if (one.space != Space::local)
    figures.emplace_back(shared ? "ideal_wavefronts" : "ideal_sectors", &one.count.ideal);
  if (one.space == Space::global) figures.emplace_back("lines", &one.count.lines);
  return figures;
}

/// How many of them agree, and those that do not.
void print_instructions(std::ostream& out, const Loaded& counted) {
  const std::vector<CheckedInstruction> instructions = checked_instructions(counted);
  if (instructions.empty()) {
    const std::string& why = counted.hardware->why_no_instructions;
    out << fmt::format("  of single instructions: {}\n",
                       why.empty() ? "the code that ran is not that of the listing" : why);
    return;
  }
  const auto equal =
      std::ranges::count_if(instructions, [](const CheckedInstruction& one) { return one.count.agrees(); });
  out << fmt::format("  of {} instructions that access memory, one by one: {} equal\n", instructions.size(),
                     equal);
  for (const CheckedInstruction& one : instructions) {
    if (one.count.agrees()) continue;
    const sass::Instruction& instruction = counted.compiled.function.instructions[one.instruction];
    for (const auto& [name, both] : figures_of(one)) {
      if (both->agrees()) continue;
      out << fmt::format("    {:#06x} {:<40} {} {}, by the replay {}   DIFFERS\n", instruction.address,
                         instruction.text, with_thousands(both->counted), name,
                         with_thousands(both->compiled));
    }
  }
}

}  // namespace

std::shared_ptr<const Loaded> count_and_replay(Context& context, const std::string& subject,
                                               const LaunchOptions& launch, const gpu::RunRequest& request) {
  const Result<LaunchCounters> counters = gpu::count_launch(request);
  if (!counters.ok()) {
    context.fail(counters.error());
    return nullptr;
  }
  const analysis::ComputeCapability cc{counters->cc_major, counters->cc_minor};
  if (std::ranges::find(analysis::device_models(), cc, &analysis::DeviceModel::cc) ==
      analysis::device_models().end()) {
    context.fail(
        {fmt::format("the replay has no rules of compute capability {}, which this GPU has", cc.name()), "",
         "Its counters are compared with nothing."});
    return nullptr;
  }
  const std::shared_ptr<const Loaded> loaded = replayed(context, subject, launch, cc);
  return loaded == nullptr ? nullptr : with_hardware(*loaded, *counters);
}

ordered_json counters_json(const Loaded& counted) {
  ordered_json json = ordered_json::object();
  for (const CheckedCounter& counter : checked(counted, *counted.hardware)) {
    const auto agrees = counter.agrees();
    json[counter.field->id] = {
        {"metric", counter.field->metric},
        {"counted", counter.counted},
        {"replayed", counter.replayed ? ordered_json(*counter.replayed) : ordered_json(nullptr)},
        {"least",
         counter.band ? ordered_json(counter.band->min / counter.unit_bytes) : ordered_json(nullptr)},
        {"most", counter.band ? ordered_json(counter.band->max / counter.unit_bytes) : ordered_json(nullptr)},
        {"agrees", agrees ? ordered_json(*agrees) : ordered_json(nullptr)}};
  }
  return json;
}

ordered_json instruction_counters_json(const Loaded& counted) {
  ordered_json json = ordered_json::array();
  for (const CheckedInstruction& one : checked_instructions(counted)) {
    const sass::Instruction& instruction = counted.compiled.function.instructions[one.instruction];
    ordered_json& object = json.emplace_back(ordered_json{{"offset", instruction.address},
                                                          {"instruction", instruction.text},
                                                          {"line", instruction.line},
                                                          {"unit", unit_of(one)},
                                                          {"counted", one.count.cost.counted},
                                                          {"replayed", one.count.cost.compiled},
                                                          {"agrees", one.count.agrees()}});
    for (const auto& [name, both] : figures_of(one))
      object["figures"][name] = {{"counted", both->counted}, {"replayed", both->compiled}};
  }
  return json;
}

void print_counters(std::ostream& out, const Loaded& counted) {
  out << fmt::format("\n{:<28}{:>20}{:>34}\n", "counted by the GPU", "", "by the replay, as compiled");
  for (const CheckedCounter& counter : checked(counted, *counted.hardware)) {
    const auto agrees = counter.agrees();
    out << fmt::format("  {:<26}{:>20}{:>34}   {}\n", counter.field->id, with_thousands(counter.counted),
                       replay_in_words(counter),
                       !agrees            ? ""
                       : !*agrees         ? "DIFFERS"
                       : counter.replayed ? "equal"
                                          : "within");
  }
  print_instructions(out, counted);
}

}  // namespace warplens::app
