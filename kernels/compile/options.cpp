#include "kernels/compile/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostDatabaseBytes = 64u << 20;
constexpr std::size_t kMostWords = 4096;

/// An option, its value and what is wrong with that.
enum class Taken : std::uint8_t { yes, unknown, bad_value };

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7F; });
}

/// "TILE" and "SQUARE(x)"
bool is_name_of_define(std::string_view text) {
  const std::size_t open = std::min(text.find('('), text.size());
  const std::string_view name = text.substr(0, open), list = text.substr(open);
  const bool named = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                     std::ranges::all_of(name, is_word);
  return named && (list.empty() || list.ends_with(')'));
}

/// A macro is written on a line of a header: what is on the line stays on it.
bool is_macro(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  return is_name_of_define(name) && is_one_line(text) && !text.ends_with('\\');
}

bool is_standard(std::string_view text) {
  constexpr std::array<std::string_view, 8> kKnown{"c++03", "c++11",   "c++14",   "c++17",
                                                   "c++20", "gnu++14", "gnu++17", "gnu++20"};
  return std::ranges::find(kKnown, text) != kKnown.end();
}

/// NVRTC and nvcc 13 know 17 and 20 well; older ones are subsets but for little, and CUDA's headers want 17.
std::string standard_for_compiler(std::string_view text) {
  return text.ends_with("20") ? "c++20" : text.ends_with("17") ? "c++17" : std::string();
}

bool take_number(std::string_view text, std::uint32_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end && number <= 255;
}

/// Options with a value: as the rest of the word, behind `=`, or as the next word.
struct ValueOption {
  std::string_view name;
  bool is_joined;  ///< "-DTILE"
  std::function<bool(Options&, const std::string&, const fs::path&)> take;
};

bool take_folder(Options& options, const std::string& value, const fs::path& base) {
  if (value.empty() || !is_one_line(value)) return false;
  options.folders.push_back((base / value).lexically_normal());
  return true;
}
bool take_define(Options& options, const std::string& value, const fs::path& /*base*/) {
  if (!is_macro(value)) return false;
  options.macros.push_back(value);
  return true;
}
bool take_undefine(Options& options, const std::string& value, const fs::path& /*base*/) {
  if (!is_macro(value) || value.find_first_of("=(") != std::string::npos) return false;
  options.macros.push_back("!" + value);
  return true;
}
bool take_include(Options& options, const std::string& value, const fs::path& /*base*/) {
  if (value.empty() || !is_one_line(value) || value.find_first_of("\"<>\\") != std::string::npos)
    return false;
  options.includes.push_back(value);
  return true;
}
bool take_standard(Options& options, const std::string& value, const fs::path& /*base*/) {
  if (!is_standard(value)) return false;
  options.standard = standard_for_compiler(value);
  return true;
}
bool take_registers(Options& options, const std::string& value, const fs::path& /*base*/) {
  return take_number(value, options.most_registers);
}

const std::vector<ValueOption>& value_options() {
  static const std::vector<ValueOption> kOptions{{"--include-path", false, take_folder},
                                                 {"--define-macro", false, take_define},
                                                 {"--undefine-macro", false, take_undefine},
                                                 {"--pre-include", false, take_include},
                                                 {"--maxrregcount", false, take_registers},
                                                 {"-maxrregcount", false, take_registers},
                                                 {"-isystem", false, take_folder},
                                                 {"-iquote", false, take_folder},
                                                 {"-include", false, take_include},
                                                 {"--std", false, take_standard},
                                                 {"-std", false, take_standard},
                                                 {"-I", true, take_folder},
                                                 {"-D", true, take_define},
                                                 {"-U", true, take_undefine}};
  return kOptions;
}

bool take_flag(Options& options, std::string_view word) {
  const std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  if (!word.starts_with('-')) return false;
  if (name == "use_fast_math") return options.fast_math = true;
  if (name == "extended-lambda" || name == "expt-extended-lambda") return options.extended_lambda = true;
  if (name == "expt-relaxed-constexpr") return options.relaxed_constexpr = true;
  return false;
}

/// Takes the option at `i`, and its value.
Taken take_option(Options& options, const std::vector<std::string>& words, std::size_t& i,
                  const fs::path& base) {
  const std::string& word = words[i];
  if (take_flag(options, word)) return Taken::yes;
  for (const ValueOption& one : value_options()) {
    if (!word.starts_with(one.name)) continue;
    std::string value = word.substr(one.name.size());
    if (value.empty()) {
      if (i + 1 == words.size()) return Taken::bad_value;
      value = words[++i];
    } else if (!one.is_joined) {
      if (!value.starts_with('=')) continue;
      value.erase(0, 1);
    }
    return one.take(options, value, base) ? Taken::yes : Taken::bad_value;
  }
  return Taken::unknown;
}

std::string quoted(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return is_word(c) || std::string_view("/._-+=,:@%!").find(c) != std::string_view::npos;
  });
  if (is_plain && !text.empty()) return text;
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
  return result + "\"";
}

