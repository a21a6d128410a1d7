#include "app/kernel_file/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "app/kernel_file/host_launch.h"
#include "app/kernel_file/python_file.h"
#include "app/kernel_file/python_source.h"
#include "app/kernel_file/sources.h"
#include "app/kernel_file/variables.h"
#include "app/launch_form/struct_fields.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/compile/signatures.h"
#include "kernels/compile/structs.h"
#include "kernels/ptx/demangle.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kMostCudaBytes = 16u << 20;
constexpr std::uint64_t kMostPtxBytes = 256u << 20;

Result<std::string> read_text_of(const std::filesystem::path& path) {
  const Result<std::vector<std::byte>> bytes =
      read_file(path, is_source_file(path) ? kMostCudaBytes : kMostPtxBytes);
  if (!bytes.ok()) return bytes.error();
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

/// What a source tells of its kernels.
struct SourceText {
  std::vector<compile::SourceKernel> kernels;
  std::vector<compile::SourceStruct> structs;
  compile::KernelsByName by_name{{}};  ///< Of `kernels`
};
SourceText text_of_source(std::string_view source) {
  SourceText text{.kernels = compile::kernels_in(source), .structs = compile::structs_in(source)};
  text.by_name = compile::KernelsByName(text.kernels);
  return text;
}

/// Adds the kernels and structures of headers, if the source itself does not define all kernels.
void add_headers(SourceText& text, const KernelFile& opened, const ptx::Module& module) {
  const bool knows_all = std::ranges::all_of(module.functions, [&](const ptx::Function& function) {
    return !function.is_entry ||
           text.by_name.find(function.plain_name, function.parameters.size()) != nullptr;
  });
  if (knows_all) return;
  std::vector<std::string> named;
  for (const std::string& file : module.files) {
    if (std::filesystem::path(file).filename() != opened.file.filename()) named.push_back(file);
  }
  std::vector<SourceFile> headers(named.size());
  static_cast<void>(read_sources(opened.readable, named, headers));
  for (const SourceFile& header : headers) {
    for (compile::SourceKernel& kernel : compile::kernels_in(header.text)) {
      kernel.line = 0;  // Of the file that was opened
      text.kernels.push_back(std::move(kernel));
    }
    std::ranges::move(compile::structs_in(header.text), std::back_inserter(text.structs));
  }
  text.by_name = compile::KernelsByName(text.kernels);
}

/// Returns the name that arguments have for a type of PTX: "i32" for "s32".
std::string argument_type_of_ptx(std::string_view type) {
  const bool is_signed =
      type.size() > 1 && type[0] == 's' && std::isdigit(static_cast<unsigned char>(type[1])) != 0;
  return is_signed ? "i" + std::string(type.substr(1)) : std::string(type);
}

KernelParameter parameter_of(const ptx::Function& entry, std::size_t index,
                             const compile::SourceKernel* source,
                             const std::vector<compile::SourceStruct>& structs) {
  const ptx::Variable& variable = entry.variables[entry.parameters[index]];
  KernelParameter parameter{.name = name_of_parameter(entry, index), .bytes = variable.bytes()};
  if (source != nullptr && !source->parameters[index].name.empty()) {
    const compile::SourceParameter& written = source->parameters[index];
    parameter.name = written.name;
    parameter.written = written.type;
    const auto [type, depth] = pointed_at(written.type);
    parameter.is_pointer = depth > 0;
    parameter.pointer_depth = depth;
    parameter.type = argument_type(type);
    if (!parameter.type.empty() || parameter.is_pointer) return parameter;
    parameter.fields = fields_of_struct(written.type, structs, parameter.bytes);
  }
  // PTX calls all integers of a parameter unsigned.
  const bool scalar = variable.elements == 1;
  parameter.is_pointer = parameter.written.empty() && scalar && parameter.bytes == sizeof(std::uint64_t) &&
                         !ptx::is_float(variable.type);
  if (scalar) parameter.type = argument_type_of_ptx(ptx::name_of(variable.type));
  return parameter;
}

FileEntry entry_of(const ptx::Function& function, const SourceText& text, const std::string& launch_of_all) {
  FileEntry entry{.name = function.name, .plain_name = function.plain_name, .launch = launch_of_all};
  const compile::SourceKernel* const source =
      text.by_name.find(function.plain_name, function.parameters.size());
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    entry.parameters.push_back(parameter_of(function, i, source, text.structs));
  if (source != nullptr) {
    entry.line = source->line;
    if (!source->launch.empty()) entry.launch = source->launch;
  }
  const Result<LaunchForm> form = parse_form(entry.launch);
  if (form.ok() && !form->kernel.empty() &&
      ptx::comparable_name(form->kernel) != ptx::comparable_name(entry.plain_name) &&
      form->kernel != entry.name)
    entry.launch.clear();
  return entry;
}

/// What was compiled of late: numbers of a launch change more often than its source.
class CompiledSources {
 public:
  Result<compile::Compiled> of(const compile::Source& source) {
    const Key key{source.text,
                  source.name,
                  source.folder.string(),
                  source.architecture,
                  fmt::format("{}", fmt::join(source.instances, ",")),
                  compile::text_of(source.options)};
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [known, compiled] : kept_) {
        if (known == key) return compiled;
      }
    }
    Result<compile::Compiled> compiled = compile::compile(source);
    if (!compiled.ok() || source.text.find("#include \"") != std::string::npos ||
        !source.options.folders.empty() || !source.options.includes.empty())
      return compiled;  // Headers may change
    const std::lock_guard lock(mutex_);
    kept_.emplace_front(key, *compiled);
    if (kept_.size() > kMax) kept_.pop_back();
    return compiled;
  }

 private:
  using Key = std::array<std::string, 6>;
  static constexpr std::size_t kMax = 16;
  std::mutex mutex_;
  std::deque<std::pair<Key, compile::Compiled>> kept_;
};

