#include "kernels/compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "kernels/base/texts.h"
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

// Files of the job, by their names in its folder.
constexpr const char *kNvrtcSource = "source", *kNvrtcPtx = "ptx", *kNvrtcLog = "log",
                     *kNvrtcVersion = "version", *kMissingHeaders = "missing";
/// Exit statuses of the child.
constexpr int kCompiled = 0, kHasErrors = 1, kNoLibrary = 2;
constexpr const char* kInstances = "--instances";
constexpr std::size_t kMaxMissingHeaders = 64;

std::string read_text(const char* name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file_of_job(const char* name, const std::string& text) {
  std::ofstream(name, std::ios::binary) << text;
}

/// What NVRTC made of a source.
struct Answer {
  int status = kDone;
  std::string ptx, log;
};

std::string text_of(Handle program, int (*size_of)(Handle, std::size_t*), int (*get)(Handle, char*)) {
  std::size_t size = 0;
  if (size_of(program, &size) != kDone || size == 0) return {};
  std::string result(size, '\0');
  if (get(program, result.data()) != kDone) return {};
  result.resize(size - 1);  // The size counts the zero at the end
  return result;
}

/// `missing`: headers that are not found, which are given as empty ones.
Answer compile_once(const Nvrtc& nvrtc, const std::string& text, const std::string& name,
                    const std::vector<std::string>& options, const std::vector<std::string>& instances,
                    const std::set<std::string>& missing) {
  std::vector<const char*> names, texts, option_pointers;
  for (const HostHeader& header : host_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  for (const std::string& header : missing) {
    names.push_back(header.c_str());
    texts.push_back("");
  }
  for (const std::string& option : options) option_pointers.push_back(option.c_str());
  Handle program = nullptr;
  if (nvrtc.create(&program, text.c_str(), name.c_str(), static_cast<int>(names.size()), texts.data(),
                   names.data()) != kDone) {
    return {.status = kOutOfMemory, .ptx = {}, .log = {}};
  }
  for (const std::string& instance : instances) nvrtc.add_name(program, instance.c_str());
  Answer answer;
  answer.status = nvrtc.compile(program, static_cast<int>(option_pointers.size()), option_pointers.data());
  answer.log = text_of(program, nvrtc.log_size, nvrtc.log);
  if (answer.status == kDone) answer.ptx = text_of(program, nvrtc.ptx_size, nvrtc.ptx);
  nvrtc.destroy(&program);
  return answer;
}

/// The header in `k.cu(1): catastrophic error: cannot open source file "book.h"`; empty: none is missing.
std::string missing_header_in(const std::string& log) {
  constexpr std::string_view kCannotOpen = "cannot open source file \"";
  const std::size_t at = log.find(kCannotOpen);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kCannotOpen.size();
  return log.substr(begin, log.find('"', begin) - begin);
}

std::vector<std::string> options_for(const Source& source) {
  std::vector<std::string> options{"--gpu-architecture=" + source.architecture, "-lineinfo", "-std=c++17",
                                   fmt::format("--pre-include={}", kPreludeName)};
  if (!source.folder.empty()) options.push_back(fmt::format("-I{}", kIncludeLink));
  if (const auto headers = headers_folder(); !headers.empty()) {
    options.push_back("-I" + headers.string());
    options.push_back("-I" + (headers / "cccl").string());
  }
  return options;
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

/// Whether a header is there and only may not be read.
bool is_forbidden(const std::string& header, const Source& source) {
  std::error_code error;
  return std::filesystem::exists(source.folder / header,
                                 error);  // Of an absolute path the folder does not count
}

std::string folder_of_header(const std::string& header, const Source& source) {
  std::error_code error;
  return std::filesystem::weakly_canonical(source.folder / header, error).parent_path().string();
}

/// A missing header is an error only where something else is wrong too: perhaps it declares what is
/// undefined. One that is outside of the folders that may be read always is.
Result<Done> tell_missing_headers(Compiled& compiled, const std::string& missing, const Source& source) {
  std::vector<Message> messages;
  std::istringstream lines(missing);
  for (std::string header; std::getline(lines, header);) {
    const std::uint32_t line = line_of_include(source.text, header);
    if (is_forbidden(header, source)) {
      return Error{tr("\"{header}\" lies outside the folders that may be read", "header"_a = header),
                   fmt::format("{}:{}", source.name, line),
                   tr("If you want it to be read, name its folder: --sources FOLDER."),
                   folder_of_header(header, source)};
    }
    messages.push_back({.severity = compiled.ptx.empty() ? Severity::error : Severity::warning,
                        .file = source.name,
                        .line = line,
                        .text = tr("cannot open source file \"{header}\"", "header"_a = header)});
  }
  compiled.messages.insert(compiled.messages.begin(), messages.begin(), messages.end());
  return Done{};
}

}  // namespace

int run_nvrtc(const std::vector<std::string>& arguments) {
  const std::optional<Nvrtc>& nvrtc = library();
  if (!nvrtc) return kNoLibrary;
  write_file_of_job(kNvrtcVersion, fmt::format("NVRTC {}.{}", nvrtc->major, nvrtc->minor));
  const auto end_of_options = std::ranges::find(arguments, kInstances);
  const std::string& name = arguments.at(1);
  const std::vector<std::string> options(arguments.begin() + 2, end_of_options),
      instances(end_of_options + 1, arguments.end());
  const std::string text = read_text(kNvrtcSource);
  std::set<std::string> missing;
  Answer answer = compile_once(*nvrtc, text, name, options, instances, missing);
  while (answer.ptx.empty() && missing.size() < kMaxMissingHeaders) {
    const std::string header = missing_header_in(answer.log);
    if (header.empty() || !missing.insert(header).second) break;
    answer = compile_once(*nvrtc, text, name, options, instances, missing);
  }
  write_file_of_job(kMissingHeaders, fmt::format("{}", fmt::join(missing, "\n")));
  write_file_of_job(kNvrtcPtx, answer.ptx);
  const std::string& log = answer.log;
  std::fwrite(log.data(), 1, log.size(), stdout);
  if (answer.ptx.empty() && log.empty())
    std::fputs(fmt::format("error: {}\n", nvrtc->name_of_error(answer.status)).c_str(), stdout);
  std::fflush(stdout);
  return answer.ptx.empty() ? kHasErrors : kCompiled;
}

Result<std::optional<Compiled>> compile_with_nvrtc(const Source& source) {
  std::vector<std::string> arguments{kNvrtcProgram, source.name};
  for (std::string& option : options_for(source)) arguments.push_back(std::move(option));
  arguments.emplace_back(kInstances);
  arguments.insert(arguments.end(), source.instances.begin(), source.instances.end());
  Job job{.files = {{kNvrtcSource, source.text}},
          .links = {},
          .commands = {{.arguments = std::move(arguments), .log = kNvrtcLog}},
          .outputs = {kNvrtcPtx, kNvrtcLog, kNvrtcVersion, kMissingHeaders},
          .readable = source.readable,
          .limits = source.limits};
  if (!source.folder.empty()) {
    job.links.emplace(kIncludeLink, source.folder);
    job.readable.push_back(source.folder);
  }
  Result<JobResult> result = run_job(job, source.cancelled);
  if (!result.ok()) return result.error();
  if (result->status == kNoLibrary) return std::optional<Compiled>();
  Compiled compiled{.ptx = std::move(result->outputs[kNvrtcPtx]),
                    .compiler = std::move(result->outputs[kNvrtcVersion])};
  compiled.messages = parse_messages(result->outputs[kNvrtcLog]);
  if (compiled.ptx.empty() && compiled.messages.empty())
    compiled.messages.push_back({.text = tr("NVRTC ended without a result")});
  const Result<Done> told = tell_missing_headers(compiled, result->outputs[kMissingHeaders], source);
  if (!told.ok()) return told.error();
  return std::optional(std::move(compiled));
}

std::string nvrtc_name() {
  const std::optional<Nvrtc>& nvrtc = library();
  return nvrtc ? fmt::format("NVRTC {}.{} ({})", nvrtc->major, nvrtc->minor, nvrtc->path) : std::string();
}

}  // namespace warplens::compile
