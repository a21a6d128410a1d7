// What the window does on the GPU: single runs, counters, live launches, measurements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "app/shell/controllers/gpu_desk.h"
#include "app/shell/shell_context.h"

namespace warplens::app {

class EditingController;
class RecordingController;

class GpuController {
 public:
  GpuController(const ShellContext& shell, RecordingController& recordings, const EditingController& editing);

  // Once a frame, in this order.
  void take_finished_work();
  /// `settled`: the processor is free, so that the worker may start.
  void follow_row(bool settled);
  /// Does what views asked for in this frame.
  void do_wishes();

  void run_once();
  /// Reads the counters of the launch on screen.
  void count();
  void toggle_live();
  void measure_ladder();
  void sweep(SweepOver over);
  void record(const LaunchRequest& request) { desk_.record(request); }
  void cancel() { desk_.cancel(); }

  [[nodiscard]] bool busy() const { return desk_.busy(); }
  [[nodiscard]] std::span<const gpu::Gpu> gpus() const;  ///< Empty: none, or not known yet
  /// The latest run, if it is of what the row says and later than the recording on screen; else null.
  [[nodiscard]] const gpu::RunResult* latest_run() const;
  [[nodiscard]] GpuWishes& wishes() { return wishes_; }

 private:
  [[nodiscard]] Result<gpu::RunRequest> request_of_row() const;
  [[nodiscard]] bool is_of_row(const gpu::RunResult& run) const;
  void follow_live();

  ShellContext shell_;
  RecordingController& recordings_;
  const EditingController& editing_;
  LaunchMenus run_menus_, live_menus_;        ///< When a run was asked for, and what is launched live
  std::shared_ptr<const Recording> counted_;  ///< Of which the counters are asked for, or were last
  std::uint64_t runs_noted_ = 0;              ///< GpuModel::runs_made when the recordings were last told
  GpuWishes wishes_;
  GpuDesk desk_;
};

}  // namespace warplens::app
