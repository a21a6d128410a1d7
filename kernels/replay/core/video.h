// Video instructions: vadd to vset4. PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions".
#pragma once

#include <cstdint>

#include "kernels/ptx/module.h"

namespace warplens::replay {

/// One as it is run: plain data, which cores and what decodes share.
struct VideoForm {
  ptx::Opcode opcode = ptx::Opcode::unsupported;
  std::uint8_t parts =
      1;  ///< 1: of whole registers, bytes or halves of them; 2, 4: halves, bytes side by side
  bool signed_d = false, signed_a = false, signed_b = false;
  bool sat = false, wrap = false, plus_one = false;
  bool minus_product = false, minus_c = false;  ///< vmad
  std::uint8_t scale = 0;
  ptx::AtomicOp secondary = ptx::AtomicOp::none;
  ptx::Compare compare = ptx::Compare::none;
  /// Of one part: bytes of the source or destination, and the first of them. Of several: which of the parts
  /// of (a, b) each is taken from; and a bit for each part that is written.
  struct Part {
    std::uint8_t bytes = 4, first = 0;
  };
  Part a, b, d;
  std::uint8_t from_a[4] = {}, from_b[4] = {}, mask = 0;
};

[[nodiscard]] std::uint32_t video_result(const VideoForm& form, std::uint32_t a, std::uint32_t b,
                                         std::uint32_t c);

/// False if it is no video instruction, or one that the PTX ISA does not have.
[[nodiscard]] bool find_video_form(const ptx::Instruction& instruction, VideoForm& form);

}  // namespace warplens::replay
