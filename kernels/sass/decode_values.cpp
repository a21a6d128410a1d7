// What is computed besides the arithmetic of most addresses: divisions, floating point; and memory, where it
// holds values.
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/arithmetic/half.h"
#include "kernels/sass/operand_reader.h"
#include "kernels/sass/operands.h"

namespace warplens::sass {
namespace {

/// "-|R7|", "|R9|.reuse": what Operand keeps as a name.
struct Decorated {
  std::string_view inside;
  bool negated = false, absolute = false;
};
Decorated undecorated(std::string_view text) {
  Decorated result;
  if (text.starts_with('-')) {
    result.negated = true;
    text.remove_prefix(1);
  }
  if (text.ends_with(".reuse")) text.remove_suffix(6);
  if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
    result.absolute = true;
    text = text.substr(1, text.size() - 2);
  }
  result.inside = text;
  return result;
}

class ValueDecoder : OperandReader {
 public:
  ValueDecoder(const Instruction& instruction, const Setting& setting, Op& op)
      : OperandReader(instruction, setting), op_(op) {}

  void decode() {
    if (launch().memory) {
      if (op_.action == Action::memory) return decode_access();
      if ((is("LDC") || is("ULDC")) && count() == 2 && decode_look_up(at(1))) return;
      if (decode_control()) return;
    }
    if (op_.action != Action::clobber) return;
    if (!decode_lanes(instruction(), setting(), op_) && !decode_addition() && !decode_word())
      decode_lanewise();
  }

 private:
  /// "BRX R6 -0x1b0 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)": on from the next instruction.
  bool decode_jump() {
    if (!is("BRX") || count() == 0) return false;
    const std::string_view text = at(0).text;
    const std::size_t space = text.find(' '),
                      end = text.find_first_of(" (", std::min(space + 1, text.size()));
    const auto from = register_named(text.substr(0, space));
    const auto offset = space == std::string_view::npos
                            ? std::nullopt
                            : parse_integer(text.substr(space + 1, end - space - 1));
    if (!from || !offset) return false;
    op_.action = Action::indirect_return;
    op_.a = *from;
    op_.amount = static_cast<std::uint32_t>(*offset) + instruction().address + kInstructionBytes;
    return true;
  }

  bool decode_control() {
    if (decode_jump()) return true;
    if (is("BAR")) {
      decode_block_barrier();
    } else if (is("UCGABAR_ARV") || is("UCGABAR_WAIT")) {
      op_.action = Action::cluster_barrier;
      op_.arrives_only = is("UCGABAR_ARV");
    } else if (is("RET") && instruction().has("REL") && is_register(0)) {
      op_.action = Action::indirect_return;
      op_.a = source(0);
    } else if (is("B2R")) {
      const bool is_result = instruction().has("RESULT") && is_register(0);
      op_.action = is_result ? Action::reduced : Action::unsupported;
      op_.d = is_result ? written(at(0)) : kNoRegister;
      op_.d_count = 1;
      op_.p = is_result && count() > 1 && is_predicate(1) ? predicate_of(at(1)) : kTruePredicate;
      op_.q = kTruePredicate;
    } else {
      return false;
    }
    return true;
  }

  /// "BAR.SYNC.DEFER_BLOCKING R11, 0x80": the barrier's number, and of how many threads it is; without, of
  /// all.
  void decode_block_barrier() {
    const bool reduces = instruction().has("RED"), arrives = instruction().has("ARV");
    const bool is_numbered = count() > 0 && (at(0).kind == Kind::immediate || at(0).kind == Kind::reg);
    const std::size_t counted = count() > 1 && at(1).kind == Kind::immediate ? 1 : 0;
    const bool is_whole = reduces ? counted == 0 && count() == 2 && is_predicate(1) &&
                                        at(0).kind == Kind::immediate && at(0).value == 0
                                  : count() == 1 + counted;
    const bool is_known = reduces || arrives || instruction().has("SYNC");
    op_.action = is_numbered && is_whole && is_known ? Action::block_barrier : Action::unsupported;
    op_.d = kNoRegister;
    if (is_numbered) op_.a = source(0);
    op_.amount = counted == 1 ? static_cast<std::uint32_t>(at(1).value) : 0;
    op_.arrives_only = arrives;
    op_.brings = reduces;
    op_.of_all = instruction().has("AND");
    if (reduces && is_whole) op_.in[1] = predicate(1);
  }

