#include <algorithm>
#include <bit>

#include "app/session/finding_words.h"
#include "app/session/guess_words.h"
#include "app/session/navigation.h"
#include "app/views/picture_view.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

class FindingsView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const auto& findings = frame.recording().findings;
    if (frame.loaded().guesses.of_bounds()) return draw_guessed(frame);
    if (findings.empty()) {
      show_nothing(frame, tr("Nothing wrong was found."),
                   tr("No access out of bounds or misaligned, no race between barriers, within a warp or "
                      "between blocks, no barrier reached by a "
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

  /// Draws the findings of a launch of which something was guessed: first what is wrong all the same, then
  /// what may be wrong only because of the guess.
  static std::string draw_guessed(const Frame& frame) {
    const Loaded& loaded = frame.loaded();
    const Look& look = frame.look;
    if (ImGui::BeginChild("list")) {
      write_wrapped(look, tr("Parts of the launch are guessed: bounds not checked"),
                    {.colour = look.palette->fill, .font = picture::Font::sans_bold});
      write_wrapped(look, guesses_in_words(loaded), {.colour = look.palette->muted});
      ImGui::Spacing();
      if (!loaded.recording->findings.empty()) draw_list(frame);
      if (!loaded.doubtful.empty()) {
        write_wrapped(look, tr("Perhaps only because of the guess"),
                      {.colour = look.palette->text, .font = picture::Font::sans_bold});
        for (std::size_t i = 0; i < std::min(loaded.doubtful.size(), kMostShown); ++i)
          draw_doubtful(frame, loaded.doubtful[i]);
      }
    }
    end_child(look);
    const std::size_t count = loaded.recording->findings.size();
    return count == 0 ? std::string(tr("bounds not checked")) : tr_n(count, "{n} finding", "{n} findings");
  }

  static void draw_doubtful(const Frame& frame, const Finding& finding) {
    const TextStyle muted{.colour = frame.look.palette->muted};
    write_wrapped(frame.look, fmt::format("{} · {}", words_for(finding.kind), place_of(frame, finding)),
                  muted);
    write_wrapped(frame.look, capitalised(sentence_for(finding)), muted);
    ImGui::Spacing();
  }

  static std::string place_of(const Frame& frame, const Finding& finding) {
    const auto& files = frame.recording().files;
    return finding.file < files.size() ? fmt::format("{}:{}", files[finding.file].name, finding.line)
                                       : std::string(tr("unknown line"));
  }

  static void draw_list(const Frame& frame) {
    const auto& findings = frame.recording().findings;
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.look.px(3));  // For the upper edge of the first row
    for (std::size_t i = 0; i < std::min(findings.size(), kMostShown); ++i)
      draw_finding(frame, findings[i], static_cast<std::uint32_t>(i));
    if (findings.size() <= kMostShown) return;
    write_wrapped(frame.look,
                  tr_n(findings.size() - kMostShown, "… {n} more finding: `warplens report` lists it.",
                       "… {n} more findings: `warplens report` lists them."),
                  {.colour = frame.look.palette->muted});
  }

  static void draw_finding(const Frame& frame, const Finding& finding, std::uint32_t index) {
    const Look& look = frame.look;
    const TextStyle muted{.colour = look.palette->muted};
    ImGui::PushID(static_cast<int>(index));
    const std::string found = fmt::format("{} · {}", words_for(finding.kind), place_of(frame, finding)),
                      times = tr_n(finding.count, "{n} time", "{n} times");
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string all = fmt::format("{} · {}", found, times);
    const bool fits = ImGui::CalcTextSize(all.c_str()).x <= room;
    draw_access(frame, finding, {index, false},
                labelled(fits ? all : shortened(look, found, {}, room), "finding"));
    if (!fits) write_wrapped(look, times, muted);
    write_wrapped(look, capitalised(sentence_for(finding)), muted);
    write_wrapped(
        look,
        tr("First in block {block}, warp {warp}, {lanes}", "block"_a = name_of(frame, finding.block),
           "warp"_a = finding.warp, "lanes"_a = picture::lanes_name(finding.lanes)),
        muted);
    if (const std::string where = thread_and_element(frame.recording(), finding); !where.empty())
      write_wrapped(look, where, muted);
    if (finding.other) {
      draw_access(frame, finding, {index, true},
                  labelled(tr("Other access: line {line}", "line"_a = finding.other_line), "other"));
      write_wrapped(
          look,
          tr("In block {block}, warp {warp}, lane {lane}", "block"_a = name_of(frame, finding.other->block),
             "warp"_a = finding.other->warp, "lane"_a = finding.other->lane),
          muted);
    }
    ImGui::Spacing();
    ImGui::PopID();
  }

  /// "Thread (3, 1) · A[96][12]", of the first lane.
  static std::string thread_and_element(const Recording& recording, const Finding& finding) {
    if (finding.lanes == 0) return {};
    const std::uint64_t thread =
        std::uint64_t{finding.warp} * kWarpSize + static_cast<std::uint64_t>(std::countr_zero(finding.lanes));
    const Dim3 index = index_from_linear(recording.block, thread);
    const std::string name = recording.block.z > 1   ? fmt::format("({}, {}, {})", index.x, index.y, index.z)
                             : recording.block.y > 1 ? fmt::format("({}, {})", index.x, index.y)
                                                     : std::to_string(index.x);
    std::string words = tr("Thread {thread}", "thread"_a = name);
    if (!finding.access || finding.access->addresses.empty()) return words;
    const std::uint64_t address = finding.access->addresses.front();
    if (finding.access->space == Space::shared)
      return words + " · " + picture::shared_address_name(recording, address);
    return finding.access->space == Space::global
               ? words + " · " + picture::place_name_beyond(recording, address)
               : words;
  }

  /// A row that leads there, lit while one is there.
  static void draw_access(const Frame& frame, const Finding& finding, ChosenFinding access,
                          const std::string& label) {
    const picture::Palette& palette = *frame.look.palette;
    ImGui::PushStyleColor(ImGuiCol_Text, packed(access.other ? palette.accent : palette.costly));
    const bool clicked = ImGui::Selectable(label.c_str(), frame.selection.finding == access);
    ImGui::PopStyleColor();
    const bool in_source = finding.file == frame.loaded().facts->source_file;
    if (ImGui::IsItemHovered() && in_source)
      frame.hover.line = access.other ? finding.other_line : finding.line;
    if (clicked) frame.selection = at_chosen(frame, access);
  }

  static std::string name_of(const Frame& frame, Dim3 block) {
    return frame.recording().grid.z > 1 ? fmt::format("({}, {}, {})", block.x, block.y, block.z)
                                        : fmt::format("({}, {})", block.x, block.y);
  }

  static std::string capitalised(std::string sentence) {
    if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z')
      sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
    return sentence;
  }
};

const RegisterWidget kFindings{"findings", make_one<FindingsView>};

}  // namespace
}  // namespace warplens::app
