#include "kernels/replay/decode/quotients.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Opcode;
using ptx::Type;

class QuotientFinder {
 public:
  QuotientFinder(const ptx::Function& function, const ptx::ControlFlow& flow)
      : function_(function),
        flow_(flow),
        reads_(function.registers.size()),
        writes_(function.registers.size()) {
    for (const ptx::Instruction& instruction : function.instructions) {
      const ptx::RegisterUse use = ptx::register_use(instruction);
      for (const std::uint32_t r : use.reads) ++reads_[r];
      for (const std::uint32_t r : use.writes) ++writes_[r];
    }
  }

  std::vector<QuotientPlan> run() {
    std::vector<QuotientPlan> plans;
    for (const ptx::BasicBlock& block : flow_.blocks) {
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        const std::optional<QuotientPlan> plan = plan_from(i, block.end);
        if (!plan || plan->end == function_.instructions.size()) continue;
        plans.push_back(*plan);
        i = plan->end - 1;
      }
    }
    return plans;
  }

 private:
  [[nodiscard]] std::optional<QuotientPlan> plan_from(std::uint32_t i, std::uint32_t end) const {
    if (end - i < 3) return std::nullopt;
    const ptx::Instruction &product = at(i), &shift = at(i + 1), &quotient = at(i + 2);
    const bool fits = is(product, Opcode::mul, {Type::u32}, Kind::immediate) &&
                      product.mul == ptx::MulMode::wide &&
                      is(shift, Opcode::shr, {Type::u64, Type::b64}, Kind::immediate) &&
                      passes_on(product, shift, 1) && is(quotient, Opcode::cvt, {Type::u32}) &&
                      quotient.source_type == Type::u64 && !quotient.sat && passes_on(shift, quotient, 1);
    if (!fits || shift.operands[2].bits < 32 || shift.operands[2].bits > 63 || !has_narrow(product, 1) ||
        !has_narrow(quotient, 0))
      return std::nullopt;
    QuotientPlan plan{.first = i,
                      .end = i + 3,
                      .factor = static_cast<std::uint32_t>(product.operands[2].bits),
                      .shift = static_cast<std::uint32_t>(shift.operands[2].bits)};
    if (end - i >= 5) add_remainder(plan, product, quotient, end);
    return plan;
  }

  void add_remainder(QuotientPlan& plan, const ptx::Instruction& product, const ptx::Instruction& quotient,
                     std::uint32_t end) const {
    const ptx::Instruction &multiple = at(plan.end), &rest = at(plan.end + 1);
    const auto dividend = product.operands[1].reg;
    const bool fits =
        is(multiple, Opcode::mul, {Type::u32, Type::s32}, Kind::immediate) &&
        multiple.mul == ptx::MulMode::lo && multiple.operands[1].reg == quotient.operands[0].reg &&
        is(rest, Opcode::sub, {Type::u32, Type::s32}, Kind::reg) && !rest.sat && !rest.carry_out &&
        passes_on(multiple, rest, 2) && rest.operands[1].reg == dividend && has_narrow(rest, 0);
    if (!fits || quotient.operands[0].reg == dividend || multiple.operands[0].reg == dividend) return;
    plan.has_remainder = true;
    plan.divisor = static_cast<std::uint32_t>(multiple.operands[2].bits);
    plan.is_wanted = !is_for_one(quotient.operands[0]) && rest.operands[0].reg != quotient.operands[0].reg;
    plan.end += 2;
    if (plan.end < end && at(plan.end).opcode == Opcode::setp) add_test(plan, rest, at(plan.end));
  }

  void add_test(QuotientPlan& plan, const ptx::Instruction& rest, const ptx::Instruction& test) const {
    const bool fits = is(test, Opcode::setp, {Type::u32, Type::s32, Type::b32}, Kind::immediate) &&
                      !test.paired_destination &&
                      (test.compare == ptx::Compare::eq || test.compare == ptx::Compare::ne) &&
                      passes_on(rest, test, 1);
    if (!fits) return;
    plan.has_test = true;
    plan.differs = test.compare == ptx::Compare::ne;
    plan.value = static_cast<std::uint32_t>(test.operands[2].bits);
    plan.end += 1;
  }

  [[nodiscard]] const ptx::Instruction& at(std::uint32_t i) const { return function_.instructions[i]; }

  /// Of all lanes that are there, from a register to a register, with a second source of that kind if there
  /// is one.
  [[nodiscard]] static bool is(const ptx::Instruction& i, Opcode opcode, std::initializer_list<Type> types,
                               Kind second = Kind::none) {
    if (i.opcode != opcode || i.guard.kind == Kind::reg ||
        i.operands.size() != (second == Kind::none ? 2u : 3u))
      return false;
    if (std::ranges::find(types, i.type) == types.end() || i.operands[0].kind != Kind::reg ||
        i.operands[1].kind != Kind::reg)
      return false;
    return second == Kind::none || i.operands[2].kind == second;
  }
  /// What one instruction leaves, the next reads, and nothing else does.
  [[nodiscard]] bool passes_on(const ptx::Instruction& from, const ptx::Instruction& to,
                               std::size_t operand) const {
    return is_for_one(from.operands[0]) && to.operands[operand].reg == from.operands[0].reg;
  }
  [[nodiscard]] bool is_for_one(const ptx::Operand& operand) const {
    const auto reg = static_cast<std::uint32_t>(operand.reg);
    return reads_[reg] == 1 && writes_[reg] == 1;
  }
  [[nodiscard]] bool has_narrow(const ptx::Instruction& i, std::size_t operand) const {
    return ptx::size_of(function_.registers[static_cast<std::uint32_t>(i.operands[operand].reg)].type) == 4;
  }

  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  std::vector<std::uint32_t> reads_, writes_;  ///< By register: how many instructions
};

}  // namespace

std::vector<QuotientPlan> find_quotients(const ptx::Function& function, const ptx::ControlFlow& flow) {
  return QuotientFinder(function, flow).run();
}

}  // namespace warplens::replay