  void decode_access() {
    const auto where =
        static_cast<std::size_t>(std::ranges::find(instruction().operands, Kind::memory, &Operand::kind) -
                                 instruction().operands.begin());
    const AccessOp access = find_memory_opcode(instruction().opcode)->op;
    if (access == AccessOp::ldmatrix) return;
    if (access == AccessOp::stmatrix) {
      op_.a = source(1);
      op_.d_count = op_.matrices;
      return;
    }
    op_.extends_sign = instruction().has("S8") || instruction().has("S16");
    op_.may_wait = access == AccessOp::load && instruction().has("STRONG");
    if (access == AccessOp::load) return;
    if (where + 1 < count()) {
      op_.a = source(where + 1);
      op_.a_high = source(where + 1, 1);
    }
    if (access == AccessOp::store) {
      op_.d_count = std::max(access_bytes(instruction()) / 4u, 1u);
      return;
    }
    if (access_bytes(instruction()) > 8) op_.action = Action::unsupported;
    op_.function = atomic_function(instruction());
    op_.compares_first = instruction().has("CAS") || instruction().has("CAST");
    op_.gives_success = instruction().has("CAST");
    const bool tells = op_.d != kNoRegister || op_.p != kTruePredicate;
    op_.may_wait = tells && (op_.compares_first || instruction().has("EXCH"));
    if (op_.compares_first && where + 2 < count()) {
      op_.b = source(where + 2);
      op_.b_high = source(where + 2, 1);
    }
  }

  /// Sums of a shifted pair's upper word, and comparisons of upper words.
  bool decode_addition() {
    const bool compares =
        (is("ISETP") || is("UISETP")) && instruction().has("EX") && count() == 6 && is_predicate(5);
    if (compares) return decode_upper_comparison();
    if ((!is("LEA") && !is("ULEA")) || !instruction().has("HI")) return false;
    const bool extends = instruction().has("SX32"), carries = instruction().has("X");
    const std::size_t first = is_predicate(1) ? 2 : 1, shift = first + (extends ? 2 : 3);
    if (count() <= shift || at(shift).kind != Kind::immediate || !is_register(0)) return false;
    op_.action = Action::shift_add_high;
    op_.d = written(at(0));
    op_.p = first == 2 ? predicate_of(at(1)) : kTruePredicate;
    op_.q = kTruePredicate;
    op_.d_count = 1;
    op_.a = source(first);
    op_.b = source(first + 1);
    if (!extends) op_.c = source(first + 2);
    op_.extends_sign = extends;
    op_.amount = static_cast<std::uint32_t>(at(shift).value) & 31;
    op_.in[0] =
        carries && is_predicate(shift + 1) ? predicate(shift + 1) : PredicateSource{kTruePredicate, true};
    return !carries || is_predicate(shift + 1);
  }

  bool decode_upper_comparison() {
    Instruction lower = instruction();
    std::erase(lower.modifiers, std::string("EX"));
    lower.operands.pop_back();
    Op op = decode_instruction(lower, setting());
    if (op.action != Action::compare) return false;
    op.in[1] = predicate(5);
    op.extended = true;
    op_ = op;
    return true;
  }

