#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/languages/languages.h"
#include "app/lesson/fields.h"
#include "app/lesson/handout_parts.h"
#include "app/lesson/themed.h"
#include "assets/handout.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/catalog.h"
#include "viz/export/svg.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

constexpr float kPageWidth = 1160, kGapOfViews = 8;
constexpr std::uint32_t kMostLines = 16,
                        kNearLines = 3;    ///< Of the source: on a screen; around the access, on paper
constexpr std::uint32_t kMostSteps = 256;  ///< Of a scene: each is drawn twice
// Bytes, roughly: of the page around the scenes, of a scene without its pictures, and of a step without its.
constexpr std::size_t kReserved = 60'000, kBytesOfScene = 6'000, kBytesOfStep = 300;

std::string as_html(std::string_view text) {
  return viz::as_markup(valid_utf8(text));
}

/// What stands between backquotes is code.
std::string words_as_html(std::string_view words) {
  std::string out;
  bool in_code = false;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('`', begin), words.size());
    out += as_html(words.substr(begin, end - begin));
    if (end < words.size()) out += std::exchange(in_code, !in_code) ? "</code>" : "<code>";
    begin = end + 1;
  }
  return in_code ? out + "</code>" : out;
}

/// One view over the steps of a scene. An element that several steps have is kept once.
struct SteppedView {
  std::string view;
  picture::Size size;
  std::vector<std::string> elements;
  std::map<std::string, std::size_t> index;
  std::map<std::uint32_t, std::vector<std::size_t>> steps;  ///< By step, the elements in their order
  std::map<std::uint32_t, std::string> says;

  /// The bytes that the step adds to the page, roughly.
  std::size_t add(std::uint32_t step, std::vector<std::string> drawn, std::string sentence) {
    std::size_t bytes = sentence.size() + 16;
    std::vector<std::size_t>& of_step = steps[step];
    for (std::string& element : drawn) {
      const auto [found, added] = index.try_emplace(element, elements.size());
      if (added) {
        bytes += element.size() + 8 + static_cast<std::size_t>(std::ranges::count(element, '"'));
        elements.push_back(std::move(element));
      }
      if (of_step.empty() || of_step.back() + 1 != found->second) bytes += 10;
      of_step.push_back(found->second);
    }
    says[step] = std::move(sentence);
    return bytes;
  }

  [[nodiscard]] bool changes() const {
    return std::ranges::any_of(steps,
                               [this](const auto& step) { return step.second != steps.begin()->second; });
  }
  [[nodiscard]] std::string drawn(std::uint32_t step) const {
    std::string text;
    for (const std::size_t element : steps.at(step)) text += elements[element];
    return text;
  }
};

/// "[[0,120],[340,2]]": runs of consecutive elements.
ordered_json runs_of(const std::vector<std::size_t>& elements) {
  ordered_json runs = ordered_json::array();
  for (const std::size_t element : elements) {
    if (!runs.empty() && runs.back()[0].get<std::size_t>() + runs.back()[1].get<std::size_t>() == element) {
      runs.back()[1] = runs.back()[1].get<std::size_t>() + 1;
    } else {
      runs.push_back({element, 1});
    }
  }
  return runs;
}

class SceneWriter {
 public:
  SceneWriter(const Lesson& lesson, PreparedScene scene, std::size_t number, Theme& theme)
      : lesson_(lesson), scene_(std::move(scene)), number_(number), theme_(theme) {}

  /// Draws the scene's own step, and of the phase's others as many around it as go into `bytes`.
  Result<Done> draw(std::size_t bytes) {
    for (const ViewRow& row : scene_.scene->views) {
      for (const std::string& view : row)
        views_.push_back({.view = view,
                          .size = size_of(row.size()),
                          .elements = {},
                          .index = {},
                          .steps = {},
                          .says = {}});
    }
    home_ = scene_.staged.selection.step;
    const std::uint32_t steps = scene_.staged.steps();
    std::uint32_t first = home_, last = home_;
    std::size_t used = kBytesOfScene;
    for (std::uint32_t step = home_;;) {
      const Result<std::size_t> added = add_step(step);
      if (!added.ok()) return added.error();
      used += *added * (step == home_ ? 2 : 1);  // The scene's own is in the page itself as well
      const bool before = first > 0, behind = last + 1 < steps;
      if (used + *added >= bytes || last - first >= kMostSteps || (!before && !behind)) break;
      step = behind && (!before || last - home_ <= home_ - first) ? ++last : --first;
    }
    return Done{};
  }

