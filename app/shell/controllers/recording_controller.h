// What is recorded and opened, and which of it is on screen.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/kernel_file/kernel_list.h"
#include "app/session/grid_counts.h"
#include "app/session/loaded.h"
#include "app/session/recordings.h"
#include "app/session/selection.h"
#include "app/shell/background.h"
#include "app/shell/blocks_ahead.h"
#include "app/shell/shell_context.h"

namespace warplens::app {

class EditingController;
class GpuController;

class RecordingController {
 public:
  /// What else may be opened.
  struct Openers {
    std::function<void(const std::string& name)> give_lesson;             ///< A lesson's file
    std::function<void(const std::filesystem::path& path)> list_kernels;  ///< A folder, or a file of kernels
  };
  RecordingController(const ShellContext& shell, EditingController& editing, GpuController& gpu,
                      Openers openers);

  /// Starts what the window opens with.
  void start();
  // Once a frame, in this order.
  void take_finished_work();
  void continue_work();
  void follow_row();
  void show_partial_results();
  void work_ahead();

  /// Records what the launch row says, though it may be on screen already; an error is shown in a dialogue.
  void record();
  /// `whole`: LaunchRequest::whole_result.
  void record_row(bool asked, bool whole = false);
  /// A recording, a file of kernels, or a folder of such files.
  void open(const std::filesystem::path& path);
  /// One kernel of a file.
  void open_kernel(const std::filesystem::path& path, const ListedKernel& kernel);
  /// One after the other, each behind the one before it in the list of recordings.
  void open_all(std::vector<std::filesystem::path> paths);
  void drop_files_to_open() { to_open_.clear(); }
  void save(const std::filesystem::path& path);
  void ask_what_to_open();
  void ask_which_folder_to_open();
  void ask_where_to_save();
  void cancel();
  /// Starts work that the user asked for. A recording that is in its way is cancelled; where other work is,
  /// it says so.
  void start_work(const std::string& what, Background::Work work);
  /// What was begun cannot be done. If there was nothing on screen yet, and a file was to be, the first
  /// recording is made all the same. `retry`: what goes on once the user has allowed the folder to be read
  /// that the error names.
  void fail(const std::string& title, const Error& error, std::function<void()> retry = nullptr);
  /// The launch cannot be recorded, or has been cancelled: it is not tried again before the row changes.
  void refuse(const LaunchMenus& menus, const Error& why) { refused_ = Refused{menus, why}; }
  /// Whatever is being recorded ends.
  void end_recording(const Error& why);
  /// Until the window ends.
  void allow_reading(const std::string& folder);
  [[nodiscard]] const std::vector<std::filesystem::path>& readable_folders() const {
    return readable_folders_;
  }
  /// With the folders that the user has allowed to be read.
  [[nodiscard]] LaunchRequest with_readable_folders(LaunchRequest request) const;
  /// A recording that the GPU's worker has made, in its file's bytes.
  void take_fetched(std::string title, std::vector<std::byte> wlr, analysis::ComputeCapability cc);

  /// Shows the previous or the next of the recordings in memory.
  void go(void (Recordings::*where)());
  /// The row says something that was not typed: it is recorded without a pause.
  void row_has_changed(double at);
  /// The row is led somewhere without that being a change to ask about.
  void accept_row() { seen_menus_ = shell_.menus; }
  /// The next recording opens where it says.
  void arrive_at(const BlockWanted& wanted) { arriving_ = wanted; }
  void follow_language() { words_changed_ = true; }

  /// The recording on screen; null until there is one.
  [[nodiscard]] const std::shared_ptr<const Loaded>& loaded() const { return held_.current().loaded; }
  [[nodiscard]] Selection& selection() { return held_.selection(); }
  [[nodiscard]] const Selection& selection() const { return held_.current().selection; }
  [[nodiscard]] Recordings& recordings() { return held_; }
  [[nodiscard]] const Recordings& recordings() const { return held_; }
  [[nodiscard]] const BlocksAhead& blocks_ahead() const { return ahead_; }
  [[nodiscard]] const Background& work() const { return background_; }
  [[nodiscard]] bool busy() const;
  /// The launch row has changed, and what it says will be recorded without being asked to.
  [[nodiscard]] bool record_due() const;
  /// When a change of the row is recorded, on the window's clock.
  [[nodiscard]] double record_at() const;
  /// What is on screen is what the launch row says.
  [[nodiscard]] bool row_is_shown() const;
  [[nodiscard]] bool row_has_changed_since_last_frame() const {
    return !same_launch(shell_.menus, seen_menus_);
  }
  /// What the row said in the frame before.
  [[nodiscard]] const LaunchMenus& seen_menus() const { return seen_menus_; }
  /// Why what the row says is not recorded; null: it is, or will be.
  [[nodiscard]] const Error* refused() const;
  /// Whether another block than the one that is drawn is recorded at once.
  [[nodiscard]] bool walks_anywhere() const;
  /// Why the window did not start with what it should have on screen.
  [[nodiscard]] const std::optional<Error>& start_error() const { return start_error_; }
  /// GpuModel::runs_made when the recording on screen came.
  [[nodiscard]] std::uint64_t runs_seen() const { return runs_seen_; }

