// `warplens run` of a product on the processor.
#pragma once

#include <cstdint>
#include <optional>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/measure/cpu_products.h"

namespace warplens::app {

/// Verified and timed, as a launch on a GPU is; says on `context.err` how far it is where that takes seconds.
void run_on_cpu(Context& context, measure::CpuProduct product, const LaunchOptions& options,
                std::optional<std::uint64_t> reps, bool json);

/// "0.1234 ms": milliseconds with as many places as tell anything.
[[nodiscard]] std::string in_ms(double milliseconds);
/// "12 GFLOP/s, 3.4 GB/s of useful bytes"; a rate of 0 is left out.
[[nodiscard]] std::string rates(double gflops, double gbps);

}  // namespace warplens::app
