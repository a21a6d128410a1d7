// What NVIDIA's compilers print:
//   mm.cu(12): error: identifier "x" is undefined
//       sum += x;
//              ^
//   mm.cu(12): warning #177-D: variable "y" was declared but never referenced
//   mm.cu(12): Error: Formal parameter space overflowed (..)
//   ptxas error   : ...
// and what the host's compiler prints, which reads the source before nvcc does:
//   In file included from mm.cu:1:
//   mm.h:2:2: error: #error SIZE must be given
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/compile/compile.h"

namespace warplens::compile {
namespace {

constexpr std::size_t kMaxMessages = 200;

struct Word {
  std::string_view text;
  Severity severity;
};
constexpr std::array kWords{Word{"error", Severity::error},
                            Word{"Error", Severity::error},
                            Word{"catastrophic error", Severity::error},
                            Word{"fatal error", Severity::error},
                            Word{"warning", Severity::warning},
                            Word{"Warning", Severity::warning},
                            Word{"remark", Severity::remark},
                            Word{"note", Severity::remark}};

/// "error: ..." and "warning #177-D: ...": how severe it is, and what follows the colon.
std::optional<std::pair<Severity, std::string_view>> severity_of(std::string_view text) {
  for (const Word& word : kWords) {
    if (!text.starts_with(word.text)) continue;
    const std::string_view rest = text.substr(word.text.size());
    const std::size_t colon = rest.find(':');
    const bool numbered = rest.starts_with(" #") && colon != std::string_view::npos &&
                          rest.substr(0, colon).find(' ', 1) == std::string_view::npos;
    if (colon == 0 || numbered)
      return std::pair{word.severity, rest.substr(std::min(colon + 2, rest.size()))};
  }
  return std::nullopt;
}

/// "mm.h:2:2: error: ..."
std::optional<Message> message_of_host_compiler(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    Message message;
    const char* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + colon + 1, end, message.line);
    if (error != std::errc{} || stop == end || *stop != ':') continue;
    std::string_view rest(stop + 1, static_cast<std::size_t>(end - stop - 1));
    if (const std::size_t column = rest.find_first_not_of("0123456789");
        column != 0 && column != std::string_view::npos && rest[column] == ':')
      rest.remove_prefix(column + 1);
    if (!rest.starts_with(' ')) continue;
    const auto severity = severity_of(rest.substr(1));
    if (!severity) continue;
    message.severity = severity->first;
    message.file = std::filesystem::path(line.substr(0, colon)).filename().string();
    message.text = severity->second;
    return message;
  }
  return std::nullopt;
}

/// "mm.cu(12): error: ..."
std::optional<Message> begin_of_message(std::string_view line) {
  for (std::size_t open = line.find('('); open != std::string_view::npos; open = line.find('(', open + 1)) {
    Message message;
    const char* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + open + 1, end, message.line);
    if (error != std::errc{} || end - stop < 3 || std::string_view(stop, 3) != "): ") continue;
    const auto severity = severity_of({stop + 3, end});
    if (!severity) continue;
    message.severity = severity->first;
    message.file = std::filesystem::path(line.substr(0, open)).filename().string();
    message.text = severity->second;
    return message;
  }
  if (auto message = message_of_host_compiler(line)) return message;
  const auto severity = severity_of(line);  // Of no line: options, what the linker of device code says
  return severity ? std::optional(Message{severity->first, "", 0, std::string(severity->second)})
                  : std::nullopt;
}

bool is_closing(std::string_view line) {
  return line.find(" errors detected in the compilation of") != std::string_view::npos ||
         line.find(" error detected in the compilation of") != std::string_view::npos ||
         line.starts_with("Remark: The warnings can be suppressed");
}

}  // namespace

std::vector<Message> parse_messages(const std::string& log) {
  std::vector<Message> messages;
  std::string_view rest = log;
  while (!rest.empty() && messages.size() < kMaxMessages) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty() || is_closing(line)) continue;
    if (auto message = begin_of_message(line)) {
      messages.push_back(*std::move(message));
    } else if (!messages.empty() && line.front() == ' ') {
      messages.back().text.append("\n").append(line);  // The line of source, and what points at it
    }
  }
  return messages;
}

}  // namespace warplens::compile
