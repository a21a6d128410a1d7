#include "app/views/code_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/navigation.h"
#include "kernels/base/texts.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

constexpr float kRowHeight = 20;
constexpr float kCodeSize = 12.5f;
constexpr float kFigureSize = 12;

void draw_text(const Look& look, ImVec2 at, std::string_view text, const TextStyle& style) {
  ImGui::GetWindowDrawList()->AddText(look.fonts.of(style.font), look.px(style.size), at, packed(style.colour), text.data(),
                                      text.data() + text.size());
}

void draw_text_right(const Look& look, float right, float y, std::string_view text, const TextStyle& style) {
  draw_text(look, {std::floor(right - width_of(look, text, style)), y}, text, style);
}

float centred(const Look& look, float top, float height, float size) {
  return std::floor(top + (height - look.px(size)) / 2);
}

/// Right edges of the three columns of figures, in pixels from the right edge of the list.
struct Edges {
  float ideal, per_request, requests;
};

Edges edges_of(const Look& look) {
  const auto column = [&](const char* title, float least) { return std::max(look.px(least), width_of(look, title, {.size = 11}) + look.px(8)); };
  Edges edges{.ideal = look.px(6), .per_request = 0, .requests = 0};
  edges.per_request = edges.ideal + column(tr("ideal"), 56);
  edges.requests = edges.per_request + column(tr("per request"), 70);
  return edges;
}

void draw_header(const Look& look, const Edges& edges, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = look.px(kRowHeight);
  const float y = centred(look, at.y, height, 11);
  const TextStyle style{.colour = look.palette->muted, .size = 11};
  draw_text_right(look, at.x + width - edges.requests, y, tr("requests"), style);
  draw_text_right(look, at.x + width - edges.per_request, y, tr("per request"), style);
  draw_text_right(look, at.x + width - edges.ideal, y, tr("ideal"), style);
  ImGui::Dummy({1, height});
}

/// "global load".
std::string access_of(const analysis::LineFigures& figures) {
  Site site;
  site.space = figures.space;
  site.op = figures.op;
  return picture::access_words(site, {});
}

void draw_figures(const Look& look, const Edges& edges, const analysis::LineFigures& figures, ImVec2 at, float width, float height) {
  const picture::Palette& palette = *look.palette;
  const float y = centred(look, at.y, height, kFigureSize);
  const float right = at.x + width;
  const TextStyle muted{.colour = palette.muted, .size = kFigureSize};
  const TextStyle cost{.colour = figures.costly() ? palette.costly : palette.good, .size = kFigureSize, .font = picture::Font::sans_bold};
  const std::string requests = with_thousands(figures.totals.requests), what = access_of(figures);
  const float requests_left = right - edges.requests - width_of(look, requests, muted);
  const TextStyle small{.colour = palette.muted, .size = 11};
  const float end = requests_left - look.px(6);
  const float left = std::clamp(end - width_of(look, what, small), at.x + look.px(5), at.x + look.px(40));  // Set in, where there is room
  draw_text(look, {std::floor(left), y}, shortened(look, what, small, end - left), small);
  draw_text_right(look, right - edges.requests, y, requests, muted);
  draw_text_right(look, right - edges.per_request, y, fmt::format("{} {}", one_decimal(figures.cost_per_request()), figures.short_unit()), cost);
  draw_text_right(look, right - edges.ideal, y, one_decimal(figures.ideal_per_request()), muted);
}

std::string explanation(const analysis::LineFigures& figures) {
  return tr("{access}: {requests}, {cost} ({ideal} would be ideal), {divergent} of them with fewer lanes than the warp has threads",
            "access"_a = access_of(figures), "requests"_a = tr_n(figures.totals.requests, "{n} request", "{n} requests"),
            "cost"_a = figures.space == Space::shared ? tr_n(figures.cost(), "{n} wavefront", "{n} wavefronts")
                                                      : tr_n(figures.cost(), "{n} sector", "{n} sectors"),
            "ideal"_a = with_thousands(figures.ideal()), "divergent"_a = with_thousands(figures.totals.divergent_requests));
}

}  // namespace

std::string one_decimal(double value) {
  return fmt::format("{:.1f}", value);
}

void CodeList::set(std::vector<CodeLine> lines) {
  lines_ = std::move(lines);
  rows_.clear();
  scrolled_to_ = 0;
  for (std::uint32_t line = 0; line < lines_.size(); ++line) {
    rows_.push_back({line, -1});
    for (std::int32_t figure = 0; figure < static_cast<std::int32_t>(lines_[line].figures.size()); ++figure) rows_.push_back({line, figure});
  }
}

