#include "kernels/ptx/expressions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "kernels/base/texts.h"
#include "kernels/ptx/literals.h"

namespace warplens::ptx {
namespace {

enum class BinaryOp : std::uint8_t {
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  greater,
  at_most,
  at_least,
  equal,
  differs,
  bit_and,
  bit_xor,
  bit_or,
  both,
  either,
};

struct BinaryOperator {
  std::string_view written;
  BinaryOp op;
  int precedence;  ///< The higher, the tighter it binds
};

constexpr std::array<BinaryOperator, 18> kBinaryOperators{{{"*", BinaryOp::multiply, 10},
                                                           {"/", BinaryOp::divide, 10},
                                                           {"%", BinaryOp::remainder, 10},
                                                           {"+", BinaryOp::add, 9},
                                                           {"-", BinaryOp::subtract, 9},
                                                           {"<<", BinaryOp::shift_left, 8},
                                                           {">>", BinaryOp::shift_right, 8},
                                                           {"<", BinaryOp::less, 7},
                                                           {">", BinaryOp::greater, 7},
                                                           {"<=", BinaryOp::at_most, 7},
                                                           {">=", BinaryOp::at_least, 7},
                                                           {"==", BinaryOp::equal, 6},
                                                           {"!=", BinaryOp::differs, 6},
                                                           {"&", BinaryOp::bit_and, 5},
                                                           {"^", BinaryOp::bit_xor, 4},
                                                           {"|", BinaryOp::bit_or, 3},
                                                           {"&&", BinaryOp::both, 2},
                                                           {"||", BinaryOp::either, 1}}};

const BinaryOperator* operator_of(const Token& token) {
  if (token.kind != Token::Kind::punctuation && token.text != "%") return nullptr;
  const auto found = std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                                  [&](const BinaryOperator& one) { return one.written == token.text; });
  return found == kBinaryOperators.end() ? nullptr : &*found;
}

Operand constant(std::uint64_t bits, Type type) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.bits = bits;
  operand.immediate_type = type;
  return operand;
}
Operand truth(bool holds) {
  return constant(holds ? 1 : 0, Type::s64);
}

bool is_integer(const Operand& operand) {
  return operand.immediate_type == Type::s64 || operand.immediate_type == Type::u64;
}

std::optional<Operand> of_floats(BinaryOp op, double a, double b) {
  const auto value = [](double result) { return constant(std::bit_cast<std::uint64_t>(result), Type::f64); };
  switch (op) {
    case BinaryOp::multiply: return value(a * b);
    case BinaryOp::divide: return value(a / b);
    case BinaryOp::add: return value(a + b);
    case BinaryOp::subtract: return value(a - b);
    case BinaryOp::less: return truth(a < b);
    case BinaryOp::greater: return truth(a > b);
    case BinaryOp::at_most: return truth(a <= b);
    case BinaryOp::at_least: return truth(a >= b);
    case BinaryOp::equal: return truth(a == b);
    case BinaryOp::differs: return truth(a != b);
    case BinaryOp::remainder:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
    case BinaryOp::bit_and:
    case BinaryOp::bit_xor:
    case BinaryOp::bit_or:
    case BinaryOp::both:
    case BinaryOp::either: break;
  }
  return std::nullopt;
}

/// Quotients of zero are left to the caller.
std::uint64_t quotient(std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  if (is_unsigned) return a / b;
  return b == ~0ull ? 0 - a
                    : static_cast<std::uint64_t>(static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b));
}

/// Shifts by 64 and more leave nothing but copies of the sign.
std::uint64_t shifted(BinaryOp op, std::uint64_t a, std::uint64_t amount, bool is_unsigned) {
  const bool fills_with_ones = op == BinaryOp::shift_right && !is_unsigned && a >> 63 != 0;
  if (amount >= 64) return fills_with_ones ? ~0ull : 0;
  if (op == BinaryOp::shift_left) return a << amount;
  return a >> amount | (fills_with_ones && amount > 0 ? ~0ull << (64 - amount) : 0);
}

/// The types are those of the PTX ISA's table "Constant Expression Evaluation Rules".
Operand of_integers(BinaryOp op, const Operand& left, const Operand& right) {
  const std::uint64_t a = left.bits, b = right.bits;
  const bool is_unsigned = left.immediate_type == Type::u64 || right.immediate_type == Type::u64;
  const Type common = is_unsigned ? Type::u64 : Type::s64;
  const bool is_less = is_unsigned ? a < b : static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  switch (op) {
    case BinaryOp::multiply: return constant(a * b, common);
    case BinaryOp::divide: return constant(quotient(a, b, is_unsigned), common);
    case BinaryOp::remainder: return constant(a % b, Type::s64);
    case BinaryOp::add: return constant(a + b, common);
    case BinaryOp::subtract: return constant(a - b, common);
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return constant(shifted(op, a, b, left.immediate_type == Type::u64), left.immediate_type);
    case BinaryOp::less: return truth(is_less);
    case BinaryOp::greater: return truth(!is_less && a != b);
    case BinaryOp::at_most: return truth(is_less || a == b);
    case BinaryOp::at_least: return truth(!is_less);
    case BinaryOp::equal: return truth(a == b);
    case BinaryOp::differs: return truth(a != b);
    case BinaryOp::bit_and: return constant(a & b, Type::u64);
    case BinaryOp::bit_xor: return constant(a ^ b, Type::u64);
    case BinaryOp::bit_or: return constant(a | b, Type::u64);
    case BinaryOp::both: return truth(a != 0 && b != 0);
    case BinaryOp::either: break;
  }
  return truth(a != 0 || b != 0);
}

