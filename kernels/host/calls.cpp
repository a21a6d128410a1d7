// Calls: of the source's functions, methods and lambdas, and of those that are not known.
#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

using Kind = Expression::Kind;

constexpr int kMaxCalls = 32;                  // Within each other
constexpr const char* kPack = "arguments...";  // What the value of a pack is called

/// Whether a function of a library takes its numbers by value: those of C and of CUDA do.
bool takes_values(const std::string& name) {
  constexpr std::string_view kPrefixes[] = {"cu", "__", "nvtx", "omp_", "MPI_", "pthread_", "str", "mem"};
  constexpr std::string_view kNames[] = {
      "accumulate", "atof",       "atoi",      "atol",   "clock",        "distance",   "emplace",
      "exp2",       "fclose",     "fgets",     "fmod",   "fopen",        "fputs",      "fread",
      "fscanf",     "fseek",      "fwrite",    "getenv", "insert",       "isnan",      "log10",
      "make_pair",  "make_tuple", "nanosleep", "push",   "push_back",    "push_front", "putchar",
      "round",      "roundf",     "scanf",     "setenv", "setprecision", "setw",       "sleep",
      "snprintf",   "sort",       "sprintf",   "sscanf", "system",       "tan",        "tanh",
      "time",       "to_string",  "transform", "usleep"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(kNames, std::string_view(name)) != std::end(kNames);
}

}  // namespace

Value Interpreter::launched(const Expression& expression) {
  std::vector<Value> configuration, arguments;
  for (const ExpressionPtr& one : expression.operands[1]->operands) configuration.push_back(evaluate(one));
  const Value kernel = evaluate(expression.operands[0]);
  const auto declared =
      std::ranges::find(program_.kernels, kernel.text, [](const auto& one) { return one->name; });
  for (const ExpressionPtr& one : expanded(expression.operands[2]->operands)) {
    Value value = evaluate(one);
    const bool is_pointer = declared != program_.kernels.end() &&
                            arguments.size() < (*declared)->parameters.size() &&
                            (*declared)->parameters[arguments.size()].type.pointers > 0;
    arguments.push_back(is_pointer ? as_pointer(std::move(value)) : std::move(value));
  }
  const bool is_repeated = remaining_iterations_ > 0 && launched_here_.contains(&expression);
  launched_here_.insert(&expression);
  if (!is_repeated) {
    launch(kernel, configuration, arguments, expression.line);
  } else if (!result_.launches.empty()) {
    for (const Value& argument : arguments) changed_by_kernel(argument);
  }
  return {};
}

bool Interpreter::reads_stream(const Expression& expression) const {
  const Expression* first = expression.operands[0].get();
  while (first->kind == Kind::binary && first->text == ">>") first = first->operands[0].get();
  if (first->kind != Kind::name) return false;
  const std::string name = without_namespaces(first->text);
  const Binding* const binding = find(name);
  if (binding == nullptr) return name == "cin";
  return binding->type != nullptr && binding->type->name.find("stream") != std::string::npos;
}

const Function* Interpreter::fitting(const Functions& functions, const std::string& name,
                                     const std::vector<ExpressionPtr>& arguments) {
  std::vector<const Function*> candidates;
  const auto [begin, end] = functions.equal_range(name);
  for (auto one = begin; one != end; ++one) {
    const std::vector<Declarator>& parameters = one->second->parameters;
    const auto needed = static_cast<std::size_t>(std::ranges::count_if(
        parameters, [](const Declarator& each) { return each.initial == nullptr && !each.is_pack; }));
    const bool has_pack = !parameters.empty() && parameters.back().is_pack;
    if (arguments.size() >= needed && (arguments.size() <= parameters.size() || has_pack))
      candidates.push_back(one->second.get());
  }
  if (candidates.empty()) return nullptr;
  const auto fits = [&](const Function* function) {
    for (std::size_t i = 0; i < arguments.size() && i < function->parameters.size(); ++i) {
      if (arguments[i]->kind != Kind::name && arguments[i]->kind != Kind::number) continue;
      const Value value = evaluate(arguments[i]);
      const Type type = resolved(function->parameters[i].type);
      const bool takes_container = type.name.find("vector") != std::string::npos,
                 takes_pointer = type.pointers > 0;
      if (value.is_number() && value.number->is_known() && (takes_container || takes_pointer)) return false;
      if (value.kind == Value::Kind::container && size_of(type) > 0) return false;
      if (value.kind == Value::Kind::pointer && size_of(type) > 0 && !takes_pointer) return false;
    }
    return true;
  };
  const auto best = candidates.size() == 1 ? candidates.begin() : std::ranges::find_if(candidates, fits);
  return best == candidates.end() ? candidates.front() : *best;
}

