// Runs the blocks of a launch on one host thread, one at a time, and keeps what they recorded.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/base/texture.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/block/event_log.h"
#include "kernels/replay/block/findings.h"
#include "kernels/replay/block/heap.h"
#include "kernels/replay/block/patterns.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/decode/dependence.h"
#include "kernels/replay/decode/waits.h"
#include "kernels/replay/races/block_races.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

/// Names elements of a buffer or variable: "C[3][5]", "table[7]".
struct ElementNames {
  std::string name;
  std::uint32_t element_bytes = 1;
  std::uint64_t pitch = 0;  ///< Elements of a row; 0: it has one row
  [[nodiscard]] std::string at(std::uint64_t byte_offset) const;
};

/// A texture of the launch, and where its texels are.
struct BoundTexture {
  Texture texture;
  std::uint64_t base = 0;
  std::byte* data = nullptr;
};

/// The n-th texel that each lane of an access reads.
struct TexelTurn {
  std::uint32_t mask = 0;
  std::array<std::uint64_t, kWarpSize> address{};
};

/// State that all runners of a launch share: the launch, memory, and limits.
struct Job {
  const Program::Code& code;
  const Launch& launch;
  const Options& options;
  std::vector<Site> sites = {};           ///< The code's, as this launch's textures make them
  std::vector<Region> regions;            ///< By address
  std::vector<std::string> region_names;  ///< By Region::id: "buffer C", "variable table"
  std::vector<ElementNames> elements;     ///< By Region::id
  std::vector<std::byte> parameters, constants;
  std::uint32_t shared_begin = 0, shared_end = 0;  ///< Addresses of a block's shared memory
  std::uint32_t warps = 0;
  [[nodiscard]] std::uint32_t shared_bytes() const { return shared_end - shared_begin; }
  std::vector<std::uint64_t> event_blocks;  ///< Linear indices, ascending
  std::atomic<std::uint64_t> events{0};
  std::vector<BoundTexture> textures;     ///< By parameter, as many as there are
  std::vector<std::byte> grid_workspace;  ///< Empty where the blocks do not wait for the whole grid
  BlockWatch* block_watch =
      nullptr;  ///< Observes accesses that are exposed to other blocks; null where races are not looked for
  std::unique_ptr<Heap>
      heap;  ///< Device heap of kernels that allocate (single-threaded); null before the first allocation
  // For launches with an instruction limit (single-threaded)
  std::uint64_t instructions_left = 0;
  std::uint64_t blocks_begun = 0, last_begun = 0;
  std::optional<EarlyEnd> ended;
  std::optional<std::uint32_t> altered_shuffle;  ///< Index of a shuffle that reads altered values from absent
                                                 ///< lanes, to find out whether they matter
  [[nodiscard]] bool at_limit() const { return options.limit != 0 && instructions_left == 0; }
};

/// Further phases are counted as the last one.
inline constexpr std::uint32_t kMaxPhases = 1u << 20;
/// The maximum number of distinct shapes among the events of a recording.
inline constexpr std::size_t kMaxEventShapes = std::size_t{1} << 20;

/// Aligned bytes, zeroed. Throws std::bad_alloc.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t bytes = 0);
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> data_;
};

enum class WarpStatus : std::uint8_t {
  ready,
  waiting,
  at_iteration_end,  ///< Waits at a loop header for the other warps (loop_extrapolation.h)
  done
};

/// Offsets of a recursive function's parameters and variables from the start of a lane's memory, in bytes.
struct PieceBase {
  std::uint64_t call_params = 0, local = 0;
};
/// A call that has not returned yet.
struct CallFrame {
  std::uint32_t base = 0;  ///< Index on the warp's stack of the suspended caller
  std::uint32_t piece = 0, lanes = 0;
  std::uint64_t call_params_top = 0, local_top = 0;  ///< The warp's, before the call
  PieceBase before;                                  ///< The function's
  std::vector<std::byte> registers;                  ///< Saved registers of the function
};

