// CUDA C++ in the strings of a Python file. Private to app/session.
#pragma once

#include "app/session/python_source.h"
#include "app/session/python_tokens.h"

namespace warplens::app {

/// The strings, one after another as Python joins them, with escapes resolved, as PythonCuda::text says.
[[nodiscard]] PythonCuda cuda_of_strings(std::string_view python, PythonTokens strings);

}  // namespace warplens::app
