#include "app/views/launch_row_fields.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/launch/missing_arguments.h"
#include "app/views/number_field.h"
#include "app/views/parameter_field.h"
#include "kernels/base/texts.h"
#include "kernels/replay/replay.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::app {
namespace {

std::string name_of_type(const std::string& type) {
  if (type == "f32") return "float";
  if (type == "f64") return "double";
  if (type == "i32") return "int";
  return type;
}

std::string name_of_rules(const analysis::DeviceModel& model) {
  return fmt::format("{} {}", model.cc.name(), model.architecture);
}

/// Wide enough for its number. True: it has been changed.
bool size_field(FieldRow& row, const Look& look, const char* id, const char* name, const char* meaning,
                std::int64_t& value, std::int64_t max) {
  const float number =
      width_of(look, std::to_string(value), {}) + 2 * ImGui::GetStyle().FramePadding.x + look.px(4);
  row.begin_field(id, name, std::max(look.px(58), std::ceil(number)));
  const std::int64_t before = value;
  number_field(look, "##value", value, 1, max);
  explain(look, fmt::format("{}: {}", meaning, tr("{least} to {most}", "least"_a = 1, "most"_a = max)));
  row.end_field();
  return value != before;
}

}  // namespace

const KernelDescriptor* launchable_kernel(const LaunchMenus& menus) {
  const auto kernel = gpu::find_launchable(menus.kernel());
  return kernel ? *kernel : nullptr;
}
namespace {

std::int64_t& value_in(LaunchRequest& launch, const std::string& name, std::int64_t default_value) {
  const auto found = std::ranges::find(launch.values, name, &NamedValue::name);
  return found != launch.values.end() ? found->value
                                      : launch.values.emplace_back(NamedValue{name, default_value}).value;
}

void kernel_choice(const Look& look, const KernelDescriptor& candidate, LaunchMenus& menus) {
  if (list_entry(candidate.id.c_str(), candidate.id == menus.kernel())) choose_kernel(menus, candidate);
  explain(look, tr(candidate.shows.c_str()));
}

void kernels_of_group(const Look& look, KernelGroup group, LaunchMenus& menus) {
  write(look, name_of(group), {.colour = look.palette->muted, .size = kFieldLabelSize});
  for (const KernelDescriptor& candidate : catalog().kernels()) {
    if (candidate.group == group) kernel_choice(look, candidate, menus);
  }
}

/// The launches of a kernel that host code makes in several ways; nullopt: none was chosen.
std::optional<std::size_t> launches_of_entry(const FileEntry& entry) {
  std::optional<std::size_t> chosen;
  if (entry.launches.size() < 2) return chosen;
  ImGui::Indent();
  for (std::size_t i = 0; i < entry.launches.size(); ++i) {
    const FileLaunch& launch = entry.launches[i];
    const std::string words = tr("line {line}: grid {grid}, block {block}", "line"_a = launch.line,
                                 "grid"_a = launch.grid, "block"_a = launch.block);
    if (list_entry(labelled(words, fmt::format("{}#{}", entry.name, i)).c_str(), false)) chosen = i;
  }
  ImGui::Unindent();
  return chosen;
}

/// Draws the entries of the file that is open, under its name.
ChosenLaunch kernels_of_file(const Look& look, const KernelFile& file, const LaunchMenus& menus) {
  ChosenLaunch chosen;
  const FileKernel* const current = menus.launch.file_kernel();
  write(look, file.file.filename().string(), {.colour = look.palette->muted, .size = kFieldLabelSize});
  for (const FileEntry& entry : file.kernels) {
    const bool is_current = current != nullptr && menus.launch.form && file.find(current->entry) == &entry;
    if (list_entry(labelled(entry.plain_name, entry.name).c_str(), is_current) && !is_current)
      chosen = {&entry, 0};
    if (!entry.launch.empty()) explain(look, entry.launch);
    if (const std::optional<std::size_t> launch = launches_of_entry(entry)) chosen = {&entry, *launch};
  }
  for (const FileTemplate& one : file.templates) {
    write(look, fmt::format("{}<{}>", one.name, one.arguments), {.colour = look.palette->muted});
    explain(
        look,
        tr("A template: the source must name an instance, such as: template __global__ void {name}<16>(...);",
           "name"_a = one.name));
  }
  ImGui::Separator();
  return chosen;
}

}  // namespace

