// What of a source is the host's: left out, for compilers that take kernels alone; or made a kernel of one
// thread, so that a reference runs wherever a kernel does, and does no more than a kernel can.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compile/signatures.h"

namespace warplens::compile {

/// The source without functions of the host's alone. Those that code of the device names stay as
/// declarations, for the compiler to speak of. Lines stay where they are.
[[nodiscard]] std::string without_host_code(std::string_view source);

/// A function that is no kernel, as it is defined in a source.
struct HostFunction {
  std::string name;
  std::vector<SourceParameter> parameters;
  bool is_template = false;
  std::uint32_t line = 0;  ///< Of its name, from 1
};
[[nodiscard]] std::optional<HostFunction> find_host_function(std::string_view source, std::string_view name);

/// The source with that function, and those of the source that it calls, made to run on the device too;
/// behind it a kernel called `entry`, with the function's parameters, that calls it. Bodies of other kernels
/// are left out, and those of host functions that launch some. Lines stay where they are.
[[nodiscard]] std::string with_kernel_of(std::string_view source, const HostFunction& function,
                                         const std::string& entry);

}  // namespace warplens::compile
