// What an H100 counted of each instruction of the ladder's kernels at their usual sizes.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/recording/launch_counters.h"

namespace warplens {

/// Of tests/data/instructions_h100.csv: `run K --counters --json`, H100 80GB HBM3, CUDA 13.0, 2026-11-26.
/// Empty: the kernel is not there.
inline std::vector<InstructionCounters> instructions_counted_on_h100(const std::string& kernel) {
  std::ifstream file(WARPLENS_TEST_DATA "/instructions_h100.csv");
  std::vector<InstructionCounters> counted;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');
    if (cell != kernel) continue;
    std::getline(cells, cell, ',');
    InstructionCounters one{.offset = static_cast<std::uint32_t>(std::stoul(cell))};
    for (const InstructionField& field : kInstructionFields) {
      std::getline(cells, cell, ',');
      one.*field.value = std::stoull(cell);
    }
    counted.push_back(one);
  }
  return counted;
}

}  // namespace warplens
