#include "app/shell/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/session/counter_check.h"
#include "app/session/navigation.h"
#include "app/session/place.h"
#include "app/views/failure.h"
#include "kernels/base/text.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

constexpr double kProgressInterval = 0.1;
constexpr double kLiveInterval = 1.0 / 60;  ///< While launches are live, for the plot to scroll smoothly
constexpr double kKeepInterval = 1, kClockInterval = 1;
constexpr double kUntilNobodyLooks = 60;
constexpr double kTypingPause = 0.25;  ///< In seconds: who types a number has not said it yet
constexpr float kScrubberHeight = 72;
constexpr float kPresentationScale = 1.6f;
constexpr ImVec2 kPresentedSize{1280, 800};  ///< At that scale a picture has its room in it; what is larger still has less of it in a smaller window
constexpr ImVec2 kUsualSize{1920, 1080};     ///< Of a screen at scale 1
constexpr float kLeastPresentationScale = 0.5f;  ///< Nobody reads what is smaller, and sizes would be cut off to no pixel at all

/// A screen of more pixels is no nearer to the last row: there texts grow with the screen, and the scale that one sets says by how much.
float scale_to_present(float set, ImVec2 size) {
  const float usual = std::min(size.x / kUsualSize.x, size.y / kUsualSize.y);
  return set >= usual ? set : usual * std::pow(set / usual, 0.25f);
}

bool same_hover(const Hover& a, const Hover& b) {
  return a.lane == b.lane && a.line == b.line && a.event == b.event && a.element == b.element && a.shared_word == b.shared_word;
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
      panels_(settings_.hidden_views),
      file_dialog_(options_.wake),
      meter_(options_.wake),
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
                  if (loaded() && loaded()->recording == asked_gpu_) shelf_.judge_anew(with_hardware(*loaded(), counters));
                }}),
      file_watch_(options_.wake),
      counting_(options_.wake, [this](const std::string& what, const Error& error) { messages_.add(what, error); }),
      listing_(options_.wake, [this](const std::string& what, const Error& error) { messages_.add(what, error); }),
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
  start_first_work();
}

App::~App() = default;

void App::start_first_work() {
  const bool lesson = options_.open.extension() == ".toml";  // Behind it is the usual first recording
  if (options_.open.empty() || lesson) record();
  if (!options_.open.empty()) open(options_.open);
}

void App::fail(const std::string& title, const Error& error) {
  messages_.add(title, error);
  if (loaded() || start_error_) return;
  start_error_ = error;
  if (error.where.empty()) start_error_->where = title;
  if (!options_.open.empty()) record();
}

void App::record() {
  if (!busy()) record_row(true);
}

void App::record_row(bool asked, bool whole) {
  refused_.reset();
  seen_menus_ = menus_;
  auto request = request_of(menus_);
  if (!request) {
    refuse(menus_, request.error());
    if (asked) fail(tr("Recording {launch}", "launch"_a = name_of(menus_.launch)), request.error());
    return;
  }
  request->whole_result |= whole;
  recording_ = {menus_, asked};
  if (!menus_.on_gpu()) return record_here(*request);
  const Result<LaunchRequest> launch = resolved(*request);
  if (launch.ok()) return gpu_.record(*launch);
  end_recording(launch.error());
  if (asked) fail(tr("Recording {launch}", "launch"_a = name_of(menus_.launch)), launch.error());
}

void App::end_recording(const Error& why) {
  if (recording_) refuse(recording_->menus, why);
  recording_.reset();
}

