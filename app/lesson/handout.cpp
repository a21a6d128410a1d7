#include "app/lesson/handout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "app/lesson/handout_parts.h"
#include "app/lesson/shipped.h"
#include "app/session/navigation.h"
#include "kernels/base/files.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "viz/export/export.h"
#include "viz/picture/source_margin.h"

namespace warplens::app {

Result<picture::Picture> view_of_scene(const Scene& scene, const StagedScene& staged, const std::string& view,
                                       picture::Size size, bool dark, float scale) {
  return viz::make_view({.view = view,
                         .subject = subject_of_scene(scene, staged),
                         .width = size.width,
                         .height = size.height,
                         .scale = scene.zoom * scale,
                         .dark = dark,
                         .subject_owner = staged.loaded});
}

std::uint32_t line_of_scene(const StagedScene& staged) {
  const auto event = staged.event();
  return event ? staged.loaded->recording->sites[staged.loaded->recording->events.site[*event]].line : 0;
}

SourceExcerpt excerpt_of(const StagedScene& staged, std::uint32_t max_lines) {
  const Recording& recording = *staged.loaded->recording;
  const std::uint32_t file = staged.loaded->facts->source_file;
  SourceExcerpt excerpt;
  excerpt.current = line_of_scene(staged);
  if (file >= recording.files.size() || recording.files[file].text.empty() || excerpt.current == 0)
    return excerpt;
  const std::vector<std::string> all = picture::source_lines(recording.files[file].text);
  std::uint32_t first = excerpt.current, last = excerpt.current;
  const Selection& at = staged.selection;
  const EventRange phase = events_of_phase(recording, at.event_block, at.warp, at.phase);
  for (std::size_t event = phase.begin; event < phase.end; ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.file != file || site.line == 0) continue;
    first = std::min(first, site.line);
    last = std::max(last, site.line);
  }
  constexpr std::uint32_t kBefore = 8, kBehind = 2;  // Indices are worked out above the accesses
  const auto lines = static_cast<std::uint32_t>(all.size());
  first = first > kBefore ? first - kBefore : 1;
  last = std::min(last + kBehind, lines);
  if (last + 1 - first > max_lines) {
    first = std::max(first, excerpt.current > max_lines * 2 / 3 ? excerpt.current - max_lines * 2 / 3 : 1);
    last = std::min(last, first + max_lines - 1);
  }
  const auto says_nothing = [&](std::uint32_t line) {
    const std::string_view text = trimmed_line(recording.files[file].text, line);
    return text.empty() || text.starts_with("//");
  };
  while (first < excerpt.current && says_nothing(first)) ++first;
  excerpt.first = first;
  for (std::uint32_t line = first; line <= last; ++line) excerpt.lines.push_back(all[line - 1]);
  return excerpt;
}

std::string place_in_words(const Scene& scene, const StagedScene& staged) {
  const Recording& recording = *staged.loaded->recording;
  if (staged.selection.event_block >= recording.event_blocks.size()) return scene.launch;
  const Dim3 block = recording.event_blocks[staged.selection.event_block];
  return tr("{launch} · block ({x}, {y}) · warp {warp} · phase {phase} of {phases}",
            "launch"_a = scene.launch, "x"_a = block.x, "y"_a = block.y, "warp"_a = staged.selection.warp,
            "phase"_a = staged.selection.phase + 1, "phases"_a = recording.phases.size());
}

std::string right_answer(const FilledQuestion& question) {
  return fmt::format("{}. {}", question.right + 1, question.answers[question.right]);
}

Result<std::string> make_handout(const Lesson& lesson, ScenePlayer& player, std::string_view extension,
                                 const std::string& page) {
  assert(std::ranges::find(kHandouts, extension) != kHandouts.end());
  return extension == ".pdf" ? make_pdf_handout(lesson, player) : make_html_handout(lesson, player, page);
}

Result<Done> make_handout_file(const std::string& lesson, const std::filesystem::path& path) {
  if (std::ranges::find(kHandouts, path.extension().string()) == kHandouts.end())
    return Error{tr("`{file}` is no handout's file", "file"_a = path.filename().string()), "",
                 tr("End its name in .html or .pdf.")};
  Result<OpenedLesson> opened = open_lesson(lesson);
  if (!opened.ok()) return opened.error();
  const Result<std::string> handout = make_handout(opened->lesson, opened->player, path.extension().string());
  return handout.ok() ? write_text(path, *handout) : handout.error();
}

}  // namespace warplens::app
