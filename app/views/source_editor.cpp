#include "app/views/source_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/compiled/line_match.h"
#include "app/session/finding_words.h"
#include "app/views/code_list.h"
#include "kernels/base/texts.h"
#include "viz/analysis/finding_rows.h"
#include "viz/analysis/line_figures.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

constexpr std::size_t kFigureGlyphs = 14, kNarrowFigureGlyphs = 8;
constexpr float kNarrow = 420;  ///< In a panel of less, the code has the room
constexpr float kFigureSize = 11;
constexpr float kMostMessageLines = 4;

/// The lines of the source of a recording's kernel.
std::string_view source_of(const Loaded& loaded) {
  const std::uint32_t file = loaded.facts->source_file;
  return file < loaded.recording->files.size() ? std::string_view(loaded.recording->files[file].text)
                                               : std::string_view();
}

using FiguresByLine = std::map<std::uint32_t, std::vector<analysis::LineFigures>>;

FiguresByLine figures_of(const Loaded& loaded) {
  FiguresByLine figures;
  for (const analysis::LineFigures& one :
       analysis::file_figures(*loaded.recording, loaded.report, loaded.facts->source_file)) {
    figures[one.line].push_back(one);
  }
  return figures;
}

/// The row that stands for the same access; null: there is none.
const analysis::LineFigures* same_access(const FiguresByLine& figures, std::int64_t line,
                                         const analysis::LineFigures& access, std::size_t ordinal) {
  const auto found = line < 0 ? figures.end() : figures.find(static_cast<std::uint32_t>(line) + 1);
  if (found == figures.end()) return nullptr;
  for (const analysis::LineFigures& candidate : found->second) {
    if (candidate.space == access.space && candidate.op == access.op && ordinal-- == 0) return &candidate;
  }
  return nullptr;
}

ImU32 colour(picture::Colour value) {
  return packed(value);
}

}  // namespace

SourceEditor::SourceEditor() {
  editor_.SetLanguage(TextEditor::Language::Cpp());
  editor_.SetTabSize(2);
  editor_.SetLineSpacing(1.3f);
  editor_.SetLineNumberLeftMargin(0);
  editor_.SetDecorationLeftMargin(0);
  editor_.SetTextLeftMargin(1);
  editor_.SetInsertSpacesOnTabs(true);
  editor_.SetShowWhitespacesEnabled(false);
  editor_.SetShowScrollbarMiniMapEnabled(false);
  editor_.SetCompletePairedGlyphs(false);
}

void SourceEditor::set_colours(const Look& look) {
  if (coloured_for_ == look.palette) return;
  coloured_for_ = look.palette;
  const picture::Palette& palette = *look.palette;
  TextEditor::Palette colours = TextEditor::GetDarkPalette();
  const auto set = [&colours](TextEditor::Color which, ImU32 value) {
    colours[static_cast<std::size_t>(which)] = value;
  };
  for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = colour(palette.text);
  set(TextEditor::Color::keyword, colour(palette.accent));
  set(TextEditor::Color::declaration, colour(palette.accent));
  set(TextEditor::Color::number, colour(palette.good));
  set(TextEditor::Color::string, colour(palette.fill));
  set(TextEditor::Color::preprocessor, colour(palette.fill));
  set(TextEditor::Color::comment, colour(palette.muted));
  set(TextEditor::Color::background, colour(palette.panel));
  set(TextEditor::Color::cursor, colour(palette.text));
  set(TextEditor::Color::selection, colour(mixed(palette.panel, palette.accent, 0.4f)));
  set(TextEditor::Color::whitespace, colour(palette.line));
  set(TextEditor::Color::matchingBracketBackground, colour(mixed(palette.panel, palette.accent, 0.3f)));
  set(TextEditor::Color::matchingBracketError, colour(palette.costly));
  set(TextEditor::Color::lineNumber, colour(palette.muted));
  editor_.SetPalette(colours);
}

void SourceEditor::take_text(const Frame& frame) {
  Editing& editing = frame.editing;
  if (replacements_ != editing.replacements) {
    replacements_ = editing.replacements;
    editor_.SetText(editing.text);
    editor_.SetFocus();
    marked_.clear();
    compared_ = nullptr;
  }
  if (editing.line_wanted > 0) {
    const std::size_t line = std::exchange(editing.line_wanted, 0u) - 1;
    editor_.SetCursor({line, 0});
    editor_.ScrollToLine(line, TextEditor::Scroll::alignMiddle);
    editor_.SetFocus();
  }
}

