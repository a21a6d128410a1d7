#include "app/views/scrubber.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/session/navigation.h"
#include "app/session/place.h"
#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/phase_strip.h"

namespace warplens::app {
namespace {

constexpr float kLowScrubber = 60;  ///< Less has room for the strip and one line of words
constexpr std::array kSpeeds{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};

picture::Picture make_strip(const Frame& frame, picture::Size size, const picture::Style& style) {
  return picture::make_phase_strip(frame.moment(), frame.loaded().facts->phase_kinds, size, style);
}

/// Play or pause, drawn as a shape: the fonts have no such signs.
bool play_button(const Look& look, bool playing, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Button("##play", size);
  explain(look, playing ? tr("Pause (Space)") : tr("Play (Space)"));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = packed(look.palette->text);
  const ImVec2 centre{at.x + size.x / 2, at.y + size.y / 2};
  const float r = look.px(6);
  if (playing) {
    list.AddRectFilled({centre.x - r, centre.y - r}, {centre.x - r * 0.25f, centre.y + r}, colour);
    list.AddRectFilled({centre.x + r * 0.25f, centre.y - r}, {centre.x + r, centre.y + r}, colour);
  } else {
    list.AddTriangleFilled({centre.x - r * 0.7f, centre.y - r}, {centre.x + r, centre.y},
                           {centre.x - r * 0.7f, centre.y + r}, colour);
  }
  return pressed;
}

std::string speed_in_words(double steps_per_second) {
  return tr("{steps:.0f} steps/s", "steps"_a = steps_per_second);
}

std::string place_in_words(const Frame& frame) {
  const Recording& recording = frame.recording();
  if (recording.event_blocks.empty() || recording.phases.empty()) return tr("nothing to step through");
  const picture::Moment moment = frame.moment();
  const std::size_t steps = moment.steps().size();
  return tr("{block} · warp {warp} of {warps} · {phase} · {step}", "block"_a = moment.block_name(),
            "warp"_a = frame.selection.warp, "warps"_a = recording.warps_per_block(),
            "phase"_a = analysis::phase_in_words(frame.loaded().facts->phase_kinds, frame.selection.phase),
            "step"_a = steps == 0 ? tr("no access here")
                                  : tr("step {step} of {steps}", "step"_a = frame.selection.step + 1,
                                       "steps"_a = steps));
}

}  // namespace

void Player::toggle(double now) {
  playing = !playing;
  next_step = now + 1 / steps_per_second;
}

void Player::advance(double now, const Recording& recording, Selection& selection) {
  if (!playing || now < next_step) return;
  const auto due = static_cast<std::int64_t>((now - next_step) * steps_per_second) + 1;
  const Selection next = moved_by_steps(recording, selection, due);
  next_step += static_cast<double>(due) / steps_per_second;
  if (next == selection) playing = false;
  selection = next;
}

Scrubber::Scrubber() : strip_(make_strip) {}

void Scrubber::draw(const Frame& frame, Player& player, double now, float height) {
  const Look& look = frame.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool low = height < look.px(kLowScrubber);
  const float width = ImGui::GetContentRegionAvail().x, header = look.px(low ? 18 : 30), right = at.x + width;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {right, at.y + height}, packed(look.palette->panel), look.px(6));
  if (!low)
    list.AddRectFilled(at, {right, at.y + header}, packed(look.palette->header), look.px(6),
                       ImDrawFlags_RoundCornersTop);
  if (!low) list.AddRect(at, {right, at.y + height}, packed(look.palette->line), look.px(6));

  ImGui::SetCursorScreenPos({at.x + look.px(12), std::floor(at.y + (header - look.px(kBaseTextSize)) / 2)});
  write(look, tr("Phases"), {.colour = look.palette->text, .font = picture::Font::sans_bold});
  if (!frame.shown) return;
  if (low) {
    draw_place(frame, right - look.px(12));
    ImGui::SetCursorScreenPos({at.x, at.y + header});
    draw_strip(frame, {width, height - header});
    if (!frame.other_launch.empty()) draw_veil(look, at, {width, height}, {});
    return;
  }
  draw_header(frame, player, right - look.px(12));

