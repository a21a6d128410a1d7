#include "viz/analysis/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "kernels/base/figures.h"

namespace warplens::analysis {
namespace {

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint32_t warps_of(const LaunchNeeds& needs) {
  return (needs.threads + kWarpSize - 1) / kWarpSize;
}

/// Which numbers of registers come in portions of double size: cuda_occupancy.h of CUDA 7.0.
std::uint32_t register_unit(const MultiprocessorModel& model, std::uint32_t registers) {
  const auto wide = {21u, 22u, 29u, 30u, 37u, 38u, 45u, 46u};
  const bool is_wide = model.uneven_register_unit && std::find(wide.begin(), wide.end(), registers) != wide.end();
  return is_wide ? 2 * model.register_unit : model.register_unit;
}

Occupancy::Limit limit_by_threads(const MultiprocessorModel& model, const LaunchNeeds& needs) {
  const auto warps = static_cast<std::uint32_t>(rounded_up(warps_of(needs), model.warp_unit));
  Occupancy::Limit limit{.blocks = 0, .a_block = std::uint64_t{warps} * kWarpSize, .of = model.threads()};
  if (needs.threads <= model.threads_a_block) limit.blocks = model.warps / warps;
  return limit;
}

Occupancy::Limit limit_by_registers(const MultiprocessorModel& model, const LaunchNeeds& needs) {
  Occupancy::Limit limit{.blocks = std::nullopt, .a_block = 0, .of = model.registers};
  if (!needs.registers || *needs.registers == 0) return limit;
  const std::uint64_t warps = rounded_up(warps_of(needs), model.warp_unit), of_warp = std::uint64_t{*needs.registers} * kWarpSize;
  const std::uint32_t unit = register_unit(model, *needs.registers);
  limit.blocks = 0;
  if (model.registers_by_block) {
    limit.a_block = rounded_up(of_warp * warps, unit);
    if (*needs.registers <= model.registers_a_thread) limit.blocks = static_cast<std::uint32_t>(model.registers / limit.a_block);
    return limit;
  }
  const std::uint64_t given = rounded_up(of_warp, unit);
  limit.a_block = given * warps;
  const bool launches =
      *needs.registers <= model.registers_a_thread && given * rounded_up(warps, model.partitions_to_launch) <= model.registers_a_block;
  if (launches) limit.blocks = static_cast<std::uint32_t>(model.registers / model.partitions / given * model.partitions / warps);
  return limit;
}

Occupancy::Limit limit_by_shared(const MultiprocessorModel& model, const LaunchNeeds& needs) {
  const std::uint64_t taken = rounded_up(std::uint64_t{needs.shared_bytes} + model.shared_bytes_reserved, model.shared_unit);
  Occupancy::Limit limit{.blocks = std::nullopt, .a_block = taken, .of = model.shared_bytes};
  if (taken == 0) return limit;
  const bool launches = taken <= std::uint64_t{model.shared_bytes_a_block} + model.shared_bytes_reserved;
  limit.blocks = launches ? static_cast<std::uint32_t>(model.shared_bytes / taken) : 0;
  return limit;
}

void share_out(Occupancy& occupancy, const MultiprocessorModel& model, std::uint64_t blocks) {
  occupancy.blocks_a_wave = std::uint64_t{occupancy.blocks} * model.multiprocessors;
  if (occupancy.blocks_a_wave == 0 || blocks == 0) return;
  occupancy.waves = (blocks + occupancy.blocks_a_wave - 1) / occupancy.blocks_a_wave;
  occupancy.blocks_in_last_wave = blocks - (occupancy.waves - 1) * occupancy.blocks_a_wave;
}

std::string subject_of(const Occupancy& occupancy) {
  std::vector<std::string> names;
  for (const OccupancyLimit limit : kOccupancyLimits) {
    if (occupancy.limit(limit).binds) names.emplace_back(limit == OccupancyLimit::blocks ? "places for blocks" : name_of(limit));
  }
  std::string subject;
  for (std::size_t i = 0; i < names.size(); ++i) subject += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  if (!subject.empty()) subject[0] = static_cast<char>(subject[0] - 'a' + 'A');
  const bool plural = names.size() > 1 || !occupancy.limit(OccupancyLimit::shared).binds;
  return subject + (plural ? " allow" : " allows");
}

std::string why_no_block_fits(const MultiprocessorModel& model, const LaunchNeeds& needs, const Occupancy& occupancy) {
  const std::string fits_not = fmt::format("A block does not fit on {}: ", model.name());
  if (occupancy.limit(OccupancyLimit::threads).binds) {
    return fits_not + fmt::format("it has {} threads, and may have {}", with_thousands(needs.threads), with_thousands(model.threads_a_block));
  }
  if (occupancy.limit(OccupancyLimit::shared).binds) {
    return fits_not + fmt::format("it takes {} bytes of shared memory, and may take {}", with_thousands(needs.shared_bytes),
                                  with_thousands(model.shared_bytes_a_block));
  }
  if (*needs.registers > model.registers_a_thread) {
    return fits_not + fmt::format("a thread takes {} registers, and may take {}; compiled for it, the kernel would spill some", *needs.registers,
                                  model.registers_a_thread);
  }
  return fits_not + fmt::format("it takes {} registers, and may take {}", with_thousands(occupancy.limit(OccupancyLimit::registers).a_block),
                                with_thousands(model.registers_a_block));
}

}  // namespace

std::string percent(double share) {
  double value = std::round(share * 1000) / 10;
  if (share < 1 && value >= 100) value = 99.9;
  if (share > 0 && value <= 0) return "less than 0.1 %";
  return value == std::floor(value) ? fmt::format("{:.0f} %", value) : fmt::format("{:.1f} %", value);
}

std::string MultiprocessorModel::name() const {
  return fmt::format("{} {}", architecture, cc.name());
}

const char* name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::threads: return "threads";
    case OccupancyLimit::registers: return "registers";
    case OccupancyLimit::shared: return "shared memory";
    case OccupancyLimit::blocks: break;
  }
  return "blocks";
}

