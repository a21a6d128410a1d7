// The command line as a man page, and as completions of shells.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>

#include "app/cli/command.h"
#include "app/version/version.h"

namespace warplens::app {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// Man pages: "man(7)".

std::string roff(const std::string& text) {
  std::string escaped_text = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (escaped_text.starts_with('.') || escaped_text.starts_with('\'')) escaped_text.insert(0, "\\&");
  return escaped_text;
}

/// Lines that begin with two spaces, such as examples, stay as they are; others are filled.
std::string roff_paragraphs(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  bool shown_as_is = false;
  for (std::string line; std::getline(lines, line);) {
    const bool as_is = line.starts_with("  ");
    if (as_is != shown_as_is) out += as_is ? ".PP\n.EX\n" : ".EE\n.PP\n";
    shown_as_is = as_is;
    if (!line.empty()) out += roff(line) + "\n";
  }
  return out + (shown_as_is ? ".EE\n" : "");
}

std::string roff_option(const OptionText& option) {
  const std::string value =
      option.value.empty() ? "" : " \\fI" + replaced(roff(option.value), "|", "|\\:") + "\\fR";
  const std::string names =
      option.names.empty() ? "" : "\\fB" + roff(fmt::format("{}", fmt::join(option.names, ", "))) + "\\fR";
  return ".TP\n" + (names.empty() ? value.substr(value.empty() ? 0 : 1) : names + value) + "\n" +
         roff(option.description) + (option.required ? " (required)" : "") + "\n";
}

std::string man_page(const CommandText& program) {
  const Version& of = version();
  std::string page = fmt::format(".TH WARPLENS 1 \"{}\" \"Warplens {}\"\n.SH NAME\n{} \\- {}\n",
                                 of.date.empty() ? "undated" : of.date, of.number, program.name,
                                 "show what CUDA kernels do to a GPU's memory");
  page +=
      ".SH SYNOPSIS\n.B warplens\n.RI [ options ]\n.RI [ file ]\n.br\n.B warplens\n.I command\n.RI [ options "
      "]\n";
  page += ".SH DESCRIPTION\n" + roff(program.description) + "\n.SH OPTIONS\n";
  for (const OptionText& option : program.options) page += roff_option(option);
  page += ".SH COMMANDS\n";
  for (const CommandText& command : program.commands) {
    page += ".SS " + command.name + "\n" + roff(command.description) + ".\n";
    for (const OptionText& option : command.options) page += roff_option(option);
    page += ".PP\n" + roff_paragraphs(command.footer);
  }
  return page + ".SH NOTES\n" + roff_paragraphs(program.footer);
}

// Completions.

enum class Completed { nothing, choices, files, folders };

/// By what stands for the value in the help: "cpu|gpu", "FILE.wlr|.svg", "FOLDER".
Completed completed(const std::string& value) {
  if (value.find("FILE") != std::string::npos) return Completed::files;
  if (value == "FOLDER") return Completed::folders;
  const bool plain = std::ranges::all_of(value, [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 ||
           std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '|' || c == '_' || c == '+';
  });
  return plain && value.find('|') != std::string::npos ? Completed::choices : Completed::nothing;
}

std::string words_of(const std::string& choices) {
  return replaced(choices, "|", " ");
}

/// The options, and the choices of an argument that is told by its place.
std::string all_words(const CommandText& command) {
  std::vector<std::string> words;
  for (const OptionText& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
    if (option.names.empty() && completed(option.value) == Completed::choices)
      words.push_back(words_of(option.value));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string bash_values(const CommandText& command) {
  std::string cases;
  for (const OptionText& option : command.options) {
    if (option.names.empty() || option.value.empty()) continue;
    const std::string pattern = fmt::format("    {}) ", fmt::join(option.names, "|"));
    switch (completed(option.value)) {
      case Completed::choices: cases += pattern + "choices='" + words_of(option.value) + "' ;;\n"; break;
      case Completed::folders: cases += pattern + "compopt -o dirnames; return ;;\n"; break;
      case Completed::files: cases += pattern + "compopt -o default; return ;;\n"; break;
      case Completed::nothing: cases += pattern + "return ;;\n"; break;
    }
  }
  return cases.empty() ? "" : "    case $previous in\n" + cases + "    esac\n";
}

std::string bash_completions(const CommandText& program) {
  std::string commands;
  for (const CommandText& command : program.commands) commands += " " + command.name;
  std::string text =
      "# Completions of warplens for bash, as `warplens describe bash` prints them.\n"
      "_warplens() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= choices=\n"
      "  COMPREPLY=()\n"
      "  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
      "  case $command in\n";
  for (const CommandText& command : program.commands) {
    text += "  " + command.name + ")\n" + bash_values(command) + "    : \"${choices:=" + all_words(command) +
            "}\" ;;\n";
  }
  text +=
      "  *)\n" + bash_values(program) + "    : \"${choices:=" + all_words(program) + commands + "}\" ;;\n";
  return text +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$word\")\n"
         "  [[ ${#COMPREPLY[@]} -gt 0 || $word == -* ]] || compopt -o default\n"
         "}\n"
         "complete -F _warplens warplens\n";
}

/// In a specification of _arguments, within single quotes.
std::string zsh_text(const std::string& text) {
  std::string escaped_text = replaced(text, "'", "'\\''");
  for (const char* special : {"[", "]", ":"})
    escaped_text = replaced(escaped_text, special, std::string("\\") + special);
  return escaped_text;
}

std::string zsh_action(const std::string& value) {
  switch (completed(value)) {
    case Completed::choices: return "(" + words_of(value) + ")";
    case Completed::folders: return "_directories";
    case Completed::files: return "_files";
    case Completed::nothing: return " ";
  }
  return " ";
}

std::string zsh_options(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.names.empty())
      text += fmt::format(" \\\n      ':{}:{}'", zsh_text(option.value), zsh_action(option.value));
    for (const std::string& name : option.names) {
      text += fmt::format(" \\\n      '*{}[{}]", name, zsh_text(option.description));
      if (!option.value.empty()) text += ":" + zsh_text(option.value) + ":" + zsh_action(option.value);
      text += "'";
    }
  }
  return text + "\n";
}

std::string zsh_completions(const CommandText& program) {
  std::string text =
      "#compdef warplens\n"
      "# Completions of warplens for zsh, as `warplens describe zsh` prints them.\n"
      "_warplens() {\n"
      "  if ((CURRENT > 2)); then\n"
      "    case $words[2] in\n";
  for (const CommandText& command : program.commands) {
    text += "    " + command.name + ")\n      shift words; ((CURRENT--))\n      _arguments" +
            zsh_options(command) + "      return ;;\n";
  }
  text += "    esac\n  fi\n  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n    local -a commands=(\n";
  for (const CommandText& command : program.commands)
    text += "      '" + command.name + ":" + replaced(command.description, "'", "'\\''") + "'\n";
  return text + "    )\n    _describe command commands\n  fi\n  _arguments" + zsh_options(program) +
         "}\n_warplens \"$@\"\n";
}

std::string fish_options(const CommandText& command, const std::string& condition) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.names.empty() && completed(option.value) != Completed::choices) continue;
    text += "complete -c warplens -n '" + condition + "'";
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += " -d '" + replaced(replaced(option.description, "\\", "\\\\"), "'", "\\'") + "'";
    if (!option.value.empty()) {
      const Completed by = completed(option.value);
      text += by == Completed::choices   ? " -x -a '" + words_of(option.value) + "'"
              : by == Completed::folders ? " -x -a '(__fish_complete_directories)'"
                                         : " -r";
    }
    text += "\n";
  }
  return text;
}

std::string fish_completions(const CommandText& program) {
  std::string text = "# Completions of warplens for fish, as `warplens describe fish` prints them.\n";
  for (const CommandText& command : program.commands) {
    text += fmt::format("complete -c warplens -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        replaced(command.description, "'", "\\'"));
    text += fish_options(command, "__fish_seen_subcommand_from " + command.name);
  }
  return text + fish_options(program, "__fish_use_subcommand");
}

std::string described(const CommandText& program, const std::string& form) {
  if (form == "man") return man_page(program);
  if (form == "bash") return bash_completions(program);
  if (form == "zsh") return zsh_completions(program);
  return fish_completions(program);
}

}  // namespace

void add_describe(Program& program, Context& context) {
  auto form = std::make_shared<std::string>();
  const CliCommand command =
      program.add_command("describe", "This command line as a man page, or as the completions of a shell");
  command.add_option("form", *form, "What is printed")
      .required()
      .one_of({"man", "bash", "zsh", "fish"})
      .value_name("man|bash|zsh|fish");
  command.footer(
      "Examples:\n"
      "  warplens describe man > warplens.1\n"
      "  source <(warplens describe bash)");
  command.action([&program, &context, form] { context.out << described(program.texts(), *form); });
}

}  // namespace warplens::app
