#include "app/launch/launch_guess.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "app/kernel_file/host_launch.h"
#include "app/launch/launch_support.h"
#include "app/launch_form/argument_buffers.h"
#include "app/launch_form/expression.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

// What a pointer leads to in the trial, in bytes: addresses, not memory
constexpr std::uint64_t kReach = std::uint64_t{1} << 32;
constexpr std::uint64_t kRows = 1024, kRowReach = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostTrialInstructions = 1u << 22;

/// What the kernel reads of its place in the launch.
struct Axes {
  std::array<bool, 3> thread{}, block{};
};

void look_at(const ptx::Operand& operand, Axes& axes) {
  const auto index = [&](ptx::SpecialRegister first) {
    return static_cast<int>(operand.special) - static_cast<int>(first);
  };
  if (operand.kind == ptx::Operand::Kind::special) {
    for (const auto& [first, seen] : {std::pair{ptx::SpecialRegister::tid_x, &axes.thread},
                                      std::pair{ptx::SpecialRegister::ctaid_x, &axes.block}}) {
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
  return !parameter.is_pointer &&
         (parameter.type.starts_with('i') || parameter.type.starts_with('u') ||
          parameter.type.starts_with('s')) &&
         parameter.type.find('x') == std::string::npos;
}

/// Parameters, and scalars in those that are structures.
std::vector<KernelParameter> scalars_of(const FileEntry& entry) {
  std::vector<KernelParameter> scalars;
  for (const KernelParameter& parameter : entry.parameters) {
    scalars.push_back(parameter);
    for (const ParameterField& field : parameter.fields) {
      if (field.pointer_depth > 0) continue;
      scalars.push_back(
          {.name = parameter.name + "." + field.name, .type = field.type, .bytes = field.bytes});
    }
  }
  return scalars;
}

void guess_scalars(LaunchForm& form, const FileEntry& entry) {
  const auto is_given_whole = [&](const std::string& name) {
    const std::size_t dot = name.find('.');
    return dot != std::string::npos && form.find(name.substr(0, dot)) != nullptr;
  };
  for (const KernelParameter& parameter : scalars_of(entry)) {
    if (is_given_whole(parameter.name)) continue;
    if (form.find(parameter.name) != nullptr || parameter.is_pointer || parameter.type.empty()) continue;
    if (is_integer(parameter)) {
      form.set(parameter.name, parameter.bytes >= 4 ? "256" : "1", true);
    } else if (parameter.type == "f32" || parameter.type == "f64" || parameter.type == "f16" ||
               parameter.type == "bf16") {
      form.set(parameter.name, "1", true);
    } else if (parameter.type.find('x') != std::string::npos) {
      std::string ones = "1";
      for (int lanes = parameter.type.back() - '0'; lanes > 1; --lanes) ones += ",1";
      form.set(parameter.name, parameter.type + ":" + ones, true);
    }
  }
}

/// Integers that are sizes by their names, in the order of the parameters: the last counts columns, the first
/// rows.
std::vector<std::string> sizes_of(const LaunchForm& form, const FileEntry& entry) {
  std::vector<std::string> sizes;
  const std::vector<NamedValue> values = values_of(form);
  for (const KernelParameter& parameter : scalars_of(entry)) {
    const auto value = std::ranges::find(values, parameter.name, &NamedValue::name);
    if (is_integer(parameter) && value != values.end() && value->value > 1) sizes.push_back(parameter.name);
  }
  return sizes;
}

void guess_shape(LaunchForm& form, const FileEntry& entry, const ptx::Function& function) {
  constexpr std::uint32_t kUsualThreads = 256;
  const Axes axes = axes_of(function);
  const std::uint32_t most =
      function.max_threads == 0 ? kUsualThreads : std::min(function.max_threads, kUsualThreads);
  if (form.block.text.empty()) {
    std::uint32_t side = 1;
    while (4 * side * side <= most) side *= 2;
    form.set("block", axes.thread[1] ? fmt::format("{},{}", side, side) : std::to_string(most), true);
  }
  if (!form.grid.text.empty()) return;
  const std::vector<std::string> sizes = sizes_of(form, entry);
  const Result<Dim3> block = extent_of(form.block, values_of(form));
  if (sizes.empty() || !block.ok())
    return static_cast<void>(form.set("grid", axes.block[1] ? "4,4" : "4", true));
  const auto covering = [](const std::string& size, std::uint32_t threads) {
    return fmt::format("({}+{})/{}", size, threads - 1, threads);
  };
  const std::string x = covering(axes.block[1] ? sizes.back() : sizes.front(), block->x);
  form.set("grid", axes.block[1] ? x + "," + covering(sizes.front(), block->y) : x, true);
}

std::vector<Dim3> corners_of(Dim3 grid) {
  std::vector<Dim3> corners;
  for (const std::uint32_t z : {0u, grid.z - 1}) {
    for (const std::uint32_t y : {0u, grid.y - 1}) {
      for (const std::uint32_t x : {0u, grid.x - 1}) {
        if (const Dim3 corner{x, y, z}; std::ranges::find(corners, corner) == corners.end())
          corners.push_back(corner);
      }
    }
  }
  return corners;
}

/// How far the accesses of a recording reach into each buffer, in bytes; into rows of `row_bytes`, into the
/// one that they reach furthest into.
std::vector<std::uint64_t> reached(const Recording& recording, const std::vector<std::uint64_t>& row_bytes) {
  std::vector<std::uint64_t> bytes(recording.buffers.size(), 0);
  for (std::size_t event = 0; event < recording.events.size(); ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.space != Space::global) continue;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((recording.events.mask[event] >> lane & 1) == 0) continue;
      const std::uint64_t end = lane_address(recording, event, lane) + site.bytes;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const Buffer& buffer = recording.buffers[i];
        if (end > buffer.base && end <= buffer.base + buffer.bytes)
          bytes[i] = std::max(bytes[i], (end - buffer.base - 1) % row_bytes[i] + 1);
      }
    }
  }
  return bytes;
}

