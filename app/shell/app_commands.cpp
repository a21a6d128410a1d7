// The commands of the application, menu by menu.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "app/languages/languages.h"
#include "app/lesson/handout.h"
#include "app/session/navigation.h"
#include "app/shell/app.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

constexpr float kScaleStep = 1.1f;

/// What the editor of sources does by itself.
std::vector<Command> editor_keys() {
  const auto key = [](const char* name, ImGuiKeyChord chord) {
    return Command{.id = name, .name = name, .key = chord};
  };
  return {key(tr("Undo"), ImGuiMod_Ctrl | ImGuiKey_Z), key(tr("Redo"), ImGuiMod_Ctrl | ImGuiKey_Y),
          key(tr("Find"), ImGuiMod_Ctrl | ImGuiKey_F), key(tr("Leave the editor's text"), ImGuiKey_Escape)};
}

}  // namespace

void App::make_commands() {
  make_file_commands();
  make_launch_commands();
  make_navigation_commands();
  make_view_commands();
  make_palette_commands();
}

void App::make_file_commands() {
  const auto idle = [this] { return !background_.busy(); };
  commands_.push_back({.id = "file.open",
                       .menu = &kFileMenu,
                       .name = tr("Open ..."),
                       .key = ImGuiMod_Ctrl | ImGuiKey_O,
                       .run = [this] { ask_what_to_open(); },
                       .enabled = idle});
  commands_.push_back({.id = "file.save",
                       .menu = &kFileMenu,
                       .name = tr("Save ..."),
                       .key = ImGuiMod_Ctrl | ImGuiKey_S,
                       .run = [this] { editing_.on ? save_source() : ask_where_to_save(); },
                       .enabled = [this] { return editing_.on || settled(); }});
  make_editing_commands();
  make_export_commands();
  commands_.push_back({.id = "file.quit",
                       .menu = &kFileMenu,
                       .name = tr("Quit"),
                       .key = ImGuiMod_Ctrl | ImGuiKey_Q,
                       .run = [this] { quit(); },
                       .line_before = true,
                       .at_end = true,
                       .in_lessons = true});
}

std::filesystem::path App::recordings_folder() const {
  return settings_.recent.empty() ? std::filesystem::path() : settings_.recent.front().parent_path();
}

void App::ask_what_to_open() {
  file_dialog_.start({.title = tr("Open a recording, a file of kernels or a lesson"),
                      .folder = recordings_folder(),
                      .extension = ".wlr *.cu *.ptx *.toml",
                      .files = tr("Recordings, kernels and lessons"),
                      .recent = settings_.recent,
                      .chosen = [this](const auto& path) { open(path); }});
}

void App::ask_where_to_save() {
  const std::filesystem::path& path = loaded()->path;
  file_dialog_.start({.kind = FileDialog::Kind::save,
                      .title = tr("Save the recording"),
                      .folder = path.empty() ? recordings_folder() : path.parent_path(),
                      .name = path.empty() ? loaded()->recording->kernel + ".wlr" : path.filename().string(),
                      .recent = folders_of(settings_.recent),
                      .chosen = [this](const auto& chosen) { save(chosen); }});
}

