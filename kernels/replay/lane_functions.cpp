#include "kernels/replay/lane_functions.h"

namespace warplens::replay {

LaneFunction find_lane_function(const Traits&) {
  return nullptr;
}

}  // namespace warplens::replay
