// What run_job and the supervisor send each other: CBOR, each message behind its length. Private to
// kernels/compile.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kernels/compile/job.h"

namespace warplens::compile {

/// The argument that starts this program as a supervisor.
inline constexpr const char* kCompilerProcessArgument = "--warplens-compiler-process";

/// How a job ended, as the supervisor says it.
struct JobEnding {
  enum class Kind { exited, no_folder, cannot_start, time_limit, memory_limit, process_limit };
  Kind kind = Kind::exited;
  int status = 0;  ///< Of `exited`: the exit status; of `cannot_start` and `no_folder`: the error's number
  std::string program;  ///< That was run last
  std::map<std::string, std::string> outputs;
};

[[nodiscard]] nlohmann::json message_of(const Job& job);
[[nodiscard]] nlohmann::json message_of(const JobEnding& ending);
[[nodiscard]] std::optional<Job> job_of(const nlohmann::json& message);
[[nodiscard]] std::optional<JobEnding> ending_of(const nlohmann::json& message);

/// Sends a message. False: the other side has gone.
[[nodiscard]] bool send_message(int socket, const nlohmann::json& message);
/// Waits for a whole message. nullopt: the other side has gone, it sends something else, or `cancelled` was
/// set.
[[nodiscard]] std::optional<nlohmann::json> receive_message(int socket,
                                                            const std::atomic<bool>* cancelled = nullptr);

}  // namespace warplens::compile
