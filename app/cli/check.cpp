#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/cli/slow_notice.h"
#include "app/kernel_file/kernel_file.h"
#include "app/launch/launch.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/ptx/demangle.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/replay/decode/refusals.h"
#include "kernels/replay/program.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

struct ParameterCheck {
  std::string name, type;  ///< As the source writes it, else PTX's
  std::uint64_t bytes = 0;
  std::vector<std::string> arguments;  ///< What --arg takes for it; empty: it cannot give it
};

struct EntryCheck {
  const ptx::Function* entry = nullptr;
  std::vector<ParameterCheck> parameters;
  std::map<std::string, std::uint64_t> registers;  ///< By type
  std::uint64_t shared_bytes = 0;                  ///< Static
  bool dynamic_shared = false;                     ///< It names dynamic shared memory
  std::map<std::string, std::map<std::string, std::uint64_t>>
      accesses;  ///< Instructions by space and operation
  std::vector<replay::Unsupported> unsupported;
};

/// Returns the name of the space of a module's variable.
const char* space_of(ptx::StateSpace space) {
  switch (space) {
    case ptx::StateSpace::global: return "global";
    case ptx::StateSpace::constant: return "constant";
    case ptx::StateSpace::shared: return "shared";
    default: return nullptr;
  }
}

const char* space_name(ptx::StateSpace space) {
  switch (space) {
    case ptx::StateSpace::generic: return "generic";
    case ptx::StateSpace::global: return "global";
    case ptx::StateSpace::shared: return "shared";
    case ptx::StateSpace::local: return "local";
    default: return nullptr;  // Constants, parameters and registers are not what the memory model is about
  }
}

void count_accesses(const ptx::Function& entry, EntryCheck& check) {
  for (const ptx::Instruction& instruction : entry.instructions) {
    const std::optional<AccessOp> op = replay::access_op(instruction);
    if (!op) continue;
    const bool between_spaces = op == AccessOp::cp_async || ptx::is_bulk_copy(instruction);
    if (between_spaces && instruction.space != instruction.to_space) {  // Reads one space, writes the other
      ++check.accesses["global"][name_of(*op)];
      ++check.accesses["shared"][name_of(*op)];
    } else if (const char* const space = op == AccessOp::wgmma ? "shared" : space_name(instruction.space)) {
      ++check.accesses[space][name_of(*op)];
    }
  }
}

/// What is to be written for a value: "i32:VALUE".
std::string spec_of(const std::string& type, std::uint64_t bytes) {
  const bool is_known = !type.empty() && parse_element_type(std::string_view(type).substr(0, type.find('x')));
  return is_known ? type + (type.find('x') == std::string::npos ? ":VALUE" : ":VALUE,..")
                  : fmt::format("bytes:HEX ({} bytes)", bytes);
}

/// What is to be written for a pointer: "f32[COUNT]". What it points at may have no name.
std::string spec_of_pointer(const std::string& type, int depth) {
  const std::string element = parse_element_type(std::string_view(type).substr(0, type.find('x')))
                                  ? type.substr(0, type.find('x'))
                                  : "TYPE";
  return element + (depth > 1 ? "*[ROWS][COUNT]" : "[COUNT]");
}

/// What is to be written for a texture or surface: "tex2d:TYPE[ROWS][COLUMNS]".
std::string spec_of(const replay::HandleUse& use) {
  using G = ptx::TextureGeometry;
  const auto extents = [&]() -> const char* {
    switch (use.geometry) {
      case G::one: return use.by_index ? "1d:TYPE[COUNT],memory" : "1d:TYPE[COUNT]";
      case G::three: return "3d:TYPE[SLICES][ROWS][COLUMNS]";
      case G::layered_one: return "a1d:TYPE[LAYERS][COUNT]";
      case G::layered_two: return "a2d:TYPE[LAYERS][ROWS][COLUMNS]";
      case G::cube: return "cube:TYPE[6][N][N]";
      case G::layered_cube: return "acube:TYPE[6*LAYERS][N][N]";
      case G::two:
      case G::none: break;
    }
    return "2d:TYPE[ROWS][COLUMNS]";
  };
  return std::string(use.is_surface ? "surf" : "tex") + extents();
}

