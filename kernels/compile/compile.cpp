#include "kernels/compile/compile.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>

#include "kernels/base/texts.h"
#include "kernels/compile/nvcc.h"
#include "kernels/compile/nvrtc.h"
#include "kernels/compile/source_text.h"
#include "kernels/compile/source_tree.h"

namespace warplens::compile {
namespace {

bool has_errors(const Compiled& compiled) {
  return std::ranges::any_of(compiled.messages,
                             [](const Message& message) { return message.severity == Severity::error; });
}

/// Whether what NVRTC has errors for may be right: it knows neither the host's headers, but by name, nor
/// members of classes that run on the host. If nvcc agrees, NVRTC's words are as good, and were there sooner.
/// What is of no line is a failure of NVRTC's own.
bool may_be_right(const Source& source, const Compiled& compiled) {
  const auto is_no_error_of_source = [](const Message& message) {
    return message.line == 0 || message.text.find("execution space") != std::string::npos;
  };
  return source.text.find("#include") != std::string::npos ||
         std::ranges::any_of(compiled.messages, is_no_error_of_source);
}

/// The line table names a source with the temporary folder that the compiler ran in, and headers by the link
/// or the copies there. They are named without, headers relative to the source's folder.
std::string without_folder(std::string ptx, const std::string& name, const std::filesystem::path& folder) {
  constexpr std::string_view kDirective = "\t.file\t", kTree = SourceTree::kFolder;
  const std::string link = fmt::format("{}/", kIncludeLink);
  std::error_code error;
  const std::filesystem::path own = std::filesystem::absolute(folder, error).lexically_normal();
  for (std::size_t at = ptx.find(kDirective); at != std::string::npos; at = ptx.find(kDirective, at + 1)) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size()), open = ptx.find('"', at),
                      close = ptx.find('"', open + 1);
    if (open > end || close > end) continue;
    const std::string path = ptx.substr(open + 1, close - open - 1);
    if (std::filesystem::path(path).filename() == name) {
      ptx.replace(open + 1, path.size(), name);
    } else if (const std::size_t at_link = path.find(link); at_link != std::string::npos) {
      ptx.replace(open + 1, at_link + link.size(), "");
    } else if (const std::size_t at_tree = path.find(kTree); at_tree != std::string::npos) {
      const std::filesystem::path original = path.substr(at_tree + kTree.size());
      ptx.replace(open + 1, path.size(), original.lexically_normal().lexically_relative(own).string());
    }
  }
  return ptx;
}

/// Returns where a name of PTX begins in the line; npos: nowhere.
std::size_t word_in(std::string_view line, std::string_view name, std::size_t from) {
  for (std::size_t at = line.find(name, from); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const auto is_part = [&](std::size_t i) {
      return i < line.size() && (is_word(line[i]) || line[i] == '$' || line[i] == '%');
    };
    if (!(at > 0 && is_part(at - 1)) && !is_part(at + name.size())) return at;
  }
  return std::string_view::npos;
}

/// NVRTC names a variable as the source does: `const int WARP_SZ = 32;`. In PTX that is the warp's size ("PTX
/// ISA", "Identifiers": it is predefined), and ptxas and the driver take no module that declares it. The
/// variable gets another name here; where the word stands for 32 bits it is the size.
std::string without_reserved_name(const std::string& ptx) {
  constexpr std::string_view kReserved = "WARP_SZ";
  std::string name(kReserved), renamed;
  bool is_declared = false;
  do name += '_';
  while (ptx.find(name) != std::string::npos);
  std::string_view rest = ptx;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1), text = trimmed(line);
    rest.remove_prefix(line.empty() ? rest.size() : line.size());
    const bool is_directive = text.starts_with('.'),
               has_wide_operand =
                   text.substr(0, text.find_first_of(" \t")).find("64") != std::string_view::npos;
    std::size_t copied = 0;
    for (std::size_t at = word_in(line, kReserved, 0); at != std::string_view::npos;
         at = word_in(line, kReserved, at + 1)) {
      const bool is_address = is_directive || has_wide_operand || line[at - 1] == '[';
      if (!is_address || line.find('"') != std::string_view::npos) continue;
      is_declared = is_declared || is_directive;
      renamed.append(line.substr(copied, at - copied)).append(name);
      copied = at + kReserved.size();
    }
    renamed.append(line.substr(copied));
  }
  return is_declared ? renamed : ptx;
}

/// The compilers leave assembly as it is, and name the target that they were asked for. Where that has not
/// the instructions, ptxas and the driver take only the one that is specific to the architecture: sm_90a (PTX
/// ISA, ".target").
std::string with_needed_target(std::string ptx) {
  constexpr std::string_view kTarget = "\n.target sm_90\n";
  const std::size_t target = ptx.find(kTarget);
  const bool needs_features = word_in(ptx, "wgmma", 0) != std::string_view::npos ||
                              word_in(ptx, "setmaxnreg", 0) != std::string_view::npos;
  if (target != std::string::npos && needs_features) ptx.insert(target + kTarget.size() - 1, "a");
  return ptx;
}

