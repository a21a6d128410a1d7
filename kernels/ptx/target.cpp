#include "kernels/ptx/target.h"

#include <algorithm>

namespace warplens::ptx {

std::string target_of(std::string_view text) {
  constexpr std::string_view kDirective = ".target";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(kDirective)) continue;
    line.remove_prefix(kDirective.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return std::string(line.substr(0, line.find_first_of(" \t\r,;/")));
  }
  return {};
}

}  // namespace warplens::ptx
