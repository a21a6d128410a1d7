#include "kernels/compile/signatures.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

constexpr std::string_view kLaunch = "warplens:";

/// Returns the text between the angle brackets of "template <int T> __global__".
std::string template_before(std::string_view code, std::size_t at) {
  const std::size_t begin = begin_of_declaration(code, at);
  const std::string_view before = code.substr(begin, at - begin);
  const std::size_t word = before.rfind("template"), open = before.find('<', word);
  if (word == std::string_view::npos || open == std::string_view::npos) return {};
  const std::size_t end = behind(before, open, '<', '>');
  return end == std::string_view::npos ? std::string()
                                       : with_single_spaces(before.substr(open + 1, end - open - 2));
}

/// A list of parameters as the preprocessor may leave it: with the text of each `#if`, and with that of its
/// `#else`, if there are such lines.
std::vector<std::string> alternatives_of(std::string_view list) {
  std::string alternatives[2];
  std::vector<bool> in_else;
  while (!list.empty()) {
    const std::string_view line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(line.size() + 1, list.size()));
    const std::string_view directive = trimmed(line);
    if (directive.starts_with('#')) {
      const std::string_view word = trimmed(directive.substr(1));
      if (word.starts_with("if")) in_else.push_back(false);
      if (word.starts_with("el") && !in_else.empty()) in_else.back() = true;
      if (word.starts_with("endif") && !in_else.empty()) in_else.pop_back();
      continue;
    }
    const bool is_else = std::ranges::find(in_else, true) != in_else.end();
    if (in_else.empty() || !is_else) alternatives[0].append(line).append("\n");
    if (in_else.empty() || is_else) alternatives[1].append(line).append("\n");
  }
  if (alternatives[0] == alternatives[1]) return {alternatives[0]};
  return {alternatives[0], alternatives[1]};
}

/// The definition, or declaration, that `__global__` at `at` begins; none: it begins none. More than one: its
/// parameters depend on the preprocessor.
std::vector<SourceKernel> kernel_at(std::string_view code, std::size_t at) {
  const std::size_t stop = std::min(code.find_first_of(";{", at), code.size());
  for (std::size_t open = code.find('(', at); open < stop; open = code.find('(', open)) {
    const std::string_view name = word_before(code, open);
    const std::size_t end = behind(code, open, '(', ')');
    if (end == std::string_view::npos) return {};
    if (!name.empty() && name != "__launch_bounds__" && name != "__attribute__" &&
        name != "__cluster_dims__" && name != "__maxnreg__" && name != "alignas") {
      SourceKernel kernel{.name = std::string(name), .template_arguments = template_before(code, at)};
      std::vector<SourceKernel> kernels;
      for (const std::string& list : alternatives_of(code.substr(open + 1, end - open - 2))) {
        kernels.push_back(kernel);
        kernels.back().parameters = parameters_of(list);
      }
      return kernels;
    }
    open = end;
  }
  return {};
}

struct LaunchComment {
  std::size_t begin = 0, end = 0;  ///< In the source, without the last line's end
  std::string text;
};

/// What stands behind `//` if the line is nothing but a comment.
std::optional<std::string_view> comment_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("//")) return std::nullopt;
  return trimmed(line.substr(2));
}

std::vector<LaunchComment> launch_comments(std::string_view source) {
  std::vector<LaunchComment> comments;
  bool goes_on = false;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const auto comment = comment_of(source.substr(at, end - at));
    if (comment && comment->starts_with(kLaunch)) {
      comments.push_back({at, end, std::string(trimmed(comment->substr(kLaunch.size())))});
      goes_on = true;
    } else if (goes_on && comment &&
               comment->substr(0, comment->find(' ')).find('=') != std::string_view::npos) {
      comments.back().text.append(" ").append(*comment);
      comments.back().end = end;
    } else {
      goes_on = false;
    }
    at = end + 1;
  }
  return comments;
}

/// Numbers of lines, asked for in the order of the text: all of them take one pass through it.
class LineCounter {
 public:
  explicit LineCounter(std::string_view code) : code_(code) {}
  std::uint32_t line_at(std::size_t at) {
    for (; counted_ < at; ++counted_) line_ += code_[counted_] == '\n' ? 1 : 0;
    return line_;
  }

 private:
  std::string_view code_;
  std::size_t counted_ = 0;
  std::uint32_t line_ = 1;
};

/// "tile[T][T + 1]": nullopt for what is no array.
std::optional<SourceArray> array_of(std::string_view declarator) {
  declarator = trimmed(declarator);
  const std::size_t open = declarator.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  SourceArray array{.name = std::string(word_before(declarator, open))};
  for (std::size_t at = open; at < declarator.size() && declarator[at] == '[';) {
    const std::size_t end = behind(declarator, at, '[', ']');
    if (end == std::string_view::npos) return std::nullopt;
    array.extents.emplace_back(trimmed(declarator.substr(at + 1, end - at - 2)));
    at = end;
    while (at < declarator.size() && is_space(declarator[at])) ++at;
  }
  return array.name.empty() ? std::nullopt : std::optional(array);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_word);
}

}  // namespace

