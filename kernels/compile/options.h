// The options of a compiler that a source may be compiled with: those alone that say how code is read and
// made. None names a program, a plugin or a file of more options.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::compile {

struct Options {
  /// `-D` and `-U`, in their order: "TILE=32", "SQUARE(x)=((x)*(x))"; to undefine: "!TILE".
  std::vector<std::string> macros;
  std::vector<std::filesystem::path> folders;  ///< `-I`
  std::vector<std::string> includes;           ///< `-include`: headers that are read before the source
  std::string standard;                        ///< "c++20"; empty: c++17
  std::uint32_t most_registers = 0;            ///< `-maxrregcount`; 0: any
  bool fast_math = false;                      ///< `-use_fast_math`
  bool extended_lambda = false;                ///< `--extended-lambda`
  bool relaxed_constexpr = false;              ///< `--expt-relaxed-constexpr`
  friend bool operator==(const Options&, const Options&) = default;
};

/// The words of a line as a shell has them: quotes and backslashes protect.
[[nodiscard]] std::vector<std::string> words_of_options(std::string_view line);

/// Reads options as one writes them: "-DTILE=32 -I include -std=c++20". Relative folders are taken from
/// `base`. The error names the first word that is none of them.
[[nodiscard]] Result<Options> parse_options(const std::vector<std::string>& words,
                                            const std::filesystem::path& base);

/// Returns the known options among the arguments of a build's compiler; all others are passed over.
[[nodiscard]] Options known_options(const std::vector<std::string>& words, const std::filesystem::path& base);

/// Returns the options as parse_options reads them.
[[nodiscard]] std::string text_of(const Options& options);

/// Returns the options of `over` behind those of `under`.
[[nodiscard]] Options combined(Options under, const Options& over);

/// Lines of the preprocessor for `-D`, `-U` and `-include`: no compiler is handed what they say.
[[nodiscard]] std::string prelude_of(const Options& options);

/// The options by which the database of a build in the project, `compile_commands.json`, compiles a file.
/// `project`: the folder that all of it lies in. Without one that names the file: no options.
[[nodiscard]] Options options_of_build(const std::filesystem::path& file,
                                       const std::filesystem::path& project);

}  // namespace warplens::compile
