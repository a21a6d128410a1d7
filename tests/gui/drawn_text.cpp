#include "gui/drawn_text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace warplens::app {
namespace {

struct KnownGlyph {
  const ImFontGlyph* glyph;
  const ImFontBaked* font;
};
using KnownGlyphs =
    std::map<std::pair<float, float>, KnownGlyph>;  ///< By the upper left corner in the texture

KnownGlyphs known_glyphs() {
  KnownGlyphs known;
  ImFontAtlasBuilder& builder = *ImGui::GetIO().Fonts->Builder;
  for (int i = 0; i < builder.BakedPool.Size; ++i) {
    const ImFontBaked& font = builder.BakedPool[i];
    if (font.WantDestroy) continue;
    for (const ImFontGlyph& glyph : font.Glyphs) {
      if (glyph.Visible) known.insert({{glyph.U0, glyph.V0}, {&glyph, &font}});
    }
  }
  return known;
}

std::string utf8(unsigned int character) {
  char bytes[5] = {};
  ImTextCharToUtf8(bytes, character);
  return bytes;
}

/// Puts glyphs together that stand in one line, one after the other.
class Lines {
 public:
  Lines(std::string window, std::vector<DrawnText>& out) : window_(std::move(window)), out_(out) {}

  void add(ImVec2 from, ImVec2 to, const KnownGlyph& known, const ImVec4& clip) {
    const float scale = (to.y - from.y) / (known.glyph->Y1 - known.glyph->Y0), em = known.font->Size * scale;
    const float top = from.y - known.glyph->Y0 * scale, left = from.x - known.glyph->X0 * scale;
    constexpr float kSpace = 0.15f, kApart = 0.9f;  // Of an em
    const float gap = left - end_;
    const bool goes_on =
        font_ == known.font && std::abs(top - top_) < 1 && gap > -em / 4 && gap < kApart * em;
    if (!goes_on) {
      const std::string_view font = known.font->OwnerFont->GetDebugName();
      out_.push_back({.text = {},
                      .window = window_,
                      .is_code = font.find("Mono") != std::string_view::npos,
                      .letters = {}});
    } else if (gap > kSpace * em) {
      out_.back().text += ' ';
    }
    out_.back().text += utf8(known.glyph->Codepoint);
    include(out_.back().letters, {std::max(from.x, clip.x), std::max(from.y, clip.y), std::min(to.x, clip.z),
                                  std::min(to.y, clip.w)});
    font_ = known.font;
    top_ = top;
    end_ = left + known.glyph->AdvanceX * scale;
  }

 private:
  static bool is_empty(const ImVec4& box) { return box.x >= box.z || box.y >= box.w; }
  static void include(ImVec4& box, const ImVec4& more) {
    if (is_empty(more)) return;
    box = is_empty(box) ? more
                        : ImVec4(std::min(box.x, more.x), std::min(box.y, more.y), std::max(box.z, more.z),
                                 std::max(box.w, more.w));
  }

  std::string window_;
  std::vector<DrawnText>& out_;
  const ImFontBaked* font_ = nullptr;
  float top_ = 0, end_ = 0;
};

void read(const ImGuiWindow& window, const KnownGlyphs& known, std::vector<DrawnText>& out) {
  Lines lines(window.Name, out);
  const ImDrawList& list = *window.DrawList;
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr || command.TexRef._TexData != ImGui::GetIO().Fonts->TexData) continue;
    for (unsigned i = 0; i + 6 <= command.ElemCount; i += 3) {
      const auto vertex = [&](unsigned k) -> const ImDrawVert& {
        return list.VtxBuffer[static_cast<int>(command.VtxOffset +
                                               list.IdxBuffer[static_cast<int>(command.IdxOffset + i + k)])];
      };
      const ImDrawVert &a = vertex(0), &b = vertex(2);  // Opposite corners
      const auto found = known.find({a.uv.x, a.uv.y});
      if (found == known.end() || (a.col & IM_COL32_A_MASK) == 0 || a.uv.x == b.uv.x || a.uv.y == b.uv.y)
        continue;
      lines.add(a.pos, b.pos, found->second, command.ClipRect);
      i += 3;  // Its second triangle
    }
  }
}

}  // namespace

std::vector<DrawnText> drawn_texts() {
  const KnownGlyphs known = known_glyphs();
  std::vector<DrawnText> texts;
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (window->Active && !window->Hidden) read(*window, known, texts);
  }
  return texts;
}

std::vector<std::string> overlapping_texts() {
  constexpr float kAllowed = 1.5f;  // Pixels of antialiased edges
  const std::vector<DrawnText> texts = drawn_texts();
  std::vector<std::string> found;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ImVec4 &a = texts[i].letters, &b = texts[j].letters;
      if (texts[i].window != texts[j].window || a.x >= a.z || b.x >= b.z) continue;
      const float across = std::min(a.z, b.z) - std::max(a.x, b.x),
                  along = std::min(a.w, b.w) - std::max(a.y, b.y);
      if (across > kAllowed && along > kAllowed)
        found.push_back(texts[i].window + ": `" + texts[i].text + "` lies on `" + texts[j].text + "`");
    }
  }
  return found;
}

}  // namespace warplens::app