void App::record_here(LaunchRequest request) {
  const std::string title = request.whole_result ? tr("Verifying every block of {launch}", "launch"_a = name_of(request))
                                                 : tr("Recording {launch}", "launch"_a = name_of(request));
  background_.start(title, [this, title, menus = menus_, request = std::move(request)](replay::Progress& progress) mutable -> Background::Outcome {
    if (menus.blocks == BlocksMenu::all && has_too_many_events(request, &progress)) {
      menus.blocks = BlocksMenu::all_draw_one;
      if (const auto fewer = request_of(menus); fewer.ok()) request = *fewer;
    }
    auto recording = app::record(request, &progress);
    auto loaded =
        recording ? Result<std::shared_ptr<const Loaded>>(make_loaded(std::move(*recording), request.cc, {}, &progress.cancel, MachineCode::at_hand))
                  : recording.error();
    const bool cancelled = progress.cancel;
    const Error ended_by = recording ? Error{} : recording.error();
    return [this, title, cancelled, ended_by, blocks = menus.blocks, loaded = std::move(loaded)]() mutable {
      if (!cancelled) return take_recorded(std::move(loaded), title, blocks);
      tell_how_far(ended_by);
      recording_.reset();
    };
  });
}

// Who cancels a kernel that goes on too long wants to know where it was.
void App::tell_how_far(const Error& ended_by) {
  const bool asked = recording_ && refused_ && same_launch(refused_->menus, recording_->menus);
  if (!asked || ended_by.hint.empty()) return;
  refused_->why = {tr("cancelled in {place}", "place"_a = ended_by.where), ended_by.where,
                   ended_by.hint + " " + tr("Press Record (F5) to record it")};
  messages_.add(tr("Recording {launch}", "launch"_a = name_of(recording_->menus.launch)), ended_by);
}

bool App::row_is_shown() const {
  return loaded() && loaded()->cc == menus_.launch.cc && same_launch(menus_, shelf_.current().menus);
}

bool App::record_due() const {
  const bool recordable = menus_.kernel() != gpu::kCublasId, refused = refused_ && same_launch(menus_, refused_->menus);
  const bool wanted = loaded() ? !same_launch(menus_, shelf_.current().menus) : start_error_ && !recording_;
  return recordable && wanted && !refused;
}

void App::follow_row() {
  if (!same_launch(menus_, seen_menus_)) {
    seen_menus_ = menus_;
    menus_changed_ = meter_.now();
    refused_.reset();
  }
  if (!record_due()) return;
  if (ImGui::IsAnyItemActive() && meter_.now() < menus_changed_ + kTypingPause) return;
  const bool outdated = recording_ && !same_launch(menus_, recording_->menus);
  if (outdated && background_.busy()) background_.cancel();
  if (!busy()) record_row(false);
}

void App::open(const std::filesystem::path& path) {
  opened_together_ = 0;
  start_opening(path);
}

void App::start_opening(const std::filesystem::path& path) {
  const std::string title = tr("Opening {file}", "file"_a = path.filename().string());
  if (is_cuda_file(path) || path.extension() == ".ptx") return open_kernels(path);
  if (path.extension() == ".toml") return give_lesson(path.string());
  if (path.extension() != ".wlr") {
    return fail(title,
                {tr("this is neither a recording nor a file of kernels"), path.string(), tr("Open a .wlr, .cu or .ptx file, or a lesson (.toml).")});
  }
  start_work(title, [this, title, path, cc = menus_.launch.cc](replay::Progress& progress) -> Background::Outcome {
    auto recording = load(path, opening_block, [&](Recording part) {
      opened_so_far_ = make_loaded(std::move(part), cc, path, &progress.cancel, MachineCode::at_hand);
      options_.wake();
    });
    auto loaded = recording
                      ? Result<std::shared_ptr<const Loaded>>(make_loaded(std::move(*recording), cc, path, &progress.cancel, MachineCode::at_hand))
                      : recording.error();
    return [this, title, path, loaded = std::move(loaded)]() mutable {
      if (loaded) settings_.add_recent(path);
      take_opened(std::move(loaded), title);
    };
  });
}

void App::open_all(std::vector<std::filesystem::path> paths) {
  if (paths.empty()) return;
  if (to_open_.empty()) opened_together_ = 0;
  to_open_.insert(to_open_.end(), paths.begin(), paths.end());
  open_next();
}

