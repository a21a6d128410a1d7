// vabsdiff2 and vabsdiff4, the video instructions that CUDA's SIMD intrinsics compile to. PTX ISA, "SIMD
// Video Instructions". GPUs since Kepler emulate all others, and compilers do not emit them: they are
// refused.
#pragma once

#include <cstdint>

#include "kernels/ptx/module.h"

namespace warplens::replay {

/// A decoded instruction: plain data, shared by the cores and the decoder.
struct VideoForm {
  std::uint8_t parts = 4;  ///< 2: halves side by side; 4: bytes
  bool signed_d = false, signed_a = false, signed_b = false;
  bool saturates = false;
  bool adds_up = false;  ///< .add: the sum of all parts and the last operand
};

[[nodiscard]] std::uint32_t video_result(const VideoForm& form, std::uint32_t a, std::uint32_t b,
                                         std::uint32_t c);

/// Returns false for any other instruction, and for forms that select or mask parts.
[[nodiscard]] bool find_video_form(const ptx::Instruction& instruction, VideoForm& form);

}  // namespace warplens::replay
