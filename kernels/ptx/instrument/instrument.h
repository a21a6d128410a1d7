// Puts calls of a recorder into a kernel's PTX, so that the GPU itself records what every warp accesses.
//
// The code is cut into segments (segments.h). At the end of each, before its branch or barrier, code is put
// in that samples the values which its addresses come from. In totals mode a segment in a loop compares them
// with what it expects of a run (record_frame.h), which takes a few instructions, and calls the recorder
// where the run ends; others call it each time. Segments without accesses are counted. In events mode the
// warps of the chosen blocks log each execution, the others none. What the kernel computes does not change.
//
// Which lanes of a warp execute a segment together is not left to the hardware: the code keeps account of it,
// by the rule of the replay. Where lanes may part (uniformity.h) they note who goes their way, and where they
// meet again they wait for each other.
//
// Functions that are called are instrumented as the kernel is, each call with a frame of its own. Parameters
// do not change, so that calls by address go on as they are; where the caller's frame lies is in the kernel's
// frame, whose address is the same in all threads: it stands in a variable of the module. Who goes together
// comes with the call; behind it the lanes wait for those that came there with them. A lane that returns
// while others wait for it takes part in their votes first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/ptx/calls.h"
#include "kernels/ptx/instrument/segments.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

enum class RecordMode : std::uint8_t { totals, events };

struct InstrumentOptions {
  RecordMode mode = RecordMode::totals;
  std::uint32_t threads_per_block =
      1024;                 ///< Of the launch: the compiler keeps to registers that so many can have
  bool one_window = false;  ///< All global memory lies where addresses agree in their upper 32 bits: the
                            ///< lower ones tell them apart
  bool choose_blocks =
      false;  ///< The grid is a line of chosen blocks: %ctaid and %nctaid come from the recorder
  /// How many different texels each tex, tld4, suld and sust reads or writes at most for a lane, in the order
  /// of the code. 8 if it is not said.
  std::vector<std::uint32_t> texels = {};
  PiecesOf pieces_of = {};  ///< Needed where there are wmma.load and wmma.store
};

struct Instrumented {
  std::string text;               ///< PTX that refers to the recorder's functions: to be linked with it
  std::vector<Segment> segments;  ///< By the numbers that the recorder is called with
  std::vector<std::uint32_t>
      counted;  ///< Segments whose executions the code counts itself, in the order of the frames' counts
  /// Variables in the order in which their addresses lie in the frame: indices into Function::variables. One
  /// function's behind the other's.
  std::vector<std::uint32_t> shared_variables, local_variables;
  /// How many of each belong to a function of a kernel that calls functions; the kernel comes first.
  struct OfFunction {
    std::uint32_t shared_variables = 0, local_variables = 0;
  };
  std::vector<OfFunction> functions;
  std::vector<std::uint32_t> entries = {0};  ///< By function: its first block
  std::vector<std::uint32_t>
      together;  ///< By block: the first of those that are executed with it (equivalent_blocks.h)
};

/// An entry of a module that `parse` made; for sm_75 if the module is for older ones. Of one that calls
/// functions `entry` is all of them put together (kernels/replay/decode/link.h), and numbers are those of
/// that. Errors name what cannot be instrumented.
[[nodiscard]] Result<Instrumented> instrument(const Module& module, const Function& entry,
                                              const InstrumentOptions& options,
                                              std::span<const CalledFunction> called = {});

}  // namespace warplens::ptx
