#include "app/shell/controllers/recording_controller.h"
#include "app/launch/resolve.h"

#include <algorithm>
#include <utility>

#include "app/launch/missing_arguments.h"
#include "app/session/navigation.h"
#include "app/shell/controllers/editing_controller.h"
#include "app/shell/controllers/gpu_controller.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

constexpr double kTypingPause = 0.25;  ///< In seconds: who types a number has not said it yet

}  // namespace

RecordingController::RecordingController(const ShellContext& shell, EditingController& editing,
                                         GpuController& gpu, Openers openers)
    : shell_(shell),
      editing_(editing),
      gpu_(gpu),
      openers_(std::move(openers)),
      held_(std::uint64_t{shell.settings.recordings_mb} << 20),
      ahead_(shell.options.wake),
      counting_(shell.options.wake,
                [this](const std::string& what, const Error& error) { shell_.messages.add(what, error); }),
      background_(shell.options.wake, [this](const std::string& what, const Error& error) {
        end_recording(error);
        if (take_opened_part()) go(&Recordings::drop_current);
        fail(what, error);
      }) {}

void RecordingController::start() {
  const std::filesystem::path& file = shell_.options.open;
  // Behind a lesson, and what one chooses a kernel from, is the usual first recording.
  if (file.empty() || file.extension() == ".toml" || is_listed_first(file)) record();
  if (!file.empty()) open(file);
}

void RecordingController::take_finished_work() {
  background_.poll();
  ahead_.poll();
}

void RecordingController::continue_work() {
  open_fetched();
  if (next_work_ && !background_.busy()) std::exchange(next_work_, nullptr)();
  open_next();
  cost_again();
}

void RecordingController::show_partial_results() {
  show_opened_so_far();
  show_unverified();
}

void RecordingController::work_ahead() {
  count_elements();
  record_ahead();
}

bool RecordingController::busy() const {
  return background_.busy() || gpu_.busy() || fetched_ || (!to_open_.empty() && !editing_.asks_to_save());
}

double RecordingController::record_at() const {
  return menus_changed_ + kTypingPause;
}

void RecordingController::row_has_changed(double at) {
  menus_changed_ = at;
  accept_row();
  refused_.reset();
}

const Error* RecordingController::refused() const {
  return refused_ && same_launch(shell_.menus, refused_->menus) ? &refused_->why : nullptr;
}

void RecordingController::take_fetched(std::string title, std::vector<std::byte> wlr,
                                       analysis::ComputeCapability cc) {
  fetched_ = Fetched{std::move(title), std::move(wlr), cc};
}

void RecordingController::fail(const std::string& title, const Error& error, std::function<void()> retry) {
  shell_.messages.add(title, error, std::move(retry));
  if (loaded() || start_error_) return;
  start_error_ = error;
  if (error.where.empty()) start_error_->where = title;
  if (!shell_.options.open.empty()) record();
}

void RecordingController::allow_reading(const std::string& folder) {
  readable_folders_.emplace_back(folder);
  refused_.reset();
  if (!editing_.folder_of_include().empty()) editing_.compile_again();
}

LaunchRequest RecordingController::with_readable_folders(LaunchRequest request) const {
  if (FileKernel* const kernel = std::get_if<FileKernel>(&request.origin); kernel != nullptr) {
    kernel->source_folders.insert(kernel->source_folders.end(), readable_folders_.begin(),
                                  readable_folders_.end());
  }
  return request;
}

void RecordingController::record() {
  if (!busy() && !editing_.asks_before_leaving()) record_row(true);
}

