#include "kernels/sass/mix.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "kernels/base/texts.h"

namespace warplens::sass {
namespace {

bool is_any(const Instruction& instruction, std::initializer_list<std::string_view> opcodes) {
  return std::ranges::find(opcodes, std::string_view(instruction.opcode)) != opcodes.end();
}

/// "HFMA2.MMA R0, -RZ, RZ, 0, 0" writes a constant.
bool writes_a_constant(const Instruction& instruction) {
  return instruction.opcode == "HFMA2" && instruction.operands.size() > 2 &&
         instruction.operands[1].kind == Operand::Kind::reg && instruction.operands[1].index == kZeroRegister;
}

/// "IMAD R4, R8, R12, R4".
bool multiplies_and_adds_integers(const Instruction& instruction) {
  const auto is_register = [](const Operand& operand) {
    return operand.kind == Operand::Kind::reg && operand.index != kZeroRegister;
  };
  return instruction.opcode == "IMAD" && instruction.modifiers.empty() && instruction.operands.size() == 4 &&
         std::ranges::all_of(instruction.operands, is_register);
}

/// Whether a branch back only asks again for what has not come yet (a phase of an mbarrier, registers), or
/// takes the lanes of a warp one after the other.
bool waits_or_takes_lanes(const Function& function, std::uint32_t first, std::uint32_t branch) {
  const Instruction& instruction = function.instructions[branch];
  if (instruction.has("ANY")) return true;
  for (std::uint32_t i = branch; i-- > first;) {
    const Instruction& before = function.instructions[i];
    const auto writes_guard = [&](const Operand& operand) {
      return operand.kind == Operand::Kind::predicate && operand.index == instruction.guard.predicate;
    };
    if (instruction.guard.always() || before.operands.empty() || !writes_guard(before.operands.front()))
      continue;
    return before.opcode == "SYNCS" && before.has("PHASECHK");
  }
  return false;
}

/// Returns the kind of an instruction within its function.
InstructionKind kind_in(const Function& function, const Instruction& instruction) {
  if (!multiplies_and_adds_integers(instruction)) return kind_of(instruction);
  const bool floating = std::ranges::any_of(function.instructions, [](const Instruction& i) {
    return kind_of(i) == InstructionKind::multiply_add;
  });
  return floating ? InstructionKind::integer : InstructionKind::multiply_add;
}

}  // namespace

const char* name_of(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::multiply_add: return marked("multiply-add");
    case InstructionKind::floating: return marked("other floating point");
    case InstructionKind::shared: return marked("shared memory");
    case InstructionKind::global: return marked("global memory");
    case InstructionKind::local: return marked("local memory");
    case InstructionKind::integer: return marked("integers and addresses");
    case InstructionKind::control: return marked("control");
    case InstructionKind::other: break;
  }
  return marked("other");
}

InstructionKind kind_of(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (writes_a_constant(instruction)) return InstructionKind::integer;
  if (is_any(instruction, {"FFMA", "DFMA", "HFMA2"}) || opcode.ends_with("MMA"))
    return InstructionKind::multiply_add;
  if (is_any(instruction, {"LDS", "STS", "ATOMS", "LDSM", "STSM", "SYNCS"})) return InstructionKind::shared;
  if (is_any(instruction, {"LDG", "STG", "ATOMG", "ATOM", "RED", "REDG", "LD", "ST", "LDGSTS", "UBLKCP",
                           "UBLKRED", "UBLKPF", "UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF"}))
    return InstructionKind::global;
  if (is_any(instruction, {"LDL", "STL"})) return InstructionKind::local;
  if (is_any(instruction,
             {"BRA",        "EXIT",         "BSSY",          "BSYNC", "BAR",         "CALL",
              "RET",        "WARPSYNC",     "BMOV",          "NOP",   "BREAK",       "BRX",
              "YIELD",      "WARPGROUP",    "ENDCOLLECTIVE", "ELECT", "UCGABAR_ARV", "UCGABAR_WAIT",
              "USETMAXREG", "UTMACMDFLUSH", "UTMACCTL"})) {
    return InstructionKind::control;
  }
  if (is_any(instruction, {"MUFU", "FCHK"}) || opcode.starts_with('F') || opcode.starts_with('D') ||
      opcode.starts_with('H')) {
    return InstructionKind::floating;
  }
  constexpr std::string_view kIntegerPrefixes[] = {"I",    "U",   "LEA",  "LOP3", "SHF",
                                                   "SEL",  "MOV", "CS2R", "VI",   "PLOP3",
                                                   "PRMT", "LDC", "S2R",  "POPC", "FLO"};
  const bool integer = std::ranges::any_of(
      kIntegerPrefixes, [&](std::string_view prefix) { return opcode.starts_with(prefix); });
  return integer || opcode == "R2UR" ? InstructionKind::integer : InstructionKind::other;
}

double InstructionMix::share(InstructionKind kind) const {
  return total == 0
             ? 0
             : static_cast<double>(by_kind[static_cast<std::size_t>(kind)]) / static_cast<double>(total);
}

std::vector<Loop> find_loops(const Function& function) {
  std::vector<Loop> loops;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (instruction.opcode != "BRA" || instruction.operands.empty()) continue;
    const Operand& target = instruction.operands.back();
    if (!target.resolved || target.index >= i || waits_or_takes_lanes(function, target.index, i)) continue;
    for (Loop& outer : loops) {
      if (outer.first == target.index)
        outer.end = std::max(outer.end, i + 1);  // several branches back to one place
    }
    if (loops.empty() || loops.back().first != target.index)
      loops.push_back({.first = target.index, .end = i + 1});
  }
  for (Loop& loop : loops) {
    loop.innermost = std::ranges::none_of(loops, [&](const Loop& other) {
      return &other != &loop && other.first >= loop.first && other.end <= loop.end;
    });
  }
  return loops;
}

InstructionMix instruction_mix(const Function& function, const std::vector<std::uint64_t>& executed,
                               std::uint32_t first, std::uint32_t end) {
  InstructionMix mix;
  for (std::uint32_t i = first; i < end; ++i) {
    mix.by_kind[static_cast<std::size_t>(kind_in(function, function.instructions[i]))] += executed[i];
    mix.total += executed[i];
  }
  return mix;
}

std::optional<Loop> hottest_loop(const Function& function, const std::vector<std::uint64_t>& executed) {
  std::optional<Loop> hottest;
  std::uint64_t max = 0;
  for (const Loop& loop : find_loops(function)) {
    const std::uint64_t sum =
        std::accumulate(executed.begin() + loop.first, executed.begin() + loop.end, std::uint64_t{0});
    if (!loop.innermost || sum <= max) continue;
    max = sum;
    hottest = loop;
  }
  return hottest;
}

}  // namespace warplens::sass
