#include "app/shell/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/languages/languages.h"
#include "app/views/failure.h"
#include "viz/canvas/canvas.h"

namespace warplens::app {
namespace {

constexpr double kProgressInterval = 0.1;
constexpr double kLiveInterval = 1.0 / 60;  ///< While launches are live, for the plot to scroll smoothly
constexpr double kKeepInterval = 1, kClockInterval = 1;
constexpr double kUntilNobodyLooks = 60, kUntilPointerRests = 3;
constexpr float kLeastPresentationScale = 0.5f;  ///< Sizes would be cut off to no pixel at all

/// From the last row of a hall one reads letters of 1/45 of the picture's height: the smallest ones have that
/// on every screen.
float scale_to_present(ImVec2 size) {
  constexpr float kLettersInHeight = 45,
                  kLettersInWidth = 68;  // A window that is higher than wide has less room for words
  return std::max(std::min(size.y / kLettersInHeight, size.x / kLettersInWidth) / picture::kTinySize,
                  kLeastPresentationScale);
}

}  // namespace

App::App(AppOptions options, Settings settings)
    : options_(std::move(options)),
      settings_(std::move(settings)),
      kept_settings_(settings_),
      language_followed_(settings_.language),
      panels_(settings_.hidden_views),
      file_dialog_(options_.wake),
      kernel_list_(
          options_.wake,
          {.open = [this](const std::filesystem::path& file,
                          const ListedKernel& kernel) { recordings_.open_kernel(file, kernel); },
           .fail = [this](const std::string& title, const Error& error) { recordings_.fail(title, error); }}),
      about_(options_.wake),
      meter_(options_.wake, options_.clock),
      watch_(options_.patience, options_.log),
      shell_{options_, settings_, menus_, model_, player_, panels_, messages_, notice_, file_dialog_, meter_},
      navigation_(shell_, recordings_),
      exports_(shell_, recordings_, look_),
      editing_(shell_, recordings_),
      gpu_(shell_, recordings_, editing_),
      recordings_(shell_, editing_, gpu_,
                  {.give_lesson = [this](const std::string& name) { give_lesson(name); },
                   .list_kernels = [this](const std::filesystem::path& path) { kernel_list_.start(path); }}) {
  make_commands();
  meter_.pause(true);  // Until the first picture is there
  recordings_.start();
}

App::~App() = default;

bool App::settled() const {
  return loaded() != nullptr && !busy() && !recordings_.record_due() && !editing_.source().due() &&
         !(lesson_ && !lesson_->given().prepared());
}

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
  recordings_.take_finished_work();
  gpu_.take_finished_work();
  recordings_.continue_work();
  editing_.follow_edits();
  recordings_.follow_row();
  recordings_.show_partial_results();
  editing_.list_machine_code();
  recordings_.work_ahead();
  gpu_.follow_row(settled());
  if (loaded()) player_.advance(meter_.now(), *loaded()->recording, selection());
  name_what_is_shown();
  follow_look(graphics);
  if (!has_audience()) follow_density();
  follow_menus();
}

/// The words that every view of this frame reads.
void App::name_what_is_shown() {
  const bool is_of_row = recordings_.row_is_shown();
  const Error* const refused = recordings_.refused();
  launch_ = loaded() ? fmt::format("{} · CC {}", launch_in_words(recordings_.recordings().current().menus),
                                   loaded()->cc.name())
                     : std::string();
  other_launch_ = is_of_row ? std::string() : launch_;
  refusal_ = refused != nullptr && !is_of_row ? refused->message() : std::string();
  model_.waiting_for = recordings_.work().busy() ? recordings_.work().what() : std::string();
}

void App::follow_look(const Graphics& graphics) {
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
  if (style_applied_ && applied_.palette == look_.palette && applied_.scale == look_.scale) return;
  apply(look_);
  applied_ = look_;
  style_applied_ = true;
}

// Most words are looked up anew in every frame; commands keep their names, and the recording what was said of
// it.
void App::follow_language() {
  if (settings_.language == language_followed_) return;
  language_followed_ = settings_.language;
  speak(settings_.language);
  commands_.clear();
  make_commands();
  recordings_.follow_language();
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
          .wishes = gpu_.wishes(),
          .editing = editing_.source(),
          .block_wanted = navigation_.block_wanted(),
          .hover = hover_,
          .wake = options_.wake,
          .watch = watch_,
          .launch = launch_,
          .other_launch = other_launch_,
          .held = recordings_.recordings().all(),
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
  if (editing_.source().focused) ImGui::GetIO().WantTextInput = true;  // It is no field that Dear ImGui knows
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
  if (!has_audience()) navigation_.follow_finding(selection_before);
  navigation_.follow_block_wanted();
  gpu_.do_wishes();
  pause_meter();
  frame_wanted_ = hover_ != hovered_ || !(selection() == selection_before) || layout_wanted_ ||
                  recordings_.row_has_changed_since_last_frame() ||
                  other_launch_.empty() == (loaded() && !recordings_.row_is_shown()) ||
                  after_tour_ != nullptr || std::ranges::any_of(panels_.all(), &Panel::moves);
  hovered_ = hover_;
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
  if (recordings_.record_due() && !recordings_.busy())
    wait = std::max(0.0, recordings_.record_at() - meter_.now());
  wait = std::min(wait, editing_.seconds_until_due());
  if (lesson_) wait = std::min(wait, lesson_->moves() ? kLiveInterval : kClockInterval);
  if (has_audience() && !look_.pointer_rests)
    wait = std::min(wait, std::max(0.0, pointer_moved_ + kUntilPointerRests - meter_.now()));
  if (player_.playing) wait = std::min(wait, std::max(0.0, player_.next_step - meter_.now()));
  if (recordings_.work().busy()) wait = std::min(wait, kProgressInterval);
  if (model_.gpu.live_on) wait = std::min(wait, kLiveInterval);
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
      panels_.all(), [](const Panel& panel) { return panel.visible && panel.view->measures; });
  const bool computes = recordings_.work().busy() || editing_.compiling();
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
  if (quit_) {
    editing_.drop_kept_edits();
  } else {
    editing_.keep_edits(true);  // What ends the window without asking leaves them to the next start
  }
}

void App::save_changes() {
  settings_.measure = meter_.on();
  settings_.hidden_views = panels_.hidden();
  if (settings_ != kept_settings_ && meter_.now() >= kept_at_ + kKeepInterval) keep_settings();
  if (ImGui::GetIO().WantSaveIniSettings) keep_layout();
  editing_.keep_edits(false);
}

void App::give_lesson(const std::string& name) {
  Result<OpenedLesson> opened = open_lesson(name);
  if (!opened.ok()) return messages_.add(tr("Opening the lesson {name}", "name"_a = name), opened.error());
  if (std::filesystem::path(name).extension() == ".toml") settings_.add_recent(name);
  lesson_given_ = name;
  lesson_ = std::make_unique<LessonWindow>(*std::move(opened), meter_.now(), options_.wake);
}

void App::quit() {
  editing_.once_saved([this] { quit_ = true; });
}

}  // namespace warplens::app
