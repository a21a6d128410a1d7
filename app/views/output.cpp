#include <fmt/format.h>

#include <algorithm>

#include "app/session/navigation.h"
#include "app/views/picture_view.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

std::string name_of_index(Dim3 index, Dim3 extent) {
  if (extent.z > 1) return fmt::format("({}, {}, {})", index.x, index.y, index.z);
  return extent.y > 1 ? fmt::format("({}, {})", index.x, index.y) : std::to_string(index.x);
}

class OutputView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const Recording& recording = frame.recording();
    const TextStyle muted{.colour = frame.look.palette->muted};
    if (recording.messages.empty()) {
      if (recording.engine == "gpu") {
        show_nothing(frame, tr("No output is kept."),
                     tr("What a kernel prints is kept by the CPU replay; the GPU's driver prints it on "
                        "standard error."));
      } else {
        show_nothing(frame, tr("This kernel prints nothing."),
                     tr("What threads write with printf is listed here."));
      }
      return tr("none");
    }
    draw_table(frame);
    if (recording.messages_left_out > 0) {
      write_wrapped(frame.look,
                    tr_n(recording.messages_left_out, "{n} more line was printed and is not kept.",
                         "{n} more lines were printed and are not kept."),
                    muted);
    }
    return tr_n(recording.messages.size(), "{n} line printed", "{n} lines printed");
  }

 private:
  void draw_table(const Frame& frame) {
    const Recording& recording = frame.recording();
    const bool has_more = recording.messages_left_out > 0;
    const float below = has_more ? ImGui::GetTextLineHeightWithSpacing() * 1.5f : 0,
                height = std::max(ImGui::GetContentRegionAvail().y - below, 1.0f);
    const ListColumn columns[] = {
        {labelled(tr("Block"), "block"), 1, tr("Which block of the grid: blockIdx.")},
        {labelled(tr("Thread"), "thread"), 1, tr("The thread of the block: threadIdx.")},
        {labelled(tr("Line"), "line"), 0.7f, tr("Of the kernel's source.")},
        {labelled(tr("Text"), "text"), 6, tr("What one call of printf writes.")}};
    if (!begin_list(frame.look, "output", columns, height)) return;
    if (shown_ != frame.shown) ImGui::SetScrollY(0);
    shown_ = frame.shown;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(recording.messages.size()));
    while (clipper.Step()) {
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
        draw_row(frame, recording.messages[static_cast<std::size_t>(row)], row);
    }
    end_table(frame.look);
  }

  static void draw_row(const Frame& frame, const Message& message, int row) {
    const Recording& recording = frame.recording();
    const bool in_source = message.file == frame.loaded().facts->source_file;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool chosen =
        ImGui::Selectable(fmt::format("##message {}", row).c_str(), false,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
    if (ImGui::IsItemHovered() && in_source) frame.hover.line = message.line;
    if (chosen) select(frame, message);
    ImGui::SameLine(0, 0);
    std::string text = message.text;
    if (text.ends_with('\n')) text.pop_back();
    const std::string cells[] = {
        name_of_index(message.block, recording.grid),
        name_of_index(index_from_linear(recording.block, message.thread), recording.block),
        message.line == 0 ? std::string(tr("unknown")) : std::to_string(message.line), escaped(text)};
    for (std::size_t i = 0; i < std::size(cells); ++i) {
      if (i > 0) ImGui::TableNextColumn();
      const TextStyle style{.colour = frame.look.palette->text,
                            .font = i + 1 == std::size(cells) ? picture::Font::mono : picture::Font::sans};
      const std::string shown = shortened(frame.look, cells[i], style, ImGui::GetContentRegionAvail().x);
      write(frame.look, shown, style);
      if (shown != cells[i]) explain(frame.look, cells[i]);
    }
  }

  /// The thread that printed it, and the line.
  static void select(const Frame& frame, const Message& message) {
    const Recording& recording = frame.recording();
    const auto block = std::ranges::find(recording.event_blocks, message.block);
    if (block == recording.event_blocks.end()) {
      frame.block_wanted = BlockWanted{.block = message.block, .at = {}};
    } else {
      frame.selection.event_block = static_cast<std::uint32_t>(block - recording.event_blocks.begin());
      frame.selection.warp = message.thread / kWarpSize;
      frame.selection = clamped(recording, frame.selection);
    }
    if (message.file == frame.loaded().facts->source_file) {
      frame.selection = at_line(recording, frame.selection, message.file, message.line);
    }
    frame.selection.lane = static_cast<int>(message.thread % kWarpSize);
  }

  std::shared_ptr<const Loaded> shown_;
};

const RegisterWidget kOutput{"output", make_one<OutputView>};

}  // namespace
}  // namespace warplens::app
