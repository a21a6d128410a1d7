#include <algorithm>
#include <utility>

#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

constexpr std::size_t kMaxElements = 4096;  // That are kept of one array
constexpr std::size_t kMaxListed = 256;     // Values of contents that are listed
constexpr std::size_t kMaxObjects = 100'000;

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

Lvalue Interpreter::declare_variable(const std::string& name, const Type& type, Value value) {
  Object object{.value = std::move(value), .name = name};
  if (type.pointers > 0) {
    Type pointee = type;
    --pointee.pointers;
    object.type = name_of(pointee);
    object.element_bytes = size_of(pointee);
  }
  const Lvalue place{.object = add_object(std::move(object)), .index = nullptr, .fields = {}};
  scope_->names[name] = {.place = place, .type = std::make_shared<Type>(type)};
  return place;
}

const Binding* Interpreter::find(const std::string& name) const {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->parent.get()) {
    if (const auto found = scope->names.find(name); found != scope->names.end()) return &found->second;
  }
  return nullptr;
}

Value Interpreter::load(const Lvalue& place) {
  Object& object = objects_[place.object];
  Value* value = &object.value;
  Value cleared = integer_value(0);
  if (place.index != nullptr && object.is_memory) {
    const auto element =
        place.index->integer ? object.elements.find(*place.index->integer) : object.elements.end();
    if (element != object.elements.end()) {
      value = &element->second;
    } else if (object.other_elements) {
      if (object.other_elements->is_number() && object.other_elements->number->has_index) {
        return place.index->integer
                   ? number_value(at_index(object.other_elements->number, *place.index->integer))
                   : Value{};
      }
      value = &*object.other_elements;
    } else if (object.is_zeroed && object.elements.empty() && object.type.find('*') == std::string::npos) {
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

void Interpreter::store(const Lvalue& place, Value value) {
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
    object.other_elements = std::move(value);
  } else {
    object.other_elements = object.other_elements ? joined(*object.other_elements, value) : std::move(value);
  }
}

std::optional<Lvalue> Interpreter::pointed_at(const Value& pointer) const {
  if (pointer.kind != Value::Kind::pointer) return std::nullopt;
  if (!objects_[pointer.object].is_memory)
    return Lvalue{.object = pointer.object, .index = nullptr, .fields = pointer.path};
  return Lvalue{.object = pointer.object, .index = pointer.number, .fields = pointer.path};
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
  if (const std::optional<Lvalue> place = pointed_at(pointer)) {
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
  object.other_elements = Value{};
  object.is_zeroed = false;
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
  if (!is_begin(to) || !is_begin(from) ||
      (!is_whole && (target->other_elements || target->elements.size() > 1)))
    return set_unknown(*target);
  target->elements = source->elements;
  target->other_elements = source->other_elements;
  target->is_zeroed = source->is_zeroed;
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

/// Returns the contents of an array of pointers to device memory.
Contents Interpreter::contents_of_addresses(const Object& object, std::int64_t count) {
  Contents contents{.kind = Contents::Kind::addresses};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto element = object.elements.find(i);
    const Value* const address = element == object.elements.end() ? nullptr : &element->second;
    const bool is_address = address != nullptr && address->kind == Value::Kind::pointer &&
                            objects_[address->object].is_memory && objects_[address->object].is_device;
    if (!is_address) return {.kind = Contents::Kind::unknown};
    const std::int64_t each = std::max<std::int64_t>(objects_[address->object].element_bytes, 1);
    contents.allocations.push_back(allocation_of(address->object));
    contents.offsets.push_back(applied("*", address->number, formula_of(each)));
  }
  return contents;
}

Contents Interpreter::contents_of_structures(const Object& object, std::int64_t count) {
  Contents contents{.kind = Contents::Kind::bytes};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto element = object.elements.find(i);
    const auto bytes = element == object.elements.end()
                           ? std::nullopt
                           : bytes_of(element->second, Type{.name = object.type});
    if (!bytes) return {.kind = Contents::Kind::unknown};
    contents.values.insert(contents.values.end(), bytes->begin(), bytes->end());
  }
  return contents;
}

Contents Interpreter::contents_of(const Object& object) {
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
  std::optional<Value> any = object.other_elements;
  const bool is_whole = any || static_cast<std::int64_t>(object.elements.size()) >= count;
  if (!any && object.elements.empty())
    return {.kind = object.is_zeroed ? ContentsKind::zero : ContentsKind::uninitialized};
  if (!any) any = object.elements.begin()->second;
  const bool is_short = !object.other_elements && count > 0 && count <= static_cast<std::int64_t>(kMaxListed);
  if (any->kind == Value::Kind::pointer && is_short) return contents_of_addresses(object, count);
  if (any->kind == Value::Kind::structure && is_short) return contents_of_structures(object, count);
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
  if (counts_up && (number.kind == Formula::Kind::index || (!object.other_elements && count > 1)))
    return {.kind = ContentsKind::iota};
  const bool same = is_whole && number.is_known() &&
                    all_elements([&](std::int64_t, const Formula& one) { return one.real == number.real; });
  if (same) return of_value(*number.real);
  if (number.has_index && number.kind != Formula::Kind::index && object.elements.empty())
    return of_formula(any->number, count);
  const bool is_listed = !object.other_elements && count > 0 &&
                         count <= static_cast<std::int64_t>(kMaxListed) && (is_whole || object.is_zeroed) &&
                         all_elements([](std::int64_t, const Formula& one) { return one.is_known(); });
  if (!is_listed) return {.kind = ContentsKind::unknown};
  Contents listed{.kind = ContentsKind::listed,
                  .values = std::vector<double>(static_cast<std::size_t>(count), 0)};
  for (const auto& [index, value] : object.elements) {
    if (index >= 0 && index < count) listed.values[static_cast<std::size_t>(index)] = *value.number->real;
  }
  return listed;
}

}  // namespace warplens::host
