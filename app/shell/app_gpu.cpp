// What the application does on the GPU.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/session/kernel_file.h"
#include "app/shell/app.h"
#include "kernels/ptx/demangle.h"
#include "kernels/recording/file.h"

namespace warplens::app {

std::span<const gpu::Gpu> App::gpus() const {
  return model_.gpu.driver ? std::span<const gpu::Gpu>(model_.gpu.driver->gpus) : std::span<const gpu::Gpu>();
}

/// Of what the row says. A file's kernel was compiled when it was recorded: it takes no time to work out
/// again.
Result<gpu::RunRequest> App::gpu_request() const {
  if (menus_.launch.rung() != nullptr) return run_request_of(menus_);
  const Result<LaunchRequest> asked = request_of(menus_);
  if (!asked.ok()) return asked.error();
  const Result<LaunchRequest> launch = resolved(compiled_for_gpu(with_readable_folders(*asked), gpus()));
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

bool App::is_of_row(const gpu::RunResult& run) const {
  return menus_.launch.rung() != nullptr ? is_of(run, menus_) : same_launch(menus_, run_menus_);
}

void App::run_once() {
  const auto request = gpu_request();
  run_menus_ = menus_;
  if (!request)
    return messages_.add(tr("Running {launch}", "launch"_a = name_of(menus_.launch)), request.error());
  gpu_.run_once(*request);
}

/// Of the launch on screen.
void App::count_on_gpu() {
  const auto request = gpu_request();
  if (!request)
    return messages_.add(tr("Reading the counters of {launch}", "launch"_a = name_of(menus_.launch)),
                         request.error());
  asked_gpu_ = loaded()->recording;
  gpu_.count(*request);
  panels_.show("levels");
}

void App::toggle_live() {
  if (model_.gpu.live_on) return gpu_.set_live(std::nullopt);
  const auto request = gpu_request();
  live_menus_ = menus_;
  if (!request)
    return messages_.add(tr("Launching {launch}", "launch"_a = name_of(menus_.launch)), request.error());
  gpu_.set_live(*request);
  panels_.show("throughput");
}

/// What is launched live is what the menus say, once nobody types in them.
void App::follow_live() {
  if (!model_.gpu.live_on || ImGui::IsAnyItemActive() || same_launch(menus_, live_menus_) || editing_.due())
    return;
  live_menus_ = menus_;
  if (auto request = gpu_request(); request.ok()) gpu_.set_live(*std::move(request));
}

void App::measure_ladder() {
  LaunchMenus at = menus_;
  if (!is_product(at.kernel())) choose_kernel(at, *catalog().find("tiled"));
  const auto request = run_request_of(at);
  if (!request) return messages_.add(tr("Measuring the ladder"), request.error());
  gpu_.measure_ladder(*request);
  panels_.show("throughput");
}

void App::sweep(SweepOver over) {
  const auto request = run_request_of(menus_);
  if (!request)
    return messages_.add(tr("Sweeping {launch}", "launch"_a = name_of(menus_.launch)), request.error());
  gpu_.sweep(over, *request);
  panels_.show("throughput");
}

void App::cancel() {
  if (recording_) refuse(recording_->menus, {tr("cancelled"), "", tr("Press Record (F5) to record it")});
  if (!background_.busy()) recording_.reset();
  to_open_.clear();
  background_.cancel();
  gpu_.cancel();
}

void App::do_wishes() {
  if (auto wanted = std::exchange(block_wanted_, std::nullopt); wanted && row_is_shown()) {
    const Dim3 block = wanted->block;
    if (walks_anywhere() || selection().finding) {  // What is found is found by all blocks together
      menus_.blocks = BlocksMenu::all_draw_one;
      menus_.drawn = block;
    } else {
      menus_.blocks = BlocksMenu::chosen;
      menus_.chosen_blocks = fmt::format("{},{}", block.x, block.y);
      if (block.z > 0) menus_.chosen_blocks += fmt::format(",{}", block.z);
    }
    arriving_ = wanted;
  }
  const GpuWishes wishes = std::exchange(wishes_, {});
  if (wishes.cancel) gpu_.cancel();
  if (gpu_.busy()) return;
  if (wishes.measure_ladder) measure_ladder();
  if (wishes.sweep) sweep(*wishes.sweep);
  if (wishes.trial && !gpu_.busy()) gpu_.try_out(*wishes.trial);
}

/// A recording that came from the GPU's worker is decoded where other long work is done.
void App::open_fetched() {
  if (!fetched_ || background_.busy()) return;
  background_.start(
      fetched_->title,
      [this, fetched = std::exchange(fetched_, std::nullopt),
       launched = recording_ ? recording_->menus.launch
                             : LaunchRequest()](replay::Progress& progress) mutable -> Background::Outcome {
        launched.cc = fetched->cc;
        auto recording = decode(fetched->wlr);
        auto loaded = recording ? Result<std::shared_ptr<const Loaded>>(make_loaded(
                                      std::move(*recording), launched, &progress.cancel, MachineCode::made))
                                : recording.error();
        return [this, title = fetched->title, loaded = std::move(loaded)]() mutable {
          if (recording_) take_recorded(std::move(loaded), title);  // Else it was cancelled
        };
      });
}

void App::make_launch_commands() {
  const auto idle = [this] { return !busy(); };
  const auto gpu_idle = [this] { return !gpu_.busy() && model_.gpu.usable(); };
  commands_.push_back({.id = "launch.record",
                       .menu = &kLaunchMenu,
                       .name = tr("Record"),
                       .key = ImGuiKey_F5,
                       .run = [this] { record(); },
                       .enabled = idle});
  commands_.push_back(
      {.id = "launch.verify_whole",
       .menu = &kLaunchMenu,
       .name = tr("Verify every block"),
       .run = [this] { record_row(true, true); },
       .enabled = [this,
                   idle] { return idle() && row_is_shown() && loaded()->recording->blocks_followed > 0; }});
  commands_.push_back({.id = "launch.run_once",
                       .menu = &kLaunchMenu,
                       .name = tr("Run once"),
                       .key = ImGuiKey_F6,
                       .run = [this] { run_once(); },
                       .enabled = gpu_idle,
                       .line_before = true});
  commands_.push_back({.id = "launch.count",
                       .menu = &kLaunchMenu,
                       .name = tr("Read the GPU's counters"),
                       .key = ImGuiMod_Shift | ImGuiKey_F6,
                       .run = [this] { count_on_gpu(); },
                       .enabled = [this, gpu_idle] { return gpu_idle() && row_is_shown(); }});
  commands_.push_back({.id = "launch.live",
                       .menu = &kLaunchMenu,
                       .name = tr("Live"),
                       .key = ImGuiKey_F7,
                       .run = [this] { toggle_live(); },
                       .enabled = [this] { return model_.gpu.usable(); },
                       .ticked = [this] { return model_.gpu.live_on; }});
  const auto add = [&](const char* id, const char* name, std::function<void()> run) {
    commands_.push_back(
        {.id = id, .menu = &kLaunchMenu, .name = name, .run = std::move(run), .enabled = gpu_idle});
  };
  add("launch.measure_ladder", tr("Measure the ladder"), [this] { measure_ladder(); });
  add("launch.sweep_size", tr("Sweep over N"), [this] { sweep(SweepOver::size); });
  add("launch.sweep_parameter", tr("Sweep over the tile"), [this] { sweep(SweepOver::parameter); });
  commands_.push_back({.id = "launch.separate_sizes",
                       .menu = &kLaunchMenu,
                       .name = tr("Separate sizes m, p, n"),
                       .run = [this] { settings_.separate_sizes = !settings_.separate_sizes; },
                       .ticked = [this] { return settings_.separate_sizes; },
                       .line_before = true,
                       .also = "size, square matrices, rows, columns"});
  commands_.push_back({.id = "launch.cancel",
                       .menu = &kLaunchMenu,
                       .name = tr("Cancel"),
                       .run = [this] { cancel(); },
                       .enabled = [this] { return background_.busy() || gpu_.busy(); },
                       .line_before = true});
}

}  // namespace warplens::app
