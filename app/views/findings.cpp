#include <algorithm>
#include <bit>

#include "app/session/finding_words.h"
#include "app/session/guess_words.h"
#include "app/session/navigation.h"
#include "app/views/picture_view.h"
#include "kernels/base/texts.h"
#include "viz/analysis/finding_rows.h"

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
    return tr_n(analysis::finding_rows(findings).size(), "{n} finding", "{n} findings");
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
        const std::vector<analysis::FindingRow> rows = analysis::finding_rows(loaded.doubtful);
        for (std::size_t i = 0; i < std::min(rows.size(), kMostShown); ++i)
          draw_doubtful(frame, loaded.doubtful[rows[i].first]);
      }
    }
    end_child(look);
    const std::size_t count = analysis::finding_rows(loaded.recording->findings).size();
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
    const std::vector<analysis::FindingRow> rows = analysis::finding_rows(frame.recording().findings);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.look.px(3));  // For the upper edge of the first row
    for (std::size_t i = 0; i < std::min(rows.size(), kMostShown); ++i) draw_row(frame, rows[i]);
    if (rows.size() <= kMostShown) return;
    write_wrapped(frame.look,
                  tr_n(rows.size() - kMostShown, "… {n} more finding: `warplens report` lists it.",
                       "… {n} more findings: `warplens report` lists them."),
                  {.colour = frame.look.palette->muted});
  }

  static void draw_row(const Frame& frame, const analysis::FindingRow& row) {
    const Look& look = frame.look;
    const TextStyle muted{.colour = look.palette->muted};
    const Finding& finding = frame.recording().findings[row.first];
    ImGui::PushID(static_cast<int>(row.first));
    const std::string found = fmt::format("{} · {}", words_for(finding.kind), place_of(frame, finding)),
                      times = tr_n(row.count, "{n} time", "{n} times");
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string all = fmt::format("{} · {}", found, times);
    const bool fits = ImGui::CalcTextSize(all.c_str()).x <= room;
    const auto& chosen = frame.selection.finding;
    const bool is_lit = chosen && !chosen->other && std::ranges::binary_search(row.members, chosen->index);
    draw_access(frame, finding, {row.first, false}, is_lit,
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
    draw_others(frame, row);
    ImGui::Spacing();
    ImGui::PopID();
  }

  /// Draws one other access for each line, at most kMostOthers.
  static void draw_others(const Frame& frame, const analysis::FindingRow& row) {
    constexpr std::size_t kMostOthers = 8;
    std::vector<std::uint32_t> lines;
    for (const std::uint32_t index : row.members) {
      const Finding& finding = frame.recording().findings[index];
      const bool is_drawn = std::ranges::find(lines, finding.other_line) != lines.end();
      if (!finding.other || is_drawn || lines.size() == kMostOthers) continue;
      lines.push_back(finding.other_line);
      const ChosenFinding access{index, true};
      ImGui::PushID(static_cast<int>(index));
      draw_access(frame, finding, access, frame.selection.finding == access,
                  labelled(tr("Other access: line {line}", "line"_a = finding.other_line), "other"));
      ImGui::PopID();
      write_wrapped(
          frame.look,
          tr("In block {block}, warp {warp}, lane {lane}", "block"_a = name_of(frame, finding.other->block),
             "warp"_a = finding.other->warp, "lane"_a = finding.other->lane),
          {.colour = frame.look.palette->muted});
    }
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
  static void draw_access(const Frame& frame, const Finding& finding, ChosenFinding access, bool is_lit,
                          const std::string& label) {
    const picture::Palette& palette = *frame.look.palette;
    ImGui::PushStyleColor(ImGuiCol_Text, packed(access.other ? palette.accent : palette.costly));
    const bool clicked = ImGui::Selectable(label.c_str(), is_lit);
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
