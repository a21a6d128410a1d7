#include "kernels/replay/decode/provenance.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Effect;
using ptx::StateSpace;

std::uint64_t bit_of_parameter(const ptx::Function& function, std::uint32_t variable) {
  const auto end =
      function.parameters.begin() + std::min<std::ptrdiff_t>(62, std::ssize(function.parameters));
  const auto at = std::find(function.parameters.begin(), end, variable);
  return at == end ? kFromAnywhere : std::uint64_t{1} << (at - function.parameters.begin());
}

class Tracer {
 public:
  /// `of_maps`: of tensor maps, which lie in parameters; what a pointer to one leads to is not known.
  explicit Tracer(const ptx::Function& function, bool of_maps = false)
      : function_(function),
        of_maps_(of_maps),
        from_(function.registers.size()),
        readers_(function.registers.size()) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      for (const std::uint32_t r : ptx::register_use(function.instructions[i]).reads)
        readers_[r].push_back(i);
    }
    for (const ptx::Instruction& instruction : function.instructions) trace(instruction);
    while (!changed_.empty()) {
      const std::uint32_t r = changed_.back();
      changed_.pop_back();
      for (const std::uint32_t reader : readers_[r]) trace(function.instructions[reader]);
    }
  }

  [[nodiscard]] std::uint64_t origin(const ptx::Operand& operand) const {
    const Kind kind = operand.kind == Kind::address ? operand.address_base : operand.kind;
    if (kind == Kind::reg) return from_[static_cast<std::uint32_t>(operand.reg)];
    if (kind == Kind::variable && function_.variables[operand.variable].space == StateSpace::global)
      return kFromModule;
    if (of_maps_ && kind == Kind::variable &&
        function_.variables[operand.variable].space == StateSpace::param)
      return bit_of_parameter(function_, operand.variable);
    return 0;
  }
  /// Returns the buffers that an access may touch. An address of unknown origin may point anywhere.
  [[nodiscard]] std::uint64_t target(const ptx::Operand& address) const {
    const std::uint64_t from = origin(address);
    return from != 0 ? from : kFromAnywhere;
  }

 private:
  void trace(const ptx::Instruction& instruction) {
    std::uint64_t from = 0;
    const Effect effect = ptx::effect_of(instruction);
    const ptx::Operand* const loaded = effect == Effect::load ? &ptx::address_of(instruction) : nullptr;
    if (loaded != nullptr && instruction.space == StateSpace::param &&
        loaded->address_base == Kind::variable) {
      from = of_maps_ ? kFromAnywhere : bit_of_parameter(function_, loaded->variable);
    } else if (loaded != nullptr || effect == Effect::atomic || effect == Effect::call) {
      from = kFromAnywhere;
    } else {
      for (const ptx::Operand& operand : instruction.operands) {
        from |= origin(operand);
        for (const ptx::Operand& element : operand.elements) from |= origin(element);
      }
    }
    for (const std::uint32_t r : ptx::register_use(instruction).writes) {
      if (ptx::size_of(function_.registers[r].type) != 8)
        continue;  // an index; pointers are not taken apart by nvcc
      if ((from_[r] | from) == from_[r]) continue;
      from_[r] |= from;
      changed_.push_back(r);
    }
  }

  const ptx::Function& function_;
  bool of_maps_;
  std::vector<std::uint64_t> from_;                  ///< By register
  std::vector<std::vector<std::uint32_t>> readers_;  ///< By register: instructions
  std::vector<std::uint32_t> changed_;  ///< Registers of which more is known than their readers know
};

}  // namespace

std::vector<std::uint64_t> origins_of_accesses(const ptx::Function& function) {
  const Tracer tracer(function);
  std::optional<Tracer> map_tracer;
  std::vector<std::uint64_t> origins(function.instructions.size(), 0);
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const auto effect = ptx::memory_effect_in(instruction, StateSpace::global);
    if (!effect) continue;
    const bool by_map = instruction.dimensions != 0;
    if (by_map && !map_tracer) map_tracer.emplace(function, true);
    origins[i] = (by_map ? *map_tracer : tracer).target(instruction.operands[effect->address]);
  }
  return origins;
}

Provenance find_provenance(const ptx::Function& function) {
  Provenance result;
  const std::vector<std::uint64_t> origins = origins_of_accesses(function);
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (origins[i] == 0) continue;
    if (ptx::may_write(instruction, StateSpace::global)) {
      result.written |= origins[i];
    } else if (!instruction.non_coherent) {
      result.read |= origins[i];
    }
  }
  return result;
}

}  // namespace warplens::replay
