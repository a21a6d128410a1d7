// The application in the window: what is drawn of it in one frame, and the controllers that do its work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/launch/launch_menus.h"
#include "app/measure/meter.h"
#include "app/shell/about_window.h"
#include "app/shell/commands.h"
#include "app/shell/controllers/editing_controller.h"
#include "app/shell/controllers/export_controller.h"
#include "app/shell/controllers/gpu_controller.h"
#include "app/shell/controllers/navigation_controller.h"
#include "app/shell/controllers/recording_controller.h"
#include "app/shell/kernel_list_window.h"
#include "app/shell/layout.h"
#include "app/shell/lesson_window.h"
#include "app/shell/messages.h"
#include "app/shell/notice.h"
#include "app/shell/panels.h"
#include "app/shell/platform/file_dialog.h"
#include "app/shell/settings.h"
#include "app/shell/shell_context.h"
#include "app/shell/tour.h"
#include "app/views/launch_row.h"
#include "app/views/scrubber.h"
#include "app/views/view.h"

namespace warplens::app {

/// What a frame is drawn with; belongs to the window.
struct Graphics {
  Fonts fonts;
  render::HeatPainter heat_painter;
};

class App {
 public:
  /// Starts on the first recording at once, before there is a window.
  App(AppOptions options, Settings settings);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Before ImGui::NewFrame: takes finished work, changes style and layout where they changed.
  void prepare_frame(const Graphics& graphics);
  /// Between ImGui::NewFrame and ImGui::Render.
  void draw_frame(const Graphics& graphics);
  /// When to draw again if nothing happens until then; infinity: never.
  [[nodiscard]] double seconds_until_next_frame() const;
  /// Keeps settings and layout, whether or not they have changed.
  void save_state();
  /// Keeps what has changed, but not at every step of a change.
  void save_changes();

  /// Records what the launch row says, though it may be on screen already; an error is shown in a dialogue.
  void record() { recordings_.record(); }
  /// A recording, a file of kernels, or a folder of such files.
  void open(const std::filesystem::path& path) { recordings_.open(path); }
  /// One after the other, each behind the one before it in the list of recordings.
  void open_all(std::vector<std::filesystem::path> paths) { recordings_.open_all(std::move(paths)); }
  void save(const std::filesystem::path& path) { recordings_.save(path); }
  /// Ends the window, once the user has said what becomes of unsaved edits.
  void quit();
  /// Asks whether to restore what a window that ended otherwise left unsaved, if there is such a thing.
  void offer_left_edits() { editing_.offer_left_edits(); }
  /// A lesson's file, or one that ships, over the whole window until it is left.
  void give_lesson(const std::string& name);
  /// A minute's walk through the window.
  void start_tour() { tour_.start(); }
  void run_once() { gpu_.run_once(); }
  void count_on_gpu() { gpu_.count(); }
  void toggle_live() { gpu_.toggle_live(); }
  void measure_ladder() { gpu_.measure_ladder(); }
  void sweep(SweepOver over) { gpu_.sweep(over); }
  void cancel() { recordings_.cancel(); }
  void report(const std::string& title, const Error& error) { messages_.add(title, error); }
  /// To be told of what is drawn elsewhere.
  [[nodiscard]] FrameWatch& watch() { return watch_; }

  [[nodiscard]] bool quit_wanted() const { return quit_; }
  /// Returns the window's title: what is edited, with a mark where that is not saved.
  [[nodiscard]] std::string title() const { return editing_.title(); }
  /// The user is asked what becomes of unsaved edits.
  [[nodiscard]] bool asks_about_edits() const { return editing_.asks(); }
  [[nodiscard]] bool fullscreen_wanted() const { return presenting_ || lesson_; }
  /// A recording, or a lesson's scene, is on screen and nothing more is being worked on.
  [[nodiscard]] bool settled() const;
  /// The launch row has changed, and what it says will be recorded without being asked to.
  [[nodiscard]] bool record_due() const { return recordings_.record_due(); }
  /// What is on screen is what the launch row says.
  [[nodiscard]] bool row_is_shown() const { return recordings_.row_is_shown(); }
  /// Why the window did not start with what it should have on screen.
  [[nodiscard]] const std::optional<Error>& start_error() const { return recordings_.start_error(); }

