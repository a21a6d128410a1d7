#include "app/shell/controllers/gpu_controller.h"
#include "app/launch/resolve.h"

#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "app/kernel_file/kernel_file.h"
#include "app/session/counter_check.h"
#include "app/shell/controllers/editing_controller.h"
#include "app/shell/controllers/recording_controller.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

worker::ClientOptions options_of_worker(const ShellContext& shell) {
  worker::ClientOptions worker = shell.options.worker;
  worker.watchdog = std::chrono::milliseconds(std::llround(shell.settings.watchdog_seconds * 1000));
  worker.wake = shell.options.wake;
  return worker;
}

}  // namespace

GpuController::GpuController(const ShellContext& shell, RecordingController& recordings,
                             const EditingController& editing)
    : shell_(shell),
      recordings_(recordings),
      editing_(editing),
      desk_(options_of_worker(shell), shell.model.gpu,
            {.failed =
                 [this](const std::string& title, const Error& error) {
                   if (!recordings_.work().busy()) recordings_.end_recording(error);
                   shell_.messages.add(title, error);
                 },
             .recorded =
                 [this](std::string title, std::vector<std::byte> wlr, analysis::ComputeCapability cc) {
                   recordings_.take_fetched(std::move(title), std::move(wlr), cc);
                 },
             .counted =
                 [this](const LaunchCounters& counters) {
                   const auto& loaded = recordings_.loaded();
                   if (loaded && loaded->recording == counted_)
                     recordings_.recordings().replace_current(with_hardware(*loaded, counters));
                 }}) {}

void GpuController::take_finished_work() {
  desk_.poll(shell_.now());
  if (!shell_.model.gpu.usable()) shell_.menus.launch.engine = Engine::cpu;
}

void GpuController::follow_row(bool settled) {
  if (settled) desk_.start();  // Not before: the first picture has the whole machine
  follow_live();
  if (std::exchange(runs_noted_, shell_.model.gpu.runs_made) != shell_.model.gpu.runs_made)
    recordings_.recordings().note_run(*shell_.model.gpu.last_run);
}

void GpuController::do_wishes() {
  const GpuWishes wishes = std::exchange(wishes_, {});
  if (wishes.cancel) desk_.cancel();
  if (desk_.busy()) return;
  if (wishes.measure_ladder) measure_ladder();
  if (wishes.sweep) sweep(*wishes.sweep);
  if (wishes.trial && !desk_.busy()) desk_.try_out(*wishes.trial);
}

const gpu::RunResult* GpuController::latest_run() const {
  const GpuModel& gpu = shell_.model.gpu;
  return gpu.runs_made > recordings_.runs_seen() && is_of_row(*gpu.last_run) ? &*gpu.last_run : nullptr;
}

std::span<const gpu::Gpu> GpuController::gpus() const {
  return shell_.model.gpu.driver ? std::span<const gpu::Gpu>(shell_.model.gpu.driver->gpus)
                                 : std::span<const gpu::Gpu>();
}

/// Returns the request for what the row says. A file's kernel was compiled when it was recorded: resolving it
/// again takes no time.
Result<gpu::RunRequest> GpuController::request_of_row() const {
  if (shell_.menus.launch.catalog_kernel() != nullptr) return run_request_of(shell_.menus);
  const Result<LaunchRequest> asked = request_of(shell_.menus);
  if (!asked.ok()) return asked.error();
  const Result<LaunchRequest> launch =
      resolved(compiled_for_gpu(recordings_.with_readable_folders(*asked), gpus()));
  if (!launch.ok()) return launch.error();
  gpu::RunRequest request;
  request.kernel = ptx::plain_name(launch->file_kernel()->entry);
  if (const std::optional<Problem> product = product_of(*launch)) {
    request.m = product->m;
    request.p = product->p;
    request.n = product->n;
    request.value_type = product->value_type;
  }
  GpuDesk::describe_file(request, *launch);
  return request;
}

bool GpuController::is_of_row(const gpu::RunResult& run) const {
  return shell_.menus.launch.catalog_kernel() != nullptr ? is_of(run, shell_.menus)
                                                         : same_launch(shell_.menus, run_menus_);
}

void GpuController::run_once() {
  const auto request = request_of_row();
  run_menus_ = shell_.menus;
  if (!request)
    return shell_.messages.add(tr("Running {launch}", "launch"_a = name_of(shell_.menus.launch)),
                               request.error());
  desk_.run_once(*request);
}

/// Counts the launch on screen.
void GpuController::count() {
  const auto request = request_of_row();
  if (!request)
    return shell_.messages.add(
        tr("Reading the counters of {launch}", "launch"_a = name_of(shell_.menus.launch)), request.error());
  counted_ = recordings_.loaded()->recording;
  desk_.count(*request);
  shell_.panels.show("levels");
}

void GpuController::toggle_live() {
  if (shell_.model.gpu.live_on) return desk_.set_live(std::nullopt);
  const auto request = request_of_row();
  live_menus_ = shell_.menus;
  if (!request)
    return shell_.messages.add(tr("Launching {launch}", "launch"_a = name_of(shell_.menus.launch)),
                               request.error());
  desk_.set_live(*request);
  shell_.panels.show("throughput");
}

/// What is launched live is what the menus say, once nobody types in them.
void GpuController::follow_live() {
  if (!shell_.model.gpu.live_on || ImGui::IsAnyItemActive() || same_launch(shell_.menus, live_menus_) ||
      editing_.source().due())
    return;
  live_menus_ = shell_.menus;
  if (auto request = request_of_row(); request.ok()) desk_.set_live(*std::move(request));
}

void GpuController::measure_ladder() {
  LaunchMenus at = shell_.menus;
  if (!is_product(at.kernel())) choose_kernel(at, *catalog().find("tiled"));
  const auto request = run_request_of(at);
  if (!request) return shell_.messages.add(tr("Measuring the ladder"), request.error());
  desk_.measure_ladder(*request);
  shell_.panels.show("throughput");
}

void GpuController::sweep(SweepOver over) {
  const auto request = run_request_of(shell_.menus);
  if (!request)
    return shell_.messages.add(tr("Sweeping {launch}", "launch"_a = name_of(shell_.menus.launch)),
                               request.error());
  desk_.sweep(over, *request);
  shell_.panels.show("throughput");
}

}  // namespace warplens::app
