#pragma once

#include <string_view>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// "%tid.x" and the like; none for other names.
[[nodiscard]] SpecialRegister find_special_register(std::string_view name);

/// The components of "%tid" and the like, x to w; none for other names.
[[nodiscard]] std::vector<SpecialRegister> find_special_vector(std::string_view name);

/// Whether the name has the form of a special register of the PTX ISA that SpecialRegister does not list,
/// such as %envreg40 or %cluster_ctaid.x.
[[nodiscard]] bool is_other_special_register(std::string_view name);

}  // namespace warplens::ptx
