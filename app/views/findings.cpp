#include <fmt/format.h>

#include <algorithm>

#include "app/session/navigation.h"
#include "app/views/finding_words.h"
#include "app/views/view.h"
#include "viz/picture/canvas.h"

namespace warplens::app {
namespace {

class FindingsView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const auto& findings = frame.recording().findings;
    const picture::Palette& palette = *frame.look.palette;
    if (findings.empty()) {
      write_wrapped(
          frame.look,
          "Nothing wrong was found: no access out of bounds or misaligned, no race between barriers, no barrier reached by a part of a block, no "
          "read of shared memory that nobody wrote.",
          {.colour = palette.muted});
      return "none";
    }
    for (std::size_t i = 0; i < std::min(findings.size(), kMostShown); ++i) draw_finding(frame, findings[i], i);
    if (findings.size() > kMostShown) {
      write_wrapped(frame.look, fmt::format("… {}: `warplens report` lists them.", picture::counted(findings.size() - kMostShown, "more finding")),
                    {.colour = palette.muted});
    }
    return fmt::format("{}", findings.size());
  }

 private:
  static constexpr std::size_t kMostShown = 1000;  ///< Each is laid out anew in every frame

  static void draw_finding(const Frame& frame, const Finding& finding, std::size_t index) {
    const Look& look = frame.look;
    ImGui::PushID(static_cast<int>(index));
    const auto& files = frame.recording().files;
    const std::string place = finding.file < files.size() ? fmt::format("{}:{}", files[finding.file].name, finding.line) : "unknown line";
    const std::string title = fmt::format("{} · {} · {}", words_for(finding.kind), place, picture::counted(finding.count, "time"));
    ImGui::PushStyleColor(ImGuiCol_Text, packed(look.palette->costly));
    const bool clicked = ImGui::Selectable(title.c_str());
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) frame.hover.line = finding.line;
    if (clicked && finding.file == frame.loaded().facts->source_file) {
      frame.selection = at_line(frame.recording(), frame.selection, finding.file, finding.line);
    }
    write_wrapped(look, finding.text, {.colour = look.palette->muted});
    write_wrapped(look,
                  fmt::format("First in block ({}, {}, {}), warp {}, {}", finding.block.x, finding.block.y, finding.block.z, finding.warp,
                              picture::lanes_name(finding.lanes)),
                  {.colour = look.palette->muted});
    ImGui::Spacing();
    ImGui::PopID();
  }
};

const RegisterWidget kFindings{"findings", make_one<FindingsView>};

}  // namespace
}  // namespace warplens::app
