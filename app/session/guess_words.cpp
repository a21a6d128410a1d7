#include "app/session/guess_words.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/analysis/finding_rows.h"

namespace warplens::app {

std::string guesses_in_words(const Loaded& loaded) {
  const Guesses& guesses = loaded.guesses;
  if (!guesses.of_bounds()) return {};
  std::string words = tr(
      "Guessed: {fields}. Write them in the launch row, where they are grey, or in a comment of the source.",
      "fields"_a = fmt::format("{}", fmt::join(guesses.fields, ", ")));
  if (!loaded.doubtful.empty()) {
    words += " " + tr_n(analysis::finding_rows(loaded.doubtful).size(),
                        "{n} finding may be due to the guess alone, and is not counted.",
                        "{n} findings may be due to the guess alone, and are not counted.");
  }
  return words;
}

}  // namespace warplens::app
