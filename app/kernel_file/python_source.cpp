#include "app/kernel_file/python_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/kernel_file/python_cuda.h"
#include "app/kernel_file/python_tokens.h"

namespace warplens::app {
namespace {

using TokenKind = PythonToken::Kind;

constexpr std::string_view kTritonDecorators[] = {"triton.jit", "triton.runtime.jit",
                                                  "triton.runtime.jit.jit"};
/// `cuda.jit`: in a file that does not say what `cuda` is.
constexpr std::string_view kNumbaDecorators[] = {"numba.cuda.jit", "cuda.jit"};

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

/// "float32[:], int32" at commas outside of brackets.
std::vector<std::string_view> parts_of_text(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    if (const auto part = without_blanks(list.substr(from, i - from)); !part.empty()) parts.push_back(part);
    from = i + 1;
  }
  return parts;
}

/// "void(float32[:], int32)": the types between its parentheses.
std::vector<std::string_view> types_of_signature(std::string_view signature) {
  const std::size_t open = signature.find('('), close = signature.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return parts_of_text(signature.substr(open + 1, close - open - 1));
}

/// What is written in one place of a call.
struct PythonArgument {
  std::string_view keyword;
  PythonTokens value;
};

/// Returns the value of a string argument: its literals, joined, or those of the variable that it names.
struct GivenString {
  std::vector<PythonToken> literals;
  bool is_plain = false;  ///< Nothing but these literals
};

class PythonFileReader {
 public:
  explicit PythonFileReader(std::string_view text)
      : text_(text), read_(tokenize_python(text)), tokens_(read_.tokens) {}

  PythonSource read() {
    for_each_statement([this](PythonTokens statement) {
      read_import(statement);
      read_assignment(statement);
    });
    for_each_statement([this](PythonTokens statement) { read_definition(statement); });
    for (std::size_t i = 0; i < tokens_.size(); ++i) read_call(i);
    std::ranges::stable_sort(source_.kernels, {}, &PythonKernel::line);
    add_launch_comments();
    add_uses();
    return std::move(source_);
  }

