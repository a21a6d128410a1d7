// Launches a kernel of the user's, from its PTX.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "app/kernel_file/kernel_file.h"
#include "app/kernel_file/sources.h"
#include "app/kernel_file/variables.h"
#include "app/launch/expectation.h"
#include "app/launch/host.h"
#include "app/launch/inlined.h"
#include "app/launch/launch_limits.h"
#include "app/launch/launch_support.h"
#include "app/launch/product_check.h"
#include "app/launch/resolve.h"
#include "app/launch/shared_shapes.h"
#include "app/launch_form/argument_buffers.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/workload.h"
#include "kernels/ptx/demangle.h"
#include "kernels/ptx/grid_barrier.h"
#include "kernels/ptx/own_lines.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/program.h"

namespace warplens::app {
namespace {

Result<const ptx::Function*> find_entry(const ptx::Module& module, const std::string& name) {
  constexpr std::size_t kMostNames = 12;
  std::vector<std::string> names;
  std::size_t kernels = 0;
  const ptx::Function* only = nullptr;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry) continue;
    if (++kernels <= kMostNames) names.push_back(function.plain_name);
    only = &function;
  }
  if (names.empty())
    return Error{tr("there is no kernel in it"), module.name,
                 tr("A kernel is a function declared `.entry` (in CUDA, __global__).")};
  if (name.empty() && kernels == 1) return only;
  if (const ptx::Function* function = name.empty() ? nullptr : module.find_entry(name)) return function;
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  return Error{
      name.empty() ? tr("there is more than one kernel in it")
                   : tr("no kernel, or more than one, is called `{name}`", "name"_a = name),
      module.name,
      kernels > kMostNames
          ? tr_n(kernels - kMostNames, "Its kernels: {kernels}, and {n} more, which `warplens check` lists.",
                 "Its kernels: {kernels}, and {n} more, which `warplens check` lists.", "kernels"_a = listed)
          : tr("Its kernels: {kernels}.", "kernels"_a = listed)};
}

Error wrong_number_of_arguments(const LaunchRequest& request, const ptx::Function& entry, std::size_t given) {
  const bool recorded_without = !request.file_kernel()->text.empty() && request.arguments.empty();
  return {tr_n(entry.parameters.size(), "{kernel} takes {n} argument, {given} are given",
               "{kernel} takes {n} arguments, {given} are given", "kernel"_a = entry.plain_name,
               "given"_a = given),
          "",
          recorded_without ? tr("Recordings made before version 1.2 of their format do not say their "
                                "arguments: record it again.")
                           : tr("Give one --arg for each parameter, in order.")};
}

/// A float's bits are no integer, nor the other way round; the sign of integers is the kernel's own affair,
/// which PTX does not tell.
Result<Done> check_type(const ptx::Function& entry, std::size_t index, const ScalarSpec& scalar) {
  const ptx::Variable& parameter = entry.variables[entry.parameters[index]];
  const std::optional<ElementType> type = parse_element_type(scalar.type);
  const std::string_view parameter_type = ptx::name_of(parameter.type);
  const bool has_only_bits =
      parameter.elements != 1 || parameter_type.starts_with('b');  // An array or a structure, among others
  if (!type || has_only_bits) return Done{};
  if (is_float(*type) == ptx::is_float(parameter.type)) return Done{};
  return Error{tr("argument {index} is of type {type}, the parameter of type {parameter_type}",
                  "index"_a = index, "type"_a = scalar.type, "parameter_type"_a = parameter_type),
               "",
               ptx::is_float(parameter.type)
                   ? tr("Give a number with its type, such as f32:1.5, or bytes:HEX for the bits themselves.")
                   : tr("Give an integer, such as i32:256, or bytes:HEX for the bits themselves.")};
}

Result<Done> check_width(const ptx::Function& entry, std::size_t index, const ArgumentSpec& argument) {
  const std::uint64_t parameter_bytes = entry.variables[entry.parameters[index]].bytes();
  const auto* const scalar = std::get_if<ScalarSpec>(&argument);
  const std::uint64_t bytes = scalar != nullptr ? scalar->bytes.size() : sizeof(std::uint64_t);
  if (bytes == parameter_bytes)
    return scalar != nullptr ? check_type(entry, index, *scalar) : Result<Done>(Done{});
  return Error{tr("argument {index} ({type}) is {bytes} bytes wide, the parameter is {parameter_bytes}",
                  "index"_a = index, "type"_a = scalar != nullptr ? scalar->type : "buf", "bytes"_a = bytes,
                  "parameter_bytes"_a = parameter_bytes),
               "", tr("Pointers take a buffer; int takes i32, size_t takes u64, and so on.")};
}

