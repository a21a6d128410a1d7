// The commands of the application, menu by menu.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/languages/languages.h"
#include "app/lesson/handout.h"
#include "app/shell/app.h"

namespace warplens::app {
namespace {

constexpr float kScaleStep = 1.1f;

}  // namespace

void App::make_commands() {
  make_file_commands();
  make_launch_commands();
  navigation_.add_commands(commands_, [this] { leave_one_thing(); });
  make_view_commands();
  make_palette_commands();
}

void App::make_file_commands() {
  const auto idle = [this] { return !recordings_.work().busy(); };
  commands_.push_back({.id = "file.open",
                       .menu = &kFileMenu,
                       .name = tr("Open ..."),
                       .key = ImGuiMod_Ctrl | ImGuiKey_O,
                       .run = [this] { recordings_.ask_what_to_open(); },
                       .enabled = idle,
                       .also = "load, import, recent"});
  commands_.push_back({.id = "file.open_folder",
                       .menu = &kFileMenu,
                       .name = tr("Open folder ..."),
                       .key = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O,
                       .run = [this] { recordings_.ask_which_folder_to_open(); },
                       .enabled = idle});
  commands_.push_back({.id = "file.kernels",
                       .menu = &kFileMenu,
                       .name = tr("Kernels of the folder ..."),
                       .key = ImGuiMod_Ctrl | ImGuiKey_K,
                       .run = [this] { kernel_list_.show_again(); },
                       .enabled = [this, idle] { return idle() && !kernel_list_.path().empty(); },
                       .also = "search, find kernel"});
  commands_.push_back(
      {.id = "file.save",
       .menu = &kFileMenu,
       .name = tr("Save ..."),
       .key = ImGuiMod_Ctrl | ImGuiKey_S,
       .run = [this] { editing_.source().on ? editing_.save() : recordings_.ask_where_to_save(); },
       .enabled = [this] { return editing_.source().on || settled(); }});
  editing_.add_commands(commands_);
  exports_.add_commands(commands_);
  commands_.push_back({.id = "file.quit",
                       .menu = &kFileMenu,
                       .name = tr("Quit"),
                       .key = ImGuiMod_Ctrl | ImGuiKey_Q,
                       .run = [this] { quit(); },
                       .line_before = true,
                       .at_end = true,
                       .also = "exit, close",
                       .in_lessons = true});
}

void App::make_launch_commands() {
  const auto idle = [this] { return !recordings_.busy(); };
  const auto gpu_idle = [this] { return !gpu_.busy() && model_.gpu.usable(); };
  commands_.push_back({.id = "launch.record",
                       .menu = &kLaunchMenu,
                       .name = tr("Record"),
                       .key = ImGuiKey_F5,
                       .run = [this] { recordings_.record(); },
                       .enabled = idle,
                       .also = "run again, rerun, refresh, reload"});
  commands_.push_back({.id = "launch.verify_whole",
                       .menu = &kLaunchMenu,
                       .name = tr("Verify every block"),
                       .run = [this] { recordings_.record_row(true, true); },
                       .enabled =
                           [this, idle] {
                             return idle() && recordings_.row_is_shown() &&
                                    loaded()->recording->blocks_extrapolated > 0;
                           }});
  commands_.push_back({.id = "launch.run_once",
                       .menu = &kLaunchMenu,
                       .name = tr("Run once"),
                       .key = ImGuiKey_F6,
                       .run = [this] { gpu_.run_once(); },
                       .enabled = gpu_idle,
                       .line_before = true});
  commands_.push_back({.id = "launch.count",
                       .menu = &kLaunchMenu,
                       .name = tr("Read the GPU's counters"),
                       .key = ImGuiMod_Shift | ImGuiKey_F6,
                       .run = [this] { gpu_.count(); },
                       .enabled = [this, gpu_idle] { return gpu_idle() && recordings_.row_is_shown(); }});
  commands_.push_back({.id = "launch.live",
                       .menu = &kLaunchMenu,
                       .name = tr("Live"),
                       .key = ImGuiKey_F7,
                       .run = [this] { gpu_.toggle_live(); },
                       .enabled = [this] { return model_.gpu.usable(); },
                       .ticked = [this] { return model_.gpu.live_on; }});
  const auto add = [&](const char* id, const char* name, std::function<void()> run) {
    commands_.push_back(
        {.id = id, .menu = &kLaunchMenu, .name = name, .run = std::move(run), .enabled = gpu_idle});
  };
  add("launch.measure_ladder", tr("Measure the ladder"), [this] { gpu_.measure_ladder(); });
  add("launch.sweep_size", tr("Sweep over N"), [this] { gpu_.sweep(SweepOver::size); });
  add("launch.sweep_parameter", tr("Sweep over the tile"), [this] { gpu_.sweep(SweepOver::parameter); });
  commands_.push_back({.id = "launch.separate_sizes",
                       .menu = &kLaunchMenu,
                       .name = tr("Separate sizes m, p, n"),
                       .run = [this] { settings_.separate_sizes = !settings_.separate_sizes; },
                       .ticked = [this] { return settings_.separate_sizes; },
                       .line_before = true,
                       .also = "size, square matrices, rows, columns"});
  commands_.push_back({.id = "launch.cancel",
                       .menu = &kLaunchMenu,
                       .name = tr("Cancel"),
                       .run = [this] { recordings_.cancel(); },
                       .enabled = [this] { return recordings_.work().busy() || gpu_.busy(); },
                       .line_before = true,
                       .also = "stop, abort"});
}

void App::make_view_commands() {
  for (std::size_t i = 0; i < panels_.all().size(); ++i) {
    const viz::View& view = *panels_.all()[i].view;
    commands_.push_back(
        {.id = fmt::format("show.{}", view.id),
         .menu = &kViewMenu,
         .name = tr(view.title),
         .run =
             [this, i, &view] {
               Panel& panel = panels_.all()[i];
               if (panel.open && panel.visible) {
                 panel.open = false;
               } else {
                 panels_.show(view.id);
               }
             },
         .ticked = [this, i] { return panels_.all()[i].open; },
         .run_if_searched = [this, i, &view] { presenting_ ? panels_.present(i) : panels_.show(view.id); }});
    for (const WidgetCommand& command : panels_.all()[i].widget->commands()) {
      commands_.push_back(
          {.id = fmt::format("show.{}.{}", view.id, command.id),
           .name = tr("{view}: {action}", "view"_a = tr(view.title), "action"_a = command.name),
           .run = [this, &view, run = command.run] {
             panels_.show(view.id);
             run();
           }});
    }
  }
  commands_.push_back({.id = "view.dark",
                       .menu = &kViewMenu,
                       // Translators: a theme of the window's colours
                       .name = tr("Dark"),
                       .run = [this] { settings_.dark = true; },
                       .ticked = [this] { return settings_.dark; },
                       .line_before = true,
                       .in_lessons = true});
  commands_.push_back({.id = "view.light",
                       .menu = &kViewMenu,
                       // Translators: a theme of the window's colours
                       .name = tr("Light"),
                       .run = [this] { settings_.dark = false; },
                       .ticked = [this] { return !settings_.dark; },
                       .in_lessons = true});
  commands_.push_back({.id = "view.larger",
                       .menu = &kViewMenu,
                       .name = tr("Larger"),
                       .key = ImGuiMod_Ctrl | ImGuiKey_Equal,
                       .other_key = ImGuiMod_Ctrl | ImGuiKey_KeypadAdd,
                       .run = [this] { scale_by(kScaleStep); },
                       .repeats = true,
                       .line_before = true,
                       .also = "font size, larger text, zoom in",
                       .in_lessons = true});
  commands_.push_back({.id = "view.smaller",
                       .menu = &kViewMenu,
                       .name = tr("Smaller"),
                       .key = ImGuiMod_Ctrl | ImGuiKey_Minus,
                       .other_key = ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract,
                       .run = [this] { scale_by(1 / kScaleStep); },
                       .repeats = true,
                       .also = "font size, smaller text, zoom out",
                       .in_lessons = true});
  commands_.push_back({.id = "view.actual_size",
                       .menu = &kViewMenu,
                       .name = tr("Actual size"),
                       .key = ImGuiMod_Ctrl | ImGuiKey_0,
                       .run = [this] { has_audience() ? settings_.presented = 1 : settings_.scale = 0; },
                       .in_lessons = true});
  commands_.push_back({.id = "view.presentation",
                       .menu = &kViewMenu,
                       .name = tr("Presentation"),
                       .key = ImGuiKey_F11,
                       .run =
                           [this] {
                             presenting_ = !presenting_;
                             if (presenting_) panels_.present_latest();
                           },
                       .ticked = [this] { return presenting_; },
                       .line_before = true,
                       .also = "full screen, fullscreen, projector, slides"});
  const auto presenting = [this] { return presenting_; };
  commands_.push_back({.id = "view.present_next",
                       .menu = &kViewMenu,
                       .name = tr("Present the next view"),
                       .key = ImGuiKey_Tab,
                       .run = [this] { panels_.present_next(); },
                       .enabled = presenting,
                       .key_works = presenting});
  commands_.push_back({.id = "view.present_beside",
                       .menu = &kViewMenu,
                       .name = tr("Present another view beside it"),
                       .key = ImGuiMod_Shift | ImGuiKey_Tab,
                       .run = [this] { panels_.present_next_beside(); },
                       .enabled = presenting,
                       .key_works = presenting,
                       .ticked = [this] { return panels_.presented_beside().has_value(); }});
  commands_.push_back({.id = "view.hide_scrubber",
                       .menu = &kViewMenu,
                       .name = tr("Hide the phases"),
                       .key = ImGuiKey_H,
                       .run = [this] { scrubber_hidden_ = !scrubber_hidden_; },
                       .enabled = presenting,
                       .key_works = presenting,
                       .ticked = [this] { return scrubber_hidden_; }});
  make_presentation_commands();
  make_language_commands();
  commands_.push_back({.id = "view.compare",
                       .menu = &kViewMenu,
                       .name = tr("Compare with another launch"),
                       .key = ImGuiKey_F8,
                       .run = [this] { compare(); },
                       .line_before = true});
  commands_.push_back({.id = "view.lay_out",
                       .menu = &kViewMenu,
                       .name = tr("Reset layout"),
                       .run =
                           [this] {
                             for (Panel& panel : panels_.all()) panel.open = true;
                             layout_wanted_ = true;
                           },
                       .enabled = [this] { return !presenting_; },
                       .line_before = true,
                       .also = "default layout, restore panels, windows"});
}

// While one presents, the digits choose among the views in the order of the menu, with Shift one beside.
void App::make_presentation_commands() {
  constexpr std::size_t kDigits = 9;
  for (std::size_t i = 0; i < panels_.all().size(); ++i) {
    const viz::View& view = *panels_.all()[i].view;
    const ImGuiKeyChord digit =
        i < kDigits ? static_cast<ImGuiKeyChord>(ImGuiKey_1 + static_cast<int>(i)) : 0;
    commands_.push_back({.id = fmt::format("present.{}", view.id),
                         .menu = &kPresentMenu,
                         .name = tr(view.title),
                         .key = digit,
                         .run =
                             [this, i] {
                               presenting_ = true;
                               panels_.present(i);
                             },
                         .key_works = [this] { return presenting_; }});
    commands_.push_back({.id = fmt::format("present.{}.beside", view.id),
                         .name = tr("Present: {view} beside", "view"_a = tr(view.title)),
                         .key = digit == 0 ? 0 : digit | ImGuiMod_Shift,
                         .run =
                             [this, i] {
                               presenting_ = true;
                               panels_.present_beside(i);
                             },
                         .key_works = [this] { return presenting_; }});
  }
}

void App::make_language_commands() {
  for (const SpokenLanguage& language : spoken_languages()) {
    commands_.push_back({.id = fmt::format("language.{}", language.tag),
                         .menu = &kLanguageMenu,
                         .name = std::string(language.name),
                         .run = [this, &language] { settings_.language = language.tag; },
                         .ticked = [&language] { return &language_spoken() == &language; },
                         .in_lessons = true});
  }
}

void App::make_palette_commands() {
  commands_.push_back({.id = "help.keys",
                       .menu = &kHelpMenu,
                       .name = tr("Keys"),
                       .key = ImGuiKey_F1,
                       .run =
                           [this] {
                             keys_shown_ = !keys_shown_;
                             if (!keys_shown_) ImGui::SetWindowFocus(nullptr);
                           },
                       .also = "keyboard, shortcuts, hotkeys, key bindings",
                       .in_lessons = true});
  commands_.push_back({.id = "help.any_action",
                       .menu = &kHelpMenu,
                       .name = tr("All commands"),
                       .key = ImGuiMod_Ctrl | ImGuiKey_P,
                       .run = [this] { palette_.open(); },
                       .over_menus = true,
                       .also = "search, palette",
                       .in_lessons = true});
  commands_.push_back({.id = "help.messages",
                       .menu = &kHelpMenu,
                       .name = tr("Messages"),
                       .run = [this] { messages_.show_all(); },
                       .enabled = [this] { return !messages_.all().empty(); }});
  commands_.push_back({.id = "help.tour",
                       .menu = &kHelpMenu,
                       .name = tr("A tour of the window"),
                       .run = [this] { start_tour(); },
                       .enabled = [this] { return !presenting_ && loaded() != nullptr; }});
  commands_.push_back({.id = "help.about",
                       .menu = &kHelpMenu,
                       .name = tr("About Warplens"),
                       .run = [this] { about_.show(); },
                       .line_before = true,
                       .at_end = true,
                       .also = "about, version, documentation, docs, manual, help, license",
                       .in_lessons = true});
  make_lesson_commands();
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    commands_.push_back({.id = "record." + kernel.id,
                         .name = tr("Record {kernel}", "kernel"_a = kernel.id),
                         .run =
                             [this, id = kernel.id] {
                               choose_kernel(menus_, *catalog().find(id));
                               recordings_.record();
                             },
                         .enabled = [this] { return !recordings_.busy(); }});
  }
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    commands_.push_back({.id = "rules." + model.cc.name(),
                         .name = tr("Memory rules {capability} {architecture}",
                                    "capability"_a = model.cc.name(), "architecture"_a = model.architecture),
                         .run = [this, cc = model.cc] { menus_.launch.cc = cc; }});
  }
}

