// What a variable of a module is set to before a launch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warplens {

struct VariableContents {
  std::string name;              ///< As in the PTX: mangled
  std::vector<std::byte> bytes;  ///< At most as many as it has; what is beyond them stays as the module says
};

}  // namespace warplens