/// A pointer, of a parameter or of a field in a structure, that no field of the form is for.
struct MissingPointer {
  std::string name;
  std::string element;  ///< What a buffer for it is of
  bool by_rows = false, read_only = false;
};

std::string element_named(const std::string& type) {
  const std::string element = type.substr(0, type.find('x'));  // A buffer of float4 is one of floats
  return parse_element_type(element) ? element : "u8";
}

std::vector<MissingPointer> missing_pointers(const LaunchForm& form, const FileEntry& entry) {
  std::vector<MissingPointer> missing;
  for (const KernelParameter& parameter : entry.parameters) {
    if (form.find(parameter.name) != nullptr) continue;
    if (parameter.is_pointer) {
      const bool read_only =
          parameter.written.starts_with("const ") || parameter.written.find(" const") != std::string::npos;
      missing.push_back({.name = parameter.name,
                         .element = element_named(parameter.written.empty() ? std::string() : parameter.type),
                         .by_rows = parameter.pointer_depth > 1,
                         .read_only = read_only});
    }
    for (const ParameterField& field : parameter.fields) {
      std::string name = parameter.name + "." + field.name;
      if (field.pointer_depth == 0 || form.find(name) != nullptr) continue;
      missing.push_back({.name = std::move(name),
                         .element = element_named(field.type),
                         .by_rows = field.pointer_depth > 1});
    }
  }
  return missing;
}

/// What a trial makes of the buffer of a pointer, in bytes.
struct TriedExtent {
  std::uint64_t table = 0;     ///< Of addresses, if it is passed by rows
  std::uint64_t elements = 0;  ///< In all, or in the longest row
};

/// The arguments of a trial, and its memory.
struct Trial {
  std::vector<NamedArgument> arguments;
  replay::Launch launch;
  replay::Memory memory;
  std::vector<std::uint64_t> row_bytes;  ///< By buffer
};

