#include "viz/analysis/device_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernels/base/texts.h"

namespace warplens::analysis {
namespace {

// A generation or a rule that differs by compute capability is added here, and in
// tests/analysis/device_models_test.cpp. "guide" is NVIDIA's "CUDA C++ Programming Guide", appendix on
// compute capabilities (for 1.x and 2.x its editions up to 6.5); "measured" is measured on an H200 (9.0)
// unless said otherwise; "chosen" is documented nowhere that we know of. docs/memory_model.md says more of
// each.
constexpr std::array kMemoryRules{
    MemoryRules{.since = {1, 0},
                .joining = Joining::in_place,               // Guide
                .lanes_joining = {{16, 16, 16, 16, 16}},    // Guide
                .segment_bytes = {{32, 32, 64, 128, 128}},  // Guide; 1- and 2-byte lanes never join
                .past_l1_bytes = {{32, 32, 64, 128, 128}},  // There is no L1 cache
                .counts_sectors = false,                    // Guide
                .shared_base = 0,                           // Guide
                .banks = 16,                                // Guide
                .bank_bytes = 4,                            // Guide
                .clocks_a_pass = 2,                         // Guide: 32 bits per two clock cycles
                .lane_groups = {{16, 16, 16, 16, 16}},      // Guide
                .shared_loads = Sharing::one_broadcast,     // Guide; which word it is, chosen
                .shared_stores = Sharing::same_address,     // Guide
                .word_by_word = true,                       // Guide
                .min_of_widest = 1,                         // Guide
                .pair_rule = false,                         // Guide
                .ideal_by_bytes = false},                   // Chosen
    MemoryRules{.since = {1, 2},
                .joining = Joining::gathered,                // Guide
                .lanes_joining = {{16, 16, 16, 16, 16}},     // Guide
                .segment_bytes = {{32, 64, 128, 128, 128}},  // Guide
                .past_l1_bytes = {{32, 64, 128, 128, 128}},  // There is no L1 cache
                .counts_sectors = false,                     // Guide
                .shared_base = 0,                            // Guide
                .banks = 16,                                 // Guide
                .bank_bytes = 4,                             // Guide
                .clocks_a_pass = 2,                          // Guide: 32 bits per two clock cycles
                .lane_groups = {{16, 16, 16, 16, 16}},       // Guide
                .shared_loads = Sharing::one_broadcast,      // Guide; which word it is, chosen
                .shared_stores = Sharing::same_address,      // Guide
                .word_by_word = true,                        // Guide
                .min_of_widest = 1,                          // Guide
                .pair_rule = false,                          // Guide
                .ideal_by_bytes = false},                    // Chosen
    MemoryRules{.since = {2, 0},
                .joining = Joining::segments,                  // Guide
                .lanes_joining = {{32, 32, 32, 16, 8}},        // Guide
                .segment_bytes = {{128, 128, 128, 128, 128}},  // Guide: the lines of the L1 cache
                .past_l1_bytes = {{32, 32, 32, 32, 32}},       // Guide
                .counts_sectors = false,                       // Guide
                .shared_base = 0,                              // Guide
                .banks = 32,                                   // Guide
                .bank_bytes = 4,                               // Guide
                .clocks_a_pass = 2,                            // Guide: 32 bits per two clock cycles
                .lane_groups = {{32, 32, 32, 16, 8}},          // Guide
                .shared_loads = Sharing::row,                  // Guide
                .shared_stores = Sharing::row,                 // Guide
                .word_by_word = false,                         // Guide
                .min_of_widest = 2,                            // Guide: 16-byte accesses always conflict
                .pair_rule = false,                            // Guide
                .ideal_by_bytes = false},                      // Chosen
    MemoryRules{.since = {3, 0},
                .joining = Joining::segments,             // Guide
                .lanes_joining = {{32, 32, 32, 16, 8}},   // Guide
                .segment_bytes = {{32, 32, 32, 32, 32}},  // Guide: global memory goes to L2
                .past_l1_bytes = {{32, 32, 32, 32, 32}},  // Guide
                .counts_sectors = false,                  // As a wide access can move one several times
                .shared_base = 0,                         // Guide
                .banks = 32,                              // Guide
                .bank_bytes = 8,                          // Guide
                .clocks_a_pass = 1,                       // Guide
                .lane_groups = {{32, 32, 32, 32, 16}},    // Chosen: 256 bytes a pass
                .shared_loads = Sharing::row,             // Guide
                .shared_stores = Sharing::row,            // Guide
                .word_by_word = false,                    // Guide
                .min_of_widest = 1,                       // Guide
                .pair_rule = false,                       // Chosen
                .ideal_by_bytes = false},                 // Chosen
    MemoryRules{.since = {5, 0},
                .joining = Joining::segments,             // Guide
                .lanes_joining = {{32, 32, 32, 32, 32}},  // Guide
                .segment_bytes = {{32, 32, 32, 32, 32}},  // Guide
                .past_l1_bytes = {{32, 32, 32, 32, 32}},  // Guide
                .counts_sectors = true,                   // Guide
                .shared_base = 0,                         // Guide
                .banks = 32,                              // Guide
                .bank_bytes = 4,                          // Guide
                .clocks_a_pass = 1,                       // Guide
                .lane_groups = {{32, 32, 32, 16, 8}},     // Measured on 9.0
                .shared_loads = Sharing::row,             // Guide
                .shared_stores = Sharing::row,            // Guide
                .word_by_word = false,                    // Guide
                .min_of_widest = 1,                       // Measured on 9.0
                .pair_rule = true,                        // Measured on 9.0
                .ideal_by_bytes = true},                  // What Nsight Compute calls ideal, on 9.0
    MemoryRules{.since = {8, 0},
                .joining = Joining::segments,             // Measured
                .lanes_joining = {{32, 32, 32, 32, 32}},  // Measured
                .segment_bytes = {{32, 32, 32, 32, 32}},  // Measured
                .past_l1_bytes = {{32, 32, 32, 32, 32}},  // Measured for 4 and 8 bytes; 16 bytes chosen
                .counts_sectors = true,                   // Measured
                .shared_base = 1024,  // Guide, "Shared Memory" of 8.x and 9.0; measured on an H100
                .banks = 32,          // Measured
                .bank_bytes = 4,      // Measured
                .clocks_a_pass = 1,   // Guide
                .lane_groups = {{32, 32, 32, 16, 8}},  // Measured
                .shared_loads = Sharing::row,          // Measured
                .shared_stores = Sharing::row,         // Measured
                .word_by_word = false,                 // Measured
                .min_of_widest = 1,                    // Measured
                .pair_rule = true,                     // Measured
                .ideal_by_bytes = true},               // What Nsight Compute calls ideal
};

}  // namespace

std::span<const MemoryRules> memory_rule_table() {
  return kMemoryRules;
}

const MemoryRules& memory_rules_of(ComputeCapability cc) {
  const auto next = std::find_if(kMemoryRules.begin() + 1, kMemoryRules.end(),
                                 [&](const MemoryRules& rules) { return cc < rules.since; });
  return *(next - 1);
}

std::string ComputeCapability::name() const {
  return fmt::format("{}.{}", major, minor);
}

const std::vector<DeviceModel>& device_models() {
  static const std::vector<DeviceModel> models{
      {{1, 0},
       "Tesla",
       marked("A half-warp's accesses join only if lane k uses word k of an aligned segment; shared memory "
              "has 16 banks.")},
      {{1, 1}, "Tesla", marked("Joins accesses as 1.0 does, and adds atomics on global memory.")},
      {{1, 2},
       "Tesla",
       marked("A half-warp's accesses to one segment join in any order, in transactions of 128, 64 or 32 "
              "bytes.")},
      {{1, 3}, "Tesla", marked("Joins accesses as 1.2 does, and adds double precision.")},
      {{2, 0},
       "Fermi",
       marked("Global memory comes through an L1 cache in 128-byte lines; shared memory has 32 banks of 4 "
              "bytes.")},
      {{2, 1}, "Fermi", marked("The memory rules of 2.0.")},
      {{3, 0},
       "Kepler",
       marked(
           "Global memory goes to L2 in 32-byte segments; each of the 32 banks delivers 8 bytes per pass.")},
      {{3, 5},
       "Kepler",
       marked("The rules of 3.0, beside a read-only path for global memory, which is not drawn.")},
      {{3, 7}, "Kepler", marked("The rules of 3.5, with more shared memory on each multiprocessor.")},
      {{5, 0},
       "Maxwell",
       marked("32 banks of 4 bytes, as in everything since; global memory in 32-byte sectors from L2.")},
      {{5, 2}, "Maxwell", marked("The memory rules of 5.0, with more shared memory on each multiprocessor.")},
      {{6, 0},
       "Pascal",
       marked("Global memory is counted in distinct 32-byte sectors, as in everything since.")},
      {{6, 1}, "Pascal", marked("The memory rules of 6.0.")},
      {{7, 0},
       "Volta",
       marked("L1 and shared memory are one storage; four cache tags are looked up in a cycle.")},
      {{7, 5},
       "Turing",
       marked("The memory rules of 7.0, and ldmatrix for rows of 16 bytes from shared memory.")},
      {{8, 0},
       "Ampere",
       marked("Adds cp.async, which copies from global to shared memory past the registers.")},
      {{8, 6}, "Ampere", marked("The memory rules of 8.0, with less shared memory on each multiprocessor.")},
      {{8, 9}, "Ada Lovelace", marked("The memory rules of 8.6.")},
      {{9, 0}, "Hopper", marked("The rules were measured here, on an H200; adds stmatrix.")},
      {{10, 0}, "Blackwell", marked("The memory rules of 9.0, by the guide.")},
      {{12, 0}, "Blackwell", marked("The memory rules of 9.0, by the guide, in consumer chips.")},
  };
  return models;
}

Result<ComputeCapability> parse_compute_capability(std::string_view text) {
  ComputeCapability cc;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, cc.major);
  bool good = major.ec == std::errc{} && major.ptr != end && *major.ptr == '.';
  if (good) {
    const auto minor = std::from_chars(major.ptr + 1, end, cc.minor);
    good = minor.ec == std::errc{} && minor.ptr == end;
  }
  const auto& models = device_models();
  if (good &&
      std::any_of(models.begin(), models.end(), [&](const DeviceModel& model) { return model.cc == cc; }))
    return cc;

  std::string known;
  for (const DeviceModel& model : models) known += (known.empty() ? "" : ", ") + model.cc.name();
  return Error{tr("no memory rules for compute capability \"{cc}\"", "cc"_a = text),
               {},
               tr("Choose one of {compute_capabilities}.", "compute_capabilities"_a = known)};
}

}  // namespace warplens::analysis
