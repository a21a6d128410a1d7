// Lane functions: pairs of halves, binary16 and bfloat16. What they compute is the replay's, so that both see
// the same values.
#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/replay/core/lane_functions.h"
#include "kernels/sass/lanewise_parts.h"

namespace warplens::sass {
namespace {

using ptx::Opcode;

ptx::Compare comparison_of(const Instruction& i) {
  using C = ptx::Compare;
  constexpr std::pair<std::string_view, C> kNames[] = {
      {"EQ", C::eq},   {"NE", C::ne},   {"LT", C::lt},   {"LE", C::le},   {"GT", C::gt},
      {"GE", C::ge},   {"EQU", C::equ}, {"NEU", C::neu}, {"LTU", C::ltu}, {"LEU", C::leu},
      {"GTU", C::gtu}, {"GEU", C::geu}, {"NUM", C::num}, {"NAN", C::nan}};
  const auto* const found = std::ranges::find_if(kNames, [&](const auto& name) { return i.has(name.first); });
  return found == std::end(kNames) ? C::none : found->second;
}

}  // namespace

HalvesForm halves_form(const Instruction& i) {
  struct Name {
    std::string_view opcode;
    Opcode computes;
    int sources;
  };
  constexpr Name kNames[] = {{"HADD2", Opcode::add, 2},   {"HMUL2", Opcode::mul, 2},
                             {"HFMA2", Opcode::fma, 3},   {"HMNMX2", Opcode::min, 2},
                             {"HSETP2", Opcode::setp, 2}, {"HSET2", Opcode::setp, 2}};
  const auto* const name = std::ranges::find(kNames, i.opcode, &Name::opcode);
  if (name == std::end(kNames)) return {};
  const bool compares = name->computes == Opcode::setp, chooses = name->computes == Opcode::min;
  const ptx::Compare comparison = compares ? comparison_of(i) : ptx::Compare::none;
  const auto is_known = [&](std::string_view modifier) {
    if (modifier == "BF16_V2") return true;
    if (compares)  // Modifiers that combine with a predicate, or say what stands for true
      return comparison != ptx::Compare::none && modifier != "FTZ";
    return chooses ? modifier == "NAN"
                   : modifier == "SAT" || modifier == "RELU" || (modifier == "MMA" && name->sources == 3);
  };
  if (!std::ranges::all_of(i.modifiers, is_known)) return {};
  replay::Traits traits{.opcode = name->computes,
                        .type = i.has("BF16_V2") ? ptx::Type::bf16x2 : ptx::Type::f16x2,
                        .compare = comparison};
  traits.sat = i.has("SAT");
  traits.relu = i.has("RELU");
  traits.nan = chooses && i.has("NAN");
  traits.sources = static_cast<std::uint8_t>(name->sources);
  HalvesForm form{.function = replay::find_lane_function(traits), .sources = name->sources};
  if (chooses) {
    traits.opcode = Opcode::max;
    form.other_function = replay::find_lane_function(traits);
  }
  form.is_test = i.opcode == "HSETP2";
  if (i.opcode == "HSET2") form.truth = !i.has("BF") ? 0xffff : i.has("BF16_V2") ? 0x3f80 : 0x3c00;
  return form;
}

Lanewise half_function(const Instruction& i) {
  replay::Traits traits{.opcode = i.has("TANH")  ? Opcode::tanh
                                  : i.has("EX2") ? Opcode::ex2
                                                 : Opcode::unsupported,
                        .type = ptx::Type::f16};
  traits.sources = 1;
  const bool is_known =
      i.opcode == "MUFU" && i.modifiers.size() == 2 && i.has("F16") && traits.opcode != Opcode::unsupported;
  return is_known ? replay::find_lane_function(traits) : nullptr;
}

}  // namespace warplens::sass