/// False: something is missing besides, or is a texture.
bool add_arguments(Trial& trial, std::size_t parameters) {
  const ArgumentBuffers buffers(trial.arguments);
  std::vector<std::pair<std::uint32_t, std::vector<PlacedAddress>>> tables;
  for (std::size_t i = 0; i < trial.arguments.size(); ++i) {
    if (const auto* const scalar = std::get_if<ScalarSpec>(&trial.arguments[i].value)) {
      Result<std::vector<PlacedAddress>> addresses = buffers.placed(scalar->addresses);
      if (!addresses.ok()) return false;
      trial.launch.arguments.push_back(
          replay::ScalarArgument{.bytes = scalar->bytes, .addresses = *std::move(addresses)});
      continue;
    }
    const auto& buffer = std::get<BufferSpec>(trial.arguments[i].value);
    Result<std::vector<PlacedAddress>> addresses = buffers.placed(buffer.addresses);
    if (buffer.texture || !addresses.ok()) return false;
    const std::uint64_t bytes = bytes_of(buffer.type, buffer.count);
    trial.row_bytes.push_back(buffer.by_rows ? kRowReach : UINT64_MAX);
    if (addresses->empty()) {
      trial.memory.reserve({.name = trial.arguments[i].name, .type = ElementType::u8, .bytes = bytes});
    } else {
      tables.emplace_back(trial.memory.add({.name = trial.arguments[i].name, .type = ElementType::u64},
                                           std::vector<std::byte>(bytes)),
                          *std::move(addresses));
    }
    if (buffer.by_rows) {
      std::vector<PlacedAddress> rows = buffers.rows(i);
      std::vector<std::byte> contents(rows.size() * sizeof(std::uint64_t));
      tables.emplace_back(
          trial.memory.add({.name = trial.arguments[i].name, .type = ElementType::u64}, std::move(contents)),
          std::move(rows));
      trial.row_bytes.push_back(UINT64_MAX);
    }
    if (i < parameters) trial.launch.arguments.push_back(replay::BufferArgument{*buffers.passed(i)});
  }
  for (auto& [buffer, addresses] : tables) trial.memory.place_addresses(buffer, std::move(addresses));
  return true;
}

/// Runs the blocks at the corners on buffers without end.
std::optional<std::vector<TriedExtent>> try_out(const LaunchForm& form,
                                                const std::vector<MissingPointer>& missing,
                                                const FileEntry& entry, const ptx::Module& module,
                                                replay::Progress* progress) {
  LaunchForm whole = form;
  for (const MissingPointer& pointer : missing) {
    whole.set(pointer.name,
              pointer.by_rows ? fmt::format("u8*[{}][{}]", kRows, kRowReach) : fmt::format("u8[{}]", kReach));
  }
  const std::vector<NamedValue> values = values_of(whole);
  const Result<Dim3> grid = extent_of(whole.grid, values), block = extent_of(whole.block, values);
  const Result<std::uint32_t> shared = shared_bytes_of(whole, values);
  const Result<replay::Program> program = replay::Program::decode(module, entry.name);
  Result<std::vector<NamedArgument>> arguments = arguments_of(whole, entry.parameters);
  if (!grid.ok() || !block.ok() || !shared.ok() || !program.ok() || !arguments.ok()) return std::nullopt;
  Trial trial{.arguments = *std::move(arguments),
              .launch = {.grid = *grid, .block = *block, .dynamic_shared_bytes = *shared, .arguments = {}},
              .memory = {},
              .row_bytes = {}};
  if (!add_buffers_besides(trial.arguments, {}, whole).ok() || !add_arguments(trial, entry.parameters.size()))
    return std::nullopt;
  replay::Options options{.max_warp_instructions = kMostTrialInstructions, .progress = progress};
  options.replay_blocks = corners_of(*grid);
  options.event_blocks = *options.replay_blocks;
  const Result<Recording> recording = replay::run(*program, trial.launch, trial.memory, options);
  if (!recording.ok()) return std::nullopt;
  const std::vector<std::uint64_t> bytes = reached(*recording, trial.row_bytes);
  const ArgumentBuffers buffers(trial.arguments);
  std::vector<TriedExtent> extents;
  for (const MissingPointer& pointer : missing) {
    const auto argument = static_cast<std::size_t>(
        std::ranges::find(trial.arguments, pointer.name, &NamedArgument::name) - trial.arguments.begin());
    extents.push_back(
        {.table = bytes[*buffers.passed(argument)], .elements = bytes[*buffers.elements(argument)]});
  }
  return extents;
}

/// The first of some sizes that is as many; nullopt: none is.
std::optional<std::string> size_in_words(std::uint64_t count, const LaunchForm& form,
                                         const std::vector<std::string>& sizes) {
  const std::vector<NamedValue> values = values_of(form);
  for (const std::string& one : sizes) {
    if (static_cast<std::uint64_t>(std::ranges::find(values, one, &NamedValue::name)->value) == count)
      return one;
  }
  return std::nullopt;
}

