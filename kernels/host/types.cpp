#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <utility>

#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

constexpr int kMaxStructDepth = 8;

struct TypeSize {
  std::string_view name;
  std::int64_t bytes;
};
constexpr TypeSize kSizes[] = {{"CUtensorMap", 128},
                               {"char", 1},
                               {"signed char", 1},
                               {"unsigned char", 1},
                               {"uchar", 1},
                               {"bool", 1},
                               {"int8_t", 1},
                               {"uint8_t", 1},
                               {"short", 2},
                               {"unsigned short", 2},
                               {"short int", 2},
                               {"ushort", 2},
                               {"int16_t", 2},
                               {"uint16_t", 2},
                               {"half", 2},
                               {"__half", 2},
                               {"__nv_bfloat16", 2},
                               {"int", 4},
                               {"unsigned", 4},
                               {"unsigned int", 4},
                               {"uint", 4},
                               {"int32_t", 4},
                               {"uint32_t", 4},
                               {"float", 4},
                               {"half2", 4},
                               {"__half2", 4},
                               {"long", 8},
                               {"unsigned long", 8},
                               {"long int", 8},
                               {"ulong", 8},
                               {"long long", 8},
                               {"long long int", 8},
                               {"unsigned long long", 8},
                               {"unsigned long long int", 8},
                               {"int64_t", 8},
                               {"uint64_t", 8},
                               {"size_t", 8},
                               {"ssize_t", 8},
                               {"ptrdiff_t", 8},
                               {"double", 8},
                               {"signed", 4},
                               {"signed int", 4},
                               {"long unsigned int", 8},
                               {"cudaStream_t", 8},
                               {"cudaEvent_t", 8},
                               {"dim3", 12},
                               {"cudaError_t", 4},
                               {"cudaTextureObject_t", 8},
                               {"cudaSurfaceObject_t", 8}};

bool is_real_type(const std::string& name) {
  return name == "float" || name == "double" || name == "half" || name == "__half" || name == "__nv_bfloat16";
}

bool is_integer_type(const std::string& name) {
  const auto* const found = std::ranges::find(kSizes, std::string_view(name), &TypeSize::name);
  return found != std::end(kSizes) && !is_real_type(name) && name != "dim3" && !name.starts_with("cuda") &&
         !name.starts_with("half") && !name.starts_with("__half");
}

/// "float" and 4 of "float4".
std::pair<std::string, int> vector_type(const std::string& name) {
  constexpr std::array kBases{"char", "uchar", "short",    "ushort",    "int",   "uint",
                              "long", "ulong", "longlong", "ulonglong", "float", "double"};
  const int lanes = name.empty() ? 0 : name.back() - '0';
  const std::string base = name.substr(0, name.empty() ? 0 : name.size() - 1);
  const bool is_vector =
      lanes >= 1 && lanes <= 4 && std::ranges::find(kBases, std::string_view(base)) != kBases.end();
  if (!is_vector) return {"", 0};
  return {base == "longlong" || base == "ulonglong" ? "long long" : base, lanes};
}

bool is_container(const std::string& name) {
  const std::string last = without_namespaces(name);
  return last == "array" || last == "vector" || last == "device_vector" || last == "host_vector" ||
         last == "universal_vector";
}

}  // namespace

Type Interpreter::resolved(const Type& type) {
  Type result = type;
  result.name = without_namespaces(result.name);
  for (int depth = 0; depth < kMaxStructDepth; ++depth) {
    const Binding* const binding = find(result.name);
    const auto alias = program_.aliases.find(result.name);
    const Type* const stands_for = binding != nullptr && binding->is_type && binding->type != nullptr
                                       ? binding->type.get()
                                   : alias != program_.aliases.end() ? &alias->second
                                                                     : nullptr;
    if (stands_for == nullptr || stands_for->name == result.name) break;
    result.name = without_namespaces(stands_for->name);
    result.arguments = stands_for->arguments;
    result.pointers += stands_for->pointers;
    result.extents.insert(result.extents.end(), stands_for->extents.begin(), stands_for->extents.end());
  }
  return result;
}

std::string Interpreter::name_of(const Type& type) {
  const Type real = resolved(type);
  return real.name + std::string(static_cast<std::size_t>(real.pointers), '*');
}

