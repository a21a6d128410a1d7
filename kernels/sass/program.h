// Machine code decoded for one launch: what decides control and addresses, and no more. Private to
// kernels/sass.
//
// Without memory (Launch::memory) what a load gives is unknown. That is enough as long as no address and no
// branch depends on it; where one does, following stops with the instruction. With memory all instructions
// are computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sass/lanewise.h"
#include "kernels/sass/listing.h"
#include "kernels/sass/symbolic_execution.h"

namespace warplens::sass {

/// Registers of both files in one numbering: R0 to R254, RZ, then UR0 to UR62, URZ. Predicates likewise: P0
/// to P6, PT, UP0 to UP6, UPT.
inline constexpr std::uint32_t kUniformRegisters = 256, kRegisters = 320, kUniformPredicates = 8,
                               kPredicates = 16;
/// After them come a register that is never known, and the constants of a program.
inline constexpr std::uint32_t kUnknownRegister = kRegisters, kFirstConstant = kRegisters + 1;
inline constexpr std::uint32_t kWarpBarrier = 10;            ///< Behind B0 to B9
inline constexpr std::uint32_t kNoRegister = kZeroRegister;  ///< Written, it keeps nothing

enum class Action : std::uint8_t {
  multiply_add,       ///< d = a * b + c (+ carry)
  multiply_add_wide,  ///< d pair = a * b + c pair
  add,                ///< d = a + b + c (+ carries), carry out in p; in p and q, where there may be two
  shift_add,          ///< d = (a << n) + b, carry out
  shift_add_high,     ///< d = (c:a << n >> 32) + b
  compare,            ///< p, q = (a ? b) and/or/xor predicate
  logic,              ///< d = table of (a, b, c); p = d is not 0
  logic_predicates,   ///< p, q = tables of three predicates
  shift_left,         ///< d = a << b
  shift_right,        ///< d = c >> b
  select,             ///< d = predicate ? a : b
  extreme,            ///< d = predicate ? min(a + c, b) : max(a + c, b)
  copy,               ///< d = a
  copy_pair,          ///< d pair = a, b
  look_up,            ///< d = `target` bytes of a constant bank (amount_2) at a + amount; with memory
  spread_bits,        ///< The predicates of the table = the bits of a
  special,            ///< d = thread or block index
  lanewise,           ///< d = function(a, b, c), or other_function where the predicate does not hold
  test,               ///< p, q = function(a, b) and/or/xor predicate
  shuffle,            ///< d = a of the lane that b and c name; p: there is one
  vote,               ///< d = the lanes where the predicate holds; p: all do, or any
  match,              ///< d = the lanes that have the same a; p: all have
  reduce,             ///< d = function of all lanes' a
  first_lane,         ///< d = a of the first lane
  elect,              ///< p holds in the first lane only; d = its number
  pack_predicates,    ///< d = the predicates of the table, one a bit
  reduced,            ///< d, p = what the block's lanes brought to its last barrier
  clobber,            ///< What is not computed: its results are unknown
  memory,
  copy_to_shared,  ///< LDGSTS: from `address` to `to`, where in[1] holds; elsewhere zeros
  bulk_copy,       ///< See BulkCopy
  mbarrier,        ///< See MbarrierChange; with memory
  product,         ///< Of a warpgroup, of matrices in shared memory: see WarpgroupProduct
  wait,  ///< p: something has come that other warps or the hardware bring about, for example the end of an
         ///< mbarrier's phase. It is as if it were there at the first look
  branch,
  call,
  indirect_return,  ///< Control, to the address a + amount
  set_barrier,
  wait_barrier,
  leave_barrier,    ///< Lanes that are not waited for there any more
  warp_barrier,     ///< The lanes of the mask a meet
  block_barrier,    ///< a: its number, amount: of so many threads, 0 of all; with `brings` each lane brings
                    ///< whether in[1] holds
  cluster_barrier,  ///< Of all warps of a cluster; with memory
  leave,
  unsupported  ///< A memory or control instruction that cannot be followed
};

enum class Half : std::uint8_t { both, lower, upper };

struct Source {
  enum class Kind : std::uint8_t { value, reg, unknown };
  Kind kind = Kind::value;
  bool negated = false, inverted = false, absolute = false;
  Half half = Half::both;  ///< Of a pair of halves: ".H0_H0" takes the lower one twice
  std::uint32_t value = 0;
  std::uint32_t index = kZeroRegister;  ///< Register; in a program, of every kind of source
};

struct PredicateSource {
  std::uint32_t index = kTruePredicate;
  bool negated = false;
};

enum class Comparison : std::uint8_t { less, equal, less_equal, greater, not_equal, greater_equal };
enum class Combination : std::uint8_t { both, either, exclusive };
enum class SpecialValue : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  lane,
  lanes_below,
  lanes_above,
  cluster_rank
};
/// A branch that asks whether the lanes of a mask have come together.
enum class Together : std::uint8_t { not_asked, leave_if, leave_if_not };
enum class ShuffleMode : std::uint8_t { up, down, butterfly, index };

