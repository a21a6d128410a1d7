#include <algorithm>
#include <cassert>

#include "kernels/base/texts.h"
#include "viz/analysis/occupancy.h"

namespace warplens::analysis {
namespace {

constexpr std::uint32_t kKiB = 1024;

/// CC 1.x gives registers and shared memory out by the block, two warps at a time.
MultiprocessorModel tesla(int minor, const char* card, std::uint32_t multiprocessors) {
  const bool first = minor < 2;
  return {.cc = {1, minor},
          .architecture = "Tesla",
          .card = card,
          .multiprocessors = multiprocessors,
          .threads_a_block = 512,
          .warps = first ? 24u : 32u,
          .blocks = 8,
          .warp_unit = 2,
          .registers = first ? 8 * kKiB : 16 * kKiB,
          .registers_a_block = first ? 8 * kKiB : 16 * kKiB,
          .registers_a_thread = 124,
          .register_unit = first ? 256u : 512u,
          .registers_by_block = true,
          .shared_bytes = 16 * kKiB,
          .shared_bytes_a_block = 16 * kKiB,
          .shared_unit = 512};
}

MultiprocessorModel fermi(int minor, const char* card, std::uint32_t multiprocessors) {
  return {.cc = {2, minor},
          .architecture = "Fermi",
          .card = card,
          .multiprocessors = multiprocessors,
          .warps = 48,
          .blocks = 8,
          .registers = 32 * kKiB,
          .registers_a_block = 32 * kKiB,
          .registers_a_thread = 63,
          .register_unit = 64,
          .uneven_register_unit = true,
          .partitions = 2,
          .partitions_to_launch = 2,
          .shared_bytes = 48 * kKiB,
          .shared_bytes_a_block = 48 * kKiB,
          .shared_unit = 128};
}

/// What CC 3.0 to 7.x have in common: 64 Ki registers in four partitions, given out in 256 a warp.
MultiprocessorModel since_kepler(ComputeCapability cc, const char* architecture, const char* card,
                                 std::uint32_t multiprocessors, std::uint32_t blocks,
                                 std::uint32_t shared_kib) {
  return {.cc = cc,
          .architecture = architecture,
          .card = card,
          .multiprocessors = multiprocessors,
          .warps = 64,
          .blocks = blocks,
          .registers = 64 * kKiB,
          .registers_a_block = 64 * kKiB,
          .registers_a_thread = 255,
          .register_unit = 256,
          .partitions = 4,
          .partitions_to_launch = 4,
          .shared_bytes = shared_kib * kKiB,
          .shared_bytes_a_block = 48 * kKiB,
          .shared_unit = 256};
}

/// L1 and shared memory are one storage, and a kernel may ask for nearly all of it.
MultiprocessorModel since_volta(MultiprocessorModel model, std::uint32_t warps,
                                std::uint32_t shared_kib_a_block) {
  model.warps = warps;
  model.shared_bytes_a_block = shared_kib_a_block * kKiB;
  return model;
}

/// A block's most is 1 KiB less than the multiprocessor has: the system keeps that of each block.
MultiprocessorModel since_ampere(ComputeCapability cc, const char* architecture, const char* card,
                                 std::uint32_t multiprocessors, std::uint32_t warps, std::uint32_t blocks,
                                 std::uint32_t shared_kib) {
  MultiprocessorModel model = since_volta(
      since_kepler(cc, architecture, card, multiprocessors, blocks, shared_kib), warps, shared_kib - 1);
  model.shared_unit = 128;
  return model;
}

std::vector<MultiprocessorModel> make_models() {
  std::vector<MultiprocessorModel> models{
      tesla(0, "GeForce 8800 GTX", 16),
      tesla(1, "GeForce 9800 GTX", 16),
      tesla(2, "GeForce GT 240", 12),
      tesla(3, "GeForce GTX 280", 30),
      fermi(0, "Tesla C2050", 14),
      fermi(1, "GeForce GTX 460", 7),
      since_kepler({3, 0}, "Kepler", "GeForce GTX 680", 8, 16, 48),
      since_kepler({3, 5}, "Kepler", "Tesla K40", 15, 16, 48),
      since_kepler({3, 7}, "Kepler", marked("Tesla K80, one of its two GPUs"), 13, 16, 112),
      since_kepler({5, 0}, "Maxwell", "GeForce GTX 750 Ti", 5, 32, 64),
      since_kepler({5, 2}, "Maxwell", "GeForce GTX 980", 16, 32, 96),
      since_kepler({6, 0}, "Pascal", "Tesla P100", 56, 32, 64),
      since_kepler({6, 1}, "Pascal", "GeForce GTX 1080", 20, 32, 96),
      since_volta(since_kepler({7, 0}, "Volta", "Tesla V100", 80, 32, 96), 64, 96),
      since_volta(since_kepler({7, 5}, "Turing", "T4", 40, 16, 64), 32, 64),
      since_ampere({8, 0}, "Ampere", "A100", 108, 64, 32, 164),
      since_ampere({8, 6}, "Ampere", "GeForce RTX 3090", 82, 48, 16, 100),
      since_ampere({8, 9}, "Ada Lovelace", "GeForce RTX 4090", 128, 48, 24, 100),
      since_ampere({9, 0}, "Hopper", "H200", 132, 64, 32, 228),
      since_ampere({10, 0}, "Blackwell", "B200", 148, 64, 32, 228),
      since_ampere({12, 0}, "Blackwell", "GeForce RTX 5090", 170, 48, 24, 100),
  };
  for (MultiprocessorModel& model : models) {
    model.shared_bytes_reserved = memory_rules_of(model.cc).shared_base;
    if (model.cc == ComputeCapability{3, 0}) model.registers_a_thread = 63;
    if (model.cc == ComputeCapability{3, 7}) model.registers = 128 * kKiB;
    if (model.cc == ComputeCapability{6, 0})
      model.partitions = 2;  // But a block must fit the other GPUs of the generation too
  }
  return models;
}

}  // namespace

const std::vector<MultiprocessorModel>& multiprocessor_models() {
  static const std::vector<MultiprocessorModel> models = make_models();
  return models;
}

const MultiprocessorModel& multiprocessor_model(ComputeCapability cc) {
  const auto& models = multiprocessor_models();
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const MultiprocessorModel& model) { return model.cc == cc; });
  assert(found != models.end());
  return found != models.end() ? *found : models.back();
}

}  // namespace warplens::analysis
