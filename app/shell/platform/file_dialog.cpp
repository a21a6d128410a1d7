#include "app/shell/platform/file_dialog.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <utility>

#include "app/shell/dialogue.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr float kDialogWidth = 760, kDialogHeight = 560;
constexpr float kRecentWidth = 160, kSizeWidth = 80, kChangedWidth = 122;
constexpr float kLeastBesideRecent = 620, kLeastWithChanged = 420, kLeastWithSize = 260;
constexpr int kLeastRows = 3, kPage = 10;
constexpr const char* kField = "##path";

TextStyle path_style(const Look& look) {
  return {.colour = look.palette->text, .size = 12, .font = picture::Font::mono};
}

std::string size_in_words(std::uint64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1023.95 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return formatted("{:.1f} {}", size, kUnits.at(unit));
}

std::string date_of(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm local{};
  if (::localtime_r(&time, &local) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                     local.tm_hour, local.tm_min);
}

std::string shown_name(const fs::path& path) {
  return escaped(path.has_filename() ? path.filename().string() : path.string());
}

/// A part of the way to the folder: text that can be clicked.
bool flat_button(const Look& look, const std::string& text, int id) {
  const TextStyle style = path_style(look);
  ImGui::PushID(id);
  const ImVec2 at = ImGui::GetCursorScreenPos(), padding = ImGui::GetStyle().FramePadding;
  ImGui::PushStyleColor(ImGuiCol_Button, packed(picture::with_alpha(look.palette->panel, 0)));
  const bool clicked = ImGui::Button("##part", {width_of(look, text, style) + padding.x, 0});
  ImGui::PopStyleColor();
  ImGui::PopID();
  ImGui::GetWindowDrawList()->AddText(
      look.fonts.of(style.font), look.px(style.size),
      {at.x + padding.x / 2, at.y + (ImGui::GetItemRectSize().y - look.px(style.size)) / 2},
      packed(style.colour), text.c_str());
  return clicked;
}

}  // namespace

void FileDialog::start(Request request) {
  request_ = std::move(request);
  choice_.start(request_.kind, request_.extension, request_.folder, request_.name);
  field_ = choice_.typed();
  active_ = focus_field_ = true;
  covered_ = complete_ = false;
}

void FileDialog::close() {
  active_ = false;
  choice_.end();
}

void FileDialog::draw(const Look& look) {
  if (!active_) return;
  choice_.poll();
  if (choice_.replaced()) {
    draw_question(look);
  } else {
    draw_dialogue(look);
  }
  const auto chosen = choice_.take_chosen();
  if (!chosen) return;
  close();
  request_.chosen(*chosen);
}

void FileDialog::draw_dialogue(const Look& look) {
  if (!begin_dialogue(look, request_.title.c_str(), "file", 0.5f, {kDialogWidth, kDialogHeight})) return;
  follow_keys();
  draw_way(look);
  draw_field(look);
  draw_options(look);
  draw_error(look);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float row = ImGui::GetTextLineHeight() + 2 * style.CellPadding.y,
              buttons = ImGui::GetFrameHeight() + style.ItemSpacing.y;
  draw_list(look, std::max(ImGui::GetContentRegionAvail().y - buttons - look.px(1), (kLeastRows + 1) * row));
  draw_buttons(look);
  const bool done = !active_ || choice_.replaced() || choice_.has_chosen();
  covered_ = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId);
  // After a click the field has the keys again, unless it would be scrolled into sight from under the
  // pointer.
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !in_field_ && !covered_ && ImGui::GetScrollMaxY() == 0)
    focus_field_ = true;
  if (done) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

// While a menu of its own is open, the keys are the menu's; so is the one that has just closed it.
void FileDialog::follow_keys() {
  if (covered_) return;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) return close();
  const bool back = in_field_ && field_.empty() && ImGui::IsKeyPressed(ImGuiKey_Backspace, false);
  if (back || ImGui::IsKeyChordPressed(ImGuiMod_Alt | ImGuiKey_UpArrow)) choice_.go_up();
}