/// What an operation of the action bulk_copy moves, once for the warp. Its registers are uniform ones: `a`
/// and a_high hold the address in global memory, or of the tensor map; in shared memory `a` alone.
struct BulkCopy {
  bool loads = true;        ///< To shared memory: the address there is b. Else from it
  bool is_between = false;  ///< Shared memories: of a cluster's blocks
  bool is_reduction = false;
  bool is_multicast = false;  ///< c holds a bit for each block of the cluster in its upper half
  std::uint32_t rank = 0;  ///< Dimensions of the tensor; 0: without a map, of c's lower half times 16 bytes
  std::uint32_t coordinates = 0;  ///< Of the tensor: the first of the registers that hold them
};

/// What an operation of the action mbarrier does to the one at `address`, by each lane. The operand is a; of
/// `makes` it is the word that ptxas makes of a number of arrivals.
struct MbarrierChange {
  enum class Count : std::uint8_t { none, one, operand, minus_one, minus_operand };
  bool makes = false, ends = false;
  bool is_in_cluster = false;    ///< The address says of which block; else it is the own one
  Count arrivals = Count::none;  ///< Which are no longer pending
  Count bytes = Count::none;     ///< That are to come
  bool drops = false;            ///< The threads that arrive take no part in later phases
};

/// What an operation of the action product reads. Descriptor of A: a, a_high; of B: b, b_high.
struct WarpgroupProduct {
  bool a_is_in_registers = false, a_is_mn_major = false, b_is_mn_major = false;
  std::uint32_t columns = 0;
};

struct Op {
  Action action = Action::clobber;
  std::uint32_t instruction = 0;
  PredicateSource guard;
  std::uint32_t d = kNoRegister, d_count = 1;
  std::uint32_t p = kTruePredicate, q = kTruePredicate;  ///< Predicates written
  Source a, b, c;
  Source a_high, b_high, c_high;  ///< Upper halves of pairs, where the action reads them
  PredicateSource in[3];          ///< Predicates read; unused ones as the action wants them
  Comparison comparison = Comparison::less;
  Combination combination = Combination::both;
  SpecialValue special = SpecialValue::lane;
  bool is_signed = true;
  bool uniform = false;        ///< Writes the registers of the whole warp, whichever lanes are active
  std::uint32_t amount = 0;    ///< Shift, or the table of a logic operation
  std::uint32_t amount_2 = 0;  ///< The table of the second result
  std::uint32_t target =
      0;  ///< Instruction that a branch goes to; a barrier's number; how many bytes are looked up
  std::uint32_t site =
      0;  ///< Memory: index into Program::sites. What a store writes are d_count registers from a's on
  std::uint32_t to_site = 0;  ///< Copy: of what it accesses besides; product: of B
  Address address, to;
  std::uint32_t matrices = 0;  ///< Of LDSM and STSM: their rows' addresses are those of 8 lanes each
  bool is_transposed = false;
  Together together = Together::not_asked;
  bool follows_any = false;  ///< Branch: all lanes take it where one does
  BulkCopy bulk;
  WarpgroupProduct product;
  MbarrierChange change;
  bool waits_for_phase =
      false;  ///< Wait: for the phase of the parity in a's highest bit, of the mbarrier at `address`
  bool arrives_only = false;  ///< A barrier that is not waited at

