#include "app/views/look.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "kernels/base/text.h"
#include "viz/canvas/fonts.h"

namespace warplens::app {
namespace {

using picture::Colour;
using picture::with_alpha;

ImFont* add_file(std::string_view bytes, const char* name, float line_height_per_em, bool to_the_last) {
  ImFontConfig config;
  config.MergeMode = to_the_last;
  config.FontDataOwnedByAtlas = false;
  config.ExtraSizeScale =
      line_height_per_em;  // Dear ImGui's size is ascent and descent together; ours is the em
  config.OversampleH = 1;
  std::snprintf(config.Name, sizeof config.Name, "%s", name);
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<char*>(bytes.data()),
                                                    static_cast<int>(bytes.size()), kBaseTextSize, &config);
}

/// Beyond which a scrolled window goes on. `head`: of the rows that stay at its top.
void fade_edges(const Look& look, const ImGuiWindow& window, float head) {
  const bool is_popup = (window.RootWindow->Flags & ImGuiWindowFlags_Popup) != 0;
  const Colour ground = is_popup ? look.palette->header : look.palette->panel;
  const ImU32 hidden = packed(ground), open = packed(with_alpha(ground, 0));
  const ImRect& box = window.InnerRect;
  const float top = box.Min.y + head,
              height = std::min(ImGui::GetTextLineHeightWithSpacing(), std::max(0.0f, box.Max.y - top) / 3);
  window.DrawList->PushClipRect(box.Min, box.Max);
  if (window.Scroll.y >= 1)
    window.DrawList->AddRectFilledMultiColor({box.Min.x, top}, {box.Max.x, top + height}, hidden, hidden,
                                             open, open);
  if (window.Scroll.y <= window.ScrollMax.y - 1)
    window.DrawList->AddRectFilledMultiColor({box.Min.x, box.Max.y - height}, box.Max, open, open, hidden,
                                             hidden);
  window.DrawList->PopClipRect();
}

ImFont* add_font(picture::Font font, const char* name) {
  ImFont* const added = add_file(picture::font_bytes(font), name, picture::line_height_per_em(font), false);
  add_file(picture::stand_in_bytes(font), "Noto Sans SC", picture::line_height_per_em_of_stand_in(font),
           true);
  return added;
}

void set_lengths(ImGuiStyle& style) {
  style.WindowPadding = {12, 10};
  style.FramePadding = {8, 6};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.CellPadding = {6, 3};
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.FrameRounding = 4;
  style.PopupRounding = 6;
  style.ChildRounding = 4;
  style.TabRounding = 4;
  style.GrabRounding = 4;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.TabBarBorderSize = 0;
  style.TabBarOverlineSize = 0;
  style.TabMinWidthShrink = 2000;  // Titles are not cut: those that do not fit are scrolled to
  style.TabCloseButtonMinWidthSelected = 0;
  style.TabCloseButtonMinWidthUnselected = 0;
  style.DockingSeparatorSize = 8;
  style.DockingNodeHasCloseButton = false;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.WindowTitleAlign = {0, 0.5f};
  style.WindowMinSize = {60, 60};
}

void set_surface_colours(ImVec4* colours, const picture::Palette& palette) {
  const auto set = [&](ImGuiCol place, Colour colour) { colours[place] = as_vector(colour); };
  set(ImGuiCol_Text, palette.text);
  set(ImGuiCol_TextDisabled, palette.muted);
  set(ImGuiCol_WindowBg, palette.panel);
  set(ImGuiCol_ChildBg, with_alpha(palette.panel, 0));
  set(ImGuiCol_PopupBg, palette.header);
  set(ImGuiCol_Border, palette.line);
  set(ImGuiCol_BorderShadow, with_alpha(palette.line, 0));
  set(ImGuiCol_MenuBarBg, palette.header);
  set(ImGuiCol_DockingEmptyBg, palette.background);
  set(ImGuiCol_DockingPreview, with_alpha(palette.accent, 0.35f));
  set(ImGuiCol_ModalWindowDimBg, with_alpha(palette.background, 0.65f));
  for (const ImGuiCol title : {ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_TitleBgCollapsed})
    set(title, palette.header);
  for (const ImGuiCol tab : {ImGuiCol_Tab, ImGuiCol_TabDimmed}) set(tab, palette.header);
  for (const ImGuiCol tab : {ImGuiCol_TabSelected, ImGuiCol_TabDimmedSelected}) set(tab, palette.header);
  for (const ImGuiCol line : {ImGuiCol_TabSelectedOverline, ImGuiCol_TabDimmedSelectedOverline})
    set(line, with_alpha(palette.accent, 0));
  set(ImGuiCol_TabHovered, mixed(palette.header, palette.accent, 0.25f));
  set(ImGuiCol_ScrollbarBg, with_alpha(palette.panel, 0));
  set(ImGuiCol_ScrollbarGrab, palette.line);
  set(ImGuiCol_ScrollbarGrabHovered, mixed(palette.line, palette.muted, 0.4f));
  set(ImGuiCol_ScrollbarGrabActive, palette.muted);
}

void set_control_colours(ImVec4* colours, const picture::Palette& palette) {
  const auto set = [&](ImGuiCol place, Colour colour) { colours[place] = as_vector(colour); };
  const Colour frame = palette.dark ? mixed(palette.header, palette.line, 0.7f) : palette.background;
  set(ImGuiCol_FrameBg, frame);
  set(ImGuiCol_FrameBgHovered, mixed(frame, palette.accent, 0.2f));
  set(ImGuiCol_FrameBgActive, mixed(frame, palette.accent, 0.3f));
  set(ImGuiCol_Button, frame);
  set(ImGuiCol_ButtonHovered, mixed(frame, palette.accent, 0.3f));
  set(ImGuiCol_ButtonActive, mixed(frame, palette.accent, 0.5f));
  set(ImGuiCol_Header, mixed(palette.header, palette.accent, 0.25f));
  set(ImGuiCol_HeaderHovered, mixed(palette.header, palette.accent, 0.35f));
  set(ImGuiCol_HeaderActive, mixed(palette.header, palette.accent, 0.5f));
  set(ImGuiCol_TableHeaderBg, palette.header);
  for (const ImGuiCol border : {ImGuiCol_TableBorderStrong, ImGuiCol_TableBorderLight})
    set(border, palette.line);
  set(ImGuiCol_TableRowBg, with_alpha(palette.line, 0));
  set(ImGuiCol_TableRowBgAlt, with_alpha(palette.line, 0.25f));
  set(ImGuiCol_Separator, palette.line);
  set(ImGuiCol_SeparatorHovered, with_alpha(palette.accent, 0.5f));
  set(ImGuiCol_SeparatorActive, palette.accent);
  set(ImGuiCol_CheckMark, palette.accent);
  set(ImGuiCol_SliderGrab, palette.accent);
  set(ImGuiCol_SliderGrabActive, palette.accent);
  set(ImGuiCol_PlotHistogram, palette.accent);
  set(ImGuiCol_TextSelectedBg, with_alpha(palette.accent, 0.35f));
  set(ImGuiCol_InputTextCursor, palette.text);
  set(ImGuiCol_NavCursor, palette.accent);
  set(ImGuiCol_TextLink, palette.accent);
  set(ImGuiCol_ResizeGrip, with_alpha(palette.line, 0));
}

void apply_to_plots(const Look& look) {
  const picture::Palette& palette = *look.palette;
  ImPlotStyle& style = ImPlot::GetStyle();
  style = ImPlotStyle();
  style.PlotPadding = look.px(0, 4);
  style.LabelPadding = look.px(6, 5);
  style.PlotBorderSize = 1;
  style.MinorAlpha = 0;
  style.PlotMinSize = look.px(60, 40);
  style.Colors[ImPlotCol_FrameBg] = as_vector(with_alpha(palette.panel, 0));
  style.Colors[ImPlotCol_PlotBg] =
      as_vector(palette.dark ? mixed(palette.background, palette.panel, 0.3f) : palette.header);
  style.Colors[ImPlotCol_PlotBorder] = as_vector(palette.line);
  style.Colors[ImPlotCol_AxisGrid] = as_vector(palette.line);
  style.Colors[ImPlotCol_AxisText] = as_vector(palette.muted);
  style.Colors[ImPlotCol_InlayText] = as_vector(palette.muted);
}

/// What comes from files may hold anything. Line feeds stay, tabs too.
std::string fit_to_show(std::string_view text) {
  std::string fit;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    fit += escaped(text.substr(0, end));
    if (end < text.size()) fit += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fit;
}

/// Returns the size in pixels. Dear ImGui rounds the size of what it lays out; draw lists do not.
float drawn_size(const Look& look, const TextStyle& style) {
  return std::max(look.px(style.size), std::round(look.px(style.size)));
}

/// Frames have an outline as long as it lives.
class Outlined {
 public:
  explicit Outlined(const Look& look) {
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, std::max(1.0f, std::floor(look.px(1))));
    ImGui::PushStyleColor(ImGuiCol_Border, packed(look.palette->muted));
  }
  ~Outlined() {
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }
  Outlined(const Outlined&) = delete;
  Outlined& operator=(const Outlined&) = delete;
};

