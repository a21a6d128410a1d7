// The worker's end: takes requests one after the other, and answers each through the handler of its name.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/messages/message.h"
#include "kernels/base/result.h"
#include "kernels/gpu/timing.h"
#include "kernels/replay/replay.h"

namespace warplens::worker {

struct Reply {
  nlohmann::json body;
  std::vector<std::byte> bytes;
};

/// How far a request is; what has changed is sent on. Seen by both of the server's threads.
struct Work {
  replay::Progress replay;
  gpu::Progress launches;
  gpu::Progress samples;  ///< Of live launches: each is left to end, and then no more are made

  /// When the window asks for it, and when the window is gone.
  void cancel() { replay.cancel = launches.cancel = true; }
  [[nodiscard]] bool cancelled() const { return replay.cancel; }
  [[nodiscard]] std::uint64_t done() const { return replay.blocks_done + launches.launches_done; }
  /// For the GPU, one at a time: odd while one goes on.
  [[nodiscard]] std::uint64_t waits() const { return replay.gpu_waits + launches.waits + samples.waits; }
};

/// One request, as its handler sees it.
struct Call {
  const nlohmann::json& arguments;
  std::span<const std::byte> bytes;
  Work& work;
  /// One more message of progress, with something in it; from the handler's thread.
  std::function<void(nlohmann::json)> send;
  /// Set by a handler that leaves the process unfit for more, as a kernel's fault does to its CUDA context,
  /// and a profiler to what is timed: the worker ends after the answer.
  bool unfit = false;
};

using Handler = std::function<Result<Reply>(Call&)>;
/// By the request's name. A handler that throws json's exceptions refuses its arguments by it.
using Handlers = std::map<std::string, Handler, std::less<>>;

struct ServerOptions {
  Handlers handlers;
  /// What the worker says of itself before anything is asked: the devices that it finds.
  std::function<nlohmann::json()> introduce;
};

/// Answers what comes on `in` until it ends; only packets go to `out`. All handlers run on the caller's
/// thread. Returns the process's exit status. A handler that still runs a second after the end of `in` is
/// left: then the process exits.
[[nodiscard]] int serve(int in, int out, const ServerOptions& options);

/// `serve` on standard input and output. Whatever else the process prints goes to standard error.
[[nodiscard]] int serve_standard_streams(const ServerOptions& options);

}  // namespace warplens::worker
