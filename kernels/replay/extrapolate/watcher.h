// Observes the watched operands while one block runs, and bounds the blocks for which each outcome is the
// same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/replay/core/machine.h"
#include "kernels/replay/extrapolate/block_shift.h"

namespace warplens::replay {

class Watcher {
 public:
  /// `handlers`: by PTX instruction, its original handler.
  Watcher(std::span<const Watch> watches, std::vector<Handler> handlers);

  [[nodiscard]] std::span<const Watch> watches() const { return watches_; }
  /// Resets all observations.
  void begin_block();
  /// Called before an instruction runs, watched or not.
  void see(Machine& m, const Instr& instr);
  [[nodiscard]] Handler handler_of(const Instr& instr) const { return handlers_[instr.index]; }

  /// Returns whether the block forms a class of its own: an access is out of bounds, or a value is too large.
  [[nodiscard]] bool stands_alone() const { return stands_alone_; }
  /// Returns whether lanes store to one address: whether that is a race depends on the stored values.
  [[nodiscard]] bool needs_values() const { return needs_values_; }
  /// Returns the min, max and selp instructions whose lanes all took the other operand than assumed.
  [[nodiscard]] std::vector<std::uint32_t> mispredicted_instructions() const;
  /// Returns the bounds, one for each shift.
  [[nodiscard]] std::vector<Bound> bounds() const;

 private:
  struct InRegion {
    const Region* region = nullptr;
    Span first;  ///< Addresses of lanes' first bytes
  };
  struct Seen {
    Span a, b;  ///< Values of operands
    Differences differences;
    bool took[2] = {};  ///< Operands that lanes took
    std::vector<InRegion> regions;
  };

  void see_comparison(Machine& m, const Instr& instr, const Watch& watch, Seen& seen);
  void see_extreme(Machine& m, const Instr& instr, const Watch& watch, Seen& seen);
  void see_selection(Machine& m, const Instr& instr, const Watch& watch, Seen& seen);
  void see_range(Machine& m, const Instr& instr, const Watch& watch, Seen& seen);
  void see_access(Machine& m, const Instr& instr, const Watch& watch, Seen& seen);
  /// Observes one of the accesses of an instruction; wmma.load and wmma.store make several.
  void see_piece(Machine& m, const Instr& instr, const Watch& watch, Seen& seen, int which);

  std::span<const Watch> watches_;
  std::vector<Handler> handlers_;
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::uint32_t> watch_of_;  ///< By PTX instruction; kNone: it is not watched
  std::vector<Seen> seen_;               ///< By watch
  Region shared_;                        ///< Of the block
  bool stands_alone_ = false, needs_values_ = false;
};

}  // namespace warplens::replay
