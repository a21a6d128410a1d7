#include "app/shell/panels.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "app/session/navigation.h"
#include "app/shell/exports.h"
#include "app/views/failure.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kMenuWidth = 26;

void draw_content(const Frame& frame, Panel& panel) {
  if (panel.view->needs_recording && !frame.shown) {
    panel.subtitle.clear();
    const std::string words = frame.model.waiting_for.empty()
                                  ? tr("Nothing is recorded yet. Choose a kernel above and press Record, or "
                                       "open a recording (Ctrl+O).")
                                  : tr("{work} ...", "work"_a = frame.model.waiting_for);
    write_wrapped(frame.look, words, {.colour = frame.look.palette->muted});
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  frame.watch.drawing(panel.view->title, room.x, room.y);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto failed = guarded([&] { panel.subtitle = panel.widget->draw(frame); });
  frame.watch.drawing("what is around the views");
  if (panel.view->needs_recording && frame.look.guessed) {
    panel.subtitle = panel.subtitle.empty() ? std::string(tr("launch guessed"))
                                            : tr("launch guessed") + (" · " + panel.subtitle);
  }
  if (!failed) {
    const bool is_editor = frame.editing.on && panel.view->edits;  // Of what the row says
    if (panel.view->needs_recording && !frame.other_launch.empty() && !is_editor)
      draw_veil(frame.look, at, room, tr("Of {launch}", "launch"_a = frame.other_launch));
    return;
  }
  panel.subtitle.clear();
  write_wrapped(
      frame.look,
      tr("This cannot be drawn: {reason}. {advice}", "reason"_a = failed->what, "advice"_a = failed->hint),
      {.colour = frame.look.palette->costly});
}

bool has_something(const Frame& frame, const Panel& panel) {
  const viz::View& view = *panel.view;
  if (!view.needs_recording) return true;
  if (!frame.shown) return false;
  if (!view.make) return true;  // A list of its own
  bool something = false;
  const auto failed = guarded([&] {
    viz::ExportRequest request{.view = std::string(view.id), .subject = frame.subject()};
    panel.widget->amend(request);  // With what is chosen in it, as the launch that is compared
    something = !view.make(request.subject, {1280, 720}, frame.look.style()).empty;
  });
  return something || failed;
}

std::optional<std::size_t> event_drawn(const Frame& frame, const viz::View& view) {
  return view.draws_access != nullptr ? view.draws_access(frame.moment())
                                      : current_event(frame.recording(), frame.selection);
}

/// "line 25: sum += as[y][i] * bs[i][x];", of the access that the view draws; empty where there is none or
/// its source is not at hand.
std::string code_in_words(const Frame& frame, const viz::View& view) {
  const Recording& recording = frame.recording();
  const std::optional<std::size_t> event = event_drawn(frame, view);
  if (!event) return {};
  const Site& site = recording.sites[recording.events.site[*event]];
  if (site.line == 0 || site.file >= recording.files.size() || recording.files[site.file].text.empty())
    return {};
  return tr("line {line}: {code}", "line"_a = site.line,
            "code"_a = escaped(trimmed_line(recording.files[site.file].text, site.line)));
}

/// A subtitle's parts, but for the source line if it is one of them.
std::string without_line(const std::string& subtitle) {
  const std::string line = tr("line {line}", "line"_a = ""), separator = " · ";
  std::string kept;
  for (std::size_t from = 0; from <= subtitle.size();) {
    const std::size_t end = std::min(subtitle.find(separator, from), subtitle.size());
    const std::string part = subtitle.substr(from, end - from);
    const bool is_line =
        part.starts_with(line) && part.find_first_not_of("0123456789", line.size()) == std::string::npos;
    if (!is_line) kept += (kept.empty() ? "" : separator) + part;
    from = end + separator.size();
  }
  return kept;
}

bool is_panel(const ImGuiTabItem& tab) {
  return (tab.Flags & ImGuiTabItemFlags_Button) == 0;
}

/// If all of them were in sight.
float end_of_tabs(const ImGuiDockNode& node) {
  float end = node.Pos.x;
  for (const ImGuiTabItem& tab : node.TabBar->Tabs) {
    if (is_panel(tab)) end = std::max(end, node.TabBar->BarRect.Min.x + tab.Offset + tab.Width);
  }
  return end;
}

/// The button of the panel's menu, at the right end of its tab bar. True when it is pressed.
bool draw_menu_button(const Look& look, ImGuiDockNode& node) {
  if (node.TabBar == nullptr) return false;
  // A panel that has just come to the front is drawn even where what holds it has no room at all: no tab bar
  // can be amended there.
  if (node.HostWindow == nullptr || node.HostWindow->SkipItems || !ImGui::DockNodeBeginAmendTabBar(&node))
    return false;
  const ImVec2 size = look.px(20, 20);
  ImVec2 at{std::floor(node.Pos.x + node.Size.x - look.px(kMenuWidth)),
            std::floor(node.TabBar->BarRect.GetCenter().y - size.y / 2)};
  bool pressed = false;
  if (end_of_tabs(node) <= node.Pos.x + node.Size.x - look.px(kMenuWidth)) {
    ImGui::SetCursorScreenPos(at);
    pressed = ImGui::InvisibleButton("menu", size);
  } else {  // One of the tab bar's own has its room from the tabs
    pressed = ImGui::TabItemButton("###menu", ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip);
    at.x = std::floor((ImGui::GetItemRectMin().x + ImGui::GetItemRectMax().x - size.x) / 2);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered())
    list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, ImGui::GetColorU32(ImGuiCol_ButtonHovered),
                       look.px(4));
  for (const float y : {0.28f, 0.5f, 0.72f}) {
    list.AddCircleFilled({at.x + size.x / 2, at.y + size.y * y}, look.px(1.4f), packed(look.palette->muted));
  }
  explain(look, tr("Export this view, or copy it (Ctrl+E)"));
  ImGui::DockNodeEndAmendTabBar();
  return pressed;
}

