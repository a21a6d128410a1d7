#include "app/views/finding_words.h"

namespace warplens::app {

const char* words_for(FindingKind kind) {
  switch (kind) {
    case FindingKind::race: return "race";
    case FindingKind::out_of_bounds: return "access out of bounds";
    case FindingKind::misaligned: return "misaligned access";
    case FindingKind::barrier_divergence: return "barrier that lanes miss";
    case FindingKind::uninitialised: return "read of what nobody wrote";
  }
  return "?";
}

}  // namespace warplens::app
