#include "kernels/gpu/cublas.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <chrono>

#include "kernels/base/library.h"
#include "kernels/base/texts.h"

namespace warplens::gpu {
namespace {

using Status = int;
constexpr Status kSuccess = 0;
constexpr int kNoTranspose = 0, kDefaultMath = 0;
constexpr int kMajor = 0, kMinor = 1, kPatch = 2;  // Numbers of libraryPropertyType

// Values of the enumerations cudaDataType, cublasComputeType_t and cublasGemmAlgo_t.
constexpr int kRealF16 = 2, kRealBf16 = 14, kRealF32 = 0;
constexpr int kComputeF32 = 68, kComputeTf32 = 77;
constexpr int kDefaultAlgorithm = -1;

// Products on tensor cores, accumulated in f32. Accumulation in f16 would be faster on some GPUs, but
// inexact.
struct TensorProduct {
  const char* value_type;
  int operand, compute;
};
constexpr TensorProduct kTensorProducts[] = {
    {"f16", kRealF16, kComputeF32}, {"bf16", kRealBf16, kComputeF32}, {"tf32", kRealF32, kComputeTf32}};

struct CublasApi {
  Status (*create)(void** handle);
  Status (*destroy)(void* handle);
  Status (*set_stream)(void* handle, CuStream stream);
  Status (*set_math_mode)(void* handle, int mode);
  Status (*property)(int which, int* value);
  Status (*sgemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                  const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
  Status (*dgemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const double* alpha,
                  const double* a, int lda, const double* b, int ldb, const double* beta, double* c, int ldc);
  Status (*gemm_ex)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                    const void* a, int a_type, int lda, const void* b, int b_type, int ldb, const void* beta,
                    void* c, int c_type, int ldc, int compute_type, int algorithm);
};

struct LoadedCublas {
  // What the loader knows, then where toolkits are installed. cuBLAS needs cuBLASLt from the same folder,
  // where the loader need not look.
  Library lt{"libcublasLt.so.13",
             "libcublasLt.so.12",
             "/usr/local/cuda/lib64/libcublasLt.so.13",
             "/usr/local/cuda/lib64/libcublasLt.so.12",
             "/usr/local/cuda/targets/x86_64-linux/lib/libcublasLt.so.13",
             "/usr/local/cuda/targets/x86_64-linux/lib/libcublasLt.so.12"};
  Library library{"libcublas.so.13",
                  "libcublas.so.12",
                  "/usr/local/cuda/lib64/libcublas.so.13",
                  "/usr/local/cuda/lib64/libcublas.so.12",
                  "/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so.13",
                  "/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so.12"};
  CublasApi api{};

