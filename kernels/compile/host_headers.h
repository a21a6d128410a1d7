// The host's headers that files of kernels include, as far as kernels use them: NVRTC reads no headers of the
// system. The texts lie in stand_ins/. Private to kernels/compile.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compile {

struct HostHeader {
  std::string name;  ///< That sources include it by
  const char* text;
};
/// Returns the headers that are always there.
[[nodiscard]] std::span<const HostHeader> host_headers();
[[nodiscard]] bool is_host_header(std::string_view name);
/// What stands for a header of a library that is not found, such as helper_cuda.h; null: it is left empty.
[[nodiscard]] const char* stand_in_for(std::string_view missing);

/// Included before the source.
inline constexpr const char* kPreludeName = "warplens/prelude.h";
/// Included before the device code of a source whose host code does not compile.
inline constexpr const char* kDevicePreludeName = "warplens/device_prelude.h";
/// Included where device code asks for more of the C++ library.
inline constexpr const char* kLibraryName = "warplens/library.h";

}  // namespace warplens::compile
