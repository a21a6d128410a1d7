#include "kernels/base/large_pages.h"

namespace warplens {

void ask_for_large_pages(void*, std::size_t) {}  // WebAssembly has pages of one size

}  // namespace warplens
