#include "app/measure/cpu_products.h"

#include <algorithm>
#include <cassert>
#include <thread>

#include "app/measure/blas.h"
#include "kernels/base/texts.h"

namespace warplens::measure {
namespace {

// The innermost loops: two of the six loop orders share each. Row-major matrices: A of m x p, B of p x n,
// C of m x n elements.

void sum_over_k(const float* a, const float* b, float* c, const ProductSize& size, std::size_t i,
                std::size_t j) {
  float sum = 0;
  for (std::size_t k = 0; k < size.p; ++k) sum += a[i * size.p + k] * b[k * size.n + j];
  c[i * size.n + j] = sum;
}

void add_along_j(const float* a, const float* b, float* c, const ProductSize& size, std::size_t i,
                 std::size_t k) {
  const std::size_t n = size.n;
  const float factor = a[i * size.p + k];
  for (std::size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
}

void add_down_i(const float* a, const float* b, float* c, const ProductSize& size, std::size_t j,
                std::size_t k) {
  const auto [m, p, n] = size;
  const float factor = b[k * n + j];
  for (std::size_t i = 0; i < m; ++i) c[i * n + j] += a[i * p + k] * factor;
}

void clear(float* c, const ProductSize& size) {
  std::fill(c, c + size.m * size.n, 0.0f);
}

void multiply_ijk(const float* a, const float* b, float* c, const ProductSize& size) {
  for (std::size_t i = 0; i < size.m; ++i) {
    for (std::size_t j = 0; j < size.n; ++j) sum_over_k(a, b, c, size, i, j);
  }
}

void multiply_ikj(const float* a, const float* b, float* c, const ProductSize& size) {
  clear(c, size);
  for (std::size_t i = 0; i < size.m; ++i) {
    for (std::size_t k = 0; k < size.p; ++k) add_along_j(a, b, c, size, i, k);
  }
}

void multiply_jik(const float* a, const float* b, float* c, const ProductSize& size) {
  for (std::size_t j = 0; j < size.n; ++j) {
    for (std::size_t i = 0; i < size.m; ++i) sum_over_k(a, b, c, size, i, j);
  }
}

void multiply_jki(const float* a, const float* b, float* c, const ProductSize& size) {
  clear(c, size);
  for (std::size_t j = 0; j < size.n; ++j) {
    for (std::size_t k = 0; k < size.p; ++k) add_down_i(a, b, c, size, j, k);
  }
}

void multiply_kij(const float* a, const float* b, float* c, const ProductSize& size) {
  clear(c, size);
  for (std::size_t k = 0; k < size.p; ++k) {
    for (std::size_t i = 0; i < size.m; ++i) add_along_j(a, b, c, size, i, k);
  }
}

void multiply_kji(const float* a, const float* b, float* c, const ProductSize& size) {
  clear(c, size);
  for (std::size_t k = 0; k < size.p; ++k) {
    for (std::size_t j = 0; j < size.n; ++j) add_down_i(a, b, c, size, j, k);
  }
}

constexpr std::size_t kBlock = 64;  // Three blocks of 64 x 64 floats are 48 KiB: they stay in the
                                    // second-level cache, and a row of each in the first

/// ikj on one block of each matrix; `block` its extents, `size` the matrices'.
void add_block(const float* a, const float* b, float* c, const ProductSize& size, const ProductSize& block) {
  for (std::size_t i = 0; i < block.m; ++i) {
    for (std::size_t k = 0; k < block.p; ++k) {
      const float factor = a[i * size.p + k];
      for (std::size_t j = 0; j < block.n; ++j) c[i * size.n + j] += factor * b[k * size.n + j];
    }
  }
}

void multiply_blocked(const float* a, const float* b, float* c, const ProductSize& size) {
  clear(c, size);
  const auto [m, p, n] = size;
  for (std::size_t i = 0; i < m; i += kBlock) {
    for (std::size_t k = 0; k < p; k += kBlock) {
      for (std::size_t j = 0; j < n; j += kBlock) {
        const ProductSize block{std::min(kBlock, m - i), std::min(kBlock, p - k), std::min(kBlock, n - j)};
        add_block(a + i * p + k, b + k * n + j, c + i * n + j, size, block);
      }
    }
  }
}

unsigned all_cores() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void multiply_blas(const float* a, const float* b, float* c, const ProductSize& size) {
  blas_multiply(a, b, c, size, 1);
}

void multiply_blas_threaded(const float* a, const float* b, float* c, const ProductSize& size) {
  blas_multiply(a, b, c, size, all_cores());
}

struct Entry {
  std::string_view name;
  const char* explanation;
  void (*multiply)(const float* a, const float* b, float* c, const ProductSize& size);
};

// In the order of CpuProduct.
constexpr std::array<Entry, kCpuProducts.size()> kEntries{{
    {"ijk",
     marked("The innermost loop walks down a column of B: one element of each cache line is used before the "
            "next line is fetched."),
     multiply_ijk},
    {"ikj",
     marked("The innermost loop walks along a row of B and of C: every byte of a cache line is used, and the "
            "loop vectorises."),
     multiply_ikj},
    {"jik",
     marked("As ijk, the innermost loop walks down a column of B; it stays the same column for a whole "
            "column of C."),
     multiply_jik},
    {"jki",
     marked(
         "The innermost loop walks down a column of A and of C: two new cache lines for every multiply-add."),
     multiply_jki},
    {"kij",
     marked("As ikj, the innermost loop walks along rows of B and of C; but all of C is fetched and put back "
            "for every k."),
     multiply_kij},
    {"kji",
     marked("As jki, the innermost loop walks down columns of A and of C, and all of C is fetched and put "
            "back for every k."),
     multiply_kji},
    {"blocked",
     marked("ikj on blocks of 64 x 64: what a block needs stays in the cache until it is done, as a tile "
            "does in shared memory."),
     multiply_blocked},
    {"blas",
     marked("OpenBLAS in one thread: blocked for every level of cache and for the registers, in the "
            "processor's widest instructions."),
     multiply_blas},
    {"blas_threaded", marked("OpenBLAS on all cores."), multiply_blas_threaded},
}};

const Entry& entry_of(CpuProduct product) {
  return kEntries[static_cast<std::size_t>(product)];
}

}  // namespace

std::string_view name_of(CpuProduct product) {
  return entry_of(product).name;
}

const char* explanation_of(CpuProduct product) {
  return entry_of(product).explanation;
}

std::optional<std::string> what_is_missing_for(CpuProduct product) {
  if (product == CpuProduct::blas || product == CpuProduct::blas_threaded) return what_is_missing_of_blas();
  return std::nullopt;
}

std::optional<CpuProduct> find_cpu_product(std::string_view name) {
  const auto found = std::find_if(kCpuProducts.begin(), kCpuProducts.end(),
                                  [name](CpuProduct product) { return name_of(product) == name; });
  if (found != kCpuProducts.end()) return *found;
  return name == "openblas" ? std::optional(CpuProduct::blas) : std::nullopt;
}

unsigned threads_of(CpuProduct product) {
  return product == CpuProduct::blas_threaded ? all_cores() : 1;
}

void multiply(CpuProduct product, const float* a, const float* b, float* c, const ProductSize& size) {
  assert(!what_is_missing_for(product));
  entry_of(product).multiply(a, b, c, size);
}

}  // namespace warplens::measure
