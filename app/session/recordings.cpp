#include "app/session/recordings.h"

#include <utility>

#include "app/session/counter_check.h"
#include "app/session/grid_counts.h"

namespace warplens::app {
namespace {

/// They are of the launch, whichever blocks' events were recorded.
void keep_counts(const Loaded& before, Shown& shown) {
  if (before.hardware) shown.loaded = with_hardware(*shown.loaded, *before.hardware);
  if (has_counts(before) && lacks_events(*shown.loaded->recording))
    shown.loaded = with_counts(*shown.loaded, before.grid_counts);
}

}  // namespace

// The events are most of it, and then the patterns.
std::uint64_t bytes_of(const Recording& recording) {
  constexpr std::uint64_t kEvent = 7 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
  std::uint64_t bytes =
      recording.events.size() * kEvent + recording.shapes.size() * sizeof(Shape) + recording.ptx.size();
  for (const SiteTotals& totals : recording.totals) bytes += totals.patterns.size() * sizeof(PatternCount);
  return bytes;
}

void Recordings::add(Shown shown) {
  const bool again = current().loaded && current().loaded->path == shown.loaded->path &&
                     same_but_drawn(current().menus, shown.menus);
  if (again) keep_counts(*current().loaded, shown);
  if (current().loaded && !again) ++at_;
  shown_.resize(at_);
  shown_.push_back(std::move(shown));
  forget_beyond_limit();
}

void Recordings::replace_current(std::shared_ptr<const Loaded> loaded) {
  if (!current().loaded || current().loaded->recording != loaded->recording) return;
  // It may have been costed before a GPU had counted.
  if (current().loaded->hardware && !loaded->hardware)
    loaded = with_hardware(*loaded, *current().loaded->hardware);
  shown_[at_].loaded = std::move(loaded);
}

void Recordings::take_verdict(const Recording& recording, Verifying verifying, std::optional<bool> verified) {
  for (Shown& shown : shown_) {
    if (shown.loaded && shown.loaded->recording.get() == &recording)
      shown.loaded = with_verdict(*shown.loaded, verifying, verified);
  }
}

void Recordings::note_run(const gpu::RunResult& run) {
  if (gpu::failed(run)) return;
  for (Shown& shown : shown_) {
    if (shown.loaded && shown.menus.launch.catalog_kernel() != nullptr && is_of(run, shown.menus))
      shown.run = run;
  }
}

void Recordings::drop_current() {
  shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(at_));
  if (shown_.empty()) shown_.emplace_back();
  at_ -= can_go_back() ? 1 : 0;
}

void Recordings::forget_beyond_limit() {
  std::uint64_t bytes = 0;
  for (const Shown& shown : shown_) bytes += bytes_of(*shown.loaded->recording);
  bytes -= bytes_of(*current().loaded->recording);
  while (bytes > most_bytes_ && at_ > 0) {
    bytes -= bytes_of(*shown_.front().loaded->recording);
    shown_.erase(shown_.begin());
    --at_;
  }
}

bool comparable(const Recording& a, const Recording& b) {
  return a.kernel == b.kernel && a.origin == b.origin && a.origin_file == b.origin_file &&
         a.event_blocks == b.event_blocks && a.phases.size() == b.phases.size() &&
         a.events.size() == b.events.size();
}

}  // namespace warplens::app
