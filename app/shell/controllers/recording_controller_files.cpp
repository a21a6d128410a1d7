// What is opened and saved.
#include <algorithm>
#include <utility>

#include "app/kernel_file/python_source.h"
#include "app/session/navigation.h"
#include "app/shell/controllers/editing_controller.h"
#include "app/shell/controllers/recording_controller.h"
#include "kernels/recording/file.h"

namespace warplens::app {

void RecordingController::ask_what_to_open() {
  shell_.file_dialog.start({.title = tr("Open a recording, a file of kernels or a lesson"),
                            .folder = shell_.settings.folder_of_latest(),
                            .extension = ".wlr *.cu *.cuh *.ptx *.py *.toml",
                            .files = tr("Recordings, kernels and lessons"),
                            .recent = shell_.settings.recent,
                            .chosen = [this](const auto& path) { open(path); }});
}

void RecordingController::ask_which_folder_to_open() {
  shell_.file_dialog.start({.kind = FileDialog::Kind::folder,
                            .title = tr("Open a folder of kernels"),
                            .folder = shell_.settings.folder_of_latest(),
                            .extension = ".cu *.cuh *.ptx *.py",
                            .files = tr("Kernels"),
                            .recent = folders_of(shell_.settings.recent),
                            .chosen = [this](const auto& path) { open(path); }});
}

void RecordingController::ask_where_to_save() {
  const std::filesystem::path& path = loaded()->path;
  shell_.file_dialog.start(
      {.kind = FileDialog::Kind::save,
       .title = tr("Save the recording"),
       .folder = path.empty() ? shell_.settings.folder_of_latest() : path.parent_path(),
       .name = path.empty() ? loaded()->recording->kernel + ".wlr" : path.filename().string(),
       .recent = folders_of(shell_.settings.recent),
       .chosen = [this](const auto& chosen) { save(chosen); }});
}

void RecordingController::open(const std::filesystem::path& path) {
  opened_together_ = 0;
  start_opening(path);
}

void RecordingController::open_kernel(const std::filesystem::path& path, const ListedKernel& kernel) {
  editing_.open(path, kernel);
}

bool RecordingController::is_listed_first(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) || is_python_file(path);
}

void RecordingController::start_opening(const std::filesystem::path& path) {
  if (is_listed_first(path)) {
    shell_.settings.add_recent(path);
    return openers_.list_kernels(path);
  }
  if (path.extension() == ".wlr") return editing_.once_saved([this, path] { open_recording(path); });
  const std::string title = tr("Opening {file}", "file"_a = path.filename().string());
  if (is_cuda_file(path) || path.extension() == ".ptx") return editing_.open(path);
  if (path.extension() == ".toml") return openers_.give_lesson(path.string());
  fail(title, {tr("this is neither a recording nor a file of kernels"), path.string(),
               tr("Open a .wlr, .cu, .ptx or .py file, a lesson (.toml), or a folder.")});
}

void RecordingController::open_recording(const std::filesystem::path& path) {
  const std::string title = tr("Opening {file}", "file"_a = path.filename().string());
  start_work(
      title,
      [this, title, path, cc = shell_.menus.launch.cc](replay::Progress& progress) -> Background::Outcome {
        auto recording = load(path, opening_block, [&](Recording part) {
          opened_so_far_ = make_loaded(std::move(part), cc, path, &progress.cancel, MachineCode::at_hand);
          shell_.options.wake();
        });
        auto loaded = recording
                          ? Result<std::shared_ptr<const Loaded>>(make_loaded(
                                std::move(*recording), cc, path, &progress.cancel, MachineCode::at_hand))
                          : recording.error();
        return [this, title, path, loaded = std::move(loaded)]() mutable {
          if (loaded) shell_.settings.add_recent(path);
          take_opened(std::move(loaded), title);
        };
      });
}

void RecordingController::open_all(std::vector<std::filesystem::path> paths) {
  if (paths.empty()) return;
  if (to_open_.empty()) opened_together_ = 0;
  to_open_.insert(to_open_.end(), paths.begin(), paths.end());
  open_next();
}

/// Once what is worked on is done; a recording in progress is given up for it.
void RecordingController::open_next() {
  if (to_open_.empty() || next_work_ || editing_.asks_to_save() || (background_.busy() && !recording_))
    return;
  const std::filesystem::path path = to_open_.front();
  to_open_.erase(to_open_.begin());
  start_opening(path);
}

void RecordingController::save(const std::filesystem::path& path) {
  if (background_.busy() && shown_unverified_) {  // It is saved with what comes of it
    next_work_ = [this, path] { save(path); };
    return;
  }
  const std::string title = tr("Saving {file}", "file"_a = path.filename().string());
  start_work(title, [this, title, path, loaded = loaded()](replay::Progress&) -> Background::Outcome {
    const auto saved = app::save(*loaded, path);
    return [this, title, path, saved] {
      if (!saved) return shell_.messages.add(title, saved.error());
      shell_.settings.add_recent(path);
    };
  });
}

void RecordingController::start_work(const std::string& what, Background::Work work) {
  if (background_.busy() && recording_) {
    background_.cancel();
    next_work_ = [this, what, work = std::move(work)] { background_.start(what, work); };
    return;
  }
  if (background_.start(what, std::move(work))) return;
  shell_.messages.add(what, {tr("the window is busy: {work}", "work"_a = background_.what()), "",
                             tr("Wait for it, or press Cancel, and try again")});
}

/// The events of one block, while the others are read.
void RecordingController::show_opened_so_far() {
  const std::shared_ptr<const Loaded> part = opened_so_far_.exchange(nullptr);
  if (!part || !background_.busy()) return;
  follow(shell_.menus, *part->recording);
  show(part, shell_.menus);
  opened_part_ = part;
}

/// If it is on screen; once the file has been read, or cannot be.
std::shared_ptr<const Loaded> RecordingController::take_opened_part() {
  opened_so_far_.store(nullptr);
  std::shared_ptr<const Loaded> part = std::exchange(opened_part_, nullptr);
  return part && loaded() && loaded()->recording == part->recording ? part : nullptr;
}

void RecordingController::take_opened(Result<std::shared_ptr<const Loaded>> loaded,
                                      const std::string& title) {
  const std::shared_ptr<const Loaded> part = take_opened_part();
  if (!loaded) {
    if (part) go(&Recordings::drop_current);
    return fail(title, loaded.error());
  }
  follow(shell_.menus, *(*loaded)->recording);
  const std::string name = (*loaded)->path.filename().string();
  const Selection selection =
      part ? in_block_of(*part->recording, this->selection(), *(*loaded)->recording) : Selection();
  if (part) held_.drop_current();
  show(*std::move(loaded), shell_.menus);
  if (part) this->selection() = clamped(*this->loaded()->recording, selection);
  const std::string opened =
      tr("{file}: {launch}", "file"_a = name, "launch"_a = launch_in_words(shell_.menus));
  ++opened_together_;
  const bool others = opened_together_ > 1;
  shell_.notice.show_until_action(others
                                      ? tr_n(opened_together_,
                                             "{opened}. It is the last of {n} recording that was opened: "
                                             "Alt+Left leads back to the others.",
                                             "{opened}. It is the last of {n} recordings that were opened: "
                                             "Alt+Left leads back to the others.",
                                             "opened"_a = opened)
                                      : opened,
                                  others ? tr_n(opened_together_, "{file}, the last of {n} recording",
                                                "{file}, the last of {n} recordings", "file"_a = name)
                                         : name,
                                  shell_.now());
}

}  // namespace warplens::app
