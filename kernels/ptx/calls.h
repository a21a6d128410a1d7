// Calls of functions, as a recorder meets them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// A function that a kernel may call, as it lies in the function that is made of both
/// (kernels/replay/decode/link.h).
struct CalledFunction {
  std::string name;
  std::uint32_t first_instruction = 0;
  std::vector<std::uint32_t> variables;  ///< By its own: those of the whole
};

/// A call of a function that the module has a body of; not of one that is the driver's, such as printf.
[[nodiscard]] bool calls_code(const Instruction& instruction);
[[nodiscard]] bool calls_code(const Function& function);
/// Sets Instruction::callee_may_exit. Calls by address may be of any function.
void find_callees_that_exit(Module& module);
/// A call of malloc or free.
[[nodiscard]] bool allocates(const Instruction& instruction);

/// What belongs to a call: stores of its arguments from `first` on, the call, loads of its results up to
/// `end`. The PTX ISA wants no branch in it
/// ("Parameterized Variable ... .param": the stores immediately precede the call, the loads immediately
/// follow).
struct CallSequence {
  std::uint32_t first = 0, end = 0;
};
/// Returns the sequence of statements that makes the call at that index.
[[nodiscard]] CallSequence find_call_sequence(const Function& function, std::uint32_t call);
/// Error, named by `module`: what decides on the call changes amid the stores, or memory is accessed there.
[[nodiscard]] Result<Done> check_call_sequence(const Module& module, const Function& function,
                                               std::uint32_t call);

}  // namespace warplens::ptx