std::vector<ExpressionPtr> Interpreter::expanded(const std::vector<ExpressionPtr>& arguments,
                                                 std::size_t first) const {
  const auto pack_in = [&](const auto& self, const Expression& expression) -> const Value* {
    const Binding* const binding = expression.kind == Kind::name ? find(expression.text) : nullptr;
    if (binding != nullptr && !binding->is_type && binding->place.index == nullptr &&
        objects_[binding->place.object].value.text == kPack)
      return &objects_[binding->place.object].value;
    for (const ExpressionPtr& operand : expression.operands) {
      if (const Value* const pack = operand == nullptr ? nullptr : self(self, *operand)) return pack;
    }
    return nullptr;
  };
  const auto with_element = [&](const auto& self, const ExpressionPtr& pattern,
                                const std::string& element) -> ExpressionPtr {
    if (pattern == nullptr) return nullptr;
    auto copy = std::make_shared<Expression>(*pattern);
    if (pattern->kind == Kind::name && pack_in(pack_in, *pattern) != nullptr) {
      *copy = {.kind = Kind::member, .text = element, .operands = {pattern}, .line = pattern->line};
      return copy;
    }
    for (ExpressionPtr& operand : copy->operands) operand = self(self, operand, element);
    return copy;
  };
  std::vector<ExpressionPtr> result;
  for (std::size_t i = first; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr || arguments[i]->kind != Kind::expand) {
      result.push_back(arguments[i]);
      continue;
    }
    const ExpressionPtr& pattern = arguments[i]->operands[0];
    const Value* const pack = pack_in(pack_in, *pattern);
    for (std::size_t j = 0; pack != nullptr && j < pack->fields.size(); ++j)
      result.push_back(with_element(with_element, pattern, pack->fields[j].name));
  }
  return result;
}

Value Interpreter::as_pointer(Value value) {
  const auto structure = program_.structs.find(value.text);
  if (value.kind != Value::Kind::structure || structure == program_.structs.end()) return value;
  const Function* const conversion = fitting(structure->second.methods, "operator*", {});
  if (conversion == nullptr) return value;
  const Lvalue place{.object = add_object({.value = std::move(value)}), .index = nullptr, .fields = {}};
  return call(*conversion, {}, {}, scope_of_fields(place, structure->second));
}

Value Interpreter::called(const Expression& expression) {
  const ExpressionPtr& callee = expression.operands[0];
  if (callee->kind == Kind::member) return called_member(expression, *callee);
  const std::vector<ExpressionPtr> arguments = expanded(expression.operands, 1);
  if (callee->kind != Kind::name) {
    const Value function = evaluate(callee);
    if (function.lambda != nullptr) return call(*function.lambda, arguments, {}, function.scope);
    return called_by_pointer(function, expression, arguments);
  }
  const std::string name = without_namespaces(callee->text);
  if (const Binding* const binding = find(name); binding != nullptr && !binding->is_type) {
    const Value value = load(binding->place);
    if (value.kind == Value::Kind::function && value.lambda != nullptr)
      return call(*value.lambda, arguments, {}, value.scope);
    if (value.kind == Value::Kind::function) return called_by_pointer(value, expression, arguments);
  }
  if (const Function* const function = fitting(program_.functions, name, arguments))
    return call(*function, arguments, callee->template_arguments, globals_);
  if (const Binding* const self = find("this")) {  // A method calls another
    const auto structure = program_.structs.find(self->type->name);
    const Function* const method =
        structure == program_.structs.end() ? nullptr : fitting(structure->second.methods, name, arguments);
    if (method != nullptr && method->body != nullptr)
      return call(*method, arguments, {}, scope_of_fields(self->place, structure->second));
  }
  if (constexpr std::string_view kMake = "make_"; name.starts_with(kMake)) {  // make_int3
    const Type made{.name = name.substr(kMake.size())};
    if (default_value(made).kind == Value::Kind::structure) return constructed(made, arguments);
  }
  if ((name == "unique_ptr" || name == "shared_ptr") && !arguments.empty()) return evaluate(arguments[0]);
  if (program_.structs.contains(name)) return constructed(Type{.name = name}, arguments);
  if (std::optional<Value> result = call_library(*this, name, expression)) return *std::move(result);
  return called_unknown(expression, 1);
}

