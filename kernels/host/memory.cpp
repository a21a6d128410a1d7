#include <algorithm>
#include <array>
#include <utility>

#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

constexpr std::size_t kMaxElements = 4096;  // That are kept of one array
constexpr std::size_t kMaxListed = 256;     // Values of contents that are listed
constexpr std::size_t kMaxObjects = 100'000;
constexpr int kMaxStructDepth = 8;

struct TypeSize {
  std::string_view name;
  std::int64_t bytes;
};
constexpr TypeSize kSizes[] = {{"char", 1},
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
  return last == "vector" || last == "device_vector" || last == "host_vector" || last == "universal_vector";
}

/// Whether all indices of a formula are that one.
bool depends_on_alone(const FormulaPtr& formula, const FormulaPtr& index) {
  if (formula->kind == Formula::Kind::index) return formula == index;
  return std::ranges::all_of(formula->operands,
                             [&](const FormulaPtr& operand) { return depends_on_alone(operand, index); });
}

/// What elements hold at places that are not told apart.
Value joined(const Value& one, const Value& other) {
  const bool same_number = one.is_number() && other.is_number() && one.number->is_known() &&
                           one.number->real == other.number->real;
  const bool both_random =
      one.is_number() && other.is_number() && one.number->kind == Formula::Kind::random &&
      other.number->kind == Formula::Kind::random && one.number->limit == other.number->limit;
  const bool both_indices = one.is_number() && other.is_number() &&
                            one.number->kind == Formula::Kind::index &&
                            other.number->kind == Formula::Kind::index;
  return same_number || both_random || both_indices ? other : Value{};
}

}  // namespace

std::string without_namespaces(const std::string& name) {
  const std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

Value* Value::field(const std::string& name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &found->value;
}
Value number_value(FormulaPtr number) {
  return {.kind = Value::Kind::number, .number = std::move(number)};
}
Value integer_value(std::int64_t number) {
  return number_value(formula_of(number));
}
Value unknown_value(std::string text) {
  return number_value(unknown_formula(std::move(text)));
}

Interpreter::Interpreter(const Program& program, bool knows_arguments)
    : program_(program),
      globals_(std::make_shared<Scope>()),
      scope_(globals_),
      knows_arguments_(knows_arguments) {
  objects_.emplace_back();  // Object 0 is what values without one name
  for (const Declarator& global : program.globals) declare(global, true);
}

std::size_t Interpreter::add_object(Object object) {
  if (objects_.size() >= kMaxObjects) ends_program_ = true;
  objects_.push_back(std::move(object));
  return objects_.size() - 1;
}

Object& Interpreter::changeable(std::size_t object) {
  if (!journals_.empty() && object < journals_.back().objects)
    journals_.back().before.try_emplace(object, objects_[object]);
  return objects_[object];
}

Place Interpreter::declare_variable(const std::string& name, const Type& type, Value value) {
  Object object{.value = std::move(value), .name = name};
  if (type.pointers > 0) {
    Type pointee = type;
    --pointee.pointers;
    object.type = name_of(pointee);
    object.element_bytes = size_of(pointee);
  }
  const Place place{.object = add_object(std::move(object)), .index = nullptr, .fields = {}};
  scope_->names[name] = {.place = place, .type = std::make_shared<Type>(type)};
  return place;
}

const Binding* Interpreter::find(const std::string& name) const {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->parent.get()) {
    if (const auto found = scope->names.find(name); found != scope->names.end()) return &found->second;
  }
  return nullptr;
}

// -- Types

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
  std::int64_t bytes = 0, alignment = 1;
  for (const Declarator& field : structure->fields) {
    const std::int64_t size = size_of(field.type);
    if (size == 0) return 0;
    Type element = field.type;
    element.extents.clear();
    const std::int64_t aligned = std::min<std::int64_t>(size_of(element), 8);
    alignment = std::max(alignment, aligned);
    bytes = (bytes + aligned - 1) / aligned * aligned + size;
  }
  return std::max<std::int64_t>((bytes + alignment - 1) / alignment * alignment, 1) * count;
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

// -- Declarations