/// `use`: of a texture or surface, as far as it is known; else null.
ParameterCheck check_parameter(const ptx::Variable& variable, const KernelParameter& parameter,
                               const replay::HandleUse* use) {
  constexpr std::uint64_t kMaxBytes =
      32764;  // Of all parameters of a kernel (CUDA C++ Programming Guide, "Function Parameters")
  ParameterCheck check{
      .name = parameter.name, .type = parameter.written, .bytes = parameter.bytes, .arguments = {}};
  if (check.type.empty()) {
    check.type = variable.elements == 1
                     ? std::string(ptx::name_of(variable.type))
                     : fmt::format("{}[{}]", ptx::name_of(variable.type), variable.elements);
  }
  if (parameter.bytes == 0 || parameter.bytes > kMaxBytes) return check;
  const bool is_surface = parameter.written == "cudaSurfaceObject_t";
  if (use != nullptr || is_surface || parameter.written == "cudaTextureObject_t") {
    const replay::HandleUse unused{.is_surface = is_surface};
    check.arguments.push_back(fmt::format("{}={}", parameter.name, spec_of(use != nullptr ? *use : unused)));
    return check;
  }
  if (variable.pointee == ptx::StateSpace::shared) {  // A __local argument of OpenCL
    check.arguments.push_back(
        fmt::format("{}=u{}:ADDRESS_IN_SHARED_MEMORY", parameter.name, 8 * parameter.bytes));
    return check;
  }
  if (parameter.is_pointer) {
    check.arguments.push_back(
        fmt::format("{}={}", parameter.name,
                    spec_of_pointer(parameter.written.empty() ? std::string() : parameter.type,
                                    parameter.pointer_depth)));
    if (parameter.written.empty()) check.arguments.push_back(fmt::format("{}=u64:VALUE", parameter.name));
    return check;
  }
  for (const ParameterField& field : parameter.fields) {
    const std::string spec = field.pointer_depth > 0 ? spec_of_pointer(field.type, field.pointer_depth)
                                                     : spec_of(field.type, field.bytes);
    check.arguments.push_back(fmt::format("{}.{}={}", parameter.name, field.name, spec));
  }
  if (parameter.fields.empty()) {
    // PTX calls all integers unsigned
    const bool is_number = parameter.written.empty() && parameter.type.size() > 1 && parameter.type[0] == 'b';
    check.arguments.push_back(
        fmt::format("{}={}", parameter.name,
                    spec_of(is_number ? "u" + parameter.type.substr(1) : parameter.type, parameter.bytes)));
  }
  return check;
}

Result<EntryCheck> check_entry(const ptx::Module& module, const ptx::Function& entry,
                               const FileEntry* known) {
  EntryCheck check{.entry = &entry};
  Result<replay::Inspection> inspection = replay::inspect(module, entry);
  if (!inspection.ok()) return inspection.error();
  for (std::size_t i = 0; known != nullptr && i < entry.parameters.size(); ++i) {
    const auto use = std::ranges::find(inspection->handles, i, &replay::HandleUse::parameter);
    const bool is_handle = use != inspection->handles.end();
    check.parameters.push_back(check_parameter(entry.variables[entry.parameters[i]], known->parameters[i],
                                               is_handle ? &*use : nullptr));
  }
  for (const ptx::Register& reg : entry.registers) ++check.registers[std::string(ptx::name_of(reg.type))];
  count_accesses(entry, check);
  for (const ptx::Variable& variable : entry.variables)
    check.dynamic_shared |= variable.space == ptx::StateSpace::shared && variable.is_extern;
  check.shared_bytes = inspection->static_shared_bytes;
  check.unsupported = std::move(inspection->unsupported);
  return check;
}

std::string source_place(const ptx::Module& module, const replay::Unsupported& unsupported) {
  return unsupported.file < module.files.size()
             ? std::filesystem::path(module.files[unsupported.file]).filename().string()
             : std::string();
}

/// How many instructions of each kind it cannot run, by the kind's name.
std::map<std::string, std::uint64_t> kinds_of(const EntryCheck& check) {
  std::map<std::string, std::uint64_t> kinds;
  for (const replay::Unsupported& one : check.unsupported) ++kinds[replay::name_of(one.kind)];
  return kinds;
}

