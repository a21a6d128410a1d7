#include "kernels/sass/follow.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "kernels/base/texts.h"
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
    const unsigned wanted = launch_.threads != 0 ? launch_.threads : std::max(1u, std::thread::hardware_concurrency());
    const auto host_threads = static_cast<unsigned>(std::min<std::uint64_t>(wanted, (blocks_ + kRun - 1) / kRun));
    for (unsigned i = 0; i < std::max(host_threads, 1u); ++i) tallies_.push_back(std::make_unique<Tally>(program_));
    std::vector<std::jthread> threads;  // Which are waited for, however this ends
    for (std::size_t i = 1; i < tallies_.size(); ++i) threads.emplace_back([this, i] { work_or_fail(*tallies_[i]); });
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
    for (std::uint64_t first = next_.fetch_add(kRun); first < blocks_ && !over_; first = next_.fetch_add(kRun)) {
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

Followed add_up(Program& program, const std::vector<std::unique_ptr<Tally>>& tallies) {
  ShapeTable shapes;
  Recording canonical;
  canonical.totals.resize(program.sites.size());
  Followed followed;
  followed.executed.resize(program.function->instructions.size());
  for (const auto& tally : tallies) {
    for (std::size_t site = 0; site < program.sites.size(); ++site) {
      tally->accesses[site].add_to(canonical.totals[site], tally->shapes.shapes(), shapes);
    }
    for (std::size_t block = 0; block < program.blocks.size(); ++block) {
      for (std::uint32_t i = program.blocks[block].first; i < program.blocks[block].end; ++i) followed.executed[i] += tally->executed[block];
    }
  }
  canonical.sites = std::move(program.sites);
  canonical.shapes = shapes.take();
  canonicalise(canonical);
  followed.sites = std::move(canonical.sites);
  followed.shapes = std::move(canonical.shapes);
  followed.totals = std::move(canonical.totals);
  return followed;
}

}  // namespace

Result<Followed> follow(const Listing& listing, const Function& function, const Launch& launch, const std::atomic<bool>* cancelled) {
  Program program = decode(function, listing.architecture, launch);
  Crew crew(program, launch, cancelled);
  crew.run();
  if (cancelled != nullptr && *cancelled) return Error{tr("stopped"), "", ""};
  if (crew.spent()) {
    return Error{tr("the machine code executes more than {most} warp instructions; fewer blocks can be followed", "most"_a = launch.max_instructions),
                 "", ""};
  }
  if (crew.stop()) {
    const Instruction& instruction = function.instructions[crew.stop()->instruction];
    return Error{tr("`{instruction}` cannot be followed: {reason}", "instruction"_a = instruction.text, "reason"_a = tr(crew.stop()->why)),
                 fmt::format("{} {} at {:#x}", listing.architecture, function.name, instruction.address), ""};
  }
  return add_up(program, crew.tallies());
}

}  // namespace warplens::sass
