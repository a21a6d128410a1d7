// How the window keeps its worker process. Apart from the client, whose messages are JSON: few have to
// compile that.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace warplens::worker {

struct ClientOptions {
  std::vector<std::string> command{"/proc/self/exe",
                                   "worker"};  ///< Starts a worker here; through ssh, on another machine
  std::chrono::milliseconds watchdog{
      10'000};  ///< The longest silence over a request: the worker's, or its GPU's
  std::chrono::milliseconds start_limit{
      30'000};  ///< The longest start: a driver with many GPUs takes seconds
  std::chrono::milliseconds cancel_limit{2'000};  ///< What does not stop within it when cancelled is killed
  std::function<void()> wake;  ///< Called on the client's thread when there is something to poll
};

}  // namespace warplens::worker
