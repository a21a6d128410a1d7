#include "app/measure/cpu_products.h"

#include <algorithm>
#include <cassert>
#include <thread>

#include "app/measure/blas.h"

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

void multiply_jik(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

void multiply_jki(const float* a, const float* b, float* c, std::size_t n) {
  std::fill(c, c + n * n, 0.0f);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      const float factor = b[k * n + j];
      for (std::size_t i = 0; i < n; ++i) c[i * n + j] += a[i * n + k] * factor;
    }
  }
}

void multiply_kij(const float* a, const float* b, float* c, std::size_t n) {
  std::fill(c, c + n * n, 0.0f);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const float factor = a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

void multiply_kji(const float* a, const float* b, float* c, std::size_t n) {
  std::fill(c, c + n * n, 0.0f);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const float factor = b[k * n + j];
      for (std::size_t i = 0; i < n; ++i) c[i * n + j] += a[i * n + k] * factor;
    }
  }
}

constexpr std::size_t kBlock = 64;  // Three blocks of 64 x 64 floats are 48 KiB: they stay in the second-level cache, and a row of each in the first

void add_block(const float* a, const float* b, float* c, std::size_t n, std::size_t rows, std::size_t terms, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < terms; ++k) {
      const float factor = a[i * n + k];
      for (std::size_t j = 0; j < columns; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

void multiply_blocked(const float* a, const float* b, float* c, std::size_t n) {
  std::fill(c, c + n * n, 0.0f);
  for (std::size_t i = 0; i < n; i += kBlock) {
    for (std::size_t k = 0; k < n; k += kBlock) {
      for (std::size_t j = 0; j < n; j += kBlock) {
        add_block(a + i * n + k, b + k * n + j, c + i * n + j, n, std::min(kBlock, n - i), std::min(kBlock, n - k), std::min(kBlock, n - j));
      }
    }
  }
}

void multiply_blas(const float* a, const float* b, float* c, std::size_t n) {
  blas_multiply(a, b, c, n, 1);
}

void multiply_blas_threaded(const float* a, const float* b, float* c, std::size_t n) {
  blas_multiply(a, b, c, n, std::max(1u, std::thread::hardware_concurrency()));
}

struct Entry {
  std::string_view name, explanation;
  void (*multiply)(const float* a, const float* b, float* c, std::size_t n);
};

// In the order of CpuProduct.
constexpr std::array<Entry, kCpuProducts.size()> kEntries{{
    {"ijk", "The innermost loop walks down a column of B: one element of each cache line is used before the next line is fetched.", multiply_ijk},
    {"ikj", "The innermost loop walks along a row of B and of C: every byte of a cache line is used, and the loop vectorises.", multiply_ikj},
    {"jik", "As ijk, the innermost loop walks down a column of B; it stays the same column for a whole column of C.", multiply_jik},
    {"jki", "The innermost loop walks down a column of A and of C: two new cache lines for every multiply-add.", multiply_jki},
    {"kij", "As ikj, the innermost loop walks along rows of B and of C; but all of C is fetched and put back for every k.", multiply_kij},
    {"kji", "As jki, the innermost loop walks down columns of A and of C, and all of C is fetched and put back for every k.", multiply_kji},
    {"blocked", "ikj on blocks of 64 x 64: what a block needs stays in the cache until it is done, as a tile does in shared memory.",
     multiply_blocked},
    {"blas", "OpenBLAS in one thread: blocked for every level of cache and for the registers, in the processor's widest instructions.",
     multiply_blas},
    {"blas_threaded", "OpenBLAS on all cores.", multiply_blas_threaded},
}};

const Entry& entry_of(CpuProduct product) {
  return kEntries[static_cast<std::size_t>(product)];
}

}  // namespace

std::string_view name_of(CpuProduct product) {
  return entry_of(product).name;
}

std::string_view explanation_of(CpuProduct product) {
  return entry_of(product).explanation;
}

std::optional<std::string> what_is_missing_for(CpuProduct product) {
  if (product == CpuProduct::blas || product == CpuProduct::blas_threaded) return what_is_missing_of_blas();
  return std::nullopt;
}

void multiply(CpuProduct product, const float* a, const float* b, float* c, std::size_t n) {
  assert(!what_is_missing_for(product));
  entry_of(product).multiply(a, b, c, n);
}

}  // namespace warplens::measure
