// Reads the operands of one instruction. Private to kernels/sass.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kernels/sass/program.h"

namespace warplens::sass {

class OperandReader {
 public:
  OperandReader(const Instruction& instruction, const Setting& setting)
      : instruction_(instruction), setting_(setting) {}

 protected:
  using Kind = Operand::Kind;

  [[nodiscard]] std::size_t count() const { return instruction_.operands.size(); }
  [[nodiscard]] const Operand& at(std::size_t i) const { return instruction_.operands[i]; }
  [[nodiscard]] bool is(std::string_view opcode) const { return instruction_.opcode == opcode; }
  [[nodiscard]] bool is_any(std::initializer_list<std::string_view> opcodes) const {
    return std::ranges::find(opcodes, std::string_view(instruction_.opcode)) != opcodes.end();
  }
  [[nodiscard]] bool is_predicate(std::size_t i) const {
    return i < count() && (at(i).kind == Kind::predicate || at(i).kind == Kind::uniform_predicate);
  }
  [[nodiscard]] bool is_register(std::size_t i) const {
    return i < count() && (at(i).kind == Kind::reg || at(i).kind == Kind::uniform_reg);
  }

  /// Whether its modifiers are among those: what others do is not known.
  [[nodiscard]] bool has_only(std::initializer_list<std::string_view> known) const {
    return std::ranges::all_of(instruction_.modifiers, [&](const std::string& modifier) {
      return std::ranges::find(known, modifier) != known.end();
    });
  }

  static std::uint32_t register_of(const Operand& operand) {
    return operand.index + (operand.kind == Kind::uniform_reg ? kUniformRegisters : 0);
  }
  static std::uint32_t written(const Operand& operand) {
    const bool none = operand.kind == Kind::uniform_reg && operand.index == kUniformZeroRegister;
    return none ? kNoRegister : register_of(operand);
  }
  static std::uint32_t predicate_of(const Operand& operand) {
    return operand.index + (operand.kind == Kind::uniform_predicate && operand.index != kTruePredicate
                                ? kUniformPredicates
                                : 0);
  }
  [[nodiscard]] PredicateSource predicate(std::size_t i) const {
    return {predicate_of(at(i)), at(i).inverted};
  }

  /// A word of constant bank 0: the launch's extents, the stack, the parameters.
  [[nodiscard]] Source constant(std::uint32_t offset) const {
    const auto value = [](std::uint32_t word) { return Source{.kind = Source::Kind::value, .value = word}; };
    const std::array<std::uint32_t, 3> block{launch().block.x, launch().block.y, launch().block.z},
        grid{launch().grid.x, launch().grid.y, launch().grid.z};
    if (offset % 4 != 0) return {.kind = Source::Kind::unknown};
    if (offset < kNctaidOffset) return value(block[(offset - kNtidOffset) / 4]);
    if (offset < kNctaidOffset + 12) return value(grid[(offset - kNctaidOffset) / 4]);
    if (offset == kStackOffset) return value(kStackTop);
    return known(0, offset);
  }
  [[nodiscard]] Source known(std::uint32_t bank, std::uint32_t offset) const {
    const auto word = constant_bytes(setting_.constants, bank, offset, 4);
    return word ? Source{.kind = Source::Kind::value, .value = static_cast<std::uint32_t>(*word)}
                : Source{.kind = Source::Kind::unknown};
  }

  /// The `half`th word of an operand; 1: the upper half of a pair.
  [[nodiscard]] Source source(std::size_t i, std::uint32_t half = 0) const { return source_of(at(i), half); }
  [[nodiscard]] Source source_of(const Operand& operand, std::uint32_t half = 0) const {
    Source source{.kind = Source::Kind::unknown};
    if (operand.kind == Kind::immediate) {
      source = {.kind = Source::Kind::value,
                .value = static_cast<std::uint32_t>(half == 0 ? operand.value : operand.value >> 63)};
    } else if (operand.kind == Kind::reg || operand.kind == Kind::uniform_reg) {
      const bool zero = operand.index == (operand.kind == Kind::reg ? kZeroRegister : kUniformZeroRegister);
      source = zero ? Source{} : Source{.kind = Source::Kind::reg, .index = register_of(operand) + half};
    } else if (operand.kind == Kind::constant && operand.index == 0 &&
               operand.address.base == kZeroRegister &&
               operand.address.uniform_base == kUniformZeroRegister && operand.address.offset >= 0) {
      source = constant(static_cast<std::uint32_t>(operand.address.offset) + 4 * half);
    } else if (operand.kind == Kind::constant && operand.address.base == kZeroRegister &&
               operand.address.uniform_base == kUniformZeroRegister) {
      source = known(operand.index, static_cast<std::uint32_t>(operand.address.offset) + 4 * half);
    } else if (operand.kind == Kind::name && operand.text == "SRZ") {
      source = {};
    }
    source.negated = operand.negated;
    source.inverted = operand.inverted;
    return source;
  }

  [[nodiscard]] const Instruction& instruction() const { return instruction_; }
  [[nodiscard]] const Setting& setting() const { return setting_; }
  [[nodiscard]] const Launch& launch() const { return setting_.launch; }

 private:
  static constexpr std::uint32_t kNtidOffset = 0x0, kNctaidOffset = 0xc, kStackOffset = 0x28;

  const Instruction& instruction_;
  const Setting& setting_;
};

/// What decides on few addresses; and, with Launch::memory, what else decides then. `op`: as decoded without.
void decode_values(const Instruction& instruction, const Setting& setting, Op& op);
/// The part of that which lanes tell each other. False if it is another instruction.
[[nodiscard]] bool decode_lanes(const Instruction& instruction, const Setting& setting, Op& op);
/// Decodes instructions of compute capability 9.0 that access memory asynchronously, or wait for that. False
/// if it is another one.
[[nodiscard]] bool decode_asynchronous(const Instruction& instruction, const Setting& setting, Op& op);

}  // namespace warplens::sass
