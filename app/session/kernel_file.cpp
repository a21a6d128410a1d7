#include "app/session/kernel_file.h"

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

#include "app/session/host_launch.h"
#include "app/session/python_file.h"
#include "app/session/python_source.h"
#include "app/session/sources.h"
#include "app/session/struct_fields.h"
#include "app/session/variables.h"
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

/// As arguments name a type of PTX: "i32" for "s32".
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

/// Those of the build, of the source's comment and of the user, the last ones last. `named` takes the folders
/// that the user names: they may be read.
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

/// Of a PTX file, to which one may have added it.
std::string launch_in_ptx(const std::string& text) {
  if (text.find("warplens:") == std::string::npos) return {};
  const std::vector<compile::SourceKernel> kernels = compile::kernels_in(text + "\n__global__ void any() {}");
  return kernels.empty() ? std::string() : kernels.back().launch;
}

Error no_kernel(const KernelFile& file) {
  std::vector<std::string> templates;
  for (const FileTemplate& one : file.templates)
    templates.push_back(fmt::format("{}<{}>", one.name, one.arguments));
  return {tr("there is no kernel in it"), file.file.filename().string(),
          templates.empty()
              ? tr("A kernel is a function declared `.entry` (in CUDA, __global__).")
              : tr("It has templates of kernels, {templates}: name an instance, such as {example}.",
                   "templates"_a = fmt::format("{}", fmt::join(templates, ", ")),
                   "example"_a = file.templates.front().example())};
}

LaunchForm overlaid(LaunchForm form, const LaunchForm& over) {
  for (const char* name : {"m", "p", "n"}) {
    if (over.size && form.find(name) != nullptr) form.set(name, std::to_string(*over.size));
  }
  for (const FormField* field : {&over.grid, &over.block, &over.shared}) {
    if (!field->text.empty()) form.set(field->name, field->text, field->guessed);
  }
  for (const FormField& field : over.fields) {
    if (field.name.empty()) {
      form.fields.push_back(field);
    } else {
      form.set(field.name, field.text) = field;  // The window's form is it
    }
  }
  if (!over.kernel.empty()) form.kernel = over.kernel;
  if (!over.product.empty()) form.product = over.product;
  if (!over.expect.empty()) form.expect = over.expect;
  if (!over.architecture.empty()) form.architecture = over.architecture;
  if (!over.options.empty()) form.options = over.options;
  return form;
}

/// Files that the source's comment names are read as its includes are: from its own folder and its project,
/// and the folders that the user names. A relative path is one from the source.
Result<Done> confine_files(std::vector<NamedArgument>& arguments, const std::string& prefix,
                           const LaunchForm& form, const KernelFile& file,
                           const std::vector<std::filesystem::path>& source_folders) {
  for (NamedArgument& argument : arguments) {
    auto* const buffer = std::get_if<BufferSpec>(&argument.value);
    const FormField* const field = form.find(prefix + argument.name);
    if (buffer == nullptr || buffer->fill != Fill::file || field == nullptr || !field->of_comment) continue;
    if (buffer->file.is_relative()) buffer->file = file.file.parent_path() / buffer->file;
    if (lies_in_any(buffer->file, readable_folders(file.file, source_folders))) continue;
    return outside_of_readable_folders(buffer->file);
  }
  return Done{};
}