/// The options that a text's comments name: those of the wanted kernel, else of any.
std::string options_in_comments(const std::string& text, const std::string& entry) {
  std::string named;
  for (const compile::SourceKernel& kernel : compile::kernels_in(text)) {
    if (kernel.launch.find('-') == std::string::npos) continue;
    const Result<LaunchForm> form = parse_form(kernel.launch);
    if (!form.ok() || form->options.empty()) continue;
    const bool is_wanted = kernel.name == ptx::plain_name(entry).substr(0, kernel.name.size());
    if (named.empty() || is_wanted) named = form->options;
  }
  return named;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.parent_path().empty() ? "." : file.parent_path();
}

/// Returns the options of the build, of the source's comment and of the user, the last ones last. `named`
/// takes the folders that the user names: they may be read.
Result<compile::Options> options_for(const KernelFile& opened, const FileWishes& wishes,
                                     std::vector<std::filesystem::path>& named) {
  const std::filesystem::path folder = folder_of(opened.file);
  const Result<compile::Options> own = compile::parse_options(
      compile::words_of_options(options_in_comments(opened.text, wishes.entry)), folder);
  const Result<compile::Options> users =
      compile::parse_options(compile::words_of_options(wishes.options), folder);
  for (const Result<compile::Options>* options : {&own, &users}) {
    if (options->ok()) continue;
    Error error = options->error();
    error.where = opened.file.filename().string();
    return error;
  }
  for (const std::filesystem::path& one : users->folders) {
    if (std::ranges::find(own->folders, one) == own->folders.end()) named.push_back(one);
  }
  return compile::combined(
      compile::combined(compile::options_of_build(opened.file, project_of(opened.file)), *own), *users);
}

/// `cuda`: the text to compile.
Result<Done> compile_into(KernelFile& opened, const std::string& cuda, const FileWishes& wishes) {
  static CompiledSources compiled_sources;
  const compile::Source source{.name = opened.file.filename().string(),
                               .text = cuda,
                               .folder = opened.file.parent_path().empty() ? "." : opened.file.parent_path(),
                               .readable = opened.readable,
                               .instances = wishes.instances,
                               .architecture = opened.architecture,
                               .options = opened.options,
                               .limits = {.time = wishes.compile_time},
                               .cancelled = wishes.cancelled};
  Result<compile::Compiled> compiled = compiled_sources.of(source);
  if (!compiled.ok()) return compiled.error();
  opened.ptx = std::move(compiled->ptx);
  opened.messages = std::move(compiled->messages);
  opened.compiler = std::move(compiled->compiler);
  opened.compile_seconds = compiled->seconds;
  return Done{};
}

void list_templates(KernelFile& opened, const std::vector<compile::SourceKernel>& sources) {
  std::set<std::pair<std::string_view, std::size_t>> instances;  // Names and numbers of parameters
  for (const FileEntry& entry : opened.kernels)
    instances.emplace(compile::name_in_source(entry.plain_name), entry.parameters.size());
  for (const compile::SourceKernel& source : sources) {
    const bool has_instance = instances.contains({source.name, source.parameters.size()});
    if (!source.template_arguments.empty() && !has_instance)
      opened.templates.push_back({source.name, source.template_arguments});
  }
}

