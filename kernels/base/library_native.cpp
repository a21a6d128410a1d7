#include <dlfcn.h>

#include "kernels/base/library.h"

namespace warplens {

Library::Library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) continue;
    name_ = name;
    return;
  }
}

void* Library::address_of(const char* symbol) const {
  return dlsym(handle_, symbol);
}

}  // namespace warplens
