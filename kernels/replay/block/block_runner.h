// Runs the blocks of a launch on one host thread, one at a time, and keeps what they recorded.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/block/async_proxy.h"
#include "kernels/replay/block/bulk_copies.h"
#include "kernels/replay/block/event_log.h"
#include "kernels/replay/block/findings.h"
#include "kernels/replay/block/job.h"
#include "kernels/replay/block/lanes.h"
#include "kernels/replay/block/messages.h"
#include "kernels/replay/block/patterns.h"
#include "kernels/replay/block/warp_state.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/decode/dependence.h"
#include "kernels/replay/races/block_watch.h"
#include "kernels/replay/races/shared_access.h"
#include "kernels/replay/races/shared_races.h"
#include "kernels/replay/races/wgmma_registers.h"
#include "kernels/replay/replay.h"
#include "kernels/tensor/mma_plan.h"

namespace warplens::replay {

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

/// The first shuffle in which lanes read from lanes that do not take part.
struct AbsentRead {
  std::uint64_t block = 0;  ///< Linear index
  Finding finding;
};

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
  std::vector<std::uint64_t> tensor_executions;
};

class BlockRunner {
 public:
  BlockRunner(Job& job, PatternTotals& totals);

  /// Runs one block of the grid. An error ends the whole replay. `brisk`: the block is likely to wait, so its
  /// warps get short turns.
  [[nodiscard]] std::optional<Error> run_block(std::uint64_t linear, bool brisk = false);
  // cluster.cpp
  void start_in_cluster(class Cluster& cluster, std::uint32_t rank, std::uint64_t linear);
  struct Blocked {
    bool progressed = false;  ///< A warp has exited or passed a barrier
    bool waits = false;       ///< All warps wait, or look at mbarriers in vain
  };
  /// Runs the block until it can do nothing but wait.
  [[nodiscard]] Result<Blocked> run_until_blocked();
  [[nodiscard]] bool has_ended() const { return live_warps_ == 0 || ended_; }
  void end_in_cluster();

  /// Returns whether the block was set aside: only another block can end its wait (standstill.cpp).
  [[nodiscard]] bool waits() const { return waiting_; }
  [[nodiscard]] std::uint64_t block() const { return linear_; }
  /// Returns the memory that a waiting block holds, in bytes.
  [[nodiscard]] std::uint64_t bytes_kept() const;
  /// Resumes a waiting block. `progressed`: the block or memory has changed.
  [[nodiscard]] std::optional<Error> resume_block(bool& progressed);
  /// Ends a block that waits forever, with a finding.
  void end_waiting(bool later_ones_begin);
  /// Ends the launch at its instruction limit, at this runner's place.
  void end_launch();
  /// Returns an error that says how far the launch came, and where it was.
  [[nodiscard]] Error cancelled_error() const;
  /// Adds all counts that are still pending to the totals.
  void finish();

  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::vector<std::uint64_t> tensor_executions;  ///< Executions by warps, indexed as Code::tensor
  Findings findings;
  std::map<std::uint32_t, AbsentRead>
      absent_reads;  ///< By PTX instruction: findings, if the value read matters
  Messages messages;
  std::map<std::uint32_t, std::uint64_t> polls;  ///< By PTX instruction, the header of a loop that waits
  std::vector<std::array<std::uint64_t, kPhaseColumns>> phases;
  EventLog event_log;
  class Watcher* watcher = nullptr;  ///< Observes watched instructions; null: there are none
  /// Notes what the warp, or another block of the cluster, does, where the block is observed.
  void note(SyncKind kind, std::uint32_t instruction, std::uint32_t warp, std::uint32_t object,
            std::uint64_t count, std::uint32_t rank_of_other = 0) const;

  class BlockObserver* block_observer = nullptr;          ///< Of details_of_block; else null
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
  void check_whole_warp(const Instr* i);
  [[nodiscard]] std::uint64_t address_in_words(Space space, std::uint64_t address) const;
  void report_awaited(std::uint32_t w);
  [[nodiscard]] std::uint32_t read_absent_lanes(const Instr* i, std::uint32_t readers, std::uint32_t mask,
                                                const std::uint32_t* source);
  /// `tried`: all lanes that executed the access; `lanes`: those at fault.
  void report_fault(const Instr* i, std::uint32_t site, Fault fault, std::uint32_t lanes, std::uint32_t tried,
                    const std::uint64_t* addresses);

  // copies.cpp
  void begin_copy(const Instr* i, const CopyRequest& request);
  void commit_copies();
  void wait_for_copies(const Instr* i);

  // async_proxy.cpp
  void fence_async_proxy();

