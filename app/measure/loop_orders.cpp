#include "app/measure/loop_orders.h"

#include <algorithm>

namespace warplens::measure {
namespace {

void multiply_ijk(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

void multiply_ikj(const float* a, const float* b, float* c, std::size_t n) {
  std::fill(c, c + n * n, 0.0f);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const float factor = a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

}  // namespace

std::string_view name_of(LoopOrder order) {
  return order == LoopOrder::ijk ? "ijk" : "ikj";
}

std::string_view explanation_of(LoopOrder order) {
  return order == LoopOrder::ijk
             ? "The innermost loop walks down a column of B: one element of each cache line is used before the next line is fetched."
             : "The innermost loop walks along a row of B and of C: every byte of a cache line is used, and the loop vectorises.";
}

void multiply(LoopOrder order, const float* a, const float* b, float* c, std::size_t n) {
  (order == LoopOrder::ijk ? multiply_ijk : multiply_ikj)(a, b, c, n);
}

}  // namespace warplens::measure
