// The memory model alone, on addresses of one's own, or on those of a kernel whose parameters are moved: what
// would the hardware do?
#include "app/session/playground.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/views/picture_view.h"
#include "app/views/trial_panel.h"
#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"

namespace warplens::app {
namespace {

constexpr float kMenuWidth = 118, kNarrowMenu = 66, kFieldWidth = 72, kItemsWidth = 150, kMaskWidth = 104;
constexpr float kNarrow = 400, kLow = 220;  ///< A panel's room below which its controls are in a menu
constexpr int kMostSwizzleBits = 5;
constexpr const char* kValue = "%d";  // Where a field's format has its value

struct Operation {
  Space space;
  AccessOp op;
  const char* words;
};
constexpr std::array kOperations{Operation{Space::shared, AccessOp::load, marked("shared load")},
                                 Operation{Space::shared, AccessOp::store, marked("shared store")},
                                 Operation{Space::shared, AccessOp::atomic, marked("shared atomic")},
                                 Operation{Space::shared, AccessOp::ldmatrix, "ldmatrix.x4"},
                                 Operation{Space::shared, AccessOp::stmatrix, "stmatrix.x4"},
                                 Operation{Space::global, AccessOp::load, marked("global load")},
                                 Operation{Space::global, AccessOp::store, marked("global store")},
                                 Operation{Space::global, AccessOp::atomic, marked("global atomic")},
                                 Operation{Space::global, AccessOp::reduction, marked("global reduction")}};

/// Accesses of the courses, to begin with.
struct Example {
  const char* name;
  const char* items;
  std::int64_t stride;
};
constexpr std::array kExamples{Example{marked("neighbours"), "lane + o", 1},
                               Example{marked("a stride"), "lane * s + o", 32},
                               Example{marked("a broadcast"), "o", 1},
                               Example{marked("backwards"), "31 - lane + o", 1},
                               Example{marked("pairs of lanes"), "lane / 2 * s + o", 1},
                               Example{marked("rows of 8 by 4"), "lane % 8 * s + lane / 8 + o", 32},
                               Example{marked("a butterfly"), "(lane ^ s) + o", 1}};

const Operation& operation_of(const Playground& playground) {
  return *std::ranges::find_if(kOperations, [&](const Operation& known) {
    return known.space == playground.space && known.op == playground.op;
  });
}

std::string swizzle_in_words(int bits) {
  return bits == 0 ? std::string(tr("no swizzle")) : fmt::format("x ^ (y % {})", 1 << bits);
}

const viz::View& drawn_by(Space space) {
  return *viz::find_view(space == Space::shared ? "banks" : "coalescing");
}

std::string name_of_rules(analysis::ComputeCapability cc) {
  const auto& models = analysis::device_models();
  const auto model =
      std::ranges::find_if(models, [&](const analysis::DeviceModel& known) { return known.cc == cc; });
  return model == models.end() ? cc.name() : fmt::format("{} {}", cc.name(), model->architecture);
}

/// Atomics of 1, 2 and 16 bytes are no single access of the tables that the rules were measured with.
std::vector<int> widths_of(AccessOp op) {
  if (is_of_matrices(op)) return {16};  // A row
  return op == AccessOp::load || op == AccessOp::store ? std::vector{1, 2, 4, 8, 16} : std::vector{4, 8};
}

class PlaygroundView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    if (follows_rules_ && frame.shown) playground_.cc = frame.shown->cc;
    trial_.set_rules(playground_.cc);
    const ImVec2 panel = ImGui::GetContentRegionAvail();
    if (panel.x < frame.look.px(kNarrow) || panel.y < frame.look.px(kLow)) {
      draw_menu(frame.look);
    } else {
      draw_controls(frame.look);
    }
    if (of_kernel_) return trial_.draw(frame);
    play();
    if (refusal_) {
      write_wrapped(frame.look, refusal_->message(), {.colour = frame.look.palette->costly});
      return {};
    }
    draw_picture(frame);
    return tr("{operation}, {bytes} B per lane", "operation"_a = tr(operation_of(playground_).words),
              "bytes"_a = playground_.bytes);
  }

  /// Amends the request for what is chosen here, drawn or not; never for what is recorded.
  void amend(viz::ExportRequest& request) const override {
    if (of_kernel_) return trial_.amend(request);
    const Result<std::shared_ptr<const Loaded>> access = played(playground_);
    request.subject = access.ok() ? subject_of(**access, selection_) : viz::Subject{};
    if (access.ok()) request.subject_owner = *access;
  }

