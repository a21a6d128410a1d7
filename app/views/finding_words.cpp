#include "app/views/finding_words.h"

#include "kernels/base/texts.h"

namespace warplens::app {

const char* words_for(FindingKind kind) {
  switch (kind) {
    case FindingKind::race: return tr("race");
    case FindingKind::out_of_bounds: return tr("access out of bounds");
    case FindingKind::misaligned: return tr("misaligned access");
    case FindingKind::barrier_divergence: return tr("barrier that lanes miss");
    case FindingKind::uninitialised: return tr("read of what nobody wrote");
  }
  return "?";
}

}  // namespace warplens::app
