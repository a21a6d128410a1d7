// The pipeline of a block as a trace that Perfetto and Chrome open.
#pragma once

#include <string>

#include "viz/analysis/pipeline.h"
#include "viz/picture/moment.h"

namespace warplens::viz {

/// JSON ("Trace Event Format"): a thread a warp with its accesses, and a thread a stage with what is in
/// flight, has landed and is read. The replay knows no time: every phase lasts 1,000 microseconds of the
/// trace, in which the accesses of each warp follow each other in equal steps. The trace says so.
[[nodiscard]] std::string pipeline_trace(const picture::Moment& moment, const analysis::Pipeline& pipeline);

}  // namespace warplens::viz
