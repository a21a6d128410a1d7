// PTX that Triton keeps between runs: for each kernel a folder with NAME.ptx, NAME.json (what it was compiled
// with) and NAME.ttir (the kernel before its compiler changed it, with its parameters).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/kernel_file/python_file.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMostCachedBytes = 64u << 20;

std::string text_of_cached(const fs::path& path) {
  const Result<std::vector<std::byte>> bytes = read_file(path, kMostCachedBytes);
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                    : std::string();
}

fs::path triton_cache_folder() {
  if (const char* const named = std::getenv("TRITON_CACHE_DIR"); named != nullptr && *named != '\0')
    return named;
  const char* const home = std::getenv("HOME");
  return home == nullptr ? fs::path() : fs::path(home) / ".triton" / "cache";
}

/// The lines of a Python function: from that of its name to the last before one that is indented no deeper.
std::pair<std::uint32_t, std::uint32_t> lines_of_function(std::string_view text, std::uint32_t first) {
  std::size_t at = 0;
  const auto next_line = [&] { at = std::min(text.find('\n', at), text.size() - 1) + 1; };
  const auto indentation = [&] {
    const std::size_t end = std::min(text.find_first_not_of(" \t", at), text.size());
    const bool is_blank =
        end == text.size() || text[end] == '\n' || text[end] == '\r' || text[end] == '#' || text[end] == ')';
    return is_blank ? std::optional<std::size_t>() : std::optional(end - at);
  };
  if (text.empty()) return {first, first};
  for (std::uint32_t line = 1; line < first && at < text.size(); ++line) next_line();
  const std::size_t own = indentation().value_or(0);
  std::uint32_t last = first;
  for (next_line(); at < text.size(); next_line()) {
    if (const auto deep = indentation(); deep && *deep <= own) break;
    ++last;
  }
  return {first, last};
}