ChosenLaunch kernel_field(FieldRow& row, const Look& look, const GpuModel& gpu,
                          const KernelDescriptor* kernel, const KernelFile* file, LaunchMenus& menus) {
  ChosenLaunch chosen;
  const std::string name = name_of(menus.launch);
  const float width = row.begin_field("kernel", tr("Kernel"), look.px(160));
  const std::string shown = shortened(look, name, {}, width - ImGui::GetFrameHeight() - look.px(8));
  if (ImGui::BeginCombo("##value", shown.c_str(), ImGuiComboFlags_HeightLargest)) {
    if (file != nullptr) chosen = kernels_of_file(look, *file, menus);
    kernels_of_group(look, KernelGroup::ladder, menus);
    if (gpu.usable()) kernel_choice(look, gpu::cublas_descriptor(), menus);
    ImGui::Separator();
    kernels_of_group(look, KernelGroup::demonstrator, menus);
    ImGui::EndCombo();
  }
  if (kernel != nullptr) explain(look, tr(kernel->shows.c_str()));
  if (menus.launch.file_kernel() != nullptr && !menus.launch.form) {
    explain(look, tr("{kernel}: a kernel of a file's, with the PTX and the arguments of its recording",
                     "kernel"_a = name_of(menus.launch)));
  }
  row.end_field();
  return chosen;
}
namespace {

/// A field of a launch as it is written. What was guessed is grey until it is touched.
/// `hint`: what stands in the field where it may be empty.
void form_field(FieldRow& row, const Look& look, FormField& field, const char* label,
                const std::string& meaning, float most, const char* hint = "") {
  const float text = width_of(look, field.text, {}) + 2 * ImGui::GetStyle().FramePadding.x + look.px(6);
  row.begin_field(field.name.c_str(), label, std::clamp(std::ceil(text), look.px(48), look.px(most)));
  const bool is_guess = field.guessed || field.has_guessed_contents;
  ImGui::PushStyleColor(ImGuiCol_Text, packed(is_guess ? look.palette->muted : look.palette->text));
  std::string written = field.text;
  if (ImGui::InputTextWithHint("##value", hint, &written) && written != field.text) {
    field.text = written;
    field.guessed = field.has_guessed_contents = field.of_comment = false;
  }
  ImGui::PopStyleColor();
  explain(look, is_guess ? meaning + "\n" + tr("This is a guess.") : meaning);
  row.end_field();
}

/// An argument that nobody wrote and that could not be guessed: it is one of the form's once something is
/// typed.
void missing_field(FieldRow& row, const Look& look, LaunchForm& form, const std::string& name,
                   const std::string& meaning, bool focus) {
  row.begin_field(name.c_str(), name.c_str(), look.px(120));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, packed(mixed(look.palette->header, look.palette->costly, 0.25f)));
  if (focus) ImGui::SetKeyboardFocusHere();
  std::string written;
  if (ImGui::InputTextWithHint("##value", "f32[n]", &written, ImGuiInputTextFlags_EnterReturnsTrue) ||
      (ImGui::IsItemDeactivated() && !written.empty())) {
    form.set(name, written);
  }
  ImGui::PopStyleColor();
  explain(look, meaning);
  row.end_field();
}

}  // namespace

