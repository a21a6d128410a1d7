// What a variable of a module is set to before a launch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/base/placed_address.h"

namespace warplens {

struct VariableContents {
  std::string name;              ///< As in the PTX: mangled
  std::vector<std::byte> bytes;  ///< At most as many as it has; what is beyond them stays as the module says
  std::vector<PlacedAddress> addresses = {};  ///< Of buffers, that are to lie among them
};

}  // namespace warplens