std::vector<SourceArray> shared_arrays_in(std::string_view source) {
  constexpr std::string_view kShared = "__shared__";
  const std::string code = code_of(source);
  std::vector<SourceArray> arrays;
  for (std::size_t at = code.find(kShared); at != std::string::npos; at = code.find(kShared, at + 1)) {
    const std::size_t begin = at + kShared.size(),
                      end = std::min(code.find_first_of(";{=", begin), code.size());
    std::string_view rest = std::string_view(code).substr(begin, end - begin);
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= rest.size(); ++i) {
      const char c = i < rest.size() ? rest[i] : ',';
      if (c == '[' || c == '<' || c == '(') ++depth;
      if (c == ']' || c == '>' || c == ')') --depth;
      if (c != ',' || (depth > 0 && i < rest.size())) continue;
      if (auto array = array_of(rest.substr(from, i - from))) arrays.push_back(*std::move(array));
      from = i + 1;
    }
  }
  return arrays;
}

std::vector<SourceConstant> constants_in(std::string_view source) {
  const std::string code = code_of(source);
  std::vector<SourceConstant> constants;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    std::string_view line = trimmed(std::string_view(code).substr(begin, end - begin));
    begin = end + 1;
    constexpr std::string_view kDefine = "#define ";
    if (line.starts_with(kDefine)) {
      line = trimmed(line.substr(kDefine.size()));
      const std::size_t space = std::min(line.find(' '), line.size());
      const std::string_view name = line.substr(0, space), value = trimmed(line.substr(space));
      if (is_identifier(name) && !value.empty()) constants.push_back({std::string(name), std::string(value)});
      continue;
    }
    const std::size_t equals = line.find('='), stop = line.find(';');
    const bool constant = line.find("constexpr ") < equals || line.find("const ") < equals;
    if (!constant || stop == std::string_view::npos || equals > stop) continue;
    const std::string_view name = word_before(line, equals);
    if (is_identifier(name))
      constants.push_back(
          {std::string(name), std::string(trimmed(line.substr(equals + 1, stop - equals - 1)))});
  }
  return constants;
}

std::vector<SourceKernel> kernels_in(std::string_view source) {
  constexpr std::string_view kGlobal = "__global__";
  const std::string code = code_of(source);
  const std::vector<LaunchComment> comments = launch_comments(source);
  std::vector<SourceKernel> kernels;
  std::map<std::pair<std::string, std::size_t>, std::size_t> known;  // By name and number of parameters
  LineCounter lines(code);
  std::size_t before = 0;
  auto comment = comments.begin();
  for (std::size_t at = code.find(kGlobal); at != std::string::npos; at = code.find(kGlobal, at + 1)) {
    std::vector<SourceKernel> alternatives = kernel_at(code, at);
    if (alternatives.empty()) continue;
    LaunchComment own{};
    for (; comment != comments.end() && comment->end < at; ++comment) {
      if (comment->end >= before) own = *comment;
    }
    if (own.text.empty()) own.begin = own.end = line_of_declaration(code, at);
    const std::uint32_t line = lines.line_at(code.find(alternatives.front().name, at));
    for (SourceKernel& kernel : alternatives) {
      kernel.line = line;
      kernel.launch = own.text;
      kernel.launch_begin = own.begin;
      kernel.launch_end = own.end;
      const auto [place, is_new] = known.try_emplace({kernel.name, kernel.parameters.size()}, kernels.size());
      if (is_new) {
        kernels.push_back(std::move(kernel));
      } else if (SourceKernel& declared = kernels[place->second];
                 declared.launch.empty() && !kernel.launch.empty()) {
        declared = std::move(kernel);
      }
    }
    before = at;
  }
  return kernels;
}

std::string with_launch(std::string_view source, std::string_view kernel, std::string_view launch) {
  const std::vector<SourceKernel> kernels = kernels_in(source);
  const auto found = std::ranges::find(kernels, kernel, &SourceKernel::name);
  std::string result(source);
  if (found == kernels.end()) return result;
  const std::string comment = std::string("// ").append(kLaunch).append(" ").append(launch);
  return result.replace(found->launch_begin, found->launch_end - found->launch_begin,
                        found->launch.empty() ? comment + "\n" : comment);
}

std::string_view name_in_source(std::string_view plain_name) {
  const std::string_view name = plain_name.substr(0, plain_name.find('<'));
  return name.substr(name.rfind(':') == std::string_view::npos ? 0 : name.rfind(':') + 1);
}

KernelsByName::KernelsByName(const std::vector<SourceKernel>& kernels) {
  for (const SourceKernel& kernel : kernels)
    kernels_.emplace(std::pair(std::string_view(kernel.name), kernel.parameters.size()), &kernel);
}

const SourceKernel* KernelsByName::find(std::string_view plain_name, std::size_t parameters) const {
  const SourceKernel* found = nullptr;
  const auto [begin, end] = kernels_.equal_range({name_in_source(plain_name), parameters});
  for (auto one = begin; one != end; ++one) {
    if (found != nullptr && found->parameters != one->second->parameters) return nullptr;
    found = one->second;
  }
  return found;
}

const SourceKernel* find_kernel(const std::vector<SourceKernel>& kernels, std::string_view plain_name,
                                std::size_t parameters) {
  return KernelsByName(kernels).find(plain_name, parameters);
}

}  // namespace warplens::compile
