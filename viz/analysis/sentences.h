// What to see in one access, in one sentence.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/recording/recording.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// "Consecutive lanes read consecutive words: 4 sectors, all bytes used". True of any access, made from its
/// addresses and the rules of `cc` alone; no full stop. `array`, where the caller knows the shared array that
/// the access lies in, lets rows be called rows: "Lane k reads row k of as: ..".
[[nodiscard]] std::string describe(const WarpAccess& access, ComputeCapability cc,
                                   const SharedArray* array = nullptr);
/// The same, of an access that stands for others, which lie elsewhere: no bank is named.
[[nodiscard]] std::string describe_like(const WarpAccess& access, ComputeCapability cc,
                                        const SharedArray* array = nullptr);

/// A clause, and why each lane of the part makes a transaction of its own: "32 transactions of 32 bytes, as
/// lane 3 does not access word 3"; the clause alone if the lanes join.
[[nodiscard]] std::string with_reason_apart(const std::string& fact, const LanePart& part, int bytes);
[[nodiscard]] std::string counted_transactions(std::uint64_t count,
                                               ComputeCapability cc);  ///< "4 sectors", "1 transaction"
/// "2 transactions of 64 bytes", "3 transactions of 32 to 128 bytes", "4 sectors".
[[nodiscard]] std::string describe_transactions(const Coalescing& coalescing, ComputeCapability cc);

}  // namespace warplens::analysis
