#include "app/lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "app/lesson/toml_private.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

constexpr std::size_t kMostScenes = 100, kMostAnswers = 9, kMostViewsInRow = 4, kMaxRows = 4;
constexpr float kLeastZoom = 0.5f, kMostZoom = 4;

std::uint32_t line_of_node(const toml::node& node) {
  return node.source().begin.line;
}

// toml++ 3.3 runs into code that it calls unreachable where letters of other scripts stand outside of texts.
// So it is given ASCII alone: each byte of such a letter as ~ and two digits, and ~ itself twice; in texts
// these are letters again.
constexpr char kByteMark = '~';

std::string in_ascii(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += fmt::format("{}{:02x}", kByteMark, static_cast<unsigned char>(c));
    } else {
      out.append(c == kByteMark ? 2 : 1, c);
    }
  }
  return out;
}

std::string from_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view next = text.substr(i + 1, 2);
    unsigned byte = 0;
    if (text[i] != kByteMark) {
      out += text[i];
    } else if (next.starts_with(kByteMark)) {
      out += kByteMark;
      ++i;
    } else if (const auto [end, error] = std::from_chars(next.data(), next.data() + next.size(), byte, 16);
               error == std::errc{} && end == next.data() + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += kByteMark;
    }
  }
  return out;
}

/// Lines run on, as they do wherever people write text; a blank line begins a new paragraph, which is one
/// line.
std::string in_paragraphs(std::string_view text) {
  std::string out;
  bool blank = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) {
      blank = !out.empty();
      continue;
    }
    if (!out.empty()) out += blank ? '\n' : ' ';
    blank = false;
    out += line;
  }
  return out;
}

/// Reads the values of one table, and keeps the first error.
class TableReader {
 public:
  TableReader(const toml::table& table, const Lesson& lesson, std::optional<Error>& error)
      : table_(table), lesson_(lesson), error_(error) {}

  void text(const char* key, std::string& to) {
    LessonText text;
    words(key, text);
    if (!text.empty()) to = text.text;
  }

  void words(const char* key, LessonText& to) {
    if (const toml::node* const node = find(key)) read_words(*node, key, to);
  }

  std::optional<std::int64_t> whole_number(const char* key, std::int64_t least, std::int64_t most) {
    const toml::node* const node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto* const number = node->as_integer();
    if (number != nullptr && number->get() >= least && number->get() <= most) return number->get();
    fail(*node,
         tr("`{key}` is no number from {least} to {most}", "key"_a = key, "least"_a = least, "most"_a = most),
         tr("Write it in digits: {key} = {least}", "key"_a = key, "least"_a = least));
    return std::nullopt;
  }

  void number(const char* key, float least, float most, float& to) {
    const toml::node* const node = find(key);
    if (node == nullptr) return;
    const auto value = node->value<double>();
    if (value && *value >= least && *value <= most) {
      to = static_cast<float>(*value);
    } else {
      fail(*node,
           tr("`{key}` is no number from {least} to {most}", "key"_a = key, "least"_a = least,
              "most"_a = most),
           "");
    }
  }

  std::vector<LessonText> list_of_words(const char* key) {
    std::vector<LessonText> list;
    const toml::node* const node = find(key);
    if (node == nullptr) return list;
    const toml::array* const array = node->as_array();
    if (array == nullptr) {
      fail(*node, tr("`{key}` is no list of texts", "key"_a = key),
           tr("Write {key} = [\"one\", \"another\"]", "key"_a = key));
      return list;
    }
    for (const toml::node& one : *array) {
      list.emplace_back();
      read_words(one, key, list.back());
    }
    return list;
  }

  std::vector<std::string> list_of_texts(const char* key) {
    std::vector<std::string> texts;
    for (const LessonText& words : list_of_words(key)) texts.push_back(words.text);
    return texts;
  }

