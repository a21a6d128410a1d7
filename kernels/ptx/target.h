// What a PTX module is for, without parsing it.
#pragma once

#include <string>
#include <string_view>

namespace warplens::ptx {

/// The architecture in the module's .target directive: "sm_90a"; empty: there is none at the beginning of a
/// line.
[[nodiscard]] std::string target_of(std::string_view text);

}  // namespace warplens::ptx
