#include "viz/analysis/arithmetic.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "kernels/base/texts.h"

namespace warplens::analysis {
namespace {

bool loads_from_global(const Site& site) {
  return site.space == Space::global && reads(site.op, site.space) && !is_atomic(site.op);
}

/// Returns what loads and copies to shared memory read of global memory.
Totals loads_of(const Report& report) {
  Totals loads = report.global_load;
  loads += report.async_copy_global;
  loads += report.bulk_load_global;
  return loads;
}

/// Where not every transaction is a sector they differ in size, and only patterns that were kept can tell it.
std::optional<std::uint64_t> fetched_bytes_of(const Recording& recording, const Report& report) {
  if (memory_rules_of(report.cc).counts_sectors) return loads_of(report).cost.sectors * kSectorBytes;
  std::uint64_t bytes = 0;
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    const Site& description = recording.sites[site];
    if (!loads_from_global(description)) continue;
    if (recording.totals[site].unkept_requests > 0) return std::nullopt;
    for (const PatternCount& pattern : recording.totals[site].patterns) {
      const WarpAccess access = make_access(description, recording.shapes[pattern.shape], pattern.mask,
                                            pattern_base(pattern.alignment));
      bytes += coalesce(access, report.cc).fetched_bytes * pattern.count;
    }
  }
  return bytes;
}

/// "NVIDIA A100-SXM4-80GB": nvidia, a100, sxm4, 80gb.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == ' ' || c == '-') {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return words;
}

/// Returns the roof of a device of that peak, whose multiprocessors have so many cores: NVIDIA's "CUDA C++
/// Programming Guide", throughput of native arithmetic instructions.
Roof roof_of(double bandwidth_gbps, double peak_gflops, int cores, ComputeCapability cc) {
  const MemoryRules& rules = memory_rules_of(cc);
  const double clocks = peak_gflops / (2.0 * cores);  // Of all multiprocessors, 10^9 a second
  return {.bandwidth_gbps = bandwidth_gbps,
          .peak_gflops = peak_gflops,
          .shared_gbps = clocks * rules.bytes_a_pass() / rules.clocks_a_pass};
}

/// Peaks with dense matrices, in 10^9 operations a second; 0: not published.
struct TensorPeaks {
  double f16 = 0, bf16 = 0, tf32 = 0, f8 = 0, i8 = 0, i4 = 0, f64 = 0;
};

std::vector<TensorPeak> tensor_peaks(const TensorPeaks& peaks) {
  std::vector<TensorPeak> all{
      {"f16", peaks.f16}, {"bf16", peaks.bf16}, {"tf32", peaks.tf32}, {"e4m3", peaks.f8}, {"e5m2", peaks.f8},
      {"s8", peaks.i8},   {"u8", peaks.i8},     {"s4", peaks.i4},     {"u4", peaks.i4},   {"f64", peaks.f64}};
  std::erase_if(all, [](const TensorPeak& peak) { return peak.gflops == 0; });
  return all;
}

/// Bytes of an operand of the product, which the first buffer holds.
std::uint64_t operand_bytes(const Recording& recording) {
  return recording.buffers.empty() ? 4 : static_cast<std::uint64_t>(size_of(recording.buffers.front().type));
}

}  // namespace

std::optional<double> CountedArithmetic::fetched_intensity() const {
  if (!fetched_bytes || *fetched_bytes == 0) return std::nullopt;
  return flops / static_cast<double>(*fetched_bytes);
}

Result<CountedArithmetic> count_arithmetic(const Recording& recording, const Report& report) {
  if (recording.m == 0 || recording.p == 0 || recording.n == 0) {
    return Error{tr("{kernel} multiplies no matrices", "kernel"_a = recording.kernel), "",
                 tr("Record a kernel of the ladder.")};
  }
  if (recording.blocks_counted != recording.blocks_total) {
    return Error{tr_n(recording.blocks_total, "the recording has {recorded} of {n} block",
                      "the recording has {recorded} of {n} blocks",
                      "recorded"_a = with_thousands(recording.blocks_counted)),
                 "", tr("Record all blocks: the figures are those of the whole grid.")};
  }
  CountedArithmetic counted;
  counted.flops = 2.0 * static_cast<double>(recording.m) * static_cast<double>(recording.p) *
                  static_cast<double>(recording.n);
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    const Site& description = recording.sites[site];
    const std::uint64_t elements = report.by_site[site].requested_bytes / operand_bytes(recording);
    if (loads_from_global(description)) counted.global_loads += elements;
    if (description.space != Space::shared) continue;
    (!writes(description.op, description.space) ? counted.shared_loads : counted.shared_stores) += elements;
  }
  const Totals loads = loads_of(report);
  counted.requested_bytes = loads.requested_bytes;
  counted.fetched_bytes = fetched_bytes_of(recording, report);
  if (memory_rules_of(report.cc).counts_sectors)
    counted.ideal_bytes = loads.cost.ideal_sectors * kSectorBytes;
  counted.shared = shared_passes(report);
  return counted;
}

