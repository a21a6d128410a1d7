// What the view Playground tries out: the memory model on addresses of one's own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/session/loaded.h"
#include "kernels/base/result.h"
#include "viz/analysis/tried_access.h"

namespace warplens::app {

/// The items that the lanes access are an expression of `lane`, of `s` (the stride) and of `o` (the offset).
struct Playground {
  Space space = Space::shared;
  AccessOp op = AccessOp::load;
  int bytes = 4;
  std::string items = "lane * s + o";
  std::int64_t stride = 32, offset = 0;
  std::int64_t row_items = 32, padding = 0;
  int swizzle_bits = 0;
  std::uint32_t mask = 0xffffffffu;
  analysis::ComputeCapability cc{9, 0};

  friend bool operator==(const Playground&, const Playground&) = default;
};

/// Errors say what is wrong with the expression, or which lane leaves the memory.
[[nodiscard]] Result<analysis::TriedAccess> tried(const Playground& playground);
/// The access as a recording of its own, with its costs.
[[nodiscard]] Result<std::shared_ptr<const Loaded>> played(const Playground& playground);

}  // namespace warplens::app
