// Opcodes: names and operand orders as nvdisasm prints them; what they compute is NVIDIA's one line each in
// "CUDA Binary Utilities", the rest seen.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "kernels/sass/operand_reader.h"

namespace warplens::sass {
namespace {

using Kind = Operand::Kind;

class Decoder : OperandReader {
 public:
  using OperandReader::OperandReader;

  Op decode() {
    const Guard& guard = instruction().guard;
    op_.guard = {guard.predicate + (guard.uniform ? kUniformPredicates : 0), guard.negated};
    op_.uniform = !instruction().operands.empty() && instruction().operands.front().kind == Kind::uniform_reg;
    // What is none of these computes no address; barriers of the block and waits for lanes of the own warp
    // are among it.
    if (!decode_control() && !decode_memory() && !decode_arithmetic()) clobber();
    return op_;
  }

 private:
  bool decode_control() {
    if (is("BRA")) {
      const Operand& last = count() > 0 ? at(count() - 1) : kNothing;
      op_.action = last.kind == Kind::label && last.resolved ? Action::branch : Action::unsupported;
      op_.target = last.index;
      if (is_predicate(0)) op_.in[0] = predicate(0);
      op_.follows_any = instruction().has("ANY");
      if (instruction().has("DIV") || instruction().has("CONV")) {
        op_.together = instruction().has("DIV") ? Together::leave_if_not : Together::leave_if;
        op_.a = is_register(0) ? source(0) : Source{.kind = Source::Kind::unknown};
      }
    } else if (is("EXIT")) {
      op_.action = Action::leave;
      if (is_predicate(0)) op_.in[0] = predicate(0);
    } else if (is_any({"BSSY", "BSYNC", "BREAK"})) {
      op_.action = is("BSSY")    ? Action::set_barrier
                   : is("BSYNC") ? Action::wait_barrier
                                 : Action::leave_barrier;
      const std::size_t named = is_predicate(0) ? 1 : 0;
      if (named == 1) op_.in[0] = predicate(0);
      const std::string_view name = count() > named ? std::string_view(at(named).text) : "";
      const bool numbered = name.size() == 2 && name[0] == 'B' && name[1] >= '0' && name[1] <= '9';
      if (!numbered) op_.action = Action::unsupported;
      op_.target = numbered ? static_cast<std::uint32_t>(name[1] - '0') : 0;
    } else if (is("WARPSYNC")) {
      // "WARPSYNC.COLLECTIVE R4, `(.L_x_8)": lanes may come from several places to what stands before the
      // label; those that come to this one are waited for.
      // "WARPSYNC.COLLECTIVE.ALL `(.L_x_8)": all lanes are.
      const bool collects = has_only({"COLLECTIVE"}) && count() == 2 && at(1).kind == Kind::label;
      const bool all = has_only({"ALL", "COLLECTIVE"}) && instruction().has("ALL"),
                 plain = (instruction().modifiers.empty() && count() == 1) || collects;
      op_.action = plain || all ? Action::warp_barrier : Action::unsupported;
      op_.a = plain ? source(0) : Source{.value = ~0u};
      op_.target = kWarpBarrier;
    } else if (is("CALL") && instruction().has("ABS") && count() == 1 && is_register(0) &&
               launch().calls_system_only) {
      constexpr std::uint32_t kReturned =
          4;  // R4 and R5; all else that a function may change nobody reads behind it
      op_.action = Action::clobber;
      op_.d = kReturned;
      op_.d_count = 2;
    } else if (is("CALL")) {
      // A subroutine has a name; what goes to a mere label never comes back.
      const Operand& last = count() > 0 ? at(count() - 1) : kNothing;
      op_.action = !last.resolved               ? Action::unsupported
                   : last.text.starts_with('.') ? Action::branch
                                                : Action::call;
      op_.target = last.index;
    } else {
      const bool sets_a_barrier = is("BMOV") && !is_register(0) && count() > 0 && at(0).text != "RZ";
      if (!sets_a_barrier && !is_any({"RET", "BRX", "BRXU", "JMP", "JMX", "JMXU", "KILL", "BPT"}))
        return false;
      op_.action = Action::unsupported;
    }
    return true;
  }