/// The panel's state beside that, where the tabs leave room.
void draw_subtitle(const Look& look, const std::string& subtitle, ImGuiDockNode& node) {
  if (subtitle.empty() || node.TabBar == nullptr) return;
  const float right = node.Pos.x + node.Size.x - look.px(kMenuWidth + 4),
              left = end_of_tabs(node) + look.px(14);
  const TextStyle style{.colour = look.palette->muted, .size = 12};
  const std::string text = shortened_by_parts(look, subtitle, style, right - left);
  const float y = std::floor(node.TabBar->BarRect.GetCenter().y - look.px(style.size) / 2);
  ImGui::GetWindowDrawList()->AddText(look.fonts.sans, look.px(style.size),
                                      {std::floor(right - width_of(look, text, style)), y},
                                      packed(style.colour), text.c_str());
}

constexpr float kDimmed = 0.38f;  ///< What is left has a contrast of more than 4.5

/// Tabs that are not in front are dimmed, so that a panel's title stands out; one that is in sight in part
/// only becomes an ellipsis.
void dim_other_tabs(const Look& look, const ImGuiDockNode& node) {
  if (node.TabBar == nullptr) return;
  const ImRect bar = node.TabBar->BarRect;
  const float least = node.TabBar->ScrollingRectMinX, most = node.TabBar->ScrollingRectMaxX;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const ImGuiTabItem& tab : node.TabBar->Tabs) {
    if (tab.ID == node.TabBar->VisibleTabId || !is_panel(tab)) continue;
    const float begin = bar.Min.x + tab.Offset - node.TabBar->ScrollingAnim, end = begin + tab.Width;
    const float left = std::max(begin, least), right = std::min(end, most);
    if (left >= right) continue;
    const bool whole = left < begin + 1 && right > end - 1;
    list.AddRectFilled(
        {left, bar.Min.y}, {right, bar.Max.y},
        packed(whole ? picture::with_alpha(look.palette->header, kDimmed) : look.palette->header));
    const TextStyle style{.colour = look.palette->muted, .font = picture::Font::sans_bold};
    const float width = width_of(look, "…", style);
    if (whole || right - left < width) continue;
    list.AddText(
        look.fonts.sans_bold, look.px(style.size),
        {std::floor((left + right - width) / 2), std::floor(bar.GetCenter().y - look.px(style.size) / 2)},
        packed(style.colour), "…");
  }
}

/// A panel that comes to the front otherwise than by its tab: where there are more tabs than fit, its own is
/// to be seen.
void scroll_to_own_tab(const ImGuiDockNode& node) {
  if (node.TabBar == nullptr) return;
  if (ImGuiTabItem* tab = ImGui::TabBarFindTabByID(node.TabBar, ImGui::GetCurrentWindow()->TabId))
    ImGui::TabBarQueueFocus(node.TabBar, tab);
}

