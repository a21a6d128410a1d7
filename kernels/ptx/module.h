// The typed form of a PTX file: what the parser makes, and the replay (and later the instrumenter) reads.
// Terms and semantics: "Parallel Thread Execution ISA", NVIDIA (called "the PTX ISA" here).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/tensor_map.h"

namespace warplens::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  tf32,    ///< In a 32-bit register; mma and cvt only
  e4m3x2,  ///< Two floats of 8 bits in a 16-bit register; cvt only
  e5m2x2,  ///< The same
  u16x2,   ///< Two integers in a 32-bit register
  s16x2,
  f32x2,  ///< Two floats in a 64-bit register
  u4,     ///< As the one it is packed as, of cvt.pack
  s4,
  u2,
  s2,
  e4m3,  ///< Matrices only; so are e5m2 and b1
  e5m2,
  b1,
};

/// Size of one value in bytes (pred counts as 1, none as 0).
[[nodiscard]] int size_of(Type type);
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_signed(Type type);
[[nodiscard]] std::string_view name_of(Type type);  ///< "f32"; as a suffix of PTX, without the dot

/// State spaces of PTX; `generic` addresses are resolved when the access runs.
enum class StateSpace : std::uint8_t { none, generic, global, shared, local, constant, param, reg };
[[nodiscard]] std::string_view name_of(StateSpace space);  ///< "shared"

/// One for each row of the table of opcodes. `unsupported`: anything else, kept with its text, so that
/// `check` names it and the replay stops there.
enum class Opcode : std::uint8_t {
#define WARPLENS_OPCODE(name, ...) name,
#include "kernels/ptx/opcodes.inl"
#undef WARPLENS_OPCODE
};

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
enum class BoolOp : std::uint8_t { none, and_, or_, xor_ };
enum class AtomicOp : std::uint8_t { none, and_, or_, xor_, cas, exch, add, inc, dec, min, max };
enum class ShuffleMode : std::uint8_t { none, up, down, bfly, idx };
enum class VoteMode : std::uint8_t { none, all, any, uni, ballot };
enum class MulMode : std::uint8_t { none, lo, hi, wide };
enum class BarrierMode : std::uint8_t { none, sync, arrive, red_popc, red_and, red_or };
enum class PermuteMode : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };
enum class FloatTest : std::uint8_t { none, finite, infinite, number, not_a_number, normal, subnormal };

enum class TextureGeometry : std::uint8_t {
  none,
  one,
  two,
  three,
  layered_one,
  layered_two,
  cube,
  layered_cube
};
enum class BeyondSurface : std::uint8_t {
  none,
  trap,
  clamp,
  zero
};  ///< What an access beyond a surface's edge does

enum class RegisterId : std::uint32_t {};  ///< Index into Function::registers.

/// Special registers, read by `mov`: %tid.x .. and the rest.
enum class SpecialRegister : std::uint8_t {
  none,
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,  ///< Of the block in its cluster
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  dynamic_smem_size,
  total_smem_size,
  reserved_smem_offset_begin,
  reserved_smem_offset_end,
  reserved_smem_offset_cap,
  aggr_smem_size,
  grid_workspace_high,  ///< %envreg1: the upper half of where the driver keeps what the blocks of a
                        ///< cooperative launch share
  grid_workspace_low,   ///< %envreg2: the lower half
  zero,                 ///< What is zero here: %envreg0 and %envreg3 .. %envreg31, performance counters,
                        ///< %current_graph_exec, %is_explicit_cluster
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    reg,        ///< `reg` (negated predicates: `negated`)
    immediate,  ///< `bits`: the value's bits, sign-extended integers; for f32 / f64 literals the IEEE bits in
                ///< `bits`, `immediate_type` f32 / f64
    special,    ///< `special`
    variable,   ///< address of `variable` (module- or function-scope) + `offset`
    address,  ///< [reg + offset], [variable + offset] or [immediate] (in `bits`): base kind in `address_base`
    label,    ///< `label`: index of the target instruction
    vector,   ///< {a, b, ..}: `elements`; a `_` element has kind none
    sink,     ///< `_`
    function,  ///< `text`: callee of `call`
  };
  Kind kind = Kind::none;
  Kind address_base = Kind::none;  ///< reg, variable or immediate; for kind == address
  bool negated = false;            ///< `!%p1`
  bool minus = false;              ///< `-%r1`, of vmad
  Type immediate_type = Type::none;
  SpecialRegister special = SpecialRegister::none;
  RegisterId reg{};
  std::uint32_t variable = 0;  ///< Index into Function::variables
  std::uint32_t label = 0;     ///< Index into Function::instructions
  std::int64_t offset = 0;
  std::uint64_t bits = 0;
  std::vector<Operand> elements;
  std::string text;
  std::string
      part;  ///< Of a register, in video instructions: `b0` of `%r1.b0`, `h10`, `b7610`; empty for all of it
};

