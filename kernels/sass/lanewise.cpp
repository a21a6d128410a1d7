#include "kernels/sass/lanewise.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sass/lanewise_parts.h"

namespace warplens::sass {
namespace {

/// Modifiers whose meaning is known, by opcode (without the U of uniform ones): with any other an instruction
/// is not computed.
bool is_understood(const Instruction& i) {
  using Names = std::initializer_list<std::string_view>;
  static const std::map<std::string_view, std::vector<std::string_view>> kKnown = [] {
    std::map<std::string_view, std::vector<std::string_view>> known;
    const Names compare{"LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "LTU", "EQU", "LEU",
                        "GTU", "NEU", "GEU", "NUM", "NAN", "AND", "OR",  "XOR", "FTZ"};
    const Names functions{"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "TANH", "RCP64H", "RSQ64H"};
    const Names integers{"U8",  "S8",  "U16", "S16", "U32", "S32", "U64",
                         "S64", "F32", "F64", "RZ",  "RM",  "RP"};
    for (const char* const opcode : {"FADD", "FMUL", "FFMA"})
      known[opcode] = {"FTZ", "SAT", "RZ", "RM", "RP"};
    for (const char* const opcode : {"DADD", "DMUL", "DFMA"}) known[opcode] = {"RZ", "RM", "RP"};
    for (const char* const opcode : {"FSETP", "DSETP"}) known[opcode] = compare;
    for (const char* const opcode : {"I2F", "I2FP"}) known[opcode] = integers;
    known["I2F"].emplace_back("F16");
    known["MUFU"] = functions;
    known["FMNMX"] = {"FTZ"};
    known["FRND"] = {"TRUNC", "FLOOR", "CEIL", "F64"};
    known["F2I"] = {"U32", "S32", "U64", "S64", "F32", "F64", "TRUNC", "FLOOR", "CEIL", "NTZ", "FTZ"};
    known["F2F"] = {"F16", "F32", "F64"};
    known["F2FP"] = {"F16", "BF16", "F32", "PACK_AB", "RZ"};
    known["IMAD"] = {"HI", "U32", "S32"};
    known["SHF"] = {"L", "R", "W", "HI", "U32", "S32", "U64", "S64"};
    known["FLO"] = {"U32", "SH"};
    known["SGXT"] = {"U32"};
    known["VABSDIFF"] = {"U32"};
    known["VIMNMX3"] = {"U32", "S32"};
    known["VIMNMX"] = {"U16x2", "S16x2"};
    known["VABSDIFF4"] = {"U8", "S8", "ACC"};
    known["IDP"] = {"4A", "2A", "LO", "HI", "U8", "S8", "U16", "S16"};
    return known;
  }();
  const std::string_view opcode =
      i.opcode.starts_with('U') ? std::string_view(i.opcode).substr(1) : std::string_view(i.opcode);
  const auto known = kKnown.find(opcode);
  // Subnormals that are flushed are 0 to the nearest integer, and to that below in magnitude; not to that
  // above or below in value.
  if (opcode == "F2I" && i.has("FTZ") && (i.has("FLOOR") || i.has("CEIL"))) return false;
  const auto is_known = [&](const std::string& modifier) {
    return known != kKnown.end() && std::ranges::find(known->second, modifier) != known->second.end();
  };
  return std::ranges::all_of(i.modifiers, is_known);
}

}  // namespace

LanewiseForm lanewise_form(const Instruction& instruction) {
  if (!is_understood(instruction)) return {};
  LanewiseForm form = float_form(instruction);
  if (form.function == nullptr) form = conversion_form(instruction);
  if (form.function == nullptr) form = integer_form(instruction);
  return form;
}

}  // namespace warplens::sass
