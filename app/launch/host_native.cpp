#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "app/launch/host.h"

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
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

std::uint64_t available_memory_bytes() {
  std::ifstream memory("/proc/meminfo");
  for (std::string name, line; memory >> name && std::getline(memory, line);) {
    if (name == "MemAvailable:") return std::strtoull(line.c_str(), nullptr, 10) * 1024;
  }
  return physical_memory_bytes();
}

}  // namespace warplens::app
