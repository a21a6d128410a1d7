#include "app/worker/handlers.h"

#include <memory>

#include "app/worker/wire.h"
#include "kernels/gpu/context.h"
#include "kernels/gpu/counters.h"
#include "kernels/recording/file.h"

namespace warplens::worker {
namespace {

/// Not compressed: a pipe is faster than that.
Reply reply_with(const Recording& recording) {
  return {.body = {}, .bytes = encode(recording, Compression::none)};
}

/// Runs kernels; on the GPU, over a context that is kept open between requests: to make it anew takes longer
/// than most launches.
class Launcher {
 public:
  Result<Reply> record(Call& call) {
    const app::LaunchRequest request = launch_request_from(call.arguments);
    if (request.engine == app::Engine::gpu) keep_context();
    const Result<app::LaunchResult> result = app::launch(request, &call.work.replay);
    if (!result.ok())
      return request.engine == app::Engine::gpu ? unfit_after(call, result.error()) : result.error();
    Reply reply = reply_with(result->recording);
    reply.body["unread_sources"] = nlohmann::json::array();
    for (const app::UnreadSource& source : result->unread_sources) {
      reply.body["unread_sources"].push_back({{"named", source.named}, {"reason", source.reason}});
    }
    return reply;
  }

  Result<Reply> run(Call& call) {
    const Result<gpu::RunRequest> asked = request_of(call);
    if (!asked.ok()) return asked.error();
    const gpu::RunRequest& request = *asked;
    keep_context();
    const Result<gpu::RunResult> result = gpu::run(request, &call.work.launches);
    if (!result.ok()) return unfit_after(call, result.error());
    return Reply{.body = to_json(*result), .bytes = {}};
  }

  /// What the profiler does to later launches of the process nobody is to time.
  Result<Reply> count(Call& call) {
    const Result<gpu::RunRequest> asked = request_of(call);
    if (!asked.ok()) return asked.error();
    keep_context();
    const Result<LaunchCounters> counters = gpu::count_launch(*asked, &call.work.launches);
    if (!counters.ok()) return unfit_after(call, counters.error());
    call.unfit = true;
    return Reply{.body = to_json(*counters), .bytes = {}};
  }

  /// Stops between two samples: a launch that goes on for long is stopped by the end of the process.
  Result<Reply> live(Call& call) {
    constexpr double kSampleSeconds = 0.05;
    const Result<gpu::RunRequest> asked = request_of(call);
    if (!asked.ok()) return asked.error();
    const gpu::RunRequest& request = *asked;
    keep_context();
    const auto live = gpu::LiveRun::start(request, &call.work.launches);
    if (!live.ok()) return unfit_after(call, live.error());
    while (!call.work.cancelled()) {
      const Result<gpu::LiveSample> sample = (*live)->sample(kSampleSeconds, &call.work.samples);
      if (!sample.ok()) return unfit_after(call, sample.error());
      call.send(to_json(*sample));
    }
    return Reply{.body = {{"cublas_missing", (*live)->cublas_missing()}}, .bytes = {}};
  }

 private:
  /// Makes the request for a kernel of a file, with all that it works on.
  static Result<gpu::RunRequest> request_of(const Call& call) {
    gpu::RunRequest request = run_request_from(call.arguments);
    if (!request.launch_text.empty()) {
      const Result<gpu::RunRequest> made =
          app::run_request_of(launch_request_from(nlohmann::json::parse(request.launch_text)));
      if (!made.ok()) return made.error();
      request.of_file = made->of_file;
    }
    const Result<Problem> problem = gpu::check_request(request);
    if (!problem.ok()) return problem.error();
    return request;
  }

  void keep_context() {
    if (context_ != nullptr) return;
    if (auto opened = gpu::Context::open(); opened.ok()) context_ = *std::move(opened);
  }

  /// After a kernel's fault, every call of the process fails; after a launch that could not be stopped, the
  /// next would wait for it. So an error on the GPU ends the worker, whatever it is.
  static Error unfit_after(Call& call, const Error& error) {
    call.unfit = true;
    return error;
  }

  gpu::ContextPointer context_;
};

}  // namespace

ServerOptions standard_worker() {
  const auto launcher = std::make_shared<Launcher>();
  return {.handlers = {{"record", [launcher](Call& call) { return launcher->record(call); }},
                       {"run", [launcher](Call& call) { return launcher->run(call); }},
                       {"count", [launcher](Call& call) { return launcher->count(call); }},
                       {"live", [launcher](Call& call) { return launcher->live(call); }}},
          .introduce = [] { return nlohmann::json{{"driver", to_json(gpu::check_driver())}}; }};
}

}  // namespace warplens::worker
