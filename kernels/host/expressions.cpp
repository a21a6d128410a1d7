#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

using Kind = Expression::Kind;

/// A literal: "0x10u", "1e-3f".
FormulaPtr literal(const std::string& text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool is_real = !is_hexadecimal && text.find_first_of(".eE") != std::string::npos;
  if (is_real || (!is_hexadecimal && (text.ends_with('f') || text.ends_with('F'))))
    return formula_of_real(std::strtod(text.c_str(), nullptr));
  if (text.starts_with("0b"))
    return formula_of(static_cast<std::int64_t>(std::strtoull(text.c_str() + 2, nullptr, 2)));
  return formula_of(static_cast<std::int64_t>(std::strtoull(text.c_str(), nullptr, 0)));
}

}  // namespace

std::string words_of(const Expression& expression) {
  std::string words;
  switch (expression.kind) {
    case Kind::name:
    case Kind::number:
    case Kind::text: return expression.text;
    case Kind::member: return words_of(*expression.operands[0]) + "." + expression.text;
    case Kind::index:
      return words_of(*expression.operands[0]) + "[" + words_of(*expression.operands[1]) + "]";
    case Kind::call:
      for (std::size_t i = 1; i < expression.operands.size(); ++i)
        words += (i > 1 ? ", " : "") + words_of(*expression.operands[i]);
      return words_of(*expression.operands[0]) + "(" + words + ")";
    case Kind::cast: return expression.operands.empty() ? std::string() : words_of(*expression.operands[0]);
    default: return expression.text;
  }
}

Value Interpreter::evaluate(const ExpressionPtr& expression) {
  return expression == nullptr ? Value{} : evaluate_here(*expression);
}

FormulaPtr Interpreter::number(const ExpressionPtr& expression) {
  Value value = evaluate(expression);
  return value.is_number() ? value.number
                           : unknown_formula(expression == nullptr ? "" : words_of(*expression));
}

Value Interpreter::evaluate_here(const Expression& expression) {
  switch (expression.kind) {
    case Kind::number: return number_value(literal(expression.text));
    case Kind::text: return {.kind = Value::Kind::text, .text = expression.text};
    case Kind::name: return named_value(expression);
    case Kind::unary: return unary(expression);
    case Kind::postfix: {
      const std::optional<Lvalue> place = lvalue_of(*expression.operands[0]);
      if (!place) return {};
      Value before = load(*place);
      if (before.is_number() || before.kind == Value::Kind::pointer) {
        Value after = before;
        after.number = applied(expression.text.substr(0, 1), before.number, formula_of(1));
        store(*place, std::move(after));
      }
      return before;
    }
    case Kind::binary: return binary(expression);
    case Kind::assign: return assign(expression);
    case Kind::conditional: {
      const std::optional<bool> is_true = truth(expression.operands[0]);
      if (is_true) return evaluate(expression.operands[*is_true ? 1 : 2]);
      const Value one = evaluate(expression.operands[1]), other = evaluate(expression.operands[2]);
      const bool same = one.is_number() && other.is_number() && one.number->is_known() &&
                        one.number->real == other.number->real;
      return same ? one : unknown_value(words_of(*expression.operands[0]));
    }
    case Kind::call: return called(expression);
    case Kind::launch: return launched(expression);
    case Kind::member: {
      if (const std::optional<Lvalue> place = lvalue_of(expression)) {
        const Value value = load(*place);
        return value.kind == Value::Kind::unknown ? unknown_value(words_of(expression)) : value;
      }
      Value base = evaluate(expression.operands[0]);
      Value* const field = base.field(expression.text);
      return field == nullptr ? unknown_value(words_of(expression)) : *field;
    }
    case Kind::index: return indexed(expression);
    case Kind::cast: return cast(expression);
    case Kind::size_of_type: {
      const std::int64_t size = size_of(*expression.type);
      return size == 0 ? unknown_value("sizeof(" + expression.type->name + ")") : integer_value(size);
    }
    case Kind::size_of_value: return size_of_value(expression.operands[0]);
    case Kind::list: {
      Value list{.kind = Value::Kind::structure};
      for (const ExpressionPtr& one : expression.operands)
        list.fields.push_back({std::to_string(list.fields.size()), evaluate(one)});
      return list;
    }
    case Kind::lambda: return {.kind = Value::Kind::function, .lambda = expression.lambda, .scope = scope_};
    case Kind::allocate: return allocate(expression);
    case Kind::expand: return {};
  }
  return {};
}