/// The database of a build that lies nearest to the file: in a folder above it, or in one of their folders.
std::vector<fs::path> databases_for(const fs::path& file, const fs::path& project) {
  constexpr const char* kName = "compile_commands.json";
  constexpr std::size_t kMostFolders = 2000;
  std::vector<fs::path> found;
  std::size_t seen = 0;
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    std::error_code error;
    if (fs::is_regular_file(folder / kName, error)) found.push_back(folder / kName);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (++seen > kMostFolders) return found;
      if (entry.is_directory(error) && !entry.is_symlink(error) &&
          fs::is_regular_file(entry.path() / kName, error))
        found.push_back(entry.path() / kName);
    }
    if (folder == project || !folder.has_relative_path()) return found;
  }
}

std::optional<Options> options_in(const fs::path& database, const fs::path& file) {
  const Result<std::vector<std::byte>> bytes = read_file(database, kMostDatabaseBytes);
  if (!bytes.ok()) return std::nullopt;
  const auto* const text = reinterpret_cast<const char*>(bytes->data());
  const auto document = nlohmann::json::parse(text, text + bytes->size(), nullptr, false);
  if (!document.is_array()) return std::nullopt;
  for (const nlohmann::json& entry : document) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string()) continue;
    const fs::path directory = database.parent_path() / entry.value("directory", std::string());
    const fs::path named = (directory / entry["file"].get<std::string>()).lexically_normal();
    std::error_code error;
    if (named.filename() != file.filename() ||
        fs::weakly_canonical(named, error) != fs::weakly_canonical(file, error))
      continue;
    std::vector<std::string> words;
    if (entry.contains("arguments") && entry["arguments"].is_array()) {
      for (const nlohmann::json& word : entry["arguments"]) {
        if (word.is_string()) words.push_back(word.get<std::string>());
      }
    } else if (entry.contains("command") && entry["command"].is_string()) {
      words = words_of_options(entry["command"].get<std::string>());
    }
    return known_options(words, directory);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> words_of_options(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size() && words.size() < kMostWords; ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      is_begun = true;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      is_begun = true;
    } else if (quote == 0 && is_space(c)) {
      if (is_begun) words.push_back(std::exchange(word, {}));
      is_begun = false;
    } else {
      word += c;
      is_begun = true;
    }
  }
  if (is_begun) words.push_back(word);
  return words;
}

Result<Options> parse_options(const std::vector<std::string>& words, const fs::path& base) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const Taken taken = take_option(options, words, i, base);
    if (taken == Taken::yes) continue;
    return Error{taken == Taken::unknown
                     ? tr("`{text}` is no option that sources are compiled with here", "text"_a = word)
                     : tr("the option `{text}` has no value that it can have", "text"_a = word),
                 "",
                 tr("There are -I FOLDER, -D NAME[=VALUE], -U NAME, -include HEADER, -std=c++17 or c++20, "
                    "-maxrregcount=N, -use_fast_math, --extended-lambda and --expt-relaxed-constexpr.")};
  }
  return options;
}

Options known_options(const std::vector<std::string>& words, const fs::path& base) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) static_cast<void>(take_option(options, words, i, base));
  return options;
}

std::string text_of(const Options& options) {
  std::vector<std::string> words;
  for (const fs::path& folder : options.folders) words.push_back("-I" + folder.string());
  for (const std::string& macro : options.macros)
    words.push_back(macro.starts_with('!') ? "-U" + macro.substr(1) : "-D" + macro);
  for (const std::string& header : options.includes) words.insert(words.end(), {"-include", header});
  if (!options.standard.empty()) words.push_back("-std=" + options.standard);
  if (options.most_registers != 0) words.push_back(fmt::format("-maxrregcount={}", options.most_registers));
  if (options.fast_math) words.emplace_back("-use_fast_math");
  if (options.extended_lambda) words.emplace_back("--extended-lambda");
  if (options.relaxed_constexpr) words.emplace_back("--expt-relaxed-constexpr");
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

Options combined(Options under, const Options& over) {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(under.macros, over.macros);
  under.folders.insert(under.folders.begin(), over.folders.begin(), over.folders.end());
  append(under.includes, over.includes);
  if (!over.standard.empty()) under.standard = over.standard;
  if (over.most_registers != 0) under.most_registers = over.most_registers;
  under.fast_math |= over.fast_math;
  under.extended_lambda |= over.extended_lambda;
  under.relaxed_constexpr |= over.relaxed_constexpr;
  return under;
}

std::string prelude_of(const Options& options) {
  std::string text;
  for (const std::string& macro : options.macros) {
    if (macro.starts_with('!')) {
      text += fmt::format("#undef {}\n", macro.substr(1));
      continue;
    }
    const std::size_t equals = macro.find('=');
    const std::string name = macro.substr(0, equals);
    text += fmt::format("#undef {}\n#define {} {}\n", name.substr(0, name.find('(')), name,
                        equals == std::string::npos ? "1" : macro.substr(equals + 1));
  }
  for (const std::string& header : options.includes) text += fmt::format("#include \"{}\"\n", header);
  return text;
}

Options options_of_build(const fs::path& file, const fs::path& project) {
  std::error_code error;
  const fs::path own = fs::weakly_canonical(file, error), root = fs::weakly_canonical(project, error);
  for (const fs::path& database : databases_for(own, root)) {
    if (std::optional<Options> options = options_in(database, own)) return *std::move(options);
  }
  return {};
}

}  // namespace warplens::compile
