// What the pictures of the arithmetic of memory are drawn from: the recording, the ladder's formulas, and the runs of this window.
#pragma once

#include <memory>
#include <string>

#include "app/views/view.h"
#include "viz/analysis/arithmetic.h"

namespace warplens::app {

/// Remembers what a recording gives; the rest is cheap.
class ArithmeticModel {
 public:
  [[nodiscard]] analysis::Arithmetic of(const Frame& frame, const analysis::Roof& roof, const std::string& device);

 private:
  std::shared_ptr<const Loaded> loaded_;
  analysis::Arithmetic counted_;  ///< Without roof and runs
};

}  // namespace warplens::app
