// What is known of each opcode: the table of opcodes.inl, and the questions that it answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// What an instruction's destination follows from.
enum class Value : std::uint8_t {
  none,         ///< It has none
  of_operands,  ///< The lane's own operands, special registers among them
  of_carry,     ///< Those, and the carry flag, which no register stands for
  of_memory,
  of_lanes,  ///< What other lanes of the warp or the block hold, or which of them take part
};

/// What an instruction does beside writing its destination.
enum class Effect : std::uint8_t {
  none,
  load,  ///< Of registers; so are store, atomic and reduction (an atomic operation without a result)
  store,
  atomic,
  reduction,
  load_matrices,
  store_matrices,
  load_fragment,  ///< Of wmma: each lane several pieces of one matrix
  store_fragment,
  texture_load,   ///< Of texels, to registers
  texture_store,  ///< Of texels, from registers
  copy,           ///< From one state space to another: cp.async
  bulk_copy,   ///< The same of many bytes by one thread: cp.async.bulk, cp.reduce.async.bulk, of tensors too
  copy_order,  ///< Waits for copies, or numbers them
  mbarrier,    ///< Of an mbarrier object in shared memory: makes, counts or waits
  tensor_map,  ///< Changes a tensor map in memory, or copies one from shared to global memory
  branch,
  indexed_branch,
  ret,                ///< The function
  trap,               ///< The launch
  barrier,            ///< Of the block
  cluster_barrier,    ///< Of the cluster
  warpgroup_product,  ///< Multiplies matrices in shared memory: wgmma.mma_async
  warpgroup_order,    ///< Waits for such products, or numbers them
  call,
  no_op,    ///< Orders memory, waits, advises: a run in lockstep has nothing to do
  unknown,  ///< Of Opcode::unsupported
};

/// What an instruction does to memory at one of its addresses. Whoever asks whether, where or when an
/// instruction reads or writes asks memory_effects(). Accesses by coordinates (accesses_texels) have none.
struct MemoryEffect {
  enum class Lanes : std::uint8_t {
    each,      ///< Each active lane accesses `bytes` at its own address
    fragment,  ///< Each lane accesses pieces of `bytes` of one matrix
    rows,      ///< Lanes 0 to 8 * Instruction::matrices - 1 name a row of `bytes` each. PTX ISA, "ldmatrix"
    pieces  ///< Each active lane accesses any number of pieces of `bytes`, for which an address, a tensor map
            ///< or a matrix descriptor stands
  };
  enum class Completion : std::uint8_t {
    at_issue,
    copy_group,    ///< When the thread waits for the group (cp.async.wait_group, cp.async.wait_all)
    bulk_group,    ///< The same of bulk copies
    mbarrier,      ///< When a phase of the copy's mbarrier has ended
    product_group  ///< When the warpgroup waits for its products
  };
  StateSpace space = StateSpace::none;  ///< `generic` where only the address tells
  bool reads = false, writes = false;
  Lanes lanes = Lanes::each;
  Completion completion = Completion::at_issue;
  std::uint8_t address = 0;  ///< Index of the operand
  std::uint32_t bytes = 0;   ///< Of a lane, or of a row
  bool recorded = true;      ///< A record holds it. Objects of mbarriers are opaque: what is done to them is
                             ///< no access
  /// Whether it may be of that space, as far as the instruction tells.
  [[nodiscard]] bool may_be_in(StateSpace which) const {
    return space == which || space == StateSpace::generic;
  }
};

/// At most two effects: a cp.async reads global memory and writes shared memory.
class MemoryEffects {
 public:
  void add(const MemoryEffect& effect) { effects_.at(count_++) = effect; }
  [[nodiscard]] const MemoryEffect* begin() const { return effects_.data(); }
  [[nodiscard]] const MemoryEffect* end() const { return effects_.data() + count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  std::array<MemoryEffect, 2> effects_{};
  std::size_t count_ = 0;
};

/// One operand as an opcode takes it.
struct OperandForm {
  enum class Kind : std::uint8_t { destination, source, address, label, targets };
  /// What registers hold: a value of the instruction's first or second type; one of the first type, or twice
  /// as wide with .wide; ...
  enum class Holds : std::uint8_t {
    type,
    second_type,
    widened,
    predicate,
    bits32,
    bits64,
    any_but_predicate
  };
  Kind kind = Kind::source;
  Holds holds = Holds::type;
  bool may_be_vector = false;
  bool is_paired = false;              ///< The second destination of `d|p`, which is there where
                                       ///< Instruction::paired_destination says so
  bool may_be_missing = false;         ///< And all behind it
  bool may_be_part = false;            ///< Bytes or halves of a register, or minus it
  bool opens = false, closes = false;  ///< `[` before it, `]` behind it
};

/// The operands of an opcode in order, from the letters of opcodes.inl.
class OperandForms {
 public:
  constexpr OperandForms(
      const char* letters) {  // NOLINT(google-explicit-constructor): the table's rows are made of letters
    for (bool may_be_missing = false; *letters != '\0'; ++letters) {
      if (is_one_of(*letters, "dDsSalt|")) {
        forms_.at(count_++) = form_of(*letters, may_be_missing);
      } else if (is_one_of(*letters, "2wp48*")) {
        forms_.at(count_ - 1).holds = held(*letters);
      } else if (*letters == 'v') {
        forms_.at(count_ - 1).may_be_part = true;
      } else if (*letters == '[') {
        forms_.at(count_ - 1).opens = true;
      } else if (*letters == ']') {
        forms_.at(count_ - 1).closes = true;
      } else if (*letters == '?') {
        may_be_missing = true;
      } else {
        throw "an unknown letter";  // Where the table is made: while it is compiled
      }
    }
  }
  [[nodiscard]] constexpr const OperandForm* begin() const { return forms_.data(); }
  [[nodiscard]] constexpr const OperandForm* end() const { return forms_.data() + count_; }

