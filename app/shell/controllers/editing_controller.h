// Files of kernels in the window: opened, edited, compiled as one types, saved; and what becomes of edits
// that are not saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kernel_file/kernel_list.h"
#include "app/session/editing.h"
#include "app/shell/background.h"
#include "app/shell/commands.h"
#include "app/shell/kept_edits.h"
#include "app/shell/layout.h"
#include "app/shell/platform/file_watch.h"
#include "app/shell/shell_context.h"

namespace warplens::app {

class RecordingController;

class EditingController {
 public:
  EditingController(const ShellContext& shell, RecordingController& recordings);

  // Once a frame, in this order.
  void follow_edits();
  void list_machine_code();

  /// A file of kernels. `wanted`: the kernel of it that is launched; null: the first that says how it is.
  void open(const std::filesystem::path& path, const std::optional<ListedKernel>& wanted = std::nullopt);
  /// The user is asked whether a file of Python may be run.
  [[nodiscard]] bool asks_to_run() const { return python_question_.has_value(); }
  void choose_entry(const FileEntry& entry, std::size_t launch = 0);
  /// What the launch row says is kept for the project of its file.
  void keep_options();
  void toggle();
  /// `then`: what is done once it is saved.
  void save(std::function<void()> then = nullptr);
  /// Does it at once if nothing unsaved is lost by it; else once that has been saved or given up, or never.
  void once_saved(std::function<void()> then);
  /// The launch row has been led from the kernel that is edited to another: it is led back, and the user is
  /// asked first.
  [[nodiscard]] bool asks_before_leaving();
  /// Offers to restore what a window that ended otherwise left unsaved, if there is such a thing.
  void offer_left_edits();
  /// A copy on the disk, from which the next start can restore them.
  void keep_edits(bool at_once);
  void drop_kept_edits() { kept_edits_.drop(); }
  void compile_again();

  void draw_questions(const Look& look);

  [[nodiscard]] Editing& source() { return editing_; }
  [[nodiscard]] const Editing& source() const { return editing_; }
  [[nodiscard]] bool compiling() const { return compiling_.busy() || listing_.busy(); }
  /// The launch row's kernel is one of the source that is being edited, or was.
  [[nodiscard]] bool row_is_of_source() const;
  /// The user is asked what becomes of unsaved edits.
  [[nodiscard]] bool asks() const { return asks_to_save() || left_edits_.has_value() || asks_to_run(); }
  [[nodiscard]] bool asks_to_save() const { return after_question_ != nullptr; }
  /// Returns the folder of a header in the source that may not be read; empty: none.
  [[nodiscard]] const std::string& folder_of_include() const { return folder_of_include_; }
  /// Returns the window's title: what is edited, with a mark where that is not saved.
  [[nodiscard]] std::string title() const;
  /// When something is due if nothing happens until then; infinity: nothing is.
  [[nodiscard]] double seconds_until_due() const;

  void add_commands(std::vector<Command>& commands);

 private:
  static constexpr double kEditPause =
      0.3;  ///< In seconds: from the last key until what was typed is compiled
  static constexpr double kCopyInterval = 1;  ///< In seconds: between two copies of unsaved edits

  void take_kernels(const std::string& title, const std::shared_ptr<const KernelFile>& file,
                    Result<LaunchRequest> launch);
  void take_broken(const KernelFile& file);
  void take_source(Editing source);
  void take_source_of_row();
  [[nodiscard]] bool can_edit() const;
  void edit();
  [[nodiscard]] bool copy_kernel();
  void make_room_for_editor();
  void take_compiled(Result<KernelFile> compiled, std::uint64_t edits);
  void follow_source(const KernelFile& file, const KernelFile* before);
  void look_at_file();
  void save_as(std::function<void()> then = nullptr);
  void write(const std::filesystem::path& path, const std::function<void()>& then);
  void replace_text(std::string text);
  void keep_launch_in_source();
  [[nodiscard]] std::string with_launch_of_row(const std::string& source) const;
  void give_up_edits();
  void draw_unsaved_question(const Look& look);
  void draw_left_edits(const Look& look);
  void draw_python_question(const Look& look);
  void open(const std::filesystem::path& path, const std::optional<ListedKernel>& wanted, bool run_python);
  /// Returns the text of a file; empty if it cannot be read.
  [[nodiscard]] static std::string saved_text_of(const std::filesystem::path& file);
  void restore_left_edits();

  ShellContext shell_;
  RecordingController& recordings_;
  Editing editing_;
  FileWatch file_watch_;               ///< Over what is edited
  std::uint64_t compiling_edits_ = 0;  ///< Which of the editor's are being compiled
  std::string folder_of_include_;
  std::optional<NodeSizes>
      sizes_before_editing_;  ///< Of the panels; none: the source had room enough. nullopt: it is no editor
  std::function<void()>
      after_question_;  ///< What would lose unsaved edits, and waits for the answer; null: nothing does
  KeptEdits kept_edits_;
  std::string kept_text_;                    ///< Of the edits that were kept last
  double kept_edits_at_ = 0;                 ///< On the window's clock
  bool cannot_keep_ = false;                 ///< Of which the user has been told
  std::optional<UnsavedSource> left_edits_;  ///< By a window that ended: offered
  /// A kernel that is compiled by importing its file.
  struct PythonQuestion {
    std::filesystem::path file;
    ListedKernel kernel;
    Error without;  ///< Why there is no PTX of it that was made before
  };
  std::optional<PythonQuestion> python_question_;
  Background listing_, compiling_;  // Last: their outcomes touch the rest
};

}  // namespace warplens::app
