// What the worker of the product can be asked: the requests' names, and what they take and give.
//
//   record   a LaunchRequest; the recording as a .wlr file's bytes, and which sources of a file's kernel were
//   not read run      a RunRequest; its RunResult live     a RunRequest; a LiveSample as progress, again and
//   again until cancelled, and then {"cublas_missing": why cuBLAS was not there}
#pragma once

#include "app/worker/server.h"

namespace warplens::worker {

/// It introduces itself by {"driver": DriverCheck}.
[[nodiscard]] ServerOptions standard_worker();

}  // namespace warplens::worker