  bool decode_memory() {
    const MemoryOpcode* const opcode = find_memory_opcode(instruction().opcode);
    if (opcode != nullptr && opcode->op == AccessOp::cp_async) return decode_copy_to_shared();
    if (opcode != nullptr && (opcode->op == AccessOp::ldmatrix || opcode->op == AccessOp::stmatrix))
      return decode_matrices(opcode->op == AccessOp::ldmatrix);
    if (opcode == nullptr) {
      if (!is_any({"TEX", "TLD", "TLD4", "SULD", "SUST", "SUATOM", "SURED"}) && !accesses_otherwise())
        return false;
      op_.action = Action::unsupported;
      return true;
    }
    const auto where = std::ranges::find(instruction().operands, Kind::memory, &Operand::kind);
    const bool stores = opcode->op == AccessOp::store || opcode->op == AccessOp::reduction;
    if (where == instruction().operands.end()) {
      op_.action = Action::unsupported;
      return true;
    }
    if (!stores) {
      clobber();
    } else if (opcode->space == Space::local && count() == 2) {
      op_.a = source(1);
      op_.d_count = access_bytes(instruction()) / 4u;
    }
    op_.action = Action::memory;
    op_.uniform = false;
    op_.address = where->address;
    op_.is_generic = has_generic_address(instruction());
    // Of sums of halves alone it is known what the predicate says.
    const bool is_of_halves = instruction().has("F16x2") && instruction().has("ADD");
    if (is("ATOM") && op_.p != kTruePredicate && !is_of_halves) op_.action = Action::unsupported;
    if (opcode->space == Space::global && !op_.address.zero_extended) op_.address.wide = true;
    return true;
  }

  /// "LDGSTS.E.BYPASS.128 [R13+0x400], [R2.64], !P0": to shared memory, from global memory.
  bool decode_copy_to_shared() {
    const bool is_understood = has_only({"E", "BYPASS", "LTC64B", "LTC128B", "LTC256B", "64", "128"}) &&
                               (count() == 2 || (count() == 3 && is_predicate(2))) &&
                               at(0).kind == Kind::memory && at(1).kind == Kind::memory;
    op_.action = is_understood ? Action::copy_to_shared : Action::unsupported;
    if (!is_understood) return true;
    op_.uniform = false;
    op_.to = at(0).address;
    op_.address = at(1).address;
    if (!op_.address.zero_extended) op_.address.wide = true;
    op_.in[1] = count() == 3 ? predicate(2) : PredicateSource{};
    return true;
  }

  /// "LDSM.16.M88.4 R8, [R0]", "STSM.16.MT88.2 [R5+0x200], R8"
  bool decode_matrices(bool loads) {
    const std::size_t where = loads ? 1 : 0, data = loads ? 0 : 1;
    const bool is_understood = has_only({"16", "M88", "MT88", "2", "4"}) && instruction().has("16") &&
                               count() == 2 && at(where).kind == Kind::memory && at(data).kind == Kind::reg;
    op_.action = is_understood ? Action::memory : Action::unsupported;
    if (!is_understood) return true;
    op_.uniform = false;
    op_.matrices = matrices_of(instruction());
    op_.is_transposed = instruction().has("MT88");
    op_.address = at(where).address;
    op_.d = loads ? written(at(data)) : kNoRegister;
    op_.d_count = loads ? op_.matrices : 1;
    return true;
  }

  /// Opcodes of later architectures that access memory.
  [[nodiscard]] bool accesses_otherwise() const {
    if (instruction().opcode.starts_with("CCTL") || is_any({"QSPC", "ARRIVES"})) return false;
    return std::ranges::find(instruction().operands, Kind::memory, &Operand::kind) !=
           instruction().operands.end();
  }

  /// Registers and predicates that the instruction may write are unknown from here on.
  void clobber() {
    op_.action = Action::clobber;
    std::size_t i = 0;
    for (std::uint32_t* const p : {&op_.p, &op_.q}) {
      if (is_predicate(i)) *p = predicate_of(at(i++));
    }
    if (is("NANOSLEEP")) return;
    const bool sets_predicates_only =
        instruction().opcode.ends_with("SETP") || is("HSETP2") || is("FCHK") || is("PLOP3") || is("R2P");
    if (!is_register(i) || sets_predicates_only) return;
    op_.d = written(at(i));
    const std::string& name = instruction().opcode;
    const bool matrix = is_any({"HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA"});
    const bool to_wide = (instruction().has("S64") || instruction().has("U64")) && !name.starts_with("I2F");
    const bool pair = name.starts_with('D') || to_wide || instruction().has("64") ||
                      instruction().has("F64") || instruction().has("WIDE") || is("CS2R") || is("F2F");
    op_.d_count = matrix ? result_registers(instruction()) : instruction().has("128") ? 4 : pair ? 2 : 1;
    if (is_predicate(i + 1)) op_.p = predicate_of(at(i + 1));
    if (is_predicate(i + 1) && is_predicate(i + 2)) op_.q = predicate_of(at(i + 2));
  }

