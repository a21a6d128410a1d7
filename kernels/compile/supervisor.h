// The supervisor of compilers: the child process of job.h. Private to kernels/compile.
#pragma once

namespace warplens::compile {

/// Receives one job from the socket, runs it and answers. Returns the exit status of the process.
[[nodiscard]] int supervise(int socket);

}  // namespace warplens::compile
