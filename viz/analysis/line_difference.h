// Which lines of one text are lines of another: as many as can be in the order of both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warplens::analysis {

/// Lines from 1; 0: the text has none there.
struct LinePair {
  std::uint32_t a = 0, b = 0;
  friend bool operator==(const LinePair&, const LinePair&) = default;
};
/// All lines of both, in order: equal ones in pairs, those of A alone before those of B alone that stand in
/// their place. Spaces at the ends of lines do not count. E. W. Myers, "An O(ND) Difference Algorithm and Its
/// Variations", 1986; texts that differ in more than 2,000 lines are matched at their beginnings and ends
/// alone.
[[nodiscard]] std::vector<LinePair> line_difference(const std::vector<std::string>& a,
                                                    const std::vector<std::string>& b);

}  // namespace warplens::analysis
