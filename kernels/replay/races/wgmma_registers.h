// Accesses of registers that a wgmma in flight uses. PTX ISA, "wgmma.mma_async": until wgmma.wait_group has
// waited for the group, the registers of D and of A must not be accessed, but that a wgmma of the same shape
// may accumulate in D. "wgmma.fence": it must come between other accesses of these registers and a wgmma.
//
// The PTX of a correct program may look as if it broke these rules, because compilers move values between
// registers. So values are followed through copies: a copy of a result is no use of it, and what a copy or a
// constant overwrites, after its value was copied, is not missed. docs/replay.md, "Registers of wgmma".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/replay/decode/wgmma_registers.h"

namespace warplens::replay {

/// The registers of one warp.
class WgmmaRegisters {
 public:
  enum class Misuse : std::uint8_t {
    read,          ///< A result is read before the wait
    written,       ///< A register is written before the wait
    other_shape,   ///< A wgmma of another shape accumulates in the register before the wait
    never_fenced,  ///< The first wgmma has no wgmma.fence before it
    not_fenced     ///< What an ordinary instruction has computed is used without a wgmma.fence
  };
  struct Found {
    Misuse misuse = Misuse::read;
    std::uint32_t number = 0;  ///< Of the register, in the plan
    std::uint32_t other = 0;   ///< PTX instruction: the wgmma; not_fenced: what computed the value
  };

  WgmmaRegisters(const ptx::Function& function, const WgmmaRegisterPlan& plan);

  /// Called before the instruction is executed. `committed` and `waited`: numbers of wgmma-groups of the warp
  /// that it has committed, and waited for.
  [[nodiscard]] std::optional<Found> check(const WgmmaRegisterCheck& check, std::uint32_t committed,
                                           std::uint32_t waited);

 private:
  /// The use of a register by a wgmma.
  struct Use {
    std::uint32_t product = 0;  ///< PTX instruction
    std::uint32_t group = 0;    ///< Number of its wgmma-group, plus 1; 0: there is no use
  };
  struct Register {
    Use written, read;              ///< By the last wgmma
    Use result;                     ///< The value is the result of that wgmma
    bool is_copied = false;         ///< Another register holds that result, too
    std::uint32_t computed_at = 0;  ///< When the value was computed; 0: it is a constant or a result
    std::uint32_t computed_by = 0;  ///< PTX instruction
  };

  [[nodiscard]] static bool in_flight(const Use& use, std::uint32_t waited) { return use.group > waited; }
  [[nodiscard]] bool is_same_shape(std::uint32_t product, std::uint32_t other) const;
  [[nodiscard]] std::optional<Found> check_product(const WgmmaRegisterCheck& check,
                                                   std::uint32_t waited) const;
  [[nodiscard]] std::optional<Found> check_fence(const WgmmaRegisterCheck& check) const;
  [[nodiscard]] std::optional<Found> check_access(const WgmmaRegisterCheck& check,
                                                  std::uint32_t waited) const;
  void begin_product(const WgmmaRegisterCheck& check, std::uint32_t committed);
  void write(const WgmmaRegisterCheck& check, std::uint32_t waited);

  const ptx::Function* function_;
  std::vector<Register> registers_;  ///< By number
  std::uint32_t now_ = 1;
  std::uint32_t fenced_at_ = 0;      ///< By the last wgmma.fence; 0: there was none
  std::uint32_t multiplied_at_ = 0;  ///< By the last wgmma
};

}  // namespace warplens::replay
