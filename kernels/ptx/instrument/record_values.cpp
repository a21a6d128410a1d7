#include "kernels/ptx/instrument/record_values.h"

#include <fmt/core.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/base/tensor_map.h"
#include "kernels/ptx/grid_barrier.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

Sampled new_value(RecordCode& code, bool wide, bool by_low_half, bool in_run) {
  Sampled value{.wide = wide,
                .by_low_half = wide && by_low_half,
                .now = code.new_register(wide ? "b64" : "b32"),
                .next = {},
                .step = {}};
  if (in_run) {
    value.next = code.new_register(value.run_bits(), "0");
    value.step = code.new_register(value.run_bits(), "0");
  }
  return value;
}

/// kNoLane where the guard does not hold.
std::string select(const RecordCode& code, const Sampled& value, const std::string& if_holds,
                   const Operand& guard) {
  const std::string &holds = code.name_of_register(guard), none = "-1";
  return fmt::format("selp.{} {}, {}, {}, {};\n", value.bits(), value.now, guard.negated ? none : if_holds,
                     guard.negated ? if_holds : none, holds);
}

/// kNoLane where the lane does not access memory though it executes the instruction.
std::string leave_out_lanes(const RecordCode& code, const Sampled& value, const AccessGroup& group) {
  std::string text;
  if (group.lanes < kWarpSize) {
    text += fmt::format(
        "mov.u32 %wl_narrow, %laneid;\nsetp.lt.u32 %wl_p, %wl_narrow, {};\nselp.{} {}, {}, -1, "
        "%wl_p;\n",
        group.lanes, value.bits(), value.now, value.now);
  }
  const Operand& bytes = group.read_bytes;
  if (bytes.kind == Operand::Kind::none) return text;
  const bool is_register = bytes.kind == Operand::Kind::reg;
  const std::string name = is_register ? code.name_of_register(bytes) : std::to_string(bytes.bits);
  const bool is_predicate =
      is_register && code.function.registers[static_cast<std::uint32_t>(bytes.reg)].type == Type::pred;
  if (is_predicate) {
    return text + fmt::format("selp.{} {}, {}, {}, {};\n", value.bits(), value.now,
                              bytes.negated ? value.now : "-1", bytes.negated ? "-1" : value.now, name);
  }
  return text + fmt::format("setp.ne.u32 %wl_p, {}, 0;\nselp.{} {}, {}, -1, %wl_p;\n", name, value.bits(),
                            value.now, value.now);
}

/// Returns code that computes the number into `%wl_narrow`.
std::string lane_number(const LaneNumber& number) {
  if (number.by_group == 0 && number.by_lane == 0)
    return fmt::format("mov.u32 %wl_narrow, {};\n", number.constant);
  const bool by_group = number.by_group != 0;
  return fmt::format(
      "mov.u32 %wl_narrow, %laneid;\n{} %wl_narrow, %wl_narrow, {};\nmad.lo.u32 %wl_narrow, %wl_narrow, "
      "{}, {};\n",
      by_group ? "shr.u32" : "and.b32", by_group ? 2 : 3, by_group ? number.by_group : number.by_lane,
      number.constant);
}

/// Returns code that sets the register `to` to `from` plus the offset of the lane's piece.
std::string add_piece(const RecordCode& code, const MatrixPiece& piece, bool wide, const std::string& to,
                      const std::string& from) {
  const std::string stride = piece.stride.kind == Operand::Kind::reg ? code.name_of_register(piece.stride)
                                                                     : std::to_string(piece.stride.bits);
  const char* const add = wide ? "mad.wide.u32" : "mad.lo.u32";
  const bool in_bytes = piece.element_bits % 8 == 0;
  std::string text =
      lane_number(piece.line) + fmt::format("mul.lo.u32 %wl_narrow, %wl_narrow, {};\n", stride);
  if (!in_bytes)
    text += fmt::format("mul.lo.u32 %wl_narrow, %wl_narrow, {};\nshr.u32 %wl_narrow, %wl_narrow, 3;\n",
                        piece.element_bits);
  return text +
         fmt::format("{} {}, %wl_narrow, {}, {};\n", add, to, in_bytes ? piece.element_bits / 8 : 1, from) +
         lane_number(piece.bytes) + fmt::format("{0} {1}, %wl_narrow, 1, {1};\n", add, to);
}

