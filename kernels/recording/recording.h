// What a run of a kernel did to memory: the exact record that every picture and every figure is drawn from.
//
//   sites ----- one per memory instruction (and state space) of the kernel
//   totals ---- per site, over every replayed block: requests and the patterns that made them up
//   events ---- every access of the blocks chosen for it, in columns
//
// What holds between them is what `validate` checks (validate.h).
//
// A *pattern* is what one warp access looks like to the memory system: the active mask, the lanes' offsets
// from the lowest active lane's address (the *shape*, interned), and that address modulo 256. Sectors, lines
// and wavefronts under any memory rules follow from the pattern alone, so they are worked out once a pattern
// however many accesses share it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/dim3.h"

namespace warplens {

enum class Space : std::uint8_t { global, shared, local };
/// Recording files store these values: append new ones at the end.
enum class AccessOp : std::uint8_t {
  load,
  store,
  atomic,
  reduction,
  ldmatrix,
  stmatrix,
  cp_async,
  // cp.async.bulk: one thread moves any number of pieces of 16 bytes. An event holds up to 32 pieces in place
  // of lanes.
  bulk_load,       ///< To shared memory
  bulk_store,      ///< From shared memory
  bulk_reduction,  ///< From shared memory, combined with the destination: cp.reduce.async.bulk
  wgmma            ///< A warpgroup reads matrices in shared memory, in pieces of 16 bytes
};

[[nodiscard]] const char* name_of(Space space);  ///< "global"
[[nodiscard]] const char* name_of(AccessOp op);  ///< "load"
/// Whether such an access reads, or writes, memory of that space. A cp.async or bulk_load reads global memory
/// and writes shared memory; a bulk_store the other way round. (A copy between shared memories of a cluster
/// has a site of either.) An atomic does both.
[[nodiscard]] bool reads(AccessOp op, Space space);
[[nodiscard]] bool writes(AccessOp op, Space space);
[[nodiscard]] bool is_atomic(AccessOp op);  ///< An atomic, or a reduction: one without a result
/// Whether it is a copy to shared memory that completes later: cp_async, bulk_load.
[[nodiscard]] bool is_asynchronous_load(AccessOp op);
/// Whether events hold pieces of 16 bytes in place of lanes: bulk copies, wgmma.
[[nodiscard]] bool is_of_pieces(AccessOp op);
/// A load or store of matrices: lanes 0 to 8 * Site::matrices - 1 name a row of 16 bytes each.
[[nodiscard]] bool is_of_matrices(AccessOp op);

/// One memory instruction, in one state space (a generic access has a site for each space it met). A cp.async
/// has two: global and shared.
struct Site {
  std::uint32_t instruction = 0;  ///< Index in the PTX function
  std::uint32_t ptx_line = 0;
  std::uint32_t file = 0;  ///< Index into Recording::files; 0 with line 0 where there are none
  std::uint32_t line =
      0;  ///< Source line, of the kernel's own code (the call, for inlined helpers); 0 unknown
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  std::uint8_t bytes =
      0;  ///< Per lane: element size times vector length; 1, 2, 4, 8 or 16 (ldmatrix, stmatrix: 16)
  std::uint8_t matrices = 0;  ///< ldmatrix / stmatrix: 1, 2, 4
  /// For what writes: the site of the load whose value, or else a constant, is stored unchanged (cp.async:
  /// its own in global memory); or -1. For a load: the site of the next load that writes the same
  /// registers; the stored value is that of the load executed last.
  std::int32_t value_from = -1;
  std::string text;  ///< The PTX statement

