#include "viz/analysis/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "kernels/base/texts.h"

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
  const bool is_wide =
      model.uneven_register_unit && std::find(wide.begin(), wide.end(), registers) != wide.end();
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
  const std::uint64_t warps = rounded_up(warps_of(needs), model.warp_unit),
                      of_warp = std::uint64_t{*needs.registers} * kWarpSize;
  const std::uint32_t unit = register_unit(model, *needs.registers);
  limit.blocks = 0;
  if (model.registers_by_block) {
    limit.a_block = rounded_up(of_warp * warps, unit);
    if (*needs.registers <= model.registers_a_thread)
      limit.blocks = static_cast<std::uint32_t>(model.registers / limit.a_block);
    return limit;
  }
  const std::uint64_t given = rounded_up(of_warp, unit);
  limit.a_block = given * warps;
  const bool launches = *needs.registers <= model.registers_a_thread &&
                        given * rounded_up(warps, model.partitions_to_launch) <= model.registers_a_block;
  if (launches)
    limit.blocks =
        static_cast<std::uint32_t>(model.registers / model.partitions / given * model.partitions / warps);
  return limit;
}

Occupancy::Limit limit_by_shared(const MultiprocessorModel& model, const LaunchNeeds& needs) {
  const std::uint64_t taken =
      rounded_up(std::uint64_t{needs.shared_bytes} + model.shared_bytes_reserved, model.shared_unit);
  Occupancy::Limit limit{.blocks = std::nullopt, .a_block = taken, .of = model.shared_bytes};
  if (taken == 0) return limit;
  const bool launches = taken <= std::uint64_t{model.shared_bytes_a_block} + model.shared_bytes_reserved;
  limit.blocks = launches ? static_cast<std::uint32_t>(model.shared_bytes / taken) : 0;
  return limit;
}

void share_out(Occupancy& occupancy, const MultiprocessorModel& model, const LaunchNeeds& needs) {
  constexpr int kFirstWithClusters = 9;
  const std::uint64_t blocks = needs.blocks;
  occupancy.blocks_a_wave = std::uint64_t{occupancy.blocks} * model.multiprocessors;
  if (needs.cluster_blocks > 1 && model.cc.major >= kFirstWithClusters) {
    occupancy.clusters = occupancy.blocks_a_wave / needs.cluster_blocks;
    occupancy.blocks_a_wave = *occupancy.clusters * needs.cluster_blocks;
  }
  if (occupancy.blocks_a_wave == 0 || blocks == 0) return;
  occupancy.waves = (blocks + occupancy.blocks_a_wave - 1) / occupancy.blocks_a_wave;
  occupancy.blocks_in_last_wave = blocks - (occupancy.waves - 1) * occupancy.blocks_a_wave;
}

/// "Threads and registers allow 2 blocks an SM".
std::string what_binds(const Occupancy& occupancy) {
  constexpr unsigned kThreads = 1, kRegisters = 2, kShared = 4, kBlocks = 8;
  unsigned binding = 0;
  if (occupancy.limit(OccupancyLimit::threads).binds) binding |= kThreads;
  if (occupancy.limit(OccupancyLimit::registers).binds) binding |= kRegisters;
  if (occupancy.limit(OccupancyLimit::shared).binds) binding |= kShared;
  if (occupancy.limit(OccupancyLimit::blocks).binds) binding |= kBlocks;
  const std::uint64_t blocks = occupancy.blocks;
  switch (binding) {
    case kThreads: return tr_n(blocks, "Threads allow {n} block per SM", "Threads allow {n} blocks per SM");
    case kRegisters:
      return tr_n(blocks, "Registers allow {n} block per SM", "Registers allow {n} blocks per SM");
    case kShared:
      return tr_n(blocks, "Shared memory allows {n} block per SM", "Shared memory allows {n} blocks per SM");
    case kBlocks:
      return tr_n(blocks, "Places for blocks allow {n} block per SM",
                  "Places for blocks allow {n} blocks per SM");
    case kThreads | kRegisters:
      return tr_n(blocks, "Threads and registers allow {n} block per SM",
                  "Threads and registers allow {n} blocks per SM");
    case kThreads | kShared:
      return tr_n(blocks, "Threads and shared memory allow {n} block per SM",
                  "Threads and shared memory allow {n} blocks per SM");
    case kThreads | kBlocks:
      return tr_n(blocks, "Threads and places for blocks allow {n} block per SM",
                  "Threads and places for blocks allow {n} blocks per SM");
    case kRegisters | kShared:
      return tr_n(blocks, "Registers and shared memory allow {n} block per SM",
                  "Registers and shared memory allow {n} blocks per SM");
    case kRegisters | kBlocks:
      return tr_n(blocks, "Registers and places for blocks allow {n} block per SM",
                  "Registers and places for blocks allow {n} blocks per SM");
    case kShared | kBlocks:
      return tr_n(blocks, "Shared memory and places for blocks allow {n} block per SM",
                  "Shared memory and places for blocks allow {n} blocks per SM");
    case kThreads | kRegisters | kShared:
      return tr_n(blocks, "Threads, registers and shared memory allow {n} block per SM",
                  "Threads, registers and shared memory allow {n} blocks per SM");
    case kThreads | kRegisters | kBlocks:
      return tr_n(blocks, "Threads, registers and places for blocks allow {n} block per SM",
                  "Threads, registers and places for blocks allow {n} blocks per SM");
    case kThreads | kShared | kBlocks:
      return tr_n(blocks, "Threads, shared memory and places for blocks allow {n} block per SM",
                  "Threads, shared memory and places for blocks allow {n} blocks per SM");
    case kRegisters | kShared | kBlocks:
      return tr_n(blocks, "Registers, shared memory and places for blocks allow {n} block per SM",
                  "Registers, shared memory and places for blocks allow {n} blocks per SM");
    default:
      return tr_n(blocks, "Threads, registers, shared memory and places for blocks allow {n} block per SM",
                  "Threads, registers, shared memory and places for blocks allow {n} blocks per SM");
  }
}

