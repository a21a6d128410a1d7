#include "app/shell/tour.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoMove |
                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                        ImGuiWindowFlags_NoFocusOnAppearing;

struct Stop {
  const char* view;  ///< Its id; else a part of the window
  ImRect WindowParts::* part;
  const char* title;
  const char* words;
};

constexpr std::array kStops{
    Stop{nullptr, &WindowParts::launch, marked("What is launched"),
         marked("Choose a kernel and a size: it is run at once, and every picture below is drawn from the "
                "exact record of that launch.")},
    Stop{"source", nullptr, marked("The cost of each line"),
         marked("The kernel's source, with the sectors and wavefronts of its accesses. A click on a line "
                "selects its costliest access; all pictures "
                "follow.")},
    Stop{"phases", nullptr, marked("Tile phases"),
         marked("What a block has touched of A, B and C, and what shared memory holds now.")},
    Stop{"coalescing", nullptr, marked("Coalescing"),
         marked("The 32 lanes of a warp, the memory that they access, and the sectors that it takes.")},
    Stop{"banks", nullptr, marked("Banks"),
         marked("The same for shared memory: lanes that access different words of one bank are served in "
                "separate wavefronts.")},
    Stop{"throughput", nullptr, marked("Throughput"),
         marked("How fast it is: on your GPU, on this CPU, and as published.")},
    Stop{nullptr, &WindowParts::scrubber, marked("Through time"),
         marked("Phases from barrier to barrier. Drag, or step with the arrow keys; Space plays. Other views "
                "lie behind the tabs.")},
    Stop{nullptr, &WindowParts::menus, marked("Before a class"),
         marked("Ctrl+P finds any command, F11 presents a view, and Help has lessons, handouts of them, and "
                "this tour.")},
};

std::optional<ImRect> place_of(const Stop& stop, const WindowParts& parts) {
  if (stop.part != nullptr) return parts.*stop.part;
  const std::string name = std::string("###") + stop.view;
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (std::string_view(window->Name).ends_with(name) && window->WasActive && !window->Hidden &&
        window->DockNode != nullptr)
      return window->DockNode->Rect();
  }
  return std::nullopt;  // It lies behind another tab, or is closed
}

/// Over all other windows, which get no clicks.
void draw_shade(const ImRect& lit, const Look& look) {
  const ImVec2 end = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(end);
  if (ImGui::Begin("###tour shade", nullptr, kFlags | ImGuiWindowFlags_NoBackground)) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    ImDrawList& list = *ImGui::GetWindowDrawList();
    constexpr ImU32 kDark = IM_COL32(0, 0, 0, 140);
    list.AddRectFilled({0, 0}, {end.x, lit.Min.y}, kDark);
    list.AddRectFilled({0, lit.Max.y}, end, kDark);
    list.AddRectFilled({0, lit.Min.y}, {lit.Min.x, lit.Max.y}, kDark);
    list.AddRectFilled({lit.Max.x, lit.Min.y}, {end.x, lit.Max.y}, kDark);
    list.AddRect(lit.Min, lit.Max, packed(look.palette->accent), look.px(6), 0, look.px(2));
  }
  ImGui::End();
}

constexpr std::array kOn{ImGuiKey_Enter, ImGuiKey_KeypadEnter, ImGuiKey_Space, ImGuiKey_PageDown,
                         ImGuiKey_RightArrow};
constexpr std::array kBack{ImGuiKey_PageUp, ImGuiKey_LeftArrow};

template <class Keys>
bool pressed(const Keys& keys) {
  return std::ranges::any_of(keys, [](ImGuiKey key) { return ImGui::IsKeyPressed(key); });
}

}  // namespace

bool Tour::takes(ImGuiKeyChord key) {
  const auto is = [key](ImGuiKey one) { return key == static_cast<ImGuiKeyChord>(one); };
  return is(ImGuiKey_Escape) || std::ranges::any_of(kOn, is) || std::ranges::any_of(kBack, is);
}

void Tour::go_on() {
  stop_ = *stop_ + 1 < kStops.size() ? std::optional(*stop_ + 1) : std::nullopt;
}

void Tour::go_back() {
  if (*stop_ > 0) --*stop_;
}

void Tour::draw(const Look& look, const WindowParts& parts, bool keys) {
  if (!going()) return;
  if (keys && ImGui::IsKeyPressed(ImGuiKey_Escape)) return end();
  if (keys && pressed(kOn)) go_on();
  if (going() && keys && pressed(kBack)) go_back();
  if (!going()) return;
  const ImVec2 end = ImGui::GetMainViewport()->Size;
  const ImRect lit =
      place_of(kStops.at(*stop_), parts).value_or(ImRect({end.x / 2, end.y / 2}, {end.x / 2, end.y / 2}));
  draw_shade(lit, look);
  draw_words(look, lit);
}

/// Beside what is lit, where there is more room.
void Tour::draw_words(const Look& look, const ImRect& lit) {
  constexpr float kWidth = 380, kAway = 14;
  const ImVec2 end = ImGui::GetMainViewport()->Size;
  const float width = std::min(look.px(kWidth), end.x * 0.9f), away = look.px(kAway);
  const bool at_right = end.x - lit.Max.x >= width + 2 * away, at_left = lit.Min.x >= width + 2 * away;
  const float x = at_right  ? lit.Max.x + away
                  : at_left ? lit.Min.x - away - width
                            : std::clamp(lit.GetCenter().x - width / 2, away, end.x - width - away);
  const bool beside = at_right || at_left, below = lit.GetCenter().y < end.y / 2;
  const float y = beside ? lit.GetCenter().y : below ? lit.Max.y + away : lit.Min.y - away;
  const float pivot = beside ? std::clamp(y / end.y, 0.1f, 0.9f) : below ? 0.0f : 1.0f;
  ImGui::SetNextWindowPos({x, y}, ImGuiCond_Always, {0, pivot});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, look.px(16, 14));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  if (ImGui::Begin("###tour", nullptr, kFlags)) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    const Stop& stop = kStops.at(*stop_);
    const bool first = *stop_ == 0, last = *stop_ + 1 == kStops.size();
    write(look, tr(stop.title), {.colour = look.palette->text, .size = 17, .font = picture::Font::sans_bold});
    write_wrapped(look, tr(stop.words), {.colour = look.palette->text, .size = 14});
    ImGui::Dummy(look.px(0, 4));
    write(look, tr("{number} of {count}", "number"_a = *stop_ + 1, "count"_a = kStops.size()),
          {.colour = look.palette->muted});
    ImGui::SameLine(0, look.px(16));
    const bool on = ImGui::Button(labelled(last ? tr("Done") : tr("Next"), "next").c_str());
    if (!first) ImGui::SameLine();
    const bool back = !first && ImGui::Button(labelled(tr("Back"), "back").c_str());
    if (!last) ImGui::SameLine();
    const bool end_it = !last && ImGui::Button(labelled(tr("End the tour"), "end").c_str());
    if (on) go_on();
    if (back) go_back();
    if (end_it) stop_.reset();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

}  // namespace warplens::app