std::string sample_address(const RecordCode& code, const Sampled& value, const AccessGroup& group) {
  std::string address;
  std::string text;
  switch (group.address.address_base) {
    case Operand::Kind::reg: address = code.name_of_register(group.address); break;
    case Operand::Kind::variable:
      address = value.now;
      text =
          fmt::format("mov.u64 {}, {};\n", value.now, code.function.variables[group.address.variable].name);
      break;
    default:
      address = value.now;
      text = fmt::format("mov.{} {}, {};\n", value.bits(), value.now, group.address.bits);
      break;
  }
  if (group.as_generic) {
    const bool is_narrow =
        group.address.address_base == Operand::Kind::reg &&
        size_of(code.function.registers[static_cast<std::uint32_t>(group.address.reg)].type) == 4;
    text += fmt::format("{} %wl_wide, {};\nadd.s64 %wl_wide, %wl_wide, {};\n",
                        is_narrow ? "cvt.u64.u32" : "mov.b64", address, group.address.offset);
    if (group.piece) text += add_piece(code, *group.piece, true, "%wl_wide", "%wl_wide");
    text += fmt::format("cvta.{}.u64 {}, %wl_wide;\n", name_of(group.space), value.now);
    if (group.guard.kind == Operand::Kind::reg) text += select(code, value, value.now, group.guard);
    return text + leave_out_lanes(code, value, group);
  }
  if (group.address.offset != 0) {
    text +=
        fmt::format("add.s{} {}, {}, {};\n", value.wide ? 64 : 32, value.now, address, group.address.offset);
    address = value.now;
  }
  if (group.piece) {
    text += add_piece(code, *group.piece, value.wide, value.now, address);
    address = value.now;
  }
  if (code.part.waits_for_grid && value.wide &&
      (group.space == StateSpace::global || group.space == StateSpace::generic)) {
    text += fmt::format(
        "sub.u64 %wl_wide, {0}, %wl_workspace;\nsetp.lt.u64 %wl_p, %wl_wide, {1};\nselp.b64 {2}, -1, {0}, "
        "%wl_p;\n",
        address, kGridWorkspaceBytes, value.now);
    address = value.now;
  }
  if (group.guard.kind == Operand::Kind::reg) {
    text += select(code, value, address, group.guard);
  } else if (address != value.now) {
    text += fmt::format("mov.{} {}, {};\n", value.bits(), value.now, address);
  }
  return text + leave_out_lanes(code, value, group);
}

/// Values of accesses to the same coordinates.
struct TexelValues {
  std::size_t first = 0, count = 0;  ///< Of the segment's groups
};

bool are_of_one_site(const AccessGroup& a, const AccessGroup& b) {
  return a.is_of_texels() && b.is_of_texels() && a.texel_site == b.texel_site;
}

std::string bits_of(const RecordCode& code, const Operand& coordinate) {
  if (coordinate.kind == Operand::Kind::reg) return code.name_of_register(coordinate);
  const bool is_double = coordinate.immediate_type == Type::f64;
  return fmt::format("{:#x}", is_double ? std::bit_cast<std::uint32_t>(
                                              static_cast<float>(std::bit_cast<double>(coordinate.bits)))
                                        : static_cast<std::uint32_t>(coordinate.bits));
}

/// The recorder makes addresses of the coordinates: in totals mode always, else in the chosen blocks.
std::string sample_texels(RecordCode& code, const Segment& segment, const TexelValues& which,
                          std::span<const Sampled> values) {
  const AccessGroup& group = segment.accesses[which.first];
  const std::uint32_t index = group.members.front().instruction, at = code.texels_offset();
  const Instruction& instruction = code.instruction(index);
  const Operand& coordinates = instruction.operands[effect_of(instruction) == Effect::texture_store ? 1 : 2];
  const std::vector<Operand> single{coordinates};
  std::string text;
  std::size_t place = offsetof(RecordTexels, coordinates);
  for (const Operand& coordinate :
       coordinates.kind == Operand::Kind::vector ? coordinates.elements : single) {
    text += fmt::format("mov.b32 %wl_narrow, {};\nst.local.b32 {}, %wl_narrow;\n", bits_of(code, coordinate),
                        RecordCode::field(at, place));
    place += sizeof(std::uint32_t);
  }
  text += RecordCode::call("warplens_texels", std::to_string(at), std::to_string(group.texel_site));
  for (std::size_t t = 0; t < which.count; ++t) {
    const Sampled& value = values[t];
    text += fmt::format("ld.local.b64 {}, {};\n", value.now,
                        RecordCode::field(at, offsetof(RecordTexels, addresses) + t * sizeof(std::uint64_t)));
    if (group.guard.kind == Operand::Kind::reg) text += select(code, value, value.now, group.guard);
  }
  return code.totals() ? text : code.if_rare(fmt::format("texels_{}", index), "%wl_chosen", text);
}