/// "*[m][n]"
std::string rows_in_words(std::uint64_t rows, std::uint64_t columns, const LaunchForm& form,
                          const FileEntry& entry) {
  std::vector<std::string> sizes = sizes_of(form, entry);
  const std::string of_rows = size_in_words(rows, form, sizes).value_or(std::to_string(rows));
  std::ranges::reverse(sizes);
  return fmt::format("*[{}][{}]", of_rows,
                     size_in_words(columns, form, sizes).value_or(std::to_string(columns)));
}

/// "m][p" where that is how many there are, so that the buffer grows with the sizes; else the number.
std::string count_in_words(std::uint64_t count, const LaunchForm& form, const FileEntry& entry) {
  const std::vector<std::string> sizes = sizes_of(form, entry);
  if (const auto one = size_in_words(count, form, sizes)) return *one;
  const std::vector<NamedValue> values = values_of(form);
  const auto value_of = [&](const std::string& name) {
    return static_cast<std::uint64_t>(std::ranges::find(values, name, &NamedValue::name)->value);
  };
  for (const std::string& one : sizes) {
    for (const std::string& other : sizes) {
      if ((one != other || sizes.size() == 1) && value_of(one) * value_of(other) == count)
        return fmt::format("{}][{}", one, other);
    }
  }
  return std::to_string(count);
}

void guess_buffers(LaunchForm& form, const FileEntry& entry, const ptx::Module& module,
                   replay::Progress* progress) {
  const std::vector<MissingPointer> missing = missing_pointers(form, entry);
  if (missing.empty()) return;
  const auto extents = try_out(form, missing, entry, module, progress);
  if (!extents) return;
  std::vector<std::string> guesses;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const auto each = static_cast<std::uint64_t>(size_of(*parse_element_type(missing[i].element)));
    const auto count_of = [](std::uint64_t bytes, std::uint64_t of) {
      return std::max<std::uint64_t>((bytes + of - 1) / of, 1);
    };
    const TriedExtent& extent = (*extents)[i];
    const std::uint64_t count = count_of(extent.elements, each);
    const std::string shape =
        missing[i].by_rows ? rows_in_words(count_of(extent.table, sizeof(std::uint64_t)), count, form, entry)
                           : fmt::format("[{}]", count_in_words(count, form, entry));
    guesses.push_back(missing[i].element + shape + (missing[i].read_only ? ":ints" : ""));
  }
  for (std::size_t i = 0; i < missing.size(); ++i) form.set(missing[i].name, std::move(guesses[i]), true);
}

}  // namespace

LaunchForm completed(LaunchForm form, const KernelFile& file, const FileEntry& entry,
                     replay::Progress* progress, std::size_t launch) {
  const Result<ptx::Module> module = ptx::parse(file.ptx, file.file.filename().string());
  const ptx::Function* const function = module.ok() ? module->find_entry(entry.name) : nullptr;
  if (function == nullptr) return form;
  guess_scalars(form, entry);
  read_host_launch(form, file, entry, launch);
  guess_shape(form, entry, *function);
  guess_buffers(form, entry, *module, progress);
  return form;
}

Result<LaunchRequest> launch_of_entry(const KernelFile& file, const FileEntry& entry,
                                      const LaunchRequest& like, replay::Progress* progress,
                                      std::size_t launch) {
  Result<LaunchForm> form = parse_form(entry.launch);
  if (!form.ok()) return form.error();
  LaunchRequest request;
  FileKernel kernel{.file = file.file,
                    .entry = file.find(entry.plain_name) == &entry ? entry.plain_name : entry.name};
  if (file.is_cuda()) {
    kernel.cuda = file.text;
  } else {
    kernel.text = file.text;
    kernel.source_folders.push_back(file.file.parent_path().empty() ? "." : file.file.parent_path());
  }
  request.origin = std::move(kernel);
  request.form = completed(*std::move(form), file, entry, progress, launch);
  if (!file.users_options.empty()) request.form->options = file.users_options;
  request.engine = like.engine;
  request.cc = like.cc;
  request.threads = like.threads;
  return request;
}

}  // namespace warplens::app
