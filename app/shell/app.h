// The application in the window: its state, and what is drawn of it in one frame.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/measure/meter.h"
#include "app/session/editing.h"
#include "app/session/grid_counts.h"
#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "app/session/shelf.h"
#include "app/shell/background.h"
#include "app/shell/blocks_ahead.h"
#include "app/shell/clipboard_image.h"
#include "app/shell/commands.h"
#include "app/shell/exports.h"
#include "app/shell/file_dialog.h"
#include "app/shell/file_watch.h"
#include "app/shell/gpu_desk.h"
#include "app/shell/kept_edits.h"
#include "app/shell/layout.h"
#include "app/shell/lesson_window.h"
#include "app/shell/messages.h"
#include "app/shell/notice.h"
#include "app/shell/panels.h"
#include "app/shell/settings.h"
#include "app/shell/tour.h"
#include "app/views/launch_row.h"
#include "app/views/scrubber.h"
#include "app/views/view.h"
#include "app/worker/client_options.h"

namespace warplens::app {

struct AppOptions {
  std::filesystem::path config_folder;
  std::filesystem::path open;    ///< A recording; empty: record `tiled` then and there
  worker::ClientOptions worker;  ///< How the work on the GPU is done; its `wake` is the one below, its
                                 ///< watchdog that of the settings
  std::function<void()> wake;    ///< Makes the event loop draw a frame; called from any thread
  std::chrono::milliseconds verification_patience{
      60};  ///< A result that takes longer to verify is verified behind its picture
  std::function<double()> clock = measure::seconds_from_now();  ///< In seconds: of every pause and delay of
                                                                ///< the window; called from any thread
  FrameWatch::Clock::duration patience = std::chrono::seconds(2);  ///< A frame that takes as long is logged
  FrameWatch::Log log = FrameWatch::log_to_stderr;
};

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
  void record();
  /// A recording, or a file of kernels.
  void open(const std::filesystem::path& path);
  /// One after the other, each behind the one before it on the shelf.
  void open_all(std::vector<std::filesystem::path> paths);
  void save(const std::filesystem::path& path);
  /// Ends the window, once the user has said what becomes of unsaved edits.
  void quit();
  /// Asks whether to restore what a window that ended otherwise left unsaved, if there is such a thing.
  void offer_left_edits();
  /// A lesson's file, or one that ships, over the whole window until it is left.
  void give_lesson(const std::string& name);
  /// A minute's walk through the window.
  void start_tour() { tour_.start(); }
  void run_once();
  void count_on_gpu();
  void toggle_live();
  void measure_ladder();
  void sweep(SweepOver over);
  void cancel();
  void report(const std::string& title, const Error& error) { messages_.add(title, error); }
  /// To be told of what is drawn elsewhere.
  [[nodiscard]] FrameWatch& watch() { return watch_; }

  [[nodiscard]] bool quit_wanted() const { return quit_; }
  /// Of the window: what is edited, with a mark where that is not saved.
  [[nodiscard]] std::string title() const;
  /// The user is asked what becomes of unsaved edits.
  [[nodiscard]] bool asks_about_edits() const {
    return after_question_ != nullptr || left_edits_.has_value();
  }
  [[nodiscard]] bool fullscreen_wanted() const { return presenting_ || lesson_; }
  /// A recording, or a lesson's scene, is on screen and nothing more is being worked on.
  [[nodiscard]] bool settled() const {
    return loaded() != nullptr && !busy() && !record_due() && !editing_.due() &&
           !(lesson_ && !lesson_->given().prepared());
  }
  /// The launch row has changed, and what it says will be recorded without being asked to.
  [[nodiscard]] bool record_due() const;
  /// What is on screen is what the launch row says.
  [[nodiscard]] bool row_is_shown() const;
  /// Why the window did not start with what it should have on screen.
  [[nodiscard]] const std::optional<Error>& start_error() const { return start_error_; }

