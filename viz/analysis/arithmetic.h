// The arithmetic of memory: how many operations a kernel makes of the bytes it asks for, what a device lets
// it reach with that, and what shared memory can gain. Derived in docs/arithmetic.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/totals.h"

namespace warplens::analysis {

/// Passes through the shared-memory data stage, each of which takes as long as if it were full.
struct SharedPasses {
  std::uint64_t wavefronts = 0, ideal = 0;  ///< What they are, and what they would be without bank conflicts
  std::uint32_t bytes_a_pass = 128;
  std::string architecture;  ///< "sm_90": of the accesses of that machine code; empty: as PTX writes them, of
                             ///< which the assembler may merge some
  friend bool operator==(const SharedPasses&, const SharedPasses&) = default;
};
/// All those of a report, but for its architecture.
[[nodiscard]] SharedPasses shared_passes(const Report& report);

/// What a product's recording counts, over its whole grid. Accesses are those of threads to one element each:
/// one of 16 bytes reaches four floats.
struct CountedArithmetic {
  double flops = 0;                ///< 2 m p n of the caller's sizes, without what padding adds
  std::uint64_t global_loads = 0;  ///< Elements, per lane
  std::uint64_t shared_loads = 0, shared_stores = 0;
  std::uint64_t requested_bytes = 0;           ///< By loads from global memory, per lane
  std::optional<std::uint64_t> fetched_bytes;  ///< Of the same loads' transactions; nullopt where costs were
                                               ///< taken under older rules while recording
  std::optional<std::uint64_t> ideal_bytes;    ///< Of them, if each request had perfect addresses; nullopt
                                               ///< where not every transaction is a sector
  SharedPasses shared;
  /// The ratio of compute to global memory accesses (CGMA), in flop/B; 0 if nothing was loaded.
  [[nodiscard]] double requested_intensity() const {
    return requested_bytes == 0 ? 0 : flops / static_cast<double>(requested_bytes);
  }
  [[nodiscard]] std::optional<double> fetched_intensity() const;
  /// What the roof compares: flops over what is fetched, or over what is requested where that is not known.
  [[nodiscard]] double roof_intensity() const { return fetched_intensity().value_or(requested_intensity()); }
  [[nodiscard]] double multiply_adds() const { return flops / 2; }
  [[nodiscard]] double per_multiply_add(std::uint64_t accesses) const {
    return static_cast<double>(accesses) / multiply_adds();
  }
  friend bool operator==(const CountedArithmetic&, const CountedArithmetic&) = default;
};
/// Errors: the kernel is no product; not all blocks of the grid were recorded.
[[nodiscard]] Result<CountedArithmetic> count_arithmetic(const Recording& recording, const Report& report);

/// What a device can do at most.
struct Roof {
  double bandwidth_gbps = 200;  ///< Of its memory, 10^9 B/s
  double peak_gflops = 1500;
  double shared_gbps = 2000;  ///< Of the shared memory of all multiprocessors, 10^9 B/s
  /// min(peak, intensity * bandwidth), in GFLOP/s.
  [[nodiscard]] double attainable(double intensity) const;
  /// The intensity from which on the peak binds, in flop/B.
  [[nodiscard]] double ridge() const { return peak_gflops / bandwidth_gbps; }
  [[nodiscard]] bool bound_by_memory(double intensity) const { return intensity < ridge(); }
  friend bool operator==(const Roof&, const Roof&) = default;
};

/// What keeps a kernel from being faster, if nothing else did.
enum class Bound : std::uint8_t {
  memory,      ///< The bytes that are fetched, at the bandwidth of the device's memory
  scattered,   ///< The same, and with perfect addresses, which fetch less, it would be faster
  shared,      ///< Wavefronts of shared memory, without bank conflicts too
  conflicts,   ///< Wavefronts of shared memory, and without their bank conflicts it would be faster
  arithmetic,  ///< The peak
};
/// In GFLOP/s, what each lets a kernel reach at most.
struct Ceilings {
  double memory = 0, peak = 0;
  std::optional<double> with_perfect_addresses;     ///< Memory's; nullopt: not known
  std::optional<double> shared, without_conflicts;  ///< nullopt: it uses no shared memory
  [[nodiscard]] double attainable() const;          ///< The lowest of memory, peak and shared
  [[nodiscard]] Bound bound() const;
};
/// `counted` has loaded something.
[[nodiscard]] Ceilings ceilings(const CountedArithmetic& counted, const Roof& roof);

/// A peak of tensor cores, of dense matrices, with sums in f32 (of integers in s32).
struct TensorPeak {
  const char* type = "";  ///< Of the operands, as PTX writes it: "f16"
  double gflops = 0;
};

/// A device whose maker published its peak in single precision without tensor cores, at boost clock, and its
/// memory's bandwidth. That of shared memory follows from the peak: a multiprocessor's cores make two
/// operations a clock each, and its banks deliver MemoryRules::bytes_a_pass.
struct DeviceCard {
  const char* name;  ///< To be shown by tr(): the first one's is a word
  Roof roof;
  const char* source;                   ///< Where from, in words; to be shown by tr()
  std::vector<TensorPeak> tensor = {};  ///< From the same source; empty: it has no tensor cores
};
/// Returns the roof of products of operands of that type on tensor cores, or without them if it is empty;
/// nullopt: it is not published.
[[nodiscard]] std::optional<Roof> roof_for(const DeviceCard& card, const std::string& tensor_type);
[[nodiscard]] const std::vector<DeviceCard>& device_cards();
/// The card that a driver's name of a device means: "NVIDIA GeForce RTX 4070"; nullptr if none is.
[[nodiscard]] const DeviceCard* find_card(const std::string& device_name);

/// What a GPU reached.
struct MeasuredRate {
  double gflops = 0;
  double intensity = 0;  ///< By formula, at the size and the tile that was run
  std::string what;      ///< "tiled, T = 32, at 1,024 on an H200"
  friend bool operator==(const MeasuredRate&, const MeasuredRate&) = default;
};

/// A kernel of the ladder as its formula has it.
struct FormulaKernel {
  std::string kernel;     ///< Its id
  std::int64_t tile = 0;  ///< T; 0: it has none
  std::string name;       ///< "tiled, T = 32"
  std::string loads;      ///< "2 m n p / T": elements loaded from global memory
  std::string value_type = "f32";
  std::string intensity_text;  ///< "T / 4"
  double intensity = 0;        ///< flop/B at the size shown
  std::optional<MeasuredRate> measured;
  bool recorded = false;  ///< The kernel of the recording
  friend bool operator==(const FormulaKernel&, const FormulaKernel&) = default;
};

struct Arithmetic {
  std::string kernel;                        ///< Of the recording: "tiled, T = 32"
  std::string size;                          ///< Of the ladder's figures: "256 x 256 x 256"
  std::optional<CountedArithmetic> counted;  ///< From the recording
  std::string why_not, what_to_do;           ///< If it is not there
  std::string tensor_type;  ///< What tensor cores multiply in the recording: "f16"; empty: nothing
  std::string
      other_values;  ///< "double", "int": what the recording multiplies, if not what the roof's peak is of
  Roof roof;
  std::string device;  ///< Whose roof: "RTX 4070, published figures"
  std::vector<FormulaKernel> ladder;
  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
};
/// What the recording counts, or why it counts nothing; without the ladder, under the textbook's roof.
[[nodiscard]] Arithmetic counted_arithmetic(const Recording& recording, const Report& report);

/// Times of one access to global and to shared memory, in any one unit.
struct AccessTimes {
  double global = 100, shared = 10;
  friend bool operator==(const AccessTimes&, const AccessTimes&) = default;
};
/// Accesses for one multiply-add. Naive: {2, 0}; a row buffered: {1, 1}; tiles of edge B: {2 / B, 2}.
struct AccessesPerMultiplyAdd {
  double global = 2, shared = 0;
  /// How many operands come of one load from global memory: 1 for naive, B for tiles.
  [[nodiscard]] double reuse() const { return 2 / global; }
};
/// How many times faster than naive, if accesses were all that takes time and none overlapped: 2 t_g / (g t_g
/// + s t_s).
[[nodiscard]] double gain(const AccessTimes& times, const AccessesPerMultiplyAdd& accesses);
/// 2 t_g / (t_g + t_s): at most 2.
[[nodiscard]] double gain_of_buffering(const AccessTimes& times);
/// t_g / (t_g / B + t_s): at most B, and at most t_g / t_s.
[[nodiscard]] double gain_of_tiles(const AccessTimes& times, double edge);

}  // namespace warplens::analysis
