// The printf of kernels: CUDA C++ Programming Guide, "Formatted Output".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warplens::replay {

/// The bits of the argument at `offset` of the buffer, `bytes` wide (4 or 8); nothing: it cannot be read.
using ReadArgument = std::function<std::optional<std::uint64_t>(std::uint64_t offset, std::uint64_t bytes)>;
/// The zero-terminated text at an address; nothing: there is none.
using ReadText = std::function<std::optional<std::string>(std::uint64_t address)>;

struct Printed {
  std::string text;
  std::int32_t arguments = 0;  ///< How many it took: what printf returns
};

/// A conversion that CUDA does not know is left as it stands, with all that follows its '%'. At most
/// kMostPrinted arguments are taken. Each lies in the buffer at the next multiple of its size: 4 bytes of an
/// int, 8 of a long, a pointer and a double.
inline constexpr std::int32_t kMaxPrinted = 32;
[[nodiscard]] Printed printed(std::string_view format, const ReadArgument& argument, const ReadText& text);

}  // namespace warplens::replay
