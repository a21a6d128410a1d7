// A request made ready to be timed. Private to kernels/gpu.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/gpu/nvml.h"
#include "kernels/gpu/run.h"
#include "kernels/gpu/subject.h"

namespace warplens::gpu {

/// The kernel and, if asked for, cuBLAS, on the GPU and warm.
struct Bench {
  RunRequest request;
  const KernelDescriptor* kernel;
  Problem problem;
  ContextPointer context;
  Stream stream;
  SmClock clock;
  Subject subject;
  std::optional<Subject> cublas;
  std::string cublas_missing;

  [[nodiscard]] static Result<std::unique_ptr<Bench>> prepare(const RunRequest& request, Progress& progress);
  /// Poisons the output, launches once, and looks at all that came back.
  [[nodiscard]] Result<bool> verify(Subject& which, Progress& progress) const;
  /// The kernel, and then cuBLAS if it is there.
  [[nodiscard]] std::vector<Enqueue> turns() const;
  /// 10^9 operations (0 if the kernel is no product), and 10^9 useful bytes, a second, at so many
  /// milliseconds.
  [[nodiscard]] double gflops(double milliseconds) const;
  [[nodiscard]] double gbps(double milliseconds) const;
};

}  // namespace warplens::gpu
