#include "kernels/compile/host_launches.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/compile/signatures.h"
#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

constexpr int kMaxDepth = 16;

/// "a", "f(b, c)" of "a, f(b, c)": at commas outside of brackets.
std::vector<std::string> arguments_in(std::string_view list) {
  std::vector<std::string> arguments;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    if (const std::string_view one = trimmed(list.substr(begin, i - begin)); !one.empty())
      arguments.emplace_back(one);
    begin = i + 1;
  }
  return arguments;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_word);
}

/// Of a type by its name; 0: not known.
int size_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, int> kSizes[] = {
      {"char", 1},      {"unsigned char", 1}, {"int8_t", 1},
      {"uint8_t", 1},   {"bool", 1},          {"short", 2},
      {"half", 2},      {"__half", 2},        {"int16_t", 2},
      {"uint16_t", 2},  {"int", 4},           {"unsigned", 4},
      {"float", 4},     {"unsigned int", 4},  {"int32_t", 4},
      {"uint32_t", 4},  {"double", 8},        {"long", 8},
      {"long long", 8}, {"size_t", 8},        {"unsigned long long", 8},
      {"int64_t", 8},   {"uint64_t", 8},      {"float2", 8},
      {"int2", 8},      {"float3", 12},       {"float4", 16},
      {"int4", 16},     {"double2", 16},      {"uint", 4},
      {"uchar", 1},     {"std::size_t", 8},   {"unsigned long", 8}};
  const auto* const found = std::ranges::find(kSizes, type, &std::pair<std::string_view, int>::first);
  return found == std::end(kSizes) ? 0 : found->second;
}

bool is_type_word(std::string_view word) {
  return word == "const" || word == "unsigned" || word == "signed" || word == "void" || word == "long" ||
         size_of_type(word) != 0;
}

/// "(float*)", "(unsigned int)": what stands in the parentheses is a type.
bool is_cast(std::string_view inside) {
  bool any = false;
  for (std::size_t i = 0; i < inside.size();) {
    if (is_space(inside[i]) || inside[i] == '*') {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < inside.size() && (is_word(inside[end]) || inside[end] == ':')) ++end;
    if (end == i || !is_type_word(inside.substr(i, end - i))) return false;
    any = true;
    i = end;
  }
  return any;
}

}  // namespace

HostCode::HostCode(std::string_view source) : code_(code_of(source)) {
  for (const SourceConstant& constant : constants_in(source))
    variables_[constant.name].push_back({0, constant.value});
  find_declarations();
  find_allocations();
  find_launches();
}

