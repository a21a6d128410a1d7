#include "app/views/code_list.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/session/hardware_figures.h"
#include "app/session/navigation.h"
#include "kernels/base/texts.h"
#include "viz/picture/moment.h"
#include "viz/picture/terms.h"

namespace warplens::app {
namespace {

constexpr float kRowHeight = 20;
constexpr float kCodeSize = 12.5f;
constexpr float kFigureSize = 12;

void draw_text(const Look& look, ImVec2 at, std::string_view text, const TextStyle& style) {
  ImGui::GetWindowDrawList()->AddText(look.fonts.of(style.font), look.px(style.size), at,
                                      packed(style.colour), text.data(), text.data() + text.size());
}

void draw_text_right(const Look& look, float right, float y, std::string_view text, const TextStyle& style) {
  draw_text(look, {std::floor(right - width_of(look, text, style)), y}, text, style);
}

float centred(const Look& look, float top, float height, float size) {
  return std::floor(top + (height - look.px(size)) / 2);
}

/// Columns of figures, from left to right. The margin drops what says least where there is no room for all.
enum class Column : unsigned char { requests, per_request, ideal, excess };
constexpr std::array kColumns{Column::requests, Column::per_request, Column::ideal, Column::excess};
constexpr std::array kDroppedFirst{Column::requests, Column::ideal, Column::excess};

const char* title_of(Column column) {
  switch (column) {
    case Column::requests: return tr("requests");
    case Column::per_request: return tr("per request");
    case Column::ideal: return tr("ideal");
    case Column::excess: break;
  }
  return tr("excess");
}

const char* meaning_of(Column column) {
  switch (column) {
    case Column::requests: return picture::meaning_of(picture::Term::requests);
    case Column::per_request:
      return tr(
          "What a request takes on average: sectors (sec), aligned pieces of 32 bytes, of global memory, or "
          "transactions (trans) before compute "
          "capability 5.0; wavefronts (wf), passes through the data stage, of shared memory.");
    case Column::ideal: return picture::meaning_of(picture::Term::ideal);
    case Column::excess: break;
  }
  return tr(
      "What all requests take beyond the ideal. The bar is its share of the kernel's whole excess in the "
      "same unit.");
}

float width_of_column(const Look& look, Column column) {
  constexpr float kLeast = 56, kOfCounts = 82;
  const float least = column == Column::requests || column == Column::excess ? kOfCounts : kLeast;
  return std::max(look.px(least), width_of(look, title_of(column), {.size = 11}) + look.px(10));
}

/// The right edges of the columns that there is room for, in pixels from the right edge of the list;
/// negative: no room.
struct Edges {
  std::array<float, kColumns.size()> right{};
  float figures = 0;  ///< Width of all
  [[nodiscard]] float of(Column column) const { return right[static_cast<std::size_t>(column)]; }
};

Edges edges_of(const Look& look, float width) {
  constexpr float kLeastForAccess = 120;
  std::array<bool, kColumns.size()> shown{true, true, true, true};
  const auto needed = [&] {
    float sum = look.px(kLeastForAccess);
    for (const Column column : kColumns)
      sum += shown[static_cast<std::size_t>(column)] ? width_of_column(look, column) : 0;
    return sum;
  };
  for (const Column column : kDroppedFirst) {
    if (needed() > width) shown[static_cast<std::size_t>(column)] = false;
  }
  Edges edges{.right = {}, .figures = look.px(6)};
  for (std::size_t i = kColumns.size(); i-- > 0;) {
    edges.right[i] = shown[i] ? edges.figures : -1;
    if (shown[i]) edges.figures += width_of_column(look, kColumns[i]);
  }
  return edges;
}

void draw_header(const Look& look, const Edges& edges, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = look.px(kRowHeight);
  const TextStyle style{.colour = look.palette->muted, .size = 11};
  for (const Column column : kColumns) {
    if (edges.of(column) < 0) continue;
    const float right = at.x + width - edges.of(column), own = width_of_column(look, column);
    draw_text_right(look, right, centred(look, at.y, height, 11), title_of(column), style);
    ImGui::SetCursorScreenPos({right - own, at.y});
    ImGui::Dummy({own, height});
    explain(look, meaning_of(column));
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({1, height});
}

/// Returns the count as it fits in a column of that width: in full, where there is room.
std::string count_in(const Look& look, std::uint64_t count, float width, const TextStyle& style) {
  const std::string full = with_thousands(count);
  return width_of(look, full, style) <= width ? full : in_short(count);
}

/// The figure, and below it a bar by share, which is seen where it is not nothing.
void draw_excess(const Look& look, const analysis::LineFigures& figures, double share, float right, float top,
                 float height) {
  const float most = width_of_column(look, Column::excess) - look.px(8), thickness = look.px(2),
              bottom = top + height - look.px(1);
  const float width = std::max(most * static_cast<float>(share), look.px(2));
  ImGui::GetWindowDrawList()->AddRectFilled({right - most, bottom - thickness}, {right, bottom},
                                            packed(picture::with_alpha(look.palette->costly, 0.2f)));
  ImGui::GetWindowDrawList()->AddRectFilled({right - width, bottom - thickness}, {right, bottom},
                                            packed(look.palette->costly));
  const TextStyle style{
      .colour = look.palette->costly, .size = kFigureSize, .font = picture::Font::sans_bold};
  draw_text_right(look, right, centred(look, top, height, kFigureSize),
                  count_in(look, figures.excess(), most, style), style);
}

/// A tick where a GPU counted the same; a ring where it did of the machine code, which is another; else a
/// sign that it did not.
void draw_badge(const Look& look, const analysis::HardwareCount& hardware, ImVec2 at, float size) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = packed(hardware.agrees() ? look.palette->good : look.palette->costly);
  const float top = at.y + look.px(kFigureSize) / 2 - size / 2, thickness = std::max(look.px(1.6f), 1.0f);
  const auto point = [&](float x, float y) { return ImVec2{at.x + x * size, top + y * size}; };
  if (hardware.explained())
    return list.AddCircle({at.x + size / 2, top + size / 2}, size * 0.36f, colour, 0, thickness);
  if (hardware.agrees()) {
    const std::array tick{point(0, 0.55f), point(0.35f, 0.9f), point(1, 0.1f)};
    return list.AddPolyline(tick.data(), static_cast<int>(tick.size()), colour, 0, thickness);
  }
  list.AddLine(point(0, 0.35f), point(1, 0.35f), colour, thickness);
  list.AddLine(point(0, 0.75f), point(1, 0.75f), colour, thickness);
  list.AddLine(point(0.25f, 1.05f), point(0.75f, 0), colour, thickness);
}

/// A disc where something is wrong, a ring where its other side is.
void draw_mark(const Look& look, LineMark mark, ImVec2 centre) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = packed(look.palette->costly);
  if (mark == LineMark::found) list.AddCircleFilled(centre, look.px(3.5f), colour);
  if (mark == LineMark::other) list.AddCircle(centre, look.px(3), colour, 0, std::max(look.px(1.4f), 1.0f));
}

void draw_figures(const Look& look, const Edges& edges, const analysis::LineFigures& figures, double share,
                  ImVec2 at, float width, float height) {
  const picture::Palette& palette = *look.palette;
  const float y = centred(look, at.y, height, kFigureSize), right = at.x + width;
  const TextStyle muted{.colour = palette.muted, .size = kFigureSize},
      small{.colour = palette.muted, .size = 11};
  const TextStyle cost{.colour = figures.costly() ? palette.costly : palette.good,
                       .size = kFigureSize,
                       .font = picture::Font::sans_bold};
  const std::string what = picture::access_words(figures);
  const float end = right - edges.figures - look.px(6);
  const float left = std::clamp(end - width_of(look, what, small), at.x + look.px(5),
                                at.x + look.px(40));  // Set in, where there is room
  draw_text(look, {std::floor(left), y}, shortened(look, what, small, end - left), small);
  const auto draw = [&](Column column, const std::string& text, const TextStyle& style) {
    if (edges.of(column) >= 0) draw_text_right(look, right - edges.of(column), y, text, style);
  };
  draw(Column::requests,
       count_in(look, figures.totals.requests, width_of_column(look, Column::requests) - look.px(8), muted),
       muted);
  const std::string figure =
      fmt::format("{} {}", one_decimal(figures.cost_per_request()), figures.short_unit());
  draw(Column::per_request, figure, cost);
  if (figures.hardware && edges.of(Column::per_request) >= 0) {
    const float size = look.px(kFigureSize * 0.6f);
    draw_badge(look, *figures.hardware,
               {right - edges.of(Column::per_request) - width_of(look, figure, cost) - size - look.px(4), y},
               size);
  }
  draw(Column::ideal, one_decimal(figures.ideal_per_request()), muted);
  if (edges.of(Column::excess) >= 0 && figures.excess() > 0)
    draw_excess(look, figures, share, right - edges.of(Column::excess), at.y, height);
}

std::string explanation(const analysis::LineFigures& figures, double share) {
  std::string text =
      tr("{access}: {requests}, {cost} ({ideal} would be ideal), {divergent} of them partially active",
         "access"_a = picture::access_words(figures),
         "requests"_a = tr_n(figures.totals.requests, "{n} request", "{n} requests"),
         "cost"_a = figures.space == Space::shared ? tr_n(figures.cost(), "{n} wavefront", "{n} wavefronts")
                    : figures.counts_sectors       ? tr_n(figures.cost(), "{n} sector", "{n} sectors")
                                             : tr_n(figures.cost(), "{n} transaction", "{n} transactions"),
         "ideal"_a = with_thousands(figures.ideal()),
         "divergent"_a = with_thousands(figures.totals.divergent_requests));
  if (figures.hardware) text += "\n" + in_words(*figures.hardware, figures);
  if (figures.excess() == 0) return text;
  return text + "\n" +
         tr("Beyond the ideal: {count}, {share} of the kernel's",
            "count"_a = with_thousands(figures.excess()), "share"_a = formatted("{:.1f} %", 100 * share));
}

}  // namespace