  // What tests look at, and set.
  [[nodiscard]] const Model& model() const { return model_; }
  /// The recording on screen; null until there is one.
  [[nodiscard]] const std::shared_ptr<const Loaded>& loaded() const { return shelf_.current().loaded; }
  [[nodiscard]] Selection& selection() { return shelf_.selection(); }
  [[nodiscard]] const Shelf& shelf() const { return shelf_; }
  [[nodiscard]] const BlocksAhead& blocks_ahead() const { return ahead_; }
  [[nodiscard]] const Hover& hovered() const { return hovered_; }
  [[nodiscard]] Settings& settings() { return settings_; }
  [[nodiscard]] LaunchMenus& menus() { return menus_; }
  [[nodiscard]] Player& player() { return player_; }
  [[nodiscard]] Panels& panels() { return panels_; }
  [[nodiscard]] measure::Meter& meter() { return meter_; }
  [[nodiscard]] const Messages& messages() const { return messages_; }
  [[nodiscard]] const Notice& notice() const { return notice_; }
  [[nodiscard]] Editing& editing() { return editing_; }
  [[nodiscard]] const CommandPalette& palette() const { return palette_; }
  [[nodiscard]] const FileDialog& file_dialog() const { return file_dialog_; }
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
  [[nodiscard]] bool about_shown() const { return about_shown_; }
  [[nodiscard]] float scale() const { return look_.scale; }
  [[nodiscard]] bool busy() const {
    return background_.busy() || gpu_.busy() || fetched_ || (!to_open_.empty() && !after_question_);
  }
  /// Nothing but the pictures is on screen.
  [[nodiscard]] bool has_audience() const { return presenting_ || lesson_ != nullptr; }
  void set_monitors(int monitors) { monitors_ = monitors; }
  /// The monitor's scale, for settings that name none.
  void set_monitor_scale(float scale) { monitor_scale_ = scale; }

 private:
  struct Recorded {
    LaunchMenus menus;
    bool asked = false;  ///< By the user, who is told of an error in a dialogue; else the row tells it
    BlocksMenu blocks = menus.blocks;  ///< Those that are drawn: of too many one
  };
  static constexpr double kTypingPause = 0.25;  ///< In seconds: who types a number has not said it yet

  void start_first_work();
  /// What was begun cannot be done. If there was nothing on screen yet, and a file was to be, the first
  /// recording is made all the same.
  /// `retry`: what goes on once the user has allowed the folder to be read that the error names.
  void fail(const std::string& title, const Error& error, std::function<void()> retry = nullptr);
  void allow_reading(const std::string& folder);
  /// With the folders that the user has allowed to be read.
  [[nodiscard]] LaunchRequest with_readable_folders(LaunchRequest request) const;
  void prepare(const Graphics& graphics);
  void draw_all(const Graphics& graphics);
  void fail_frame(const Error& error);
  /// Puts what was recorded, as `recording_` says but for its blocks, on the screen.
  void take_recorded(Result<std::shared_ptr<const Loaded>> loaded, const std::string& title);
  [[nodiscard]] bool lacks_arguments() const;
  void show_recorded(std::shared_ptr<const Loaded> loaded, Recorded& recorded);
  void take_opened(Result<std::shared_ptr<const Loaded>> loaded, const std::string& title);
  void show(std::shared_ptr<const Loaded> loaded, LaunchMenus menus);
  /// Puts another of the recordings that are held on the screen.
  void go(void (Shelf::*where)());
  void show_anew();
  void front_findings();
  void judge_again();
  static void draw_fewer(LaunchMenus& menus, LaunchRequest& request, replay::Progress& progress);
  void record_here(LaunchRequest request);
  void record_there(const LaunchRequest& request);
  void record_ahead();
  void follow_row();
  /// `whole`: LaunchRequest::whole_result.
  void record_row(bool asked, bool whole = false);
  void end_recording(const Error& why);
  /// What cannot be recorded, or has been cancelled, is not tried again before the row changes.
  void tell_how_far(const Error& ended_by);
  void refuse(const LaunchMenus& menus, const Error& why) { refused_ = Refused{menus, why}; }
  /// Starts work that the user asked for. A recording that is in its way is cancelled; where other work is,
  /// it says so.
  void start_opening(const std::filesystem::path& path);
  void open_recording(const std::filesystem::path& path);
  void open_next();
  void start_work(const std::string& what, Background::Work work);
  void open_fetched();

