// The source as one edits it: with the figures of each line beside it, how they have changed since the
// editing began, and what the compiler says.
#pragma once

#include <TextEditor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/session/editing.h"
#include "app/views/view.h"

namespace warplens::app {

class SourceEditor {
 public:
  SourceEditor();
  /// Into what is left of the current window.
  void draw(const Frame& frame);

 private:
  struct Figure {
    std::string text;     ///< "32.0 wf"
    std::string was;      ///< "was 1.0"; empty: it has not changed
    std::string meaning;  ///< For the tooltip
    bool costly = false;
  };
  void take_text(const Frame& frame);
  [[nodiscard]] static std::vector<compile::Message> remarks(const Frame& frame);
  void mark_messages(const Frame& frame);
  void compare(const Frame& frame);
  void draw_figures(const Look& look, const TextEditor::Decorator& place) const;
  void draw_messages(const Frame& frame);
  void set_colours(const Look& look);

  TextEditor editor_;
  std::uint64_t replacements_ = ~std::uint64_t{0};
  std::vector<compile::Message> marked_;
  std::shared_ptr<const Loaded> compared_, before_;
  std::string compared_text_;
  std::vector<std::vector<Figure>> figures_;  ///< By line of the editor
  const picture::Palette* coloured_for_ = nullptr;
};

}  // namespace warplens::app
