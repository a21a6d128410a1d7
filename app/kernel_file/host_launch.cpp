#include "app/kernel_file/host_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "app/kernel_file/host_tensor_map.h"
#include "app/launch_form/arguments.h"
#include "app/launch_form/expression.h"
#include "app/launch_form/struct_fields.h"
#include "kernels/compile/header_search.h"
#include "kernels/compile/options.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

using host::Argument;
using host::FormulaPtr;

/// What was interpreted of late: numbers of a launch change more often than its source.
class InterpretedPrograms {
 public:
  std::shared_ptr<const host::HostProgram> of(const KernelFile& file) {
    const std::lock_guard lock(mutex_);
    for (const auto& [path, text, options, program] : kept_) {
      if (path == file.file && text == file.text && options == file.options) return program;
    }
    auto program = std::make_shared<const host::HostProgram>(
        host::interpret(file.text, header_reader(file), compile::prelude_of(file.options)));
    kept_.push_front({file.file, file.text, file.options, program});
    if (kept_.size() > kMax) kept_.pop_back();
    return program;
  }

 private:
  static constexpr std::size_t kMax = 4;

  /// Finds what host code includes as the compiler finds what device code does.
  static host::HeaderReader header_reader(const KernelFile& file) {
    constexpr std::size_t kMaxHeaders = 500, kMaxBytes = 8u << 20;
    struct Read {
      compile::HeaderSearch search;
      std::size_t headers = 0, bytes = 0;
    };
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::absolute(file.file, ignored).lexically_normal();
    const auto read = std::make_shared<Read>(Read{compile::HeaderSearch({.name = path.filename().string(),
                                                                         .folder = path.parent_path(),
                                                                         .readable = file.readable,
                                                                         .includes = file.options.folders,
                                                                         .forced = {}})});
    return [read](const std::string& name, bool is_quoted,
                  const std::string& includer) -> std::optional<host::Header> {
      if (read->headers >= kMaxHeaders || read->bytes >= kMaxBytes) return std::nullopt;
      const auto found = read->search.find(
          name, is_quoted, includer.empty() ? read->search.source() : std::filesystem::path(includer));
      std::optional<std::string> text = found ? read->search.read(*found) : std::nullopt;
      if (!text) return std::nullopt;
      ++read->headers;
      read->bytes += text->size();
      return host::Header{found->string(), *std::move(text)};
    };
  }

  struct Kept {
    std::filesystem::path path;
    std::string text;
    compile::Options options;
    std::shared_ptr<const host::HostProgram> program;
  };
  std::mutex mutex_;
  std::deque<Kept> kept_;
};

std::string as_number(double value) {
  return fmt::format("{}", value);
}

/// Reads one launch into a form.
class LaunchReader {
 public:
  LaunchReader(LaunchForm& form, const host::HostProgram& program, const host::Launch& launch,
               const KernelFile& file, const FileEntry& entry)
      : form_(form), program_(program), launch_(launch), file_(file), entry_(entry) {}

