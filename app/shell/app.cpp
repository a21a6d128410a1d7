#include "app/shell/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/languages/languages.h"
#include "app/session/counter_check.h"
#include "app/session/navigation.h"
#include "app/session/place.h"
#include "app/views/failure.h"
#include "kernels/base/text.h"
#include "viz/picture/canvas.h"

namespace warplens::app {
namespace {

constexpr double kProgressInterval = 0.1;
constexpr double kLiveInterval = 1.0 / 60;  ///< While launches are live, for the plot to scroll smoothly
constexpr double kKeepInterval = 1, kClockInterval = 1;
constexpr double kUntilNobodyLooks = 60, kUntilPointerRests = 3;
constexpr float kScrubberHeight = 72, kPresentedScrubberHeight = 46;
constexpr float kLeastPresentationScale = 0.5f;  ///< Sizes would be cut off to no pixel at all

/// From the last row of a hall one reads letters of 1/45 of the picture's height: the smallest ones have that
/// on every screen.
float scale_to_present(ImVec2 size) {
  constexpr float kLettersInHeight = 45,
                  kLettersInWidth = 68;  // A window that is higher than wide has less room for words
  return std::max(std::min(size.y / kLettersInHeight, size.x / kLettersInWidth) / picture::kTinySize,
                  kLeastPresentationScale);
}

bool same_hover(const Hover& a, const Hover& b) {
  return a.lane == b.lane && a.line == b.line && a.event == b.event && a.element == b.element &&
         a.shared_word == b.shared_word;
}

worker::ClientOptions options_of_worker(const AppOptions& options, const Settings& settings) {
  worker::ClientOptions worker = options.worker;
  worker.watchdog = std::chrono::milliseconds(std::llround(settings.watchdog_seconds * 1000));
  worker.wake = options.wake;
  return worker;
}

}  // namespace

App::App(AppOptions options, Settings settings)
    : options_(std::move(options)),
      settings_(std::move(settings)),
      kept_settings_(settings_),
      language_followed_(settings_.language),
      shelf_(std::uint64_t{settings_.recordings_mb} << 20),
      kept_edits_(options_.config_folder / "unsaved"),
      panels_(settings_.hidden_views),
      file_dialog_(options_.wake),
      meter_(options_.wake, options_.clock),
      watch_(options_.patience, options_.log),
      gpu_(options_of_worker(options_, settings_), model_.gpu,
           {.failed =
                [this](const std::string& title, const Error& error) {
                  if (!background_.busy()) end_recording(error);
                  messages_.add(title, error);
                },
            .recorded =
                [this](std::string title, std::vector<std::byte> wlr, analysis::ComputeCapability cc) {
                  fetched_ = Fetched{std::move(title), std::move(wlr), cc};
                },
            .counted =
                [this](const LaunchCounters& counters) {
                  if (loaded() && loaded()->recording == asked_gpu_)
                    shelf_.judge_anew(with_hardware(*loaded(), counters));
                }}),
      file_watch_(options_.wake),
      ahead_(options_.wake),
      counting_(options_.wake,
                [this](const std::string& what, const Error& error) { messages_.add(what, error); }),
      listing_(options_.wake,
               [this](const std::string& what, const Error& error) { messages_.add(what, error); }),
      compiling_(options_.wake,
                 [this](const std::string& what, const Error& error) {
                   editing_.compiled_edits = editing_.edits;
                   messages_.add(what, error);
                 }),
      background_(options_.wake, [this](const std::string& what, const Error& error) {
        end_recording(error);
        if (take_opened_part()) go(&Shelf::drop_current);
        fail(what, error);
      }) {
  make_commands();
  meter_.pause(true);  // Until the first picture is there
  start_first_work();
}

App::~App() = default;

void App::prepare_frame(const Graphics& graphics) {
  watch_.begin(loaded() ? fmt::format("{} at scale {:g}", loaded()->recording->kernel, look_.scale)
                        : std::string("nothing yet"));
  try {
    prepare(graphics);
  } catch (...) {
    fail_frame(failure_in_words());
  }
}

void App::fail_frame(const Error& error) {
  const std::string title = tr("Drawing the window");
  const auto& all = messages_.all();
  const bool again = !all.empty() && all.back().title == title &&
                     all.back().error.what == error.what;  // In every frame, perhaps
  if (!again) messages_.add(title, error);
}

void App::prepare(const Graphics& graphics) {
  follow_language();
  background_.poll();
  ahead_.poll();
  gpu_.poll(meter_.now());
  if (!model_.gpu.usable()) menus_.launch.engine = Engine::cpu;
  open_fetched();
  if (next_work_ && !background_.busy()) std::exchange(next_work_, nullptr)();
  open_next();
  judge_again();
  follow_edit();
  follow_row();
  show_opened_so_far();
  show_unverified();
  list_machine_code();
  count_elements();
  record_ahead();
  if (settled()) gpu_.start();  // Not before: the first picture has the whole machine
  follow_live();
  if (std::exchange(runs_noted_, model_.gpu.runs_made) != model_.gpu.runs_made)
    shelf_.note_run(*model_.gpu.last_run);
  launch_ = loaded() ? fmt::format("{} · CC {}", launch_in_words(shelf_.current().menus), loaded()->cc.name())
                     : std::string();
  other_launch_ = row_is_shown() ? std::string() : launch_;
  refusal_ = refused_ && !row_is_shown() && same_launch(menus_, refused_->menus) ? refused_->why.message()
                                                                                 : std::string();
  model_.waiting_for = background_.busy() ? background_.what() : std::string();
  if (loaded()) player_.advance(meter_.now(), *loaded()->recording, selection());

  look_.fonts = graphics.fonts;
  look_.palette = settings_.dark ? &picture::dark_palette() : &picture::light_palette();
  look_.scale = settings_.scale != 0 ? settings_.scale : monitor_scale_;
  look_.min_text = has_audience() ? picture::kTinySize : 0;
  look_.guessed = loaded() && !lesson_ && loaded()->guesses.of_figures();
  look_.pointer_rests = has_audience() && meter_.now() > pointer_moved_ + kUntilPointerRests;
  if (has_audience()) {
    look_.scale = settings_.presented * scale_to_present(ImGui::GetMainViewport()->Size) *
                  (lesson_ ? 1 : panels_.part_of_presented_scale());
  }
  if (!style_applied_ || applied_.palette != look_.palette || applied_.scale != look_.scale) {
    apply(look_);
    applied_ = look_;
    style_applied_ = true;
  }
  if (!has_audience()) follow_density();
  follow_menus();
}

// Most words are looked up anew in every frame; commands keep their names, and the recording what was said of
// it.
void App::follow_language() {
  if (settings_.language == language_followed_) return;
  language_followed_ = settings_.language;
  speak(settings_.language);
  commands_.clear();
  make_commands();
  words_changed_ = true;
  if (lesson_) lesson_->follow_language();
}

// The arrow keys step through the recording; in an open menu they choose.
void App::follow_menus() {
  ImGuiIO& io = ImGui::GetIO();
  const bool menu_open =
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel) &&
      !palette_.is_open();
  if (menu_open == ((io.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0)) return;
  io.ConfigFlags ^= ImGuiConfigFlags_NavEnableKeyboard;
  if (!menu_open) ImGui::SetNavCursorVisible(false);
}

void App::follow_density() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (size.x <= 0 || size.y <= 0) return;
  const Density density = density_of({size.x / look_.scale, size.y / look_.scale});
  if (density_ == density) return;
  if (density_) static_cast<void>(save_layout(options_.config_folder, *density_));
  density_ = density;
  const auto loaded = load_layout(options_.config_folder, density);
  room_shared_ = {};
  layout_wanted_ = !loaded || !*loaded;
  if (!loaded) messages_.add(tr("Laying out the window"), loaded.error());
}