/// A place in the CUDA source, from `.loc`. `file` indexes Module::files; line 0 means unknown: no `.loc`
/// with a line stands before it.
struct SourceLocation {
  std::uint32_t file = 0, line = 0, column = 0;
  /// For code inlined from another function: the line in the kernel's own file that the outermost call stands
  /// on (`inlined_at`), else equal to the above.
  std::uint32_t outer_file = 0, outer_line = 0;
  /// The innermost line in `outer_file`, the kernel's own text, among that place and the calls that lead
  /// there.
  std::uint32_t own_line = 0;
  /// The call that this code was inlined at: its number in Module::inlined_calls, from 1 on; 0 where it was
  /// not.
  std::uint32_t inlined_at = 0;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// A call whose callee's code stands in its place.
struct InlinedCall {
  std::uint32_t file = 0, line = 0, column = 0;
  std::uint32_t inlined_at =
      0;  ///< The call that this one was inlined at; 0 where it stands in the kernel itself
  friend bool operator==(const InlinedCall&, const InlinedCall&) = default;
};

/// One instruction. Modifiers that only advise caches (.ca, .cs, .L2::128B, eviction) or order memory between
/// warps (.acquire.gpu and the like) have no field: they do not change what a lockstep run computes. They
/// stay in `text`.
struct Instruction {
  Opcode opcode = Opcode::unsupported;
  Type type = Type::none;         ///< The (destination) type: the first type suffix
  Type source_type = Type::none;  ///< The second type suffix, e.g. of cvt and set; mma: A's type; none if
                                  ///< there is one suffix only
  Type b_type = Type::none;  ///< The third type suffix. mma: B's type; cvt.pack: the type of the operand that
                             ///< is packed into
  Type c_type = Type::none;  ///< The fourth type suffix. mma: C's type
  StateSpace space = StateSpace::none;  ///< ld, st, atom, red, cvta, isspacep, prefetch; `generic` where none
                                        ///< is written. cp.async: `shared`
  StateSpace to_space =
      StateSpace::none;  ///< cvta.to.X: X (and `space` is generic); cvta.X: generic (and `space` is X).
                         ///< Bulk copies: of the destination (and `space` is the source's)
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  BoolOp bool_op = BoolOp::none;            ///< set, setp with a third source; lop3.BoolOp; mma of bits
  AtomicOp atomic = AtomicOp::none;         ///< atom, red, redux
  ShuffleMode shuffle = ShuffleMode::none;  ///< shfl
  VoteMode vote = VoteMode::none;           ///< vote; match (any, all)
  MulMode mul = MulMode::none;              ///< mul, mad, mul24, mad24, madc; dp2a (lo, hi)
  BarrierMode barrier = BarrierMode::none;  ///< bar, barrier
  PermuteMode permute = PermuteMode::none;  ///< prmt; none: by selector
  FloatTest test = FloatTest::none;         ///< testp
  TextureGeometry texture = TextureGeometry::none;  ///< tex, suld, sust; their operands are the handle, then
                                                    ///< a vector of coordinates
  BeyondSurface beyond = BeyondSurface::none;       ///< suld, sust
  std::uint8_t vector = 1;            ///< 1, 2, 4 (8 with 256-bit accesses): elements of a .v load or store
  std::uint8_t matrices = 0;          ///< ldmatrix / stmatrix: .x1 .x2 .x4
  std::uint16_t m = 0, n = 0, k = 0;  ///< The shape of mma and wmma
  std::uint8_t layouts = 0;           ///< mma, wmma: how many of .row and .col are written
  std::uint8_t by_columns = 0;        ///< mma, wmma: bit i of the i-th layout: it is .col
  bool ftz = false;                   ///< Subnormal f32 (or f16) inputs and results count as zero, sign kept
  bool sat_finite = false;  ///< cvt: magnitudes beyond the largest finite value become that; NaN stays. mma:
                            ///< sums are clamped to the range of s32
  bool sat =
      false;  ///< Floats: clamp to [0, 1], NaN to 0; integers and cvt to them: clamp to the type's range
  bool approx = false;               ///< .approx: within the error that the PTX ISA states
  bool full = false;                 ///< div.full: approximate over the full range
  bool relu = false;                 ///< Negative results become 0
  bool uniform = false;              ///< .uni: all active lanes agree (bra, call, ret)
  bool is_volatile = false;          ///< ld, st
  bool carry_out = false;            ///< .cc
  bool wrap = false, clamp = false;  ///< shf, szext, bmsk: what an amount beyond 32 does
  bool left = false, right = false;  ///< shf.l, shf.r
  bool transposed = false;           ///< ldmatrix, stmatrix, movmatrix: .trans
  bool non_coherent = false;         ///< ld.global.nc
  bool cache_global = false;         ///< .cg: past L1
  bool xor_sign = false;             ///< min, max .xorsign.abs: of the magnitudes, the sign is the product's
  bool absolute = false;             ///< min, max .abs
  bool nan = false;                  ///< min, max .NaN: a NaN input gives NaN
  bool aligned = true;  ///< false: `barrier` without .aligned, which lanes of a warp may reach apart
  bool sync = false;  ///< .sync: shfl, vote, match, redux, mma, ...: the last source is the member mask where
                      ///< there is one
  bool of_cluster = false;          ///< Shared memory of the cluster: .shared::cluster
  bool has_cache_policy = false;    ///< .L2::cache_hint: the last operand is a cache policy
  bool fences_async_proxy = false;  ///< fence.proxy.async
  // Bulk copies, of tensors too:
  bool completes_at_mbarrier = false;  ///< .mbarrier::complete_tx::bytes; else they form groups
  bool multicast = false;              ///< .multicast::cluster
  bool im2col = false;
  TensorMapField map_field = TensorMapField::none;  ///< tensormap.replace
  std::uint8_t dimensions = 0;                      ///< Of a tensor: 1 to 5
  bool shiftamt = false;                            ///< bfind.shiftamt
  AtomicOp secondary = AtomicOp::none;  ///< Video instructions .add, .min, .max: what is done with the result
                                        ///< and the last operand
  bool plus_one = false;                ///< vmad.po
  std::uint8_t scale = 0;               ///< vmad: bits that the result is shifted to the right
  bool paired_destination = false;      ///< `d|p`: operands 0 and 1 are both destinations
  /// Added by the parser to compute an address such as `table[%r1]`, or for `alloca`; no statement of the
  /// text.
  bool is_generated = false;
  bool callee_may_exit = false;  ///< Of a call: threads may `exit` in what it calls, and not come back
  Operand guard;                 ///< @%p / @!%p: kind reg, or none
  /// In the order written, destinations first. Their number and kinds fit the opcode, else the instruction is
  /// `unsupported`. An unsupported one has none. call: {returned parameters} (a vector, may be empty), the
  /// callee (function, or reg), {arguments} (a vector, may be empty). brx.idx: the index, {targets} (a vector
  /// of labels). ret: the registers that hold what the function returns.
  std::vector<Operand> operands;
  SourceLocation location;
  std::uint32_t ptx_line = 0;  ///< 1-based line of the PTX text
  std::string text;            ///< The statement as written, blanks normalised, without guard and semicolon
};

struct Register {
  std::string name;  ///< "%r12"; names of nested scopes may repeat
  Type type = Type::none;
};

/// Eight bytes of a variable's initial value: the address of a function or of another variable.
struct InitialAddress {
  std::uint64_t offset = 0;  ///< In the variable
  std::string name;
  std::int64_t addend = 0;
  bool is_generic = false;  ///< `generic(name)`: not of the name's own state space
};

struct Variable {
  std::string name;
  StateSpace space = StateSpace::none;  ///< global, constant, shared, local, param
  StateSpace pointee =
      StateSpace::none;  ///< Of a parameter that is declared a pointer: what it points into (`.ptr .shared`)
  Type type = Type::none;      ///< Element type
  std::uint32_t vector = 1;    ///< Elements of each vector that it is made of: .v2, .v4
  std::uint64_t elements = 1;  ///< 0: `extern .shared x[]`, dynamic shared memory
  std::uint32_t alignment = 1;
  std::vector<std::uint8_t>
      initial;  ///< First bytes of global / constant variables, at most bytes(); what is not written is zero
  std::vector<InitialAddress> initial_addresses;  ///< Where `initial` is zero for now
  bool is_extern = false;
  bool of_module = false;  ///< Declared outside functions
  bool is_hidden = false;  ///< A parameter in no list of parameters, as no launch passes it: `.hidden`
  RegisterId reg{};        ///< What holds it, where `space` is `reg`: a parameter of a function
  [[nodiscard]] std::uint64_t bytes() const { return elements * static_cast<std::uint64_t>(size_of(type)); }
};

/// What the compiler was told of launches (PTX ISA, "Performance-Tuning Directives"); 0: nothing.
struct LaunchBounds {
  std::array<std::uint32_t, 3> most_threads{};      ///< .maxntid: at most their product a block
  std::array<std::uint32_t, 3> required_threads{};  ///< .reqntid
  std::uint32_t min_blocks = 0;                     ///< .minnctapersm: a multiprocessor's, at once
  std::uint32_t max_registers = 0;                  ///< .maxnreg: a thread's
  std::array<std::uint32_t, 3> cluster{};           ///< .reqnctapercluster: blocks of a cluster each way
  /// Returns the cluster that the kernel requires, else the one that a launch gives.
  [[nodiscard]] Dim3 cluster_or(Dim3 given) const {
    if (cluster[0] == 0) return given;
    return {cluster[0], std::max(1u, cluster[1]), std::max(1u, cluster[2])};
  }
};

struct Function {
  std::string name;        ///< As in the PTX: mangled
  std::string plain_name;  ///< Demangled, without parameters: "tiled<32>"
  bool is_entry = false;
  std::vector<std::uint32_t> parameters;  ///< Indices into variables, in order
  std::vector<std::uint32_t> returns;     ///< Return parameters of a .func: indices into variables
  std::vector<Register> registers;        ///< Those that the body names
  std::vector<Variable>
      variables;  ///< Parameters, the body's own variables, and copies of the module's that the body names
  /// Never empty, and control never falls off the end: where the text lets it, a `ret` is added. So every
  /// label is the index of an instruction.
  std::vector<Instruction> instructions;
  std::uint32_t ptx_line = 0;
  std::uint32_t max_threads = 0;  ///< .maxntid or .reqntid product, 0 if absent
  LaunchBounds bounds;
};

struct Module {
  std::string name;             ///< File name, for messages
  std::string version, target;  ///< ".version 9.0" -> "9.0", ".target sm_75" -> "sm_75"
  std::vector<InlinedCall> inlined_calls;
  std::vector<std::string> files;   ///< `.file` table; index 0 is unused ("") unless the PTX uses it. Every
                                    ///< SourceLocation's file is in range
  std::vector<Variable> variables;  ///< Module scope
  std::vector<Function> functions;  ///< Entries and device functions with bodies, in file order
  std::string text;                 ///< The PTX itself

  /// The entry of that mangled name, or of that plain name, or plain name without template arguments, where
  /// it is unique ("tiled" finds `tiled<32>` if it is the only `tiled`); else null. A pointer into
  /// `functions`.
  [[nodiscard]] const Function* find_entry(std::string_view wanted) const;
};

}  // namespace warplens::ptx
