#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/views/view.h"
#include "kernels/replay/replay.h"

namespace warplens::app {
namespace {

using measure::LoopOrder;
using measure::Sample;

constexpr double kShownSeconds = 60;
constexpr std::array kSizes{64u, 128u, 256u, 512u};
constexpr float kBarsWidth = 250;
constexpr float kRowHeight = 24;

struct Bar {
  std::string name;
  double value = 0;
  picture::Colour colour;
  std::string explanation;
};

/// The median: one sample that the system interrupted says nothing about the processor.
double typical(const std::vector<Sample>& samples) {
  if (samples.empty()) return 0;
  std::vector<double> rates(samples.size());
  std::ranges::transform(samples, rates.begin(), &Sample::gflops);
  std::ranges::nth_element(rates, rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2));
  return rates[rates.size() / 2];
}

std::string rate_in_words(double rate) {
  return rate >= 100 ? fmt::format("{:.0f}", rate) : rate >= 1 ? fmt::format("{:.1f}", rate) : fmt::format("{:.2f}", rate);
}

class ThroughputView : public View {
 public:
  std::string draw(const Frame& frame) override {
    const Look& look = frame.look;
    draw_controls(frame);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool bars_beside = room.x >= look.px(kBarsWidth * 2);
    draw_plot(frame, {bars_beside ? room.x - look.px(kBarsWidth + 24) : room.x, bars_beside ? room.y : room.y * 0.5f});
    if (bars_beside) ImGui::SameLine(0, look.px(24));
    if (ImGui::BeginChild("bars")) draw_bars(frame);
    ImGui::EndChild();
    return frame.meter.on() ? "measured here, now" : "paused";
  }

 private:
  static void draw_controls(const Frame& frame) {
    const Look& look = frame.look;
    bool on = frame.meter.on();
    if (ImGui::Checkbox("Measure", &on)) frame.meter.switch_on(on);
    explain(look, "Multiplies two matrices in each loop order twice a second, on one core, for a tenth of the time at most.");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(look.px(112));
    if (ImGui::BeginCombo("##size", fmt::format("{0} x {0}", frame.meter.size()).c_str())) {
      for (const unsigned size : kSizes) {
        if (ImGui::Selectable(fmt::format("{0} x {0}", size).c_str(), size == frame.meter.size())) frame.meter.set_size(size);
      }
      ImGui::EndCombo();
    }
    explain(look, "Rows and columns of the matrices that this machine's processor multiplies.");
  }

  static picture::Colour colour_of(const picture::Palette& palette, LoopOrder order) {
    return order == LoopOrder::ijk ? palette.costly : palette.accent;
  }

  /// The scale only grows, in steps, so that the lines do not jump.
  double limit_for(double greatest) {
    if (greatest > limit_) limit_ = std::pow(2, std::ceil(std::log2(std::max(greatest * 1.15, 1e-3))));
    return limit_;
  }

  void draw_plot(const Frame& frame, ImVec2 size) {
    const Look& look = frame.look;
    const double now = frame.meter.now();
    std::array<std::vector<Sample>, measure::kLoopOrders.size()> samples;
    double greatest = 0;
    for (const LoopOrder order : measure::kLoopOrders) {
      auto& own = samples[static_cast<std::size_t>(order)];
      own = frame.meter.samples(order);
      for (const Sample& sample : own) greatest = std::max(greatest, sample.gflops);
    }
    if (size_shown_ != frame.meter.size()) limit_ = 0;
    size_shown_ = frame.meter.size();

    constexpr auto kFlags = ImPlotFlags_NoTitle | ImPlotFlags_NoLegend | ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText;
    ImGui::PushFont(look.fonts.sans, 11);
    if (ImPlot::BeginPlot("throughput", {size.x, std::max(size.y, look.px(60))}, kFlags | ImPlotFlags_NoInputs)) {
      constexpr std::array kTicks{-60.0, 0.0};
      constexpr std::array kTickNames{"60 s ago", "now"};
      ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_NoTickMarks);
      ImPlot::SetupAxis(ImAxis_Y1, "GFLOP/s", ImPlotAxisFlags_NoTickMarks);
      ImPlot::SetupAxisLimits(ImAxis_X1, -kShownSeconds - 3, 3, ImPlotCond_Always);
      ImPlot::SetupAxisTicks(ImAxis_X1, kTicks.data(), kTicks.size(), kTickNames.data());
      ImPlot::SetupAxisLimits(ImAxis_Y1, 0, std::max(limit_for(greatest), 1e-3), ImPlotCond_Always);
      for (const LoopOrder order : measure::kLoopOrders) draw_line(look, order, samples[static_cast<std::size_t>(order)], now);
      draw_replays(frame, now);
      if (greatest == 0) {
        const char* words = frame.meter.on() ? "measuring ..." : "tick Measure to see this machine at work";
        ImPlot::PlotText(words, -kShownSeconds / 2, limit_ / 2);
      }
      ImPlot::EndPlot();
    }
    ImGui::PopFont();
  }