  /// A list of names is one row; a list of lists are rows.
  std::vector<ViewRow> rows(const char* key) {
    const toml::node* const node = find(key);
    if (node == nullptr) return {};
    const toml::array* const array = node->as_array();
    if (array == nullptr || array->empty() || !(*array)[0].is_array()) return {list_of_texts(key)};
    std::vector<ViewRow> rows;
    for (const toml::node& row : *array) {
      rows.emplace_back();
      const toml::array* const names = row.as_array();
      if (names == nullptr)
        fail(row, tr("`{key}` has rows and names side by side", "key"_a = key),
             tr("Put each row in brackets of its own."));
      for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
        LessonText name;
        read_words((*names)[i], key, name);
        rows.back().push_back(name.text);
      }
    }
    return rows;
  }

  const toml::table* table(const char* key) {
    const toml::node* const node = find(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table())
      fail(*node, tr("`{key}` is no table", "key"_a = key),
           tr("Write [scene.{key}], and its values below.", "key"_a = key));
    return node->as_table();
  }

  const toml::node* find(const char* key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  void needs(const char* key, bool there) {
    if (!there) fail(table_, tr("`{key}` is missing", "key"_a = key), "");
  }

  /// What is left over is a slip of the pen.
  void no_others() {
    for (auto&& [key, node] : table_) {
      const std::string name = from_ascii(static_cast<std::string_view>(key));
      if (std::ranges::find(known_, name) == known_.end())
        fail(node, tr("there is no `{key}` here", "key"_a = name),
             tr("What may stand here: {keys}.", "keys"_a = fmt::join(known_, ", ")));
    }
  }

  void fail(const toml::node& node, std::string what, std::string hint) {
    if (!error_) error_ = Error{std::move(what), lesson_.place(line_of_node(node)), std::move(hint)};
  }

 private:
  void read_words(const toml::node& node, const char* key, LessonText& to) {
    const auto* const text = node.as_string();
    if (text == nullptr || text->get().empty()) {
      fail(node,
           text == nullptr ? tr("`{key}` is no text", "key"_a = key) : tr("`{key}` is empty", "key"_a = key),
           tr("Texts stand between quotation marks: {key} = \"...\"", "key"_a = key));
      return;
    }
    to.line = line_of_node(node);
    to.text = valid_utf8(from_ascii(in_paragraphs(text->get())));
  }

  const toml::table& table_;
  const Lesson& lesson_;
  std::optional<Error>& error_;
  std::vector<std::string> known_;
};

Question read_question(const toml::table& table, const Scene& scene, const Lesson& lesson,
                       std::optional<Error>& error) {
  TableReader reader(table, lesson, error);
  Question question;
  question.line = line_of_node(table);
  reader.words("asks", question.asks);
  question.answers = reader.list_of_words("answers");
  const auto right = reader.whole_number(
      "right", 1, static_cast<std::int64_t>(std::max<std::size_t>(1, question.answers.size())));
  const bool hides_chosen = table.contains("hides");
  const std::vector<std::string> hides = reader.list_of_texts("hides");
  reader.no_others();
  reader.needs("asks", !question.asks.empty());
  reader.needs("right", right.has_value());
  if (question.answers.size() < 2 || question.answers.size() > kMostAnswers)
    reader.fail(table, tr("a question has {n} answers", "n"_a = question.answers.size()),
                tr("Give two to nine, and say which one is right."));
  question.right = static_cast<std::size_t>(right.value_or(1) - 1);
  if (!hides_chosen) {
    for (const ViewRow& row : scene.views) {
      for (const std::string& view : row) {
        if (view != "source") question.hides_views.push_back(view);
      }
    }
    return question;
  }
  question.hides_sentence = question.hides_figures = false;
  for (const std::string& name : hides) {
    if (name == "sentence") {
      question.hides_sentence = true;
    } else if (name == "figures") {
      question.hides_figures = true;
    } else if (scene.shows(name)) {
      question.hides_views.push_back(name);
    } else {
      reader.fail(*table.get("hides"), tr("there is no `{name}` in this scene to hide", "name"_a = name),
                  tr("Name sentence, figures, or one of the scene's views."));
    }
  }
  return question;
}

bool is_drawn(const std::string& name) {
  const viz::View* const view = viz::find_view(name);
  return view != nullptr && view->make != nullptr && view->needs_recording;
}

