// Memory that is zero, and takes none before it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warplens {

/// Throws std::bad_alloc where there is no room for so many addresses.
class ZeroPages {
 public:
  explicit ZeroPages(std::uint64_t bytes);
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Unmap> data_{nullptr, Unmap{}};
};

}  // namespace warplens
