#include "kernels/ptx/opcodes.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "kernels/ptx/suffixes.h"

namespace warplens::ptx {
namespace {

/// The operands of bar and barrier: see forms_of_operands.
constexpr char kByBarrierMode[] = "";
/// Those of bulk copies: the same.
constexpr char kByDestination[] = "";

constexpr OpcodeRow kRows[] = {
#define WARPLENS_OPCODE(name, written, suffixes, min_types, max_types, operands, value, effect) \
  {Opcode::name, written, suffixes, min_types, max_types, operands, Value::value, Effect::effect},
#include "kernels/ptx/opcodes.inl"
#undef WARPLENS_OPCODE
};

constexpr auto count_of(OperandForm::Kind kind, const OpcodeRow& row) {
  return std::count_if(row.operands.begin(), row.operands.end(),
                       [kind](const OperandForm& form) { return form.kind == kind; });
}

constexpr std::ptrdiff_t count_of_addresses(Effect effect) {
  switch (effect) {
    case Effect::load:
    case Effect::store:
    case Effect::atomic:
    case Effect::reduction:
    case Effect::load_matrices:
    case Effect::store_matrices:
    case Effect::load_fragment:
    case Effect::store_fragment:
    case Effect::mbarrier:
    case Effect::tensor_map: return 1;
    case Effect::copy: return 2;
    case Effect::bulk_copy:  // By destination
    case Effect::none:
    case Effect::texture_load:
    case Effect::texture_store:
    case Effect::copy_order:
    case Effect::branch:
    case Effect::indexed_branch:
    case Effect::ret:
    case Effect::trap:
    case Effect::barrier:
    case Effect::cluster_barrier:
    case Effect::warpgroup_product:
    case Effect::warpgroup_order:
    case Effect::call:
    case Effect::no_op:
    case Effect::unknown: break;
  }
  return 0;
}

/// What one column of a row says of another.
constexpr bool is_consistent(const OpcodeRow& row) {
  const bool has_destination =
      count_of(OperandForm::Kind::destination, row) > 0 || row.effect == Effect::barrier;
  const bool of_memory = row.effect == Effect::load || row.effect == Effect::atomic ||
                         row.effect == Effect::texture_load ||
                         (row.effect == Effect::mbarrier && has_destination);
  if (row.min_types > row.max_types || row.max_types > 4) return false;
  if (row.effect == Effect::none && row.value == Value::none) return false;
  if (has_destination != (row.value != Value::none) || of_memory != (row.value == Value::of_memory))
    return false;
  // Behind the address of an access that of an mbarrier may stand, or that of a source.
  const std::ptrdiff_t addresses = count_of(OperandForm::Kind::address, row),
                       of_effect = count_of_addresses(row.effect);
  if (row.effect != Effect::no_op && (addresses < of_effect || (of_effect == 0 && addresses > 0)))
    return false;
  const int labels = row.effect == Effect::branch ? 1 : 0,
            targets = row.effect == Effect::indexed_branch ? 1 : 0;
  return count_of(OperandForm::Kind::label, row) == labels &&
         count_of(OperandForm::Kind::targets, row) == targets;
}
static_assert(std::all_of(std::begin(kRows), std::end(kRows), is_consistent));

constexpr OperandForms kOfWait("s*?s*"), kOfArrival("s*s*"), kOfReduction("ds*s*?s*");

const OperandForms& forms_of_barrier(BarrierMode mode) {
  switch (mode) {
    case BarrierMode::none:
    case BarrierMode::sync: return kOfWait;
    case BarrierMode::arrive: return kOfArrival;
    case BarrierMode::red_popc:
    case BarrierMode::red_and:
    case BarrierMode::red_or: break;
  }
  return kOfReduction;
}

constexpr OperandForms kToShared("aas4a?s*s*"), kToGlobal("aas4?s*"), kTensorToShared("as8[S*]a?S*s*s*"),
    kTensorToGlobal("s8[S*]a?s*");

const OperandForms& forms_of_bulk_copy(const Instruction& instruction) {
  const bool to_global = instruction.to_space == StateSpace::global;
  if (instruction.dimensions == 0) return to_global ? kToGlobal : kToShared;
  return to_global ? kTensorToGlobal : kTensorToShared;
}

std::size_t index_of_address(const Instruction& instruction) {
  if (effect_of(instruction) == Effect::mbarrier) return count_destinations(instruction);
  assert(instruction.operands.size() >= 2);
  return instruction.operands[0].kind == Operand::Kind::address ? 0 : 1;
}

}  // namespace

std::span<const OpcodeRow> opcode_rows() {
  return kRows;
}

const OpcodeRow& row_of(Opcode opcode) {
  return kRows[static_cast<std::size_t>(opcode)];
}

const OperandForms& forms_of_operands(const Instruction& instruction) {
  if (is_barrier(instruction)) return forms_of_barrier(instruction.barrier);
  if (effect_of(instruction) == Effect::bulk_copy) return forms_of_bulk_copy(instruction);
  return row_of(instruction.opcode).operands;
}

const OperandForm& form_of_operand(const Instruction& instruction, std::size_t k) {
  const auto is_there = [&](const OperandForm& form) {
    return (!form.is_paired || instruction.paired_destination) && k-- == 0;
  };
  const OperandForms& forms = forms_of_operands(instruction);
  const OperandForm* const found = std::find_if(forms.begin(), forms.end(), is_there);
  assert(found != forms.end());
  return *found;
}

std::size_t count_destinations(const Instruction& instruction) {
  const auto is_written = [&](const OperandForm& form) {
    return form.kind == OperandForm::Kind::destination && (!form.is_paired || instruction.paired_destination);
  };
  const OperandForms& forms = forms_of_operands(instruction);
  return static_cast<std::size_t>(std::count_if(forms.begin(), forms.end(), is_written));
}

Effect effect_of(const Instruction& instruction) {
  return row_of(instruction.opcode).effect;
}

namespace {

/// Bulk copies and warpgroup products access shared memory in pieces of so many bytes.
constexpr std::uint32_t kPieceBytes = 16;

MemoryEffects effects_of_bulk_copy(const Instruction& instruction) {
  using Completion = MemoryEffect::Completion;
  const bool is_tensor = instruction.dimensions != 0, to_global = instruction.to_space == StateSpace::global;
  const Completion completion =
      instruction.completes_at_mbarrier ? Completion::mbarrier : Completion::bulk_group;
  const MemoryEffect from{.space = instruction.space,
                          .reads = true,
                          .lanes = MemoryEffect::Lanes::pieces,
                          .completion = completion,
                          .address = static_cast<std::uint8_t>(is_tensor && to_global ? 2 : 1),
                          .bytes = kPieceBytes};
  const MemoryEffect to{.space = instruction.to_space,
                        .reads = instruction.atomic != AtomicOp::none,
                        .writes = true,
                        .lanes = MemoryEffect::Lanes::pieces,
                        .completion = completion,
                        .address = 0,
                        .bytes = kPieceBytes};
  MemoryEffects effects;
  effects.add(to_global ? to : from);
  effects.add(to_global ? from : to);
  return effects;
}

/// A is in registers, or in shared memory as B is.
MemoryEffects effects_of_warpgroup_product(const Instruction& instruction) {
  MemoryEffects effects;
  for (std::uint8_t k = instruction.operands[1].kind == Operand::Kind::vector ? 2 : 1; k <= 2; ++k) {
    effects.add({.space = StateSpace::shared,
                 .reads = true,
                 .lanes = MemoryEffect::Lanes::pieces,
                 .completion = MemoryEffect::Completion::product_group,
                 .address = k,
                 .bytes = kPieceBytes});
  }
  return effects;
}

/// Maps are opaque, as the objects of mbarriers are.
MemoryEffects effects_on_tensor_map(const Instruction& instruction) {
  constexpr std::uint32_t kMapBytes = 128;
  const bool copies = instruction.opcode == Opcode::tensormap_copy;
  MemoryEffects effects;
  effects.add({.space = copies ? StateSpace::global : instruction.space,
               .reads = !copies,
               .writes = true,
               .address = 0,
               .bytes = kMapBytes,
               .recorded = false});
  if (copies)
    effects.add(
        {.space = StateSpace::shared, .reads = true, .address = 1, .bytes = kMapBytes, .recorded = false});
  return effects;
}

}  // namespace

MemoryEffects memory_effects(const Instruction& instruction) {
  using Lanes = MemoryEffect::Lanes;
  constexpr std::uint32_t kRowBytes = 16;
  MemoryEffects effects;
  const auto add = [&](bool reads, bool writes, std::uint32_t bytes, Lanes lanes) {
    effects.add({.space = instruction.space,
                 .reads = reads,
                 .writes = writes,
                 .lanes = lanes,
                 .address = static_cast<std::uint8_t>(index_of_address(instruction)),
                 .bytes = bytes});
  };
  const auto element = static_cast<std::uint32_t>(size_of(instruction.type)) * instruction.vector;
  switch (effect_of(instruction)) {
    case Effect::load: add(true, false, element, Lanes::each); break;
    case Effect::store: add(false, true, element, Lanes::each); break;
    case Effect::atomic:
    case Effect::reduction: add(true, true, element, Lanes::each); break;
    case Effect::load_matrices: add(true, false, kRowBytes, Lanes::rows); break;
    case Effect::store_matrices: add(false, true, kRowBytes, Lanes::rows); break;
    case Effect::load_fragment: add(true, false, 0, Lanes::fragment); break;
    case Effect::store_fragment: add(false, true, 0, Lanes::fragment); break;
    case Effect::copy: {
      const auto bytes = static_cast<std::uint32_t>(instruction.operands[2].bits);
      effects.add({.space = StateSpace::global,
                   .reads = true,
                   .completion = MemoryEffect::Completion::copy_group,
                   .address = 1,
                   .bytes = bytes});
      effects.add({.space = StateSpace::shared,
                   .writes = true,
                   .completion = MemoryEffect::Completion::copy_group,
                   .address = 0,
                   .bytes = bytes});
      break;
    }
    case Effect::bulk_copy: return effects_of_bulk_copy(instruction);
    case Effect::warpgroup_product: return effects_of_warpgroup_product(instruction);
    case Effect::mbarrier:  // A generic address must be in shared memory, too
      effects.add({.space = StateSpace::shared,
                   .reads = true,
                   .writes = !is_mbarrier_wait(instruction),
                   .address = static_cast<std::uint8_t>(index_of_address(instruction)),
                   .bytes = 8,
                   .recorded = false});
      break;
    case Effect::tensor_map: return effects_on_tensor_map(instruction);
    case Effect::none:
    case Effect::texture_load:
    case Effect::texture_store:
    case Effect::copy_order:
    case Effect::branch:
    case Effect::indexed_branch:
    case Effect::ret:
    case Effect::trap:
    case Effect::barrier:
    case Effect::cluster_barrier:
    case Effect::warpgroup_order:
    case Effect::call:
    case Effect::no_op:
    case Effect::unknown: break;
  }
  return effects;
}

std::optional<MemoryEffect> memory_effect_in(const Instruction& instruction, StateSpace space) {
  for (const MemoryEffect& effect : memory_effects(instruction)) {
    if (effect.may_be_in(space)) return effect;
  }
  return std::nullopt;
}

bool may_read(const Instruction& instruction, StateSpace space) {
  const std::optional<MemoryEffect> effect = memory_effect_in(instruction, space);
  return effect && effect->reads;
}

bool may_write(const Instruction& instruction, StateSpace space) {
  const std::optional<MemoryEffect> effect = memory_effect_in(instruction, space);
  return effect && effect->writes;
}

Operand read_bytes_of(const Instruction& copy) {
  const std::size_t policy = copy.has_cache_policy ? 1 : 0;  // It stands behind
  return copy.operands.size() > 3 + policy ? copy.operands[3] : Operand{};
}

const Operand* member_mask_of(const Instruction& instruction) {
  const bool is_of_matrices = (row_of(instruction.opcode).suffixes & kMatrix) != 0;
  if (!instruction.sync || is_of_matrices || instruction.operands.empty()) return nullptr;
  const OperandForm& last = form_of_operand(instruction, instruction.operands.size() - 1);
  const bool is_mask = last.kind == OperandForm::Kind::source && last.holds == OperandForm::Holds::bits32 &&
                       !last.may_be_vector;
  return is_mask ? &instruction.operands.back() : nullptr;
}

bool is_bulk_copy(const Instruction& instruction) {
  return effect_of(instruction) == Effect::bulk_copy;
}

bool is_access(const Instruction& instruction) {
  const Effect effect = effect_of(instruction);
  return effect == Effect::load || effect == Effect::store || is_atomic(instruction);
}

bool accesses_texels(const Instruction& instruction) {
  return effect_of(instruction) == Effect::texture_load || effect_of(instruction) == Effect::texture_store;
}

bool is_mbarrier_wait(const Instruction& instruction) {
  return instruction.opcode == Opcode::mbarrier_test_wait ||
         instruction.opcode == Opcode::mbarrier_test_wait_parity ||
         instruction.opcode == Opcode::mbarrier_try_wait ||
         instruction.opcode == Opcode::mbarrier_try_wait_parity;
}

bool is_atomic(const Instruction& instruction) {
  const Effect effect = effect_of(instruction);
  return effect == Effect::atomic || effect == Effect::reduction;
}

bool is_barrier(const Instruction& instruction) {
  return effect_of(instruction) == Effect::barrier;
}

bool is_any_barrier(const Instruction& instruction) {
  return is_barrier(instruction) || effect_of(instruction) == Effect::cluster_barrier;
}

bool waits_at_barrier(const Instruction& instruction) {
  return (is_barrier(instruction) && instruction.barrier != BarrierMode::arrive) ||
         instruction.opcode == Opcode::barrier_cluster_wait;
}

bool is_product_of_matrices(const Instruction& instruction) {
  return instruction.opcode == Opcode::mma || instruction.opcode == Opcode::mma_sp ||
         instruction.opcode == Opcode::mma_sp_ordered || instruction.opcode == Opcode::wmma_mma;
}

bool leaves_function(const Instruction& instruction) {
  const Effect effect = effect_of(instruction);
  return effect == Effect::ret || effect == Effect::trap;
}

bool ends_block(const Instruction& instruction) {
  const Effect effect = effect_of(instruction);
  return leaves_function(instruction) || effect == Effect::branch || effect == Effect::indexed_branch;
}

bool is_uniform_if_operands_are(const Instruction& instruction) {
  switch (row_of(instruction.opcode).value) {
    case Value::none:
    case Value::of_operands: return true;
    case Value::of_memory:
      return effect_of(instruction) == Effect::load &&
             (instruction.space == StateSpace::param || instruction.space == StateSpace::constant);
    case Value::of_carry:
    case Value::of_lanes: break;
  }
  return false;
}

bool reads_carry(const Instruction& instruction) {
  return row_of(instruction.opcode).value == Value::of_carry;
}

bool lacks_sync(const Instruction& instruction) {
  return (row_of(instruction.opcode).suffixes & kSync) != 0 && !instruction.sync;
}

const Operand& address_of(const Instruction& instruction) {
  return instruction.operands[index_of_address(instruction)];
}

const Operand& data_of(const Instruction& instruction) {
  return instruction.operands[1 - index_of_address(instruction)];
}

}  // namespace warplens::ptx