bool FileDialog::recent_beside(const Look& look) const {
  return !request_.recent.empty() && ImGui::GetWindowWidth() >= look.px(kLeastBesideRecent);
}

void FileDialog::draw_way(const Look& look) {
  if (ImGui::Button(labelled(tr("Home"), "home").c_str())) choice_.go(home_folder());
  ImGui::SameLine();
  const fs::path& here = choice_.folder().path();
  ImGui::BeginDisabled(here == here.parent_path());
  if (ImGui::ArrowButton("up", ImGuiDir_Up)) choice_.go_up();
  ImGui::EndDisabled();
  explain(look, tr("To the folder above ({keys})", "keys"_a = "Alt+Up"));
  if (!request_.recent.empty() && !recent_beside(look)) draw_recent_menu(look);
  draw_parts(look);
}

/// Draws as much of the end of the path as there is room for.
void FileDialog::draw_parts(const Look& look) {
  std::vector<fs::path> parts;
  for (fs::path part = choice_.folder().path(); !part.empty(); part = part.parent_path()) {
    parts.push_back(part);
    if (part == part.parent_path()) break;
  }
  const TextStyle style = path_style(look),
                  muted{.colour = look.palette->muted, .size = style.size, .font = style.font};
  const float gap = width_of(look, "/", muted), dots = width_of(look, "…", muted),
              padding = ImGui::GetStyle().FramePadding.x;
  const auto width = [&](const fs::path& part) {
    return width_of(look, shown_name(part), style) + padding + gap;
  };
  const float whole = ImGui::GetContentRegionAvail().x,
              left = whole - (ImGui::GetItemRectMax().x - ImGui::GetCursorScreenPos().x + look.px(8));
  float needed = 0;
  for (const fs::path& part : parts) needed += width(part);
  // A line of its own, where the one before has no room for a name worth reading.
  float room = whole;
  if (left >= std::min(needed, look.px(160))) {
    ImGui::SameLine();
    room = left;
  }
  std::size_t shown = 1;
  float used = std::min(width(parts.front()), room);
  while (shown < parts.size() && used + width(parts[shown]) + (shown + 1 < parts.size() ? dots : 0) <= room)
    used += width(parts[shown++]);
  ImGui::AlignTextToFramePadding();
  if (shown < parts.size()) {
    write(look, "…", muted);
    explain(look, escaped(parts.front().string()));
    ImGui::SameLine(0, 0);
  }
  std::optional<fs::path> wanted;
  for (std::size_t i = shown; i-- > 0;) {
    const fs::path& part = parts[i];
    const std::string name = shortened(look, shown_name(part), style, room - dots - padding);
    if (flat_button(look, name, static_cast<int>(parts.size() - 1 - i))) wanted = part;
    if (i == 0) break;
    ImGui::SameLine(0, 0);
    if (!part.has_relative_path()) continue;  // The root is a slash itself
    ImGui::AlignTextToFramePadding();
    write(look, "/", muted);
    ImGui::SameLine(0, 0);
  }
  if (wanted) choice_.go(*wanted);
}

void FileDialog::draw_recent_menu(const Look& look) {
  constexpr const char* kMenu = "recent";
  same_line_if_fits(look, button_width(look, tr("Recent")));
  if (ImGui::Button(labelled(tr("Recent"), "recent_menu").c_str())) ImGui::OpenPopup(kMenu);
  if (!ImGui::BeginPopup(kMenu)) return;
  draw_recent(look);
  ImGui::EndPopup();
}