/// Returns the end of as much of a word as fits where the word is wider than the room; one letter at least.
std::size_t end_within_word(const Look& look, std::string_view word, const TextStyle& style, float room) {
  std::string_view rest = word;
  static_cast<void>(picture::take_code_point(rest));
  while (!rest.empty()) {
    std::string_view next = rest;
    static_cast<void>(picture::take_code_point(next));
    if (picture::text_width(word.substr(0, word.size() - next.size()), look.px(style.size), style.font) >
        room)
      break;
    rest = next;
  }
  return word.size() - rest.size();
}

}  // namespace

ImFont* Fonts::of(picture::Font font) const {
  switch (font) {
    case picture::Font::sans_bold: return sans_bold;
    case picture::Font::mono: return mono;
    case picture::Font::sans: break;
  }
  return sans;
}

Fonts load_fonts() {
  return {add_font(picture::Font::sans, "Inter"), add_font(picture::Font::sans_bold, "Inter SemiBold"),
          add_font(picture::Font::mono, "JetBrains Mono")};
}

void apply(const Look& look) {
  ImGuiStyle style;
  set_lengths(style);
  style.ScaleAllSizes(look.scale);
  style.FontSizeBase = kBaseTextSize;
  style.FontScaleMain = look.scale;
  set_surface_colours(style.Colors, *look.palette);
  set_control_colours(style.Colors, *look.palette);
  ImGui::GetStyle() = style;
  apply_to_plots(look);
}