  LoadedCublas() {
    if (!library.found()) return;
    library.find("cublasCreate_v2", api.create);
    library.find("cublasDestroy_v2", api.destroy);
    library.find("cublasSetStream_v2", api.set_stream);
    library.find("cublasSetMathMode", api.set_math_mode);
    library.find("cublasGetProperty", api.property);
    library.find("cublasSgemm_v2", api.sgemm);
    library.find("cublasDgemm_v2", api.dgemm);
    library.find("cublasGemmEx", api.gemm_ex);
  }
  [[nodiscard]] bool usable() const { return library.found() && library.missing_symbol().empty(); }
};

const LoadedCublas& loaded_cublas() {
  static const LoadedCublas kCublas;
  return kCublas;
}

Error missing_cublas() {
  const Library& library = loaded_cublas().library;
  if (!library.found()) {
    return {tr("there is no cuBLAS (libcublas.so.13 or .12)"), "",
            tr("Install the CUDA toolkit's libcublas, or name its folder in LD_LIBRARY_PATH; all but the "
               "comparison with it works without.")};
  }
  return {tr("{library} has no {function}", "library"_a = library.name(),
             "function"_a = library.missing_symbol()),
          "", tr("Install another release of cuBLAS, 12 or 13.")};
}

// "cublasStatus_t" of the library's documentation.
const char* status_in_words(Status status) {
  switch (status) {
    case 1: return tr("not initialised");
    case 3: return tr("out of memory");
    case 7: return tr("wrong value");
    case 8: return tr("the GPU's architecture is not supported");
    case 11: return tr("mapping failed");
    case 13: return tr("execution failed");
    case 14: return tr("internal error");
    case 15: return tr("not supported");
    default: return tr("failure");
  }
}

Result<Done> check(Status status, const char* call) {
  if (status == kSuccess) return Done{};
  return Error{
      tr("{what} in {call} (cuBLAS status {status})", "what"_a = status_in_words(status), "call"_a = call,
         "status"_a = status),
      "",
      status == 3
          ? tr("Choose smaller matrices, or end other programs that use the GPU: nvidia-smi lists them.")
          : ""};
}

template <class Value>
const Value* pointer(CuDevicePointer address) {
  return reinterpret_cast<const Value*>(address);
}

// Row-major C = A B is column-major C' = B' A': the library, which knows columns, is handed the operands
// swapped.
template <class Value, class Gemm>
Status swapped(Gemm gemm, void* handle, const Cublas::Product& product) {
  const Value one = 1, zero = 0;
  return gemm(handle, kNoTranspose, kNoTranspose, product.n, product.m, product.p, &one,
              pointer<Value>(product.b), product.n, pointer<Value>(product.a), product.p, &zero,
              const_cast<Value*>(pointer<Value>(product.c)), product.n);
}

Status multiply_on_tensor_cores(const CublasApi& api, void* handle, const Cublas::Product& product) {
  const auto* const found =
      std::ranges::find(kTensorProducts, product.value_type, &TensorProduct::value_type);
  assert(found != std::end(kTensorProducts));
  const TensorProduct& kind = *found;
  const float one = 1, zero = 0;
  return api.gemm_ex(handle, kNoTranspose, kNoTranspose, product.n, product.m, product.p, &one,
                     pointer<void>(product.b), kind.operand, product.n, pointer<void>(product.a),
                     kind.operand, product.p, &zero, const_cast<void*>(pointer<void>(product.c)), kRealF32,
                     product.n, kind.compute, kDefaultAlgorithm);
}

}  // namespace

CublasCheck check_cublas() {
  const LoadedCublas& cublas = loaded_cublas();
  if (!cublas.usable()) return {.missing = missing_cublas().what, .advice = missing_cublas().hint};
  int major = 0, minor = 0, patch = 0;
  cublas.api.property(kMajor, &major);
  cublas.api.property(kMinor, &minor);
  cublas.api.property(kPatch, &patch);
  return {.version = fmt::format("{}.{}.{}", major, minor, patch), .library = cublas.library.name()};
}

std::vector<std::string> Cublas::value_types() {
  std::vector<std::string> types{"f32", "f64"};
  for (const TensorProduct& product : kTensorProducts) types.emplace_back(product.value_type);
  return types;
}

bool Cublas::multiplies(const std::string& value_type) {
  const std::vector<std::string> types = value_types();
  return std::ranges::find(types, value_type) != types.end();
}

Result<std::unique_ptr<Cublas>> Cublas::create(const ContextPointer& context) {
  if (!loaded_cublas().usable()) return missing_cublas();
  const CublasApi& api = loaded_cublas().api;
  context->enter();
  const auto start = std::chrono::steady_clock::now();
  void* handle = nullptr;
  if (auto made = check(api.create(&handle), "cublasCreate"); !made.ok()) return made.error();
  const double create_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::unique_ptr<Cublas> cublas(new Cublas(context, handle, create_ms));
  if (auto set = check(api.set_math_mode(handle, kDefaultMath), "cublasSetMathMode"); !set.ok())
    return set.error();
  return cublas;
}

Cublas::~Cublas() {
  if (context_->abandoned()) return;
  context_->enter();
  loaded_cublas().api.destroy(handle_);
}

Result<Done> Cublas::multiply(const Product& product, const Stream& stream) const {
  const CublasApi& api = loaded_cublas().api;
  context_->enter();
  if (auto set = check(api.set_stream(handle_, stream.handle()), "cublasSetStream"); !set.ok())
    return set.error();
  if (product.value_type == "f32") return check(swapped<float>(api.sgemm, handle_, product), "cublasSgemm");
  if (product.value_type == "f64") return check(swapped<double>(api.dgemm, handle_, product), "cublasDgemm");
  return check(multiply_on_tensor_cores(api, handle_, product), "cublasGemmEx");
}

}  // namespace warplens::gpu
