#include "app/kernel_file/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

Error no_such_variable(const std::string& name, std::span<const FileVariable> variables) {
  constexpr std::size_t kMostNames = 12;
  std::vector<std::string> names;
  for (const FileVariable& one : variables) {
    if (names.size() < kMostNames) names.push_back(one.plain_name);
  }
  return {tr("there is no variable `{variable}`, or several of that name", "variable"_a = name), "",
          names.empty()
              ? tr("Nothing in the file is a __constant__ or __device__ variable that its kernels use.")
              : tr("There are {variables}, which `warplens check` lists.",
                   "variables"_a = fmt::join(names, ", "))};
}

Result<const FileVariable*> find_variable(const std::string& name, std::span<const FileVariable> variables) {
  const FileVariable* found = nullptr;
  for (const FileVariable& one : variables) {
    if (one.name == name) return &one;
    if (one.plain_name != name) continue;
    if (found != nullptr) return no_such_variable(name, variables);
    found = &one;
  }
  if (found == nullptr) return no_such_variable(name, variables);
  return found;
}

/// PTX calls all integers of a variable unsigned: `-1` is for a signed one.
Result<ArgumentSpec> parse_value(const std::string& text, std::span<const NamedValue> values,
                                 const FileVariable& variable) {
  Result<ArgumentSpec> value = parse_argument(text, {.values = values, .type = variable.type});
  if (value.ok() || !variable.type.starts_with('u')) return value;
  Result<ArgumentSpec> as_signed =
      parse_argument(text, {.values = values, .type = "i" + variable.type.substr(1)});
  return as_signed.ok() ? as_signed : value;
}

Result<std::vector<std::byte>> bytes_of(const ArgumentSpec& value, std::uint64_t seed) {
  if (const auto* const scalar = std::get_if<ScalarSpec>(&value)) return scalar->bytes;
  return initial_contents(std::get<BufferSpec>(value), seed);
}

bool begins_with_space(std::string_view line) {
  return line.starts_with(".global ") || line.starts_with(".const ");
}

}  // namespace

std::vector<FileVariable> variables_in(const ptx::Module& module) {
  std::vector<FileVariable> variables;
  for (const ptx::Variable& variable : module.variables) {
    const bool is_text = variable.name.starts_with('$') || variable.name.starts_with("__unnamed");
    const bool is_memory =
        variable.space == ptx::StateSpace::global || variable.space == ptx::StateSpace::constant;
    if (is_text || !is_memory || variable.bytes() == 0) continue;
    FileVariable one{.name = variable.name,
                     .plain_name = ptx::plain_name(variable.name),
                     .type = {},
                     .bytes = variable.bytes()};
    if (variable.elements == 1) one.type = std::string(ptx::name_of(variable.type));
    if (one.type.starts_with('b')) one.type[0] = 'u';
    if (one.type.starts_with('s')) one.type[0] = 'i';
    variables.push_back(std::move(one));
  }
  return variables;
}

Result<std::vector<NamedArgument>> variables_of(const LaunchForm& form,
                                                std::span<const FileVariable> variables) {
  const std::vector<NamedValue> values = values_of(form);
  std::vector<NamedArgument> set;
  for (const FormField& field : form.fields) {
    const std::optional<std::string> name = variable_named(field.name);
    if (!name) continue;
    const Result<const FileVariable*> variable = find_variable(*name, variables);
    if (!variable.ok()) return variable.error();
    Result<ArgumentSpec> value = parse_value(field.text, values, **variable);
    if (!value.ok()) return Error{value.error().what, field.name, value.error().hint};
    set.push_back({*name, *std::move(value)});
  }
  return set;
}

Result<std::vector<VariableContents>> contents_of(std::span<const NamedArgument> set,
                                                  const ptx::Module& module) {
  const std::vector<FileVariable> variables = variables_in(module);
  std::vector<VariableContents> contents;
  for (const NamedArgument& one : set) {
    const Result<const FileVariable*> variable = find_variable(one.name, variables);
    if (!variable.ok()) return variable.error();
    const bool set_before =
        std::ranges::find(contents, (*variable)->name, &VariableContents::name) != contents.end();
    if (set_before)
      return Error{tr("the variable `{variable}` is set twice", "variable"_a = one.name), "", ""};
    const auto* const buffer = std::get_if<BufferSpec>(&one.value);
    if (buffer != nullptr && buffer->by_rows) {
      return Error{tr("the variable `{variable}` holds what it is given, and cannot be given rows",
                      "variable"_a = one.name),
                   "",
                   tr("Give a pointer the address of a buffer besides: p=&A, and a table of pointers "
                      "ptr[COUNT]:&A[i*n].")};
    }
    Result<std::vector<std::byte>> bytes = bytes_of(one.value, contents.size() + 1);
    if (!bytes.ok()) return bytes.error();
    const bool fits =
        (*variable)->type.empty() ? bytes->size() <= (*variable)->bytes : bytes->size() == (*variable)->bytes;
    if (!fits) {
      return Error{tr("the variable `{variable}` has {bytes} bytes, and is given {given}",
                      "variable"_a = one.name, "bytes"_a = (*variable)->bytes, "given"_a = bytes->size()),
                   "",
                   tr("A number takes its type, such as f32:1.5; an array f32[COUNT]:ints or "
                      "f32[COUNT]:file=PATH; a structure bytes:HEX.")};
    }
    contents.push_back({(*variable)->name, *std::move(bytes)});
  }
  return contents;
}

std::string with_visible(std::string ptx, std::span<const VariableContents> variables) {
  constexpr std::string_view kVisible = ".visible ";
  for (const VariableContents& variable : variables) {
    for (std::size_t at = ptx.find(variable.name); at != std::string::npos;
         at = ptx.find(variable.name, at + 1)) {
      const std::size_t line = ptx.rfind('\n', at) + 1, end = at + variable.name.size();
      const bool is_whole = at > 0 && (ptx[at - 1] == ' ' || ptx[at - 1] == '\t') && end < ptx.size() &&
                            std::string_view("[;= ").find(ptx[end]) != std::string_view::npos;
      if (!is_whole || !begins_with_space(std::string_view(ptx).substr(line, at - line))) continue;
      ptx.insert(line, kVisible);
      break;
    }
  }
  return ptx;
}

}  // namespace warplens::app
