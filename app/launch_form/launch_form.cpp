#include "app/launch_form/launch_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "app/launch_form/argument_buffers.h"
#include "app/launch_form/expression.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::size_t kMostFields = 256;

Error bad_field(const std::string& name, const Error& why) {
  return {why.what, why.where.empty() ? name : why.where, why.hint};
}

/// The next "name=text"; spaces inside of brackets and parentheses belong to it.
std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size() && (depth > 0 || rest[end] != ' '); ++end) {
    if (rest[end] == '(' || rest[end] == '[') ++depth;
    if (rest[end] == ')' || rest[end] == ']') --depth;
  }
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

/// "-DTILE=32", or "-I include": some options have their value behind a space.
void add_option(std::string& options, std::string_view word, std::string_view& rest) {
  options.append(options.empty() ? "" : " ").append(word);
  if (word != "-I" && word != "-D" && word != "-U" && word != "-include") return;
  const std::string_view value = next_word(rest);
  if (!value.empty()) options.append(" ").append(value);
}

/// Returns the error for a pointer that no field is for.
Error no_buffer_said(const std::string& name, const std::string& type, int depth) {
  const std::string element = !type.empty() && parse_element_type(type) ? type : "f32";
  return {tr("nothing says what `{parameter}` points at", "parameter"_a = name), name,
          depth > 1 ? tr("Give it rows, {parameter}={type}*[ROWS][COLUMNS]:ints, or a table of addresses in "
                         "another buffer: "
                         "{parameter}=ptr[COUNT]:&A[i*n].",
                         "parameter"_a = name, "type"_a = element)
                    : tr("Give it a buffer, {parameter}={type}[COUNT]:ints, or an address in another one, "
                         "{parameter}=&A[64].",
                         "parameter"_a = name, "type"_a = element)};
}

}  // namespace

std::optional<std::string> variable_named(std::string_view field) {
  if (!field.starts_with(kVariablePrefix)) return std::nullopt;
  return std::string(field.substr(kVariablePrefix.size()));
}

const FormField* LaunchForm::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &FormField::name);
  return found == fields.end() ? nullptr : &*found;
}

FormField& LaunchForm::set(std::string_view name, std::string text, bool guessed) {
  FormField* const own = name == "grid"      ? &grid
                         : name == "block"   ? &block
                         : name == "shared"  ? &shared
                         : name == "cluster" ? &cluster
                                             : nullptr;
  const auto found = std::ranges::find(fields, name, &FormField::name);
  FormField& field = own != nullptr          ? *own
                     : found != fields.end() ? *found
                                             : fields.emplace_back(FormField{std::string(name), {}});
  field.text = std::move(text);
  field.guessed = guessed;
  field.has_guessed_contents = field.of_comment = false;
  return field;
}

