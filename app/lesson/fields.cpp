#include "app/lesson/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/lesson/field_tables.h"
#include "kernels/base/figures.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::string_view kAgainst = "against.", kParameter = "parameter.";

std::vector<LessonField> all_fields() {
  std::vector<LessonField> fields;
  add_access_fields(fields);
  add_launch_fields(fields);
  add_derived_fields(fields);
  add_hopper_fields(fields);
  return fields;
}

/// "wavefronts, sectors, .., shared_store.(requests, ..)": names with one beginning share it.
std::string names_of_fields() {
  std::vector<std::string> plain;
  std::vector<std::string> groups;
  for (const LessonField& field : lesson_fields()) {
    const std::size_t dot = field.name.rfind('.');
    if (dot == std::string::npos) {
      plain.push_back(field.name);
    } else if (const std::string group = field.name.substr(0, dot + 1) + "..";
               std::ranges::find(groups, group) == groups.end()) {
      groups.push_back(group);
    }
  }
  return fmt::format("{}, {}", fmt::join(plain, ", "), fmt::join(groups, ", "));
}

std::string names_beginning(std::string_view group) {
  std::vector<std::string_view> names;
  for (const LessonField& field : lesson_fields()) {
    if (field.name.starts_with(group)) names.push_back(field.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Error unknown_field(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string alike =
      dot == std::string_view::npos ? std::string() : names_beginning(name.substr(0, dot + 1));
  return {tr("there is no field `{name}`", "name"_a = name), "",
          alike.empty()
              ? tr("`warplens lesson --fields` tells what each is: {names}", "names"_a = names_of_fields())
              : tr("There are: {names}", "names"_a = alike)};
}

/// A parameter of the kernel, or an integer argument of a file's.
std::optional<FieldValue> parameter_value(const Recording& recording, std::string_view name) {
  for (const NamedValue& parameter : recording.parameters) {
    if (parameter.name == name) return number_field(static_cast<double>(parameter.value));
  }
  for (const RecordedArgument& argument : recording.arguments) {
    const std::size_t colon = argument.value.find(':');
    if (argument.name != name || colon == std::string::npos) continue;
    std::int64_t value = 0;
    const char* const end = argument.value.data() + argument.value.size();
    const auto [stop, error] = std::from_chars(argument.value.data() + colon + 1, end, value);
    if (error == std::errc{} && stop == end) return number_field(static_cast<double>(value));
  }
  return std::nullopt;
}

}  // namespace

FieldValue number_field(double number) {
  const double size = std::abs(number);
  if (number >= 0 && number == std::floor(number) && number < 1e15)
    return {with_thousands(static_cast<std::uint64_t>(number)), number};
  if (number >= 1000) return {with_thousands(static_cast<std::uint64_t>(std::llround(number))), number};
  std::string text = formatted("{:.{}f}", number,
                               size >= 100   ? 0
                               : size >= 10  ? 1
                               : size >= 1   ? 2
                               : size >= 0.1 ? 3
                                             : 4);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return {text, number};
}

FieldValue text_field(std::string text) {
  return {std::move(text), std::nullopt};
}

std::optional<FieldValue> whole_field(std::uint64_t number) {
  return number_field(static_cast<double>(number));
}

FieldValue share_field(double share) {
  return {analysis::percent(share), share * 100};
}

const std::vector<LessonField>& lesson_fields() {
  static const std::vector<LessonField> fields = all_fields();
  return fields;
}

Result<FieldValue> field_value(std::string_view name, const StagedScene& staged) {
  const bool of_other = name.starts_with(kAgainst);
  if (of_other && !staged.against)
    return Error{tr("`{name}`: the scene is held against no other launch", "name"_a = name), "",
                 tr("Say which: against = \"tiled:T=16\"")};
  const FieldPlace place{of_other ? *staged.against : *staged.loaded,
                         of_other ? staged.against_selection : staged.selection};
  const std::string_view own = of_other ? name.substr(kAgainst.size()) : name;
  const auto field = std::ranges::find(lesson_fields(), own, &LessonField::name);
  if (field != lesson_fields().end()) {
    if (const auto value = field->value(place)) return *value;
  }
  const std::string_view parameter = own.starts_with(kParameter) ? own.substr(kParameter.size()) : own;
  if (const auto value = parameter_value(*place.loaded.recording, parameter)) return *value;
  if (field == lesson_fields().end()) return unknown_field(own);
  return Error{tr("`{name}` has no value here", "name"_a = name), "",
               *field->needs == '\0' ? "" : tr(field->needs)};
}

std::vector<std::string> usual_figures(const StagedScene& staged) {
  const auto event = staged.event();
  if (!event) return {};
  const Recording& recording = *staged.loaded->recording;
  if (recording.sites[recording.events.site[*event]].space == Space::shared)
    return {"wavefronts", "ideal", "conflicts", "lanes"};
  return {"sectors", "ideal", "lines", "efficiency", "lanes"};
}

}  // namespace warplens::app