void App::make_navigation_commands() {
  const auto any_loaded = [this] { return loaded() != nullptr; };
  const auto add = [&](const char* id, const char* name, ImGuiKeyChord key, ImGuiKeyChord other, auto how,
                       std::int64_t by, bool line = false) {
    commands_.push_back({.id = id,
                         .menu = &kGoMenu,
                         .name = name,
                         .key = key,
                         .other_key = other,
                         .run = [this, how, by] { move(how, by); },
                         .enabled = any_loaded,
                         .repeats = true,
                         .line_before = line});
  };
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  add("go.next_step", tr("Next step"), ImGuiKey_RightArrow, 0, moved_by_steps, 1);
  add("go.previous_step", tr("Previous step"), ImGuiKey_LeftArrow, 0, moved_by_steps, -1);
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
    commands_.push_back({.id = id,
                         .menu = &kGoMenu,
                         .name = name,
                         .key = key,
                         .run = [this, rows] { selection() = moved_by_costs(*loaded(), selection(), rows); },
                         .enabled = [this] { return loaded() != nullptr && !loaded()->costs.empty(); },
                         .line_before = line});
  };
  add_cost("go.costliest", tr("Costliest access, then the next in line"), ImGuiKey_X, 1, true);
  add_cost("go.costlier", tr("Costlier access"), ImGuiMod_Shift | ImGuiKey_X, -1, false);
  const auto add_finding = [&](const char* id, const char* name, ImGuiKeyChord key, auto which, bool line) {
    const auto chosen = [this, which] {
      return loaded() ? which(*loaded()->recording, selection()) : std::nullopt;
    };
    commands_.push_back({.id = id,
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
  commands_.push_back({.id = "go.copy_place",
                       .menu = &kGoMenu,
                       .name = tr("Copy this place"),
                       .key = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C,
                       .run = [this] { copy_place(); },
                       .enabled = any_loaded,
                       .line_before = true});
  commands_.push_back({.id = "go.paste_place",
                       .menu = &kGoMenu,
                       .name = tr("Go to the place copied"),
                       .key = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_V,
                       .run = [this] { paste_place(); },
                       .enabled = any_loaded});
  commands_.push_back({.id = "go.back",
                       .menu = &kGoMenu,
                       .name = tr("Back"),
                       .key = ImGuiMod_Alt | ImGuiKey_LeftArrow,
                       .run = [this] { go(&Shelf::go_back); },
                       .enabled = [this] { return !busy() && shelf_.can_go_back(); },
                       .line_before = true});
  commands_.push_back({.id = "go.forward",
                       .menu = &kGoMenu,
                       .name = tr("Forward"),
                       .key = ImGuiMod_Alt | ImGuiKey_RightArrow,
                       .run = [this] { go(&Shelf::go_forward); },
                       .enabled = [this] { return !busy() && shelf_.can_go_forward(); }});
  commands_.push_back({.id = "go.play",
                       .menu = &kGoMenu,
                       .name = tr("Play"),
                       .key = ImGuiKey_Space,
                       .run = [this] { player_.toggle(meter_.now()); },
                       .enabled = any_loaded,
                       .ticked = [this] { return player_.playing; },
                       .line_before = true});
  commands_.push_back({.id = "go.forget",
                       .menu = &kGoMenu,
                       .name = tr("Clear the selected lane, element and word"),
                       .key = ImGuiKey_Escape,
                       .run = [this] { leave_one_thing(); }});
}

/// What is open over the pictures comes first, then what is lit in them, then the presentation.
void App::leave_one_thing() {
  Selection& place = selection();
  if (keys_shown_) {
    keys_shown_ = false;
    ImGui::SetWindowFocus(nullptr);
  } else if (place.lane || place.element || place.shared_word) {
    place.lane.reset();
    place.element.reset();
    place.shared_word.reset();
  } else {
    presenting_ = false;
  }
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
                       .line_before = true});
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
                       .line_before = true});
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