 private:
  template <class Visit>
  void for_each_statement(const Visit& visit) {
    std::size_t from = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::end_of_statement) continue;
      if (i > from) visit(tokens_.subspan(from, i - from));
      from = i + 1;
    }
  }

  [[nodiscard]] std::string_view source_of(PythonTokens part) const {
    if (part.empty()) return {};
    return text_.substr(part.front().at, part.back().at + part.back().text.size() - part.front().at);
  }

  /// Reads a dotted name, "a.b.c", at `at`, and advances `at` past it.
  static std::string dotted_name(PythonTokens tokens, std::size_t& at) {
    std::string name;
    while (at < tokens.size() && tokens[at].kind == TokenKind::name) {
      name += tokens[at++].text;
      if (at + 1 >= tokens.size() || !tokens[at].is(".") || tokens[at + 1].kind != TokenKind::name) break;
      name += '.';
      ++at;
    }
    return name;
  }

  /// With its first part as it is called where it is imported from.
  [[nodiscard]] std::string resolved_name(const std::string& dotted) const {
    const std::size_t end = std::min(dotted.find('.'), dotted.size());
    const auto known = imports_.find(dotted.substr(0, end));
    return known == imports_.end() ? dotted : known->second + dotted.substr(end);
  }

  void read_import(PythonTokens statement) {
    const bool from = statement.front().is("from");
    if (!from && !statement.front().is("import")) return;
    std::size_t at = 1;
    std::string module;
    if (from) {
      module = dotted_name(statement, at);
      if (at >= statement.size() || !statement[at].is("import")) return;
      ++at;
    }
    while (at < statement.size()) {
      const std::size_t before = at;
      const std::string name = dotted_name(statement, at);
      std::string as = from ? name : name.substr(0, name.find('.'));
      std::string means = as;
      if (from) means = fmt::format("{}.{}", module, name);
      if (at + 1 < statement.size() && statement[at].is("as")) {
        as = std::string(statement[at + 1].text);
        if (!from) means = name;
        at += 2;
      }
      if (!name.empty()) imports_[as] = means;
      if (at == before || (at < statement.size() && statement[at].kind != TokenKind::name)) ++at;
    }
  }

  /// `code = r"..."`, wherever it stands.
  void read_assignment(PythonTokens statement) {
    if (statement.size() < 3 || statement[0].kind != TokenKind::name) return;
    if (statement[1].is("=") && !statement[2].is("=")) {
      assignments_[std::string(statement[0].text)].push_back(statement.subspan(2));
    } else if (statement[1].is("+") && statement[2].is("=")) {
      assignments_[std::string(statement[0].text)].push_back(statement);  // Not a string alone
    }
  }

  void read_definition(PythonTokens statement) {
    if (statement.front().is("@")) return decorators_.push_back(statement.subspan(1));
    const std::vector<PythonTokens> decorators = std::exchange(decorators_, {});
    const std::size_t name = statement.front().is("async") ? 2 : 1;
    if (name + 1 >= statement.size() || !statement[name - 1].is("def") || !statement[name + 1].is("("))
      return;
    for (const PythonTokens decorator : decorators) {
      std::size_t at = 0;
      const std::string meaning = resolved_name(dotted_name(decorator, at));
      const bool is_triton = std::ranges::find(kTritonDecorators, meaning) != std::end(kTritonDecorators),
                 is_numba = std::ranges::find(kNumbaDecorators, meaning) != std::end(kNumbaDecorators);
      if (!is_triton && !is_numba) continue;
      const std::vector<PythonArgument> arguments = arguments_at(decorator, at);
      if (is_numba && is_device_function(arguments)) return;
      PythonKernel kernel{.name = std::string(statement[name].text),
                          .kind = is_triton ? PythonKernelKind::triton : PythonKernelKind::numba,
                          .line = statement[name].line,
                          .parameters = parameters_in(inside_bracket(statement, name + 1))};
      if (is_numba) add_types(kernel, arguments);
      source_.kernels.push_back(std::move(kernel));
      return;
    }
  }

  static bool is_device_function(const std::vector<PythonArgument>& arguments) {
    return std::ranges::any_of(arguments, [](const PythonArgument& argument) {
      return argument.keyword == "device" && argument.value.size() == 1 && argument.value.front().is("True");
    });
  }

  /// Adds the types of `@cuda.jit("void(float32[:])")` and `@cuda.jit(void(float32[:]))`.
  void add_types(PythonKernel& kernel, const std::vector<PythonArgument>& arguments) const {
    if (arguments.empty() || !arguments.front().keyword.empty() || arguments.front().value.empty()) return;
    const PythonTokens value = arguments.front().value;
    const std::vector<std::string_view> types =
        types_of_signature(value.front().kind == TokenKind::string ? value.front().text : source_of(value));
    if (types.size() != kernel.parameters.size()) return;
    for (std::size_t i = 0; i < types.size(); ++i) kernel.parameters[i].type = std::string(types[i]);
  }

  [[nodiscard]] std::vector<compile::SourceParameter> parameters_in(PythonTokens list) const {
    std::vector<compile::SourceParameter> parameters;
    for (PythonTokens part : split_at_commas(list)) {
      while (!part.empty() && part.front().is("*")) part = part.subspan(1);
      if (part.empty() || part.front().kind != TokenKind::name) continue;  // A lone `*` or `/`
      compile::SourceParameter parameter{.type = {}, .name = std::string(part.front().text)};
      if (part.size() > 2 && part[1].is(":")) {
        std::size_t end = 2;
        while (end < part.size() && !part[end].is("=")) ++end;
        parameter.type = std::string(source_of(part.subspan(2, end - 2)));
      }
      parameters.push_back(std::move(parameter));
    }
    return parameters;
  }

  /// Returns the arguments of a call whose parenthesis is at `open`; none if there is none.
  static std::vector<PythonArgument> arguments_at(PythonTokens tokens, std::size_t open) {
    std::vector<PythonArgument> arguments;
    if (open >= tokens.size() || !tokens[open].is("(")) return arguments;
    for (const PythonTokens part : split_at_commas(inside_bracket(tokens, open))) {
      const bool has_keyword = part.size() > 2 && part[0].kind == TokenKind::name && part[1].is("=");
      arguments.push_back(has_keyword ? PythonArgument{part[0].text, part.subspan(2)}
                                      : PythonArgument{{}, part});
    }
    return arguments;
  }

  static PythonTokens argument_called(const std::vector<PythonArgument>& arguments, std::string_view keyword,
                                      std::size_t place) {
    const auto found = std::ranges::find(arguments, keyword, &PythonArgument::keyword);
    if (found != arguments.end()) return found->value;
    return place < arguments.size() && arguments[place].keyword.empty() ? arguments[place].value
                                                                        : PythonTokens();
  }

  /// `before`: where it is used. A variable has what it was set to last before that.
  [[nodiscard]] GivenString string_given(PythonTokens value, std::size_t before) const {
    if (value.size() == 1 && value.front().kind == TokenKind::name) {
      const auto known = assignments_.find(std::string(value.front().text));
      if (known == assignments_.end()) return {};
      const auto later = std::ranges::find_if(
          known->second, [&](const PythonTokens& one) { return one.front().at > before; });
      value = later == known->second.begin() ? known->second.front() : *std::prev(later);
    }
    GivenString given{.literals = {}, .is_plain = !value.empty()};
    for (const PythonToken& token : value) {
      if (token.kind == TokenKind::string) {
        given.literals.push_back(token);
        given.is_plain = given.is_plain && !token.is_formatted;
      } else if (!token.is("(") && !token.is(")") && !token.is("+")) {
        given.is_plain = false;
      }
    }
    given.is_plain = given.is_plain && !given.literals.empty();
    return given;
  }

  [[nodiscard]] std::string text_given(PythonTokens value, std::size_t before) const {
    const GivenString given = string_given(value, before);
    std::string text;
    for (const PythonToken& literal : given.literals) text += literal.text;
    return given.is_plain ? text : std::string();
  }

  void read_call(std::size_t at) {
    if (tokens_[at].kind != TokenKind::name || (at > 0 && tokens_[at - 1].is("."))) return;
    std::size_t open = at;
    const std::string meaning = resolved_name(dotted_name(tokens_, open));
    if (!meaning.starts_with("cupy.") || open >= tokens_.size() || !tokens_[open].is("(")) return;
    const std::vector<PythonArgument> arguments = arguments_at(tokens_, open);
    if (meaning == "cupy.RawKernel") {
      read_raw(at, arguments, text_given(argument_called(arguments, "name", 1), tokens_[at].at));
    } else if (meaning == "cupy.RawModule") {
      read_raw(at, arguments, {});
    } else if (meaning == "cupy.ElementwiseKernel") {
      read_elementwise(at, arguments);
    }
  }

  /// "add" of `add = cupy.ElementwiseKernel(`; empty: it is not set to a variable.
  [[nodiscard]] std::string variable_set_to(std::size_t at) const {
    const bool is_set = at >= 2 && tokens_[at - 1].is("=") && tokens_[at - 2].kind == TokenKind::name;
    return is_set ? std::string(tokens_[at - 2].text) : std::string();
  }

  /// `wanted`: the kernel that it is made for; empty: all.
  void read_raw(std::size_t at, const std::vector<PythonArgument>& arguments, const std::string& wanted) {
    const GivenString code = string_given(argument_called(arguments, "code", 0), tokens_[at].at);
    const std::string name = wanted.substr(0, wanted.find('<'));
    const auto add_by_name = [&](std::optional<std::size_t> cuda) {
      if (name.empty() || source_.find(name) != nullptr) return;
      source_.kernels.push_back(
          {.name = name, .kind = PythonKernelKind::cupy, .line = tokens_[at].line, .cuda = cuda});
    };
    if (code.literals.empty()) return add_by_name(std::nullopt);
    const auto [place, is_new] = cuda_of_.try_emplace(code.literals.front().at, source_.cuda.size());
    if (is_new) {
      source_.cuda.push_back(cuda_of_strings(text_, code.literals));
      add_kernels_of(place->second, code.is_plain);
    }
    std::vector<std::string>& instances = source_.cuda[place->second].instances;
    if (name != wanted) instances.push_back(wanted);
    for (const PythonToken& token : argument_called(arguments, "name_expressions", SIZE_MAX)) {
      if (token.kind == TokenKind::string && token.text.find('<') != std::string_view::npos)
        instances.emplace_back(token.text);
    }
    add_by_name(code.is_plain ? std::optional(place->second) : std::nullopt);
  }

  void add_kernels_of(std::size_t index, bool is_plain) {
    const PythonCuda& cuda = source_.cuda[index];
    for (const compile::SourceKernel& kernel : compile::kernels_in(cuda.text)) {
      source_.kernels.push_back(
          {.name = kernel.name,
           .kind = PythonKernelKind::cupy,
           .line = cuda.lines[std::min<std::size_t>(kernel.line, cuda.lines.size()) - 1],
           .parameters = kernel.parameters,
           .template_arguments = kernel.template_arguments,
           .launch = kernel.launch,
           .cuda = is_plain ? std::optional(index) : std::nullopt});
    }
  }

  /// `ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x * y", "product")`
  void read_elementwise(std::size_t at, const std::vector<PythonArgument>& arguments) {
    PythonKernel kernel{.name = text_given(argument_called(arguments, "name", 3), tokens_[at].at),
                        .kind = PythonKernelKind::cupy_elementwise,
                        .line = tokens_[at].line};
    if (kernel.name.empty()) kernel.name = variable_set_to(at);
    if (kernel.name.empty()) kernel.name = "kernel";  // As CuPy calls it
    for (const auto& [keyword, place] : {std::pair("in_params", 0), std::pair("out_params", 1)}) {
      const std::string list =
          text_given(argument_called(arguments, keyword, static_cast<std::size_t>(place)), tokens_[at].at);
      for (const std::string_view part : parts_of_text(list)) {
        const std::size_t space = std::min(part.rfind(' '), part.size());
        kernel.parameters.push_back({std::string(without_blanks(part.substr(0, space))),
                                     std::string(without_blanks(part.substr(space)))});
      }
    }
    source_.kernels.push_back(std::move(kernel));
  }

  /// `# warplens: grid=4 block=128` before a kernel, and the lines of comments that go on with it.
  void add_launch_comments() {
    constexpr std::string_view kLaunchWord = "warplens:";
    std::uint32_t before = 0;
    for (PythonKernel& kernel : source_.kernels) {
      std::uint32_t last_line = 0;
      for (const PythonComment& comment : read_.comments) {
        if (comment.line <= before || comment.line >= kernel.line) continue;
        const std::string_view words = without_blanks(comment.text);
        if (words.starts_with(kLaunchWord)) {
          kernel.launch = std::string(without_blanks(words.substr(kLaunchWord.size())));
          last_line = comment.line;
        } else if (last_line != 0 && comment.line == last_line + 1) {
          kernel.launch.append(" ").append(words);
          last_line = comment.line;
        }
      }
      before = kernel.line;
    }
  }

  void add_uses() {
    std::set<std::string_view> launched, called;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::name) continue;
      if (tokens_[i + 1].is("(") && !(i > 0 && (tokens_[i - 1].is("def") || tokens_[i - 1].is("."))))
        called.insert(tokens_[i].text);
      if (!tokens_[i + 1].is("[")) continue;
      const std::size_t end = behind_bracket(tokens_, i + 1);
      if (end < tokens_.size() && tokens_[end].is("(")) launched.insert(tokens_[i].text);
    }
    for (PythonKernel& kernel : source_.kernels) {
      if (kernel.kind != PythonKernelKind::triton && kernel.kind != PythonKernelKind::numba) continue;
      kernel.is_launched = launched.contains(kernel.name);
      kernel.is_called = !kernel.is_launched && called.contains(kernel.name);
    }
  }

  std::string_view text_;
  TokenizedPython read_;
  PythonTokens tokens_;
  std::map<std::string, std::string> imports_;
  std::map<std::string, std::vector<PythonTokens>> assignments_;  ///< By variable, in the order of the file
  std::vector<PythonTokens> decorators_;                          ///< Of the definition that comes next
  std::map<std::size_t, std::size_t> cuda_of_;  ///< By where its first string begins: of PythonSource::cuda
  PythonSource source_;
};

}  // namespace

const PythonKernel* PythonSource::find(std::string_view name) const {
  const auto found = std::ranges::find(kernels, compile::name_in_source(name), &PythonKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

PythonSource read_python(std::string_view text) {
  return PythonFileReader(text).read();
}

bool is_python_file(const std::filesystem::path& path) {
  return path.extension() == ".py";
}

const char* name_of(PythonKernelKind kind) {
  switch (kind) {
    case PythonKernelKind::triton: return "Triton";
    case PythonKernelKind::numba: return "Numba";
    case PythonKernelKind::cupy:
    case PythonKernelKind::cupy_elementwise: return "CuPy";
  }
  return "";
}

}  // namespace warplens::app