/// What the compiler says, or, where it made a kernel, what is wrong with what that did.
std::vector<compile::Message> SourceEditor::remarks(const Frame& frame) {
  const Editing& editing = frame.editing;
  std::vector<compile::Message> remarks = editing.messages;
  const bool compiles = std::ranges::none_of(
      remarks, [](const compile::Message& one) { return one.severity == compile::Severity::error; });
  if (!compiles || !frame.shown || editing.due() || editing.text != source_of(*frame.shown)) return remarks;
  const std::vector<Finding>& findings = frame.shown->recording->findings;
  for (const analysis::FindingRow& row : analysis::finding_rows(findings)) {
    const Finding& finding = findings[row.first];
    if (finding.file != frame.shown->facts->source_file) continue;
    remarks.push_back(
        {.severity = compile::Severity::error,
         .file = editing.file.filename().string(),
         .line = finding.line,
         .text = tr("{kind}: {what}", "kind"_a = words_for(finding.kind), "what"_a = sentence_for(finding))});
  }
  return remarks;
}

void SourceEditor::mark_messages(const Frame& frame) {
  std::vector<compile::Message> all = remarks(frame);
  if (marked_ == all) return;
  marked_ = std::move(all);
  editor_.ClearMarkers();
  const picture::Palette& palette = *frame.look.palette;
  for (const compile::Message& message : marked_) {
    if (message.line == 0 || message.line > editor_.GetLineCount() ||
        message.severity == compile::Severity::remark)
      continue;
    const picture::Colour mark = message.severity == compile::Severity::error ? palette.costly : palette.fill;
    editor_.AddMarker(message.line - 1, colour(mark), colour(mixed(palette.panel, mark, 0.25f)), message.text,
                      message.text);
  }
}

/// The figures are those of the recording on screen, whose lines may have moved since.
void SourceEditor::compare(const Frame& frame) {
  const Editing& editing = frame.editing;
  if (compared_ == frame.shown && before_ == editing.before && compared_text_ == editing.text) return;
  compared_ = frame.shown;
  before_ = editing.before;
  compared_text_ = editing.text;
  figures_.clear();
  if (!compared_) return;
  const bool has_before = before_ && before_ != compared_;
  const FiguresByLine now = figures_of(*compared_),
                      before = has_before ? figures_of(*before_) : FiguresByLine{};
  const std::vector<std::int64_t> lines = match_lines(source_of(*compared_), editing.text);
  const std::vector<std::int64_t> old_lines =
      has_before ? match_lines(source_of(*before_), source_of(*compared_)) : std::vector<std::int64_t>{};
  for (const std::int64_t line : lines) {
    std::vector<Figure>& row = figures_.emplace_back();
    const auto found = line < 0 ? now.end() : now.find(static_cast<std::uint32_t>(line) + 1);
    if (found == now.end()) continue;
    std::map<std::pair<Space, AccessOp>, std::size_t> ordinals;
    for (const analysis::LineFigures& access : found->second) {
      Figure figure{.text = fmt::format("{} {}", one_decimal(access.cost_per_request()), access.short_unit()),
                    .costly = access.costly()};
      const std::size_t ordinal = ordinals[{access.space, access.op}]++;
      const std::int64_t old_line =
          static_cast<std::size_t>(line) < old_lines.size() ? old_lines[static_cast<std::size_t>(line)] : -1;
      const analysis::LineFigures* const was = same_access(before, old_line, access, ordinal);
      const std::string cost_before = was != nullptr ? one_decimal(was->cost_per_request()) : std::string();
      if (was != nullptr && cost_before != one_decimal(access.cost_per_request()))
        figure.was = tr("was {figure}", "figure"_a = cost_before);
      figure.meaning = tr("{access}: {cost} {unit} a request", "access"_a = picture::access_words(access),
                          "cost"_a = one_decimal(access.cost_per_request()), "unit"_a = tr(access.unit()));
      if (!figure.was.empty())
        figure.meaning += "\n" + tr("before the editing: {figure}", "figure"_a = cost_before);
      row.push_back(std::move(figure));
    }
  }
}

