#include "app/lesson/scene_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "app/launch/launch_menus.h"
#include "app/launch/launch_spec.h"
#include "app/session/block_details.h"
#include "app/session/comparison.h"
#include "app/session/grid_counts.h"
#include "app/session/matching.h"
#include "app/session/navigation.h"
#include "app/session/place.h"
#include "app/session/subject.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

bool is_of_grid(const Scene& scene) {
  return std::ranges::any_of(viz::views(), [&](const viz::View& view) {
    return view.of_grid && (scene.shows(view.id) || scene.compare == view.id);
  });
}

/// What of a place a recording has not is said, and not put right: a scene is of one access.
Result<Selection> exactly_at(const Recording& recording, const Place& place) {
  const Result<Selection> wanted = selection_at(recording, place);
  if (!wanted.ok()) return wanted.error();
  const Selection found = clamped(recording, *wanted);
  if (found == *wanted) return found;
  return Error{tr("there is no `{place}` in this launch", "place"_a = option_of(place)), "",
               tr("The nearest there is: {place}", "place"_a = option_of(place_of(recording, found)))};
}

/// "A[3][64]" or "x[12]": a name and one or two numbers.
struct ElementWords {
  std::string_view name;
  std::vector<std::uint64_t> indices;
};
std::optional<ElementWords> parse_element(std::string_view text) {
  ElementWords words{text.substr(0, text.find('[')), {}};
  text.remove_prefix(words.name.size());
  while (text.starts_with('[')) {
    std::uint64_t index = 0;
    const auto [stop, error] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
    if (error != std::errc{} || stop == text.data() + text.size() || *stop != ']') return std::nullopt;
    words.indices.push_back(index);
    text.remove_prefix(static_cast<std::size_t>(stop + 1 - text.data()));
  }
  if (!text.empty() || words.name.empty() || words.indices.empty() || words.indices.size() > 2)
    return std::nullopt;
  return words;
}

Result<Done> select_element(const Recording& recording, const std::string& text, Selection& selection) {
  const Error none{
      tr("there is no element `{element}` in this launch", "element"_a = text), "",
      tr("Write NAME[ROW][COLUMN] or NAME[NUMBER], counted from 0, of a buffer or a shared array.")};
  const std::optional<ElementWords> words = parse_element(text);
  if (!words) return none;
  const std::uint64_t row = words->indices.size() == 2 ? words->indices[0] : 0,
                      column = words->indices.back();
  for (std::uint32_t i = 0; i < recording.buffers.size(); ++i) {
    const Buffer& buffer = recording.buffers[i];
    if (buffer.name != words->name) continue;
    if (row >= buffer.rows || column >= buffer.columns) return none;
    selection.element = ElementRef{i, row, column};
    return Done{};
  }
  for (const SharedArray& array : recording.shared_arrays) {
    if (array.name != words->name) continue;
    const std::uint64_t offset = (row * array.pitch + column) * array.element_bytes;
    if (offset >= array.bytes || (words->indices.size() == 2 && column >= array.pitch)) return none;
    selection.shared_word = static_cast<std::uint32_t>((array.offset + offset) / 4);
    return Done{};
  }
  return none;
}

/// "shared load of as": in a lesson's file accesses have their English names, whatever language is spoken.
std::string name_in_file(const Site& site, const std::string& of) {
  std::string name = fmt::format("{} {}", name_of(site.space), name_of(site.op));
  if (of.empty()) return name;
  const bool reads = warplens::reads(site.op, site.space) && !is_atomic(site.op),
             writes = warplens::writes(site.op, site.space) && !is_atomic(site.op);
  return fmt::format("{} {} {}", name, reads ? "of" : writes ? "to" : "on", of);
}