/// Once what is worked on is done; a recording in progress is given up for it.
void App::open_next() {
  if (to_open_.empty() || next_work_ || (background_.busy() && !recording_)) return;
  const std::filesystem::path path = to_open_.front();
  to_open_.erase(to_open_.begin());
  start_opening(path);
}

void App::give_lesson(const std::string& name) {
  Result<OpenedLesson> opened = open_lesson(name);
  if (!opened.ok()) return messages_.add(tr("Opening the lesson {name}", "name"_a = name), opened.error());
  if (std::filesystem::path(name).extension() == ".toml") settings_.add_recent(name);
  lesson_ = std::make_unique<LessonWindow>(*std::move(opened), meter_.now(), options_.wake);
}

void App::save(const std::filesystem::path& path) {
  const std::string title = tr("Saving {file}", "file"_a = path.filename().string());
  start_work(title, [this, title, path, loaded = loaded()](replay::Progress&) -> Background::Outcome {
    const auto saved = warplens::save(*loaded->recording, path);
    return [this, title, path, saved] {
      if (!saved) return messages_.add(title, saved.error());
      settings_.add_recent(path);
    };
  });
}

void App::start_work(const std::string& what, Background::Work work) {
  if (background_.busy() && recording_) {
    background_.cancel();
    next_work_ = [this, what, work = std::move(work)] { background_.start(what, work); };
    return;
  }
  if (background_.start(what, std::move(work))) return;
  messages_.add(what, {tr("the window is busy: {work}", "work"_a = background_.what()), "", tr("Wait for it, or press Cancel, and try again")});
}

void App::take_recorded(Result<std::shared_ptr<const Loaded>> loaded, const std::string& title, BlocksMenu blocks) {
  Recorded recorded = *std::exchange(recording_, std::nullopt);
  if (loaded && recorded.menus.blocks != blocks) {
    if (same_launch(menus_, recorded.menus)) menus_.blocks = blocks;
    recorded.menus.blocks = blocks;
    notice_.show(tr("All blocks make more accesses than are kept: one block is drawn, from which [ and ] lead to the others; totals are of all."),
                 meter_.now());
  }
  if (loaded) return show(*std::move(loaded), recorded.menus);
  refuse(recorded.menus, loaded.error());
  if (recorded.asked || !this->loaded()) fail(title, loaded.error());
}

/// The events of one block, while the others are read.
void App::show_opened_so_far() {
  const std::shared_ptr<const Loaded> part = opened_so_far_.exchange(nullptr);
  if (!part || !background_.busy()) return;
  follow(menus_, *part->recording);
  show(part, menus_);
  opened_part_ = part;
}

/// If it is on screen; once the file has been read, or cannot be.
std::shared_ptr<const Loaded> App::take_opened_part() {
  opened_so_far_.store(nullptr);
  std::shared_ptr<const Loaded> part = std::exchange(opened_part_, nullptr);
  return part && loaded() && loaded()->recording == part->recording ? part : nullptr;
}

void App::take_opened(Result<std::shared_ptr<const Loaded>> loaded, const std::string& title) {
  const std::shared_ptr<const Loaded> part = take_opened_part();
  if (!loaded) {
    if (part) go(&Shelf::drop_current);
    return fail(title, loaded.error());
  }
  follow(menus_, *(*loaded)->recording);
  const std::string name = (*loaded)->path.filename().string();
  const Selection selection = part ? in_block_of(*part->recording, this->selection(), *(*loaded)->recording) : Selection();
  if (part) shelf_.drop_current();
  show(*std::move(loaded), menus_);
  if (part) this->selection() = clamped(*this->loaded()->recording, selection);
  const std::string opened = tr("{file}: {launch}", "file"_a = name, "launch"_a = launch_in_words(menus_));
  ++opened_together_;
  const bool others = opened_together_ > 1;
  notice_.show_until_action(
      others ? tr_n(opened_together_, "{opened}. It is the last of {n} recording that was opened: Alt+Left leads back to the others.",
                    "{opened}. It is the last of {n} recordings that were opened: Alt+Left leads back to the others.", "opened"_a = opened)
             : opened,
      others ? tr_n(opened_together_, "{file}, the last of {n} recording", "{file}, the last of {n} recordings", "file"_a = name) : name,
      meter_.now());
}