  bool decode_arithmetic() {
    const bool predicate_first = is_any({"ISETP", "UISETP"});
    if (predicate_first) return decode_compare();
    if (is("PLOP3") || is("UPLOP3")) return decode_logic_predicates();
    if (is("LOP3") || is("ULOP3")) return decode_logic();
    if (is("R2P")) return decode_spread_bits();
    if (!is_register(0)) return false;
    op_.d = written(at(0));
    const bool decoded =
        decode_add() || decode_multiply() || decode_shift() || decode_choice() || decode_copy();
    if (!decoded) op_.d = kNoRegister;
    return decoded;
  }

  void sources(std::size_t first, std::size_t how_many) {
    Source* const all[] = {&op_.a, &op_.b, &op_.c};
    for (std::size_t i = 0; i < how_many; ++i) *all[i] = source(first + i);
  }

  bool decode_add() {
    const bool three = is("IADD3") || is("UIADD3");
    if (is("VIADD") && count() == 3) {
      op_.action = Action::add;
      sources(1, 2);
    } else if (three) {
      const std::size_t first = !is_predicate(1) ? 1 : is_predicate(2) ? 3 : 2;
      if (count() < first + 3) return false;
      op_.action = Action::add;
      if (first >= 2) op_.p = predicate_of(at(1));
      if (first == 3) op_.q = predicate_of(at(2));
      if (first == 3 && (op_.p == kTruePredicate || op_.q == kTruePredicate))
        return false;  // One of two carries alone
      sources(first, 3);
      op_.in[0] = op_.in[1] = {kTruePredicate, true};
      for (std::size_t i = 0; i < 2 && is_predicate(first + 3 + i); ++i) op_.in[i] = predicate(first + 3 + i);
      return true;
    } else {
      return false;
    }
    op_.in[0] = op_.in[1] = {kTruePredicate, true};
    return true;
  }

  /// "IMAD.MOV.U32 R1, RZ, RZ, R0"
  bool decode_move() {
    const auto is_zero = [&](std::size_t i) {
      return is_register(i) &&
             at(i).index == (at(i).kind == Kind::reg ? kZeroRegister : kUniformZeroRegister);
    };
    if (!instruction().has("MOV") || instruction().has("X") || count() != 4 || !is_zero(1) || !is_zero(2))
      return false;
    op_.action = Action::copy;
    op_.a = source(3);
    return true;
  }

  bool decode_multiply() {
    if (!is("IMAD") && !is("UIMAD")) return decode_shift_add();
    if (decode_move()) return true;
    if (count() < 4 || is_predicate(1) || instruction().has("HI")) return false;
    op_.action = instruction().has("WIDE") ? Action::multiply_add_wide : Action::multiply_add;
    op_.is_signed = !instruction().has("U32");
    sources(1, 3);
    op_.in[0] = {kTruePredicate, true};
    if (instruction().has("X") && is_predicate(4)) op_.in[0] = predicate(4);
    if (op_.action == Action::multiply_add_wide) {
      if (instruction().has("X")) return false;
      op_.d_count = 2;
      op_.c_high = source(3, 1);
      if (op_.c.inverted) return false;
    }
    return true;
  }

  bool decode_shift_add() {
    if ((!is("LEA") && !is("ULEA")) || instruction().has("X") || instruction().has("SX32")) return false;
    const bool high = instruction().has("HI");
    const std::size_t first = is_predicate(1) ? 2 : 1, shift = first + (high ? 3 : 2);
    if (count() != shift + 1 || at(shift).kind != Kind::immediate || (high && first == 2)) return false;
    op_.action = high ? Action::shift_add_high : Action::shift_add;
    if (first == 2) op_.p = predicate_of(at(1));
    sources(first, high ? 3 : 2);
    op_.in[0] = {kTruePredicate, true};
    op_.amount = static_cast<std::uint32_t>(at(shift).value) & 31;
    return true;
  }

