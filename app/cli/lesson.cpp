#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/languages/languages.h"
#include "app/lesson/fields.h"
#include "app/lesson/handout.h"
#include "app/lesson/shipped.h"
#include "app/lesson/words.h"
#include "kernels/base/files.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

struct LessonOptions {
  std::string lesson;
  std::filesystem::path handout;
  std::string page;
  std::string language{kEnglish};
  bool list = false, fields = false, check = false, json = false;
};

/// A line of several, each with a margin.
std::string indented(const std::string& text, const char* margin) {
  std::string lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += margin + escaped(text.substr(begin, end - begin)) + '\n';
    begin = end + 1;
  }
  return lines;
}

ordered_json figure_json(const FilledFigure& figure) {
  return {{"field", figure.name},
          {"text", figure.text},
          {"value", figure.number ? ordered_json(*figure.number) : ordered_json(nullptr)}};
}

ordered_json question_json(const FilledScene& words) {
  if (!words.question) return nullptr;
  return {{"asks", words.question->asks},
          {"answers", words.question->answers},
          {"right", words.question->right + 1}};
}

ordered_json scene_json(const Scene& scene, const StagedScene& staged, const FilledScene& words) {
  ordered_json figures = ordered_json::array();
  for (const FilledFigure& figure : words.figures) figures.push_back(figure_json(figure));
  return {{"title", words.title},
          {"launch", scene.launch},
          {"against", scene.against.empty() ? ordered_json(nullptr) : ordered_json(scene.against)},
          {"rules", staged.loaded->cc.name()},
          {"select", staged.place()},
          {"views", scene.views},
          {"sentence", words.sentence},
          {"notes", words.notes},
          {"figures", std::move(figures)},
          {"question", question_json(words)}};
}

std::string scene_text(std::size_t number, const Scene& scene, const FilledScene& words) {
  std::string text = fmt::format("\n{}. {}  ({})\n", number, escaped(words.title), escaped(scene.launch));
  if (words.question) {
    text += indented("Question: " + words.question->asks, "   ");
    for (std::size_t i = 0; i < words.question->answers.size(); ++i)
      text += indented(fmt::format("{}) {}{}", i + 1, words.question->answers[i],
                                   i == words.question->right ? "  (right)" : ""),
                       "     ");
  }
  text += indented(words.sentence, "   ");
  if (!words.notes.empty()) text += indented("Notes: " + words.notes, "   ");
  return text;
}

void list_lessons(Context& context, bool json) {
  ordered_json all = ordered_json::array();
  for (const std::string& name : shipped_lessons()) {
    const Result<OpenedLesson> opened = open_lesson(name);
    if (!opened.ok()) return context.fail(opened.error());
    const Lesson& lesson = opened->lesson;
    all.push_back(
        {{"name", name}, {"title", lesson.title}, {"about", lesson.about}, {"scenes", lesson.scenes.size()}});
    if (!json)
      context.out << fmt::format("{:<12}{} ({} scenes)\n{:<12}{}\n", name, lesson.title, lesson.scenes.size(),
                                 "", lesson.about);
  }
  if (json) print_document(context.out, {{"lessons", std::move(all)}});
}

void list_fields(Context& context, bool json) {
  ordered_json all = ordered_json::array();
  for (const LessonField& field : lesson_fields()) {
    all.push_back({{"field", field.name}, {"meaning", field.meaning}});
    if (!json) context.out << fmt::format("{:<42}{}\n", field.name, field.meaning);
  }
  if (json) print_document(context.out, {{"fields", std::move(all)}});
}

void check_lesson(Context& context, OpenedLesson& opened, bool json) {
  const std::vector<Error> problems = problems_of(opened.lesson, opened.player);
  if (json) {
    ordered_json all = ordered_json::array();
    for (const Error& problem : problems)
      all.push_back({{"where", problem.where}, {"what", problem.what}, {"hint", problem.hint}});
    print_document(context.out, {{"scenes", opened.lesson.scenes.size()}, {"problems", std::move(all)}});
  } else if (problems.empty()) {
    context.out << fmt::format("{} scenes, and nothing wrong with them.\n", opened.lesson.scenes.size());
  } else {
    for (const Error& problem : problems) context.out << problem.message() << '\n';
  }
  if (!problems.empty()) context.status = kFailed;
}

