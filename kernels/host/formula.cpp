#include "kernels/host/formula.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace warplens::host {
namespace {

constexpr double kMaxInteger = 9.2e18;

FormulaPtr make(Formula formula) {
  formula.has_index = formula.kind == Formula::Kind::index;
  for (const FormulaPtr& operand : formula.operands) {
    formula.size += operand->size;
    formula.has_index = formula.has_index || operand->has_index;
    formula.is_doubtful = formula.is_doubtful || operand->is_doubtful;
  }
  if (formula.size > Formula::kMaxSize) {
    const bool is_whole = formula.integer.has_value();
    formula.kind = is_whole       ? Formula::Kind::integer
                   : formula.real ? Formula::Kind::real
                                  : Formula::Kind::unknown;
    formula.operands.clear();
    formula.size = 1;
  }
  return std::make_shared<const Formula>(std::move(formula));
}

std::optional<std::int64_t> integer_result(std::string_view operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto unless = [&](bool overflows) { return overflows ? std::nullopt : std::optional(result); };
  if (operation == "+") return unless(__builtin_add_overflow(a, b, &result));
  if (operation == "-") return unless(__builtin_sub_overflow(a, b, &result));
  if (operation == "*") return unless(__builtin_mul_overflow(a, b, &result));
  const bool divides = b != 0 && !(a == std::numeric_limits<std::int64_t>::min() && b == -1);
  if (operation == "/") return divides ? std::optional(a / b) : std::nullopt;
  if (operation == "%") return divides ? std::optional(a % b) : std::nullopt;
  if (operation == "ceil")
    return divides ? std::optional(a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0)) : std::nullopt;
  const bool shifts = b >= 0 && b < 63;
  if (operation == "<<")
    return shifts ? std::optional(static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b))
                  : std::nullopt;
  if (operation == ">>") return shifts ? std::optional(a >> b) : std::nullopt;
  if (operation == "&") return a & b;
  if (operation == "|") return a | b;
  if (operation == "^") return a ^ b;
  if (operation == "min") return std::min(a, b);
  if (operation == "max") return std::max(a, b);
  return std::nullopt;
}

std::optional<double> real_result(std::string_view operation, double a, double b) {
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "/" && b != 0) return a / b;
  if (operation == "min") return std::min(a, b);
  if (operation == "max") return std::max(a, b);
  return std::nullopt;
}

/// nullopt: it is no comparison.
std::optional<bool> compared(std::string_view operation, double a, double b) {
  if (operation == "==") return a == b;
  if (operation == "!=") return a != b;
  if (operation == "<") return a < b;
  if (operation == ">") return a > b;
  if (operation == "<=") return a <= b;
  if (operation == ">=") return a >= b;
  if (operation == "&&") return a != 0 && b != 0;
  if (operation == "||") return a != 0 || b != 0;
  return std::nullopt;
}

bool is_real(const Formula& formula) {
  return formula.kind == Formula::Kind::real ||
         (formula.kind == Formula::Kind::operation && formula.text.starts_with("real")) ||
         (formula.kind == Formula::Kind::random && formula.limit == 0);
}

/// What random numbers become: `rand() % 10` and `rand() & 15` have another limit, a division of all of them
/// makes real ones.
FormulaPtr of_random(std::string_view operation, const Formula& random, const FormulaPtr& other) {
  const bool is_whole = other->integer.has_value() && *other->integer > 0 && random.limit > 0;
  if (is_whole && operation == "%") return random_formula(std::min(*other->integer, random.limit));
  if (is_whole && operation == "&") return random_formula(std::min(*other->integer + 1, random.limit));
  if (is_whole && operation == "/" && *other->integer < random.limit)
    return random_formula((random.limit - 1) / *other->integer + 1);
  if (is_real(*other) || random.limit == 0) return random_formula(0);
  return unknown_formula("a random number");
}

