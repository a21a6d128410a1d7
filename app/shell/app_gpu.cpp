// What the application does on the GPU.
#include <string>
#include <utility>

#include "app/shell/app.h"
#include "kernels/recording/file.h"

namespace warplens::app {

void App::run_once() {
  const auto request = run_request_of(menus_);
  if (!request) return messages_.add("Running " + name_of(menus_.launch), request.error());
  gpu_.run_once(*request);
}

void App::toggle_live() {
  if (model_.gpu.live_on) return gpu_.set_live(std::nullopt);
  const auto request = run_request_of(menus_);
  if (!request) return messages_.add("Launching " + name_of(menus_.launch), request.error());
  gpu_.set_live(*request);
  panels_.show("throughput");
}

/// What is launched live is what the menus say, once nobody types in them.
void App::follow_live() {
  if (!model_.gpu.live_on || ImGui::IsAnyItemActive()) return;
  if (auto request = run_request_of(menus_); request.ok()) gpu_.set_live(*std::move(request));
}

void App::measure_ladder() {
  LaunchMenus at = menus_;
  if (!is_product(at.kernel())) choose_kernel(at, *catalog().find("tiled"));
  const auto request = run_request_of(at);
  if (!request) return messages_.add("Measuring the ladder", request.error());
  gpu_.measure_ladder(*request);
  panels_.show("throughput");
}

void App::sweep(SweepOver over) {
  const auto request = run_request_of(menus_);
  if (!request) return messages_.add("Sweeping " + name_of(menus_.launch), request.error());
  gpu_.sweep(over, *request);
  panels_.show("throughput");
}

void App::cancel() {
  worker_.cancel();
  gpu_.cancel();
}

void App::do_wishes() {
  const GpuWishes wishes = std::exchange(wishes_, {});
  if (wishes.cancel) gpu_.cancel();
  if (busy()) return;
  if (wishes.measure_ladder) measure_ladder();
  if (wishes.sweep) sweep(*wishes.sweep);
}

/// A recording that came from the GPU's worker is decoded where other long work is done.
void App::open_fetched() {
  if (!fetched_ || worker_.busy()) return;
  worker_.start(fetched_->title, [this, fetched = std::exchange(fetched_, std::nullopt)](replay::Progress& progress) -> Worker::Outcome {
    auto recording = decode(fetched->wlr);
    auto loaded =
        recording ? Result<std::shared_ptr<const Loaded>>(make_loaded(std::move(*recording), fetched->cc, {}, &progress.cancel)) : recording.error();
    return [this, title = fetched->title, loaded = std::move(loaded)]() mutable { take(std::move(loaded), title, false); };
  });
}

void App::make_launch_commands() {
  const auto idle = [this] { return !busy(); };
  const auto gpu_idle = [this] { return !busy() && model_.gpu.usable(); };
  commands_.push_back({.menu = "Launch", .name = "Record", .key = ImGuiKey_F5, .run = [this] { record(); }, .enabled = idle});
  commands_.push_back(
      {.menu = "Launch", .name = "Run once", .key = ImGuiKey_F6, .run = [this] { run_once(); }, .enabled = gpu_idle, .line_before = true});
  commands_.push_back({.menu = "Launch",
                       .name = "Live",
                       .key = ImGuiKey_F7,
                       .run = [this] { toggle_live(); },
                       .enabled = [this] { return model_.gpu.usable(); },
                       .ticked = [this] { return model_.gpu.live_on; }});
  commands_.push_back({.menu = "Launch", .name = "Measure the ladder", .run = [this] { measure_ladder(); }, .enabled = gpu_idle});
  commands_.push_back({.menu = "Launch", .name = "Sweep over N", .run = [this] { sweep(SweepOver::size); }, .enabled = gpu_idle});
  commands_.push_back({.menu = "Launch", .name = "Sweep over the tile", .run = [this] { sweep(SweepOver::parameter); }, .enabled = gpu_idle});
  commands_.push_back({.menu = "Launch",
                       .name = "Cancel",
                       .run = [this] { cancel(); },
                       .enabled = [this] { return worker_.busy() || gpu_.busy(); },
                       .line_before = true});
}

}  // namespace warplens::app
