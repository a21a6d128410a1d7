// By how much registers move from one block to the next while a warp is followed: what was counted of one
// block then counts for others, too. Private to kernels/sass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/sass/program.h"

namespace warplens::sass {

/// A register, of 32 bits: how it moves, modulo 2^32, in these lanes. In others it is not known how.
struct Move {
  Shift shift;
  std::uint32_t lanes = 0xffffffffu;
};

/// Values of an operand's 32 lanes, as they are read, and how they move.
struct Operand32 {
  std::span<const std::uint32_t> lanes;
  Move move;
};

/// Tracks, beside the registers of a warp, by how much each value changes from block to block. Where an
/// unknown change decides an address or a branch, the block represents only itself.
class Moves {
 public:
  explicit Moves(std::size_t registers, std::size_t sites)
      : registers_(registers), predicates_(), site_(sites) {}

  /// Which is compared with others along `axes`.
  void begin_block(const Axes& axes);
  void begin_warp();
  [[nodiscard]] const Axes& axes() const { return axes_; }
  [[nodiscard]] bool stands_alone() const { return stands_alone_; }
  void stand_alone() { stands_alone_ = true; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  /// How the addresses of a memory instruction move.
  [[nodiscard]] Shift of_site(std::uint32_t site) const { return site_[site].value_or(Shift{}); }

  // What operations do. Operands are those of the lanes `mask`, in which results are written.
  [[nodiscard]] Move of(std::uint32_t reg) const { return registers_[reg]; }
  void write(std::uint32_t reg, const Move& move, std::uint32_t mask);
  void write_predicate(std::uint32_t p, std::uint32_t lost, std::uint32_t mask);
  /// Lanes in which it is not known that other blocks have the same.
  [[nodiscard]] std::uint32_t lost(const PredicateSource& source) const { return predicates_[source.index]; }

  [[nodiscard]] static Move negated(const Move& move);
  [[nodiscard]] static Move sum(const Move& a, const Move& b);
  [[nodiscard]] Move product(const Operand32& a, const Operand32& b, std::uint32_t mask) const;
  /// The product of two numbers of 32 bits and a pair: the low word's move; the high word keeps its value.
  /// `result`: the low words.
  [[nodiscard]] Move wide_product(const Operand32& a, const Operand32& b, const Operand32& low,
                                  const Move& high, bool is_signed, std::span<const std::uint32_t> result,
                                  std::uint32_t mask);
  /// A sum's carry stays as it is. `terms`: as they are added; `result`: their sum.
  void keep_carry(std::span<const Operand32> terms, std::span<const std::uint32_t> result,
                  std::uint32_t mask);
  [[nodiscard]] Move shifted_left(const Operand32& a, std::uint32_t by) const;
  [[nodiscard]] Move shifted_right(const Operand32& a, std::uint32_t by, bool is_signed, std::uint32_t mask);
  /// Bits that a shift moves into the word above stay as they are.
  [[nodiscard]] Move carried_up(const Operand32& a, std::uint32_t by, std::uint32_t mask);
  /// A table of three bits, applied to each bit of three words.
  [[nodiscard]] Move looked_up(std::uint32_t table, std::span<const Operand32> operands,
                               std::uint32_t mask) const;
  /// Lanes whose comparison may come out otherwise in other blocks.
  [[nodiscard]] std::uint32_t compare(const Operand32& a, const Operand32& b, Comparison comparison,
                                      bool is_signed, std::uint32_t mask);
  /// Lanes `first` take `a`, the others `b`.
  [[nodiscard]] static Move chosen(const Move& a, const Move& b, std::uint32_t first, std::uint32_t mask);

  /// An address of a low word, whose high word does not move, and another such (uniform) pair.
  void access(std::uint32_t site, const Operand32& low, const Move& high, const Operand32& uniform,
              const Move& uniform_high, bool may_move, std::uint32_t mask);

 private:
  void keep_within_word(const Operand32& operand, bool is_signed, std::uint32_t mask);

  std::vector<Move> registers_;
  std::array<std::uint32_t, kPredicates> predicates_;  ///< Lanes that are lost
  std::vector<std::optional<Shift>> site_;
  Bounds bounds_;
  Axes axes_;
  bool stands_alone_ = false;
};

}  // namespace warplens::sass
