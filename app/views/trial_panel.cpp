#include "app/views/trial_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/navigation.h"
#include "app/session/subject.h"
#include "app/views/parameter_field.h"
#include "app/views/rate_bars.h"
#include "kernels/base/figures.h"
#include "kernels/base/texts.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

constexpr float kFieldWidth = 92, kAccessWidth = 210, kBarHeight = 24;
constexpr float kLeastPicture = 130,
                kMostOfTimes =
                    0.45f;  ///< What the bars leave to the picture: pixels, and they take at most that part

/// Banks or Coalescing: what draws the access that is selected.
const viz::View& drawn_by(const Frame& frame) {
  const auto event = current_event(frame.recording(), frame.selection);
  const bool shared =
      event && frame.recording().sites[frame.recording().events.site[*event]].space == Space::shared;
  return *viz::find_view(shared ? "banks" : "coalescing");
}

std::string words_of(const SourceAccess& access) {
  return tr("line {line}, {access}", "line"_a = access.line, "access"_a = access.words);
}

std::string size_in_words(const KernelDescriptor& kernel, std::int64_t size) {
  const std::string number = with_thousands(static_cast<std::uint64_t>(size));
  return kernel.extents.size() == 1 ? number : fmt::format("{0} × {0}", number);
}

}  // namespace

TrialPanel::TrialPanel()
    : picture_([](const Frame& frame, picture::Size size, const picture::Style& style) {
        return drawn_by(frame).make(frame.subject(), size, style);
      }) {}

void TrialPanel::choose(const KernelDescriptor& kernel) {
  if (kernel_ == &kernel) return;
  if (kernel_ != nullptr) {
    std::erase_if(earlier_, [&](const KernelTrial& trial) { return trial.kernel == trial_.kernel; });
    earlier_.push_back(trial_);
  }
  const auto known = std::ranges::find(earlier_, kernel.id, &KernelTrial::kernel);
  KernelTrial chosen = known == earlier_.end() ? trial_of(kernel, trial_.cc) : *known;
  chosen.cc = trial_.cc;
  kernel_ = &kernel;
  trial_ = std::move(chosen);
  moved_ = &kernel.parameters.front();
  swept_ = nullptr;
  access_.reset();
  drawn_.reset();
  accesses_.clear();
}

std::int64_t& TrialPanel::value(const std::string& name) {
  return std::ranges::find(trial_.values, name, &NamedValue::name)->value;
}

void TrialPanel::draw_controls(const Look& look) {
  draw_size(look);
  draw_parameters(look);
  draw_accesses(look);
}

void TrialPanel::draw_size(const Look& look) {
  const std::int64_t size = value(std::string(1, kernel_->extents.front().name));
  const std::string words = size_in_words(*kernel_, size);
  const float width = menu_width(look, words, kFieldWidth);
  same_line_if_fits(look, width);
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("##size", words.c_str())) {
    for (const std::int64_t other : trial_sizes(*kernel_)) {
      if (!list_entry(labelled(size_in_words(*kernel_, other), std::to_string(other)).c_str(), other == size))
        continue;
      for (const ExtentInfo& extent : kernel_->extents) value(std::string(1, extent.name)) = other;
    }
    ImGui::EndCombo();
  }
  explain(look, tr("The size of the launch, of which one block is replayed and drawn. Small launches leave "
                   "most of a GPU idle."));
}

void TrialPanel::draw_parameters(const Look& look) {
  for (const ParameterInfo& parameter : kernel_->parameters) {
    const std::string before = parameter.name + " = ";
    const float width = menu_width(look, before + std::to_string(parameter.values.back()), kFieldWidth);
    same_line_if_fits(look, width);
    ImGui::SetNextItemWidth(width);
    std::int64_t& chosen = value(parameter.name);
    const std::int64_t old = chosen;
    parameter_field(("##" + parameter.name).c_str(), parameter, chosen, before);
    if (chosen != old) moved_ = &parameter;
    explain(look, tr(parameter.label.c_str()));
  }
}