void App::show(std::shared_ptr<const Loaded> loaded, LaunchMenus menus) {
  const Shown before = shelf_.current();
  // Who edits a kernel wants to see what becomes of the same place.
  const bool goes_on = before.loaded && (editing_.on || comparable(*before.loaded->recording, *loaded->recording));
  const Selection selection = goes_on ? clamped(*loaded->recording, before.selection) : opening_selection(*loaded);
  shelf_.add({std::move(loaded), selection, std::move(menus)});
  show_anew();
}

void App::show_anew() {
  player_.playing = false;
  front_findings();
  runs_seen_ = model_.gpu.runs_made;
}

void App::go(void (Shelf::*where)()) {
  (shelf_.*where)();
  if (!loaded()) return;
  show_anew();
  menus_ = shelf_.current().menus;
  menus_.launch.cc = loaded()->cc;
}

// What is wrong with a kernel is what there is to see of it; once nothing is, its source comes back.
void App::front_findings() {
  const bool any = !loaded()->recording->findings.empty() && !editing_.on;  // The editor shows them at their lines, and keeps the keys
  if (any != findings_in_front_) panels_.show(any ? "findings" : "source");
  findings_in_front_ = any;
  // Beside what is typed, too: it is often why one types.
  const bool prints = !loaded()->recording->messages.empty();
  if (prints != output_in_front_) panels_.bring_forward(prints ? "output" : "coalescing");
  output_in_front_ = prints;
}

void App::judge_again() {
  if (!loaded() || background_.busy() || loaded()->cc == menus_.launch.cc) return;
  background_.start(tr("Judging by {capability}", "capability"_a = menus_.launch.cc.name()),
                    [this, loaded = loaded(), cc = menus_.launch.cc](replay::Progress& progress) -> Background::Outcome {
                      auto judged = judged_by(*loaded, cc, &progress.cancel, MachineCode::at_hand);
                      return [this, judged = std::move(judged)]() mutable { shelf_.judge_anew(std::move(judged)); };
                    });
}

void App::prepare_frame(const Graphics& graphics) {
  watch_.begin(loaded() ? fmt::format("{} at scale {:g}", loaded()->recording->kernel, look_.scale) : std::string("nothing yet"));
  try {
    prepare(graphics);
  } catch (...) {
    fail_frame(failure_in_words());
  }
}

void App::fail_frame(const Error& error) {
  const std::string title = tr("Drawing the window");
  const auto& all = messages_.all();
  const bool again = !all.empty() && all.back().title == title && all.back().error.what == error.what;  // In every frame, perhaps
  if (!again) messages_.add(title, error);
}