const Struct* Interpreter::struct_of(const Type& type) {
  const Type real = resolved(type);
  const auto found = program_.structs.find(real.name);
  return found == program_.structs.end() || real.pointers > 0 ? nullptr : &found->second;
}

std::int64_t Interpreter::size_of(const Type& type) {
  const Type real = resolved(type);
  std::int64_t count = 1;
  for (const ExpressionPtr& extent : real.extents) {
    const FormulaPtr value = extent == nullptr ? nullptr : number(extent);
    if (value == nullptr || !value->integer) return 0;
    count *= *value->integer;
  }
  if (real.pointers > 0) return 8 * count;
  const auto* const found = std::ranges::find(kSizes, std::string_view(real.name), &TypeSize::name);
  if (found != std::end(kSizes)) return found->bytes * count;
  if (const auto [base, lanes] = vector_type(real.name); lanes > 0)
    return size_of(Type{.name = base}) * lanes * count;
  const Struct* const structure = struct_of(real);
  if (structure == nullptr) return 0;
  if (structure->has_other_members) return 0;
  const std::int64_t alignment = alignment_of(real);
  std::int64_t bytes = 0;
  for (const Declarator& field : structure->fields) {
    const std::int64_t size = size_of(field.type), aligned = alignment_of(field.type);
    if (size == 0 || field.is_bit_field) return 0;
    bytes = structure->is_union ? std::max(bytes, size) : (bytes + aligned - 1) / aligned * aligned + size;
  }
  return std::max<std::int64_t>((bytes + alignment - 1) / alignment * alignment, 1) * count;
}

std::int64_t Interpreter::alignment_of(const Type& type) {
  if (type.alignment != nullptr) {
    Type own = type;
    own.alignment = nullptr;
    return std::clamp<std::int64_t>(number(type.alignment)->integer.value_or(1), alignment_of(own), 4096);
  }
  Type real = resolved(type);
  real.extents.clear();
  if (const auto [base, lanes] = vector_type(real.name); lanes > 0 && real.pointers == 0) {
    const std::int64_t each = size_of(Type{.name = base});
    return lanes == 3 ? each : std::min<std::int64_t>(each * lanes, 16);
  }
  const Struct* const structure = struct_of(real);
  if (structure == nullptr) {
    const std::int64_t size = real.name == "dim3" ? 4 : size_of(real);
    return std::clamp<std::int64_t>(size, 1, 8);
  }
  std::int64_t alignment = 1;
  for (const Declarator& field : structure->fields) alignment = std::max(alignment, alignment_of(field.type));
  if (structure->alignment != nullptr)
    alignment = std::max(alignment, number(structure->alignment)->integer.value_or(1));
  return std::clamp<std::int64_t>(alignment, 1, 4096);
}

std::optional<std::vector<double>> Interpreter::bytes_of(const Value& value, const Type& type) {
  const Type real = resolved(type);
  const std::int64_t size = size_of(real);
  std::vector<double> bytes(static_cast<std::size_t>(size), 0);
  const auto put = [&](std::int64_t at, std::uint64_t bits, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      bytes[static_cast<std::size_t>(at + i)] = static_cast<double>(bits >> (8 * i) & 0xff);
  };
  if (size <= 0) return std::nullopt;
  if (value.is_number() && is_integer_type(real.name) && value.number->integer) {
    put(0, static_cast<std::uint64_t>(*value.number->integer), size);
    return bytes;
  }
  if (value.is_number() && value.number->real && (real.name == "float" || real.name == "double")) {
    const double number = *value.number->real;
    put(0,
        size == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
                  : std::bit_cast<std::uint64_t>(number),
        size);
    return bytes;
  }
  const Struct* const structure = struct_of(real);
  const auto [base, lanes] = vector_type(real.name);
  if (value.kind != Value::Kind::structure || (structure == nullptr && lanes == 0) ||
      (structure != nullptr && structure->is_union))
    return std::nullopt;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < value.fields.size(); ++i) {
    if (structure != nullptr && i >= structure->fields.size()) return std::nullopt;
    Type element = structure == nullptr ? Type{.name = base} : structure->fields[i].type;
    const std::int64_t each = alignment_of(element), whole = size_of(element);
    at = (at + each - 1) / each * each;
    const bool is_array = !resolved(element).extents.empty();
    element.extents.clear();
    const std::int64_t count = is_array ? whole / std::max<std::int64_t>(size_of(element), 1) : 1;
    for (std::int64_t j = 0; j < count; ++j) {
      const Value& field = value.fields[i].value;
      const Value part = !is_array ? field
                         : field.kind == Value::Kind::pointer
                             ? load({.object = field.object, .index = formula_of(j), .fields = {}})
                             : Value{};
      const auto inner = bytes_of(part, element);
      if (!inner || at + static_cast<std::int64_t>(inner->size()) > size) return std::nullopt;
      std::ranges::copy(*inner, bytes.begin() + at);
      at += static_cast<std::int64_t>(inner->size());
    }
  }
  return bytes;
}