/// What PTX does not tell of a kernel of Python: its line, and its parameters' names. Lines of CUDA C++
/// become those of the Python file.
void take_python_names(KernelFile& opened, const PythonUnit& python) {
  for (FileEntry& entry : opened.kernels) {
    if (entry.line > 0 && entry.line <= python.cuda.lines.size())
      entry.line = python.cuda.lines[entry.line - 1];
    if (python.ptx.empty()) continue;
    entry.line = python.line;
    entry.launch = python.launch;
    if (python.parameters.size() != entry.parameters.size()) continue;
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      const std::uint64_t bytes = entry.parameters[i].bytes;
      entry.parameters[i] = python.parameters[i];
      entry.parameters[i].bytes = bytes;
    }
  }
}

/// Returns the launch comment that somebody has added to a PTX file; empty if there is none.
std::string launch_in_ptx(const std::string& text) {
  if (text.find("warplens:") == std::string::npos) return {};
  const std::vector<compile::SourceKernel> kernels = compile::kernels_in(text + "\n__global__ void any() {}");
  return kernels.empty() ? std::string() : kernels.back().launch;
}

/// The instances of templates that their comments are for.
std::vector<std::string> instances_named_in(const std::string& text) {
  std::vector<std::string> instances;
  for (const compile::SourceKernel& kernel : compile::kernels_in(text)) {
    if (kernel.template_arguments.empty() || kernel.launch.empty()) continue;
    const Result<LaunchForm> form = parse_form(kernel.launch);
    if (form.ok() && form->kernel.starts_with(kernel.name + "<")) instances.push_back(form->kernel);
  }
  return instances;
}

/// The instances of templates that host code launches, as far as their arguments are known.
std::vector<std::string> instances_launched(const KernelFile& file) {
  std::vector<std::string> instances;
  if (!is_cuda_file(file.file)) return instances;
  const std::shared_ptr<const host::HostProgram> program = host_program_of(file);
  for (const host::Launch& launch : program->launches) {
    const std::string& arguments = launch.template_arguments;
    const bool is_whole = !arguments.empty() && !arguments.starts_with(',') && !arguments.ends_with(',') &&
                          arguments.find(",,") == std::string::npos;
    std::string instance = fmt::format("{}<{}>", launch.kernel, arguments);
    if (is_whole && std::ranges::find(instances, instance) == instances.end())
      instances.push_back(std::move(instance));
  }
  return instances;
}

/// Text of somebody's editor: without the byte order mark that Windows programs begin a file with.
std::string without_byte_order_mark(std::string text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : std::move(text);
}

}  // namespace

std::string name_of_ptx(const std::filesystem::path& file) {
  return (is_source_file(file) ? file.filename().replace_extension(".ptx") : file.filename()).string();
}

Result<ptx::Module> load_ptx(const std::filesystem::path& path) {
  if (is_source_file(path)) {
    const Result<KernelFile> file = open_kernel_file(path);
    if (!file.ok()) return file.error();
    if (file->ptx.empty()) return error_of(*file);
    return ptx::parse(file->ptx, name_of_ptx(path));
  }
  const Result<std::string> text = read_text_of(path);
  if (!text.ok()) return text.error();
  return ptx::parse(*text, path.filename().string());
}

std::string name_of_parameter(const ptx::Function& entry, std::size_t index) {
  const std::string& name = entry.variables[entry.parameters[index]].name;
  return name.starts_with(entry.name + "_") ? name.substr(entry.name.size() + 1) : name;
}

bool is_source_file(const std::filesystem::path& path) {
  return is_cuda_file(path) || is_python_file(path);
}

bool is_cuda_file(const std::filesystem::path& path) {
  const std::filesystem::path extension = path.extension();
  return extension == ".cu" || extension == ".cuh";
}