Occupancy occupancy(const MultiprocessorModel& model, const LaunchNeeds& needs) {
  Occupancy result;
  result.max_warps = model.warps;
  if (needs.threads == 0) return result;
  result.limits = {limit_by_threads(model, needs),
                   limit_by_registers(model, needs),
                   limit_by_shared(model, needs),
                   {.blocks = model.blocks, .a_block = 1, .of = model.blocks}};
  result.blocks = model.blocks;
  for (const Occupancy::Limit& limit : result.limits) result.blocks = std::min(result.blocks, limit.blocks.value_or(model.blocks));
  for (Occupancy::Limit& limit : result.limits) limit.binds = limit.blocks == result.blocks;
  result.warps = result.blocks * warps_of(needs);
  share_out(result, model, needs.blocks);
  return result;
}

std::string describe(const MultiprocessorModel& model, const LaunchNeeds& needs, const Occupancy& occupancy) {
  if (needs.threads == 0) return "A block without threads takes nothing";
  if (occupancy.blocks == 0) return why_no_block_fits(model, needs, occupancy);
  std::string sentence = fmt::format("{} {} an SM: {} of {}'s {} warps, {}", subject_of(occupancy), counted(occupancy.blocks, "block"),
                                     occupancy.warps, model.architecture, occupancy.max_warps, percent(occupancy.share()));
  if (occupancy.waves == 0) return sentence;
  sentence += fmt::format("; {} over the {} SMs of the {}: ", counted(needs.blocks, "block"), model.multiprocessors, model.card);
  const std::string full = percent(occupancy.last_wave_share());
  if (occupancy.waves == 1) return sentence + fmt::format("1 wave, {} full", full);
  return sentence + fmt::format("{} waves, the last {} full", with_thousands(occupancy.waves), full);
}

const CompiledVariant* CompiledResources::recorded() const {
  const auto found = std::find_if(variants.begin(), variants.end(), [](const CompiledVariant& variant) { return variant.recorded; });
  return found == variants.end() ? nullptr : &*found;
}

const CompiledResources* OccupancySubject::compiled_for(ComputeCapability cc) const {
  const CompiledResources* best = nullptr;
  for (const CompiledResources& one : compiled) {
    if (best == nullptr || one.cc.major <= cc.major) best = &one;
  }
  return best;
}

LaunchNeeds OccupancySubject::needs_for(ComputeCapability cc) const {
  const CompiledResources* const resources = compiled_for(cc);
  const CompiledVariant* const variant = resources == nullptr ? nullptr : resources->recorded();
  LaunchNeeds needs = launch;
  if (variant != nullptr) needs.registers = variant->needs.registers;
  return needs;
}

std::string OccupancySubject::registers_note(ComputeCapability cc) const {
  const CompiledResources* const resources = compiled_for(cc);
  if (resources == nullptr) return fmt::format("registers not known: {}", why_no_registers);
  if (resources->cc == cc) return fmt::format("registers as compiled for {}", resources->architecture);
  if (resources->cc.major > cc.major) {
    return fmt::format("registers as compiled for {}, the oldest there is code for; a compiler for {} may take others", resources->architecture,
                       cc.name());
  }
  return fmt::format("registers as compiled for {}; code for {} may take others", resources->architecture, cc.name());
}

}  // namespace warplens::analysis
