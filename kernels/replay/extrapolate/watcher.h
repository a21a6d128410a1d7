// Looks at watched operands while one block runs, and says for which other blocks the outcome is the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/replay/core/machine.h"
#include "kernels/replay/extrapolate/block_shift.h"

namespace warplens::replay {

class Watcher {
 public:
  /// `handlers`: by PTX instruction, what runs it.
  Watcher(std::span<const Watch> watches, std::vector<Handler> handlers);

  [[nodiscard]] std::span<const Watch> watches() const { return watches_; }
  /// Forgets what it has seen.
  void begin_block();
  /// Called before an instruction runs, which may be one that is not watched.
  void see(Machine& m, const Instr& instr);
  [[nodiscard]] Handler handler_of(const Instr& instr) const { return handlers_[instr.index]; }

  /// Whether what was seen is so in this block alone, as far as one can tell: an access reaches out of a
  /// buffer, or a number is too large.
  [[nodiscard]] bool stands_alone() const { return stands_alone_; }
  /// Whether lanes store to one place: whether that is a race depends on what they store.
  [[nodiscard]] bool needs_values() const { return needs_values_; }
  /// Instructions all of whose lanes took the operand that they were not supposed to.
  [[nodiscard]] std::vector<std::uint32_t> supposed_wrongly() const;
  /// Of what was seen, one for each shift.
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

  std::span<const Watch> watches_;
  std::vector<Handler> handlers_;
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::uint32_t> watch_of_;  ///< By PTX instruction; kNone: it is not watched
  std::vector<Seen> seen_;               ///< By watch
  Region shared_;                        ///< Of the block
  bool stands_alone_ = false, needs_values_ = false;
};

}  // namespace warplens::replay