void App::prepare(const Graphics& graphics) {
  background_.poll();
  gpu_.poll(meter_.now());
  if (!model_.gpu.usable()) menus_.launch.engine = Engine::cpu;
  open_fetched();
  if (next_work_ && !background_.busy()) std::exchange(next_work_, nullptr)();
  open_next();
  judge_again();
  follow_edit();
  follow_row();
  show_opened_so_far();
  list_machine_code();
  count_elements();
  if (settled()) gpu_.start();  // Not before: the first picture has the whole machine
  follow_live();
  if (std::exchange(runs_noted_, model_.gpu.runs_made) != model_.gpu.runs_made) shelf_.note_run(*model_.gpu.last_run);
  launch_ = loaded() ? fmt::format("{} · CC {}", launch_in_words(shelf_.current().menus), loaded()->cc.name()) : std::string();
  other_launch_ = row_is_shown() ? std::string() : launch_;
  refusal_ = refused_ && !row_is_shown() && same_launch(menus_, refused_->menus) ? refused_->why.message() : std::string();
  model_.waiting_for = background_.busy() ? background_.what() : std::string();
  if (loaded()) player_.advance(meter_.now(), *loaded()->recording, selection());

  look_.fonts = graphics.fonts;
  look_.palette = settings_.dark ? &picture::dark_palette() : &picture::light_palette();
  look_.scale = settings_.scale != 0 ? settings_.scale : monitor_scale_;
  if (presenting_ || lesson_) {
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    const float wanted = scale_to_present(look_.scale, size);
    const float fitting = kPresentationScale * std::min({wanted, size.x / kPresentedSize.x, size.y / kPresentedSize.y});
    look_.scale = std::max(fitting, kLeastPresentationScale);
  }
  if (!style_applied_ || applied_.palette != look_.palette || applied_.scale != look_.scale) {
    apply(look_);
    applied_ = look_;
    style_applied_ = true;
  }
  if (!presenting_ && !lesson_) follow_density();
  follow_menus();
}

// The arrow keys step through the recording; in an open menu they choose.
void App::follow_menus() {
  ImGuiIO& io = ImGui::GetIO();
  const bool menu_open = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel) && !palette_.is_open();
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
  if (editing_.focused) ImGui::GetIO().WantTextInput = true;  // Letters are typed there
  if (!lesson_) run_keys(commands_);
  if (lesson_) {
    draw_lesson(graphics);
  } else if (presenting_) {
    draw_presentation(graphics);
  } else {
    draw_host(graphics);
    panels_.draw(frame_for(graphics));
  }
  draw_dialogs();
  do_wishes();
  pause_meter();
  frame_wanted_ = !same_hover(hover_, hovered_) || !(selection() == selection_before) || layout_wanted_ || !same_launch(menus_, seen_menus_) ||
                  other_launch_.empty() == (loaded() && !row_is_shown());
  hovered_ = hover_;
}

void App::draw_host(const Graphics& graphics) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, look_.px(8, 9));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(look_.palette->background));
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoMove |
                          ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_MenuBar |
                          ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoSavedSettings;
  ImGui::Begin("Warplens", nullptr, kFlags);
  ImGui::PopStyleVar();  // The menus' own padding stays
  draw_menu_bar();
  ImGui::PopStyleVar();
  draw_launch();

  const float margin = look_.px(8), scrubber = look_.px(kScrubberHeight);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end{viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y};
  const ImVec2 dock_size{std::max(end.x - at.x - 2 * margin, 1.0f), std::max(end.y - at.y - scrubber - 3 * margin, look_.px(60))};
  dock_space_ = ImGui::GetID("DockSpace");
  if (std::exchange(layout_wanted_, false)) {
    build_layout(dock_space_, *density_, dock_size);
    room_shared_ = dock_size;
  }
  share_room(dock_space_, dock_size, room_shared_);
  ImGui::SetCursorScreenPos({at.x + margin, at.y + margin});
  ImGui::PushFont(look_.fonts.sans_bold, kBaseTextSize);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, look_.px(6, 8));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, look_.px(2, 4));                       // Between tabs
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, look_.px(kLeastPanel.x, kLeastPanel.y));  // How far a panel's edge can be dragged
  ImGui::PushStyleColor(ImGuiCol_Border, packed(look_.palette->background));                 // The gaps between the panels are drawn in it
  ImGui::DockSpace(dock_space_, dock_size);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  ImGui::PopFont();

  // Where there is no room for all of it, it is cut off below and does not lie on the menus.
  ImGui::SetCursorScreenPos({at.x + margin, std::max(end.y - margin - scrubber, at.y + dock_size.y + 2 * margin)});
  if (ImGui::BeginChild("Scrubber", {dock_size.x, scrubber}, 0, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
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
  draw_menu(commands_, kViewMenu, [this] { draw_menu(commands_, kPresentMenu); });
  draw_menu(commands_, kHelpMenu);
  const TextStyle hint{.colour = look_.palette->muted};
  const std::string palette = tr("{key}  any action", "key"_a = "Ctrl+P");
  const float left = ImGui::GetWindowWidth() - width_of(look_, palette, hint) - look_.px(16);
  const ImVec2 bar = ImGui::GetWindowPos();
  notice_room_ = {
      .left = ImGui::GetCursorScreenPos().x, .top = bar.y, .right = bar.x + left - look_.px(8), .bottom = bar.y + ImGui::GetFrameHeight()};
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
    status = {.busy_with = model_.gpu.busy_with, .done = model_.gpu.done, .total = model_.gpu.total, .part = model_.gpu.part};
  }
  status.gpu_busy = gpu_.busy();
  status.kernels = editing_.kernels.get();
  if (row_is_shown()) status.loaded = loaded().get();
  if (model_.gpu.runs_made > runs_seen_ && is_of_row(*model_.gpu.last_run)) status.latest_run = &*model_.gpu.last_run;
  if (refused_ && same_launch(menus_, refused_->menus)) status.refused = &refused_->why;

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
  list.AddRectFilled(from, {right, bottom}, packed(mixed(look_.palette->panel, look_.palette->header, 0.35f)));
  list.AddLine({from.x, bottom}, {right, bottom}, packed(look_.palette->line));
  list.ChannelsMerge();
  ImGui::SetCursorScreenPos({from.x, bottom});
  if (actions.chosen != nullptr) choose_entry_of_file(*actions.chosen);
  if (actions.record) record();
  if (actions.run_once) run_once();
  if (actions.toggle_live) toggle_live();
  if (actions.cancel) cancel();
}

