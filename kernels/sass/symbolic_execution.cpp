#include "kernels/sass/symbolic_execution.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "kernels/base/block_classes.h"
#include "kernels/base/texts.h"
#include "kernels/sass/walk.h"
#include "kernels/sass/warp.h"

namespace warplens::sass {
namespace {

/// Workers take blocks in runs, and count each into a tally of its own.
class Crew {
 public:
  Crew(const Program& program, const Launch& launch, const std::atomic<bool>* cancelled)
      : program_(program),
        launch_(launch),
        cancelled_(cancelled),
        allowance_(launch.max_instructions, cancelled),
        blocks_(launch.blocks ? launch.blocks->size() : launch.grid.count()) {}

  void run() {
    const unsigned wanted =
        launch_.threads != 0 ? launch_.threads : std::max(1u, std::thread::hardware_concurrency());
    const auto host_threads =
        static_cast<unsigned>(std::min<std::uint64_t>(wanted, (blocks_ + kRun - 1) / kRun));
    for (unsigned i = 0; i < std::max(host_threads, 1u); ++i)
      tallies_.push_back(std::make_unique<Tally>(program_));
    std::vector<std::jthread> threads;  // Which are waited for, however this ends
    for (std::size_t i = 1; i < tallies_.size(); ++i)
      threads.emplace_back([this, i] { work_or_fail(*tallies_[i]); });
    work_or_fail(*tallies_.front());
    threads.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  [[nodiscard]] const std::optional<Stop>& stop() const { return stop_; }
  [[nodiscard]] bool spent() const { return allowance_.spent(); }
  [[nodiscard]] const std::vector<std::unique_ptr<Tally>>& tallies() const { return tallies_; }

 private:
  static constexpr std::uint64_t kRun = 4;

  /// Running out of memory ends all of them, and is passed on to whoever follows.
  void work_or_fail(Tally& tally) {
    try {
      work(tally);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      over_ = true;
      failure_ = std::current_exception();
    }
  }

  void work(Tally& tally) {
    const auto warp = std::make_unique<Warp>(program_, launch_, tally, allowance_);
    const auto warps = static_cast<std::uint32_t>((launch_.block.count() + kWarpSize - 1) / kWarpSize);
    for (std::uint64_t first = next_.fetch_add(kRun); first < blocks_ && !over_;
         first = next_.fetch_add(kRun)) {
      for (std::uint64_t block = first; block < std::min(first + kRun, blocks_); ++block) {
        const Dim3 index = launch_.blocks ? (*launch_.blocks)[block] : index_from_linear(launch_.grid, block);
        for (std::uint32_t i = 0; i < warps; ++i) {
          if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) over_ = true;
          if (over_) return;
          if (const auto stop = warp->run(index, i)) return stop_at(*stop);
        }
      }
    }
  }

  void stop_at(const Stop& stop) {
    const std::lock_guard lock(mutex_);
    over_ = true;
    if (!stop_ || stop.instruction < stop_->instruction) stop_ = stop;
  }

  const Program& program_;
  const Launch& launch_;
  const std::atomic<bool>* cancelled_;
  Allowance allowance_;
  std::uint64_t blocks_;
  std::vector<std::unique_ptr<Tally>> tallies_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::optional<Stop> stop_;
  std::exception_ptr failure_;
};

/// What has been counted so far, of one tally after the other.
class Sum {
 public:
  explicit Sum(const Program& program) : program_(program), executed_(program.function->instructions.size()) {
    canonical_.totals.resize(program.sites.size());
  }

  /// `moved`: by site, see AccessCounts; empty where it stands for itself alone.
  void add(const Tally& tally, std::uint64_t times,
           const std::vector<std::array<std::uint64_t, kPatternAlignment>>& moved) {
    for (std::size_t site = 0; site < program_.sites.size(); ++site) {
      if (moved.empty()) {
        tally.accesses[site].add_to(canonical_.totals[site], tally.shapes.shapes(), shapes_);
      } else {
        tally.accesses[site].add_to(canonical_.totals[site], tally.shapes.shapes(), shapes_, moved[site]);
      }
    }
    for (std::size_t block = 0; block < program_.blocks.size(); ++block) {
      for (std::uint32_t i = program_.blocks[block].first; i < program_.blocks[block].end; ++i)
        executed_[i] += times * tally.executed[block];
    }
  }

  [[nodiscard]] SymbolicExecution take() {
    canonical_.sites = program_.sites;
    canonical_.shapes = shapes_.take();
    canonicalise(canonical_);
    const auto is_made = [&](std::uint32_t site) { return canonical_.totals[site].requests > 0; };
    const bool tries_again = std::ranges::any_of(program_.tried_sites, is_made);
    // A generic access has a site for each space that it met; for global memory if it was not made.
    for (std::size_t i = program_.generic_sites.size(); i-- > 0;) {
      const std::uint32_t global = program_.generic_sites[i], shared = global + 1;
      const std::uint32_t unmet = !is_made(shared) ? shared : global;
      if (is_made(unmet)) continue;
      canonical_.sites.erase(canonical_.sites.begin() + unmet);
      canonical_.totals.erase(canonical_.totals.begin() + unmet);
    }
    return {.sites = std::move(canonical_.sites),
            .shapes = std::move(canonical_.shapes),
            .totals = std::move(canonical_.totals),
            .executed = std::move(executed_),
            .stored_unknown = false,
            .tries_again = tries_again};
  }