std::string name_of_argument(const FileKernel& kernel, const ptx::Function& entry, std::size_t index) {
  return kernel.parameters.size() >= entry.parameters.size() ? kernel.parameters[index]
                                                             : name_of_parameter(entry, index);
}

/// Whether it is for no parameter: a buffer that other arguments, or variables, hold addresses of.
bool is_buffer_besides(const NamedArgument& argument, const std::vector<std::string>& parameters,
                       const LaunchRequest& request) {
  const bool may_be = !argument.name.empty() && std::holds_alternative<BufferSpec>(argument.value) &&
                      std::ranges::find(parameters, argument.name) == parameters.end();
  const auto leads_there = [&](const PlacedSpec& address) {
    const std::optional<ReadAddress> read = read_address(address.to, request.arguments);
    return read && &request.arguments[read->argument] == &argument;
  };
  const auto leads = [&](const NamedArgument& one) {
    return std::ranges::any_of(addresses_in(one.value), leads_there);
  };
  return may_be &&
         (std::ranges::any_of(request.arguments, leads) || std::ranges::any_of(request.variables, leads));
}

// The arguments in the order of the parameters: those with a name where it says, the others where there is
// room, in order. Buffers besides them come behind.
Result<std::vector<NamedArgument>> in_order(const LaunchRequest& request, const ptx::Function& entry) {
  const std::size_t count = entry.parameters.size();
  std::vector<const ArgumentSpec*> placed(count, nullptr);
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = name_of_argument(*request.file_kernel(), entry, i);
  std::vector<NamedArgument> given, besides;
  for (const NamedArgument& argument : request.arguments) {
    (is_buffer_besides(argument, names, request) ? besides : given).push_back(argument);
  }
  if (given.size() != count) return wrong_number_of_arguments(request, entry, given.size());
  for (const NamedArgument& argument : given) {
    if (argument.name.empty()) continue;
    const auto index = static_cast<std::size_t>(std::ranges::find(names, argument.name) - names.begin());
    if (index == count || placed[index] != nullptr) {
      return Error{index == count ? tr("there is no parameter `{parameter}`", "parameter"_a = argument.name)
                                  : tr("there are two arguments for the parameter `{parameter}`",
                                       "parameter"_a = argument.name),
                   "",
                   tr("The parameters of {kernel}: {parameters}.", "kernel"_a = entry.plain_name,
                      "parameters"_a = fmt::join(names, ", "))};
    }
    placed[index] = &argument.value;
  }
  auto place = placed.begin();
  for (const NamedArgument& argument : given) {
    if (!argument.name.empty()) continue;
    place = std::find(place, placed.end(), nullptr);
    *place = &argument.value;
  }
  std::vector<NamedArgument> arguments;
  for (std::size_t i = 0; i < count; ++i) {
    if (const Result<Done> fits = check_width(entry, i, *placed[i]); !fits.ok()) return fits.error();
    arguments.push_back({names[i], *placed[i]});
  }
  arguments.insert(arguments.end(), besides.begin(), besides.end());
  return arguments;
}

std::uint64_t bytes_needed(const std::vector<NamedArgument>& arguments) {
  std::uint64_t bytes = 0;
  for (const NamedArgument& argument : arguments) {
    const auto* const buffer = std::get_if<BufferSpec>(&argument.value);
    if (buffer == nullptr) continue;
    const std::uint64_t more = bytes_to_fill(*buffer);
    bytes = bytes > UINT64_MAX - more ? UINT64_MAX : bytes + more;
  }
  return bytes;
}

void add_table(Workload& workload, std::string name, std::vector<PlacedAddress> rows) {
  const std::uint64_t count = rows.size();
  workload.buffer_addresses.emplace(static_cast<std::uint32_t>(workload.buffers.size()), std::move(rows));
  workload.buffers.push_back(
      {.name = std::move(name), .type = ElementType::u64, .columns = count, .pitch = count});
  workload.contents.emplace_back(count * sizeof(std::uint64_t));
}

