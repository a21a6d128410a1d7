#include "app/session/hardware_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/session/compiled_figures.h"
#include "app/session/counter_check.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

using analysis::HardwareCount;

const InstructionCounters* counters_of(const Loaded& loaded, const Site& site) {
  const std::uint32_t offset = loaded.compiled.function.instructions[site.instruction].address;
  const auto& counted = loaded.hardware->instructions;
  const auto found = std::ranges::lower_bound(counted, offset, {}, &InstructionCounters::offset);
  return found == counted.end() || found->offset != offset ? nullptr : &*found;
}

bool may_be_compared(const Loaded& loaded) {
  return loaded.hardware && loaded.compiled.has_counts() && may_be_compared(loaded, *loaded.hardware);
}

std::uint64_t cost_of(const analysis::Totals& totals, Space space) {
  return space == Space::shared ? totals.cost.wavefronts : totals.cost.sectors;
}

std::string amount(std::uint64_t count, Space space) {
  return space == Space::shared ? tr_n(count, "{n} wavefront", "{n} wavefronts") : tr_n(count, "{n} sector", "{n} sectors");
}

/// "32", "4.13"
std::string each_in_words(std::uint64_t count, std::uint64_t requests) {
  const double each = static_cast<double>(count) / static_cast<double>(requests);
  return count % requests == 0 ? with_thousands(count / requests) : fmt::format("{:.2f}", each);
}

/// "LDS.128"
std::string name_of(const sass::Instruction& instruction) {
  std::string name = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) name += "." + modifier;
  return name;
}

}  // namespace

std::optional<HardwareCount> hardware_count(const Loaded& loaded, std::span<const std::uint32_t> sites) {
  if (!may_be_compared(loaded) || sites.empty()) return std::nullopt;
  HardwareCount all;
  for (const std::uint32_t index : sites) {
    const Site& site = loaded.compiled.accesses.sites[index];
    const InstructionCounters* const counters = counters_of(loaded, site);
    if (counters == nullptr) return std::nullopt;
    all.counted += site.space == Space::shared ? counters->wavefronts : counters->sectors;
    all.compiled += cost_of(loaded.compiled.report.by_site[index], site.space);
  }
  return all;
}

std::optional<HardwareCount> hardware_count(const Loaded& loaded, std::uint32_t file, std::uint32_t line, Space space, AccessOp op) {
  if (!may_be_compared(loaded)) return std::nullopt;
  const auto of_line = loaded.compiled.report.sites_by_line.find({file, line});
  if (of_line == loaded.compiled.report.sites_by_line.end()) return std::nullopt;
  std::vector<std::uint32_t> sites;
  for (const std::uint32_t index : of_line->second) {
    const Site& site = loaded.compiled.accesses.sites[index];
    if (site.space == space && site.op == op) sites.push_back(index);
  }
  return hardware_count(loaded, sites);
}

std::vector<CheckedInstruction> checked_instructions(const Loaded& loaded) {
  std::vector<CheckedInstruction> checked;
  const std::vector<Site>& sites = loaded.compiled.accesses.sites;
  for (std::uint32_t site = 0; site < sites.size(); ++site) {
    const auto count = hardware_count(loaded, std::array{site});
    if (count) checked.push_back({.instruction = sites[site].instruction, .space = sites[site].space, .count = *count});
  }
  return checked;
}

std::string in_words(const HardwareCount& count, const analysis::LineFigures& row) {
  const std::string counted = amount(count.counted, row.space), compiled = amount(count.compiled, row.space);
  if (!count.agrees())
    return tr("The GPU counted {counted}; the replay of the machine code {compiled}.", "counted"_a = counted, "compiled"_a = compiled);
  if (count.explained()) {
    return tr(
        "The GPU counted {counted} for the accesses of this kind in this line, as the replay of the machine code does: the assembler merged "
        "some, or made others of them.",
        "counted"_a = counted);
  }
  if (count.counted == row.cost()) return tr("The GPU counted {counted}, too.", "counted"_a = counted);
  return tr("The GPU counted {counted} for all accesses of this kind in this line, as the replay does.", "counted"_a = counted);
}

std::optional<picture::Counted> counted_beside(const Loaded& loaded, std::size_t event) {
  if (!may_be_compared(loaded)) return std::nullopt;
  const auto instruction = instruction_of(loaded, event);
  if (!instruction) return std::nullopt;
  const std::vector<Site>& sites = loaded.compiled.accesses.sites;
  const auto site = static_cast<std::uint32_t>(std::ranges::lower_bound(sites, *instruction, {}, &Site::instruction) - sites.begin());
  const auto count = hardware_count(loaded, std::array{site});
  const std::uint64_t requests = loaded.compiled.report.by_site[site].requests;
  if (!count || requests == 0) return std::nullopt;
  const Space space = sites[site].space;
  const sass::Instruction& code = loaded.compiled.function.instructions[*instruction];
  const bool merged = sites[site].bytes != loaded.recording->sites[loaded.recording->events.site[event]].bytes;
  const std::string each = each_in_words(count->counted, requests), compiled = each_in_words(count->compiled, requests);
  const std::string words = !count->agrees() ? tr("the GPU: {each} each, not {compiled}", "each"_a = each, "compiled"_a = compiled)
                            // Translators: {instruction} is LDS.128, into which the assembler merged the access with others
                            : merged ? tr("the GPU: {each} each {instruction}", "each"_a = each, "instruction"_a = name_of(code))
                                     : tr("the GPU: {each} each", "each"_a = each);
  const std::string meaning =
      tr("{instruction}, which makes this access: the GPU counted {counted} in {requests}, the replay of the machine code {compiled}.",
         "instruction"_a = code.text, "counted"_a = amount(count->counted, space), "requests"_a = tr_n(requests, "{n} request", "{n} requests"),
         "compiled"_a = amount(count->compiled, space));
  return picture::Counted{words, meaning};
}

}  // namespace warplens::app
