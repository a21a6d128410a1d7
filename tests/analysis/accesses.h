// Warp accesses for tests, made from a formula or at random.
#pragma once

#include <algorithm>
#include <random>

#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

inline constexpr ComputeCapability kHopper{9, 0};

/// Lane k at address_of(k).
template <class AddressOf>
WarpAccess access_of(Space space, AccessOp op, int bytes, AddressOf address_of,
                     std::uint32_t mask = 0xffffffffu) {
  WarpAccess access;
  access.space = space;
  access.op = op;
  access.bytes = bytes;
  access.mask = mask;
  for (int lane = 0; lane < kWarpSize; ++lane)
    access.address[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(address_of(lane));
  return access;
}
template <class AddressOf>
WarpAccess global_load(int bytes, AddressOf address_of, std::uint32_t mask = 0xffffffffu) {
  return access_of(Space::global, AccessOp::load, bytes, address_of, mask);
}
template <class AddressOf>
WarpAccess shared_load(int bytes, AddressOf address_of, std::uint32_t mask = 0xffffffffu) {
  return access_of(Space::shared, AccessOp::load, bytes, address_of, mask);
}
template <class AddressOf>
WarpAccess shared_store(int bytes, AddressOf address_of, std::uint32_t mask = 0xffffffffu) {
  return access_of(Space::shared, AccessOp::store, bytes, address_of, mask);
}

/// Accesses of every kind: spaces, instructions, widths, masks, and addresses from all equal to scattered,
/// aligned to the width.
class RandomAccesses {
 public:
  explicit RandomAccesses(unsigned seed) : random_(seed) {}

  WarpAccess next() {
    WarpAccess access;
    access.space = std::array{Space::global, Space::shared, Space::shared, Space::local}[pick(4)];
    access.bytes = std::array{1, 2, 4, 4, 8, 16}[pick(6)];
    access.op = std::array{AccessOp::load,     AccessOp::load,     AccessOp::store,   AccessOp::atomic,
                           AccessOp::ldmatrix, AccessOp::stmatrix, AccessOp::cp_async}[pick(7)];
    if (access.space == Space::local && access.op != AccessOp::store) access.op = AccessOp::load;
    const bool matrix = access.op == AccessOp::ldmatrix || access.op == AccessOp::stmatrix;
    if (matrix && access.space == Space::global) access.op = AccessOp::reduction;
    if (matrix && access.space == Space::shared) access.matrices = 1 << pick(3), access.bytes = 16;
    if (access.op == AccessOp::atomic || access.op == AccessOp::reduction || access.op == AccessOp::cp_async)
      access.bytes = std::max(4, access.bytes);
    if (access.op == AccessOp::cp_async && access.bytes == 16) access.bypass_l1 = pick(2) == 0;
    access.eight_byte_banks = pick(4) == 0;
    access.mask = masks();
    place(access);
    return access;
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  std::uint32_t masks() {
    const auto any = static_cast<std::uint32_t>(random_());
    switch (pick(6)) {
      case 0: return any;
      case 1: return any & static_cast<std::uint32_t>(random_()) & static_cast<std::uint32_t>(random_());
      case 2: return 0xffffffffu >> pick(32);
      case 3: return 1u << pick(32);
      default: return 0xffffffffu;
    }
  }

  void place(WarpAccess& access) {
    const auto bytes = static_cast<std::uint64_t>(access.bytes);
    const std::uint64_t base = 0x10000 + bytes * pick(64);
    const std::uint64_t stride = std::array{0u, 1u, 2u, 3u, 4u, 16u, 32u, 33u, 64u}[pick(9)];
    const std::uint64_t spread = std::array{2u, 8u, 32u, 64u, 256u, 4096u}[pick(6)];
    const std::uint32_t kind = pick(6), turn = pick(32);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      std::uint64_t& address = access.address[lane];
      switch (kind) {
        case 0: address = base + bytes * stride * lane; break;
        case 1: address = base + bytes * stride * (lane ^ turn); break;
        case 2: address = base + bytes * (lane / 2 * stride + lane % 2 * 7); break;
        case 3:
          address = lane % 2 == 1 && pick(8) > 0 ? access.address[lane - 1]
                                                 : base + bytes * pick(static_cast<std::uint32_t>(spread));
          break;
        case 4:
          address = (lane & 2) != 0 && turn != 0 ? access.address[lane - 2]
                                                 : base + bytes * pick(static_cast<std::uint32_t>(spread));
          break;
        default: address = base + bytes * pick(static_cast<std::uint32_t>(spread)); break;
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace warplens::analysis