  static void draw_line(const Look& look, LoopOrder order, const std::vector<Sample>& samples, double now) {
    if (samples.empty()) return;
    std::vector<double> seconds, rates;
    for (const Sample& sample : samples) {
      seconds.push_back(sample.seconds - now);
      rates.push_back(sample.gflops);
    }
    const picture::Colour colour = colour_of(*look.palette, order);
    const std::string name(measure::name_of(order));
    ImPlot::PlotLine(name.c_str(), seconds.data(), rates.data(), static_cast<int>(rates.size()),
                     {ImPlotProp_LineColor, as_vector(colour), ImPlotProp_LineWeight, look.px(1.75f)});
    const std::string label = fmt::format("{} {} GFLOP/s", name, rate_in_words(typical(samples)));
    const TextStyle style{.colour = colour, .size = 12, .font = picture::Font::sans_bold};
    const ImVec2 end = ImPlot::PlotToPixels(0.0, typical(samples));
    const float top = std::max(end.y - look.px(20), ImPlot::GetPlotPos().y + look.px(2));
    ImPlot::GetPlotDrawList()->AddText(look.fonts.sans_bold, look.px(style.size), {std::floor(end.x - width_of(look, label, style)), std::floor(top)},
                                       packed(colour), label.c_str());
  }

  static void draw_replays(const Frame& frame, double now) {
    for (const ReplayRate& rate : frame.model.replay_rates) {
      const double x = rate.seconds_since_start - now, y = rate.gflops;
      if (x < -kShownSeconds || y <= 0) continue;
      ImPlot::PlotScatter("replay", &x, &y, 1,
                          {ImPlotProp_Marker, ImPlotMarker_Diamond, ImPlotProp_MarkerSize, frame.look.px(4), ImPlotProp_MarkerFillColor,
                           as_vector(frame.look.palette->good), ImPlotProp_MarkerLineColor, as_vector(frame.look.palette->good)});
    }
  }

  static void draw_bars(const Frame& frame) {
    const Look& look = frame.look;
    const picture::Palette& palette = *look.palette;
    write(look, "Loop orders, GFLOP/s", {.colour = palette.muted});
    std::vector<Bar> orders;
    for (const LoopOrder order : measure::kLoopOrders) {
      orders.push_back({std::string(measure::name_of(order)), typical(frame.meter.samples(order)), colour_of(palette, order),
                        std::string(measure::explanation_of(order))});
    }
    draw_group(look, orders);
    ImGui::Spacing();

    write(look, "CPU replay, million warp instructions/s", {.colour = palette.muted});
    explain(look, "How fast the recordings of this session were made, all checks on, every access of the drawn blocks kept.");
    std::vector<Bar> replays;
    for (auto rate = frame.model.replay_rates.rbegin(); rate != frame.model.replay_rates.rend(); ++rate) {
      if (std::ranges::any_of(replays, [&](const Bar& bar) { return bar.name == rate->kernel; })) continue;
      replays.push_back({rate->kernel, rate->warp_instructions_per_second * 1e-6, palette.good,
                         fmt::format("{}, replayed on this machine ({}): {:.1f} million warp instructions a second", rate->kernel,
                                     replay::instruction_set(), rate->warp_instructions_per_second * 1e-6)});
    }
    if (replays.empty()) {
      write_wrapped(look, "Record a kernel to measure it.", {.colour = palette.muted});
    } else {
      draw_group(look, replays);
    }
  }

  static void draw_group(const Look& look, const std::vector<Bar>& bars) {
    double greatest = 0;
    float name_width = 0;
    for (const Bar& bar : bars) {
      greatest = std::max(greatest, bar.value);
      name_width = std::max(name_width, width_of(look, bar.name, {}));
    }
    const float width = ImGui::GetContentRegionAvail().x;
    name_width = std::min(name_width, width * 0.5f);
    for (const Bar& bar : bars) draw_bar(look, bar, greatest, name_width, width);
  }

  static void draw_bar(const Look& look, const Bar& bar, double greatest, float name_width, float width) {
    const picture::Palette& palette = *look.palette;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = look.px(kRowHeight), thick = look.px(14);
    const float value_width = look.px(52);
    const float left = at.x + name_width + look.px(10);
    const float right = std::max(at.x + width - value_width, left + look.px(10));
    const float top = std::floor(at.y + (height - thick) / 2);
    const TextStyle text{.colour = palette.text};
    const float text_top = std::floor(at.y + (height - look.px(text.size)) / 2);
    const std::string name = shortened(look, bar.name, text, name_width);
    list.AddText(look.fonts.sans, look.px(text.size), {at.x, text_top}, packed(palette.text), name.c_str());
    list.AddRectFilled({left, top}, {right, top + thick}, packed(mixed(palette.panel, palette.line, 0.6f)), look.px(2));
    if (bar.value > 0) {
      const float end = left + (right - left) * static_cast<float>(bar.value / greatest);
      list.AddRectFilled({left, top}, {std::max(end, left + look.px(2)), top + thick}, packed(bar.colour), look.px(2));
    }
    const std::string value = bar.value > 0 ? rate_in_words(bar.value) : "-";
    list.AddText(look.fonts.sans, look.px(text.size), {right + look.px(8), text_top}, packed(palette.muted), value.c_str());
    ImGui::Dummy({width, height});
    explain(look, bar.explanation);
  }

  double limit_ = 0;
  std::uint32_t size_shown_ = 0;
};

const RegisterView kThroughput{{.name = "Throughput",
                                .shows = "What this machine reaches now: the processor in two loop orders, and the replay itself",
                                .place = Place::right_bottom,
                                .rank = 35,
                                .needs_recording = false,
                                .make = []() -> std::unique_ptr<View> { return std::make_unique<ThroughputView>(); }}};

}  // namespace
}  // namespace warplens::app
