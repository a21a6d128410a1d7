// A source that is being edited, and what became of it: what the source view shows and the window works on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/kernel_file/kernel_file.h"
#include "app/session/loaded.h"

namespace warplens::app {

struct Editing {
  bool on = false;             ///< The source view is an editor
  std::filesystem::path file;  ///< Where it is kept; a name alone while it lies nowhere
  bool lies_nowhere = false;   ///< A copy that has not been saved
  std::string text;            ///< As it is in the editor
  std::string saved_text;      ///< As it is in the file; of a copy that was never saved, as it was copied
  std::uint64_t edits = 0;     ///< Counts the user's changes
  std::uint64_t replacements =
      0;  ///< Counts changes from elsewhere, which the editor takes over: opened, reloaded
  std::uint64_t compiled_edits = 0;        ///< `edits` when what was compiled last was taken
  double changed = 0;                      ///< When the last change was, on the meter's clock
  std::vector<compile::Message> messages;  ///< Of the compiler, on what it was given last
  double compile_seconds = 0;
  std::string launch;                    ///< How it is launched, as its comment would say it
  std::shared_ptr<const Loaded> before;  ///< As it was when the editing began: figures are compared with its
  std::shared_ptr<const KernelFile> kernels;  ///< The last that compiled; null: no file is open
  bool toggle_wanted = false;                 ///< The view asks for `on` to change
  bool focused = false;           ///< Keys go to the editor: it was drawn, and had them, in the last frame
  std::uint32_t line_wanted = 0;  ///< The editor goes there; 0: nowhere

  [[nodiscard]] bool unsaved() const { return text != saved_text; }
  [[nodiscard]] bool due() const { return edits != compiled_edits; }
};

}  // namespace warplens::app