Result<Done> work_out(LaunchRequest& request, const LaunchForm& form, const KernelFile& file,
                      const FileEntry& entry) {
  request.values = values_of(form);
  const Result<Dim3> grid = extent_of(form.grid, request.values),
                     block = extent_of(form.block, request.values);
  const Result<std::uint32_t> shared = shared_bytes_of(form, request.values);
  if (!grid.ok()) return grid.error();
  if (!block.ok()) return block.error();
  if (!shared.ok()) return shared.error();
  Result<std::vector<NamedArgument>> arguments = arguments_of(form, entry.parameters);
  if (!arguments.ok()) return arguments.error();
  request.shape = {.grid = *grid, .block = *block, .dynamic_shared_bytes = *shared};
  request.arguments = *std::move(arguments);
  Result<std::vector<NamedArgument>> variables = variables_of(form, file.variables);
  if (!variables.ok()) return variables.error();
  request.variables = *std::move(variables);
  if (Result<Done> added = add_buffers_besides(request.arguments, request.variables, form); !added.ok())
    return added;
  const std::vector<std::filesystem::path>& folders = request.file_kernel()->source_folders;
  for (const Result<Done>& confined :
       {confine_files(request.arguments, "", form, file, folders),
        confine_files(request.variables, std::string(kVariablePrefix), form, file, folders)}) {
    if (!confined.ok()) return confined;
  }
  request.expect = form.expect;
  if (form.product.empty()) return Done{};
  const Result<ProductNames> product = parse_product(form.product);
  if (!product.ok()) return product.error();
  request.product = *product;
  return Done{};
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

/// The architecture to compile a text for: the one that is asked for, that the comment of the wanted kernel
/// names, or else any kernel's, or that of the compute capability.
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

/// Text of somebody's editor: without the byte order mark that Windows programs begin a file with.
std::string without_byte_order_mark(std::string text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : std::move(text);
}

std::vector<std::string> instances_of(const std::string& entry) {
  return entry.find('<') == std::string::npos ? std::vector<std::string>{} : std::vector{entry};
}

/// "int T, bool B": at commas outside of brackets, without spaces before them.
std::vector<std::string> parts_of_arguments(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

/// Whether "k<L2,float>" may ask for "k<(Metric)1,float>": the source has names for enumerators, the PTX
/// their types and values.
bool may_be_called(const std::string& plain, const std::string& wanted) {
  const std::size_t open = plain.find('<');
  if (open == std::string::npos || !plain.ends_with('>') || !wanted.ends_with('>') ||
      wanted.substr(0, open + 1) != plain.substr(0, open + 1))
    return false;
  const auto arguments = [&](const std::string& name) {
    return parts_of_arguments(std::string_view(name).substr(open + 1, name.size() - open - 2));
  };
  return std::ranges::equal(
      arguments(plain), arguments(wanted), [](const std::string& has, const std::string& asks) {
        const bool is_name = !asks.empty() && std::isalpha(static_cast<unsigned char>(asks.front())) != 0 &&
                             asks != "true" && asks != "false";
        return has == asks || (has.starts_with('(') && is_name);
      });
}

}  // namespace

std::string FileTemplate::example() const {
  std::vector<std::string> values;
  for (const std::string& argument : parts_of_arguments(arguments)) {
    const bool is_type = argument.starts_with("typename") || argument.starts_with("class ");
    values.emplace_back(is_type ? "float" : argument.starts_with("bool ") ? "true" : "16");
  }
  return fmt::format("{}<{}>", name, fmt::join(values, ","));
}

const FileEntry* KernelFile::find(const std::string& name) const {
  const FileEntry* found = nullptr;
  for (const FileEntry& entry : kernels) {
    if (entry.name == name) return &entry;
    const std::string plain = ptx::comparable_name(entry.plain_name), wanted = ptx::comparable_name(name);
    if (plain != wanted && plain.substr(0, plain.find('<')) != wanted) continue;
    if (found != nullptr) return nullptr;
    found = &entry;
  }
  if (found != nullptr) return found;
  const auto has_base_name = [&](const FileEntry& entry) { return ptx::base_name(entry.plain_name) == name; };
  if (std::ranges::count_if(kernels, has_base_name) == 1)
    return &*std::ranges::find_if(kernels, has_base_name);
  if (!is_cuda()) return nullptr;
  // The instance that was asked for is among those that were compiled
  const auto is_asked_for = [&](const FileEntry& entry) {
    return may_be_called(ptx::comparable_name(entry.plain_name), ptx::comparable_name(name));
  };
  const auto first = std::ranges::find_if(kernels, is_asked_for);
  return std::ranges::count_if(kernels, is_asked_for) == 1 ? &*first : nullptr;
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
  if (opened.is_cuda()) source = text_of_source(cuda);
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

std::string architecture_of(const LaunchRequest& request) {
  const FileKernel* const kernel = request.file_kernel();
  if (kernel == nullptr || !is_source_file(kernel->file)) return {};
  return architecture_for(kernel->cuda, kernel->entry,
                          request.form ? request.form->architecture : std::string(), request.cc);
}

LaunchRequest compiled_for_gpu(LaunchRequest request, std::span<const gpu::Gpu> gpus) {
  if (gpus.empty() ||
      architecture_of(request) != compile::architecture_of(request.cc.major, request.cc.minor))
    return request;
  const analysis::ComputeCapability device{gpus.front().cc_major, gpus.front().cc_minor};
  if (!(device < request.cc)) return request;
  if (!request.form) request.form.emplace();
  request.form->architecture = compile::architecture_of(device.major, device.minor);
  return request;
}

Error error_of(const KernelFile& file) {
  return compile::error_of({.ptx = {}, .messages = file.messages, .compiler = file.compiler},
                           {.name = file.file.filename().string()});
}

const FileEntry* first_entry(const KernelFile& file) {
  const auto says =
      std::ranges::find_if(file.kernels, [](const FileEntry& entry) { return !entry.launch.empty(); });
  if (says != file.kernels.end()) return &*says;
  const FileEntry* const launched = first_launched(file);
  return launched != nullptr || file.kernels.empty() ? launched : &file.kernels.front();
}

Result<const FileEntry*> choose_entry(const KernelFile& file, const std::string& entry) {
  if (file.kernels.empty()) return no_kernel(file);
  if (!entry.empty()) {
    if (const FileEntry* const found = file.find(entry)) return found;
  } else if (file.kernels.size() == 1) {
    return &file.kernels.front();
  } else {
    const auto says = [](const FileEntry& one) { return !one.launch.empty(); };
    const auto saying = std::ranges::count_if(file.kernels, says);
    if (saying == 1) return &*std::ranges::find_if(file.kernels, says);
    const FileEntry* const first = saying == 0 ? first_launched(file) : nullptr;
    if (first != nullptr) return first;
  }
  constexpr std::size_t kMostNames = 12;
  std::vector<std::string> names;
  for (const FileEntry& one : file.kernels) {
    if (names.size() < kMostNames) names.push_back(one.plain_name);
  }
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  const std::size_t more = file.kernels.size() - names.size();
  return Error{entry.empty() ? tr("there is more than one kernel in it")
                             : tr("no kernel, or more than one, is called `{name}`", "name"_a = entry),
               file.file.filename().string(),
               more > 0 ? tr_n(more, "Its kernels: {kernels}, and {n} more, which `warplens check` lists.",
                               "Its kernels: {kernels}, and {n} more, which `warplens check` lists.",
                               "kernels"_a = listed)
                        : tr("Its kernels: {kernels}.", "kernels"_a = listed)};
}

Result<LaunchRequest> resolved(LaunchRequest request, const std::atomic<bool>* cancelled) {
  FileKernel* const kernel = std::get_if<FileKernel>(&request.origin);
  if (kernel == nullptr || (!request.form && (!is_source_file(kernel->file) || !kernel->text.empty())))
    return request;
  const LaunchForm over = request.form.value_or(LaunchForm{});
  FileWishes wishes{.text = {},
                    .ptx = {},
                    .instances = instances_of(kernel->entry),
                    .entry = kernel->entry,
                    .architecture = over.architecture,
                    .options = over.options,
                    .cc = request.cc,
                    .source_folders = kernel->source_folders,
                    .compile_time = kernel->compile_time,
                    .run_python = kernel->run_python,
                    .arguments = over.fields,
                    .cancelled = cancelled};
  if (!kernel->cuda.empty()) wishes.text = kernel->cuda;
  if (!kernel->text.empty()) (kernel->cuda.empty() ? wishes.text : wishes.ptx) = kernel->text;
  const Result<KernelFile> file = open_kernel_file(kernel->file, wishes);
  if (!file.ok()) return file.error();
  if (file->ptx.empty()) return error_of(*file);
  const Result<const FileEntry*> entry = choose_entry(*file, kernel->entry);
  if (!entry.ok()) return entry.error();
  kernel->entry = (*entry)->name;
  kernel->parameters.clear();
  for (const KernelParameter& parameter : (*entry)->parameters) kernel->parameters.push_back(parameter.name);
  if (file->is_cuda()) {
    kernel->text = file->ptx;
    kernel->sources.push_back({compile::name_in_line_table(kernel->file), file->text});
    kernel->source_folders = readable_folders(kernel->file, kernel->source_folders);
  }
  if (!request.form) return request;
  const Result<LaunchForm> own = parse_form((*entry)->launch);
  if (!own.ok()) return own.error();
  request.form.reset();
  LaunchForm form = overlaid(*own, over);
  const bool is_by_order =
      std::ranges::any_of(form.fields, [](const FormField& field) { return field.name.empty(); });
  if (!is_by_order) read_host_launch(form, *file, **entry);
  const Result<Done> done = work_out(request, form, *file, **entry);
  if (!done.ok()) return done.error();
  return request;
}

namespace {

/// What the catalogue calls such a product, which cuBLAS may know by that name.
std::string value_type_of_product(ElementType operand, ElementType result) {
  const auto known = std::ranges::find_if(
      value_types(), [&](const ValueType& type) { return type.operand == operand && type.result == result; });
  if (known != value_types().end()) return known->name;
  return fmt::format("{} to {}", name_of(operand), name_of(result));
}

}  // namespace

std::optional<Problem> product_of(const LaunchRequest& request) {
  if (!request.product) return std::nullopt;
  const auto buffer_of = [&](const std::string& name) {
    const auto found = std::ranges::find(request.arguments, name, &NamedArgument::name);
    return found == request.arguments.end() ? nullptr : std::get_if<BufferSpec>(&found->value);
  };
  const BufferSpec* const a = buffer_of(request.product->a);
  const BufferSpec* const c = buffer_of(request.product->c);
  if (a == nullptr || c == nullptr) return std::nullopt;
  const auto columns_of = [](const BufferSpec& buffer) {
    return buffer.columns == 0 ? buffer.count : buffer.columns;
  };
  return Problem{.m = a->rows,
                 .p = columns_of(*a),
                 .n = columns_of(*c),
                 .parameters = {},
                 .value_type = value_type_of_product(a->type, c->type)};
}

}  // namespace warplens::app
