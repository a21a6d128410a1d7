#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/session/arithmetic.h"
#include "app/views/gpu_rates.h"
#include "app/views/own_runs.h"
#include "app/views/processor_rates.h"
#include "app/views/published_rates.h"
#include "app/views/view.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/arithmetic.h"
#include "viz/picture/rate_bars.h"

namespace warplens::app {
namespace {

constexpr float kBarsWidth = 250;
constexpr float kNarrowMeters = 340,
                kLow = 170;       ///< Where the controls would take several lines, or most of the room
constexpr float kLeastPlot = 90;  ///< High: in lower ones the names would hide the lines

enum class Shown : unsigned char { live, ladder, sweep, processor, published };
constexpr std::array kAllShown{Shown::live, Shown::ladder, Shown::sweep, Shown::processor, Shown::published};

const char* name_of(Shown shown) {
  switch (shown) {
    case Shown::live: return tr("Live");
    case Shown::ladder: return tr("Ladder");
    case Shown::sweep: return tr("Sweep");
    case Shown::processor: return tr("CPU");
    case Shown::published: break;
  }
  return tr("Published");
}

/// Returns the identifier of the button and of its command.
const char* id_of(Shown shown) {
  switch (shown) {
    case Shown::live: return "live";
    case Shown::ladder: return "ladder";
    case Shown::sweep: return "sweep";
    case Shown::processor: return "processor";
    case Shown::published: break;
  }
  return "published";
}

const char* explanation_of(Shown shown) {
  switch (shown) {
    case Shown::live:
      return tr("The kernel launched on the GPU again and again, cuBLAS in turn with it: the last minute.");
    case Shown::ladder:
      return tr("Every kernel of the ladder against cuBLAS: measured here, or else on an H200.");
    case Shown::sweep: return tr("The kernel on the GPU over the size of the matrices, or over its tile.");
    case Shown::processor: return tr("This machine's CPU, multiplying with the variants that you choose.");
    case Shown::published: break;
  }
  return tr("Figures that others published, and your own beside them.");
}

/// Every rate that is known, each once: of this processor as it is now, and of this window's runs.
std::vector<picture::Rate> rates_of(const Frame& frame) {
  std::vector<picture::Rate> rates;
  const auto add = [&](const picture::Rate& rate) {
    if (rate.value > 0 && std::ranges::find(rates, rate.name, &picture::Rate::name) == rates.end())
      rates.push_back(rate);
  };
  for (const measure::CpuProduct product : measure::kCpuProducts) {
    const std::string_view way = name_of(product);
    const unsigned size = frame.meter.size();
    add({.name = tr("{way} at {size}, this CPU", "way"_a = way, "size"_a = size),
         .value = typical(frame.meter.samples(product)),
         .name_in_tables = fmt::format("{} at {}, this processor", way, size)});
  }
  for (const gpu::RunResult* const run : own_runs(frame.model.gpu)) {
    const std::string kernel = name_with_tile(run->kernel, run->parameters),
                      size = product_size_in_words(run->m, run->p, run->n);
    add({.name = tr("{kernel} at {size}, {device}", "kernel"_a = kernel, "size"_a = size,
                    "device"_a = run->device),
         .value = run->gflops,
         .reference = run->kernel == gpu::kCublasId,
         .name_in_tables = fmt::format("{} at {}, {}", kernel, size, run->device)});
  }
  return rates;
}

picture::Picture make(const viz::Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_rate_bars(subject.rates, "GFLOP/s", tr("measured here"), size, style);
}

/// One row a rate.
std::string table(const viz::Subject& subject) {
  std::string table = "what,gflops\n";
  for (const picture::Rate& rate : subject.rates)
    table += fmt::format("{},{}\n", viz::cell(rate.name_in_tables), rate.value);
  return table;
}

class ThroughputView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const Look& look = frame.look;
    follow(frame.model.gpu);
    rates_ = rates_of(frame);
    // With a GPU its launches are what one looks at; without, what another one reaches.
    const Shown shown = chosen_.value_or(frame.model.gpu.usable() ? Shown::live : Shown::ladder);
    if (ImGui::GetContentRegionAvail().x < look.px(kNarrowMeters) ||
        ImGui::GetContentRegionAvail().y < look.px(kLow)) {
      draw_menus(frame, shown);
    } else {
      draw_choice(look, shown);
      draw_controls(frame, shown);
    }
    if (shown == Shown::published) {
      published_.draw_picture(frame);
      return published_.subtitle();
    }
    if (shown == Shown::ladder) {
      gpu_.draw_ladder_picture(frame);
      return subtitle(frame, shown);
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool bars_beside = room.x >= look.px(kBarsWidth * 2);
    const ImVec2 plot{bars_beside ? room.x - look.px(kBarsWidth + 24) : room.x,
                      bars_beside ? room.y : room.y * 0.5f};
    if (plot.y >= look.px(kLeastPlot)) {
      draw_plot(frame, shown, plot);
      if (bars_beside) ImGui::SameLine(0, look.px(24));
    }
    if (ImGui::BeginChild("bars")) {
      ImGui::SetCursorPosY(look.px(3));  // Room above the first line for the accents of capitals
      draw_bars(frame, shown);
    }
    end_child(look);
    return subtitle(frame, shown);
  }
  void amend(viz::ExportRequest& request) const override { request.subject.rates = rates_; }
  std::vector<WidgetCommand> commands() override {
    std::vector<WidgetCommand> commands;
    for (const Shown one : kAllShown)
      commands.push_back({id_of(one), name_of(one), [this, one] { chosen_ = one; }});
    return commands;
  }

