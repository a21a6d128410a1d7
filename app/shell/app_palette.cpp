// What the palette and the list of keys offer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "app/session/navigation.h"
#include "app/shell/app.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

bool is_word(const std::string& typed, const char* english, const char* spoken) {
  return typed == english || typed == spoken;
}

/// What the editor of sources does by itself.
std::vector<Command> editor_keys() {
  const auto key = [](const char* name, ImGuiKeyChord chord) {
    return Command{.id = name, .name = name, .key = chord};
  };
  return {key(tr("Undo"), ImGuiMod_Ctrl | ImGuiKey_Z), key(tr("Redo"), ImGuiMod_Ctrl | ImGuiKey_Y),
          key(tr("Find"), ImGuiMod_Ctrl | ImGuiKey_F), key(tr("Leave the editor's text"), ImGuiKey_Escape)};
}

}  // namespace

std::vector<Command> App::commands_with_keys() const {
  std::vector<Command> all = lesson_ ? lesson_->commands() : std::vector<Command>();
  const bool typing = editing_.source().focused && !has_audience();
  if (typing) all = editor_keys();
  for (const Command& command : commands_) {
    const bool works =
        lesson_ ? command.in_lessons
                : (!command.key_works || command.key_works()) && (!typing || passes_text_fields(command.key));
    if (works) all.push_back(command);
  }
  std::erase_if(all, [](const Command& command) { return command.key == 0; });
  // Those of what one is doing come first.
  std::stable_partition(all.begin(), all.end(), [](const Command& command) {
    return command.key_works != nullptr || command.menu == nullptr;
  });
  return all;
}

std::vector<Command> App::palette_commands() {
  if (lesson_) {
    std::vector<Command> of_lesson = lesson_->commands();
    std::ranges::copy_if(commands_, std::back_inserter(of_lesson), &Command::in_lessons);
    return of_lesson;
  }
  std::vector<Command> all = commands_;
  const auto add = [&](std::string id, std::string name, std::function<void()> run) {
    all.push_back({.id = std::move(id), .name = std::move(name), .run = std::move(run)});
  };
  for (const std::filesystem::path& path : settings_.recent) {
    add("open." + path.string(), tr("Open {file}", "file"_a = escaped(path.string())),
        [this, path] { recordings_.open(path); });
  }
  for (const BlocksMenu blocks : kBlocksMenu) {
    if (blocks == BlocksMenu::chosen) continue;
    const char* const name = name_of(blocks);
    add(fmt::format("blocks.{}", static_cast<int>(blocks)), tr("Blocks: {choice}", "choice"_a = name),
        [this, blocks] { menus_.blocks = blocks; });
  }
  add("engine.cpu", tr("Runs on: {engine}", "engine"_a = tr("CPU replay")),
      [this] { menus_.launch.engine = Engine::cpu; });
  if (model_.gpu.usable()) {
    add("engine.gpu", tr("Runs on: {engine}", "engine"_a = model_.gpu.name()),
        [this] { menus_.launch.engine = Engine::gpu; });
  }
  for (const KernelDescriptor& one : catalog().kernels()) {
    for (const ParameterInfo& parameter : one.parameters) {
      for (const std::int64_t value : parameter.values) {
        add(fmt::format("record.{}.{}.{}", one.id, parameter.name, value),
            tr("Record {kernel} with {parameter} = {value}", "kernel"_a = one.id,
               "parameter"_a = parameter.name, "value"_a = value),
            [this, &one, name = parameter.name, value] {
              choose_kernel(menus_, one);
              menus_.launch.set(name, value);
            });
      }
    }
  }
  const auto kernel = gpu::find_launchable(menus_.kernel());
  if (!kernel) return all;
  constexpr std::int64_t kSizes[] = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  for (const std::int64_t size : kSizes)
    add(fmt::format("size.{}", size), tr("Size {n}", "n"_a = size), [this, size] { set_size(size); });
  for (const ParameterInfo& parameter : (*kernel)->parameters) {
    for (const std::int64_t value : parameter.values) {
      add(fmt::format("parameter.{}.{}", parameter.name, value),
          fmt::format("{} = {}", parameter.name, value),
          [this, name = parameter.name, value] { menus_.launch.set(name, value); });
    }
  }
  for (const std::string& type : (*kernel)->value_types) {
    add("values." + type, tr("Values: {type}", "type"_a = type),
        [this, type] { menus_.launch.value_type = type; });
  }
  return all;
}

std::vector<Command> App::typed_commands(const std::string& typed) {
  std::vector<Command> said;
  const auto add = [&](std::string name, std::function<void()> run) {
    said.push_back(
        {.id = fmt::format("typed.{}", said.size()), .name = std::move(name), .run = std::move(run)});
  };
  const std::size_t space = typed.find(' ');
  if (lesson_ || space == std::string::npos) return said;
  const std::string word = typed.substr(0, space);
  const Result<BlockChoice> numbers = parse_blocks(typed.substr(space + 1));
  if (!numbers.ok() || numbers->all || numbers->blocks.size() != 1) return said;
  const Dim3 first = numbers->blocks.front();
  const bool has_size =
      menus_.launch.form ? !sizes_of_form().empty() : gpu::find_launchable(menus_.kernel()).ok();
  if (is_word(word, "size", tr("size")) && has_size && first.x > 0) {
    add(tr("Size {n}", "n"_a = first.x), [this, size = first.x] { set_size(size); });
  }
  if (!loaded()) return said;
  const Recording& recording = *loaded()->recording;
  const Dim3 grid = recording.grid;
  if (is_word(word, "block", tr("block")) && first.x < grid.x && first.y < grid.y && first.z < grid.z) {
    const std::string name = grid.z > 1 ? fmt::format("({}, {}, {})", first.x, first.y, first.z)
                                        : fmt::format("({}, {})", first.x, first.y);
    add(tr("Go to block {block}", "block"_a = name), [this, first] { navigation_.go_to_block(first); });
  }
  if (is_word(word, "warp", tr("warp")) && first.x < recording.warps_per_block()) {
    add(tr("Go to warp {warp}", "warp"_a = first.x),
        [this, warp = first.x] { navigation_.go_to_warp(warp); });
  }
  return said;
}

/// Returns the fields that are sizes of matrices by their names.
std::vector<FormField*> App::sizes_of_form() {
  constexpr std::array<std::string_view, 11> kSizes{"m", "p", "n",    "k",     "M",     "P",
                                                    "N", "K", "size", "width", "height"};
  std::vector<FormField*> fields;
  for (FormField& field : menus_.launch.form->fields) {
    if (std::ranges::find(kSizes, field.name) != kSizes.end()) fields.push_back(&field);
  }
  return fields;
}

void App::set_size(std::int64_t size) {
  if (menus_.launch.form) {
    for (FormField* const field : sizes_of_form()) *field = {field->name, std::to_string(size), false};
    return;
  }
  const auto kernel = gpu::find_launchable(menus_.kernel());
  if (!kernel.ok()) return;
  for (const ExtentInfo& extent : (*kernel)->extents) {
    menus_.launch.set(std::string(1, extent.name),
                      std::clamp<std::int64_t>(size, 1, largest_in_window(**kernel, extent)));
  }
}

}  // namespace warplens::app