/// `int n = 1 << 20, m = n;`, `dim3 block(16, 16);`, `n = 5;`, `n += 2;`, `++n`: a name with what it is set
/// to. What changes it in another way than
/// `=` leaves a value that is no expression.
void HostCode::find_declarations() {
  for (std::size_t at = 0; at < code_.size();) {
    if (!is_word(code_[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < code_.size() && is_word(code_[end])) ++end;
    const std::string name = code_.substr(at, end - at);
    std::size_t next = end;
    while (next < code_.size() && is_space(code_[next])) ++next;
    const std::string_view before = trimmed(std::string_view(code_).substr(0, at)),
                           rest = std::string_view(code_).substr(next);
    const bool is_member = before.ends_with('.') || before.ends_with("->");
    const bool is_changed = before.ends_with("++") || before.ends_with("--") || rest.starts_with("++") ||
                            rest.starts_with("--") ||
                            (rest.size() > 1 && rest[1] == '=' &&
                             std::string_view("+-*/%|&^").find(rest[0]) != std::string_view::npos) ||
                            rest.starts_with("<<=") || rest.starts_with(">>=");
    const bool is_set = rest.starts_with('=') && !rest.starts_with("==");
    const bool is_dim3 =
        word_before(code_, at) == "dim3" ||
        (before.ends_with(',') &&
         code_.substr(code_.rfind(';', at) + 1, at - code_.rfind(';', at) - 1).find("dim3 ") !=
             std::string::npos);
    if (is_name(name) && !is_member) {
      if (is_changed) {
        variables_[name].push_back({at, ""});
      } else if (is_set) {
        std::size_t stop = next + 1;
        for (int depth = 0; stop < code_.size() &&
                            (depth > 0 || (code_[stop] != ',' && code_[stop] != ';' && code_[stop] != ')'));
             ++stop) {
          if (code_[stop] == '(' || code_[stop] == '{' || code_[stop] == '[') ++depth;
          if (code_[stop] == ')' || code_[stop] == '}' || code_[stop] == ']') --depth;
        }
        variables_[name].push_back(
            {at, std::string(trimmed(std::string_view(code_).substr(next + 1, stop - next - 1)))});
      } else if (is_dim3 && (rest.starts_with('(') || rest.starts_with('{'))) {
        const std::size_t stop = behind(code_, next, rest.front(), rest.front() == '(' ? ')' : '}');
        if (stop != std::string::npos)
          variables_[name].push_back({at, "dim3(" + code_.substr(next + 1, stop - next - 2) + ")"});
      }
    }
    at = end;
  }
}

/// `cudaMalloc(&d, bytes)`, `cudaMalloc((void**)&d, bytes)`, cudaMallocManaged, cudaMallocAsync.
void HostCode::find_allocations() {
  constexpr std::string_view kMalloc = "cudaMalloc";
  for (std::size_t at = code_.find(kMalloc); at != std::string::npos; at = code_.find(kMalloc, at + 1)) {
    const std::size_t open = code_.find('(', at),
                      end = open == std::string::npos ? open : behind(code_, open, '(', ')');
    if (end == std::string::npos) return;
    const std::string_view function = trimmed(std::string_view(code_).substr(at, open - at));
    if (!std::ranges::all_of(function, [](char c) { return is_word(c) || c == '<' || c == '>'; })) continue;
    const std::vector<std::string> arguments =
        arguments_in(std::string_view(code_).substr(open + 1, end - open - 2));
    if (arguments.size() < 2) continue;
    const std::size_t address = arguments[0].rfind('&');
    const std::string_view pointer =
        trimmed(std::string_view(arguments[0]).substr(address == std::string::npos ? 0 : address + 1));
    if (address != std::string::npos && is_name(pointer))
      allocations_[std::string(pointer)].push_back({at, arguments[1]});
  }
}

void HostCode::find_launches() {
  constexpr std::string_view kOpen = "<<<", kClose = ">>>";
  for (std::size_t at = code_.find(kOpen); at != std::string::npos; at = code_.find(kOpen, at + 1)) {
    const std::size_t close = code_.find(kClose, at);
    if (close == std::string::npos) return;
    std::size_t open = close + kClose.size();
    while (open < code_.size() && is_space(code_[open])) ++open;
    const std::size_t end =
        open < code_.size() && code_[open] == '(' ? behind(code_, open, '(', ')') : std::string::npos;
    if (end == std::string::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && is_space(code_[begin - 1])) --begin;
    if (begin > 0 && code_[begin - 1] == '>') {
      for (int depth = 0; begin > 0;) {
        --begin;
        depth += code_[begin] == '>' ? 1 : code_[begin] == '<' ? -1 : 0;
        if (depth == 0) break;
      }
    }
    const std::string_view name = word_before(code_, begin);
    std::string arguments_of_template = code_.substr(begin, at - begin);
    std::erase_if(arguments_of_template, is_space);
    const std::vector<std::string> configuration =
        arguments_in(std::string_view(code_).substr(at + kOpen.size(), close - at - kOpen.size()));
    if (name.empty() || configuration.size() < 2) continue;
    launches_.push_back(
        {.kernel = std::string(name) + arguments_of_template,
         .grid = extent(configuration[0], at),
         .block = extent(configuration[1], at),
         .shared = configuration.size() > 2 && configuration[2] != "0" ? configuration[2] : std::string(),
         .arguments = arguments_in(std::string_view(code_).substr(open + 1, end - open - 2)),
         .at = at});
  }
}

/// "16, 16" of `dim3(16, 16)`, or of a variable that is set to that.
std::vector<std::string> HostCode::extent(std::string_view expression, std::size_t at) const {
  std::string text(trimmed(expression));
  for (int depth = 0; is_name(text) && depth < kMaxDepth; ++depth) {
    const std::optional<std::string> value = initial(text, at);
    if (!value) return {text};
    if (!is_name(*value) && !value->starts_with("dim3")) return {text};  // A number by its name
    text = *value;
  }
  constexpr std::string_view kDim3 = "dim3";
  if (!text.starts_with(kDim3)) return {text};
  const std::size_t open = text.find_first_of("({"),
                    end = open == std::string::npos
                              ? open
                              : behind(text, open, text[open], text[open] == '(' ? ')' : '}');
  if (end == std::string::npos) return {};
  return arguments_in(std::string_view(text).substr(open + 1, end - open - 2));
}

std::optional<std::string> HostCode::initial(const std::string& variable, std::size_t at) const {
  const auto found = variables_.find(variable);
  if (found == variables_.end()) return std::nullopt;
  const Setting* last = nullptr;
  for (const Setting& setting : found->second) {
    if (setting.at >= at) continue;
    // Declared again in another function with the same value it is still plain
    if (last != nullptr && last->value != setting.value) return std::nullopt;
    last = &setting;
  }
  return last == nullptr || last->value.empty() ? std::nullopt : std::optional(last->value);
}

std::optional<std::string> HostCode::allocated_bytes(const std::string& pointer, std::size_t at) const {
  const auto found = allocations_.find(pointer);
  std::optional<std::string> bytes;
  if (found == allocations_.end()) return bytes;
  for (const Setting& allocation : found->second) {
    if (allocation.at < at) bytes = allocation.value;
  }
  return bytes;
}

/// Of a word of an expression, which ends at `end`; what belongs to it behind it is taken, too.
std::optional<std::string> HostCode::plain_word(std::string_view word, std::string_view expression,
                                                std::size_t& end, std::size_t at,
                                                const std::map<std::string, std::string>& names,
                                                int depth) const {
  while (end < expression.size() && is_space(expression[end])) ++end;
  const auto take_brackets = [&](char opening, char closing) -> std::optional<std::string_view> {
    if (end >= expression.size() || expression[end] != opening) return std::nullopt;
    const std::size_t begin = end + 1, stop = behind(expression, end, opening, closing);
    if (stop == std::string_view::npos) return std::nullopt;
    end = stop;
    return expression.substr(begin, stop - begin - 1);
  };
  if (word == "sizeof") {
    const std::optional<std::string_view> type = take_brackets('(', ')');
    const int size = type ? size_of_type(trimmed(*type)) : 0;
    return size == 0 ? std::nullopt : std::optional(std::to_string(size));
  }
  if (word == "static_cast") return take_brackets('<', '>') ? std::optional<std::string>("") : std::nullopt;
  if (word == "min" || word == "max") return std::string(word);
  if (word == "ceil" || word == "ceilf") {  // ceil(n / 16.0)
    const std::optional<std::string_view> inside = take_brackets('(', ')');
    const std::size_t slash = inside ? inside->rfind('/') : std::string_view::npos;
    if (slash == std::string_view::npos) return std::nullopt;
    const std::optional<std::string> left = plain(inside->substr(0, slash), at, names, depth + 1),
                                     right = plain(inside->substr(slash + 1), at, names, depth + 1);
    return left && right ? std::optional("ceil(" + *left + "," + *right + ")") : std::nullopt;
  }
  if (const auto named = names.find(std::string(word)); named != names.end()) return named->second;
  const std::optional<std::string> value = initial(std::string(word), at);
  const std::optional<std::string> part = value ? plain(*value, at, names, depth + 1) : std::nullopt;
  return part ? std::optional("(" + *part + ")") : std::nullopt;
}

std::optional<std::string> HostCode::plain(std::string_view expression, std::size_t at,
                                           const std::map<std::string, std::string>& names, int depth) const {
  if (depth > kMaxDepth) return std::nullopt;
  std::string result;
  for (std::size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    if (is_space(c)) {
      ++i;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      std::size_t end = i;
      while (end < expression.size() && (is_word(expression[end]) || expression[end] == '.')) ++end;
      std::string number(expression.substr(i, end - i));
      while (!number.starts_with("0x") && !number.empty() &&
             std::string_view("uUlLfF").find(number.back()) != std::string_view::npos)
        number.pop_back();
      if (number.find_first_of(".eE") != std::string::npos && !number.starts_with("0x")) {
        const double value = std::strtod(number.c_str(), nullptr);
        if (value != std::floor(value) || value > 0x1p53) return std::nullopt;
        number = std::to_string(static_cast<long long>(value));
      }
      result += number;
      i = end;
    } else if (c == '(') {
      const std::size_t end = behind(expression, i, '(', ')');
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view inside = expression.substr(i + 1, end - i - 2);
      if (!is_cast(inside)) {
        const std::optional<std::string> part = plain(inside, at, names, depth + 1);
        if (!part) return std::nullopt;
        result += "(" + *part + ")";
      }
      i = end;
    } else if (is_word(c) || expression.substr(i).starts_with("::")) {
      std::size_t end = i;
      while (end < expression.size() && (is_word(expression[end]) || expression[end] == ':')) ++end;
      std::string_view word = expression.substr(i, end - i);
      if (const std::size_t colons = word.rfind(':'); colons != std::string_view::npos)
        word.remove_prefix(colons + 1);
      const std::optional<std::string> part = plain_word(word, expression, end, at, names, depth);
      if (!part) return std::nullopt;
      result += *part;
      i = end;
    } else if (std::string_view("+-*/%<>&|^,").find(c) != std::string_view::npos) {
      result += c;
      ++i;
    } else {
      return std::nullopt;
    }
  }
  if (result.empty()) return std::nullopt;
  return result;
}

}  // namespace warplens::compile