 private:
  using Kind = OperandForm::Kind;
  using Holds = OperandForm::Holds;

  static constexpr bool is_one_of(char letter, std::string_view letters) {
    return letters.find(letter) != std::string_view::npos;
  }
  static constexpr OperandForm form_of(char letter, bool may_be_missing) {
    if (letter == '|') return {.kind = Kind::destination, .holds = Holds::predicate, .is_paired = true};
    const Kind kind = is_one_of(letter, "dD") ? Kind::destination
                      : letter == 'a'         ? Kind::address
                      : letter == 'l'         ? Kind::label
                      : letter == 't'         ? Kind::targets
                                              : Kind::source;
    return {.kind = kind, .may_be_vector = is_one_of(letter, "DS"), .may_be_missing = may_be_missing};
  }
  static constexpr Holds held(char letter) {
    switch (letter) {
      case '2': return Holds::second_type;
      case 'w': return Holds::widened;
      case 'p': return Holds::predicate;
      case '4': return Holds::bits32;
      case '8': return Holds::bits64;
      default: return Holds::any_but_predicate;
    }
  }

  std::array<OperandForm, 10> forms_{};
  std::size_t count_ = 0;
};

/// One row of the table: its columns are explained in opcodes.inl.
struct OpcodeRow {
  Opcode opcode;
  std::string_view written;
  std::uint64_t suffixes;
  std::uint8_t min_types, max_types;
  OperandForms operands;
  Value value;
  Effect effect;
};

[[nodiscard]] std::span<const OpcodeRow> opcode_rows();
[[nodiscard]] const OpcodeRow& row_of(Opcode opcode);

/// Returns the operand forms of the opcode and, where they depend on it, of the mode. An instruction's
/// operands fit them; `call` has none here.
[[nodiscard]] const OperandForms& forms_of_operands(const Instruction& instruction);
/// Returns the form of an operand that the instruction has. Not for calls.
[[nodiscard]] const OperandForm& form_of_operand(const Instruction& instruction, std::size_t k);
/// How many of the operands, from the first one on.
[[nodiscard]] std::size_t count_destinations(const Instruction& instruction);

[[nodiscard]] Effect effect_of(const Instruction& instruction);
/// Returns the effects in the order of their operands' state spaces: global before shared memory.
[[nodiscard]] MemoryEffects memory_effects(const Instruction& instruction);
/// The effect that is, or may be, of that space; nullopt if there is none.
[[nodiscard]] std::optional<MemoryEffect> memory_effect_in(const Instruction& instruction, StateSpace space);
[[nodiscard]] bool may_read(const Instruction& instruction, StateSpace space);
[[nodiscard]] bool may_write(const Instruction& instruction, StateSpace space);
/// Returns the operand of a cp.async that says how many bytes are read, or, a predicate, that none are; an
/// operand of kind none where all are read.
[[nodiscard]] Operand read_bytes_of(const Instruction& copy);
/// The operand that names the lanes that take part; null if the instruction has none.
[[nodiscard]] const Operand* member_mask_of(const Instruction& instruction);
/// Whether it is cp.async.bulk or cp.reduce.async.bulk, of tensors or not.
[[nodiscard]] bool is_bulk_copy(const Instruction& instruction);
/// Between registers and memory: a load, store, atomic or reduction.
[[nodiscard]] bool is_access(const Instruction& instruction);
/// By coordinates, through an object: a tex, tld4, suld or sust.
[[nodiscard]] bool accesses_texels(const Instruction& instruction);
/// mbarrier.test_wait, mbarrier.try_wait: changes nothing.
[[nodiscard]] bool is_mbarrier_wait(const Instruction& instruction);
/// Reads and writes at one go: an atomic or reduction.
[[nodiscard]] bool is_atomic(const Instruction& instruction);
[[nodiscard]] bool is_barrier(const Instruction& instruction);
/// Of the block, or of its cluster.
[[nodiscard]] bool is_any_barrier(const Instruction& instruction);
/// Whether warps wait at such a barrier, so that a phase ends: not where they only arrive.
[[nodiscard]] bool waits_at_barrier(const Instruction& instruction);
/// Multiplies matrices in the registers of a warp: mma, mma.sp, wmma.mma.
[[nodiscard]] bool is_product_of_matrices(const Instruction& instruction);
/// Whether a thread that executes it goes on nowhere in this function.
[[nodiscard]] bool leaves_function(const Instruction& instruction);
/// Whether a thread that executes it goes on elsewhere than behind it, if anywhere.
[[nodiscard]] bool ends_block(const Instruction& instruction);
/// Whether its destinations hold the same wherever its operands do.
[[nodiscard]] bool is_uniform_if_operands_are(const Instruction& instruction);
[[nodiscard]] bool reads_carry(const Instruction& instruction);
/// Whether it crosses lanes in the way of before sm_70, without saying which take part.
[[nodiscard]] bool lacks_sync(const Instruction& instruction);

/// Returns the address operand of an access, a load or store of matrices, or an operation on an mbarrier.
[[nodiscard]] const Operand& address_of(const Instruction& instruction);
[[nodiscard]] const Operand& data_of(
    const Instruction& instruction);  ///< What is loaded or stored; atomics: their result

}  // namespace warplens::ptx
