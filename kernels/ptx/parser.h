#pragma once

#include <string>
#include <string_view>

#include "kernels/base/result.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Parses PTX text. `name` is used in messages ("name:line: ..."). Total: any bytes give a module or an
/// error, in time linear in the text. A byte order mark at the beginning is left out, and lines may end as on
/// Windows. An instruction that is well-formed but unknown becomes Opcode::unsupported; only malformed text
/// is an error.
[[nodiscard]] Result<Module> parse(std::string_view text, std::string name);

}  // namespace warplens::ptx
