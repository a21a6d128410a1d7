// The same product in two orders of its three loops: what a cache makes of an access pattern, on this machine's own processor.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace warplens::measure {

enum class LoopOrder : unsigned char { ijk, ikj };
inline constexpr std::array kLoopOrders{LoopOrder::ijk, LoopOrder::ikj};
[[nodiscard]] std::string_view name_of(LoopOrder order);
/// One sentence on what the order does to memory.
[[nodiscard]] std::string_view explanation_of(LoopOrder order);

/// C = A * B, square, row-major, `n` x `n` floats each; one thread, exactly the loops that the name says.
void multiply(LoopOrder order, const float* a, const float* b, float* c, std::size_t n);

}  // namespace warplens::measure