void FileDialog::draw_recent(const Look& look) {
  const bool to_open = request_.kind == Kind::open;
  const TextStyle style = path_style(look);
  for (std::size_t i = 0; i < request_.recent.size(); ++i) {
    const fs::path& path = request_.recent[i];
    const ImVec2 at = ImGui::GetCursorPos();
    const std::string name = shown_name(path) + (to_open ? "" : "/");
    const float room = recent_beside(look) ? ImGui::GetContentRegionAvail().x : look.px(kRecentWidth);
    const bool chosen = ImGui::Selectable(fmt::format("##recent {}", i + 1).c_str(), false, 0,
                                          {room, ImGui::GetTextLineHeight()});
    explain(look, escaped(path.string()));
    ImGui::SameLine();
    ImGui::SetCursorPos(at);
    write(look, shortened(look, name, style, room), style);
    if (!chosen) continue;
    if (to_open) {
      choice_.accept(path);
    } else {
      choice_.go(path);
    }
  }
}

int FileDialog::on_key(ImGuiInputTextCallbackData* data) {
  auto& dialog = *static_cast<FileDialog*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) dialog.complete_ = true;
  if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory && !ImGui::GetIO().KeyAlt)
    dialog.moved_ = data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
  return 0;
}

// The field keeps the keys: letters are typed there, and the arrows move in the list below.
void FileDialog::draw_field(const Look& look) {
  const ImGuiID id = ImGui::GetID(kField);
  if (field_ != choice_.typed()) {
    field_ = choice_.typed();
    if (ImGuiInputTextState* const state = ImGui::GetInputTextState(id)) state->ReloadUserBufAndMoveToEnd();
  }
  if (std::exchange(focus_field_, false) || ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  moved_ = 0;
  ImGui::SetNextItemWidth(-1);
  ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory;
  if (!field_.empty())
    flags |= ImGuiInputTextFlags_CallbackCompletion;  // Else Tab goes on to the next control
  const bool entered = ImGui::InputTextWithHint(kField, tr("name or path"), &field_, flags, on_key, this);
  in_field_ = ImGui::IsItemActive();
  if (field_.empty()) {
    explain(look, tr("A name of the list, or a path: absolute, relative to the folder shown, or from ~. "
                     "{tab} completes it, {up} goes to the folder above.",
                     "tab"_a = "Tab", "up"_a = "Alt+Up"));
  }
  if (in_field_) {
    for (const ImGuiKey key : {ImGuiKey_PageUp, ImGuiKey_PageDown}) {
      ImGui::SetKeyOwner(key, id);
      if (ImGui::IsKeyPressed(key)) moved_ = key == ImGuiKey_PageUp ? -kPage : kPage;
    }
  }
  if (field_ != choice_.typed()) choice_.type(field_);
  if (std::exchange(complete_, false)) choice_.complete();
  if (moved_ != 0) choice_.move(moved_);
  if (!entered) return;
  const bool is_choice = request_.kind == Kind::folder && field_.empty() && !choice_.folder().selected();
  is_choice ? choice_.accept_folder() : choice_.accept();
  focus_field_ = true;
}

void FileDialog::draw_options(const Look& look) {
  const char* const hidden_words = tr("Hidden files");
  const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
  float others = gap + checkbox_width(look, hidden_words);
  if (request_.kind == Kind::save) others += gap + button_width(look, tr("New folder ..."));
  draw_filter(room - others, room);
  same_line_if_fits(look, checkbox_width(look, hidden_words));
  bool hidden = choice_.folder().hidden_shown();
  if (ImGui::Checkbox(labelled(hidden_words, "hidden").c_str(), &hidden))
    choice_.folder().show_hidden(hidden);
  if (request_.kind == Kind::save) draw_new_folder(look);
}

/// Draws the filter in the room beside the others, with shorter words; in no more than all of the width.
void FileDialog::draw_filter(float beside, float all_of_it) {
  Folder& folder = choice_.folder();
  const std::string own =
      tr("{files} (*{extension})", "files"_a = request_.files, "extension"_a = request_.extension);
  const char* const all = tr("All files");
  const auto width = [](const std::string& text) {
    return std::ceil(ImGui::CalcTextSize(text.c_str()).x) + 2 * ImGui::GetStyle().FramePadding.x +
           ImGui::GetFrameHeight();
  };
  std::string shown = folder.extension().empty() ? all : own;
  float wide = std::max(width(own), width(all));
  if (wide > beside) {
    if (!folder.extension().empty()) shown = "*" + request_.extension;
    wide = std::max(width(shown), width("*" + request_.extension));
  }
  ImGui::SetNextItemWidth(std::min(wide, all_of_it));
  if (!ImGui::BeginCombo("##filter", shown.c_str())) return;
  if (list_entry(labelled(own, "own").c_str(), !folder.extension().empty()))
    folder.show_only(request_.extension);
  if (list_entry(labelled(all, "all").c_str(), folder.extension().empty())) folder.show_only({});
  ImGui::EndCombo();
}

void FileDialog::draw_new_folder(const Look& look) {
  constexpr const char* kMenu = "new_folder";
  const char* const words = tr("New folder ...");
  same_line_if_fits(look, button_width(look, words));
  if (ImGui::Button(labelled(words, "make").c_str())) {
    new_folder_.clear();
    ImGui::OpenPopup(kMenu);
  }
  if (!ImGui::BeginPopup(kMenu)) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(look.px(160));
  const bool entered =
      ImGui::InputTextWithHint("##name", tr("its name"), &new_folder_, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  const bool made = ImGui::Button(labelled(tr("Make it"), "make_it").c_str()) || entered;
  if (made) {
    choice_.make(new_folder_);
    focus_field_ = true;
  }
  if (made || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void FileDialog::draw_error(const Look& look) const {
  if (!choice_.error()) return;
  const Error& error = *choice_.error();
  const picture::Palette& palette = *look.palette;
  write_wrapped(look, error.what, {.colour = palette.costly});
  write_wrapped(look, escaped(error.where),
                {.colour = palette.muted, .size = 12, .font = picture::Font::mono});
  write_wrapped(look, error.hint, {.colour = palette.text});
  ImGui::Spacing();
}

void FileDialog::draw_list(const Look& look, float height) {
  if (recent_beside(look)) {
    if (ImGui::BeginChild("recent", {look.px(kRecentWidth), height})) {
      ImGui::SetCursorPosY(ImGui::GetStyle().CellPadding.y);  // Beside the table's header
      write(look, tr("Recent"), {.colour = look.palette->muted, .size = 12});
      draw_recent(look);
    }
    end_child(look);
    ImGui::SameLine();
  }
  draw_table(look, {ImGui::GetContentRegionAvail().x, height});
}

void FileDialog::draw_table(const Look& look, ImVec2 size) {
  constexpr auto kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Sortable |
                          ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX |
                          ImGuiTableFlags_BordersOuter | ImGuiTableFlags_NoSavedSettings;
  Folder& folder = choice_.folder();
  std::optional<std::size_t> accepted;
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);  // The keys reach the list through the field
  const bool drawn = ImGui::BeginTable("entries", 3, kFlags, size);
  if (drawn) {
    const auto unless = [](bool shown) {
      return shown ? ImGuiTableColumnFlags_None : ImGuiTableColumnFlags_Disabled;
    };
    // Its share is said: one that follows the contents is 0 of 0 where nothing of the table is in sight.
    ImGui::TableSetupColumn(labelled(tr("Name"), "name").c_str(),
                            ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_DefaultSort, 1);
    ImGui::TableSetupColumn(labelled(tr("Size"), "size").c_str(),
                            ImGuiTableColumnFlags_WidthFixed | unless(size.x >= look.px(kLeastWithSize)),
                            look.px(kSizeWidth));
    // Translators: when a file was changed last
    ImGui::TableSetupColumn(labelled(tr("Changed"), "changed").c_str(),
                            ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending |
                                unless(size.x >= look.px(kLeastWithChanged)),
                            look.px(kChangedWidth));
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    ImGuiTableSortSpecs* const sort = ImGui::TableGetSortSpecs();
    if (sort != nullptr && sort->SpecsDirty && sort->SpecsCount > 0) {
      folder.sort_by(static_cast<Folder::Column>(sort->Specs->ColumnIndex),
                     sort->Specs->SortDirection == ImGuiSortDirection_Descending);
      sort->SpecsDirty = false;
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(folder.rows()));
    const bool moved = std::exchange(moves_shown_, choice_.moves()) != choice_.moves();
    if (moved && folder.selected()) clipper.IncludeItemByIndex(static_cast<int>(*folder.selected()));
    if (moved && !folder.selected()) ImGui::SetScrollY(0);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const auto row = static_cast<std::size_t>(i);
        if (draw_entry(look, row)) accepted = row;
        if (moved && folder.selected() == row) ImGui::SetScrollHereY();
      }
    }
    end_table(look);
  }
  ImGui::PopItemFlag();
  if (accepted) choice_.accept(*accepted);
}

/// True when it is double-clicked.
bool FileDialog::draw_entry(const Look& look, std::size_t row) {
  const FolderEntry& entry = choice_.folder().row(row);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(entry.name.data(), entry.name.data() + entry.name.size());
  const bool clicked =
      ImGui::Selectable("##entry", choice_.folder().selected() == row, ImGuiSelectableFlags_SpanAllColumns);
  const bool twice = ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  const picture::Palette& palette = *look.palette;
  const TextStyle style{
      .colour = entry.is_folder ? palette.accent : palette.text, .size = 12, .font = picture::Font::mono};
  const std::string name = escaped(entry.name) + (entry.is_folder ? "/" : "");
  const std::string shown = shortened(look, name, style, ImGui::GetContentRegionAvail().x);
  write(look, shown, style);
  if (shown != name) explain(look, name);
  const TextStyle muted{.colour = palette.muted, .size = 12};
  if (ImGui::TableNextColumn() && entry.size) {
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    const std::string words = size_in_words(*entry.size);
    ImGui::SetCursorScreenPos(
        {std::floor(right - width_of(look, words, muted)), ImGui::GetCursorScreenPos().y});
    write(look, words, muted);
  }
  if (ImGui::TableNextColumn() && entry.changed) write(look, date_of(*entry.changed), muted);
  if (clicked) choice_.select(row);
  return twice;
}

std::string FileDialog::status() const {
  const Folder& folder = choice_.folder();
  if (const fs::path path = choice_.waiting_for(); !path.empty())
    return tr("Looking at {path} ...", "path"_a = shown_name(path));
  if (folder.rows() > 0) return tr_n(folder.rows(), "{n} entry", "{n} entries");
  return folder.searched().empty() ? tr("Nothing to show here") : tr("No match");
}

void FileDialog::draw_buttons(const Look& look) {
  const bool of_folder = request_.kind == Kind::folder;
  const char* const words = of_folder                     ? tr("List its kernels")
                            : request_.kind == Kind::open ? tr("Open")
                                                          : tr("Save");
  if (dialogue_button(look, words, "accept")) of_folder ? choice_.accept_folder() : choice_.accept();
  same_line_if_fits(look, std::max(look.px(90), button_width(look, tr("Cancel"))));
  if (dialogue_button(look, tr("Cancel"), "cancel")) close();
  write_dialogue_status(look, status());
}

void FileDialog::draw_question(const Look& look) {
  const fs::path path = *choice_.replaced();
  if (!begin_dialogue(look, tr("Replace"), "replace", 0.3f)) return;
  write_wrapped(look, tr("{file} exists. Replace it?", "file"_a = escaped(path.filename().string())),
                {.colour = look.palette->text, .size = 15, .font = picture::Font::sans_bold});
  write_wrapped(look, escaped(path.parent_path().string()),
                {.colour = look.palette->muted, .size = 12, .font = picture::Font::mono});
  ImGui::Spacing();
  const bool agreed = dialogue_button(look, tr("Replace it"), "replace");
  ImGui::SameLine();
  const bool dismissed = dialogue_button(look, tr("Keep it"), "keep") || ImGui::IsKeyPressed(ImGuiKey_Escape);
  if (agreed || dismissed) {
    ImGui::CloseCurrentPopup();
    choice_.replace(agreed);
  }
  ImGui::EndPopup();
}

}  // namespace warplens::app