/// Returns code that replaces an address in one of the kernel's parameters by parameter_place(). On a GPU
/// parameters lie elsewhere, relative to each other too, than PTX has them (seen on an H200).
std::string name_parameter(const RecordCode& code, const std::string& address) {
  std::string text;
  for (std::size_t k = 0; k < code.function.parameters.size(); ++k) {
    const Variable& parameter = code.function.variables[code.function.parameters[k]];
    if (parameter.bytes() < kTensorMapBytes) continue;
    text += fmt::format(
        "mov.u64 %wl_wide, {0};\ncvta.param.u64 %wl_wide, %wl_wide;\nsub.u64 %wl_wide, {1}, %wl_wide;\n"
        "setp.lt.u64 %wl_p, %wl_wide, {2};\nadd.u64 %wl_wide, %wl_wide, {3};\n"
        "selp.b64 {1}, %wl_wide, {1}, %wl_p;\n",
        parameter.name, address, parameter.bytes(), parameter_place(static_cast<std::uint32_t>(k), 0));
  }
  return text;
}

/// Returns code that sets `to`, a register of 64 bits, to what the operand holds.
std::string sample_operand(const RecordCode& code, const RecordedOperand& recorded, const std::string& to) {
  const Operand& operand = recorded.operand;
  std::string text;
  const bool is_address = operand.kind == Operand::Kind::address;
  const bool in_register =
      operand.kind == Operand::Kind::reg || (is_address && operand.address_base == Operand::Kind::reg);
  if (in_register) {
    const int bytes = size_of(code.function.registers[static_cast<std::uint32_t>(operand.reg)].type);
    text = fmt::format("{} {}, {};\n",
                       bytes == 8   ? "mov.b64"
                       : bytes == 4 ? "cvt.u64.u32"
                                    : "cvt.u64.u16",
                       to, code.name_of_register(operand));
  } else if (is_address && operand.address_base == Operand::Kind::variable) {
    text = fmt::format("mov.u64 {}, {};\n", to, code.function.variables[operand.variable].name);
  } else {
    text = fmt::format("mov.b64 {}, {};\n", to, operand.bits);
  }
  if (is_address && operand.offset != 0) text += fmt::format("add.s64 {0}, {0}, {1};\n", to, operand.offset);
  if (recorded.holds == RecordedOperand::Holds::address_of_map) text += name_parameter(code, to);
  return text;
}

/// kNoLane where the guard does not hold.
std::string leave_out_unguarded(const RecordCode& code, const OperandGroup& group, const std::string& value) {
  if (group.guard.kind != Operand::Kind::reg) return {};
  return fmt::format("@{}{} mov.b64 {}, -1;\n", group.guard.negated ? "" : "!",
                     code.name_of_register(group.guard), value);
}

/// Puts the sampling of a group's operands into the code. Returns the registers that hold them afterwards.
std::vector<std::string> sample_operands(RecordCode& code, const OperandGroup& group) {
  std::vector<std::string> values;
  std::string text;
  for (const RecordedOperand& operand : group.operands) {
    values.push_back(code.new_register("b64"));
    text += sample_operand(code, operand, values.back());
    if (values.size() == 1) text += leave_out_unguarded(code, group, values.back());
  }
  code.rewrite.before(group.instruction, std::move(text));
  return values;
}

/// Adds the terms of a group's address to %wl_wide, or %wl_narrow.
std::string add_terms(const RecordCode& code, const AccessGroup& group) {
  std::string text;
  for (const Term& term : group.from_root) {
    text += fmt::format("mad.lo.s{0} {1}, {2}, {3}, {1};\n", group.wide ? 64 : 32,
                        group.wide ? "%wl_wide" : "%wl_narrow", code.name_of_register(term.reg), term.factor);
  }
  return text;
}

