// Everything that can be done, once: the menus, the keys, the palette and the list of keys are made of the
// same commands.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

#include "app/views/look.h"
#include "kernels/base/texts.h"

namespace warplens::app {

/// A menu of the menu bar; that to present and that of languages are in the menu View, that of handouts in
/// Help.
struct Menu {
  const char* id;
  const char* title;  ///< Shown by tr()
};
inline constexpr Menu kFileMenu{"file", marked("File")}, kLaunchMenu{"launch", marked("Launch")},
    kGoMenu{"go", marked("Go")}, kViewMenu{"view", marked("View")},
    kPresentMenu{"present", marked("Present")}, kLanguageMenu{"language", marked("Language")},
    kHelpMenu{"help", marked("Help")}, kHandoutMenu{"handout", marked("Handout")};

struct Command {
  std::string
      id;  ///< "go.next_step", "record.tiled": stable, and English words that the palette finds it by too
  const Menu* menu = nullptr;  ///< nullptr: in the palette only
  std::string name;            ///< As shown, in the language chosen
  ImGuiKeyChord key = 0, other_key = 0;
  std::function<void()> run;
  std::function<bool()> enabled;          ///< Null: always
  std::function<bool()> key_works;        ///< Whether its key does, besides; null: always
  std::function<bool()> ticked;           ///< Null: has no tick
  std::function<void()> run_if_searched;  ///< What the palette does; null: the same
  bool repeats = false;                   ///< While the key is held
  bool line_before = false;               ///< A line in the menu above it
  bool over_menus = false;                ///< Its key works while a menu is open, and closes that
  bool at_end = false;                    ///< Beneath all else in its menu
  std::string also;                       ///< English words that the palette finds it by besides
  bool in_lessons = false;                ///< It is there while a lesson is given, too

  [[nodiscard]] bool can_run() const { return !enabled || enabled(); }
};

/// One menu of the menu bar, of the commands that are in it. Call inside a menu bar.
void draw_menu(const std::vector<Command>& commands, const Menu& menu,
               const std::function<void()>& more = nullptr);
/// Runs the commands whose keys were pressed. A text field that has the keyboard keeps all but function keys
/// and those with Ctrl. `only`: those of which it holds; null: all.
void run_keys(const std::vector<Command>& commands, bool Command::* only = nullptr);
/// It works while a text field has the keyboard.
[[nodiscard]] bool passes_text_fields(ImGuiKeyChord key);
/// The one that can run and whose key was pressed, if `but_for` does not hold of that key; null: none.
[[nodiscard]] const Command* pressed_command(const std::vector<Command>& commands,
                                             bool (*but_for)(ImGuiKeyChord));
/// "Ctrl+P"
[[nodiscard]] std::string name_of_key(ImGuiKeyChord key);

/// Ctrl+P: a line to type in, and the commands that match it.
class CommandPalette {
 public:
  void open();
  [[nodiscard]] bool is_open() const { return open_; }
  /// It is open, or will be once it is drawn.
  [[nodiscard]] bool wanted() const { return open_ || opening_; }
  /// `typed_commands`: those that what is typed says itself, "size 1024"; they come first.
  void draw(const Look& look, std::vector<Command> commands,
            const std::function<std::vector<Command>(const std::string&)>& typed_commands);

 private:
  std::string typed_;
  int chosen_ = 0;
  bool open_ = false, opening_ = false;
};
/// Whether the letters of `typed` occur in `name` in that order, in any case.
[[nodiscard]] bool matches(const std::string& typed, const std::string& name);

/// F1: the keys, by menu.
void draw_keys(const Look& look, const std::vector<Command>& commands, bool& open);

}  // namespace warplens::app
