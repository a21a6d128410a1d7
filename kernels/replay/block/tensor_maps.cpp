// tensormap.replace and tensormap.cp_fenceproxy: what changes tensor maps in memory. As the bits of an
// mbarrier object, those of a map are opaque: what these do to them is no access. PTX ISA,
// "tensormap.replace", "tensormap.cp_fenceproxy".
#include <bit>
#include <cstring>

#include "kernels/base/tensor_map.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/lanes.h"

namespace warplens::replay {

const Instr* replace_in_tensor_map(Machine& m, const Instr* i) {
  m.runner->replace_in_tensor_map(*i);
  return i + 1;
}
const Instr* copy_tensor_map(Machine& m, const Instr* i) {
  m.runner->copy_tensor_map(*i);
  return i + 1;
}

std::byte* BlockRunner::tensor_map_at(const Instr& i, std::uint32_t lane, std::uint64_t address,
                                      ptx::StateSpace space) {
  const bool in_window = (address & ~(kWindowBytes - 1)) == kSharedWindow;
  std::byte* found = nullptr;
  if (space == ptx::StateSpace::shared || (space == ptx::StateSpace::generic && in_window)) {
    const std::uint64_t offset = address & (kWindowBytes - 1);
    if (offset >= machine_.shared.begin && offset + kTensorMapBytes <= machine_.shared.end)
      found = machine_.shared.data + offset;
  } else if (const Region* const region = find_region(address, kTensorMapBytes)) {
    found = region->data + (address - region->base);
  }
  if (found == nullptr) report_bulk_copy(&i, lane, finding_texts::kNoMapToChange);
  return found;
}

void BlockRunner::replace_in_tensor_map(const Instr& i) {
  check_shared_accesses();
  const auto value = [&](std::uint32_t head, bool is_wide, std::uint32_t lane) {
    return value_of_lane(*reinterpret_cast<const Head*>(machine_.registers + head), is_wide, lane);
  };
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    const std::uint64_t address =
        value(i.a, (i.flags & kWideAddress) != 0, lane) + static_cast<std::uint64_t>(i.imm);
    std::byte* const map = tensor_map_at(i, lane, address, static_cast<ptx::StateSpace>(i.space));
    if (map == nullptr) return;
    const bool is_replaced =
        replace_field(std::span<std::byte, kTensorMapBytes>(map, kTensorMapBytes),
                      static_cast<TensorMapField>(i.detail), i.c, value(i.b, i.register_bytes == 8, lane));
    if (!is_replaced) report_bulk_copy(&i, lane, finding_texts::kNoMapToChange);
  });
}

/// All lanes of the warp execute it together: it copies once.
void BlockRunner::copy_tensor_map(const Instr& i) {
  check_shared_accesses();
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(machine_.active));
  const auto value = [&](std::uint32_t head, bool is_wide) {
    return value_of_lane(*reinterpret_cast<const Head*>(machine_.registers + head), is_wide, lane);
  };
  const std::uint64_t offset = i.more[1] | std::uint64_t{i.more[2]} << 32,
                      to = value(i.a, (i.flags & kWideAddress) != 0) + static_cast<std::uint64_t>(i.imm);
  const std::byte* const from =
      tensor_map_at(i, lane, value(i.more[0], i.more[3] != 0) + offset, ptx::StateSpace::shared);
  std::byte* const map = from == nullptr ? nullptr : tensor_map_at(i, lane, to, ptx::StateSpace::global);
  if (map != nullptr) std::memcpy(map, from, kTensorMapBytes);
}

}  // namespace warplens::replay
