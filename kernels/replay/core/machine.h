// The state that the interpreter's handlers work on: plain data, shared by the cores compiled for each
// instruction set and by the code around them.
//
// A register of a warp has one of three forms (S. Collange, D. Defour, Y. Zhang, "Dynamic detection of
// uniform and affine vectors in GPGPU computations", 2009):
//
//   uniform   every lane holds `base`
//   affine    lane l holds base + l * stride, modulo 2^32 or 2^64
//   vector    lane l holds lanes[l]
//
// Only plain data and out-of-line functions here: an inline function compiled once for AVX-512 and once for
// SSE must not be merged by the linker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/dim3.h"
#include "kernels/ptx/grid_barrier.h"

namespace warplens::tensor {
struct MmaPlan;
}

namespace warplens::replay {

struct Machine;
struct Instr;

/// Runs one instruction and returns the next, or null when the warp stops (TurnEnd says why, and
/// where it goes on).
using Handler = const Instr* (*)(Machine&, const Instr*);

enum class Form : std::uint32_t { uniform = 0, affine = 1, vector = 2 };

/// A register of one warp. Values of 8, 16 and 32 bits: `base` is the zero-extended value, `stride` the
/// sign-extended one, lanes are u32 (narrower values zero-extended; they are never affine). 64 bits: lanes
/// are u64. Predicates: `base` is the 32-bit mask of lanes.
struct Head {
  std::uint64_t base = 0;
  std::int64_t stride = 0;  ///< 0 unless affine
  void* lanes = nullptr;    ///< 64-byte aligned storage of 32 lanes; null for constants and predicates
  Form form = Form::uniform;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(Head) == 32);

/// How a memory instruction's addresses are given.
enum class AccessShape : std::uint8_t {
  lanes,     ///< Each lane has one: `a` and `imm`
  copy,      ///< cp.async: the same in global memory; see core/copies.inl
  fragment,  ///< wmma.load, wmma.store: a matrix's; see core/fragments.inl
};

/// A decoded instruction, one line of the cache. Operands are byte offsets of Heads in the warp's register
/// file.
struct Instr {
  Handler run = nullptr;
  std::uint32_t d = 0, a = 0, b = 0, c = 0;
  std::int64_t imm = 0;  ///< Address offset, look-up table, barrier count, ..
  union {
    const Instr* target = nullptr;  ///< bra: where to
    const std::uint32_t*
        more;  ///< Others: further operands (vector elements, second destinations, ..), or null
  };
  const Instr* join =
      nullptr;  ///< Branches: where diverged lanes meet again (a join instruction); null: at the exit
  std::uint32_t site =
      0;  ///< Memory instructions: index of the site (generic: of the first of three, in the order of Space)
  std::uint32_t index = 0;          ///< Index in ptx::Function::instructions
  std::uint8_t bytes = 0;           ///< Memory: of one element
  std::uint8_t count = 1;           ///< Memory: elements a lane
  std::uint8_t flags = 0;           ///< InstrFlag
  std::uint8_t register_bytes = 4;  ///< Memory: of a destination register
  std::uint8_t detail = 0;          ///< Memory: AtomicOp; ..
  std::uint8_t type = 0;            ///< Memory: ptx::Type of an element
  std::uint8_t space = 0;           ///< Memory: ptx::StateSpace
  AccessShape shape = AccessShape::lanes;
};
static_assert(sizeof(Instr) <= 64);

enum InstrFlag : std::uint8_t {
  kNegateGuard = 1,  ///< `!%p` as guard or as predicate source
  kWideAddress = 2,  ///< The address register has 64 bits
  kStrong = 4,       ///< volatile, relaxed, acquire, release, mmio: may be how threads communicate on purpose
  kHasResult = 8,    ///< atom: the destination is used
  kOuterLoop =
      16,  ///< A branch back to the header of an outermost loop: a new phase where there are no barriers
  kSigned = 32,                 ///< Memory: sign-extend into the register
  kSecondNegated = 64,          ///< The other predicate source is negated
  kHelper = 128,                ///< Stands before the instruction of its index, and does not count as one
  kExitsAtJoin = kWideAddress,  ///< A branch: what lanes do where they meet is to exit
  kWaitLoop = kStrong,          ///< A backward branch: of a loop that waits for memory to change (waits.h)
  kTransposed = kSigned,        ///< Of matrices: rows are columns
  kWithoutSync = kStrong        ///< A shuffle or vote of before PTX 6.0: it has no mask and waits for nobody
};

/// Lanes that wait for their turn: they go on at `pc`, and meet the others at `join`.
struct Suspended {
  const Instr* pc = nullptr;
  const Instr* join = nullptr;
  std::uint32_t mask = 0;
};

enum class Stop : std::uint8_t {
  none,
  exited,         ///< No lane is left
  barrier,        ///< Waits at TurnEnd::at
  yielded,        ///< Ran long without a barrier; others get their turn
  polled,         ///< A loop that waits for memory to change has looked in vain
  iteration_end,  ///< At a loop header, where the other warps are to arrive, too
  unsupported,    ///< TurnEnd::at cannot be run
  trapped,        ///< `trap`
  asserted,       ///< An assertion failed
  too_deep,       ///< A call finds no room
  lost,           ///< A call of what is no function
};

/// Buffers and module variables in the global address space, constant banks, parameters.
struct Region {
  std::uint64_t base = 0, bytes = 0;
  std::byte* data = nullptr;
  std::uint32_t id = 0;
};

inline constexpr int kFootprintWords = 4;  ///< 256 bytes of memory

/// Accesses of one site that share a shape, by alignment of their first address: counts[(address % 256) >>
/// shift].
struct ShapeCounter {
  std::int64_t stride = 0;  ///< Of full, affine accesses; kIrregular otherwise
  std::uint32_t mask = 0;
  std::uint32_t number = 0;  ///< Names an irregular shape in the access log
  /// Irregular: from the lowest active lane's address, modulo 2^32, 0 for inactive lanes. Shapes that reach
  /// further are counted elsewhere.
  std::uint32_t offsets[kWarpSize] = {};
  std::int32_t low = 0;                           ///< The lowest of the offsets
  std::int32_t footprint_words = 0;               ///< 0: too wide to keep
  std::uint64_t footprint[kFootprintWords] = {};  ///< Bytes touched, a bit each, from the lowest address on
  bool distinct = false;                          ///< No two lanes touch one byte
  std::uint64_t counts[256] = {};
};
inline constexpr std::int64_t kIrregular = INT64_MIN;

/// Columns of PhaseTotals while counting.
enum PhaseColumn : std::uint8_t {
  kGlobalLoads,
  kGlobalStores,
  kSharedLoads,
  kSharedStores,
  kSharedFills,
  kOtherAccesses,
  kPhaseColumns
};

/// What a runner keeps of a site while it runs. The counts of the two alignments met last, one in each half
/// of 256 bytes, wait here until another comes: so the usual access touches this line of the cache only.
struct alignas(64) SiteState {
  std::int64_t last_stride = INT64_MAX;  ///< Of the last counter used: kIrregular if it is of an irregular
                                         ///< shape, INT64_MAX if there is none yet
  std::uint64_t* counts = nullptr;       ///< Its counts; never null
  ShapeCounter* last = nullptr;          ///< Itself; never null: at first one that matches nothing
  const Region* region = nullptr;        ///< Where the last access fell; never null
  std::uint32_t pending[2] = {};         ///< To be added to counts[pending_alignment >> shift]
  std::uint8_t pending_alignment[2] = {};
  PhaseColumn column = kOtherAccesses;
  std::uint8_t shift = 0;  ///< log2 of the bytes a lane
};

/// How the lanes of a group of loads read.
enum class LoadForm : std::uint8_t {
  apart,       ///< Nothing is known of them together: each is done as if it stood alone
  one,         ///< All lanes one address
  neighbours,  ///< 32 neighbouring values
  line,        ///< Any other line
  irregular
};

/// Lanes of 32 bytes, next to each other in a register, whose addresses have something in common.
enum class PieceForm : std::uint8_t {
  scattered,   ///< Nothing is known
  one,         ///< The lanes of each piece read one address
  neighbours,  ///< They read neighbouring values
};
inline constexpr int kPieceBytes = 32;
inline constexpr int kMaxPieces = kWarpSize * 8 / kPieceBytes;

/// A shape of the accesses of a group, and how often it was met by alignment of the lowest load's first
/// address.
struct GroupShape {
  ShapeCounter counter;
  std::uint32_t group = 0;
  std::uint32_t footprint_words = 0;
  /// Bytes that all loads touch together, a bit each, from the lowest on: an empty word before and one behind
  /// them. Shared memory only.
  const std::uint64_t* footprint = nullptr;
  PieceForm pieces = PieceForm::scattered;  ///< Of irregular shapes
  std::int32_t piece[kMaxPieces] = {};      ///< ShapeCounter::offsets of the first lane of each piece
};

/// Loads of a straight piece of code whose addresses differ by constants alone (load_groups.h): an
/// instruction before the first checks and counts all of them, if it can; then each only fetches its values.
struct LoadGroup {
  LoadForm form = LoadForm::apart;
  std::uint8_t shift = 0;  ///< log2 of the bytes a lane
  PhaseColumn column = kOtherAccesses;
  std::uint32_t loads = 0;
  std::uint32_t span = 0;           ///< From the lowest load's address to the highest one's, in bytes
  const std::byte* from = nullptr;  ///< Where the lowest active lane of the lowest load reads, unless apart
  std::int64_t stride = 0;          ///< Of lines
  GroupShape* last = nullptr;       ///< The shape met last; never null
  const Region* region = nullptr;   ///< Where the last access fell; never null
  std::uint64_t divergent = 0;      ///< Times that lanes were missing
};

/// One shared access of the current barrier interval, kept until the interval ends to name who raced. An
/// irregular one is followed by its 32 addresses.
struct AccessLogEntry {
  std::uint32_t instruction = 0;  ///< Instr::index
  std::uint32_t first = 0;        ///< Address of lane 0 (shaped: of the lowest active lane)
  std::int32_t stride =
      0;  ///< kIrregularLog: addresses follow; kShapedLog: `mask` is ShapeCounter::number; kGroupLog
  std::uint32_t mask = 0;
};
inline constexpr std::int32_t kShapedLog = INT32_MIN + 1;
inline constexpr std::int32_t kGroupLog =
    INT32_MIN + 2;  ///< All loads of a group: `mask` is the number of the GroupShape's counter
// How lanes of the warp are ordered, in kernels that store to shared memory (lane_races.cpp):
inline constexpr std::int32_t kOrderLog =
    INT32_MIN + 3;  ///< The lanes `mask` have synchronised; `first`: 1 if they are all that are left
inline constexpr std::int32_t kPartLog =
    INT32_MIN + 4;  ///< Some of them have arrived, others are still to arrive
inline constexpr std::int32_t kCrossLog =
    INT32_MIN + 6;  ///< The lanes `mask` have exchanged a value, as by a shuffle
inline constexpr std::int32_t kAcquireLog =
    INT32_MIN + 5;  ///< The lanes `mask` may have acquired all that others did before
/// The copies of the lanes `mask` have landed; `first`: PendingCopy::serial.
inline constexpr std::int32_t kLandedLog = INT32_MIN + 7;
/// An access whose addresses follow; `first`: PendingCopy::serial of a copy.
inline constexpr std::int32_t kIrregularLog = INT32_MIN;
inline constexpr int kIrregularLogEntries = 1 + kWarpSize * 4 / static_cast<int>(sizeof(AccessLogEntry));

/// One bit a byte of shared memory, by address. Eight words to a cache line; `dirty` says which parts of
/// `mine` are not all zero.
struct SharedShadow {
  std::uint64_t* initialised = nullptr;
  std::uint64_t* read = nullptr;       ///< By this warp in this interval
  std::uint64_t* written = nullptr;    ///< The same
  std::uint64_t* strong = nullptr;     ///< Atomics and volatile accesses, the same
  std::uint64_t* copied = nullptr;     ///< By asynchronous copies of this warp that were in flight, the same
  std::uint64_t* in_flight = nullptr;  ///< By copies of any warp that have not landed
  std::uint64_t* bulk_in_flight = nullptr;        ///< By bulk copies, which are not `initialised` meanwhile
  const std::uint64_t* others_written = nullptr;  ///< By the other warps in this interval
  std::uint64_t dirty = 0;  ///< Bit k: bytes [k << dirty_shift, (k + 1) << dirty_shift) touched by this warp
  std::uint64_t dirty_written = 0;  ///< The parts among them that it has written, or touched strongly
  std::uint64_t others_dirty = 0;   ///< The same two of the other warps together
  std::uint64_t others_dirty_written = 0;
  std::uint32_t dirty_shift = 0;  ///< At least 9: eight words of a bitmap
  bool all_initialised = false;
};

/// Returns the bits of these bytes in their word of such a bitmap. The bytes are aligned to their number, a
/// power of two up to 32.
inline std::uint64_t shadow_bits(std::uint64_t address, std::uint32_t bytes) {
  return ((std::uint64_t{1} << bytes) - 1) << (address & 63);
}

/// Instruction counts of the warp's turn.
struct Turn {
  std::uint64_t earlier = 0;   ///< Warp instructions of earlier turns: the warp's clock
  std::uint64_t executed = 0;  ///< Warp instructions of this turn
  std::uint64_t threads = 0;   ///< Thread instructions of this turn
  std::uint64_t yield_at = 0;  ///< Warp instructions after which the turn ends at a backward branch
  std::uint32_t segment = 0;   ///< Instr::index from which on executed instructions are not counted yet
  std::uint32_t strong_accesses = 0;
};

/// Why and where the warp's turn ended.
struct TurnEnd {
  Stop why = Stop::none;
  const Instr* at = nullptr;
  std::uint32_t mask = 0;         ///< Lanes that were active
  const Instr* resume = nullptr;  ///< Where the warp goes on
};

/// Counts of requests by phase.
struct PhaseCounts {
  std::uint64_t* row = nullptr;  ///< By PhaseColumn
  std::uint32_t number = 0;
};

/// Shared memory of the block, by address: what lies below `begin` is the system's.
struct SharedMemory {
  std::byte* data = nullptr;
  std::uint32_t begin = 0, end = 0;
};

/// The log of the interval's shared accesses.
struct AccessLog {
  AccessLogEntry* next = nullptr;
  AccessLogEntry* end = nullptr;  ///< Leaves room for one irregular entry
};

/// Memory of the warp's lanes, one lane's behind the other's.
struct LaneMemory {
  std::byte* local = nullptr;
  std::byte* call_params = nullptr;                     ///< Parameters of calls
  std::uint32_t local_bytes = 0, call_param_bytes = 0;  ///< A lane's
};

/// What stays the same while the kernel runs.
struct KernelData {
  SiteState* sites = nullptr;
  LoadGroup* load_groups = nullptr;
  std::byte* parameters = nullptr;
  std::uint32_t parameter_bytes = 0;
  std::byte* constants = nullptr;
  std::uint64_t constant_bytes = 0;
  const tensor::MmaPlan* const* products = nullptr;  ///< Of matrices, as the GPU at hand computes them
  const std::uint32_t* tensor_before = nullptr;      ///< By Instr::index; null: no matrices are multiplied
  std::uint64_t* tensor = nullptr;  ///< Executions by warps of instructions that multiply matrices
};

struct Machine {
  // The lanes of the warp that runs.
  std::byte* registers = nullptr;
  std::uint32_t active = 0;    ///< Lanes that execute
  std::uint32_t alive = 0;     ///< Lanes that have not exited
  std::uint32_t gone = 0;      ///< Alive lanes that have nothing left to do but exit
  std::uint32_t launched = 0;  ///< Lanes that the warp began with
  std::uint32_t warp = 0;      ///< Number in the block
  bool awaits_lanes = false;   ///< Lanes named by a member mask have not arrived yet
  bool single_step = false;    ///< Handlers return after one instruction
  const Instr* join = nullptr;
  Suspended* stack = nullptr;
  std::uint32_t depth = 0, capacity = 0;
  const std::uint64_t* suspended =
      nullptr;              ///< Registers that waiting lanes still need, a bit each; null: all
  std::uint32_t calls = 0;  ///< Calls that have not returned
  Turn turn;
  TurnEnd ended;
  PhaseCounts phase;
  LaneMemory memory;

