#include "app/session/host_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "app/session/arguments.h"
#include "app/session/expression.h"
#include "kernels/compile/host_launches.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

using compile::HostCode;
using compile::HostLaunch;

/// The first launch of the kernel, of that instance where it is a template.
const HostLaunch* find_launch(const HostCode& host, const FileEntry& entry) {
  std::string name = entry.plain_name;
  std::erase(name, ' ');
  const std::string base = name.substr(0, name.find('<'));
  const std::string kernel = base.substr(base.rfind(':') == std::string::npos ? 0 : base.rfind(':') + 1),
                    instance = kernel + name.substr(base.size());
  for (const HostLaunch& launch : host.launches()) {
    const bool fits = launch.kernel == instance || launch.kernel == kernel;
    if (fits && launch.arguments.size() == entry.parameters.size()) return &launch;
  }
  return nullptr;
}

bool is_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// "0.5" of `0.5f`, or of a variable that is set to it.
std::optional<std::string> real_number(const HostCode& host, std::string text, std::size_t at) {
  if (is_name(text)) text = host.initial(text, at).value_or("");
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool is_number = end != text.c_str() && (*end == 0 || ((*end == 'f' || *end == 'F') && end[1] == 0));
  return is_number ? std::optional(fmt::format("{}", value)) : std::nullopt;
}

/// "n+1" of "((n+1)*4)" and 4.
std::string divided(std::string_view bytes, std::int64_t each) {
  const auto without_parentheses = [](std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0 && i + 1 < text.size()) return text;
    }
    return text.size() > 1 && text.front() == '(' ? text.substr(1, text.size() - 2) : text;
  };
  bytes = without_parentheses(bytes);
  const std::string factor = fmt::format("*{}", each);
  const std::string_view rest = bytes.substr(0, bytes.size() - std::min(factor.size(), bytes.size()));
  const bool is_product =
      bytes.ends_with(factor) &&
      (without_parentheses(rest) != rest || rest.find_first_of("+-<>&|^") == std::string_view::npos);
  return is_product ? std::string(without_parentheses(rest)) : fmt::format("({})/{}", bytes, each);
}

/// Reads one launch into a form.
class LaunchReader {
 public:
  LaunchReader(LaunchForm& form, const HostCode& host, const HostLaunch& launch, const FileEntry& entry)
      : form_(form), host_(host), launch_(launch), entry_(entry) {}

  void read() {
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i)
      read_scalar(entry_.parameters[i], launch_.arguments[i]);
    set_extent(form_.block, launch_.block);
    set_extent(form_.grid, launch_.grid);
    if (const auto bytes = value_in_words(launch_.shared); bytes && form_.shared.text.empty())
      form_.set("shared", *bytes);
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i)
      read_buffer(entry_.parameters[i], launch_.arguments[i]);
  }

 private:
  /// A size that host code has in a variable keeps the parameter's name in what follows, so that grid and
  /// buffers grow with it.
  void read_scalar(const KernelParameter& parameter, const std::string& argument) {
    const bool is_plain = !parameter.is_pointer && parameter.fields.empty() && !parameter.type.empty();
    if (!is_plain) return;
    const bool is_real = parameter.type.starts_with('f') || parameter.type.starts_with('b');
    if (!is_real && is_name(argument)) names_.emplace(argument, parameter.name);
    if (const FormField* const known = form_.find(parameter.name); known != nullptr && !known->guessed)
      return;
    const std::optional<std::string> value =
        is_real ? real_number(host_, argument, launch_.at) : whole_number(argument);
    if (value) form_.set(parameter.name, *value);
  }

  std::optional<std::string> whole_number(const std::string& expression) const {
    const std::optional<std::string> plain = host_.plain(expression, launch_.at, {});
    const Result<std::int64_t> value = plain ? evaluate(*plain) : Error{};
    return value.ok() ? std::optional(std::to_string(*value)) : std::nullopt;
  }

  /// An expression of the form's values, or its value where it has none of their names.
  std::optional<std::string> value_in_words(const std::string& expression) const {
    if (expression.empty()) return std::nullopt;
    const std::optional<std::string> words = host_.plain(expression, launch_.at, names_);
    if (!words) return std::nullopt;
    const Result<std::int64_t> number = evaluate(*words);
    return number.ok() ? std::to_string(*number) : *words;
  }

  void set_extent(const FormField& field, const std::vector<std::string>& expressions) {
    if (!field.text.empty() || expressions.empty()) return;
    std::string text;
    for (const std::string& expression : expressions) {
      const std::optional<std::string> part = value_in_words(expression);
      if (!part) return;
      text += (text.empty() ? "" : ",") + *part;
    }
    form_.set(field.name, text);
  }

  void read_buffer(const KernelParameter& parameter, const std::string& argument) {
    const auto type = parse_element_type(parameter.type.substr(0, parameter.type.find('x')));
    if (!parameter.is_pointer || parameter.pointer_depth > 1 || !type ||
        form_.find(parameter.name) != nullptr)
      return;
    const std::optional<std::string> bytes = host_.allocated_bytes(argument, launch_.at);
    const std::optional<std::string> words = bytes ? value_in_words(*bytes) : std::nullopt;
    const Result<std::int64_t> value = words ? evaluate(*words, values_of(form_)) : Error{};
    const auto each = static_cast<std::int64_t>(size_of(*type));
    if (!value.ok() || *value < each) return;
    const bool read_only = parameter.written.find("const") != std::string::npos;
    form_.set(parameter.name,
              fmt::format("{}[{}]{}", name_of(*type), count_in_words(*value / each, *words, each),
                          read_only ? ":ints" : ""));
  }

  /// "n" or "m][n" where that is how many there are, so that a buffer has the shape of its matrix and grows
  /// with the sizes.
  std::string count_in_words(std::int64_t count, const std::string& bytes, std::int64_t each) const {
    const std::vector<NamedValue> values = values_of(form_);
    const auto is_used = [&](const NamedValue& value) {
      return std::ranges::any_of(names_, [&](const auto& name) { return name.second == value.name; });
    };
    for (const NamedValue& one : values) {
      if (is_used(one) && one.value == count) return one.name;
    }
    for (const NamedValue& one : values) {
      for (const NamedValue& other : values) {
        if (is_used(one) && is_used(other) && one.value > 1 && other.value > 1 &&
            one.value * other.value == count && (one.name != other.name || values.size() == 1)) {
          return fmt::format("{}][{}", one.name, other.name);
        }
      }
    }
    for (const NamedValue& one : values) {
      if (is_used(one) && one.value > 1 && one.value * one.value == count)
        return fmt::format("{}][{}", one.name, one.name);
    }
    const bool has_names = !evaluate(bytes).ok();
    return has_names ? divided(bytes, each) : std::to_string(count);
  }

  LaunchForm& form_;
  const HostCode& host_;
  const HostLaunch& launch_;
  const FileEntry& entry_;
  std::map<std::string, std::string>
      names_;  ///< Of host variables that are passed for scalars: the parameter's
};

}  // namespace

void read_host_launch(LaunchForm& form, const KernelFile& file, const FileEntry& entry) {
  if (!file.is_cuda()) return;
  const HostCode host(file.text);
  if (const HostLaunch* const launch = find_launch(host, entry))
    LaunchReader(form, host, *launch, entry).read();
}

}  // namespace warplens::app
