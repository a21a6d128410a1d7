// What is launched and timed: a kernel of the ladder, or cuBLAS on the same product.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/catalog/catalog.h"
#include "kernels/catalog/workload.h"
#include "kernels/gpu/cublas.h"
#include "kernels/gpu/module.h"
#include "kernels/gpu/run.h"
#include "kernels/gpu/texture_object.h"
#include "kernels/gpu/timing.h"

namespace warplens::gpu {

/// A module and what is launched of it, together.
struct Code {
  Module module;
  Function function;
};

/// Code, and buffers of its own on the GPU. What it works on is the same in every run.
class Subject {
 public:
  [[nodiscard]] static Result<Subject> kernel(const ContextPointer& context, const KernelDescriptor& kernel,
                                              const Problem& problem);
  [[nodiscard]] static Result<Subject> of_file(const ContextPointer& context, const FileLaunch& launch);
  [[nodiscard]] static Result<Subject> cublas(const ContextPointer& context, const Problem& problem);

  /// Everything that is read; what is checked stays as it is.
  [[nodiscard]] Result<Done> upload_inputs(const Stream& stream) const;
  /// What is checked; of a file's kernel all, since it may write what it has read.
  [[nodiscard]] Result<Done> poison_output(const Stream& stream) const;
  [[nodiscard]] Result<Done> launch(const Stream& stream) const { return enqueue_(stream); }
  [[nodiscard]] const Enqueue& enqueue() const { return enqueue_; }
  [[nodiscard]] Result<Done> download(const Stream& stream);
  /// A kernel of a file may have none.
  [[nodiscard]] bool has_reference() const { return !checks_.empty(); }
  /// Whether what was downloaded is right. The stream has been waited for, and there is a reference.
  [[nodiscard]] bool is_right() const;

  [[nodiscard]] const FunctionAttributes& attributes() const { return attributes_; }  ///< All 0 for cuBLAS
  [[nodiscard]] std::uint32_t dynamic_shared_bytes() const { return dynamic_shared_bytes_; }
  [[nodiscard]] double create_ms() const { return create_ms_; }  ///< cuBLAS's own start
  /// What must be read and written at least: every element of the operands and the result once, padding not
  /// counted. Of a file's kernel, its buffers.
  [[nodiscard]] std::uint64_t useful_bytes() const { return useful_bytes_; }

 private:
  Subject(Workload workload, std::vector<BufferCheck> checks, std::uint64_t useful_bytes);
  /// Makes the subject for a kernel of the catalogue, or for cuBLAS.
  [[nodiscard]] static Subject of_output(Workload workload, std::uint64_t useful_bytes);
  [[nodiscard]] Result<Done> allocate(const ContextPointer& context);
  /// Encodes tensor maps anew, once their tensors are allocated.
  [[nodiscard]] Result<Done> encode_tensor_maps(const ContextPointer& context);
  /// Makes launches of the code: on buffers of its own, so configured.
  [[nodiscard]] Result<Done> take(const ContextPointer& context,
                                  const Result<std::shared_ptr<const Code>>& code,
                                  const LaunchConfiguration& configuration);

  /// Kernels may write them.
  [[nodiscard]] Result<Done> set_variables(const Stream& stream) const;
  /// What was uploaded to the buffers of textures goes to their arrays.
  [[nodiscard]] Result<Done> load_textures(const Stream& stream) const;

  std::shared_ptr<const Code> code_;  ///< Null for cuBLAS
  Workload workload_;
  std::vector<DeviceBuffer> buffers_;
  std::map<std::uint32_t, TextureObject> textures_;  ///< By buffer
  std::vector<BufferCheck> checks_;
  std::vector<std::uint32_t> outputs_;  ///< Buffers that are downloaded: those that are checked, or all, ..
  std::vector<std::vector<std::byte>> results_;  ///< .. and what they held
  Enqueue enqueue_;
  FunctionAttributes attributes_;
  std::uint32_t dynamic_shared_bytes_ = 0;
  std::uint64_t useful_bytes_ = 0;
  double create_ms_ = 0;
  bool may_write_all_ = false;
};

}  // namespace warplens::gpu
