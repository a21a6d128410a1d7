#include "app/shell/controllers/gpu_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/worker/client.h"
#include "app/worker/wire.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

using Answer = worker::Event::Kind;

constexpr double kKeptSeconds = 63;  ///< A little more than the plot shows
constexpr std::array<std::int64_t, 11> kSweptSizes{128,  192,  256,  384,  512, 768,
                                                   1024, 1536, 2048, 3072, 4096};

bool same(const std::optional<gpu::RunRequest>& a, const std::optional<gpu::RunRequest>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->kernel == b->kernel && a->m == b->m && a->p == b->p && a->n == b->n &&
         a->parameters == b->parameters && a->value_type == b->value_type && a->launch_text == b->launch_text;
}

/// Whether cuBLAS can run beside it. Among a file's kernels, those that are products have extents.
bool has_cublas_beside(const gpu::RunRequest& request) {
  return request.launch_text.empty() ? is_product(request.kernel) : request.p.value_or(0) > 0;
}

std::string size_in_words(const gpu::RunRequest& request) {
  return fmt::format("{} x {} x {}", request.m.value_or(0), request.p.value_or(0), request.n.value_or(0));
}

/// The kernels that have values of that type, at the same size, and cuBLAS.
std::vector<gpu::RunRequest> requests_of_ladder(const gpu::RunRequest& at) {
  std::vector<gpu::RunRequest> requests;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group != KernelGroup::ladder) continue;
    gpu::RunRequest request = at;
    request.kernel = kernel.id;
    if (kernel.id != at.kernel) request.parameters.clear();
    request.with_cublas = true;
    if (gpu::check_request(request).ok()) requests.push_back(std::move(request));
  }
  gpu::RunRequest cublas = at;
  cublas.kernel = gpu::kCublasId;
  cublas.parameters.clear();
  if (gpu::check_request(cublas).ok()) requests.push_back(std::move(cublas));
  return requests;
}

gpu::RunRequest swept_to(const Sweep& sweep, std::int64_t value) {
  gpu::RunRequest request = sweep.request;
  request.with_cublas = has_cublas_beside(request);
  if (sweep.over == SweepOver::size) {
    const KernelDescriptor* const kernel = catalog().find(request.kernel);
    const auto extent = static_cast<std::uint64_t>(value);
    if (kernel == nullptr || kernel->has_extent('m')) request.m = extent;
    if (kernel == nullptr || kernel->has_extent('p')) request.p = extent;
    if (kernel == nullptr || kernel->has_extent('n')) request.n = extent;
    return request;
  }
  std::erase_if(request.parameters,
                [&](const NamedValue& parameter) { return parameter.name == sweep.axis; });
  request.parameters.push_back({sweep.axis, value});
  return request;
}

/// What the sweep goes over, and the values for which the kernel can be launched.
Sweep plan_of(SweepOver over, const gpu::RunRequest& request) {
  Sweep sweep{.over = over,
              .request = request,
              .axis = "N",
              .planned = {kSweptSizes.begin(), kSweptSizes.end()},
              .points = {}};
  if (over == SweepOver::parameter) {
    const KernelDescriptor* kernel = catalog().find(request.kernel);
    sweep.planned.clear();
    if (kernel != nullptr && !kernel->parameters.empty()) {
      sweep.axis = kernel->parameters.front().name;
      sweep.planned = kernel->parameters.front().values;
    }
  }
  std::erase_if(sweep.planned,
                [&](std::int64_t value) { return !gpu::check_request(swept_to(sweep, value)).ok(); });
  return sweep;
}

}  // namespace

GpuDesk::GpuDesk(worker::ClientOptions worker, GpuModel& model, Outcomes outcomes)
    : options_(std::move(worker)), model_(model), outcomes_(std::move(outcomes)) {}

GpuDesk::~GpuDesk() = default;

void GpuDesk::start() {
  if (client_ == nullptr) client_ = std::make_unique<worker::Client>(options_);
}