  friend bool operator==(const Site&, const Site&) = default;
};

/// Offsets in bytes of the lanes from the lowest active lane's address; 0 for inactive lanes. At most 2^62
/// either way (validate.h).
using Shape = std::array<std::int64_t, kWarpSize>;

/// Base addresses enter patterns modulo this: no rule of any compute capability looks at more address bits
/// together.
inline constexpr std::uint32_t kPatternAlignment = 256;

struct PatternCount {
  std::uint32_t shape = 0;      ///< Index into Recording::shapes
  std::uint32_t mask = 0;       ///< Active lanes
  std::uint32_t alignment = 0;  ///< Address of the lowest active lane modulo kPatternAlignment
  std::uint64_t count = 0;
  friend bool operator==(const PatternCount&, const PatternCount&) = default;
};

/// What accesses cost under one set of memory rules. Terms: docs/glossary.md.
struct AccessCost {
  std::uint64_t sectors = 0, ideal_sectors = 0, lines = 0;                 ///< global and local
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0, bank_conflicts = 0;  ///< shared
  AccessCost& operator+=(const AccessCost& other);
  friend bool operator==(const AccessCost&, const AccessCost&) = default;
};

struct SiteTotals {
  std::uint64_t requests = 0;            ///< Accesses with at least one active lane
  std::uint64_t thread_accesses = 0;     ///< Active lanes, added up; times Site::bytes = requested bytes
  std::uint64_t divergent_requests = 0;  ///< Requests with fewer active lanes than the warp has threads
  std::vector<PatternCount> patterns;    ///< Sorted by (shape, mask, alignment)
  /// Requests whose patterns were not kept because a site has too many (scattered addresses), and their cost
  /// under Recording::unkept_cc.
  std::uint64_t unkept_requests = 0;
  AccessCost unkept_cost;
  friend bool operator==(const SiteTotals&, const SiteTotals&) = default;
};

/// Columns of equal length, sorted by (block, warp, order).
struct EventColumns {
  std::vector<std::uint32_t> site;   ///< Index into Recording::sites
  std::vector<std::uint32_t> block;  ///< Index into Recording::event_blocks
  std::vector<std::uint32_t> warp;   ///< Within the block
  std::vector<std::uint32_t> phase;  ///< Barrier interval of the block, or iteration of the outermost loop
                                     ///< where there are no barriers; from 0
  std::vector<std::uint32_t> order;  ///< 0, 1, 2, .. within the warp
  std::vector<std::uint32_t> mask;
  std::vector<std::uint64_t>
      base;  ///< Address of the lowest active lane (shared: byte offset in the block's shared memory)
  std::vector<std::uint32_t> shape;
  [[nodiscard]] std::size_t size() const { return site.size(); }
  friend bool operator==(const EventColumns&, const EventColumns&) = default;
};

/// When an asynchronous copy among the events had landed for all its lanes: until then it was in flight.
struct CopyLanding {
  std::uint32_t block = 0;         ///< Of the copy, as EventColumns::block
  std::uint32_t warp = 0;          ///< The same
  std::uint32_t order = 0;         ///< EventColumns::order of its event in shared memory
  std::uint32_t landed_phase = 0;  ///< The warp's when it had landed
  std::uint32_t landed_order = 0;  ///< The warp's events until then: it lands before the one of that number
  auto operator<=>(const CopyLanding&) const =
      default;  // NOLINT(modernize-use-nullptr): misread by clang-tidy 14
};

struct PhaseTotals {
  std::uint64_t global_loads = 0, global_stores = 0, shared_loads = 0, shared_stores = 0,
                other = 0;  ///< Requests, over all replayed blocks
  std::uint64_t fills =
      0;  ///< Shared stores whose value came unchanged from a global load (Site::value_from)
  [[nodiscard]] std::uint64_t requests() const {
    return global_loads + global_stores + shared_loads + shared_stores + other;
  }
  friend bool operator==(const PhaseTotals&, const PhaseTotals&) = default;
};

/// An instruction that multiplies matrices on tensor cores (mma, mma.sp, wmma.mma), and how often warps
/// executed it.
struct TensorTotals {
  std::uint32_t instruction = 0, ptx_line = 0, file = 0, line = 0;  ///< As those of Site
  std::string kind;                ///< Shape, then the types of D, A, B and C: "mma.m16n8k16.f32.f16.f16.f32"
  std::uint64_t operations = 0;    ///< Arithmetic operations of one execution, two for each multiply-add
  std::uint64_t instructions = 0;  ///< Executions by warps, as Recording::warp_instructions counts them
  friend bool operator==(const TensorTotals&, const TensorTotals&) = default;
};

enum class FindingKind : std::uint8_t {
  race,
  out_of_bounds,
  misaligned,
  barrier_divergence,
  uninitialised,
  failed_assertion,
  undefined_lanes,
  block_race,
  deadlock,
  lane_race,
  absent_lanes,
  async_copy,
  mbarrier,
  wgmma_registers,
  exited_block
};
[[nodiscard]] const char* name_of(FindingKind kind);  ///< "out_of_bounds"

/// The access that a finding is of, as it was tried. Lanes that are misaligned or out of bounds access
/// nothing, and its event lacks them; where all lanes are, there is no event.
struct FoundAccess {
  std::uint32_t instruction = 0;  ///< Site::instruction
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  std::uint8_t bytes = 0;                ///< Per lane
  std::uint32_t phase = 0;               ///< As EventColumns::phase
  std::uint32_t tried = 0;               ///< All lanes that came to it, in that space
  std::vector<std::uint64_t> addresses;  ///< Of Finding::lanes, the lowest first, as events have them
  friend bool operator==(const FoundAccess&, const FoundAccess&) = default;
};

/// The other access of a race.
struct OtherAccess {
  std::uint32_t instruction = 0;
  AccessOp op = AccessOp::load;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t address = 0;  ///< Of the first byte that both touch
  friend bool operator==(const OtherAccess&, const OtherAccess&) = default;
};

/// Something wrong in the kernel. Grouped by (kind, file, line, other_line); block, warp, lanes and text are
/// the first one's, in block order.
struct Finding {
  FindingKind kind = FindingKind::race;
  std::uint32_t file = 0, line = 0;
  /// race, block_race, lane_race: the earlier access's line; wgmma_registers: that of the wgmma, or of what
  /// wrote the register; barrier_divergence: another barrier, where
  /// others wait for ever; deadlock: where lanes of the same warp wait for those; else 0
  std::uint32_t other_line = 0;
  std::uint64_t count = 1;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0, lanes = 0;
  std::string text;  ///< In English: files keep it
  std::optional<FoundAccess> access =
      std::nullopt;  ///< Where it is of one; nullopt, too, in a file that does not say (version 1.5)
  std::optional<OtherAccess> other = std::nullopt;  ///< Of a race of two accesses
  /// Returns whether it is a race of two warps in global memory, of one block or of two.
  [[nodiscard]] bool is_global_race() const {
    return kind == FindingKind::block_race ||
           (kind == FindingKind::race && access && access->space == Space::global && other);
  }
  friend bool operator==(const Finding&, const Finding&) = default;
};

struct SourceFile {
  std::string name;  ///< File name without folders
  std::string text;  ///< Empty if it was not to be had
  friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// Recording files store these values: append new ones at the end.
enum class ElementType : std::uint8_t {
  f32,
  f64,
  i32,
  u8,
  i8,
  u16,
  i16,
  u32,
  i64,
  u64,
  f16,
  bf16,
  tf32,  ///< In 32 bits, the lowest 13 of them 0
  e4m3,  ///< Floats of 8 bits (PTX ISA, "Alternate Floating-Point Data Formats")
  e5m2,
  i4,  ///< Two integers of 4 bits a byte, the lower half first: a Buffer counts the bytes, as pairs
  u4
};
[[nodiscard]] const char* name_of(ElementType type);
[[nodiscard]] int size_of(ElementType type);
/// Returns the bytes of so many values: the last byte of integers of 4 bits may be half empty.
[[nodiscard]] std::uint64_t bytes_of(ElementType type, std::uint64_t values);

/// A buffer in global memory. A matrix has rows and columns; `pitch` counts elements from one row to the
/// next. Buffers of a user's kernel have rows = 1 unless the launch gives them a shape.
struct Buffer {
  std::string name;
  ElementType type = ElementType::f32;
  std::uint64_t base = 0, bytes = 0;  ///< Virtual address, a multiple of 256
  std::uint32_t rows = 1;
  std::uint64_t columns = 0, pitch = 0;
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

/// A static shared array, or the dynamic one. Its dimensions come from the kernel's descriptor; rows = 1 if
/// unknown.
struct SharedArray {
  std::string name;
  std::uint32_t offset = 0, bytes = 0, element_bytes = 4;
  std::uint32_t rows = 1, pitch = 0;  ///< pitch: elements a row, padding included
  friend bool operator==(const SharedArray&, const SharedArray&) = default;
};

/// The origin of a kernel. Its name does not tell: a user's kernel may have the name of one of the ladder's.
enum class Origin : std::uint8_t {
  unknown,  ///< In a file that does not say (docs/wlr.md, version 1.0)
  ladder,   ///< Recording::kernel is a catalogue id
  file      ///< The user's: Recording::origin_file
};

struct NamedValue {
  std::string name;
  std::int64_t value = 0;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

/// An argument of a file's kernel, as it was given.
struct RecordedArgument {
  std::string name;   ///< Of the parameter
  std::string value;  ///< As the command line's --arg takes it: "i32:256", "buf:f32:65536:random",
                      ///< "f32[256][256]:random"
  friend bool operator==(const RecordedArgument&, const RecordedArgument&) = default;
};

/// What a thread printed by one call of printf.
struct Message {
  std::uint32_t file = 0, line = 0;
  Dim3 block{0, 0, 0};
  std::uint32_t thread = 0;  ///< Within its block: x + width * (y + height * z)
  std::string text;          ///< UTF-8; what of it is none was replaced
  friend bool operator==(const Message&, const Message&) = default;
};
/// A recording keeps the first messages, in block order, and so many bytes of them: what the buffer of a
/// GPU's printf holds by default.
inline constexpr std::size_t kMaxMessages = 10'000;
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 20;

/// A launch that was ended before its end: where it was then. Of loops that do not end, it is one.
struct EarlyEnd {
  std::uint64_t limit = 0;  ///< Warp instructions that it was allowed
  std::uint32_t file = 0, line = 0;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  friend bool operator==(const EarlyEnd&, const EarlyEnd&) = default;
};

/// A loop that does nothing but look at memory until it changes. How often it looks in vain says how the
/// replay takes turns, and nothing of a GPU: the first time counts in all figures, and no further one.
struct WaitingLoop {
  std::uint32_t file = 0, line = 0;  ///< Of an access that the loop's end depends on
  std::uint64_t polls = 0;           ///< Iterations of warps that no figure counts
  friend bool operator==(const WaitingLoop&, const WaitingLoop&) = default;
};

struct Recording {
  std::string kernel;  ///< Catalogue id, or the entry's plain name. Whose it is: ladder_kernel_of
                       ///< (kernels/catalog/catalog.h)
  std::string entry;   ///< Mangled name in the PTX
  Origin origin = Origin::unknown;
  std::string origin_file;  ///< Name of the user's PTX, without folders; empty unless Origin::file
  std::string engine;       ///< "cpu" or "gpu"
  std::string device;       ///< What it ran on
  std::vector<SourceFile> files;
  std::string ptx;