Value Interpreter::named_value(const Expression& expression) {
  const std::string name = without_namespaces(expression.text);
  if (const Binding* const binding = find(name); binding != nullptr && !binding->is_type) {
    Value value = load(binding->place);
    return value.kind == Value::Kind::unknown ? unknown_value(name) : value;
  }
  if (const auto known = constants_.find(name); known != constants_.end()) return known->second;
  if (const auto constant = program_.constants.find(name); constant != program_.constants.end()) {
    constants_[name] = unknown_value(name);  // Where it names itself
    const std::shared_ptr<Scope> outer = std::exchange(scope_, globals_);
    Value value = evaluate(constant->second);
    scope_ = outer;
    if (value.is_number()) value.number = named_formula(value.number);
    return constants_[name] = value;
  }
  if (name == "nullptr" || name == "NULL") return {.kind = Value::Kind::null};
  if (name == "true" || name == "false") return integer_value(name == "true" ? 1 : 0);
  if (std::optional<Value> constant = library_constant(name)) return *constant;
  const auto is_kernel = [&](const auto& kernel) { return kernel->name == name; };
  if (std::ranges::any_of(program_.kernels, is_kernel) || program_.functions.contains(name) ||
      !expression.template_arguments.empty()) {
    return {.kind = Value::Kind::function,
            .text = name,
            .template_arguments = texts_of(expression.template_arguments)};
  }
  return unknown_value(name);
}

/// Returns template arguments as the name of an instance has them: "16", "float", "true".
std::vector<std::string> Interpreter::texts_of(const std::vector<TemplateArgument>& arguments) {
  std::vector<std::string> texts;
  for (const TemplateArgument& argument : arguments) {
    if (argument.type != nullptr) {
      texts.push_back(name_of(*argument.type));
      continue;
    }
    if (argument.value != nullptr && argument.value->kind == Kind::name) {
      const std::string name = without_namespaces(argument.value->text);
      const Binding* const binding = find(name);
      if (binding != nullptr && binding->is_type) {
        texts.push_back(name_of(*binding->type));
        continue;
      }
      if (name == "true" || name == "false" || program_.structs.contains(name) ||
          program_.aliases.contains(name)) {
        texts.push_back(program_.aliases.contains(name) ? name_of(Type{.name = name}) : name);
        continue;
      }
    }
    const FormulaPtr value = number(argument.value);
    texts.push_back(value->integer ? std::to_string(*value->integer) : "");
  }
  return texts;
}

Value Interpreter::unary(const Expression& expression) {
  const std::string& operation = expression.text;
  const ExpressionPtr& operand = expression.operands[0];
  if (operation == "&") {
    if (const std::optional<Lvalue> place = lvalue_of(*operand)) {
      return {.kind = Value::Kind::pointer,
              .number = place->index == nullptr ? formula_of(0) : place->index,
              .object = place->object,
              .path = place->fields};
    }
    return evaluate(operand);  // &kernel, &array[i] of an array in an array
  }
  if (operation == "*") {
    const Value pointer = evaluate(operand);
    if (const std::optional<Lvalue> place = pointed_at(pointer)) return load(*place);
    return pointer.kind == Value::Kind::function ? pointer : unknown_value("*" + words_of(*operand));
  }
  if (operation == "++" || operation == "--") {
    const std::optional<Lvalue> place = lvalue_of(*operand);
    Value value = place ? load(*place) : Value{};
    if (!value.is_number() && value.kind != Value::Kind::pointer) return value;
    value.number = applied(operation.substr(0, 1), value.number, formula_of(1));
    store(*place, value);
    return value;
  }
  Value value = evaluate(operand);
  if (operation == "!") {
    if (value.kind == Value::Kind::pointer) return integer_value(0);
    if (value.kind == Value::Kind::null) return integer_value(1);
    const bool is_known = value.is_number() && value.number->is_known();
    return is_known ? integer_value(*value.number->real == 0 ? 1 : 0)
                    : unknown_value("!" + words_of(*operand));
  }
  if (!value.is_number()) return unknown_value(words_of(*operand));
  if (operation == "-") {
    if (value.number->kind == Formula::Kind::real) return number_value(formula_of_real(-*value.number->real));
    if (value.number->kind == Formula::Kind::integer)
      return number_value(formula_of(-*value.number->integer));
    return number_value(applied("-", formula_of(0), value.number));
  }
  if (operation == "~") return number_value(applied("^", value.number, formula_of(-1)));
  return value;
}

