#include <fmt/format.h>

#include <bit>

#include "app/session/navigation.h"
#include "app/session/word_history.h"
#include "app/views/picture_view.h"
#include "kernels/base/texts.h"
#include "viz/picture/history_words.h"

namespace warplens::app {
namespace {

constexpr const char* kFetchedAgain = marked(
    "Fetched again: the requests that read the element, after the first one. Lanes that read it in one "
    "request share one fetch. Whether a cache "
    "still holds it is not counted.");

const char* done_by(const Site& site) {
  if (!analysis::writes(site)) return tr("read");
  return analysis::reads(site) ? tr("read, write") : tr("write");
}

std::string block_name(const Recording& recording, const Dim3& block) {
  if (recording.grid.z > 1) return fmt::format("({}, {}, {})", block.x, block.y, block.z);
  return fmt::format("({}, {})", block.x, block.y);
}

/// The selection where the touch is, whichever block is drawn.
Selection at_touch(Selection selection, const analysis::WordTouch& touch) {
  selection.warp = touch.warp;
  selection.phase = touch.phase;
  selection.step = touch.step;
  selection.line = 0;
  return selection;
}

bool is_at(const Frame& frame, const analysis::WordTouch& touch) {
  const std::vector<Dim3>& blocks = frame.recording().event_blocks;
  const Selection& selection = frame.selection;
  return selection.event_block < blocks.size() && blocks[selection.event_block] == touch.block &&
         selection.warp == touch.warp && selection.phase == touch.phase && selection.step == touch.step;
}

class HistoryView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const Look& look = frame.look;
    const TextStyle muted{.colour = look.palette->muted};
    finder_.follow(frame.shown, frame.selection, frame.wake);
    if (frame.recording().events.size() == 0) {
      show_nothing(frame, tr("This recording holds totals only."),
                   tr("Record it again with blocks chosen for events, to see who touched a word."));
      return {};
    }
    if (!finder_.wanted()) {
      show_nothing(frame, tr("No word is selected."),
                   tr("Click an element of a matrix in Matrix heat or Tile phases, or a word of shared "
                      "memory in Tile phases or Banks: this list says "
                      "who touched it, and when."));
      return tr("nothing selected");
    }
    const std::shared_ptr<const analysis::WordHistory> history = finder_.found();
    if (finder_.failed()) {
      write_wrapped(look,
                    tr("There is not enough memory to list those that touch it. Close other programs, and "
                       "choose it again."),
                    muted);
      return {};
    }
    if (history == nullptr) {
      const std::string word = picture::name_of_word(frame.recording(), word_of(frame.selection));
      write_wrapped(look, tr("Looking for those that touch {word} ...", "word"_a = word), muted);
      return {};
    }
    draw_summary(frame, *history);
    if (!history->touches.empty()) draw_list(frame, *history);
    return picture::name_of_word(frame.recording(), word_of(frame.selection));
  }

 private:
  void draw_summary(const Frame& frame, const analysis::WordHistory& history) {
    const Look& look = frame.look;
    write_wrapped(look, picture::summary_of(frame.recording(), word_of(frame.selection), history),
                  {.colour = look.palette->fill});
    if (frame.selection.element) explain(look, tr(kFetchedAgain));
    if (const auto run = finder_.blocks_run()) {
      write_wrapped(
          look,
          tr_n(frame.recording().blocks_total, "All blocks are run again for it: {run} of {n} by now.",
               "All blocks are run again for it: {run} of {n} by now.", "run"_a = with_thousands(*run)),
          {.colour = look.palette->muted});
    }
    if (history.touches.empty()) return;
    const TextStyle small{.colour = look.palette->muted, .size = 11};
    const std::string note =
        history.cut()
            ? tr_n(
                  history.requests,
                  "The first {listed} of {n} request by block and phase; beyond that their order is not set.",
                  "The first {listed} of {n} requests by block and phase; beyond that their order is not "
                  "set.",
                  "listed"_a = with_thousands(history.touches.size()))
            : tr("Requests by block and phase; beyond that their order is not set.");
    write(look, shortened(look, note, small, ImGui::GetContentRegionAvail().x), small);
    explain(look, note);
  }