std::string why_no_block_fits(const MultiprocessorModel& model, const LaunchNeeds& needs,
                              const Occupancy& occupancy) {
  const std::string multiprocessor = model.name();
  if (occupancy.limit(OccupancyLimit::threads).binds) {
    return tr_n(needs.threads,
                "A block does not fit on {multiprocessor}: it has {n} thread, and may have {most}",
                "A block does not fit on {multiprocessor}: it has {n} threads, and may have {most}",
                "multiprocessor"_a = multiprocessor, "most"_a = with_thousands(model.threads_a_block));
  }
  if (occupancy.limit(OccupancyLimit::shared).binds) {
    return tr_n(
        needs.shared_bytes,
        "A block does not fit on {multiprocessor}: it takes {n} byte of shared memory, and may take {most}",
        "A block does not fit on {multiprocessor}: it takes {n} bytes of shared memory, and may take {most}",
        "multiprocessor"_a = multiprocessor, "most"_a = with_thousands(model.shared_bytes_a_block));
  }
  if (*needs.registers > model.registers_a_thread) {
    return tr(
        "A block does not fit on {multiprocessor}: a thread takes {registers} registers, and may take "
        "{most}; compiled for it, the kernel would "
        "spill some",
        "multiprocessor"_a = multiprocessor, "registers"_a = *needs.registers,
        "most"_a = model.registers_a_thread);
  }
  return tr_n(occupancy.limit(OccupancyLimit::registers).a_block,
              "A block does not fit on {multiprocessor}: it takes {n} register, and may take {most}",
              "A block does not fit on {multiprocessor}: it takes {n} registers, and may take {most}",
              "multiprocessor"_a = multiprocessor, "most"_a = with_thousands(model.registers_a_block));
}

/// "64 blocks over the 132 SMs of the H200: 1 wave, 48.5 % full".
std::string describe_waves(const MultiprocessorModel& model, const LaunchNeeds& needs,
                           const Occupancy& occupancy) {
  const std::string blocks = tr_n(needs.blocks, "{n} block", "{n} blocks"),
                    share = percent(occupancy.last_wave_share());
  if (occupancy.waves == 1) {
    return tr("{blocks} over the {sms} SMs of the {card}: 1 wave, {share} full", "blocks"_a = blocks,
              "sms"_a = model.multiprocessors, "card"_a = tr(model.card), "share"_a = share);
  }
  return tr_n(occupancy.waves, "{blocks} over the {sms} SMs of the {card}: {n} wave, the last {share} full",
              "{blocks} over the {sms} SMs of the {card}: {n} waves, the last {share} full",
              "blocks"_a = blocks, "sms"_a = model.multiprocessors, "card"_a = tr(model.card),
              "share"_a = share);
}

