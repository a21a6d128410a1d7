#include "app/lesson/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "assets/lessons.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::string_view kExtension = ".toml";
constexpr std::uint64_t kMostLessonBytes = 4u << 20;

/// Files of shipped lessons begin with their place: "1-coalescing.toml".
std::string name_of_file(std::string_view file) {
  file.remove_prefix(file.find('-') + 1);
  file.remove_suffix(kExtension.size());
  return std::string(file);
}

std::vector<SourceFile> files_of_shipped() {
  std::vector<SourceFile> files;
  for (const lessons::EmbeddedFile& file : lessons::embedded_files()) {
    if (!file.name.ends_with(kExtension)) files.push_back({std::string(file.name), std::string(file.bytes)});
  }
  return files;
}

/// Translates words of shipped lessons, which are in the catalogue.
void translate(LessonText& words) {
  if (!words.empty()) words.text = tr(words.text.c_str());
}

void translate(Lesson& lesson) {
  lesson.title = tr(lesson.title.c_str());
  lesson.about = tr(lesson.about.c_str());
  for (Scene& scene : lesson.scenes) {
    scene.title = tr(scene.title.c_str());
    translate(scene.sentence);
    translate(scene.notes);
    if (!scene.question) continue;
    translate(scene.question->asks);
    for (LessonText& answer : scene.question->answers) translate(answer);
  }
}

}  // namespace

std::vector<std::string> shipped_lessons() {
  std::vector<std::string> files;
  for (const lessons::EmbeddedFile& file : lessons::embedded_files()) {
    if (file.name.ends_with(kExtension)) files.emplace_back(file.name);
  }
  std::ranges::sort(files);
  for (std::string& file : files) file = name_of_file(file);
  return files;
}

Result<OpenedLesson> open_lesson(const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    for (const lessons::EmbeddedFile& file : lessons::embedded_files()) {
      if (!file.name.ends_with(kExtension) || name_of_file(file.name) != name) continue;
      Result<Lesson> lesson = parse_lesson(file.bytes, name + std::string(kExtension));
      if (!lesson.ok()) return lesson.error();
      translate(*lesson);
      return OpenedLesson{*std::move(lesson), ScenePlayer({}, files_of_shipped())};
    }
    return Error{tr("there is no lesson `{name}`", "name"_a = name), "",
                 tr("Name a lesson's file, or one that ships: {lessons}.",
                    "lessons"_a = fmt::join(shipped_lessons(), ", "))};
  }
  const Result<std::vector<std::byte>> bytes = read_file(name, kMostLessonBytes);
  if (!bytes.ok()) return bytes.error();
  Result<Lesson> lesson = parse_lesson({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, name);
  if (!lesson.ok()) return lesson.error();
  lesson->source.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return OpenedLesson{*std::move(lesson), ScenePlayer(std::filesystem::path(name).parent_path())};
}

}  // namespace warplens::app