void TrialPanel::draw_accesses(const Look& look) {
  const std::string opens = tr("the costliest access");
  const std::string shown = access_ ? words_of(*access_) : opens;
  const float width = std::min(look.px(kAccessWidth), ImGui::GetContentRegionAvail().x);
  same_line_if_fits(look, width);
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("##access",
                        shortened(look, shown, {}, width - ImGui::GetFrameHeight() - look.px(12)).c_str(),
                        ImGuiComboFlags_HeightLarge)) {
    if (list_entry(labelled(opens, "opening").c_str(), !access_)) access_.reset();
    for (const SourceAccess& access : accesses_) {
      if (list_entry(words_of(access).c_str(), access_ == access)) access_ = access;
    }
    ImGui::EndCombo();
    if (drawn_) selection_ = at_access(*drawn_, access_);
  }
  explain(look,
          tr("The access that is drawn: of the warp that the recording opens at, where it costs most."));
}

std::string TrialPanel::draw(const Frame& frame) {
  take(frame);
  const Look& look = frame.look;
  if (refusal_) {
    write_wrapped(look, refusal_->message(), {.colour = look.palette->costly});
    return kernel_->id;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const std::vector<Timed> timed = timed_over_moved(frame.model.gpu);
  const float line = ImGui::GetFrameHeightWithSpacing(),
              bars = look.px(kBarHeight) * static_cast<float>(timed.size());
  const float times = std::min(line + bars, std::max(line, room.y * kMostOfTimes));
  const float picture = room.y - times - ImGui::GetStyle().ItemSpacing.y;
  if (picture >= look.px(kLeastPicture)) {
    draw_picture(frame, {room.x, picture});
    draw_times(frame);
    draw_bars(look, timed);
  } else {
    draw_picture(frame, room);
  }
  ask_gpu(frame);
  return drawn_ ? drawn_in_words() : kernel_->id;
}

/// Returns the words for the recording that is drawn, which is that of the sliders a moment later.
std::string TrialPanel::drawn_in_words() const {
  gpu::RunRequest launch;
  launch.kernel = drawn_->recording->kernel;
  launch.parameters = drawn_->recording->parameters;
  const auto event = current_event(*drawn_->recording, selection_);
  if (!event) return name_of(launch);
  const picture::Moment moment = moment_of(*drawn_, selection_);
  return tr("{launch} · line {line} · {access}", "launch"_a = name_of(launch),
            "line"_a = moment.site_of(*event).line, "access"_a = picture::access_name(moment, *event));
}

void TrialPanel::amend(viz::ExportRequest& request) const {
  request.subject = drawn_ ? subject_of(*drawn_, selection_) : viz::Subject{};
  request.subject_owner = drawn_;
}

/// What was recorded meanwhile. The picture before stays until then: one drags a slider, and nothing
/// flickers.
void TrialPanel::take(const Frame& frame) {
  recorder_.follow(trial_, frame.wake);
  std::optional<Result<std::shared_ptr<const Loaded>>> outcome = recorder_.take();
  if (!outcome) return;
  refusal_ = outcome->ok() ? std::nullopt : std::optional(outcome->error());
  if (!outcome->ok()) return;
  drawn_ = **std::move(outcome);
  accesses_ = source_accesses(*drawn_->recording);
  selection_ = at_access(*drawn_, access_);
  picture_.forget();
}

void TrialPanel::draw_picture(const Frame& frame, ImVec2 room) {
  const ImVec2 size{std::floor(room.x), std::floor(room.y)}, at = ImGui::GetCursorScreenPos();
  ImGui::BeginChild("picture", size, 0, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (drawn_) {
    Hover hover;
    const Frame own = frame.with(drawn_, selection_, hovered_, hover, no_block_);
    static_cast<void>(picture_.update(own, {size.x, size.y}));
    picture_.show(own, at);
    hovered_ = hover;
  } else {
    write(frame.look, tr("replaying one block ..."), {.colour = frame.look.palette->muted});
  }
  ImGui::EndChild();
}

std::vector<TrialPanel::Timed> TrialPanel::timed_over_moved(const GpuModel& gpu) const {
  std::vector<Timed> found;
  for (const std::int64_t value : moved_->values) {
    const KernelTrial other = with_value(trial_, moved_->name, value);
    if (const gpu::RunResult* const run = run_of(other, gpu.trials))
      found.push_back({.value = value, .run = run, .is_drawn = other == trial_});
  }
  return found;
}

void TrialPanel::draw_times(const Frame& frame) {
  const Look& look = frame.look;
  const GpuModel& gpu = frame.model.gpu;
  const TextStyle muted{.colour = look.palette->muted};
  if (!gpu.usable()) {
    const std::string why = tr("Not timed. {reason}", "reason"_a = gpu.unusable());
    write(look, shortened(look, why, muted, ImGui::GetContentRegionAvail().x), muted);
    return explain(look, why);
  }
  if (ImGui::Checkbox(labelled(tr("Time it"), "time").c_str(), &times_))
    asked_.clear();  // What failed, or was cancelled, is tried again
  explain(look, tr("The whole launch, on {gpu}, again and again: the median.", "gpu"_a = gpu.name()));
  const std::string sweep = tr("every {parameter}", "parameter"_a = moved_->name);
  same_line_if_fits(look, button_width(look, sweep), 12);
  ImGui::BeginDisabled(!times_ || swept_ == moved_);
  if (ImGui::Button(labelled(sweep, "every").c_str())) swept_ = moved_;
  ImGui::EndDisabled();
  explain(look, tr("Times the launch with each value of the parameter that was moved last."));
  ImGui::SameLine(0, look.px(12));
  ImGui::AlignTextToFramePadding();
  if (const gpu::RunResult* const run = run_of(trial_, gpu.trials)) {
    const Rate rate = rate_of(*run);
    write(look, fmt::format("{} {}", rate_in_words(rate.value), rate.unit),
          {.colour = look.palette->text, .size = 17, .font = picture::Font::sans_bold});
    ImGui::SameLine(0, look.px(8));
    const std::string words = formatted("{:.4g} ms · {}", run->times.median_ms, run->device);
    write(look, shortened(look, words, muted, ImGui::GetContentRegionAvail().x), muted);
  } else if (times_) {
    const bool asked = std::ranges::find(asked_, trial_) != asked_.end();
    const std::string state = !gpu.busy_with.empty() ? gpu.busy_with
                              : asked                ? tr("not timed: tick again to retry")
                                                     : tr("launching ...");
    write(look, shortened(look, state, muted, ImGui::GetContentRegionAvail().x), muted);
  }
}

void TrialPanel::draw_bars(const Look& look, const std::vector<Timed>& timed) const {
  const picture::Palette& palette = *look.palette;
  std::vector<RateBar> bars;
  for (const auto& [value, run, is_drawn] : timed) {
    const Rate rate = rate_of(*run);
    bars.push_back({.name = fmt::format("{} = {}", moved_->name, value),
                    .value = rate.value,
                    .colour = !run->verified ? palette.costly
                              : is_drawn     ? palette.accent
                                             : mixed(palette.accent, palette.muted, 0.7f),
                    .explanation = formatted("{} {}, {:.4g} ms", rate_in_words(rate.value), rate.unit,
                                             run->times.median_ms)});
  }
  if (ImGui::BeginChild("times")) draw_rate_bars(look, bars);
  end_child(look);
}

/// Once nobody moves a slider any more: what is drawn, then the other values of its parameter, if they are
/// wanted.
void TrialPanel::ask_gpu(const Frame& frame) {
  const GpuModel& gpu = frame.model.gpu;
  if (!times_ || !gpu.usable() || !gpu.busy_with.empty() || ImGui::IsAnyItemActive()) return;
  if (ask_gpu_for(trial_, frame) || swept_ != moved_) return;
  for (const std::int64_t value : moved_->values) {
    if (ask_gpu_for(with_value(trial_, moved_->name, value), frame)) return;
  }
  swept_ = nullptr;
}

bool TrialPanel::ask_gpu_for(const KernelTrial& trial, const Frame& frame) {
  if (run_of(trial, frame.model.gpu.trials) != nullptr || std::ranges::find(asked_, trial) != asked_.end())
    return false;
  asked_.push_back(trial);
  const Result<LaunchRequest> launch = launch_of(trial);
  const Result<gpu::RunRequest> run = launch.ok() ? run_request_of(*launch) : launch.error();
  if (!run.ok()) return false;  // Such a value cannot be launched
  frame.wishes.trial = *run;
  if (frame.wake) frame.wake();
  return true;
}

}  // namespace warplens::app