/// Precedence climbing. Nothing without an error: a name that is not a constant.
class ExpressionParser {
 public:
  explicit ExpressionParser(Cursor& cursor) : cursor_(cursor) {}

  std::optional<Operand> whole() { return conditional(unary()); }
  std::optional<Operand> whole_after(char operation) { return conditional(applied(operation, unary())); }

 private:
  std::optional<Operand> fail(std::string what) {
    cursor_.fail(cursor_.peek().line, std::move(what));
    return std::nullopt;
  }

  std::optional<Operand> too_deep() {
    return fail(tr("a constant expression is nested more than {most} times", "most"_a = Limits::kNesting));
  }

  std::optional<Operand> conditional(std::optional<Operand> first) {
    std::optional<Operand> condition = binary(std::move(first), 1);
    if (!condition || !cursor_.accept('?')) return condition;
    if (!is_integer(*condition)) return fail(tr("the condition of a constant expression is an integer"));
    if (++depth_ > Limits::kNesting) return too_deep();
    const std::optional<Operand> yes = whole();
    if (!yes || !cursor_.expect(':')) return std::nullopt;
    std::optional<Operand> no = whole();
    --depth_;
    if (!no) return std::nullopt;
    if (is_integer(*yes) != is_integer(*no)) return mixed();
    Operand& chosen = *no;
    const bool is_unsigned = yes->immediate_type == Type::u64 || no->immediate_type == Type::u64;
    if (condition->bits != 0) chosen.bits = yes->bits;
    if (is_integer(chosen)) chosen.immediate_type = is_unsigned ? Type::u64 : Type::s64;
    return no;
  }

  std::optional<Operand> binary(std::optional<Operand> left, int weakest) {
    while (left) {
      const BinaryOperator* const found = operator_of(cursor_.peek());
      if (found == nullptr || found->precedence < weakest) return left;
      cursor_.take();
      const std::optional<Operand> right = binary(unary(), found->precedence + 1);
      if (!right) return std::nullopt;
      left = combined(found->op, *left, *right);
    }
    return left;
  }

  std::optional<Operand> combined(BinaryOp op, const Operand& left, const Operand& right) {
    if (is_integer(left) && is_integer(right)) {
      if ((op == BinaryOp::divide || op == BinaryOp::remainder) && right.bits == 0)
        return fail(tr("a constant expression divides by zero"));
      return of_integers(op, left, right);
    }
    if (left.immediate_type != Type::f64 || right.immediate_type != Type::f64) return mixed();
    auto value = of_floats(op, std::bit_cast<double>(left.bits), std::bit_cast<double>(right.bits));
    return value ? value : fail(tr("an operator of integers stands between floating-point constants"));
  }
  std::optional<Operand> mixed() {
    return fail(tr("a constant expression is of integers or of floating-point numbers, not of both"));
  }

  std::optional<Operand> unary() {
    if (++depth_ > Limits::kNesting) return too_deep();
    std::optional<Operand> value = unary_of_bounded_depth();
    --depth_;
    return value;
  }
  std::optional<Operand> unary_of_bounded_depth() {
    for (const char operation : {'-', '+', '!', '~'}) {
      if (cursor_.accept(operation)) return applied(operation, unary());
    }
    if (cursor_.accept('(')) {
      const bool is_signed = cursor_.accept(".s64");
      if (is_signed || cursor_.accept(".u64")) {
        std::optional<Operand> value = cursor_.expect(')') ? unary() : std::nullopt;
        if (value && !is_integer(*value)) return mixed();
        if (value) value->immediate_type = is_signed ? Type::s64 : Type::u64;
        return value;
      }
      std::optional<Operand> value = whole();
      return value && cursor_.expect(')') ? value : std::nullopt;
    }
    return primary();
  }

  std::optional<Operand> applied(char operation, std::optional<Operand> value) {
    if (!value) return std::nullopt;
    const std::uint64_t sign = value->immediate_type == Type::f32 ? 1u << 31 : 1ull << 63;
    if (operation == '-') {
      value->bits = is_integer(*value) ? 0 - value->bits : value->bits ^ sign;
    } else if (operation != '+') {
      if (!is_integer(*value)) return mixed();
      value = operation == '!' ? truth(value->bits == 0) : constant(~value->bits, Type::u64);
    }
    return value;
  }

  std::optional<Operand> primary() {
    const Token token = cursor_.peek();
    if (token.text == "WARP_SZ") {
      cursor_.take();
      return constant(32, Type::s64);
    }
    if (token.kind == Token::Kind::word) return std::nullopt;
    auto value = token.kind == Token::Kind::number ? parse_number(token.text, false) : std::nullopt;
    if (!value) {
      cursor_.fail_here(tr("an operand"));
      return std::nullopt;
    }
    if (is_integer(*value) && (token.text.back() == 'U' || token.text.back() == 'u'))
      value->immediate_type = Type::u64;
    cursor_.take();
    return value;
  }

  Cursor& cursor_;
  std::size_t depth_ = 0;
};

}  // namespace

bool begins_constant(const Token& token) {
  return token.kind == Token::Kind::number || token.text == "WARP_SZ" || token.is('(') || token.is('~') ||
         token.is('+');
}

std::optional<Operand> parse_constant(Cursor& cursor) {
  return ExpressionParser(cursor).whole();
}

std::optional<Operand> parse_constant_after(Cursor& cursor, char unary) {
  return ExpressionParser(cursor).whole_after(unary);
}

}  // namespace warplens::ptx
