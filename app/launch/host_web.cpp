#include "app/launch/host.h"

namespace warplens::app {

std::string cpu_name() {
  return "CPU";
}

/// What a module can address: WebAssembly's addresses have 32 bits.
std::uint64_t physical_memory_bytes() {
  return std::uint64_t{1} << 32;
}

std::uint64_t available_memory_bytes() {
  constexpr std::uint64_t kPageBytes = 1u << 16;
  return physical_memory_bytes() - kPageBytes * __builtin_wasm_memory_size(0);
}

}  // namespace warplens::app
