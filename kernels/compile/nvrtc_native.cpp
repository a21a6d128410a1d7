#include "kernels/compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "kernels/base/texts.h"
#include "kernels/compile/device_code.h"
#include "kernels/compile/host_headers.h"
#include "kernels/compile/job.h"
#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

struct OpaqueProgram;
using Handle = OpaqueProgram*;
constexpr int kDone = 0, kOutOfMemory = 1;

/// The part of its interface that is used; "NVRTC", CUDA 13.0, chapter 3.
struct Nvrtc {
  void* library = nullptr;
  std::string path;
  int major = 0, minor = 0;
  int (*version)(int*, int*) = nullptr;
  int (*create)(Handle*, const char* text, const char* name, int headers, const char* const*,
                const char* const*) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*add_name)(Handle, const char*) = nullptr;
  int (*compile)(Handle, int count, const char* const* options) = nullptr;
  int (*log_size)(Handle, std::size_t*) = nullptr;
  int (*log)(Handle, char*) = nullptr;
  int (*ptx_size)(Handle, std::size_t*) = nullptr;
  int (*ptx)(Handle, char*) = nullptr;
  const char* (*name_of_error)(int) = nullptr;

  template <class Function>
  bool find(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
  }
  bool find_all() {
    return find("nvrtcVersion", version) && find("nvrtcCreateProgram", create) &&
           find("nvrtcDestroyProgram", destroy) && find("nvrtcAddNameExpression", add_name) &&
           find("nvrtcCompileProgram", compile) && find("nvrtcGetProgramLogSize", log_size) &&
           find("nvrtcGetProgramLog", log) && find("nvrtcGetPTXSize", ptx_size) && find("nvrtcGetPTX", ptx) &&
           find("nvrtcGetErrorString", name_of_error) && version(&major, &minor) == kDone;
  }
};

