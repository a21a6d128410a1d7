// Arithmetic in the rounding that an instruction asks for, computed without touching the processor's rounding
// mode.
#pragma once

#include "kernels/ptx/module.h"

namespace warplens::arithmetic {

[[nodiscard]] float add_rounded(float a, float b, ptx::Rounding rounding);
[[nodiscard]] float mul_rounded(float a, float b, ptx::Rounding rounding);
[[nodiscard]] float fma_rounded(float a, float b, float c, ptx::Rounding rounding);
[[nodiscard]] float div_rounded(float a, float b, ptx::Rounding rounding);
[[nodiscard]] float sqrt_rounded(float a, ptx::Rounding rounding);
[[nodiscard]] float narrow_rounded(double a, ptx::Rounding rounding);

[[nodiscard]] double add_rounded(double a, double b, ptx::Rounding rounding);
[[nodiscard]] double mul_rounded(double a, double b, ptx::Rounding rounding);
[[nodiscard]] double fma_rounded(double a, double b, double c, ptx::Rounding rounding);
[[nodiscard]] double div_rounded(double a, double b, ptx::Rounding rounding);
[[nodiscard]] double sqrt_rounded(double a, ptx::Rounding rounding);

/// A 64-bit integer, as a sign and a magnitude.
[[nodiscard]] float integer_to_float(bool negative, std::uint64_t magnitude, ptx::Rounding rounding);
[[nodiscard]] double integer_to_double(bool negative, std::uint64_t magnitude, ptx::Rounding rounding);

}  // namespace warplens::arithmetic
