#include "kernels/ptx/demangle.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace warplens::ptx {
namespace {

// References to earlier parts of a name let the demangled one grow exponentially; names beyond these limits stay mangled.
constexpr std::size_t kLongestName = 2048;
constexpr std::size_t kMostReferences = 24;

/// Substitutions (S_, S4_, SA_) and template parameters (T_, T0_), or what looks like them.
std::size_t count_references(std::string_view mangled) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    count += mangled.substr(i + 1, 3).find('_') != std::string_view::npos;
  }
  return count;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// The length of a cast before an integer, such as "(unsigned int)" of "(unsigned int)32", or 0.
std::size_t length_of_integer_cast(std::string_view text) {
  for (const std::string_view cast : {"(bool)", "(char)", "(signed char)", "(unsigned char)", "(short)", "(unsigned short)", "(int)",
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

/// "void space::tiled<32>(float*)" gives "space::tiled<32>": what stands between the last blank and the first parenthesis outside of any brackets.
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
  std::string name(mangled);
  if (!name.starts_with("_Z") || name.size() > kLongestName || count_references(name) > kMostReferences) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !demangled) return name;
  const std::string_view text = demangled.get();
  if (text.find("operator") != std::string_view::npos) return std::string(text);
  return simplify_integers(without_return_type_and_parameters(text));
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
