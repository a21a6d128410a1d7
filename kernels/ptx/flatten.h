// A function without scopes in it: what its text declares anywhere is declared at its beginning, and every
// name stands for one thing.
#pragma once

#include <string>
#include <string_view>

#include "kernels/ptx/statements.h"

namespace warplens::ptx {

/// `text` with that one of its functions made flat. Names that scopes inside it declare get a suffix;
/// instructions stay the same, in the same order.
[[nodiscard]] std::string flatten(std::string_view text, const FunctionText& place);

}  // namespace warplens::ptx
