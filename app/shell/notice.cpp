#include "app/shell/notice.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "kernels/base/text.h"

namespace warplens::app {
namespace {

constexpr double kSeconds = 8;
constexpr double kActionAfter = 0.5;  // What opened the file is not the next action
constexpr float kAboveBottom = 12;    // On the bars of the scrubber, whose words stay to be read

bool acted() {
  const ImGuiIO& io = ImGui::GetIO();
  const bool clicked =
      std::any_of(std::begin(io.MouseClicked), std::end(io.MouseClicked), [](bool down) { return down; });
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) return true;
  }
  return clicked || io.MouseWheel != 0;
}

}  // namespace

void Notice::show(const std::string& text, double now) {
  text_ = escaped(text);
  in_short_.clear();
  until_ = now + kSeconds;
  stays_since_.reset();
}

void Notice::show_until_action(const std::string& text, const std::string& in_short, double now) {
  show(text, now);
  in_short_ = escaped(in_short);
  until_ = std::numeric_limits<double>::infinity();
  stays_since_ = now;
}

double Notice::seconds_left(double now) const {
  return std::max(until_ - now, 0.0);
}

void Notice::draw(const Look& look, double now, const Room& room) {
  if (seconds_left(now) == 0) return;
  if (stays_since_ && now > *stays_since_ + kActionAfter && acted()) return void(until_ = now);
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const TextStyle style{.colour = look.palette->text};
  const auto width = [&](const std::string& text) {
    return width_of(look, text, style) + 2 * look.px(16) + look.px(2);
  };
  const float room_in_bar = room.right - room.left;
  const bool brief = width(text_) > room_in_bar && !in_short_.empty() && width(in_short_) <= room_in_bar;
  const std::string& shown = brief ? in_short_ : text_;
  const float whole = width(shown);
  const bool in_bar = whole <= room_in_bar;
  const ImVec2 padding = look.px(16, in_bar ? 3 : 10);
  if (in_bar) {
    ImGui::SetNextWindowPos({(room.left + room.right) / 2, (room.top + room.bottom) / 2}, ImGuiCond_Always,
                            {0.5f, 0.5f});
  } else {
    ImGui::SetNextWindowPos({screen.x / 2, screen.y - look.px(kAboveBottom)}, ImGuiCond_Always, {0.5f, 1});
  }
  ImGui::SetNextWindowSize({std::min(whole, in_bar ? whole : std::min(look.px(760), screen.x * 0.95f)), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, look.px(1));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look.px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(look.palette->header));
  ImGui::PushStyleColor(ImGuiCol_Border, packed(look.palette->good));
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                          ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  if (ImGui::Begin("Notice", nullptr, kFlags)) {
    write_wrapped(look, shown, style);
    if (brief) explain(look, text_);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) until_ = now;
  }
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(4);
}

}  // namespace warplens::app
