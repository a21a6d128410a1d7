#include "kernels/replay/extrapolate/exposed.h"

#include <algorithm>
#include <set>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/block/lanes.h"
#include "kernels/replay/core/core.h"
#include "kernels/replay/decode/provenance.h"

namespace warplens::replay {
namespace {

/// The buffers that a set of parameters points to at this launch.
std::set<std::uint32_t> buffers_of(std::uint64_t parameters, const Launch& launch) {
  std::set<std::uint32_t> buffers;
  for (std::size_t k = 0; k < launch.arguments.size() && k < 62; ++k) {
    if ((parameters >> k & 1) == 0) continue;
    if (const auto* buffer = std::get_if<BufferArgument>(&launch.arguments[k]))
      buffers.insert(buffer->buffer);
    if (const auto* scalar = std::get_if<ScalarArgument>(&launch.arguments[k])) {
      for (const PlacedAddress& address : scalar->addresses) buffers.insert(address.buffer);
    }
  }
  return buffers;
}

/// Whether it does ahead what one of these instructions does.
bool runs_any_ahead(const Program::Code& code, const Instr& instr,
                    std::span<const std::uint32_t> instructions) {
  if (!runs_ahead(*code.core, instr)) return false;
  const auto first = std::ranges::lower_bound(instructions, instr.index);
  return first != instructions.end() && *first < (&instr + instr.imm)->index;
}

constexpr std::uint32_t kNoOperand = 0xffffffffu;

const Head& operand_at(const Machine& m, std::uint32_t offset) {
  return *reinterpret_cast<const Head*>(m.registers + offset);
}

/// Of a cp.async: see core/copies.inl.
std::uint32_t lanes_that_read(const Machine& m, const Instr& instr) {
  if (instr.d != kNoOperand) {
    const std::uint32_t flip = (instr.flags & kSecondNegated) != 0 ? 0xffffffffu : 0u;
    return ~(static_cast<std::uint32_t>(operand_at(m, instr.d).base) ^ flip);
  }
  if (instr.c == kNoOperand) return 0xffffffffu;
  std::uint32_t lanes = 0;
  for (std::uint32_t l = 0; l < kWarpSize; ++l)
    lanes |= static_cast<std::uint32_t>(value_of_lane(operand_at(m, instr.c), false, l) != 0) << l;
  return lanes;
}

/// Of wmma.load and wmma.store: see core/fragments.inl.
const tensor::FragmentAccess& fragment_access_of(const Instr& instr) {
  return *reinterpret_cast<const tensor::FragmentAccess*>(instr.more[0] | std::uint64_t{instr.more[1]} << 32);
}
}  // namespace

std::array<std::uint64_t, kWarpSize> piece_offsets(const Machine& m, const Instr& instr, int which) {
  std::array<std::uint64_t, kWarpSize> offsets{};
  if (instr.shape != AccessShape::fragment) return offsets;
  const tensor::FragmentAccess& access = fragment_access_of(instr);
  for (std::uint32_t l = 0; l < kWarpSize; ++l) {
    const tensor::FragmentPlace place = access.places[static_cast<std::size_t>(which)][l];
    const std::uint64_t stride =
        instr.b == kNoOperand ? access.default_stride : value_of_lane(operand_at(m, instr.b), false, l);
    offsets[l] = place.line * stride * access.element_bits / 8 + place.bytes;
  }
  return offsets;
}

namespace {

void move_to_piece(const Machine& m, const Instr& instr, int which, GlobalLanes& lanes) {
  const tensor::FragmentAccess& access = fragment_access_of(instr);
  const auto offsets = piece_offsets(m, instr, which);
  for (std::uint32_t l = 0; l < kWarpSize; ++l) lanes.address[l] += offsets[l];
  lanes.data = instr.more[2 + which / access.pieces];
  lanes.data_bytes = access.register_bytes;
  lanes.data_shift = static_cast<std::uint8_t>(8 * access.piece_bytes * (which % access.pieces));
}

}  // namespace

bool may_meet(std::uint64_t read, std::uint64_t written, const Launch& launch) {
  if (read == 0 || written == 0) return false;
  if (((read | written) & kFromAnywhere) != 0 || (read & written & kFromModule) != 0) return true;
  const std::set<std::uint32_t> stored = buffers_of(written, launch);
  return std::ranges::any_of(buffers_of(read, launch),
                             [&](std::uint32_t buffer) { return stored.contains(buffer); });
}

std::vector<std::uint32_t> exposed_accesses(const Program::Code& code, const Launch& launch) {
  const std::vector<std::uint64_t> origins = origins_of_accesses(code.function);
  std::vector<std::uint32_t> exposed;
  for (std::uint32_t i = 0; i < origins.size(); ++i) {
    const ptx::Instruction& instruction = code.function.instructions[i];
    const bool may_wait_for_grid =
        code.waits_for_grid &&
        (ptx::is_atomic(instruction) || (ptx::is_access(instruction) && is_strong(instruction)));
    if (may_wait_for_grid) exposed.push_back(i);            // The barrier's workspace is no buffer
    const bool by_lanes = !ptx::is_bulk_copy(instruction);  // What these touch is not compared
    if (may_wait_for_grid || origins[i] == 0 || !by_lanes) continue;
    const bool only_reads = !ptx::may_write(instruction, ptx::StateSpace::global);
    if (only_reads && (instruction.non_coherent || !may_meet(origins[i], code.provenance.written, launch)))
      continue;
    exposed.push_back(i);
  }
  return exposed;
}

std::vector<bool> written_regions(const Program::Code& code, const Launch& launch, std::size_t buffers) {
  const std::uint64_t written = code.provenance.written;
  std::vector<bool> regions(buffers + code.global.variables.size(), (written & kFromAnywhere) != 0);
  for (const std::uint32_t buffer : buffers_of(written, launch)) regions[buffer] = true;
  if ((written & kFromModule) != 0)
    std::fill(regions.begin() + static_cast<std::ptrdiff_t>(buffers), regions.end(), true);
  return regions;
}

Program::Code with_handler(const Program::Code& code, std::span<const std::uint32_t> instructions,
                           Handler handler) {
  Program::Code result = code;
  const std::vector<Handler> handlers = handlers_of(code);
  const auto relocate = [&](const Instr*& place) {
    if (place != nullptr) place = result.instructions.data() + (place - code.instructions.data());
  };
  for (CalledPiece& piece : result.pieces) relocate(piece.entry);
  for (Instr& instr : result.instructions) {
    relocate(instr.join);
    if (runs_any_ahead(code, instr, instructions)) instr.run = nop;
    if ((instr.flags & kHelper) != 0 || instr.index >= handlers.size() || instr.run != handlers[instr.index])
      continue;
    if (ptx::effect_of(code.function.instructions[instr.index]) == ptx::Effect::branch)
      relocate(instr.target);
    if (instr.run != code.core->unsupported && std::ranges::binary_search(instructions, instr.index))
      instr.run = handler;
  }
  return result;
}

std::vector<Handler> handlers_of(const Program::Code& code) {
  std::vector<Handler> handlers(code.function.instructions.size());
  for (const Instr& instr : code.instructions) {
    if ((instr.flags & kHelper) == 0 && instr.index < handlers.size()) handlers[instr.index] = instr.run;
  }
  return handlers;
}

namespace {

/// Whether what is computed from a loaded value goes to global memory, and decides on nothing.
bool is_only_stored(const Program::Code& code, const std::vector<std::vector<std::uint32_t>>& readers,
                    std::uint32_t load) {
  std::vector<bool> known(readers.size());
  bool is_stored = false;
  std::vector<std::uint32_t> todo = ptx::register_use(code.function.instructions[load]).writes;
  while (!todo.empty()) {
    const std::uint32_t value = todo.back();
    todo.pop_back();
    if (known[value]) continue;
    known[value] = true;
    for (const std::uint32_t reader : readers[value]) {
      const ptx::Instruction& instruction = code.function.instructions[reader];
      const auto is_value = [&](const ptx::Operand& operand, ptx::Operand::Kind kind) {
        return kind == ptx::Operand::Kind::reg && static_cast<std::uint32_t>(operand.reg) == value;
      };
      if (is_value(instruction.guard, instruction.guard.kind)) return false;
      if (ptx::row_of(instruction.opcode).value == ptx::Value::of_operands) {
        const std::vector<std::uint32_t> writes = ptx::register_use(instruction).writes;
        todo.insert(todo.end(), writes.begin(), writes.end());
        continue;
      }
      const ptx::Operand* const address =
          ptx::effect_of(instruction) == ptx::Effect::store && instruction.space == ptx::StateSpace::global
              ? &ptx::address_of(instruction)
              : nullptr;
      if (address == nullptr || is_value(*address, address->address_base)) return false;
      is_stored = true;
    }
  }
  return is_stored;
}

}  // namespace

std::vector<AccessKind> kinds_of_accesses(const Program::Code& code) {
  const std::vector<ptx::Instruction>& instructions = code.function.instructions;
  std::vector<std::vector<std::uint32_t>> readers(code.function.registers.size());
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    for (const std::uint32_t r : ptx::register_use(instructions[i]).reads) readers[r].push_back(i);
  }
  std::vector<AccessKind> kinds(instructions.size(), AccessKind::load);
  for (const Site& site : code.sites) {
    const ptx::Instruction& instruction = instructions[site.instruction];
    const auto is_past_l1 = [&](const char* cache) {
      return instruction.text.find(cache) != std::string::npos;
    };
    const bool orders = is_strong(instruction) && !instruction.is_volatile;
    const bool strong = is_strong(instruction) || is_past_l1(".cg") || is_past_l1(".cv") || is_past_l1(".wt");
    AccessKind& kind = kinds[site.instruction];
    switch (site.op) {
      case AccessOp::load:
        kind = strong && (orders || !is_only_stored(code, readers, site.instruction))
                   ? AccessKind::strong_load
                   : AccessKind::load;
        break;
      case AccessOp::ldmatrix:
      case AccessOp::cp_async:
      case AccessOp::bulk_load:
      case AccessOp::bulk_store:
      case AccessOp::bulk_reduction:
      case AccessOp::wgmma: kind = AccessKind::load; break;
      case AccessOp::store:
      case AccessOp::stmatrix: kind = strong ? AccessKind::strong_store : AccessKind::store; break;
      case AccessOp::atomic: kind = AccessKind::exchange; break;
      case AccessOp::reduction: kind = AccessKind::strong_store; break;
    }
  }
  return kinds;
}