/// `spare_zeros`: a buffer of zeros has no contents, and takes memory only where the replay touches it
/// (make_memory).
Result<Done> add_buffers(Workload& workload, const ArgumentBuffers& buffers, const NamedArgument& argument,
                         std::size_t index, std::string name, bool spare_zeros) {
  const auto& spec = std::get<BufferSpec>(argument.value);
  const bool is_plain = spec.fill == Fill::zero && spec.addresses.empty() && !spec.texture,
             is_possible = spec.count != 0 && bytes_to_fill(spec) != UINT64_MAX;
  const bool has_contents = !spare_zeros || !is_plain || !is_possible;
  Result<std::vector<std::byte>> contents =
      has_contents ? initial_contents(spec, index + 1) : std::vector<std::byte>();
  if (!contents.ok()) return contents.error();
  Result<std::vector<PlacedAddress>> addresses = buffers.placed(spec.addresses);
  if (!addresses.ok()) return addresses.error();
  const std::uint32_t elements = *buffers.elements(index);
  if (!addresses->empty()) workload.buffer_addresses.emplace(elements, *std::move(addresses));
  if (spec.texture) workload.textures.emplace(elements, *spec.texture);
  const bool matrix = spec.columns != 0;
  const auto places = [&](std::uint64_t values) {
    return bytes_of(spec.type, values) / static_cast<std::uint64_t>(size_of(spec.type));
  };
  // Tensor maps have no elements to draw.
  const std::uint64_t columns = spec.map ? 0 : places(matrix ? spec.columns : spec.count);
  workload.buffers.push_back({.name = spec.by_rows ? "*" + name : name,
                              .type = spec.type,
                              .rows = spec.rows,
                              .columns = columns,
                              .pitch = places(matrix ? spec.pitch : spec.count)});
  workload.buffers.back().bytes = bytes_of(spec.type, spec.count);
  workload.contents.push_back(std::move(*contents));
  if (spec.by_rows) add_table(workload, std::move(name), buffers.rows(index));
  return Done{};
}

/// What the arguments are to work on: those of the parameters, and buffers besides.
Result<Workload> make_workload(const ptx::Function& entry, const std::vector<NamedArgument>& arguments,
                               bool spare_zeros) {
  Workload workload;
  const ArgumentBuffers buffers(arguments);
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    if (const auto* const scalar = std::get_if<ScalarSpec>(&arguments[i].value)) {
      Result<std::vector<PlacedAddress>> addresses = buffers.placed(scalar->addresses);
      if (!addresses.ok()) return addresses.error();
      if (!addresses->empty()) workload.scalar_addresses.emplace(i, *std::move(addresses));
      workload.arguments.emplace_back(scalar->bytes);
      continue;
    }
    if (i < entry.parameters.size()) workload.arguments.emplace_back(*buffers.passed(i));
    const Result<Done> added =
        add_buffers(workload, buffers, arguments[i], i, arguments[i].name, spare_zeros);
    if (!added.ok()) return added.error();
  }
  return workload;
}

/// A request with what it takes to launch it.
struct Prepared {
  ptx::Module module;
  const ptx::Function* entry = nullptr;  ///< In `module`
  std::vector<NamedArgument> arguments;  ///< By parameter, and behind them the buffers besides
  Workload workload;
  std::optional<ProductCheck> product;
  std::vector<gpu::BufferCheck> checks;  ///< The product's among them
  /// Of each of them, what ProductCheck::is_right_in_part says
  std::vector<std::function<std::optional<bool>(std::span<const std::byte>, std::span<const std::byte>)>>
      checks_in_part;
};

/// What the launch says that its result must be.
Result<Done> add_checks(const LaunchRequest& request, Prepared& prepared, replay::Progress* progress) {
  if (!request.product && request.expect.empty()) return Done{};
  const FileKernel& kernel = *request.file_kernel();
  Expected launch{.arguments = prepared.arguments,
                  .workload = prepared.workload,
                  .values = request.values,
                  .file = kernel.file,
                  .readable = readable_folders(kernel.file, kernel.source_folders),
                  .source = {}};
  const ArgumentBuffers buffers(prepared.arguments);
  const auto buffer_of = [&](std::uint32_t argument) { return *buffers.elements(argument); };
  if (request.product) {
    Result<ProductCheck> product =
        check_of_product(*request.product, launch.arguments, prepared.workload.contents);
    if (!product.ok()) return product.error();
    prepared.workload.output = buffer_of(product->result);
    prepared.checks.push_back({prepared.workload.output, product->is_right});
    prepared.checks_in_part.push_back(product->is_right_in_part);
    prepared.product = *std::move(product);
  }
  const auto source =
      std::ranges::find(kernel.sources, compile::name_in_line_table(launch.file), &SourceFile::name);
  if (source != kernel.sources.end() && is_cuda_file(launch.file)) launch.source = source->text;
  for (const std::string& text : request.expect) {
    Result<std::vector<ExpectedBuffer>> expected = parse_expectation(text, launch, progress);
    if (!expected.ok()) return expected.error();
    for (ExpectedBuffer& one : *expected) {
      const auto spec = std::get<BufferSpec>(launch.arguments[one.argument].value);
      const auto wanted = std::make_shared<const ExpectedBuffer>(std::move(one));
      prepared.checks.push_back({buffer_of(wanted->argument), [wanted, spec](const auto& bytes) {
                                   return is_as_expected(*wanted, spec, bytes);
                                 }});
      prepared.checks_in_part.emplace_back([wanted, spec](const auto& before, const auto& after) {
        return is_as_expected_in_part(*wanted, spec, before, after);
      });
    }
  }
  return Done{};
}

