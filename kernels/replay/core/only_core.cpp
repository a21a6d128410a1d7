// Instead of core_choice.cpp in builds with sanitizers, which compile one core: a second says nothing new of
// the same text, and each takes long.
#include "kernels/replay/core/core.h"

namespace warplens::replay {

const Core& best_core() {
  return kCoreV2;
}

}  // namespace warplens::replay