SharedPasses shared_passes(const Report& report) {
  SharedPasses passes{.bytes_a_pass = static_cast<std::uint32_t>(memory_rules_of(report.cc).bytes_a_pass()),
                      .architecture = ""};
  for (const TotalsKind& kind : totals_kinds()) {
    if (!kind.shared()) continue;
    passes.wavefronts += (report.*kind.totals).cost.wavefronts;
    passes.ideal += (report.*kind.totals).cost.ideal_wavefronts;
  }
  return passes;
}

Arithmetic counted_arithmetic(const Recording& recording, const Report& report) {
  Arithmetic arithmetic;
  arithmetic.kernel = recording.kernel;
  arithmetic.roof = device_cards().front().roof;
  arithmetic.tensor_type = tensor_type(recording);
  arithmetic.other_values = arithmetic.tensor_type;  // The textbook has no tensor cores
  arithmetic.device = tr(device_cards().front().name);
  if (const auto counted = count_arithmetic(recording, report)) {
    arithmetic.counted = *counted;
  } else {
    arithmetic.why_not = counted.error().what;
    arithmetic.what_to_do = counted.error().hint;
  }
  return arithmetic;
}

double Roof::attainable(double intensity) const {
  return std::min(peak_gflops, intensity * bandwidth_gbps);
}

double Ceilings::attainable() const {
  return std::min({memory, peak, shared.value_or(peak)});
}

Bound Ceilings::bound() const {
  const double lowest = attainable();
  if (lowest == peak) return Bound::arithmetic;
  if (lowest == memory) return with_perfect_addresses.value_or(0) > memory ? Bound::scattered : Bound::memory;
  return *without_conflicts > lowest ? Bound::conflicts : Bound::shared;
}

Ceilings ceilings(const CountedArithmetic& counted, const Roof& roof) {
  Ceilings found{.memory = counted.roof_intensity() * roof.bandwidth_gbps,
                 .peak = roof.peak_gflops,
                 .with_perfect_addresses = {},
                 .shared = {},
                 .without_conflicts = {}};
  const auto reached = [&](std::uint64_t wavefronts) {
    return counted.flops / (static_cast<double>(wavefronts) * counted.shared.bytes_a_pass) * roof.shared_gbps;
  };
  if (counted.ideal_bytes.value_or(0) > 0) {
    found.with_perfect_addresses =
        counted.flops / static_cast<double>(*counted.ideal_bytes) * roof.bandwidth_gbps;
  }
  if (counted.shared.wavefronts > 0) found.shared = reached(counted.shared.wavefronts);
  if (counted.shared.ideal > 0) found.without_conflicts = reached(counted.shared.ideal);
  return found;
}

