#include "kernels/compile/structs.h"

#include <algorithm>
#include <optional>

#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

/// Members without the functions among them and what stands in their braces.
std::string without_functions(std::string_view members) {
  std::string rest;
  for (std::size_t at = 0; at < members.size();) {
    const std::size_t stop = members.find_first_of(";{", at);
    if (stop == std::string_view::npos) break;
    const std::string_view member = members.substr(at, stop - at);
    if (members[stop] == '{') {
      const std::size_t end = behind(members, stop, '{', '}');
      if (end == std::string_view::npos) break;
      const bool function = member.find('(') != std::string_view::npos;
      if (!function) rest.append(member);  // A field and its initial value
      at = end;
      if (function && at < members.size() && members[at] == ';') ++at;
    } else {
      if (member.find('(') == std::string_view::npos) rest.append(member).append(";");
      at = stop + 1;
    }
  }
  return rest;
}

bool is_no_field(std::string_view member) {
  return member.empty() || member.starts_with("using ") || member.starts_with("static ") ||
         member.starts_with("friend ") || member.starts_with("typedef ");
}

/// Takes the pointer off the end of what stands before a name, whatever qualifies it: "**" of "const float*
/// const* RESTRICT", leaving "const float".
std::string take_stars(std::string& type) {
  const std::size_t first = type.find('*');
  if (first == std::string::npos) return {};
  std::string stars(static_cast<std::size_t>(std::ranges::count(type, '*')), '*');
  type.resize(first);
  type.resize(trimmed(type).size());
  return stars;
}

/// "float x, *y[3]"; nullopt: something else.
std::optional<std::vector<SourceField>> fields_of(std::string_view member) {
  for (const std::string_view label : {"public:", "private:", "protected:"}) {
    if (trimmed(member).starts_with(label)) member = trimmed(member).substr(label.size());
  }
  member = trimmed(member);
  if (is_no_field(member)) return std::vector<SourceField>{};
  if (member.find_first_of("&:<") != std::string_view::npos || member.starts_with("virtual "))
    return std::nullopt;
  std::vector<SourceField> fields;
  std::string type;
  for (std::size_t begin = 0; begin <= member.size();) {
    const std::size_t end = std::min(member.find(',', begin), member.size());
    std::string_view one = trimmed(member.substr(begin, end - begin));
    one = trimmed(one.substr(0, one.find('=')));
    std::string extent;
    if (const std::size_t open = one.find('['); open != std::string_view::npos) {
      const std::size_t close = one.find(']', open);
      if (close == std::string_view::npos || one.find('[', close) != std::string_view::npos)
        return std::nullopt;
      extent = trimmed(one.substr(open + 1, close - open - 1));
      one = trimmed(one.substr(0, open));
    }
    const std::string_view name = word_before(one, one.size());
    std::string before = with_single_spaces(one.substr(0, one.size() - name.size()));
    const std::string stars = take_stars(before);
    if (fields.empty()) type = before;
    if (name.empty() || type.empty()) return std::nullopt;
    fields.push_back({type + stars, std::string(name), extent});
    begin = end + 1;
  }
  return fields;
}

SourceStruct struct_of(std::string_view name, std::string_view members, bool derived) {
  const std::string rest = without_functions(members);
  SourceStruct result{.name = std::string(name)};
  bool is_plain = !derived;
  for (std::size_t begin = 0; begin < rest.size();) {
    const std::size_t end = std::min(rest.find(';', begin), rest.size());
    const std::string_view member = trimmed(std::string_view(rest).substr(begin, end - begin));
    const auto more = fields_of(member);
    is_plain = is_plain && more;
    if (more) result.fields.insert(result.fields.end(), more->begin(), more->end());
    begin = end + 1;
  }
  if (!is_plain) result.fields.clear();
  return result;
}

/// Returns the place behind the alignment in "struct __align__(16) Point".
std::size_t behind_alignment(std::string_view code, std::size_t at) {
  while (at < code.size() && is_space(code[at])) ++at;
  for (const std::string_view word : {"__align__", "alignas", "__attribute__"}) {
    if (!code.substr(at).starts_with(word)) continue;
    const std::size_t open = code.find('(', at),
                      end = open == std::string_view::npos ? open : behind(code, open, '(', ')');
    if (end != std::string_view::npos) return end;
  }
  return at;
}

}  // namespace

std::vector<SourceStruct> structs_in(std::string_view source) {
  constexpr std::string_view kStruct = "struct";
  const std::string code = code_of(source);
  std::vector<SourceStruct> structs;
  for (std::size_t at = code.find(kStruct); at != std::string::npos; at = code.find(kStruct, at + 1)) {
    const std::size_t begin = behind_alignment(code, at + kStruct.size());
    const std::size_t open = code.find('{', begin), stop = code.find_first_of(";()", begin);
    const bool is_word_alone = (at == 0 || !is_word(code[at - 1])) && !is_word(code[at + kStruct.size()]);
    if (!is_word_alone || open == std::string::npos || stop < open) continue;
    const std::size_t end = behind(code, open, '{', '}');
    if (end == std::string::npos) continue;
    const std::string_view head = trimmed(std::string_view(code).substr(begin, open - begin));
    std::string_view name = head.substr(0, head.find(':'));
    name = word_before(name, name.size());
    if (name.empty()) name = word_before(code, std::min(code.find(';', end), code.size()));  // typedef
    const bool derived = head.find(':') != std::string_view::npos;
    const std::string_view members = std::string_view(code).substr(open + 1, end - open - 2);
    structs.push_back(struct_of(name, members, derived));
  }
  return structs;
}

}  // namespace warplens::compile
