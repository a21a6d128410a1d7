#include "app/views/number_field.h"

#include <imgui_stdlib.h>

#include <charconv>
#include <optional>
#include <string>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kNoteSize = 12;

int refuse_letters(ImGuiInputTextCallbackData* data) {
  const bool digit = data->EventChar >= '0' && data->EventChar <= '9';
  if (!digit) *static_cast<bool*>(data->UserData) = true;
  return digit ? 0 : 1;
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void draw_range(const Look& look, std::int64_t least, std::int64_t most) {
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const picture::Colour colour = look.palette->costly;
  ImGui::GetWindowDrawList()->AddRect(from, to, packed(colour), ImGui::GetStyle().FrameRounding, 0,
                                      look.px(1.5f));
  ImGui::SetNextWindowPos({from.x, to.y + look.px(4)});
  if (ImGui::BeginTooltip()) {
    write(look, tr("{least} to {most}", "least"_a = least, "most"_a = most),
          {.colour = colour, .size = kNoteSize});
    ImGui::EndTooltip();
  }
}

}  // namespace

bool number_field(const Look& look, const char* id, std::int64_t& value, std::int64_t least,
                  std::int64_t most) {
  constexpr auto kFlags = ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_CallbackCharFilter;
  const std::int64_t before = value;
  std::string text = std::to_string(value);
  bool letter = false;
  const bool edited = ImGui::InputText(id, &text, kFlags, refuse_letters, &letter);
  bool& refused = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID(id));
  if (edited || letter) {
    const std::optional<std::int64_t> number = number_in(text);
    const bool fits = number && *number >= least && *number <= most;
    if (fits) value = *number;
    refused = letter || !fits;
  }
  if (!ImGui::IsItemActive()) refused = false;
  if (refused) draw_range(look, least, most);
  return value != before;
}

}  // namespace warplens::app
