#include "kernels/compile/machine_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/compile/compile.h"
#include "kernels/compile/job.h"
#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

std::string_view next_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

/// The number that stands before the words, with them: "29 registers".
std::string_view number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && (std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0)) --begin;
  return line.substr(begin, end + words.size() - begin);
}

bool is_kept(std::string_view line) {
  constexpr std::array<std::string_view, 13> kDropped{
      ".align",        ".elftype", ".global", ".headerflags", ".other", ".section", ".size",
      ".sectionflags", ".text",    ".type",   ".sectioninfo", ".weak",  "//-"};
  if (line.empty() ||
      std::ranges::any_of(kDropped, [&](std::string_view word) { return line.starts_with(word); }))
    return false;
  const std::size_t behind = line.find("*/ ");
  return !(line.starts_with("/*") && behind != std::string_view::npos &&
           line.substr(behind + 3).starts_with("NOP;"));
}

/// "/*0000*/                   MOV ..." with one space.
std::string closed_up(std::string_view line) {
  std::string result(line);
  for (std::size_t at = result.find("*/ "); at != std::string::npos; at = result.find("*/ ", at + 3)) {
    const std::size_t text = result.find_first_not_of(' ', at + 2);
    if (text != std::string::npos) result.erase(at + 3, text - at - 3);
  }
  return result;
}

/// "\t.zero\t\t128": 128.
std::uint64_t number_behind(std::string_view line, std::string_view word) {
  std::uint64_t number = 0;
  if (line.starts_with(word)) {
    line.remove_prefix(std::min(line.size(), line.find_first_of("0123456789")));
    std::from_chars(line.data(), line.data() + line.size(), number);
  }
  return number;
}

/// Returns the bytes of a line of data: `.zero 128`, or `.byte`, `.short`, `.word` or `.dword` with numbers
/// between commas.
std::uint64_t bytes_in(std::string_view line) {
  constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {
      {".byte\t", 1}, {".short\t", 2}, {".word\t", 4}, {".dword\t", 8}};
  for (const auto& [word, size] : kSizes) {
    if (line.find(word) != std::string_view::npos)
      return size * (1 + static_cast<std::uint64_t>(std::ranges::count(line, ',')));
  }
  return number_behind(line, ".zero");
}

/// The words of constant banks in a whole disassembly, as lines for the listing: `.constant KERNEL OFFSET
/// BYTES..` of what the compiler keeps in bank 2, `.variable OFFSET NAME` of what the module has in bank 3,
/// `.symbol OFFSET NAME` of the addresses in bank 4. Numbers are hexadecimal.
std::string constants_in(const std::string& disassembly) {
  constexpr std::string_view kLiterals = ".nv.constant2.",
                             kVariables = ".nv.constant3:", kAddresses = ".nv.constant4:";
  std::string constants, kernel;
  bool addresses = false, variables = false;
  std::uint64_t end = 0;  // In bank 3, of what has been read of it
  for (std::string_view rest = disassembly; !rest.empty();) {
    std::string_view line = next_line(rest);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (line.starts_with("//-")) {
      kernel.clear();
      addresses = variables = false;
    } else if (line == kVariables) {
      variables = true;
      end = 0;
    } else if (variables && line.ends_with(':') && !line.starts_with(".L")) {
      constants += fmt::format(".variable {:04x} {}\n", end, line.substr(0, line.size() - 1));
    } else if (const std::uint64_t alignment = number_behind(line, ".align"); variables && alignment > 1) {
      end = (end + alignment - 1) / alignment * alignment;
    } else if (line.starts_with(kLiterals) && line.ends_with(':')) {
      kernel = line.substr(kLiterals.size(), line.size() - kLiterals.size() - 1);
    } else if (line == kAddresses) {
      addresses = true;
    }
    const std::string_view offset = between(line, "/*", "*/");
    if (variables) end += bytes_in(line);
    if (const std::string_view name = between(line, ".dword\t", "\t"); addresses && !name.empty()) {
      constants += fmt::format(".symbol {} {}\n", offset, name);
    } else if (const std::string_view bytes = between(line, ".byte\t", "\t");
               !kernel.empty() && !bytes.empty()) {
      std::string digits(bytes);
      std::erase(digits, ',');
      constants += fmt::format(".constant {} {} {}\n", kernel, offset, digits);
    }
  }
  return constants;
}

