// What reading totals (record_totals.cpp) and events (record_events.cpp) of a recorder's tables share.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/gpu/operand_accesses.h"
#include "kernels/ptx/instrument/segments.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/decode/code.h"

namespace warplens::gpu {

/// Returns the first site of an instruction, which has one.
[[nodiscard]] std::uint32_t first_site(const std::vector<Site>& sites, std::uint32_t instruction);

/// Returns the site of an access in that space: a generic access has one for each space, in the order of
/// Space; a copy one in global and one in shared memory.
[[nodiscard]] std::uint32_t site_of(const std::vector<Site>& sites, const ptx::AccessGroup& group,
                                    std::uint32_t instruction, std::uint32_t space);

/// Returns the address of the lowest piece that is accessed, and how far the others are from it.
[[nodiscard]] std::uint64_t base_of(const OperandAccess& access);
[[nodiscard]] Shape shape_of(const OperandAccess& access);

/// A bulk copy of a tensor map that is not where its address says.
[[nodiscard]] Error no_map_error(const replay::Program::Code& code);

}  // namespace warplens::gpu
