#include "app/session/host.h"

#include <fmt/core.h>
#include <unistd.h>

#include <fstream>

namespace warplens::app {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return "CPU";
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

Result<Done> check_memory(std::uint64_t bytes) {
  if (bytes <= physical_memory_bytes()) return Done{};
  return Error{fmt::format("the buffers need {:.1f} GiB, more than the {:.1f} GiB of memory here", static_cast<double>(bytes) / 0x1p30,
                           static_cast<double>(physical_memory_bytes()) / 0x1p30),
               "", "Choose smaller ones."};
}

}  // namespace warplens::app
