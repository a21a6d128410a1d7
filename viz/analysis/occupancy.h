// How many blocks and warps a multiprocessor (SM) holds at once, which resource ends it, and in how many
// waves a grid goes over all SMs of a card. The rules and the sources of the figures: docs/occupancy.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// What a multiprocessor of a compute capability has, and in which portions it gives it out. "CUDA C++
/// Programming Guide", technical specifications by compute capability (of its time, for those that it has
/// dropped), and NVIDIA's occupancy calculator for the portions.
struct MultiprocessorModel {
  ComputeCapability cc;
  const char* architecture = "";         ///< "Hopper"
  const char* card = "";                 ///< A card of it: "H200". To be shown by tr(): one is said in words
  std::uint32_t multiprocessors = 0;     ///< Of that card
  std::uint32_t threads_a_block = 1024;  ///< At most
  std::uint32_t warps = 0, blocks = 0;   ///< At most, at a time
  std::uint32_t warp_unit = 1;           ///< Warps of a block are rounded up to a multiple of it

  std::uint32_t registers = 0;           ///< Of 32 bits
  std::uint32_t registers_a_block = 0;   ///< At most
  std::uint32_t registers_a_thread = 0;  ///< At most
  std::uint32_t register_unit =
      0;  ///< Registers of a warp are rounded up to a multiple of it; of a block, if `registers_by_block`
  bool registers_by_block = false;  ///< CC 1.x
  bool uneven_register_unit =
      false;  ///< CC 2.x: some numbers of registers are given out in portions of double size
  std::uint32_t partitions = 1;  ///< Each has its share of the registers, and a warp's come from one of them
  std::uint32_t partitions_to_launch = 1;  ///< A block must fit with its warps rounded up to a multiple of it
  std::uint32_t shared_bytes = 0;          ///< The most that can be set aside for shared memory
  std::uint32_t shared_bytes_a_block = 0;  ///< At most; beyond 48 KiB a kernel has to ask for it
  std::uint32_t shared_bytes_reserved = 0;  ///< By the system, of each block
  std::uint32_t shared_unit = 0;            ///< Shared memory of a block is rounded up to a multiple of it

  [[nodiscard]] std::uint32_t threads() const { return warps * kWarpSize; }
  [[nodiscard]] std::string name() const;  ///< "Hopper 9.0"
};
/// One for each of device_models(), in their order.
[[nodiscard]] const std::vector<MultiprocessorModel>& multiprocessor_models();
/// `cc` is one of device_models().
[[nodiscard]] const MultiprocessorModel& multiprocessor_model(ComputeCapability cc);

/// What a launch asks for.
struct LaunchNeeds {
  std::uint32_t threads = 0;               ///< A block
  std::optional<std::uint32_t> registers;  ///< A thread; nullopt: not known, and then left out
  std::uint32_t shared_bytes = 0;          ///< A block, static and dynamic
  std::uint64_t blocks = 0;                ///< Of the grid
  std::uint64_t cluster_blocks = 1;        ///< Of a cluster; 1: a launch without clusters
  friend bool operator==(const LaunchNeeds&, const LaunchNeeds&) = default;
};

enum class OccupancyLimit : std::uint8_t { threads, registers, shared, blocks };
inline constexpr std::array kOccupancyLimits{OccupancyLimit::threads, OccupancyLimit::registers,
                                             OccupancyLimit::shared, OccupancyLimit::blocks};
[[nodiscard]] const char* name_of(OccupancyLimit limit);  ///< "shared memory"

struct Occupancy {
  /// What one resource allows by itself.
  struct Limit {
    std::optional<std::uint32_t>
        blocks;  ///< An SM; nullopt: not known (registers), or none is asked for (shared memory)
    std::uint64_t a_block =
        0;  ///< What a block takes of it, rounded up to portions: threads, registers, bytes, blocks
    std::uint64_t of = 0;  ///< What the SM has
    bool binds = false;    ///< No other allows fewer
  };
  std::array<Limit, 4> limits;  ///< By OccupancyLimit
  std::uint32_t blocks = 0;     ///< An SM at a time; 0: a block does not fit at all
  std::uint32_t warps = 0;      ///< Those blocks' warps, as they are launched
  std::uint32_t max_warps = 0;  ///< The SM's