ordered_json extents_json(const std::array<std::uint32_t, 3>& extents) {
  return extents[0] == 0 ? ordered_json(nullptr) : ordered_json(extents);
}
ordered_json number_json(std::uint32_t number) {
  return number == 0 ? ordered_json(nullptr) : ordered_json(number);
}

ordered_json parameters_json(const EntryCheck& check) {
  ordered_json parameters = ordered_json::array();
  for (const ParameterCheck& one : check.parameters) {
    parameters.push_back({{"name", one.name},
                          {"type", one.type},
                          {"bytes", one.bytes},
                          {"can_be_given", !one.arguments.empty()},
                          {"arg", one.arguments}});
  }
  return parameters;
}

struct VariableCheck {
  std::string name, type;
  const ptx::Variable* variable = nullptr;
};
bool is_used(const ptx::Module& module, const ptx::Variable& variable) {
  return std::ranges::any_of(module.functions, [&](const ptx::Function& function) {
    return std::ranges::find(function.variables, variable.name, &ptx::Variable::name) !=
           function.variables.end();
  });
}

/// Returns the module's variables that have a name in the source: neither its texts, nor what headers of the
/// C++ library leave in it, such as `std::true_type::value`.
std::vector<VariableCheck> variables_of(const ptx::Module& module) {
  std::vector<VariableCheck> variables;
  for (const ptx::Variable& variable : module.variables) {
    const bool is_text = variable.name.starts_with('$') || variable.name.starts_with("__unnamed");
    if (is_text || space_of(variable.space) == nullptr) continue;
    if (variable.name.starts_with("_ZNSt") && !is_used(module, variable)) continue;
    const std::string type(ptx::name_of(variable.type));
    variables.push_back({ptx::plain_name(variable.name),
                         variable.elements == 1 ? type : fmt::format("{}[{}]", type, variable.elements),
                         &variable});
  }
  return variables;
}

ordered_json variables_json(const ptx::Module& module) {
  ordered_json variables = ordered_json::array();
  for (const VariableCheck& one : variables_of(module)) {
    variables.push_back({{"name", one.name},
                         {"mangled", one.variable->name},
                         {"space", space_of(one.variable->space)},
                         {"type", one.type},
                         {"bytes", one.variable->bytes()}});
  }
  return variables;
}

ordered_json entry_json(const ptx::Module& module, const EntryCheck& check) {
  ordered_json unsupported = ordered_json::array();
  for (const replay::Unsupported& one : check.unsupported) {
    unsupported.push_back({{"ptx_line", one.ptx_line},
                           {"file", source_place(module, one)},
                           {"line", one.line},
                           {"text", one.text},
                           {"reason", one.reason}});
  }
  return {{"entry", check.entry->plain_name},
          {"mangled", check.entry->name},
          {"registers", check.registers},
          {"shared_bytes", check.shared_bytes},
          {"dynamic_shared", check.dynamic_shared},
          {"accesses", check.accesses},
          {"unsupported", std::move(unsupported)},
          {"unsupported_kinds", kinds_of(check)},
          {"parameters", parameters_json(check)},
          {"launch_bounds",
           {{"most_threads", extents_json(check.entry->bounds.most_threads)},
            {"required_threads", extents_json(check.entry->bounds.required_threads)},
            {"fewest_blocks", number_json(check.entry->bounds.min_blocks)},
            {"most_registers", number_json(check.entry->bounds.max_registers)}}}};
}

void print_counts(std::ostream& out, const std::string& name,
                  const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [of, count] : counts) parts.push_back(fmt::format("{} {}", with_thousands(count), of));
  out << fmt::format("  {:<15}{}\n", name, fmt::join(parts, ", "));
}

void print_parameters(std::ostream& out, const EntryCheck& check) {
  constexpr std::size_t kMostShown = 8, kLongestShown = 256;
  for (const ParameterCheck& one : check.parameters) {
    std::vector<std::string> arguments;
    for (const std::string& argument : one.arguments) {
      if (arguments.size() < kMostShown) arguments.push_back("--arg " + escaped(argument));
    }
    if (one.arguments.size() > kMostShown)
      arguments.push_back(fmt::format("and {} more", one.arguments.size() - kMostShown));
    const bool is_pointer_or_number = one.arguments.size() == 2 && one.type == "u64";
    out << fmt::format("  parameter      {} {}, {} bytes: {}\n", cut_at_end(escaped(one.type), kLongestShown),
                       cut_at_end(escaped(one.name), kLongestShown), with_thousands(one.bytes),
                       arguments.empty()
                           ? "--arg cannot give it"
                           : fmt::format("{}", fmt::join(arguments, is_pointer_or_number ? " or " : " ")));
  }
}

