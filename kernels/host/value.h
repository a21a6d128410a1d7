// Values of host code, and the memory that they lie in. Private to kernels/host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/host/formula.h"
#include "kernels/host/syntax.h"

namespace warplens::host {

/// "vector" of "std::vector": names are looked up without their namespaces.
[[nodiscard]] std::string without_namespaces(const std::string& name);

struct Scope;
struct Field;

struct Value {
  enum class Kind : std::uint8_t {
    unknown,
    number,     ///< `number`
    pointer,    ///< To element `number` of `object`, or to the variable that it is; to a field by `path`
    null,       ///< A pointer to nothing
    container,  ///< A std::vector or thrust::device_vector whose elements are `object`
    structure,  ///< `fields`; of type `text`
    text,       ///< `text`
    function,   ///< `text`, with template arguments; or a lambda
  };
  Kind kind = Kind::unknown;
  FormulaPtr number;
  std::size_t object = 0;
  std::vector<std::string> path;
  std::vector<FormulaPtr> extents;  ///< Of an array of arrays: of the arrays that it points to
  std::vector<Field> fields;
  std::string text;
  std::vector<std::string> template_arguments;
  std::shared_ptr<const Function> lambda;
  std::shared_ptr<Scope> scope;  ///< That the lambda was made in

  [[nodiscard]] bool is_number() const { return kind == Kind::number; }
  [[nodiscard]] Value* field(const std::string& name);
};
struct Field {
  std::string name;
  Value value;
};

[[nodiscard]] Value number_value(FormulaPtr number);
[[nodiscard]] Value integer_value(std::int64_t number);
[[nodiscard]] Value unknown_value(std::string text);

/// A variable, an array, or memory that was allocated.
struct Object {
  Value value;             ///< Of a variable
  bool is_memory = false;  ///< It has elements
  bool is_device = false;  ///< A kernel can reach it
  std::string name, symbol;
  std::string type;                ///< Of an element
  std::int64_t element_bytes = 0;  ///< 0: not known
  FormulaPtr bytes, pitch;
  std::map<std::int64_t, Value> elements;  ///< That were stored at known indices
  std::optional<Value> other_elements;     ///< What was stored at indices that are not known
  bool is_zeroed = false;                  ///< cudaMemset to zero, calloc
};

/// The place of a value: a variable, or an element of memory, or a field of either.
struct Lvalue {
  std::size_t object = 0;
  FormulaPtr index;  ///< Null: the variable itself
  std::vector<std::string> fields;
};

/// What a name means.
struct Binding {
  Lvalue place;
  std::shared_ptr<const Type> type;  ///< Of a variable; or what a type's name stands for
  bool is_type = false;
};
struct Scope {
  std::map<std::string, Binding> names;
  std::shared_ptr<Scope> parent;
};

}  // namespace warplens::host
