// How a file's kernel is launched, as one writes it: in the window's row, on the command line, or in a
// comment of the source, so that the launch travels with it:
//   // warplens: grid=(n+15)/16,(m+15)/16 block=16,16 m=256 n=256 p=256 A=f32[m][p]:ints B=f32[p][n]:ints
//   C=f32[m][n] product=A*B->C
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/launch_form/arguments.h"
#include "kernels/base/dim3.h"
#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// A size, or an argument: "n", "256"; "A", "f32[m][p]:ints". Without a name: the argument of the next
/// parameter that no field names.
struct FormField {
  std::string name, text;
  bool guessed = false;  ///< Nobody wrote it
  bool has_guessed_contents =
      false;  ///< Of a buffer that was written: nobody knows its integers, which may be indices
  bool of_comment =
      false;  ///< The source's comment says so, not the user: files that it names are confined (may_read)
  friend bool operator==(const FormField&, const FormField&) = default;
};

/// What stands before the name of a variable, in a launch's comment and in what a recording keeps of its
/// arguments: "var:scale=1.5".
inline constexpr std::string_view kVariablePrefix = "var:";
/// "scale" of "var:scale"; nullopt: it is no variable's.
[[nodiscard]] std::optional<std::string> variable_named(std::string_view field);

struct LaunchForm {
  std::string kernel;  ///< "tiled<16>": the only instance of a template that it is for; empty: for any
  FormField grid{"grid", ""}, block{"block", ""},
      shared{"shared", ""};          ///< "X[,Y[,Z]]" and bytes, as expressions of the sizes
  FormField cluster{"cluster", ""};  ///< Blocks, "X[,Y[,Z]]"; empty: none, or those that the kernel requires
  std::vector<FormField> fields;  ///< Sizes and arguments. A whole number, or an expression of those before
                                  ///< it, can be used by all behind it
  std::optional<std::int64_t> size;  ///< Takes the place of m, p and n, as far as there are such fields
  std::string product;  ///< "A*B->C": the arguments that are the matrices of a product, which is verified
  std::vector<std::string>
      expect;  ///< What is left in buffers (expectation.h): "C:wanted.npy", "cpu:reference"
  std::string
      architecture;  ///< "compute_90": what CUDA C++ is compiled for; empty: that of the compute capability
  std::string options;  ///< "-DTILE=32 -Iinclude": of the compiler of CUDA C++ (kernels/compile/options.h)

  [[nodiscard]] const FormField* find(std::string_view name) const;
  /// Changes it, or adds it.
  FormField& set(std::string_view name, std::string text, bool guessed = false);
  friend bool operator==(const LaunchForm&, const LaunchForm&) = default;
};

/// What stands behind "// warplens:" in a source.
[[nodiscard]] Result<LaunchForm> parse_form(std::string_view text);
/// What parse_form makes the same of; guesses are written like the rest.
[[nodiscard]] std::string text_of(const LaunchForm& form);

/// A scalar or a pointer within a structure.
struct ParameterField {
  std::string name;  ///< "dt", "position.x"
  std::string
      type;  ///< As arguments name it: "f32"; of a pointer, what it points at, empty where that has no name
  std::uint64_t offset = 0, bytes = 0;
  int pointer_depth = 0;  ///< 1 for a `float*`, 2 for a `float**`
  friend bool operator==(const ParameterField&, const ParameterField&) = default;
};

/// A kernel's parameter, as far as its source or its PTX tells.
struct KernelParameter {
  std::string name;
  std::string written;  ///< Its type in the source, "const float*"; empty where only PTX is at hand
  std::string type;     ///< Of a scalar, as arguments name it: "i32"; of a pointer, what it points at; empty:
                        ///< neither names one
  bool is_pointer = false;  ///< Or may be one: PTX does not tell a pointer from a 64-bit number
  int pointer_depth = 0;  ///< As the source has it: 2 for a `float**`, whose type is "f32"; 0 also where the
                          ///< source does not tell
  std::uint64_t bytes = 0;  ///< As wide as it is
  std::vector<ParameterField>
      fields;  ///< Of a structure whose source tells them: each may be given on its own, `step.dt=0.5`
  friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

/// The whole numbers among the fields.
[[nodiscard]] std::vector<NamedValue> values_of(const LaunchForm& form);
/// "(n+31)/32,8": the error names the field. Empty text: there is no extent.
[[nodiscard]] Result<Dim3> extent_of(const FormField& field, std::span<const NamedValue> values);
/// The dynamic shared memory in bytes; 0 where nothing is written.
[[nodiscard]] Result<std::uint32_t> shared_bytes_of(const LaunchForm& form,
                                                    std::span<const NamedValue> values);
/// The arguments in the order of the parameters. A scalar that has no field of its name is an error, as is a
/// pointer without one; the error names it. A structure is given by its fields, `step.dt=0.5`; a buffer among
/// them, `view.data=f32[n]`, is one besides the parameters', of that name, whose address lies in the
/// structure. Those come behind the parameters.
[[nodiscard]] Result<std::vector<NamedArgument>> arguments_of(const LaunchForm& form,
                                                              std::span<const KernelParameter> parameters);
/// Adds what is still named by addresses, of arguments and variables, and is a buffer of the form's. What is
/// none is the launch's own error.
[[nodiscard]] Result<Done> add_buffers_besides(std::vector<NamedArgument>& arguments,
                                               std::span<const NamedArgument> variables,
                                               const LaunchForm& form);

/// "A*B->C"
struct ProductNames {
  std::string a, b, c;
  friend bool operator==(const ProductNames&, const ProductNames&) = default;
};
[[nodiscard]] Result<ProductNames> parse_product(std::string_view text);

}  // namespace warplens::app
