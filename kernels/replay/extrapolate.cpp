#include "kernels/replay/extrapolate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <map>
#include <new>
#include <numeric>
#include <set>
#include <utility>

#include "kernels/base/block_classes.h"
#include "kernels/base/texts.h"
#include "kernels/base/zero_pages.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/block/team.h"
#include "kernels/replay/decode/tensor_totals.h"
#include "kernels/replay/extrapolate/exposed.h"
#include "kernels/replay/extrapolate/loop_extrapolation.h"
#include "kernels/replay/extrapolate/slice.h"
#include "kernels/replay/extrapolate/watcher.h"
#include "kernels/replay/outline.h"
#include "kernels/replay/races/block_watch.h"

namespace warplens::replay {
namespace {

const Instr* watch(Machine& m, const Instr* i) {
  Watcher& watcher = *m.runner->watcher;
  LoopExtrapolation& loop_extrapolation = *m.runner->loop_extrapolation;
  watcher.see(m, *i);
  if (Watcher* const of_iteration = loop_extrapolation.watcher()) of_iteration->see(m, *i);
  const Instr* const next = watcher.handler_of(*i)(m, i);
  if (next == nullptr || !loop_extrapolation.stops(m, *i, *next)) return next;
  m.ended.why = Stop::iteration_end;
  m.ended.resume = next;
  return nullptr;
}

std::string place(const ptx::Instruction& instruction) {
  return instruction.location.outer_line != 0 ? fmt::format("line {}", instruction.location.outer_line)
                                              : fmt::format("line {} of the PTX", instruction.ptx_line);
}

std::string in_words(const Program::Code& code, const Obstacle& obstacle) {
  if (obstacle.kind == Obstacle::Kind::size) return "the kernel is too large";
  const ptx::Instruction& at = code.function.instructions[obstacle.instruction];
  const char* what = obstacle.kind == Obstacle::Kind::address ? "an address" : "the way through the code";
  if (!obstacle.cause || *obstacle.cause == obstacle.instruction) {
    return fmt::format("{}: {} of `{}` depends on the block in more than a shift", place(at), what, at.text);
  }
  const ptx::Instruction& cause = code.function.instructions[*obstacle.cause];
  return fmt::format("{}: {} depends on `{}` ({})", place(at), what, cause.text, place(cause));
}

/// Runs one block of each equivalence class and adds up the counts of all blocks.
class GridExtrapolator {
 public:
  GridExtrapolator(const Program::Code& code, const Launch& launch, const Memory& memory,
                   const Options& options, const Outline& outline, const std::vector<std::byte>& parameters)
      : code_(code),
        launch_(launch),
        options_(options),
        outline_(outline),
        parameters_(parameters),
        buffers_(memory.buffers()),
        zeros_(buffers_.empty() ? 1 : buffers_.back().base + buffers_.back().bytes - buffers_.front().base),
        module_bytes_(code.global.pages(launch.variables)),
        totals_(code.sites, options) {
    for (const Buffer& buffer : buffers_)
      contents_.push_back(zeros_.data() + (buffer.base - buffers_.front().base));
  }

  /// Returns the obstacle in words; empty: none.
  Result<std::string> run() {
    if (std::uint64_t{launch_.grid.y} * launch_.grid.z > UnsortedBlocks::kMaxRows)
      return std::string("the grid has too many rows of blocks");
    if (options_.progress != nullptr) options_.progress->begin(launch_.grid.count());
    const Dim3 middle{launch_.grid.x / 2, launch_.grid.y / 2, launch_.grid.z / 2};
    std::string obstacle;
    for (ways_ = ways_through(launch_.grid); !ways_.empty(); ways_.erase(ways_.begin())) {
      Result<std::string> in_the_way = find_shifts(middle);
      if (!in_the_way.ok()) return in_the_way;
      if (in_the_way->empty()) {
        std::erase_if(ways_, [all = ways_.front()](const Axes& axes) { return !axes.within(all); });
        return sort_blocks(middle);
      }
      if (obstacle.empty()) obstacle = std::move(*in_the_way);
    }
    return obstacle;
  }