  Dim3 grid, block;
  Dim3 cluster{1, 1, 1};           ///< Blocks of a cluster; not known before version 1.10
  std::uint32_t shared_bytes = 0;  ///< Static and dynamic, a block
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t shared_base = 0;       ///< Address of its first byte, as the kernel saw it, a multiple of
                                       ///< kPatternAlignment; offsets count from there
  std::uint64_t m = 0, p = 0, n = 0;   ///< 0: a size that the kernel has not
  std::vector<NamedValue> parameters;  ///< The kernel's own: T, ..
  std::string value_type = "f32";
  std::vector<RecordedArgument>
      arguments;  ///< By parameter, of a file's kernel; empty, too, in a file that does not say (version 1.1)
  std::vector<Buffer> buffers;
  std::vector<SharedArray> shared_arrays;

  std::vector<Site> sites;
  std::vector<Shape> shapes;
  std::vector<SiteTotals> totals;   ///< By site
  std::string unkept_cc;            ///< Rules of SiteTotals::unkept_cost; "9.0"
  std::vector<PhaseTotals> phases;  ///< By phase
  bool phases_are_barriers = true;  ///< false: iterations of the outermost loop
  std::uint64_t blocks_total = 0;
  std::uint64_t blocks_counted = 0;       ///< Those that totals are of
  std::uint64_t blocks_extrapolated = 0;  ///< Of these, those whose accesses were not counted one by one,
                                          ///< being proved to be those of one that were
  std::string not_extrapolated;    ///< Why none could be followed, in English; empty, too, where nobody tried
  std::vector<Dim3> event_blocks;  ///< In block order
  EventColumns events;
  std::vector<CopyLanding> landings;  ///< Ascending; of the CPU replay: a GPU does not tell
  std::vector<Finding> findings;
  std::vector<Message> messages;        ///< Of the CPU replay: a GPU prints them where it runs
  std::uint64_t messages_left_out = 0;  ///< That were not kept
  std::optional<EarlyEnd> ended;        ///< Then all that was counted is of the blocks begun until there

