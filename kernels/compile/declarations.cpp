#include "kernels/compile/declarations.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr int kMostNested = 64;

std::size_t after_spaces(std::string_view code, std::size_t at, std::size_t end) {
  while (at < end && is_space(code[at])) ++at;
  return at;
}

std::string_view word_at(std::string_view code, std::size_t at) {
  std::size_t end = at;
  while (end < code.size() && is_word(code[end])) ++end;
  return code.substr(at, end - at);
}

/// The place behind a bracket that closes, at most `end`.
std::size_t skipped(std::string_view code, std::size_t open, std::size_t end) {
  const char opening = code[open], closing = opening == '(' ? ')' : opening == '[' ? ']' : '}';
  return std::min(behind(code.substr(0, end), open, opening, closing), end);
}

/// Returns the place behind `<..>`; comparisons in it stand in parentheses.
std::size_t behind_angles(std::string_view code, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    if (code[i] == '(' || code[i] == '{') {
      i = skipped(code, i, end) - 1;
    } else if (code[i] == '<') {
      ++depth;
    } else if (code[i] == '>' && --depth == 0) {
      return i + 1;
    } else if (code[i] == ';') {
      return i;
    }
  }
  return end;
}

/// "MODULE(name, m)" where nothing but a macro is called so.
bool is_name_of_macro(std::string_view word) {
  return word.size() > 2 && std::ranges::all_of(word, [](unsigned char c) { return std::islower(c) == 0; }) &&
         std::isdigit(static_cast<unsigned char>(word.front())) == 0 && !word.starts_with("__");
}

/// Whether what stands before a brace makes it the body of a function.
bool ends_as_function(std::string_view before) {
  const std::size_t close = before.rfind(')');
  if (close == kNowhere) return false;
  const std::string_view rest = trimmed(before.substr(close + 1));
  return rest.empty() || rest.starts_with("->") || rest.starts_with(':') ||
         std::ranges::all_of(rest, [](char c) { return is_word(c) || is_space(c) || c == '&'; });
}

/// Whether something is given a value: `=` outside of brackets that is no operator's name.
bool has_value(std::string_view before) {
  int depth = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == '(' || before[i] == '[' || before[i] == '<') ++depth;
    if (before[i] == ')' || before[i] == ']' || before[i] == '>') --depth;
    if (before[i] == '=' && depth <= 0 && before.substr(0, i).find("operator") == kNowhere) return true;
  }
  return false;
}

bool has_keyword_of_type(std::string_view before) {
  constexpr std::string_view kKeywords[] = {"struct", "class", "union", "enum"};
  return std::ranges::any_of(kKeywords, [&](std::string_view word) { return has_word(before, word); });
}

class Reader {
 public:
  explicit Reader(std::string_view code) : code_(code) {}

  void read(std::size_t at, std::size_t end, const std::string& scope, bool in_type, int depth,
            std::vector<Declaration>& into) {
    if (depth > kMostNested) return;
    while ((at = after_spaces(code_, at, end)) < end) {
      if (code_[at] == ';' || code_[at] == '}') {
        ++at;
        continue;
      }
      if (in_type) {
        const std::string_view word = word_at(code_, at);
        const std::size_t colon = after_spaces(code_, at + word.size(), end);
        if ((word == "public" || word == "private" || word == "protected") && colon < end &&
            code_[colon] == ':') {
          at = colon + 1;
          continue;
        }
      }
      at = read_one(at, end, scope, depth, into);
    }
  }

 private:
  /// Reads the declaration at `begin`; returns where the next one may begin.
  std::size_t read_one(std::size_t begin, std::size_t end, const std::string& scope, int depth,
                       std::vector<Declaration>& into) {
    Declaration one{.begin = begin, .end = end, .scope = scope};
    if (const std::size_t behind_call = end_of_macro_call(begin, end); behind_call != kNowhere) {
      one.end = behind_call;
      into.push_back(std::move(one));
      return behind_call;
    }
    std::size_t head = begin;
    for (std::size_t i = begin; i < end;) {
      const char c = code_[i];
      if (is_word(c)) {
        const std::string_view word = word_at(code_, i);
        const std::size_t next = after_spaces(code_, i + word.size(), end);
        if (word == "template" && next < end && code_[next] == '<') {
          i = head = behind_angles(code_, next, end);
          continue;
        }
        i += word.size();
      } else if (c == '(' || c == '[') {
        i = skipped(code_, i, end);
      } else if (c == ';') {
        one.end = i + 1;
        break;
      } else if (c == '{') {
        const std::size_t close = skipped(code_, i, end);
        const std::string_view before = trimmed(code_.substr(head, i - head));
        if (const std::optional<std::string> inner = scope_opened_by(before, scope)) {
          read(i + 1, close == end ? end : close - 1, *inner, false, depth + 1, into);
          return close;
        }
        if (is_in_initializers(before)) {
          i = close;
          continue;
        }
        one.body = i;
        if (!has_value(before)) {
          if (has_keyword_of_type(before) && !ends_as_function(before)) {
            one.kind = Declaration::Kind::type;
            read(i + 1, close == end ? end : close - 1, scope, true, depth + 1, one.members);
          } else if (ends_as_function(before) || before.find('(') != kNowhere) {
            one.kind = Declaration::Kind::function;
            one.end = close;
            break;
          }
        }
        i = close;
      } else {
        ++i;
      }
    }
    const std::size_t next = std::max(one.end, begin + 1);
    into.push_back(std::move(one));
    return next;
  }

