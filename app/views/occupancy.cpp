#include "viz/picture/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/views/picture_view.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kDeviceWidth = 170, kFigureFieldWidth = 112;
constexpr float kLowPanel = 170;  ///< A panel's room below which the launch is in a menu
constexpr int kMostThreads = 1024, kMostRegisters = 255;
constexpr std::string_view kValuePlace = "%d";  // Where a field's format has its value

std::string name_of(const analysis::MultiprocessorModel& model) {
  return fmt::format("{} ({})", model.name(), tr(model.card));
}

std::string explanation_of(const analysis::MultiprocessorModel& model) {
  return tr(
      "{multiprocessors}, as the {card} has; each with places for {warps} and {blocks}, {registers} and at "
      "most {shared} KiB of shared memory.",
      "multiprocessors"_a = tr_n(model.multiprocessors, "{n} SM", "{n} SMs"), "card"_a = tr(model.card),
      "warps"_a = tr_n(model.warps, "{n} warp", "{n} warps"),
      "blocks"_a = tr_n(model.blocks, "{n} block", "{n} blocks"),
      "registers"_a = tr_n(model.registers, "{n} register", "{n} registers"),
      "shared"_a = model.shared_bytes / 1024);
}

/// What the field takes at its greatest value.
float field_width(const Look& look, std::string format, int most) {
  const std::size_t value = format.find(kValuePlace);
  if (value != std::string::npos) format.replace(value, kValuePlace.size(), std::to_string(most));
  return std::max(look.px(kFigureFieldWidth), std::ceil(width_of(look, format, {})));
}

