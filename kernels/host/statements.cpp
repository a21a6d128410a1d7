#include <algorithm>
#include <utility>

#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

constexpr std::int64_t kMaxSteps = 100'000;   // Statements
constexpr int kMaxUnknownConditions = 12;     // Unknown ones within each other
constexpr int kMaxIterations[] = {64, 8, 2};  // Executed one by one, by the depth of the loop

/// The variables that an expression assigns to, or passes the address of.
void find_assigned(const ExpressionPtr& expression, std::set<std::string>& names) {
  if (expression == nullptr) return;
  using ExpressionKind = Expression::Kind;
  const bool changes = expression->kind == ExpressionKind::assign ||
                       expression->kind == ExpressionKind::postfix ||
                       (expression->kind == ExpressionKind::unary &&
                        (expression->text == "++" || expression->text == "--" || expression->text == "&"));
  if (changes && expression->operands[0]->kind == ExpressionKind::name)
    names.insert(expression->operands[0]->text);
  for (const ExpressionPtr& operand : expression->operands) find_assigned(operand, names);
}

void find_assigned(const StatementPtr& statement, std::set<std::string>& names) {
  if (statement == nullptr) return;
  find_assigned(statement->value, names);
  find_assigned(statement->step, names);
  for (const Declarator& declarator : statement->declarators) find_assigned(declarator.initial, names);
  for (const StatementPtr& inner : statement->body) find_assigned(inner, names);
}

/// The bound of `i < bound` for that variable; null: the condition is another.
ExpressionPtr bound_of(const Statement& loop, const std::string& counter) {
  const bool is_bound = loop.value != nullptr && loop.value->kind == Expression::Kind::binary &&
                        loop.value->text == "<" && loop.value->operands[0]->text == counter;
  return is_bound ? loop.value->operands[1] : nullptr;
}

/// The variable of `for (..; ..; ++i)`; empty: it does not count by one.
std::string counter_of(const Statement& loop) {
  if (loop.step == nullptr || loop.step->operands.empty()) return {};
  const Expression& step = *loop.step;
  const bool counts = step.text == "++" || (step.text == "+=" && step.operands[1]->text == "1");
  return counts && step.operands[0]->kind == Expression::Kind::name ? step.operands[0]->text : std::string();
}

bool is_same_value(const Value& one, const Value& other) {
  if (one.kind != other.kind || one.object != other.object || one.fields.size() != other.fields.size())
    return false;
  const bool has_numbers = one.number != nullptr && other.number != nullptr;
  const bool same_number = one.number == other.number || (has_numbers && one.number->real.has_value() &&
                                                          one.number->real == other.number->real);
  if (!same_number || one.text != other.text) return false;
  return std::ranges::equal(one.fields, other.fields, [](const Field& a, const Field& b) {
    return a.name == b.name && is_same_value(a.value, b.value);
  });
}

bool is_same_contents(const Object& one, const Object& other) {
  const bool same_others = one.other_elements.has_value() == other.other_elements.has_value() &&
                           (!one.other_elements || is_same_value(*one.other_elements, *other.other_elements));
  return same_others && one.is_zeroed == other.is_zeroed &&
         std::ranges::equal(one.elements, other.elements, [](const auto& a, const auto& b) {
           return a.first == b.first && is_same_value(a.second, b.second);
         });
}

/// What a variable holds that is one value or the other: the parts that are the same in both.
Value merged(Value value, const Value& other, const std::string& name) {
  if (value.kind != Value::Kind::structure || other.kind != Value::Kind::structure)
    return is_same_value(value, other) ? value : unknown_value(name);
  for (Field& field : value.fields) {
    const auto same = std::ranges::find(other.fields, field.name, &Field::name);
    field.value = same == other.fields.end() ? unknown_value(field.name)
                                             : merged(std::move(field.value), same->value, field.name);
  }
  return value;
}

}  // namespace

std::optional<bool> Interpreter::truth(const ExpressionPtr& condition) {
  if (condition == nullptr) return true;
  const Value value = evaluate(condition);
  if (value.is_number() && value.number->is_doubtful) return std::nullopt;
  if (value.is_number() && value.number->is_known()) return *value.number->real != 0;
  if (value.kind == Value::Kind::pointer || value.kind == Value::Kind::container) return true;
  if (value.kind == Value::Kind::null) return false;
  return std::nullopt;
}

