// What is recorded and opened, and how it comes onto the screen.
#include <algorithm>
#include <utility>

#include "app/lesson/shipped.h"
#include "app/session/missing_arguments.h"
#include "app/session/navigation.h"
#include "app/shell/app.h"
#include "kernels/recording/file.h"

namespace warplens::app {

void App::start_first_work() {
  const bool lesson = options_.open.extension() == ".toml";  // Behind it is the usual first recording
  if (options_.open.empty() || lesson) record();
  if (!options_.open.empty()) open(options_.open);
}

void App::fail(const std::string& title, const Error& error, std::function<void()> retry) {
  messages_.add(title, error, std::move(retry));
  if (loaded() || start_error_) return;
  start_error_ = error;
  if (error.where.empty()) start_error_->where = title;
  if (!options_.open.empty()) record();
}

void App::allow_reading(const std::string& folder) {
  readable_folders_.emplace_back(folder);
  refused_.reset();
  if (std::exchange(folder_of_include_, {}).empty()) return;
  ++editing_.edits;  // The source compiles otherwise now
  editing_.changed = meter_.now();
}

LaunchRequest App::with_readable_folders(LaunchRequest request) const {
  if (FileKernel* const kernel = std::get_if<FileKernel>(&request.origin); kernel != nullptr) {
    kernel->source_folders.insert(kernel->source_folders.end(), readable_folders_.begin(),
                                  readable_folders_.end());
  }
  return request;
}

void App::record() {
  if (!busy() && !asks_before_leaving()) record_row(true);
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
  request = with_readable_folders(*std::move(request));
  request->whole_result |= whole;
  recording_ = {menus_, asked};
  if (const auto ahead = asked || whole ? nullptr : ahead_.find(menus_)) return take_recorded(ahead, {});
  if (!menus_.on_gpu()) return record_here(*request);
  if (menus_.blocks != BlocksMenu::all) return record_there(*request);
  const std::string title = tr("Recording {launch}", "launch"_a = name_of(*request));
  background_.start(title,
                    [this, menus = menus_, request = *std::move(request)](
                        replay::Progress& progress) mutable -> Background::Outcome {
                      draw_fewer(menus, request, progress);
                      const bool cancelled = progress.cancel;
                      return [this, cancelled, blocks = menus.blocks, request = std::move(request)] {
                        if (cancelled) return recording_.reset();
                        if (!recording_) return;
                        recording_->blocks = blocks;
                        record_there(request);
                      };
                    });
}

/// Of a launch whose accesses are too many to keep those of one block are drawn.
void App::draw_fewer(LaunchMenus& menus, LaunchRequest& request, replay::Progress& progress) {
  if (menus.blocks != BlocksMenu::all || !has_too_many_events(request, &progress)) return;
  LaunchMenus fewer = menus;
  fewer.blocks = BlocksMenu::all_draw_one;
  const Result<LaunchRequest> of_one = request_of(fewer);
  if (!of_one.ok()) return;
  const bool whole_result = request.whole_result;
  request = *of_one;
  request.whole_result = whole_result;
  menus = std::move(fewer);
}

void App::record_there(const LaunchRequest& request) {
  const Result<LaunchRequest> launch = resolved(compiled_for_gpu(request, gpus()));
  if (launch.ok()) return gpu_.record(*launch);
  const bool asked = recording_ && recording_->asked;
  end_recording(launch.error());
  if (asked) {
    fail(tr("Recording {launch}", "launch"_a = name_of(request)), launch.error(), [this] { record(); });
  }
}

void App::end_recording(const Error& why) {
  if (recording_) refuse(recording_->menus, why);
  recording_.reset();
}

void App::record_here(LaunchRequest request) {
  const std::string title = request.whole_result
                                ? tr("Verifying every block of {launch}", "launch"_a = name_of(request))
                                : tr("Recording {launch}", "launch"_a = name_of(request));
  background_.start(
      title,
      [this, title, menus = menus_,
       request = std::move(request)](replay::Progress& progress) mutable -> Background::Outcome {
        draw_fewer(menus, request, progress);
        const EarlyPicture early{
            options_.verification_patience,
            [this, blocks = menus.blocks](std::shared_ptr<const Loaded> loaded) {
              unverified_ = std::make_shared<const Unverified>(Unverified{std::move(loaded), blocks});
              options_.wake();
            }};
        auto loaded = record_loaded(request, &progress, MachineCode::at_hand, early);
        if (!loaded && !progress.cancel) loaded = true_reason(request, loaded.error());
        const bool cancelled = progress.cancel;
        const Error ended_by = loaded ? Error{} : loaded.error();
        return
            [this, title, cancelled, ended_by, blocks = menus.blocks, loaded = std::move(loaded)]() mutable {
              if (recording_) recording_->blocks = blocks;
              unverified_.store(nullptr);
              if (!cancelled) return take_recorded(std::move(loaded), title);
              if (const auto given_up = std::exchange(shown_unverified_, nullptr)) {
                shelf_.take_verdict(*given_up, Verifying::given_up);
              } else {
                tell_how_far(ended_by);
              }
              recording_.reset();
            };
      });
}

/// The block behind the one that is drawn and the one before it, as long as nobody waits for anything else.
void App::record_ahead() {
  if (busy() || counting_.busy() || player_.playing) return ahead_.pause();
  if (!walks_anywhere() || menus_.on_gpu() || 2 * bytes_of(*loaded()->recording) > shelf_.most_bytes())
    return;
  const Recording& recording = *loaded()->recording;
  const std::uint64_t now = linear_index(recording.grid, recording.event_blocks.front());
  std::vector<Dim3> neighbours;
  if (now + 1 < recording.grid.count()) neighbours.push_back(index_from_linear(recording.grid, now + 1));
  if (now > 0) neighbours.push_back(index_from_linear(recording.grid, now - 1));
  ahead_.record(menus_, neighbours);
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
  const bool recordable = menus_.kernel() != gpu::kCublasId,
             refused = refused_ && same_launch(menus_, refused_->menus);
  const bool wanted = loaded() ? !same_launch(menus_, shelf_.current().menus) : start_error_ && !recording_;
  return recordable && wanted && !refused;
}

void App::follow_row() {
  if (asks_before_leaving()) return;
  if (!same_launch(menus_, seen_menus_)) {
    const bool walked = same_but_drawn(menus_, seen_menus_);
    if (fewer_drawn_ && !walked && menus_.blocks == BlocksMenu::all_draw_one)
      menus_.blocks = BlocksMenu::all;  // Another launch may make fewer accesses
    fewer_drawn_ = fewer_drawn_ && menus_.blocks == BlocksMenu::all_draw_one;
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
  if (path.extension() == ".wlr") return once_saved([this, path] { open_recording(path); });
  const std::string title = tr("Opening {file}", "file"_a = path.filename().string());
  if (is_cuda_file(path) || path.extension() == ".ptx") return open_kernels(path);
  if (path.extension() == ".toml") return give_lesson(path.string());
  fail(title, {tr("this is neither a recording nor a file of kernels"), path.string(),
               tr("Open a .wlr, .cu or .ptx file, or a lesson (.toml).")});
}

void App::open_recording(const std::filesystem::path& path) {
  const std::string title = tr("Opening {file}", "file"_a = path.filename().string());
  start_work(
      title, [this, title, path, cc = menus_.launch.cc](replay::Progress& progress) -> Background::Outcome {
        auto recording = load(path, opening_block, [&](Recording part) {
          opened_so_far_ = make_loaded(std::move(part), cc, path, &progress.cancel, MachineCode::at_hand);
          options_.wake();
        });
        auto loaded = recording
                          ? Result<std::shared_ptr<const Loaded>>(make_loaded(
                                std::move(*recording), cc, path, &progress.cancel, MachineCode::at_hand))
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
  if (to_open_.empty() || next_work_ || after_question_ || (background_.busy() && !recording_)) return;
  const std::filesystem::path path = to_open_.front();
  to_open_.erase(to_open_.begin());
  start_opening(path);
}

void App::give_lesson(const std::string& name) {
  Result<OpenedLesson> opened = open_lesson(name);
  if (!opened.ok()) return messages_.add(tr("Opening the lesson {name}", "name"_a = name), opened.error());
  if (std::filesystem::path(name).extension() == ".toml") settings_.add_recent(name);
  lesson_given_ = name;
  lesson_ = std::make_unique<LessonWindow>(*std::move(opened), meter_.now(), options_.wake);
}

void App::save(const std::filesystem::path& path) {
  if (background_.busy() && shown_unverified_) {  // It is saved with what comes of it
    next_work_ = [this, path] { save(path); };
    return;
  }
  const std::string title = tr("Saving {file}", "file"_a = path.filename().string());
  start_work(title, [this, title, path, loaded = loaded()](replay::Progress&) -> Background::Outcome {
    const auto saved = app::save(*loaded, path);
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
  messages_.add(what, {tr("the window is busy: {work}", "work"_a = background_.what()), "",
                       tr("Wait for it, or press Cancel, and try again")});
}

void App::take_recorded(Result<std::shared_ptr<const Loaded>> loaded, const std::string& title) {
  Recorded recorded = *std::exchange(recording_, std::nullopt);
  if (const auto shown = std::exchange(shown_unverified_, nullptr)) {
    if (loaded) return shelf_.take_verdict(*shown, Verifying::done, (*loaded)->verified);
    shelf_.take_verdict(*shown, Verifying::given_up);
  }
  if (loaded) return show_recorded(*std::move(loaded), recorded);
  refuse(recorded.menus, loaded.error());
  if (!recorded.asked && lacks_arguments()) {  // The launch row has fields for them, and the keyboard
    if (!this->loaded() && !start_error_) start_error_ = loaded.error();
    return;
  }
  if (recorded.asked || !this->loaded()) fail(title, loaded.error(), [this] { record(); });
}

bool App::lacks_arguments() const {
  const FileKernel* const kernel = menus_.launch.file_kernel();
  const FileEntry* const entry =
      kernel == nullptr || !editing_.kernels ? nullptr : editing_.kernels->find(kernel->entry);
  return entry != nullptr && menus_.launch.form && !missing_arguments(*menus_.launch.form, *entry).empty();
}

void App::show_recorded(std::shared_ptr<const Loaded> loaded, Recorded& recorded) {
  if (recorded.menus.blocks != recorded.blocks) {
    if (same_launch(menus_, recorded.menus)) {
      menus_.blocks = recorded.blocks;
      seen_menus_ = menus_;
      fewer_drawn_ = true;
    }
    recorded.menus.blocks = recorded.blocks;
    notice_.show(tr("All blocks make more accesses than are kept: one block is drawn, from which [ and ] "
                    "lead to the others; totals are of all."),
                 meter_.now());
  }
  show(std::move(loaded), recorded.menus);
}

/// A large launch, while its result is verified.
void App::show_unverified() {
  const std::shared_ptr<const Unverified> unverified = unverified_.exchange(nullptr);
  if (!unverified || !recording_ || !background_.busy()) return;
  recording_->blocks = unverified->blocks;
  shown_unverified_ = unverified->loaded->recording;
  show_recorded(unverified->loaded, *recording_);
  background_.go_on_with(tr("Verifying {launch}", "launch"_a = name_of(recording_->menus.launch)));
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
  const Selection selection =
      part ? in_block_of(*part->recording, this->selection(), *(*loaded)->recording) : Selection();
  if (part) shelf_.drop_current();
  show(*std::move(loaded), menus_);
  if (part) this->selection() = clamped(*this->loaded()->recording, selection);
  const std::string opened = tr("{file}: {launch}", "file"_a = name, "launch"_a = launch_in_words(menus_));
  ++opened_together_;
  const bool others = opened_together_ > 1;
  notice_.show_until_action(others ? tr_n(opened_together_,
                                          "{opened}. It is the last of {n} recording that was opened: "
                                          "Alt+Left leads back to the others.",
                                          "{opened}. It is the last of {n} recordings that were opened: "
                                          "Alt+Left leads back to the others.",
                                          "opened"_a = opened)
                                   : opened,
                            others ? tr_n(opened_together_, "{file}, the last of {n} recording",
                                          "{file}, the last of {n} recordings", "file"_a = name)
                                   : name,
                            meter_.now());
}

void App::show(std::shared_ptr<const Loaded> loaded, LaunchMenus menus) {
  const Shown before = shelf_.current();
  const bool walked =
      before.loaded && before.loaded->path == loaded->path && same_but_drawn(before.menus, menus);
  if (walked) loaded = with_machine_code_of(std::move(loaded), *before.loaded);
  // Who edits a kernel wants to see what becomes of the same place.
  const bool goes_to_finding = before.selection.finding && same_but_drawn(before.menus, menus);
  const bool goes_on = before.loaded && (editing_.on || walked || goes_to_finding ||
                                         comparable(*before.loaded->recording, *loaded->recording));
  Selection selection = goes_on
                            ? carried_over(*before.loaded->recording, before.selection, *loaded->recording)
                            : opening_selection(*loaded);
  if (const auto wanted = std::exchange(arriving_, std::nullopt); wanted && wanted->at) {
    if (const auto there = in_block(*loaded->recording, *wanted->at, wanted->block)) selection = *there;
  }
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
  seen_menus_ = menus_;  // Edits are not asked about: what led here leads back to them
}

// What is wrong with a kernel is what there is to see of it; once nothing is, its source comes back.
void App::front_findings() {
  const bool any = !loaded()->recording->findings.empty() &&
                   !editing_.on;  // The editor shows them at their lines, and keeps the keys
  if (any != findings_in_front_) panels_.show(any ? "findings" : "source");
  findings_in_front_ = any;
  // Beside what is typed, too: it is often why one types.
  const bool prints = !loaded()->recording->messages.empty();
  if (prints != output_in_front_) panels_.bring_forward(prints ? "output" : "coalescing");
  output_in_front_ = prints;
}

void App::judge_again() {
  if (!loaded() || background_.busy() || (loaded()->cc == menus_.launch.cc && !words_changed_)) return;
  words_changed_ = false;
  background_.start(
      tr("Applying the memory rules of {capability}", "capability"_a = menus_.launch.cc.name()),
      [this, loaded = loaded(), cc = menus_.launch.cc](replay::Progress& progress) -> Background::Outcome {
        auto judged = judged_by(*loaded, cc, &progress.cancel, MachineCode::at_hand);
        return [this, judged = std::move(judged)]() mutable { shelf_.judge_anew(std::move(judged)); };
      });
}

}  // namespace warplens::app