void print_bounds(std::ostream& out, const ptx::LaunchBounds& bounds) {
  std::vector<std::string> parts;
  const auto add_threads = [&](const char* what, const std::array<std::uint32_t, 3>& extents) {
    if (extents[0] != 0)
      parts.push_back(
          fmt::format("{} {} x {} x {} threads per block", what, extents[0], extents[1], extents[2]));
  };
  add_threads("at most", bounds.most_threads);
  add_threads("exactly", bounds.required_threads);
  if (bounds.min_blocks != 0)
    parts.push_back(fmt::format("at least {} blocks per multiprocessor", bounds.min_blocks));
  if (bounds.max_registers != 0)
    parts.push_back(fmt::format("at most {} registers per thread", bounds.max_registers));
  if (!parts.empty()) out << fmt::format("  launch bounds  {}\n", fmt::join(parts, ", "));
}

void print_variables(std::ostream& out, const ptx::Module& module) {
  const std::vector<VariableCheck> variables = variables_of(module);
  if (!variables.empty()) out << "variables\n";
  for (const VariableCheck& one : variables) {
    const bool is_extern = one.variable->elements == 0;
    out << fmt::format("  {:<14} {} {}, {}\n", space_of(one.variable->space), one.type, escaped(one.name),
                       is_extern ? "as the launch gives" : with_thousands(one.variable->bytes()) + " bytes");
  }
}

/// Prints the templates of which the file asks for no instance.
void print_templates(std::ostream& out, const std::vector<FileTemplate>& templates) {
  for (const FileTemplate& one : templates) {
    out << fmt::format(
        "{}<{}>\n  a template: the file asks for no instance of it; `--entry '{}'` of the other commands "
        "does\n",
        escaped(one.name), escaped(one.arguments), escaped(one.example()));
  }
}

void print_entry(std::ostream& out, const ptx::Module& module, const EntryCheck& check) {
  constexpr std::size_t kLongestShown = 1024;
  out << cut_at_end(escaped(check.entry->plain_name), kLongestShown) << '\n';
  print_counts(out, "registers", check.registers);
  out << fmt::format("  shared memory  {} bytes{}\n", with_thousands(check.shared_bytes),
                     check.dynamic_shared ? ", and what the launch gives" : "");
  for (const auto& [space, operations] : check.accesses) print_counts(out, space, operations);
  print_parameters(out, check);
  print_bounds(out, check.entry->bounds);
  if (check.unsupported.empty()) out << "  the replay can run all of it\n";
  if (!check.unsupported.empty()) print_counts(out, "cannot run", kinds_of(check));
  for (const replay::Unsupported& one : check.unsupported) {
    out << fmt::format("  PTX line {}, {}:{}: `{}`: {}\n", one.ptx_line, escaped(source_place(module, one)),
                       one.line, cut_at_end(escaped(one.text), kLongestShown), one.reason);
  }
}

/// What was taken and what was left out to compile it.
std::vector<std::string> notes_of(const KernelFile& file) {
  std::vector<std::string> notes;
  for (const compile::Message& message : file.messages) {
    const bool is_note = message.severity == compile::Severity::remark && message.line == 0;
    if (is_note || message.is_left_out)
      notes.push_back(is_note ? message.text
                              : fmt::format("{}:{}: {}", message.file, message.line, message.text));
  }
  return notes;
}

struct CheckOptions {
  std::filesystem::path file;
  std::string entry, architecture;
  std::vector<std::filesystem::path> source_folders;
  std::optional<std::uint64_t> compile_seconds;
  CompilerWords compiler;
  bool run_python = false, json = false;
};