  void open_kernels(const std::filesystem::path& path);
  [[nodiscard]] static std::string text_of_source(const std::filesystem::path& file);
  void take_kernels(const std::string& title, const std::shared_ptr<const KernelFile>& file,
                    Result<LaunchRequest> launch);
  void take_broken(const KernelFile& file);
  void take_source(Editing source);
  void take_source_of_row();
  /// The launch row's kernel is one of the source that is being edited, or was.
  [[nodiscard]] bool row_is_of_source() const;
  void choose_entry_of_file(const FileEntry& entry);
  [[nodiscard]] bool can_edit() const;
  void toggle_editing();
  void edit();
  [[nodiscard]] bool copy_rung();
  void make_room_for_editor();
  /// Does it at once if nothing unsaved is lost by it; else once that has been saved or given up, or never.
  void once_saved(std::function<void()> then);
  void give_up_edits();
  void draw_unsaved_question();
  void draw_left_edits();
  void restore_left_edits();
  void keep_edits(bool at_once);
  /// The launch row has been led from the kernel that is edited to another: it is led back, and the user is
  /// asked first.
  [[nodiscard]] bool asks_before_leaving();
  void follow_edit();
  void list_machine_code();
  void show_opened_so_far();
  void show_unverified();
  [[nodiscard]] std::shared_ptr<const Loaded> take_opened_part();
  void count_elements();
  void show_counts(SharedGridCounts counts);
  void take_compiled(Result<KernelFile> compiled, std::uint64_t edits);
  void follow_source(const KernelFile& file, const KernelFile* before);
  void look_at_file();
  /// `then`: what is done once it is saved.
  void save_source(std::function<void()> then = nullptr);
  void save_source_as(std::function<void()> then = nullptr);
  void write_source(const std::filesystem::path& path, const std::function<void()>& then);
  void replace_text(std::string text);
  void keep_launch_in_source();
  [[nodiscard]] std::string with_launch_of_row(const std::string& source) const;

  void follow_live();
  [[nodiscard]] std::span<const gpu::Gpu> gpus() const;  ///< Empty: none, or not known yet
  [[nodiscard]] Result<gpu::RunRequest> gpu_request() const;
  [[nodiscard]] bool is_of_row(const gpu::RunResult& run) const;
  void do_wishes();
  void follow_density();
  void follow_menus();
  void pause_meter();
  void follow_pointer();
  void follow_language();
  void keep_settings();
  void keep_layout();

  void make_commands();
  void make_file_commands();
  void make_export_commands();
  void make_editing_commands();
  void make_navigation_commands();
  void make_launch_commands();
  void leave_one_thing();
  [[nodiscard]] std::vector<FormField*> sizes_of_form();
  void set_size(std::int64_t size);
  void go_to_block(Dim3 block);
  void make_view_commands();
  void make_presentation_commands();
  void compare();
  void make_palette_commands();
  void make_lesson_commands();
  void make_language_commands();

  void draw_host(const Graphics& graphics);
  void draw_menu_bar();
  void draw_launch();
  void draw_presentation(const Graphics& graphics);
  void draw_lesson(const Graphics& graphics);
  void draw_dialogs();
  void draw_about();

  /// Of the recording opened or saved last; empty: there was none.
  [[nodiscard]] std::filesystem::path recordings_folder() const;
  void ask_what_to_open();
  void ask_where_to_save();

  void ask_where_to_put_handout(const std::string& lesson);
  void write_handout(const std::string& lesson, const std::filesystem::path& path);
  [[nodiscard]] bool can_export(const viz::View& view) const;
  void open_export_menu(std::size_t panel);
  void draw_export_menu();
  void export_panel(std::size_t index, const ExportWay& way);
  void export_to(const std::filesystem::path& path, const viz::View& view, const viz::ExportRequest& request,
                 const std::shared_ptr<const Loaded>& loaded);
  void copy(const viz::View& view, const ExportWay& way, viz::ExportRequest request);

  [[nodiscard]] Frame frame_for(const Graphics& graphics);
  /// As `--select` of the command line has it.
  void copy_place();
  void paste_place();
  [[nodiscard]] bool walks_anywhere() const;
  void move(Selection (*how)(const Recording&, const Selection&, std::int64_t), std::int64_t by);
  void choose(ChosenFinding finding);
  void follow_finding(const Selection& before);
  void scale_by(float factor);

  AppOptions options_;
  Settings settings_, kept_settings_;
  std::string language_followed_;  ///< Of the settings, that commands are named in
  bool words_changed_ = false;     ///< What is said of the recording on screen is in another language yet
  double kept_at_ = 0;             ///< On the meter's clock
  Look look_;
  Look applied_;
  bool style_applied_ = false;
  float monitor_scale_ = 1;
  int monitors_ = 2;

