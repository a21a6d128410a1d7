#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/picture_view.h"
#include "app/views/view_details.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kInstructionWidth = 420;

/// The matrices of one instruction, which follows the selection or is chosen from a list.
class FragmentsView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    if (loaded_ != frame.shown) {
      loaded_ = frame.shown;
      chosen_.reset();
    }
    if (!frame.loaded().facts->matrix_instructions.empty()) draw_choice(frame);
    if (details_.follow(frame)) picture_.forget();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const picture::Picture& made = picture_.update(frame, {std::floor(room.x), std::floor(room.y)});
    std::string subtitle = made.subtitle;
    picture_.show(frame, ImGui::GetCursorScreenPos());
    return subtitle;
  }
  void amend(viz::ExportRequest& request) const override {
    if (loaded_ == nullptr || request.subject.results != loaded_.get()) return;
    request.subject.matrix_instruction = chosen_;
    details_.amend(request);
  }

 private:
  [[nodiscard]] viz::Subject subject(const Frame& frame) const {
    viz::Subject subject = frame.subject();
    subject.matrix_instruction = chosen_;
    subject.details = details_.found();
    return subject;
  }

  void draw_choice(const Frame& frame) {
    const Look& look = frame.look;
    const auto& instructions = frame.loaded().facts->matrix_instructions;
    const auto name = [](const analysis::MatrixInstruction& one) {
      return one.line == 0
                 ? one.ptx.text
                 : tr("line {line} · {instruction}", "line"_a = one.line, "instruction"_a = one.ptx.text);
    };
    const std::string follows = tr("The instruction at the selected access");
    ImGui::SetNextItemWidth(std::min(look.px(kInstructionWidth), ImGui::GetContentRegionAvail().x));
    const bool open =
        ImGui::BeginCombo("##instruction", chosen_ ? name(instructions[*chosen_]).c_str() : follows.c_str(),
                          ImGuiComboFlags_HeightLarge);
    if (!open) {
      explain(look, tr("Which mma, wmma, wgmma or ldmatrix the matrices are of."));
      return;
    }
    if (list_entry(labelled(follows, "follows").c_str(), !chosen_)) choose({});
    ImGui::Separator();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(instructions.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (list_entry(labelled(name(instructions[index]), fmt::format("{}", i)).c_str(), chosen_ == index))
          choose(index);
      }
    }
    ImGui::EndCombo();
  }
  void choose(std::optional<std::size_t> instruction) {
    chosen_ = instruction;
    picture_.forget();
  }

  std::shared_ptr<const Loaded> loaded_;
  std::optional<std::size_t> chosen_;  ///< Of Facts::matrix_instructions
  ViewDetails details_{*viz::find_view("fragments")};
  PictureView picture_{[this](const Frame& frame, picture::Size size, const picture::Style& style) {
    return viz::find_view("fragments")->make(subject(frame), size, style);
  }};
};

const RegisterWidget kFragments{"fragments", make_one<FragmentsView>};

}  // namespace
}  // namespace warplens::app