 private:
  const Program& program_;
  ShapeTable shapes_;
  Recording canonical_;
  std::vector<std::uint64_t> executed_;
};

/// The whole grid from a few of its blocks: those of which it follows from one what they do. nullopt where
/// hardly any do, or one cannot be followed.
std::optional<SymbolicExecution> execute_classes(const Program& program, const Launch& launch,
                                                 const std::atomic<bool>* cancelled) {
  constexpr std::size_t kAlwaysTried = 16;
  if (std::uint64_t{launch.grid.y} * launch.grid.z > UnsortedBlocks::kMaxRows) return std::nullopt;
  Allowance allowance(launch.max_instructions, cancelled);
  Moves moves(kFirstConstant + program.constants.size(), program.sites.size());
  Sum sum(program);
  UnsortedBlocks unsorted(launch.grid);
  const auto warps = static_cast<std::uint32_t>((launch.block.count() + kWarpSize - 1) / kWarpSize);
  std::uint64_t counted = 0, classes = 0;
  const std::vector<Axes> ways = ways_through(launch.grid);
  const auto execute_block = [&](Dim3 block, const Axes& axes, Tally& tally) {
    const auto warp = std::make_unique<Warp>(program, launch, tally, allowance, &moves);
    moves.begin_block(axes);
    for (std::uint32_t i = 0; i < warps; ++i) {
      if (warp->run(block, i)) return false;
    }
    return true;
  };
  while (const std::optional<Dim3> like = unsorted.first()) {
    if (++classes > kAlwaysTried && counted < 4 * classes) return std::nullopt;
    std::optional<Tally> tally;
    std::size_t way = 0;
    for (;; ++way) {
      if (!execute_block(*like, ways[way], tally.emplace(program))) return std::nullopt;
      if (!moves.stands_alone() || way + 1 == ways.size()) break;
    }
    const BlockClass alike = moves.stands_alone() ? unsorted.take_alone(*like)
                                                  : unsorted.take(*like, moves.bounds().all(), ways[way]);
    std::vector<std::array<std::uint64_t, kPatternAlignment>> moved;
    for (std::uint32_t site = 0; site < program.sites.size(); ++site)
      moved.push_back(alike.remainders(moves.of_site(site)));
    sum.add(*tally, alike.count(), moved);
    counted += alike.count();
  }
  return sum.take();
}

Error too_many(const Launch& launch) {
  return {tr("the machine code executes more than {most} warp instructions; fewer blocks can be followed",
             "most"_a = launch.max_instructions),
          "", ""};
}

Error cannot_execute(const Listing& listing, const Function& function, const Stop& stop) {
  const Instruction& instruction = function.instructions[stop.instruction];
  return {tr("`{instruction}` cannot be followed: {reason}", "instruction"_a = instruction.text,
             "reason"_a = tr(stop.why)),
          fmt::format("{} {} at {:#x}", listing.architecture, function.name, instruction.address), ""};
}

Result<SymbolicExecution> walk(const Listing& listing, const Function& function, const Program& program,
                               const Launch& launch, const std::atomic<bool>* cancelled) {
  Walk walk(program, launch, cancelled);
  walk.run();
  if (cancelled != nullptr && *cancelled) return Error{tr("stopped"), "", ""};
  if (walk.spent()) return too_many(launch);
  if (walk.stop()) return cannot_execute(listing, function, *walk.stop());
  Sum sum(program);
  sum.add(walk.tally(), 1, {});
  SymbolicExecution execution = sum.take();
  execution.stored_unknown = walk.stored_unknown();
  return execution;
}

}  // namespace

Result<SymbolicExecution> execute_symbolically(const Listing& listing, const Function& function,
                                               const Launch& launch, const std::atomic<bool>* cancelled,
                                               bool* needs_values) {
  const Program program = decode(function, setting_of(listing, function, launch));
  if (launch.memory) return walk(listing, function, program, launch, cancelled);
  if (!launch.blocks && launch.grid.count() > 1) {
    if (std::optional<SymbolicExecution> execution = execute_classes(program, launch, cancelled))
      return *std::move(execution);
  }
  if (launch.one_of_each_kind) return too_many(launch);
  Crew crew(program, launch, cancelled);
  crew.run();
  if (cancelled != nullptr && *cancelled) return Error{tr("stopped"), "", ""};
  if (crew.spent()) return too_many(launch);
  if (crew.stop()) {
    if (needs_values != nullptr) *needs_values = true;
    return cannot_execute(listing, function, *crew.stop());
  }
  Sum sum(program);
  for (const auto& tally : crew.tallies()) sum.add(*tally, 1, {});
  return sum.take();
}

}  // namespace warplens::sass
