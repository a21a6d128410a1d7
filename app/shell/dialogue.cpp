#include "app/shell/dialogue.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace warplens::app {

bool begin_dialogue(const Look& look, const char* title, const char* id, float height, ImVec2 size) {
  const std::string name = labelled(title, id);
  if (!ImGui::IsPopupOpen(name.c_str())) ImGui::OpenPopup(name.c_str());
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y * height}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(look.px(size.x), screen.x * 0.95f), std::min(look.px(size.y), screen.y * 0.95f)});
  return ImGui::BeginPopupModal(name.c_str(), nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove);
}

bool dialogue_button(const Look& look, const char* text, const char* id) {
  const float needed = ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
  return ImGui::Button(labelled(text, id).c_str(), {std::max(look.px(90), needed), 0});
}

void write_dialogue_status(const Look& look, const std::string& words) {
  const TextStyle muted{.colour = look.palette->muted, .size = 12};
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const float room = right - ImGui::GetItemRectMax().x - look.px(16);
  if (room < look.px(80)) return;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const std::string shown = shortened(look, words, muted, room);
  ImGui::SetCursorScreenPos(
      {std::floor(right - width_of(look, shown, muted)), ImGui::GetCursorScreenPos().y});
  write(look, shown, muted);
}

bool dialogue_key(ImGuiKey key) {
  return !ImGui::IsWindowAppearing() && ImGui::IsKeyPressed(key, false);
}

}  // namespace warplens::app
