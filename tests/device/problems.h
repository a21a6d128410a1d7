// Launches for tests that need no GPU: every kernel at odd sizes, code in which lanes part in every way, and
// loops in loops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/catalog/catalog.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

struct ProblemToRun {
  std::string name, ptx, entry;
  replay::Launch launch;
  replay::Memory memory;
};

/// m x p times p x n, for the extents that the kernel has, with the default parameters.
[[nodiscard]] ProblemToRun problem_of(const KernelDescriptor& kernel, std::uint64_t m, std::uint64_t p,
                                      std::uint64_t n);
/// Three shapes.
[[nodiscard]] std::vector<ProblemToRun> odd_problems(const KernelDescriptor& kernel);
/// Ids of those in which nothing is wrong.
[[nodiscard]] std::vector<std::string> recordable_kernels();

/// For each of 77 threads of a block, with a buffer.
struct ShortCode {
  std::string what, body;
  std::string begin = {};  ///< Before all else in the kernel
  std::string target = "sm_75";
  std::string version = "6.3";  ///< Of PTX
};
/// What each thread does, over and over, is to add to its word of the buffer.
[[nodiscard]] const std::vector<ShortCode>& divergent_codes();
/// Inner loops that go the same way each time, or nearly, or not at all.
[[nodiscard]] const std::vector<ShortCode>& nested_loops();
/// Declarations anywhere, scopes whose names hide others, loops back to the first instruction, old targets.
[[nodiscard]] const std::vector<ShortCode>& codes_of_other_forms();
/// Asynchronous copies and matrices: by all lanes, by some, under guards, in loops.
[[nodiscard]] const std::vector<ShortCode>& codes_of_copies();
/// wmma.load and wmma.store: by rows and columns, with strides that are numbers, registers or not given, in
/// shared, global and generic memory, in loops and under guards.
[[nodiscard]] const std::vector<ShortCode>& codes_of_fragments();
[[nodiscard]] ProblemToRun problem_of(const ShortCode& code);

/// Of tests/data/cu/calls.cu; `target` as in the file's name ("sm_75"). But for `keep_array` whose buffers
/// hold addresses.
[[nodiscard]] std::vector<ProblemToRun> kernels_that_call(const std::string& target,
                                                          std::uint32_t blocks = 2);
/// One of them, by its name.
[[nodiscard]] ProblemToRun kernel_that_calls(const std::string& name, const std::string& target,
                                             std::uint32_t blocks = 2);
/// `keep_array`.
[[nodiscard]] ProblemToRun kernel_that_allocates(const std::string& target);
/// Of tests/data/cu/grid_sync.cu, of so many blocks.
[[nodiscard]] std::vector<ProblemToRun> kernels_that_wait_for_the_grid(const std::string& target,
                                                                       std::uint32_t blocks);
/// Of tests/data/cu/textures.cu: each with textures of several kinds, linear and not, at edges of every mode.
[[nodiscard]] std::vector<ProblemToRun> kernels_with_textures(const std::string& target);
/// A call in PTX, in forms that nvcc does not write.
[[nodiscard]] std::vector<ProblemToRun> calls_of_other_forms();

[[nodiscard]] bool polls_mbarriers(const std::string& ptx);
/// Takes the count of instructions from the replay where warps poll mbarriers: how often depends on which of
/// them run when.
void forget_polls(const std::string& ptx, const Recording& replayed, Recording& recorded);

}  // namespace warplens::gpu
