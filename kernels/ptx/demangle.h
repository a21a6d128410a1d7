#pragma once

#include <string>
#include <string_view>

namespace warplens::ptx {

/// What a C++ programmer calls the function: "_Z5tiledILi32EEvPKfPf" gives "tiled<32>". No return type, no
/// parameters; integer template arguments without casts and suffixes. A name that is not mangled, or longer
/// than a person would read, comes back as it is.
[[nodiscard]] std::string plain_name(std::string_view mangled);

/// A plain name as it is compared: "mm< (int)16 >" gives "mm<16>", as do all ways to write and demangle it.
[[nodiscard]] std::string comparable_name(std::string_view name);

/// What the source calls a variable: "as" of "_ZZ5tiledILi32EEvPKfS1_PfiiiE2as". Others as above.
[[nodiscard]] std::string name_of_local(std::string_view mangled);

/// "space::tiled<32>" gives "space::tiled".
[[nodiscard]] std::string_view without_template_arguments(std::string_view plain_name);

/// "saxpy" of "__main__::saxpy[abi:v1]" and of "lib::saxpy<float>": without namespaces, template arguments
/// and ABI tags, which Numba's kernels have.
[[nodiscard]] std::string base_name(std::string_view plain_name);

}  // namespace warplens::ptx
