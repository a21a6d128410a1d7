#include "kernels/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace warplens {

void ask_for_large_pages(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (from + kPage - 1) & ~(kPage - 1), end = (from + bytes) & ~(kPage - 1);
  if (end > begin) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
}

}  // namespace warplens
