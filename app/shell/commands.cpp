#include "app/shell/commands.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace warplens::app {
namespace {

constexpr const char* kPalette = "palette";
constexpr std::size_t kRowsShown = 12;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string title_of(const Command& command) {
  return command.menu == nullptr
             ? command.name
             : tr("{menu}: {action}", "menu"_a = tr(command.menu->title), "action"_a = command.name);
}

bool same_letter(char a, char b) {
  return lower(a) == lower(b);
}

bool holds(const std::string& title, const std::string& typed) {
  return std::search(title.begin(), title.end(), typed.begin(), typed.end(), same_letter) != title.end();
}

bool is_found(const Command& command, const std::string& typed) {
  return matches(typed, title_of(command)) || matches(typed, command.id) ||
         (!command.also.empty() && holds(command.also, typed));
}

bool ends_with(const std::string& title, const std::string& typed) {
  return title.size() >= typed.size() &&
         std::equal(typed.rbegin(), typed.rend(), title.rbegin(), same_letter);
}

/// The name itself goes first, with its menu or without, then names that begin with the words, then those
/// that end with them ("Record tiled"), then those that hold them, then those that hold their letters
/// somewhere, then those of which only the id does; last, what cannot be done now. Of equal ones the briefest
/// goes first; where nothing is typed, all keep their order.
std::pair<int, std::size_t> rank(const Command& command, const std::string& typed) {
  if (!command.can_run()) return {6, 0};
  if (typed.empty()) return {0, 0};
  const std::string title = title_of(command);
  const bool is_also = !command.also.empty() && holds(command.also, typed);
  const auto group = [&] {
    if (!matches(typed, title)) return is_also ? 3 : 5;
    int begins = 2;
    for (const std::string* const name : {&command.name, &title}) {
      const auto begin = std::mismatch(typed.begin(), typed.end(), name->begin(), name->end(), same_letter);
      if (begin.first == typed.end()) begins = std::min(begins, begin.second == name->end() ? 0 : 1);
    }
    if (begins < 2 || ends_with(title, typed)) return begins;
    return holds(title, typed) || is_also ? 3 : 4;
  };
  return {group(), title.size()};
}

std::vector<const Command*> found(const std::vector<Command>& commands, const std::string& typed) {
  std::vector<const Command*> result;
  for (const Command& command : commands) {
    if (is_found(command, typed)) result.push_back(&command);
  }
  std::stable_sort(result.begin(), result.end(),
                   [&](const Command* a, const Command* b) { return rank(*a, typed) < rank(*b, typed); });
  return result;
}

/// `+`, as name_of_key calls the key of `=`, is typed with Shift on many keyboards.
ImGuiKeyChord shifted_plus(ImGuiKeyChord key) {
  return (key & ~ImGuiMod_Mask_) == ImGuiKey_Equal ? key | ImGuiMod_Shift : 0;
}

}  // namespace

bool passes_text_fields(ImGuiKeyChord key) {
  const int plain = key & ~ImGuiMod_Mask_;
  return (key & ImGuiMod_Ctrl) != 0 || (plain >= ImGuiKey_F1 && plain <= ImGuiKey_F24);
}

void draw_menu(const std::vector<Command>& commands, const Menu& menu, const std::function<void()>& more) {
  if (!ImGui::BeginMenu(labelled(tr(menu.title), menu.id).c_str())) return;
  const auto draw_those = [&](bool at_end) {
    for (const Command& command : commands) {
      if (command.menu != &menu || command.at_end != at_end) continue;
      if (command.line_before) ImGui::Separator();
      const std::string label = labelled(command.name, command.id);
      if (ImGui::MenuItem(label.c_str(), name_of_key(command.key).c_str(), command.ticked && command.ticked(),
                          command.can_run()))
        command.run();
    }
  };
  draw_those(false);
  if (more) more();
  draw_those(true);
  ImGui::EndMenu();
}

void run_keys(const std::vector<Command>& commands, bool Command::* only) {
  if (ImGui::GetTopMostPopupModal() != nullptr) return;
  const bool menu_open =
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  const bool typing = ImGui::GetIO().WantTextInput;
  for (const Command& command : commands) {
    if ((menu_open && !command.over_menus) || (only != nullptr && !(command.*only))) continue;
    const ImGuiInputFlags flags =
        ImGuiInputFlags_RouteGlobal | (command.repeats ? ImGuiInputFlags_Repeat : 0);
    for (const ImGuiKeyChord key : {command.key, command.other_key, shifted_plus(command.key)}) {
      if (typing && !passes_text_fields(key)) continue;
      if (key != 0 && (!command.key_works || command.key_works()) && ImGui::Shortcut(key, flags) &&
          command.can_run())
        command.run();
    }
  }
}

const Command* pressed_command(const std::vector<Command>& commands, bool (*but_for)(ImGuiKeyChord)) {
  const auto counts = [but_for](ImGuiKeyChord key) {
    return key != 0 && !but_for(key) && ImGui::IsKeyChordPressed(key);
  };
  const auto found = std::ranges::find_if(commands, [&](const Command& command) {
    return (counts(command.key) || counts(command.other_key) || counts(shifted_plus(command.key))) &&
           command.can_run();
  });
  return found == commands.end() ? nullptr : &*found;
}

