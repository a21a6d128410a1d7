// What to see in one access, in one sentence.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/recording/recording.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// "Consecutive lanes read consecutive words: 4 sectors, all bytes used". True of any access, made from its addresses and the rules of `cc` alone; no
/// full stop. `array`, where the caller knows the shared array that the access lies in, lets rows be called rows: "Lane k reads row k of as: ..".
[[nodiscard]] std::string describe(const WarpAccess& access, ComputeCapability cc, const SharedArray* array = nullptr);

/// Why each lane of a part makes a transaction of its own: "lane 3 does not access word 3"; empty if the lanes join.
[[nodiscard]] std::string describe_apart(const LanePart& part, int bytes);
/// A clause with that as its reason: "32 transactions of 32 bytes, as lane 3 does not access word 3"; the clause alone if the lanes join.
[[nodiscard]] std::string with_reason_apart(const std::string& fact, const LanePart& part, int bytes);
[[nodiscard]] const char* transaction_name(ComputeCapability cc);  ///< "sector" where each transaction is one, else "transaction"
[[nodiscard]] std::string counted_transactions(std::uint64_t count, ComputeCapability cc);  ///< "4 sectors", "1 transaction"
/// "2 transactions of 64 bytes", "3 transactions of 32 to 128 bytes", "4 sectors".
[[nodiscard]] std::string describe_transactions(const Coalescing& coalescing, ComputeCapability cc);
/// "half-warp", "quarter-warp": what so many lanes of a warp are.
[[nodiscard]] const char* part_name(int lanes);

}  // namespace warplens::analysis