  Model model_;
  Shelf shelf_;
  Hover hovered_, hover_;
  LaunchMenus menus_;
  LaunchMenus seen_menus_;              ///< In the frame before
  LaunchMenus run_menus_, live_menus_;  ///< When a run was asked for, and what is launched live
  double menus_changed_ = 0;            ///< When, on the meter's clock
  /// Of a large launch, before its result is verified.
  struct Unverified {
    std::shared_ptr<const Loaded> loaded;
    BlocksMenu blocks;
  };
  std::optional<Recorded> recording_;                          ///< What is being recorded
  std::atomic<std::shared_ptr<const Unverified>> unverified_;  ///< To be shown
  std::shared_ptr<const Recording> shown_unverified_;          ///< Is on the shelf
  bool fewer_drawn_ = false;                    ///< `menus_` say "All" no longer because that was too much
  std::function<void()> next_work_;             ///< Waits for a recording that was cancelled for it
  std::vector<std::filesystem::path> to_open_;  ///< Of several dropped at once, those still to come
  std::size_t opened_together_ = 0;             ///< Of them, those that have been opened
  std::function<void()>
      after_question_;  ///< What would lose unsaved edits, and waits for the answer; null: nothing does
  KeptEdits kept_edits_;
  std::string kept_text_;                    ///< Of the edits that were kept last
  double kept_edits_at_ = 0;                 ///< On the meter's clock
  bool cannot_keep_ = false;                 ///< Of which the user has been told
  std::optional<UnsavedSource> left_edits_;  ///< By a window that ended: offered
  struct Refused {
    LaunchMenus menus;
    Error why;
  };
  std::optional<Refused> refused_;
  std::vector<std::filesystem::path> readable_folders_;  ///< That the user has allowed, until the window ends
  std::string folder_of_include_;  ///< Of a header in the edited source that may not be read; empty: none
  std::string asked_fields_of_;    ///< File and entry of the kernel whose missing arguments had the keyboard
  Player player_;
  Scrubber scrubber_;
  Panels panels_;
  Messages messages_;
  std::optional<Error> start_error_;
  CommandPalette palette_;
  FileDialog file_dialog_;
  ExportMenu export_menu_;
  ClipboardImage clipboard_image_;
  std::filesystem::path export_folder_;  ///< Of the last export
  Notice notice_;
  std::string lesson_given_;  ///< Last: its file, or the name of one that ships; empty: none yet
  std::unique_ptr<LessonWindow> lesson_;
  Tour tour_;
  WindowParts parts_;                 ///< In the frame before
  std::function<void()> after_tour_;  ///< What a key does that ended the tour
  Notice::Room notice_room_;          ///< Of the menu bar
  std::vector<Command> commands_;
  measure::Meter meter_;

  std::optional<Density> density_;
  ImGuiID dock_space_ = 0;
  bool layout_wanted_ = false;  ///< Build the layout of a first start in the next frame
  double last_input_ = 0;       ///< On the meter's clock
  double pointer_moved_ = 0;    ///< When, on that clock; long ago once a key has been pressed since
  bool presenting_ = false, scrubber_hidden_ = false, keys_shown_ = false, about_shown_ = false,
       quit_ = false, frame_wanted_ = false;

  FrameWatch watch_;
  GpuDesk gpu_;
  GpuWishes wishes_;
  struct Fetched {
    std::string title;
    std::vector<std::byte> wlr;
    analysis::ComputeCapability cc;
  };
  std::optional<Fetched> fetched_;  ///< A recording made by the GPU's worker, not decoded yet
  std::optional<NodeSizes>
      sizes_before_editing_;  ///< Of the panels; none: the source had room enough. nullopt: it is no editor
  bool findings_in_front_ = false;  ///< Brought there by a recording that has some
  bool output_in_front_ = false;    ///< Likewise
  std::uint64_t runs_noted_ = 0;    ///< GpuModel::runs_made when the shelf was last told
  std::uint64_t runs_seen_ = 0;     ///< GpuModel::runs_made when the last recording came
  Editing editing_;
  FileWatch file_watch_;  ///< Over what is edited
  std::optional<BlockWanted> block_wanted_;
  std::optional<BlockWanted> arriving_;  ///< The latest of them that says where, until something is shown
  ImVec2 room_shared_;                   ///< See share_room
  std::string launch_, other_launch_, refusal_;  ///< See Frame
  std::uint64_t compiling_edits_ = 0;            ///< Which of the editor's are being compiled
  std::shared_ptr<const Recording> asked_gpu_;   ///< Of which a GPU is asked for its counters, or was last
  std::shared_ptr<const Recording> counted_;     ///< Of which the elements are counted, or were last
  std::atomic<SharedGridCounts> counted_so_far_;
  std::atomic<std::shared_ptr<const Loaded>>
      opened_so_far_;  ///< Of a large file: one block, to be shown while the others are read
  std::shared_ptr<const Loaded> opened_part_;  ///< That is shown
  BlocksAhead ahead_;
  Background counting_, listing_, compiling_, background_;  // Last: their outcomes touch the rest
};

}  // namespace warplens::app