Result<std::unique_ptr<Prepared>> prepare(const LaunchRequest& request,
                                          replay::Progress* progress = nullptr) {
  const FileKernel& kernel = *request.file_kernel();
  Result<ptx::Module> module =
      kernel.text.empty() ? load_ptx(kernel.file) : ptx::parse(kernel.text, name_of_ptx(kernel.file));
  if (!module.ok()) return module.error();
  Result<std::vector<VariableContents>> variables = contents_of(request.variables, *module);
  if (!variables.ok()) return variables.error();
  if (!variables->empty()) {
    const std::string visible = with_visible(module->text, *variables);
    module = ptx::parse(visible, module->name);
    if (!module.ok()) return module.error();
  }
  ptx::give_own_lines(*module);
  auto prepared = std::make_unique<Prepared>();
  prepared->module = *std::move(module);
  const Result<const ptx::Function*> entry = find_entry(prepared->module, kernel.entry);
  if (!entry.ok()) return entry.error();
  prepared->entry = *entry;
  if (const Result<Done> launchable = check_limits(request, prepared->module, **entry); !launchable.ok())
    return launchable.error();
  Result<std::vector<NamedArgument>> arguments = in_order(request, **entry);
  if (!arguments.ok()) return arguments.error();
  if (const Result<Done> fits = check_memory(bytes_needed(*arguments)); !fits.ok()) return fits.error();
  const bool spare_zeros = request.engine == Engine::cpu && !request.product && request.expect.empty();
  Result<Workload> workload = make_workload(**entry, *arguments, spare_zeros);
  if (!workload.ok()) return workload.error();
  prepared->arguments = *std::move(arguments);
  prepared->workload = *std::move(workload);
  prepared->workload.variables = *std::move(variables);
  const ArgumentBuffers buffers(prepared->arguments);
  for (std::size_t i = 0; i < request.variables.size(); ++i) {
    Result<std::vector<PlacedAddress>> addresses = buffers.placed(addresses_in(request.variables[i].value));
    if (!addresses.ok()) return addresses.error();
    prepared->workload.variables[i].addresses = *std::move(addresses);
  }
  if (const Result<Done> added = add_checks(request, *prepared, progress); !added.ok()) return added.error();
  return prepared;
}

/// Whether all that is checked is right; nullopt: nothing is.
std::optional<bool> verified(const Prepared& prepared, replay::Memory& memory) {
  if (prepared.checks.empty()) return std::nullopt;
  return std::ranges::all_of(prepared.checks, [&](const gpu::BufferCheck& check) {
    return check.is_right(memory.bytes(check.buffer));
  });
}

/// Whether elements of results may be sums that several blocks add to.
bool adds_across_blocks(const Recording& recording) {
  return std::ranges::any_of(recording.sites, [](const Site& site) {
    return site.space == Space::global && (site.op == AccessOp::atomic || site.op == AccessOp::reduction);
  });
}

/// Of a large launch: whether the blocks that were run leave in the buffers that they write what is expected,
/// with values this time. nullopt: not known.
Result<std::optional<bool>> verified_in_part(const Prepared& prepared, const replay::Program& program,
                                             const replay::Launch& launch, replay::Memory& memory,
                                             const replay::Options& options,
                                             const replay::Extrapolation& followed) {
  std::optional<bool> right;
  if (prepared.checks.empty() || adds_across_blocks(*followed.recording)) return right;
  std::vector<std::vector<std::byte>> before;
  for (const gpu::BufferCheck& check : prepared.checks) {
    const std::span<const std::byte> bytes = memory.bytes(check.buffer);
    before.emplace_back(bytes.begin(), bytes.end());
  }
  replay::Options with_values = options;
  with_values.replay_blocks = followed.run;
  with_values.event_blocks.clear();
  const Result<Recording> recording = replay::run(program, launch, memory, with_values);
  if (!recording.ok()) return recording.error();
  for (std::size_t i = 0; i < prepared.checks.size(); ++i) {
    const auto one = prepared.checks_in_part[i](before[i], memory.bytes(prepared.checks[i].buffer));
    if (one) right = right.value_or(true) && *one;
  }
  return right;
}

