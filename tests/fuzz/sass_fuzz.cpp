// Any bytes give a listing or an error; in a listing every index is in range, whatever the bytes were; and
// its functions can be followed, or not.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/sass/listing.h"
#include "kernels/sass/mix.h"
#include "kernels/sass/symbolic_execution.h"
#include "require.h"

namespace {

using warplens::sass::execute_symbolically;
using warplens::sass::Function;
using warplens::sass::Instruction;
using warplens::sass::Label;
using warplens::sass::Loop;
using warplens::sass::Operand;

/// Two blocks of two warps, without memory and with little of it.
void execute_with_and_without_memory(const warplens::sass::Listing& listing, const Function& function) {
  constexpr std::uint64_t kBase = 0x1000;
  std::array<std::byte, 1024> memory{};
  warplens::sass::Launch launch{.grid = {2, 1, 1},
                                .block = {48, 1, 1},
                                .parameters = std::vector<std::byte>(32),
                                .blocks = {},
                                .threads = 1};
  launch.parameters[1] = launch.parameters[9] = std::byte{kBase >> 8};
  launch.max_instructions = 100'000;
  (void)execute_symbolically(listing, function, launch);
  launch.memory = {{{.base = kBase, .bytes = memory}}};
  launch.symbols["v"] = kBase + 512;
  launch.constants["c"].resize(61);
  (void)execute_symbolically(listing, function, launch);
  launch.cluster = launch.grid;
  (void)execute_symbolically(listing, function, launch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto listing =
      warplens::sass::parse_listing({reinterpret_cast<const char*>(data), size}, "fuzz.sass");
  if (!listing) {
    require(!listing.error().what.empty(), "an error says what");
    return 0;
  }
  for (const Function& function : listing->functions) {
    require(!function.instructions.empty(), "a function is never empty");
    for (const Label& label : function.labels)
      require(label.instruction <= function.instructions.size(), "a label's place");
    for (const Instruction& instruction : function.instructions) {
      require(instruction.line == 0 || instruction.file < listing->files.size(), "a file's index");
      require(instruction.guard.predicate <= warplens::sass::kTruePredicate, "a guard's index");
      for (const Operand& operand : instruction.operands) {
        require(!operand.resolved || operand.index < function.instructions.size(), "a label's index");
        require(operand.address.base <= warplens::sass::kZeroRegister &&
                    operand.address.uniform_base <= warplens::sass::kUniformZeroRegister,
                "an address's registers");
      }
      (void)warplens::sass::kind_of(instruction);
    }
    if (function.instructions.size() < 512) execute_with_and_without_memory(*listing, function);
    for (const Loop& loop : warplens::sass::find_loops(function)) {
      require(loop.first < loop.end && loop.end <= function.instructions.size(), "a loop's extent");
    }
  }
  return 0;
}
