// Addresses within buffers of the launch, as one writes them: "&A", "&A[64]", "&A[2][n]", "null"; and tables
// of such. Private to app/launch_form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/launch_form/arguments.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// Whether a text is an address, as far as its beginning tells.
[[nodiscard]] bool is_address(std::string_view text);
/// Eight bytes, and what they are to lead to. Indices are expressions of the scope's values. The error says
/// what is wrong, without the argument.
[[nodiscard]] Result<ScalarSpec> parse_address(std::string_view text, const ArgumentScope& scope);

/// "&X,&Y[n],null": one address for each of the entries; or one for all, in which `i` is the entry's index:
/// "&A[i*n]".
[[nodiscard]] Result<std::vector<PlacedSpec>> parse_addresses(std::string_view list, std::uint64_t entries,
                                                              const ArgumentScope& scope);

/// "&A[64]"
[[nodiscard]] std::string text_of(const AddressSpec& address);
/// What parse_addresses makes the same of.
[[nodiscard]] std::string text_of(const std::vector<PlacedSpec>& table, std::uint64_t entries);

/// "@8=&A[64]@16=&B": addresses among the bytes of a scalar, and what is read of it. The error is as that of
/// parse_address.
[[nodiscard]] std::string text_within(const std::vector<PlacedSpec>& addresses);
[[nodiscard]] Result<std::vector<PlacedSpec>> parse_within(std::string_view text, const ArgumentScope& scope);

}  // namespace warplens::app
