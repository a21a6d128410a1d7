#include <algorithm>

#include "app/session/finding_words.h"
#include "app/session/navigation.h"
#include "app/views/picture_view.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

class FindingsView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const auto& findings = frame.recording().findings;
    if (findings.empty()) {
      show_nothing(frame, tr("Nothing wrong was found."),
                   tr("No access out of bounds or misaligned, no race between barriers, within a warp or between blocks, no barrier reached by a "
                      "part of a block, "
                      "no read of shared memory that nobody wrote. What is right but slow is in Costs."));
      return tr("none");
    }
    if (ImGui::BeginChild("list")) draw_list(frame);
    end_child(frame.look);
    return tr_n(findings.size(), "{n} finding", "{n} findings");
  }

 private:
  static constexpr std::size_t kMostShown = 1000;  ///< Each is laid out anew in every frame

  static void draw_list(const Frame& frame) {
    const auto& findings = frame.recording().findings;
    for (std::size_t i = 0; i < std::min(findings.size(), kMostShown); ++i) draw_finding(frame, findings[i], i);
    if (findings.size() <= kMostShown) return;
    write_wrapped(
        frame.look,
        tr_n(findings.size() - kMostShown, "… {n} more finding: `warplens report` lists it.", "… {n} more findings: `warplens report` lists them."),
        {.colour = frame.look.palette->muted});
  }

  static void draw_finding(const Frame& frame, const Finding& finding, std::size_t index) {
    const Look& look = frame.look;
    ImGui::PushID(static_cast<int>(index));
    const auto& files = frame.recording().files;
    const std::string place = finding.file < files.size() ? fmt::format("{}:{}", files[finding.file].name, finding.line) : tr("unknown line");
    const std::string title = fmt::format("{} · {} · {}", words_for(finding.kind), place, tr_n(finding.count, "{n} time", "{n} times"));
    ImGui::PushStyleColor(ImGuiCol_Text, packed(look.palette->costly));
    const bool clicked = ImGui::Selectable(labelled(title, "finding").c_str());
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) frame.hover.line = finding.line;
    if (clicked && finding.file == frame.loaded().facts->source_file) {
      frame.selection = at_line(frame.recording(), frame.selection, finding.file, finding.line);
    }
    std::string sentence = sentence_for(finding);
    if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
    write_wrapped(look, sentence, {.colour = look.palette->muted});
    const std::string block = frame.recording().grid.z > 1 ? fmt::format("({}, {}, {})", finding.block.x, finding.block.y, finding.block.z)
                                                           : fmt::format("({}, {})", finding.block.x, finding.block.y);
    write_wrapped(look,
                  tr("First in block {block}, warp {warp}, {lanes}", "block"_a = block, "warp"_a = finding.warp,
                     "lanes"_a = picture::lanes_name(finding.lanes)),
                  {.colour = look.palette->muted});
    ImGui::Spacing();
    ImGui::PopID();
  }
};

const RegisterWidget kFindings{"findings", make_one<FindingsView>};

}  // namespace
}  // namespace warplens::app
