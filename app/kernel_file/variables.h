// Variables of a module, `__constant__` and `__device__` ones, that a launch sets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/kernel_file/kernel_file.h"
#include "app/launch_form/launch_form.h"
#include "kernels/base/variable_contents.h"

namespace warplens::app {

/// Returns the variables that a launch can set.
[[nodiscard]] std::vector<FileVariable> variables_in(const ptx::Module& module);

/// The fields of a form that set variables, worked out. A number that is written without a type has the
/// variable's.
[[nodiscard]] Result<std::vector<NamedArgument>> variables_of(const LaunchForm& form,
                                                              std::span<const FileVariable> variables);

/// By their names in the PTX. The error says which there is none of, or which has no room for what it is
/// given.
[[nodiscard]] Result<std::vector<VariableContents>> contents_of(std::span<const NamedArgument> set,
                                                                const ptx::Module& module);

/// The same PTX, with the variables visible to whoever loads it: lines keep their numbers.
[[nodiscard]] std::string with_visible(std::string ptx, std::span<const VariableContents> variables);

}  // namespace warplens::app