 private:
  struct Recorded {
    LaunchMenus menus;
    bool asked = false;  ///< By the user, who is told of an error in a dialogue; else the row tells it
    BlocksMenu blocks = menus.blocks;  ///< Those that are drawn: of too many one
  };
  /// A large launch, before its result is verified.
  struct Unverified {
    std::shared_ptr<const Loaded> loaded;
    BlocksMenu blocks;
  };
  struct Refused {
    LaunchMenus menus;
    Error why;
  };
  struct Fetched {
    std::string title;
    std::vector<std::byte> wlr;
    analysis::ComputeCapability cc;
  };

  /// Puts what was recorded, as `recording_` says but for its blocks, on the screen.
  void take_recorded(Result<std::shared_ptr<const Loaded>> loaded, const std::string& title);
  [[nodiscard]] bool lacks_arguments() const;
  void show_recorded(std::shared_ptr<const Loaded> loaded, Recorded& recorded);
  void take_opened(Result<std::shared_ptr<const Loaded>> loaded, const std::string& title);
  [[nodiscard]] std::shared_ptr<const Loaded> take_opened_part();
  void show_opened_so_far();
  void show_unverified();
  void show(std::shared_ptr<const Loaded> loaded, LaunchMenus menus);
  void show_anew();
  void front_findings();
  void cost_again();
  static void draw_fewer(LaunchMenus& menus, LaunchRequest& request, replay::Progress& progress);
  void record_here(LaunchRequest request);
  void record_there(const LaunchRequest& request);
  void record_ahead();
  void count_elements();
  void show_counts(SharedGridCounts counts);
  void tell_how_far(const Error& ended_by);
  void start_opening(const std::filesystem::path& path);
  /// A folder, and a file of Python, is opened by one of its kernels, which the user chooses.
  [[nodiscard]] static bool is_listed_first(const std::filesystem::path& path);
  void open_recording(const std::filesystem::path& path);
  void open_next();
  void open_fetched();

  ShellContext shell_;
  EditingController& editing_;
  GpuController& gpu_;
  Openers openers_;

  Recordings held_;
  LaunchMenus seen_menus_;                                     ///< In the frame before
  double menus_changed_ = 0;                                   ///< When, on the window's clock
  std::optional<Recorded> recording_;                          ///< What is being recorded
  std::atomic<std::shared_ptr<const Unverified>> unverified_;  ///< To be shown
  std::shared_ptr<const Recording> shown_unverified_;          ///< Is in the list of recordings
  bool fewer_drawn_ = false;    ///< The row says "All" no longer because that was too much
  bool words_changed_ = false;  ///< What is said of the recording on screen is in another language yet
  std::optional<Refused> refused_;
  std::vector<std::filesystem::path> readable_folders_;  ///< That the user has allowed
  std::optional<Error> start_error_;
  std::function<void()> next_work_;             ///< Waits for a recording that was cancelled for it
  std::vector<std::filesystem::path> to_open_;  ///< Of several dropped at once, those still to come
  std::size_t opened_together_ = 0;             ///< Of them, those that have been opened
  std::optional<Fetched> fetched_;              ///< A recording made by the GPU's worker, not decoded yet
  std::set<std::string_view> in_front_;         ///< Views brought there by a recording
  std::uint64_t runs_seen_ = 0;
  std::optional<BlockWanted> arriving_;       ///< The latest that says where, until something is shown
  std::shared_ptr<const Recording> counted_;  ///< Of which the elements are counted, or were last
  std::atomic<SharedGridCounts> counted_so_far_;
  std::atomic<std::shared_ptr<const Loaded>>
      opened_so_far_;  ///< Of a large file: one block, to be shown while the others are read
  std::shared_ptr<const Loaded> opened_part_;  ///< That is shown
  BlocksAhead ahead_;
  Background counting_, background_;  // Last: their outcomes touch the rest
};

}  // namespace warplens::app