/// Returns what `nvdisasm -c` lists of a whole disassembly: the instructions, and the symbols that they name.
std::string code_in(const std::string& disassembly) {
  constexpr std::string_view kTitle = "//---------------------";
  std::string code;
  bool is_code = true;
  for (std::string_view rest = disassembly; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (line.starts_with(kTitle))
      is_code =
          line.find(" .text.") != std::string_view::npos || line.find(" SYMBOLS ") != std::string_view::npos;
    if (is_code) code.append(line).append("\n");
  }
  return code;
}

}  // namespace

bool has_assembler() {
  return !tool_path("ptxas").empty() && !tool_path("nvdisasm").empty();
}

std::string assembler_in_words() {
  const fs::path ptxas = tool_path("ptxas");
  std::error_code error;
  if (ptxas.empty()) return {};
  return fmt::format("{} {} {}", ptxas.string(), fs::file_size(ptxas, error),
                     fs::last_write_time(ptxas, error).time_since_epoch().count());
}

std::string resources_in(const std::string& said) {
  std::string resources, kernel, stack;
  for (std::string_view rest = said; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (const std::string_view name = between(line, "Compiling entry function '", "'"); !name.empty())
      kernel = name;
    if (line.find("bytes stack frame") != std::string_view::npos)
      stack = line.substr(line.find_first_not_of(' '));
    const std::string_view registers = number_before(line, " registers");
    if (registers.empty() || kernel.empty() || line.find("Used ") == std::string_view::npos) continue;
    const std::string_view shared = number_before(line, " bytes smem");
    resources += fmt::format(".resources {}, {}, {}, {}\n", kernel, registers, stack,
                             shared.empty() ? "0 bytes smem" : shared);
    kernel.clear();
  }
  return resources;
}

std::string listing_of(const std::string& disassembly, const std::string& resources) {
  std::string listing;
  for (std::string_view rest = disassembly; !rest.empty();) {
    std::string_view line = next_line(rest);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    const std::string text = closed_up(line);
    if (!is_kept(text)) continue;
    listing.append(text).append("\n");
    if (text.starts_with(".target")) listing += resources;
  }
  return listing;
}

Result<std::string> list_machine_code(const std::string& ptx, const std::string& architecture,
                                      const std::atomic<bool>* cancelled) {
  const fs::path ptxas = tool_path("ptxas"), nvdisasm = tool_path("nvdisasm");
  if (!has_assembler()) {
    return Error{tr("this machine lacks {tool}", "tool"_a = ptxas.empty() ? "ptxas" : "nvdisasm"), "",
                 tr("Install the CUDA Toolkit 13.0, or run tools/setup.sh, which brings both along.")};
  }
  const Job job{.files = {{"kernel.ptx", ptx}},
                .links = {},
                .commands = {{.arguments = {ptxas.string(), "-v", "-O3", "-lineinfo", "-arch=" + architecture,
                                            "kernel.ptx", "-o", "kernel.cubin"},
                              .log = "assembled"},
                             {.arguments = {nvdisasm.string(), "-gi", "kernel.cubin"}, .log = "listed"}},
                .outputs = {"assembled", "listed"},
                .readable = {},
                .limits = {}};
  Result<JobResult> result = run_job(job, cancelled);
  if (!result.ok()) return result.error();
  const std::string &said = result->outputs["assembled"], &whole = result->outputs["listed"];
  if (result->status != 0 && whole.empty()) {
    const std::vector<Message> messages = parse_messages(said);
    return Error{
        tr("ptxas makes no machine code of it for {architecture}: {reason}", "architecture"_a = architecture,
           "reason"_a = messages.empty() ? said.substr(0, said.find('\n')) : messages.front().text),
        "", ""};
  }
  if (result->status != 0)
    return Error{
        tr("nvdisasm cannot list the machine code for {architecture}", "architecture"_a = architecture), "",
        ""};
  const std::string instructions = code_in(whole);
  std::string about = resources_in(said);
  const auto names = [&](const char* bank) { return instructions.find(bank) != std::string::npos; };
  if (names("c[0x2]") || names("c[0x3]") || names("c[0x4]")) about += constants_in(whole);
  return listing_of(instructions, about);
}

}  // namespace warplens::compile
