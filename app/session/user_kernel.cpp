#include "app/session/user_kernel.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <new>
#include <set>
#include <stdexcept>

#include "app/session/launch_support.h"
#include "app/session/machine.h"
#include "app/session/sources.h"
#include "kernels/base/files.h"
#include "kernels/ptx/demangle.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kMaxTextBytes = 256u << 20;  ///< No PTX or source file is longer

Result<std::string> read_text(const std::filesystem::path& path) {
  const Result<std::vector<std::byte>> bytes = read_file(path, kMaxTextBytes);
  if (!bytes.ok()) return bytes.error();
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

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
  if (kernels > kMostNames) names.push_back(fmt::format("and {} more, which `warplens check` lists", kernels - kMostNames));
  if (names.empty()) return Error{"there is no kernel in it", module.name, "A kernel is a function declared `.entry` (in CUDA, __global__)."};
  if (name.empty() && kernels == 1) return only;
  if (const ptx::Function* function = name.empty() ? nullptr : module.find_entry(name)) return function;
  return Error{name.empty() ? std::string("there is more than one kernel in it") : fmt::format("no kernel, or more than one, is called `{}`", name),
               module.name, fmt::format("Its kernels: {}.", fmt::join(names, ", "))};
}

// Whether the arguments fit the parameters: as many, and each as wide.
Result<Done> check_arguments(const ptx::Function& entry, const std::vector<ArgumentSpec>& arguments) {
  if (arguments.size() != entry.parameters.size()) {
    return Error{fmt::format("{} takes {} arguments, {} are given", entry.plain_name, entry.parameters.size(), arguments.size()), "",
                 "Give one --arg for each parameter, in order."};
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::uint64_t parameter_bytes = entry.variables[entry.parameters[i]].bytes();
    const auto* const scalar = std::get_if<ScalarSpec>(&arguments[i]);
    const std::uint64_t bytes = scalar != nullptr ? scalar->bytes.size() : sizeof(std::uint64_t);
    if (bytes == parameter_bytes) continue;
    return Error{
        fmt::format("argument {} ({}) is {} bytes wide, the parameter is {}", i, scalar != nullptr ? scalar->type : "buf", bytes, parameter_bytes),
        "", "Pointers take a buffer; int takes i32, size_t takes u64, and so on."};
  }
  return Done{};
}

std::uint64_t bytes_needed(const std::vector<ArgumentSpec>& arguments) {
  std::uint64_t bytes = 0;
  for (const ArgumentSpec& argument : arguments) {
    const auto* const buffer = std::get_if<BufferSpec>(&argument);
    if (buffer == nullptr) continue;
    const std::uint64_t more = bytes_to_fill(*buffer);
    bytes = bytes > UINT64_MAX - more ? UINT64_MAX : bytes + more;
  }
  return bytes;
}

Result<Done> add_arguments(const std::vector<ArgumentSpec>& specs, replay::Launch& launch, UserKernelRun& run) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (const auto* const scalar = std::get_if<ScalarSpec>(&specs[i])) {
      launch.arguments.push_back(replay::ScalarArgument{scalar->bytes});
      run.buffers.push_back(std::nullopt);
      continue;
    }
    const auto& spec = std::get<BufferSpec>(specs[i]);
    Result<std::vector<std::byte>> contents = initial_contents(spec, i + 1);
    if (!contents.ok()) return contents.error();
    const std::uint32_t buffer =
        run.memory.add({.name = fmt::format("arg{}", i), .type = spec.type, .columns = spec.count, .pitch = spec.count}, std::move(*contents));
    launch.arguments.push_back(replay::BufferArgument{buffer});
    run.buffers.push_back(buffer);
  }
  return Done{};
}

// The sources that the PTX names; of those that are missing where accesses are, why.
void add_source_texts(const UserKernelRequest& request, const std::vector<std::string>& named, UserKernelRun& run) {
  std::vector<std::filesystem::path> folders{request.file.parent_path()};
  folders.insert(folders.end(), request.source_folders.begin(), request.source_folders.end());
  const std::vector<std::string> reasons = read_sources(folders, named, run.recording.files);
  std::set<std::uint32_t> used;
  for (const Site& site : run.recording.sites) used.insert(site.file);
  for (const std::uint32_t file : used) {
    if (file < reasons.size() && !reasons[file].empty()) run.unread_sources.push_back({named[file], reasons[file]});
  }
}

Result<UserKernelRun> replay_module(const UserKernelRequest& request, const ptx::Module& module, replay::Progress* progress) {
  const Result<const ptx::Function*> entry = find_entry(module, request.entry);
  if (!entry.ok()) return entry.error();
  if (const Result<Done> fits = check_arguments(**entry, request.arguments); !fits.ok()) return fits.error();
  if (const Result<Done> fits = check_memory(bytes_needed(request.arguments)); !fits.ok()) return fits.error();
  const Result<replay::Options> options =
      replay_options(request.grid, request.replay_blocks, request.event_blocks, request.cc, request.threads, progress);
  if (!options.ok()) return options.error();
  const Result<replay::Program> program = replay::Program::decode(module, (*entry)->name);
  if (!program.ok()) return program.error();

  UserKernelRun run;
  replay::Launch launch{.grid = request.grid, .block = request.block, .dynamic_shared_bytes = request.dynamic_shared_bytes, .arguments = {}};
  if (const Result<Done> added = add_arguments(request.arguments, launch, run); !added.ok()) return added.error();
  Result<Recording> recording = run_engine(request.engine, module, *program, launch, run.memory, *options);
  if (!recording.ok()) return recording.error();

  run.recording = std::move(*recording);
  run.recording.kernel = (*entry)->plain_name;
  run.recording.origin = Origin::file;
  run.recording.origin_file = request.file.filename().string();
  run.recording.ptx = module.text;
  add_source_texts(request, program->files(), run);
  for (SharedArray& array : run.recording.shared_arrays) array.name = ptx::name_of_local(array.name);
  return run;
}

Error not_enough_memory(const UserKernelRequest& request) {
  return {"not enough memory for the replay", request.file.string(), "Choose smaller buffers, or fewer blocks to keep events of."};
}

}  // namespace

Result<ptx::Module> load_ptx(const std::filesystem::path& path) {
  if (path.extension() == ".cu") {
    return Error{"this is CUDA source; PTX is what can be replayed", path.string(),
                 fmt::format("Compile it first: nvcc -O3 -lineinfo -ptx {} -o {}.", path.string(),
                             std::filesystem::path(path).replace_extension(".ptx").string())};
  }
  const Result<std::string> text = read_text(path);
  if (!text.ok()) return text.error();
  return ptx::parse(*text, path.filename().string());
}

Result<UserKernelRun> replay_user_kernel(const UserKernelRequest& request, replay::Progress* progress) {
  try {
    const Result<ptx::Module> module = load_ptx(request.file);
    if (!module.ok()) return module.error();
    return replay_module(request, *module, progress);
  } catch (const std::bad_alloc&) {
    return not_enough_memory(request);
  } catch (const std::length_error&) {  // Of a container that is asked for more than there are addresses
    return not_enough_memory(request);
  }
}

}  // namespace warplens::app