/// The launch that was recorded, or another that is tried out, on the multiprocessor of a choice.
class OccupancyView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    follow(frame);
    draw_controls(frame);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const picture::Picture& made = picture_.update(frame, {std::floor(room.x), std::floor(room.y)});
    picture_.show(frame, ImGui::GetCursorScreenPos());
    return made.subtitle;
  }
  void amend(viz::ExportRequest& request) const override {
    if (loaded_ != nullptr && request.subject.results == loaded_.get())
      request.subject.occupancy = question();
  }
  std::vector<WidgetCommand> commands() override {
    return {{"launch", tr("launch"), [this] { variants_first_ = false; }},
            {"variants", tr("variants"), [this] { variants_first_ = true; }}};
  }

 private:
  /// What was tried out belongs to the recording that it was tried on.
  void follow(const Frame& frame) {
    if (loaded_ == frame.shown) return;
    loaded_ = frame.shown;
    tried_.reset();
  }

  [[nodiscard]] analysis::ComputeCapability cc() const { return device_.value_or(loaded_->cc); }
  [[nodiscard]] analysis::LaunchNeeds needs() const {
    return tried_.value_or(loaded_->occupancy.needs_for(cc()));
  }
  [[nodiscard]] bool has_variants() const {
    const analysis::CompiledResources* const resources = loaded_->occupancy.compiled_for(cc());
    return resources != nullptr && resources->variants.size() > 1;
  }

  [[nodiscard]] picture::OccupancyQuestion question() const {
    return {.cc = cc(),
            .needs = needs(),
            .as_recorded = !tried_,
            .variants_first = variants_first_ && has_variants()};
  }
  [[nodiscard]] picture::Picture make(picture::Size size, const picture::Style& style) const {
    return picture::make_occupancy(loaded_->occupancy, question(), size, style);
  }

  void draw_controls(const Frame& frame) {
    const Look& look = frame.look;
    const analysis::ComputeCapability cc_before = cc();
    const analysis::LaunchNeeds needs_before = needs();
    const bool variants_before = variants_first_;
    const bool low = ImGui::GetContentRegionAvail().y < look.px(kLowPanel);
    draw_device(look);
    low ? draw_menu(look) : draw_launch(look);
    if (has_variants()) draw_choice(look);
    if (cc() != cc_before || needs() != needs_before || variants_first_ != variants_before) picture_.forget();
  }

  void draw_launch(const Look& look) {
    draw_fields(look);
    draw_reset(look);
  }
  void draw_menu(const Look& look) {
    const char* const more = "...";
    same_line_if_fits(look, button_width(look, more));
    if (ImGui::Button(labelled(more, "fields").c_str())) ImGui::OpenPopup("fields");
    explain(look, tr("What the launch takes of a multiprocessor."));
    if (!ImGui::BeginPopup("fields")) return;
    ImGui::Dummy({0, 0});  // For what the first stands beside
    draw_launch(look);
    ImGui::EndPopup();
  }

  void draw_device(const Look& look) {
    ImGui::SetNextItemWidth(std::min(look.px(kDeviceWidth), ImGui::GetContentRegionAvail().x));
    const auto& models = analysis::multiprocessor_models();
    if (ImGui::BeginCombo("##device", name_of(analysis::multiprocessor_model(cc())).c_str(),
                          ImGuiComboFlags_HeightLarge)) {
      if (list_entry(labelled(tr("As the memory rules"), "memory_rules").c_str(), !device_)) device_.reset();
      ImGui::Separator();
      for (const analysis::MultiprocessorModel& model : models) {
        if (list_entry(labelled(name_of(model), model.cc.name()).c_str(), device_ == model.cc))
          device_ = model.cc;
        explain(look, explanation_of(model));
      }
      ImGui::EndCombo();
    }
    explain(look, tr("The device whose multiprocessors hold the blocks. It follows the memory rules of the "
                     "launch until another is chosen here."));
  }

  void field(const Look& look, const char* id, int value, int least, int most, const std::string& format,
             const char* meaning, void (*set)(analysis::LaunchNeeds& needs, int value)) {
    const float width = field_width(look, format, most);
    same_line_if_fits(look, width);
    ImGui::SetNextItemWidth(std::min(width, ImGui::GetContentRegionAvail().x));
    const analysis::LaunchNeeds before = needs();
    const float speed = static_cast<float>(most - least) / 400;
    if (ImGui::DragInt(id, &value, speed, least, most, format.c_str(), ImGuiSliderFlags_AlwaysClamp)) {
      tried_ = before;
      set(*tried_, value);
    }
    explain(look, meaning);
  }

  void draw_fields(const Look& look) {
    const analysis::LaunchNeeds now = needs();
    const std::uint32_t registers = now.registers.value_or(0);
    field(look, "##threads", static_cast<int>(now.threads), 1,
          std::max(kMostThreads, static_cast<int>(now.threads)),
          tr_n(now.threads, "{threads} thread", "{threads} threads", "threads"_a = kValuePlace),
          tr("The threads per block to try; the grid keeps its blocks. Drag, or double-click to type."),
          [](analysis::LaunchNeeds& needs, int value) { needs.threads = static_cast<std::uint32_t>(value); });
    field(look, "##registers", static_cast<int>(registers), now.registers ? 1 : 0, kMostRegisters,
          now.registers
              ? tr_n(registers, "{registers} register", "{registers} registers", "registers"_a = kValuePlace)
              : tr("registers: ?"),
          tr("The registers per thread to try. The code is not recompiled: nothing spills."),
          [](analysis::LaunchNeeds& needs, int value) {
            needs.registers = value == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(value));
          });
    const auto most = static_cast<int>(
        std::max(analysis::multiprocessor_model(cc()).shared_bytes_a_block, now.shared_bytes));
    field(look, "##shared", static_cast<int>(now.shared_bytes), 0, most,
          tr("{bytes} B shared", "bytes"_a = kValuePlace),
          tr("The shared memory per block to try, static and dynamic together."),
          [](analysis::LaunchNeeds& needs, int value) {
            needs.shared_bytes = static_cast<std::uint32_t>(value);
          });
  }

  void draw_reset(const Look& look) {
    same_line_if_fits(look, button_width(look, tr("Reset")));
    ImGui::BeginDisabled(!tried_);
    if (ImGui::Button(labelled(tr("Reset"), "reset").c_str())) tried_.reset();
    ImGui::EndDisabled();
    explain(look, tried_ ? tr("Back to the launch that was recorded.")
                         : tr("The picture is of the launch that was recorded."));
  }

  void draw_choice(const Look& look) {
    const char* const launch = tr("launch");
    const char* const variants = tr("variants");
    same_line_if_fits(look, checkbox_width(look, launch) + look.px(8) + checkbox_width(look, variants));
    if (choice(look, labelled(launch, "launch").c_str(), !variants_first_)) variants_first_ = false;
    explain(look, tr("What the launch takes of a multiprocessor."));
    same_line_if_fits(look, checkbox_width(look, variants));
    if (choice(look, labelled(variants, "variants").c_str(), variants_first_)) variants_first_ = true;
    explain(look, tr("The kernel for each value of its parameter: registers, spills and accesses to local "
                     "memory, as compiled."));
  }

  std::shared_ptr<const Loaded> loaded_;
  std::optional<analysis::ComputeCapability> device_;  ///< nullopt: as the recording is costed
  std::optional<analysis::LaunchNeeds> tried_;         ///< nullopt: as recorded
  bool variants_first_ = false;
  PictureView picture_{
      [this](const Frame&, picture::Size size, const picture::Style& style) { return make(size, style); }};
};

const RegisterWidget kOccupancy{"occupancy", make_one<OccupancyView>};

}  // namespace
}  // namespace warplens::app