  // warpgroup.cpp
  void read_warpgroup_matrix(const Instr& i, bool is_b, std::byte* to);
  void commit_products();
  void wait_for_products(const Instr* i);
  void check_wgmma_registers(const Instr& i, std::uint32_t lanes);

  // cluster.cpp
  void map_shared_address(const Instr& i);
  void rank_of_shared_address(const Instr& i);
  const Instr* access_in_cluster(const Instr* i);
  const Instr* access_asynchronously(const Instr* i);
  void replace_in_tensor_map(const Instr& i);
  void copy_tensor_map(const Instr& i);

  [[nodiscard]] BulkCopies& bulk_copies() { return bulk_copies_; }

  // mbarriers.cpp
  void run_mbarrier(const Instr* i);

  // block_watch.cpp; called before the access is made, and behind it
  void note_exposed(const Instr& i);
  void watch_exposed(const Instr& i);
  void finish_exposed(const Instr& i);
  [[nodiscard]] Handler handler_of_exposed(const Instr& i) const { return job_.block_watch->handler_of(i); }

 private:
  friend class BulkCopies;
  void record_texels(const Instr* i, const std::array<TexelTurn, 8>& turns);

  static constexpr std::uint32_t kBarriers = 16;
  static constexpr std::size_t kLogEntries = std::size_t{1} << 16;
  static constexpr std::size_t kShadowBitmaps = 10;
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
  [[nodiscard]] std::uint32_t value_in_cluster(ptx::SpecialRegister which) const;
  std::optional<Error> run_round(bool& ran);
  [[nodiscard]] BlockRunner* owner_of(std::uint64_t address);
  /// Reports an access to the shared memory of another block that has exited.
  void report_if_exited(std::uint32_t instruction, std::uint32_t lanes, const BlockRunner& owner);
  void point_to_memory_of(BlockRunner& other, std::uint32_t rank);
  std::optional<Error> run_rounds();
  std::optional<Error> run_turn(std::uint32_t w);
  void enter(std::uint32_t w);
  void leave(std::uint32_t w);
  std::optional<Error> on_yield(std::uint32_t w);

  // polls.cpp
  struct PolledLoop;
  const PolledLoop& polled_loop_at(const Instr& at);
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
  void plan_products();
  void make_log();

  // copies.cpp
  /// Enters the copies that are in flight into the log and the bitmaps of the turn that begins.
  void log_copies_in_flight();
  void log_copy(const PendingCopy& copy);
  template <class Lands>
  void land_copies(std::uint32_t w, const ptx::Instruction* waits, Lands lands);
  void land_all_copies(std::uint32_t w);  ///< When the warp has exited
  /// Adds the warp's copies to what it has written, for the comparison with other warps.
  void merge_copies();
  void report_second_copy(const Instr* i, const CopyRequest& request);
  void report_changed_source(std::uint32_t w, const PendingCopy& copy, std::uint32_t lanes,
                             const ptx::Instruction& waits);
  void report_access_in_flight(std::uint32_t w, const struct Logged& logged, std::uint32_t lanes,
                               const LaneWord::Touch& copy, std::uint32_t both);

  // async_proxy.cpp
  /// Reports that the async proxy reads what was stored without a fence; returns whether it does.
  bool check_proxy(const Instr& i, std::uint32_t lane, std::uint32_t pieces, const std::uint64_t* addresses);

  // bulk_copies.cpp
  /// Records an access of pieces of 16 bytes.
  void record_pieces(std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses);
  static void reduce_in_bulk(const BulkCopy& copy, ptx::Type type, bool flushes_subnormals, std::byte* at,
                             const std::byte* with, std::uint32_t bytes);
  /// Returns the bytes of a tensor map in shared or global memory; null, with a finding, if there are none.
  std::byte* tensor_map_at(const Instr& i, std::uint32_t lane, std::uint64_t address, ptx::StateSpace space);
  void report_bulk_copy(const Instr* i, std::uint32_t lane, const char* text);
  void report_bulk_copy(std::uint32_t instruction, std::uint32_t w, std::uint32_t lane, const char* text);
  [[nodiscard]] std::uint32_t phase_of(std::uint32_t w) const {
    return w == machine_.warp ? machine_.phase.number : warps_[w].phase;
  }

  /// Reads pieces of 16 bytes of shared memory, and reports and records up to 32 of them as one access.
  class PieceReader {
   public:
    PieceReader(BlockRunner& runner, const Instr& instr, std::uint32_t site, bool is_recorded)
        : runner_(runner), instr_(instr), site_(site), is_recorded_(is_recorded) {}
    void read(std::uint32_t address, std::byte* to);
    void finish();

   private:
    void find_races(std::uint32_t pieces);

    BlockRunner& runner_;
    const Instr& instr_;
    std::uint32_t site_;
    bool is_recorded_;
    std::uint64_t addresses_[kWarpSize] = {};
    std::uint32_t count_ = 0, outside_ = 0, in_flight_ = 0, unwritten_ = 0;
  };