void CodeList::draw(const Frame& frame, std::uint32_t current, float height) {
  const Look& look = frame.look;
  const float width = ImGui::GetContentRegionAvail().x;
  const float row_height = look.px(kRowHeight), list_height = std::max(height - row_height, row_height);
  const bool scrolls = static_cast<float>(rows_.size()) * row_height > list_height;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  draw_header(look, edges_of(look), width - (scrolls ? ImGui::GetStyle().ScrollbarSize : 0.0f));
  if (ImGui::BeginChild("lines", {width, list_height})) {
    const TextStyle number_style{.colour = look.palette->muted, .size = kCodeSize, .font = picture::Font::mono};
    const float number_width = width_of(look, std::to_string(lines_.empty() ? 0 : lines_.back().number), number_style);
    scroll_to(current, row_height);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()), row_height);
    while (clipper.Step()) {
      for (int index = clipper.DisplayStart; index < clipper.DisplayEnd; ++index) {
        const Row& row = rows_[static_cast<std::size_t>(index)];
        draw_row(frame, row, row.figure < 0 && lines_[row.line].number == current, row_height, number_width);
      }
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void CodeList::scroll_to(std::uint32_t number, float row_height) {
  if (ImGui::IsWindowAppearing()) scrolled_to_ = 0;
  if (number == scrolled_to_) return;
  scrolled_to_ = number;
  const auto row = std::ranges::find_if(rows_, [&](const Row& candidate) { return lines_[candidate.line].number == number; });
  if (row == rows_.end()) return;
  const float top = static_cast<float>(row - rows_.begin()) * row_height;
  const bool visible = top >= ImGui::GetScrollY() && top + 3 * row_height <= ImGui::GetScrollY() + ImGui::GetWindowHeight();
  if (!visible) ImGui::SetScrollY(std::max(0.0f, top - ImGui::GetWindowHeight() * 0.45f));
}

void CodeList::draw_row(const Frame& frame, const Row& row, bool current, float height, float number_width) {
  const Look& look = frame.look;
  const CodeLine& line = lines_[row.line];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0f);
  const std::string id = row.figure < 0 ? fmt::format("line {}", line.number) : fmt::format("line {} figure {}", line.number, row.figure);
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {width, height});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && line.source_line != 0) frame.hover.line = line.source_line;

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool lit = line.source_line != 0 && frame.hovered.line == line.source_line;
  if (current || lit) {
    list.AddRectFilled(at, {at.x + width, at.y + height}, packed(picture::with_alpha(look.palette->accent, current ? 0.22f : 0.09f)));
  }
  if (current) list.AddRectFilled(at, {at.x + look.px(3), at.y + height}, packed(look.palette->accent));

  if (row.figure < 0) {
    draw_code(frame, line, at, width, number_width);
    if (clicked && line.source_line != 0)
      frame.selection = at_line(frame.recording(), frame.selection, frame.loaded().facts->source_file, line.source_line);
  } else {
    const analysis::LineFigures& figures = line.figures[static_cast<std::size_t>(row.figure)];
    draw_figures(look, edges_of(look), figures, at, width, height);
    explain(look, explanation(figures));
    if (clicked) frame.selection = at_sites(frame.recording(), frame.selection, figures.sites);
  }
}

void CodeList::draw_code(const Frame& frame, const CodeLine& line, ImVec2 at, float width, float number_width) const {
  const Look& look = frame.look;
  const picture::Palette& palette = *look.palette;
  const float y = centred(look, at.y, look.px(kRowHeight), kCodeSize);
  const TextStyle number{.colour = palette.muted, .size = kCodeSize, .font = picture::Font::mono};
  const TextStyle code{.colour = palette.text, .size = kCodeSize, .font = picture::Font::mono};
  draw_text_right(look, at.x + look.px(10) + number_width, y, std::to_string(line.number), number);

  const float left = at.x + look.px(20) + number_width;
  const std::string text = shortened(look, line.text, code, at.x + width - look.px(6) - left);
  const std::size_t comment = std::min(text.find("//"), text.size());
  draw_text(look, {left, y}, std::string_view(text).substr(0, comment), code);
  const float comment_left = left + width_of(look, std::string_view(text).substr(0, comment), code);
  draw_text(look, {comment_left, y}, std::string_view(text).substr(comment), number);
  if (text != line.text) explain(look, line.text);
}

}  // namespace warplens::app