std::string name_of_key(ImGuiKeyChord key) {
  if (key == 0) return {};
  std::string name;
  if (key & ImGuiMod_Ctrl) name += "Ctrl+";
  if (key & ImGuiMod_Shift) name += "Shift+";
  if (key & ImGuiMod_Alt) name += "Alt+";
  switch (key & ~ImGuiMod_Mask_) {
    case ImGuiKey_Equal: return name + "+";
    case ImGuiKey_Minus: return name + "-";
    case ImGuiKey_LeftBracket: return name + "[";
    case ImGuiKey_RightBracket: return name + "]";
    case ImGuiKey_LeftArrow: return name + "Left";
    case ImGuiKey_RightArrow: return name + "Right";
    case ImGuiKey_UpArrow: return name + "Up";
    case ImGuiKey_DownArrow: return name + "Down";
    case ImGuiKey_PageUp: return name + "Page Up";
    case ImGuiKey_PageDown: return name + "Page Down";
    case ImGuiKey_KeypadAdd: return name + "keypad +";
    case ImGuiKey_KeypadSubtract: return name + "keypad -";
    default: return name + ImGui::GetKeyName(static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_));
  }
}

bool matches(const std::string& typed, const std::string& name) {
  auto at = name.begin();
  for (const char c : typed) {
    if (c == ' ') continue;
    at = std::find_if(at, name.end(), [c](char other) { return lower(other) == lower(c); });
    if (at == name.end()) return false;
    ++at;
  }
  return true;
}

void CommandPalette::open() {
  typed_.clear();
  chosen_ = 0;
  opening_ = true;
}

void CommandPalette::draw(const Look& look, std::vector<Command> commands,
                          const std::function<std::vector<Command>(const std::string&)>& typed_commands) {
  if (opening_) ImGui::OpenPopup(kPalette);
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y * 0.12f}, ImGuiCond_Always, {0.5f, 0});
  ImGui::SetNextWindowSize({std::min(look.px(520), screen.x * 0.95f), 0});
  open_ = ImGui::BeginPopup(kPalette, ImGuiWindowFlags_NoMove);
  if (!open_) return;
  if (opening_) ImGui::SetKeyboardFocusHere();
  opening_ = false;

  ImGui::SetNextItemWidth(-1);
  const std::string before = typed_;
  const bool entered =
      ImGui::InputTextWithHint("##typed", tr("all commands"), &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (typed_ != before) chosen_ = 0;
  const std::vector<Command> said = typed_commands ? typed_commands(typed_) : std::vector<Command>();
  std::erase_if(commands, [&](const Command& command) {
    return std::ranges::find(said, command.name, &Command::name) != said.end();
  });
  std::vector<const Command*> candidates;
  for (const Command& command : said) candidates.push_back(&command);
  std::ranges::copy(found(commands, typed_), std::back_inserter(candidates));
  const int count = static_cast<int>(candidates.size());
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen_;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --chosen_;
  chosen_ = std::clamp(chosen_, 0, std::max(count - 1, 0));

  const Command* run = entered && count > 0 ? candidates[static_cast<std::size_t>(chosen_)] : nullptr;
  if (run != nullptr && !run->can_run()) run = nullptr;
  const float room =
      std::min(static_cast<float>(kRowsShown) * ImGui::GetTextLineHeightWithSpacing(), screen.y * 0.6f);
  if (ImGui::BeginChild("found", {0, room})) {
    for (int i = 0; i < count; ++i) {
      const Command& command = *candidates[static_cast<std::size_t>(i)];
      const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
      const ImGuiSelectableFlags flags =
          command.can_run() ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
      if (ImGui::Selectable(labelled(title_of(command), command.id).c_str(),
                            i == chosen_ && command.can_run(), flags))
        run = &command;
      if (i == chosen_ && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
      if (command.key != 0)
        write_right(look, name_of_key(command.key), {.colour = look.palette->muted}, right);
    }
    if (count == 0) write(look, tr("No matching command."), {.colour = look.palette->muted});
  }
  end_child(look);
  if (run != nullptr || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (run != nullptr) std::function<void()>(run->run_if_searched ? run->run_if_searched : run->run)();
}

void draw_keys(const Look& look, const std::vector<Command>& commands, bool& open) {
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(look.px(460), screen.x * 0.95f), std::min(look.px(560), screen.y * 0.9f)},
      ImGuiCond_Appearing);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  if (ImGui::Begin(labelled(tr("Keys"), "keys").c_str(), &open,
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse)) {
    if (ImGui::IsKeyPressed(ImGuiKey_Escape)) open = false;
    ImGui::BeginChild("list");
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingStretchSame)) {
      // Said here: shares that follow the contents are 0 of 0 where nothing of the table is in sight.
      ImGui::TableSetupColumn("action", ImGuiTableColumnFlags_WidthStretch, 3);
      ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthStretch, 2);
      for (const Command& command : commands) {
        if (command.key == 0) continue;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        write(look, title_of(command), {.colour = look.palette->text});
        ImGui::TableNextColumn();
        const std::string keys = command.other_key == 0
                                     ? name_of_key(command.key)
                                     : name_of_key(command.key) + ", " + name_of_key(command.other_key);
        write(look, keys, {.colour = look.palette->accent});
      }
      ImGui::EndTable();
    }
    end_child(look);
  }
  ImGui::End();
  ImGui::PopStyleVar();
  if (!open) ImGui::SetWindowFocus(nullptr);  // Or Dear ImGui picks a panel, perhaps one behind another
}

}  // namespace warplens::app
