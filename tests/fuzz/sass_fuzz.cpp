// Any bytes give a listing or an error; and in a listing every index is in range, whatever the bytes were.
#include <cstdint>
#include <string_view>

#include "kernels/sass/listing.h"
#include "kernels/sass/mix.h"
#include "require.h"

namespace {

using warplens::sass::Function;
using warplens::sass::Instruction;
using warplens::sass::Label;
using warplens::sass::Loop;
using warplens::sass::Operand;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto listing = warplens::sass::parse_listing({reinterpret_cast<const char*>(data), size}, "fuzz.sass");
  if (!listing) {
    require(!listing.error().what.empty(), "an error says what");
    return 0;
  }
  for (const Function& function : listing->functions) {
    require(!function.instructions.empty(), "a function is never empty");
    for (const Label& label : function.labels) require(label.instruction <= function.instructions.size(), "a label's place");
    for (const Instruction& instruction : function.instructions) {
      require(instruction.line == 0 || instruction.file < listing->files.size(), "a file's index");
      require(instruction.guard.predicate <= warplens::sass::kTruePredicate, "a guard's index");
      for (const Operand& operand : instruction.operands) {
        require(!operand.resolved || operand.index < function.instructions.size(), "a label's index");
        require(operand.address.base <= warplens::sass::kZeroRegister && operand.address.uniform_base <= warplens::sass::kUniformZeroRegister,
                "an address's registers");
      }
      (void)warplens::sass::kind_of(instruction);
    }
    for (const Loop& loop : warplens::sass::find_loops(function)) {
      require(loop.first < loop.end && loop.end <= function.instructions.size(), "a loop's extent");
    }
  }
  return 0;
}