/// Makes the commands of the shipped lessons, in the menu Help.
void App::make_lesson_commands() {
  bool first = true;
  for (const std::string& name : shipped_lessons()) {
    const Result<OpenedLesson> opened = open_lesson(name);
    if (!opened.ok()) continue;  // A test opens them all
    commands_.push_back({.id = "lesson." + name,
                         .menu = &kHelpMenu,
                         .name = tr("Lesson: {title}", "title"_a = opened->lesson.title),
                         .run = [this, name] { give_lesson(name); },
                         .line_before = std::exchange(first, false),
                         .in_lessons = true});
    commands_.push_back({.id = "handout." + name,
                         .menu = &kHandoutMenu,
                         .name = tr("Handout of {lesson} ...", "lesson"_a = opened->lesson.title),
                         .run = [this, name] { exports_.ask_where_to_put_handout(name); }});
  }
  commands_.push_back({.id = "handout.last",
                       .menu = &kHandoutMenu,
                       .name = tr("Handout of the lesson given last ..."),
                       .run = [this] { exports_.ask_where_to_put_handout(lesson_given_); },
                       .enabled = [this] { return !lesson_given_.empty(); },
                       .line_before = true});
}

/// What is open over the pictures comes first, then what is lit in them, then the presentation.
void App::leave_one_thing() {
  Selection& place = selection();
  if (keys_shown_) {
    keys_shown_ = false;
    ImGui::SetWindowFocus(nullptr);
  } else if (place.lane || place.element || place.shared_word || place.matrix_element) {
    place.lane.reset();
    place.matrix_element.reset();
    place.element.reset();
    place.shared_word.reset();
  } else {
    presenting_ = false;
  }
}

/// Compare over the whole window; and back.
void App::compare() {
  const auto compared = static_cast<std::size_t>(
      std::ranges::find_if(panels_.all(), [](const Panel& panel) { return panel.view->of_two; }) -
      panels_.all().begin());
  presenting_ = !(presenting_ && panels_.presented() == compared);
  if (presenting_) panels_.present(compared);
}

void App::scale_by(float factor) {
  const auto scaled = [factor](float scale) { return std::round(scale * factor * 20) / 20; };
  if (has_audience()) {
    settings_.presented = std::clamp(scaled(settings_.presented), kSmallestScale, kLargestPresentedScale);
    return;
  }
  const float scale = settings_.scale != 0 ? settings_.scale : monitor_scale_;
  settings_.scale = std::clamp(scaled(scale), kSmallestScale, kLargestScale);
}

}  // namespace warplens::app