  [[nodiscard]] std::string html(const std::string& live) const;

 private:
  [[nodiscard]] picture::Size size_of(std::size_t in_row) const {
    const auto columns = static_cast<float>(in_row);
    const float height = scene_.scene->views.size() > 1 ? 340.0f : in_row == 1 ? 500.0f : 440.0f;
    return {(kPageWidth - kGapOfViews * (columns - 1)) / columns, height};
  }

  Result<std::size_t> add_step(std::uint32_t step) {
    const StagedScene staged = scene_.staged.at_step(step);
    std::size_t bytes = kBytesOfStep;
    for (SteppedView& view : views_) {
      const Result<picture::Picture> dark =
          view_of_scene(*scene_.scene, staged, view.view, view.size, true, 1);
      if (!dark.ok()) return dark.error();
      const Result<picture::Picture> light =
          view_of_scene(*scene_.scene, staged, view.view, view.size, false, 1);
      if (!light.ok()) return light.error();
      bytes += view.add(step, theme_.elements(*dark, *light), light->sentence);
    }
    return bytes;
  }

  [[nodiscard]] std::string row_html(bool hidden) const;
  [[nodiscard]] std::string figures_html() const;
  [[nodiscard]] std::string source_html() const;
  [[nodiscard]] std::string answer_html() const;
  [[nodiscard]] std::string scrubber_html() const;
  /// Rows of views, those before the answer and those behind it: one that has both is drawn in two.
  [[nodiscard]] std::size_t drawn_rows() const {
    std::size_t rows = 0;
    for (const ViewRow& row : scene_.scene->views) {
      const auto hidden = static_cast<std::size_t>(std::ranges::count_if(
          row, [this](const std::string& view) { return scene_.scene->tells_answer(view); }));
      rows += (hidden > 0 ? 1 : 0) + (hidden < row.size() ? 1 : 0);
    }
    return rows;
  }
  /// Whether nothing of the scene moves before its answer.
  [[nodiscard]] bool all_hidden() const {
    return std::ranges::all_of(
        views_, [this](const SteppedView& view) { return scene_.scene->tells_answer(view.view); });
  }
  [[nodiscard]] bool has_steps() const {
    return views_.front().steps.size() > 1 &&
           std::ranges::any_of(views_, [](const SteppedView& view) { return view.changes(); });
  }
  [[nodiscard]] std::string label_of_step(std::uint32_t step) const {
    return tr("step {step} of {steps}", "step"_a = step + 1, "steps"_a = scene_.staged.steps());
  }
  [[nodiscard]] std::string steps_json() const;

  const Lesson& lesson_;
  PreparedScene scene_;
  std::size_t number_;
  Theme& theme_;
  std::uint32_t home_ = 0;
  std::vector<SteppedView> views_;
};

/// The rows of the views that the answer uncovers, or of the others.
std::string SceneWriter::row_html(bool hidden) const {
  std::string html;
  std::size_t place = 0;
  for (const ViewRow& row : scene_.scene->views) {
    std::string figures;
    for (const std::string& name : row) {
      const SteppedView& view = views_[place];
      if (scene_.scene->tells_answer(name) == hidden)
        figures += fmt::format(
            "<figure class=\"view\"><svg data-view=\"{}\" role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
            "aria-label=\"{}\">{}</svg></figure>",
            place, view.size.width, view.size.height, as_html(view.says.at(home_)), view.drawn(home_));
      ++place;
    }
    if (!figures.empty()) html += "<div class=\"row\">" + figures + "</div>\n";
  }
  return html;
}

std::string SceneWriter::figures_html() const {
  if (scene_.words.figures.empty()) return "";
  std::string html = "<dl class=\"figures\">";
  for (const FilledFigure& figure : scene_.words.figures)
    html += fmt::format("<dt title=\"{}\">{}</dt><dd>{}</dd>", as_html(figure.meaning), as_html(figure.label),
                        as_html(figure.text));
  return html + "</dl>\n";
}