/// Computes a value that follows from `root` in %wl_wide.
std::string work_out(const RecordCode& code, const Sampled& value, const std::string& root) {
  const char* const bits = value.wide ? "64" : "32";
  std::string text = fmt::format("add.s{} {}, {}, {};\n", bits, value.wide ? "%wl_wide" : "%wl_narrow", root,
                                 value.follows->distance);
  text += add_terms(code, *value.follows);
  if (!value.wide) text += "cvt.u64.u32 %wl_wide, %wl_narrow;\n";
  if (value.follows->guard.kind == Operand::Kind::reg) {
    text +=
        fmt::format("setp.eq.b{0} %wl_p, {1}, -1;\nselp.b64 %wl_wide, -1, %wl_wide, %wl_p;\n", bits, root);
  }
  return text;
}

std::string store_distances(const RecordCode& code, std::uint32_t s) {
  const Segment& segment = code.segments[s];
  std::string text;
  for (std::size_t d = 0; d < segment.shifted.size(); ++d) {
    const AccessGroup& group = segment.shifted[d];
    text += fmt::format("mov.b{} {}, {};\n", group.wide ? 64 : 32, group.wide ? "%wl_wide" : "%wl_narrow",
                        group.distance) +
            add_terms(code, group);
    if (!group.wide) text += "cvt.s64.s32 %wl_wide, %wl_narrow;\n";
    text += fmt::format("st.local.b64 {}, %wl_wide;\n",
                        RecordCode::field(code.value_offset(s, code.values_of(segment)), d * kDistanceBytes));
  }
  return text;
}

}  // namespace

std::vector<Sampled> sample_values(RecordCode& code, const Segment& segment) {
  std::vector<Sampled> values;
  if (code.totals()) {
    for (const GuardGroup& group : segment.guards) {
      values.push_back(new_value(code, false, false, code.keeps_run(segment)));
      code.before(group.instructions.front(), select(code, values.back(), "0", group.guard));
    }
  }
  const std::size_t guards = values.size();
  for (std::size_t g = 0; g < segment.accesses.size(); ++g) {
    const AccessGroup& group = segment.accesses[g];
    if (group.is_of_texels()) {
      TexelValues which{.first = g};
      for (; g + which.count < segment.accesses.size() &&
             are_of_one_site(segment.accesses[g + which.count], group);
           ++which.count)
        values.push_back(new_value(code, true, false, code.keeps_run(segment)));
      code.rewrite.before(group.members.front().instruction,
                          sample_texels(code, segment, which, std::span(values).last(which.count)));
      g += which.count - 1;
      continue;
    }
    if (group.root) {
      values.push_back({.wide = group.wide,
                        .now = {},
                        .next = {},
                        .step = {},
                        .follows = &group,
                        .root = guards + *group.root});
      continue;
    }
    values.push_back(new_value(code, group.wide, code.options.one_window && group.space == StateSpace::global,
                               code.keeps_run(segment)));
    code.rewrite.before(group.members.front().instruction, sample_address(code, values.back(), group));
  }
  if (code.totals()) return values;
  for (const OperandGroup& group : segment.operands) {
    for (const std::string& value : sample_operands(code, group)) {
      values.push_back({.wide = true, .now = value, .next = {}, .step = {}});
    }
  }
  return values;
}

std::string hand_over_operands(RecordCode& code, const OperandGroup& group, std::uint32_t number) {
  std::string text;
  std::size_t at = 0;
  for (const std::string& value : sample_operands(code, group)) {
    text += fmt::format("st.local.b64 {}, {};\n", RecordCode::field(code.operands_offset(), at), value);
    at += sizeof(std::uint64_t);
  }
  return text + RecordCode::call("warplens_operands", std::to_string(code.operands_offset()),
                                 std::to_string(number));
}

std::pair<std::string, std::string> widened(const RecordCode& code, const std::vector<Sampled>& values,
                                            std::size_t v) {
  const Sampled& value = values[v];
  if (value.follows != nullptr) return {work_out(code, value, values[value.root].now), "%wl_wide"};
  if (value.wide) return {"", value.now};
  // Zero-extended, and kNoLane32 becomes kNoLane
  return {fmt::format("cvt.u64.u32 %wl_wide, {0};\nsetp.eq.u32 %wl_p, {0}, -1;\nselp.b64 %wl_wide, -1, "
                      "%wl_wide, %wl_p;\n",
                      value.now),
          "%wl_wide"};
}

std::string store_values(const RecordCode& code, std::uint32_t s, const std::vector<Sampled>& values) {
  std::string text;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const auto [made, name] = widened(code, values, v);
    text += made + fmt::format("st.local.b64 {}, {};\n",
                               RecordCode::field(code.value_offset(s, v), offsetof(RecordValue, now)), name);
  }
  return text + store_distances(code, s);
}

}  // namespace warplens::ptx