  /// A word that is known when the kernel is launched, or to a lane.
  bool decode_word() {
    constexpr std::pair<std::string_view, SpecialValue> kNames[] = {{"SR_LTMASK", SpecialValue::lanes_below},
                                                                    {"SR_GTMASK", SpecialValue::lanes_above}};
    if (is("S2R") && count() == 2) {
      const auto* const found = std::ranges::find(kNames, std::string_view(at(1).text),
                                                  &std::pair<std::string_view, SpecialValue>::first);
      if (found == std::end(kNames)) return false;
      op_.action = Action::special;
      op_.special = found->second;
      return true;
    }
    if (!is("LDC") && !is("ULDC")) return false;
    const Operand& from = count() == 2 ? at(1) : kNothing;
    if (from.kind != Kind::constant || from.address.base != kZeroRegister ||
        from.address.uniform_base != kUniformZeroRegister || from.address.offset < 0) {
      return false;
    }
    const std::uint32_t bytes{access_bytes(instruction())};
    if (bytes > 2) return false;
    const auto known = constant_bytes(setting().constants, from.index,
                                      static_cast<std::uint32_t>(from.address.offset), bytes);
    if (!known) return false;
    auto word = static_cast<std::uint32_t>(*known);
    const std::uint32_t unused = 32 - 8 * bytes;
    if (instruction().has("S8") || instruction().has("S16"))
      word = static_cast<std::uint32_t>(static_cast<std::int32_t>(word << unused) >> unused);
    op_.action = Action::copy;
    op_.a = {.value = word};
    return true;
  }

  /// "LDC.U8 R6, c[0x3][R6+0x84]": of an array in constant memory, or a table of jumps.
  bool decode_look_up(const Operand& from) {
    const bool by_lane = from.address.base != kZeroRegister,
               by_warp = from.address.uniform_base != kUniformZeroRegister;
    if (from.kind != Kind::constant || by_lane == by_warp || !is_register(0) ||
        access_bytes(instruction()) > 8)
      return false;
    op_.action = Action::look_up;
    op_.d = written(at(0));
    op_.target = access_bytes(instruction());
    op_.d_count = op_.target == 8 ? 2 : 1;
    op_.extends_sign = instruction().has("S8") || instruction().has("S16");
    op_.a = {.kind = Source::Kind::reg,
             .index = by_lane ? from.address.base : kUniformRegisters + from.address.uniform_base};
    op_.amount = static_cast<std::uint32_t>(from.address.offset);
    op_.amount_2 = from.index;
    return true;
  }

  void decode_lanewise() {
    if (decode_half() || decode_halves()) return;
    const LanewiseForm form = lanewise_form(instruction());
    if (form.function == nullptr || (!form.is_test && is_predicate(1))) return;
    std::size_t results = 0;
    std::uint32_t p[2] = {kTruePredicate, kTruePredicate};
    for (; results < 2 && form.is_test && is_predicate(results); ++results)
      p[results] = predicate_of(at(results));
    if (!form.is_test && is_register(0)) results = 1;
    const std::size_t sources = results + static_cast<std::size_t>(form.sources);
    if (results == 0 || count() < sources) return;
    op_.action = form.is_test ? Action::test : Action::lanewise;
    op_.function = form.function;
    op_.other_function = form.other_function;
    op_.joins_bytes = form.joins_bytes;
    op_.sign = form.sign;
    op_.p = p[0];
    op_.q = p[1];
    op_.d = form.is_test ? kNoRegister : written(at(0));
    op_.d_count = form.wide_result ? 2 : 1;
    Source* const low[] = {&op_.a, &op_.b, &op_.c};
    Source* const high[] = {&op_.a_high, &op_.b_high, &op_.c_high};
    for (std::size_t i = 0; i < static_cast<std::size_t>(form.sources); ++i) {
      const bool wide = (form.wide_sources >> i & 1) != 0;
      *low[i] = number_source(results + i, form.sign, 0, wide);
      if (wide) *high[i] = number_source(results + i, form.sign, 1, wide);
    }
    op_.in[0] = count() > sources && is_predicate(sources) ? predicate(sources) : PredicateSource{};
    op_.combination = instruction().has("OR")    ? Combination::either
                      : instruction().has("XOR") ? Combination::exclusive
                                                 : Combination::both;
  }