  /// "lib::" of `namespace lib {`; nullopt: it opens no scope of declarations.
  [[nodiscard]] static std::optional<std::string> scope_opened_by(std::string_view before,
                                                                  const std::string& scope) {
    if (before == "extern") return scope;  // extern "C" {
    std::string_view rest = before;
    if (rest.starts_with("inline")) rest = trimmed(rest.substr(6));
    if (!rest.starts_with("namespace")) return std::nullopt;
    const std::string_view name = trimmed(rest.substr(9));
    return name.empty() || before.starts_with("inline") ? scope : scope + std::string(name) + "::";
  }

  /// Whether a brace stands for a value: `: width{1}, height{2} {`.
  [[nodiscard]] static bool is_in_initializers(std::string_view before) {
    const std::size_t close = before.rfind(')');
    const std::size_t colon = close == kNowhere ? kNowhere : before.find(':', close);
    if (colon == kNowhere || before.substr(colon).starts_with("::")) return false;
    return !before.empty() && is_word(before.back());
  }

  /// Returns the place behind "MODULE(a, b)" that no semicolon and no body follows; npos: there is none.
  [[nodiscard]] std::size_t end_of_macro_call(std::size_t begin, std::size_t end) const {
    const std::string_view word = word_at(code_, begin);
    const std::size_t open = after_spaces(code_, begin + word.size(), end);
    if (!is_name_of_macro(word) || open >= end || code_[open] != '(') return kNowhere;
    const std::size_t close = skipped(code_, open, end), next = after_spaces(code_, close, end);
    const bool is_on_its_line = code_.substr(close, next - close).find('\n') != kNowhere || next >= end;
    const bool goes_on = next < end && !is_word(code_[next]) && code_[next] != '}' && code_[next] != '#';
    return is_on_its_line && !goes_on ? close : kNowhere;
  }

  std::string_view code_;
};

/// Lines of the preprocessor, with what goes on behind a backslash.
struct Directive {
  std::size_t begin = 0, end = 0;
  std::string_view word;
};
std::vector<Directive> directives_in(std::string_view code) {
  std::vector<Directive> directives;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = std::min(code.find('\n', at), code.size());
    const std::size_t first = after_spaces(code, at, end);
    if (first < end && code[first] == '#') {
      while (end < code.size() && end > at && code[end - 1] == '\\')
        end = std::min(code.find('\n', end + 1), code.size());
      directives.push_back({at, end, word_at(code, after_spaces(code, first + 1, end))});
    }
    at = end + 1;
  }
  return directives;
}

int braces_in(std::string_view text) {
  return static_cast<int>(std::ranges::count(text, '{') - std::ranges::count(text, '}'));
}

/// Where each branch of an `#if` begins and ends.
struct Branches {
  std::vector<std::size_t> begins, ends;
};

}  // namespace

void leave_out(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != kNowhere; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = at + word.size() >= text.size() || !is_word(text[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

std::string structure_of(std::string_view source) {
  std::string code = code_of(source);
  const std::vector<Directive> directives = directives_in(code);
  std::vector<Branches> open;
  std::vector<std::pair<std::size_t, std::size_t>> unused;
  for (const Directive& one : directives) {
    if (one.word.starts_with("if")) {
      open.push_back({{one.end}, {}});
    } else if (one.word.starts_with("el") && !open.empty()) {
      open.back().ends.push_back(one.begin);
      open.back().begins.push_back(one.end);
    } else if (one.word == "endif" && !open.empty()) {
      open.back().ends.push_back(one.begin);
      const Branches& branches = open.back();
      const auto text_of_branch = [&](std::size_t i) {
        return std::string_view(code).substr(branches.begins[i], branches.ends[i] - branches.begins[i]);
      };
      const bool opens = branches.begins.size() > 1 && braces_in(text_of_branch(0)) != 0;
      for (std::size_t i = 1; opens && i < branches.begins.size(); ++i)
        unused.emplace_back(branches.begins[i], branches.ends[i]);
      open.pop_back();
    }
  }
  for (const Directive& one : directives) leave_out(code, one.begin, one.end);
  for (const auto& [begin, end] : unused) leave_out(code, begin, end);
  return code;
}

std::vector<Declaration> declarations_in(std::string_view structure) {
  std::vector<Declaration> declarations;
  Reader(structure).read(0, structure.size(), "", false, 0, declarations);
  return declarations;
}

std::string_view head_of(std::string_view structure, const Declaration& declaration) {
  const std::size_t end = std::min(declaration.body, declaration.end);
  return structure.substr(declaration.begin, end - declaration.begin);
}

const Declaration* declaration_at(std::string_view structure, const std::vector<Declaration>& declarations,
                                  std::size_t at) {
  for (const Declaration& one : declarations) {
    if (at < one.begin || at >= one.end) continue;
    const Declaration* const member = declaration_at(structure, one.members, at);
    if (member == nullptr) return &one;
    const std::string_view head = head_of(structure, *member);
    const bool is_free = member->kind == Declaration::Kind::function || has_word(head, "static") ||
                         has_word(head, "using") || has_word(head, "friend") ||
                         (head.find('(') != kNowhere && head.find("(*") == kNowhere);
    return is_free && !has_word(head, "virtual") ? member : &one;
  }
  return nullptr;
}

}  // namespace warplens::compile