Interpreter::Flow Interpreter::execute(const StatementPtr& statement) {
  using StatementKind = Statement::Kind;
  if (statement == nullptr) return Flow::next;
  if (++steps_ > kMaxSteps) return Flow::end_program;
  switch (statement->kind) {
    case StatementKind::empty:
    case StatementKind::label:
    case StatementKind::target: return Flow::next;
    case StatementKind::goto_: jumps_to_ = statement->value->text; return Flow::jump;
    case StatementKind::block: return execute_block(*statement);
    case StatementKind::declaration:
      for (const Declarator& declarator : statement->declarators) declare(declarator);
      break;
    case StatementKind::expression: (void)evaluate(statement->value); break;
    case StatementKind::branch: return execute_branch(*statement);
    case StatementKind::loop:
    case StatementKind::loop_after: return execute_loop(*statement);
    case StatementKind::range_loop: return execute_range_loop(*statement);
    case StatementKind::selection: return execute_selection(*statement);
    case StatementKind::return_:
      returned_ = statement->value == nullptr ? Value{} : evaluate(statement->value);
      return ends_program_ ? Flow::end_program : Flow::return_function;
    case StatementKind::break_: return Flow::break_loop;
    case StatementKind::continue_: return Flow::continue_loop;
  }
  return ends_program_ ? Flow::end_program : Flow::next;
}

Interpreter::Flow Interpreter::execute_block(const Statement& block) {
  const std::shared_ptr<Scope> outer = scope_;
  scope_ = std::make_shared<Scope>(Scope{.names = {}, .parent = outer});
  Flow flow = Flow::next;
  for (std::size_t i = 0; i < block.body.size() && flow == Flow::next; ++i) {
    const Statement& statement = *block.body[i];
    if (statement.kind == Statement::Kind::target) meet_jumps(block, i, 0, i);
    flow = execute(block.body[i]);
    for (const std::string& name : std::set<std::string>(may_jump_to_)) {  // Back
      if (const std::size_t target = target_in(block, name); target < i) meet_jumps(block, target, target, i);
    }
    const std::size_t target = flow == Flow::jump ? target_in(block, jumps_to_) : block.body.size();
    if (target == block.body.size()) continue;
    i = target;
    flow = Flow::next;
  }
  scope_ = outer;
  return flow;
}

std::size_t Interpreter::target_in(const Statement& block, const std::string& name) {
  const auto found = std::ranges::find_if(block.body, [&](const StatementPtr& one) {
    return one->kind == Statement::Kind::target && one->value->text == name;
  });
  return static_cast<std::size_t>(found - block.body.begin());
}

void Interpreter::meet_jumps(const Statement& block, std::size_t target, std::size_t begin, std::size_t end) {
  if (may_jump_to_.erase(block.body[target]->value->text) == 0) return;
  std::set<std::string> names;
  for (std::size_t i = begin; i < end; ++i) find_assigned(block.body[i], names);
  forget(names);
}

Interpreter::Flow Interpreter::execute_branch(const Statement& branch) {
  if (const std::optional<bool> is_true = truth(branch.value)) return execute(branch.body[*is_true ? 0 : 1]);
  return execute_both(branch.body[0], branch.body[1]);
}

/// Follows both ways; what they leave differently is unknown behind them. One that ends the program or leaves
/// the function while the other goes on is an error of the program's that is not met. One that jumps is met
/// where it jumps to.
Interpreter::Flow Interpreter::execute_both(const StatementPtr& one, const StatementPtr& other) {
  if (unknown_conditions_ >= kMaxUnknownConditions) {
    std::set<std::string> names;
    find_assigned(one, names);
    find_assigned(other, names);
    forget(names);
    return Flow::next;
  }
  ++unknown_conditions_;
  open_journal();
  const Flow flow_of_one = execute(one);
  const auto leaves = [](Flow flow) {
    return flow == Flow::end_program || flow == Flow::return_function || flow == Flow::jump;
  };
  const bool one_ends = std::exchange(ends_program_, false) || leaves(flow_of_one);
  const std::string target_of_one = jumps_to_;
  std::map<std::size_t, Object> after_one;
  for (auto& [object, before] : std::exchange(journals_.back().before, {})) {
    after_one.emplace(object, objects_[object]);
    changeable(object) = before;
    journals_.back().before[object] = std::move(before);
  }
  const Flow flow_of_other = execute(other);
  const bool other_ends = ends_program_ || leaves(flow_of_other);
  if (flow_of_one == Flow::jump) may_jump_to_.insert(target_of_one);
  if (flow_of_other == Flow::jump) may_jump_to_.insert(jumps_to_);
  --unknown_conditions_;
  for (const auto& [object, before] : close_journal()) {
    Object& now = objects_[object];
    const auto changed_by_one = after_one.find(object);
    const Object& of_one = changed_by_one == after_one.end() ? before : changed_by_one->second;
    if (other_ends && !one_ends) {
      now = of_one;
    } else if (!one_ends) {
      merge(now, of_one);
    }
  }
  if (other_ends && !one_ends) ends_program_ = false;
  return other_ends && !one_ends ? flow_of_one : flow_of_other;
}

