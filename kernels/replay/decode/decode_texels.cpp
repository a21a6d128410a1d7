// tex, tld4, suld, sust, txq, suq.
#include <algorithm>

#include "kernels/base/texts.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/decode/decoder.h"

namespace warplens::replay {
namespace {

std::size_t coordinate_count(ptx::TextureGeometry geometry) {
  using G = ptx::TextureGeometry;
  switch (geometry) {
    case G::one: return 1;
    case G::two:
    case G::layered_one: return 2;
    case G::three:
    case G::layered_two:
    case G::cube:  // Of these the last one is not looked at
    case G::layered_cube: return 4;
    case G::none: break;
  }
  return 0;
}

std::optional<std::uint32_t> gathered_component(ptx::Opcode opcode) {
  using ptx::Opcode;
  switch (opcode) {
    case Opcode::tld4_r: return 0;
    case Opcode::tld4_g: return 1;
    case Opcode::tld4_b: return 2;
    case Opcode::tld4_a: return 3;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<bool> is_query_of_surface(ptx::Opcode opcode) {
  using ptx::Opcode;
  switch (opcode) {
    case Opcode::suq_depth:
    case Opcode::suq_height:
    case Opcode::suq_width: return true;
    case Opcode::txq_depth:
    case Opcode::txq_height:
    case Opcode::txq_width: return false;
    default: return std::nullopt;
  }
}

/// Turns each query into a load of a hidden parameter that holds its result. Those whose handle is of an
/// unknown texture stay, and are refused.
void Decoder::load_texture_queries() {
  ptx::Function& function = code_->function;
  for (ptx::Instruction& instruction : function.instructions) {
    const std::optional<bool> of_surface = is_query_of_surface(instruction.opcode);
    if (!of_surface) continue;
    const std::optional<std::uint32_t> parameter = parameter_of_handle(instruction.operands[1]);
    if (!parameter) continue;
    const auto variable = static_cast<std::uint32_t>(function.variables.size());
    function.variables.push_back(
        {.name = "", .space = StateSpace::param, .type = Type::b32, .alignment = 4, .is_hidden = true});
    linked_.piece_of_variable.push_back(0);
    code_->texture_queries.push_back({.opcode = instruction.opcode,
                                      .of_surface = *of_surface,
                                      .parameter = *parameter,
                                      .variable = variable});
    instruction.opcode = Opcode::ld;
    instruction.space = StateSpace::param;
    instruction.operands[1] = {.kind = Kind::address, .address_base = Kind::variable, .variable = variable};
  }
}

/// The kernel's parameter that a handle was loaded from: what textures there are is known before the launch
/// then.
std::optional<std::uint32_t> Decoder::parameter_of_handle(const ptx::Operand& handle) const {
  constexpr int kMaxMoves = 16;
  const ptx::Operand* value = &handle;
  for (int step = 0; step < kMaxMoves && value->kind == Kind::reg; ++step) {
    const ptx::Instruction* writer = nullptr;
    for (const ptx::Instruction& instruction : function().instructions) {
      const std::vector<std::uint32_t> writes = ptx::register_use(instruction).writes;
      if (std::ranges::find(writes, static_cast<std::uint32_t>(value->reg)) == writes.end()) continue;
      if (writer != nullptr) return std::nullopt;
      writer = &instruction;
    }
    if (writer == nullptr) return std::nullopt;
    if (ptx::effect_of(*writer) == Effect::load && writer->space == StateSpace::param &&
        writer->vector == 1) {
      const ptx::Operand& address = ptx::address_of(*writer);
      const auto parameter = std::ranges::find(function().parameters, address.variable);
      const bool is_whole = address.address_base == Kind::variable && address.offset == 0 &&
                            parameter != function().parameters.end();
      return is_whole ? std::optional(static_cast<std::uint32_t>(parameter - function().parameters.begin()))
                      : std::nullopt;
    }
    if (writer->opcode != Opcode::mov || writer->operands.size() != 2) return std::nullopt;
    value = &writer->operands[1];
  }
  return std::nullopt;
}

void Decoder::fill_texels(const ptx::Instruction& instruction, Instr& instr) {
  auto access = std::make_shared<TexelAccess>();
  access->instruction = index_;
  access->is_store = ptx::effect_of(instruction) == Effect::texture_store;
  access->of_surface = access->is_store || instruction.opcode == Opcode::suld;
  access->geometry = instruction.texture;
  access->beyond = instruction.beyond;
  access->component_bytes = static_cast<std::uint32_t>(ptx::size_of(instruction.type));
  access->gives_floats = instruction.type == Type::f32;
  access->by_index = instruction.source_type == Type::s32;
  access->gathered = gathered_component(instruction.opcode);
  const bool is_of_two = instruction.texture == ptx::TextureGeometry::two;
  if (instruction.opcode == ptx::Opcode::tex_grad && !is_of_two)
    return refuse(instruction);  // Gradients choose among levels; there is one
  if (access->gathered && (access->by_index || !is_of_two)) return refuse(instruction);
  const bool type_fits = access->of_surface
                             ? ptx::size_of(instruction.type) <= 8
                             : (instruction.type == Type::f32 || instruction.type == Type::u32 ||
                                instruction.type == Type::s32) &&
                                   (instruction.source_type == Type::f32 ||
                                    (access->by_index && instruction.texture == ptx::TextureGeometry::one));
  if (!type_fits) return refuse(instruction);
  const ptx::Operand &values = instruction.operands[access->is_store ? 2 : 0],
                     &handle = instruction.operands[access->is_store ? 0 : 1],
                     &coordinates = instruction.operands[access->is_store ? 1 : 2];
  const std::optional<std::uint32_t> parameter = parameter_of_handle(handle);
  if (!parameter) return fail(tr("its texture or surface is not itself a parameter of the kernel"));
  access->parameter = *parameter;
  const auto add_all = [&](const ptx::Operand& operand, Type type, std::vector<std::uint32_t>& heads) {
    const std::vector<ptx::Operand> single{operand};
    for (const ptx::Operand& element : operand.kind == Kind::vector ? operand.elements : single)
      heads.push_back(operand_head(element, ptx::size_of(type) == 8 ? 8 : 4, type));
  };
  using G = ptx::TextureGeometry;
  const bool has_layer = instruction.texture == G::layered_one || instruction.texture == G::layered_two ||
                         instruction.texture == G::layered_cube;
  add_all(coordinates, access->of_surface || access->by_index || has_layer ? Type::b32 : Type::f32,
          access->coordinates);
  add_all(values, instruction.type, access->values);
  const auto is_missing = [](std::uint32_t head) { return head == kNoOperand; };
  const bool lacks = std::ranges::any_of(access->coordinates, is_missing) ||
                     (access->is_store && std::ranges::any_of(access->values, is_missing));
  const std::size_t wanted = access->of_surface ? instruction.vector : 4;
  if (lacks || access->coordinates.size() != coordinate_count(instruction.texture) ||
      access->values.size() != wanted)
    return refuse(instruction);
  instr.site = first_site_[index_];
  instr.imm = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(code_->texel_accesses.emplace_back(std::move(access)).get()));
  instr.run = &access_texels;
}

}  // namespace warplens::replay