void App::draw_presentation(const Graphics& graphics) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float margin = look_.px(8), scrubber = scrubber_hidden_ ? 0 : look_.px(kScrubberHeight);
  ImGui::GetBackgroundDrawList()->AddRectFilled(viewport->Pos, {viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y},
                                                packed(look_.palette->background));
  const Frame frame = frame_for(graphics);
  panels_.draw_presentation(frame, {viewport->Pos.x + margin, viewport->Pos.y + margin},
                            {viewport->Size.x - 2 * margin, viewport->Size.y - scrubber - (scrubber_hidden_ ? 2 : 3) * margin});
  ImGui::SetNextWindowPos({viewport->Pos.x + margin, viewport->Pos.y + viewport->Size.y - scrubber - margin});
  ImGui::SetNextWindowSize({viewport->Size.x - 2 * margin, std::max(scrubber, 1.0f)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Scrubber##presented", nullptr, kFlags)) {
    if (dock_space_ != 0) ImGui::DockSpace(dock_space_, {0, 0}, ImGuiDockNodeFlags_KeepAliveOnly);  // The panels find their places again
    ImGui::SetCursorPos({0, 0});
    if (!scrubber_hidden_) scrubber_.draw(frame, player_, meter_.now(), scrubber);
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

void App::draw_lesson(const Graphics& graphics) {
  const bool keys = !messages_.showing() && !ImGui::GetIO().WantTextInput;
  if (!lesson_->draw(frame_for(graphics), meter_.now(), keys)) lesson_.reset();
  if (dock_space_ != 0) ImGui::DockSpace(dock_space_, {0, 0}, ImGuiDockNodeFlags_KeepAliveOnly);  // The panels find their places again
}

void App::draw_dialogs() {
  draw_export_menu();
  if (palette_.wanted()) palette_.draw(look_, palette_commands());
  draw_keys(look_, commands_, keys_shown_);
  if (!messages_.showing()) file_dialog_.draw(look_);  // One dialogue at a time: this one waits, with all that was typed
  messages_.draw(look_, meter_.now());
  notice_.draw(look_, meter_.now(), presenting_ || lesson_ ? Notice::Room{} : notice_room_);
}

double App::seconds_until_next_frame() const {
  if (frame_wanted_) return 0;
  double wait = std::numeric_limits<double>::infinity();
  if (record_due() && !busy()) wait = std::max(0.0, menus_changed_ + kTypingPause - meter_.now());
  if (editing_.due() && !compiling_.busy()) wait = std::min(wait, std::max(0.0, editing_.changed + kTypingPause - meter_.now()));
  if (lesson_) wait = std::min(wait, lesson_->moves() ? kLiveInterval : kClockInterval);
  if (player_.playing) wait = std::min(wait, std::max(0.0, player_.next_step - meter_.now()));
  if (background_.busy()) wait = std::min(wait, kProgressInterval);
  if (model_.gpu.live_on) wait = std::min(wait, kLiveInterval);
  if (settings_ != kept_settings_) wait = std::min(wait, std::max(0.0, kept_at_ + kKeepInterval - meter_.now()));
  if (const double left = notice_.seconds_left(meter_.now()); left > 0) wait = std::min(wait, left);
  return wait;
}

// Measuring takes time of the processor: it is spared where nobody looks at what is measured, or at anything.
void App::pause_meter() {
  const ImGuiIO& io = ImGui::GetIO();
  bool input = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0;
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END && !input; ++key) input = ImGui::IsKeyDown(static_cast<ImGuiKey>(key));
  if (input) last_input_ = meter_.now();
  const bool shown = std::ranges::any_of(panels_.all(), [](const Panel& panel) { return panel.visible && panel.view->id == "throughput"; });
  meter_.pause(!shown || meter_.now() > last_input_ + kUntilNobodyLooks);
}

void App::keep_settings() {
  kept_settings_ = settings_;
  kept_at_ = meter_.now();
  if (const auto saved = save_settings(settings_, options_.config_folder); !saved) messages_.add(tr("Keeping the settings"), saved.error());
}

void App::keep_layout() {
  if (density_ && !presenting_ && !lesson_) static_cast<void>(save_layout(options_.config_folder, *density_));
  ImGui::GetIO().WantSaveIniSettings = false;
}

void App::save_state() {
  settings_.measure = meter_.on();
  settings_.hidden_views = panels_.hidden();
  keep_settings();
  keep_layout();
}

void App::save_changes() {
  settings_.measure = meter_.on();
  settings_.hidden_views = panels_.hidden();
  if (settings_ != kept_settings_ && meter_.now() >= kept_at_ + kKeepInterval) keep_settings();
  if (ImGui::GetIO().WantSaveIniSettings) keep_layout();
}

void App::move(Selection (*how)(const Recording&, const Selection&, std::int64_t), std::int64_t by) {
  if (!loaded()) return;
  if (how == &moved_by_blocks && walks_anywhere()) {
    const Recording& recording = *loaded()->recording;
    const std::int64_t last = static_cast<std::int64_t>(recording.grid.count()) - 1;
    const auto now = static_cast<std::int64_t>(linear_index(recording.grid, recording.event_blocks.front()));
    const std::int64_t next = std::clamp<std::int64_t>(now + by, 0, last);
    if (next != now) block_wanted_ = index_from_linear(recording.grid, static_cast<std::uint64_t>(next));
    return;
  }
  selection() = how(*loaded()->recording, selection(), by);
}

/// Whether another block than the one that is drawn is recorded at once.
bool App::walks_anywhere() const {
  constexpr std::uint64_t kSoon = 50'000'000;  // Warp instructions, all of them replayed: some tenths of a second
  if (!row_is_shown() || menus_.blocks != BlocksMenu::all_draw_one || menus_.on_gpu()) return false;
  const Recording& recording = *loaded()->recording;
  return recording.event_blocks.size() == 1 && (recording.blocks_followed > 0 || recording.warp_instructions < kSoon);
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
  const float scale = settings_.scale != 0 ? settings_.scale : monitor_scale_;
  settings_.scale = std::clamp(std::round(scale * factor * 20) / 20, kSmallestScale, kLargestScale);
}

}  // namespace warplens::app