Interpreter::Flow Interpreter::execute_loop(const Statement& loop) {
  const std::shared_ptr<Scope> outer = scope_;
  scope_ = std::make_shared<Scope>(Scope{.names = {}, .parent = outer});
  execute(loop.body[0]);
  std::int64_t limit = 0;
  if (const Binding* const counter = find(counter_of(loop)); counter != nullptr && !counter->is_type) {
    const Value begin = load(counter->place);
    const ExpressionPtr bound = bound_of(loop, counter_of(loop));
    const bool is_from_zero = begin.is_number() && begin.number->integer == std::optional<std::int64_t>(0);
    if (is_from_zero && bound != nullptr) limit = number(bound)->integer.value_or(0);
  }
  const auto depth = std::min<std::size_t>(static_cast<std::size_t>(loops_), std::size(kMaxIterations) - 1);
  ++loops_;
  Flow flow = Flow::next;
  bool has_condition = loop.kind == Statement::Kind::loop;  // do .. while has none the first time
  for (int iteration = 0; flow == Flow::next; ++iteration) {
    const std::optional<bool> goes_on = has_condition ? truth(loop.value) : std::optional(true);
    has_condition = true;
    if (goes_on == std::optional(false)) break;
    const bool is_last =
        !goes_on.has_value() || iteration >= kMaxIterations[depth] || remaining_iterations_ > 0;
    if (!is_last || iteration == 0) {
      flow = execute(loop.body[1]);
      if (flow == Flow::continue_loop) flow = Flow::next;
      if (flow == Flow::next && loop.step != nullptr) (void)evaluate(loop.step);
    }
    if (!is_last) continue;
    if (flow == Flow::next) execute_remaining_iterations(loop, limit);
    break;
  }
  --loops_;
  scope_ = outer;
  return flow == Flow::break_loop ? Flow::next : flow;
}

/// Executes the body once for all remaining iterations. What each of them changes, such as a sum, is unknown
/// afterwards.
void Interpreter::execute_remaining_iterations(const Statement& loop, std::int64_t limit) {
  execute_at_once(loop, [&] {
    const Binding* const counter = find(counter_of(loop));
    if (counter != nullptr && !counter->is_type) store(counter->place, number_value(index_formula(limit)));
  });
}

template <class Prepare>
void Interpreter::execute_at_once(const Statement& loop, Prepare prepare) {
  std::set<std::string> names;
  find_assigned(loop.body[1], names);
  find_assigned(loop.step, names);
  find_assigned(loop.value, names);
  open_journal();
  forget(names);
  prepare();
  ++remaining_iterations_;
  (void)execute(loop.body[1]);  // Whether one of them leaves the loop or the function is unknown
  --remaining_iterations_;
  ends_program_ = false;
  forget_changes(close_journal());
}

void Interpreter::merge(Object& now, const Object& other) {
  now.value = merged(std::move(now.value), other.value, now.name);
  if (now.is_memory && !is_same_contents(now, other)) set_unknown(now);
}

/// Variables that hold something else than before are unknown, and so are elements at known indices.
void Interpreter::forget_changes(const std::map<std::size_t, Object>& changes) {
  for (const auto& [object, before] : changes) {
    Object& now = objects_[object];
    now.value = merged(std::move(now.value), before.value, now.name);
    for (auto& [index, value] : now.elements) {
      const auto was = before.elements.find(index);
      if (was != before.elements.end() && !is_same_value(value, was->second)) value = Value{};
    }
  }
}

void Interpreter::forget(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    const Binding* const binding = find(name);
    if (binding == nullptr || binding->is_type || binding->place.index != nullptr) continue;
    Object& object = changeable(binding->place.object);
    if (object.is_memory || !binding->place.fields.empty()) continue;
    if (object.value.kind == Value::Kind::pointer) continue;  // Memory that an iteration allocates
    object.value = unknown_value(name);
  }
}

