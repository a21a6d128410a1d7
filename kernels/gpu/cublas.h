// NVIDIA's own matrix product, found at run time ("cuBLAS", NVIDIA: the library's binary interface of
// releases 12 and 13).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/gpu/context.h"

namespace warplens::gpu {

struct CublasCheck {
  std::string version;  ///< "13.0.2"; empty if there is none
  std::string library;  ///< As it was found: a name that the loader knows, or a path
  std::string missing;  ///< Why it cannot be used, one sentence
  std::string advice;
};
/// Loads the library, and starts nothing.
[[nodiscard]] CublasCheck check_cublas();

/// A handle of the library, in its default math mode: products of f32 are computed in f32, and not with the
/// shorter TF32, which is a value type of its own.
class Cublas {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Cublas>> create(const ContextPointer& context);
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  /// Returns the value types (ValueType::name) of the products it computes.
  [[nodiscard]] static std::vector<std::string> value_types();
  [[nodiscard]] static bool multiplies(const std::string& value_type);

  /// C (m x n) = A (m x p) * B (p x n), row-major and without padding, put into the stream. `value_type` is
  /// one of value_types().
  struct Product {
    int m = 0, p = 0, n = 0;
    std::string value_type;
    CuDevicePointer a = 0, b = 0, c = 0;
  };
  [[nodiscard]] Result<Done> multiply(const Product& product, const Stream& stream) const;
  /// How long the library took to make the handle: it loads its kernels then.
  [[nodiscard]] double create_ms() const { return create_ms_; }

 private:
  Cublas(ContextPointer context, void* handle, double create_ms)
      : context_(std::move(context)), handle_(handle), create_ms_(create_ms) {}
  ContextPointer context_;
  void* handle_;
  double create_ms_;
};

}  // namespace warplens::gpu
