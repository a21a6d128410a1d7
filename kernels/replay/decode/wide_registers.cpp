#include "kernels/replay/decode/wide_registers.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/ptx/opcodes.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Type;

constexpr std::uint32_t kNarrow = 0xffffffffu;

class Splitter {
 public:
  explicit Splitter(ptx::Function& function)
      : function_(function), high_(function.registers.size(), kNarrow) {}

  void run() {
    for (std::uint32_t r = 0; r < high_.size(); ++r) {
      if (function_.registers[r].type != Type::b128) continue;
      high_[r] = static_cast<std::uint32_t>(function_.registers.size());
      function_.registers[r].type = Type::b64;
      function_.registers.push_back(function_.registers[r]);
    }
    if (function_.registers.size() == high_.size()) return;
    for (ptx::Instruction& instruction : function_.instructions) {
      for (ptx::Operand& operand : instruction.operands) split(operand);
      if (instruction.type != Type::b128 || !ptx::is_access(instruction) || ptx::is_atomic(instruction))
        continue;
      instruction.type = Type::b64;
      instruction.vector = static_cast<std::uint8_t>(2 * instruction.vector);
    }
  }

 private:
  [[nodiscard]] bool is_wide(const ptx::Operand& operand) const {
    const auto r = static_cast<std::uint32_t>(operand.reg);
    return operand.kind == Kind::reg && r < high_.size() && high_[r] != kNarrow;
  }
  void push_halves(const ptx::Operand& operand, std::vector<ptx::Operand>& halves) const {
    halves.push_back(operand);
    halves.push_back(operand);
    halves.back().reg = ptx::RegisterId{high_[static_cast<std::uint32_t>(operand.reg)]};
  }
  void split(ptx::Operand& operand) const {
    if (is_wide(operand)) {
      ptx::Operand pair{.kind = Kind::vector};
      push_halves(operand, pair.elements);
      operand = std::move(pair);
      return;
    }
    std::vector<ptx::Operand> elements;
    for (ptx::Operand& element : operand.elements) {
      if (is_wide(element)) {
        push_halves(element, elements);
      } else {
        elements.push_back(std::move(element));
      }
    }
    operand.elements = std::move(elements);
  }

  ptx::Function& function_;
  std::vector<std::uint32_t> high_;  ///< By register: its upper half
};

}  // namespace

void split_wide_registers(ptx::Function& function) {
  Splitter(function).run();
}

}  // namespace warplens::replay