/// The warp's accesses of a source line, or of a kind, or both: the first at or after the phase's beginning,
/// else the first of all.
Result<Selection> at_access(const Loaded& loaded, const Scene& scene, const Selection& from) {
  const Recording& recording = *loaded.recording;
  const std::uint32_t file = loaded.facts->source_file;
  const auto is_meant = [&](std::size_t event) {
    const Site& site = recording.sites[recording.events.site[event]];
    const bool on_line = scene.line_of_code.empty() ||
                         (site.file == file && file < recording.files.size() &&
                          trimmed_line(recording.files[file].text, site.line).find(scene.line_of_code) !=
                              std::string_view::npos);
    return on_line && (scene.access.empty() || scene.access == name_in_file(site, "") ||
                       scene.access == name_in_file(site, picture::array_of(recording, event)));
  };
  const EventRange all = events_of_warp(recording, from.event_block, from.warp);
  const EventRange phase = events_of_phase(recording, from.event_block, from.warp, from.phase);
  for (const std::size_t begin : {phase.begin, all.begin}) {
    for (std::size_t event = begin; event < all.end; ++event) {
      if (is_meant(event)) return at_event(recording, from, event);
    }
  }
  return Error{scene.line_of_code.empty() ? tr("this warp makes no `{access}`", "access"_a = scene.access)
                                          : tr("this warp makes no such access on a line with `{code}`",
                                               "code"_a = scene.line_of_code),
               "",
               tr("`line` is a piece of the source line as it is written, `access` is such as \"shared "
                  "load\" or \"global store to C\".")};
}

Result<Selection> place_of_scene(const Loaded& loaded, const Scene& scene) {
  const Recording& recording = *loaded.recording;
  Selection selection = opening_selection(loaded);
  if (!scene.select.empty()) {
    const Result<Place> place = parse_place(scene.select);
    if (!place.ok()) return place.error();
    Result<Selection> found = exactly_at(recording, *place);
    if (!found.ok()) return found.error();
    selection = *found;
  }
  selection = clamped(recording, selection);
  if (!scene.line_of_code.empty() || !scene.access.empty()) {
    Result<Selection> found = at_access(loaded, scene, selection);
    if (!found.ok()) return found.error();
    selection = *found;
  }
  if (scene.lane) selection.lane = static_cast<int>(*scene.lane);
  if (!scene.element.empty()) {
    if (const Result<Done> done = select_element(recording, scene.element, selection); !done.ok())
      return done.error();
  }
  return selection;
}

void match_against(StagedScene& staged) {
  if (!staged.against) return;
  const Matched match = matched(*staged.loaded, staged.selection, *staged.against);
  staged.against_selection = match.selection;
  staged.unmatched = match.difference;
}

}  // namespace

StagedScene StagedScene::at(const Selection& place) const {
  StagedScene other = *this;
  other.selection = place;
  match_against(other);
  return other;
}

StagedScene StagedScene::at_step(std::uint32_t step) const {
  Selection place = selection;
  place.step = step;
  return at(place);
}

std::uint32_t StagedScene::steps() const {
  return static_cast<std::uint32_t>(
      events_of_phase(*loaded->recording, selection.event_block, selection.warp, selection.phase).size());
}

std::string StagedScene::place() const {
  return option_of(place_of(*loaded->recording, selection));
}

std::optional<std::size_t> StagedScene::event() const {
  return current_event(*loaded->recording, selection);
}

viz::Subject subject_of_scene(const Scene& scene, const StagedScene& staged) {
  viz::Subject subject = subject_of(*staged.loaded, staged.selection);
  subject.details = staged.details;
  if (!staged.against) return subject;
  subject.beside = viz::Side{moment_of(*staged.against, staged.against_selection), staged.against.get()};
  if (!scene.compare.empty())
    subject.drawn = viz::Drawn{viz::find_view(scene.compare), false,
                               staged.unmatched.empty() ? tr("matched by phase") : staged.unmatched};
  const Comparison comparison = compare({*staged.against, {}}, {*staged.loaded, {}});
  subject.changes =
      std::make_shared<const picture::Changes>(changes_of(comparison, scene.against, scene.launch));
  return subject;
}

Result<LaunchRequest> ScenePlayer::request_of(const LaunchSpec& spec,
                                              analysis::ComputeCapability rules) const {
  const SubjectKind kind = kind_of(spec.subject);
  if (kind == SubjectKind::catalog_kernel) return make_request(kind, spec.subject, spec.words, rules);
  const auto cuda = std::ranges::find(beside_, spec.subject, &SourceFile::name);
  const auto ptx = std::ranges::find(
      beside_, std::filesystem::path(spec.subject).replace_extension(".ptx").string(), &SourceFile::name);
  if (cuda == beside_.end() || ptx == beside_.end()) {
    const std::filesystem::path file = folder_ / spec.subject;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
      return Error{tr("there is no such file"), file.string(), tr("Files are looked for beside the lesson.")};
    return make_request(kind, file.string(), spec.words, rules);
  }
  LaunchRequest request;
  request.origin = FileKernel{.file = spec.subject,
                              .entry = spec.words.entry,
                              .text = ptx->text,
                              .sources = {},
                              .source_folders = {},
                              .cuda = cuda->text};
  Result<LaunchForm> form = launch_form_of(spec.words);
  if (!form.ok()) return form.error();
  request.form = *std::move(form);
  request.cc = rules;
  return request;
}