std::string one_decimal(double value) {
  return formatted("{:.1f}", value);
}

void CodeList::set(std::vector<CodeLine> lines, const analysis::TotalExcess& total) {
  lines_ = std::move(lines);
  total_ = total;
  rows_.clear();
  scrolled_ = {};
  longest_ = 0;
  for (std::uint32_t line = 0; line < lines_.size(); ++line) {
    longest_ = std::max(longest_, lines_[line].text.size());
    rows_.push_back({line, -1});
    for (std::int32_t figure = 0; figure < static_cast<std::int32_t>(lines_[line].figures.size()); ++figure)
      rows_.push_back({line, figure});
  }
}

void CodeList::draw(const Frame& frame, std::uint32_t current, float height) {
  const Look& look = frame.look;
  const float width = ImGui::GetContentRegionAvail().x;
  const float row_height = look.px(kRowHeight);
  const TextStyle code{.colour = look.palette->muted, .size = kCodeSize, .font = picture::Font::mono};
  const float character = width_of(look, "0", code);
  const auto digits = std::to_string(lines_.empty() ? 0 : lines_.back().number).size();
  Sight sight{.left = 0,
              .width = width,
              .row_height = row_height,
              .gutter = look.px(20) + static_cast<float>(digits) * character};
  const float whole_width = sight.gutter + static_cast<float>(longest_) * character + look.px(6);
  const float bar = ImGui::GetStyle().ScrollbarSize, below = whole_width > width ? bar : 0;
  const auto room =
      static_cast<std::size_t>(std::max((height - row_height - below) / row_height, 1.0f));  // Whole rows
  const float list_height = static_cast<float>(room) * row_height + below;
  if (rows_.size() > room) sight.width -= bar;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  draw_header(look, edges_of(look, sight.width), sight.width);
  if (ImGui::BeginChild("lines", {width, list_height}, 0, ImGuiWindowFlags_HorizontalScrollbar)) {
    sight.left = ImGui::GetWindowPos().x;
    scroll_to(current, row_height, room);
    // However far the list is scrolled, it begins with a whole row.
    const float hidden_part = std::fmod(ImGui::GetScrollY(), row_height);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + hidden_part);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()), row_height);
    while (clipper.Step()) {
      for (int index = clipper.DisplayStart; index < clipper.DisplayEnd; ++index) {
        const Row& row = rows_[static_cast<std::size_t>(index)];
        draw_row(frame, row, row.figure < 0 && lines_[row.line].number == current, sight,
                 std::max(whole_width, sight.width));
      }
    }
    ImGui::GetCurrentWindow()->DC.CursorMaxPos.y -= hidden_part;  // It can be scrolled no further than before
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void CodeList::scroll_to(std::uint32_t number, float row_height, std::size_t room) {
  if (ImGui::IsWindowAppearing()) scrolled_ = {};
  const Scrolled wanted{number, row_height, room};
  if (wanted == scrolled_) return;
  scrolled_ = wanted;
  const auto found = std::ranges::find_if(
      rows_, [&](const Row& candidate) { return lines_[candidate.line].number == number; });
  if (found == rows_.end()) return;
  const auto end_of_line =
      std::find_if(found + 1, rows_.end(), [](const Row& row) { return row.figure < 0; });
  const auto line = static_cast<std::size_t>(found - rows_.begin()),
             end = static_cast<std::size_t>(end_of_line - rows_.begin());
  const auto first = static_cast<std::size_t>(ImGui::GetScrollY() / row_height);
  if (line >= first && end <= first + room) return;
  // The line in the middle with its figures, as far as there is room for them, beneath a line of code.
  std::size_t top = line - std::min(line, room * 9 / 20);
  if (end > top + room) top = std::min(end - room, line);
  while (top < line && rows_[top].figure >= 0) ++top;
  ImGui::SetScrollY(static_cast<float>(top) * row_height);
}