void form_fields(FieldRow& row, const Look& look, LaunchForm& form, const FileEntry* entry, bool is_cuda,
                 bool focus_missing) {
  constexpr float kMostExtent = 150, kMostArgument = 190;
  const auto parameter_of = [&](const std::string& name) -> const KernelParameter* {
    if (entry == nullptr) return nullptr;
    const auto found = std::ranges::find(entry->parameters, name, &KernelParameter::name);
    return found == entry->parameters.end() ? nullptr : &*found;
  };
  const auto is_buffer = [](const FormField& field) {
    return field.text.find_first_of(":[&") != std::string::npos || field.text == "null";
  };
  for (FormField& field : form.fields) {
    if (!is_buffer(field))
      form_field(row, look, field, field.name.c_str(), tr("A number, or an expression of those before it"),
                 kMostExtent);
  }
  form_field(row, look, form.grid, tr("grid"),
             tr("Blocks, as X or X,Y or X,Y,Z: numbers, or expressions of the sizes"), kMostExtent);
  form_field(row, look, form.block, tr("block"), tr("Threads per block, as X or X,Y or X,Y,Z"), kMostExtent);
  if (!form.cluster.text.empty())
    form_field(row, look, form.cluster, tr("cluster"), tr("Blocks of a cluster, as X or X,Y or X,Y,Z"),
               kMostExtent);
  if (!form.shared.text.empty())
    form_field(row, look, form.shared, tr("shared"), tr("Dynamic shared memory per block, in bytes"),
               kMostExtent);
  if (is_cuda) {
    FormField options{"options", form.options};
    form_field(row, look, options, tr("options"),
               tr("Of the compiler: -DNAME=VALUE, -IFOLDER, -include HEADER, -std=c++20, -use_fast_math, "
                  "-maxrregcount=N"),
               kMostArgument, tr("none"));
    form.options = options.text;
  }
  const std::string of_buffers =
      tr("A buffer, as f32[ROWS][COLUMNS]:CONTENTS. Contents: zero, iota, ints, uniform, normal, identity, "
         "value:V, below:N, list:1,2, file=PATH") +
      std::string("\n") +
      tr("Rows for a pointer to pointers, f32*[ROWS][COLUMNS]; an address in another buffer, &A[64]");
  for (FormField& field : form.fields) {
    if (!is_buffer(field)) continue;
    const KernelParameter* const parameter = parameter_of(field.name);
    const std::string type =
        parameter == nullptr ? std::string() : parameter->written + " " + field.name + "\n";
    form_field(row, look, field, field.name.c_str(), type + of_buffers, kMostArgument);
  }
  if (entry == nullptr) return;
  for (const std::string& name : missing_arguments(form, *entry)) {
    const KernelParameter* const parameter = parameter_of(name);
    const std::string type = parameter == nullptr ? std::string() : parameter->written + " " + name + "\n";
    const std::string what =
        fmt::format("{}{}\n{}", type, tr("It could not be guessed: write it."), of_buffers);
    missing_field(row, look, form, name, what, std::exchange(focus_missing, false));
  }
}
namespace {

/// A button that switches between one field for the size of square matrices and one for each of m, p and n.
bool separate_sizes_button(FieldRow& row, const Look& look, bool separate) {
  constexpr const char* kNames = "m, p, n";
  const float width = std::ceil(button_width(look, kNames));
  row.place(width);
  ImGui::SetCursorScreenPos({row.x(), row.control_top()});
  ImGui::PushStyleColor(ImGuiCol_Text, packed(separate ? look.palette->text : look.palette->muted));
  const bool pressed = ImGui::Button(labelled(kNames, "separate_sizes").c_str(), {width, 0});
  ImGui::PopStyleColor();
  explain(look, separate ? tr("One size for square matrices: p and n become m")
                         : tr("A size each: A is m × p, B is p × n, C is m × n"));
  row.advance(width);
  return pressed;
}

}  // namespace

bool size_fields(FieldRow& row, const Look& look, const KernelDescriptor& kernel, LaunchMenus& menus,
                 bool separate) {
  const auto value_of = [&](const ExtentInfo& extent) -> std::int64_t& {
    return value_in(menus.launch, std::string(1, extent.name),
                    static_cast<std::int64_t>(extent.default_value));
  };
  const auto set_all = [&](std::int64_t size) {
    for (const ExtentInfo& extent : kernel.extents) value_of(extent) = size;
  };
  const bool can_be_square =
      std::ranges::find(kernel.extents, 'p', &ExtentInfo::name) != kernel.extents.end();  // A matrix product
  const bool square = can_be_square && std::ranges::all_of(kernel.extents, [&](const ExtentInfo& extent) {
                        return value_of(extent) == value_of(kernel.extents.front());
                      });
  if (square && !separate) {
    std::int64_t size = value_of(kernel.extents.front()),
                 max = largest_in_window(kernel, kernel.extents.front());
    for (const ExtentInfo& extent : kernel.extents) max = std::min(max, largest_in_window(kernel, extent));
    if (size_field(row, look, "size", tr("Size"), tr("Rows and columns of all matrices"), size, max))
      set_all(size);
    return separate_sizes_button(row, look, false);
  }
  bool changed = false;
  for (const ExtentInfo& extent : kernel.extents) {
    const std::string name(1, extent.name);
    changed |= size_field(row, look, name.c_str(), name.c_str(), tr(extent.label.c_str()), value_of(extent),
                          largest_in_window(kernel, extent));
  }
  if (!can_be_square) return separate;
  if (!separate_sizes_button(row, look, true)) return separate || changed;  // No field goes while one types
  set_all(value_of(kernel.extents.front()));
  return false;
}

void parameter_fields(FieldRow& row, const Look& look, const KernelDescriptor& kernel, LaunchMenus& menus) {
  for (const ParameterInfo& info : kernel.parameters) {
    row.begin_field(info.name.c_str(), tr(info.label.c_str()), look.px(84));
    parameter_field("##value", info, value_in(menus.launch, info.name, info.default_value));
    row.end_field();
  }
}