ImU32 packed(Colour colour) {
  return IM_COL32(colour.r, colour.g, colour.b, colour.a);
}

ImVec4 as_vector(Colour colour) {
  return {static_cast<float>(colour.r) / 255, static_cast<float>(colour.g) / 255,
          static_cast<float>(colour.b) / 255, static_cast<float>(colour.a) / 255};
}

void write(const Look& look, std::string_view any_text, const TextStyle& style) {
  const std::string text = fit_to_show(any_text);  // It may hold names of a file that anybody made
  ImGui::PushFont(look.fonts.of(style.font), style.size);
  ImGui::PushStyleColor(ImGuiCol_Text, packed(style.colour));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void write_right(const Look& look, std::string_view text, const TextStyle& style, float right) {
  ImGui::SameLine();
  ImGui::SetCursorScreenPos({std::floor(right - width_of(look, text, style)), ImGui::GetCursorScreenPos().y});
  write(look, text, style);
}

void write_wrapped(const Look& look, std::string_view text, const TextStyle& style, float width) {
  const float room =
      width > 0 ? look.px(width) : std::max(ImGui::GetContentRegionAvail().x, look.px(style.size));
  // The fonts' size is the em, so lines would touch: Dear ImGui's own wrapping leaves no space between them.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      {ImGui::GetStyle().ItemSpacing.x, look.px(style.size * 0.35f)});
  while (!text.empty()) {
    std::string_view paragraph = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(paragraph.size() + 1, text.size()));
    do {
      std::size_t line = picture::end_of_line(paragraph, room, look.px(style.size), style.font);
      if (line == 0 && !paragraph.empty()) line = end_within_word(look, paragraph, style, room);
      write(look, paragraph.substr(0, line), style);
      paragraph.remove_prefix(std::min(paragraph.find_first_not_of(' ', line), paragraph.size()));
    } while (!paragraph.empty());
  }
  ImGui::PopStyleVar();
}

float width_of(const Look& look, std::string_view text, const TextStyle& style) {
  return look.fonts.of(style.font)
      ->CalcTextSizeA(drawn_size(look, style), FLT_MAX, 0, text.data(), text.data() + text.size())
      .x;
}

std::string shortened(const Look& look, std::string_view text, const TextStyle& style, float width) {
  // However long the text is, only what fits is measured.
  const auto end_of_what_fits = [&](float room) {
    const char* end = nullptr;
    look.fonts.of(style.font)
        ->CalcTextSizeA(drawn_size(look, style), std::max(room, 0.0f), 0, text.data(),
                        text.data() + text.size(), &end);
    return end;
  };
  if (end_of_what_fits(std::nextafter(width, FLT_MAX)) == text.data() + text.size()) return std::string(text);
  static constexpr std::string_view kDots = "…";
  const float room = width - width_of(look, kDots, style);
  const char* const end = end_of_what_fits(room);
  return room <= 0 ? std::string() : std::string(text.data(), end) + std::string(kDots);
}

std::string shortened_by_parts(const Look& look, std::string_view text, const TextStyle& style, float width) {
  static constexpr std::string_view kBetween = " · ";
  while (width_of(look, text, style) > width) {
    const std::size_t last = text.rfind(kBetween);
    if (last == std::string_view::npos)
      return width_of(look, text, style) <= 2 * width ? shortened(look, text, style, width) : std::string();
    text = text.substr(0, last);
  }
  return std::string(text);
}