void CodeList::draw_row(const Frame& frame, const Row& row, bool current, const Sight& sight,
                        float whole_width) {
  const Look& look = frame.look;
  const CodeLine& line = lines_[row.line];
  const ImVec2 begin = ImGui::GetCursorScreenPos(), at{sight.left, begin.y};
  const std::string id = row.figure < 0 ? fmt::format("line {}", line.number)
                                        : fmt::format("line {} figure {}", line.number, row.figure);
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {whole_width, sight.row_height});
  if (ImGui::IsItemHovered() && line.source_line != 0) frame.hover.line = line.source_line;

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool lit = line.source_line != 0 && frame.hovered.line == line.source_line;
  const ImVec2 end{at.x + sight.width, at.y + sight.row_height};
  if (current || lit)
    list.AddRectFilled(at, end, packed(picture::with_alpha(look.palette->accent, current ? 0.22f : 0.09f)));
  if (current) list.AddRectFilled(at, {at.x + look.px(3), end.y}, packed(look.palette->accent));

  if (row.figure < 0) {
    draw_code(look, line, begin.x, at.y, sight);
    if (clicked && line.source_line != 0)
      frame.selection =
          at_costliest(frame.loaded(), frame.selection, frame.loaded().facts->source_file, line.source_line);
  } else {
    const analysis::LineFigures& figures = line.figures[static_cast<std::size_t>(row.figure)];
    const double share = total_.share(figures);
    draw_figures(look, edges_of(look, sight.width), figures, share, at, sight.width, sight.row_height);
    explain(look, explanation(figures, share));
    if (clicked) frame.selection = at_sites(frame.recording(), frame.selection, figures.sites);
  }
}

/// The number stays at the left of what is in sight; the code, which begins at `left`, is cut off beneath it.
void CodeList::draw_code(const Look& look, const CodeLine& line, float left, float top, const Sight& sight) {
  const float y = centred(look, top, sight.row_height, kCodeSize);
  const TextStyle muted{.colour = look.palette->muted, .size = kCodeSize, .font = picture::Font::mono};
  const TextStyle code{.colour = look.palette->text, .size = kCodeSize, .font = picture::Font::mono};
  draw_text_right(look, sight.left + sight.gutter - look.px(10), y, std::to_string(line.number), muted);
  draw_mark(look, line.mark, {sight.left + sight.gutter - look.px(4.5f), top + sight.row_height / 2});
  ImGui::PushClipRect({sight.left + sight.gutter, top}, {sight.left + sight.width, top + sight.row_height},
                      true);
  const std::string_view text = line.text;
  const std::size_t comment = std::min(text.find("//"), text.size());
  const float comment_left = left + sight.gutter + width_of(look, text.substr(0, comment), code);
  draw_text(look, {left + sight.gutter, y}, text.substr(0, comment), code);
  draw_text(look, {comment_left, y}, text.substr(comment), muted);
  ImGui::PopClipRect();
}

}  // namespace warplens::app
