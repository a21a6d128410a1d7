// The syntax tree of host code. Private to kernels/host.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/host/tokens.h"

namespace warplens::host {

struct Expression;
struct Function;
struct Statement;
struct Type;
using ExpressionPtr = std::shared_ptr<const Expression>;
using StatementPtr = std::shared_ptr<const Statement>;

/// A type or a value.
struct TemplateArgument {
  std::shared_ptr<const Type> type;
  ExpressionPtr value;
};

struct Type {
  std::string name;  ///< "unsigned int", "std::vector", "Matrix"
  std::vector<TemplateArgument> arguments;
  int pointers = 0;
  bool is_const = false, is_reference = false;
  std::vector<ExpressionPtr> extents;  ///< Of an array; a null one: `[]`
  ExpressionPtr alignment;             ///< `alignas(16)`; null: the type's own
};

struct Expression {
  enum class Kind : std::uint8_t {
    number,
    text,
    name,         ///< `text`, with template arguments
    unary,        ///< `text` before its operand
    postfix,      ///< `text` behind its operand
    binary,       ///< `text` between two operands; `,` among them
    assign,       ///< "=", "+=", ..
    conditional,  ///< Three operands
    call,         ///< The function and its arguments
    launch,       ///< The kernel; a list of the configuration; a list of the arguments
    member,       ///< `text` of its operand, by `.` or `->`
    index,
    cast,  ///< To `type`; as a construction `float4(1, 2)` it has any number of operands
    size_of_type,
    size_of_value,
    list,  ///< `{1, 2}`
    lambda,
    allocate,  ///< `new type[operand]`, `new type(..)`
    expand,    ///< `operand...`: once for each argument of a pack
  };
  Kind kind = Kind::number;
  std::string text;
  std::vector<ExpressionPtr> operands;
  std::vector<TemplateArgument> template_arguments;
  std::shared_ptr<const Type> type;
  std::shared_ptr<const Function> lambda;
  std::uint32_t line = 0;
};

/// `int n = 5`, `dim3 block(16, 16)`, `float* p{nullptr}`.
struct Declarator {
  Type type;
  std::string name;
  ExpressionPtr initial;                 ///< Behind `=`
  std::vector<ExpressionPtr> arguments;  ///< In parentheses or braces
  bool has_arguments = false;
  bool is_braced = false;         ///< In braces
  bool is_device_symbol = false;  ///< __device__ or __constant__
  bool is_pack = false;           ///< `Arguments... arguments`
  bool is_bit_field = false;
};

struct Statement {
  enum class Kind : std::uint8_t {
    empty,
    block,
    declaration,
    expression,  ///< `value`
    branch,      ///< if: `value`, then body[0], else body[1], which may be null
    loop,        ///< for, while: body[0] is the initialization, which may be null, body[1] what is repeated
    loop_after,  ///< do .. while
    range_loop,  ///< declarators[0] over `value`; body[1]
    selection,   ///< switch: `value`, body[0]
    label,       ///< case: `value`, null for default
    target,      ///< Of a goto: `value` is its name
    goto_,       ///< To the target `value`
    return_,     ///< `value`, which may be null
    break_,
    continue_,
  };
  Kind kind = Kind::empty;
  ExpressionPtr value, step;
  std::vector<Declarator> declarators;
  std::vector<StatementPtr> body;
};

struct TemplateParameter {
  std::string name;
  bool is_type = false;
  std::shared_ptr<const Type> default_type;
  ExpressionPtr default_value;
};

struct Function {
  std::string name;
  std::vector<TemplateParameter> template_parameters;
  std::vector<Declarator> parameters;
  std::vector<Declarator> member_initializers;  ///< Of a constructor: `: n_(n)`
  StatementPtr body;
  bool is_kernel = false;
};

struct Struct {
  std::string name;
  std::vector<TemplateParameter> template_parameters;
  std::vector<Declarator> fields;
  bool is_union = false;
  bool has_other_members = false;  ///< Bases, virtual functions, unnamed structures: its size is not known
  ExpressionPtr alignment;         ///< `alignas(..)`, `__align__(..)`; null: that of its fields
  std::multimap<std::string, std::shared_ptr<const Function>>
      methods;  ///< Constructors by the structure's name, `operator T*` by "operator*"
};

/// What a source declares, by names without namespaces.
struct Program {
  std::multimap<std::string, std::shared_ptr<const Function>> functions;  ///< That have a body
  std::multimap<std::string, std::shared_ptr<const Function>> declared;   ///< That have none
  std::map<std::string, Struct> structs;
  std::map<std::string, Type> aliases;
  std::vector<Declarator> globals;
  std::map<std::string, ExpressionPtr> constants;        ///< Macros and enumerators
  std::vector<std::shared_ptr<const Function>> kernels;  ///< Without bodies
};

/// What cannot be read is left out: the program is meant for a C++ compiler, not for a check here.
[[nodiscard]] Program parse(const PreprocessedSource& source);

}  // namespace warplens::host
