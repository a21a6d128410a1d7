#include "app/shell/messages.h"

#include "app/shell/dialogue.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {

void Messages::add(const std::string& title, const Error& error) {
  all_.push_back({escaped(title), {escaped(error.what), escaped(error.where), escaped(error.hint)}});
  shown_ = all_.size() - 1;
  showing_ = true;
}

void Messages::draw(const Look& look) {
  if (!showing_) return;
  if (!begin_dialogue(look, tr("Something went wrong"), "message", 0.4f)) return;
  draw_message(look);
  ImGui::Spacing();
  if (dialogue_button(look, tr("Close"), "close") || ImGui::IsKeyPressed(ImGuiKey_Escape) || ImGui::IsKeyPressed(ImGuiKey_Enter)) {
    showing_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (dialogue_button(look, tr("Copy"), "copy")) {
    const Message& message = all_[shown_];
    ImGui::SetClipboardText(tr("{attempt}: {error}", "attempt"_a = message.title, "error"_a = message.error.message()).c_str());
  }
  if (all_.size() > 1) {
    ImGui::SameLine();
    ImGui::BeginDisabled(shown_ == 0);
    if (ImGui::ArrowButton("previous", ImGuiDir_Left)) --shown_;
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::BeginDisabled(shown_ + 1 == all_.size());
    if (ImGui::ArrowButton("next", ImGuiDir_Right)) ++shown_;
    ImGui::EndDisabled();
    ImGui::SameLine();
    write(look, tr("{number} of {count}", "number"_a = shown_ + 1, "count"_a = all_.size()), {.colour = look.palette->muted});
  }
  ImGui::EndPopup();
}

void Messages::draw_message(const Look& look) const {
  const Message& message = all_[shown_];
  const picture::Palette& palette = *look.palette;
  write_wrapped(look, message.title, {.colour = palette.text, .size = 17, .font = picture::Font::sans_bold});
  ImGui::Spacing();
  write_wrapped(look, message.error.what, {.colour = palette.costly});
  if (!message.error.where.empty()) write_wrapped(look, message.error.where, {.colour = palette.muted, .size = 12, .font = picture::Font::mono});
  ImGui::Spacing();
  if (!message.error.hint.empty()) write_wrapped(look, message.error.hint, {.colour = palette.text});
}

}  // namespace warplens::app