Frame App::frame_for(const Graphics& graphics) {
  return {.model = model_,
          .shown = loaded(),
          .look = look_,
          .heat_painter = graphics.heat_painter,
          .meter = meter_,
          .hovered = hovered_,
          .selection = selection(),
          .wishes = wishes_,
          .editing = editing_,
          .block_wanted = block_wanted_,
          .hover = hover_,
          .wake = options_.wake,
          .watch = watch_,
          .launch = launch_,
          .other_launch = other_launch_,
          .held = shelf_.all(),
          .refused = refusal_};
}

void App::draw_frame(const Graphics& graphics) {
  watch_.drawing("the menus");
  if (const auto failed = guarded([&] { draw_all(graphics); })) fail_frame(*failed);
  watch_.end();
}

void App::draw_all(const Graphics& graphics) {
  const Selection selection_before = selection();
  hover_ = {};
  if (editing_.focused) ImGui::GetIO().WantTextInput = true;  // It is no field that Dear ImGui knows
  if (const Command* const known = tour_.going() ? pressed_command(commands_, &Tour::takes)
                                                 : nullptr) {  // Who knows the key needs no tour
    tour_.end();
    after_tour_ = known->run;
  } else if (after_tour_) {  // Its windows are gone, and take no focus from what this opens
    std::exchange(after_tour_, nullptr)();
  }
  follow_pointer();
  if (!tour_.going()) run_keys(commands_, lesson_ ? &Command::in_lessons : nullptr);
  if (lesson_) {
    draw_lesson(graphics);
  } else if (presenting_) {
    draw_presentation(graphics);
  } else {
    draw_host(graphics);
    panels_.draw(frame_for(graphics));
  }
  draw_dialogs();
  follow_finding(selection_before);
  do_wishes();
  pause_meter();
  frame_wanted_ = !same_hover(hover_, hovered_) || !(selection() == selection_before) || layout_wanted_ ||
                  !same_launch(menus_, seen_menus_) ||
                  other_launch_.empty() == (loaded() && !row_is_shown()) || after_tour_ != nullptr ||
                  std::ranges::any_of(panels_.all(), &Panel::moves);
  hovered_ = hover_;
}