void same_line_if_fits(const Look& look, float width, float gap) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetItemRectMax().x + look.px(gap) + width <= right) ImGui::SameLine(0, look.px(gap));
}

bool tick(const Look& look, const char* label, bool& on) {
  const Outlined outlined(look);
  return ImGui::Checkbox(label, &on);
}

bool choice(const Look& look, const char* label, bool chosen) {
  const Outlined outlined(look);
  return ImGui::RadioButton(label, chosen);
}

float checkbox_width(const Look& look, std::string_view text) {
  return ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + width_of(look, text, {});
}

float button_width(const Look& look, std::string_view text) {
  return 2 * ImGui::GetStyle().FramePadding.x + width_of(look, text, {});
}

float menu_width(const Look& look, std::string_view text, float least) {
  return std::max(look.px(least), ImGui::GetStyle().FramePadding.x + std::ceil(width_of(look, text, {})) +
                                      ImGui::GetFrameHeight());
}

std::string labelled(std::string_view text, std::string_view id) {
  return fmt::format("{}###{}", text, id);
}

bool list_entry(const char* label, bool selected) {
  const bool chosen = ImGui::Selectable(label, selected);
  if (selected) ImGui::SetItemDefaultFocus();
  return chosen;
}

void draw_veil(const Look& look, ImVec2 from, ImVec2 size, std::string_view words) {
  const picture::Palette& palette = *look.palette;
  ImGui::SetCursorScreenPos(from);
  ImGui::BeginChild("veil", size, 0,
                    ImGuiWindowFlags_NoInputs |
                        ImGuiWindowFlags_NoScrollbar);  // A window, or those drawn before lie over it
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, {from.x + size.x, from.y + size.y},
                     packed(picture::with_alpha(palette.panel, 0.6f)));
  if (!words.empty()) {
    const TextStyle style{.colour = palette.text, .size = 12, .font = picture::Font::sans_bold};
    const ImVec2 padding = look.px(10, 5);
    const std::string text = shortened(look, words, style, size.x - 4 * padding.x);
    const float width = width_of(look, text, style);
    const ImVec2 at{std::floor(from.x + (size.x - width) / 2), std::floor(from.y + look.px(10))};
    const ImVec2 left_top{at.x - padding.x, at.y - padding.y},
        right_bottom{at.x + width + padding.x, at.y + look.px(style.size) + padding.y};
    list.AddRectFilled(left_top, right_bottom, packed(palette.header), look.px(4));
    list.AddRect(left_top, right_bottom, packed(palette.line), look.px(4));
    list.AddText(look.fonts.sans_bold, look.px(style.size), at, packed(style.colour), text.c_str());
  }
  ImGui::EndChild();
}

void end_child(const Look& look) {
  fade_edges(look, *ImGui::GetCurrentWindow(), 0);
  ImGui::EndChild();
}

void end_table(const Look& look) {
  const ImGuiWindow& inner = *ImGui::GetCurrentWindow();
  ImGui::EndTable();  // Which joins the parts in which a table is drawn
  fade_edges(look, inner, ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y);
}

void explain(const Look& look, std::string_view text) {
  if (text.empty() ||
      !ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled))
    return;
  show_tooltip(look, text);
}

void show_tooltip(const Look& look, std::string_view any_text) {
  if (any_text.empty() || look.pointer_rests || !ImGui::BeginTooltip()) return;
  constexpr float kWidth = 380;
  constexpr std::size_t kMaxBytes = 2000;
  const std::string text = cut_at_end(fit_to_show(any_text.substr(0, 2 * kMaxBytes)), kMaxBytes);
  write_wrapped(look, text, {.colour = look.palette->text},
                std::min(kWidth, width_of(look, text, {}) / look.scale + 1));
  ImGui::EndTooltip();
}

bool begin_list(const Look& look, const char* id, std::span<const ListColumn> columns, float height) {
  constexpr auto kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                          ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX |
                          ImGuiTableFlags_BordersInnerH;
  constexpr int kMinLines = 2;
  const float room = height > 0 ? height : ImGui::GetContentRegionAvail().y;
  if (room < ImGui::GetTextLineHeightWithSpacing() * kMinLines) return false;
  if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), kFlags, {0, height})) return false;
  for (const ListColumn& column : columns)
    ImGui::TableSetupColumn(column.name.c_str(), ImGuiTableColumnFlags_None, column.share);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const ListColumn& column : columns) {
    ImGui::TableNextColumn();
    ImGui::TableHeader(column.name.c_str());
    explain(look, column.meaning);
  }
  return true;
}

}  // namespace warplens::app
