#include "kernels/compile/source_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <tuple>

namespace warplens::compile {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string code_of(std::string_view source) {
  std::string code(source);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) code[i] = code[i] == '\n' ? '\n' : ' ';
  };
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i + 1;
    if (source.substr(i, 2) == "//") {
      end = std::min(source.find('\n', i), source.size());
      blank(i, end);
    } else if (source.substr(i, 2) == "/*") {
      const std::size_t close = source.find("*/", i + 2);
      end = close == std::string_view::npos ? source.size() : close + 2;
      blank(i, end);
    } else if (code[i] == '"' ||
               (code[i] == '\'' && (i == 0 || !is_word(code[i - 1])))) {  // 1'000 is a number
      while (end < code.size() && code[end] != code[i] && code[end] != '\n') end += code[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, code.size());
      blank(i, end);
    }
    i = end;
  }
  return code;
}

std::size_t behind(std::string_view code, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == opening) ++depth;
    if (code[i] == closing && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::string_view word_before(std::string_view code, std::size_t end) {
  while (end > 0 && is_space(code[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}

std::string with_single_spaces(std::string_view text) {
  std::string result;
  for (const char c : trimmed(text)) {
    if (!is_space(c)) {
      result += c;
    } else if (result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

namespace {

/// Whether a parameter that ends with the word has no name: the word is (the last of) its type.
bool ends_a_type(std::string_view before, std::string_view word) {
  constexpr std::string_view kTypes[] = {"void",  "bool",   "char",   "short",    "int",   "long",
                                         "float", "double", "signed", "unsigned", "const", "volatile"};
  if (std::ranges::find(kTypes, word) != std::end(kTypes)) return true;
  if (before.ends_with("::")) return true;
  while (!before.empty()) {  // Nothing but qualifiers: "const Point"
    const std::string_view last = word_before(before, before.size());
    if (last != "const" && last != "volatile" && last != "struct" && last != "class" && last != "enum" &&
        last != "typename")
      return false;
    before = trimmed(before.substr(0, static_cast<std::size_t>(last.data() - before.data())));
  }
  return true;
}

/// Returns the text without attributes: `[[maybe_unused]]`, `__attribute__((aligned(8)))`.
std::string without_attributes(std::string_view text) {
  std::string result(text);
  for (const auto& [word, opening, closing] :
       {std::tuple{"[[", '[', ']'}, {"__attribute__", '(', ')'}, {"alignas", '(', ')'}}) {
    for (std::size_t at = result.find(word); at != std::string::npos; at = result.find(word)) {
      const std::size_t open = result.find(opening, at),
                        end = open == std::string::npos ? open : behind(result, open, opening, closing);
      if (end == std::string::npos) return result;
      result.erase(at, end - at);
    }
  }
  return result;
}

/// Returns the name in a declarator in parentheses: "a" of `float (*a)[16]`, "f" of `float (*f)(float)`;
/// empty if there are no parentheses.
std::string_view name_in_parentheses(std::string_view text) {
  const std::size_t open = text.find('('),
                    end = open == std::string_view::npos ? open : behind(text, open, '(', ')');
  if (end == std::string_view::npos) return {};
  const std::string_view inside = text.substr(open + 1, end - open - 2);
  return trimmed(inside).starts_with('*') ? word_before(inside, inside.size()) : std::string_view();
}

/// "const float* __restrict__ A", "float A[]" or "float (*A)[16]"
SourceParameter parameter_of(std::string_view written) {
  const std::string plain = without_attributes(written);
  std::string_view text = trimmed(std::string_view(plain).substr(0, plain.find('=')));
  if (const std::string_view inside = name_in_parentheses(text); !inside.empty()) {
    const std::string_view rest = trimmed(text.substr(text.find(')') + 1));
    const std::string type = with_single_spaces(text.substr(0, text.find('(')));
    return {type + (rest.starts_with('[') ? "*" : " (*)" + with_single_spaces(rest)), std::string(inside)};
  }
  std::string pointer;
  for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[')) {
    text = trimmed(text.substr(0, open));
    pointer = "*";
  }
  std::string_view name = word_before(text, text.size());
  std::string_view type = trimmed(text.substr(0, text.size() - name.size()));
  if (ends_a_type(type, name)) {
    type = text;
    name = {};
  }
  // Behind the last star stand qualifiers of the pointer itself, macros among them
  if (const std::size_t star = type.rfind('*');
      star != std::string_view::npos &&
      std::ranges::all_of(type.substr(star + 1), [](char c) { return is_word(c) || is_space(c); })) {
    type = type.substr(0, star + 1);
  }
  std::string words = with_single_spaces(type);
  for (const std::string_view ignored : {"__restrict__", "__restrict", "__grid_constant__"}) {
    for (std::size_t at = words.find(ignored); at != std::string::npos; at = words.find(ignored))
      words.erase(at, ignored.size());
  }
  words = with_single_spaces(words) + pointer;
  for (std::size_t at = words.find(" *"); at != std::string::npos; at = words.find(" *")) words.erase(at, 1);
  return {words, std::string(name)};
}

}  // namespace

std::vector<SourceParameter> parameters_of(std::string_view list) {
  std::vector<SourceParameter> parameters;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    const std::string_view one = trimmed(list.substr(begin, i - begin));
    if (!one.empty() && one != "void") parameters.push_back(parameter_of(one));
    begin = i + 1;
  }
  return parameters;
}

std::size_t begin_of_declaration(std::string_view code, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && code[begin - 1] != ';' && code[begin - 1] != '}' && code[begin - 1] != '{') --begin;
  const auto skip_spaces = [&] {
    while (begin < at && is_space(code[begin])) ++begin;
  };
  skip_spaces();
  while (begin < at && code[begin] == '#') {
    std::size_t end = std::min(code.find('\n', begin), at);
    while (end < at && code[end - 1] == '\\') end = std::min(code.find('\n', end + 1), at);
    begin = end;
    skip_spaces();
  }
  return begin;
}

std::size_t line_of_declaration(std::string_view code, std::size_t at) {
  std::size_t begin = begin_of_declaration(code, at);
  while (begin > 0 && code[begin - 1] != '\n') --begin;
  return begin;
}

std::uint32_t line_number(std::string_view code, std::size_t at) {
  return static_cast<std::uint32_t>(std::ranges::count(code.substr(0, at), '\n')) + 1;
}

}  // namespace warplens::compile
