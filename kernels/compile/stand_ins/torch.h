// What device code uses of PyTorch's headers (torch/, ATen/, c10/): scalar types, accessors of tensors,
// macros
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace c10 {

/// A number of 16 bits that computes as a float.
template <class Stored>
struct alignas(2) ShortFloat {
  Stored stored;
  ShortFloat() = default;
  __host__ __device__ ShortFloat(float value) : stored(value) {}
  __host__ __device__ ShortFloat(Stored value) : stored(value) {}
  __host__ __device__ operator float() const { return static_cast<float>(stored); }
  __host__ __device__ explicit operator Stored() const { return stored; }
  __host__ __device__ ShortFloat& operator+=(float value) { return *this = ShortFloat(float(*this) + value); }
  __host__ __device__ ShortFloat& operator-=(float value) { return *this = ShortFloat(float(*this) - value); }
  __host__ __device__ ShortFloat& operator*=(float value) { return *this = ShortFloat(float(*this) * value); }
  __host__ __device__ ShortFloat& operator/=(float value) { return *this = ShortFloat(float(*this) / value); }
};
using Half = ShortFloat<__half>;
using BFloat16 = ShortFloat<__nv_bfloat16>;

enum class ScalarType : signed char { Byte, Char, Short, Int, Long, Half, Float, Double };

}  // namespace c10

namespace at {

using c10::BFloat16;
using c10::Half;
using c10::ScalarType;

template <class T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};

template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
class TensorAccessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __host__ __device__ TensorAccessor(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __host__ __device__ PtrType data() const { return data_; }
  __host__ __device__ decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 private:
  PtrType data_;
  const Index *sizes_, *strides_;
};

/// A tensor passed by value in a kernel's parameters: pointer, extents, strides.
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
class GenericPackedTensorAccessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __host__ __device__ PtrType data() const { return data_; }
  __host__ __device__ decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 private:
  PtrType data_;
  Index sizes_[N], strides_[N];
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, Index>;

template <class T, bool on_gpu = true>
struct AccumulateType {
  typedef T type;
};
template <bool on_gpu>
struct AccumulateType<Half, on_gpu> {
  typedef float type;
};
template <bool on_gpu>
struct AccumulateType<BFloat16, on_gpu> {
  typedef float type;
};
template <class T, bool on_gpu = true>
using acc_type = typename AccumulateType<T, on_gpu>::type;
template <class T>
using opmath_type = acc_type<T>;
template <class T>
struct OpMathType : AccumulateType<T> {};

template <class T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

}  // namespace at

namespace torch {
using namespace at;
}  // namespace torch

namespace c10 {
using at::acc_type;
}  // namespace c10

template <class T>
__device__ inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
__device__ inline c10::Half gpuAtomicAdd(c10::Half* address, c10::Half value) {
  return c10::Half(atomicAdd(reinterpret_cast<__half*>(address), value.stored));
}
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return c10::BFloat16(atomicAdd(reinterpret_cast<__nv_bfloat16*>(address), value.stored));
}
__device__ inline c10::Half atomicAdd(c10::Half* address, c10::Half value) {
  return gpuAtomicAdd(address, value);
}
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return gpuAtomicAdd(address, value);
}
template <class T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}

template <class T>
__device__ inline T WARP_SHFL(T value, int lane, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
__device__ inline T WARP_SHFL_XOR(T value, int lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T>
__device__ inline T WARP_SHFL_UP(T value, unsigned lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, lanes, width);
}
template <class T>
__device__ inline T WARP_SHFL_DOWN(T value, unsigned lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, lanes, width);
}
__device__ inline unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}

#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE __forceinline__
#define C10_WARP_SIZE 32
#define C10_MAX_THREADS_PER_BLOCK(threads) (threads)
#define C10_MIN_BLOCKS_PER_SM(threads, blocks) (blocks)
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_RESTRICT __restrict__
#define C10_UNUSED
#define C10_EXPORT
#define C10_API
#define TORCH_API
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#define C10_CUDA_CHECK(value) ((void)(value))
#define AT_CUDA_CHECK(value) ((void)(value))
#define THCudaCheck(value) ((void)(value))
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                                           \
  for (type i = static_cast<type>(blockIdx.x) * blockDim.x + threadIdx.x; i < static_cast<type>(n); \
       i += static_cast<type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP_T(i, n, type) CUDA_KERNEL_LOOP_TYPE(i, n, type)