void RecordingController::record_row(bool asked, bool whole) {
  refused_.reset();
  seen_menus_ = shell_.menus;
  auto request = request_of(shell_.menus);
  if (!request) {
    refuse(shell_.menus, request.error());
    if (asked) fail(tr("Recording {launch}", "launch"_a = name_of(shell_.menus.launch)), request.error());
    return;
  }
  request = with_readable_folders(*std::move(request));
  request->whole_result |= whole;
  recording_ = {shell_.menus, asked};
  if (const auto ahead = asked || whole ? nullptr : ahead_.find(shell_.menus))
    return take_recorded(ahead, {});
  if (!shell_.menus.on_gpu()) return record_here(*request);
  if (shell_.menus.blocks != BlocksMenu::all) return record_there(*request);
  const std::string title = tr("Recording {launch}", "launch"_a = name_of(*request));
  background_.start(title,
                    [this, menus = shell_.menus, request = *std::move(request)](
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

/// Chooses the events of one block for a launch whose accesses are too many to keep.
void RecordingController::draw_fewer(LaunchMenus& menus, LaunchRequest& request, replay::Progress& progress) {
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

void RecordingController::record_there(const LaunchRequest& request) {
  const Result<LaunchRequest> launch = resolved(compiled_for_gpu(request, gpu_.gpus()));
  if (launch.ok()) return gpu_.record(*launch);
  const bool asked = recording_ && recording_->asked;
  end_recording(launch.error());
  if (asked) {
    fail(tr("Recording {launch}", "launch"_a = name_of(request)), launch.error(), [this] { record(); });
  }
}

void RecordingController::end_recording(const Error& why) {
  if (recording_) refuse(recording_->menus, why);
  recording_.reset();
}

void RecordingController::record_here(LaunchRequest request) {
  const std::string title = request.whole_result
                                ? tr("Verifying every block of {launch}", "launch"_a = name_of(request))
                                : tr("Recording {launch}", "launch"_a = name_of(request));
  background_.start(
      title,
      [this, title, menus = shell_.menus,
       request = std::move(request)](replay::Progress& progress) mutable -> Background::Outcome {
        draw_fewer(menus, request, progress);
        const EarlyPicture early{
            shell_.options.verification_patience,
            [this, blocks = menus.blocks](std::shared_ptr<const Loaded> loaded) {
              unverified_ = std::make_shared<const Unverified>(Unverified{std::move(loaded), blocks});
              shell_.options.wake();
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
                held_.take_verdict(*given_up, Verifying::given_up);
              } else {
                tell_how_far(ended_by);
              }
              recording_.reset();
            };
      });
}

/// The block behind the one that is drawn and the one before it, as long as nobody waits for anything else.
void RecordingController::record_ahead() {
  if (busy() || counting_.busy() || shell_.player.playing) return ahead_.pause();
  if (!walks_anywhere() || shell_.menus.on_gpu() || 2 * bytes_of(*loaded()->recording) > held_.most_bytes())
    return;
  const Recording& recording = *loaded()->recording;
  const std::uint64_t now = linear_index(recording.grid, recording.event_blocks.front());
  std::vector<Dim3> neighbours;
  if (now + 1 < recording.grid.count()) neighbours.push_back(index_from_linear(recording.grid, now + 1));
  if (now > 0) neighbours.push_back(index_from_linear(recording.grid, now - 1));
  ahead_.record(shell_.menus, neighbours);
}

// Who cancels a kernel that goes on too long wants to know where it was.
void RecordingController::tell_how_far(const Error& ended_by) {
  const bool asked = recording_ && refused_ && same_launch(refused_->menus, recording_->menus);
  if (!asked || ended_by.hint.empty()) return;
  refused_->why = {tr("cancelled in {place}", "place"_a = ended_by.where), ended_by.where,
                   ended_by.hint + " " + tr("Press Record (F5) to record it")};
  shell_.messages.add(tr("Recording {launch}", "launch"_a = name_of(recording_->menus.launch)), ended_by);
}

bool RecordingController::row_is_shown() const {
  return loaded() && loaded()->cc == shell_.menus.launch.cc &&
         same_launch(shell_.menus, held_.current().menus);
}

bool RecordingController::record_due() const {
  const bool recordable = shell_.menus.kernel() != gpu::kCublasId,
             refused = refused_ && same_launch(shell_.menus, refused_->menus);
  const bool wanted =
      loaded() ? !same_launch(shell_.menus, held_.current().menus) : start_error_ && !recording_;
  return recordable && wanted && !refused;
}

void RecordingController::follow_row() {
  if (editing_.asks_before_leaving()) return;
  if (!same_launch(shell_.menus, seen_menus_)) {
    const bool walked = same_but_drawn(shell_.menus, seen_menus_);
    if (fewer_drawn_ && !walked && shell_.menus.blocks == BlocksMenu::all_draw_one)
      shell_.menus.blocks = BlocksMenu::all;  // Another launch may make fewer accesses
    fewer_drawn_ = fewer_drawn_ && shell_.menus.blocks == BlocksMenu::all_draw_one;
    seen_menus_ = shell_.menus;
    menus_changed_ = shell_.now();
    refused_.reset();
  }
  if (!record_due()) return;
  if (ImGui::IsAnyItemActive() && shell_.now() < menus_changed_ + kTypingPause) return;
  const bool outdated = recording_ && !same_launch(shell_.menus, recording_->menus);
  if (outdated && background_.busy()) background_.cancel();
  if (!busy()) record_row(false);
}

/// Whether another block than the one that is drawn is recorded at once.
bool RecordingController::walks_anywhere() const {
  constexpr std::uint64_t kSoon =
      50'000'000;  // Warp instructions, all of them replayed: some tenths of a second
  if (!row_is_shown() || shell_.menus.blocks != BlocksMenu::all_draw_one) return false;
  const Recording& recording = *loaded()->recording;
  return recording.event_blocks.size() == 1 &&
         (recording.blocks_extrapolated > 0 || recording.warp_instructions < kSoon || shell_.menus.on_gpu());
}

void RecordingController::take_recorded(Result<std::shared_ptr<const Loaded>> loaded,
                                        const std::string& title) {
  Recorded recorded = *std::exchange(recording_, std::nullopt);
  if (const auto shown = std::exchange(shown_unverified_, nullptr)) {
    if (loaded) return held_.take_verdict(*shown, Verifying::done, (*loaded)->verified);
    held_.take_verdict(*shown, Verifying::given_up);
  }
  if (loaded) return show_recorded(*std::move(loaded), recorded);
  refuse(recorded.menus, loaded.error());
  if (!recorded.asked && lacks_arguments()) {  // The launch row has fields for them, and the keyboard
    if (!this->loaded() && !start_error_) start_error_ = loaded.error();
    return;
  }
  if (recorded.asked || !this->loaded()) fail(title, loaded.error(), [this] { record(); });
}

bool RecordingController::lacks_arguments() const {
  const FileKernel* const kernel = shell_.menus.launch.file_kernel();
  const FileEntry* const entry = kernel == nullptr || !editing_.source().kernels
                                     ? nullptr
                                     : editing_.source().kernels->find(kernel->entry);
  return entry != nullptr && shell_.menus.launch.form &&
         !missing_arguments(*shell_.menus.launch.form, *entry).empty();
}

void RecordingController::show_recorded(std::shared_ptr<const Loaded> loaded, Recorded& recorded) {
  if (recorded.menus.blocks != recorded.blocks) {
    if (same_launch(shell_.menus, recorded.menus)) {
      shell_.menus.blocks = recorded.blocks;
      seen_menus_ = shell_.menus;
      fewer_drawn_ = true;
    }
    recorded.menus.blocks = recorded.blocks;
    shell_.notice.show(
        tr("All blocks make more accesses than are kept: one block is drawn, from which [ and ] "
           "lead to the others; totals are of all."),
        shell_.now());
  }
  show(std::move(loaded), recorded.menus);
}

/// A large launch, while its result is verified.
void RecordingController::show_unverified() {
  const std::shared_ptr<const Unverified> unverified = unverified_.exchange(nullptr);
  if (!unverified || !recording_ || !background_.busy()) return;
  recording_->blocks = unverified->blocks;
  shown_unverified_ = unverified->loaded->recording;
  show_recorded(unverified->loaded, *recording_);
  background_.go_on_with(tr("Verifying {launch}", "launch"_a = name_of(recording_->menus.launch)));
}

/// A recording that came from the GPU's worker is decoded where other long work is done.
void RecordingController::open_fetched() {
  if (!fetched_ || background_.busy()) return;
  background_.start(
      fetched_->title,
      [this, fetched = std::exchange(fetched_, std::nullopt),
       launched = recording_ ? recording_->menus.launch
                             : LaunchRequest()](replay::Progress& progress) mutable -> Background::Outcome {
        launched.cc = fetched->cc;
        auto recording = decode(fetched->wlr);
        auto loaded = recording ? Result<std::shared_ptr<const Loaded>>(make_loaded(
                                      std::move(*recording), launched, &progress.cancel, MachineCode::made))
                                : recording.error();
        return [this, title = fetched->title, loaded = std::move(loaded)]() mutable {
          if (recording_) take_recorded(std::move(loaded), title);  // Else it was cancelled
        };
      });
}

void RecordingController::cancel() {
  if (recording_) refuse(recording_->menus, {tr("cancelled"), "", tr("Press Record (F5) to record it")});
  if (!background_.busy()) recording_.reset();
  to_open_.clear();
  background_.cancel();
  gpu_.cancel();
}

}  // namespace warplens::app
