// A lesson over the whole window: pictures, words, questions, and a strip of its scenes; driven by a
// clicker's keys.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/lesson/given.h"
#include "app/shell/commands.h"
#include "app/shell/scene_thumbnails.h"
#include "app/shell/speaker_page.h"
#include "app/views/picture_view.h"
#include "app/views/view.h"

namespace warplens::app {

class LessonWindow {
 public:
  /// `now`: in seconds, of the clock that `draw` is told of. `wake`: as of GivenLesson.
  LessonWindow(OpenedLesson opened, double now, std::function<void()> wake);

  /// Into the whole window, in place of all else; takes its keys where `keys` is true. False once it is left.
  [[nodiscard]] bool draw(const Frame& frame, double now, bool keys);
  [[nodiscard]] const GivenLesson& given() const { return given_; }
  [[nodiscard]] bool black() const { return black_; }
  /// What is to be read in a window of its own; nullopt: nobody wants that.
  [[nodiscard]] std::optional<SpeakerPage> speaker_page(double now) const;
  void close_speaker_page() { notes_apart_ = false; }
  /// What can be done while it is given, with its keys.
  [[nodiscard]] std::vector<Command> commands();
  /// Its words are said in another language from now on.
  void follow_language();
  /// Something moves: it wants to be drawn again soon.
  [[nodiscard]] bool moves() const { return unfolding_; }

 private:
  void take_keys();
  void go_on();
  void take_digit(std::size_t digit);
  void draw_strip(const Frame& frame, ImVec2 at, ImVec2 size, double now);
  /// Returns its height.
  float draw_header(const Look& look, ImVec2 at, float width);
  void draw_pictures(const Frame& frame, ImVec2 at, ImVec2 size);
  /// Covers, in a picture of Banks whose question was just answered, what lies below the wavefronts that are
  /// unfolded by now.
  void unfold(const Look& look, const picture::Picture& picture, ImVec2 at);
  /// Whether a view of the scene is drawn now: not one that tells the answer before that is uncovered, unless
  /// something else is drawn in its place.
  [[nodiscard]] bool is_drawn(const std::string& view, std::size_t index) const;
  [[nodiscard]] bool draws_any() const;
  [[nodiscard]] PictureView& picture_now(std::size_t index) const;
  struct Room {
    float share;  ///< Of the width
    float size;   ///< Of the letters, of those that the hall would like
  };
  [[nodiscard]] Room room_of_words(const Look& look, ImVec2 size) const;
  void draw_list(const Look& look);
  /// What is drawn is that scene at its own place, until one steps or clicks.
  void follow(const PreparedScene& scene);
  /// What is drawn and read is of another place of the scene's launch.
  void move_to(const Selection& place);
  void go(std::size_t scene);
  void step_by(std::int64_t by);
  [[nodiscard]] std::unique_ptr<PictureView> asked_picture(const std::string& view) const;

  GivenLesson given_;
  double begun_;
  bool black_ = false, listed_ = false, notes_shown_ = false, notes_apart_ = false, left_ = false;
  std::optional<double> uncovered_at_;  ///< When the answer was uncovered, on the same clock; nullopt: it was
                                        ///< not, or all is unfolded
  bool unfolding_ = false;              ///< In the frame before
  double now_ = 0;
  std::string number_;                ///< Of a scene, as it is typed
  std::optional<std::size_t> shown_;  ///< The scene that `here_` is of; nullopt: it begins
  PreparedScene here_;                ///< With words and figures of the place that is drawn
  Hover hovered_, hover_;
  std::vector<std::unique_ptr<PictureView>> pictures_;  ///< Of the scene's views, row by row
  std::vector<std::unique_ptr<PictureView>>
      asked_;  ///< What is there of each while a question is asked; null: nothing, or the view itself
  SceneThumbnails thumbnails_;
};

}  // namespace warplens::app