Result<LaunchForm> parse_form(std::string_view text) {
  LaunchForm form;
  for (std::string_view rest = text, word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (word.starts_with('-')) {
      add_option(form.options, word, rest);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name(word.substr(0, equals));
    if (equals == std::string_view::npos || name.empty() || equals + 1 == word.size()) {
      return Error{tr("`{word}` says nothing about the launch", "word"_a = std::string(word)), "",
                   tr("Write NAME=VALUE, without spaces around `=`: grid=(n+255)/256 block=256 n=1000 "
                      "a=f32[n]:ints.")};
    }
    std::string value(word.substr(equals + 1));
    if (form.fields.size() >= kMostFields)
      return Error{tr("the launch has more than {most} fields", "most"_a = kMostFields), "", ""};
    if (name == "expect") {
      form.expect.push_back(std::move(value));
    } else if (name == "product") {
      form.product = std::move(value);
    } else if (name == "arch") {
      form.architecture = std::move(value);
    } else if (name == "kernel") {
      form.kernel = std::move(value);
    } else {
      form.set(name, std::move(value)).of_comment = true;
    }
  }
  return form;
}

std::string text_of(const LaunchForm& form) {
  std::string text;
  const auto add = [&text](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  add("kernel", form.kernel);
  for (const FormField* field : {&form.grid, &form.block, &form.cluster, &form.shared})
    add(field->name, field->text);
  for (const FormField& field : form.fields) add(field.name, field.text);
  add("product", form.product);
  for (const std::string& expected : form.expect) add("expect", expected);
  add("arch", form.architecture);
  if (!form.options.empty()) text += (text.empty() ? "" : " ") + form.options;
  return text;
}

std::vector<NamedValue> values_of(const LaunchForm& form) {
  std::vector<NamedValue> values;
  for (const FormField& field : form.fields) {
    if (variable_named(field.name)) continue;
    if (const Result<std::int64_t> value = evaluate(field.text, values); value.ok() && !field.name.empty())
      values.push_back({field.name, *value});
  }
  return values;
}

Result<Dim3> extent_of(const FormField& field, std::span<const NamedValue> values) {
  const std::vector<std::string_view> parts = parts_at_commas(field.text);
  std::uint32_t extents[3] = {1, 1, 1};
  if (parts.size() > std::size(extents) || field.text.empty()) {
    return Error{field.text.empty() ? tr("it is not said how large it is")
                                    : tr("`{text}` has more than three extents", "text"_a = field.text),
                 field.name, tr("Write X, or X,Y, or X,Y,Z: {field}=(n+15)/16,n.", "field"_a = field.name)};
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Result<std::int64_t> value = evaluate(parts[i], values);
    if (!value.ok()) return bad_field(field.name, value.error());
    constexpr std::int64_t kMax =
        std::numeric_limits<std::int32_t>::max();  // Of a grid's x; the others are checked with the launch
    if (*value < 1 || *value > kMax) {
      return Error{tr("`{text}` is {value}", "text"_a = std::string(parts[i]), "value"_a = *value),
                   field.name, tr("It is between 1 and {most}.", "most"_a = kMax)};
    }
    extents[i] = static_cast<std::uint32_t>(*value);
  }
  return Dim3{extents[0], extents[1], extents[2]};
}

Result<std::uint32_t> shared_bytes_of(const LaunchForm& form, std::span<const NamedValue> values) {
  if (form.shared.text.empty()) return 0u;
  const Result<std::int64_t> bytes = evaluate(form.shared.text, values);
  if (!bytes.ok()) return bad_field(form.shared.name, bytes.error());
  if (*bytes >= 0 && *bytes <= UINT32_MAX) return static_cast<std::uint32_t>(*bytes);
  return Error{tr("`{text}` is {value}", "text"_a = form.shared.text, "value"_a = *bytes), form.shared.name,
               tr("It is a number of bytes.")};
}

namespace {

/// A structure by its fields. The error names the one that is missing. `besides` takes the buffers that its
/// pointers lead to.
Result<ScalarSpec> struct_of(const LaunchForm& form, const KernelParameter& parameter,
                             std::span<const NamedValue> values, std::vector<NamedArgument>& besides) {
  ScalarSpec whole{.type = "bytes", .bytes = std::vector<std::byte>(parameter.bytes)};
  for (const ParameterField& one : parameter.fields) {
    const std::string name = parameter.name + "." + one.name;
    const FormField* const field = form.find(name);
    if (field == nullptr) {
      if (one.pointer_depth > 0) return no_buffer_said(name, one.type, one.pointer_depth);
      return Error{
          tr("nothing says what `{parameter}` ({type}) is", "parameter"_a = name, "type"_a = one.type), name,
          tr("Give it a value: {parameter}=256.", "parameter"_a = name)};
    }
    Result<ArgumentSpec> value = parse_argument(
        field->text,
        {.values = values, .type = one.pointer_depth > 0 ? std::string_view() : std::string_view(one.type)});
    if (!value.ok()) return bad_field(name, value.error());
    if (one.pointer_depth > 0 && std::holds_alternative<BufferSpec>(*value)) {
      whole.addresses.push_back({.at = one.offset, .to = {.buffer = name}});
      besides.push_back({name, *std::move(value)});
      continue;
    }
    const auto* const scalar = std::get_if<ScalarSpec>(&*value);
    if (scalar == nullptr || scalar->bytes.size() != one.bytes) {
      return Error{tr("`{text}` is no {type}", "text"_a = field->text, "type"_a = one.type), name, ""};
    }
    std::ranges::copy(scalar->bytes, whole.bytes.begin() + static_cast<std::ptrdiff_t>(one.offset));
    for (const PlacedSpec& address : scalar->addresses)
      whole.addresses.push_back({.at = one.offset + address.at, .to = address.to});
  }
  return whole;
}

/// A parameter that no field is for.
Error nothing_says(const KernelParameter& parameter) {
  if (parameter.is_pointer) return no_buffer_said(parameter.name, parameter.type, parameter.pointer_depth);
  const std::string type = parameter.written.empty() ? parameter.type : parameter.written;
  const std::string what =
      tr("nothing says what `{parameter}` ({type}) is", "parameter"_a = parameter.name, "type"_a = type);
  if (parameter.type.empty()) {
    return {what, parameter.name,
            tr_n(parameter.bytes,
                 "Its fields cannot be read in the source: give all of it, {parameter}=bytes:HEX, {n} byte; "
                 "an address of A at byte 8 of it is @8=&A.",
                 "Its fields cannot be read in the source: give all of it, {parameter}=bytes:HEX, {n} bytes; "
                 "an address of A at byte 8 of it is @8=&A.",
                 "parameter"_a = parameter.name)};
  }
  return {what, parameter.name, tr("Give it a value: {parameter}=256.", "parameter"_a = parameter.name)};
}

}  // namespace

Result<std::vector<NamedArgument>> arguments_of(const LaunchForm& form,
                                                std::span<const KernelParameter> parameters) {
  const std::vector<NamedValue> values = values_of(form);
  std::vector<const FormField*> by_place;
  for (const FormField& field : form.fields) {
    if (field.name.empty()) by_place.push_back(&field);
  }
  auto place = by_place.begin();
  std::vector<NamedArgument> arguments, besides;
  for (const KernelParameter& parameter : parameters) {
    const FormField* field = form.find(parameter.name);
    if (field == nullptr && !parameter.fields.empty()) {
      Result<ScalarSpec> fields = struct_of(form, parameter, values, besides);
      if (!fields.ok()) return fields.error();
      arguments.push_back({parameter.name, *std::move(fields)});
      continue;
    }
    if (field == nullptr && place != by_place.end()) field = *place++;
    if (field == nullptr) return nothing_says(parameter);
    Result<ArgumentSpec> argument = parse_argument(
        field->text,
        {.values = values,
         .type = parameter.is_pointer && !parameter.written.empty() ? std::string_view() : parameter.type});
    if (!argument.ok()) return bad_field(parameter.name, argument.error());
    arguments.push_back({parameter.name, *std::move(argument)});
  }
  if (place != by_place.end()) {
    return Error{tr("there are more arguments than parameters"), (*place)->text,
                 tr("The kernel takes {count}.", "count"_a = parameters.size())};
  }
  std::ranges::move(besides, std::back_inserter(arguments));
  return arguments;
}

Result<Done> add_buffers_besides(std::vector<NamedArgument>& arguments,
                                 std::span<const NamedArgument> variables, const LaunchForm& form) {
  const std::vector<NamedValue> values = values_of(form);
  const auto add = [&](const ArgumentSpec& value) -> Result<Done> {
    for (const PlacedSpec& address : addresses_in(value)) {
      if (read_address(address.to, arguments)) continue;
      const FormField* const field = form.find(address.to.buffer);
      if (field == nullptr) continue;
      Result<ArgumentSpec> buffer = parse_argument(field->text, {.values = values, .type = {}});
      if (!buffer.ok()) return bad_field(field->name, buffer.error());
      if (std::holds_alternative<BufferSpec>(*buffer)) arguments.push_back({field->name, *std::move(buffer)});
    }
    return Done{};
  };
  for (const NamedArgument& variable : variables) {
    if (Result<Done> added = add(variable.value); !added.ok()) return added;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {  // Those that are added may hold addresses, too
    if (Result<Done> added = add(ArgumentSpec(arguments[i].value)); !added.ok()) return added;
  }
  return Done{};
}

Result<ProductNames> parse_product(std::string_view text) {
  const std::size_t times = text.find('*'), arrow = text.find("->");
  if (times != std::string_view::npos && arrow != std::string_view::npos && times < arrow) {
    ProductNames names{std::string(text.substr(0, times)),
                       std::string(text.substr(times + 1, arrow - times - 1)),
                       std::string(text.substr(arrow + 2))};
    if (!names.a.empty() && !names.b.empty() && !names.c.empty()) return names;
  }
  return Error{tr("`{text}` names no product", "text"_a = std::string(text)), "product",
               tr("Write A*B->C with the names of three arguments.")};
}

}  // namespace warplens::app