  // The block.
  SharedMemory shared;
  SharedShadow shadow;
  AccessLog log;
  bool recording_events = false;
  bool compared_values = false;  ///< In this block, stored values decided whether a store is a race

  KernelData kernel;
  class BlockRunner* runner = nullptr;  ///< For what is rare
};

/// Ends a turn after so many atomics and volatile accesses: they may be waiting for something.
inline constexpr std::uint32_t kStrongInTurn = 1u << 14;

/// Generic addresses: each window holds one of the other state spaces. Global buffers lie far below.
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{0x7000} << 32;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{0x7001} << 32;
inline constexpr std::uint64_t kConstantWindow = std::uint64_t{0x7002} << 32;
inline constexpr std::uint64_t kParameterWindow = std::uint64_t{0x7003} << 32;

/// What the blocks of a cooperative launch meet by (cooperative_groups/details/driver_abi.h): zeros at first.
/// No memory of the launch's own, so accesses to it are not recorded.
inline constexpr std::uint64_t kGridWorkspace = std::uint64_t{0x7005} << 32,
                               kGridWorkspaceBytes = ptx::kGridWorkspaceBytes;
inline constexpr std::uint64_t kGridBarrier =
    4;  ///< In it: counts blocks in its lower 31 bits; the uppermost is flipped when all have come

// Called by the cores where speed does not matter; defined in callbacks.cpp.

/// Finds or makes the counter of full affine accesses of that stride, or of the given irregular shape;
/// counts, and makes it the site's `last`.
void count_affine(Machine& m, std::uint32_t site, std::uint64_t first, std::int64_t stride);
void count_irregular(Machine& m, std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses);
/// Returns the site's counter of the irregular shape with these offsets (see ShapeCounter), and adds one
/// where there is none; null if the site has too many shapes.
ShapeCounter* find_shape(Machine& m, std::uint32_t site, std::uint32_t mask, const std::uint32_t* offsets);
void count_divergent(Machine& m, std::uint32_t site);
/// The same for a group of loads; null also if its accesses are spread too wide. `offsets`: of an irregular
/// shape, else null.
GroupShape* find_group_shape(Machine& m, std::uint32_t group, std::int64_t stride, std::uint32_t mask,
                             const std::uint32_t* offsets);
void record_affine_event(Machine& m, std::uint32_t site, std::uint64_t first, std::int64_t stride);
void record_event(Machine& m, std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses);
void make_room_in_log(Machine& m);
void grow_stack(Machine& m);
void next_phase(Machine& m);
void update_suspended(Machine& m);
/// The region that holds [address, address + bytes), or null.
const Region* find_region(Machine& m, std::uint64_t address, std::uint64_t bytes);

/// Calls a function with the lanes `mask`, whose guard holds; the others wait behind the call.
const Instr* begin_call(Machine& m, const Instr* i, std::uint32_t mask);
const Instr* finish_call(Machine& m, const Instr* i);
/// Returns lanes to behind their call.
void return_lanes(Machine& m, std::uint32_t lanes);
/// Drops calls that no lane will return from.
void forget_calls(Machine& m);

/// What cp.async does for the lanes `mask`, whose addresses were checked.
struct CopyRequest {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;              ///< Of a lane
  std::uint32_t to[kWarpSize];          ///< Addresses in shared memory
  const std::byte* from[kWarpSize];     ///< Of lanes that read something
  std::uint32_t read_bytes[kWarpSize];  ///< The rest becomes zero
};
void begin_copy(Machine& m, const Instr* i, const CopyRequest& request);
/// Executes cp.async.commit_group, wait_group and wait_all.
const Instr* commit_copies(Machine& m, const Instr* i);
const Instr* wait_for_copies(Machine& m, const Instr* i);

/// Executes cp.async.bulk, cp.reduce.async.bulk, and what numbers and waits for their groups.
const Instr* copy_in_bulk(Machine& m, const Instr* i);
const Instr* commit_bulk_copies(Machine& m, const Instr* i);
const Instr* commit_products(Machine& m, const Instr* i);
const Instr* wait_for_products(Machine& m, const Instr* i);
const Instr* wait_for_bulk_copies(Machine& m, const Instr* i);
/// Executes fence.proxy.async.
const Instr* fence_async_proxy(Machine& m, const Instr* i);
/// Executes mapa and getctarank.
const Instr* map_shared_address(Machine& m, const Instr* i);
const Instr* rank_of_shared_address(Machine& m, const Instr* i);
/// Executes an access that may be of another block's shared memory.
const Instr* access_in_cluster(Machine& m, const Instr* i);

/// The same of st.async and red.async, whose bytes complete at an mbarrier.
const Instr* access_asynchronously(Machine& m, const Instr* i);
/// Executes tensormap.replace and tensormap.cp_fenceproxy.
const Instr* replace_in_tensor_map(Machine& m, const Instr* i);
const Instr* copy_tensor_map(Machine& m, const Instr* i);

/// What a wgmma.mma_async does with its operands.
struct WarpgroupFlags {
  bool negates_a = false, negates_b = false;
  bool a_is_mn_major = false, b_is_mn_major = false;
  bool a_is_in_registers = false;
  bool c_negated = false;  ///< The predicate that says whether C counts
  bool is_sparse = false;