  const float button = look.px(28), top = std::floor(at.y + header + (height - header - button) / 2);
  ImGui::SetCursorScreenPos({at.x + look.px(8), top});
  if (play_button(look, player.playing, {button, button})) player.toggle(now);
  const float strip_left = at.x + look.px(8) + button + look.px(8);
  ImGui::SetCursorScreenPos({strip_left, at.y + header + look.px(2)});
  draw_strip(frame, {right - look.px(10) - strip_left, height - header - look.px(4)});
  if (!frame.other_launch.empty()) draw_veil(look, at, {width, height}, {});
}

/// Where one is, and what the keys do.
void Scrubber::draw_place(const Frame& frame, float right) {
  const Look& look = frame.look;
  const TextStyle muted{.colour = look.palette->muted, .size = picture::kTinySize + 0.5f};
  ImGui::SameLine(0, look.px(10));
  const float room = right - ImGui::GetCursorScreenPos().x;
  const std::string place = place_in_words(frame);
  const std::string with_keys = place + " · " + tr("Space plays · Page Up, Page Down: phase · H hides this");
  write(look, width_of(look, with_keys, muted) <= room ? with_keys : shortened(look, place, muted, room),
        muted);
}

void Scrubber::draw_header(const Frame& frame, Player& player, float right) const {
  const Look& look = frame.look;
  const TextStyle muted{.colour = look.palette->muted, .size = 12};
  const std::string speed = speed_in_words(player.steps_per_second);
  const float speed_width = menu_width(look, speed, 104);
  ImGui::SameLine(0, look.px(12));
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const std::string place = place_in_words(frame);
  write(look, shortened(look, place, muted, right - speed_width - look.px(12) - cursor.x), muted);
  const std::string as_option =
      fmt::format("--select {}", option_of(place_of(frame.recording(), frame.selection)));
  std::string meaning =
      tr("{place}\n{option} on the command line (Ctrl+Shift+C copies it)\n"
         "Left and Right step, Page Up and Page Down change the phase, Up and Down the warp, Space plays",
         "place"_a = place, "option"_a = as_option);
  if (!frame.recording().phases_are_barriers) {
    meaning += '\n';
    meaning +=
        tr("A pass is once through the loop as the compiler made it: of a loop that it unrolled, several "
           "iterations of the source's");
  }
  explain(look, meaning);

  ImGui::SameLine();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, look.px(6, 2));
  ImGui::SetCursorScreenPos(
      {right - speed_width, std::floor(cursor.y + (look.px(12) - ImGui::GetFrameHeight()) / 2)});
  ImGui::SetNextItemWidth(speed_width);
  if (ImGui::BeginCombo("##speed", speed.c_str())) {
    for (const double one : kSpeeds) {
      if (list_entry(labelled(speed_in_words(one), fmt::format("{:.0f}", one)).c_str(),
                     one == player.steps_per_second))
        player.steps_per_second = one;
    }
    ImGui::EndCombo();
  }
  ImGui::PopStyleVar();
  explain(look, tr("How fast Space plays"));
}

void Scrubber::draw_strip(const Frame& frame, picture::Size size) {
  static_cast<void>(strip_.update(frame, size));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  strip_.show(frame, at);
  // The strip's own regions are whole phases; within them the place along the strip says the step.
  if (!ImGui::IsItemActive()) return;
  const picture::Rect box = picture::phase_strip_box(size, frame.look.style());
  const float part = std::clamp((ImGui::GetMousePos().x - at.x - box.x) / box.width, 0.0f, 1.0f);
  const picture::StripPlace place = picture::place_on_strip(frame.moment(), part);
  Selection next = frame.selection;
  next.phase = place.phase;
  next.step = place.step;
  next.line = 0;
  frame.selection = clamped(frame.recording(), next);
}

}  // namespace warplens::app
