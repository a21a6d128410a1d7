#include "app/shell/messages.h"

#include <utility>

#include "app/shell/dialogue.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {

void Messages::add(const std::string& title, const Error& error, std::function<void()> retry) {
  if (!showing_) first_ = all_.size();
  all_.push_back({escaped(title),
                  {escaped(error.what), escaped(error.where), escaped(error.hint), error.unreadable_folder},
                  std::move(retry)});
  shown_ = all_.size() - 1;
  begin_showing();
}

void Messages::begin_showing() {
  showing_ = !all_.empty();
  drawn_ = false;
  since_.reset();
}

void Messages::show_all() {
  first_ = 0;
  begin_showing();  // The key that asked for them does not close them
}

std::optional<Message> Messages::draw(const Look& look, double now) {
  if (!showing_) return std::nullopt;
  if (drawn_ && !since_) since_ = now;
  drawn_ = true;
  if (!begin_dialogue(look, tr("Something went wrong"), "message", 0.4f)) return std::nullopt;
  draw_message(look);
  ImGui::Spacing();
  const bool close = dialogue_button(look, tr("Close"), "close") || ImGui::IsKeyPressed(ImGuiKey_Escape) ||
                     ImGui::IsKeyPressed(ImGuiKey_Enter);
  bool allowed = false;
  if (const Message& shown = all_[shown_]; shown.retry && !shown.error.unreadable_folder.empty()) {
    const std::string folder = escaped(shown.error.unreadable_folder);
    ImGui::SameLine();
    allowed =
        dialogue_button(look, tr("Allow reading {folder}", "folder"_a = folder).c_str(), "allow_reading");
  }
  if ((close || allowed) && can_be_closed(now)) {
    showing_ = false;
    ImGui::CloseCurrentPopup();
  }
  allowed = allowed && !showing_;
  ImGui::SameLine();
  if (dialogue_button(look, tr("Copy"), "copy")) {
    const Message& message = all_[shown_];
    ImGui::SetClipboardText(
        tr("{attempt}: {error}", "attempt"_a = message.title, "error"_a = message.error.message()).c_str());
  }
  if (const std::size_t count = all_.size() - first_; count > 1) {
    ImGui::SameLine();
    ImGui::BeginDisabled(shown_ == first_);
    if (ImGui::ArrowButton("previous", ImGuiDir_Left)) --shown_;
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::BeginDisabled(shown_ + 1 == all_.size());
    if (ImGui::ArrowButton("next", ImGuiDir_Right)) ++shown_;
    ImGui::EndDisabled();
    ImGui::SameLine();
    write(look, tr("{number} of {count}", "number"_a = shown_ - first_ + 1, "count"_a = count),
          {.colour = look.palette->muted});
  }
  ImGui::EndPopup();
  return allowed ? std::optional(all_[shown_]) : std::nullopt;
}

void Messages::draw_message(const Look& look) const {
  const Message& message = all_[shown_];
  const picture::Palette& palette = *look.palette;
  write_wrapped(look, message.title, {.colour = palette.text, .size = 17, .font = picture::Font::sans_bold});
  ImGui::Spacing();
  write_wrapped(look, message.error.what, {.colour = palette.costly});
  if (!message.error.where.empty())
    write_wrapped(look, message.error.where,
                  {.colour = palette.muted, .size = 12, .font = picture::Font::mono});
  ImGui::Spacing();
  if (!message.error.hint.empty()) write_wrapped(look, message.error.hint, {.colour = palette.text});
}

}  // namespace warplens::app