Value Interpreter::called_by_pointer(const Value& function, const Expression& expression,
                                     const std::vector<ExpressionPtr>& arguments) {
  const bool is_function = function.kind == Value::Kind::function;
  const Function* const named = is_function ? fitting(program_.functions, function.text, arguments) : nullptr;
  if (named != nullptr) return call(*named, arguments, {}, globals_);
  std::optional<Value> result = is_function ? call_library(*this, function.text, expression) : std::nullopt;
  return result ? *std::move(result) : called_unknown(expression, 1);
}

/// What a function that is not known may do: it writes where its arguments point.
Value Interpreter::called_unknown(const Expression& call, std::size_t first_argument) {
  for (std::size_t i = first_argument; i < call.operands.size(); ++i) {
    const Value argument = evaluate(call.operands[i]);
    if (argument.kind != Value::Kind::pointer && argument.kind != Value::Kind::container) continue;
    Object& object = changeable(argument.object);
    if (object.is_memory) {
      set_unknown(object);
    } else if (argument.path.empty()) {
      object.value = unknown_value(object.name);
    } else {
      store({.object = argument.object, .index = nullptr, .fields = argument.path},
            unknown_value(argument.path.back()));
    }
  }
  changed_by_reference(call);
  return unknown_value(words_of(call));
}

void Interpreter::changed_by_reference(const Expression& call) {
  const Expression& callee = *call.operands[0];
  const std::string name = without_namespaces(callee.text);
  const std::size_t arguments = call.operands.size() - 1;
  const auto [begin, end] = program_.declared.equal_range(name);
  const auto declared =
      std::find_if(begin, end, [&](const auto& one) { return one.second->parameters.size() >= arguments; });
  const bool is_declared = callee.kind == Kind::name && declared != end;
  if (!is_declared && (callee.text.starts_with("std::") || takes_values(name))) return;
  for (std::size_t i = 0; i < arguments; ++i) {
    const ExpressionPtr& argument = call.operands[i + 1];
    if (is_declared) {
      const Type& type = declared->second->parameters[i].type;
      if (!type.is_reference || type.is_const) continue;
    }
    const Binding* const binding =
        argument->kind == Kind::name ? find(without_namespaces(argument->text)) : nullptr;
    if (argument->kind == Kind::name &&
        (binding == nullptr || binding->is_type || binding->type == nullptr || binding->type->is_const))
      continue;
    const std::optional<Lvalue> place = lvalue_of(*argument);
    Value value = place ? load(*place) : Value{};
    if (!value.is_number()) continue;
    if (is_declared) {
      store(*place, unknown_value(words_of(*argument)));
    } else if (!value.number->is_doubtful && value.number->is_known()) {
      value.number = doubtful_formula(value.number);
      store(*place, std::move(value));
    }
  }
}

