// Errors that the user has to hear of: shown at once, one after the other, and kept to be read again.
#pragma once

#include <string>
#include <vector>

#include "app/views/look.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct Message {
  std::string title;  ///< What was attempted: "Opening pad.wlr"
  Error error;
};

class Messages {
 public:
  /// Names and paths in it are made fit to be shown.
  void add(const std::string& title, const Error& error);
  void show_all() { showing_ = !all_.empty(); }
  [[nodiscard]] const std::vector<Message>& all() const { return all_; }
  [[nodiscard]] bool showing() const { return showing_; }

  /// The dialogue of the latest message, if it has not been closed yet.
  void draw(const Look& look);

 private:
  void draw_message(const Look& look) const;

  std::vector<Message> all_;
  std::size_t shown_ = 0;
  bool showing_ = false;
};

}  // namespace warplens::app
