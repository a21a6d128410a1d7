// The buffers that the arguments of a launch make, and the addresses of theirs that other arguments hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/launch_form/arguments.h"
#include "kernels/base/placed_address.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// Numbers the buffers in the order of the arguments, which have their names; a table of rows comes behind
/// its elements.
class ArgumentBuffers {
 public:
  explicit ArgumentBuffers(std::span<const NamedArgument> arguments);

  /// Where the elements of an argument lie; nullopt: it is a scalar.
  [[nodiscard]] std::optional<std::uint32_t> elements(std::size_t argument) const {
    return of_[argument].elements;
  }
  /// What a kernel is given the address of: the same, or the table.
  [[nodiscard]] std::optional<std::uint32_t> passed(std::size_t argument) const {
    return of_[argument].passed;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// Where addresses lead. The error names one that leads to no buffer, or out of it.
  [[nodiscard]] Result<std::vector<PlacedAddress>> placed(std::span<const PlacedSpec> addresses) const;
  /// The table of an argument that is passed by rows.
  [[nodiscard]] std::vector<PlacedAddress> rows(std::size_t argument) const;

 private:
  struct Buffers {
    std::optional<std::uint32_t> elements, passed;
  };
  [[nodiscard]] Result<PlacedAddress> placed(const PlacedSpec& address) const;

  std::span<const NamedArgument> arguments_;
  std::vector<Buffers> of_;
  std::uint32_t count_ = 0;
};

/// What an address says: the buffer of an argument, or of a field in an array of them, "s.parts[2]", which
/// reads like an element of one.
struct ReadAddress {
  std::size_t argument = 0;
  std::optional<std::uint64_t> row, element;
};
/// Of the arguments; nullopt: none is called so.
[[nodiscard]] std::optional<ReadAddress> read_address(const AddressSpec& address,
                                                      std::span<const NamedArgument> arguments);

/// All that an argument holds.
[[nodiscard]] std::span<const PlacedSpec> addresses_in(const ArgumentSpec& argument);

}  // namespace warplens::app