/// Rounds the corners of a panel off, and draws its edge: docked windows themselves are square.
void draw_edge(const Look& look, ImVec2 from, ImVec2 to) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float r = look.px(6);
  const ImU32 background = packed(look.palette->background);
  const auto corner = [&](ImVec2 point, ImVec2 centre, float angle) {
    list.PathLineTo(point);
    list.PathArcTo(centre, r, angle, angle + IM_PI / 2, 8);
    list.PathFillConcave(background);
  };
  corner(from, {from.x + r, from.y + r}, IM_PI);
  corner({to.x, from.y}, {to.x - r, from.y + r}, IM_PI * 1.5f);
  corner(to, {to.x - r, to.y - r}, 0);
  corner({from.x, to.y}, {from.x + r, to.y - r}, IM_PI * 0.5f);
  list.AddRect(from, to, packed(look.palette->line), r);
}

}  // namespace

std::string window_name(const viz::View& view) {
  return labelled(tr(view.title), view.id);
}

std::string window_name_of(std::string_view id) {
  const auto& views = viz::views();
  const auto found = std::ranges::find(views, id, &viz::View::id);
  return found == views.end() ? std::string() : window_name(*found);
}

Panels::Panels(const std::vector<std::string>& hidden) {
  for (const viz::View& view : viz::views()) {
    if (!view.place) continue;
    panels_.push_back({.view = &view,
                       .widget = make_widget(view),
                       .open = std::ranges::find(hidden, view.id) == hidden.end()});
  }
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (panels_[i].view->presented_first) latest_ = i;
  }
}

void Panels::draw(const Frame& frame) {
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    draw_panel(frame, i);
  }
  for (std::size_t i = 0; i < panels_.size(); ++i) {  // Others had the focus while they were drawn
    if (std::exchange(panels_[i].focus_wanted, false)) set_latest(i);
  }
}

void Panels::draw_panel(const Frame& frame, std::size_t index) {
  Panel& panel = panels_[index];
  const bool was_visible = std::exchange(panel.visible, false);
  panel.moves = false;
  if (!panel.open) return;
  if (panel.focus_wanted) ImGui::SetNextWindowFocus();
  ImGui::SetNextWindowSize(frame.look.px(560, 400), ImGuiCond_FirstUseEver);
  constexpr auto kFlags = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoScrollbar |
                          ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoFocusOnAppearing;
  const bool has_margin = panel.widget->has_margin();
  if (has_margin) ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, frame.look.px(3, 3));
  const bool in_front = ImGui::Begin(window_name(*panel.view).c_str(), nullptr, kFlags);
  if (has_margin) ImGui::PopStyleVar();
  panel.at = ImGui::GetWindowPos();
  panel.size = ImGui::GetWindowSize();
  if (in_front) {
    panel.visible = true;
    draw_content(frame, panel);
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows)) set_latest(index);
    if (ImGuiDockNode* node = ImGui::GetWindowDockNode()) {
      ImGui::PushClipRect(node->Pos, {node->Pos.x + node->Size.x, node->Pos.y + node->Size.y}, false);
      if (!was_visible) scroll_to_own_tab(*node);
      panel.moves = node->TabBar != nullptr && node->TabBar->ScrollingAnim != node->TabBar->ScrollingTarget;
      dim_other_tabs(frame.look, *node);
      draw_subtitle(frame.look, panel.subtitle, *node);
      draw_edge(frame.look, node->Pos, {node->Pos.x + node->Size.x, node->Pos.y + node->Size.y});
      ImGui::PopClipRect();
      if (can_be_exported(*panel.view) && draw_menu_button(frame.look, *node)) menu_wanted_ = index;
    }
  }
  ImGui::End();
}

void Panels::draw_presentation(const Frame& frame, ImVec2 at, ImVec2 size) {
  step_presentation(frame);
  for (Panel& panel : panels_) panel.visible = false;
  if (!beside_) return draw_presented(frame, latest_, at, size);
  const float gap = frame.look.px(8), half = std::floor((size.x - gap) / 2);
  draw_presented(frame, latest_, at, {half, size.y});
  draw_presented(frame, *beside_, {at.x + half + gap, at.y}, {half, size.y});
}

