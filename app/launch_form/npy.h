// NumPy's file of one array, .npy ("NEP 1: A simple file format for NumPy arrays", versions 1.0 and 2.0).
#pragma once

#include <cstddef>
#include <vector>

#include "app/launch_form/arguments.h"

namespace warplens::app {

/// The contents of a buffer from its file: an array of the buffer's type with as many elements as it has in
/// its rows and columns, in C order. The error says what does not fit.
[[nodiscard]] Result<std::vector<std::byte>> read_npy(const BufferSpec& buffer);

}  // namespace warplens::app