std::vector<RecordedArgument> recorded(const LaunchRequest& request, const Prepared& prepared) {
  std::vector<RecordedArgument> arguments;
  for (const NamedArgument& argument : prepared.arguments)
    arguments.push_back({argument.name, text_of(argument.value)});
  for (const NamedArgument& variable : request.variables)
    arguments.push_back({std::string(kVariablePrefix) + variable.name, text_of(variable.value)});
  return arguments;
}

// The sources that the PTX names; of those that are missing where accesses are, why. PTX that came from a
// recording brings them along: for it, no file is read but where the user points.
void add_source_texts(const FileKernel& kernel, const std::vector<std::string>& named, LaunchResult& result) {
  std::vector<std::filesystem::path> folders;
  if (kernel.text.empty()) folders.push_back(kernel.file.parent_path());
  folders.insert(folders.end(), kernel.source_folders.begin(), kernel.source_folders.end());
  std::vector<SourceFile>& files = result.recording.files;
  const std::vector<std::string> reasons = read_sources(folders, named, files);
  std::set<std::uint32_t> used;
  for (const Site& site : result.recording.sites) used.insert(site.file);
  for (std::uint32_t file = 0; file < files.size(); ++file) {
    const auto known = std::ranges::find(kernel.sources, files[file].name, &SourceFile::name);
    if (known != kernel.sources.end())
      files[file].text = known->text;  // As it is being edited, whatever lies in its place
    if (named[file] == kernel.file.filename().string() && !is_source_file(kernel.file))
      files[file].text = result.recording.ptx;
    const bool missing = files[file].text.empty() && file < reasons.size() && !reasons[file].empty();
    if (missing && used.contains(file)) result.unread_sources.push_back({named[file], reasons[file]});
  }
}

/// Code for an older architecture may do without the instructions that the replay lacks, such as asynchronous
/// copies.
Error with_older_architecture(Error error, const LaunchRequest& request, const Prepared& prepared) {
  const Result<replay::Inspection> inspection = replay::inspect(prepared.module, *prepared.entry);
  const bool is_cuda = is_cuda_file(request.file_kernel()->file),
             is_oldest = prepared.module.target == "sm_75";
  if (!is_cuda || is_oldest || !inspection.ok() || inspection->unsupported.empty()) return error;
  error.hint += std::string(" ") + tr("Compiled for compute_75 it may need none of that: --arch compute_75, "
                                      "or arch=compute_75 in the launch comment.");
  return error;
}

}  // namespace