void Panels::draw_presented(const Frame& frame, std::size_t index, ImVec2 at, ImVec2 size) {
  Panel& panel = panels_[index];
  const Look& look = frame.look;
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, look.px(14, 8));
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin((window_name(*panel.view) + " presented").c_str(), nullptr, kFlags)) {
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    const TextStyle title{.colour = look.palette->text, .size = 18, .font = picture::Font::sans_bold},
        muted{.colour = look.palette->muted};
    const bool of_recording = panel.view->needs_recording && frame.shown;
    const bool refused = !frame.refused.empty();
    const TextStyle costly{.colour = look.palette->costly},
        mono{.colour = look.palette->text, .font = picture::Font::mono};
    const std::string second = refused        ? frame.refused
                               : of_recording ? code_in_words(frame, *panel.view)
                                              : std::string();
    const std::string subtitle = refused || second.empty()
                                     ? panel.subtitle
                                     : without_line(panel.subtitle);  // It stands before the code
    const TextStyle second_style = refused ? costly : mono;
    // Of the first line and of the second, that which leaves more room for it.
    const auto subtitle_in = [&](float room) {
      return shortened_by_parts(look, subtitle, muted, room - look.px(20));
    };
    const std::string below =
        subtitle_in(ImGui::GetContentRegionAvail().x - width_of(look, second, second_style));
    write(look, tr(panel.view->title), title);
    if (of_recording) {
      ImGui::SameLine(0, look.px(16));
      ImGui::SetCursorPosY(ImGui::GetCursorPosY() +
                           look.px(title.size - kBaseTextSize) * 0.6f);  // On the title's baseline
      write(look, shortened_by_parts(look, frame.launch, muted, right - ImGui::GetCursorScreenPos().x),
            muted);
    }
    const std::string above = of_recording ? subtitle_in(right - ImGui::GetItemRectMax().x) : std::string();
    const bool is_above = width_of(look, above, muted) >= width_of(look, below, muted);
    if (is_above) {
      const float baseline = ImGui::GetItemRectMin().y;  // The launch's
      ImGui::SameLine();
      ImGui::SetCursorScreenPos({std::floor(right - width_of(look, above, muted)), baseline});
      write(look, above, muted);
    }
    write(look, shortened(look, second, second_style, right - ImGui::GetCursorScreenPos().x), second_style);
    if (!is_above) write_right(look, below, muted, right);
    ImGui::Spacing();
    draw_content(frame, panel);
    panel.visible = true;
    panel.at = at;
    panel.size = size;
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

std::vector<std::string> Panels::hidden() const {
  std::vector<std::string> ids;
  for (const Panel& panel : panels_) {
    if (!panel.open) ids.emplace_back(panel.view->id);
  }
  return ids;
}

void Panels::show(std::string_view id) {
  assert(std::ranges::any_of(panels_, [&](const Panel& panel) { return panel.view->id == id; }));
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (panels_[i].view->id != id) continue;
    panels_[i].open = panels_[i].focus_wanted = true;
    set_latest(i);  // A presentation may begin before it is drawn
  }
}

void Panels::bring_forward(std::string_view id) {
  const auto panel = std::ranges::find(panels_, id, [](const Panel& one) { return one.view->id; });
  assert(panel != panels_.end());
  const ImGuiWindow* const window = ImGui::FindWindowByName(window_name(*panel->view).c_str());
  const bool is_tab =
      panel->open && window != nullptr && window->DockNode != nullptr && window->DockNode->TabBar != nullptr;
  if (is_tab) window->DockNode->TabBar->NextSelectedTabId = window->TabId;
  panel->open = true;
}

float Panels::part_of_presented_scale() const {
  constexpr float kOfCompare = 0.66f, kOfTwo = 0.75f;
  if (panels_[latest_].view->of_two) return kOfCompare;
  return beside_ ? kOfTwo : 1.0f;
}

void Panels::present(std::size_t index) {
  panels_[index].open = true;
  set_latest(index);
}

void Panels::set_latest(std::size_t index) {
  latest_ = index;
  if (beside_ == index) beside_.reset();  // A view is drawn once
}

void Panels::present_beside(std::size_t index) {
  panels_[index].open = true;
  beside_ = beside_ == index || latest_ == index ? std::nullopt : std::optional(index);
}

void Panels::step_presentation(const Frame& frame) {
  if (std::exchange(latest_wanted_, false) && !has_something(frame, panels_[latest_])) next_wanted_ = true;
  if (std::exchange(next_wanted_, false))
    present(next_to_present(frame, latest_, panels_.size()).value_or(latest_));
  if (!std::exchange(next_beside_wanted_, false)) return;
  // Once around, from the view after the presented one: then there is none beside it again.
  const std::size_t after = beside_.value_or(latest_),
                    passed = (after + panels_.size() - latest_) % panels_.size();
  beside_ = next_to_present(frame, after, panels_.size() - passed);
}

/// Returns the first to present of the `until` - 1 panels that come after it.
std::optional<std::size_t> Panels::next_to_present(const Frame& frame, std::size_t after,
                                                   std::size_t until) const {
  for (std::size_t step = 1; step < until; ++step) {
    const std::size_t candidate = (after + step) % panels_.size();
    if (panels_[candidate].open && has_something(frame, panels_[candidate])) return candidate;
  }
  return std::nullopt;
}

}  // namespace warplens::app
