// Any bytes give launches, as far as they are some; what they name is there, and formulas can be written.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/host/host_program.h"
#include "require.h"

namespace {

using warplens::host::Argument;
using warplens::host::FormulaPtr;
using warplens::host::HostProgram;
using warplens::host::Launch;

void check_formula(const FormulaPtr& formula) {
  if (formula == nullptr) return;
  require(formula->size <= warplens::host::Formula::kMaxSize, "a formula's size");
  const std::map<const warplens::host::Formula*, std::string> names{{formula.get(), "n"}};
  require(warplens::host::text_of(formula, names) == "n", "what has a name is written by it");
  (void)warplens::host::text_of(formula);
  (void)warplens::host::is_doubtful(formula, names);
}

void check_argument(const HostProgram& program, const Argument& argument) {
  check_formula(argument.number);
  if (argument.kind == Argument::Kind::address)
    require(argument.allocation < program.allocations.size(), "an allocation's index");
  for (const auto& field : argument.fields) check_argument(program, field.value);
}

void check(const HostProgram& program) {
  require(program.launches.size() <= warplens::host::kMaxLaunches, "launches");
  for (const Launch& launch : program.launches) {
    require(!launch.kernel.empty(), "a kernel's name");
    for (const auto& extent : {launch.grid, launch.block}) {
      for (const FormulaPtr& axis : extent) check_formula(axis);
    }
    check_formula(launch.shared_bytes);
    for (const Argument& argument : launch.arguments) check_argument(program, argument);
    for (const auto& [allocation, contents] : launch.contents) {
      require(allocation < program.allocations.size(), "contents of an allocation");
      require(contents.allocations.size() == contents.offsets.size(), "an offset for each address");
      for (const std::size_t pointee : contents.allocations)
        require(pointee < program.allocations.size(), "an address's allocation");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string source(reinterpret_cast<const char*>(data), size);
  check(warplens::host::interpret(source));
  const auto itself = [&](const std::string& name, bool, const std::string&) {
    return std::optional<warplens::host::Header>({name, source});
  };
  check(warplens::host::interpret(source, itself, "#define N 16\n"));
  return 0;
}