void App::draw_host(const Graphics& graphics) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, look_.px(8, 9));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(look_.palette->background));
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                          ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_MenuBar |
                          ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoSavedSettings;
  ImGui::Begin("Warplens", nullptr, kFlags);
  ImGui::PopStyleVar();  // The menus' own padding stays
  draw_menu_bar();
  ImGui::PopStyleVar();
  draw_launch();

  const float margin = look_.px(8), scrubber = look_.px(kScrubberHeight);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end{viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y};
  const ImVec2 dock_size{std::max(end.x - at.x - 2 * margin, 1.0f),
                         std::max(end.y - at.y - scrubber - 3 * margin, look_.px(60))};
  dock_space_ = ImGui::GetID("DockSpace");
  if (std::exchange(layout_wanted_, false)) {
    build_layout(dock_space_, *density_, dock_size);
    room_shared_ = dock_size;
  }
  share_room(dock_space_, dock_size, room_shared_);
  ImGui::SetCursorScreenPos({at.x + margin, at.y + margin});
  ImGui::PushFont(look_.fonts.sans_bold, kBaseTextSize);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, look_.px(6, 8));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, look_.px(2, 4));  // Between tabs
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize,
                      look_.px(kLeastPanel.x, kLeastPanel.y));  // How far a panel's edge can be dragged
  ImGui::PushStyleColor(ImGuiCol_Border,
                        packed(look_.palette->background));  // The gaps between the panels are drawn in it
  ImGui::DockSpace(dock_space_, dock_size);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  ImGui::PopFont();

  // Where there is no room for all of it, it is cut off below and does not lie on the menus.
  ImGui::SetCursorScreenPos(
      {at.x + margin, std::max(end.y - margin - scrubber, at.y + dock_size.y + 2 * margin)});
  const ImVec2 below = ImGui::GetCursorScreenPos();
  parts_.scrubber = {below, {below.x + dock_size.x, below.y + scrubber}};
  if (ImGui::BeginChild("Scrubber", {dock_size.x, scrubber}, 0,
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    scrubber_.draw(frame_for(graphics), player_, meter_.now(), scrubber);
  }
  ImGui::EndChild();
  ImGui::End();
  ImGui::PopStyleColor();
}

void App::draw_menu_bar() {
  if (!ImGui::BeginMenuBar()) return;
  ImGui::SetCursorPosX(look_.px(16));
  write(look_, "Warplens", {.colour = look_.palette->text, .size = 14, .font = picture::Font::sans_bold});
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + look_.px(10));
  draw_menu(commands_, kFileMenu, [this] {
    if (!ImGui::BeginMenu(labelled(tr("Open recent"), "recent").c_str(), !settings_.recent.empty())) return;
    for (const auto& path : std::vector(settings_.recent)) {
      if (ImGui::MenuItem(escaped(path.string()).c_str())) open(path);
    }
    ImGui::EndMenu();
  });
  draw_menu(commands_, kLaunchMenu);
  draw_menu(commands_, kGoMenu);
  draw_menu(commands_, kViewMenu, [this] {
    draw_menu(commands_, kPresentMenu);
    draw_menu(commands_, kLanguageMenu);
  });
  draw_menu(commands_, kHelpMenu, [this] { draw_menu(commands_, kHandoutMenu); });
  const TextStyle hint{.colour = look_.palette->muted};
  const std::string palette = tr("{key}  all commands", "key"_a = "Ctrl+P");
  const float left = ImGui::GetWindowWidth() - width_of(look_, palette, hint) - look_.px(16);
  const ImVec2 bar = ImGui::GetWindowPos();
  parts_.menus = {bar, {bar.x + ImGui::GetWindowWidth(), bar.y + ImGui::GetFrameHeight()}};
  notice_room_ = {.left = ImGui::GetCursorScreenPos().x,
                  .top = bar.y,
                  .right = bar.x + left - look_.px(8),
                  .bottom = bar.y + ImGui::GetFrameHeight()};
  if (left > ImGui::GetCursorPosX()) {
    ImGui::SetCursorPosX(left);
    write(look_, palette, hint);
    if (ImGui::IsItemClicked()) palette_.open();
  }
  ImGui::EndMenuBar();
}

