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

/// Where not every transaction is a sector they differ in size, and only patterns that were kept can tell it.
std::optional<std::uint64_t> fetched_bytes_of(const Recording& recording, const Report& report) {
  if (memory_rules_of(report.cc).counts_sectors)
    return (report.global_load.cost.sectors + report.async_copy_global.cost.sectors) * kSectorBytes;
  std::uint64_t bytes = 0;
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    const Site& description = recording.sites[site];
    if (!loads_from_global(description)) continue;
    if (recording.totals[site].judged_requests > 0) return std::nullopt;
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

/// Of a device of that peak, whose multiprocessors have so many cores: NVIDIA's "CUDA C++ Programming Guide",
/// throughput of native arithmetic instructions.
Roof roof_of(double bandwidth_gbps, double peak_gflops, int cores, ComputeCapability cc) {
  const MemoryRules& rules = memory_rules_of(cc);
  const double clocks = peak_gflops / (2.0 * cores);  // Of all multiprocessors, 10^9 a second
  return {.bandwidth_gbps = bandwidth_gbps,
          .peak_gflops = peak_gflops,
          .shared_gbps = clocks * rules.bytes_a_pass() / rules.clocks_a_pass};
}

/// Operands in one access of a thread: a vector access moves several. They are of the type of the first
/// buffer.
std::uint64_t operands_of(const Site& site, const Recording& recording) {
  const int element = recording.buffers.empty() ? 4 : size_of(recording.buffers.front().type);
  return std::max(1, site.bytes / element);
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
    const std::uint64_t elements =
        recording.totals[site].thread_accesses * operands_of(description, recording);
    if (loads_from_global(description)) counted.global_loads += elements;
    if (description.space != Space::shared) continue;
    (!writes(description.op, description.space) ? counted.shared_loads : counted.shared_stores) += elements;
  }
  Totals loads = report.global_load;
  loads += report.async_copy_global;
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
  Ceilings found{.memory = counted.judged_intensity() * roof.bandwidth_gbps,
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
  static const std::vector<DeviceCard> cards{
      {marked("Textbook"),
       {.bandwidth_gbps = 200, .peak_gflops = 1500, .shared_gbps = 2000},
       marked("A round example of courses: 200 GB/s and 1,500 GFLOP/s; shared memory ten times as fast as "
              "global memory")},
      {"H200 SXM", roof_of(4800, 67000, 128, {9, 0}),
       marked("NVIDIA's data sheet of the H200: 4.8 TB/s, 67 TFLOP/s in FP32")},
      {"H100 SXM", roof_of(3350, 67000, 128, {9, 0}),
       marked("NVIDIA's data sheet of the H100: 3.35 TB/s, 67 TFLOP/s in FP32")},
      {"A100 80 GB", roof_of(2039, 19500, 64, {8, 0}),
       marked("NVIDIA's data sheet of the A100: 2,039 GB/s, 19.5 TFLOP/s in FP32")},
      {"V100 SXM2", roof_of(900, 15700, 64, {7, 0}),
       marked("NVIDIA's data sheet of the V100: 900 GB/s, 15.7 TFLOP/s in FP32")},
      {"P100 SXM2", roof_of(732, 10600, 64, {6, 0}),
       marked("NVIDIA's data sheet of the P100: 732 GB/s, 10.6 TFLOP/s in FP32")},
      {"RTX 4090", roof_of(1008, 82580, 128, {8, 9}),
       marked("NVIDIA's specifications: 1,008 GB/s; 16,384 cores, 2 operations each, at 2.52 GHz")},
      {"RTX 4070", roof_of(504.2, 29150, 128, {8, 9}),
       marked("NVIDIA's specifications: 504.2 GB/s; 5,888 cores, 2 operations each, at 2.475 GHz")},
      {"GTX 770", roof_of(224.3, 3333, 192, {3, 0}),
       marked("NVIDIA's specifications: 224.3 GB/s; 1,536 cores, 2 operations each, at 1.085 GHz")},
      {"GTS 450", roof_of(57.7, 601, 48, {2, 1}),
       marked("NVIDIA's specifications: 57.7 GB/s; 192 cores, 2 operations each, at 1.566 GHz")}};
  return cards;
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