/// NVRTC's time grows faster than the number of kernels (docs/cli.md): where a person waits, a line says what
/// for.
Result<KernelFile> open_with_notice(Context& context, const std::filesystem::path& file,
                                    const FileWishes& wishes, ptx::Module& module) {
  std::optional<SlowNotice> notice;
  if (isatty(STDERR_FILENO) == 1) {
    notice.emplace(context.err,
                   fmt::format("warplens: compiling {} ... (Ctrl+C ends it, --compile-timeout limits it)",
                               escaped(file.filename().string())),
                   std::chrono::seconds(3));
  }
  return open_kernel_file(file, wishes, &module);
}

void run_check(Context& context, const CheckOptions& options) {
  const std::filesystem::path& file = options.file;
  const bool json = options.json;
  FileWishes wishes{.architecture = options.architecture, .source_folders = options.source_folders};
  wishes.entry = options.entry;
  wishes.run_python = options.run_python;
  Result<std::string> compiler_options = options_of(options.compiler);
  if (!compiler_options.ok()) return context.fail(compiler_options.error());
  wishes.options = *std::move(compiler_options);
  if (options.compile_seconds) wishes.compile_time = std::chrono::seconds(*options.compile_seconds);
  ptx::Module module;
  const Result<KernelFile> opened = open_with_notice(context, file, wishes, module);
  if (!opened.ok()) return context.fail(opened.error());
  if (opened->ptx.empty()) return context.fail(error_of(*opened));
  const ptx::Function* const wanted = options.entry.empty() ? nullptr : module.find_entry(options.entry);
  if (!options.entry.empty() && wanted == nullptr) {
    return context.fail(Error{fmt::format("no kernel, or more than one, is called `{}`", options.entry),
                              file.filename().string(), "Without --entry all of them are listed."});
  }
  const std::vector<std::string> notes = notes_of(*opened);
  for (const std::string& note : notes) context.err << "warplens: " << escaped(note) << '\n';
  ordered_json document = {{"file", file.string()},
                           {"notes", notes},
                           {"target", module.target},
                           {"entries", ordered_json::array()},
                           {"templates", ordered_json::array()},
                           {"variables", variables_json(module)}};
  std::map<std::string_view, const FileEntry*> entries;
  for (const FileEntry& entry : opened->kernels) entries.emplace(entry.name, &entry);
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || (wanted != nullptr && &function != wanted)) continue;
    const auto known = entries.find(function.name);
    const Result<EntryCheck> check =
        check_entry(module, function, known == entries.end() ? nullptr : known->second);
    if (!check.ok()) return context.fail(check.error());
    if (json) {
      document["entries"].push_back(entry_json(module, *check));
    } else {
      print_entry(context.out, module, *check);
    }
  }
  for (const FileTemplate& one : opened->templates)
    document["templates"].push_back({{"name", one.name}, {"arguments", one.arguments}});
  if (json) return print_document(context.out, document);
  print_templates(context.out, opened->templates);
  if (opened->kernels.empty() && opened->templates.empty()) context.out << "there is no kernel in it\n";
  print_variables(context.out, module);
}

}  // namespace

void add_check(Program& program, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  const CliCommand command = program.add_command(
      "check", "What the kernels in a file take and use, and what of them the replay cannot run");
  command.add_option("file", options->file, "CUDA C++, or PTX made by nvcc -O3 -lineinfo -ptx")
      .required()
      .value_name("FILE.cu|FILE.ptx|FILE.py");
  command
      .add_option(
          "--entry", options->entry,
          "The kernel to check, mangled, or plain where that is unique: needed of Python with several")
      .value_name("NAME");
  command
      .add_option("--arch", options->architecture,
                  "What CUDA C++ is compiled for: compute_90, if neither this nor the file says")
      .value_name("compute_XX");
  command
      .add_option("--sources", options->source_folders,
                  "A folder that includes may be read from, and those below it; the file's own always is")
      .value_name("FOLDER")
      .existing_folder();
  add_compile_timeout(command, options->compile_seconds);
  add_run_python(command, options->run_python);
  add_compiler_options(command, options->compiler, "");
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.footer(
      "Registers are PTX's own, by type, of which there is no limit; the compiler of the machine code packs "
      "them.\n\n"
      "Example:\n"
      "  warplens check mm.ptx");
  command.action([&context, options] { run_check(context, *options); });
}

}  // namespace warplens::app