  /// Returns the blocks that were run, and those whose events are recorded.
  [[nodiscard]] std::vector<Dim3> run_blocks() const {
    std::set<std::uint64_t> run = likes_;
    run.insert(outline_.event_blocks.begin(), outline_.event_blocks.end());
    std::vector<Dim3> blocks;
    for (const std::uint64_t linear : run) blocks.push_back(index_from_linear(launch_.grid, linear));
    return blocks;
  }

  [[nodiscard]] std::uint64_t iterations_skipped() const {
    return std::accumulate(
        watched_.begin(), watched_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const auto& watched) { return sum + watched->iterations_skipped; });
  }

  [[nodiscard]] std::vector<BlockClass> take_classes() { return std::move(classes_); }

  [[nodiscard]] std::vector<Shift> shifts_of(const std::vector<Site>& sites) const {
    std::vector<Shift> shifts;
    for (const Site& site : sites) shifts.push_back(shifts_.of_site(site));
    return shifts;
  }

  Result<Recording> finish(const Memory& memory) {
    Recording recording = describe_launch(code_, launch_, memory, outline_, options_);
    totals_.finish(recording);
    if (auto error = record_events(recording)) return std::move(*error);
    set_phases(recording, phases_);
    set_waiting_loops(recording, code_, polls_);
    recording.findings = findings_.take();
    recording.warp_instructions = warp_instructions_;
    recording.thread_instructions = thread_instructions_;
    add_tensor_executions(recording, tensor_executions_);
    recording.blocks_extrapolated = recording.blocks_counted - run_blocks().size();
    drop_unexecuted(recording, code_.generic_site);
    canonicalise(recording);
    return recording;
  }

 private:
  static constexpr std::size_t kAlwaysTried = 32;
  static constexpr int kAttempts = 4;

  /// A block that has run, and its counts.
  struct Ran {
    Ran(Job& job, const Options& options) : totals(job.code.sites, options), runner(job, totals) {}
    PatternTotals totals;
    BlockRunner runner;
  };

  /// Runs blocks of the sliced program with a watcher.
  struct Watched {
    Watched(GridExtrapolator& extrapolator, BlockShifts of_axes)
        : shifts(std::move(of_axes)),
          loop_extrapolation(extrapolator.code_, extrapolator.launch_, extrapolator.parameters_,
                             exposed_accesses(extrapolator.code_, extrapolator.launch_),
                             extrapolator.options_.progress),
          code(slice(extrapolator.code_, instructions_of(shifts.watches, loop_extrapolation.watched()),
                     watch)),
          places(code, extrapolator.launch_, BlockWatch::For::places),
          options(extrapolator.options_),
          job{.code = places.code(),
              .launch = extrapolator.launch_,
              .options = options,
              .sites = code.sites,
              .regions = {},
              .region_names = {},
              .parameters = extrapolator.parameters_,
              .constants = {},
              .event_blocks = {}},
          watcher(shifts.watches, handlers_of(extrapolator.code_)) {
      options.pattern_cost = nullptr;  // Patterns are needed, to be moved
      set_up(job, extrapolator.outline_, extrapolator.buffers_, extrapolator.contents_,
             extrapolator.module_bytes_);
      job.event_blocks.clear();
      places.begin(job, 1);
    }

    std::optional<Error> run(BlockRunner& runner, Dim3 block, bool whole) {
      runner.watcher = &watcher;
      runner.loop_extrapolation = &loop_extrapolation;
      watcher.begin_block();
      loop_extrapolation.begin_block(!whole);
      places.begin_block();
      if (auto error = runner.run_block(linear_index(job.launch.grid, block))) {
        keep_findings(runner.findings, code, options.progress);
        return error;
      }
      if (runner.waits()) runner.end_waiting(true);
      runner.finish();
      return std::nullopt;
    }

    Result<std::vector<std::uint32_t>> mispredicted_instructions(Dim3 block) {
      if (std::ranges::none_of(watcher.watches(), [](const Watch& one) {
            return one.kind >= Watch::Kind::extreme && one.kind <= Watch::Kind::selection;
          })) {
        return std::vector<std::uint32_t>{};
      }
      const Result<std::unique_ptr<Ran>> ran = run(block);
      if (!ran.ok()) return ran.error();
      return watcher.mispredicted_instructions();
    }

