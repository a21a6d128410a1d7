// The typed form of a PTX file: what the parser makes, and the replay (and later the instrumenter) reads.
// Terms and semantics: "Parallel Thread Execution ISA", NVIDIA (called "the PTX ISA" here).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
};

/// Size of one value in bytes (pred counts as 1, none as 0).
[[nodiscard]] int size_of(Type type);
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_signed(Type type);
[[nodiscard]] std::string_view name_of(Type type);

/// State spaces of PTX; `generic` addresses are resolved when the access runs.
enum class StateSpace : std::uint8_t { none, generic, global, shared, local, constant, param, reg };

enum class Opcode : std::uint8_t {
  abs,
  activemask,
  add,
  addc,
  and_,
  atom,
  bar,
  barrier,
  bar_warp_sync,
  bfe,
  bfi,
  bfind,
  bra,
  brev,
  brkpt,
  brx_idx,
  call,
  clz,
  cnot,
  copysign,
  cos,
  cp_async,
  cp_async_commit_group,
  cp_async_wait_all,
  cp_async_wait_group,
  cvt,
  cvt_pack,
  cvta,
  div,
  dp2a,
  dp4a,
  elect,
  ex2,
  exit,
  fence,
  fma,
  fns,
  isspacep,
  ld,
  ldmatrix,
  ldu,
  lg2,
  lop3,
  mad,
  mad24,
  madc,
  match,
  max,
  membar,
  min,
  mma,
  mov,
  movmatrix,
  mul,
  mul24,
  nanosleep,
  neg,
  not_,
  or_,
  popc,
  prefetch,
  prmt,
  rcp,
  red,
  redux,
  rem,
  ret,
  rsqrt,
  sad,
  selp,
  set,
  setp,
  shf,
  shfl,
  shl,
  shr,
  sin,
  slct,
  sqrt,
  st,
  stmatrix,
  sub,
  subc,
  szext,
  tanh,
  testp,
  trap,
  vote,
  xor_,
  unsupported,  ///< Anything else: kept with its text, so that `check` names it and the replay stops there.
};

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
enum class Compare : std::uint8_t { none, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class BoolOp : std::uint8_t { none, and_, or_, xor_ };
enum class AtomicOp : std::uint8_t { none, and_, or_, xor_, cas, exch, add, inc, dec, min, max };
enum class ShuffleMode : std::uint8_t { none, up, down, bfly, idx };
enum class VoteMode : std::uint8_t { none, all, any, uni, ballot };
enum class MulMode : std::uint8_t { none, lo, hi, wide };

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
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    reg,        ///< `reg` (negated predicates: `negated`)
    immediate,  ///< `bits`: the value's bits, sign-extended integers; for f32 / f64 literals the IEEE bits in `bits`, `immediate_type` f32 / f64
    special,    ///< `special`
    variable,   ///< address of `variable` (module- or function-scope) + `offset`
    address,    ///< [reg + offset], [variable + offset] or [immediate]: base kind in `address_base`
    label,      ///< `label`: index of the target instruction
    vector,     ///< {a, b, ..}: `elements`; a `_` element has kind none
    sink,       ///< `_`
    function,   ///< `text`: callee of `call`
  };
  Kind kind = Kind::none;
  Kind address_base = Kind::none;  ///< reg, variable or immediate; for kind == address
  bool negated = false;            ///< `!%p1`
  Type immediate_type = Type::none;
  SpecialRegister special = SpecialRegister::none;
  RegisterId reg{};
  std::uint32_t variable = 0;  ///< Index into Function::variables
  std::uint32_t label = 0;     ///< Index into Function::instructions
  std::int64_t offset = 0;
  std::uint64_t bits = 0;
  std::vector<Operand> elements;
  std::string text;
};

/// A place in the CUDA source, from `.loc`. `file` indexes Module::files; line 0 means unknown.
struct SourceLocation {
  std::uint32_t file = 0, line = 0, column = 0;
  /// For code inlined from another function: the line in the kernel's own file that the outermost call stands on (`inlined_at`), else equal to the
  /// above.
  std::uint32_t outer_file = 0, outer_line = 0;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

struct Instruction {
  Opcode opcode = Opcode::unsupported;
  Type type = Type::none;                  ///< The (destination) type: the first type suffix
  Type source_type = Type::none;           ///< The second type suffix, e.g. of cvt and set; none if there is one suffix only
  StateSpace space = StateSpace::none;     ///< ld, st, atom, red, cvta, isspacep, prefetch; `generic` where none is written
  StateSpace to_space = StateSpace::none;  ///< cvta.to.X
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  BoolOp bool_op = BoolOp::none;
  AtomicOp atomic = AtomicOp::none;
  ShuffleMode shuffle = ShuffleMode::none;
  VoteMode vote = VoteMode::none;
  MulMode mul = MulMode::none;
  std::uint8_t vector = 1;    ///< 1, 2, 4 (8 with 256-bit accesses): elements of a .v load or store
  std::uint8_t matrices = 0;  ///< ldmatrix / stmatrix: .x1 .x2 .x4
  bool ftz = false, sat = false, approx = false, full = false, uniform = false, is_volatile = false, carry_out = false, wrap = false, clamp = false,
       left = false, right = false, transposed = false, non_coherent = false, xor_sign = false, nan = false, aligned = true, sync = false,
       shiftamt = false;
  Operand guard;                  ///< @%p / @!%p: kind reg, or none
  std::vector<Operand> operands;  ///< In the order written, destinations first
  SourceLocation location;
  std::uint32_t ptx_line = 0;  ///< 1-based line of the PTX text
  std::string text;            ///< The statement as written, blanks normalised, without guard and semicolon
};

struct Register {
  std::string name;  ///< "%r12"
  Type type = Type::none;
};

struct Variable {
  std::string name;
  StateSpace space = StateSpace::none;  ///< global, constant, shared, local, param
  Type type = Type::none;               ///< Element type
  std::uint64_t elements = 1;           ///< 0: `extern .shared x[]`, dynamic shared memory
  std::uint32_t alignment = 1;
  std::vector<std::uint8_t> initial;  ///< Initial bytes of global / constant variables; empty: zero
  bool is_extern = false;
  [[nodiscard]] std::uint64_t bytes() const { return elements * static_cast<std::uint64_t>(size_of(type)); }
};

struct Function {
  std::string name;        ///< As in the PTX: mangled
  std::string plain_name;  ///< Demangled, without parameters: "tiled<32>"
  bool is_entry = false;
  std::vector<std::uint32_t> parameters;  ///< Indices into variables, in order
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< Every variable that the body can name: parameters, its own, and copies of the module's
  std::vector<Instruction> instructions;
  std::uint32_t ptx_line = 0;
  std::uint32_t max_threads = 0;  ///< .maxntid product, 0 if absent
};

struct Module {
  std::string name;                 ///< File name, for messages
  std::string version, target;      ///< ".version 9.0" -> "9.0", ".target sm_75" -> "sm_75"
  std::vector<std::string> files;   ///< `.file` table; index 0 is unused ("") unless the PTX uses it
  std::vector<Variable> variables;  ///< Module scope
  std::vector<Function> functions;  ///< Entries and device functions with bodies, in file order
  std::string text;                 ///< The PTX itself

  /// The entry of that mangled name, or of that plain name where it is unique ("tiled" finds `tiled<32>` if it is the only `tiled`); else null.
  [[nodiscard]] const Function* find_entry(std::string_view name) const;
};

}  // namespace warplens::ptx
