// What a fuzz target holds to.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

/// Ends the process, which libFuzzer takes for a finding, and says what is broken.
inline void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}
