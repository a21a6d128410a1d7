// What is launched and timed: a kernel of the ladder, or cuBLAS on the same product.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/catalog/catalog.h"
#include "kernels/catalog/workload.h"
#include "kernels/gpu/cublas.h"
#include "kernels/gpu/module.h"
#include "kernels/gpu/timing.h"

namespace warplens::gpu {

/// Code, and buffers of its own on the GPU. What it works on is the same in every run.
class Subject {
 public:
  [[nodiscard]] static Result<Subject> kernel(const ContextPointer& context, const KernelDescriptor& kernel, const Problem& problem);
  [[nodiscard]] static Result<Subject> cublas(const ContextPointer& context, const Problem& problem);

  /// Everything that is read. The output stays as it is.
  [[nodiscard]] Result<Done> upload_inputs(const Stream& stream) const;
  [[nodiscard]] Result<Done> poison_output(const Stream& stream) const;
  [[nodiscard]] Result<Done> launch(const Stream& stream) const { return enqueue_(stream); }
  [[nodiscard]] const Enqueue& enqueue() const { return enqueue_; }
  [[nodiscard]] Result<Done> download(const Stream& stream);
  /// Whether what was downloaded is right, bit for bit. The stream has been waited for.
  [[nodiscard]] bool is_right() const { return workload_.verify(result_, std::nullopt); }

  [[nodiscard]] const FunctionAttributes& attributes() const { return attributes_; }  ///< All 0 for cuBLAS
  [[nodiscard]] std::uint32_t dynamic_shared_bytes() const { return dynamic_shared_bytes_; }
  [[nodiscard]] double create_ms() const { return create_ms_; }  ///< cuBLAS's own start
  /// What must be read and written at least: every element of the operands and the result once, padding not counted.
  [[nodiscard]] std::uint64_t useful_bytes() const { return useful_bytes_; }

 private:
  Subject(Workload workload, const LaunchPlan& plan);
  [[nodiscard]] Result<Done> allocate(const ContextPointer& context);

  Workload workload_;
  std::vector<DeviceBuffer> buffers_;
  std::vector<std::byte> result_;
  Enqueue enqueue_;
  FunctionAttributes attributes_;
  std::uint32_t dynamic_shared_bytes_ = 0;
  std::uint64_t useful_bytes_ = 0;
  double create_ms_ = 0;
};

}  // namespace warplens::gpu
