#include "app/views/gpu_rates.h"

#include <implot.h>

#include <algorithm>
#include <cmath>

#include "app/views/rate_bars.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/published.h"

namespace warplens::app {
namespace {

struct Line {
  std::vector<double> x, rates;
  std::string_view unit = "GFLOP/s";
  void add(double at, Rate rate) {
    x.push_back(at);
    rates.push_back(rate.value);
    unit = rate.unit;
  }
  [[nodiscard]] double greatest() const { return rates.empty() ? 0 : *std::ranges::max_element(rates); }
};

/// The kernel's rates, and cuBLAS's beside them.
struct Lines {
  Line kernel, cublas;
  [[nodiscard]] double greatest() const { return std::max(kernel.greatest(), cublas.greatest()); }
};

Lines lines_of(const LiveSeries& series, double now) {
  Lines lines;
  for (std::size_t i = 0; i < series.samples.size(); ++i) {
    const gpu::LiveSample& sample = series.samples[i];
    lines.kernel.add(series.seconds[i] - now, rate_of(sample));
    if (sample.cublas) lines.cublas.add(series.seconds[i] - now, rate_of(*sample.cublas));
  }
  return lines;
}

Lines lines_of(const Sweep& sweep) {
  Lines lines;
  for (const Sweep::Point& point : sweep.points) {
    lines.kernel.add(static_cast<double>(point.at), rate_of(point.result));
    if (point.result.cublas) lines.cublas.add(static_cast<double>(point.at), rate_of(*point.result.cublas));
  }
  return lines;
}

/// The median of the last few: single samples flicker.
double latest(const Line& line) {
  if (line.rates.empty()) return 0;
  constexpr std::size_t kFew = 9;
  std::vector<double> few(line.rates.end() - static_cast<std::ptrdiff_t>(std::min(kFew, line.rates.size())),
                          line.rates.end());
  std::ranges::nth_element(few, few.begin() + static_cast<std::ptrdiff_t>(few.size() / 2));
  return few[few.size() / 2];
}

double last(const Line& line) {
  return line.rates.empty() ? 0 : line.rates.back();
}

void label_line(RateLabels& labels, const Look& look, const std::string& name, picture::Colour colour,
                const Line& line, double rate) {
  if (line.rates.empty()) return;
  const std::string brief = fmt::format("{} · {}", name, rate_in_words(rate));
  const bool has_room = ImPlot::GetPlotSize().x >= look.px(230);  // The axis names the unit too
  labels.add(look, has_room ? fmt::format("{} {}", brief, line.unit) : brief, colour, line.x, line.rates);
}

const LiveSeries* latest_with_samples(const GpuModel& gpu) {
  const auto found = std::ranges::find_if(gpu.live.rbegin(), gpu.live.rend(),
                                          [](const LiveSeries& series) { return !series.samples.empty(); });
  return found == gpu.live.rend() ? nullptr : &*found;
}

/// What comes after the rate. Brief: without the words for "useful" and for the multiprocessors.
std::string figures_in_words(const gpu::LiveSample& sample, bool brief) {
  std::vector<std::string> parts;
  if (sample.gflops > 0) {
    const std::string bandwidth = rate_in_words(sample.gbps);
    parts = {"GFLOP/s", brief ? fmt::format("{} GB/s", bandwidth)
                              : tr("{bandwidth} GB/s useful", "bandwidth"_a = bandwidth)};
  } else {
    parts = {brief ? "GB/s" : tr("GB/s useful")};
  }
  if (sample.cublas) parts.push_back(tr("{share:.1f} % of cuBLAS", "share"_a = sample.cublas->percent));
  if (sample.sm_mhz) {
    const std::string clock = with_thousands(static_cast<std::uint64_t>(*sample.sm_mhz));
    // Translators: SM: the GPU's streaming multiprocessors
    parts.push_back(brief ? fmt::format("{} MHz", clock) : tr("SM {clock} MHz", "clock"_a = clock));
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string spread_in_words(const gpu::Spread& times) {
  return tr_n(times.launches, "{median:.4g} ms (quartiles {lower:.4g} and {upper:.4g}, {n} launch)",
              "{median:.4g} ms (quartiles {lower:.4g} and {upper:.4g}, {n} launches)",
              "median"_a = times.median_ms, "lower"_a = times.p25_ms, "upper"_a = times.p75_ms);
}

std::string explanation_of(const gpu::RunResult& result) {
  const std::string figures =
      tr("{kernel}: {rate} GFLOP/s, {bandwidth} GB/s useful, {times}.", "kernel"_a = result.kernel,
         "rate"_a = rate_in_words(result.gflops), "bandwidth"_a = rate_in_words(result.gbps),
         "times"_a = spread_in_words(result.times));
  const char* const verdict = result.verified ? tr("C was right in every element.") : tr("C is wrong.");
  if (result.caches.empty()) return tr("{figures} {verdict}", "figures"_a = figures, "verdict"_a = verdict);
  return tr("{figures} {verdict} Caches {state}.", "figures"_a = figures, "verdict"_a = verdict,
            "state"_a = result.caches);
}

/// A button that is disabled with a reason.
bool button(const Look& look, const std::string& label, const std::string& hindrance,
            std::string_view meaning) {
  ImGui::BeginDisabled(!hindrance.empty());
  const bool pressed = ImGui::Button(label.c_str());
  ImGui::EndDisabled();
  explain(look, hindrance.empty() ? meaning : hindrance);
  return pressed;
}

/// Why no task can be started now; empty if one can.
std::string hindrance(const GpuModel& gpu) {
  if (!gpu.usable()) return gpu.unusable();
  return gpu.busy_with.empty() ? std::string()
                               : tr("{work}: wait for it, or press Cancel.", "work"_a = gpu.busy_with);
}

const char* name_of(SweepOver over) {
  return over == SweepOver::size ? tr("over N") : tr("over the tile");
}

const char* id_of(SweepOver over) {
  return over == SweepOver::size ? "size" : "parameter";
}

std::string size_of_ladder(const Ladder& ladder) {
  if (ladder.m == ladder.p && ladder.p == ladder.n) return with_thousands(ladder.m);
  return fmt::format("{} × {} × {}", ladder.m, ladder.p, ladder.n);
}

}  // namespace

void GpuRates::draw_live_figures(const Frame& frame) {
  const Look& look = frame.look;
  const GpuModel& gpu = frame.model.gpu;
  const LiveSeries* series = latest_with_samples(gpu);
  if (series == nullptr) return;
  const gpu::LiveSample& sample = series->samples.back();
  const TextStyle big{.colour = look.palette->text, .size = 17, .font = picture::Font::sans_bold},
      muted{.colour = look.palette->muted};
  ImGui::SameLine(0, look.px(16));
  ImGui::AlignTextToFramePadding();
  write(look, rate_in_words(latest(lines_of(*series, 0).kernel)), big);
  const std::string words = figures_in_words(sample, false);
  ImGui::SameLine(0, look.px(6));
  const float room = ImGui::GetContentRegionAvail().x;
  write(look,
        width_of(look, words, muted) <= room ? words
                                             : shortened(look, figures_in_words(sample, true), muted, room),
        muted);
  explain(look, tr("{figures}. Useful bytes are those of A, B and C, once each.", "figures"_a = words));
}

void GpuRates::draw_live_plot(const Frame& frame, ImVec2 size) {
  const Look& look = frame.look;
  const picture::Palette& palette = *look.palette;
  const GpuModel& gpu = frame.model.gpu;
  if (!gpu.usable()) return draw_empty_plot(look, size, gpu.unusable());
  const double now = frame.meter.now();
  const LiveSeries* const current = latest_with_samples(gpu);
  const std::string_view unit = current == nullptr ? "GFLOP/s" : rate_of(current->samples.back()).unit;
  if (unit != live_unit_) live_scale_.forget();
  live_unit_ = unit;
  std::vector<Lines> all;
  double greatest = 0;
  for (const LiveSeries& series : gpu.live) {
    all.push_back(lines_of(series, now));
    if (all.back().kernel.unit != unit) all.back() = {};  // Rates of another kind have no place on this axis
    greatest = std::max(greatest, all.back().greatest());
  }
  if (!begin_time_plot(look, "live", size, {live_scale_.limit_for(greatest), live_unit_.c_str()})) return;
  RateLabels labels;
  for (std::size_t i = all.size(); i-- > 0;) {  // What was launched last has its name first
    const bool same_kernel = current != nullptr && gpu.live[i].label == current->label;
    const picture::Colour kernel = same_kernel ? palette.accent : mixed(palette.accent, palette.muted, 0.7f);
    draw_rate_line(look, fmt::format("kernel {}", i), kernel, all[i].kernel.x, all[i].kernel.rates);
    draw_rate_line(look, fmt::format("cuBLAS {}", i), palette.good, all[i].cublas.x, all[i].cublas.rates);
    const bool last_of_its_name = i + 1 == all.size() || gpu.live[i + 1].label != gpu.live[i].label;
    if (last_of_its_name)
      label_line(labels, look, gpu.live[i].label, kernel, all[i].kernel, latest(all[i].kernel));
    if (current == &gpu.live[i])
      label_line(labels, look, "cuBLAS", palette.good, all[i].cublas, latest(all[i].cublas));
  }
  labels.draw(look);
  if (greatest == 0)
    write_in_plot(look,
                  gpu.live_on ? tr("starting ...") : tr("press Live to launch the kernel again and again"));
  end_rate_plot();
}

void GpuRates::draw_sweep_controls(const Frame& frame) {
  const Look& look = frame.look;
  const GpuModel& gpu = frame.model.gpu;
  const float menu = menu_width(look, name_of(over_), 112);
  same_line_if_fits(look, menu, 16);
  ImGui::SetNextItemWidth(menu);
  if (ImGui::BeginCombo("##over", name_of(over_))) {
    for (const SweepOver over : {SweepOver::size, SweepOver::parameter}) {
      if (list_entry(labelled(name_of(over), id_of(over)).c_str(), over == over_)) over_ = over;
    }
    ImGui::EndCombo();
  }
  explain(look,
          tr("The size of square matrices, 128 to 4,096; or the kernel's tile, at the size that is set."));
  same_line_if_fits(look, look.px(120));
  if (gpu.sweeping) {
    const float fraction =
        static_cast<float>(gpu.done) / static_cast<float>(std::max<std::uint64_t>(gpu.total, 1));
    ImGui::ProgressBar(fraction, {look.px(120), 0},
                       tr("{done} of {total}", "done"_a = gpu.done, "total"_a = gpu.total).c_str());
    ImGui::SameLine();
    if (ImGui::Button(labelled(tr("Cancel"), "cancel").c_str())) frame.wishes.cancel = true;
  } else if (button(look, labelled(tr("Sweep"), "start"), hindrance(gpu),
                    tr("Launches the kernel, and cuBLAS beside it, at each value."))) {
    frame.wishes.sweep = over_;
  }
}

void GpuRates::draw_sweep_plot(const Frame& frame, ImVec2 size) const {
  const Look& look = frame.look;
  const picture::Palette& palette = *look.palette;
  const GpuModel& gpu = frame.model.gpu;
  if (!gpu.usable()) return draw_empty_plot(look, size, gpu.unusable());
  if (gpu.sweep.planned.empty()) {
    return draw_empty_plot(
        look, size,
        tr("Press Sweep to launch the kernel at many sizes, or with every tile, and cuBLAS beside it."));
  }
  const Lines lines = lines_of(gpu.sweep);
  RateScale scale;
  const std::vector<double> values(gpu.sweep.planned.begin(), gpu.sweep.planned.end());
  if (!begin_sweep_plot(look, "sweep", size, {scale.limit_for(lines.greatest()), lines.kernel.unit.data()},
                        values))
    return;
  draw_rate_line(look, "kernel", palette.accent, lines.kernel.x, lines.kernel.rates, true);
  draw_rate_line(look, "cuBLAS", palette.good, lines.cublas.x, lines.cublas.rates, true);
  RateLabels labels;
  label_line(labels, look, gpu.sweep.request.kernel, palette.accent, lines.kernel, last(lines.kernel));
  label_line(labels, look, "cuBLAS", palette.good, lines.cublas, last(lines.cublas));
  labels.draw(look);
  if (lines.kernel.rates.empty())
    write_in_plot(look, gpu.sweeping ? tr("launching ...") : tr("cancelled before the first point"));
  end_rate_plot();
}

namespace {

/// What the kernel on screen multiplies.
std::string type_of_ladder(const Frame& frame) {
  if (frame.shown == nullptr) return "f32";
  const Recording& recording = frame.recording();
  const std::string& type =
      ladder_kernel_of(recording) != nullptr ? recording.value_type : frame.loaded().arithmetic.tensor_type;
  return type.empty() ? "f32" : type;
}

/// In values of that type, or of f32 where no ladder of that type was measured.
const PublishedTable* ladder_measured_elsewhere(const std::string& type) {
  const PublishedTable* const table = shipped_ladder(type);
  return table != nullptr ? table : shipped_ladder("f32");
}

/// Whether what was measured here is what is to be shown of kernels that multiply values of that type.
bool is_measured_in(const Ladder& ladder, const std::string& type) {
  return !ladder.results.empty() &&
         (ladder.results.front().value_type == type || shipped_ladder(type) == nullptr);
}

/// The ladder as it was measured elsewhere, hatched, and saying so.
void draw_shipped_ladder(const Look& look, const std::string& type) {
  const PublishedTable* const table = ladder_measured_elsewhere(type);
  if (table == nullptr) return;
  ImGui::Spacing();
  const std::string source = tr(table->source.c_str());
  write_wrapped(look,
                tr("An H200, 4,096 × 4,096 in {type}, in GFLOP/s, measured {dates}",
                   "type"_a = table->value_type, "dates"_a = table->measured),
                {.colour = look.palette->muted});
  explain(look, source);
  std::vector<RateBar> bars;
  for (const PublishedPoint& point : table->series.front().points) {
    const picture::Colour colour = point.name == gpu::kCublasId ? look.palette->good : look.palette->accent;
    bars.push_back({point.name, point.gflops, colour,
                    tr("{kernel} at {m} x {p} x {n}: {milliseconds:.4g} ms. {source}",
                       "kernel"_a = point.name, "m"_a = point.m, "p"_a = point.p, "n"_a = point.n,
                       "milliseconds"_a = point.milliseconds, "source"_a = source),
                    true});
  }
  draw_rate_bars(look, bars);
}

}  // namespace

void GpuRates::draw_ladder_controls(const Frame& frame) {
  const Look& look = frame.look;
  same_line_if_fits(look, button_width(look, tr("Measure")), 16);
  ImGui::PushID("ladder");
  if (button(look, labelled(tr("Measure"), "measure"), hindrance(frame.model.gpu),
             tr("Launches every kernel at the size that is set, cuBLAS in turn with it, and verifies it.")))
    frame.wishes.measure_ladder = true;
  ImGui::PopID();
}

namespace {

picture::LadderBars measured_ladder(const Ladder& ladder, const std::string& device) {
  picture::LadderBars bars{
      .where = tr("{device} at {size}", "device"_a = device, "size"_a = size_of_ladder(ladder)),
      .note = {},
      .measured_here = true};
  for (const gpu::RunResult& result : ladder.results) {
    const bool is_cublas = result.kernel == gpu::kCublasId;
    const std::string kernel = is_cublas ? "cuBLAS" : result.kernel;
    const std::string name = result.verified ? kernel : tr("{kernel} (wrong)", "kernel"_a = kernel);
    bars.bars.push_back({name,
                         is_cublas       ? 100
                         : result.cublas ? result.cublas->percent
                                         : 0,
                         is_cublas, explanation_of(result)});
  }
  return bars;
}

/// Returns the bars of the ladder as it was measured elsewhere.
picture::LadderBars bars_measured_elsewhere(const GpuModel& gpu, const std::string& type) {
  const PublishedTable* const table = ladder_measured_elsewhere(type);
  if (table == nullptr) return {.where = {}, .note = gpu.unusable(), .bars = {}};
  picture::LadderBars bars{.where = tr("An H200 at 4,096 × 4,096 in {type}, measured {dates}",
                                       "type"_a = table->value_type, "dates"_a = table->measured),
                           .note = gpu.unusable(),
                           .bars = {}};
  const std::string source = tr(table->source.c_str());
  const std::vector<PublishedPoint>& points = table->series.front().points;
  for (const PublishedPoint& point : points) {
    const bool is_cublas = point.name == gpu::kCublasId;
    bars.bars.push_back({is_cublas ? "cuBLAS" : point.name, is_cublas ? 100 : point.percent_of_cublas,
                         is_cublas,
                         tr("{kernel} at {m} x {p} x {n}: {milliseconds:.4g} ms. {source}",
                            "kernel"_a = point.name, "m"_a = point.m, "p"_a = point.p, "n"_a = point.n,
                            "milliseconds"_a = point.milliseconds, "source"_a = source)});
  }
  return bars;
}

}  // namespace

void GpuRates::draw_ladder_picture(const Frame& frame) {
  const GpuModel& gpu = frame.model.gpu;
  const std::string type = type_of_ladder(frame);
  const bool against_cublas = is_measured_in(gpu.ladder, type) &&
                              std::ranges::any_of(gpu.ladder.results, [](const gpu::RunResult& result) {
                                return result.cublas.has_value();
                              });
  picture::LadderBars ladder =
      against_cublas ? measured_ladder(gpu.ladder, gpu.name()) : bars_measured_elsewhere(gpu, type);
  if (ladder != ladder_) {
    ladder_ = std::move(ladder);
    ladder_picture_.forget();
  }
  if (ImGui::BeginChild("ladder")) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const picture::Size size{std::floor(room.x), std::floor(std::max(room.y, 1.0f))};
    static_cast<void>(ladder_picture_.update(
        frame, {size.width, picture::ladder_bars_height(ladder_, size, frame.look.style())}));
    ladder_picture_.show(frame, ImGui::GetCursorScreenPos());
  }
  end_child(frame.look);
}

void GpuRates::draw_ladder(const Frame& frame) {
  const Look& look = frame.look;
  const picture::Palette& palette = *look.palette;
  const GpuModel& gpu = frame.model.gpu;
  const std::string type = type_of_ladder(frame);
  static const std::vector<gpu::RunResult> kNone;
  const auto& results = is_measured_in(gpu.ladder, type) ? gpu.ladder.results : kNone;
  const bool in_percent =
      std::ranges::any_of(results, [](const gpu::RunResult& result) { return result.cublas.has_value(); });
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const float width = std::max(look.px(76), button_width(look, tr("Measure")));
  const std::string title = results.empty() ? tr("The ladder on the GPU")
                            : in_percent ? tr("% of cuBLAS at {size}", "size"_a = size_of_ladder(gpu.ladder))
                                         : tr("GFLOP/s at {size}", "size"_a = size_of_ladder(gpu.ladder));
  ImGui::AlignTextToFramePadding();
  const TextStyle muted{.colour = palette.muted};
  write(look, shortened(look, title, muted, ImGui::GetContentRegionAvail().x - width - look.px(8)), muted);
  ImGui::SameLine();
  ImGui::SetCursorScreenPos({right - width, ImGui::GetCursorScreenPos().y});
  ImGui::PushID("ladder");
  const std::string why_not = hindrance(gpu);
  ImGui::BeginDisabled(!why_not.empty());
  if (ImGui::Button(labelled(tr("Measure"), "measure").c_str(), {width, 0}))
    frame.wishes.measure_ladder = true;
  ImGui::EndDisabled();
  explain(look,
          why_not.empty()
              ? tr("Launches every kernel at the size that is set, cuBLAS in turn with it, and verifies it.")
              : why_not);
  ImGui::PopID();
  if (!gpu.usable()) return draw_shipped_ladder(look, type);
  if (results.empty()) {
    return write_wrapped(look,
                         gpu.measuring_ladder
                             ? tr("launching ...")
                             : tr("Press Measure to launch every kernel at the size that is set."),
                         muted);
  }
  std::vector<RateBar> bars;
  for (const gpu::RunResult& result : results) {
    const bool is_cublas = result.kernel == gpu::kCublasId;
    const double percent = is_cublas ? 100 : result.cublas ? result.cublas->percent : 0;
    const picture::Colour colour = !result.verified ? palette.costly
                                   : is_cublas      ? palette.good
                                                    : palette.accent;
    const std::string name =
        result.verified ? result.kernel : tr("{kernel} (wrong)", "kernel"_a = result.kernel);
    bars.push_back({name, in_percent ? percent : result.gflops, colour, explanation_of(result)});
  }
  draw_rate_bars(look, bars, in_percent ? 100 : 0);
}

}  // namespace warplens::app
