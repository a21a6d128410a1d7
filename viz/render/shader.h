// Shaders, from the text in shaders/ that the binary carries.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/base/result.h"

namespace warplens::render {

/// Compiles and links a program of two embedded files. The error holds the driver's log.
[[nodiscard]] Result<std::uint32_t> link_program(std::string_view vertex_file,
                                                 std::string_view fragment_file);

}  // namespace warplens::render
