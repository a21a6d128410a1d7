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

HardwareCount count_of(const InstructionCounters& counted, const analysis::Totals& compiled, Space space) {
  HardwareCount count{.requests = {counted.requests, compiled.requests}};
  if (space == Space::shared) {
    count.cost = {counted.wavefronts, compiled.cost.wavefronts};
    count.ideal = {counted.ideal_wavefronts, compiled.cost.ideal_wavefronts};
    return count;
  }
  count.cost = {counted.sectors, compiled.cost.sectors};
  if (space == Space::global) {  // Of local memory a GPU counts neither
    count.ideal = {counted.ideal_sectors, compiled.cost.ideal_sectors};
    count.lines = {counted.lines, compiled.cost.lines};
  }
  return count;
}

std::string amount(std::uint64_t count, Space space) {
  return space == Space::shared ? tr_n(count, "{n} wavefront", "{n} wavefronts")
                                : tr_n(count, "{n} sector", "{n} sectors");
}

/// "32", "4.13"
std::string each_in_words(std::uint64_t count, std::uint64_t requests) {
  const double each = static_cast<double>(count) / static_cast<double>(requests);
  return count % requests == 0 ? with_thousands(count / requests) : formatted("{:.2f}", each);
}

/// "LDS.128"
std::string name_of(const sass::Instruction& instruction) {
  std::string name = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) name += "." + modifier;
  return name;
}

/// What else was counted of an access, and whether the replay says the same.
std::string others_in_words(const HardwareCount& count, Space space) {
  if (!count.requests.agrees())
    return tr("Of the requests the replay has {compiled}.",
              "compiled"_a = with_thousands(count.requests.compiled));
  if (space == Space::local) return tr("It counted as many requests as the replay.");
  const std::string ideal = amount(count.ideal.counted, space);
  if (space == Space::shared) {
    return count.ideal.agrees() ? tr("Its ideal is the replay's, too: {ideal}.", "ideal"_a = ideal)
                                : tr("Its ideal is {ideal}, the replay's {compiled}.", "ideal"_a = ideal,
                                     "compiled"_a = amount(count.ideal.compiled, space));
  }
  const std::string lines = tr_n(count.lines.counted, "{n} line", "{n} lines");
  return count.ideal.agrees() && count.lines.agrees()
             ? tr("Its ideal and its lines are the replay's, too: {ideal}, {lines}.", "ideal"_a = ideal,
                  "lines"_a = lines)
             : tr("Its ideal and its lines are {ideal}, {lines}; the replay's {compiled}, {compiled_lines}.",
                  "ideal"_a = ideal, "lines"_a = lines, "compiled"_a = amount(count.ideal.compiled, space),
                  "compiled_lines"_a = tr_n(count.lines.compiled, "{n} line", "{n} lines"));
}

}  // namespace

std::optional<HardwareCount> hardware_count(const Loaded& loaded, std::span<const std::uint32_t> sites) {
  if (!may_be_compared(loaded) || sites.empty()) return std::nullopt;
  HardwareCount all;
  for (const std::uint32_t index : sites) {
    const Site& site = loaded.compiled.accesses.sites[index];
    // What CUPTI's counting code says of atomics are distinct sectors and words, not how often the hardware
    // visits them.
    if (is_atomic(site.op)) return std::nullopt;
    // Of a copy it counts the sectors that are read, which are the replay's (H200, 2026-11-28), and neither
    // the ideal nor the lines that it counts of a load.
    if (site.op == AccessOp::cp_async || is_of_pieces(site.op)) return std::nullopt;
    if (is_in_cluster(loaded.compiled, site)) return std::nullopt;
    const InstructionCounters* const counters = counters_of(loaded, site);
    if (counters == nullptr) return std::nullopt;
    all += count_of(*counters, loaded.compiled.report.by_site[index], site.space);
  }
  return all;
}

std::optional<HardwareCount> hardware_count(const Loaded& loaded, std::uint32_t file, std::uint32_t line,
                                            Space space, AccessOp op) {
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
    if (count)
      checked.push_back(
          {.instruction = sites[site].instruction, .space = sites[site].space, .count = *count});
  }
  return checked;
}

std::string in_words(const HardwareCount& count, const analysis::LineFigures& row) {
  const std::string counted = amount(count.cost.counted, row.space),
                    compiled = amount(count.cost.compiled, row.space);
  if (!count.cost.agrees())
    return tr("The GPU counted {counted}; the replay of the machine code {compiled}.", "counted"_a = counted,
              "compiled"_a = compiled);
  if (count.explained()) {
    return tr(
        "The GPU counted {counted} for the accesses of this kind in this line, as the replay of the machine "
        "code does: the assembler merged "
        "some, or made others of them.",
        "counted"_a = counted);
  }
  if (count.cost.counted == row.cost()) return tr("The GPU counted {counted}, too.", "counted"_a = counted);
  return tr("The GPU counted {counted} for all accesses of this kind in this line, as the replay does.",
            "counted"_a = counted);
}

std::optional<picture::Counted> counted_beside(const Loaded& loaded, std::size_t event) {
  if (!may_be_compared(loaded)) return std::nullopt;
  const auto instruction = instruction_of(loaded, event);
  if (!instruction) return std::nullopt;
  const std::vector<Site>& sites = loaded.compiled.accesses.sites;
  const auto site = static_cast<std::uint32_t>(
      std::ranges::lower_bound(sites, *instruction, {}, &Site::instruction) - sites.begin());
  const auto count = hardware_count(loaded, std::array{site});
  const std::uint64_t requests = loaded.compiled.report.by_site[site].requests;
  if (!count || requests == 0) return std::nullopt;
  const Space space = sites[site].space;
  const sass::Instruction& code = loaded.compiled.function.instructions[*instruction];
  const bool merged =
      sites[site].bytes != loaded.recording->sites[loaded.recording->events.site[event]].bytes;
  const std::string each = each_in_words(count->cost.counted, requests),
                    compiled = each_in_words(count->cost.compiled, requests);
  const std::string words =
      !count->cost.agrees()
          ? tr("the GPU: {each} each, not {compiled}", "each"_a = each, "compiled"_a = compiled)
      // Translators: {instruction} is LDS.128, into which the assembler merged the access with others
      : merged ? tr("the GPU: {each} each {instruction}", "each"_a = each, "instruction"_a = name_of(code))
               : tr("the GPU: {each} each", "each"_a = each);
  std::string meaning =
      tr("{instruction}, which makes this access: the GPU counted {counted} in {requests}, the replay of the "
         "machine code {compiled}.",
         "instruction"_a = code.text, "counted"_a = amount(count->cost.counted, space),
         "requests"_a = tr_n(count->requests.counted, "{n} request", "{n} requests"),
         "compiled"_a = amount(count->cost.compiled, space));
  meaning += " " + others_in_words(*count, space);
  return picture::Counted{words, meaning};
}

}  // namespace warplens::app
