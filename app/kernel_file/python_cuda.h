// CUDA C++ in the strings of a Python file. Private to app/kernel_file.
#pragma once

#include "app/kernel_file/python_source.h"
#include "app/kernel_file/python_tokens.h"

namespace warplens::app {

/// The strings, one after another as Python joins them, with escapes resolved, as PythonCuda::text says.
[[nodiscard]] PythonCuda cuda_of_strings(std::string_view python, PythonTokens strings);

}  // namespace warplens::app