void GpuDesk::begin(Kind kind, std::string title, const std::vector<gpu::RunRequest>& requests) {
  task_ = {.kind = kind, .title = std::move(title), .asked = {}, .answered = 0, .cc = {}};
  if (live_id_ != 0) client_->cancel(live_id_);
  for (std::size_t place = 0; place < requests.size(); ++place) {
    const auto& request = requests[place];
    const std::uint64_t id = client_->send(
        {.name = "run", .subject = name_of(request), .arguments = worker::to_json(request), .bytes = {}});
    task_.asked.emplace(id, place);
  }
  model_.busy_with = requests.empty() ? std::string() : task_.title;
  model_.done = 0;
  model_.total = requests.size() > 1 ? requests.size() : 0;
  model_.part = kind == Kind::ladder ? WorkPart::kernels : WorkPart::points;
  model_.measuring_ladder = kind == Kind::ladder;
  model_.sweeping = kind == Kind::sweep;
}

void GpuDesk::run_once(gpu::RunRequest request) {
  request.with_cublas = has_cublas_beside(request);
  begin(Kind::run, tr("Running {launch}", "launch"_a = name_of(request)), {request});
}

void GpuDesk::measure_ladder(const gpu::RunRequest& at) {
  model_.ladder = {.m = at.m.value_or(0), .p = at.p.value_or(0), .n = at.n.value_or(0), .results = {}};
  begin(Kind::ladder, tr("Measuring the ladder at {size}", "size"_a = size_in_words(at)),
        requests_of_ladder(at));
}

void GpuDesk::sweep(SweepOver over, const gpu::RunRequest& request) {
  Sweep plan = plan_of(over, request);
  if (plan.planned.empty()) {
    return fail(tr("Sweeping {kernel}", "kernel"_a = request.kernel),
                {tr("{kernel} has no parameter to sweep over", "kernel"_a = request.kernel), "",
                 tr("Sweep over N.")});
  }
  std::vector<gpu::RunRequest> requests;
  for (const std::int64_t value : plan.planned) requests.push_back(swept_to(plan, value));
  model_.sweep = std::move(plan);
  begin(Kind::sweep,
        tr("Sweeping {kernel} over {parameter}", "kernel"_a = request.kernel,
           "parameter"_a = model_.sweep.axis),
        requests);
}

void GpuDesk::try_out(const gpu::RunRequest& request) {
  begin(Kind::trial, tr("Timing {launch}", "launch"_a = name_of(request)), {request});
}

void GpuDesk::describe_file(gpu::RunRequest& request, const LaunchRequest& launch) {
  request.launch_text = worker::to_json(launch).dump();
}

void GpuDesk::record(const LaunchRequest& request) {
  begin(Kind::record,
        tr("Recording {launch} on {gpu}", "launch"_a = name_of(request), "gpu"_a = model_.name()), {});
  task_.cc = request.cc;
  const std::uint64_t id = client_->send(
      {.name = "record", .subject = name_of(request), .arguments = worker::to_json(request), .bytes = {}});
  task_.asked.emplace(id, 0);
  model_.busy_with = task_.title;
  model_.part = WorkPart::blocks;
}

void GpuDesk::count(const gpu::RunRequest& request) {
  begin(Kind::count, tr("Reading the counters of {launch}", "launch"_a = name_of(request)), {});
  const std::uint64_t id = client_->send(
      {.name = "count", .subject = name_of(request), .arguments = worker::to_json(request), .bytes = {}});
  task_.asked.emplace(id, 0);
  model_.busy_with = task_.title;
}

void GpuDesk::cancel() {
  for (const auto& [id, place] : task_.asked) client_->cancel(id);
}

void GpuDesk::set_live(std::optional<gpu::RunRequest> request) {
  if (request) request->with_cublas = has_cublas_beside(*request);
  live_wanted_ = std::move(request);
  model_.live_on = live_wanted_.has_value();
  if (live_id_ != 0 && !same(live_wanted_, live_running_)) client_->cancel(live_id_);
}