/// Lanes that have arrived at an instruction whose member mask names others, which may still arrive.
struct AwaitedLanes {
  std::uint32_t instruction = 0, mask = 0;  ///< Index of the PTX instruction
  std::uint32_t came = 0, absent = 0;
};

/// The first shuffle in which lanes read from lanes that do not take part.
struct AbsentRead {
  std::uint64_t block = 0;  ///< Linear index
  Finding finding;
};

/// The state of a warp between its turns.
struct WarpState {
  std::byte* registers = nullptr;
  std::byte* local = nullptr;
  std::byte* call_params = nullptr;
  std::vector<CallFrame> calls;
  std::vector<PieceBase> bases;                      ///< By piece
  std::uint64_t call_params_top = 0, local_top = 0;  ///< Memory in use by recursive calls
  WarpStatus status = WarpStatus::ready;
  std::uint32_t launched = 0, active = 0, alive = 0;
  const Instr* join = nullptr;
  const Instr* resume = nullptr;
  const Instr* waits_at = nullptr;
  std::uint32_t waits_on = 0;  ///< Barrier number
  std::vector<Suspended> stack;
  std::uint32_t depth = 0;
  std::vector<std::uint64_t> suspended;
  std::uint32_t phase = 0;
  std::uint64_t executed = 0;  ///< Warp instructions so far
  std::uint32_t alive_at_barrier =
      0;  ///< Lanes alive when part of the warp last arrived at a barrier before the rest had run
  std::uint32_t gone = 0;  ///< As Machine::gone
  std::vector<AwaitedLanes> awaited;
  /// Header of a loop that waits for memory to change, where the last turn ended; null: it ended elsewhere
  const Instr* polls_at = nullptr;
};

struct StateHash {
  std::uint64_t a = 0, b = 0;
  friend bool operator==(const StateHash&, const StateHash&) = default;
  friend bool operator<(const StateHash& x, const StateHash& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
};

/// How an instruction accesses shared memory.
struct SharedAccessTraits {
  bool stores = false;
  bool strong = false;    ///< Atomics and the like, but no volatile accesses
  bool acquires = false;  ///< A volatile load: synchronises with the store whose value it reads
  std::uint32_t bytes = 0, element = 0;
};

/// The last accesses of the running warp's lanes to an element of shared memory (lane_races.cpp).
struct LaneWord {
  struct Touch {
    std::uint32_t when = 0;  ///< 0: no access
    std::uint32_t lanes = 0, instruction = 0;
  };
  std::uint32_t walk = 0;  ///< Valid only while equal to lane_walk_
  Touch written, read, read_before;
};

/// What a warp does while its block makes no progress.
struct Standing {
  std::uint32_t lanes = 0;     ///< Active lanes
  std::set<StateHash> states;  ///< The warp's states at its backward branches
  std::optional<Wait> wait;    ///< nullopt: the warp does not run
};

/// The output of printf that is kept: the first messages, in block order.
class Messages {
 public:
  /// `block` is the linear index of message.block.
  void add(std::uint64_t block, Message message);
  void merge(Messages&& other);
  void give_to(Recording& recording);