Value Interpreter::converted(Value value, const Type& type) {
  const Type real = resolved(type);
  if (real.pointers > 0) {
    if (value.is_number() && value.number->integer == std::optional<std::int64_t>(0))
      return {.kind = Value::Kind::null};
    if (Object* const object = object_of(value);
        object != nullptr && object->is_memory && object->element_bytes == 0) {
      Type pointee = real;
      --pointee.pointers;
      object->type = name_of(pointee);
      object->element_bytes = size_of(pointee);
    }
    return value;
  }
  if (!value.is_number()) return value;
  if (real.name == "dim3") {
    return {.kind = Value::Kind::structure,
            .fields = {{"x", value}, {"y", integer_value(1)}, {"z", integer_value(1)}},
            .text = "dim3"};
  }
  if (is_real_type(real.name)) value.number = as_real(value.number);
  if (is_integer_type(real.name)) value.number = truncated(value.number);
  return value;
}

Value Interpreter::default_value(const Type& type, int depth) {
  const Type real = resolved(type);
  if (real.pointers > 0) return {};
  if (real.name == "dim3") return converted(integer_value(1), real);
  Value structure{
      .kind = Value::Kind::structure, .text = real.name, .template_arguments = texts_of(real.arguments)};
  if (const auto [base, lanes] = vector_type(real.name); lanes > 0) {
    for (int i = 0; i < lanes; ++i)
      structure.fields.push_back({std::string(1, "xyzw"[i]), unknown_value(real.name)});
    return structure;
  }
  const Struct* const declared = struct_of(real);
  if (declared == nullptr || depth >= kMaxStructDepth) return {};
  for (const Declarator& field : declared->fields) {
    Value value = !field.type.extents.empty()               ? array_value(field)
                  : field.initial != nullptr                ? converted(evaluate(field.initial), field.type)
                  : is_container(resolved(field.type).name) ? container_value(field.type, {})
                                                            : default_value(field.type, depth + 1);
    if (value.is_number()) value.number = named_formula(value.number);
    structure.fields.push_back({field.name, std::move(value)});
  }
  return structure;
}

void Interpreter::declare(const Declarator& declarator, bool is_global) {
  Type type = resolved(declarator.type);
  if (type.is_reference && declarator.initial != nullptr) {
    if (const std::optional<Lvalue> place = lvalue_of(*declarator.initial)) {
      scope_->names[declarator.name] = {.place = *place, .type = std::make_shared<Type>(type)};
      return;
    }
  }
  Value value = declarator.type.extents.empty() && type.extents.empty() ? initial_value(declarator)
                                                                        : array_value(declarator);
  if (declarator.is_device_symbol && is_global) {
    if (value.kind != Value::Kind::pointer) {
      const std::int64_t size = size_of(type);
      value = new_memory(size == 0 ? nullptr : formula_of(size), size, name_of(type), true);
    }
    objects_[value.object].is_device = true;
    objects_[value.object].symbol = declarator.name;
    symbols_.push_back(value.object);
  }
  if (value.is_number()) value.number = named_formula(value.number);
  if (Object* const memory = object_of(value); memory != nullptr && memory->name.empty())
    memory->name = declarator.name;
  declare_variable(declarator.name, type, std::move(value));
}