std::optional<std::uint64_t> first_of_neighbours(const Machine& m, const Instr& instr) {
  const Head& head = operand_at(m, instr.a);
  const std::int64_t bytes = std::int64_t{instr.bytes} * instr.count;
  const std::uint64_t first = head.base + static_cast<std::uint64_t>(instr.imm);
  const bool all = instr.shape == AccessShape::lanes && m.active == 0xffffffffu &&
                   head.form == Form::affine && head.stride == bytes;
  if (!all || (instr.flags & kWideAddress) == 0 || (first & static_cast<std::uint64_t>(bytes - 1)) != 0)
    return std::nullopt;
  return first;
}

int count_accesses(const Instr& instr) {
  if (instr.shape != AccessShape::fragment) return 1;
  const tensor::FragmentAccess& access = fragment_access_of(instr);
  return access.registers * access.pieces;
}

namespace {

void find_addresses(const Machine& m, const Instr& instr, GlobalLanes& lanes) {
  const bool wide = (instr.flags & kWideAddress) != 0;
  for (std::uint32_t l = 0; l < kWarpSize; ++l) {
    lanes.address[l] = value_of_lane(operand_at(m, instr.a), wide, l) + static_cast<std::uint64_t>(instr.imm);
    if (!wide) lanes.address[l] = static_cast<std::uint32_t>(lanes.address[l]);
  }
}

}  // namespace