Result<KernelFile> open_kernel_file(const std::filesystem::path& file, const FileWishes& wishes,
                                    ptx::Module* parsed) {
  KernelFile opened{.file = file};
  const Result<std::string> text = wishes.text ? Result<std::string>(*wishes.text) : read_text_of(file);
  if (!text.ok()) return text.error();
  opened.text = without_byte_order_mark(*text);
  PythonUnit python;
  if (is_python_file(file)) {
    Result<PythonUnit> unit = python_unit(file, opened.text, wishes);
    if (!unit.ok()) return unit.error();
    python = *std::move(unit);
  }
  const std::string& cuda = is_python_file(file) ? python.cuda.text : opened.text;
  if (!python.ptx.empty()) {
    opened.architecture = python.architecture;
    opened.ptx = wishes.ptx.value_or(python.ptx);
    opened.compiler = python.compiler;
  } else if (is_source_file(file)) {
    opened.architecture = architecture_for(cuda, wishes.entry, wishes.architecture, wishes.cc);
  } else {
    opened.ptx = opened.text;
  }
  if (is_source_file(file) && opened.ptx.empty() && wishes.ptx) {
    opened.ptx = *wishes.ptx;
    opened.compiler = "nvcc";
  } else if (opened.ptx.empty() && is_source_file(file)) {
    FileWishes all = wishes;
    Result<compile::Options> options = options_for(opened, wishes, all.source_folders);
    if (!options.ok()) return options.error();
    opened.options = *std::move(options);
    opened.users_options = wishes.options;
    opened.readable = readable_folders(file, all.source_folders);
    for (std::string& instance : instances_named_in(cuda)) all.instances.push_back(std::move(instance));
    all.instances.insert(all.instances.end(), python.cuda.instances.begin(), python.cuda.instances.end());
    const std::vector<std::string> launched = instances_launched(opened), asked = all.instances;
    all.instances.insert(all.instances.end(), launched.begin(), launched.end());
    if (const Result<Done> compiled = compile_into(opened, cuda, all); !compiled.ok())
      return compiled.error();
    if (opened.ptx.empty() && !launched.empty()) {  // Their names may mean nothing outside of host functions
      all.instances = asked;
      if (const Result<Done> compiled = compile_into(opened, cuda, all); !compiled.ok())
        return compiled.error();
    }
    if (opened.ptx.empty()) return opened;
  }
  Result<ptx::Module> module = ptx::parse(opened.ptx, file.filename().replace_extension(".ptx").string());
  if (!module.ok()) return module.error();
  SourceText source;
  if (opened.is_cuda()) {
    source = text_of_source(cuda);
    add_headers(source, opened, *module);
  }
  const std::string launch = opened.is_cuda() ? std::string() : launch_in_ptx(opened.text);
  for (const ptx::Function& function : module->functions) {
    if (function.is_entry) opened.kernels.push_back(entry_of(function, source, launch));
  }
  if (is_cuda_file(file)) {
    const std::shared_ptr<const host::HostProgram> program = host_program_of(opened);
    for (FileEntry& entry : opened.kernels) entry.launches = file_launches_of(*program, entry);
  }
  take_python_names(opened, python);
  opened.variables = variables_in(*module);
  std::ranges::stable_sort(opened.kernels, {}, [](const FileEntry& entry) { return entry.line; });
  list_templates(opened, source.kernels);
  if (parsed != nullptr) *parsed = *std::move(module);
  return opened;
}

std::string architecture_for(const std::string& text, const std::string& entry, const std::string& asked,
                             analysis::ComputeCapability cc) {
  if (!asked.empty()) return asked;
  std::string named;
  for (const compile::SourceKernel& kernel : compile::kernels_in(text)) {
    if (kernel.launch.find("arch=") == std::string::npos) continue;
    const Result<LaunchForm> form = parse_form(kernel.launch);
    if (!form.ok() || form->architecture.empty()) continue;
    const bool is_wanted = kernel.name == ptx::plain_name(entry).substr(0, kernel.name.size());
    if (named.empty() || is_wanted) named = form->architecture;
  }
  return named.empty() ? compile::architecture_of(cc.major, cc.minor) : named;
}

std::optional<std::string> options_for_project(const std::string& options,
                                               const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(folder_of(file), error).lexically_normal();
  const Result<compile::Options> known = compile::parse_options(compile::words_of_options(options), folder);
  return known.ok() ? std::optional(compile::text_of(*known)) : std::nullopt;
}

std::filesystem::path project_of(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  constexpr std::array kRepositories{".git", ".hg", ".svn"};
  constexpr std::array kBuilds{"CMakeLists.txt", "Makefile", "compile_commands.json"};
  std::error_code error;
  const fs::path own = fs::weakly_canonical(file.parent_path().empty() ? "." : file.parent_path(), error);
  const char* const variable = std::getenv("HOME");
  const fs::path home = variable != nullptr ? variable : "";  // Some keep all of it under version control
  const auto nearest_with = [&](const auto& names) -> fs::path {
    for (fs::path above = own; above.has_relative_path() && above != home; above = above.parent_path()) {
      if (std::ranges::any_of(names, [&](const char* name) { return fs::exists(above / name, error); }))
        return above;
    }
    return {};
  };
  if (const fs::path repository = nearest_with(kRepositories); !repository.empty()) return repository;
  const fs::path built = nearest_with(kBuilds);
  return built.empty() ? own : built;
}

std::vector<std::filesystem::path> readable_folders(const std::filesystem::path& file,
                                                    const std::vector<std::filesystem::path>& named) {
  const std::filesystem::path own = file.parent_path().empty() ? "." : file.parent_path();
  std::vector<std::filesystem::path> folders{own};
  if (std::filesystem::path project = project_of(file); project != own) folders.push_back(std::move(project));
  folders.insert(folders.end(), named.begin(), named.end());
  return folders;
}

Error error_of(const KernelFile& file) {
  return compile::error_of({.ptx = {}, .messages = file.messages, .compiler = file.compiler},
                           {.name = file.file.filename().string()});
}

}  // namespace warplens::app