  /// "HFMA2.BF16_V2 R0, -|R3|.H0_H0, 1, 1, c[0x0] [0x180]": a pair of numbers is printed upper one first.
  bool decode_halves() {
    if (const Lanewise function = half_function(instruction())) return decode_half_function(function);
    const HalvesForm form = halves_form(instruction());
    if (form.function == nullptr) return false;
    std::size_t at_operand = 0;
    std::uint32_t p[2] = {kTruePredicate, kTruePredicate};
    for (; form.is_test && at_operand < 2 && is_predicate(at_operand); ++at_operand)
      p[at_operand] = predicate_of(at(at_operand));
    if (!form.is_test && is_register(0)) at_operand = 1;
    if (at_operand != (form.is_test ? 2u : 1u)) return false;
    Source sources[3];
    for (std::size_t i = 0; i < static_cast<std::size_t>(form.sources); ++i) {
      const auto source = halves_source(at_operand);
      if (!source) return false;
      sources[i] = *source;
    }
    const bool has_predicate = at_operand < count() && is_predicate(at_operand);
    const PredicateSource last = has_predicate ? predicate(at_operand) : PredicateSource{};
    const bool is_plain = last.index == kTruePredicate && !last.negated && instruction().has("AND");
    if (at_operand + (has_predicate ? 1 : 0) != count() || (form.truth != 0 && !is_plain)) return false;
    op_.action = form.is_test ? Action::test : Action::lanewise;
    op_.function = form.function;
    op_.other_function = form.other_function;
    op_.tests_halves = form.is_test;
    op_.truth = form.truth;
    op_.sign = Sign::halves;
    op_.p = p[0];
    op_.q = p[1];
    op_.d = form.is_test ? kNoRegister : written(at(0));
    op_.d_count = 1;
    op_.a = sources[0];
    op_.b = sources[1];
    op_.c = sources[2];
    op_.in[0] = last;
    op_.combination = instruction().has("OR")    ? Combination::either
                      : instruction().has("XOR") ? Combination::exclusive
                                                 : Combination::both;
    return true;
  }

  /// "MUFU.TANH.F16 R11, R8", "R8.H1"
  bool decode_half_function(Lanewise function) {
    std::size_t at_operand = 1;
    if (count() != 2 || !is_register(0)) return false;
    const auto source = halves_source(at_operand);
    if (!source) return false;
    op_.action = Action::lanewise;
    op_.function = function;
    op_.sign = Sign::halves;
    op_.d = written(at(0));
    op_.d_count = 1;
    op_.p = op_.q = kTruePredicate;
    op_.a = *source;
    if (op_.a.half == Half::both) op_.a.half = Half::lower;
    return true;
  }

  /// A pair of halves from operand `i` on, which is moved past it; nullopt: it is not understood.
  [[nodiscard]] std::optional<Source> halves_source(std::size_t& i) const {
    if (i >= count()) return std::nullopt;
    if (at(i).kind == Kind::floating) {
      if (i + 1 >= count() || at(i + 1).kind != Kind::floating) return std::nullopt;
      const bool is_bfloat = instruction().has("BF16_V2");
      const auto narrow = [&](double number) -> std::uint32_t {
        return is_bfloat ? arithmetic::Bfloat16::narrow(number) : arithmetic::Float16::narrow(number);
      };
      i += 2;
      return Source{.value = narrow(at(i - 2).number) << 16 | narrow(at(i - 1).number)};
    }
    std::string_view text = at(i).text;
    ++i;
    Source modifiers;
    if (text.starts_with('-')) {
      modifiers.negated = true;
      text.remove_prefix(1);
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (const auto& [suffix, half] : {std::pair{".reuse", Half::both},
                                         {".H0_H0", Half::lower},
                                         {".H1_H1", Half::upper},
                                         {".H0", Half::lower},
                                         {".H1", Half::upper}}) {
        if (!text.ends_with(suffix)) continue;
        text.remove_suffix(std::string_view(suffix).size());
        if (half != Half::both) modifiers.half = half;
        goes_on = true;
        break;
      }
      if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
        modifiers.absolute = true;
        text = text.substr(1, text.size() - 2);
        goes_on = true;
      }
    }
    const auto operands = parse_operands(text);
    if (!operands || operands->size() != 1 || operands->front().kind == Kind::name) return std::nullopt;
    Source source = source_of(operands->front());
    source.negated = modifiers.negated;
    source.absolute = modifiers.absolute;
    source.half = modifiers.half;
    return source;
  }

