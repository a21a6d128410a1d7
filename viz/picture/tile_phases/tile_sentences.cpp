#include "viz/picture/tile_phases/tile_sentences.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/analysis/sentences.h"

namespace warplens::picture {

std::string list_in_words(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all = i == 0                  ? names[i]
          : i + 1 == names.size() ? tr("{list} and {last}", "list"_a = all, "last"_a = names[i])
                                  : tr("{list}, {next}", "list"_a = all, "next"_a = names[i]);
  }
  return all;
}

std::string name_in_sentence(const Recording& recording, const std::vector<analysis::PhaseKind>& kinds,
                             std::size_t phase) {
  if (const auto tile = analysis::tile_of(kinds, phase)) return tr("Tile {tile}", "tile"_a = *tile);
  const std::string number = with_thousands(phase + 1);
  return recording.phases_are_barriers || kinds.size() == 1 ? tr("Phase {phase}", "phase"_a = number)
                                                            : tr("Pass {pass}", "pass"_a = number);
}

std::string computing_phase_in_words(const std::string& phase, const std::vector<std::string>& read,
                                     const std::vector<std::string>& held) {
  if (read.empty() && held.empty()) return tr("{phase} computes from shared memory", "phase"_a = phase);
  if (read.empty())
    return tr("{phase} computes from shared memory: {held}", "phase"_a = phase,
              "held"_a = list_in_words(held));
  if (held.empty())
    return tr("{phase} computes from shared memory; it reads {read}", "phase"_a = phase,
              "read"_a = list_in_words(read));
  return tr("{phase} computes from shared memory: {held}; it reads {read}", "phase"_a = phase,
            "held"_a = list_in_words(held), "read"_a = list_in_words(read));
}

std::string global_accesses_in_words(const std::string& phase, const std::vector<std::string>& read,
                                     const std::vector<std::string>& written) {
  if (read.empty() && written.empty())
    return tr("{phase} makes no access to global memory", "phase"_a = phase);
  if (written.empty()) return tr("{phase} reads {read}", "phase"_a = phase, "read"_a = list_in_words(read));
  if (read.empty())
    return tr("{phase} writes {written}", "phase"_a = phase, "written"_a = list_in_words(written));
  return tr("{phase} reads {read} and writes {written}", "phase"_a = phase, "read"_a = list_in_words(read),
            "written"_a = list_in_words(written));
}

}  // namespace warplens::picture