std::uint32_t number_in(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Whether the line table names the Python file, and the first line of code lies in the function. Line 0 of a
/// file that was moved is found by its name.
bool is_made_of(std::string_view ptx, const fs::path& file, std::pair<std::uint32_t, std::uint32_t> lines) {
  constexpr std::string_view kFile = ".file", kLoc = ".loc";
  std::vector<std::uint32_t> files;
  for (std::size_t at = ptx.find(kFile); at != std::string_view::npos; at = ptx.find(kFile, at + 1)) {
    const std::size_t open = ptx.find('"', at), close = ptx.find('"', open + 1);
    if (close == std::string_view::npos) break;
    const std::size_t number = ptx.find_first_of("0123456789", at);
    if (number < open && fs::path(ptx.substr(open + 1, close - open - 1)).filename() == file.filename())
      files.push_back(number_in(ptx.substr(number)));
  }
  for (std::size_t at = ptx.find(kLoc); at != std::string_view::npos; at = ptx.find(kLoc, at + 1)) {
    const std::size_t number = ptx.find_first_of("0123456789", at);
    const std::size_t line = ptx.find_first_of("0123456789", ptx.find_first_of(" \t", number));
    if (line == std::string_view::npos) return false;
    if (std::ranges::find(files, number_in(ptx.substr(number))) == files.end()) continue;
    const std::uint32_t first = number_in(ptx.substr(line));
    return first >= lines.first && first <= lines.second;
  }
  return false;
}

/// "f32" of MLIR's "f32", "u8" of types that no buffer has: those of 8 bits and of truth values.
std::string argument_type_of_mlir(std::string_view type) {
  for (const char* const known : {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"}) {
    if (type == known) return known;
  }
  return "u8";
}

/// The parameters of `tt.func public @NAME(%x: !tt.ptr<f32> {..} loc(..), %n: i32 ..)`.
std::vector<KernelParameter> parameters_of_ttir(std::string_view ttir, const std::string& name) {
  std::vector<KernelParameter> parameters;
  const std::string begin = "@" + name + "(";
  std::size_t at = ttir.find(begin);
  if (at == std::string_view::npos) return parameters;
  int depth = 0;
  std::size_t end = at += begin.size() - 1;
  for (; end < ttir.size(); ++end) {
    if (ttir[end] == '(') ++depth;
    if (ttir[end] == ')' && --depth == 0) break;
  }
  std::string_view list = ttir.substr(at + 1, end - at - 1);
  for (at = list.find('%'); at != std::string_view::npos; at = list.find('%', at + 1)) {
    const std::size_t colon = list.find(':', at);
    if (colon == std::string_view::npos) break;
    const std::size_t from = std::min(list.find_first_not_of(' ', colon + 1), list.size());
    const std::string_view type = list.substr(from, list.find_first_of(" ,", from) - from);
    constexpr std::string_view kPointer = "!tt.ptr<";
    KernelParameter parameter{.name = std::string(list.substr(at + 1, colon - at - 1))};
    parameter.is_pointer = type.starts_with(kPointer);
    const std::string_view pointed = type.substr(std::min(kPointer.size(), type.size()));
    parameter.type =
        argument_type_of_mlir(parameter.is_pointer ? pointed.substr(0, pointed.find_first_of(",>")) : type);
    parameter.pointer_depth = parameter.is_pointer ? 1 : 0;
    parameter.written = parameter.type + (parameter.is_pointer ? "*" : "");
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// Older versions of Triton number parameters: then they have the names of the function's, if these are as
/// many without those that are constants.
void name_parameters(std::vector<KernelParameter>& parameters, const PythonKernel& kernel) {
  const auto is_number = [](const KernelParameter& parameter) {
    const std::size_t digits = parameter.name.starts_with("arg") ? 3 : 0;
    return parameter.name.size() > digits &&
           std::isdigit(static_cast<unsigned char>(parameter.name[digits])) != 0;
  };
  if (!std::ranges::all_of(parameters, is_number)) return;
  std::vector<std::string> names;
  for (const compile::SourceParameter& parameter : kernel.parameters) {
    if (parameter.type.find("constexpr") == std::string::npos) names.push_back(parameter.name);
  }
  if (names.size() != parameters.size()) return;
  for (std::size_t i = 0; i < names.size(); ++i) parameters[i].name = std::move(names[i]);
}

std::uint64_t number_of(const json& metadata, const char* name) {
  const auto found = metadata.find(name);
  return found != metadata.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// "sm_90" of {"target": {"arch": 90}}.
std::string architecture_in(const json& metadata) {
  const auto target = metadata.find("target");
  if (target == metadata.end() || !target->is_object()) return {};
  return fmt::format("sm_{}", number_of(*target, "arch"));
}

/// What the kernel was compiled for, besides what its comment says: threads, shared memory, and the pointers
/// that Triton passes behind the function's own parameters, to memory that the kernel does not ask for.
std::string launch_of_triton(const json& metadata, const PythonKernel& kernel, bool has_scratch) {
  constexpr std::uint64_t kUsualWarps = 4, kThreadsOfWarp = 32;
  std::string launch = kernel.launch;
  const auto add = [&](const char* name, const std::string& value) {
    if (launch.find(std::string(name) + "=") == std::string::npos)
      launch += fmt::format("{}{}={}", launch.empty() ? "" : " ", name, value);
  };
  const std::uint64_t warps = number_of(metadata, "num_warps");
  add("block", std::to_string(kThreadsOfWarp * (warps == 0 ? kUsualWarps : warps)));
  if (const std::uint64_t shared = number_of(metadata, "shared"); shared > 0)
    add("shared", std::to_string(shared));
  if (has_scratch && number_of(metadata, "global_scratch_size") == 0) add("global_scratch", "null");
  if (has_scratch && number_of(metadata, "profile_scratch_size") == 0) add("profile_scratch", "null");
  return launch;
}

std::optional<PythonUnit> read_cached(const fs::path& ptx, const PythonKernel& kernel) {
  return triton_unit({.ptx = text_of_cached(ptx),
                      .ttir = text_of_cached(fs::path(ptx).replace_extension(".ttir")),
                      .metadata = text_of_cached(fs::path(ptx).replace_extension(".json"))},
                     kernel);
}

/// "sm_90" and "compute_90" are of one device.
bool is_architecture_wanted(const std::string& architecture, const std::string& wanted) {
  const auto number = [](const std::string& name) { return name.substr(name.find('_') + 1); };
  return wanted.empty() || number(architecture) == number(wanted);
}

}  // namespace

std::optional<PythonUnit> triton_unit(compile::PythonPtx made, const PythonKernel& kernel) {
  const json metadata = json::parse(made.metadata, nullptr, false);
  if (!metadata.is_object() || made.ptx.empty()) return std::nullopt;
  PythonUnit unit{.cuda = {}, .ptx = std::move(made.ptx)};
  unit.parameters = parameters_of_ttir(made.ttir, kernel.name);
  name_parameters(unit.parameters, kernel);
  const std::size_t header = unit.ptx.find(".entry");
  const std::string_view entry = std::string_view(unit.ptx).substr(
      std::min(header, unit.ptx.size()), unit.ptx.find(')', std::min(header, unit.ptx.size())) - header);
  std::size_t count = 0;
  for (std::size_t at = entry.find(".param"); at != std::string_view::npos; at = entry.find(".param", at + 1))
    ++count;
  const bool has_scratch = count == unit.parameters.size() + 2;
  if (has_scratch) {
    for (const char* const name : {"global_scratch", "profile_scratch"})
      unit.parameters.push_back(
          {.name = name, .written = "u8*", .type = "u8", .is_pointer = true, .pointer_depth = 1});
  }
  if (count != unit.parameters.size()) unit.parameters.clear();
  const auto version = metadata.find("triton_version");
  unit.compiler = version != metadata.end() && version->is_string()
                      ? fmt::format("Triton {}", version->get<std::string>())
                      : "Triton";
  unit.architecture = architecture_in(metadata);
  unit.launch = launch_of_triton(metadata, kernel, has_scratch);
  unit.line = kernel.line;
  return unit;
}

Result<PythonUnit> cached_triton_unit(const fs::path& file, const std::string& text,
                                      const PythonKernel& kernel, const std::string& architecture) {
  const fs::path cache = triton_cache_folder();
  const auto lines = lines_of_function(text, kernel.line);
  std::vector<std::pair<fs::file_time_type, fs::path>> candidates;
  std::error_code error;
  for (fs::directory_iterator at(cache, error), end; !error && at != end; at.increment(error)) {
    const fs::path ptx = at->path() / (kernel.name + ".ptx");
    std::error_code missing;
    const fs::file_time_type written = fs::last_write_time(ptx, missing);
    if (!missing) candidates.emplace_back(written, ptx);
  }
  std::ranges::sort(candidates, std::greater<>());
  bool is_of_other_lines = false;
  for (const auto& [written, ptx] : candidates) {
    std::optional<PythonUnit> unit = read_cached(ptx, kernel);
    if (!unit || !is_architecture_wanted(unit->architecture, architecture)) continue;
    if (is_made_of(unit->ptx, file, lines)) return *std::move(unit);
    is_of_other_lines = true;
  }
  return Error{
      is_of_other_lines
          ? tr("Triton's cache has PTX of `{name}`, but of another file, or of one that was changed "
               "since",
               "name"_a = kernel.name)
          : tr("Triton's cache has no PTX of `{name}`", "name"_a = kernel.name),
      fmt::format("{}:{}", file.filename().string(), kernel.line),
      tr("Run the program that launches it: Triton keeps the PTX in {folder}. Or allow to import the "
         "file, which runs it: --run-python.",
         "folder"_a = cache.string())};
}

}  // namespace warplens::app