  void read() {
    name_sizes();
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i)
      read_scalar(entry_.parameters[i], launch_.arguments[i]);
    set_extent(form_.block, launch_.block);
    set_extent(form_.grid, launch_.grid);
    if (launch_.cluster[0] != nullptr) set_extent(form_.cluster, launch_.cluster);
    if (form_.shared.text.empty()) {
      const std::optional<std::string> bytes = in_words(launch_.shared_bytes);
      if (bytes && *bytes != "0") form_.set("shared", *bytes).guessed = is_doubtful(launch_.shared_bytes);
    }
    for (const bool from_begin : {true, false}) {  // The parameter that has the begin makes the buffer
      for (std::size_t i = 0; i < entry_.parameters.size(); ++i)
        read_pointer(entry_.parameters[i], launch_.arguments[i], from_begin);
    }
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i)
      read_tensor_map(entry_.parameters[i], launch_.arguments[i]);
    for (const auto& [allocation, contents] : launch_.contents) {
      if (!program_.allocations[allocation].symbol.empty())
        read_variable(program_.allocations[allocation], contents);
    }
  }

 private:
  static bool is_real(const std::string& type) { return type.starts_with('f') || type.starts_with('b'); }

  static const Argument* find_field(const Argument& structure, std::string_view path) {
    const std::size_t dot = path.find('.');
    const auto found = std::ranges::find(structure.fields, path.substr(0, dot),
                                         [](const auto& one) { return std::string_view(one.name); });
    if (found == structure.fields.end()) return nullptr;
    return dot == std::string_view::npos ? &found->value : find_field(found->value, path.substr(dot + 1));
  }

  /// `visit(name, type, pointer depth, argument)` for a parameter, or for the fields of a structure.
  template <class Visit>
  static void visit_parts(const KernelParameter& parameter, const Argument& argument, Visit visit) {
    if (parameter.fields.empty())
      return visit(parameter.name, parameter.type,
                   parameter.is_pointer ? std::max(parameter.pointer_depth, 1) : 0, argument);
    for (const ParameterField& field : parameter.fields) {
      if (const Argument* const part = find_field(argument, field.name))
        visit(parameter.name + "." + field.name, field.type, field.pointer_depth, *part);
    }
  }

  /// A size that host code passes keeps the parameter's name in what follows, so that grid and buffers grow
  /// with it; what is passed for several has the name of the first.
  void name_sizes() {
    std::vector<std::pair<FormulaPtr, std::string>> sizes;
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i) {
      visit_parts(entry_.parameters[i], launch_.arguments[i],
                  [&](const std::string& name, const std::string& type, int depth, const Argument& argument) {
                    if (depth == 0 && !is_real(type) && argument.kind == Argument::Kind::number)
                      sizes.emplace_back(argument.number, name);
                  });
    }
    for (const auto& [formula, name] : sizes) names_.emplace(formula.get(), name);
    for (const auto& [formula, name] : sizes) {  // Variables that they were set to
      for (FormulaPtr of = formula; of->text == "named"; of = of->operands[0])
        names_.emplace(of->operands[0].get(), name);
    }
  }

  [[nodiscard]] std::optional<std::string> in_words(const FormulaPtr& formula) const {
    return formula == nullptr ? std::nullopt : text_of(formula, names_);
  }

  [[nodiscard]] bool is_doubtful(const FormulaPtr& formula) const {
    return host::is_doubtful(formula, names_);
  }

  [[nodiscard]] bool may_set(const std::string& name) const {
    const FormField* const known = form_.find(name);
    return known == nullptr || known->guessed;
  }

  void read_scalar(const KernelParameter& parameter, const Argument& argument) {
    if (parameter.type.find('x') != std::string::npos && argument.kind == Argument::Kind::structure)
      return read_vector(parameter, argument);
    if (form_.find(parameter.name) != nullptr && !parameter.fields.empty()) return;  // Given as a whole
    visit_parts(parameter, argument,
                [&](const std::string& name, const std::string& type, int depth, const Argument& part) {
                  if (depth > 0 || type.empty() || part.kind != Argument::Kind::number || !may_set(name))
                    return;
                  if (!is_real(type)) {
                    const FormulaPtr whole = truncated(part.number);
                    if (whole->integer && (*whole->integer > 0 || !whole->is_doubtful))
                      form_.set(name, std::to_string(*whole->integer)).guessed = whole->is_doubtful;
                  } else if (part.number->real) {
                    form_.set(name, as_number(*part.number->real)).guessed = part.number->is_doubtful;
                  }
                });
  }

  void read_vector(const KernelParameter& parameter, const Argument& argument) {  // float4
    std::string text = parameter.type + ":";
    for (std::size_t i = 0; i < argument.fields.size(); ++i) {
      const Argument& part = argument.fields[i].value;
      if (part.kind != Argument::Kind::number || !part.number->real) return;
      text += (i == 0 ? "" : ",") + as_number(*part.number->real);
    }
    if (may_set(parameter.name)) form_.set(parameter.name, text);
  }

  void set_extent(const FormField& field, const std::array<FormulaPtr, 3>& extent) {
    if (!field.text.empty()) return;
    std::vector<std::string> parts;
    for (const FormulaPtr& part : extent) {
      const std::optional<std::string> words = in_words(part);
      if (!words) return;
      parts.push_back(*words);
    }
    while (parts.size() > 1 && parts.back() == "1") parts.pop_back();
    const bool is_guess =
        std::ranges::any_of(extent, [&](const FormulaPtr& part) { return is_doubtful(part); });
    form_.set(field.name, fmt::format("{}", fmt::join(parts, ","))).guessed = is_guess;
  }

  void read_pointer(const KernelParameter& parameter, const Argument& argument, bool from_begin) {
    const bool is_read_only = parameter.is_pointer && parameter.written.find("const") != std::string::npos;
    visit_parts(
        parameter, argument,
        [&](const std::string& name, const std::string& type, int depth, const Argument& part) {
          if (depth == 2) return read_rows(name, type, part, is_read_only);
          if (depth != 1 || form_.find(name) != nullptr) return;
          if (part.kind == Argument::Kind::null) return static_cast<void>(form_.set(name, "null"));
          if (part.kind != Argument::Kind::address) return;
          const bool is_at_begin = part.number->integer == std::optional<std::int64_t>(0);
          if (from_begin && !is_at_begin) return;
          const auto each = static_cast<std::int64_t>(size_of(element_of(type, part.allocation)));
          const auto known = buffers_.find(part.allocation);
          if (known != buffers_.end()) return set_address(name, known->second, part, each);
          if (is_at_begin) {
            const std::optional<std::string> buffer = buffer_in_words(type, part.allocation, is_read_only);
            if (buffer) set_buffer(name, *buffer, type, part.allocation);
            if (buffer) buffers_[part.allocation] = name;
            return;
          }
          const std::optional<std::string> buffer = buffer_in_words(type, part.allocation, is_read_only);
          const std::string pool = free_name(program_.allocations[part.allocation].name);
          if (!buffer || pool.empty()) return;
          set_buffer(pool, *buffer, type, part.allocation);
          buffers_[part.allocation] = pool;
          set_address(name, pool, part, each);
        });
  }

  void set_buffer(const std::string& name, const std::string& buffer, const std::string& type,
                  std::size_t allocation) {
    FormField& field = form_.set(name, buffer);
    field.has_guessed_contents = may_be_indices(type, allocation);
    const FormulaPtr& bytes = program_.allocations[allocation].bytes;
    field.guessed = bytes != nullptr && is_doubtful(bytes);
  }

  /// A pointer to pointers to rows: each has an allocation of its own, or all lie one after the other in one.
  void read_rows(const std::string& name, const std::string& type, const Argument& part, bool is_read_only) {
    const auto found = launch_.contents.find(part.allocation);
    const bool is_begin =
        part.kind == Argument::Kind::address && part.number->integer == std::optional<std::int64_t>(0);
    if (form_.find(name) != nullptr || !is_begin || found == launch_.contents.end() ||
        found->second.kind != host::Contents::Kind::addresses)
      return;
    const host::Contents& rows = found->second;
    const host::Allocation& first = program_.allocations[rows.allocations[0]];
    const std::size_t count = rows.allocations.size();
    const bool is_one = count > 1 && rows.allocations[0] == rows.allocations[1];
    const FormulaPtr bytes = is_one ? rows.offsets[1] : first.bytes;
    const auto contents_of = [&](std::size_t allocation) {
      const auto one = launch_.contents.find(allocation);
      return one == launch_.contents.end()
                 ? std::string()
                 : contents_in_words(one->second, element_of(type, allocation), is_read_only);
    };
    const std::string contents = contents_of(rows.allocations[0]);
    const auto is_whole = [](const FormulaPtr& value, std::int64_t wanted) {
      return value != nullptr && value->integer == std::optional(wanted);
    };
    if (bytes == nullptr || !bytes->integer || is_doubtful(bytes)) return;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t offset = is_one ? static_cast<std::int64_t>(i) * *bytes->integer : 0;
      const bool is_alike = is_one
                                ? rows.allocations[i] == rows.allocations[0]
                                : is_whole(program_.allocations[rows.allocations[i]].bytes, *bytes->integer);
      if (!is_alike || !is_whole(rows.offsets[i], offset) || contents_of(rows.allocations[i]) != contents)
        return;
    }
    if (is_one &&
        (!contents.empty() || !is_whole(first.bytes, static_cast<std::int64_t>(count) * *bytes->integer)))
      return;
    const ElementType element = element_of(type, rows.allocations[0]);
    const auto each = static_cast<std::int64_t>(size_of(element));
    const std::optional<std::string> words = in_words(divided(bytes, each));
    if (!words) return;
    form_
        .set(name, fmt::format("{}*[{}][{}]{}", name_of(element), count,
                               count_in_words(*bytes->integer / each, *words), contents))
        .has_guessed_contents = may_be_indices(type, rows.allocations[0]);
  }

  void set_address(const std::string& name, const std::string& buffer, const Argument& part,
                   std::int64_t each) {
    if (part.number->integer == std::optional<std::int64_t>(0))
      return static_cast<void>(form_.set(name, "&" + buffer));
    if (const auto index = in_words(divided(part.number, each)))
      form_.set(name, fmt::format("&{}[{}]", buffer, *index));
  }

  void read_tensor_map(const KernelParameter& parameter, const Argument& argument) {
    if (argument.type != host::kTensorMapType || form_.find(parameter.name) != nullptr) return;
    const std::optional<HostTensorMap> map = tensor_map_in_words(argument, program_, names_);
    const std::string buffer = map ? buffer_of_tensor(*map) : std::string();
    if (!buffer.empty())
      form_.set(parameter.name,
                fmt::format("tensormap{}:{}{}@{}{}{}", parameter.is_pointer ? "*" : "", name_of(map->element),
                            map->extents, buffer, map->index, map->options));
  }

  /// The buffer that a tensor lies in, which becomes a field of its own where no parameter has it; empty: its
  /// size is not known.
  std::string buffer_of_tensor(const HostTensorMap& map) {
    const auto known = buffers_.find(map.allocation);
    if (known != buffers_.end()) return known->second;
    const std::string type = name_of(map.element);
    std::optional<std::string> buffer = buffer_in_words(type, map.allocation, true);
    const std::string name = free_name(program_.allocations[map.allocation].name);
    if (!buffer || name.empty()) return {};
    if (map.is_whole_matrix) buffer->replace(type.size(), buffer->find(']') + 1 - type.size(), map.extents);
    set_buffer(name, *buffer, type, map.allocation);
    return buffers_[map.allocation] = name;
  }

  /// A name for a buffer that is no parameter; empty: host code calls it by none.
  [[nodiscard]] std::string free_name(std::string name) const {
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
    const auto is_taken = [&] {
      return form_.find(name) != nullptr ||
             std::ranges::any_of(entry_.parameters,
                                 [&](const KernelParameter& one) { return one.name == name; });
    };
    while (!name.empty() && is_taken()) name += '_';
    return name;
  }

  [[nodiscard]] ElementType element_of(const std::string& type, std::size_t allocation) const {
    const auto of_parameter = parse_element_type(type.substr(0, type.find('x')));
    if (of_parameter) return *of_parameter;
    const std::string of_allocation = argument_type(program_.allocations[allocation].type);
    return parse_element_type(of_allocation.substr(0, of_allocation.find('x'))).value_or(ElementType::u8);
  }

  /// "f32[n]:iota"; nullopt: how large it is only running the program tells.
  [[nodiscard]] std::optional<std::string> buffer_in_words(const std::string& type, std::size_t allocation,
                                                           bool is_read_only) const {
    const host::Allocation& memory = program_.allocations[allocation];
    const ElementType element = element_of(type, allocation);
    const auto each = static_cast<std::int64_t>(size_of(element));
    const std::optional<std::string> words =
        in_words(memory.bytes == nullptr ? nullptr : divided(memory.bytes, each));
    const Result<std::int64_t> count = words ? evaluate(*words, values_of(form_)) : Error{};
    if (!count.ok() || *count < 1) return std::nullopt;
    const auto contents = launch_.contents.find(allocation);
    return fmt::format(
        "{}[{}]{}", name_of(element), count_in_words(*count, *words),
        contents == launch_.contents.end() ? "" : contents_in_words(contents->second, element, is_read_only));
  }

  /// Whether a buffer holds integers that only running the program tells: where they are indices, what is
  /// done with the guessed ones means nothing.
  [[nodiscard]] bool may_be_indices(const std::string& type, std::size_t allocation) const {
    const auto contents = launch_.contents.find(allocation);
    return contents != launch_.contents.end() && is_unknown(contents->second.kind) &&
           !is_real(name_of(element_of(type, allocation)));
  }

  static bool is_unknown(host::Contents::Kind kind) {
    return kind == host::Contents::Kind::unknown || kind == host::Contents::Kind::addresses;
  }

  static std::string contents_in_words(const host::Contents& contents, ElementType element,
                                       bool is_read_only) {
    using Kind = host::Contents::Kind;
    switch (contents.kind) {
      case Kind::uninitialized: return is_read_only ? ":ints" : "";
      case Kind::zero: return "";
      case Kind::value: return ":value:" + as_number(in_range(contents.value, element));
      case Kind::iota: return ":iota";
      case Kind::listed: return fmt::format(":list:{}", fmt::join(contents.values, ","));
      case Kind::uniform: return is_real(name_of(element)) ? ":uniform" : ":ints";
      case Kind::below: return fmt::format(":below:{}", contents.limit);
      case Kind::bytes:
        return element == ElementType::u8 ? fmt::format(":list:{}", fmt::join(contents.values, ","))
                                          : ":ints";
      case Kind::addresses:
      case Kind::unknown: return ":ints";
    }
    return "";
  }
  /// -1 of unsigned integers is the largest.
  static double in_range(double value, ElementType element) {
    const bool is_unsigned =
        element == ElementType::u8 || element == ElementType::u16 || element == ElementType::u32;
    return is_unsigned && value < 0 ? value + std::ldexp(1.0, 8 * size_of(element)) : value;
  }

  /// "n" or "m][n" where that is how many there are, so that a buffer has the shape of its matrix and grows
  /// with the sizes.
  [[nodiscard]] std::string count_in_words(std::int64_t count, const std::string& words) const {
    const std::size_t times = words.find('*');
    if (times != std::string::npos && form_.find(words.substr(0, times)) != nullptr &&
        form_.find(words.substr(times + 1)) != nullptr) {
      const std::string one = words.substr(0, times), other = words.substr(times + 1);
      return counts_columns(one) && !counts_columns(other) ? other + "][" + one : one + "][" + other;
    }
    if (words.find_first_not_of("0123456789") != std::string::npos) return words;
    const std::vector<NamedValue> values = values_of(form_);
    const auto is_used = [&](const NamedValue& value) {
      return value.value > 1 &&
             std::ranges::any_of(names_, [&](const auto& name) { return name.second == value.name; });
    };
    for (const NamedValue& one : values) {
      if (is_used(one) && one.value == count) return one.name;
    }
    for (const NamedValue& one : values) {
      if (is_used(one) && one.value * one.value == count) return fmt::format("{}][{}", one.name, one.name);
    }
    return words;
  }
  /// Whether a size is by its name that of a row, whose elements lie side by side.
  static bool counts_columns(const std::string& name) {
    const std::string field = name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
    return field.starts_with('w') || field.starts_with("nx") || field.find("col") != std::string::npos;
  }

  /// A __constant__ or __device__ variable that host code copies to.
  void read_variable(const host::Allocation& memory, const host::Contents& contents) {
    const auto variable = std::ranges::find_if(file_.variables, [&](const FileVariable& one) {
      return ptx::base_name(one.plain_name) == memory.symbol;
    });
    const bool is_set =
        contents.kind != host::Contents::Kind::uninitialized && contents.kind != host::Contents::Kind::zero;
    if (variable == file_.variables.end() || !is_set) return;
    const std::string name = "var:" + variable->plain_name;
    if (form_.find(name) != nullptr) return;
    if (!variable->type.empty()) {
      const std::vector<double>& listed = contents.values;
      if (contents.kind == host::Contents::Kind::value ||
          (contents.kind == host::Contents::Kind::listed && listed.size() == 1))
        form_.set(name, as_number(listed.empty() ? contents.value : listed[0]));
      return;
    }
    const bool is_of_bytes = contents.kind == host::Contents::Kind::bytes;
    const auto of_elements = parse_element_type(argument_type(memory.type));
    const ElementType element = is_of_bytes ? ElementType::u8 : of_elements.value_or(ElementType::u8);
    const bool is_guess = is_unknown(contents.kind) || (!of_elements && !is_of_bytes) ||
                          (is_of_bytes && contents.values.size() != variable->bytes);
    form_
        .set(name, fmt::format("{}[{}]{}", name_of(element),
                               variable->bytes / static_cast<std::uint64_t>(size_of(element)),
                               is_guess ? "" : contents_in_words(contents, element, false)))
        .has_guessed_contents = is_guess;
  }

  LaunchForm& form_;
  const host::HostProgram& program_;
  const host::Launch& launch_;
  const KernelFile& file_;
  const FileEntry& entry_;
  std::map<const host::Formula*, std::string> names_;  ///< Of sizes that are passed: the parameter's
  std::map<std::size_t, std::string> buffers_;         ///< By allocation: the field that makes it
};

}  // namespace

