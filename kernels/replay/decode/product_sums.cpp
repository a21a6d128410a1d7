#include "kernels/replay/decode/product_sums.h"

#include <map>
#include <optional>
#include <utility>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;

struct GroupedLoad {
  std::uint32_t group = 0, above = 0;
};

std::optional<std::uint32_t> register_of(const ptx::Operand& operand) {
  return operand.kind == Kind::reg ? std::optional(static_cast<std::uint32_t>(operand.reg)) : std::nullopt;
}

bool is_product(const ptx::Instruction& i) {
  const bool is_plain = i.opcode == ptx::Opcode::fma && i.rounding == ptx::Rounding::rn && !i.ftz && !i.sat &&
                        !i.relu && i.guard.kind != Kind::reg;
  return is_plain && (i.type == ptx::Type::f32 || i.type == ptx::Type::f64) &&
         i.operands[0].kind == Kind::reg;
}

class SumFinder {
 public:
  SumFinder(const ptx::Function& function, const ptx::ControlFlow& flow,
            const std::vector<LoadGroupPlan>& groups)
      : function_(function),
        flow_(flow),
        reads_(function.registers.size()),
        writes_(function.registers.size()) {
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      for (const LoadGroupPlan::Load& load : groups[g].loads)
        grouped_.emplace(load.instruction, GroupedLoad{g, load.above});
    }
    for (const ptx::Instruction& instruction : function.instructions) {
      const ptx::RegisterUse use = ptx::register_use(instruction);
      for (const std::uint32_t r : use.reads) ++reads_[r];
      for (const std::uint32_t r : use.writes) ++writes_[r];
    }
  }

  std::vector<ProductSumPlan> run() {
    for (const ptx::BasicBlock& block : flow_.blocks) {
      for (std::uint32_t i = block.first; i < block.end; ++i) take(i);
      close();
    }
    return std::move(sums_);
  }

 private:
  void take(std::uint32_t i) {
    const ptx::Instruction& instruction = function_.instructions[i];
    const auto load = grouped_.find(i);
    if (const auto reg = load != grouped_.end() ? register_of(ptx::data_of(instruction)) : std::nullopt) {
      if (fetched_.empty() && open_.products.empty()) open_.first = i;
      fetched_[*reg] = load->second;
    } else if (!is_product(instruction) || !add(i, instruction)) {
      close();
    }
  }

  /// Whether it goes on with the sum.
  bool add(std::uint32_t i, const ptx::Instruction& instruction) {
    const std::uint32_t sum = *register_of(instruction.operands[0]);
    const bool wide = instruction.type == ptx::Type::f64, is_first = open_.products.empty();
    if (!is_first && (wide != open_.wide || register_of(instruction.operands[3]) != sum_)) return false;
    if (!is_first && sum != sum_ && !is_for_one(sum_)) return false;
    std::optional<GroupedLoad> x = take_fetched(instruction, 1), y = take_fetched(instruction, 2);
    if (!x || !y) return false;
    if (is_first) {
      open_.addend = i;
      open_.wide = wide;
      open_.x_group = x->group;
      open_.y_group = y->group;
    }
    if (x->group != open_.x_group) std::swap(x, y);  // A product is the same either way
    if (x->group != open_.x_group || y->group != open_.y_group) return false;
    open_.products.push_back({x->above, y->above});
    sum_ = sum;
    if (!fetched_.empty()) return true;
    open_.last = i;
    open_.end = i + 1;
    complete_ = open_.products.size();
    return true;
  }

  std::optional<GroupedLoad> take_fetched(const ptx::Instruction& instruction, std::size_t k) {
    const auto reg = register_of(instruction.operands[k]);
    if (!reg || !is_for_one(*reg) ||
        ptx::size_of(function_.registers[*reg].type) != ptx::size_of(instruction.type))
      return std::nullopt;
    const auto fetched = fetched_.find(*reg);
    if (fetched == fetched_.end()) return std::nullopt;
    const GroupedLoad load = fetched->second;
    fetched_.erase(fetched);
    return load;
  }

  /// Written by one instruction, read by one.
  [[nodiscard]] bool is_for_one(std::uint32_t reg) const { return reads_[reg] == 1 && writes_[reg] == 1; }

  /// Keeps of the sum what no other load stands between.
  void close() {
    open_.products.resize(complete_);
    if (complete_ >= 2 && open_.end < function_.instructions.size()) sums_.push_back(std::move(open_));
    open_ = {};
    fetched_.clear();
    complete_ = 0;
  }

  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  std::vector<std::uint32_t> reads_, writes_;     ///< By register: how many instructions
  std::map<std::uint32_t, GroupedLoad> grouped_;  ///< By instruction
  std::vector<ProductSumPlan> sums_;

  ProductSumPlan open_;
  std::map<std::uint32_t, GroupedLoad> fetched_;  ///< By register: what no product has taken yet
  std::uint32_t sum_ = 0;                         ///< The register of the last multiply-add
  std::size_t complete_ = 0;  ///< Products up to which everything that was fetched was taken
};

}  // namespace

std::vector<ProductSumPlan> find_product_sums(const ptx::Function& function, const ptx::ControlFlow& flow,
                                              const std::vector<LoadGroupPlan>& groups) {
  return SumFinder(function, flow, groups).run();
}

}  // namespace warplens::replay