  // mbarriers.cpp
  /// Subtracts bytes that a bulk copy has brought from those that the mbarrier's phase waits for.
  void complete_bytes(std::uint32_t instruction, std::uint32_t w, std::uint32_t lane, std::uint32_t mbarrier,
                      std::uint32_t bytes);
  struct UsedMbarrier;
  class MbarrierFindings;
  /// An mbarrier, in the shared memory of the block or another of its cluster.
  struct MbarrierPlace {
    BlockRunner* owner = nullptr;
    std::uint32_t address = 0;
  };
  [[nodiscard]] std::optional<MbarrierPlace> mbarrier_place(const Instr* i, std::uint32_t lane,
                                                            MbarrierFindings& faults);
  [[nodiscard]] UsedMbarrier* used_mbarrier(std::uint32_t address, std::uint32_t lane,
                                            MbarrierFindings& faults);
  void make_mbarrier(std::uint32_t address, std::uint64_t count, const ptx::Instruction& instruction,
                     std::uint32_t lane, MbarrierFindings& faults);
  void change_mbarrier(std::uint32_t address, UsedMbarrier& used, const ptx::Instruction& instruction,
                       std::uint32_t count, std::uint32_t lane, MbarrierFindings& faults);
  void arrive_after_copies(std::uint32_t address, UsedMbarrier& used, const Instr* i, std::uint32_t lane,
                           MbarrierFindings& faults);
  void keep_mbarrier(std::uint32_t address, UsedMbarrier& used, struct MbarrierObject object);
  void release_at_mbarrier(std::optional<std::uint32_t> w, std::uint32_t address);
  void acquire_at_mbarrier(std::uint32_t address);
  /// Makes the arrivals of a warp whose copies have landed.
  void make_arrivals(std::uint32_t w);
  /// Lands what is to land before arrivals at the mbarrier.
  void land_copies_before(std::uint32_t address, const ptx::Instruction& waits);
  /// The wait at an mbarrier that a warp loops around; nullopt: it is elsewhere.
  [[nodiscard]] std::optional<std::uint32_t> mbarrier_wait_of(const WarpState& warp);
  /// Lets the lanes on the other side of a branch run before those that wait, which may be waiting for them.
  void run_arriving_lanes_first(WarpState& warp);
  /// Whether the block's warps wait at mbarriers and barriers, and nothing else.
  [[nodiscard]] bool waits_at_mbarriers();

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
  void arrive_in_cluster(std::uint32_t w);
  void try_release_cluster();
  [[nodiscard]] bool has_arrived_in_cluster() const;
  void release_in_cluster();
  void order_warps_at(std::uint32_t id, bool everyone);
  void deliver(std::uint32_t w, const Barrier& barrier);
  void on_exit();
  void report_partial_barrier(std::uint32_t w, std::uint32_t missing);
  void report_deadlock();

  // races.cpp
  void end_interval(std::uint32_t w);
  void cut_interval(std::uint32_t w);
  void suppose_all_read();
  void start_interval_for_all();
  void forget_others();
  void find_racers(std::uint32_t w);

  // mbarrier_races.cpp
  void make_shared_races();
  /// Looks for races of what the running warp has accessed since the last call. Called before the warp
  /// synchronises with others.
  void check_shared_accesses();
  /// Reports the conflict of an access of 16 bytes by the async proxy; nullopt: there is none.
  void report_proxy_conflict(const SharedRaces::Place& place, std::uint32_t address,
                             const SharedRaces::Found& found);
  void report_shared_conflict(FoundAccess access, std::uint32_t lanes, const SharedRaces::Conflict& conflict);

  // wgmma_registers.cpp
  void report_wgmma_registers(std::uint32_t instruction, std::uint32_t lanes,
                              const WgmmaRegisters::Found& found);

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

  // block_watch.cpp
  [[nodiscard]] const Region* find_watched_region(std::uint64_t address, std::uint64_t bytes);
  template <class Visit>
  void for_each_watched(const Instr& i, Visit visit);
  void watch_exposed(const Instr& i, const Region& region, const GlobalLanes& lanes);
  /// The order of the block's warps; null: it is not looked for.
  [[nodiscard]] Order* order_of_warps();
  void acquire_unwatched(const Instr& i);
  void acquire_in_shared(const Instr& i);
  void release_in_shared(const Instr& i);
  [[nodiscard]] std::uint64_t shared_value(const GlobalLanes& lanes, std::uint32_t lane) const;
  void report_global_races(const Instr& i, const Region& region, const GlobalLanes& lanes,
                           const GlobalRaces::Conflicts& conflicts);
  void report_global_race(const Instr& i, const Region& region, const GlobalLanes& lanes,
                          const GlobalRaces::Conflict& conflict);