GlobalLanes shared_lanes(const Machine& m, const Instr& instr) {
  GlobalLanes lanes{.bytes = static_cast<std::uint32_t>(instr.bytes) * instr.count};
  find_addresses(m, instr, lanes);
  const bool is_generic = static_cast<ptx::StateSpace>(instr.space) == ptx::StateSpace::generic;
  for (std::uint32_t l = 0; l < kWarpSize; ++l) {
    if (is_generic) lanes.address[l] -= kSharedWindow;
    const bool is_shared = lanes.address[l] < m.shared.end && lanes.bytes <= m.shared.end - lanes.address[l];
    lanes.mask |= static_cast<std::uint32_t>(is_shared) << l;
  }
  lanes.mask &= m.active;
  return lanes;
}

GlobalLanes global_lanes(const Machine& m, const Instr& instr, int which) {
  GlobalLanes lanes{.mask = m.active, .bytes = static_cast<std::uint32_t>(instr.bytes) * instr.count};
  find_addresses(m, instr, lanes);
  if (instr.shape == AccessShape::copy) lanes.mask &= lanes_that_read(m, instr);
  if (instr.shape == AccessShape::fragment) move_to_piece(m, instr, which, lanes);
  std::uint32_t refused = 0;
  for (std::uint32_t l = 0; l < kWarpSize; ++l) {
    const std::uint64_t address = lanes.address[l];
    const bool is_global = address < kSharedWindow || address - kGridWorkspace < kGridWorkspaceBytes;
    refused |= static_cast<std::uint32_t>((address & (lanes.bytes - 1)) != 0 || !is_global) << l;
  }
  lanes.mask &= ~refused;
  return lanes;
}

}  // namespace warplens::replay
