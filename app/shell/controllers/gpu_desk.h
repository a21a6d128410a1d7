// The window's work on the GPU: asks the worker process, one task at a time and live launches between, and
// keeps what came of it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "app/views/gpu_model.h"
#include "app/worker/client_options.h"

namespace warplens::worker {
class Client;
struct Event;
}  // namespace warplens::worker

namespace warplens::app {

class GpuDesk {
 public:
  struct Outcomes {
    std::function<void(std::string title, Error error)> failed;
    std::function<void(std::string title, std::vector<std::byte> wlr, analysis::ComputeCapability cc)>
        recorded;
    std::function<void(const LaunchCounters& counters)> counted;
  };
  /// `model` is what views see of it.
  GpuDesk(worker::ClientOptions worker, GpuModel& model, Outcomes outcomes);
  ~GpuDesk();
  GpuDesk(const GpuDesk&) = delete;
  GpuDesk& operator=(const GpuDesk&) = delete;

  /// Starts the worker, which says what GPU there is. Once is enough.
  void start();
  /// Takes what the worker has sent; `now` is the meter's clock. Call every frame.
  void poll(double now);
  /// A task runs; live launches are none.
  [[nodiscard]] bool busy() const { return !task_.asked.empty(); }
  [[nodiscard]] bool known() const { return model_.driver.has_value(); }

  /// Makes a request one for a file's kernel; the launch has been worked out (`resolved`).
  static void describe_file(gpu::RunRequest& request, const LaunchRequest& launch);

  // Tasks. Not while busy.
  void run_once(gpu::RunRequest request);
  /// Reads the GPU's own counters of a launch.
  void count(const gpu::RunRequest& request);
  void measure_ladder(const gpu::RunRequest& at);
  void sweep(SweepOver over, const gpu::RunRequest& request);
  /// For the playground: one run, beside what was run otherwise.
  void try_out(const gpu::RunRequest& request);
  void record(const LaunchRequest& request);
  void cancel();

  /// Launches again and again, what the request says; a task's launches come first. nullopt: no more.
  void set_live(std::optional<gpu::RunRequest> request);

 private:
  enum class Kind : unsigned char { run, ladder, sweep, trial, record, count };
  struct Task {
    Kind kind = Kind::run;
    std::string title;
    std::map<std::uint64_t, std::size_t> asked;  ///< Requests without an answer, and their place in the task
    std::size_t answered = 0;
    analysis::ComputeCapability cc;  ///< Whose rules give a recording's costs
  };

  void begin(Kind kind, std::string title, const std::vector<gpu::RunRequest>& requests);
  void take(worker::Event& event, double now);
  void take_progress(const worker::Event& event);
  void take_answer(worker::Event& event);
  void take_result(std::size_t place, worker::Event& event);
  void take_live(const worker::Event& event, double now);
  void go_on_live();
  void forget_old(double now);
  void fail(std::string title, Error error) const { outcomes_.failed(std::move(title), std::move(error)); }

  worker::ClientOptions options_;
  GpuModel& model_;
  Outcomes outcomes_;
  std::unique_ptr<worker::Client> client_;
  Task task_;
  std::optional<gpu::RunRequest> live_wanted_, live_running_;
  std::uint64_t live_id_ = 0;  ///< 0: none is asked for
};

}  // namespace warplens::app
