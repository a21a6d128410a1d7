#include <cstdlib>
#include <limits>
#include <new>

#include "kernels/base/zero_pages.h"

namespace warplens {

ZeroPages::ZeroPages(std::uint64_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max()) throw std::bad_alloc();
  const auto size = static_cast<std::size_t>(bytes > 0 ? bytes : 1);
  void* const data = std::calloc(size, 1);
  if (data == nullptr) throw std::bad_alloc();
  data_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(data), Unmap{size});
}

void ZeroPages::Unmap::operator()(std::byte* data) const {
  std::free(data);
}

}  // namespace warplens
