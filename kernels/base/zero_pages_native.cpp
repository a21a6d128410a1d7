#include "kernels/base/zero_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace warplens {

ZeroPages::ZeroPages(std::uint64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::uint64_t>(bytes, 1));
  void* const data =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(data), Unmap{size});
}

void ZeroPages::Unmap::operator()(std::byte* data) const {
  munmap(data, bytes);
}

}  // namespace warplens