Value Interpreter::initial_value(const Declarator& declarator) {
  const Type real = resolved(declarator.type);
  if (real.pointers == 0 && is_container(real.name)) {
    if (declarator.initial != nullptr && declarator.initial->kind != Expression::Kind::list)
      return container_value(real, {declarator.initial});
    if (declarator.initial != nullptr) return container_value(real, declarator.initial->operands, true);
    return container_value(real, declarator.arguments, declarator.is_braced);
  }
  if (declarator.has_arguments) {
    if (real.name == "unique_ptr" || real.name == "shared_ptr")
      return declarator.arguments.empty() ? Value{} : evaluate(declarator.arguments[0]);
    return constructed(real, declarator.arguments);
  }
  if (declarator.initial == nullptr) return default_value(real);
  if (declarator.initial->kind == Expression::Kind::list)
    return constructed(real, declarator.initial->operands);
  return converted(evaluate(declarator.initial), real);
}

Value Interpreter::constructed(const Type& type, const std::vector<ExpressionPtr>& arguments, bool is_list) {
  const Type real = resolved(type);
  if (is_container(real.name) && real.pointers == 0) return container_value(real, arguments, is_list);
  if (const Struct* const structure = struct_of(real)) {
    Value value = default_value(real);
    const Function* const constructor = fitting(structure->methods, structure->name, arguments);
    if (constructor != nullptr && constructor->body != nullptr) {
      const Lvalue place{
          .object = add_object({.value = value, .name = real.name}), .index = nullptr, .fields = {}};
      (void)call(*constructor, arguments, {}, scope_of_fields(place, *structure));
      return load(place);
    }
    const bool is_copy = arguments.size() == 1 && value.fields.size() != 1;
    if (is_copy) {
      Value copied = evaluate(arguments[0]);
      if (copied.kind == Value::Kind::structure && copied.text == value.text) return copied;
    }
    for (std::size_t i = 0; i < arguments.size() && i < value.fields.size(); ++i)
      value.fields[i].value = converted(evaluate(arguments[i]), structure->fields[i].type);
    return value;
  }
  Value value = default_value(real);
  if (value.kind == Value::Kind::structure &&
      (arguments.size() > 1 || real.name == "dim3" || vector_type(real.name).second > 0)) {
    if (arguments.size() == 1) {
      Value copied = evaluate(arguments[0]);
      if (copied.kind == Value::Kind::structure) return copied;
    }
    for (std::size_t i = 0; i < arguments.size() && i < value.fields.size(); ++i)
      value.fields[i].value = evaluate(arguments[i]);
    return value;
  }
  if (arguments.size() == 1) return converted(evaluate(arguments[0]), real);
  return value.kind == Value::Kind::unknown && arguments.empty() ? converted(integer_value(0), real) : value;
}

/// A `float a[N][M]`: memory, to which the name points.
Value Interpreter::array_value(const Declarator& declarator) {
  Type element = resolved(declarator.type);
  std::vector<FormulaPtr> extents;
  for (const ExpressionPtr& extent : element.extents) {
    if (extent != nullptr) {
      extents.push_back(number(extent));
    } else {
      const bool is_listed =
          declarator.initial != nullptr && declarator.initial->kind == Expression::Kind::list;
      extents.push_back(is_listed ? formula_of(static_cast<std::int64_t>(declarator.initial->operands.size()))
                                  : unknown_formula(declarator.name));
    }
  }
  element.extents.clear();
  const std::int64_t each = size_of(element);
  FormulaPtr count = formula_of(1);
  for (const FormulaPtr& extent : extents) count = applied("*", count, extent);
  Value array =
      new_memory(each == 0 ? nullptr : applied("*", count, formula_of(each)), each, name_of(element), false);
  array.extents.assign(extents.begin() + 1, extents.end());
  objects_[array.object].name = declarator.name;
  const ExpressionPtr list = declarator.initial;
  if (list != nullptr && list->kind == Expression::Kind::list) {
    objects_[array.object].is_zeroed = true;  // What is not listed is zero
    fill_array(array, list);
  } else if (declarator.has_arguments && declarator.arguments.empty()) {
    objects_[array.object].is_zeroed = true;
  }
  return array;
}