  Lanewise function = nullptr, other_function = nullptr;
  Sign sign = Sign::integer;  ///< What a source's minus and bars do
  ShuffleMode shuffle = ShuffleMode::index;
  bool extended = false;        ///< Compare: of upper words; in[1] tells how the lower ones compare
  bool of_all = false;          ///< Vote and match: p holds where all lanes agree
  bool extends_sign = false;    ///< Load: of less than a word; shift_add_high: c is the sign of a
  bool compares_first = false;  ///< Atomic: of compare-and-swap p tells whether it was swapped ..
  bool is_generic = false;      ///< Its address is of any space: in shared memory its site is to_site; of an
                                ///< atomic, p: it was done
  bool gives_success = false;   ///< .. and of this form d as well
  bool brings = false;          ///< A barrier that adds up a predicate; of_all: whether all hold
  bool may_wait = false;  ///< An access whose result tells whether another warp has come: compare-and-swap,
                          ///< an exchange, a strong load
  bool tests_halves = false;  ///< Test: p of the lower halves, q of the upper ones
  std::uint32_t truth = 0;    ///< Lanewise: a half's value where a comparison of halves holds; 0: it is none
  bool joins_bytes = false;   ///< Lanewise: puts bytes together, of which some may be known and others not
  bool is_tried_again =
      false;  ///< Of compare-and-swap: in a loop, which goes round until others leave the place alone ..
  bool tries_accesses = false;  ///< .. and also loads or stores
};

/// A run of instructions that control enters at its first only.
struct Block {
  std::uint32_t first = 0, end = 0;        ///< Instructions
  std::uint32_t first_op = 0, end_op = 0;  ///< Those of them that matter
};

/// Words of constant banks, by bank << 32 | offset: of bank 0 the parameters.
using ConstantWords = std::map<std::uint64_t, std::uint32_t>;
inline std::uint64_t constant_at(std::uint64_t bank, std::uint32_t offset) {
  return bank << 32 | offset;
}
void put_constants(ConstantWords& words, std::uint64_t bank, std::uint32_t offset,
                   std::span<const std::byte> bytes);
/// `size`: 1 to 8 bytes, little-endian, aligned to it. Nothing where a word of them is not known.
[[nodiscard]] std::optional<std::uint64_t> constant_bytes(const ConstantWords& words, std::uint64_t bank,
                                                          std::uint32_t offset, std::uint32_t size);

struct Program {
  const Function* function = nullptr;
  std::vector<Op> ops;
  std::vector<Block> blocks;
  std::vector<std::uint32_t> block_of;       ///< By instruction
  std::vector<Site> sites;                   ///< Site::file is Listing's
  std::vector<std::uint32_t> tried_sites;    ///< Of compare-and-swaps in loops
  std::vector<std::uint32_t> generic_sites;  ///< Of accesses by generic addresses: in global memory; that in
                                             ///< shared memory comes behind it
  std::vector<std::uint32_t> constants;      ///< By index less kFirstConstant
  ConstantWords words;                       ///< That are looked up by register
};

/// What instructions are decoded for.
struct Setting {
  std::string architecture;
  const Launch& launch;
  ConstantWords constants;
};
[[nodiscard]] Setting setting_of(const Listing& listing, const Function& function, const Launch& launch);
[[nodiscard]] Program decode(const Function& function, Setting setting);

/// The operation of one instruction, before it is known whether it matters.
[[nodiscard]] Op decode_instruction(const Instruction& instruction, const Setting& setting);

/// Returns, by op, one for each instruction, whether it matters: whether addresses, guards of accesses, or
/// control depend on it.
[[nodiscard]] std::vector<bool> needed_ops(const std::vector<Op>& ops);

/// Instructions whose accesses are counted.
struct MemoryOpcode {
  std::string_view name;
  Space space = Space::global;
  AccessOp op = AccessOp::load;
};
[[nodiscard]] const MemoryOpcode* find_memory_opcode(std::string_view name);  ///< nullptr if it is none

/// The upper word of generic addresses in shared memory.
inline constexpr std::uint32_t kSharedWindowHigh = 0x7000;
/// Where a launch's parameters are taken to lie for instructions that need their address: where no buffer is.
inline constexpr std::uint64_t kParametersAddress = std::uint64_t{0x7003} << 32;

inline constexpr std::uint32_t kStackTop =
    0x00fffc00;  ///< Of a lane's local memory: any multiple of 256 will do

/// Control goes on with the next instruction after it, at least for some lanes.
[[nodiscard]] bool falls_through(const Op& op);

}  // namespace warplens::sass