  /// "HADD2.F32 R0, -RZ, R9.H1_H1": how a half becomes a float.
  bool decode_half() {
    if (!is("HADD2") || !instruction().has("F32") || count() != 3 || !is_register(0)) return false;
    if (at(1).kind != Kind::reg || at(1).index != kZeroRegister) return false;
    std::string_view text = at(2).text;
    if (text.ends_with(".reuse")) text.remove_suffix(6);
    const bool upper = text.ends_with(".H1_H1");
    if (text.starts_with('-') || text.starts_with('|')) return false;
    if (!upper && !text.ends_with(".H0_H0")) return false;
    const auto from = register_named(text.substr(0, text.size() - 6));
    if (!from) return false;
    op_.action = Action::lanewise;
    op_.function = half_to_float(upper);
    op_.sign = Sign::f32;
    op_.d = written(at(0));
    op_.d_count = 1;
    op_.p = op_.q = kTruePredicate;
    op_.a = *from;
    return true;
  }

  static std::optional<Source> register_named(std::string_view text) {
    const auto operands = parse_operands(text);
    if (!operands || operands->size() != 1) return std::nullopt;
    const Operand& operand = operands->front();
    if (operand.kind != Kind::reg && operand.kind != Kind::uniform_reg) return std::nullopt;
    if (operand.index == (operand.kind == Kind::reg ? kZeroRegister : kUniformZeroRegister)) return Source{};
    return Source{.kind = Source::Kind::reg, .index = register_of(operand)};
  }

  /// Returns the source of a number, with bars and printed numbers. `half`: 1, a pair's upper word.
  [[nodiscard]] Source number_source(std::size_t i, Sign sign, std::uint32_t half, bool wide) const {
    const Operand& operand = at(i);
    if (operand.kind == Kind::floating) {
      const auto as_double = std::bit_cast<std::uint64_t>(operand.number);
      if (instruction().has("RCP64H") || instruction().has("RSQ64H"))
        return {.value = static_cast<std::uint32_t>(as_double >> 32)};
      const std::uint64_t bits =
          sign == Sign::f64 ? as_double : std::bit_cast<std::uint32_t>(static_cast<float>(operand.number));
      return {.value = static_cast<std::uint32_t>(half == 0 ? bits : bits >> 32)};
    }
    Source result;
    if (sign == Sign::integer && (operand.kind == Kind::name || (wide && operand.negated)))
      return {.kind = Source::Kind::unknown};
    if (operand.kind == Kind::name) {
      const Decorated decorated = undecorated(operand.text);
      const auto from = register_named(decorated.inside);
      if (!from) return {.kind = Source::Kind::unknown};
      result = *from;
      if (result.kind == Source::Kind::reg) result.index += half;
      result.negated = decorated.negated;
      result.absolute = decorated.absolute;
    } else {
      result = source(i, half);
    }
    if (sign == Sign::integer) return result;
    if (wide && half == 0) result.negated = result.absolute = false;  // The sign is in the upper word
    return result;
  }

  static constexpr std::uint32_t kInstructionBytes = 16;
  inline static const Operand kNothing;
  Op& op_;
};

}  // namespace

void decode_values(const Instruction& instruction, const Setting& setting, Op& op) {
  ValueDecoder(instruction, setting, op).decode();
}

}  // namespace warplens::sass
