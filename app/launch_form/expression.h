// Whole numbers as one writes them in a launch: "(n+15)/16".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// The value of an expression of + - * / %, << >> & ^ |, parentheses, min(a,b), max(a,b), ceil(a,b) (a / b
/// rounded up), decimal and 0x numbers, and the names of `values`, fields of structures ("s.parts[2].n")
/// among them. As in C++ on 64-bit integers, but what overflows or divides by zero is an error, as is a name
/// that is not known; the error names it.
[[nodiscard]] Result<std::int64_t> evaluate(std::string_view expression,
                                            std::span<const NamedValue> values = {});

/// "(n+31)/32", "max(n,m)" and "8" of "(n+31)/32,max(n,m),8": at commas outside of parentheses and brackets.
[[nodiscard]] std::vector<std::string_view> parts_at_commas(std::string_view list);

}  // namespace warplens::app
