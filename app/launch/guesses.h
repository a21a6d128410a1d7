// What of a launch nobody wrote, and which findings may be of that alone.
#pragma once

#include <string>
#include <vector>

#include "app/launch/launch.h"

namespace warplens::app {

struct Guesses {
  bool grid = false;
  bool block = false;               ///< Or its dynamic shared memory
  bool sizes = false;               ///< Whole numbers among the arguments
  bool buffers = false;             ///< How large they are
  bool contents = false;            ///< Integers in them, which may be indices
  std::vector<std::string> fields;  ///< Their names: "grid", "n", "A"

  /// Figures are of a launch that is perhaps not the one that is meant.
  [[nodiscard]] bool of_figures() const { return shape() || sizes || contents; }
  [[nodiscard]] bool shape() const { return grid || block; }
  /// Whether an access is inside its buffer is not known.
  [[nodiscard]] bool of_bounds() const { return shape() || sizes || buffers || contents; }
  friend bool operator==(const Guesses&, const Guesses&) = default;
};
[[nodiscard]] Guesses guesses_of(const LaunchRequest& request);

/// Takes out those that another launch may not have: accesses out of bounds where bounds are guessed, what is
/// between blocks where the grid is, all but failed assertions where the block is; of guessed contents, which
/// may be indices or addresses, those and misaligned accesses.
[[nodiscard]] std::vector<Finding> take_doubtful(std::vector<Finding>& findings, const Guesses& guesses);

}  // namespace warplens::app
