// Workers for the tests: this very program, started anew in a way of misbehaving.
#pragma once

#include <string>
#include <vector>

namespace warplens::worker {

/// The command of a worker that answers `echo`, `count`, `record` and others, and does as it is told:
/// `crash`, `hang`, .. (test_worker.cpp).
[[nodiscard]] std::vector<std::string> test_worker();
/// Of one that does not keep the protocol: "silent", "garbage", "garbage_later", "half", "oversize", "old",
/// "dies".
[[nodiscard]] std::vector<std::string> bad_worker(const std::string& way);
/// Of a program that starts a worker, lets it hang, prints its process's number, and waits to be killed.
[[nodiscard]] std::vector<std::string> test_window();

/// Of a program that starts a worker with a watchdog of 2 s, prints its process's number when it is at work,
/// and when that has been answered "done" or "lost".
[[nodiscard]] std::vector<std::string> test_window_with_watchdog();

/// What `main` does when it is started as one of these; -1 if it was not.
[[nodiscard]] int run_as_worker(const std::vector<std::string>& arguments);

}  // namespace warplens::worker
