#include "app/session/launch_guess.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "app/session/expression.h"
#include "app/session/launch_support.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kReach = std::uint64_t{1} << 32;  ///< Bytes that every buffer has in the trial: addresses, not memory
constexpr std::uint64_t kMostTrialInstructions = 1u << 22;

/// What the kernel reads of its place in the launch.
struct Axes {
  std::array<bool, 3> thread{}, block{};
};

void look_at(const ptx::Operand& operand, Axes& axes) {
  const auto index = [&](ptx::SpecialRegister first) { return static_cast<int>(operand.special) - static_cast<int>(first); };
  if (operand.kind == ptx::Operand::Kind::special) {
    for (const auto& [first, seen] : {std::pair{ptx::SpecialRegister::tid_x, &axes.thread}, std::pair{ptx::SpecialRegister::ctaid_x, &axes.block}}) {
      if (index(first) >= 0 && index(first) < 3) (*seen)[static_cast<std::size_t>(index(first))] = true;
    }
  }
}

Axes axes_of(const ptx::Function& function) {
  Axes axes;
  for (const ptx::Instruction& instruction : function.instructions) {
    for (const ptx::Operand& operand : instruction.operands) look_at(operand, axes);
  }
  return axes;
}

bool is_integer(const KernelParameter& parameter) {
  return !parameter.is_pointer && (parameter.type.starts_with('i') || parameter.type.starts_with('u') || parameter.type.starts_with('s')) &&
         parameter.type.find('x') == std::string::npos;
}

void guess_scalars(LaunchForm& form, const FileEntry& entry) {
  std::vector<KernelParameter> scalars;
  for (const KernelParameter& parameter : entry.parameters) {
    scalars.push_back(parameter);
    if (form.find(parameter.name) != nullptr) continue;
    for (const ParameterField& field : parameter.fields) {
      scalars.push_back({.name = parameter.name + "." + field.name, .type = field.type, .bytes = field.bytes});
    }
  }
  for (const KernelParameter& parameter : scalars) {
    if (form.find(parameter.name) != nullptr || parameter.is_pointer || parameter.type.empty()) continue;
    if (is_integer(parameter)) {
      form.set(parameter.name, parameter.bytes >= 4 ? "256" : "1", true);
    } else if (parameter.type == "f32" || parameter.type == "f64" || parameter.type == "f16" || parameter.type == "bf16") {
      form.set(parameter.name, "1", true);
    } else if (parameter.type.find('x') != std::string::npos) {
      std::string ones = "1";
      for (int lanes = parameter.type.back() - '0'; lanes > 1; --lanes) ones += ",1";
      form.set(parameter.name, parameter.type + ":" + ones, true);
    }
  }
}

/// Integers that are sizes by their names, in the order of the parameters: the last counts columns, the first rows.
std::vector<std::string> sizes_of(const LaunchForm& form, const FileEntry& entry) {
  std::vector<std::string> sizes;
  const std::vector<NamedValue> values = values_of(form);
  for (const KernelParameter& parameter : entry.parameters) {
    const auto value = std::ranges::find(values, parameter.name, &NamedValue::name);
    if (is_integer(parameter) && value != values.end() && value->value > 1) sizes.push_back(parameter.name);
  }
  return sizes;
}

void guess_shape(LaunchForm& form, const FileEntry& entry, const ptx::Function& function) {
  constexpr std::uint32_t kUsualThreads = 256;
  const Axes axes = axes_of(function);
  const std::uint32_t most = function.max_threads == 0 ? kUsualThreads : std::min(function.max_threads, kUsualThreads);
  if (form.block.text.empty()) {
    std::uint32_t side = 1;
    while (4 * side * side <= most) side *= 2;
    form.set("block", axes.thread[1] ? fmt::format("{},{}", side, side) : std::to_string(most), true);
  }
  if (!form.grid.text.empty()) return;
  const std::vector<std::string> sizes = sizes_of(form, entry);
  const Result<Dim3> block = extent_of(form.block, values_of(form));
  if (sizes.empty() || !block.ok()) return form.set("grid", axes.block[1] ? "4,4" : "4", true);
  const auto covering = [](const std::string& size, std::uint32_t threads) { return fmt::format("({}+{})/{}", size, threads - 1, threads); };
  const std::string x = covering(axes.block[1] ? sizes.back() : sizes.front(), block->x);
  form.set("grid", axes.block[1] ? x + "," + covering(sizes.front(), block->y) : x, true);
}

std::vector<Dim3> corners_of(Dim3 grid) {
  std::vector<Dim3> corners;
  for (const std::uint32_t z : {0u, grid.z - 1}) {
    for (const std::uint32_t y : {0u, grid.y - 1}) {
      for (const std::uint32_t x : {0u, grid.x - 1}) {
        if (const Dim3 corner{x, y, z}; std::ranges::find(corners, corner) == corners.end()) corners.push_back(corner);
      }
    }
  }
  return corners;
}

/// How many bytes of each buffer the accesses of a recording reach.
std::vector<std::uint64_t> reached(const Recording& recording) {
  std::vector<std::uint64_t> bytes(recording.buffers.size(), 0);
  for (std::size_t event = 0; event < recording.events.size(); ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.space != Space::global) continue;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((recording.events.mask[event] >> lane & 1) == 0) continue;
      const std::uint64_t end = lane_address(recording, event, lane) + site.bytes;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const Buffer& buffer = recording.buffers[i];
        if (end > buffer.base && end <= buffer.base + buffer.bytes) bytes[i] = std::max(bytes[i], end - buffer.base);
      }
    }
  }
  return bytes;
}

std::string element_of(const KernelParameter& pointer) {
  const std::string element = pointer.written.empty() ? std::string("u8") : pointer.type;
  const std::size_t vector = element.find('x');  // A buffer of float4 is one of floats
  return element.empty() ? "u8" : element.substr(0, vector);
}