    /// Runs a block; once more without loop extrapolation where it may have findings, which need each
    /// iteration.
    Result<std::unique_ptr<Ran>> run(Dim3 block) {
      auto ran = std::make_unique<Ran>(job, options);
      auto error = run(ran->runner, block, false);
      const bool cancelled = options.progress != nullptr && options.progress->cancel;
      if (loop_extrapolation.have_stopped() && !cancelled && (error || ran->runner.may_have_findings())) {
        ran = std::make_unique<Ran>(job, options);
        error = run(ran->runner, block, true);
      }
      if (error) return std::move(*error);
      iterations_skipped += loop_extrapolation.skipped();
      return ran;
    }

    BlockShifts shifts;
    LoopExtrapolation loop_extrapolation;
    std::uint64_t iterations_skipped = 0;
    Program::Code code;
    BlockWatch places;
    Options options;
    Job job;
    Watcher watcher;
  };

  static std::vector<std::uint32_t> instructions_of(const std::vector<Watch>& watches,
                                                    const std::vector<std::uint32_t>& and_these) {
    std::set<std::uint32_t> instructions(and_these.begin(), and_these.end());
    for (const Watch& one : watches) instructions.insert(one.instruction);
    return {instructions.begin(), instructions.end()};
  }

  /// Finds the shifts along the first choice of axes, and which operands of min, max and selp are taken.
  /// Returns the obstacle in words; empty: none.
  Result<std::string> find_shifts(Dim3 middle) {
    if (code_.uses_cluster && outline_.cluster.count() > 1)
      return std::string("blocks of a cluster run together");
    takes_second_.assign(code_.function.instructions.size(), false);
    // Clamped values take the same side all over the interior of the grid; a block of the middle shows which.
    for (int attempt = 0;; ++attempt) {
      shifts_ =
          find_block_shifts(code_, launch_, parameters_, takes_second_, ways_.front(), options_.progress);
      if (shifts_.obstacle && shifts_.obstacle->kind == Obstacle::Kind::cancelled)
        return Error{tr("cancelled"), "", ""};
      if (shifts_.obstacle) return in_words(code_, *shifts_.obstacle);
      watched_.clear();
      const Result<std::vector<std::uint32_t>> wrong = watched(0).mispredicted_instructions(middle);
      if (!wrong.ok()) return wrong.error();
      if (wrong->empty() || attempt == kAttempts) return std::string();
      for (const std::uint32_t instruction : *wrong) takes_second_[instruction] = !takes_second_[instruction];
    }
  }

  /// Returns the watched program for blocks that are compared along that choice of axes.
  Watched& watched(std::size_t way) {
    for (std::size_t next = watched_.size(); next <= way; ++next) {
      watched_.push_back(std::make_unique<Watched>(
          *this, next == 0 ? shifts_
                           : find_block_shifts(code_, launch_, parameters_, takes_second_, ways_[next],
                                               options_.progress)));
    }
    return *watched_[way];
  }

  Result<std::string> sort_blocks(Dim3 middle) {
    UnsortedBlocks unsorted(launch_.grid);
    std::uint64_t counted = 0;
    for (std::optional<Dim3> next = middle; next; next = unsorted.first()) {
      if (likes_.size() >= kAlwaysTried && counted < 4 * likes_.size())
        return std::string("hardly two blocks behave alike");
      Result<std::string> obstacle = run_class(*next, unsorted, counted);
      if (!obstacle.ok() || !obstacle->empty()) return obstacle;
    }
    return std::string(blocks_meet(watched(0)) ? "blocks store to one place, or load what others store" : "");
  }

  /// Calls `visit` with each block's footprint, and with a function that says by how much a shift has moved
  /// it.
  template <class Visit>
  void for_each_block(Visit visit) const {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const Dim3 like = classes_[c].like;
      for (const BlockRun& run : classes_[c].runs) {
        for (std::int64_t x = run.first; x < run.end; ++x) {
          visit(footprints_[c], [&](const Shift& shift) {
            return shift.x * (x - like.x) + shift.y * (std::int64_t{run.y} - like.y) +
                   shift.z * (std::int64_t{run.z} - like.z);
          });
        }
      }
    }
  }

