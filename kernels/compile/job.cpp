#include "kernels/compile/job.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "kernels/base/texts.h"

namespace warplens::compile {

bool is_safe_for_shell(const std::string& text) {
  const auto is_safe = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           (c != '\0' && std::strchr(" /._-+=,:@%", c) != nullptr);
  };
  return std::ranges::all_of(text, is_safe);
}

Error cancelled_error() {
  return {tr("cancelled"), "", ""};
}

}  // namespace warplens::compile