void App::draw_launch() {
  LaunchStatus status;
  if (background_.busy()) {
    const replay::Progress& progress = background_.progress();
    status = {.busy_with = background_.what(),
              .done = progress.blocks_done,
              .total = progress.blocks_total,
              .instructions = progress.warp_instructions,
              .line = progress.line};
  } else if (gpu_.busy()) {
    status = {.busy_with = model_.gpu.busy_with,
              .done = model_.gpu.done,
              .total = model_.gpu.total,
              .part = model_.gpu.part};
  }
  status.gpu_busy = gpu_.busy();
  status.kernels = editing_.kernels.get();
  if (row_is_shown()) status.loaded = loaded().get();
  if (model_.gpu.runs_made > runs_seen_ && is_of_row(*model_.gpu.last_run))
    status.latest_run = &*model_.gpu.last_run;
  if (refused_ && same_launch(menus_, refused_->menus)) status.refused = &refused_->why;
  status.separate_sizes = settings_.separate_sizes;
  status.unreadable_folder =
      status.refused != nullptr ? status.refused->unreadable_folder : folder_of_include_;
  // Once for each kernel: who types elsewhere keeps the keyboard.
  const FileKernel* const own = menus_.launch.file_kernel();
  const std::string kernel = own == nullptr ? std::string() : own->file.string() + ":" + own->entry;
  status.focus_missing =
      status.refused != nullptr && own != nullptr && !editing_.on && kernel != asked_fields_of_;
  if (status.refused != nullptr) asked_fields_of_ = kernel;

  // The row's surface lies under what is not drawn yet, and is as tall as that turns out to be.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float right = from.x + ImGui::GetWindowWidth();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::SetCursorScreenPos({from.x + look_.px(14), from.y + look_.px(4)});
  ImGui::BeginGroup();
  ImGui::PushItemWidth(0);
  const LaunchActions actions = draw_launch_row(model_, look_, status, menus_, right - look_.px(14));
  ImGui::PopItemWidth();
  ImGui::EndGroup();
  const float bottom = ImGui::GetItemRectMax().y;
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(from, {right, bottom},
                     packed(mixed(look_.palette->panel, look_.palette->header, 0.35f)));
  list.AddLine({from.x, bottom}, {right, bottom}, packed(look_.palette->line));
  list.ChannelsMerge();
  ImGui::SetCursorScreenPos({from.x, bottom});
  parts_.launch = {from, {right, bottom}};
  settings_.separate_sizes = actions.separate_sizes;
  if (actions.allow_reading) allow_reading(status.unreadable_folder);
  if (actions.chosen != nullptr) choose_entry_of_file(*actions.chosen);
  if (actions.record) record();
  if (actions.run_once) run_once();
  if (actions.toggle_live) toggle_live();
  if (actions.cancel) cancel();
}

