#include "app/shell/file_dialog.h"

#include <imgui_stdlib.h>
#include <portable_file_dialogs.h>

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/shell/dialogue.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {
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

void FileDialog::start(Request request, bool use_native) {
  request_ = std::move(request);
  typed_ = request_.proposal;
  replaced_.reset();
  native_.reset();
  field_ = !use_native || !pfd::settings::available();
  if (field_) return;
  const std::vector<std::string> filters{request_.files, "*" + request_.extension, tr("All files"), "*"};
  native_ = std::make_unique<Native>();
  if (request_.kind == Kind::open) {
    native_->open.emplace(request_.title, request_.proposal, filters);
  } else {
    native_->save.emplace(request_.title, request_.proposal, filters);
  }
}

bool FileDialog::active() const {
  return field_ || native_ != nullptr || replaced_;
}

void FileDialog::draw(const Look& look) {
  if (replaced_) return draw_question(look);
  if (field_) draw_field(look);
  if (!native_) return;
  const auto answer = native_->answer();
  if (!answer) return;
  native_.reset();
  if (!answer->empty()) take(*answer, true);  // The desktop's dialogue has asked
}

/// `agreed`: to what happens to a file of just that name.
void FileDialog::take(std::filesystem::path path, bool agreed) {
  if (request_.kind == Kind::save) {
    if (!path.has_extension()) {
      path += request_.extension;
      agreed = false;
    }
    std::error_code ignored;
    if (!agreed && std::filesystem::exists(path, ignored)) {
      replaced_ = std::move(path);
      return;
    }
  }
  field_ = false;
  request_.chosen(path);
}

void FileDialog::draw_field(const Look& look) {
  if (!begin_dialogue(look, tr("File"), "file", 0.3f)) return;
  write(look, request_.title, {.colour = look.palette->text, .size = 15, .font = picture::Font::sans_bold});
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const std::string hint = tr("path of a {extension} file", "extension"_a = request_.extension);
  const bool entered = ImGui::InputTextWithHint("##path", hint.c_str(), &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
  const char* const accept = request_.kind == Kind::open ? tr("Open") : tr("Save");
  const bool accepted = (dialogue_button(look, accept, "accept") || entered) && !typed_.empty();
  ImGui::SameLine();
  if (dialogue_button(look, tr("Cancel"), "cancel") || ImGui::IsKeyPressed(ImGuiKey_Escape)) field_ = false;
  if (accepted || !field_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (accepted) take(typed_, false);
}

void FileDialog::draw_question(const Look& look) {
  if (!begin_dialogue(look, tr("Replace"), "replace", 0.3f)) return;
  write_wrapped(look, tr("{file} exists. Replace it?", "file"_a = escaped(replaced_->filename().string())),
                {.colour = look.palette->text, .size = 15, .font = picture::Font::sans_bold});
  write_wrapped(look, escaped(replaced_->parent_path().string()), {.colour = look.palette->muted, .size = 12, .font = picture::Font::mono});
  ImGui::Spacing();
  const bool agreed = dialogue_button(look, tr("Replace it"), "replace");
  ImGui::SameLine();
  const bool dismissed = dialogue_button(look, tr("Keep it"), "keep") || ImGui::IsKeyPressed(ImGuiKey_Escape);
  if (agreed || dismissed) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (!agreed && !dismissed) return;
  const std::filesystem::path path = *std::exchange(replaced_, std::nullopt);
  if (agreed) take(path, true);
}

}  // namespace warplens::app
