#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/views/arithmetic_model.h"
#include "app/views/picture_view.h"
#include "kernels/base/texts.h"
#include "viz/canvas/chart.h"
#include "viz/picture/roofline.h"

namespace warplens::app {
namespace {

constexpr float kLowestPicture = 160;  // Below it one scrolls
constexpr float kCardWidth = 122;
constexpr float kLow = 225;  // A panel's room below which the roof's figures are in a menu

enum class Shown : unsigned char { roofline, ladder, gain };
constexpr std::array kAllShown{Shown::roofline, Shown::ladder, Shown::gain};

const char* name_of(Shown shown) {
  switch (shown) {
    case Shown::roofline: return tr("Roof");
    case Shown::ladder: return tr("Ladder");
    case Shown::gain: break;
  }
  return tr("Gain");
}

/// Returns the identifier of the button, and of the view that is that picture alone.
const char* id_of(Shown shown) {
  switch (shown) {
    case Shown::roofline: return "roofline";
    case Shown::ladder: return "intensity";
    case Shown::gain: break;
  }
  return "gain";
}

const char* explanation_of(Shown shown) {
  switch (shown) {
    case Shown::roofline:
      return tr("What memory, shared memory and arithmetic let a kernel reach: the lowest of their roofs.");
    case Shown::ladder:
      return tr(
          "The ratio of compute to global memory accesses (CGMA) of every kernel: its flops over the bytes "
          "that it loads.");
    case Shown::gain: break;
  }
  return tr(
      "What shared memory can gain over naive, by formula, and the accesses that this recording counts.");
}

/// Goes on in the same row if `width` pixels are left in it.
void flow(const Look& look, float width) {
  ImGui::SameLine(0, look.px(6));
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

class RooflineView : public Widget {
 public:
  RooflineView()
      : picture_([this](const Frame&, picture::Size size, const picture::Style& style) {
          return make(size, style);
        }) {}

  std::string draw(const Frame& frame) override {
    choose_roof(frame);
    take_peak_of(frame.loaded().arithmetic.tensor_type);
    const bool low = ImGui::GetContentRegionAvail().y < frame.look.px(kLow);
    draw_choice(frame.look);
    shown_ == Shown::gain ? draw_times(frame.look) : draw_roof(frame.look, low);
    analysis::Arithmetic arithmetic = arithmetic_with_runs(frame, roof_, device());
    if (has_peak_ && !tensor_type_.empty()) arithmetic.other_values.clear();
    drawn_of_ = frame.shown;
    if (arithmetic != arithmetic_) {
      arithmetic_ = std::move(arithmetic);
      picture_.forget();
    }
    const picture::Style style = frame.look.style();
    std::string subtitle;
    if (ImGui::BeginChild("arithmetic")) {
      const ImVec2 room = ImGui::GetContentRegionAvail();
      const float least = shown_ == Shown::ladder ? picture::intensity_ladder_height(arithmetic_, style)
                                                  : style.scale * kLowestPicture;
      const float height = std::max(room.y, least);
      subtitle = picture_.update(frame, {std::floor(room.x), std::floor(height)}).subtitle;
      picture_.show(frame, ImGui::GetCursorScreenPos());
    }
    end_child(frame.look);
    return subtitle;
  }
  void amend(viz::ExportRequest& request) const override {
    request.view = id_of(shown_);
    request.subject.times = times_;
    if (drawn_of_ != nullptr && drawn_of_.get() == request.subject.results)
      request.subject.arithmetic = arithmetic_;
  }
  std::vector<WidgetCommand> commands() override {
    std::vector<WidgetCommand> commands;
    for (const Shown one : kAllShown)
      commands.push_back({id_of(one), name_of(one), [this, one] { show(one); }});
    return commands;
  }

 private:
  void show(Shown one) {
    shown_ = one;
    picture_.forget();
  }

  [[nodiscard]] picture::Picture make(picture::Size size, const picture::Style& style) const {
    switch (shown_) {
      case Shown::roofline: return picture::make_roofline(arithmetic_, size, style);
      case Shown::ladder: return picture::make_intensity_ladder(arithmetic_, size, style);
      case Shown::gain: break;
    }
    return picture::make_gain(arithmetic_, times_, size, style);
  }

  /// Until the user chooses, the roof is that of this machine's GPU, if its figures are known.
  void choose_roof(const Frame& frame) {
    if (chosen_) return;
    const analysis::DeviceCard* const own =
        frame.model.gpu.usable() ? analysis::find_card(frame.model.gpu.name()) : nullptr;
    take(own == nullptr ? analysis::device_cards().front() : *own);
  }

  void take(const analysis::DeviceCard& card) {
    roof_ = card.roof;
    card_ = &card;
  }

  /// Takes the card's peak of tensor cores if the recording multiplies on them.
  void take_peak_of(const std::string& tensor_type) {
    tensor_type_ = tensor_type;
    has_peak_ = true;
    if (card_ == nullptr) return;
    const std::optional<analysis::Roof> roof = analysis::roof_for(*card_, tensor_type);
    has_peak_ = roof.has_value();
    roof_ = roof.value_or(card_->roof);
  }

  /// Whose roof it is.
  [[nodiscard]] std::string device() const {
    if (card_ == nullptr) return tr("Own figures");
    if (card_ == &analysis::device_cards().front()) return tr(card_->name);
    if (has_peak_ && !tensor_type_.empty()) {
      return tr("{card}, published figures of tensor cores, {type}", "card"_a = tr(card_->name),
                "type"_a = tensor_type_);
    }
    return tr("{card}, published figures", "card"_a = tr(card_->name));
  }

  void draw_choice(const Look& look) {
    for (const Shown one : kAllShown) {
      const bool is_shown = one == shown_;
      ImGui::PushStyleColor(ImGuiCol_Button, is_shown
                                                 ? ImGui::GetStyleColorVec4(ImGuiCol_Header)
                                                 : as_vector(picture::with_alpha(look.palette->panel, 0)));
      ImGui::PushStyleColor(ImGuiCol_Text, packed(is_shown ? look.palette->text : look.palette->muted));
      if (ImGui::Button(labelled(name_of(one), id_of(one)).c_str()) && !is_shown) show(one);
      ImGui::PopStyleColor(2);
      explain(look, explanation_of(one));
      ImGui::SameLine(0, look.px(2));
    }
  }

  void draw_roof(const Look& look, bool low) {
    const char* const shown = card_ == nullptr ? tr("Own figures") : tr(card_->name);
    const float width = menu_width(look, shown, kCardWidth);
    flow(look, width);
    ImGui::SetNextItemWidth(width);
    if (ImGui::BeginCombo("##card", shown, ImGuiComboFlags_HeightLargest)) {
      for (const analysis::DeviceCard& card : analysis::device_cards()) {
        if (list_entry(labelled(tr(card.name), card.name).c_str(), card_ == &card)) {
          take(card);
          chosen_ = true;
        }
        explain(look, tr(card.source));
      }
      if (list_entry(labelled(tr("Own figures"), "own").c_str(), card_ == nullptr)) take_own();
      ImGui::EndCombo();
    }
    explain(look, card_ == nullptr ? tr("Bandwidth and peak of your own; the cards' are published figures.")
                                   : tr(card_->source));
    if (!low) return draw_numbers(look);
    const char* const more = "...";
    flow(look, button_width(look, more));
    if (ImGui::Button(labelled(more, "figures").c_str())) ImGui::OpenPopup("figures");
    explain(look, tr("The bandwidths and the peak that the roofs are made of"));
    if (!ImGui::BeginPopup("figures")) return;
    ImGui::Dummy({0, 0});  // For what the first stands beside
    draw_numbers(look);
    ImGui::EndPopup();
  }

  void draw_numbers(const Look& look) {
    draw_number(look, "##bandwidth", "GB/s", roof_.bandwidth_gbps,
                tr("Bandwidth of global memory, in 10^9 bytes a second."));
    draw_number(look, "##shared", tr("GB/s shared"), roof_.shared_gbps,
                tr("Bandwidth of the shared memory of all multiprocessors, in 10^9 bytes a second: 128 bytes "
                   "a clock each."));
    draw_number(
        look, "##peak", "GFLOP/s", roof_.peak_gflops,
        tensor_type_.empty() || !has_peak_
            ? tr("Peak of arithmetic in single precision, in 10^9 operations a second.")
            : tr("Peak of tensor cores for {type}, in 10^9 operations a second.", "type"_a = tensor_type_));
  }

  void take_own() {
    card_ = nullptr;
    chosen_ = true;
  }

  void draw_number(const Look& look, const char* id, const char* unit, double& value,
                   const std::string& meaning) {
    const TextStyle muted{.colour = look.palette->muted};
    flow(look, look.px(62) + width_of(look, unit, muted));
    ImGui::SetNextItemWidth(look.px(58));
    double entered = value;
    if (ImGui::InputDouble(id, &entered, 0, 0, "%.6g") && entered != value) {
      value = std::clamp(std::isfinite(entered) ? entered : 1, 0.01, 1e9);
      take_own();
    }
    explain(look, meaning);
    ImGui::SameLine(0, look.px(4));
    ImGui::AlignTextToFramePadding();
    write(look, unit, muted);
  }

  void draw_times(const Look& look) {
    draw_time(look, "t_g", times_.global,
              tr("Time of one access to global memory, in any unit. It is yours to choose: nothing here "
                 "measures it."));
    draw_time(look, "t_s", times_.shared, tr("Time of one access to shared memory, in the same unit."));
  }

  void draw_time(const Look& look, const char* name, double& value, const char* meaning) {
    constexpr double kLeast = 1, kMax = 1000;
    const std::string words = fmt::format("{} = {}", name, picture::in_figures(value));
    const TextStyle muted{.colour = look.palette->muted};
    flow(look, look.px(170));
    const float left = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    write(look, words, muted);
    ImGui::SameLine(left + look.px(72));  // The slider stays where it is while its words change
    ImGui::SetNextItemWidth(look.px(90));
    const std::string id = std::string("##") + name;
    if (ImGui::SliderScalar(id.c_str(), ImGuiDataType_Double, &value, &kLeast, &kMax, "",
                            ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp)) {
      picture_.forget();
    }
    explain(look, meaning);
  }

  Shown shown_ = Shown::roofline;
  bool chosen_ = false;
  const analysis::DeviceCard* card_ = nullptr;  ///< nullptr: own figures
  analysis::Roof roof_;
  std::string tensor_type_;  ///< Of the recording, as analysis::Arithmetic::tensor_type
  bool has_peak_ = true;     ///< roof_ has the peak of what the recording multiplies
  analysis::AccessTimes times_;
  analysis::Arithmetic arithmetic_;
  std::shared_ptr<const Loaded> drawn_of_;  ///< What `arithmetic_` is of
  PictureView picture_;
};

const RegisterWidget kRoofline{"roofline", make_one<RooflineView>};

}  // namespace
}  // namespace warplens::app