  /// Clusters on all SMs at a time, at most: a cluster's blocks lie in one GPC, and how many SMs each GPC has
  /// is not known. nullopt: without clusters, which there are since compute capability 9.0.
  std::optional<std::uint64_t> clusters;

  std::uint64_t blocks_a_wave = 0;  ///< All SMs full, or as many clusters
  std::uint64_t waves = 0;  ///< 0 if a block does not fit. Blocks are taken to last equally long. With
                            ///< clusters, the fewest
  std::uint64_t blocks_in_last_wave = 0;  ///< 1 to blocks_a_wave

  [[nodiscard]] const Limit& limit(OccupancyLimit of_it) const {
    return limits[static_cast<std::size_t>(of_it)];
  }
  [[nodiscard]] double share() const { return max_warps == 0 ? 0 : static_cast<double>(warps) / max_warps; }
  [[nodiscard]] double last_wave_share() const {
    return blocks_a_wave == 0 ? 0
                              : static_cast<double>(blocks_in_last_wave) / static_cast<double>(blocks_a_wave);
  }
};
[[nodiscard]] Occupancy occupancy(const MultiprocessorModel& model, const LaunchNeeds& needs);

/// "25 %", "12.5 %"; all and nothing only where it is just that.
[[nodiscard]] std::string percent(double share);

/// One sentence: "Registers allow 1 block an SM: 8 of Hopper's 64 warps, 12.5 %; 64 blocks over the 132 SMs
/// of the H200: 1 wave, 48.5 % full".
[[nodiscard]] std::string describe(const MultiprocessorModel& model, const LaunchNeeds& needs,
                                   const Occupancy& occupancy);

/// What machine code takes for one value of a kernel's parameter.
struct CompiledVariant {
  std::string name;       ///< "T = 16"; empty for a kernel without parameters that change its code
  bool recorded = false;  ///< The one that the recording is of
  LaunchNeeds needs;
  std::uint32_t stack_bytes = 0;  ///< Local memory a thread
  /// In the code, a thread: bytes that it stores where a register is spilled, and loads where it is fetched
  /// back.
  std::uint32_t spill_store_bytes = 0, spill_load_bytes = 0;
  /// Requests to local memory, as compiled, by the first block of the grid with CompiledResources::terms.
  /// nullopt: it could not be followed, ..
  std::optional<std::uint64_t> local_loads, local_stores;
  bool follow_later = false;  ///< .. or has not been yet
};
struct CompiledResources {
  std::string architecture;  ///< "sm_90"
  ComputeCapability cc;      ///< That it was compiled for
  std::uint64_t terms =
      0;  ///< p of the launches in which local accesses were counted; 0 for a kernel without p
  std::vector<CompiledVariant> variants;
  [[nodiscard]] const CompiledVariant* recorded() const;
};

/// A recorded launch, as occupancy sees it.
struct OccupancySubject {
  std::string kernel;
  LaunchNeeds launch;                       ///< Without registers
  std::vector<CompiledResources> compiled;  ///< By ascending compute capability
  std::string why_no_registers;             ///< If `compiled` is empty

  /// The machine code that stands for a compute capability: its own, else of the same major one, else the
  /// nearest. nullptr if there is none.
  [[nodiscard]] const CompiledResources* compiled_for(ComputeCapability cc) const;
  /// The launch with the registers of that machine code.
  [[nodiscard]] LaunchNeeds needs_for(ComputeCapability cc) const;
  /// Returns the occupancy of that multiprocessor by the launch with them.
  [[nodiscard]] Occupancy occupancy_on(ComputeCapability cc) const;
  /// Where its registers come from: "registers as compiled for sm_90", with what must be said if `cc` is
  /// another; or why they are not known.
  [[nodiscard]] std::string registers_note(ComputeCapability cc) const;
  /// The same as a sentence: "The registers as compiled for sm_90."
  [[nodiscard]] std::string registers_sentence(ComputeCapability cc) const;
};

}  // namespace warplens::analysis
