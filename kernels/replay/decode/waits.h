// What a loop that changes nothing waits for, read from the code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/replay/decode/code.h"

namespace warplens::replay {

/// A loop that is left once memory holds something else than it does.
struct Wait {
  std::uint32_t instruction = 0;  ///< A load or atomic that says when it is left
  bool for_others = false;        ///< It, or another one, looks at memory that other blocks can change
};

/// Returns what the loops with these headers (blocks of the control flow) wait for; nullopt: none of their
/// exits depends on memory, so nothing can end them.
[[nodiscard]] std::optional<Wait> find_wait(const Program::Code& code,
                                            const std::vector<std::uint32_t>& headers);

/// Whether the loop with that header (a block of the control flow) does nothing but wait for memory to
/// change: an iteration that finds it unchanged leaves nothing behind but counters that only the loop itself
/// reads.
[[nodiscard]] bool waits_in_loop_of(const Program::Code& code, std::uint32_t header);

/// The wait at an mbarrier, in a loop that waits (waits_in_loop_of), if nothing else ends the loop: no other
/// memory, and no clock.
[[nodiscard]] std::optional<std::uint32_t> mbarrier_wait_of_loop(const Program::Code& code,
                                                                 std::uint32_t header);

/// How many instructions the loop with that header has: no iteration executes more of them.
[[nodiscard]] std::uint32_t count_loop_instructions(const Program::Code& code, std::uint32_t header);

/// Whether a loop reads a clock: then it gets on though nothing else changes.
[[nodiscard]] bool reads_clock_in_loops(const Program::Code& code);

/// Whether lanes that go on at `instruction` may, before they come to a barrier, change what is waited for.
[[nodiscard]] bool may_end_wait(const Program::Code& code, const Wait& wait, std::uint32_t instruction);

}  // namespace warplens::replay