void Interpreter::open_journal() {
  journals_.push_back({.objects = objects_.size(), .before = {}});
}

std::map<std::size_t, Object> Interpreter::close_journal() {
  Journal journal = std::move(journals_.back());
  journals_.pop_back();
  for (const auto& [object, before] : journal.before) {
    if (!journals_.empty() && object < journals_.back().objects)
      journals_.back().before.try_emplace(object, before);
  }
  return std::move(journal.before);
}

/// An element is a variable of its own, or, by reference, the range's.
Interpreter::Flow Interpreter::execute_range_loop(const Statement& loop) {
  constexpr std::int64_t kMaxElements = 1024;  // Of more all are executed at once
  const std::shared_ptr<Scope> outer = scope_;
  scope_ = std::make_shared<Scope>(Scope{.names = {}, .parent = outer});
  const Declarator& element = loop.declarators[0];
  const bool is_list = loop.value->kind == Expression::Kind::list;
  const Value range = is_list ? Value{} : evaluate(loop.value);
  const bool has_elements =
      range.kind == Value::Kind::container ||
      (range.kind == Value::Kind::pointer && range.extents.empty() && objects_[range.object].is_memory);
  std::optional<std::int64_t> count;
  if (is_list) count = static_cast<std::int64_t>(loop.value->operands.size());
  if (has_elements && objects_[range.object].bytes != nullptr && objects_[range.object].element_bytes > 0 &&
      !objects_[range.object].bytes->is_doubtful)
    count = divided(objects_[range.object].bytes, objects_[range.object].element_bytes)->integer;
  const auto begin_iteration = [&](const FormulaPtr& index) {
    const Lvalue place{.object = range.object, .index = index, .fields = {}};
    if (has_elements && element.type.is_reference) {
      scope_->names[element.name] = {.place = place, .type = std::make_shared<Type>(element.type)};
      return;
    }
    Value value = has_elements ? load(place)
                  : is_list && index->integer
                      ? evaluate(loop.value->operands[static_cast<std::size_t>(*index->integer)])
                      : Value{};
    if (value.kind == Value::Kind::unknown) value = unknown_value(element.name);
    declare_variable(element.name, element.type, std::move(value));
  };
  Flow flow = Flow::next;
  ++loops_;
  const bool is_executed_at_once = !count || *count > kMaxElements;
  for (std::int64_t i = 0; !is_executed_at_once && i < *count && flow == Flow::next; ++i) {
    begin_iteration(formula_of(i));
    flow = execute(loop.body[1]);
    if (flow == Flow::continue_loop) flow = Flow::next;
  }
  if (is_executed_at_once) execute_at_once(loop, [&] { begin_iteration(index_formula(count.value_or(0))); });
  --loops_;
  scope_ = outer;
  return flow == Flow::break_loop ? Flow::next : flow;
}

/// Executes the cases from the one that fits on; where the value is not known, from the first on.
Interpreter::Flow Interpreter::execute_selection(const Statement& selection) {
  const Value value = evaluate(selection.value);
  if (selection.body.empty() || selection.body[0] == nullptr) return Flow::next;
  const std::vector<StatementPtr>& body = selection.body[0]->body;
  const bool is_known = value.is_number() && value.number->is_known();
  auto begin = body.end(), otherwise = body.end();
  for (auto one = body.begin(); one != body.end(); ++one) {
    if ((*one)->kind != Statement::Kind::label) continue;
    if ((*one)->value == nullptr) otherwise = one;
    const FormulaPtr label = (*one)->value == nullptr ? nullptr : number((*one)->value);
    const bool fits = label != nullptr && (!is_known || label->real == value.number->real);
    if (begin == body.end() && fits) begin = one;
  }
  if (begin == body.end()) begin = otherwise;
  if (!is_known) {
    ++unknown_conditions_;
    open_journal();
  }
  Flow flow = Flow::next;
  for (auto one = begin; one != body.end() && flow == Flow::next; ++one) flow = execute(*one);
  if (!is_known) {
    --unknown_conditions_;
    for (const auto& [object, before] : close_journal()) merge(objects_[object], before);
  }
  return flow == Flow::break_loop ? Flow::next : flow;
}

}  // namespace warplens::host
