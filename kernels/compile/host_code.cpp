#include "kernels/compile/host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/compile/declarations.h"
#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

/// A function's definition in a source.
struct Definition {
  std::string_view name, attributes;        ///< attributes: what stands before the name
  std::size_t begin = 0;                    ///< Of the declaration, behind `template <..>`
  std::size_t open = 0, body = 0, end = 0;  ///< Of the parameters, of the body, behind the body
  [[nodiscard]] bool has(std::string_view attribute) const {
    return attributes.find(attribute) != std::string_view::npos;
  }
};

bool is_name_of_function(std::string_view word) {
  constexpr std::string_view kOthers[] = {
      "if",      "for",      "while",   "switch", "catch", "__launch_bounds__", "__attribute__",
      "alignas", "decltype", "noexcept"};
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         std::ranges::find(kOthers, word) == std::end(kOthers);
}

/// The last parenthesis that opens before `end`, of one that closes right before it; npos: there is none.
std::size_t parameters_before(std::string_view code, std::size_t end) {
  for (const std::string_view word : {"noexcept", "const"}) {
    if (word_before(code, end) == word)
      end = static_cast<std::size_t>(word_before(code, end).data() - code.data());
  }
  while (end > 0 && is_space(code[end - 1])) --end;
  if (end == 0 || code[end - 1] != ')') return std::string_view::npos;
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (code[i] == ')') ++depth;
    if (code[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Code as code_of makes it, without directives of the preprocessor, whose braces need not match.
std::string code_alone(std::string_view source) {
  std::string code = code_of(source);
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = std::min(code.find('\n', at), code.size());
    if (trimmed(std::string_view(code).substr(at, end - at)).starts_with('#')) {
      while (end < code.size() && code[end - 1] == '\\')
        end = std::min(code.find('\n', end + 1), code.size());
      leave_out(code, at, end);
    }
    at = end + 1;
  }
  return code;
}

/// Returns the definitions of all functions that are not members of classes.
std::vector<Definition> definitions_in(std::string_view code) {
  std::vector<Definition> definitions;
  for (std::size_t open = code.find('{'); open != std::string_view::npos;) {
    const std::size_t end = std::min(behind(code, open, '{', '}'), code.size());
    const std::size_t begin = begin_of_declaration(code, open), parameters = parameters_before(code, open);
    const std::string_view before = trimmed(code.substr(begin, open - begin));
    const std::string_view name =
        parameters == std::string_view::npos ? std::string_view() : word_before(code, parameters);
    const bool transparent = before.starts_with("namespace") || before.starts_with("inline namespace") ||
                             trimmed(before).starts_with("extern");
    if (parameters != std::string_view::npos && parameters > begin && is_name_of_function(name)) {
      std::size_t from = begin;
      if (before.starts_with("template"))
        from = std::min(behind(code, code.find('<', begin), '<', '>'), parameters);
      definitions.push_back(
          {name, code.substr(from, parameters - from - name.size()), from, parameters, open, end});
    } else if (transparent) {
      open = code.find('{', open + 1);
      continue;
    }
    open = code.find('{', end);
  }
  return definitions;
}

bool is_kernel(const Definition& definition) {
  return definition.has("__global__");
}
bool is_of_device(const Definition& definition) {
  return is_kernel(definition) || definition.has("__device__") || definition.has("constexpr");
}

std::set<std::string_view> words_of(std::string_view code) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < code.size(); ++i) {
    std::size_t end = i;
    while (end < code.size() && is_word(code[end])) ++end;
    if (end > i) words.insert(code.substr(i, end - i));
    i = std::max(i, end);
  }
  return words;
}

/// Returns the functions that one calls, and those that they call, itself among them.
std::vector<const Definition*> called_by(const Definition& first, const std::vector<Definition>& definitions,
                                         std::string_view code) {
  std::vector<const Definition*> called{&first};
  for (std::size_t i = 0; i < called.size(); ++i) {
    const std::set<std::string_view> words =
        words_of(code.substr(called[i]->body, called[i]->end - called[i]->body));
    for (const Definition& other : definitions) {
      if (words.contains(other.name) && !is_kernel(other) &&
          std::ranges::find(called, &other) == called.end())
        called.push_back(&other);
    }
  }
  return called;
}

const Definition* find_definition(const std::vector<Definition>& definitions, std::string_view name) {
  const auto found = std::ranges::find_if(
      definitions, [&](const Definition& one) { return one.name == name && !is_kernel(one); });
  return found == definitions.end() ? nullptr : &*found;
}

}  // namespace

std::string without_host_code(std::string_view source) {
  const std::string code = code_alone(source);
  const std::vector<Definition> definitions = definitions_in(code);
  std::set<std::string_view> used;
  for (const Definition& one : definitions) {
    if (is_of_device(one)) used.merge(words_of(std::string_view(code).substr(one.body, one.end - one.body)));
  }
  std::string text(source);
  for (const Definition& one : definitions) {
    if (is_of_device(one)) continue;
    leave_out(text, used.contains(one.name) ? one.body : begin_of_declaration(code, one.body), one.end);
    if (used.contains(one.name)) text[one.body] = ';';
  }
  return text;
}

std::optional<HostFunction> find_host_function(std::string_view source, std::string_view name) {
  const std::string code = code_alone(source);
  const std::vector<Definition> definitions = definitions_in(code);
  const Definition* const found = find_definition(definitions, name);
  if (found == nullptr) return std::nullopt;
  const std::size_t close = behind(code, found->open, '(', ')');
  return HostFunction{
      .name = std::string(name),
      .parameters = parameters_of(std::string_view(code).substr(found->open + 1, close - found->open - 2)),
      .is_template = trimmed(std::string_view(code).substr(begin_of_declaration(code, found->body)))
                         .starts_with("template"),
      .line = line_number(code, found->open)};
}

std::string with_kernel_of(std::string_view source, const HostFunction& function, const std::string& entry) {
  const std::string code = code_alone(source);
  const std::vector<Definition> definitions = definitions_in(code);
  std::string text(source);
  const Definition* const first = find_definition(definitions, function.name);
  if (first == nullptr) return text;
  const std::vector<const Definition*> called = called_by(*first, definitions, code);
  for (auto one = definitions.rbegin(); one != definitions.rend();
       ++one) {  // From behind, so that places stay what they are
    const bool needed = std::ranges::find(called, &*one) != called.end();
    const bool launches =
        one->name == "main" || code.substr(one->body, one->end - one->body).find("<<<") != std::string::npos;
    if (!needed && launches && !is_kernel(*one)) {
      leave_out(text, one->begin, one->end);
    } else if (is_kernel(*one)) {
      leave_out(text, one->body + 1, one->end - 1);
    } else if (needed && !one->has("__device__")) {
      text.insert(one->begin, one->has("__host__") ? " __device__ " : " __host__ __device__ ");
    }
  }
  std::string parameters, names;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    parameters += fmt::format("{}{} p{}", i == 0 ? "" : ", ", function.parameters[i].type, i);
    names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  return text + fmt::format("\nextern \"C\" __global__ void {}({}) {{ {}({}); }}\n", entry, parameters,
                            function.name, names);
}

}  // namespace warplens::compile