std::string SceneWriter::source_html() const {
  const SourceExcerpt excerpt = excerpt_of(scene_.staged, kMostLines);
  if (excerpt.lines.empty()) return "";
  std::string html = "<pre class=\"source\">";
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    const std::size_t line = excerpt.first + i;
    const bool current = line == excerpt.current,
               far = line + kNearLines < excerpt.current || line > excerpt.current + kNearLines;
    html += fmt::format("<span data-line=\"{}\"{}><i>{}</i>{}</span>", line,
                        current ? " class=\"now\""
                        : far   ? " class=\"far\""
                                : "",
                        line, as_html(excerpt.lines[i]));
  }
  return html + "</pre>\n";
}

std::string SceneWriter::scrubber_html() const {
  if (!has_steps()) return "";
  const auto& steps = views_.front().steps;
  return fmt::format(
      "<div class=\"scrubber\"><button type=\"button\" class=\"back\" aria-label=\"{}\">◀</button>"
      "<input type=\"range\" aria-label=\"{}\" min=\"{}\" max=\"{}\" value=\"{}\"><button type=\"button\" "
      "class=\"on\" aria-label=\"{}\">▶</button>"
      "<output>{}</output><button type=\"button\" class=\"home\" disabled>{}</button></div>\n",
      tr("One step back"), tr("Step of the phase"), steps.begin()->first + 1, steps.rbegin()->first + 1,
      home_ + 1, tr("One step forward"), label_of_step(home_), tr("The scene's step"));
}

std::string SceneWriter::steps_json() const {
  if (!has_steps()) return "";
  const auto& steps = views_.front().steps;
  ordered_json json = {{"first", steps.begin()->first + 1},
                       {"home", home_ + 1},
                       {"steps", ordered_json::array()},
                       {"views", ordered_json::array()}};
  for (const auto& [step, elements] : steps) {
    const StagedScene staged = scene_.staged.at_step(step);
    ordered_json texts = ordered_json::array();
    for (const FilledFigure& figure : scene_.words.figures) {
      const Result<FieldValue> value = field_value(figure.name, staged);
      texts.push_back(value.ok() ? ordered_json(value->text) : ordered_json(nullptr));
    }
    json["steps"].push_back(
        {{"label", label_of_step(step)}, {"line", line_of_scene(staged)}, {"figures", std::move(texts)}});
  }
  for (std::size_t place = 0; place < views_.size(); ++place) {
    const SteppedView& view = views_[place];
    if (!view.changes()) continue;
    ordered_json of_view = {{"place", place},
                            {"elements", view.elements},
                            {"steps", ordered_json::array()},
                            {"says", ordered_json::array()}};
    for (const auto& [step, elements] : view.steps) of_view["steps"].push_back(runs_of(elements));
    for (const auto& [step, sentence] : view.says) of_view["says"].push_back(sentence);
    json["views"].push_back(std::move(of_view));
  }
  std::string text = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at))
    text.replace(at, 2, "<\\/");  // Would end the script
  return "<script type=\"application/json\">" + text + "</script>\n";
}

std::string SceneWriter::answer_html() const {
  const FilledQuestion& question = *scene_.words.question;
  const Question& asked = *scene_.scene->question;
  std::string html = fmt::format("<details><summary>{}</summary>\n<p class=\"right\">{}</p>\n",
                                 tr("The answer"), words_as_html(right_answer(question)));
  if (asked.hides_sentence)
    html += fmt::format("<p class=\"sentence\">{}</p>\n", words_as_html(scene_.words.sentence));
  html += row_html(true);
  if (all_hidden()) html += scrubber_html();
  if (asked.hides_figures) html += figures_html();
  return html + "</details>\n";
}

std::string SceneWriter::html(const std::string& live) const {
  const std::optional<FilledQuestion>& question = scene_.words.question;
  const bool sentence_hidden = question && scene_.scene->question->hides_sentence,
             figures_hidden = question && scene_.scene->question->hides_figures;
  std::string html = fmt::format(
      "<section class=\"scene{}\" id=\"scene-{}\" tabindex=\"-1\" aria-labelledby=\"title-{}\" "
      "style=\"--rows:{}\">\n<p class=\"lesson\">{}</p>"
      "<h2 id=\"title-{}\"><span class=\"number\">{}</span>{}</h2>\n<p class=\"launch\">{}</p>\n",
      question ? " questioned" : "", number_, number_, drawn_rows(), as_html(lesson_.title), number_, number_,
      words_as_html(scene_.words.title), as_html(place_in_words(*scene_.scene, scene_.staged)));
  if (question) {
    html += fmt::format("<p class=\"asks\">{}</p>\n<ol class=\"answers\">", words_as_html(question->asks));
    for (const std::string& answer : question->answers)
      html += fmt::format("<li>{}</li>", words_as_html(answer));
    html += "</ol>\n";
  }
  if (!sentence_hidden)
    html += fmt::format("<p class=\"sentence\">{}</p>\n", words_as_html(scene_.words.sentence));
  html += row_html(false);
  if (!all_hidden()) html += scrubber_html();
  html += "<div class=\"below\">\n" + source_html() + (figures_hidden ? std::string() : figures_html()) +
          "</div>\n";
  if (!live.empty())
    html += fmt::format("<p class=\"live\"><button type=\"button\" data-page=\"{}\">{}</button></p>\n",
                        as_html(live), tr("Try other values"));
  if (question) html += answer_html();
  return html + steps_json() + "</section>\n";
}