Result<std::shared_ptr<const Loaded>> ScenePlayer::load(const std::string& words,
                                                        analysis::ComputeCapability rules,
                                                        const Scene& scene) {
  const bool of_grid = is_of_grid(scene);
  std::shared_ptr<const Loaded>& kept = loaded_[fmt::format("{} {} {}", words, rules.name(), of_grid)];
  if (kept) return kept;
  const Result<LaunchSpec> spec = parse_launch_spec(words, {});
  if (!spec.ok()) return spec.error();
  rules = spec->cc.value_or(rules);
  if (kind_of(spec->subject) == SubjectKind::recording) {
    const std::filesystem::path path = folder_ / spec->subject;
    Result<Recording> recording = warplens::load(path);
    if (!recording.ok()) return recording.error();
    return kept = make_loaded(*std::move(recording), rules, path, nullptr, MachineCode::made);
  }
  Result<LaunchRequest> request = request_of(*spec, rules);
  if (!request.ok()) return request.error();
  request->event_blocks = BlockChoice{};
  if (has_too_many_events(*request, nullptr)) {
    const Result<Place> place = scene.select.empty() ? Place{} : parse_place(scene.select);
    const Result<Dim3> grid = grid_of(*request);
    if (grid.ok() && place.ok())
      request->event_blocks =
          BlockChoice{.all = false, .blocks = {scene.select.empty() ? middle_of(*grid) : place->block}};
  }
  Result<LaunchResult> result = launch(*request);
  if (!result.ok()) return result.error();
  std::shared_ptr<const Loaded> loaded =
      make_loaded(std::move(result->recording), rules, {}, nullptr, MachineCode::made);
  if (of_grid) {
    Result<std::shared_ptr<const Loaded>> counted = with_grid_counts(std::move(loaded));
    if (!counted.ok()) return counted.error();
    loaded = *std::move(counted);
  }
  return kept = std::move(loaded);
}

Result<StagedScene> ScenePlayer::staged(const Scene& scene) {
  const Result<analysis::ComputeCapability> rules = analysis::parse_compute_capability(scene.rules);
  if (!rules.ok()) return rules.error();
  StagedScene staged;
  Result<std::shared_ptr<const Loaded>> loaded = load(scene.launch, *rules, scene);
  if (!loaded.ok()) return loaded.error();
  staged.loaded = *std::move(loaded);
  if (!scene.against.empty()) {
    Result<std::shared_ptr<const Loaded>> against = load(scene.against, *rules, scene);
    if (!against.ok()) return against.error();
    staged.against = *std::move(against);
  }
  const Result<Selection> selection = place_of_scene(*staged.loaded, scene);
  if (!selection.ok()) return selection.error();
  staged.selection = *selection;
  match_against(staged);
  bool needs_details = false, of_cluster = false;
  for (const viz::View& view : viz::views()) {
    const bool has_them = view.needs_details != nullptr && scene.shows(view.id) &&
                          view.needs_details(*staged.loaded->recording, *staged.loaded->facts);
    needs_details = needs_details || has_them;
    of_cluster = of_cluster || (has_them && view.of_cluster);
  }
  if (needs_details) {
    Result<std::shared_ptr<const BlockDetails>> details =
        block_details(*staged.loaded, staged.selection, of_cluster ? DetailsOf::cluster : DetailsOf::block);
    if (!details.ok()) return details.error();
    staged.details = *std::move(details);
  }
  return staged;
}

Result<StagedScene> ScenePlayer::play(const Lesson& lesson, const Scene& scene) {
  Result<StagedScene> result = staged(scene);
  if (result.ok()) return result;
  // The place in the lesson comes first; that in a kernel's file is told too.
  Error error = result.error();
  if (!error.where.empty()) error.what = error.where + ": " + error.what;
  error.where = lesson.place(scene.line);
  return error;
}

}  // namespace warplens::app