/// What the compilers say of instances that were asked for is of no line of the source.
void name_instances(Compiled& compiled, const Source& source) {
  constexpr std::string_view kOfNvrtc = "__nv_name_map", kPragma = "#pragma nv_mangled_name ";
  std::vector<Message> messages;
  std::string last;
  for (Message& message : compiled.messages) {
    std::string instance;
    if (const std::size_t at = message.text.find(kPragma);
        message.file == kOfNvrtc && at != std::string::npos) {
      instance = message.text.substr(at + kPragma.size(), message.text.find('\n', at) - at - kPragma.size());
    } else if (message.file == kFileOfInstances && message.line >= 1 &&
               message.line <= source.instances.size()) {
      instance = source.instances[message.line - 1];
    }
    if (instance.empty()) {
      messages.push_back(std::move(message));
    } else if (instance != last) {  // What follows is of the line that asks for it, which nobody wrote
      messages.push_back(
          {.text = tr("the instance `{instance}` cannot be made: {reason}", "instance"_a = instance,
                      "reason"_a = message.text.substr(0, message.text.find('\n')))});
    }
    last = instance;
  }
  compiled.messages = std::move(messages);
}

/// Replaces messages about dynamic parallelism: the options and declarations they ask for would not help.
void tell_nested_launches(Compiled& compiled) {
  for (Message& message : compiled.messages) {
    const auto says = [&](const char* words) { return message.text.find(words) != std::string::npos; };
    if (!says("requires separate compilation mode") && !says("device-side kernel launch")) continue;
    message.text =
        tr("a kernel that launches kernels (dynamic parallelism) cannot be replayed: launch the inner one by "
           "itself");
  }
}

Result<Compiled> compile_somehow(const Source& source) {
  Result<std::optional<Compiled>> by_nvrtc = compile_with_nvrtc(source);
  if (!by_nvrtc.ok()) return by_nvrtc.error();
  std::optional<Compiled>& compiled = *by_nvrtc;
  if (compiled && (!has_errors(*compiled) || !has_nvcc() || !may_be_right(source, *compiled)))
    return *std::move(compiled);
  if (has_nvcc()) {
    Result<Compiled> by_nvcc = compile_with_nvcc(source);
    if (!compiled || (by_nvcc.ok() && !has_errors(*by_nvcc))) return by_nvcc;
    return *std::move(compiled);
  }
  if (compiled) return *std::move(compiled);
  return Error{tr("there is no compiler for CUDA C++ on this machine"), source.name,
               tr("Install NVRTC: `pip install warplens[nvrtc]` for Python, tools/setup.sh in the sources, "
                  "or the CUDA Toolkit 13.0")};
}

}  // namespace

std::string architecture_of(int cc_major, int cc_minor) {
  constexpr std::array kArchitectures{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  const auto newer = std::ranges::upper_bound(kArchitectures, 10 * cc_major + cc_minor);
  return newer == kArchitectures.begin() ? kOldestArchitecture : fmt::format("compute_{}", *std::prev(newer));
}

bool is_architecture(const std::string& text) {
  const std::size_t underscore = text.find('_'),
                    digits = text.find_first_not_of("0123456789", underscore + 1);
  const std::string_view family = std::string_view(text).substr(0, underscore);
  const bool has_number =
      underscore != std::string::npos && underscore + 1 < text.size() && digits != underscore + 1;
  return has_number && (family == "compute" || family == "sm") &&
         (digits == std::string::npos || text.substr(digits) == "a" || text.substr(digits) == "f");
}

std::string name_in_line_table(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == '"' || c == '\\' || c == 0x7F; }, '_');
  return name;
}

Result<Compiled> compile(const Source& source) {
  Source named = source;
  named.name = name_in_line_table(source.name);
  if (!is_architecture(named.architecture)) {
    return Error{tr("`{text}` is not an architecture", "text"_a = named.architecture), named.name,
                 tr("Name one as nvcc does: compute_90.")};
  }
  const auto start = std::chrono::steady_clock::now();
  Result<Compiled> compiled = compile_somehow(named);
  if (!compiled.ok()) return compiled;
  compiled->ptx = with_needed_target(
      without_reserved_name(without_folder(std::move(compiled->ptx), named.name, named.folder)));
  name_instances(*compiled, named);
  tell_nested_launches(*compiled);
  compiled->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

Error error_of(const Compiled& compiled, const Source& source) {
  const auto first = std::ranges::find(compiled.messages, Severity::error, &Message::severity);
  const auto errors =
      static_cast<std::size_t>(std::ranges::count(compiled.messages, Severity::error, &Message::severity));
  if (first == compiled.messages.end())
    return {tr("the compiler made no PTX of it"), source.name, tr("Compile it with nvcc to see why.")};
  const std::string what = first->text.substr(0, first->text.find('\n'));
  return {what, first->line == 0 ? source.name : fmt::format("{}:{}", first->file, first->line),
          errors > 1 ? tr_n(errors - 1, "{compiler} found {n} more error.",
                            "{compiler} found {n} more errors.", "compiler"_a = compiled.compiler)
                     : tr("{compiler} said so.", "compiler"_a = compiled.compiler)};
}

std::string compilers() {
  const std::string nvrtc = nvrtc_name(), nvcc = nvcc_name();
  return nvrtc + (nvrtc.empty() || nvcc.empty() ? "" : ", ") + nvcc;
}

}  // namespace warplens::compile
