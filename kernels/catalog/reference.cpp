// The matrices that kernels are tried on, and the product that they are checked against.
#include <algorithm>
#include <cassert>
#include <thread>

#include "kernels/catalog/catalog.h"

namespace warplens {
namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): a value from a
// place, without state.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

struct Extents {
  std::uint64_t p, n;
};

// A panel of B of this size stays in the second-level cache while all rows of A pass over it.
constexpr std::uint64_t kPanelRows = 64, kPanelColumns = 1024;
constexpr std::uint64_t kRowsAtOnce = 4;

// c[j] += a[0] * b[0][j] + .. + a[3] * b[3][j]: four rows of B a pass, so that C is loaded and stored a
// quarter as often.
void add_rows(float* __restrict c, const float* a, const float* b, std::uint64_t pitch,
              std::uint64_t columns) {
  const float a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const float *b0 = b, *b1 = b + pitch, *b2 = b + 2 * pitch, *b3 = b + 3 * pitch;
  for (std::uint64_t j = 0; j < columns; ++j) c[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
}

void add_row(float* __restrict c, float a, const float* b, std::uint64_t columns) {
  for (std::uint64_t j = 0; j < columns; ++j) c[j] += a * b[j];
}

void multiply_rows(const float* a, const float* b, float* c, std::uint64_t first_row, std::uint64_t end_row,
                   Extents extents) {
  const auto [p, n] = extents;
  for (std::uint64_t j = 0; j < n; j += kPanelColumns) {
    const std::uint64_t columns = std::min(kPanelColumns, n - j);
    for (std::uint64_t k = 0; k < p; k += kPanelRows) {
      const std::uint64_t k_end = std::min(k + kPanelRows, p);
      for (std::uint64_t i = first_row; i < end_row; ++i) {
        std::uint64_t at = k;
        for (; at + kRowsAtOnce <= k_end; at += kRowsAtOnce)
          add_rows(c + i * n + j, a + i * p + at, b + at * n + j, n, columns);
        for (; at < k_end; ++at) add_row(c + i * n + j, a[i * p + at], b + at * n + j, columns);
      }
    }
  }
}

/// Calls `work(first, end)` for parts of [0, count) on all cores; none is of fewer than `least`, which are
/// not worth a thread.
template <class Work>
void on_all_cores(std::uint64_t count, std::uint64_t min, Work work) {
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t threads = std::clamp<std::uint64_t>(count / std::max<std::uint64_t>(min, 1), 1, cores);
  std::vector<std::jthread> others;
  for (std::uint64_t part = 1; part < threads; ++part) {
    others.emplace_back([=] { work(part * count / threads, (part + 1) * count / threads); });
  }
  work(0, count / threads);
}

constexpr std::uint64_t kValuesAThread = 1u << 18,
                        kProductsAThread = 1u << 22;  // Each takes a few milliseconds

}  // namespace

std::vector<float> integer_matrix(std::uint64_t rows, std::uint64_t columns, std::uint64_t seed) {
  return integer_matrix_part(0, rows, 0, columns, columns, seed);
}

std::vector<float> integer_matrix_part(std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                                       std::uint64_t columns, std::uint64_t all_columns, std::uint64_t seed) {
  std::vector<float> values(rows * columns);
  const std::uint64_t start = mixed(seed) + column;
  on_all_cores(rows, kValuesAThread / std::max<std::uint64_t>(columns, 1),
               [&, row, columns, all_columns](std::uint64_t first, std::uint64_t end) {
                 for (std::uint64_t i = first; i < end; ++i) {
                   for (std::uint64_t j = 0; j < columns; ++j) {
                     const auto random =
                         static_cast<std::uint32_t>(mixed(start + (row + i) * all_columns + j) >> 32);
                     values[i * columns + j] = static_cast<float>(static_cast<int>(random % 7) - 3);
                   }
                 }
               });
  return values;
}

std::vector<float> reference_product(const std::vector<float>& a, const std::vector<float>& b,
                                     std::uint64_t m, std::uint64_t p, std::uint64_t n) {
  assert(a.size() == m * p && b.size() == p * n);
  std::vector<float> c(m * n, 0.0f);
  on_all_cores(m, kProductsAThread / std::max<std::uint64_t>(p * n, 1),
               [&, p, n](std::uint64_t first, std::uint64_t end) {
                 multiply_rows(a.data(), b.data(), c.data(), first, end, {p, n});
               });
  return c;
}

}  // namespace warplens