  /// Calls visit(region, address, bytes) for what the blocks of a row touch, each of `touched` moved by
  /// `shift`, until it returns false. Where the next block's lies right behind it, all of the row at once.
  template <class Visit>
  static bool for_each_of_row(const BlockRun& row, Dim3 like, const Shift& shift,
                              const std::vector<Footprint::Run>& touched, Visit visit) {
    const std::int64_t by = shift.x * (std::int64_t{row.first} - like.x) +
                            shift.y * (std::int64_t{row.y} - like.y) +
                            shift.z * (std::int64_t{row.z} - like.z);
    const std::uint64_t blocks = row.end - row.first;
    const auto step = static_cast<std::uint64_t>(shift.x);
    for (const Footprint::Run& run : touched) {
      const std::uint64_t address = run.address + static_cast<std::uint64_t>(by);
      const std::uint64_t together = step == run.bytes ? blocks : 1;
      for (std::uint64_t k = 0; k < blocks; k += together) {
        if (!visit(*run.region, address + k * step, together * run.bytes)) return false;
      }
    }
    return true;
  }

  /// Calls visit(by_atomics, region, address, bytes) for all that blocks store to and change by atomics,
  /// until it returns false.
  template <class Visit>
  void for_each_change(Visit visit) const {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      for (const auto& [shift, part] : footprints_[c]) {
        for (const BlockRun& row : classes_[c].runs) {
          for (const auto* const touched : {&part.stored, &part.added}) {
            const bool by_atomics = touched == &part.added;
            const bool goes_on =
                for_each_of_row(row, classes_[c].like, shift, *touched,
                                [&](const Region& region, std::uint64_t address, std::uint64_t bytes) {
                                  return visit(by_atomics, region, address, bytes);
                                });
            if (!goes_on) return;
          }
        }
      }
    }
  }

  /// Whether two blocks store to one place, where they do nothing but store, and few pieces are all of it;
  /// nullopt: there is more to look at.
  [[nodiscard]] std::optional<bool> stores_meet() const {
    constexpr std::size_t kMaxPieces =
        std::size_t{1} << 15;  ///< To sort more of them takes longer than a bit for each element
    struct Piece {
      std::uint64_t address = 0, end = 0;
    };
    std::vector<Piece> pieces;
    for (const auto& footprint : footprints_) {
      for (const auto& [shift, part] : footprint) {
        if (!part.added.empty() || !part.loaded.empty()) return std::nullopt;
      }
    }
    for_each_change([&](bool, const Region&, std::uint64_t address, std::uint64_t bytes) {
      pieces.push_back({address, address + bytes});
      return pieces.size() < kMaxPieces;
    });
    if (pieces.size() >= kMaxPieces) return std::nullopt;
    std::ranges::sort(pieces, {}, &Piece::address);
    return std::ranges::adjacent_find(
               pieces, [](const Piece& a, const Piece& b) { return b.address < a.end; }) != pieces.end();
  }

  /// Whether two blocks store to one place, or one loads what another one stores: then what they do may
  /// depend on their order.
  [[nodiscard]] bool blocks_meet(const Watched& watched) const {
    if (const std::optional<bool> met = stores_meet()) return *met;
    const std::unique_ptr<StoredOnce> stored = watched.places.stored_once(watched.job, 1);
    bool any_loads = false, met = false;
    for (const auto& footprint : footprints_) {
      any_loads |=
          std::ranges::any_of(footprint, [](const auto& part) { return !part.second.loaded.empty(); });
    }
    for_each_change([&](bool by_atomics, const Region& region, std::uint64_t at, std::uint64_t bytes) {
      if (by_atomics) {
        stored->add_atomically(region, at, bytes);
      } else {
        stored->store(region, at, bytes);
      }
      return true;
    });
    if (stored->met() || !any_loads) return stored->met();
    const auto for_each = [](const std::vector<Footprint::Run>& runs, std::int64_t by, auto&& visit) {
      for (const Footprint::Run& run : runs)
        visit(*run.region, run.address + static_cast<std::uint64_t>(by), run.bytes);
    };
    for_each_block(
        [&](const auto& footprint, auto&& distance) {  // Each against what all the others have stored
          for (const auto& [shift, part] : footprint) {
            for_each(part.stored, distance(shift),
                     [&](const Region& region, std::uint64_t at, std::uint64_t bytes) {
                       stored->forget_store(region, at, bytes);
                     });
          }
          for (const auto& [shift, part] : footprint) {
            for_each(part.loaded, distance(shift),
                     [&](const Region& region, std::uint64_t at, std::uint64_t bytes) {
                       met |= stored->is_stored(region, at, bytes) || stored->is_added_to(region, at, bytes);
                     });
          }
          for (const auto& [shift, part] : footprint) {
            for_each(part.stored, distance(shift),
                     [&](const Region& region, std::uint64_t at, std::uint64_t bytes) {
                       stored->store(region, at, bytes);
                     });
          }
        });
    return met;
  }

  Result<std::string> run_class(Dim3 like, UnsortedBlocks& unsorted, std::uint64_t& counted) {
    for (std::size_t way = 0;; ++way) {
      Watched& by = watched(way);
      const Result<std::unique_ptr<Ran>> ran = by.run(like);
      if (!ran.ok()) return ran.error();
      BlockRunner& runner = (*ran)->runner;
      if (by.watcher.needs_values() || runner.compared_values())
        return std::string("lanes store to one place, so what they store matters");
      if (by.places.warps_met()) return std::string("warps store to one place, or load what others store");
      Recording one;
      (*ran)->totals.finish(one);
      const bool alone = by.watcher.stands_alone() || shifts_elsewhere(by.shifts, one);
      if (alone && way + 1 < ways_.size()) continue;
      const BlockClass alike =
          alone ? unsorted.take_alone(like) : unsorted.take(like, by.watcher.bounds(), ways_[way]);
      likes_.insert(linear_index(launch_.grid, like));
      auto footprint = by.places.footprint().parts(shifts_.of_access);
      if (const auto error = add_findings(by, alike, runner.findings)) return *error;
      add(alike, one, runner);
      classes_.push_back(alike);
      footprints_.push_back(std::move(footprint));
      counted += alike.count();
      if (options_.progress != nullptr) {
        if (options_.progress->cancel) return Error{tr("cancelled"), "", ""};
        options_.progress->blocks_done = counted;
      }
      return std::string();
    }
  }

  /// Reports each finding for the first block that has it.
  std::optional<Error> add_findings(Watched& watched, const BlockClass& alike, Findings findings) {
    std::vector<Finding> found = findings.take();
    const Dim3 first{alike.runs.front().first, alike.runs.front().y, alike.runs.front().z};
    if (!found.empty() && first != alike.like) {
      const Result<std::unique_ptr<Ran>> ran = watched.run(first);
      if (!ran.ok()) return ran.error();
      likes_.insert(linear_index(launch_.grid, first));
      found = (*ran)->runner.findings.take();
    }
    for (Finding& finding : found) {
      finding.count *= alike.count();
      findings_.add(linear_index(launch_.grid, first), std::move(finding));
    }
    return std::nullopt;
  }

  /// Returns whether an address that shifts with the block falls into memory that each block has for itself.
  [[nodiscard]] bool shifts_elsewhere(const BlockShifts& shifts, const Recording& one) const {
    for (std::size_t s = 0; s < code_.sites.size(); ++s) {
      const bool moves = shifts.of_site(code_.sites[s]).any();
      if (moves && code_.sites[s].space != Space::global && one.totals[s].requests != 0) return true;
    }
    return false;
  }

  void add(const BlockClass& alike, const Recording& one, const BlockRunner& runner) {
    const std::uint64_t times = alike.count();
    std::map<Shift, PatternTotals::Moved> remainders;
    totals_.add_moved(one, times, [&](std::uint32_t site) {
      const Shift shift = shifts_.of_site(code_.sites[site]);
      const auto [moved, is_new] = remainders.try_emplace(shift);
      if (is_new) moved->second = alike.remainders(shift);
      return moved->second;
    });
    add_phases(runner, times, phases_);
    for (const auto& [header, count] : runner.polls) polls_[header] += times * count;
    warp_instructions_ += times * runner.warp_instructions;
    thread_instructions_ += times * runner.thread_instructions;
    tensor_executions_.resize(runner.tensor_executions.size());
    for (std::size_t k = 0; k < tensor_executions_.size(); ++k)
      tensor_executions_[k] += times * runner.tensor_executions[k];
  }

  /// Runs the blocks whose events are recorded, each of them.
  std::optional<Error> record_events(Recording& recording) {
    if (outline_.event_blocks.empty()) return std::nullopt;
    if (options_.progress != nullptr) options_.progress->begin(outline_.event_blocks.size());
    const Program::Code sliced = slice(code_, {}, nullptr);
    Job job{.code = sliced,
            .launch = launch_,
            .options = options_,
            .sites = code_.sites,
            .regions = {},
            .region_names = {},
            .parameters = parameters_,
            .constants = {},
            .event_blocks = {}};
    set_up(job, outline_, buffers_, contents_, module_bytes_);
    PatternTotals totals(code_.sites, options_);
    Team team(job, totals, outline_.event_blocks.size(), &outline_.event_blocks,
              count_threads(options_, outline_.event_blocks.size()));
    if (auto error = team.run()) return error;
    return gather_events_of(team, job, recording);
  }

  const Program::Code& code_;
  const Launch& launch_;
  const Options& options_;
  const Outline& outline_;
  const std::vector<std::byte>& parameters_;
  std::vector<Axes>
      ways_;  ///< Along all of the first's; blocks that stand alone there are compared along the next ones'
  std::vector<bool> takes_second_;  ///< As find_block_shifts wants it
  BlockShifts shifts_;  ///< Along the axes of the first way: those of the others are its components
  std::vector<std::unique_ptr<Watched>> watched_;  ///< By way, as far as they were needed
  const std::vector<Buffer>& buffers_;
  ZeroPages zeros_;  ///< In place of the buffers: what is loaded means nothing
  std::vector<std::byte*> contents_;
  ZeroPages module_bytes_;

  PatternTotals totals_;
  std::vector<PhaseRow> phases_;
  Polls polls_;
  Findings findings_;
  std::set<std::uint64_t> likes_;  ///< Blocks run, each for its class
  std::vector<BlockClass> classes_;
  std::vector<std::map<Shift, Footprint::Part>> footprints_;  ///< By class: of its block `like`
  std::uint64_t warp_instructions_ = 0, thread_instructions_ = 0;
  std::vector<std::uint64_t> tensor_executions_;  ///< Indexed as Code::tensor
};

