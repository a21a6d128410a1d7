// The fields of the launch row: kernel, sizes, arguments, rules, engine, blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/views/gpu_model.h"
#include "app/views/launch_row.h"
#include "app/views/look.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {

inline constexpr float kFieldGap = 8;

inline constexpr float kFieldLabelSize = 11;

inline constexpr float kLowFieldLine = 22;

/// Lays the fields out from left to right, and on to the next line where the window ends.
class FieldRow {
 public:
  FieldRow(const Look& look, float right)
      : look_(look),
        right_(right),
        line_top_(ImGui::GetCursorScreenPos().y),
        x_(ImGui::GetCursorScreenPos().x),
        left_(x_) {}

  /// Room for a field `width` pixels wide, or as wide as the label that stands above it. The field itself
  /// follows, as wide as what is returned.
  float begin_field(const char* id, const char* label, float width) {
    const TextStyle style{.colour = look_.palette->muted, .size = kFieldLabelSize};
    field_width_ = std::max(width, std::ceil(width_of(look_, label, style)));
    place(field_width_);
    ImGui::BeginGroup();
    write(look_, label, style);
    ImGui::SetCursorScreenPos({x_, line_top_ + look_.px(kFieldLabelSize + 4)});
    ImGui::SetNextItemWidth(field_width_);
    ImGui::PushID(id);
    return field_width_;
  }
  void end_field() {
    ImGui::PopID();
    ImGui::EndGroup();
    advance(field_width_);
  }
  /// Room for something of `width` pixels without a label; returns where it starts.
  ImVec2 place(float width) {
    if (x_ + width > right_ && x_ > left_) {
      x_ = left_;
      line_top_ += height();
    }
    ImGui::SetCursorScreenPos({x_, line_top_});
    return {x_, line_top_};
  }
  void advance(float width) { x_ += width + look_.px(kFieldGap); }
  [[nodiscard]] float x() const { return x_; }
  [[nodiscard]] float length() const { return right_ - left_; }
  [[nodiscard]] float height() const {
    return look_.px(kFieldLabelSize + 4) + ImGui::GetFrameHeight() + look_.px(6);
  }
  [[nodiscard]] float bottom() const { return line_top_ + (low_ ? look_.px(kLowFieldLine) : height()); }
  /// A line for nothing but a text; returns its top.
  float begin_low_line() {
    line_top_ += height();
    x_ = left_;
    low_ = true;
    return line_top_;
  }
  [[nodiscard]] float control_top() const { return line_top_ + look_.px(kFieldLabelSize + 4); }

 private:
  const Look& look_;
  float right_, line_top_, x_, left_, field_width_ = 0;
  bool low_ = false;  ///< The last line
};

[[nodiscard]] const KernelDescriptor* launchable_kernel(const LaunchMenus& menus);

/// A kernel of a file, and which of the launches that host code makes of it.
struct ChosenLaunch {
  const FileEntry* entry = nullptr;
  std::size_t launch = 0;
};

[[nodiscard]] ChosenLaunch kernel_field(FieldRow& row, const Look& look, const GpuModel& gpu,
                                        const KernelDescriptor* kernel, const KernelFile* file,
                                        LaunchMenus& menus);

/// `is_cuda`: compiler options mean something.
void form_fields(FieldRow& row, const Look& look, LaunchForm& form, const FileEntry* entry, bool is_cuda,
                 bool focus_missing);

/// Square matrices have one field, unless `separate`. Returns whether sizes are to be separate from now on.
[[nodiscard]] bool size_fields(FieldRow& row, const Look& look, const KernelDescriptor& kernel,
                               LaunchMenus& menus, bool separate);

void parameter_fields(FieldRow& row, const Look& look, const KernelDescriptor& kernel, LaunchMenus& menus);

void type_field(FieldRow& row, const Look& look, const KernelDescriptor& kernel, LaunchMenus& menus);

void rules_field(FieldRow& row, const Look& look, LaunchMenus& menus);

void engine_field(FieldRow& row, const Look& look, const GpuModel& gpu, LaunchMenus& menus);

void blocks_field(FieldRow& row, const Look& look, LaunchMenus& menus);

}  // namespace warplens::app