Value Interpreter::called_member(const Expression& expression, const Expression& member) {
  std::optional<Lvalue> place = lvalue_of(*member.operands[0]);
  Value base = place ? load(*place) : evaluate(member.operands[0]);
  if (base.kind == Value::Kind::pointer && !objects_[base.object].is_memory) {
    place = pointed_at(base);
    if (place) base = load(*place);
  }
  if (base.kind == Value::Kind::pointer && place) {  // A smart pointer, or one to a structure in memory
    if (member.text == "get") return base;
    if (std::optional<Lvalue> pointee = pointed_at(base)) {
      if (load(*pointee).kind == Value::Kind::structure) {
        place = pointee;
        base = load(*pointee);
      }
    }
  }
  if (base.kind == Value::Kind::container) {
    if (std::optional<Value> result = called_container(base, member.text, expression))
      return *std::move(result);
  }
  const auto of_structure = program_.structs.find(base.text);
  if (base.kind == Value::Kind::structure && place && of_structure != program_.structs.end()) {
    const std::vector<ExpressionPtr> arguments = expanded(expression.operands, 1);
    const Function* const method = fitting(of_structure->second.methods, member.text, arguments);
    if (method != nullptr && method->body != nullptr)
      return call(*method, arguments, {}, scope_of_fields(*place, of_structure->second));
  }
  return called_unknown(expression, 1);
}

std::optional<Value> Interpreter::called_container(const Value& container, const std::string& method,
                                                   const Expression& call) {
  const auto object = [&]() -> Object& { return changeable(container.object); };
  const auto count = [&]() -> FormulaPtr {
    const Object& one = object();
    return one.bytes == nullptr || one.element_bytes == 0 ? unknown_formula(one.name + ".size()")
                                                          : divided(one.bytes, one.element_bytes);
  };
  const auto set_count = [&](const FormulaPtr& elements) {
    object().bytes = applied("*", elements, formula_of(std::max<std::int64_t>(object().element_bytes, 1)));
  };
  if (method == "size") return number_value(count());
  if (method == "empty") {
    const FormulaPtr elements = count();
    return elements->integer ? integer_value(*elements->integer == 0 ? 1 : 0) : unknown_value("empty()");
  }
  if (method == "data" || method == "begin" || method == "cbegin")
    return Value{.kind = Value::Kind::pointer, .number = formula_of(0), .object = container.object};
  if (method == "end" || method == "cend")
    return Value{.kind = Value::Kind::pointer, .number = count(), .object = container.object};
  if (method == "resize" && call.operands.size() > 1) {
    set_count(number(call.operands[1]));
    if (call.operands.size() > 2) object().other_elements = evaluate(call.operands[2]);
    return Value{};
  }
  if ((method == "push_back" || method == "emplace_back") && call.operands.size() > 1) {
    const FormulaPtr at = count();
    store({.object = container.object, .index = at, .fields = {}}, evaluate(call.operands[1]));
    if (remaining_iterations_ > 0) {
      object().bytes = nullptr;
    } else {
      set_count(applied("+", at, formula_of(1)));
    }
    return Value{};
  }
  if (method == "at" && call.operands.size() > 1)
    return load({.object = container.object, .index = number(call.operands[1]), .fields = {}});
  if (method == "back" || method == "front") {
    const FormulaPtr at = method == "front" ? formula_of(0) : applied("-", count(), formula_of(1));
    return load({.object = container.object, .index = at, .fields = {}});
  }
  if (method == "reserve") return Value{};
  return std::nullopt;
}

void Interpreter::bind_template(const Function& function, const std::vector<ExpressionPtr>& arguments,
                                const std::vector<TemplateArgument>& template_arguments, Scope& into) {
  for (std::size_t i = 0; i < function.template_parameters.size(); ++i) {
    const TemplateParameter& parameter = function.template_parameters[i];
    Binding binding{.is_type = parameter.is_type};
    const TemplateArgument given = i < template_arguments.size() ? template_arguments[i] : TemplateArgument{};
    if (!parameter.is_type) {
      const Value value = evaluate(given.value != nullptr ? given.value : parameter.default_value);
      binding.place.object = add_object({.value = value, .name = parameter.name});
    } else if (given.type != nullptr) {
      binding.type = std::make_shared<Type>(resolved(*given.type));
    } else if (given.value != nullptr && given.value->kind == Kind::name) {
      binding.type = std::make_shared<Type>(resolved(Type{.name = given.value->text}));
    } else if (parameter.default_type != nullptr) {
      binding.type = parameter.default_type;
    }
    for (std::size_t j = 0; j < function.parameters.size() && j < arguments.size() && parameter.is_type &&
                            binding.type == nullptr;
         ++j) {  // Deduced
      const Type& declared = function.parameters[j].type;
      const bool is_of_elements = std::ranges::any_of(declared.arguments, [&](const TemplateArgument& one) {
        return (one.type != nullptr && one.type->name == parameter.name) ||
               (one.value != nullptr && one.value->text == parameter.name);
      });
      if (declared.name != parameter.name && !is_of_elements) continue;
      const Value value = evaluate(arguments[j]);
      const Object* const object = object_of(value);
      const bool is_real = value.is_number() && truncated(value.number) != value.number;
      Type deduced{.name = object != nullptr && !object->type.empty() ? object->type
                           : is_real                                  ? "float"
                                                                      : "int"};
      binding.type = std::make_shared<Type>(std::move(deduced));
    }
    if (parameter.is_type && binding.type == nullptr)
      binding.type = std::make_shared<Type>(Type{.name = "auto"});
    into.names[parameter.name] = std::move(binding);
  }
}