Value Interpreter::binary(const Expression& expression) {
  const std::string& operation = expression.text;
  if (operation == ">>" && reads_stream(expression)) {
    (void)evaluate(expression.operands[0]);
    if (const std::optional<Lvalue> place = lvalue_of(*expression.operands[1]))
      store(*place, unknown_value(words_of(*expression.operands[1])));
    return {};
  }
  if (operation == ",") {
    (void)evaluate(expression.operands[0]);
    return evaluate(expression.operands[1]);
  }
  Value left = evaluate(expression.operands[0]);
  if (operation == "&&" || operation == "||") {
    const bool decides =
        left.is_number() && left.number->is_known() && (*left.number->real != 0) == (operation == "||");
    if (decides) return integer_value(operation == "||" ? 1 : 0);
  }
  Value right = evaluate(expression.operands[1]);
  const auto is_address = [](const Value& value) {
    return value.kind == Value::Kind::pointer || value.kind == Value::Kind::null;
  };
  if (left.kind == Value::Kind::pointer && right.is_number() && (operation == "+" || operation == "-")) {
    left.number = applied(operation, left.number, right.number);
    return left;
  }
  if (right.kind == Value::Kind::pointer && left.is_number() && operation == "+") {
    right.number = applied("+", right.number, left.number);
    return right;
  }
  if (is_address(left) && (is_address(right) || right.is_number()) &&
      (operation == "==" || operation == "!=")) {
    const bool other_is_null = right.kind == Value::Kind::null || right.is_number();
    const bool is_equal = left.kind == Value::Kind::null
                              ? other_is_null
                              : right.kind == Value::Kind::pointer && left.object == right.object;
    return integer_value(is_equal == (operation == "==") ? 1 : 0);
  }
  if (left.is_number() && right.is_number())
    return number_value(applied(operation, left.number, right.number));
  return unknown_value(words_of(*expression.operands[left.is_number() ? 1 : 0]));
}

Value Interpreter::assign(const Expression& expression) {
  Value value = evaluate(expression.operands[1]);
  const std::optional<Lvalue> place = lvalue_of(*expression.operands[0]);
  if (!place) {
    (void)evaluate(expression.operands[0]);
    return value;
  }
  if (expression.text != "=") {
    Value before = load(*place);
    const std::string operation = expression.text.substr(0, expression.text.size() - 1);
    const bool is_computed = before.is_number() && value.is_number();
    if (is_computed) value = number_value(applied(operation, before.number, value.number));
    if (before.kind == Value::Kind::pointer && value.is_number()) {
      before.number = applied(operation, before.number, value.number);
      value = before;
    } else if (!is_computed) {
      value = unknown_value(words_of(*expression.operands[0]));
    }
  }
  const Expression& target = *expression.operands[0];
  if (value.is_number() && value.number->kind == Formula::Kind::integer)
    value.number = named_formula(value.number);
  if (const Binding* const binding =
          target.kind == Kind::name ? find(without_namespaces(target.text)) : nullptr;
      binding != nullptr && binding->type != nullptr)
    value = converted(std::move(value), *binding->type);
  store(*place, value);
  return value;
}

Value Interpreter::cast(const Expression& expression) {
  if (expression.operands.size() == 1 && struct_of(*expression.type) == nullptr &&
      expression.type->name.find("vector") == std::string::npos && expression.type->name != "std::array" &&
      without_namespaces(expression.type->name) != "dim3")
    return converted(evaluate(expression.operands[0]), *expression.type);
  return constructed(*expression.type, expression.operands, expression.text == "{");
}