  std::vector<WaitingLoop> waiting_loops;                        ///< Ascending by file and line
  std::uint64_t warp_instructions = 0, thread_instructions = 0;  ///< As PTX counts them
  /// Tensor-core instructions that were executed, ascending; empty in files before version 1.9, which do not
  /// have them.
  std::vector<TensorTotals> tensor;
  std::optional<bool> verified;  ///< Against the reference; nullopt for a user's kernel
  double seconds = 0;            ///< How long the replay took; not part of what `compare` compares

  friend bool operator==(const Recording&, const Recording&) = default;
  [[nodiscard]] std::uint64_t blocks_replayed() const { return blocks_counted - blocks_extrapolated; }
  /// Blocks that ran, of which `verified` is: a GPU runs those as well that are counted by proof.
  [[nodiscard]] std::uint64_t blocks_run() const {
    return engine == "gpu" ? blocks_counted : blocks_replayed();
  }
  [[nodiscard]] std::uint32_t warps_per_block() const {
    return static_cast<std::uint32_t>((block.count() + kWarpSize - 1) / kWarpSize);
  }
};

/// Address of `lane` in an event. The lane must be active.
[[nodiscard]] inline std::uint64_t lane_address(const Recording& recording, std::size_t event, int lane) {
  return recording.events.base[event] +
         static_cast<std::uint64_t>(
             recording.shapes[recording.events.shape[event]][static_cast<std::size_t>(lane)]);
}

/// A place in shared memory, by its offset in EventColumns. Bits 24 and up of the offset hold the rank of
/// another block of the cluster plus 1, where it is that block's.
struct SharedPlace {
  std::optional<std::uint32_t> rank;  ///< nullopt: the block's own
  std::uint32_t offset = 0;
};
[[nodiscard]] SharedPlace shared_place(std::uint64_t offset);

/// Half-open range of events: of one warp of one event block, or of one phase of that warp. Binary search.
struct EventRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] bool empty() const { return begin == end; }
};
[[nodiscard]] EventRange events_of_block(const Recording& recording, std::uint32_t event_block);
[[nodiscard]] EventRange events_of_warp(const Recording& recording, std::uint32_t event_block,
                                        std::uint32_t warp);
[[nodiscard]] EventRange events_of_phase(const Recording& recording, std::uint32_t event_block,
                                         std::uint32_t warp, std::uint32_t phase);

/// Returns when the cp.async of an event in shared memory had landed; nullptr if the event is not a copy or
/// the recording does not have it.
[[nodiscard]] const CopyLanding* landing_of(const Recording& recording, std::size_t event);

}  // namespace warplens
