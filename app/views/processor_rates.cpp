#include "app/views/processor_rates.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>

#include "app/views/rate_bars.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

using measure::CpuProduct;
using measure::Sample;

constexpr float kLoopMenuWidth = 104;  // Both fit into the view of a small window
constexpr std::array kSizes{64u, 128u, 256u, 512u};
constexpr std::size_t kMostLabels = 3;  // More would hide the lines; the bars name the colours

std::vector<CpuProduct> chosen_products(const Frame& frame) {
  std::vector<CpuProduct> chosen;
  for (const CpuProduct product : measure::kCpuProducts) {
    if (frame.meter.chosen(product)) chosen.push_back(product);
  }
  return chosen;
}

/// Loops that walk down columns are costly; those along rows are not; the others stand apart.
picture::Colour colour_of(const picture::Palette& palette, CpuProduct product) {
  switch (product) {
    case CpuProduct::ijk: return palette.costly;
    case CpuProduct::jik: return mixed(palette.costly, palette.text, 0.25f);
    case CpuProduct::jki: return mixed(palette.costly, palette.text, 0.5f);
    case CpuProduct::kji: return mixed(palette.costly, palette.panel, 0.35f);
    case CpuProduct::ikj: return palette.accent;
    case CpuProduct::kij: return mixed(palette.accent, palette.text, 0.4f);
    case CpuProduct::blocked: return palette.fill;
    case CpuProduct::blas: return palette.good;
    case CpuProduct::blas_threaded: break;
  }
  return mixed(palette.good, palette.text, 0.4f);
}

void draw_choice(const Frame& frame) {
  const Look& look = frame.look;
  const std::string shown = tr("{chosen} of {all} variants", "chosen"_a = chosen_products(frame).size(),
                               "all"_a = measure::kCpuProducts.size());
  const float width = menu_width(look, shown, kLoopMenuWidth);
  same_line_if_fits(look, width);
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("##products", shown.c_str(), ImGuiComboFlags_HeightLargest)) {
    for (const CpuProduct product : measure::kCpuProducts) {
      const std::string name(measure::name_of(product));
      const auto missing = measure::what_is_missing_for(product);
      bool on = frame.meter.chosen(product);
      ImGui::BeginDisabled(missing.has_value());
      if (tick(look, name.c_str(), on)) frame.meter.choose(product, on);
      ImGui::EndDisabled();
      explain(look, missing ? tr(missing->c_str()) : tr(measure::explanation_of(product)));
    }
    ImGui::EndCombo();
  }
  explain(look, tr("The variants that are measured: loop orders, a blocked one, and OpenBLAS."));
}

void draw_line(RateLabels* labels, const Look& look, CpuProduct product, const std::vector<Sample>& samples,
               double now) {
  if (samples.empty()) return;
  std::vector<double> seconds, rates;
  for (const Sample& sample : samples) {
    seconds.push_back(sample.seconds - now);
    rates.push_back(sample.gflops);
  }
  const picture::Colour colour = colour_of(*look.palette, product);
  const std::string name(measure::name_of(product));
  draw_rate_line(look, name, colour, seconds, rates);
  if (labels == nullptr) return;
  labels->add(look, fmt::format("{} · {} GFLOP/s", name, rate_in_words(typical(samples))), colour, seconds,
              rates);
}

}  // namespace

// One sample that the system interrupted says nothing about the processor.
double typical(const std::vector<Sample>& samples) {
  if (samples.empty()) return 0;
  std::vector<double> rates(samples.size());
  std::ranges::transform(samples, rates.begin(), &Sample::gflops);
  std::ranges::nth_element(rates, rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2));
  return rates[rates.size() / 2];
}

void ProcessorRates::draw_controls(const Frame& frame) {
  const Look& look = frame.look;
  bool on = frame.meter.on();
  same_line_if_fits(look, checkbox_width(look, tr("Measure")), 16);
  if (tick(look, labelled(tr("Measure"), "measure").c_str(), on)) frame.meter.switch_on(on);
  explain(look, tr("Multiplies two matrices with each of the chosen variants about twice a second, for at "
                   "most a ninth of the time."));
  same_line_if_fits(look, look.px(kLoopMenuWidth));
  ImGui::SetNextItemWidth(look.px(kLoopMenuWidth));
  if (ImGui::BeginCombo("##size", fmt::format("{0} × {0}", frame.meter.size()).c_str())) {
    for (const unsigned size : kSizes) {
      if (list_entry(fmt::format("{0} × {0}", size).c_str(), size == frame.meter.size()))
        frame.meter.set_size(size);
    }
    ImGui::EndCombo();
  }
  explain(look, tr("Rows and columns of the matrices that this machine's CPU multiplies."));
  draw_choice(frame);
}

void ProcessorRates::draw_plot(const Frame& frame, ImVec2 size) {
  const double now = frame.meter.now();
  const std::vector<CpuProduct> chosen = chosen_products(frame);
  std::vector<std::vector<Sample>> samples;
  double greatest = 0;
  for (const CpuProduct product : chosen) {
    const auto& own = samples.emplace_back(frame.meter.samples(product));
    for (const Sample& sample : own) greatest = std::max(greatest, sample.gflops);
  }
  if (size_shown_ != frame.meter.size()) scale_.forget();
  size_shown_ = frame.meter.size();
  if (!begin_time_plot(frame.look, "processor", size, {.limit = scale_.limit_for(greatest)})) return;
  RateLabels labels;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    draw_line(chosen.size() <= kMostLabels ? &labels : nullptr, frame.look, chosen[i], samples[i], now);
  }
  labels.draw(frame.look);
  if (greatest == 0)
    write_in_plot(frame.look, frame.meter.on() ? tr("measuring ...") : tr("tick Measure to start"));
  end_rate_plot();
}

void ProcessorRates::draw_bars(const Frame& frame) {
  const Look& look = frame.look;
  const picture::Palette& palette = *look.palette;
  write_wrapped(look, tr("This CPU, GFLOP/s"), {.colour = palette.muted});
  std::vector<RateBar> products;
  for (const CpuProduct product : chosen_products(frame)) {
    products.push_back({std::string(measure::name_of(product)), typical(frame.meter.samples(product)),
                        colour_of(palette, product), tr(measure::explanation_of(product))});
  }
  draw_rate_bars(look, products);
}

}  // namespace warplens::app
