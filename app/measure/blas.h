// OpenBLAS, looked for at run time: the program itself links to nothing of it.
#pragma once

#include <optional>
#include <string>

#include "app/measure/product_size.h"

namespace warplens::measure {

/// One sentence on what to install; nothing if the library is there. Loads it the first time.
[[nodiscard]] std::optional<std::string> what_is_missing_of_blas();

/// C = A * B, row-major, on that many threads. The library must be there.
void blas_multiply(const float* a, const float* b, float* c, const ProductSize& size, unsigned threads);

}  // namespace warplens::measure