  bool decode_shift() {
    if ((!is("SHF") && !is("USHF")) || count() != 4 || instruction().has("W") || instruction().has("S64") ||
        instruction().has("U64"))
      return false;
    const auto is_zero = [](const Source& s) { return s.kind == Source::Kind::value && s.value == 0; };
    op_.is_signed = instruction().has("S32");
    op_.b = source(2);
    if (instruction().has("L") && !instruction().has("HI") && is_zero(source(3))) {
      op_.action = Action::shift_left;
      op_.a = source(1);
    } else if (instruction().has("R") && instruction().has("HI") && is_zero(source(1))) {
      op_.action = Action::shift_right;
      op_.c = source(3);
    } else {
      return false;
    }
    return true;
  }

  bool decode_choice() {
    if ((is("SEL") || is("USEL")) && is_predicate(3)) {
      op_.action = Action::select;
      sources(1, 2);
      op_.in[0] = predicate(3);
      return true;
    }
    const bool adds = is("VIADDMNMX");
    if (!adds && !is_any({"IMNMX", "VIMNMX", "UIMNMX"})) return false;
    if (!has_only({"U32", "S32"})) return false;
    const std::size_t last = adds ? 4 : 3;
    if (!is_predicate(last)) return false;
    op_.action = Action::extreme;
    op_.is_signed = !instruction().has("U32");
    op_.a = source(1);
    op_.b = source(last - 1);
    if (adds) op_.c = source(2);
    op_.in[0] = predicate(last);
    return true;
  }

  bool decode_copy() {
    if (is_any({"MOV", "UMOV"}) && count() >= 2) {
      op_.action = Action::copy;
      op_.a = source(1);
    } else if (is_any({"LDC", "ULDC"}) && count() == 2) {
      op_.action = instruction().has("64") ? Action::copy_pair : Action::copy;
      op_.a = source(1);
      op_.b = source(1, 1);
      op_.d_count = instruction().has("64") ? 2 : 1;
      return !instruction().has("U8") && !instruction().has("S8") && !instruction().has("U16") &&
             !instruction().has("S16") && !instruction().has("128");
    } else if (is("CS2R") && count() == 2 && at(1).text == "SRZ") {
      op_.action = instruction().has("32") ? Action::copy : Action::copy_pair;
      op_.d_count = instruction().has("32") ? 1 : 2;
    } else if (is("S2R") || is("S2UR")) {
      return decode_special();
    } else {
      return decode_half_constant();
    }
    return true;
  }

  bool decode_special() {
    constexpr std::pair<std::string_view, SpecialValue> kNames[] = {
        {"SR_TID.X", SpecialValue::tid_x},     {"SR_TID.Y", SpecialValue::tid_y},
        {"SR_TID.Z", SpecialValue::tid_z},     {"SR_CTAID.X", SpecialValue::ctaid_x},
        {"SR_CTAID.Y", SpecialValue::ctaid_y}, {"SR_CTAID.Z", SpecialValue::ctaid_z},
        {"SR_LANEID", SpecialValue::lane},     {"SR_CgaCtaId", SpecialValue::cluster_rank}};
    if (count() != 2) return false;
    if (at(1).text == "SR_SWINHI") {
      op_.action = Action::copy;
      op_.a.value = kSharedWindowHigh;
      return true;
    }
    const auto* const found = std::ranges::find(kNames, std::string_view(at(1).text),
                                                &std::pair<std::string_view, SpecialValue>::first);
    if (found == std::end(kNames)) return false;
    op_.action = Action::special;
    op_.special = found->second;
    return true;
  }

  /// "HFMA2.MMA R0, -RZ, RZ, 0, 5.96e-08": how an integer constant is written to the unit that is free.
  bool decode_half_constant() {
    if (!is("HFMA2") || count() != 5 || at(3).kind != Kind::floating || at(4).kind != Kind::floating)
      return false;
    if (!std::isfinite(at(3).number) || !std::isfinite(at(4).number)) return false;
    for (const std::size_t i : {1u, 2u}) {
      if (at(i).kind != Kind::reg || at(i).index != kZeroRegister) return false;
    }
    op_.action = Action::copy;
    const bool negative = at(1).negated != at(2).negated;
    op_.a.value = half_bits(at(3).number, negative) << 16 | half_bits(at(4).number, negative);
    return true;
  }