void GpuDesk::poll(double now) {
  if (client_ == nullptr) return;
  for (worker::Event& event : client_->poll()) {
    try {
      take(event, now);
    } catch (const nlohmann::json::exception& unreadable) {
      fail(tr("Reading the worker's answer"),
           {unreadable.what(), "", tr("Window and worker are of different versions: restart Warplens.")});
    }
  }
  go_on_live();
  forget_old(now);
}

void GpuDesk::take(worker::Event& event, double now) {
  if (event.kind == Answer::ready) {
    model_.driver = worker::driver_check_from(event.body.at("driver"));
    return;
  }
  if (event.kind == Answer::unavailable) {
    model_.driver =
        gpu::DriverCheck{.version = {}, .gpus = {}, .missing = event.error.what, .advice = event.error.hint};
    return;
  }
  if (event.id == live_id_) return take_live(event, now);
  if (event.kind == Answer::progress) return take_progress(event);
  take_answer(event);
}

void GpuDesk::take_progress(const worker::Event& event) {
  if (task_.kind != Kind::record || !task_.asked.contains(event.id) || !event.body.contains("done")) return;
  model_.done = event.body.at("done").get<std::uint64_t>();
  model_.total = event.body.at("total").get<std::uint64_t>();
}

void GpuDesk::take_answer(worker::Event& event) {
  const auto asked = task_.asked.find(event.id);
  if (asked == task_.asked.end()) return;
  const std::size_t place = asked->second;
  task_.asked.erase(asked);
  if (model_.total != 0 && task_.kind != Kind::record) model_.done = ++task_.answered;
  if (task_.asked.empty()) {
    model_.busy_with.clear();
    model_.measuring_ladder = model_.sweeping = false;
  }
  if (event.kind == Answer::result) return take_result(place, event);
  if (!event.cancelled) fail(task_.title, std::move(event.error));
}

void GpuDesk::take_result(std::size_t place, worker::Event& event) {
  switch (task_.kind) {
    case Kind::run:
      model_.last_run = worker::run_result_from(event.body);
      ++model_.runs_made;
      break;
    case Kind::ladder: model_.ladder.results.push_back(worker::run_result_from(event.body)); break;
    case Kind::sweep:
      model_.sweep.points.push_back({model_.sweep.planned[place], worker::run_result_from(event.body)});
      break;
    case Kind::trial: model_.trials.push_back(worker::run_result_from(event.body)); break;
    case Kind::record: outcomes_.recorded(task_.title, std::move(event.bytes), task_.cc); break;
    case Kind::count: outcomes_.counted(worker::launch_counters_from(event.body)); break;
  }
}

void GpuDesk::take_live(const worker::Event& event, double now) {
  if (event.kind == Answer::progress) {
    if (!event.body.contains("value")) return;
    model_.live.back().seconds.push_back(now);
    model_.live.back().samples.push_back(worker::live_sample_from(event.body.at("value")));
    return;
  }
  live_id_ = 0;
  if (event.kind != Answer::error || event.cancelled) return;
  set_live(std::nullopt);
  fail(tr("Launching {launch}", "launch"_a = model_.live.back().label), event.error);
}

void GpuDesk::go_on_live() {
  if (live_id_ != 0 || !live_wanted_ || busy()) return;
  live_running_ = live_wanted_;
  model_.live.push_back({.label = name_of(*live_running_), .seconds = {}, .samples = {}});
  live_id_ = client_->send({.name = "live",
                            .subject = name_of(*live_running_),
                            .arguments = worker::to_json(*live_running_),
                            .bytes = {}});
}

void GpuDesk::forget_old(double now) {
  for (LiveSeries& series : model_.live) {
    const auto first =
        std::ranges::find_if(series.seconds, [&](double seconds) { return seconds >= now - kKeptSeconds; });
    const auto old = first - series.seconds.begin();
    series.seconds.erase(series.seconds.begin(), first);
    series.samples.erase(series.samples.begin(), series.samples.begin() + old);
  }
  // The one that is being launched stays, though nothing may have come of it yet.
  const std::size_t running = live_id_ != 0 ? 1 : 0;
  while (model_.live.size() > running && model_.live.front().samples.empty())
    model_.live.erase(model_.live.begin());
}

}  // namespace warplens::app
