// The commands of a program and what they take. CLI11 reads the command line; it takes longer to compile than
// all commands together, so only command_line.cpp includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace warplens::app {

/// Says what is wrong with a value, or nothing.
using ValueCheck = std::function<std::string(const std::string& value)>;

/// An option, or an argument that is told by its place. A handle: copies mean the same option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  /// What stands for its value in the help: "FILE.wlr".
  Option value_name(const std::string& name) const;
  /// The help tells the value that its variable has now.
  Option shows_default() const;
  /// The heading it stands under in the help.
  Option group(const std::string& heading) const;
  /// Not together with the other.
  Option excludes(Option other) const;

  /// `description` stands in the help behind the value's name.
  Option check(const ValueCheck& what_is_wrong, const std::string& description = "") const;
  Option one_of(const std::vector<std::string>& values) const;
  Option in_range(double least, double most) const;
  Option existing_folder() const;

  /// Whether the command line had it.
  [[nodiscard]] bool given() const;

 private:
  CLI::Option* option_;
};

/// Limits of a number, itself among them.
struct WholeNumber {
  std::uint64_t least = 0, most = UINT64_MAX;
};

/// What takes options: the program, or one of its commands. A handle: copies mean the same command.
class CliCommand {
 public:
  explicit CliCommand(CLI::App* app) : app_(app) {}

  /// `name` is "-o" or "--width", or "file" for an argument that is told by its place. What is given goes to
  /// `value`, which must outlive the parsing; its type is one of those at the end of command_line.cpp. A
  /// vector takes one value each time the option is given.
  template <class Value>
  Option add_option(const std::string& name, Value& value, const std::string& description) const;
  /// A number in digits alone, in its limits. CLI11 by itself makes a large number of -1, and eight of 010.
  Option add_number(const std::string& name, std::optional<std::uint64_t>& value,
                    const std::string& description, WholeNumber limits = {}) const;
  Option add_flag(const std::string& name, bool& value, const std::string& description) const;

  /// What the help ends with.
  void footer(const std::string& text) const;
  /// What it does, once all arguments are read.
  void action(std::function<void()> action) const;
  /// Leaves it out of the help.
  void hide() const;

 private:
  CLI::App* app_;
};

/// What the help says of an option, for those who print it in another form.
struct OptionText {
  std::vector<std::string> names;  ///< "--width", "-o"; empty for an argument that is told by its place
  std::string value;               ///< "FILE.wlr", "dark|light"; empty for a flag
  std::string description, heading;
  bool required = false;
};

/// What the help says of a command, or of the program and its commands; hidden ones are left out.
struct CommandText {
  std::string name, description, footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

/// What `--version` prints, and `--version --json`.
struct VersionTexts {
  std::string plain, json;
};

/// The whole command line.
class Program : public CliCommand {
 public:
  Program(const std::string& name, const std::string& description, const VersionTexts& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] CliCommand add_command(const std::string& name, const std::string& description);
  void require_command();
  [[nodiscard]] CommandText texts() const;

  enum class Outcome { command_ran, no_command, told, misused };
  /// Reads the arguments, without the program's name, and runs the command among them. Help that was asked
  /// for goes to `out` (`told`), what is wrong with the arguments to `err` (`misused`). No value may be
  /// empty. What a command throws comes through.
  [[nodiscard]] Outcome run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

 private:
  explicit Program(std::unique_ptr<CLI::App> app);

  std::unique_ptr<CLI::App> app_;
  bool version_as_json_ = false;
};

}  // namespace warplens::app
