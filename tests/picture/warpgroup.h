// A warp of a warpgroup that multiplies matrices in shared memory, for tests of Fragments.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/recording/block_details.h"
#include "picture/kernels.h"
#include "viz/analysis/matrix_instructions.h"

namespace warplens::test {

inline constexpr std::uint32_t kWarpOfGroup = 2, kWarpgroupBase = 1024, kPlaceOfA = kWarpgroupBase,
                               kPlaceOfB = kWarpgroupBase + 8192;

/// Of K-major rows of 128 bytes with the swizzle of 128 bytes.
inline std::uint64_t descriptor_of(std::uint32_t start) {
  return start / 16 | std::uint64_t{1024 / 16} << 32 | std::uint64_t{1} << 62;
}

/// A block of four warps that multiplies 64 x 16 halves by 16 x 256.
struct WarpgroupSubject {
  Recording recording = tiled();
  std::vector<analysis::MatrixInstruction> instructions;
  BlockDetails matrices{.block = recording.event_blocks[0], .warp = kWarpOfGroup, .executions = {}};

  WarpgroupSubject() {
    std::string list;
    for (int r = 0; r < 128; ++r) list += (r == 0 ? "%f" : ", %f") + std::to_string(r);
    recording.entry = "k";
    recording.shared_base = kWarpgroupBase;
    recording.ptx =
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .b64 %rd<4>; .reg .pred %p<2>; .reg .f32 %f<128>;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" +
        list + "}, %rd1, %rd2, %p1, 1, 1, 0, 0;\nret;\n}\n";
    instructions = analysis::matrix_instructions(recording);
    MatrixExecution execution{.instruction = instructions.at(0).instruction};
    std::size_t bytes = 0;
    for (const tensor::OperandMatrix& matrix : instructions[0].matrices)
      bytes += matrix.fragment.registers * std::size_t{4} * kWarpSize;
    execution.registers.resize(bytes);
    execution.descriptors = {0, descriptor_of(kPlaceOfA), descriptor_of(kPlaceOfB), 0};
    matrices.executions.push_back(std::move(execution));
  }
};

}  // namespace warplens::test