void type_field(FieldRow& row, const Look& look, const KernelDescriptor& kernel, LaunchMenus& menus) {
  // Translators: the label of a menu of types: float, double
  row.begin_field("values", tr("Values"), look.px(78));
  if (ImGui::BeginCombo("##value", name_of_type(menus.launch.value_type).c_str())) {
    for (const std::string& type : kernel.value_types) {
      if (list_entry(name_of_type(type).c_str(), type == menus.launch.value_type))
        menus.launch.value_type = type;
    }
    ImGui::EndCombo();
  }
  row.end_field();
}

void rules_field(FieldRow& row, const Look& look, LaunchMenus& menus) {
  row.begin_field("rules", tr("Memory rules"), look.px(120));
  const auto& models = analysis::device_models();
  const auto current = std::ranges::find(models, menus.launch.cc, &analysis::DeviceModel::cc);
  if (ImGui::BeginCombo(
          "##value",
          current == models.end() ? menus.launch.cc.name().c_str() : name_of_rules(*current).c_str(),
          ImGuiComboFlags_HeightLarge)) {
    for (const analysis::DeviceModel& model : models) {
      if (list_entry(name_of_rules(model).c_str(), model.cc == menus.launch.cc)) menus.launch.cc = model.cc;
      explain(look, tr(model.note));
    }
    ImGui::EndCombo();
  }
  explain(look,
          tr("The compute capability whose memory rules are used. A change recomputes the costs at once."));
  row.end_field();
}

void engine_field(FieldRow& row, const Look& look, const GpuModel& gpu, LaunchMenus& menus) {
  const char* const cpu = tr("CPU replay");
  const float width = row.begin_field("engine", tr("Runs on"), menu_width(look, cpu, 112));
  const std::string shown =
      menus.on_gpu() ? shortened(look, gpu.name(), {}, width - ImGui::GetFrameHeight() - look.px(8)) : cpu;
  if (ImGui::BeginCombo("##value", shown.c_str())) {
    if (list_entry(labelled(cpu, "cpu").c_str(), !menus.on_gpu())) menus.launch.engine = Engine::cpu;
    explain(look, tr_n(std::thread::hardware_concurrency(),
                       "The kernel's PTX, replayed warp by warp on {n} core with {instruction_set}",
                       "The kernel's PTX, replayed warp by warp on {n} cores with {instruction_set}",
                       "instruction_set"_a = replay::instruction_set()));
    ImGui::BeginDisabled(!gpu.usable());
    const std::string name = gpu.usable() ? gpu.name() : tr("GPU");
    if (list_entry(labelled(name, "gpu").c_str(), menus.on_gpu())) menus.launch.engine = Engine::gpu;
    ImGui::EndDisabled();
    explain(look, gpu.usable()
                      ? tr("The kernel itself, with a recorder before each of its accesses to memory")
                      : gpu.unusable());
    if (!gpu.usable()) {
      const TextStyle muted{.colour = look.palette->muted, .size = kFieldLabelSize};
      write(look, shortened(look, gpu.unusable(), muted, look.px(300)), muted);
      explain(look, gpu.unusable());
    }
    ImGui::EndCombo();
  }
  row.end_field();
}
namespace {

/// Returns the identifier of a choice's entry in the menu.
const char* id_of(BlocksMenu choice) {
  switch (choice) {
    case BlocksMenu::all: return "all";
    case BlocksMenu::all_draw_one: return "all_draw_one";
    case BlocksMenu::centre_only: return "centre_only";
    case BlocksMenu::chosen: break;
  }
  return "chosen";
}

}  // namespace

void blocks_field(FieldRow& row, const Look& look, LaunchMenus& menus) {
  const std::string chosen = blocks_in_words(menus);
  row.begin_field("blocks", tr("Blocks"), menu_width(look, chosen, 114));
  if (ImGui::BeginCombo("##value", chosen.c_str())) {
    for (const BlocksMenu choice : kBlocksMenu) {
      if (list_entry(labelled(name_of(choice), id_of(choice)).c_str(), choice == menus.blocks))
        menus.blocks = choice;
    }
    ImGui::EndCombo();
  }
  explain(look, menus.on_gpu() ? tr("Of which blocks every access is kept to be drawn. All blocks are "
                                    "launched, and the totals are of the whole grid.")
                               : tr("Which blocks of the grid are replayed, and of which every access is "
                                    "kept to be drawn. Large grids are quicker with fewer."));
  row.end_field();
  if (menus.blocks != BlocksMenu::chosen) return;
  row.begin_field("chosen_blocks", "X,Y;X,Y ...", look.px(110));
  ImGui::InputText("##value", &menus.chosen_blocks);
  row.end_field();
}

}  // namespace warplens::app