  // What tests look at, and set.
  [[nodiscard]] const Model& model() const { return model_; }
  /// The recording on screen; null until there is one.
  [[nodiscard]] const std::shared_ptr<const Loaded>& loaded() const { return recordings_.loaded(); }
  [[nodiscard]] Selection& selection() { return recordings_.selection(); }
  [[nodiscard]] const Recordings& recordings() const { return recordings_.recordings(); }
  [[nodiscard]] const BlocksAhead& blocks_ahead() const { return recordings_.blocks_ahead(); }
  [[nodiscard]] const Hover& hovered() const { return hovered_; }
  [[nodiscard]] Settings& settings() { return settings_; }
  [[nodiscard]] LaunchMenus& menus() { return menus_; }
  [[nodiscard]] Player& player() { return player_; }
  [[nodiscard]] Panels& panels() { return panels_; }
  [[nodiscard]] measure::Meter& meter() { return meter_; }
  [[nodiscard]] const Messages& messages() const { return messages_; }
  [[nodiscard]] const Notice& notice() const { return notice_; }
  [[nodiscard]] Editing& editing() { return editing_.source(); }
  [[nodiscard]] const CommandPalette& palette() const { return palette_; }
  [[nodiscard]] const FileDialog& file_dialog() const { return file_dialog_; }
  [[nodiscard]] const KernelListWindow& kernel_list() const { return kernel_list_; }
  /// What the palette offers: the commands, and what depends on the launch and on the files opened of late.
  [[nodiscard]] std::vector<Command> palette_commands();
  /// What words say by themselves: "size 1024", "block 3,2", "warp 4".
  [[nodiscard]] std::vector<Command> typed_commands(const std::string& typed);
  /// What keys do where the window is: while it is laid out, presents, edits or gives a lesson.
  [[nodiscard]] std::vector<Command> commands_with_keys() const;
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }
  [[nodiscard]] bool presenting() const { return presenting_; }
  /// What is to be read in a window of its own, beside a lesson; nullopt: nothing.
  [[nodiscard]] std::optional<SpeakerPage> speaker_page() const {
    return lesson_ ? lesson_->speaker_page(meter_.now()) : std::nullopt;
  }
  void close_speaker_page() {
    if (lesson_) lesson_->close_speaker_page();
  }
  [[nodiscard]] const picture::Palette& palette_shown() const { return *look_.palette; }
  /// The lesson that is given; null: none is.
  [[nodiscard]] const LessonWindow* lesson() const { return lesson_.get(); }
  [[nodiscard]] const Tour& tour() const { return tour_; }
  [[nodiscard]] bool keys_shown() const { return keys_shown_; }
  [[nodiscard]] bool about_shown() const { return about_.shown(); }
  [[nodiscard]] float scale() const { return look_.scale; }
  [[nodiscard]] bool busy() const { return recordings_.busy(); }
  /// Nothing but the pictures is on screen.
  [[nodiscard]] bool has_audience() const { return presenting_ || lesson_ != nullptr; }
  void set_monitors(int monitors) { monitors_ = monitors; }
  /// The monitor's scale, for settings that name none.
  void set_monitor_scale(float scale) { monitor_scale_ = scale; }

 private:
  // A frame.
  void prepare(const Graphics& graphics);
  void draw_all(const Graphics& graphics);
  void fail_frame(const Error& error);
  void name_what_is_shown();
  void follow_look(const Graphics& graphics);
  void follow_density();
  void follow_menus();
  void follow_pointer();
  void follow_language();
  void pause_meter();
  [[nodiscard]] Frame frame_for(const Graphics& graphics);

  // What is drawn in it.
  void draw_host(const Graphics& graphics);
  void draw_menu_bar();
  void draw_launch();
  void draw_presentation(const Graphics& graphics);
  void draw_lesson(const Graphics& graphics);
  void draw_dialogs();

  void make_commands();
  void make_file_commands();
  void make_launch_commands();
  void make_view_commands();
  void make_presentation_commands();
  void make_language_commands();
  void make_palette_commands();
  void make_lesson_commands();
  void leave_one_thing();
  void compare();
  void scale_by(float factor);
  [[nodiscard]] std::vector<FormField*> sizes_of_form();
  void set_size(std::int64_t size);

  void keep_settings();
  void keep_layout();

  AppOptions options_;
  Settings settings_, kept_settings_;
  double kept_at_ = 0;             ///< When the settings were kept, on the meter's clock
  std::string language_followed_;  ///< Of the settings, that commands are named in

  Look look_;
  Look applied_;
  bool style_applied_ = false;
  float monitor_scale_ = 1;
  int monitors_ = 2;
  std::optional<Density> density_;
  ImGuiID dock_space_ = 0;
  bool layout_wanted_ = false;  ///< Build the layout of a first start in the next frame
  ImVec2 room_shared_;          ///< See share_room

  Model model_;
  LaunchMenus menus_;
  Hover hovered_, hover_;
  Player player_;
  Scrubber scrubber_;
  Panels panels_;
  Messages messages_;
  Notice notice_;
  Notice::Room notice_room_;  ///< Of the menu bar
  FileDialog file_dialog_;
  KernelListWindow kernel_list_;
  AboutWindow about_;
  CommandPalette palette_;
  std::vector<Command> commands_;
  std::string launch_, other_launch_, refusal_;  ///< See Frame
  std::string asked_fields_of_;  ///< File and entry of the kernel whose missing arguments had the keyboard

  std::string lesson_given_;  ///< Last: its file, or the name of one that ships; empty: none yet
  std::unique_ptr<LessonWindow> lesson_;
  Tour tour_;
  WindowParts parts_;                 ///< In the frame before
  std::function<void()> after_tour_;  ///< What a key does that ended the tour

  measure::Meter meter_;
  double last_input_ = 0;     ///< On the meter's clock
  double pointer_moved_ = 0;  ///< When, on that clock; long ago once a key has been pressed since
  bool presenting_ = false, scrubber_hidden_ = false, keys_shown_ = false, quit_ = false,
       frame_wanted_ = false;
  FrameWatch watch_;

  ShellContext shell_;
  NavigationController navigation_;
  ExportController exports_;
  EditingController editing_;
  GpuController gpu_;
  RecordingController recordings_;  // Last: its work touches the rest
};

}  // namespace warplens::app