/// Runs the blocks at the corners on buffers without end.
std::optional<std::vector<std::uint64_t>> try_out(const LaunchForm& form, const FileEntry& entry, const ptx::Module& module,
                                                  replay::Progress* progress) {
  const std::vector<NamedValue> values = values_of(form);
  const Result<Dim3> grid = extent_of(form.grid, values), block = extent_of(form.block, values);
  const Result<std::uint32_t> shared = shared_bytes_of(form, values);
  const Result<replay::Program> program = replay::Program::decode(module, entry.name);
  if (!grid.ok() || !block.ok() || !shared.ok() || !program.ok()) return std::nullopt;
  replay::Launch launch{.grid = *grid, .block = *block, .dynamic_shared_bytes = *shared, .arguments = {}};
  replay::Memory memory;
  for (const KernelParameter& parameter : entry.parameters) {
    if (parameter.is_pointer) {
      launch.arguments.push_back(replay::BufferArgument{memory.reserve({.name = parameter.name, .type = ElementType::u8, .bytes = kReach})});
      continue;
    }
    const FormField* const field = form.find(parameter.name);
    if (field == nullptr && !parameter.fields.empty()) {
      const Result<ScalarSpec> fields = struct_of(form, parameter, values);
      if (!fields.ok()) return std::nullopt;
      launch.arguments.push_back(replay::ScalarArgument{fields->bytes});
      continue;
    }
    const Result<ArgumentSpec> argument = field == nullptr ? Result<ArgumentSpec>(Error{}) : parse_argument(field->text, {values, parameter.type});
    if (!argument.ok() || !std::holds_alternative<ScalarSpec>(*argument)) return std::nullopt;
    launch.arguments.push_back(replay::ScalarArgument{std::get<ScalarSpec>(*argument).bytes});
  }
  replay::Options options{.max_warp_instructions = kMostTrialInstructions, .progress = progress};
  options.replay_blocks = corners_of(*grid);
  options.event_blocks = *options.replay_blocks;
  const Result<Recording> recording = replay::run(*program, launch, memory, options);
  if (!recording.ok()) return std::nullopt;
  return reached(*recording);
}

/// "m*p" where that is how many there are, so that the buffer grows with the sizes; else the number.
std::string count_in_words(std::uint64_t count, const LaunchForm& form, const FileEntry& entry) {
  const std::vector<std::string> sizes = sizes_of(form, entry);
  const std::vector<NamedValue> values = values_of(form);
  const auto value_of = [&](const std::string& name) {
    return static_cast<std::uint64_t>(std::ranges::find(values, name, &NamedValue::name)->value);
  };
  for (const std::string& one : sizes) {
    if (value_of(one) == count) return one;
  }
  for (const std::string& one : sizes) {
    for (const std::string& other : sizes) {
      if ((one != other || sizes.size() == 1) && value_of(one) * value_of(other) == count) return fmt::format("{}][{}", one, other);
    }
  }
  return std::to_string(count);
}

void guess_buffers(LaunchForm& form, const FileEntry& entry, const ptx::Module& module, replay::Progress* progress) {
  const auto missing = [&](const KernelParameter& parameter) { return parameter.is_pointer && form.find(parameter.name) == nullptr; };
  if (std::ranges::none_of(entry.parameters, missing)) return;
  const auto bytes = try_out(form, entry, module, progress);
  if (!bytes) return;
  auto reach = bytes->begin();
  std::vector<std::pair<std::string, std::string>> guesses;
  for (const KernelParameter& parameter : entry.parameters) {
    if (!parameter.is_pointer) continue;
    const std::uint64_t extent = *reach++;
    if (!missing(parameter)) continue;
    const std::string element = element_of(parameter);
    const auto each = static_cast<std::uint64_t>(size_of(parse_element_type(element).value_or(ElementType::u8)));
    const bool read_only = parameter.written.starts_with("const ") || parameter.written.find(" const") != std::string::npos;
    guesses.emplace_back(parameter.name,
                         fmt::format("{}[{}]{}", element, count_in_words(std::max<std::uint64_t>((extent + each - 1) / each, 1), form, entry),
                                     read_only ? ":ints" : ""));
  }
  for (auto& [name, text] : guesses) form.set(name, std::move(text), true);
}

}  // namespace

LaunchForm completed(LaunchForm form, const KernelFile& file, const FileEntry& entry, replay::Progress* progress) {
  const Result<ptx::Module> module = ptx::parse(file.ptx, file.file.filename().string());
  const ptx::Function* const function = module.ok() ? module->find_entry(entry.name) : nullptr;
  if (function == nullptr) return form;
  guess_scalars(form, entry);
  guess_shape(form, entry, *function);
  guess_buffers(form, entry, *module, progress);
  return form;
}

Result<LaunchRequest> launch_of_entry(const KernelFile& file, const FileEntry& entry, const LaunchRequest& like, replay::Progress* progress) {
  Result<LaunchForm> form = parse_form(entry.launch);
  if (!form.ok()) return form.error();
  LaunchRequest request;
  FileKernel kernel{.file = file.file, .entry = file.find(entry.plain_name) == &entry ? entry.plain_name : entry.name};
  if (file.is_cuda()) {
    kernel.cuda = file.text;
  } else {
    kernel.text = file.text;
    kernel.source_folders.push_back(file.file.parent_path().empty() ? "." : file.file.parent_path());
  }
  request.origin = std::move(kernel);
  request.form = completed(*std::move(form), file, entry, progress);
  request.engine = like.engine;
  request.cc = like.cc;
  request.threads = like.threads;
  return request;
}

}  // namespace warplens::app
