// Errors that the user has to hear of: shown at once, one after the other, and kept to be read again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/views/look.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct Message {
  std::string title;  ///< What was attempted: "Opening pad.wlr"
  Error error;
  std::function<void()> retry =
      nullptr;  ///< Goes on once Error::unreadable_folder may be read; null: nothing
};

class Messages {
 public:
  /// How long a message is on screen before a key or a click can close it: what was meant for something else
  /// must not. It is on screen when the first frame with it has been drawn, which may take long.
  static constexpr double kLeastSeconds = 0.5;
  /// Names and paths in it are made fit to be shown.
  void add(const std::string& title, const Error& error, std::function<void()> retry = nullptr);
  void show_all();
  [[nodiscard]] const std::vector<Message>& all() const { return all_; }
  [[nodiscard]] bool showing() const { return showing_; }
  [[nodiscard]] bool can_be_closed(double now) const { return since_ && now >= *since_ + kLeastSeconds; }
  /// Another frame has to be drawn at once.
  [[nodiscard]] bool want_frame() const { return showing_ && !since_; }

  /// The dialogue of the latest message, if it has not been closed yet, beside those that have come since the
  /// last was closed. `now`: in seconds. Returns the message whose folder the user has allowed to be read.
  [[nodiscard]] std::optional<Message> draw(const Look& look, double now);

 private:
  void draw_message(const Look& look) const;
  void begin_showing();

  std::vector<Message> all_;
  std::size_t first_ = 0, shown_ = 0;  ///< Of those in the dialogue; the one in front
  bool showing_ = false, drawn_ = false;
  std::optional<double>
      since_;  ///< When the first frame with the dialogue, or with a message that joined it, had been drawn
};

}  // namespace warplens::app