  void draw_list(const Frame& frame, const analysis::WordHistory& history) {
    const ListColumn columns[] = {
        {"#", 0.7f, tr("Its number among the requests of the word.")},
        {labelled(tr("Block"), "block"), 1.3f, tr("Which block of the grid: blockIdx.x, blockIdx.y.")},
        {labelled(tr("Warp"), "warp"), 0.8f, tr("Which warp of the block; 32 threads in order are one.")},
        {labelled(tr("Lanes"), "lanes"), 1.8f, tr("Which threads of the warp touch the word.")},
        {labelled(tr("Phase"), "phase"), 0.8f,
         tr("Between which barriers, or in which turn of the outermost loop where there are none.")},
        {labelled(tr("Line"), "line"), 0.8f, tr("Of the kernel's source.")},
        // Translators: what a warp does to a word of memory: it reads it, or writes it
        {labelled(tr("Operation"), "does"), 1.1f,
         tr("Whether it reads the word, writes it, or both at one go.")},
    };
    if (!begin_list(frame.look, "touches", columns)) return;
    if (scrolled_for_ != finder_.searches()) ImGui::SetScrollY(0);
    scrolled_for_ = finder_.searches();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(history.touches.size()));
    while (clipper.Step()) {
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
        draw_touch(frame, history.touches[static_cast<std::size_t>(row)], row);
    }
    end_table(frame.look);
  }

  static void draw_touch(const Frame& frame, const analysis::WordTouch& touch, int row) {
    const Recording& recording = frame.recording();
    const Site& site = recording.sites[touch.site];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool chosen =
        ImGui::Selectable(fmt::format("##touch {}", row + 1).c_str(), is_at(frame, touch),
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
    const bool single = std::popcount(touch.lanes) == 1;
    if (ImGui::IsItemHovered()) {
      frame.hover.event = event_of(recording, touch);
      if (site.file == frame.loaded().facts->source_file) frame.hover.line = site.line;
      if (single) frame.hover.lane = std::countr_zero(touch.lanes);
    }
    if (chosen) go_to(frame, touch);
    ImGui::SameLine(0, 0);
    const std::string cells[] = {with_thousands(static_cast<std::uint64_t>(row) + 1),
                                 block_name(recording, touch.block),
                                 std::to_string(touch.warp),
                                 picture::lane_numbers(touch.lanes),
                                 std::to_string(touch.phase + 1),
                                 site.line == 0 ? std::string(tr("unknown")) : std::to_string(site.line),
                                 done_by(site)};
    for (std::size_t i = 0; i < std::size(cells); ++i) {
      if (i > 0) ImGui::TableNextColumn();
      const TextStyle style{.colour = frame.look.palette->text};
      const std::string shown = shortened(frame.look, cells[i], style, ImGui::GetContentRegionAvail().x);
      write(frame.look, shown, style);
      if (shown != cells[i]) explain(frame.look, cells[i]);
    }
  }

  /// A block that is not recorded is walked to first.
  static void go_to(const Frame& frame, const analysis::WordTouch& touch) {
    const Recording& recording = frame.recording();
    const auto event = event_of(recording, touch);
    Selection there = event ? at_event(recording, frame.selection, *event) : at_touch(frame.selection, touch);
    there.lane =
        std::popcount(touch.lanes) == 1 ? std::optional(std::countr_zero(touch.lanes)) : std::nullopt;
    if (event) {
      frame.selection = there;
    } else {
      frame.block_wanted = BlockWanted{.block = touch.block, .at = there};
    }
  }

  HistoryFinder finder_;
  std::uint64_t scrolled_for_ = 0;  ///< HistoryFinder::searches() of the list that was drawn last
};

const RegisterWidget kHistory{"history", make_one<HistoryView>};

}  // namespace
}  // namespace warplens::app