  [[nodiscard]] std::vector<WidgetCommand> commands() override {
    std::vector<WidgetCommand> commands;
    for (const Operation& operation : kOperations) {
      commands.push_back(
          {fmt::format("{}_{}", warplens::name_of(operation.space), warplens::name_of(operation.op)),
           tr(operation.words), [this, &operation] { choose(operation); }});
    }
    for (const KernelDescriptor* const kernel : tried_kernels()) {
      commands.push_back({"kernel_" + kernel->id, tr("parameters of {kernel}", "kernel"_a = kernel->id),
                          [this, kernel] { choose(*kernel); }});
    }
    return commands;
  }

 private:
  void draw_controls(const Look& look) {
    draw_whose(look);
    if (of_kernel_) {
      trial_.draw_controls(look);
      next(look, kMenuWidth);
      return draw_rules(look);
    }
    draw_access(look);
    draw_place(look);
    draw_lanes(look);
  }
  /// Addresses of one's own, or those of a kernel.
  void draw_whose(const Look& look) {
    const char* const own = tr("own addresses");
    const std::string shown = of_kernel_ ? trial_.kernel().id : own;
    ImGui::SetNextItemWidth(menu_width(look, shown, kMenuWidth));
    if (ImGui::BeginCombo("##whose", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
      if (list_entry(labelled(own, "own").c_str(), !of_kernel_)) of_kernel_ = false;
      ImGui::Separator();
      for (const KernelDescriptor* const kernel : tried_kernels()) {
        if (list_entry(kernel->id.c_str(), of_kernel_ && &trial_.kernel() == kernel)) choose(*kernel);
        explain(look, tr(kernel->shows.c_str()));
      }
      ImGui::EndCombo();
    }
    explain(look, tr("Whose addresses: your own, or those of a kernel, whose parameters move the picture "
                     "and, on a GPU, its measured rate."));
  }
  void draw_menu(const Look& look) {
    if (ImGui::Button(labelled(tr("Access ..."), "access").c_str())) ImGui::OpenPopup("controls");
    explain(look,
            tr("What is tried out: the operation, which item each lane accesses, and where the items lie."));
    ImGui::SetNextWindowSize({look.px(kNarrow), 0});
    if (!ImGui::BeginPopup("controls")) return;
    draw_controls(look);
    ImGui::EndPopup();
  }

  void choose(const KernelDescriptor& kernel) {
    of_kernel_ = true;
    trial_.choose(kernel);
  }
  void choose(const Operation& operation) {
    of_kernel_ = false;
    playground_.space = operation.space;
    playground_.op = operation.op;
    const std::vector<int> widths = widths_of(operation.op);
    if (std::ranges::find(widths, playground_.bytes) == widths.end()) playground_.bytes = widths.front();
    if (is_of_matrices(operation.op)) {  // Rows of 64 f16 (128 bytes), the usual tile
      playground_.items = "lane % 8 * s + lane / 8 + o";
      playground_.stride = playground_.row_items = 8;
    }
  }

  /// Costs the access anew, within the frame in which something changed.
  void play() {
    if (costed_ == playground_) return;
    costed_ = playground_;
    Result<std::shared_ptr<const Loaded>> loaded = played(playground_);
    refusal_ = loaded.ok() ? std::nullopt : std::optional(loaded.error());
    if (!loaded.ok()) return;
    played_ = *std::move(loaded);
    picture_.forget();
  }

  /// Its own recording, its own selection: what is pointed at here is nowhere else.
  void draw_picture(const Frame& frame) {
    Hover hover;
    const Frame own = frame.with(played_, selection_, hovered_, hover, no_block_);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    static_cast<void>(picture_.update(own, {std::floor(room.x), std::floor(room.y)}));
    picture_.show(own, ImGui::GetCursorScreenPos());
    hovered_ = hover;
  }

  void draw_access(const Look& look) {
    next(look, kMenuWidth);
    if (ImGui::BeginCombo("##operation", tr(operation_of(playground_).words), ImGuiComboFlags_HeightLarge)) {
      for (const Operation& operation : kOperations) {
        const bool chosen = &operation == &operation_of(playground_);
        if (list_entry(labelled(tr(operation.words), operation.words).c_str(), chosen)) choose(operation);
      }
      ImGui::EndCombo();
    }
    explain(look, tr("What the one instruction of the warp does. Banks draws shared memory, Coalescing "
                     "global memory."));
    next(look, kNarrowMenu);
    if (ImGui::BeginCombo("##bytes", fmt::format("{} B", playground_.bytes).c_str())) {
      for (const int bytes : widths_of(playground_.op)) {
        if (list_entry(fmt::format("{} B", bytes).c_str(), playground_.bytes == bytes))
          playground_.bytes = bytes;
      }
      ImGui::EndCombo();
    }
    explain(look, tr("Bytes that a lane accesses: an item. A float4 has 16."));
    next(look, kMenuWidth);
    draw_rules(look);
    next(look, kMenuWidth);
    if (ImGui::BeginCombo("##example", tr("Examples"), ImGuiComboFlags_HeightLarge)) {
      for (const Example& example : kExamples) {
        if (!list_entry(labelled(tr(example.name), example.name).c_str(), playground_.items == example.items))
          continue;
        playground_.items = example.items;
        playground_.stride = example.stride;
      }
      ImGui::EndCombo();
    }
    const char* const copy = tr("Copy");
    same_line_if_fits(look, button_width(look, copy));
    ImGui::BeginDisabled(!played_ || refusal_);
    if (ImGui::Button(labelled(copy, "copy").c_str())) copy_pattern();
    ImGui::EndDisabled();
    explain(look, tr("The lanes' byte offsets, as `warplens pattern --csv` takes them."));
  }

  void copy_pattern() const {
    const Result<analysis::TriedAccess> wanted = tried(playground_);
    if (!wanted.ok()) return;
    const Result<analysis::WarpAccess> access = analysis::access_of(*wanted, playground_.cc);
    if (access.ok()) ImGui::SetClipboardText(analysis::pattern_row(*access).c_str());
  }

  void draw_rules(const Look& look) {
    if (ImGui::BeginCombo("##rules", name_of_rules(playground_.cc).c_str(), ImGuiComboFlags_HeightLarge)) {
      if (list_entry(labelled(tr("As the memory rules"), "memory_rules").c_str(), follows_rules_))
        follows_rules_ = true;
      ImGui::Separator();
      for (const analysis::DeviceModel& model : analysis::device_models()) {
        const bool chosen = !follows_rules_ && playground_.cc == model.cc;
        if (list_entry(name_of_rules(model.cc).c_str(), chosen)) {
          playground_.cc = model.cc;
          follows_rules_ = false;
        }
        explain(look, tr(model.note));
      }
      ImGui::EndCombo();
    }
    explain(look, tr("The compute capability whose memory rules hold here."));
  }

  void draw_place(const Look& look) {
    ImGui::SetNextItemWidth(look.px(kItemsWidth));
    ImGui::PushFont(look.fonts.mono, 0);
    ImGui::InputText("##items", &playground_.items);
    ImGui::PopFont();
    explain(look, tr("The item that a lane accesses: a number made of lane, s (the stride) and o (the "
                     "offset) with + - * / % << >> & ^ | and parentheses."));
    field(look, "##s", playground_.stride, 0, 1024, tr("s = {value}", "value"_a = kValue),
          tr("The stride: drag, or double-click to type."));
    field(look, "##o", playground_.offset, 0, 1024, tr("o = {value}", "value"_a = kValue),
          tr("The offset: drag, or double-click to type."));
    field(look, "##row", playground_.row_items, 1, 4096, tr("rows of {items}", "items"_a = kValue),
          tr("Items in a row. Without padding and swizzle rows make no difference."));
    field(look, "##padding", playground_.padding, 0, 64, tr("+ {items} unused", "items"_a = kValue),
          tr("Padding: items behind each row that nobody uses."));
  }

  static void field(const Look& look, const char* id, std::int64_t& value, int least, int most,
                    const std::string& format, const char* meaning) {
    const float words = width_of(look, fmt::format("{}{}", format, value), {}) / look.scale;
    next(look, std::max(kFieldWidth, std::ceil(words)));
    int number = static_cast<int>(value);
    if (ImGui::DragInt(id, &number, 0.15f, least, most, format.c_str(), ImGuiSliderFlags_AlwaysClamp))
      value = number;
    explain(look, meaning);
  }

  /// Where the items of a row lie, and a box a lane: a click, or drawing over them, switches lanes on and
  /// off.
  void draw_lanes(const Look& look) {
    ImGui::SetNextItemWidth(look.px(kMenuWidth));
    if (ImGui::BeginCombo("##swizzle", swizzle_in_words(playground_.swizzle_bits).c_str(),
                          ImGuiComboFlags_HeightLarge)) {
      for (int bits = 0; bits <= kMostSwizzleBits; ++bits) {
        if (list_entry(labelled(swizzle_in_words(bits), std::to_string(bits)).c_str(),
                       playground_.swizzle_bits == bits))
          playground_.swizzle_bits = bits;
      }
      ImGui::EndCombo();
    }
    explain(look, tr("A swizzle moves the items of each row about: column x of row y becomes x ^ (y % 2, 4, "
                     ".. 32). It takes no room."));
    same_line_if_fits(look, look.px(kMaskWidth + kWarpSize * 4.0f));
    const float width = std::floor(
        std::min(ImGui::GetContentRegionAvail().x - look.px(kMaskWidth + 8), look.px(kWarpSize * 20.0f)));
    const ImVec2 from = ImGui::GetCursorScreenPos(),
                 size{std::max(width, look.px(64)), ImGui::GetFrameHeight()};
    ImGui::InvisibleButton("##lanes", size);
    const float each = size.x / kWarpSize;
    // A mouse that is nowhere is far outside.
    const int lane =
        static_cast<int>(std::clamp((ImGui::GetIO().MousePos.x - from.x) / each, 0.0f, kWarpSize - 1.0f));
    if (ImGui::IsItemActivated()) {
      switches_on_ = (playground_.mask >> lane & 1) == 0;
      drawn_to_ = lane;
    }
    if (ImGui::IsItemActive()) {  // All that were drawn over since the last frame
      for (int i = std::min(lane, drawn_to_); i <= std::max(lane, drawn_to_); ++i) {
        const std::uint32_t bit = 1u << i;
        playground_.mask = switches_on_ ? playground_.mask | bit : playground_.mask & ~bit;
      }
      drawn_to_ = lane;
    }
    explain(look, tr("The lanes: a click switches one on or off, drawing over them several."));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (int i = 0; i < kWarpSize; ++i) {
      const bool active = (playground_.mask >> i & 1) != 0;
      const ImVec2 box_from{from.x + static_cast<float>(i) * each, from.y},
          box_to{from.x + static_cast<float>(i + 1) * each - 1, from.y + size.y};
      list.AddRectFilled(box_from, box_to, packed(active ? picture::lane_colour(i) : look.palette->line),
                         look.px(2));
      if (!active)
        list.AddLine({box_from.x, box_to.y}, {box_to.x, box_from.y}, packed(look.palette->muted), look.px(1));
    }
    next(look, kMaskWidth);
    std::string mask = fmt::format("{:#010x}", playground_.mask);
    if (ImGui::InputText("##mask", &mask,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
      take_mask(mask);
    explain(look, tr("The active lanes as a number, bit k for lane k. Enter takes it."));
  }

  void take_mask(std::string text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.erase(0, 2);
    std::uint32_t mask = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), mask, hexadecimal ? 16 : 10);
    if (error == std::errc() && end == text.data() + text.size()) playground_.mask = mask;
  }

  static void next(const Look& look, float width) {
    same_line_if_fits(look, look.px(width));
    ImGui::SetNextItemWidth(std::min(look.px(width), ImGui::GetContentRegionAvail().x));
  }

  bool of_kernel_ = false;
  TrialPanel trial_;
  Playground playground_;
  bool follows_rules_ = true, switches_on_ = false;
  int drawn_to_ = 0;  ///< The lane that the pointer was on while it draws
  std::optional<Playground> costed_;
  std::optional<Error> refusal_;
  std::shared_ptr<const Loaded> played_;
  Selection selection_;
  Hover hovered_;
  std::optional<BlockWanted> no_block_;
  PictureView picture_{[this](const Frame& frame, picture::Size size, const picture::Style& style) {
    return drawn_by(playground_.space).make(frame.subject(), size, style);
  }};
};

// Both of what an export is given: the access that was tried out.
picture::Picture make(const viz::Subject& subject, picture::Size size, const picture::Style& style) {
  if (subject.moment.recording == nullptr || subject.recording().sites.empty()) {
    return picture::empty_picture(tr("Playground"), tr("This access cannot be made."),
                                  tr("The view Playground says why."), size, style);
  }
  picture::Picture made = drawn_by(subject.recording().sites.front().space).make(subject, size, style);
  made.title = tr("Playground");
  return made;
}
std::string table(const viz::Subject& subject) {
  if (subject.moment.recording == nullptr || subject.recording().sites.empty()) return {};
  return drawn_by(subject.recording().sites.front().space).table(subject);
}

const viz::RegisterView kPlayground{
    {.id = "playground",
     .title = marked("Playground"),
     .shows = marked("The memory model alone: what addresses of your own would cost, by stride, width, "
                     "padding, swizzle and mask"),
     .place = viz::Place::right_top,
     .rank = 58,
     .needs_recording = false,
     .make = make,
     .table = table}};
const RegisterWidget kWidget{"playground", make_one<PlaygroundView>};

}  // namespace
}  // namespace warplens::app
