#include <algorithm>
#include <array>
#include <utility>

#include "kernels/host/interpreter.h"

namespace warplens::host {

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
      const auto element = index->integer ? object.elements.find(*index->integer) : object.elements.end();
      if (element != object.elements.end() && element->second.text == kTensorMapType)
        return argument_of(element->second);
      return {.kind = Argument::Kind::address,
              .number = applied("*", index, formula_of(std::max<std::int64_t>(object.element_bytes, 1))),
              .allocation = allocation_of(value.object)};
    }
    case Value::Kind::structure: {
      Argument structure{.kind = Argument::Kind::structure, .type = value.text};
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
  Launch launch{
      .grid = extent(0), .block = extent(1), .line = line, .is_conditional = unknown_conditions_ > 0};
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
    for (std::size_t known = 0; known < allocations_.size();) {  // Contents may be addresses of others
      known = allocations_.size();
      for (const auto& [object, allocation] : std::map(allocations_)) {
        if (!launch.contents.contains(allocation))
          launch.contents[allocation] = contents_of(objects_[object]);
      }
    }
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