  [[nodiscard]] Finding make_finding(FindingKind kind, const ptx::Instruction& instruction, std::uint32_t w,
                                     std::uint32_t lanes) const;
  /// Returns a finding of two accesses, without its text.
  [[nodiscard]] Finding make_race(FindingKind kind, std::uint32_t w, std::uint32_t lanes, FoundAccess access,
                                  OtherAccess other) const;
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
  std::vector<tensor::MmaForm> products_;
  std::vector<const tensor::MmaPlan*> product_plans_;
  std::unique_ptr<IterationCounts> iteration_counts_;  ///< While an iteration is counted by itself
  /// What had been counted before a turn that begins with a loop that waits.
  struct Poll {
    explicit Poll(const Job& job) : options(job.options), totals(job.sites, options) {
      options.pattern_cost = nullptr;  // Patterns are needed, to be added to others
    }
    Options options;
    PatternTotals totals;  ///< Of the turn
    PatternTotals* before = nullptr;
    EventLog::Mark events;
    std::uint64_t warp_instructions = 0, thread_instructions = 0;
    std::vector<std::uint64_t> tensor_executions;
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
  std::vector<LaneWord> lane_words_;           ///< By element of shared memory, once they are needed
  std::uint32_t lane_walk_ = 0;                ///< LaneWord::walk of now
  std::unique_ptr<SharedRaces> shared_races_;  ///< Null where mbarriers order no warps
  AccessLogEntry* compared_until_ = nullptr;   ///< Of the log of the running warp, by check_shared_accesses()
  std::uint32_t copies_ = 0;                   ///< That the block has issued
  std::uint32_t warps_with_arrivals_ = 0;      ///< Those with WarpCopies::arrivals, a bit each
  bool has_copies_ = false;                    ///< In the running warp's turn some were in flight
  /// An mbarrier between its init and its inval.
  struct UsedMbarrier {
    std::uint64_t bits = 0;  ///< As the last operation left it
    std::uint32_t line = 0;  ///< Of the init
  };
  std::map<std::uint32_t, UsedMbarrier> mbarriers_;  ///< By address in shared memory
  /// A loop that waits for memory to change.
  struct PolledLoop {
    std::optional<std::uint32_t> mbarrier_wait;  ///< As mbarrier_wait_of_loop says
    std::uint32_t instructions = 0;              ///< As count_loop_instructions says
  };
  std::map<std::uint32_t, PolledLoop> polled_loops_;  ///< By header, of those looked at
  std::uint64_t phases_ended_ = 1;                    ///< Of mbarriers, and one
  bool polls_in_vain_ = false;                        ///< In this round, all turns were polls in vain
  std::vector<WarpState> warps_;
  std::map<std::uint32_t, WgmmaRegisters>
      wgmma_registers_;  ///< By warp; empty where there is nothing to check
  Barrier barriers_[kBarriers];
  /// The barrier of the cluster.
  struct ClusterBarrier {
    std::uint32_t here = 0;              ///< Warps whose lanes have all arrived, a bit each
    std::uint32_t phases = 0;            ///< That have ended
    std::vector<std::uint32_t> waiting;  ///< Warps
  } cluster_barrier_;
  BulkCopies bulk_copies_;
  std::unique_ptr<UnfencedStores> unfenced_;  ///< Null where nothing uses the async proxy
  class Cluster* cluster_ = nullptr;          ///< The block's; null where it runs by itself
  std::uint32_t rank_ = 0;                    ///< In it
  AlignedBytes remote_shadow_;  ///< Of accesses to other blocks' shared memory, which nothing is made of
  std::vector<AccessLogEntry> remote_log_;
  std::uint64_t linear_ = 0;
  Dim3 block_{0, 0, 0};
  GlobalRaces::Block as_raced_;             ///< The block
  GlobalLanes strong_lanes_;                ///< In shared memory, of the strong access that is being made
  const Region* watched_region_ = nullptr;  ///< Where the last exposed access fell
  std::uint32_t live_warps_ = 0;            ///< Those that have not exited, a bit each
  std::uint64_t block_instructions_ = 0;
  std::uint64_t reported_instructions_ = 0;  ///< Those already reported to the progress
  static constexpr std::uint64_t kReportedInstructions = std::uint64_t{1} << 20;
  /// Instructions of a warp's turn: after them it yields, because it may be waiting for other warps.
  static constexpr std::uint64_t kBriskTurn = std::uint64_t{1} << 9, kShortTurn = std::uint64_t{1} << 8;
  std::uint64_t turn_ = kBriskTurn, turn_of_block_ = kBriskTurn;
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