 private:
  struct Kept {
    std::uint64_t block = 0;
    Message message;
  };
  std::vector<Kept> kept_;
  std::uint64_t bytes_ = 0, left_out_ = 0;
};

/// "0-3, 7"
[[nodiscard]] std::string name_lanes(std::uint32_t mask);

/// Visits the lanes in ascending order.
template <class Visit>
void for_each_lane(std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

[[nodiscard]] std::uint64_t value_of_lane(const Head& head, bool wide, std::uint32_t lane);

[[nodiscard]] Error too_many_shapes(const Program::Code& code);
/// Stores the findings of a cancelled launch in `progress`, which may be null.
void keep_findings(Findings findings, const Program::Code& code, Progress* progress);

/// The error for more events than Options::max_events.
[[nodiscard]] Error too_many_events(const Program::Code& code, const Options& options);

/// Counts of one loop iteration that is counted by itself, and the counters before it.
struct IterationCounts {
  IterationCounts(const Job& job, std::uint32_t phase_of_warps)
      : totals(job.sites, job.options), phase(phase_of_warps) {}
  PatternTotals totals;  ///< Of the iteration
  std::uint32_t phase;
  std::vector<std::array<std::uint64_t, kPhaseColumns>> phases;  ///< From `phase` on
  std::uint64_t warp_instructions = 0, thread_instructions = 0, block_instructions = 0;
};

class BlockRunner {
 public:
  BlockRunner(Job& job, PatternTotals& totals);

  /// Runs one block of the grid. An error ends the whole replay. `brisk`: the block is likely to wait, so its
  /// warps get short turns.
  [[nodiscard]] std::optional<Error> run_block(std::uint64_t linear, bool brisk = false);
  /// Returns whether the block was set aside: only another block can end its wait (standstill.cpp).
  [[nodiscard]] bool waits() const { return waiting_; }
  [[nodiscard]] std::uint64_t block() const { return linear_; }
  /// Returns the memory that a waiting block holds, in bytes.
  [[nodiscard]] std::uint64_t bytes_kept() const;
  /// Resumes a waiting block. `got_on`: the block or memory has changed.
  [[nodiscard]] std::optional<Error> resume_block(bool& got_on);
  /// Ends a block that waits forever, with a finding.
  void end_waiting(bool later_ones_begin);
  /// Ends the launch at its instruction limit, at this runner's place.
  void end_launch();
  /// Returns an error that says how far the launch came, and where it was.
  [[nodiscard]] Error cancelled_error() const;
  /// Adds all counts that are still pending to the totals.
  void finish();

  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  Findings findings;
  std::map<std::uint32_t, AbsentRead>
      absent_reads;  ///< By PTX instruction: findings, if the value read matters
  Messages messages;
  std::map<std::uint32_t, std::uint64_t> polls;  ///< By PTX instruction, the header of a loop that waits
  std::vector<std::array<std::uint64_t, kPhaseColumns>> phases;
  EventLog event_log;
  class Watcher* watcher = nullptr;  ///< Observes watched instructions; null: there are none
  class LoopExtrapolation* loop_extrapolation = nullptr;  ///< Skips loop iterations; null: none are skipped
  /// Returns whether there may be findings, which only a run without loop extrapolation can determine.
  [[nodiscard]] bool may_have_findings() const { return may_have_findings_ || !findings.empty(); }
  /// Returns whether stored values, and not only addresses, decided on a finding in the last block.
  [[nodiscard]] bool compared_values() const { return machine_.compared_values; }

  // For callbacks.cpp
  void count_affine(std::uint32_t site, std::uint64_t first, std::int64_t stride) {
    patterns_.count_affine(site, first, stride);
  }
  void count_irregular(std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses) {
    patterns_.count_irregular(site, mask, addresses);
  }
  ShapeCounter* find_shape(std::uint32_t site, std::uint32_t mask, const std::uint32_t* offsets) {
    return patterns_.find_shape(site, mask, offsets);
  }
  void count_divergent(std::uint32_t site) { patterns_.count_divergent(site); }
  GroupShape* find_group_shape(std::uint32_t group, std::int64_t stride, std::uint32_t mask,
                               const std::uint32_t* offsets) {
    return patterns_.find_group_shape(group, stride, mask, offsets);
  }
  void limit_events();
  void make_room_in_log();
  void grow_stack();
  void next_phase();
  void update_suspended();
  [[nodiscard]] const Region* find_region(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] std::string outside_buffers(const std::string& what, std::uint64_t address) const;
  [[nodiscard]] std::string outside_shared(const std::string& what, std::uint64_t address) const;
  const Instr* begin_call(const Instr* i, std::uint32_t mask);
  const Instr* finish_call(const Instr* i);
  void return_lanes(std::uint32_t lanes);
  void forget_calls();
  void access_texels(const Instr* i);
  void report_undefined_lanes(const Instr* i, std::uint32_t lanes, std::uint32_t mask);
  // absent_lanes.cpp
  void check_presence(const Instr* i, std::uint32_t lanes, std::uint32_t mask);
  [[nodiscard]] std::uint64_t address_in_words(Space space, std::uint64_t address) const;
  void report_awaited(std::uint32_t w);
  [[nodiscard]] std::uint32_t read_absent_lanes(const Instr* i, std::uint32_t readers, std::uint32_t mask,
                                                const std::uint32_t* source);
  /// `tried`: all lanes that executed the access; `lanes`: those at fault.
  void report_fault(const Instr* i, std::uint32_t site, Fault fault, std::uint32_t lanes, std::uint32_t tried,
                    const std::uint64_t* addresses);

  // block_races.cpp; called before the access is made
  void watch_exposed(const Instr& i);
  [[nodiscard]] Handler handler_of_exposed(const Instr& i) const { return job_.block_watch->handler_of(i); }

 private:
  void record_texels(const Instr* i, const std::array<TexelTurn, 8>& turns);

  static constexpr std::uint32_t kBarriers = 16;
  static constexpr std::size_t kLogEntries = std::size_t{1} << 16;
  struct Barrier {
    std::vector<std::uint32_t> waiting;  ///< Warps
    std::uint32_t here = 0;      ///< Warps that have arrived, those that only arrive included, a bit each
    std::uint32_t arrivals = 0;  ///< Number of arrivals
    std::uint32_t expected = 0;  ///< Arrivals given by the barrier's thread count; 0: none given
    bool block_wide = false;     ///< Waits for all warps that have not exited
    std::uint32_t count = 0;     ///< Threads whose predicate holds, for barriers that reduce
    std::uint32_t threads = 0;   ///< Threads that took part in the reduction
  };

  // block_runner.cpp
  void start_block(std::uint64_t linear);
  void end_block();
  void forget_accesses();
  void start_warp(std::uint32_t w);
  [[nodiscard]] std::uint64_t initial_value(const HeadPlan& plan) const {
    return plan.initial + (plan.in_shared ? job_.shared_begin : 0);
  }
  void set_special(Head& head, const HeadPlan& plan, std::uint32_t w);
  std::optional<Error> run_rounds();
  std::optional<Error> run_turn(std::uint32_t w);
  void enter(std::uint32_t w);
  void leave(std::uint32_t w);
  std::optional<Error> on_yield(std::uint32_t w);

  // polls.cpp
  void begin_poll();
  void end_poll(WarpState& warp);
  [[nodiscard]] Error stopped_error(const char* what, const std::string& hint) const;
  [[nodiscard]] std::uint32_t phase_after(std::uint32_t phase);
  [[nodiscard]] bool cancelled() const;
  [[nodiscard]] const ptx::Instruction& last_instruction() const;
  void report_progress();
  [[nodiscard]] std::string place_of(const ptx::Instruction& instruction) const;

  // calls.cpp
  [[nodiscard]] std::byte* call_param_at(const CallArgument& value, std::uint32_t lane) const;
  const Instr* stop_call(const Instr* i, Stop why);
  void suspend(const Instr* pc, const Instr* join, std::uint32_t mask);
  std::optional<std::uint32_t> called_by_address(const Instr* i, std::uint32_t& mask);
  void leave_call();
  void set_bases(std::uint32_t piece, PieceBase base);
  void save_registers(CallFrame& frame) const;
  void restore_registers(const CallFrame& frame);

  void pass_back(const CallArgument& to, std::uint32_t lane, const std::byte* from, std::size_t bytes);

  // system_calls.cpp
  const Instr* call_system(const Instr* i, std::uint32_t mask);
  void allocate(const CallSite& site, std::uint32_t mask);
  void release(const Instr* i, const CallSite& site, std::uint32_t mask);
  std::int32_t print(const Instr* i, const CallSite& site, std::uint32_t lane);
  void fail_assertion(const Instr* i, const CallSite& site, std::uint32_t mask);
  [[nodiscard]] std::uint64_t argument_of(const CallSite& site, std::size_t index, std::uint32_t lane) const;
  /// Returns the memory at a generic address of a lane; null: not all of it is accessible.
  [[nodiscard]] const std::byte* readable(std::uint32_t lane, std::uint64_t address,
                                          std::uint64_t bytes) const;
  [[nodiscard]] std::optional<std::string> text_at(std::uint32_t lane, std::uint64_t address) const;

  // standstill.cpp
  [[nodiscard]] StateHash hash_warp(const WarpState& warp) const;
  [[nodiscard]] StateHash hash_block() const;
  [[nodiscard]] StateHash hash_memory() const;
  [[nodiscard]] bool memory_can_be_hashed() const;
  bool has_come_back(const StateHash& state);
  std::optional<Error> after_idle_round();
  std::optional<Error> stand_still();
  [[nodiscard]] Error endless_loop(std::uint32_t w) const;
  [[nodiscard]] std::optional<Suspended> own_lanes_would_end(std::uint32_t w) const;
  void report_waits(const char* text);
  void make_log();

  // loop_extrapolation.cpp
  bool extrapolate_loop();
  [[nodiscard]] Head& head_of(const WarpState& warp, std::uint32_t reg) const;
  [[nodiscard]] struct IterationSample sample_iteration(const std::vector<std::uint32_t>& here,
                                                        const std::vector<std::uint32_t>& live) const;
  void begin_counting(std::uint32_t phase);
  std::unique_ptr<IterationCounts> end_counting(std::uint64_t more);
  void repeat_phases(const IterationCounts& iteration, std::uint32_t phases_per_iteration,
                     std::uint64_t more);
  void skip_iterations(WarpState& warp, const std::vector<std::uint32_t>& live,
                       std::uint32_t phases_per_iteration);

  // barriers.cpp
  void arrive(std::uint32_t w);
  bool run_others_first(std::uint32_t w);
  void try_release(std::uint32_t id);
  void deliver(std::uint32_t w, const Barrier& barrier);
  void on_exit();
  void report_partial_barrier(std::uint32_t w, std::uint32_t missing);
  void report_deadlock();

  // races.cpp
  void end_interval(std::uint32_t w);
  void cut_interval(std::uint32_t w);
  void suppose_all_read();
  void start_interval_for_all();
  void find_racers(std::uint32_t w);

  // lane_races.cpp
  [[nodiscard]] bool touches_its_own() const;
  [[nodiscard]] bool lanes_may_meet() const;
  void find_shared_access_traits();
  void find_lane_races(std::uint32_t w);
  [[nodiscard]] std::uint32_t lanes_that_leave() const;
  /// Lanes exchanged a value, as by a shuffle.
  struct Crossing {
    std::uint32_t when = 0, instruction = 0, lanes = 0;
  };
  [[nodiscard]] std::uint32_t lanes_acquired_through_data(const std::vector<Crossing>& crossings,
                                                          const LaneWord::Touch& load, std::uint32_t store,
                                                          std::uint32_t lane);
  void report_absent_lanes(const AwaitedLanes& awaited);
  void report_lane_race(std::uint32_t w, const struct Logged& logged, std::uint32_t lanes,
                        const LaneWord::Touch& other, std::uint32_t both);

  // block_races.cpp
  [[nodiscard]] const Region* find_watched_region(std::uint64_t address, std::uint64_t bytes);
  void watch_exposed(const Instr& i, const Region& region, const GlobalLanes& lanes);
  void report_block_race(const Instr& i, const Region& region, const GlobalLanes& lanes,
                         const BlockRaces::Conflict& conflict);

  [[nodiscard]] Finding make_finding(FindingKind kind, const ptx::Instruction& instruction, std::uint32_t w,
                                     std::uint32_t lanes) const;
  /// Returns an access in the warp's current phase, without addresses.
  [[nodiscard]] FoundAccess found_access(std::uint32_t instruction, Space space, std::uint8_t bytes,
                                         std::uint32_t tried) const;
  [[nodiscard]] FoundAccess found_access(const struct Logged& logged, std::uint32_t lanes,
                                         std::uint32_t bytes) const;
  [[nodiscard]] std::uint64_t as_recorded(Space space, std::uint64_t address) const;
  void refresh_initialised();

  Job& job_;
  const Program::Code& code_;
  PatternTotals& totals_;
  PatternCounter patterns_;
  std::unique_ptr<IterationCounts> iteration_counts_;  ///< While an iteration is counted by itself
  /// What had been counted before a turn that begins with a loop that waits.
  struct Poll {
    explicit Poll(const Job& job) : options(job.options), totals(job.sites, options) {
      options.judge = nullptr;  // Patterns are needed, to be added to others
    }
    Options options;
    PatternTotals totals;  ///< Of the turn
    PatternTotals* before = nullptr;
    EventLog::Mark events;
    std::uint64_t warp_instructions = 0, thread_instructions = 0;
    std::uint32_t active = 0;
    std::array<std::uint64_t, kPhaseColumns> phase_row{};
  };
  std::unique_ptr<Poll> poll_;
  Machine machine_;
  AlignedBytes registers_, shared_, local_, call_params_, shadow_;
  std::uint64_t shadow_words_ = 0;
  std::uint64_t *others_read_ = nullptr, *others_written_ = nullptr, *others_strong_ = nullptr;
  std::vector<AccessLogEntry> log_;
  std::vector<AccessLogEntry*> log_start_;  ///< By warp: where its entries of this interval begin; null: none
  std::vector<AccessLogEntry*> log_stop_;
  AccessLogEntry* log_of_turn_ = nullptr;                 ///< Start of the entries of the current turn
  std::unique_ptr<Dependence> dependence_;                ///< Created when first needed
  std::vector<SharedAccessTraits> shared_access_traits_;  ///< By PTX instruction, once they are needed
  std::vector<LaneWord> lane_words_;  ///< By element of shared memory, once they are needed
  std::uint32_t lane_walk_ = 0;       ///< LaneWord::walk of now
  std::vector<WarpState> warps_;
  Barrier barriers_[kBarriers];
  std::uint64_t linear_ = 0;
  Dim3 block_{0, 0, 0};
  BlockRaces::Block as_raced_;              ///< The block
  const Region* watched_region_ = nullptr;  ///< Where the last exposed access fell
  std::uint32_t live_warps_ = 0;            ///< Those that have not exited, a bit each
  std::uint64_t block_instructions_ = 0;
  std::uint64_t reported_instructions_ = 0;  ///< Those already reported to the progress
  /// Instructions of a warp's turn: after them it yields, because it may be waiting for other warps.
  static constexpr std::uint64_t kTurn = std::uint64_t{1} << 20, kBriskTurn = std::uint64_t{1} << 9,
                                 kShortTurn = std::uint64_t{1} << 8;
  std::uint64_t turn_ = kTurn, turn_of_block_ = kTurn;
  struct Kept {
    StateHash state, latest;
    std::optional<StateHash> memory;  ///< When the state came back
    std::uint64_t rounds = 0, until = 1, pause = 0, next_pause = 1;
  } kept_;                          ///< State of the block after a round without progress
  std::vector<Standing> standing_;  ///< By warp
  StateHash standing_memory_;
  bool waiting_ = false;
  bool progressed_ = false;       ///< Some warp has exited or reached a barrier in this round
  bool ended_ = false;            ///< A finding has ended this block
  bool lanes_run_apart_ = true;   ///< Independent thread scheduling (compute capability 7.0 and later)
  bool races_unknown_ = false;    ///< More than whole-block barriers orders this interval
  bool interval_is_cut_ = false;  ///< A warp has stopped in the middle of the interval
  bool may_have_findings_ = false;
};

}  // namespace warplens::replay
