#include "kernels/compile/instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "kernels/compile/declarations.h"
#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

constexpr std::size_t kNoPlace = std::string_view::npos;
constexpr std::size_t kMostInstances = 8, kMostFunctors = 4;

/// A parameter of a template: "int N = 16", "typename T", "class... Ts".
struct TemplateParameter {
  enum class Kind { type, flag, number, enumerator, pack, other } kind = Kind::other;
  std::string name, type, value;  ///< value: its default
};

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    const std::string part = with_single_spaces(list.substr(begin, i - begin));
    if (!trimmed(part).empty()) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

bool is_of_number(std::string_view type) {
  constexpr std::array<std::string_view, 12> kWords{"int",     "unsigned", "long",    "short",
                                                    "size_t",  "char",     "uint",    "int32_t",
                                                    "int64_t", "uint32_t", "uint8_t", "uint64_t"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return has_word(type, word); });
}

TemplateParameter template_parameter(const std::string& text) {
  using Kind = TemplateParameter::Kind;
  TemplateParameter parameter;
  const std::size_t equals = text.find('=');
  const std::string_view declared = trimmed(std::string_view(text).substr(0, equals));
  if (equals != std::string::npos)
    parameter.value = std::string(trimmed(std::string_view(text).substr(equals + 1)));
  parameter.name = std::string(word_before(declared, declared.size()));
  parameter.type = std::string(trimmed(declared.substr(0, declared.size() - parameter.name.size())));
  if (declared.find("...") != kNoPlace) {
    parameter.kind = Kind::pack;
  } else if (declared.starts_with("template")) {
    parameter.kind = Kind::other;
  } else if (declared.starts_with("typename") || declared.starts_with("class")) {
    parameter.kind = Kind::type;
  } else if (has_word(parameter.type, "bool") || parameter.name == "bool") {
    parameter.kind = Kind::flag;
  } else if (is_of_number(parameter.type) || is_of_number(parameter.name)) {
    parameter.kind = Kind::number;
  } else {
    parameter.kind = Kind::enumerator;
  }
  return parameter;
}

/// What stands between the angle brackets of `template <..>`; empty: it is none, or `template <>`.
std::string_view template_list(std::string_view head) {
  const std::string_view text = trimmed(head);
  if (!text.starts_with("template")) return {};
  const std::size_t open = text.find_first_not_of(" \t\r\n", 8);
  if (open == kNoPlace || text[open] != '<') return {};
  const std::size_t end = behind(text, open, '<', '>');
  return end == kNoPlace ? std::string_view() : trimmed(text.substr(open + 1, end - open - 2));
}

/// The name of the function that a head declares: before the first parenthesis that is no attribute's.
std::string_view name_of_function(std::string_view head) {
  for (std::size_t open = head.find('('); open != kNoPlace; open = head.find('(', open)) {
    const std::string_view name = word_before(head, open);
    if (!name.empty() && !name.starts_with("__") && name != "alignas" &&
        name.find("LAUNCH_BOUNDS") == kNoPlace)
      return name;
    const std::size_t end = behind(head, open, '(', ')');
    if (end == kNoPlace) return {};
    open = end;
  }
  return {};
}