void App::draw_presentation(const Graphics& graphics) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float margin = look_.px(8), scrubber = scrubber_hidden_ ? 0 : look_.px(kPresentedScrubberHeight);
  ImGui::GetBackgroundDrawList()->AddRectFilled(
      viewport->Pos, {viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y},
      packed(look_.palette->background));
  const Frame frame = frame_for(graphics);
  panels_.draw_presentation(
      frame, {viewport->Pos.x + margin, viewport->Pos.y + margin},
      {viewport->Size.x - 2 * margin, viewport->Size.y - scrubber - (scrubber_hidden_ ? 2 : 3) * margin});
  ImGui::SetNextWindowPos({viewport->Pos.x + margin, viewport->Pos.y + viewport->Size.y - scrubber - margin});
  ImGui::SetNextWindowSize({viewport->Size.x - 2 * margin, std::max(scrubber, 1.0f)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                          ImGuiWindowFlags_NoBackground;  // The scrubber has its own, with round corners
  if (ImGui::Begin("Scrubber##presented", nullptr, kFlags)) {
    if (dock_space_ != 0)
      ImGui::DockSpace(dock_space_, {0, 0},
                       ImGuiDockNodeFlags_KeepAliveOnly);  // The panels find their places again
    ImGui::SetCursorPos({0, 0});
    if (!scrubber_hidden_) scrubber_.draw(frame, player_, meter_.now(), scrubber);
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

void App::draw_lesson(const Graphics& graphics) {
  const bool covered =
      messages_.showing() || palette_.wanted() || keys_shown_ || file_dialog_.active() || asks_about_edits();
  if (!lesson_->draw(frame_for(graphics), meter_.now(), !covered && !ImGui::GetIO().WantTextInput))
    return lesson_.reset();
  if (lesson_->speaker_page(meter_.now()) && monitors_ < 2) {
    lesson_->close_speaker_page();
    notice_.show(tr("Notes have a window of their own on a second monitor only: they tell the answer. "
                    "Shift+N shows them in the lesson."),
                 meter_.now());
  }
  if (dock_space_ != 0)
    ImGui::DockSpace(dock_space_, {0, 0},
                     ImGuiDockNodeFlags_KeepAliveOnly);  // The panels find their places again
}

void App::draw_dialogs() {
  draw_export_menu();
  draw_unsaved_question();
  draw_left_edits();
  if (!has_audience() && !messages_.showing()) tour_.draw(look_, parts_, !ImGui::GetIO().WantTextInput);
  if (palette_.wanted())
    palette_.draw(look_, palette_commands(),
                  [this](const std::string& typed) { return typed_commands(typed); });
  if (keys_shown_) draw_keys(look_, commands_with_keys(), keys_shown_);
  if (!messages_.showing())
    file_dialog_.draw(look_);  // One dialogue at a time: this one waits, with all that was typed
  if (const auto allowed = messages_.draw(look_, meter_.now())) {
    allow_reading(allowed->error.unreadable_folder);
    allowed->retry();
  }
  draw_about();
  notice_.draw(look_, meter_.now(), has_audience() ? Notice::Room{} : notice_room_);
}

/// Who steps by keys does not point: what lies under the pointer by chance is left alone then, too.
void App::follow_pointer() {
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 ||
                     ImGui::IsMouseDown(ImGuiMouseButton_Left);
  bool pressed = false;
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_GamepadStart && !pressed; ++key)
    pressed = ImGui::IsKeyPressed(static_cast<ImGuiKey>(key));
  if (moved) {
    pointer_moved_ = meter_.now();
  } else if (pressed) {
    pointer_moved_ = -kUntilPointerRests - 1;
  }
  if (look_.pointer_rests) ImGui::SetMouseCursor(ImGuiMouseCursor_None);
}

double App::seconds_until_next_frame() const {
  if (frame_wanted_ || messages_.want_frame()) return 0;
  double wait = std::numeric_limits<double>::infinity();
  if (record_due() && !busy()) wait = std::max(0.0, menus_changed_ + kTypingPause - meter_.now());
  if (editing_.due() && !compiling_.busy())
    wait = std::min(wait, std::max(0.0, editing_.changed + kTypingPause - meter_.now()));
  if (lesson_) wait = std::min(wait, lesson_->moves() ? kLiveInterval : kClockInterval);
  if (has_audience() && !look_.pointer_rests)
    wait = std::min(wait, std::max(0.0, pointer_moved_ + kUntilPointerRests - meter_.now()));
  if (player_.playing) wait = std::min(wait, std::max(0.0, player_.next_step - meter_.now()));
  if (background_.busy()) wait = std::min(wait, kProgressInterval);
  if (model_.gpu.live_on) wait = std::min(wait, kLiveInterval);
  if (editing_.unsaved() && editing_.text != kept_text_ && !cannot_keep_)
    wait = std::min(wait, std::max(0.0, kept_edits_at_ + kKeepInterval - meter_.now()));
  if (settings_ != kept_settings_)
    wait = std::min(wait, std::max(0.0, kept_at_ + kKeepInterval - meter_.now()));
  if (const double left = notice_.seconds_left(meter_.now()); left > 0) wait = std::min(wait, left);
  return wait;
}

// Measuring takes time of the processor: it is spared where nobody looks at what is measured, or at anything,
// and where the window computes something itself, which would be measured with it.
void App::pause_meter() {
  const ImGuiIO& io = ImGui::GetIO();
  bool input = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0;
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END && !input; ++key)
    input = ImGui::IsKeyDown(static_cast<ImGuiKey>(key));
  if (input) last_input_ = meter_.now();
  const bool shown = std::ranges::any_of(
      panels_.all(), [](const Panel& panel) { return panel.visible && panel.view->id == "throughput"; });
  const bool computes = background_.busy() || listing_.busy() || compiling_.busy();
  meter_.pause(!shown || computes || meter_.now() > last_input_ + kUntilNobodyLooks);
}

void App::keep_settings() {
  kept_settings_ = settings_;
  kept_at_ = meter_.now();
  if (const auto saved = save_settings(settings_, options_.config_folder); !saved)
    messages_.add(tr("Keeping the settings"), saved.error());
}

void App::keep_layout() {
  if (density_ && !has_audience()) static_cast<void>(save_layout(options_.config_folder, *density_));
  ImGui::GetIO().WantSaveIniSettings = false;
}

void App::save_state() {
  settings_.measure = meter_.on();
  settings_.hidden_views = panels_.hidden();
  keep_settings();
  keep_layout();
  quit_ ? kept_edits_.drop()
        : keep_edits(true);  // What ends the window without asking leaves them to the next start
}

void App::save_changes() {
  settings_.measure = meter_.on();
  settings_.hidden_views = panels_.hidden();
  if (settings_ != kept_settings_ && meter_.now() >= kept_at_ + kKeepInterval) keep_settings();
  if (ImGui::GetIO().WantSaveIniSettings) keep_layout();
  keep_edits(false);
}

void App::move(Selection (*how)(const Recording&, const Selection&, std::int64_t), std::int64_t by) {
  if (!loaded()) return;
  if (how == &moved_by_blocks && walks_anywhere()) {
    const Recording& recording = *loaded()->recording;
    const std::int64_t last = static_cast<std::int64_t>(recording.grid.count()) - 1;
    const auto now = static_cast<std::int64_t>(linear_index(recording.grid, recording.event_blocks.front()));
    const std::int64_t next = std::clamp<std::int64_t>(now + by, 0, last);
    if (next != now)
      block_wanted_ =
          BlockWanted{.block = index_from_linear(recording.grid, static_cast<std::uint64_t>(next)), .at = {}};
    return;
  }
  selection() = how(*loaded()->recording, selection(), by);
}

void App::choose(ChosenFinding finding) {
  const Recording& recording = *loaded()->recording;
  const Dim3 block = block_of(recording.findings[finding.index], finding);
  if (std::ranges::find(recording.event_blocks, block) == recording.event_blocks.end())
    block_wanted_ = BlockWanted{.block = block, .at = {}};
  selection() = at_finding(recording, selection(), finding);
}

/// The picture of its access comes to the front.
void App::follow_finding(const Selection& before) {
  if (!loaded() || !selection().finding || selection().finding == before.finding || has_audience()) return;
  const auto& access = loaded()->recording->findings[selection().finding->index].access;
  if (!access) return;
  const std::string_view id = access->space == Space::shared ? "banks" : "coalescing";
  const auto panel = std::ranges::find(panels_.all(), id, [](const Panel& one) { return one.view->id; });
  if (!panel->visible) panels_.show(id);
}

/// Whether another block than the one that is drawn is recorded at once.
bool App::walks_anywhere() const {
  constexpr std::uint64_t kSoon =
      50'000'000;  // Warp instructions, all of them replayed: some tenths of a second
  if (!row_is_shown() || menus_.blocks != BlocksMenu::all_draw_one) return false;
  const Recording& recording = *loaded()->recording;
  return recording.event_blocks.size() == 1 &&
         (recording.blocks_followed > 0 || recording.warp_instructions < kSoon || menus_.on_gpu());
}

void App::copy_place() {
  const std::string option = "--select " + option_of(place_of(*loaded()->recording, selection()));
  ImGui::SetClipboardText(option.c_str());
  notice_.show(tr("Copied: {text}", "text"_a = option), meter_.now());
}

void App::paste_place() {
  const char* const text = ImGui::GetClipboardText();
  const Result<Place> place = parse_place(text != nullptr ? text : "");
  const Result<Selection> there = place.ok() ? selection_at(*loaded()->recording, *place) : place.error();
  if (!there.ok()) return messages_.add(tr("Going to the place copied"), there.error());
  selection() = clamped(*loaded()->recording, *there);
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