std::string css_colour(picture::Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b);
}

std::string css_of(const picture::Palette& palette) {
  return fmt::format(
      "--background:{};--panel:{};--header:{};--line:{};--text:{};--muted:{};--accent:{};--good:{};--dark-"
      "only:{};--light-only:{};",
      css_colour(palette.background), css_colour(palette.panel), css_colour(palette.header),
      css_colour(palette.line), css_colour(palette.text), css_colour(palette.muted),
      css_colour(palette.accent), css_colour(palette.good), palette.dark ? "inline" : "none",
      palette.dark ? "none" : "inline");
}

std::string file_of_handout(const char* name) {
  return std::string(handout::embedded_file(name).value_or(""));
}

/// Light unless the reader's browser is dark; paper is light.
std::string style_of(const Theme& theme) {
  return fmt::format(":root{{{}{}}}\n@media screen and (prefers-color-scheme: dark){{:root{{{}{}}}}}\n{}",
                     css_of(picture::light_palette()), theme.light_values(), css_of(picture::dark_palette()),
                     theme.dark_values(), file_of_handout("handout.css"));
}

std::string in_address(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-_.~").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

/// Where the page shows the scene: lessons that ship by their name, others with their text. Empty: there is
/// no page, or the scene's launch has no values to choose.
std::string live_address(const Lesson& lesson, std::size_t scene, const std::string& page) {
  const std::string& launch = lesson.scenes[scene].launch;
  if (page.empty() || catalog().find(launch.substr(0, launch.find(':'))) == nullptr) return "";
  const std::filesystem::path file = std::filesystem::path(lesson.file).filename();
  const std::string address = fmt::format("{}{}?alone=1&lang={}&scene={}&lesson=", page,
                                          page.ends_with('/') ? "" : "/", language_spoken().tag, scene + 1);
  if (lesson.source.empty()) return address + in_address(file.stem().string());
  return address + in_address(file.string()) + "#" + in_address(lesson.source);
}

}  // namespace

Result<std::string> make_html_handout(const Lesson& lesson, ScenePlayer& player, const std::string& page) {
  Theme theme;
  std::string scenes, contents;
  for (std::size_t i = 0; i < lesson.scenes.size(); ++i) {
    Result<PreparedScene> scene = prepared(lesson, lesson.scenes[i], player);
    if (!scene.ok()) return scene.error();
    contents +=
        fmt::format("<li><a href=\"#scene-{}\">{}</a></li>", i + 1, words_as_html(scene->words.title));
    const std::size_t left = kMostHandoutBytes - std::min(kMostHandoutBytes, scenes.size() + kReserved);
    SceneWriter writer(lesson, *std::move(scene), i + 1, theme);
    if (const Result<Done> drawn = writer.draw(left / (lesson.scenes.size() - i)); !drawn.ok())
      return drawn.error();
    scenes += writer.html(live_address(lesson, i, page));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n<p "
      "class=\"about\">{}</p>\n<nav><ol>{}</ol></nav>\n"
      "<p class=\"keys\">{}</p>\n</header>\n<main>\n{}</main>\n<script>\n{}</script>\n</body>\n</html>\n",
      language_spoken().tag, as_html(lesson.title), style_of(theme), words_as_html(lesson.title),
      words_as_html(lesson.about), contents,
      tr("Scenes: Page Down, Page Up, → ←  ·  steps: full stop, comma  ·  answer: A"), scenes,
      file_of_handout("handout.js"));
}

}  // namespace warplens::app