std::shared_ptr<const host::HostProgram> host_program_of(const KernelFile& file) {
  static InterpretedPrograms programs;
  return programs.of(file);
}

std::vector<const host::Launch*> launches_of(const host::HostProgram& program, const FileEntry& entry) {
  const std::string instance = ptx::comparable_name(entry.plain_name),
                    kernel = ptx::base_name(entry.plain_name);
  const std::size_t open = instance.find('<');
  std::vector<const host::Launch*> exact, others;
  for (const host::Launch& launch : program.launches) {
    if (launch.kernel != kernel || launch.arguments.size() != entry.parameters.size()) continue;
    const bool is_exact =
        open != std::string::npos && !launch.template_arguments.empty() &&
        ptx::comparable_name("k<" + launch.template_arguments + ">").substr(1) == instance.substr(open);
    const bool says_nothing = open == std::string::npos || launch.template_arguments.empty();
    if (is_exact) exact.push_back(&launch);
    if (says_nothing) others.push_back(&launch);
  }
  return exact.empty() ? others : exact;
}

std::vector<FileLaunch> file_launches_of(const host::HostProgram& program, const FileEntry& entry) {
  const auto in_words = [](const std::array<FormulaPtr, 3>& extent) {
    std::vector<std::string> parts;
    for (const FormulaPtr& part : extent)
      parts.push_back(part == nullptr ? "?" : text_of(part).value_or("?"));
    while (parts.size() > 1 && parts.back() == "1") parts.pop_back();
    return fmt::format("{}", fmt::join(parts, ","));
  };
  std::vector<FileLaunch> launches;
  for (const host::Launch* launch : launches_of(program, entry))
    launches.push_back({launch->line, in_words(launch->grid), in_words(launch->block), launch->count});
  return launches;
}

const FileEntry* first_launched(const KernelFile& file) {
  if (!is_cuda_file(file.file)) return nullptr;
  const std::shared_ptr<const host::HostProgram> program = host_program_of(file);
  if (!program->has_main) return nullptr;
  const FileEntry* first = nullptr;
  const host::Launch* first_launch = nullptr;
  for (const FileEntry& entry : file.kernels) {
    const std::vector<const host::Launch*> launches = launches_of(*program, entry);
    if (launches.empty() || (first_launch != nullptr && first_launch <= launches.front())) continue;
    first = &entry;
    first_launch = launches.front();  // Launches lie in the order of the program
  }
  return first;
}

void read_host_launch(LaunchForm& form, const KernelFile& file, const FileEntry& entry, std::size_t launch) {
  if (!is_cuda_file(file.file)) return;
  const std::shared_ptr<const host::HostProgram> program = host_program_of(file);
  const std::vector<const host::Launch*> launches = launches_of(*program, entry);
  if (launch < launches.size()) LaunchReader(form, *program, *launches[launch], file, entry).read();
}

}  // namespace warplens::app
