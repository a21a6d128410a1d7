// What the one who gives a lesson reads on a screen of their own: notes, the question with its right answer,
// what comes next, the time.
#pragma once

#include <string>

#include "app/lesson/given.h"
#include "viz/canvas/picture.h"

namespace warplens::app {

struct SpeakerPage {
  std::string place, clock, title, notes, sentence, next;
  std::vector<std::string> answers;
  std::string asks;
  std::size_t right = 0;
  bool covered = false;
  friend bool operator==(const SpeakerPage&, const SpeakerPage&) = default;
};
/// Returns the page for the scene that is on; `seconds` since the lesson began.
[[nodiscard]] SpeakerPage speaker_page(const GivenLesson& given, double seconds);
[[nodiscard]] picture::Picture draw_speaker_page(const SpeakerPage& page, picture::Size size,
                                                 const picture::Style& style);

/// "12:40"
[[nodiscard]] std::string minutes_and_seconds(double seconds);

}  // namespace warplens::app
