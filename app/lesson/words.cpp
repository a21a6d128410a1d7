#include "app/lesson/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "app/lesson/fields.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

struct Reckoning {
  char sign;
  std::string_view written;
};
constexpr std::array kReckonings{Reckoning{'/', " / "}, Reckoning{'-', " - "}};

Result<double> number_of_field(std::string_view name, const StagedScene& staged) {
  const Result<FieldValue> value = field_value(without_spaces(name), staged);
  if (!value.ok()) return value.error();
  if (value->number) return *value->number;
  return Error{tr("`{name}` is no number", "name"_a = name), "",
               tr("Only numbers can be used in expressions.")};
}

/// Returns the value of what stands between braces.
Result<FieldValue> value_of(std::string_view words, const StagedScene& staged) {
  for (const Reckoning& reckoning : kReckonings) {
    const std::size_t at = words.find(reckoning.written);
    if (at == std::string_view::npos) continue;
    const Result<double> a = number_of_field(words.substr(0, at), staged);
    if (!a.ok()) return a.error();
    const Result<double> b = number_of_field(words.substr(at + reckoning.written.size()), staged);
    if (!b.ok()) return b.error();
    if (reckoning.sign == '/' && *b == 0)
      return Error{tr("`{words}` divides by nothing", "words"_a = words), "", ""};
    return number_field(reckoning.sign == '/' ? *a / *b : *a - *b);
  }
  return field_value(without_spaces(words), staged);
}

Result<std::string> filled_text(std::string_view words, const StagedScene& staged) {
  std::string text;
  while (!words.empty()) {
    const char next = words.front();
    const bool twice = words.starts_with("{{") || words.starts_with("}}");
    if (next != '{' || twice) {
      text += next;
      words.remove_prefix(twice ? 2 : 1);
      continue;
    }
    const std::size_t end = words.find('}');
    if (end == std::string_view::npos)
      return Error{tr("a brace is opened and never closed"), "",
                   tr("Fields stand in braces: {form}.", "form"_a = "{wavefronts}")};
    const std::string_view inside = words.substr(1, end - 1);
    words.remove_prefix(end + 1);
    if (inside.starts_with('=')) {
      text += inside.substr(1);
      continue;
    }
    const Result<FieldValue> value = value_of(inside, staged);
    if (!value.ok()) return value.error();
    text += value->text;
  }
  return text;
}

std::string label_of(std::string name) {
  std::ranges::replace(name, '.', ' ');
  std::ranges::replace(name, '_', ' ');
  return tr(
      name.c_str());  // Those that shipped lessons list are in the catalogue (tools/dev/lesson_texts.py)
}

std::string meaning_of_field(const std::string& name) {
  const auto field = std::ranges::find(lesson_fields(), name, &LessonField::name);
  return field == lesson_fields().end() ? std::string() : tr(field->meaning);
}

/// Calls `see` with each of a scene's texts.
template <class See>
void for_each_text(const Scene& scene, See see) {
  see(LessonText{scene.title, scene.line});
  see(scene.sentence);
  see(scene.notes);
  if (!scene.question) return;
  see(scene.question->asks);
  for (const LessonText& answer : scene.question->answers) see(answer);
}

void add_numbers(const Lesson& lesson, const Scene& scene, std::vector<Error>& problems) {
  for_each_text(scene, [&](const LessonText& words) {
    for (const std::string& number : bare_numbers(words.text)) {
      problems.push_back({tr("`{number}` is a number, and no field", "number"_a = number),
                          lesson.place(words.line),
                          tr("Name the field that it comes from, or mark it as meant so: {form}",
                             "form"_a = "{=" + number + "}")});
    }
  });
}

