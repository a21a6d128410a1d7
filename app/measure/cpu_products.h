// The same product in several ways on this machine's own processor: what a cache makes of an access pattern,
// and what a library makes of a cache.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/measure/product_size.h"

namespace warplens::measure {

enum class CpuProduct : unsigned char { ijk, ikj, jik, jki, kij, kji, blocked, blas, blas_threaded };
inline constexpr std::array kCpuProducts{CpuProduct::ijk,     CpuProduct::ikj,  CpuProduct::jik,
                                         CpuProduct::jki,     CpuProduct::kij,  CpuProduct::kji,
                                         CpuProduct::blocked, CpuProduct::blas, CpuProduct::blas_threaded};
[[nodiscard]] std::string_view name_of(CpuProduct product);
/// One sentence on what it does to memory; shown by tr() in the window, as the next one is.
[[nodiscard]] const char* explanation_of(CpuProduct product);

/// One sentence on what is missing here and what to install; nothing if nothing is. Loads the library the
/// first time.
[[nodiscard]] std::optional<std::string> what_is_missing_for(CpuProduct product);

/// By its name; "openblas" is another one of `blas`.
[[nodiscard]] std::optional<CpuProduct> find_cpu_product(std::string_view name);
[[nodiscard]] unsigned threads_of(CpuProduct product);

/// C = A * B, row-major floats; exactly the loops that the name says, in one thread unless it says otherwise.
/// Nothing must be missing, and one thread at a time may call it for the two of the library, which counts its
/// threads in one place.
void multiply(CpuProduct product, const float* a, const float* b, float* c, const ProductSize& size);

}  // namespace warplens::measure
