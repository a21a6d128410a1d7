// What the launch row says of the last recording, or of the last launch.
#pragma once

#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "app/views/gpu_model.h"
#include "app/views/look.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// How it went, in two lines.
struct Account {
  struct Words {
    std::string verdict, figures;
  };
  std::vector<Words> forms;  ///< From the longest to the briefest
  picture::Colour colour;    ///< Of the verdict
  std::string more;          ///< In the tooltip alone: lines
  bool cut = false;          ///< Rather the longest form, cut, than a briefer one
};

[[nodiscard]] Account account_of(const Loaded& loaded, const picture::Palette& palette);
[[nodiscard]] Account account_of(const gpu::RunResult& run, const picture::Palette& palette);
/// Adds what a GPU counted of the recorded launch: that it is what the replay says, or which of it is not.
void add_counters(Account& account, const Loaded& counted, const picture::Palette& palette);
/// Why nothing is recorded of what the row says.
[[nodiscard]] Account account_of(const Error& refused, const picture::Palette& palette);

}  // namespace warplens::app