/// Compare over the whole window; and back.
void App::compare() {
  const auto compared = static_cast<std::size_t>(
      std::ranges::find_if(panels_.all(), [](const Panel& panel) { return panel.view->id == "compare"; }) -
      panels_.all().begin());
  presenting_ = !(presenting_ && panels_.presented() == compared);
  if (presenting_) panels_.present(compared);
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

std::vector<Command> App::commands_with_keys() const {
  std::vector<Command> all = lesson_ ? lesson_->commands() : std::vector<Command>();
  const bool typing = editing_.focused && !has_audience();
  if (typing) all = editor_keys();
  for (const Command& command : commands_) {
    const bool works =
        lesson_ ? command.in_lessons
                : (!command.key_works || command.key_works()) && (!typing || passes_text_fields(command.key));
    if (works) all.push_back(command);
  }
  std::erase_if(all, [](const Command& command) { return command.key == 0; });
  // Those of what one is doing come first.
  std::stable_partition(all.begin(), all.end(), [](const Command& command) {
    return command.key_works != nullptr || command.menu == nullptr;
  });
  return all;
}

std::vector<Command> App::palette_commands() {
  if (lesson_) {
    std::vector<Command> of_lesson = lesson_->commands();
    std::ranges::copy_if(commands_, std::back_inserter(of_lesson), &Command::in_lessons);
    return of_lesson;
  }
  std::vector<Command> all = commands_;
  const auto add = [&](std::string id, std::string name, std::function<void()> run) {
    all.push_back({.id = std::move(id), .name = std::move(name), .run = std::move(run)});
  };
  for (const std::filesystem::path& path : settings_.recent) {
    add("open." + path.string(), tr("Open {file}", "file"_a = escaped(path.string())),
        [this, path] { open(path); });
  }
  for (const BlocksMenu blocks : kBlocksMenu) {
    if (blocks == BlocksMenu::chosen) continue;
    const char* const name = name_of(blocks);
    add(fmt::format("blocks.{}", static_cast<int>(blocks)), tr("Blocks: {choice}", "choice"_a = name),
        [this, blocks] { menus_.blocks = blocks; });
  }
  add("engine.cpu", tr("Runs on: {engine}", "engine"_a = tr("CPU replay")),
      [this] { menus_.launch.engine = Engine::cpu; });
  if (model_.gpu.usable()) {
    add("engine.gpu", tr("Runs on: {engine}", "engine"_a = model_.gpu.name()),
        [this] { menus_.launch.engine = Engine::gpu; });
  }
  for (const KernelDescriptor& one : catalog().kernels()) {
    for (const ParameterInfo& parameter : one.parameters) {
      for (const std::int64_t value : parameter.values) {
        add(fmt::format("record.{}.{}.{}", one.id, parameter.name, value),
            tr("Record {kernel} with {parameter} = {value}", "kernel"_a = one.id,
               "parameter"_a = parameter.name, "value"_a = value),
            [this, &one, name = parameter.name, value] {
              choose_kernel(menus_, one);
              menus_.launch.set(name, value);
            });
      }
    }
  }
  const auto kernel = gpu::find_launchable(menus_.kernel());
  if (!kernel) return all;
  constexpr std::int64_t kSizes[] = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  for (const std::int64_t size : kSizes)
    add(fmt::format("size.{}", size), tr("Size {n}", "n"_a = size), [this, size] { set_size(size); });
  for (const ParameterInfo& parameter : (*kernel)->parameters) {
    for (const std::int64_t value : parameter.values) {
      add(fmt::format("parameter.{}.{}", parameter.name, value),
          fmt::format("{} = {}", parameter.name, value),
          [this, name = parameter.name, value] { menus_.launch.set(name, value); });
    }
  }
  for (const std::string& type : (*kernel)->value_types) {
    add("values." + type, tr("Values: {type}", "type"_a = type),
        [this, type] { menus_.launch.value_type = type; });
  }
  return all;
}

/// Those that ship, in the menu Help.
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
                         .run = [this, name] { ask_where_to_put_handout(name); }});
  }
  commands_.push_back({.id = "handout.last",
                       .menu = &kHandoutMenu,
                       .name = tr("Handout of the lesson given last ..."),
                       .run = [this] { ask_where_to_put_handout(lesson_given_); },
                       .enabled = [this] { return !lesson_given_.empty(); },
                       .line_before = true});
}

void App::ask_where_to_put_handout(const std::string& lesson) {
  const std::filesystem::path file(lesson);
  file_dialog_.start({.kind = FileDialog::Kind::save,
                      .title = tr("Save the handout: .html for a browser, .pdf for A4 pages"),
                      .folder = export_folder_.empty() ? recordings_folder() : export_folder_,
                      .name = file.stem().string() + ".html",
                      .extension = ".html *.pdf",
                      .files = tr("Handouts"),
                      .recent = folders_of(settings_.recent),
                      .chosen = [this, lesson](const auto& path) { write_handout(lesson, path); }});
}

void App::write_handout(const std::string& lesson, const std::filesystem::path& path) {
  export_folder_ = path.parent_path();
  const std::string what = tr("Writing the handout {file}", "file"_a = path.filename().string());
  start_work(what, [this, what, lesson, path](replay::Progress&) -> Background::Outcome {
    const Result<Done> done = make_handout_file(lesson, path);
    return [this, what, path, done] {
      if (!done) return messages_.add(what, done.error());
      notice_.show(tr("The handout is saved in {file}", "file"_a = path.string()), meter_.now());
    };
  });
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
                       .in_lessons = true});
  commands_.push_back({.id = "help.any_action",
                       .menu = &kHelpMenu,
                       .name = tr("All commands"),
                       .key = ImGuiMod_Ctrl | ImGuiKey_P,
                       .run = [this] { palette_.open(); },
                       .over_menus = true,
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
                       .run = [this] { about_shown_ = true; },
                       .line_before = true,
                       .at_end = true,
                       .also = "about, version, documentation, docs",
                       .in_lessons = true});
  make_lesson_commands();
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    commands_.push_back({.id = "record." + kernel.id,
                         .name = tr("Record {kernel}", "kernel"_a = kernel.id),
                         .run =
                             [this, id = kernel.id] {
                               choose_kernel(menus_, *catalog().find(id));
                               record();
                             },
                         .enabled = [this] { return !busy(); }});
  }
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    commands_.push_back({.id = "rules." + model.cc.name(),
                         .name = tr("Memory rules {capability} {architecture}",
                                    "capability"_a = model.cc.name(), "architecture"_a = model.architecture),
                         .run = [this, cc = model.cc] { menus_.launch.cc = cc; }});
  }
}

}  // namespace warplens::app
