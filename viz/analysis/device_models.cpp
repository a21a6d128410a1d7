#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

std::string ComputeCapability::name() const {
  return fmt::format("{}.{}", major, minor);
}

const std::vector<DeviceModel>& device_models() {
  static const std::vector<DeviceModel> models{
      {{1, 0}, "Tesla", "A half-warp's accesses join only if lane k uses word k of an aligned segment; shared memory has 16 banks."},
      {{1, 1}, "Tesla", "Joins accesses as 1.0 does, and adds atomics on global memory."},
      {{1, 2}, "Tesla", "A half-warp's accesses to one segment join in any order, in transactions of 128, 64 or 32 bytes."},
      {{1, 3}, "Tesla", "Joins accesses as 1.2 does, and adds double precision."},
      {{2, 0}, "Fermi", "Global memory comes through an L1 cache in 128-byte lines; shared memory has 32 banks of 4 bytes."},
      {{2, 1}, "Fermi", "The memory rules of 2.0."},
      {{3, 0}, "Kepler", "Global memory goes to L2 in 32-byte segments; each of the 32 banks delivers 8 bytes a pass."},
      {{3, 5}, "Kepler", "The rules of 3.0, beside a read-only path for global memory, which is not drawn."},
      {{3, 7}, "Kepler", "The rules of 3.5, with more shared memory on each multiprocessor."},
      {{5, 0}, "Maxwell", "32 banks of 4 bytes, as in everything since; global memory in 32-byte sectors from L2."},
      {{5, 2}, "Maxwell", "The memory rules of 5.0, with more shared memory on each multiprocessor."},
      {{6, 0}, "Pascal", "Global memory is counted in distinct 32-byte sectors, as in everything since."},
      {{6, 1}, "Pascal", "The memory rules of 6.0."},
      {{7, 0}, "Volta", "L1 and shared memory are one storage; four cache tags are looked up in a cycle."},
      {{7, 5}, "Turing", "The memory rules of 7.0, and ldmatrix for rows of 16 bytes from shared memory."},
      {{8, 0}, "Ampere", "Adds cp.async, which copies from global to shared memory past the registers."},
      {{8, 6}, "Ampere", "The memory rules of 8.0, with less shared memory on each multiprocessor."},
      {{8, 9}, "Ada Lovelace", "The memory rules of 8.6."},
      {{9, 0}, "Hopper", "The rules were measured here, on an H200; adds stmatrix."},
      {{10, 0}, "Blackwell", "The memory rules of 9.0, by the guide."},
      {{12, 0}, "Blackwell", "The memory rules of 9.0, by the guide, in consumer chips."},
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
  if (good && std::any_of(models.begin(), models.end(), [&](const DeviceModel& model) { return model.cc == cc; })) return cc;

  std::string known;
  for (const DeviceModel& model : models) known += (known.empty() ? "" : ", ") + model.cc.name();
  return Error{fmt::format("no memory rules for compute capability \"{}\"", text), {}, fmt::format("Choose one of {}.", known)};
}

}  // namespace warplens::analysis
