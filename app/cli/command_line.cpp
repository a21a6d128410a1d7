#include "app/cli/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "app/cli/command.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

template <class Value>
constexpr bool kIsVector = false;
template <class Item>
constexpr bool kIsVector<std::vector<Item>> = true;

std::string not_empty(const std::string& value) {
  return value.empty() ? "nothing is given" : std::string();
}

/// No option and no argument means anything by being empty.
void refuse_empty_values(CLI::App& program) {
  std::vector<CLI::App*> all = program.get_subcommands({});
  all.push_back(&program);
  for (CLI::App* const command : all) {
    for (CLI::Option* const option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(CLI::Validator(not_empty, ""));
    }
  }
}

OptionText text_of(const CLI::Option& option) {
  OptionText text{.value = option.get_type_name(),
                  .description = option.get_description(),
                  .heading = option.get_group(),
                  .required = option.get_required()};
  text.value.resize(std::min(text.value.find(':'), text.value.size()));  // Behind it stand what checks it
  if (option.get_items_expected_max() == 0) text.value.clear();
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  return text;
}

CommandText text_of(const CLI::App& command) {
  CommandText text{.name = command.get_name(),
                   .description = command.get_description(),
                   .footer = command.get_footer(),
                   .options = {},
                   .commands = {}};
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) text.options.push_back(text_of(*option));
  }
  for (const CLI::App* one : command.get_subcommands({})) {
    if (!one->get_group().empty()) text.commands.push_back(text_of(*one));
  }
  return text;
}

/// What is wrong with the arguments, which may be of any length and hold anything.
std::string what_is_wrong(const CLI::App* /*program*/, const CLI::Error& error) {
  constexpr std::size_t kLongest = 800;
  return cut_at_end(escaped(error.what()), kLongest) + "\nRun with --help for more information.\n";
}

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::value_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::shows_default() const {
  option_->capture_default_str();
  return *this;
}

Option Option::group(const std::string& heading) const {
  option_->group(heading);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::check(const ValueCheck& what_is_wrong, const std::string& description) const {
  option_->check(what_is_wrong, description);
  return *this;
}

Option Option::one_of(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values).description(""));
  return *this;
}

Option Option::in_range(double least, double most) const {
  const auto what_is_wrong = [least, most](const std::string& text) {  // CLI::Range takes nan
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool good = error == std::errc{} && stop == end && value >= least && value <= most;
    return good ? std::string() : fmt::format("`{}` is no number from {} to {}", text, least, most);
  };
  return check(what_is_wrong, fmt::format("FLOAT in [{} - {}]", least, most));
}

Option Option::existing_folder() const {
  option_->check(CLI::ExistingDirectory.description(""));
  return *this;
}

bool Option::given() const {
  return option_->count() > 0;
}

template <class Value>
Option CliCommand::add_option(const std::string& name, Value& value, const std::string& description) const {
  CLI::Option* const option = app_->add_option(name, value, description);
  if constexpr (kIsVector<Value>) option->allow_extra_args(false);
  return Option(option);
}

Option CliCommand::add_number(const std::string& name, std::optional<std::uint64_t>& value,
                              const std::string& description, WholeNumber limits) const {
  const auto take = [&value, name, limits](const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const bool is_number =
        stop == end && !text.empty() && (error == std::errc{} || error == std::errc::result_out_of_range);
    if (!is_number)
      throw CLI::ValidationError(name, fmt::format("`{}` is no whole number, written in digits alone", text));
    if (error != std::errc{} || number < limits.least || number > limits.most) {
      const std::string most = limits.most == UINT64_MAX ? "2^64 - 1" : with_thousands(limits.most);
      throw CLI::ValidationError(
          name, fmt::format("{} is not among {} to {}", text, with_thousands(limits.least), most));
    }
    value = number;
  };
  return Option(app_->add_option_function<std::string>(name, take, description));
}

Option CliCommand::add_flag(const std::string& name, bool& value, const std::string& description) const {
  return Option(app_->add_flag(name, value, description));
}

void CliCommand::footer(const std::string& text) const {
  app_->footer(text);
}

void CliCommand::action(std::function<void()> action) const {
  app_->callback(std::move(action));
}

void CliCommand::hide() const {
  app_->group("");
}

Program::Program(const std::string& name, const std::string& description, const VersionTexts& version)
    : Program(std::make_unique<CLI::App>(description, name)) {
  CLI::Option* const json = app_->add_flag("--json", version_as_json_, "With --version: one JSON document");
  CLI::Option* const asked = app_->set_version_flag(
      "--version", [this, version] { return version_as_json_ ? version.json : version.plain; },
      "Print the version, the commit, the compiler and what is built in");
  json->needs(asked);
  app_->require_subcommand(0, 1);
  app_->failure_message(what_is_wrong);
}

Program::Program(std::unique_ptr<CLI::App> app) : CliCommand(app.get()), app_(std::move(app)) {}

Program::~Program() = default;

CliCommand Program::add_command(const std::string& name, const std::string& description) {
  return CliCommand(app_->add_subcommand(name, description));
}

void Program::require_command() {
  app_->require_subcommand(1, 1);
}

CommandText Program::texts() const {
  return text_of(*app_);
}

Program::Outcome Program::run(const std::vector<std::string>& arguments, std::ostream& out,
                              std::ostream& err) {
  refuse_empty_values(*app_);
  try {
    app_->parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& stop) {
    return app_->exit(stop, out, err) == 0 ? Outcome::told : Outcome::misused;
  }
  return app_->get_subcommands().empty() ? Outcome::no_command : Outcome::command_ran;
}

template Option CliCommand::add_option(const std::string&, std::string&, const std::string&) const;
template Option CliCommand::add_option(const std::string&, std::filesystem::path&, const std::string&) const;
template Option CliCommand::add_option(const std::string&, float&, const std::string&) const;
template Option CliCommand::add_option(const std::string&, std::optional<int>&, const std::string&) const;
template Option CliCommand::add_option(const std::string&, std::optional<float>&, const std::string&) const;
template Option CliCommand::add_option(const std::string&, std::vector<std::string>&,
                                       const std::string&) const;
template Option CliCommand::add_option(const std::string&, std::vector<std::filesystem::path>&,
                                       const std::string&) const;

}  // namespace warplens::app
