#include "app/views/launch_row.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "kernels/replay/replay.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::app {
namespace {

constexpr float kGap = 10;
constexpr float kLabelSize = 11;
constexpr float kStatusWidth = 330;

std::string name_of_type(const std::string& type) {
  if (type == "f32") return "float";
  if (type == "f64") return "double";
  if (type == "i32") return "int";
  return type;
}

std::string name_of_rules(const analysis::DeviceModel& model) {
  return fmt::format("{} {}", model.cc.name(), model.architecture);
}

/// Lays the fields out from left to right, and on to the next line where the window ends.
class Row {
 public:
  Row(const Look& look, float right)
      : look_(look), right_(right), line_top_(ImGui::GetCursorScreenPos().y), x_(ImGui::GetCursorScreenPos().x), left_(x_) {}

  /// Room for a field of a width at scale 1; a label stands above it. The field itself follows, `width` pixels wide.
  void begin_field(const char* label, float width) {
    place(look_.px(width));
    ImGui::BeginGroup();
    write(look_, label, {.colour = look_.palette->muted, .size = kLabelSize});
    ImGui::SetCursorScreenPos({x_, line_top_ + look_.px(kLabelSize + 4)});
    ImGui::SetNextItemWidth(look_.px(width));
    ImGui::PushID(label);
  }
  void end_field(float width) {
    ImGui::PopID();
    ImGui::EndGroup();
    x_ += look_.px(width + kGap);
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
  void advance(float width) { x_ += width + look_.px(kGap); }
  [[nodiscard]] float x() const { return x_; }
  [[nodiscard]] float height() const { return look_.px(kLabelSize + 4) + ImGui::GetFrameHeight() + look_.px(6); }
  [[nodiscard]] float bottom() const { return line_top_ + height(); }
  [[nodiscard]] float control_top() const { return line_top_ + look_.px(kLabelSize + 4); }

 private:
  const Look& look_;
  float right_, line_top_, x_, left_;
};

void size_field(Row& row, const Look& look, const char* name, const char* meaning, std::uint64_t& value) {
  constexpr float kWidth = 64;
  row.begin_field(name, kWidth);
  ImGui::InputScalar("##value", ImGuiDataType_U64, &value);
  explain(look, meaning);
  row.end_field(kWidth);
}

std::int64_t& parameter_in(LaunchState& state, const ParameterInfo& info) {
  const auto found = std::ranges::find(state.parameters, info.name, &NamedValue::name);
  return found != state.parameters.end() ? found->value : state.parameters.emplace_back(NamedValue{info.name, info.default_value}).value;
}

void kernel_field(Row& row, const Look& look, const KernelDescriptor* kernel, LaunchState& state) {
  constexpr float kWidth = 176;
  row.begin_field("Kernel", kWidth);
  if (ImGui::BeginCombo("##value", state.kernel.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const KernelDescriptor& candidate : catalog().kernels()) {
      if (ImGui::Selectable(candidate.id.c_str(), candidate.id == state.kernel)) {
        state.kernel = candidate.id;
        state.parameters.clear();
      }
      explain(look, candidate.shows);
    }
    ImGui::EndCombo();
  }
  if (kernel != nullptr) explain(look, kernel->shows);
  row.end_field(kWidth);
}

void parameter_fields(Row& row, const KernelDescriptor& kernel, LaunchState& state) {
  for (const ParameterInfo& info : kernel.parameters) {
    constexpr float kWidth = 84;
    std::int64_t& value = parameter_in(state, info);
    row.begin_field(info.label.c_str(), kWidth);
    if (ImGui::BeginCombo("##value", std::to_string(value).c_str())) {
      for (const std::int64_t allowed : info.values) {
        if (ImGui::Selectable(std::to_string(allowed).c_str(), allowed == value)) value = allowed;
      }
      ImGui::EndCombo();
    }
    row.end_field(kWidth);
  }
}

void type_field(Row& row, const KernelDescriptor& kernel, LaunchState& state) {
  constexpr float kWidth = 78;
  row.begin_field("Values", kWidth);
  if (ImGui::BeginCombo("##value", name_of_type(state.value_type).c_str())) {
    for (const std::string& type : kernel.value_types) {
      if (ImGui::Selectable(name_of_type(type).c_str(), type == state.value_type)) state.value_type = type;
    }
    ImGui::EndCombo();
  }
  row.end_field(kWidth);
}

void rules_field(Row& row, const Look& look, LaunchState& state) {
  constexpr float kWidth = 132;
  row.begin_field("Memory rules", kWidth);
  const auto& models = analysis::device_models();
  const auto current = std::ranges::find(models, state.cc, &analysis::DeviceModel::cc);
  if (ImGui::BeginCombo("##value", current == models.end() ? state.cc.name().c_str() : name_of_rules(*current).c_str(),
                        ImGuiComboFlags_HeightLarge)) {
    for (const analysis::DeviceModel& model : models) {
      if (ImGui::Selectable(name_of_rules(model).c_str(), model.cc == state.cc)) state.cc = model.cc;
      explain(look, model.note);
    }
    ImGui::EndCombo();
  }
  explain(look, "The compute capability whose rules judge the accesses. A change judges the recording anew, at once.");
  row.end_field(kWidth);
}

void engine_field(Row& row, const Look& look, const DriverCheck* driver) {
  constexpr float kWidth = 118;
  row.begin_field("Runs on", kWidth);
  if (ImGui::BeginCombo("##value", "CPU replay")) {
    ImGui::Selectable("CPU replay", true);
    explain(look, fmt::format("The kernel's PTX, replayed warp by warp on {} cores with {}", std::thread::hardware_concurrency(),
                              replay::instruction_set()));
    ImGui::BeginDisabled();
    ImGui::Selectable("GPU");
    ImGui::EndDisabled();
    const std::string missing = driver == nullptr          ? "Looking for the NVIDIA driver ..."
                                : !driver->missing.empty() ? driver->missing + ". " + driver->advice
                                                           : "A GPU is there; this version replays on the CPU only.";
    write(look, shortened(look, missing, {.colour = look.palette->muted, .size = kLabelSize}, look.px(300)),
          {.colour = look.palette->muted, .size = kLabelSize});
    explain(look, missing);
    ImGui::EndCombo();
  }
  row.end_field(kWidth);
}

void blocks_field(Row& row, const Look& look, LaunchState& state) {
  constexpr float kWidth = 130;
  row.begin_field("Blocks", kWidth);
  if (ImGui::BeginCombo("##value", name_of(state.blocks))) {
    for (const BlocksMenu choice : kBlocksMenu) {
      if (ImGui::Selectable(name_of(choice), choice == state.blocks)) state.blocks = choice;
    }
    ImGui::EndCombo();
  }
  explain(look, "Which blocks of the grid are replayed, and of which every access is kept to be drawn. Large grids are quicker with fewer.");
  row.end_field(kWidth);
  if (state.blocks != BlocksMenu::chosen) return;
  constexpr float kTextWidth = 110;
  row.begin_field("X,Y;X,Y ...", kTextWidth);
  ImGui::InputText("##value", &state.chosen_blocks);
  row.end_field(kTextWidth);
}

bool record_button(Row& row, const Look& look, bool busy) {
  const float width = look.px(80);
  row.place(width);
  ImGui::SetCursorScreenPos({row.x(), row.control_top()});
  const picture::Colour colour = look.palette->accent;
  ImGui::PushStyleColor(ImGuiCol_Button, packed(colour));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, packed(mixed(colour, look.palette->text, 0.2f)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, packed(mixed(colour, look.palette->background, 0.2f)));
  ImGui::PushStyleColor(ImGuiCol_Text, packed(picture::readable_on(colour)));
  ImGui::PushFont(look.fonts.sans_bold, kBaseTextSize);
  ImGui::BeginDisabled(busy);
  const bool pressed = ImGui::Button("Record", {width, 0});
  ImGui::EndDisabled();
  ImGui::PopFont();
  ImGui::PopStyleColor(4);
  explain(look, "Replays the kernel and records every access (F5)");
  row.advance(width);
  return pressed;
}

std::string blocks_in_words(const Recording& recording) {
  return fmt::format("{} of {} blocks", picture::with_thousands(recording.blocks_replayed), picture::with_thousands(recording.blocks_total));
}

std::string counts_in_words(const Recording& recording) {
  const double milliseconds = recording.seconds * 1e3;
  const std::string time = milliseconds >= 1e4  ? fmt::format("{:.1f} s", recording.seconds)
                           : milliseconds >= 10 ? fmt::format("{:.0f} ms", milliseconds)
                                                : fmt::format("{:.1f} ms", milliseconds);
  return fmt::format("{} · {} warp instructions · {}", blocks_in_words(recording), picture::with_thousands(recording.warp_instructions), time);
}

struct Verdict {
  std::string words, in_short;
  picture::Colour colour;
};
Verdict verdict(const Recording& recording, const picture::Palette& palette) {
  if (!recording.findings.empty()) {
    const Finding& first = recording.findings.front();
    const std::size_t count = recording.findings.size();
    const std::string more = count == 1 ? std::string() : fmt::format(", and {} more findings", count - 1);
    return {fmt::format("{} in line {}{}", name_of(first.kind), first.line, more), fmt::format("{} findings", count), palette.costly};
  }
  if (!recording.verified) return {"no reference to compare with", "no reference", palette.muted};
  if (!*recording.verified) return {"wrong: C differs from the reference", "C is wrong", palette.costly};
  const bool whole = recording.blocks_replayed == recording.blocks_total;
  return {whole ? "verified: C equals the reference" : "verified: the replayed part of C equals the reference", "verified", palette.good};
}

/// Two lines, right-aligned in what is left of the row; in few words where little is left, on a line of their own where nothing is.
void draw_verdict(Row& row, const Look& look, const Recording& recording, float right) {
  const Verdict made = verdict(recording, *look.palette);
  const TextStyle coloured{.colour = made.colour, .size = 12}, muted{.colour = look.palette->muted, .size = 12};
  std::string words = made.words, counts = counts_in_words(recording);
  const auto widest = [&] { return std::max(width_of(look, words, coloured), width_of(look, counts, muted)); };
  const std::string full = words + "\n" + counts;
  if (row.x() + widest() > right) {
    words = made.in_short;
    counts = blocks_in_words(recording);
  }
  const float top = row.place(widest()).y + look.px(5);
  ImGui::SetCursorScreenPos({right - width_of(look, words, coloured), top});
  write(look, words, coloured);
  explain(look, full);
  ImGui::SetCursorScreenPos({right - width_of(look, counts, muted), top + look.px(19)});
  write(look, counts, muted);
  explain(look, full);
}

bool draw_progress(Row& row, const Look& look, const LaunchStatus& status, float right) {
  const float width = look.px(kStatusWidth);
  const ImVec2 at = row.place(width);
  const float left = std::max(at.x, right - width), button = look.px(70);
  const std::string words = status.total == 0 ? status.busy_with
                                              : fmt::format("{}: {} of {} blocks", status.busy_with, picture::with_thousands(status.done),
                                                            picture::with_thousands(status.total));
  ImGui::SetCursorScreenPos({left, at.y + look.px(2)});
  write(look, shortened(look, words, {.size = 12}, right - left - button - look.px(kGap)), {.colour = look.palette->text, .size = 12});
  ImGui::SetCursorScreenPos({left, row.control_top() + look.px(8)});
  const float fraction = status.total == 0 ? 0.0f : static_cast<float>(status.done) / static_cast<float>(status.total);
  ImGui::ProgressBar(fraction, {right - left - button - look.px(kGap), look.px(8)}, "");
  ImGui::SetCursorScreenPos({right - button, row.control_top()});
  return ImGui::Button("Cancel", {button, 0});
}

}  // namespace

const char* name_of(BlocksMenu choice) {
  switch (choice) {
    case BlocksMenu::all: return "All";
    case BlocksMenu::all_draw_one: return "All, draw one";
    case BlocksMenu::centre_only: return "Centre only";
    case BlocksMenu::chosen: break;
  }
  return "Chosen";
}

Result<RecordRequest> request_of(const LaunchState& state) {
  const auto kernel = find_kernel(state.kernel);
  if (!kernel) return kernel.error();
  const auto problem = make_problem(**kernel, state.m, state.p, state.n, state.parameters, state.value_type);
  if (!problem) return problem.error();

  RecordRequest request{.kernel = state.kernel,
                        .m = state.m,
                        .p = state.p,
                        .n = state.n,
                        .parameters = problem->parameters,
                        .value_type = state.value_type,
                        .event_blocks = BlockChoice{},
                        .cc = state.cc};
  const Dim3 grid = (*kernel)->plan(*problem).grid;
  const BlockChoice centre{.all = false, .blocks = {{grid.x / 2, grid.y / 2, grid.z / 2}}};
  if (state.blocks == BlocksMenu::all_draw_one) request.event_blocks = centre;
  if (state.blocks == BlocksMenu::centre_only) request.replay_blocks = centre;
  if (state.blocks == BlocksMenu::chosen) {
    auto blocks = parse_blocks(state.chosen_blocks);
    if (!blocks) return blocks.error();
    request.replay_blocks = *std::move(blocks);
  }
  return request;
}

void follow(LaunchState& state, const Recording& recording) {
  const KernelDescriptor* kernel = catalog().find(recording.kernel);
  if (kernel == nullptr || recording.m == 0) return;
  state.kernel = kernel->id;
  state.m = recording.m;
  state.p = recording.p;
  state.n = recording.n;
  state.parameters = recording.parameters;
  state.value_type = recording.value_type;
}

LaunchActions draw_launch_row(const Model& model, const Look& look, const LaunchStatus& status, LaunchState& state, float right) {
  LaunchActions actions;
  ImGui::PushID("Launch");
  Row row(look, right);
  const KernelDescriptor* kernel = catalog().find(state.kernel);
  kernel_field(row, look, kernel, state);
  size_field(row, look, "m", "Rows of A and of C", state.m);
  size_field(row, look, "p", "Columns of A, rows of B", state.p);
  size_field(row, look, "n", "Columns of B and of C", state.n);
  if (kernel = catalog().find(state.kernel); kernel != nullptr) {
    parameter_fields(row, *kernel, state);
    type_field(row, *kernel, state);
  }
  rules_field(row, look, state);
  engine_field(row, look, status.driver);
  blocks_field(row, look, state);
  actions.record = record_button(row, look, !status.busy_with.empty());

  if (!status.busy_with.empty()) {
    actions.cancel = draw_progress(row, look, status, right);
  } else if (model.loaded) {
    draw_verdict(row, look, model.loaded->recording, right);
  }
  ImGui::SetCursorScreenPos({right, row.bottom()});
  ImGui::Dummy({0, 0});
  ImGui::PopID();
  return actions;
}

}  // namespace warplens::app