/// (n + 32) - 1 is n + 31.
FormulaPtr with_constants_joined(std::string_view operation, const FormulaPtr& left,
                                 const FormulaPtr& right) {
  const bool is_sum = operation == "+" || operation == "-";
  const bool joins =
      is_sum && left->kind == Formula::Kind::operation && (left->text == "+" || left->text == "-") &&
      left->operands[1]->kind == Formula::Kind::integer && right->kind == Formula::Kind::integer;
  if (!joins) return nullptr;
  const std::int64_t inner = left->text == "-" ? -*left->operands[1]->integer : *left->operands[1]->integer,
                     outer = operation == "-" ? -*right->integer : *right->integer;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(inner, outer, &sum) || sum == std::numeric_limits<std::int64_t>::min())
    return nullptr;
  return sum == 0 ? left->operands[0]
                  : applied(sum < 0 ? "-" : "+", left->operands[0], formula_of(sum < 0 ? -sum : sum));
}

int precedence_of(const std::string& operation) {
  constexpr std::pair<std::string_view, int> kPrecedence[] = {
      {"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4}, {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6}, {"%", 6}};
  const auto* const found =
      std::ranges::find(kPrecedence, std::string_view(operation), &std::pair<std::string_view, int>::first);
  return found == std::end(kPrecedence) ? 0 : found->second;
}

bool uses(const FormulaPtr& formula, const std::map<const Formula*, std::string>& names) {
  return names.contains(formula.get()) ||
         std::ranges::any_of(formula->operands,
                             [&](const FormulaPtr& operand) { return uses(operand, names); });
}

/// The formula with the values of variables that have no name, so that n + threads - 1 becomes n + 255.
FormulaPtr reduced(const FormulaPtr& formula, const std::map<const Formula*, std::string>& names) {
  if (names.contains(formula.get())) return formula;
  if (!uses(formula, names)) return formula->integer ? formula_of(*formula->integer) : formula;
  if (formula->text == "named") return reduced(formula->operands[0], names);
  if (formula->operands.size() != 2 || formula->text.starts_with("real")) return formula;
  return applied(formula->text, reduced(formula->operands[0], names), reduced(formula->operands[1], names));
}

/// The text and the precedence of its outermost operator; 7: it needs no parentheses.
std::optional<std::pair<std::string, int>> written(const FormulaPtr& formula,
                                                   const std::map<const Formula*, std::string>& names) {
  if (const auto named = names.find(formula.get()); named != names.end()) return std::pair{named->second, 7};
  const bool in_words = formula->kind == Formula::Kind::operation && uses(formula, names);
  if (!in_words) {
    if (!formula->integer) return std::nullopt;
    return std::pair{std::to_string(*formula->integer), *formula->integer < 0 ? 5 : 7};
  }
  const auto left = written(formula->operands[0], names),
             right = formula->operands.size() > 1 ? written(formula->operands[1], names) : std::nullopt;
  const bool is_call = formula->text == "min" || formula->text == "max" || formula->text == "ceil";
  const int precedence = precedence_of(formula->text);
  if (!left || !right || (!is_call && precedence == 0)) {
    if (!formula->integer) return std::nullopt;
    return std::pair{std::to_string(*formula->integer), 7};
  }
  if (is_call) return std::pair{formula->text + "(" + left->first + "," + right->first + ")", 7};
  const auto in_parentheses = [](const std::pair<std::string, int>& part, bool needed) {
    return needed ? "(" + part.first + ")" : part.first;
  };
  return std::pair{in_parentheses(*left, left->second < precedence) + formula->text +
                       in_parentheses(*right, right->second <= precedence),
                   precedence};
}

}  // namespace

FormulaPtr formula_of(std::int64_t value) {
  return make({.kind = Formula::Kind::integer, .integer = value, .real = static_cast<double>(value)});
}
FormulaPtr formula_of_real(double value) {
  return make({.kind = Formula::Kind::real, .real = value});
}
FormulaPtr unknown_formula(std::string text) {
  return make({.kind = Formula::Kind::unknown, .text = std::move(text)});
}
FormulaPtr random_formula(std::int64_t limit) {
  return make({.kind = Formula::Kind::random, .limit = limit});
}
FormulaPtr index_formula(std::int64_t limit) {
  return make({.kind = Formula::Kind::index, .limit = limit});
}

FormulaPtr doubtful_formula(const FormulaPtr& value) {
  if (value->is_doubtful || !value->is_known()) return value;
  if (is_real(*value)) return make({.kind = Formula::Kind::real, .real = value->real, .is_doubtful = true});
  return make({.kind = Formula::Kind::operation,
               .text = "named",
               .operands = {value},
               .integer = value->integer,
               .real = value->real,
               .is_doubtful = true});
}

bool is_doubtful(const FormulaPtr& formula, const std::map<const Formula*, std::string>& names) {
  if (!formula->is_doubtful || names.contains(formula.get())) return false;
  const auto has_doubt = [](const FormulaPtr& operand) { return operand->is_doubtful; };
  if (std::ranges::none_of(formula->operands, has_doubt)) return !uses(formula, names);
  return std::ranges::any_of(formula->operands,
                             [&](const FormulaPtr& operand) { return is_doubtful(operand, names); });
}

FormulaPtr named_formula(const FormulaPtr& value) {
  if (value->kind != Formula::Kind::integer && value->kind != Formula::Kind::operation) return value;
  if (is_real(*value)) return value;
  return make({.kind = Formula::Kind::operation,
               .text = "named",
               .operands = {value},
               .integer = value->integer,
               .real = value->real});
}

FormulaPtr applied(std::string_view operation, const FormulaPtr& left, const FormulaPtr& right) {
  if (left->is_known() && right->is_known()) {
    if (const auto truth = compared(operation, *left->real, *right->real)) {
      const FormulaPtr result = formula_of(*truth ? 1 : 0);
      return left->is_doubtful || right->is_doubtful ? doubtful_formula(result) : result;
    }
  } else if (operation == "&&" || operation == "||") {
    const bool decisive = operation == "||";  // The value of one side that decides
    for (const FormulaPtr& side : {left, right}) {
      if (side->is_known() && (*side->real != 0) == decisive) return formula_of(decisive ? 1 : 0);
    }
  }
  if (left->kind == Formula::Kind::random && right->kind != Formula::Kind::random)
    return of_random(operation, *left, right);
  if (right->kind == Formula::Kind::random) {
    return left->kind == Formula::Kind::random || is_real(*left) ? random_formula(0)
                                                                 : unknown_formula("a random number");
  }
  if (is_real(*left) || is_real(*right)) {
    Formula result{
        .kind = Formula::Kind::operation, .text = "real" + std::string(operation), .operands = {left, right}};
    if (left->is_known() && right->is_known())
      result.real = real_result(operation, *left->real, *right->real);
    return make(std::move(result));
  }
  const auto is_literal = [](const FormulaPtr& side, std::int64_t value) {
    return side->kind == Formula::Kind::integer && side->integer == value;
  };
  if (operation == "*" && is_literal(left, 1)) return right;
  if ((operation == "*" || operation == "/") && is_literal(right, 1)) return left;
  if (FormulaPtr joined = with_constants_joined(operation, left, right)) return joined;
  Formula result{.kind = Formula::Kind::operation, .text = std::string(operation), .operands = {left, right}};
  if (left->integer && right->integer)
    result.integer = integer_result(operation, *left->integer, *right->integer);
  if (result.integer) result.real = static_cast<double>(*result.integer);
  return make(std::move(result));
}

FormulaPtr as_real(const FormulaPtr& value) {
  if (is_real(*value)) return value;
  if (value->kind == Formula::Kind::random) return random_formula(0);
  return make({.kind = Formula::Kind::operation, .text = "real", .operands = {value}, .real = value->real});
}

FormulaPtr truncated(const FormulaPtr& value) {
  if (!is_real(*value)) return value;
  if (value->text == "real") return value->operands[0];
  if (value->kind == Formula::Kind::random) return random_formula(1);
  if (value->real && std::abs(*value->real) < kMaxInteger) {
    const FormulaPtr whole = formula_of(static_cast<std::int64_t>(*value->real));
    return value->is_doubtful ? doubtful_formula(whole) : whole;
  }
  return unknown_formula(value->text);
}

FormulaPtr rounded_up(const FormulaPtr& value) {
  const bool is_quotient = value->text == "real/" && !value->operands.empty();
  if (is_quotient) {
    // (float)n / 16: a cast of an integer, or a whole number that is written with a point
    const auto whole = [](const FormulaPtr& part) -> FormulaPtr {
      if (part->text == "real" && !part->operands.empty()) return part->operands[0];
      if (!is_real(*part)) return part;
      const bool is_whole =
          part->real && *part->real == std::floor(*part->real) && std::abs(*part->real) < kMaxInteger;
      return is_whole ? formula_of(static_cast<std::int64_t>(*part->real)) : nullptr;
    };
    const FormulaPtr left = whole(value->operands[0]), right = whole(value->operands[1]);
    if (left != nullptr && right != nullptr) return applied("ceil", left, right);
  }
  if (!is_real(*value)) return value;
  return value->real && std::abs(*value->real) < kMaxInteger
             ? formula_of(static_cast<std::int64_t>(std::ceil(*value->real)))
             : unknown_formula(value->text);
}

FormulaPtr divided(const FormulaPtr& bytes, std::int64_t each) {
  if (each == 1) return bytes;
  if (bytes->kind == Formula::Kind::operation && bytes->text == "named") {
    FormulaPtr inner = divided(bytes->operands[0], each);
    if (inner->text != "/") return inner;
  }
  if (bytes->kind == Formula::Kind::integer && *bytes->integer % each == 0)
    return formula_of(*bytes->integer / each);
  if (bytes->kind == Formula::Kind::operation && bytes->text == "*") {
    for (const std::size_t side : {1u, 0u}) {
      const FormulaPtr &factor = bytes->operands[side], &other = bytes->operands[1 - side];
      const bool is_multiple = factor->kind == Formula::Kind::integer && *factor->integer % each == 0;
      if (is_multiple)
        return *factor->integer == each ? other : applied("*", other, formula_of(*factor->integer / each));
    }
    for (const std::size_t side : {0u, 1u}) {
      const FormulaPtr inner = divided(bytes->operands[side], each);
      if (inner->text == "/") continue;
      return side == 0 ? applied("*", inner, bytes->operands[1]) : applied("*", bytes->operands[0], inner);
    }
  }
  return applied("/", bytes, formula_of(each));
}

bool covers(const FormulaPtr& index, std::int64_t count) {
  // As many pairs of counters as elements, of which the last leads to the last: rows of columns do that
  std::set<const Formula*> counters;
  const auto last = [&](const auto& self, const FormulaPtr& formula) -> std::optional<std::int64_t> {
    if (formula->kind == Formula::Kind::index) {
      counters.insert(formula.get());
      return formula->limit > 0 ? std::optional(formula->limit - 1) : std::nullopt;
    }
    if (formula->operands.empty()) return formula->integer;
    const auto left = self(self, formula->operands[0]);
    if (formula->text == "named" || !left) return left;
    const auto right = formula->operands.size() > 1 ? self(self, formula->operands[1]) : std::nullopt;
    if (!right) return std::nullopt;
    const bool rises = formula->text == "+" || formula->text == "*";
    return rises || (formula->integer && formula->text != "real")
               ? integer_result(formula->text, *left, *right)
               : std::nullopt;
  };
  const std::optional<std::int64_t> end = last(last, index);
  std::int64_t iterations = 1;
  for (const Formula* counter : counters) {
    if (__builtin_mul_overflow(iterations, counter->limit, &iterations)) return false;
  }
  return end && !counters.empty() && *end == count - 1 && iterations == count;
}

FormulaPtr at_index(const FormulaPtr& formula, std::int64_t value) {
  if (!formula->has_index) return formula;
  if (formula->kind == Formula::Kind::index) return formula_of(value);
  FormulaPtr left = at_index(formula->operands[0], value);
  if (formula->text == "named") return left;
  if (formula->text == "real") return as_real(left);
  if (formula->operands.size() != 2) return unknown_formula(formula->text);
  constexpr std::string_view kReal = "real";
  const std::string_view operation = formula->text;
  return applied(operation.starts_with(kReal) ? operation.substr(kReal.size()) : operation, left,
                 at_index(formula->operands[1], value));
}

std::optional<std::string> text_of(const FormulaPtr& formula,
                                   const std::map<const Formula*, std::string>& names) {
  const auto text = written(reduced(formula, names), names);
  return text ? std::optional(text->first) : std::nullopt;
}

}  // namespace warplens::host
