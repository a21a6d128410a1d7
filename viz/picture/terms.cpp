#include "viz/picture/terms.h"

#include "kernels/base/texts.h"

namespace warplens::picture {

const char* meaning_of(Term term) {
  switch (term) {
    case Term::requests: return tr("Instructions of one warp that reach the load/store unit.");
    case Term::sectors: return tr("Aligned pieces of 32 bytes that are moved.");
    case Term::transactions:
      return tr(
          "Pieces of memory that are moved at once, as large as this compute capability joins lanes to.");
    case Term::lines:
      return tr("Aligned pieces of 128 bytes, one cache tag each, added up over the requests.");
    case Term::wavefronts:
      return tr("Passes through the shared-memory data stage, which takes one at a time.");
    case Term::conflicts:
      return tr("Wavefronts beyond one for each group of lanes that the hardware serves together.");
    case Term::ideal:
      return tr(
          "What the same lanes would need with an element each, side by side: bytes over the width of what "
          "is moved at once. Lanes that share "
          "elements "
          "can need less; then this is what they take.");
    case Term::used_bytes:
      return tr("Bytes of the sectors that some lane asked for, of all bytes that are moved.");
    case Term::excess: return tr("What all requests take beyond the ideal.");
    case Term::attainable:
      return tr(
          "The lowest of the roofs: what memory, shared memory and arithmetic let the kernel reach at most.");
    case Term::peak: return tr("Of the device's arithmetic in single precision, without tensor cores.");
    case Term::as_written:
      return tr(
          "Counted from the PTX, which the compiler's front end makes of the source: there it may have "
          "unrolled loops and joined neighbouring "
          "loads into wider ones, so that there are fewer requests than the source's loops would make.");
    case Term::as_compiled:
      return tr(
          "Counted from the machine code that the assembler makes of the PTX: there neighbouring accesses "
          "may be joined, repeated or left out.");
    case Term::banks: break;
  }
  return tr("The parts that shared memory lies in, word by word in turn: each delivers one word per pass.");
}

}  // namespace warplens::picture
