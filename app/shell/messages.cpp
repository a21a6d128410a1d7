#include "app/shell/messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/text.h"

namespace warplens::app {
namespace {

constexpr const char* kDialogue = "Something went wrong";

}  // namespace

void Messages::add(const std::string& title, const Error& error) {
  all_.push_back({escaped(title), {escaped(error.what), escaped(error.where), escaped(error.hint)}});
  shown_ = all_.size() - 1;
  showing_ = true;
}

void Messages::draw(const Look& look) {
  if (!showing_) return;
  if (!ImGui::IsPopupOpen(kDialogue)) ImGui::OpenPopup(kDialogue);
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y * 0.4f}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(look.px(520), screen.x * 0.95f), 0});
  if (!ImGui::BeginPopupModal(kDialogue, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove)) return;
  draw_message(look);
  ImGui::Spacing();
  if (ImGui::Button("Close", {look.px(90), 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape) || ImGui::IsKeyPressed(ImGuiKey_Enter)) {
    showing_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (ImGui::Button("Copy", {look.px(90), 0})) ImGui::SetClipboardText((all_[shown_].title + ": " + all_[shown_].error.message()).c_str());
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
    write(look, fmt::format("{} of {}", shown_ + 1, all_.size()), {.colour = look.palette->muted});
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