  /// Binary16, of a value that has it exactly, as printed ones do.
  static std::uint32_t half_bits(double value, bool product_is_negative) {
    if (value == 0)
      return product_is_negative && std::signbit(value) ? 0x8000u : 0u;  // 0 * 0 + -0 is 0, -0 * 0 + -0 is -0
    const std::uint32_t sign = value < 0 ? 0x8000u : 0u;
    int exponent = 0;
    const double fraction = std::frexp(std::abs(value), &exponent);
    if (exponent < -13)
      return sign | static_cast<std::uint32_t>(std::lround(std::ldexp(std::abs(value), 24)));
    const auto digits = static_cast<std::uint32_t>(std::lround(std::ldexp(fraction, 11))) & 0x3ffu;
    return sign | static_cast<std::uint32_t>(exponent + 14) << 10 | digits;
  }

  bool decode_compare() {
    constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
        {"LT", Comparison::less},    {"EQ", Comparison::equal},     {"LE", Comparison::less_equal},
        {"GT", Comparison::greater}, {"NE", Comparison::not_equal}, {"GE", Comparison::greater_equal}};
    constexpr std::pair<std::string_view, Combination> kCombinations[] = {
        {"AND", Combination::both}, {"OR", Combination::either}, {"XOR", Combination::exclusive}};
    if (count() != 5 || !is_predicate(0) || !is_predicate(1) || !is_predicate(4) || instruction().has("EX"))
      return false;
    const auto has = [&](const auto& name) { return instruction().has(name.first); };
    const auto* const comparison = std::ranges::find_if(kComparisons, has);
    const auto* const combination = std::ranges::find_if(kCombinations, has);
    if (comparison == std::end(kComparisons) || combination == std::end(kCombinations)) return false;
    op_.action = Action::compare;
    op_.comparison = comparison->second;
    op_.combination = combination->second;
    op_.is_signed = !instruction().has("U32");
    op_.uniform = is("UISETP");
    op_.p = predicate_of(at(0));
    op_.q = predicate_of(at(1));
    sources(2, 2);
    op_.in[0] = predicate(4);
    return true;
  }

  bool decode_logic() {
    const std::size_t first = is_predicate(0) ? 1 : 0;
    if (!has_only({"LUT"}) || count() < first + 5 || !is_register(first) ||
        at(first + 4).kind != Kind::immediate)
      return false;
    if (count() > first + 5 &&
        (!is_predicate(first + 5) || at(first + 5).index != kTruePredicate || !at(first + 5).inverted))
      return false;
    op_.action = Action::logic;
    if (first == 1) op_.p = predicate_of(at(0));
    op_.d = written(at(first));
    op_.uniform = is("ULOP3");
    sources(first + 1, 3);
    op_.amount = static_cast<std::uint32_t>(at(first + 4).value) & 0xff;
    return true;
  }

  /// "R2P PR, R0, 0x3"
  bool decode_spread_bits() {
    if (count() != 3 || !is_register(1) || at(2).kind != Kind::immediate ||
        !instruction().modifiers.empty()) {
      op_.action = Action::unsupported;
      return true;
    }
    op_.action = Action::spread_bits;
    op_.a = source(1);
    op_.amount = static_cast<std::uint32_t>(at(2).value) & 0x7f;
    return true;
  }

  bool decode_logic_predicates() {
    if (!instruction().has("LUT") || count() != 7 || at(5).kind != Kind::immediate ||
        at(6).kind != Kind::immediate)
      return false;
    for (std::size_t i = 0; i < 5; ++i) {
      if (!is_predicate(i)) return false;
    }
    op_.action = Action::logic_predicates;
    op_.uniform = is("UPLOP3");
    op_.p = predicate_of(at(0));
    op_.q = predicate_of(at(1));
    for (std::size_t i = 0; i < 3; ++i) op_.in[i] = predicate(2 + i);
    op_.amount = static_cast<std::uint32_t>(at(5).value) & 0xff;
    op_.amount_2 = static_cast<std::uint32_t>(at(6).value) & 0xff;
    return true;
  }

  inline static const Operand kNothing;
  Op op_;
};

}  // namespace

Op decode_instruction(const Instruction& instruction, const Setting& setting) {
  Op op = Decoder(instruction, setting).decode();
  if (!decode_asynchronous(instruction, setting, op)) decode_values(instruction, setting, op);
  return op;
}

}  // namespace warplens::sass
