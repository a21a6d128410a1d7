#include "app/shell/controllers/navigation_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/place.h"
#include "app/shell/controllers/recording_controller.h"

namespace warplens::app {

NavigationController::NavigationController(const ShellContext& shell, RecordingController& recordings)
    : shell_(shell), recordings_(recordings) {}

void NavigationController::follow_block_wanted() {
  const auto wanted = std::exchange(block_wanted_, std::nullopt);
  if (!wanted || !recordings_.row_is_shown()) return;
  const Dim3 block = wanted->block;
  LaunchMenus& menus = shell_.menus;
  // What is found is found by all blocks together.
  if (recordings_.walks_anywhere() || recordings_.selection().finding) {
    menus.blocks = BlocksMenu::all_draw_one;
    menus.drawn = block;
  } else {
    menus.blocks = BlocksMenu::chosen;
    menus.chosen_blocks = fmt::format("{},{}", block.x, block.y);
    if (block.z > 0) menus.chosen_blocks += fmt::format(",{}", block.z);
  }
  recordings_.arrive_at(*wanted);
}

void NavigationController::go_to_warp(std::uint32_t warp) {
  Selection& selection = recordings_.selection();
  selection = moved_by_warps(*recordings_.loaded()->recording, selection,
                             std::int64_t{warp} - std::int64_t{selection.warp});
}

void NavigationController::go_to_block(Dim3 block) {
  const std::vector<Dim3>& drawn = recordings_.loaded()->recording->event_blocks;
  const auto found = std::ranges::find(drawn, block);
  if (found == drawn.end()) {
    block_wanted_ = BlockWanted{.block = block, .at = {}};
  } else {
    recordings_.selection() =
        moved_by_blocks(*recordings_.loaded()->recording, recordings_.selection(),
                        (found - drawn.begin()) - std::int64_t{recordings_.selection().event_block});
  }
}

void NavigationController::move(Selection (*how)(const Recording&, const Selection&, std::int64_t),
                                std::int64_t by) {
  if (!recordings_.loaded()) return;
  if (how == &moved_by_blocks && recordings_.walks_anywhere()) {
    const Recording& recording = *recordings_.loaded()->recording;
    const std::int64_t last = static_cast<std::int64_t>(recording.grid.count()) - 1;
    const auto now = static_cast<std::int64_t>(linear_index(recording.grid, recording.event_blocks.front()));
    const std::int64_t next = std::clamp<std::int64_t>(now + by, 0, last);
    if (next != now)
      block_wanted_ =
          BlockWanted{.block = index_from_linear(recording.grid, static_cast<std::uint64_t>(next)), .at = {}};
    return;
  }
  recordings_.selection() = how(*recordings_.loaded()->recording, recordings_.selection(), by);
}

void NavigationController::choose(ChosenFinding finding) {
  const Recording& recording = *recordings_.loaded()->recording;
  const Dim3 block = block_of(recording.findings[finding.index], finding);
  if (std::ranges::find(recording.event_blocks, block) == recording.event_blocks.end())
    block_wanted_ = BlockWanted{.block = block, .at = {}};
  recordings_.selection() = at_finding(recording, recordings_.selection(), finding);
}

/// The picture of its access comes to the front.
void NavigationController::follow_finding(const Selection& before) {
  if (!recordings_.loaded() || !recordings_.selection().finding ||
      recordings_.selection().finding == before.finding)
    return;
  const auto& access =
      recordings_.loaded()->recording->findings[recordings_.selection().finding->index].access;
  if (!access) return;
  const std::string_view id = access->space == Space::shared ? "banks" : "coalescing";
  const auto panel =
      std::ranges::find(shell_.panels.all(), id, [](const Panel& one) { return one.view->id; });
  if (!panel->visible) shell_.panels.show(id);
}

void NavigationController::copy_place() {
  const std::string option =
      "--select " + option_of(place_of(*recordings_.loaded()->recording, recordings_.selection()));
  ImGui::SetClipboardText(option.c_str());
  shell_.notice.show(tr("Copied: {text}", "text"_a = option), shell_.now());
}

void NavigationController::paste_place() {
  const char* const text = ImGui::GetClipboardText();
  const Result<Place> place = parse_place(text != nullptr ? text : "");
  const Result<Selection> there =
      place.ok() ? selection_at(*recordings_.loaded()->recording, *place) : place.error();
  if (!there.ok()) return shell_.messages.add(tr("Going to the place copied"), there.error());
  recordings_.selection() = clamped(*recordings_.loaded()->recording, *there);
}

void NavigationController::add_commands(std::vector<Command>& commands, const std::function<void()>& forget) {
  const auto any_loaded = [this] { return recordings_.loaded() != nullptr; };
  const auto add = [&](const char* id, const char* name, ImGuiKeyChord key, ImGuiKeyChord other, auto how,
                       std::int64_t by, bool line = false, const char* also = "") {
    commands.push_back({.id = id,
                        .menu = &kGoMenu,
                        .name = name,
                        .key = key,
                        .other_key = other,
                        .run = [this, how, by] { move(how, by); },
                        .enabled = any_loaded,
                        .repeats = true,
                        .line_before = line,
                        .also = also});
  };
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  add("go.next_step", tr("Next step"), ImGuiKey_RightArrow, 0, moved_by_steps, 1, false, "next access");
  add("go.previous_step", tr("Previous step"), ImGuiKey_LeftArrow, 0, moved_by_steps, -1, false,
      "previous access");
  add("go.first_step", tr("First step"), ImGuiKey_Home, 0, moved_by_steps, -kFar);
  add("go.last_step", tr("Last step"), ImGuiKey_End, 0, moved_by_steps, kFar);
  add("go.next_phase", tr("Next phase"), ImGuiKey_PageDown, ImGuiMod_Shift | ImGuiKey_RightArrow,
      moved_by_phases, 1, true);
  add("go.previous_phase", tr("Previous phase"), ImGuiKey_PageUp, ImGuiMod_Shift | ImGuiKey_LeftArrow,
      moved_by_phases, -1);
  add("go.next_warp", tr("Next warp"), ImGuiKey_DownArrow, 0, moved_by_warps, 1, true);
  add("go.previous_warp", tr("Previous warp"), ImGuiKey_UpArrow, 0, moved_by_warps, -1);
  add("go.next_block", tr("Next block"), ImGuiKey_RightBracket, 0, moved_by_blocks, 1);
  add("go.previous_block", tr("Previous block"), ImGuiKey_LeftBracket, 0, moved_by_blocks, -1);
  const auto add_cost = [&](const char* id, const char* name, ImGuiKeyChord key, int rows, bool line) {
    commands.push_back(
        {.id = id,
         .menu = &kGoMenu,
         .name = name,
         .key = key,
         .run =
             [this, rows] {
               recordings_.selection() = moved_by_costs(*recordings_.loaded(), recordings_.selection(), rows);
             },
         .enabled =
             [this] { return recordings_.loaded() != nullptr && !recordings_.loaded()->costs.empty(); },
         .line_before = line});
  };
  add_cost("go.costliest", tr("Costliest access, then the next in line"), ImGuiKey_X, 1, true);
  add_cost("go.costlier", tr("Costlier access"), ImGuiMod_Shift | ImGuiKey_X, -1, false);
  const auto add_finding = [&](const char* id, const char* name, ImGuiKeyChord key, auto which, bool line) {
    const auto chosen = [this, which] {
      return recordings_.loaded() ? which(*recordings_.loaded()->recording, recordings_.selection())
                                  : std::nullopt;
    };
    commands.push_back({.id = id,
                        .menu = &kGoMenu,
                        .name = name,
                        .key = key,
                        .run = [this, chosen] { choose(*chosen()); },
                        .enabled = [chosen] { return chosen().has_value(); },
                        .line_before = line,
                        .also = "next race, previous race, out of bounds, misaligned, error"});
  };
  const auto step = [](int by) {
    return
        [by](const Recording& recording, const Selection& from) { return next_finding(recording, from, by); };
  };
  add_finding("go.next_finding", tr("Next finding"), ImGuiKey_F, step(1), true);
  add_finding("go.previous_finding", tr("Previous finding"), ImGuiMod_Shift | ImGuiKey_F, step(-1), false);
  add_finding("go.other_access", tr("Other access of the race"), ImGuiKey_O, other_access, false);
  commands.push_back({.id = "go.copy_place",
                      .menu = &kGoMenu,
                      .name = tr("Copy this place"),
                      .key = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C,
                      .run = [this] { copy_place(); },
                      .enabled = any_loaded,
                      .line_before = true});
  commands.push_back({.id = "go.paste_place",
                      .menu = &kGoMenu,
                      .name = tr("Go to the place copied"),
                      .key = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_V,
                      .run = [this] { paste_place(); },
                      .enabled = any_loaded});
  commands.push_back(
      {.id = "go.back",
       .menu = &kGoMenu,
       .name = tr("Back"),
       .key = ImGuiMod_Alt | ImGuiKey_LeftArrow,
       .run = [this] { recordings_.go(&Recordings::go_back); },
       .enabled = [this] { return !recordings_.busy() && recordings_.recordings().can_go_back(); },
       .line_before = true});
  commands.push_back(
      {.id = "go.forward",
       .menu = &kGoMenu,
       .name = tr("Forward"),
       .key = ImGuiMod_Alt | ImGuiKey_RightArrow,
       .run = [this] { recordings_.go(&Recordings::go_forward); },
       .enabled = [this] { return !recordings_.busy() && recordings_.recordings().can_go_forward(); }});
  commands.push_back({.id = "go.play",
                      .menu = &kGoMenu,
                      .name = tr("Play"),
                      .key = ImGuiKey_Space,
                      .run = [this] { shell_.player.toggle(shell_.now()); },
                      .enabled = any_loaded,
                      .ticked = [this] { return shell_.player.playing; },
                      .line_before = true,
                      .also = "pause, stop, animate, speed"});
  commands.push_back({.id = "go.forget",
                      .menu = &kGoMenu,
                      .name = tr("Clear the selected lane, element and word"),
                      .key = ImGuiKey_Escape,
                      .run = forget});
}

}  // namespace warplens::app
