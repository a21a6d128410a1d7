// Where the registers of a kernel live. PTX names a new register for almost every value; by liveness a few
// slots hold them all, so that a warp's registers stay in the first-level cache.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {

enum class SlotClass : std::uint8_t { predicate, narrow, wide };  ///< A mask; 32 lanes of 32 bits; of 64 bits
[[nodiscard]] SlotClass slot_class(ptx::Type type);

struct RegisterSlots {
  std::vector<std::uint32_t> slot_of;  ///< By register
  std::vector<SlotClass> slots;        ///< By slot
  std::vector<std::vector<std::uint64_t>>
      live_in;  ///< By basic block: slots that its instructions may read before they write them, a bit each
  std::vector<std::vector<std::uint32_t>>
      live_at_entry;  ///< By function: registers that it may read before it writes them
};
/// An error where too much is live at once. `first_instructions`: where the functions begin that `function`
/// is put together of; no two of them share slots, as one calls the other.
[[nodiscard]] Result<RegisterSlots> allocate_registers(const ptx::Function& function,
                                                       const ptx::ControlFlow& flow,
                                                       const std::vector<std::uint32_t>& first_instructions);

}  // namespace warplens::replay