/// NVRTC looks for its library of built-in functions by its name alone, and so does not find it in a folder
/// that the system's loader does not know.
void load_builtins_beside(const std::filesystem::path& nvrtc) {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(nvrtc.parent_path(), error)) {
    const std::string name = file.path().filename();
    if (name.starts_with("libnvrtc-builtins.so.")) dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

std::optional<Nvrtc> load_library() {
  std::vector<std::string> names;
  for (const auto& folder : toolkit_folders()) {
    for (const char* lib : {"lib", "lib64"}) {
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) names.push_back(folder / lib / name);
    }
  }
  names.insert(names.end(), {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  for (const std::string& name : names) {
    load_builtins_beside(name);
    Nvrtc nvrtc{.library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL),
                .path = name};  // Never closed: it has threads of its own
    if (nvrtc.library != nullptr && nvrtc.find_all()) return nvrtc;
  }
  return std::nullopt;
}

const std::optional<Nvrtc>& library() {
  static const std::optional<Nvrtc> kLibrary = load_library();
  return kLibrary;
}

using nlohmann::json;

// Files of the job, by their names in its folder.
constexpr const char *kNvrtcSource = "source", *kNvrtcTask = "task", *kNvrtcPtx = "ptx", *kNvrtcLog = "log",
                     *kNvrtcVersion = "version", *kNvrtcNotes = "notes";
/// Exit statuses of the child.
constexpr int kCompiled = 0, kHasErrors = 1, kNoLibrary = 2;

std::string read_text(const char* name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file_of_job(const char* name, const std::string& text) {
  std::ofstream(name, std::ios::binary) << text;
}

std::string text_of(Handle program, int (*size_of)(Handle, std::size_t*), int (*get)(Handle, char*)) {
  std::size_t size = 0;
  if (size_of(program, &size) != kDone || size == 0) return {};
  std::string result(size, '\0');
  if (get(program, result.data()) != kDone) return {};
  result.resize(size - 1);  // The size counts the zero at the end
  return result;
}

CompileResult compile_once(const Nvrtc& nvrtc, const CompileRequest& request) {
  std::vector<const char*> names, texts, option_pointers;
  for (const auto& [name, text] : request.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  for (const HostHeader& header : host_headers()) {
    if (request.headers.contains(header.name)) continue;
    names.push_back(header.name.c_str());
    texts.push_back(header.text);
  }
  for (const std::string& option : request.options) option_pointers.push_back(option.c_str());
  Handle program = nullptr;
  if (nvrtc.create(&program, request.text.c_str(), request.name.c_str(), static_cast<int>(names.size()),
                   texts.data(), names.data()) != kDone) {
    return {.status = kOutOfMemory, .ptx = {}, .log = {}};
  }
  for (const std::string& instance : request.instances) nvrtc.add_name(program, instance.c_str());
  CompileResult result;
  result.status = nvrtc.compile(program, static_cast<int>(option_pointers.size()), option_pointers.data());
  result.log = text_of(program, nvrtc.log_size, nvrtc.log);
  if (result.status == kDone) result.ptx = text_of(program, nvrtc.ptx_size, nvrtc.ptx);
  nvrtc.destroy(&program);
  return result;
}

std::vector<std::string> options_for(const Source& source) {
  const Options& asked = source.options;
  std::vector<std::string> options{"--gpu-architecture=" + source.architecture, "-lineinfo",
                                   "-std=" + (asked.standard.empty() ? "c++17" : asked.standard)};
  if (asked.fast_math) options.emplace_back("-use_fast_math");
  if (asked.most_registers != 0) options.push_back(fmt::format("-maxrregcount={}", asked.most_registers));
  if (asked.extended_lambda) options.emplace_back("--extended-lambda");
  if (const auto headers = headers_folder(); !headers.empty()) {
    options.push_back("-I" + headers.string());
    options.push_back("-I" + (headers / "cccl").string());
  }
  return options;
}

std::filesystem::path absolute_folder(const std::filesystem::path& folder) {
  std::error_code error;
  return folder.empty() ? folder
                        : (std::filesystem::absolute(folder, error) / "").lexically_normal().parent_path();
}

std::vector<std::string> texts_of(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> texts;
  for (const auto& folder : folders) texts.push_back(absolute_folder(folder).string());
  return texts;
}

std::vector<std::filesystem::path> paths_of(const json& texts) {
  std::vector<std::filesystem::path> paths;
  for (const json& text : texts) paths.emplace_back(text.get<std::string>());
  return paths;
}

/// What the child is to do, but for the source's text. Paths need not be UTF-8.
std::string message_of_task(const Source& source) {
  std::vector<std::filesystem::path> readable = source.readable;
  if (!source.folder.empty()) readable.push_back(source.folder);
  const json task = {{"name", source.name},
                     {"folder", absolute_folder(source.folder).string()},
                     {"readable", texts_of(readable)},
                     {"includes", texts_of(source.options.folders)},
                     {"forced", source.options.includes},
                     {"options", options_for(source)},
                     {"instances", source.instances},
                     {"prelude", prelude_of(source.options)},
                     {"strict", source.runs_host_functions}};
  const std::vector<std::uint8_t> bytes = json::to_msgpack(task);
  return {bytes.begin(), bytes.end()};
}

DeviceCode::Task task_of(const std::string& message, std::string text) {
  const json task = json::from_msgpack(message);
  return {.plan = {.name = task.at("name").get<std::string>(),
                   .folder = task.at("folder").get<std::string>(),
                   .readable = paths_of(task.at("readable")),
                   .includes = paths_of(task.at("includes")),
                   .forced = task.at("forced").get<std::vector<std::string>>()},
          .text = std::move(text),
          .options = task.at("options").get<std::vector<std::string>>(),
          .instances = task.at("instances").get<std::vector<std::string>>(),
          .prelude = task.at("prelude").get<std::string>(),
          .is_strict = task.at("strict").get<bool>()};
}

/// What the child has to tell besides what the compiler printed.
std::string message_of_notes(const DeviceCode& code) {
  json notes = {{"missing", code.missing()},
                {"searched", json::object()},
                {"device_code_alone", code.is_device_code_alone()},
                {"left_out", json::array()}};
  for (const auto& [name, path] : code.tree().searched()) notes["searched"][name] = path.string();
  for (const DeviceCode::LeftOut& one : code.left_out())
    notes["left_out"].push_back({{"name", one.name}, {"reason", one.reason}, {"line", one.line}});
  if (const auto& texture = code.texture_reference())
    notes["texture"] = {{"file", texture->file}, {"line", texture->line}};
  const std::vector<std::uint8_t> bytes = json::to_msgpack(notes);
  return {bytes.begin(), bytes.end()};
}

/// The line of the source on which it includes the header; 0: none does.
std::uint32_t line_of_include(const std::string& text, const std::string& header) {
  std::istringstream lines(text);
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("include") != std::string::npos && line.find(header) != std::string::npos) return number;
  }
  return 0;
}

/// Returns the path of a header that exists, beside the source or in a folder of `-I`, but may not be read.
std::optional<std::filesystem::path> forbidden_header(const std::string& header, const Source& source) {
  std::vector<std::filesystem::path> folders{source.folder};
  folders.insert(folders.end(), source.options.folders.begin(), source.options.folders.end());
  for (const std::filesystem::path& folder : folders) {
    std::error_code error;
    const std::filesystem::path file = folder / header;  // Of an absolute path the folder does not count
    if (std::filesystem::exists(file, error)) return std::filesystem::weakly_canonical(file, error);
  }
  return std::nullopt;
}

/// A missing header is an error only where something else is wrong too: perhaps it declares what is
/// undefined. One that is outside of the folders that may be read always is.
Result<Done> tell_missing_headers(Compiled& compiled, const json& missing, const Source& source) {
  std::vector<Message> messages;
  for (const json& one : missing) {
    const auto header = one.get<std::string>();
    const std::uint32_t line = line_of_include(source.text, header);
    if (const auto forbidden = forbidden_header(header, source)) {
      return Error{tr("\"{header}\" lies outside the folders that may be read", "header"_a = header),
                   fmt::format("{}:{}", source.name, line),
                   tr("If you want it to be read, name its folder: --sources FOLDER."),
                   forbidden->parent_path().string()};
    }
    messages.push_back({.severity = compiled.ptx.empty() ? Severity::error : Severity::warning,
                        .file = source.name,
                        .line = line,
                        .text = tr("cannot open source file \"{header}\"", "header"_a = header)});
  }
  compiled.messages.insert(compiled.messages.begin(), messages.begin(), messages.end());
  return Done{};
}

/// CUDA 13 has no texture references, and compilers name what reads them first.
void tell_texture_reference(Compiled& compiled, const json& notes) {
  if (!compiled.ptx.empty() || !notes.contains("texture")) return;
  const json& texture = notes.at("texture");
  compiled.messages.insert(
      compiled.messages.begin(),
      {.severity = Severity::error,
       .file = texture.at("file").get<std::string>(),
       .line = texture.at("line").get<std::uint32_t>(),
       .text = tr("texture references were removed in CUDA 12: pass the kernel a texture object, "
                  "cudaTextureObject_t, and read it with tex1Dfetch<float>(object, i) or "
                  "tex2D<float>(object, x, y)")});
}

/// Shuffles and votes without a mask, of which device_prelude.h warns: a line for all of them.
void tell_active_lanes(Compiled& compiled) {
  const auto is_of_active_lanes = [](const Message& message) {
    return message.text.find("warplens: active lanes") != std::string::npos;
  };
  const auto first = std::ranges::find_if(compiled.messages, is_of_active_lanes);
  if (first == compiled.messages.end()) return;
  const std::uint32_t line = first->line;
  const std::string file = first->file;
  std::erase_if(compiled.messages, is_of_active_lanes);
  if (compiled.ptx.empty()) return;
  compiled.messages.push_back(
      {.severity = Severity::remark,
       .text = tr("shuffles and votes without a mask, as in {file}:{line}, are those of the active lanes",
                  "file"_a = file, "line"_a = line)});
}

/// What was found by its name, and what was left out: a line each.
void tell_notes(Compiled& compiled, const json& notes, const Source& source) {
  constexpr std::size_t kMostNamed = 6;
  const std::filesystem::path folder = absolute_folder(source.folder);
  std::vector<std::string> found;
  for (const auto& [name, path] : notes.at("searched").items()) {
    const std::filesystem::path relative =
        std::filesystem::path(path.get<std::string>()).lexically_relative(folder);
    found.push_back(name == relative ? name : fmt::format("{} ({})", name, relative.string()));
  }
  const std::size_t more = found.size() - std::min(found.size(), kMostNamed);
  found.resize(found.size() - more);
  if (!found.empty()) {
    const std::string list = fmt::format("{}", fmt::join(found, ", "));
    compiled.messages.push_back(
        {.severity = Severity::remark,
         .text = more == 0 ? tr("headers found by their names in the project: {headers}", "headers"_a = list)
                           : tr("headers found by their names in the project: {headers} and {n} more",
                                "headers"_a = list, "n"_a = more)});
  }
  if (compiled.ptx.empty()) return;
  if (notes.at("device_code_alone").get<bool>())
    compiled.messages.push_back(
        {.severity = Severity::remark,
         .text = tr("compiled from the device code alone: what only the host needs is "
                    "left out")});
  for (const json& one : notes.at("left_out")) {
    compiled.messages.push_back(
        {.severity = Severity::warning,
         .file = source.name,
         .line = one.at("line").get<std::uint32_t>(),
         .text = tr("`{name}` is left out: {reason}", "name"_a = one.at("name").get<std::string>(),
                    "reason"_a = one.at("reason").get<std::string>()),
         .is_left_out = true});
  }
}

}  // namespace