  [[nodiscard]] std::uint32_t bits() const;
  [[nodiscard]] static WarpgroupFlags of(std::uint32_t bits);
};
/// Instr::more of wgmma.mma_async: these, then the registers of D, then those of A, if it is there.
enum WarpgroupOperand : std::uint8_t {
  kWarpgroupFlags,
  kWarpgroupC,  ///< The predicate
  kDescriptorOfA,
  kDescriptorOfB,
  kWarpgroupMetadata,  ///< Of sparse products, else none
  kWarpgroupRegisters
};
/// Reads and records what a warp multiplies: 16 rows of A of 32 bytes, or n columns of B of as many, or of 64
/// where A is sparse. What is K-major
/// comes row by row, or column by column. Else by eight of them: eight elements for each k.
void read_warpgroup_matrix(Machine& m, const Instr* i, bool is_b, std::byte* to);

/// Executes the operations on mbarriers, cp.async.mbarrier.arrive among them.
const Instr* run_mbarrier(Machine& m, const Instr* i);

/// Executes tex, tld4, suld and sust.
const Instr* access_texels(Machine& m, const Instr* i);
/// Inserted before an instruction that may access a register that a wgmma uses, and before each wgmma; `a`:
/// the guard of the instruction, `b`: index into WgmmaRegisterPlan::checks.
const Instr* check_wgmma_registers(Machine& m, const Instr* i);
/// Inserted before a warp-level synchronisation; logs it. `a`: the member-mask register, or none for an
/// acquire by a single lane.
const Instr* log_order(Machine& m, const Instr* i);

/// Reports `lanes` that execute a warp-level instruction though their own member mask leaves them out.
/// `mask`: that of the first of them.
void report_undefined_lanes(Machine& m, const Instr* i, std::uint32_t lanes, std::uint32_t mask);

/// Called for a warp-level instruction where not all lanes that the mask of `lanes` names are present, or
/// some did not arrive at an earlier one.
void check_presence(Machine& m, const Instr* i, std::uint32_t lanes, std::uint32_t mask);
/// Called for a shuffle in which `readers` read from lanes that do not take part; `source` is by lane.
/// Returns the lanes that get an altered value, to find out whether it matters.
std::uint32_t read_absent_lanes(Machine& m, const Instr* i, std::uint32_t readers, std::uint32_t mask,
                                const std::uint32_t* source);

/// Called for an instruction that all lanes of a warp execute together, where some are missing, or did not
/// arrive at an earlier one.
void check_whole_warp(Machine& m, const Instr* i);

enum class Fault : std::uint8_t { out_of_bounds, misaligned, uninitialised, write_write, in_flight };
/// Records a finding about `lanes` of the access; addresses are by lane, as the program sees them in
/// `space_site`'s space.
void report_fault(Machine& m, const Instr* i, std::uint32_t site, Fault fault, std::uint32_t lanes,
                  std::uint32_t tried, const std::uint64_t* addresses);

}  // namespace warplens::replay