void write_handout(Context& context, OpenedLesson& opened, const std::filesystem::path& path,
                   const std::string& page) {
  const Result<std::string> handout =
      make_handout(opened.lesson, opened.player, path.extension().string(), page);
  if (!handout.ok()) return context.fail(handout.error());
  if (const Result<Done> done = write_text(path, *handout); !done.ok()) return context.fail(done.error());
  context.err << fmt::format("{}: {}, {} scenes\n", escaped(path.string()), escaped(opened.lesson.title),
                             opened.lesson.scenes.size());
}

void print_lesson(Context& context, OpenedLesson& opened, bool json) {
  const Lesson& lesson = opened.lesson;
  ordered_json scenes = ordered_json::array();
  std::string text = escaped(lesson.title) + '\n';
  if (!lesson.about.empty()) text += indented(lesson.about, "");
  for (const Scene& scene : lesson.scenes) {
    const Result<PreparedScene> ready = prepared(lesson, scene, opened.player);
    if (!ready.ok()) return context.fail(ready.error());
    if (json) {
      scenes.push_back(scene_json(scene, ready->staged, ready->words));
    } else {
      text += scene_text(scenes.size() + 1, scene, ready->words);
      scenes.push_back(nullptr);
    }
  }
  if (json) {
    print_document(context.out,
                   {{"title", lesson.title}, {"about", lesson.about}, {"scenes", std::move(scenes)}});
  } else {
    context.out << text;
  }
}

/// Whether it is a path, or leads to a web server.
bool is_address(const std::string& page) {
  const std::size_t scheme = page.find(':');
  return scheme == std::string::npos || page.find('/') < scheme || page.starts_with("https://") ||
         page.starts_with("http://");
}

void run_lesson(Context& context, const LessonOptions& options) {
  speak(options.language);
  if (options.list) return list_lessons(context, options.json);
  if (options.fields) return list_fields(context, options.json);
  if (options.lesson.empty())
    return context.misuse(
        {"there is no lesson named", "",
         fmt::format("Name a lesson's file, or one that ships: {}.", fmt::join(shipped_lessons(), ", "))});
  if (!options.handout.empty() &&
      std::ranges::find(kHandouts, options.handout.extension().string()) == kHandouts.end())
    return context.misuse({fmt::format("`{}` is no handout's file", options.handout.string()), "",
                           "End its name in .html or .pdf."});
  if (!options.page.empty() && options.handout.extension() != ".html")
    return context.misuse({"--page goes with a handout for a browser", "", "Give --handout OUT.html too."});
  if (!is_address(options.page))
    return context.misuse(
        {fmt::format("`{}` is no page's address", escaped(options.page)), "",
         "Name a folder beside the handout, or an address that begins with https:// or http://."});
  Result<OpenedLesson> opened = open_lesson(options.lesson);
  if (!opened.ok()) return context.fail(opened.error());
  if (options.check) check_lesson(context, *opened, options.json);
  if (!options.handout.empty() && context.status == kDone)
    write_handout(context, *opened, options.handout, options.page);
  if (context.status == kDone && !options.check && (options.json || options.handout.empty()))
    print_lesson(context, *opened, options.json);
}

}  // namespace

void add_lesson(Program& program, Context& context) {
  auto options = std::make_shared<LessonOptions>();
  const CliCommand command = program.add_command(
      "lesson", "A lesson's scenes, with their figures from recordings made now; as a handout as well");
  command.add_option("lesson", options->lesson, "A lesson's file, or one that ships").value_name("FILE|NAME");
  command.add_flag("--list", options->list, "The lessons that ship");
  command.add_flag("--fields", options->fields, "The fields that the words of a lesson may name");
  command.add_flag(
      "--check", options->check,
      "Only say what is wrong: launches, places and fields that there are not, numbers that are no fields");
  command
      .add_option("--handout", options->handout,
                  "Write it as one file for a browser, or as A4 pages; the extension says what")
      .value_name("OUT.html|OUT.pdf");
  command
      .add_option(
          "--page", options->page,
          "Where Warplens for browsers is (docs/browser.md), seen from the handout: its scenes can then "
          "be launched with other values there")
      .value_name("FOLDER|ADDRESS");
  command
      .add_option("--language", options->language,
                  "Of the lesson's words, the handout's with them; English if not given")
      .check(why_not_spoken)
      .value_name(fmt::format("{}", fmt::join(tags_of_languages(), "|")));
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.footer(
      "Examples:\n"
      "  warplens lesson --list\n"
      "  warplens lesson banks\n"
      "  warplens lesson my_lecture.toml --check\n"
      "  warplens lesson banks --handout banks.html");
  command.action([&context, options] { run_lesson(context, *options); });
}

}  // namespace warplens::app