int run_nvrtc(const std::vector<std::string>& /*arguments*/) {
  const std::optional<Nvrtc>& nvrtc = library();
  if (!nvrtc) return kNoLibrary;
  write_file_of_job(kNvrtcVersion, fmt::format("NVRTC {}.{}", nvrtc->major, nvrtc->minor));
  std::error_code error;
  setenv("TMPDIR", std::filesystem::current_path(error).c_str(), 1);  // Where it may write
  DeviceCode code(task_of(read_text(kNvrtcTask), read_text(kNvrtcSource)),
                  [&](const CompileRequest& request) { return compile_once(*nvrtc, request); });
  const CompileResult result = code.compile();
  write_file_of_job(kNvrtcNotes, message_of_notes(code));
  write_file_of_job(kNvrtcPtx, result.ptx);
  const std::string& log = result.log;
  std::fwrite(log.data(), 1, log.size(), stdout);
  if (result.ptx.empty() && log.empty())
    std::fputs(fmt::format("error: {}\n", nvrtc->name_of_error(result.status)).c_str(), stdout);
  std::fflush(stdout);
  return result.ptx.empty() ? kHasErrors : kCompiled;
}

Result<std::optional<Compiled>> compile_with_nvrtc(const Source& source) {
  Job job{.files = {{kNvrtcSource, source.text}, {kNvrtcTask, message_of_task(source)}},
          .links = {},
          .commands = {{.arguments = {kNvrtcProgram}, .log = kNvrtcLog}},
          .outputs = {kNvrtcPtx, kNvrtcLog, kNvrtcVersion, kNvrtcNotes},
          .readable = source.readable,
          .limits = source.limits};
  if (!source.folder.empty()) job.readable.push_back(source.folder);
  Result<JobResult> result = run_job(job, source.cancelled);
  if (!result.ok()) return result.error();
  if (result->status == kNoLibrary) return std::optional<Compiled>();
  Compiled compiled{.ptx = std::move(result->outputs[kNvrtcPtx]),
                    .compiler = std::move(result->outputs[kNvrtcVersion])};
  compiled.messages = parse_messages(result->outputs[kNvrtcLog]);
  if (compiled.ptx.empty() && compiled.messages.empty())
    compiled.messages.push_back({.text = tr("NVRTC ended without a result")});
  const json notes = json::from_msgpack(result->outputs[kNvrtcNotes], true, false);
  if (!notes.is_object()) return std::optional(std::move(compiled));
  if (const Result<Done> told = tell_missing_headers(compiled, notes.at("missing"), source); !told.ok())
    return told.error();
  tell_texture_reference(compiled, notes);
  tell_active_lanes(compiled);
  tell_notes(compiled, notes, source);
  return std::optional(std::move(compiled));
}

std::string nvrtc_name() {
  const std::optional<Nvrtc>& nvrtc = library();
  return nvrtc ? fmt::format("NVRTC {}.{} ({})", nvrtc->major, nvrtc->minor, nvrtc->path) : std::string();
}

}  // namespace warplens::compile