Value Interpreter::allocate(const Expression& expression) {
  const std::int64_t each = size_of(*expression.type);
  if (expression.text == "[") {
    const FormulaPtr bytes =
        each == 0 ? nullptr : applied("*", number(expression.operands[0]), formula_of(each));
    return new_memory(bytes, each, name_of(*expression.type), false);
  }
  Value pointer = new_memory(each == 0 ? nullptr : formula_of(each), each, name_of(*expression.type), false);
  store({.object = pointer.object, .index = formula_of(0), .fields = {}},
        constructed(*expression.type, expression.operands));
  return pointer;
}

Value Interpreter::indexed(const Expression& expression) {
  if (const std::optional<Lvalue> place = lvalue_of(expression)) {
    Value value = load(*place);
    return value.kind == Value::Kind::unknown ? unknown_value(words_of(expression)) : value;
  }
  Value base = evaluate(expression.operands[0]);
  if (base.kind == Value::Kind::pointer && !base.extents.empty()) {
    FormulaPtr count = formula_of(1);
    for (const FormulaPtr& extent : base.extents) count = applied("*", count, extent);
    base.number = applied("+", base.number, applied("*", number(expression.operands[1]), count));
    base.extents.erase(base.extents.begin());
    return base;
  }
  return unknown_value(words_of(expression));
}

std::optional<Lvalue> Interpreter::lvalue_of(const Expression& expression) {
  switch (expression.kind) {
    case Kind::name: {
      const Binding* const binding = find(without_namespaces(expression.text));
      return binding == nullptr || binding->is_type ? std::nullopt : std::optional(binding->place);
    }
    case Kind::member: {
      if (expression.operands[0]->text == "this") {
        const Binding* const field = find(expression.text);
        return field == nullptr ? std::nullopt : std::optional(field->place);
      }
      std::optional<Lvalue> place = lvalue_of(*expression.operands[0]);
      const Value base = place ? load(*place) : evaluate(expression.operands[0]);
      if (base.kind == Value::Kind::pointer) place = pointed_at(base);
      if (place) place->fields.push_back(expression.text);
      return place;
    }
    case Kind::index: {
      Value base = evaluate(expression.operands[0]);
      const bool is_element =
          (base.kind == Value::Kind::pointer && base.extents.empty() && base.path.empty()) ||
          base.kind == Value::Kind::container;
      if (!is_element || !objects_[base.object].is_memory) return std::nullopt;
      FormulaPtr index = number(expression.operands[1]);
      if (base.kind == Value::Kind::pointer && (base.number->integer != std::optional<std::int64_t>(0)))
        index = applied("+", base.number, index);
      return Lvalue{.object = base.object, .index = index, .fields = {}};
    }
    case Kind::unary:
      if (expression.text == "*") return pointed_at(evaluate(expression.operands[0]));
      return std::nullopt;
    case Kind::cast:
      return expression.operands.size() == 1 ? lvalue_of(*expression.operands[0]) : std::nullopt;
    default: return std::nullopt;
  }
}

Value Interpreter::size_of_value(const ExpressionPtr& expression) {
  if (expression->kind == Kind::name) {
    const Binding* const binding = find(without_namespaces(expression->text));
    if (binding == nullptr || binding->type == nullptr)
      return unknown_value("sizeof(" + expression->text + ")");
    if (!binding->type->extents.empty()) {
      const Value array = load(binding->place);
      if (array.kind == Value::Kind::pointer && objects_[array.object].bytes != nullptr)
        return number_value(objects_[array.object].bytes);
    }
    const std::int64_t size = size_of(*binding->type);
    return size == 0 ? unknown_value("sizeof(" + expression->text + ")") : integer_value(size);
  }
  const bool is_element =
      expression->kind == Kind::index || (expression->kind == Kind::unary && expression->text == "*");
  if (is_element && expression->operands[0]->kind == Kind::name) {
    const Binding* const binding = find(without_namespaces(expression->operands[0]->text));
    if (binding != nullptr && binding->type != nullptr && binding->type->pointers > 0) {
      Type pointee = *binding->type;
      --pointee.pointers;
      if (const std::int64_t size = size_of(pointee); size > 0) return integer_value(size);
    }
  }
  if (is_element) {
    const Value pointer = evaluate(expression->operands[0]);
    if (const Object* const object = object_of(pointer); object != nullptr && object->element_bytes > 0)
      return integer_value(object->element_bytes);
  }
  return unknown_value("sizeof");
}

}  // namespace warplens::host
