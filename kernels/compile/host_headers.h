// The host's headers that files of kernels include, as far as kernels use them: NVRTC reads no headers of the
// system. Private to kernels/compile.
#pragma once

#include <span>

namespace warplens::compile {

struct HostHeader {
  const char *name, *text;
};
/// By the names that sources include them by.
[[nodiscard]] std::span<const HostHeader> host_headers();

/// Included before the source.
inline constexpr const char* kPreludeName = "warplens_prelude.h";

}  // namespace warplens::compile