void Interpreter::fill_array(const Value& array, const ExpressionPtr& list) {
  std::int64_t index = 0;
  const auto fill = [&](const auto& self, const ExpressionPtr& values) -> void {
    for (const ExpressionPtr& one : values->operands) {
      if (one->kind == Expression::Kind::list && !array.extents.empty()) {
        self(self, one);
      } else {
        store({.object = array.object, .index = formula_of(index++), .fields = {}}, evaluate(one));
      }
    }
  };
  fill(fill, list);
}

/// `std::vector<float> v(n, 1.0f)`, `{1, 2}`, a copy of another.
Value Interpreter::container_value(const Type& type, const std::vector<ExpressionPtr>& arguments,
                                   bool is_list) {
  Type element{.name = "auto"};
  if (!type.arguments.empty() && type.arguments[0].type != nullptr) element = *type.arguments[0].type;
  if (!type.arguments.empty() && type.arguments[0].value != nullptr)
    element.name = type.arguments[0].value->text;
  const std::int64_t each = size_of(element);
  Value container = new_memory(
      formula_of(0), each, name_of(element),
      type.name.find("device") != std::string::npos || type.name.find("universal") != std::string::npos);
  container.kind = Value::Kind::container;
  std::vector<Value> values;
  for (const ExpressionPtr& one : arguments) values.push_back(evaluate(one));
  Object& object = objects_[container.object];
  const auto is_memory = [](const Value& value) {
    return value.kind == Value::Kind::container || value.kind == Value::Kind::pointer;
  };
  const bool copies = !values.empty() && is_memory(values[0]);
  if (copies) {  // A copy, or a range
    const Object& from = objects_[values[0].object];
    object.bytes = from.bytes;
    object.elements = from.elements;
    object.other_elements = from.other_elements;
    object.is_zeroed = from.is_zeroed;
  } else if (!is_list && (values.size() == 1 || values.size() == 2)) {
    object.bytes =
        values[0].is_number() && each > 0 ? applied("*", values[0].number, formula_of(each)) : nullptr;
    object.is_zeroed = values.size() == 1;
    const std::int64_t count = values[0].is_number() ? values[0].number->integer.value_or(-1) : -1;
    constexpr std::int64_t kMaxListed = 256;  // Elements may be added behind them
    for (std::int64_t i = 0; values.size() == 2 && count <= kMaxListed && i < count; ++i)
      object.elements[i] = values[1];
    if (values.size() == 2 && object.elements.empty()) object.other_elements = values[1];
  } else if (!values.empty()) {
    object.bytes = formula_of(static_cast<std::int64_t>(values.size()) * each);
    for (std::size_t i = 0; i < values.size(); ++i) object.elements[static_cast<std::int64_t>(i)] = values[i];
  }
  if (without_namespaces(type.name) == "array" && type.arguments.size() == 2 && !copies) {
    object.bytes = each > 0 ? applied("*", number(type.arguments[1].value), formula_of(each)) : nullptr;
    object.is_zeroed = is_list;
  }
  return container;
}

std::shared_ptr<Scope> Interpreter::scope_of_fields(const Lvalue& structure, const Struct& type) {
  auto scope = std::make_shared<Scope>(Scope{.names = {}, .parent = globals_});
  scope->names["this"] = {.place = structure, .type = std::make_shared<Type>(Type{.name = type.name})};
  const Value value = load(structure);
  for (std::size_t i = 0; i < type.template_parameters.size() && i < value.template_arguments.size(); ++i) {
    const TemplateParameter& parameter = type.template_parameters[i];
    const std::string& argument = value.template_arguments[i];
    Binding binding{.is_type = parameter.is_type};
    if (parameter.is_type) {
      Type of{.name = argument.substr(0, argument.find('*'))};
      of.pointers = static_cast<int>(std::ranges::count(argument, '*'));
      binding.type = std::make_shared<Type>(std::move(of));
    } else if (argument.empty()) {
      continue;
    } else {
      const std::int64_t number = std::strtoll(argument.c_str(), nullptr, 0);
      binding.place.object = add_object({.value = integer_value(number), .name = parameter.name});
    }
    scope->names[parameter.name] = std::move(binding);
  }
  for (const Declarator& field : type.fields) {
    Lvalue place = structure;
    place.fields.push_back(field.name);
    scope->names[field.name] = {.place = place, .type = std::make_shared<Type>(field.type)};
  }
  return scope;
}

}  // namespace warplens::host