void Interpreter::declare(const Declarator& declarator, bool is_global) {
  Type type = resolved(declarator.type);
  if (type.is_reference && declarator.initial != nullptr) {
    if (const std::optional<Place> place = place_of(*declarator.initial)) {
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
    if (declarator.initial != nullptr) return container_value(real, declarator.initial->operands);
    return container_value(real, declarator.arguments);
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

Value Interpreter::constructed(const Type& type, const std::vector<ExpressionPtr>& arguments) {
  const Type real = resolved(type);
  if (is_container(real.name) && real.pointers == 0) return container_value(real, arguments);
  if (const Struct* const structure = struct_of(real)) {
    Value value = default_value(real);
    const auto [begin, end] = structure->methods.equal_range(structure->name);
    for (auto one = begin; one != end; ++one) {
      if (one->second->parameters.size() != arguments.size() || one->second->body == nullptr) continue;
      const Place place{
          .object = add_object({.value = value, .name = real.name}), .index = nullptr, .fields = {}};
      (void)call(*one->second, arguments, {}, scope_of_fields(place, *structure));
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
    objects_[array.object].was_cleared = true;  // What is not listed is zero
    fill_array(array, list);
  } else if (declarator.has_arguments && declarator.arguments.empty()) {
    objects_[array.object].was_cleared = true;
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
Value Interpreter::container_value(const Type& type, const std::vector<ExpressionPtr>& arguments) {
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
  if (!values.empty() && is_memory(values[0])) {  // A copy, or a range
    const Object& from = objects_[values[0].object];
    object.bytes = from.bytes;
    object.elements = from.elements;
    object.others = from.others;
    object.was_cleared = from.was_cleared;
  } else if (values.size() == 1 || values.size() == 2) {
    object.bytes =
        values[0].is_number() && each > 0 ? applied("*", values[0].number, formula_of(each)) : nullptr;
    object.was_cleared = values.size() == 1;
    if (values.size() == 2) object.others = values[1];
  } else if (!values.empty()) {
    object.bytes = formula_of(static_cast<std::int64_t>(values.size()) * each);
    for (std::size_t i = 0; i < values.size(); ++i) object.elements[static_cast<std::int64_t>(i)] = values[i];
  }
  return container;
}

std::shared_ptr<Scope> Interpreter::scope_of_fields(const Place& structure, const Struct& type) {
  auto scope = std::make_shared<Scope>(Scope{.names = {}, .parent = globals_});
  scope->names["this"] = {.place = structure, .type = std::make_shared<Type>(Type{.name = type.name})};
  for (const Declarator& field : type.fields) {
    Place place = structure;
    place.fields.push_back(field.name);
    scope->names[field.name] = {.place = place, .type = std::make_shared<Type>(field.type)};
  }
  return scope;
}

// -- Memory

Value Interpreter::load(const Place& place) {
  Object& object = objects_[place.object];
  Value* value = &object.value;
  Value cleared = integer_value(0);
  if (place.index != nullptr && object.is_memory) {
    const auto element =
        place.index->integer ? object.elements.find(*place.index->integer) : object.elements.end();
    if (element != object.elements.end()) {
      value = &element->second;
    } else if (object.others) {
      if (object.others->is_number() && object.others->number->has_index) {
        return place.index->integer ? number_value(at_index(object.others->number, *place.index->integer))
                                    : Value{};
      }
      value = &*object.others;
    } else if (object.was_cleared && object.elements.empty() && object.type.find('*') == std::string::npos) {
      value = &cleared;
    } else {
      return {};
    }
  }
  for (const std::string& name : place.fields) {
    value = value->field(name);
    if (value == nullptr) return {};
  }
  return *value;
}

void Interpreter::store(const Place& place, Value value) {
  Object& object = changeable(place.object);
  if (place.index == nullptr || !object.is_memory) {
    Value* target = &object.value;
    for (const std::string& name : place.fields) {
      if (target->kind != Value::Kind::structure)
        *target = {.kind = Value::Kind::structure, .text = target->text};
      Value* field = target->field(name);
      if (field == nullptr) {
        target->fields.push_back({name, {}});
        field = &target->fields.back().value;
      }
      target = field;
    }
    *target = std::move(value);
    return;
  }
  // A value that depends on a loop's index is kept where the element is that of the same index
  const bool is_of_other_index =
      value.is_number() && value.number->has_index &&
      (place.index->kind != Formula::Kind::index || !depends_on_alone(value.number, place.index));
  if (is_of_other_index) value = Value{};
  const bool is_kept = place.index->integer && (object.elements.size() < kMaxElements ||
                                                object.elements.contains(*place.index->integer));
  if (!place.fields.empty()) {
    if (!is_kept) return;
    Value& element = object.elements[*place.index->integer];
    Object variable{.value = element};
    std::swap(objects_[0], variable);
    store({.object = 0, .index = nullptr, .fields = place.fields}, std::move(value));
    std::swap(objects_[0], variable);
    objects_[place.object].elements[*place.index->integer] = std::move(variable.value);
    return;
  }
  const bool is_counted = object.bytes != nullptr && object.bytes->integer && object.element_bytes > 0;
  if (is_kept) {
    object.elements[*place.index->integer] = std::move(value);
  } else if (is_counted && covers(place.index, *object.bytes->integer / object.element_bytes)) {
    object.elements.clear();
    object.others = std::move(value);
  } else {
    object.others = object.others ? joined(*object.others, value) : std::move(value);
  }
}

std::optional<Place> Interpreter::pointed_at(const Value& pointer) const {
  if (pointer.kind != Value::Kind::pointer) return std::nullopt;
  if (!objects_[pointer.object].is_memory)
    return Place{.object = pointer.object, .index = nullptr, .fields = pointer.path};
  return Place{.object = pointer.object, .index = pointer.number, .fields = pointer.path};
}

Object* Interpreter::object_of(const Value& pointer) {
  const bool has_object = pointer.kind == Value::Kind::pointer || pointer.kind == Value::Kind::container;
  return has_object ? &changeable(pointer.object) : nullptr;
}

Value Interpreter::new_memory(FormulaPtr bytes, std::int64_t element_bytes, const std::string& type,
                              bool is_device) {
  Object object{.is_memory = true,
                .is_device = is_device,
                .type = type,
                .element_bytes = element_bytes,
                .bytes = std::move(bytes)};
  return {.kind = Value::Kind::pointer, .number = formula_of(0), .object = add_object(std::move(object))};
}

Object& Interpreter::allocate_at(const Value& pointer, FormulaPtr bytes, bool is_device) {
  Value memory = new_memory(std::move(bytes), 0, "", is_device);
  if (const std::optional<Place> place = pointed_at(pointer)) {
    const Object& variable = objects_[place->object];
    Object& allocated = objects_[memory.object];
    allocated.name = variable.name;
    for (const std::string& field : place->fields) allocated.name += "." + field;
    if (place->index == nullptr && place->fields.empty()) {
      allocated.type = variable.type;
      allocated.element_bytes = variable.element_bytes;
    } else if (place->index != nullptr && variable.type.ends_with('*')) {  // An array of pointers
      Type element{.name = variable.type.substr(0, variable.type.find('*'))};
      allocated.type = element.name;
      allocated.element_bytes = size_of(element);
    } else if (!place->fields.empty()) {
      const auto structure = program_.structs.find(variable.value.text);
      for (const Declarator& field :
           structure == program_.structs.end() ? std::vector<Declarator>{} : structure->second.fields) {
        if (field.name != place->fields.back()) continue;
        Type element = field.type;
        element.pointers = std::max(element.pointers - 1, 0);
        const auto parameter =
            std::ranges::find(structure->second.template_parameters, element.name, &TemplateParameter::name);
        const auto index =
            static_cast<std::size_t>(parameter - structure->second.template_parameters.begin());
        if (index < variable.value.template_arguments.size())
          element.name = variable.value.template_arguments[index];
        allocated.type = name_of(element);
        allocated.element_bytes = size_of(element);
      }
    }
    store(*place, memory);
  }
  return objects_[memory.object];
}

void Interpreter::set_unknown(Object& object) {
  object.elements.clear();
  object.others = Value{};
  object.was_cleared = false;
}

void Interpreter::copy_memory(const Value& to, const Value& from, const FormulaPtr& bytes) {
  Object* const target = object_of(to);
  const Object* const source = object_of(from);
  if (target == nullptr || target == source) return;
  if (source == nullptr || !source->is_memory) {
    if (source != nullptr && target->is_memory) {  // Of a variable: cudaMemcpy(d, &n, ..)
      store({.object = to.object, .index = formula_of(0), .fields = {}}, source->value);
    } else {
      set_unknown(*target);
    }
    return;
  }
  const auto is_begin = [](const Value& pointer) {
    return pointer.kind == Value::Kind::container ||
           pointer.number->integer == std::optional<std::int64_t>(0);
  };
  if (!target->is_memory) {  // To a variable: cudaMemcpy(&sum, d_sum, ..)
    target->value = source->is_device ? unknown_value(target->name)
                                      : load({.object = from.object, .index = formula_of(0), .fields = {}});
    return;
  }
  const bool is_whole = target->bytes == nullptr || bytes == nullptr || !bytes->integer ||
                        !target->bytes->integer || *bytes->integer >= *target->bytes->integer;
  if (!is_begin(to) || !is_begin(from) || (!is_whole && (target->others || target->elements.size() > 1)))
    return set_unknown(*target);
  target->elements = source->elements;
  target->others = source->others;
  target->was_cleared = source->was_cleared;
  if (target->element_bytes == 0) {
    target->element_bytes = source->element_bytes;
    target->type = source->type;
  }
}

std::optional<Value> Interpreter::device_symbol(const ExpressionPtr& expression) {
  const Value value = evaluate(expression);
  const Object* const object = object_of(value);
  return object != nullptr && !object->symbol.empty() ? std::optional(value) : std::nullopt;
}

Contents Interpreter::contents_of(const Object& object) const {
  using ContentsKind = Contents::Kind;
  const bool is_counted = object.bytes != nullptr && object.bytes->integer && object.element_bytes > 0;
  const std::int64_t count = is_counted ? *object.bytes->integer / object.element_bytes : -1;
  const auto of_value = [](double value) {
    return Contents{.kind = value == 0 ? ContentsKind::zero : ContentsKind::value, .value = value};
  };
  const auto of_formula = [&](const FormulaPtr& formula, std::int64_t elements) {
    if (elements < 0 || elements > static_cast<std::int64_t>(kMaxListed))
      return Contents{.kind = ContentsKind::unknown};
    Contents listed{.kind = ContentsKind::listed, .values = {}};
    for (std::int64_t i = 0; i < elements; ++i) {
      const FormulaPtr value = at_index(formula, i);
      if (!value->is_known()) return Contents{.kind = ContentsKind::unknown};
      listed.values.push_back(*value->real);
    }
    return listed;
  };
  const auto all_elements = [&](const auto& is_right) {
    return std::ranges::all_of(object.elements, [&](const auto& element) {
      return element.second.is_number() && is_right(element.first, *element.second.number);
    });
  };
  std::optional<Value> any = object.others;
  const bool is_whole = any || static_cast<std::int64_t>(object.elements.size()) >= count;
  if (!any && object.elements.empty())
    return {.kind = object.was_cleared ? ContentsKind::zero : ContentsKind::never_set};
  if (!any) any = object.elements.begin()->second;
  if (!any->is_number()) return {.kind = ContentsKind::unknown};
  const Formula& number = *any->number;
  if (is_whole && number.kind == Formula::Kind::random) {
    const bool same = all_elements([&](std::int64_t, const Formula& one) {
      return one.kind == Formula::Kind::random && one.limit == number.limit;
    });
    if (!same) return {.kind = ContentsKind::unknown};
    return number.limit == 0 ? Contents{.kind = ContentsKind::uniform}
                             : Contents{.kind = ContentsKind::below, .limit = number.limit};
  }
  const bool counts_up = is_whole && all_elements([](std::int64_t index, const Formula& one) {
                           return one.real == std::optional(static_cast<double>(index));
                         });
  if (counts_up && (number.kind == Formula::Kind::index || (!object.others && count > 1)))
    return {.kind = ContentsKind::iota};
  const bool same = is_whole && number.is_known() &&
                    all_elements([&](std::int64_t, const Formula& one) { return one.real == number.real; });
  if (same) return of_value(*number.real);
  if (number.has_index && number.kind != Formula::Kind::index && object.elements.empty())
    return of_formula(any->number, count);
  const bool is_listed = !object.others && count > 0 && count <= static_cast<std::int64_t>(kMaxListed) &&
                         (is_whole || object.was_cleared) &&
                         all_elements([](std::int64_t, const Formula& one) { return one.is_known(); });
  if (!is_listed) return {.kind = ContentsKind::unknown};
  Contents listed{.kind = ContentsKind::listed,
                  .values = std::vector<double>(static_cast<std::size_t>(count), 0)};
  for (const auto& [index, value] : object.elements) {
    if (index >= 0 && index < count) listed.values[static_cast<std::size_t>(index)] = *value.number->real;
  }
  return listed;
}

// -- Launches

std::size_t Interpreter::allocation_of(std::size_t object) {
  const auto [known, is_new] = allocations_.emplace(object, result_.allocations.size());
  if (is_new) {
    const Object& one = objects_[object];
    result_.allocations.push_back(
        {.name = one.name, .bytes = one.bytes, .pitch = one.pitch, .symbol = one.symbol, .type = one.type});
  }
  return known->second;
}

Argument Interpreter::argument_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::number: return {.kind = Argument::Kind::number, .number = value.number};
    case Value::Kind::null: return {.kind = Argument::Kind::null};
    case Value::Kind::container:
    case Value::Kind::pointer: {
      const Object& object = objects_[value.object];
      if (!object.is_memory) return {};
      const FormulaPtr index = value.kind == Value::Kind::pointer ? value.number : formula_of(0);
      return {.kind = Argument::Kind::address,
              .number = applied("*", index, formula_of(std::max<std::int64_t>(object.element_bytes, 1))),
              .allocation = allocation_of(value.object)};
    }
    case Value::Kind::structure: {
      Argument structure{.kind = Argument::Kind::structure};
      for (const Field& field : value.fields)
        structure.fields.push_back({field.name, argument_of(field.value)});
      return structure;
    }
    default: return {};
  }
}

void Interpreter::changed_by_kernel(const Value& argument) {
  if (Object* const object = object_of(argument); object != nullptr && object->is_memory)
    set_unknown(*object);
  for (const Field& field : argument.fields) changed_by_kernel(field.value);
}

bool Interpreter::is_same(const Launch& one, const Launch& other) const {
  const auto same_formula = [](const FormulaPtr& a, const FormulaPtr& b) {
    return a == b || (a != nullptr && b != nullptr && a->real.has_value() && a->real == b->real);
  };
  const auto same_argument = [&](const auto& self, const Argument& a, const Argument& b) -> bool {
    return a.kind == b.kind && a.allocation == b.allocation && same_formula(a.number, b.number) &&
           std::ranges::equal(a.fields, b.fields,
                              [&](const auto& x, const auto& y) { return self(self, x.value, y.value); });
  };
  return one.kernel == other.kernel && one.template_arguments == other.template_arguments &&
         std::ranges::equal(one.grid, other.grid, same_formula) &&
         std::ranges::equal(one.block, other.block, same_formula) &&
         std::ranges::equal(one.arguments, other.arguments, [&](const Argument& a, const Argument& b) {
           return same_argument(same_argument, a, b);
         });
}

void Interpreter::launch(const Value& kernel, const std::vector<Value>& configuration,
                         const std::vector<Value>& arguments, std::uint32_t line) {
  const auto extent = [&](std::size_t i) {
    std::array<FormulaPtr, 3> result{};
    if (i >= configuration.size()) return result;
    Value value = configuration[i];
    if (value.is_number()) value = converted(value, Type{.name = "dim3"});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (value.kind != Value::Kind::structure) continue;
      const bool is_given = axis < value.fields.size() && value.fields[axis].value.is_number();
      result[axis] = is_given ? value.fields[axis].value.number : formula_of(1);
    }
    return result;
  };
  Launch launch{.grid = extent(0), .block = extent(1), .line = line, .is_conditional = conditions_ > 0};
  launch.kernel = kernel.text;
  for (const std::string& argument : kernel.template_arguments)
    launch.template_arguments += (launch.template_arguments.empty() ? "" : ",") + argument;
  launch.shared_bytes =
      configuration.size() > 2 && configuration[2].is_number() ? configuration[2].number : formula_of(0);
  const auto declared =
      std::ranges::find(program_.kernels, kernel.text, [](const auto& one) { return one->name; });
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    launch.arguments.push_back(argument_of(arguments[i]));
  }
  const auto same =
      std::ranges::find_if(result_.launches, [&](const Launch& one) { return is_same(one, launch); });
  if (same != result_.launches.end()) {
    ++same->count;
  } else if (result_.launches.size() < kMaxLaunches && !launch.kernel.empty()) {
    for (const std::size_t symbol : symbols_) (void)allocation_of(symbol);
    for (const auto& [object, allocation] : allocations_)
      launch.contents[allocation] = contents_of(objects_[object]);
    result_.launches.push_back(std::move(launch));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_read_only = declared != program_.kernels.end() && i < (*declared)->parameters.size() &&
                              (*declared)->parameters[i].type.is_const;
    if (!is_read_only) changed_by_kernel(arguments[i]);
  }
}

void Interpreter::run(const Function& function) {
  const std::shared_ptr<Scope> outer = scope_;
  scope_ = std::make_shared<Scope>(Scope{.names = {}, .parent = globals_});
  const bool is_main = function.name == "main";
  for (const Declarator& parameter : function.parameters) {
    const bool is_argc = is_main && knows_arguments_ && &parameter == &function.parameters.front();
    Value value = is_argc ? integer_value(1)
                  : parameter.type.pointers > 0 && !is_main
                      ? new_memory(nullptr, 0, "", true)  // Of the caller's
                      : unknown_value(parameter.name);
    if (value.kind == Value::Kind::pointer) {
      Type pointee = parameter.type;
      --pointee.pointers;
      objects_[value.object].name = parameter.name;
      objects_[value.object].type = name_of(pointee);
      objects_[value.object].element_bytes = size_of(pointee);
      set_unknown(objects_[value.object]);
    }
    declare_variable(parameter.name, parameter.type, std::move(value));
  }
  steps_ = 0;
  ends_program_ = false;
  (void)execute(function.body);
  scope_ = outer;
}

HostProgram Interpreter::take_result() {
  return std::move(result_);
}

}  // namespace warplens::host