 private:
  /// What begins on the GPU is shown.
  void follow(const GpuModel& gpu) {
    if (gpu.live_on && !was_live_) chosen_ = Shown::live;
    if (gpu.sweeping && !was_sweeping_) chosen_ = Shown::sweep;
    was_live_ = gpu.live_on;
    was_sweeping_ = gpu.sweeping;
  }

  void draw_choice(const Look& look, Shown shown) {
    ImGui::PushID("shown");
    for (const Shown one : kAllShown) {
      const bool is_shown = one == shown;
      if (one != Shown::live) same_line_if_fits(look, button_width(look, name_of(one)), 2);
      ImGui::PushStyleColor(ImGuiCol_Button, is_shown
                                                 ? ImGui::GetStyleColorVec4(ImGuiCol_Header)
                                                 : as_vector(picture::with_alpha(look.palette->panel, 0)));
      ImGui::PushStyleColor(ImGuiCol_Text, packed(is_shown ? look.palette->text : look.palette->muted));
      if (ImGui::Button(labelled(name_of(one), id_of(one)).c_str())) chosen_ = one;
      ImGui::PopStyleColor(2);
      explain(look, explanation_of(one));
    }
    ImGui::PopID();
  }

  /// The same in one line: what to show is a menu, and the controls are in another.
  void draw_menus(const Frame& frame, Shown shown) {
    const Look& look = frame.look;
    const char* const more = "...";
    const float room = ImGui::GetContentRegionAvail().x - button_width(look, more) - look.px(4);
    ImGui::SetNextItemWidth(std::min(room, menu_width(look, name_of(shown), 112)));
    if (ImGui::BeginCombo("##shown", name_of(shown))) {
      for (const Shown one : kAllShown) {
        if (list_entry(labelled(name_of(one), id_of(one)).c_str(), one == shown)) chosen_ = one;
        explain(look, explanation_of(one));
      }
      ImGui::EndCombo();
    }
    explain(look, explanation_of(shown));
    if (shown == Shown::live) return;  // Its switch is in the launch row, its rate in the plot
    ImGui::SameLine(0, look.px(4));
    if (ImGui::Button(labelled(more, "controls").c_str())) ImGui::OpenPopup("controls");
    explain(look, tr("What is shown here, and how it is measured"));
    ImGui::SetNextWindowSize({look.px(kNarrowMeters), 0});
    if (!ImGui::BeginPopup("controls")) return;
    ImGui::Dummy({0, 0});  // For what the controls would stand beside
    draw_controls(frame, shown);
    ImGui::EndPopup();
  }

  void draw_controls(const Frame& frame, Shown shown) {
    switch (shown) {
      case Shown::live:
        same_line_if_fits(frame.look, 0);
        ImGui::Dummy({0, ImGui::GetFrameHeight()});  // The switch itself is in the launch row
        return GpuRates::draw_live_figures(frame);
      case Shown::ladder: return GpuRates::draw_ladder_controls(frame);
      case Shown::sweep: return gpu_.draw_sweep_controls(frame);
      case Shown::processor: return ProcessorRates::draw_controls(frame);
      case Shown::published: return published_.draw_controls(frame);
    }
  }

  void draw_plot(const Frame& frame, Shown shown, ImVec2 size) {
    switch (shown) {
      case Shown::live: return gpu_.draw_live_plot(frame, size);
      case Shown::sweep: return gpu_.draw_sweep_plot(frame, size);
      case Shown::processor: return processor_.draw_plot(frame, size);
      case Shown::ladder:
      case Shown::published: break;
    }
  }

  /// First those that belong to the plot: there is room for a few.
  static void draw_bars(const Frame& frame, Shown shown) {
    const bool processor_first = shown == Shown::processor;
    processor_first ? ProcessorRates::draw_bars(frame)
                    : GpuRates::draw_ladder(frame);  // The plot says why there is no GPU
    ImGui::Spacing();
    if (!processor_first) ProcessorRates::draw_bars(frame);
  }

  static std::string subtitle(const Frame& frame, Shown shown) {
    const GpuModel& gpu = frame.model.gpu;
    if (shown == Shown::processor) return frame.meter.on() ? tr("measured here, now") : tr("paused");
    if (shown == Shown::ladder && gpu.ladder.results.empty()) return tr("an H200");
    if (!gpu.usable()) return gpu.driver ? tr("no GPU") : "";
    return shown == Shown::live && gpu.live_on ? tr("{gpu}, live", "gpu"_a = gpu.name()) : gpu.name();
  }

  GpuRates gpu_;
  ProcessorRates processor_;
  PublishedRates published_;
  std::vector<picture::Rate> rates_;  ///< As last drawn
  std::optional<Shown> chosen_;
  bool was_live_ = false, was_sweeping_ = false;
};

const viz::RegisterView kThroughput{
    {.id = "throughput",
     .title = marked("Throughput"),
     .shows = marked("What the GPU reaches now, and this machine's CPU; and what others published"),
     .place = viz::Place::right_bottom,
     .rank = 35,
     .needs_recording = false,
     .measures = true,
     .make = make,
     .table = table}};
const RegisterWidget kThroughputWidget{"throughput", make_one<ThroughputView>};

}  // namespace
}  // namespace warplens::app
