#include "kernels/ptx/demangle.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace warplens::ptx {
namespace {

// References to earlier parts of a name, and parameter packs that are expanded in one another, let the
// demangled name grow exponentially. Names beyond these limits stay mangled: what comes of them is no longer
// what a person would read, or may never come.
constexpr std::size_t kLongestName = 512, kLongestPlainName = 1024;
constexpr std::size_t kMaxReferences = 16, kMaxPackExpansions = 1;

/// Substitutions (S_, S4_, SA_) and template parameters (T_, T0_), or what looks like them.
std::size_t count_references(std::string_view mangled) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    count += mangled.substr(i + 1, 3).find('_') != std::string_view::npos;
  }
  return count;
}

std::size_t count_pack_expansions(std::string_view mangled) {
  std::size_t count = 0;
  for (std::size_t at = mangled.find("Dp"); at != std::string_view::npos; at = mangled.find("Dp", at + 2))
    ++count;
  return count;
}

/// Demangles as the compiler's own tools do. Empty: it is not a mangled name, or beyond the limits.
std::string demangled(std::string_view mangled) {
  if (!mangled.starts_with("_Z") || mangled.size() > kLongestName ||
      count_references(mangled) > kMaxReferences || count_pack_expansions(mangled) > kMaxPackExpansions) {
    return {};
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text || std::strlen(text.get()) > kLongestPlainName) return {};
  return text.get();
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// The length of a cast before an integer, such as "(unsigned int)" of "(unsigned int)32", or 0.
std::size_t length_of_integer_cast(std::string_view text) {
  for (const std::string_view cast :
       {"(bool)", "(char)", "(signed char)", "(unsigned char)", "(short)", "(unsigned short)", "(int)",
        "(unsigned int)", "(long)", "(unsigned long)", "(long long)", "(unsigned long long)"}) {
    if (!text.starts_with(cast) || text.size() == cast.size()) continue;
    const char next = text[cast.size()];
    if (is_digit(next) || next == '-') return cast.size();
  }
  return 0;
}

/// "tiled<(unsigned int)32, 8ul>" gives "tiled<32, 8>".
std::string simplify_integers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    i += length_of_integer_cast(text.substr(i));
    const bool starts_number = is_digit(text[i]) && (i == 0 || !is_name(text[i - 1]));
    out += text[i++];
    if (!starts_number) continue;
    while (i < text.size() && is_digit(text[i])) out += text[i++];
    while (i < text.size() && (text[i] == 'u' || text[i] == 'l')) ++i;
  }
  return out;
}

/// "void space::tiled<32>(float*)" gives "space::tiled<32>": what stands between the last blank and the first
/// parenthesis outside of any brackets.
std::string_view without_return_type_and_parameters(std::string_view text) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_anonymous = text.substr(i).starts_with("(anonymous namespace)");
    if (c == '(' && depth == 0 && !is_anonymous) return text.substr(begin, i - begin);
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return text.substr(begin);
}

}  // namespace

std::string plain_name(std::string_view mangled) {
  std::string text = demangled(mangled);
  if (text.empty()) return std::string(mangled);
  if (text.find("operator") != std::string::npos) return text;
  return simplify_integers(without_return_type_and_parameters(text));
}

std::string comparable_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != ' ') text += c;
  }
  for (const std::string_view cast : {"(signedchar)", "(unsignedchar)", "(unsignedshort)", "(unsignedint)",
                                      "(unsignedlong)", "(longlong)", "(unsignedlonglong)"}) {
    for (std::size_t at = text.find(cast); at != std::string::npos; at = text.find(cast, at))
      text.replace(at, cast.size(), "(int)");
  }
  return simplify_integers(text);
}

std::string name_of_local(std::string_view mangled) {
  std::string name = demangled(mangled);
  if (name.empty()) return std::string(mangled);
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
  return name;
}

std::string base_name(std::string_view plain_name) {
  constexpr std::string_view kTag = "[abi:";
  std::string name(plain_name);
  for (std::size_t at = name.find(kTag); at != std::string::npos; at = name.find(kTag)) {
    const std::size_t end = name.find(']', at);
    name.erase(at, end == std::string::npos ? end : end + 1 - at);
  }
  name.resize(without_template_arguments(name).size());
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
  return name;
}

std::string_view without_template_arguments(std::string_view plain_name) {
  if (!plain_name.ends_with('>')) return plain_name;
  int depth = 0;
  for (std::size_t i = plain_name.size(); i-- > 0;) {
    if (plain_name[i] == '>') ++depth;
    if (plain_name[i] == '<' && --depth == 0) return plain_name.substr(0, i);
  }
  return plain_name;
}

}  // namespace warplens::ptx