bool is_number(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

/// All that instances are made up of: the declarations of a source, and what its text says of names.
class Instances {
 public:
  explicit Instances(std::string_view source)
      : code_(code_of(source)), structure_(structure_of(source)), declarations_(declarations_in(structure_)) {
    for (const Declaration& one : declarations_) note_names(one);
  }

  [[nodiscard]] std::vector<InstanceCandidates> offers() const {
    std::vector<InstanceCandidates> offers;
    std::set<std::string> known;
    for (const Declaration& one : declarations_) {
      const std::string_view head = head_of(structure_, one);
      const std::string_view list = template_list(head);
      if (list.empty() || !has_word(head, "__global__")) continue;
      const std::string name(name_of_function(head.substr(head.find("__global__") + 10)));
      const std::string qualified = (one.scope + name);
      if (name.empty() || one.body == kNoPlace || is_instantiated(name) || !known.insert(qualified).second)
        continue;
      std::vector<TemplateParameter> parameters;
      for (const std::string& text : split_at_commas(list)) parameters.push_back(template_parameter(text));
      offers.push_back(offer(name, qualified, parameters));
    }
    return offers;
  }

 private:
  using Arguments = std::vector<std::string>;
  using Kind = TemplateParameter::Kind;

  void note_names(const Declaration& one) {
    const std::string_view head = head_of(structure_, one);
    if (one.kind == Declaration::Kind::type) {
      const std::string_view before = trimmed(head.substr(0, head.find(" : ")));
      const std::string name(word_before(before, before.size()));
      const bool is_template = !template_list(head).empty() || head.find("template") != kNoPlace;
      types_.insert(name);
      const std::string_view body = std::string_view(structure_).substr(one.body, one.end - one.body);
      const bool is_functor = body.find("operator()") != kNoPlace || body.find("operator ()") != kNoPlace;
      if (is_functor && functors_.size() < kMostFunctors)
        functors_.push_back(one.scope + name + (is_template ? "<float>" : ""));
      if (has_word(head, "enum")) {
        for (const std::string& text : split_at_commas(body.substr(1)))
          constants_.insert(
              std::string(trimmed(std::string_view(text).substr(0, text.find_first_of("= }")))));
      }
    } else if (one.kind == Declaration::Kind::other) {
      if (has_word(head, "typedef")) types_.insert(std::string(word_before(head, head.find_last_of(';'))));
      const std::size_t equals = head.find('=');
      if (equals == kNoPlace) return;
      (has_word(head, "using") ? types_ : constants_).insert(std::string(word_before(head, equals)));
    }
  }

  /// `template __global__ void mm<16>(..);`
  [[nodiscard]] bool is_instantiated(std::string_view name) const {
    return std::ranges::any_of(declarations_, [&](const Declaration& one) {
      const std::string_view head = trimmed(head_of(structure_, one));
      if (one.body != kNoPlace || !head.starts_with("template") || !has_word(head, name)) return false;
      const std::size_t next = head.find_first_not_of(" \t\r\n", 8);
      return next != kNoPlace && head[next] != '<';
    });
  }

  /// The arguments with which code names a template: "mm<16, float>".
  [[nodiscard]] std::vector<std::pair<Arguments, std::size_t>> uses_of(std::string_view name) const {
    std::vector<std::pair<Arguments, std::size_t>> uses;
    for (std::size_t at = code_.find(name); at != std::string::npos; at = code_.find(name, at + 1)) {
      std::size_t open = at + name.size();
      if ((at > 0 && is_word(code_[at - 1])) || (open < code_.size() && is_word(code_[open]))) continue;
      while (open < code_.size() && is_space(code_[open])) ++open;
      if (code_.compare(open, 1, "<") != 0 || code_.compare(open, 2, "<<") == 0) continue;
      const std::size_t end = behind(code_, open, '<', '>');
      if (end == std::string::npos || end - open > 512) continue;
      const std::string_view list = std::string_view(code_).substr(open + 1, end - open - 2);
      if (list.find(';') == kNoPlace && list.find('\\') == kNoPlace)
        uses.emplace_back(split_at_commas(list), at);
    }
    return uses;
  }

  [[nodiscard]] bool is_known_word(std::string_view word) const {
    constexpr std::array<std::string_view, 34> kWords{
        "float",    "double",   "int",     "char",    "short",         "long",    "unsigned",
        "signed",   "bool",     "void",    "const",   "true",          "false",   "half",
        "__half",   "half2",    "__half2", "float2",  "float3",        "float4",  "int2",
        "int4",     "int8_t",   "int16_t", "int32_t", "int64_t",       "uint8_t", "uint16_t",
        "uint32_t", "uint64_t", "size_t",  "sizeof",  "__nv_bfloat16", "double2"};
    return std::ranges::find(kWords, word) != kWords.end() || types_.contains(std::string(word)) ||
           constants_.contains(std::string(word));
  }

  /// The first word of an argument that means nothing outside of where it stands; empty: there is none.
  [[nodiscard]] std::string unknown_word(std::string_view argument) const {
    for (std::size_t i = 0; i < argument.size();) {
      std::size_t end = i;
      while (end < argument.size() && is_word(argument[end])) ++end;
      if (end == i) {
        ++i;
        continue;
      }
      const std::string_view word = argument.substr(i, end - i);
      if (!is_number(word) && !is_known_word(word)) return std::string(word);
      i = end;
    }
    return {};
  }

  /// What a name stands for where it is a constant of a function, a macro, or a template's parameter whose
  /// arguments are known.
  [[nodiscard]] std::vector<std::string> values_of_name(const std::string& name, std::size_t used_at,
                                                        int depth) const {
    std::vector<std::string> values = template_arguments_for(name, used_at);
    for (std::size_t at = code_.find(name); at != std::string::npos && values.empty();
         at = code_.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at > 0 && is_word(code_[at - 1])) || (end < code_.size() && is_word(code_[end]))) continue;
      const std::size_t line = code_.rfind('\n', at) + 1;
      const std::string_view before = trimmed(std::string_view(code_).substr(line, at - line));
      const std::size_t stop = std::min(code_.find_first_of(";\n", end), code_.size());
      const std::string_view rest = trimmed(std::string_view(code_).substr(end, stop - end));
      std::string_view value;
      if (before.ends_with("define")) value = rest;
      if (rest.starts_with('=') && !rest.starts_with("==") && !before.empty() && before.back() != '(')
        value = trimmed(rest.substr(1));
      if (value.empty() || value.size() > 256) continue;
      const std::string known = known_expression(value, used_at, depth);
      if (!known.empty()) values.push_back(before.ends_with("using") ? known : "(" + known + ")");
    }
    return values;
  }

  /// An argument with the values of its names; empty: one of them is not known.
  [[nodiscard]] std::string known_expression(std::string_view text, std::size_t used_at, int depth) const {
    constexpr int kMostDepth = 6;
    std::string result(trimmed(text));
    for (int i = 0; i < 8; ++i) {
      const std::string unknown = unknown_word(result);
      if (unknown.empty()) return result;
      if (depth >= kMostDepth) return {};
      const std::vector<std::string> values = values_of_name(unknown, used_at, depth + 1);
      if (values.empty() || !unknown_word(values.front()).empty()) return {};
      for (std::size_t at = result.find(unknown); at != std::string::npos;
           at = result.find(unknown, at + values.front().size())) {
        const std::size_t end = at + unknown.size();
        if ((at > 0 && is_word(result[at - 1])) || (end < result.size() && is_word(result[end]))) continue;
        result.replace(at, unknown.size(), values.front());
      }
    }
    return {};
  }

  /// Returns the arguments that calls give to the template of the host function around a place.
  [[nodiscard]] std::vector<std::string> template_arguments_for(const std::string& name,
                                                                std::size_t used_at) const {
    std::vector<std::string> values;
    for (const Declaration& one : declarations_) {
      if (used_at < one.begin || used_at >= one.end) continue;
      const std::string_view head = head_of(structure_, one);
      const std::vector<std::string> list = split_at_commas(template_list(head));
      const auto index = std::ranges::find_if(
          list, [&](const std::string& text) { return template_parameter(text).name == name; });
      if (index == list.end()) continue;
      const auto place = static_cast<std::size_t>(index - list.begin());
      for (const auto& [arguments, at] : uses_of(name_of_function(head))) {
        if (place < arguments.size() && unknown_word(arguments[place]).empty() &&
            std::ranges::find(values, arguments[place]) == values.end() && values.size() < kMostInstances)
          values.push_back(arguments[place]);
      }
    }
    return values;
  }

  [[nodiscard]] std::string plausible(const TemplateParameter& parameter, std::string_view number,
                                      std::string_view type, std::size_t functor) const {
    switch (parameter.kind) {
      case Kind::type: {
        constexpr std::array<std::string_view, 8> kFunctions{"Op", "Func", "Functor", "Lambda",
                                                             "Fn", "F",    "OP",      "Function"};
        const bool is_function = std::ranges::any_of(kFunctions, [&](std::string_view word) {
          return parameter.name == word ||
                 (word.size() > 1 && parameter.name.find(word) != std::string::npos);
        });
        if (functor < functors_.size() && is_function) return functors_[functor];
        return std::string(type);
      }
      case Kind::flag: return "true";
      case Kind::number: return std::string(number);
      case Kind::enumerator: return fmt::format("({})0", parameter.type);
      case Kind::pack:
      case Kind::other: break;
    }
    return std::string(type);
  }

  [[nodiscard]] std::string plausible_instance(const std::string& qualified,
                                               const std::vector<TemplateParameter>& parameters,
                                               std::string_view number, std::string_view type,
                                               std::size_t functor) const {
    std::vector<std::string> arguments;
    for (const TemplateParameter& one : parameters) {
      if (!one.value.empty() || one.kind == Kind::pack) break;
      arguments.push_back(plausible(one, number, type, functor));
    }
    return fmt::format("{}<{}>", qualified, fmt::join(arguments, ","));
  }

  [[nodiscard]] InstanceCandidates offer(const std::string& name, const std::string& qualified,
                                         const std::vector<TemplateParameter>& parameters) const {
    InstanceCandidates result{.kernel = qualified, .attempts = {}};
    std::vector<std::string> exact, mended;
    const auto add = [](std::vector<std::string>& to, std::string instance) {
      if (to.size() < kMostInstances && std::ranges::find(to, instance) == to.end())
        to.push_back(std::move(instance));
    };
    for (const auto& [arguments, at] : uses_of(name)) {
      bool is_exact = true;
      std::vector<Arguments> variants{{}};
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::vector<std::string> values{arguments[i]};
        if (const std::string unknown = unknown_word(arguments[i]); !unknown.empty()) {
          values = arguments[i] == unknown ? values_of_name(unknown, at, 0)
                                           : std::vector{known_expression(arguments[i], at, 0)};
          std::erase_if(values, [&](const std::string& value) {
            return value.empty() || !unknown_word(value).empty();
          });
          is_exact = is_exact && !values.empty();
          if (values.empty())
            values.push_back(i < parameters.size() ? plausible(parameters[i], "16", "float", 0)
                                                   : arguments[i]);
        }
        std::vector<Arguments> longer;
        for (const Arguments& variant : variants) {
          for (const std::string& value : values) {
            if (longer.size() >= kMostInstances) break;
            longer.push_back(variant);
            longer.back().push_back(value);
          }
        }
        variants = std::move(longer);
      }
      for (const Arguments& variant : variants)
        add(is_exact ? exact : mended, fmt::format("{}<{}>", qualified, fmt::join(variant, ",")));
    }
    const auto attempt = [&](std::vector<std::string> instances) {
      if (!instances.empty() && std::ranges::find(result.attempts, instances) == result.attempts.end())
        result.attempts.push_back(std::move(instances));
    };
    attempt(exact);
    attempt(mended);
    const auto plain = [&](std::string_view number, std::string_view type, std::size_t functor) {
      attempt({plausible_instance(qualified, parameters, number, type, functor)});
    };
    plain("16", "float", 0);
    plain("32", "float", 1);
    plain("4", "int", 2);
    plain("128", "double", 3);
    plain("1", "float4", 0);
    plain("8", "__half", 1);
    return result;
  }

  std::string code_, structure_;
  std::vector<Declaration> declarations_;
  std::set<std::string> types_, constants_;
  std::vector<std::string> functors_;
};

}  // namespace

std::vector<InstanceCandidates> instance_candidates(std::string_view source) {
  if (source.find("template") == kNoPlace || source.find("__global__") == kNoPlace) return {};
  return Instances(source).offers();
}

}  // namespace warplens::compile