void add_answers_alike(const Lesson& lesson, const Scene& scene, const FilledScene& words,
                       std::vector<Error>& problems) {
  if (!words.question) return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < words.question->answers.size(); ++i) {
    if (seen.insert(words.question->answers[i]).second) continue;
    problems.push_back(
        {tr("the answer `{answer}` stands there twice", "answer"_a = words.question->answers[i]),
         lesson.place(scene.question->answers[i].line), tr("Exactly one answer is right.")});
  }
}

}  // namespace

Result<std::string> filled(const LessonText& words, const Lesson& lesson, const StagedScene& staged) {
  Result<std::string> text = filled_text(words.text, staged);
  if (text.ok()) return text;
  Error error = text.error();
  error.where = lesson.place(words.line);
  return error;
}

Result<std::vector<FilledFigure>> figures_of(const Lesson& lesson, const Scene& scene,
                                             const StagedScene& staged) {
  std::vector<FilledFigure> figures;
  for (const std::string& name : scene.figures.empty() ? usual_figures(staged) : scene.figures) {
    Result<FieldValue> value = value_of(name, staged);
    if (!value.ok()) {
      Error error = value.error();
      error.where = lesson.place(scene.line);
      return error;
    }
    figures.push_back({name, label_of(name), meaning_of_field(name), value->text, value->number});
  }
  return figures;
}

Result<FilledScene> filled(const Lesson& lesson, const Scene& scene, const StagedScene& staged) {
  FilledScene words;
  std::optional<Error> error;
  const auto fill = [&](const LessonText& from, std::string& to) {
    Result<std::string> text = filled(from, lesson, staged);
    if (text.ok()) {
      to = *std::move(text);
    } else if (!error) {
      error = text.error();
    }
  };
  fill({scene.title, scene.line}, words.title);
  fill(scene.sentence, words.sentence);
  fill(scene.notes, words.notes);
  if (scene.question) {
    FilledQuestion& question = words.question.emplace();
    question.right = scene.question->right;
    question.answers.resize(scene.question->answers.size());
    fill(scene.question->asks, question.asks);
    for (std::size_t i = 0; i < question.answers.size(); ++i)
      fill(scene.question->answers[i], question.answers[i]);
  }
  if (error) return *error;
  Result<std::vector<FilledFigure>> figures = figures_of(lesson, scene, staged);
  if (!figures.ok()) return figures.error();
  words.figures = *std::move(figures);
  return words;
}

Result<PreparedScene> prepared(const Lesson& lesson, const Scene& scene, ScenePlayer& player) {
  Result<StagedScene> staged = player.play(lesson, scene);
  if (!staged.ok()) return staged.error();
  Result<FilledScene> words = filled(lesson, scene, *staged);
  if (!words.ok()) return words.error();
  return PreparedScene{&scene, *std::move(staged), *std::move(words)};
}

std::vector<std::string> bare_numbers(std::string_view words) {
  std::vector<std::string> numbers;
  char before = ' ';
  bool in_code = false, in_field = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (c == '`' && !in_field) in_code = !in_code;
    if (c == '{' || c == '}') in_field = c == '{';
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !in_code && !in_field && std::isalnum(static_cast<unsigned char>(before)) == 0) {
      std::size_t end = i;
      while (end < words.size() && std::isdigit(static_cast<unsigned char>(words[end])) != 0) ++end;
      numbers.emplace_back(words.substr(i, end - i));
    }
    before = c;
  }
  return numbers;
}

std::vector<Error> problems_of(const Lesson& lesson, ScenePlayer& player) {
  std::vector<Error> problems;
  for (const Scene& scene : lesson.scenes) {
    add_numbers(lesson, scene, problems);
    const Result<StagedScene> staged = player.play(lesson, scene);
    if (!staged.ok()) {
      problems.push_back(staged.error());
      continue;
    }
    const Result<FilledScene> words = filled(lesson, scene, *staged);
    if (words.ok()) {
      add_answers_alike(lesson, scene, *words, problems);
    } else {
      problems.push_back(words.error());
    }
  }
  return problems;
}

}  // namespace warplens::app
