// Which registers hold, at the beginning of a block, something that is still read.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"
#include "kernels/ptx/register_use.h"

namespace warplens::ptx {

/// By block, ascending: registers that are read from its beginning on before they are written. What a guarded
/// instruction writes is not written for the lanes that its guard leaves out.
struct Liveness {
  std::vector<std::vector<std::uint32_t>> at_begin;

  [[nodiscard]] bool is_live(std::uint32_t block, std::uint32_t reg) const;
};

/// Registers that are live over an edge of the control flow, summed over the edges: time and memory grow with
/// this and with nothing else but the text. nvcc's largest kernels have some hundred thousand.
inline constexpr std::uint64_t kMaxLiveOverEdges = 1u << 25;

/// `uses` are those of the function's instructions. An error if more is live than kMostLiveOverEdges.
[[nodiscard]] Result<Liveness> find_liveness(const Function& function, const ControlFlow& flow,
                                             const std::vector<RegisterUse>& uses);

}  // namespace warplens::ptx