const std::vector<DeviceCard>& device_cards() {
  static const std::vector<TensorPeak> kHopperTensor = tensor_peaks(
      {.f16 = 989.5e3, .bf16 = 989.5e3, .tf32 = 494.5e3, .f8 = 1979e3, .i8 = 1979e3, .f64 = 67e3});
  static const std::vector<DeviceCard> cards{
      {marked("Textbook"),
       {.bandwidth_gbps = 200, .peak_gflops = 1500, .shared_gbps = 2000},
       marked("A round example of courses: 200 GB/s and 1,500 GFLOP/s; shared memory ten times as fast as "
              "global memory")},
      {"B200 HGX", roof_of(7700, 75000, 128, {10, 0}),
       marked("NVIDIA's data sheet of the HGX B200: 7.7 TB/s, 75 TFLOP/s in FP32; half of its figures for "
              "tensor cores, which are for sparse matrices"),
       tensor_peaks({.f16 = 2250e3, .bf16 = 2250e3, .tf32 = 1100e3, .f8 = 4500e3, .i8 = 4500e3})},
      {"H200 SXM", roof_of(4800, 67000, 128, {9, 0}),
       marked("NVIDIA's data sheet of the H200: 4.8 TB/s, 67 TFLOP/s in FP32; half of its figures for tensor "
              "cores, which are for sparse matrices"),
       kHopperTensor},
      {"H100 SXM", roof_of(3350, 67000, 128, {9, 0}),
       marked(
           "NVIDIA's data sheet of the H100: 3.35 TB/s, 67 TFLOP/s in FP32; half of its figures for tensor "
           "cores, which are for sparse matrices"),
       kHopperTensor},
      {"A100 80 GB", roof_of(2039, 19500, 64, {8, 0}),
       marked(
           "NVIDIA's data sheet of the A100: 2,039 GB/s, 19.5 TFLOP/s in FP32, 312 in FP16 on tensor cores"),
       tensor_peaks({.f16 = 312e3, .bf16 = 312e3, .tf32 = 156e3, .i8 = 624e3, .i4 = 1248e3, .f64 = 19.5e3})},
      {"L4", roof_of(300, 30300, 128, {8, 9}),
       marked("NVIDIA's data sheet of the L4: 300 GB/s, 30.3 TFLOP/s in FP32; half of its figures for tensor "
              "cores, which are for sparse matrices"),
       tensor_peaks({.f16 = 121e3, .bf16 = 121e3, .tf32 = 60e3, .f8 = 242.5e3, .i8 = 242.5e3})},
      {"V100 SXM2", roof_of(900, 15700, 64, {7, 0}),
       marked("NVIDIA's data sheet of the V100: 900 GB/s, 15.7 TFLOP/s in FP32, 125 on tensor cores"),
       tensor_peaks({.f16 = 125e3})},
      {"T4", roof_of(320, 8100, 64, {7, 5}),
       marked("NVIDIA's data sheet of the T4: 320 GB/s, 8.1 TFLOP/s in FP32, 65 in FP16 on tensor cores"),
       tensor_peaks({.f16 = 65e3, .i8 = 130e3, .i4 = 260e3})},
      {"P100 SXM2", roof_of(732, 10600, 64, {6, 0}),
       marked("NVIDIA's data sheet of the P100: 732 GB/s, 10.6 TFLOP/s in FP32")},
      {"RTX 4090", roof_of(1008, 82580, 128, {8, 9}),
       marked(
           "NVIDIA's specifications: 1,008 GB/s; 16,384 cores, 2 operations each, at 2.52 GHz; tensor cores "
           "by NVIDIA's paper on Ada"),
       tensor_peaks({.f16 = 165.2e3, .bf16 = 165.2e3, .tf32 = 82.6e3, .f8 = 330.3e3, .i8 = 660.6e3})},
      {"RTX 4070", roof_of(504.2, 29150, 128, {8, 9}),
       marked(
           "NVIDIA's specifications: 504.2 GB/s; 5,888 cores, 2 operations each, at 2.475 GHz; tensor cores "
           "as those of the RTX 4090 for each core and clock"),
       tensor_peaks({.f16 = 58.3e3, .bf16 = 58.3e3, .tf32 = 29.1e3, .f8 = 116.6e3, .i8 = 233.2e3})},
      {"RTX 3090", roof_of(936, 35580, 128, {8, 6}),
       marked("NVIDIA's specifications: 936 GB/s; 10,496 cores, 2 operations each, at 1.695 GHz; tensor "
              "cores by "
              "NVIDIA's paper on the GA102"),
       tensor_peaks({.f16 = 71e3, .bf16 = 71e3, .tf32 = 35.6e3, .i8 = 284e3, .i4 = 568e3})},
      {"GTX 770", roof_of(224.3, 3333, 192, {3, 0}),
       marked("NVIDIA's specifications: 224.3 GB/s; 1,536 cores, 2 operations each, at 1.085 GHz")},
      {"GTS 450", roof_of(57.7, 601, 48, {2, 1}),
       marked("NVIDIA's specifications: 57.7 GB/s; 192 cores, 2 operations each, at 1.566 GHz")}};
  return cards;
}

std::optional<Roof> roof_for(const DeviceCard& card, const std::string& tensor_type) {
  if (tensor_type.empty()) return card.roof;
  const auto found = std::ranges::find(card.tensor, std::string_view(tensor_type), &TensorPeak::type);
  if (found == card.tensor.end()) return std::nullopt;
  Roof roof = card.roof;
  roof.peak_gflops = found->gflops;
  return roof;
}

const DeviceCard* find_card(const std::string& device_name) {
  const std::vector<std::string> words = words_of(device_name);
  const auto names = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  // Other devices of the same model: of another form, cut down, or a part of one.
  for (const char* const other :
       {"pcie", "ti", "super", "laptop", "max", "mobile", "d", "nvl", "mig", "se"}) {
    if (names(other)) return nullptr;
  }
  if (names("a100") && !names("80gb")) return nullptr;
  const auto& cards = device_cards();
  const auto found = std::find_if(cards.begin() + 1, cards.end(), [&](const DeviceCard& card) {
    const std::vector<std::string> model = words_of(card.name);
    const bool geforce = model[0] == "rtx" || model[0] == "gtx" || model[0] == "gts";
    return names(model[0]) && (!geforce || names(model[1]));
  });
  return found == cards.end() ? nullptr : &*found;
}

double gain(const AccessTimes& times, const AccessesPerMultiplyAdd& accesses) {
  return 2 * times.global / (accesses.global * times.global + accesses.shared * times.shared);
}

double gain_of_buffering(const AccessTimes& times) {
  return gain(times, {1, 1});
}

double gain_of_tiles(const AccessTimes& times, double edge) {
  return gain(times, {2 / edge, 2});
}

}  // namespace warplens::analysis