Result<Extrapolation> extrapolate_launch(const Program& program, const Launch& launch, const Memory& memory,
                                         const Options& options) {
  const auto started = std::chrono::steady_clock::now();
  const Program::Code& code = program.code();
  const Result<Outline> outlined = outline(code, launch, options);
  if (!outlined.ok()) return outlined.error();
  std::vector<std::byte> parameters;
  if (auto error = pass_arguments(code, launch, memory.bases(), parameters)) return std::move(*error);
  GridExtrapolator extrapolator(code, launch, memory, options, *outlined, parameters);
  const Result<std::string> obstacle = extrapolator.run();
  if (!obstacle.ok()) return obstacle.error();
  if (!obstacle->empty())
    return Extrapolation{.recording = std::nullopt,
                         .run = {},
                         .classes = {},
                         .iterations_skipped = 0,
                         .shifts = {},
                         .obstacle = *obstacle};
  Result<Recording> recording = extrapolator.finish(memory);
  if (!recording.ok()) return recording.error();
  recording->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  Extrapolation extrapolation{.recording = std::move(*recording),
                              .run = extrapolator.run_blocks(),
                              .classes = extrapolator.take_classes(),
                              .obstacle = {}};
  extrapolation.iterations_skipped = extrapolator.iterations_skipped();
  extrapolation.shifts = extrapolator.shifts_of(extrapolation.recording->sites);
  return extrapolation;
}

}  // namespace

Result<Extrapolation> extrapolate(const Program& program, const Launch& launch, const Memory& memory,
                                  const Options& options) {
  assert(!options.replay_blocks);
  try {
    return extrapolate_launch(program, launch, memory, options);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace warplens::replay
