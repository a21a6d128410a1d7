// Races in the shared memory of a block whose warps are ordered by mbarriers, found by happens-before: vector
// clocks of the warps against the last accesses of each element. Where only barriers of the whole block order
// warps, the barrier intervals of races.cpp do the same on bitmaps.
//
// The async proxy accesses shared memory for the warp that issues a bulk copy, or for a warpgroup. Its reads
// last from their issue until the wait for their group. PTX ISA, "Async proxy", "wgmma.wait_group".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/replay/core/machine.h"
#include "kernels/replay/races/order.h"

namespace warplens::replay {

/// No false positives. False negatives are possible: of an element's loads only the last ones of two warps
/// are kept, and plain stores are not compared with each other, as their values are not known.
class SharedRaces {
 public:
  struct Place {
    std::uint32_t instruction = 0, warp = 0, lane = 0;
  };
  /// An earlier access that nothing orders before this one.
  struct Conflict {
    Place other;
    std::uint32_t first_byte = 0;   ///< That both access
    bool is_read_of_proxy = false;  ///< Whether the earlier access is a read by the async proxy
  };
  using Found = std::optional<Conflict>;

  /// `shift`: log2 of the bytes of an element, which is at most 4 bytes.
  SharedRaces(std::uint64_t bytes, std::uint32_t shift);

  void start_block();
  // These record an access of `bytes` at `address`, and return the first conflict.
  [[nodiscard]] Found load(const Order& order, const Place& place, std::uint32_t address,
                           std::uint32_t bytes);
  [[nodiscard]] Found store(const Order& order, const Place& place, std::uint32_t address,
                            std::uint32_t bytes);
  // The same of the async proxy, which accesses pieces of 16 bytes:
  [[nodiscard]] Found write_piece(const Order& order, const Place& place, std::uint32_t address);
  /// Begins a bulk copy's read.
  [[nodiscard]] Found begin_read(const Order& order, const Place& place, std::uint32_t address);
  void end_read(const Order& order, std::uint32_t address);
  /// Begins reads by a wgmma of the wgmma-group of that number, of up to 32 pieces: those whose bit is set.
  /// Returns those that may conflict. The reads end when one of the warpgroup's four warps has waited for the
  /// group.
  [[nodiscard]] std::uint32_t begin_product(const Order& order, const Place& place, std::uint32_t pieces,
                                            const std::uint64_t* addresses, std::uint32_t group);
  /// Returns the conflict of a read that begin_product has begun.
  [[nodiscard]] Found conflict_of_product(const Order& order, const Place& place, std::uint32_t address);
  /// Called when the warp has waited for all but the last of its wgmma-groups: for the first `groups`.
  void end_products(const Order& order, std::uint32_t warp, std::uint32_t groups);
  /// Forgets the accesses of a piece that another block of the cluster writes.
  void forget_piece(std::uint32_t address);

 private:
  static constexpr std::uint32_t kWarpsOfGroup = 4;
  struct Touch {
    std::uint32_t time = 0;  ///< 0: no access
    std::uint32_t instruction = 0;
    std::uint8_t warp = 0, lane = 0;
  };
  /// The last plain accesses of an element since its piece was written by the async proxy.
  struct Element {
    Touch stored;
    std::array<Touch, 2> loaded;  ///< The last one, and that of another warp
  };
  /// The accesses of a piece by the async proxy.
  struct Piece {
    void forget_reads();

    Touch written;
    Touch copied;                    ///< Read by the last bulk copy since then
    std::uint32_t copied_until = 0;  ///< 0: that read has not ended
    Touch multiplied;                ///< Read by the last wgmma since then
    std::array<std::uint32_t, Order::kAgents / kWarpsOfGroup>
        groups{};  ///< By warpgroup: the number of the wgmma-group that reads it last, plus 1; 0: none
    bool has_plain_accesses = false;  ///< Of its elements
  };

  [[nodiscard]] static Touch touch_of(const Order& order, const Place& place);
  [[nodiscard]] static bool comes_after(const Order& order, const Place& place, const Touch& touch);
  [[nodiscard]] static Conflict conflict_with(const Touch& touch, std::uint32_t first_byte);
  [[nodiscard]] Piece& piece_at(std::uint32_t address);
  // Conflicts with earlier accesses of these kinds:
  [[nodiscard]] static Found unordered_load(const Order& order, const Place& place, const Element& element,
                                            std::uint32_t address);
  [[nodiscard]] static Found unordered_write(const Order& order, const Place& place, const Piece& piece,
                                             std::uint32_t address);
  /// A write by the async proxy, or a plain store.
  [[nodiscard]] Found unordered_change(const Order& order, const Place& place, const Piece& piece,
                                       std::uint32_t address);
  /// A read by the async proxy.
  [[nodiscard]] Found unordered_read(const Order& order, const Place& place, const Piece& piece,
                                     std::uint32_t address) const;
  template <class Visit>
  void for_each_element(std::uint32_t address, std::uint32_t bytes, Visit visit);

  std::uint32_t shift_;
  std::vector<Element> elements_;
  std::vector<Piece> pieces_;
  /// By warp and wgmma-group: the time of the wait.
  std::array<std::vector<std::uint32_t>, Order::kAgents> waited_;
};

}  // namespace warplens::replay