std::string names_of_drawn() {
  std::vector<std::string_view> names;
  for (const viz::View& view : viz::views()) {
    if (view.make != nullptr && view.needs_recording) names.push_back(view.id);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_views(TableReader& reader, const toml::table& table, const Scene& scene) {
  if (scene.views.size() > kMaxRows)
    reader.fail(table, tr("a scene has more rows of views than anyone can see"), tr("Give four at most."));
  for (const ViewRow& row : scene.views) {
    if (row.empty())
      reader.fail(table, tr("a row has no views"),
                  tr("The pictures: {views}.", "views"_a = names_of_drawn()));
    if (row.size() > kMostViewsInRow)
      reader.fail(table, tr("a row has more views than anyone can see"), tr("Give four at most."));
    for (const std::string& name : row) {
      if (!is_drawn(name))
        reader.fail(table, tr("there is no picture `{view}`", "view"_a = name),
                    tr("The pictures: {views}.", "views"_a = names_of_drawn()));
    }
  }
  if (scene.shows("compare") && scene.against.empty())
    reader.fail(table, tr("there is nothing to compare with"),
                tr("Say which other launch: against = \"tiled:T=16\""));
  if (!scene.compare.empty() && (!is_drawn(scene.compare) || scene.compare == "compare"))
    reader.fail(table, tr("there is no picture `{view}`", "view"_a = scene.compare),
                tr("The pictures: {views}.", "views"_a = names_of_drawn()));
}

Scene read_scene(const toml::table& table, const std::string& rules, const Lesson& lesson,
                 std::optional<Error>& error) {
  TableReader reader(table, lesson, error);
  Scene scene;
  scene.line = line_of_node(table);
  scene.rules = rules;
  reader.text("title", scene.title);
  reader.text("launch", scene.launch);
  reader.text("against", scene.against);
  reader.text("rules", scene.rules);
  reader.text("select", scene.select);
  reader.text("line", scene.line_of_code);
  reader.text("access", scene.access);
  if (const auto lane = reader.whole_number("lane", 0, 31)) scene.lane = static_cast<std::uint32_t>(*lane);
  reader.text("element", scene.element);
  scene.views = reader.rows("views");
  reader.text("compare", scene.compare);
  reader.number("zoom", kLeastZoom, kMostZoom, scene.zoom);
  scene.figures = reader.list_of_texts("figures");
  reader.words("sentence", scene.sentence);
  reader.words("notes", scene.notes);
  if (const toml::table* const question = reader.table("question"))
    scene.question = read_question(*question, scene, lesson, error);
  reader.no_others();
  reader.needs("title", !scene.title.empty());
  reader.needs("launch", !scene.launch.empty());
  reader.needs("sentence", !scene.sentence.empty());
  reader.needs("views", !scene.views.empty());
  check_views(reader, table, scene);
  return scene;
}

}  // namespace

bool Scene::shows(std::string_view view) const {
  return std::ranges::any_of(
      views, [view](const ViewRow& row) { return std::ranges::find(row, view) != row.end(); });
}

bool Scene::tells_answer(std::string_view view) const {
  return hides(view) || (view == "source" && question && question->hides_figures);
}

bool Scene::hides(std::string_view view) const {
  return question && std::ranges::find(question->hides_views, view) != question->hides_views.end();
}

std::string Lesson::place(std::uint32_t line) const {
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

Result<Lesson> parse_lesson(std::string_view text, const std::string& file) {
  Lesson lesson;
  lesson.file = file;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (valid_utf8(text) != text)
    return Error{tr("the lesson is not UTF-8 text"), file, tr("Save it in that encoding.")};
  const toml::parse_result parsed = toml::parse(in_ascii(text), file);
  if (!parsed) {
    return Error{from_ascii(parsed.error().description()), lesson.place(parsed.error().source().begin.line),
                 tr("A lesson is written in TOML: NAME = \"text\", and [[scene]] before each scene.")};
  }
  const toml::table& table = parsed.table();
  std::optional<Error> error;
  TableReader reader(table, lesson, error);
  std::string rules = "9.0";
  reader.text("title", lesson.title);
  reader.text("about", lesson.about);
  reader.text("rules", rules);
  const toml::node* const scenes = reader.find("scene");
  reader.no_others();
  reader.needs("title", !lesson.title.empty());
  const toml::array* const list = scenes == nullptr ? nullptr : scenes->as_array();
  if (list == nullptr || list->empty() || list->size() > kMostScenes)
    reader.fail(scenes == nullptr ? table : *scenes,
                tr("a lesson has between 1 and {most} scenes", "most"_a = kMostScenes),
                tr("Each begins with a line [[scene]]."));
  for (std::size_t i = 0; list != nullptr && i < list->size() && !error; ++i) {
    if (const toml::table* const scene = (*list)[i].as_table()) {
      lesson.scenes.push_back(read_scene(*scene, rules, lesson, error));
    } else {
      reader.fail((*list)[i], tr("a scene is no table"), tr("Each begins with a line [[scene]]."));
    }
  }
  if (error) return *error;
  return lesson;
}

}  // namespace warplens::app