Result<LaunchResult> launch_file_kernel(const LaunchRequest& request, replay::Progress* progress,
                                        gpu::RecordTimes* times) {
  const bool on_gpu = request.engine == Engine::gpu;
  const Result<LaunchRequest> worked_out =
      resolved(on_gpu ? compiled_for_gpu(request, gpu::check_driver().gpus) : request,
               progress != nullptr ? &progress->cancel : nullptr);
  if (!worked_out.ok()) return worked_out.error();
  const LaunchRequest& whole = *worked_out;
  const FileKernel& kernel = *whole.file_kernel();
  const Result<std::unique_ptr<Prepared>> made = prepare(whole, progress);
  if (!made.ok()) return made.error();
  Prepared& prepared = **made;
  const Result<replay::Options> options = replay_options(
      whole.shape.grid, prepared.entry->bounds.cluster_or(whole.shape.cluster), whole, progress);
  if (!options.ok()) return options.error();
  const Result<replay::Program> program = replay::Program::decode(prepared.module, prepared.entry->name);
  if (!program.ok()) return program.error();

  LaunchResult result = make_memory(prepared.workload);
  const ArgumentBuffers buffers(prepared.arguments);
  for (std::size_t i = 0; i < result.buffers.size(); ++i) result.buffers[i] = buffers.elements(i);
  const replay::Launch launch = make_launch(whole.shape, prepared.workload, result.memory);
  std::string obstacle;
  std::optional<replay::Extrapolation> followed;
  if (whole.engine == Engine::cpu && may_extrapolate(whole, *options)) {
    Result<std::optional<replay::Extrapolation>> found =
        extrapolate_large(*program, launch, result.memory, *options, obstacle);
    if (!found.ok()) return found.error();
    followed = *std::move(found);
  }
  if (followed) {
    const Result<std::optional<bool>> right =
        verified_in_part(prepared, *program, launch, result.memory, *options, *followed);
    if (!right.ok()) return right.error();
    result.recording = *std::move(followed->recording);
    result.recording.verified = *right;
  } else {
    Result<Recording> recording =
        run_engine(whole, prepared.module, *program, launch, result.memory, *options, times);
    if (!recording.ok()) return with_older_architecture(recording.error(), whole, prepared);
    result.recording = std::move(*recording);
    if (whole.engine == Engine::cpu) result.recording.not_extrapolated = obstacle;
    if (!options->replay_blocks && !result.recording.ended)
      result.recording.verified = verified(prepared, result.memory);
  }
  if (prepared.product) {
    result.recording.m = prepared.product->m;
    result.recording.p = prepared.product->p;
    result.recording.n = prepared.product->n;
  }
  result.recording.kernel = prepared.entry->plain_name;
  result.recording.origin = Origin::file;
  result.recording.origin_file = kernel.file.filename().string();
  result.recording.ptx = prepared.module.text;
  result.recording.arguments = recorded(whole, prepared);
  add_source_texts(kernel, program->files(), result);
  place_sites(result.recording, prepared.module);
  for (SharedArray& array : result.recording.shared_arrays) array.name = ptx::name_of_local(array.name);
  for (const SourceFile& file : result.recording.files) {
    if (!file.text.empty()) give_shapes(result.recording.shared_arrays, file.text, result.recording.kernel);
  }
  return result;
}

Result<Countable> countable_file_kernel(const LaunchRequest& request, replay::Progress* progress) {
  const Result<LaunchRequest> whole = resolved(request, progress != nullptr ? &progress->cancel : nullptr);
  if (!whole.ok()) return whole.error();
  struct Kept {
    std::unique_ptr<Prepared> prepared;
    replay::Program program;
    LaunchResult result;
  };
  Result<std::unique_ptr<Prepared>> prepared = prepare(*whole, progress);
  if (!prepared.ok()) return prepared.error();
  Result<replay::Program> program = replay::Program::decode((*prepared)->module, (*prepared)->entry->name);
  if (!program.ok()) return program.error();
  LaunchResult result = make_memory((*prepared)->workload);
  auto kept = std::make_shared<Kept>(Kept{*std::move(prepared), *std::move(program), std::move(result)});
  Countable countable{.program = &kept->program,
                      .launch = make_launch(whole->shape, kept->prepared->workload, kept->result.memory),
                      .memory = &kept->result.memory};
  countable.keeps = std::move(kept);
  return countable;
}

Result<gpu::RunRequest> run_request_of_file_kernel(const LaunchRequest& request) {
  LaunchRequest on_gpu = compiled_for_gpu(request, gpu::check_driver().gpus);
  on_gpu.engine = Engine::gpu;  // Whose buffers need their contents, zeros too
  const Result<LaunchRequest> worked_out = resolved(std::move(on_gpu));
  if (!worked_out.ok()) return worked_out.error();
  const LaunchRequest& whole = *worked_out;
  const Result<std::unique_ptr<Prepared>> prepared = prepare(whole);
  if (!prepared.ok()) return prepared.error();
  gpu::FileLaunch launch{.ptx = (*prepared)->module.text,
                         .entry = (*prepared)->entry->name,
                         .grid = whole.shape.grid,
                         .block = whole.shape.block,
                         .dynamic_shared_bytes = whole.shape.dynamic_shared_bytes,
                         .waits_for_grid = ptx::waits_for_grid((*prepared)->module, *(*prepared)->entry),
                         .cluster = (*prepared)->entry->bounds.cluster_or(whole.shape.cluster),
                         .workload = (*prepared)->workload,
                         .checks = (*prepared)->checks,
                         .product = {}};
  if ((*prepared)->product) launch.product = product_of(whole);
  gpu::RunRequest run;
  run.kernel = (*prepared)->entry->plain_name;
  run.of_file = std::make_shared<const gpu::FileLaunch>(std::move(launch));
  return run;
}

}  // namespace warplens::app
