// One kernel of a module, for compilers whose time goes with all that a module holds.
#pragma once

#include <string>
#include <string_view>

namespace warplens::ptx {

/// The module's text without the entries and functions that `entry` cannot reach, whose lines stay blank.
/// What is reached is what a text that is kept names: a call, an address, a variable's initial value. Of a
/// text that `parse` accepts; one without the entry comes back as it is.
[[nodiscard]] std::string text_of_entry(std::string_view module, std::string_view entry);

}  // namespace warplens::ptx
