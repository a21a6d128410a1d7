#include "kernels/compile/nvrtc.h"

namespace warplens::compile {

Result<std::optional<Compiled>> compile_with_nvrtc(const Source&) {
  return std::optional<Compiled>();
}

std::string nvrtc_name() {
  return "";
}

}  // namespace warplens::compile
