#include "app/shell/file_dialog.h"

#include <imgui_stdlib.h>
#include <portable_file_dialogs.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warplens::app {
namespace {

const std::vector<std::string> kFilters{"Warplens recordings", "*.wlr", "All files", "*"};

}  // namespace

struct FileDialog::Native {
  std::optional<pfd::open_file> open;
  std::optional<pfd::save_file> save;

  /// Empty while the dialogue is open; an empty path if it was cancelled.
  std::optional<std::string> answer() {
    if (open && open->ready(0)) return open->result().empty() ? std::string() : open->result().front();
    if (save && save->ready(0)) return save->result();
    return std::nullopt;
  }
};

FileDialog::FileDialog() = default;
FileDialog::~FileDialog() = default;

void FileDialog::start(Kind kind, std::string title, const std::string& proposal, Chosen chosen, bool use_native) {
  kind_ = kind;
  title_ = std::move(title);
  typed_ = proposal;
  chosen_ = std::move(chosen);
  field_ = !use_native || !pfd::settings::available();
  if (field_) return;
  native_ = std::make_unique<Native>();
  if (kind == Kind::open) {
    native_->open.emplace(title_, proposal, kFilters);
  } else {
    native_->save.emplace(title_, proposal, kFilters);
  }
}

bool FileDialog::active() const {
  return field_ || native_ != nullptr;
}

void FileDialog::draw(const Look& look) {
  if (field_) draw_field(look);
  if (!native_) return;
  const auto answer = native_->answer();
  if (!answer) return;
  native_.reset();
  if (!answer->empty()) chosen_(*answer);
}

void FileDialog::draw_field(const Look& look) {
  constexpr const char* kName = "File";
  if (!ImGui::IsPopupOpen(kName)) ImGui::OpenPopup(kName);
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y * 0.3f}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(look.px(520), screen.x * 0.95f), 0});
  if (!ImGui::BeginPopupModal(kName, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove)) return;
  write(look, title_, {.colour = look.palette->text, .size = 15, .font = picture::Font::sans_bold});
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputTextWithHint("##path", "path of a .wlr file", &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool accepted = ImGui::Button(kind_ == Kind::open ? "Open" : "Save", {look.px(90), 0}) || entered;
  ImGui::SameLine();
  const bool dismissed = ImGui::Button("Cancel", {look.px(90), 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape);
  if ((accepted && !typed_.empty()) || dismissed) {
    field_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  if (accepted && !field_) chosen_(typed_);
}

}  // namespace warplens::app