/// "at most 33 clusters of 4 blocks at a time: ..".
std::string describe_clusters(const LaunchNeeds& needs, std::uint64_t clusters) {
  return tr_n(
      clusters,
      "at most {n} cluster of {blocks} blocks at a time: its blocks lie in one GPC, whose SMs may not "
      "divide evenly, and then there are more waves",
      "at most {n} clusters of {blocks} blocks at a time: the blocks of each lie in one GPC, whose SMs "
      "may not divide evenly, and then there are more waves",
      "blocks"_a = needs.cluster_blocks);
}

}  // namespace

std::string percent(double share) {
  double value = std::round(share * 1000) / 10;
  if (share < 1 && value >= 100) value = 99.9;
  if (share > 0 && value <= 0) return tr("less than 0.1 %");
  return value == std::floor(value) ? formatted("{:.0f} %", value) : formatted("{:.1f} %", value);
}

std::string MultiprocessorModel::name() const {
  return fmt::format("{} {}", architecture, cc.name());
}

const char* name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::threads: return tr("threads");
    case OccupancyLimit::registers: return tr("registers");
    case OccupancyLimit::shared: return tr("shared memory");
    case OccupancyLimit::blocks: break;
  }
  return tr("blocks");
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
  for (const Occupancy::Limit& limit : result.limits)
    result.blocks = std::min(result.blocks, limit.blocks.value_or(model.blocks));
  for (Occupancy::Limit& limit : result.limits) limit.binds = limit.blocks == result.blocks;
  result.warps = result.blocks * warps_of(needs);
  share_out(result, model, needs);
  return result;
}

std::string describe(const MultiprocessorModel& model, const LaunchNeeds& needs, const Occupancy& occupancy) {
  if (needs.threads == 0) return tr("A block without threads takes nothing");
  if (occupancy.blocks == 0) return why_no_block_fits(model, needs, occupancy);
  std::string sentence = tr("{blocks_allowed}: {warps} of {architecture}'s {max_warps} warps, {share}",
                            "blocks_allowed"_a = what_binds(occupancy), "warps"_a = occupancy.warps,
                            "architecture"_a = model.architecture, "max_warps"_a = occupancy.max_warps,
                            "share"_a = percent(occupancy.share()));
  const auto append = [&](const std::string& more) {
    sentence = tr("{first}; {second}", "first"_a = sentence, "second"_a = more);
  };
  if (occupancy.waves != 0) append(describe_waves(model, needs, occupancy));
  if (occupancy.clusters) append(describe_clusters(needs, *occupancy.clusters));
  return sentence;
}

const CompiledVariant* CompiledResources::recorded() const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [](const CompiledVariant& variant) { return variant.recorded; });
  return found == variants.end() ? nullptr : &*found;
}

const CompiledResources* OccupancySubject::compiled_for(ComputeCapability cc) const {
  const CompiledResources* best = nullptr;
  for (const CompiledResources& one : compiled) {
    if (best == nullptr || one.cc.major <= cc.major) best = &one;
  }
  return best;
}

Occupancy OccupancySubject::occupancy_on(ComputeCapability cc) const {
  return occupancy(multiprocessor_model(cc), needs_for(cc));
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
  if (resources == nullptr) return tr("registers not known: {reason}", "reason"_a = why_no_registers);
  if (resources->cc == cc)
    return tr("registers as compiled for {architecture}", "architecture"_a = resources->architecture);
  if (resources->cc.major > cc.major) {
    return tr(
        "registers as compiled for {architecture}, the oldest there is code for; a compiler for {cc} may "
        "take others",
        "architecture"_a = resources->architecture, "cc"_a = cc.name());
  }
  return tr("registers as compiled for {architecture}; code for {cc} may take others",
            "architecture"_a = resources->architecture, "cc"_a = cc.name());
}

std::string OccupancySubject::registers_sentence(ComputeCapability cc) const {
  const CompiledResources* const resources = compiled_for(cc);
  if (resources == nullptr)
    return tr("The registers are not known: {reason}.", "reason"_a = why_no_registers);
  if (resources->cc == cc)
    return tr("The registers as compiled for {architecture}.", "architecture"_a = resources->architecture);
  if (resources->cc.major > cc.major) {
    return tr(
        "The registers as compiled for {architecture}, the oldest there is code for; a compiler for {cc} may "
        "take others.",
        "architecture"_a = resources->architecture, "cc"_a = cc.name());
  }
  return tr("The registers as compiled for {architecture}; code for {cc} may take others.",
            "architecture"_a = resources->architecture, "cc"_a = cc.name());
}

}  // namespace warplens::analysis