Value Interpreter::call(const Function& function, const std::vector<ExpressionPtr>& arguments,
                        const std::vector<TemplateArgument>& template_arguments,
                        const std::shared_ptr<Scope>& scope) {
  if (calls_ >= kMaxCalls || function.body == nullptr) return unknown_value(function.name);
  auto inner = std::make_shared<Scope>(Scope{.names = {}, .parent = scope});
  bind_template(function, arguments, template_arguments, *inner);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Declarator& parameter = function.parameters[i];
    const ExpressionPtr& argument = i < arguments.size() ? arguments[i] : parameter.initial;
    if (parameter.is_pack) {
      Value pack{.kind = Value::Kind::structure, .text = kPack};
      for (std::size_t j = i; j < arguments.size(); ++j)
        pack.fields.push_back({std::to_string(j - i), evaluate(arguments[j])});
      const Lvalue place{.object = add_object({.value = std::move(pack), .name = parameter.name}),
                         .index = nullptr,
                         .fields = {}};
      inner->names[parameter.name] = {.place = place, .type = std::make_shared<Type>(Type{.name = "auto"})};
      break;
    }
    auto type = std::make_shared<Type>(parameter.type);
    std::optional<Lvalue> place;
    if (parameter.type.is_reference && argument != nullptr) place = lvalue_of(*argument);
    if (!place) {
      const std::shared_ptr<Scope> outer = scope_;
      Value value = evaluate(argument);
      scope_ = inner;  // Types of parameters may be parameters of the template
      if (parameter.type.pointers > 0) value = as_pointer(std::move(value));
      value = converted(std::move(value), *type);
      if (value.is_number()) value.number = named_formula(value.number);
      Object object{.value = std::move(value), .name = parameter.name};
      if (parameter.type.pointers > 0) {
        Type pointee = parameter.type;
        --pointee.pointers;
        object.type = name_of(pointee);
        object.element_bytes = size_of(pointee);
      }
      scope_ = outer;
      place = Lvalue{.object = add_object(std::move(object)), .index = nullptr, .fields = {}};
    }
    inner->names[parameter.name] = {.place = *place, .type = type};
  }
  const std::shared_ptr<Scope> outer = std::exchange(scope_, inner);
  for (const Declarator& one : function.member_initializers) {
    const Binding* const self = one.name == function.name ? find("this") : nullptr;
    const auto structure = self == nullptr ? program_.structs.end() : program_.structs.find(one.name);
    if (structure != program_.structs.end()) {  // Another constructor
      const Function* const constructor = fitting(structure->second.methods, one.name, one.arguments);
      if (constructor != nullptr && constructor != &function)
        (void)call(*constructor, one.arguments, {}, scope_of_fields(self->place, structure->second));
      continue;
    }
    if (const Binding* const member = find(one.name); member != nullptr && !one.arguments.empty())
      store(member->place, evaluate(one.arguments[0]));
  }
  ++calls_;
  returned_ = Value{};
  (void)execute(function.body);
  --calls_;
  scope_ = outer;
  return std::exchange(returned_, Value{});
}

}  // namespace warplens::host