/// What changed comes first, then what costs more than it must; of the rest there may be no room.
void SourceEditor::draw_figures(const Look& look, const TextEditor::Decorator& place) const {
  if (place.line >= figures_.size() || figures_[place.line].empty()) return;
  const std::vector<Figure>& row = figures_[place.line];
  const auto first = std::ranges::max_element(
      row, {}, [](const Figure& figure) { return (figure.was.empty() ? 0 : 2) + (figure.costly ? 1 : 0); });
  const picture::Palette& palette = *look.palette;
  const TextStyle style{.colour = first->costly ? palette.costly : palette.good, .size = kFigureSize},
      muted{.colour = palette.muted, .size = kFigureSize};
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const std::string more =
      row.size() > 1 && first->was.empty() ? fmt::format(" +{}", row.size() - 1) : std::string();
  std::string rest = (first->was.empty() ? "" : " " + first->was) + more;
  const float room = place.width - look.px(6);
  std::string text = first->text;
  const auto width_of_all = [&] { return width_of(look, text, style) + width_of(look, rest, muted); };
  if (width_of_all() > room) rest.clear();  // The tooltip has it
  if (width_of_all() > room) text = text.substr(0, text.find(' '));
  ImGui::SetCursorScreenPos(
      {from.x + room - width_of_all(), from.y + std::round((place.height - look.px(kFigureSize + 3)) / 2)});
  ImGui::BeginGroup();
  write(look, text, style);
  if (!rest.empty()) {
    ImGui::SameLine(0, 0);
    write(look, rest, muted);
  }
  ImGui::EndGroup();
  std::string meaning;
  for (const Figure& figure : row) meaning += (meaning.empty() ? "" : "\n") + figure.meaning;
  explain(look, meaning);
}

void SourceEditor::draw_messages(const Frame& frame) {
  const Look& look = frame.look;
  Editing& editing = frame.editing;
  const picture::Palette& palette = *look.palette;
  const auto errors = std::ranges::count(marked_, compile::Severity::error, &compile::Message::severity);
  if (errors == 0) {
    const std::string seconds =
        tr("compiled in {milliseconds} ms", "milliseconds"_a = std::lround(1000 * editing.compile_seconds));
    const std::string state = editing.due()                 ? tr("typing ...")
                              : editing.compile_seconds > 0 ? seconds
                                                            : std::string();
    write(look,
          shortened(look, state, {.colour = palette.muted, .size = 12}, ImGui::GetContentRegionAvail().x),
          {.colour = palette.muted, .size = 12});
    return;
  }
  for (std::size_t i = 0; i < marked_.size(); ++i) {
    const compile::Message& message = marked_[i];
    if (message.severity != compile::Severity::error) continue;
    const TextStyle style{.colour = palette.costly, .size = 12};
    const std::string words =
        fmt::format("{}:{}: {}", message.file, message.line, message.text.substr(0, message.text.find('\n')));
    ImGui::PushID(static_cast<int>(i));
    write(look, shortened(look, words, style, ImGui::GetContentRegionAvail().x), style);
    if (ImGui::IsItemClicked()) editing.line_wanted = message.line;
    explain(look, message.text);
    ImGui::PopID();
  }
}

void SourceEditor::draw(const Frame& frame) {
  Editing& editing = frame.editing;
  const Look& look = frame.look;
  set_colours(look);
  take_text(frame);
  mark_messages(frame);
  compare(frame);
  const auto errors =
      static_cast<float>(std::ranges::count(marked_, compile::Severity::error, &compile::Message::severity));
  const float foot = look.px(20) * std::clamp(errors, 1.0f, kMostMessageLines) + look.px(10);
  const bool narrow = ImGui::GetContentRegionAvail().x < look.px(kNarrow);
  editor_.SetLineDecorator(narrow ? kNarrowFigureGlyphs : kFigureGlyphs,
                           [this, &look](const TextEditor::Decorator& place) { draw_figures(look, place); });
  // What Escape closes inside the editor comes first.
  const bool escaped_from = editing.focused && ImGui::IsKeyPressed(ImGuiKey_Escape, false) &&
                            editor_.GetNumberOfCursors() == 1 && !ImGui::IsAnyItemActive();
  ImGui::PushFont(look.fonts.mono, kBaseTextSize);
  editor_.Render("editor", {ImGui::GetContentRegionAvail().x,
                            std::max(look.px(60), ImGui::GetContentRegionAvail().y - foot)});
  ImGui::PopFont();
  editor_.ClearLineDecorator();  // It refers to this frame
  editing.focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  if (escaped_from) {
    ImGui::SetWindowFocus(nullptr);
    editing.focused = false;
  }
  if (std::string text = editor_.GetText(); text != editing.text) {
    editing.text = std::move(text);
    editing.changed = frame.meter.now();
    ++editing.edits;
  }
  ImGui::Dummy({0, look.px(1)});
  if (ImGui::BeginChild("messages", {0, 0})) draw_messages(frame);
  end_child(frame.look);
}

}  // namespace warplens::app
