#include "kernels/base/library.h"

namespace warplens {

Library::Library(std::initializer_list<const char*>) {}  // A browser has no shared libraries

void* Library::address_of(const char*) const {
  return nullptr;
}

}  // namespace warplens
